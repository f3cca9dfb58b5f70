//! The page in a real browser: Chromium, driven by Python's selenium. Each test here runs one of the
//! scripts beside this file, which starts its own programs and browsers.
//!
//! Python, the browser and its driver are found in the path, or by DEALERLESS_PYTHON,
//! DEALERLESS_CHROMIUM and DEALERLESS_CHROMEDRIVER. Where one of them is missing nothing is tested, and
//! the test says so. DEALERLESS_AXE is the file `axe.min.js` of axe-core, without which nothing is
//! tested for accessibility; DEALERLESS_PICTURES is a folder for a picture of each page.
#![cfg(unix)]

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, PoisonError, RwLock};

/// Who measures is alone.
static QUIET: RwLock<()> = RwLock::new(());

/// What the scripts are run with, or what is missing.
static TOOLS: LazyLock<Result<Tools, &'static str>> = LazyLock::new(Tools::find);

struct Tools {
    python: OsString,
    chromium: PathBuf,
    driver: PathBuf,
}

impl Tools {
    fn find() -> Result<Self, &'static str> {
        let python = env::var_os("DEALERLESS_PYTHON").unwrap_or_else(|| "python3".into());
        let found = Command::new(&python)
            .args(["-c", "import selenium"])
            .output();
        if !found.is_ok_and(|found| found.status.success()) {
            return Err("Python's selenium is not installed");
        }
        Ok(Tools {
            python,
            chromium: executable("DEALERLESS_CHROMIUM", "chromium")
                .ok_or("there is no chromium")?,
            driver: executable("DEALERLESS_CHROMEDRIVER", "chromedriver")
                .ok_or("there is no chromedriver")?,
        })
    }
}

/// The program that a variable names, or the first of this name in the path.
fn executable(variable: &str, name: &str) -> Option<PathBuf> {
    if let Some(named) = env::var_os(variable) {
        return Some(named.into());
    }
    let path = env::var_os("PATH")?;
    let mut places = env::split_paths(&path).map(|folder| folder.join(name));
    places.find(|place| place.is_file())
}

/// Runs one test of a script: `module.Class.test`.
fn runs(test: &str) {
    let tools = match &*TOOLS {
        Ok(tools) => tools,
        Err(missing) => {
            println!("{missing}: no page was opened in a browser");
            return;
        }
    };
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser");
    let run = Command::new(&tools.python)
        .args(["-B", "-m", "unittest", test])
        .current_dir(scripts)
        .env("DEALERLESS", env!("CARGO_BIN_EXE_dealerless"))
        .env("DEALERLESS_CHROMIUM", &tools.chromium)
        .env("DEALERLESS_CHROMEDRIVER", &tools.driver)
        .output()
        .expect("Python runs");
    // What was measured.
    print!("{}", String::from_utf8_lossy(&run.stdout));
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
}

fn beside_others(test: &str) {
    let _beside = QUIET.read().unwrap_or_else(PoisonError::into_inner);
    runs(test);
}

fn alone(test: &str) {
    let _alone = QUIET.write().unwrap_or_else(PoisonError::into_inner);
    runs(test);
}

/// A test for each test of the scripts, of the same name.
macro_rules! tests {
    ($($how:ident $class:literal { $($name:ident,)* })*) => {
        $($(#[test]
        fn $name() {
            $how(concat!($class, ".test_", stringify!($name)));
        })*)*

        const ALL: &[&str] = &[$($(stringify!($name),)*)*];
    };
}

tests! {
    beside_others "test_poker.Poker" {
        a_raise_and_a_fold_and_then_a_showdown_with_a_muck,
        cards_are_exchanged_in_five_card_draw,
        leaving_says_what_it_costs_and_is_taken_back,
        closing_is_offered_before_leaving_while_the_other_side_is_out_of_time,
    }
    beside_others "test_open.Open" {
        cards_are_opened_to_one_and_to_both_and_dice_are_rolled,
        a_board_of_bridge_is_opened_to_all,
    }
    beside_others "test_terminal.Terminal" {
        one_in_a_browser_plays_with_a_program_that_speaks_json,
        one_in_a_browser_plays_with_a_person_at_a_terminal,
    }
    beside_others "test_door.Door" {
        a_guest_reads_the_terms_and_declines_or_sits_down,
        a_host_accepts_a_known_player_or_declines,
    }
    beside_others "test_killed.Killed" {
        a_program_that_was_killed_is_resumed_and_the_cards_are_the_same,
        a_match_that_is_broken_off_says_so_and_a_server_that_is_gone_is_missed,
    }
    beside_others "test_records.Records" {
        a_record_of_each_side_is_dropped_and_the_proof_is_read,
        one_record_is_chosen_as_a_file_and_its_hands_are_shown,
        of_a_record_with_a_flipped_byte_it_is_read_where_it_is_bad,
    }
    beside_others "test_attacks.Attacks" {
        a_page_of_another_origin_reads_nothing_and_changes_nothing,
        a_name_that_somebody_makes_point_here_is_another_host,
        the_address_without_its_fragment_and_a_used_one_let_nobody_in,
        a_second_tab_watches_until_it_takes_the_seat,
        ten_megabytes_in_a_message_are_refused_and_the_match_goes_on,
        a_peer_whose_name_is_markup_is_shown_as_text,
    }
    beside_others "test_looks.Looks" {
        lobby_and_verify,
        a_table_from_the_invite_to_the_history,
        cards_by_agreement,
        whatever_goes_wrong_at_a_table,
    }
    beside_others "test_layout.Layout" {
        nothing_overlaps_and_every_control_is_inside_the_window,
    }
    beside_others "test_people.People" {
        the_made_hand_stays_until_the_board_or_the_cards_change,
        giving_a_pot_away_is_asked_about_once_by_mouse_and_keys,
        the_clock_names_the_bank_and_a_player_out_of_time_reads_what_was_done,
        an_all_in_reads_so_and_a_fixed_limit_needs_no_amount,
        a_player_who_sits_out_after_a_showdown_is_offered_to_come_back_and_no_next_hand,
        after_a_leave_no_chips_lie_on_the_table,
        the_own_cards_of_an_all_in_are_seen_by_all_and_those_of_a_showdown_when_they_are_shown,
        no_time_is_counted_while_the_line_is_lost,
        an_amount_out_of_range_is_refused_as_it_is_typed,
        what_a_player_did_is_not_shown_at_its_next_turn,
        terms_read_as_a_question_and_the_host_is_found,
        to_break_off_says_when_the_match_may_be_closed,
        advice_names_what_the_page_has,
        name_settings_and_terms_are_kept_when_the_program_starts_again,
        a_rematch_needs_no_invite_in_either_order,
    }
    beside_others "test_result.Result" {
        the_winning_cards_stand_out_and_the_result_stays_until_ones_own_turn,
        the_streets_of_an_all_in_are_shown_one_by_one_and_a_turn_does_not_wait_for_them,
    }
    alone "test_speed.Speed" {
        the_page_is_small_and_painted_soon,
        an_event_is_on_the_screen_a_frame_after_it_has_come,
    }
}

#[test]
fn every_test_of_the_scripts_is_run_here() {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser");
    for script in fs::read_dir(scripts).expect("a folder") {
        let script = script.expect("a file").path();
        if script.extension().is_none_or(|kind| kind != "py") {
            continue;
        }
        let text = fs::read_to_string(&script).expect("text");
        let tests = text
            .lines()
            .filter_map(|line| line.strip_prefix("    def test_"));
        for test in tests {
            let (name, _) = test.split_once('(').expect("a function");
            assert!(ALL.contains(&name), "{name} in {}", script.display());
        }
    }
}
