//! The page in a real browser: Chromium, driven by Python's selenium. Each test here runs a test of
//! the scripts in this folder, which starts its own programs and browsers.
//!
//! Python, the browser and its driver are found in the path, or by DEALERLESS_PYTHON,
//! DEALERLESS_CHROMIUM and DEALERLESS_CHROMEDRIVER. If one of them is missing, the tests print a
//! message and pass. DEALERLESS_AXE is the path of `axe.min.js` from axe-core; without it
//! accessibility is not checked. DEALERLESS_PICTURES is a folder for screenshots of the pages.
#![cfg(unix)]

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, PoisonError, RwLock};

/// Tests that measure times hold this lock exclusively. All other tests share it.
static QUIET: RwLock<()> = RwLock::new(());

/// The programs that the scripts need, or a message that names a missing program.
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
                .ok_or("chromium was not found")?,
            driver: executable("DEALERLESS_CHROMEDRIVER", "chromedriver")
                .ok_or("chromedriver was not found")?,
        })
    }
}

/// The program named by an environment variable, or the first of this name in the path.
fn executable(variable: &str, name: &str) -> Option<PathBuf> {
    if let Some(named) = env::var_os(variable) {
        return Some(named.into());
    }
    let path = env::var_os("PATH")?;
    let mut places = env::split_paths(&path).map(|folder| folder.join(name));
    places.find(|place| place.is_file())
}

/// Runs one test of a script: `module.Class.test`.
fn run_script_test(test: &str) {
    let tools = match &*TOOLS {
        Ok(tools) => tools,
        Err(missing) => {
            println!("{missing}: the page was not tested in a browser");
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
        .expect("cannot run Python");
    // Prints the values that the script has measured.
    print!("{}", String::from_utf8_lossy(&run.stdout));
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
}

fn with_others(test: &str) {
    let _shared = QUIET.read().unwrap_or_else(PoisonError::into_inner);
    run_script_test(test);
}

fn alone(test: &str) {
    let _alone = QUIET.write().unwrap_or_else(PoisonError::into_inner);
    run_script_test(test);
}

/// Defines a Rust test for each test of the scripts, with the same name.
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
    with_others "test_poker.Poker" {
        raise_fold_and_showdown_with_a_muck,
        cards_are_exchanged_in_five_card_draw,
        leaving_shows_its_cost_and_can_be_taken_back,
        closing_is_offered_while_the_other_player_is_out_of_time,
    }
    with_others "test_open.Open" {
        cards_are_opened_and_dice_are_rolled,
        bridge_board_is_opened_to_all,
    }
    with_others "test_terminal.Terminal" {
        browser_plays_with_a_json_program,
        browser_plays_with_a_person_at_a_terminal,
    }
    with_others "test_door.Door" {
        guest_declines_or_accepts_the_terms,
        host_accepts_or_declines_a_known_player,
        list_of_players_at_the_door_keeps_the_focus,
        guest_sees_its_place_in_the_queue_and_then_who_is_missing,
    }
    with_others "test_killed.Killed" {
        match_of_a_killed_program_is_resumed_with_the_same_cards,
        stopped_match_and_missing_server_are_reported,
    }
    with_others "test_records.Records" {
        report_on_both_records_of_a_match,
        report_on_one_record_shows_its_hands,
        report_on_a_damaged_record_names_the_damaged_step,
    }
    with_others "test_attacks.Attacks" {
        page_of_another_origin_reads_and_changes_nothing,
        other_host_names_for_this_address_are_refused,
        address_without_token_or_with_a_used_token_is_refused,
        second_tab_watches_until_it_takes_the_seat,
        ten_megabyte_messages_are_refused,
        name_of_markup_is_shown_as_text,
    }
    with_others "test_looks.Looks" {
        lobby_and_verify,
        match_from_invite_to_history,
        cards_by_agreement,
        problems_at_a_table,
    }
    with_others "test_layout.Layout" {
        nothing_overlaps_or_leaves_the_window,
    }
    with_others "test_people.People" {
        made_hand_is_shown_until_the_cards_change,
        page_asks_once_before_a_pot_is_given_up,
        clock_shows_the_bank_and_a_late_player_sees_the_choice_made,
        all_in_is_labelled_and_fixed_limit_has_no_amount,
        late_player_of_several_sees_that_it_sits_out_and_can_come_back,
        sitting_out_after_a_showdown_offers_no_next_hand,
        no_chips_are_on_the_table_after_a_leave,
        own_cards_are_marked_as_seen_by_all_after_an_all_in_or_show,
        no_time_is_counted_while_the_connection_is_lost,
        amount_out_of_range_is_refused_while_typing,
        last_choice_is_cleared_at_the_next_turn,
        terms_are_shown_as_a_question,
        stopping_shows_when_the_match_may_be_closed,
        advice_uses_the_names_of_the_page,
        settings_and_terms_survive_a_restart,
        rematch_needs_no_invite_in_either_order,
    }
    with_others "test_several.Several" {
        three_players_play_a_hand_in_three_pages,
        host_begins_with_fewer_and_replaces_the_link,
        open_table_seats_everybody_who_has_the_link,
        table_goes_on_when_a_player_leaves_and_another_comes,
        next_player_hosts_and_a_player_without_chips_sits_down_again,
        six_players_play_on_after_one_is_killed_and_one_leaves,
    }
    with_others "test_result.Result" {
        winning_cards_are_marked_and_the_result_stays_until_the_own_turn,
        all_in_streets_are_shown_one_by_one_without_delaying_a_turn,
    }
    alone "test_speed.Speed" {
        page_is_painted_quickly,
        event_is_on_the_screen_within_a_frame,
    }
}

#[test]
fn all_script_tests_are_listed() {
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
