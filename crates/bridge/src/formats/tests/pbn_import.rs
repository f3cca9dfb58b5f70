//! What PBN 2.1 allows in its import format, and what it forbids.

use super::{DEALS, boards, read};
use crate::formats::{Fault, Format, ReadError, Reading};
use crate::{Board, DealError};

/// The tags of the first board.
fn first() -> String {
    let deal = DEALS[0];
    format!("[Board \"1\"]\n[Dealer \"N\"]\n[Vulnerable \"None\"]\n[Deal \"{deal}\"]\n")
}

fn pbn(file: &str) -> Result<Vec<Board>, ReadError> {
    read(Format::Pbn, file)
}

/// Reads a file with warnings.
fn reading(file: &str) -> Reading {
    Format::Pbn.read(file.as_bytes()).unwrap()
}

fn only_first() -> Result<Vec<Board>, ReadError> {
    Ok(boards()[..1].to_vec())
}

#[test]
fn lower_case_is_allowed() {
    let lower = first()
        .replace(DEALS[0], &DEALS[0].to_lowercase())
        .replace("\"N\"", "\"n\"");
    for none in ["none", "LOVE", "-", "love"] {
        assert_eq!(pbn(&lower.replace("None", none)), only_first(), "{none}");
    }
}

#[test]
fn no_tag_is_mandatory() {
    let deals = |some: &[&str]| -> String {
        let games = some.iter().map(|deal| format!("[Deal \"{deal}\"]\n\n"));
        games.collect()
    };
    let found = reading(&deals(&DEALS));
    assert_eq!((found.boards, found.is_numbered), (boards(), false));
    assert_eq!((found.warnings, found.further_warnings), (vec![], 0));
    let unknown = deals(&DEALS).replace("[Deal", "[Board \"?\"][Dealer \"\"][Deal");
    assert_eq!(pbn(&unknown), Ok(boards()));
    assert!(reading(&first()).is_numbered);
    // Either all boards have a number or none.
    let missing = |line| Err(Fault::SomeNumbers.in_line(line));
    let deal = deals(&DEALS[1..2]);
    assert_eq!(pbn(&format!("{}\n{deal}", first())), missing(6));
    assert_eq!(pbn(&format!("{deal}{}", first())), missing(1));
    let two = deals(&DEALS[..2]);
    assert_eq!(pbn(&format!("{two}{}", first())), missing(1));
    assert_eq!(
        pbn(&format!("{two}[Board \"2\"]\n[Contract \"4S\"]\n")),
        missing(1)
    );
}

#[test]
fn games_without_a_deal_are_results_of_known_boards() {
    let result = |tags: &str| format!("{}\n{tags}[Room \"Closed\"]\n[Contract \"4S\"]\n", first());
    for tags in ["", "[Board \"1\"]\n", "[Board \"#\"]\n[Deal \"?\"]\n"] {
        assert_eq!(pbn(&result(tags)), only_first(), "{tags}");
    }
    let missing = Fault::Missing("Deal").in_line(6);
    assert_eq!(pbn(&result("[Board \"2\"]\n")), Err(missing));
    assert_eq!(pbn("[Event \"x\"]\n"), Err(Fault::Empty.in_line(2)));
}

#[test]
fn hash_is_the_value_of_an_earlier_game_or_empty() {
    assert_eq!(pbn(&(first() + "[Scoring \"#\"]\n")), only_first());
    // Without an earlier tag, the value is empty, so the board has no number.
    let found = reading(&first().replace("\"1\"", "\"#\""));
    assert_eq!((found.is_numbered, found.boards[0].number), (false, 1));
    // The nearest earlier game that has the tag.
    let between = first() + "\n[Room \"Closed\"]\n\n[Board \"#\"]\n[Room \"Closed\"]\n";
    assert_eq!(pbn(&between), only_first());
    for tag in ["Dealer", "Vulnerable", "Deal"] {
        for value in ["#", "##", "##N"] {
            let file = format!("{}\n[Board \"2\"]\n[{tag} \"{value}\"]\n", first());
            assert_eq!(pbn(&file), Err(Fault::Inherited(tag).in_line(7)));
        }
    }
}

#[test]
fn two_hashes_set_the_value_of_all_later_games() {
    let export = |tags: &[&str]| -> String {
        let tags = tags.iter().map(|tag| format!("[{tag} \"##x\"]\n"));
        tags.collect()
    };
    let head = [
        "Event", "Site", "Date", "West", "North", "East", "South", "Scoring",
    ];
    let second = format!(
        "[Board \"2\"]\n[Dealer \"E\"]\n[Vulnerable \"NS\"]\n[Deal \"{}\"]\n",
        DEALS[1]
    );
    let end = "[Declarer \"?\"]\n[Contract \"?\"]\n[Result \"?\"]\n";
    let games = |head: &[&str]| {
        let (head, first) = (export(head), first());
        format!("% EXPORT\n{head}{first}{end}\n{second}{end}")
    };
    assert_eq!(pbn(&games(&head)), Ok(boards()[..2].to_vec()));
    // The mark counts from its line on, in any case.
    let late = format!("{}\n%export\n{}", first(), first());
    assert_eq!(pbn(&late), Err(Fault::NoExport("Event").in_line(7)));
    assert_eq!(
        pbn(&games(&head).replace("[Date \"##x", "[Date \"x")),
        Err(Fault::NoExport("Date").in_line(18))
    );
    // A board number is inherited like any other tag.
    let board = format!(
        "[Board \"##1\"]\n\n[Deal \"{}\"]\n\n[Deal \"{}\"]\n",
        DEALS[0], DEALS[0]
    );
    assert_eq!(pbn(&board), Err(Fault::Missing("Deal").in_line(1)));
    let board = board.replacen("\"]\n\n", "\"]\n", 1);
    assert_eq!(pbn(&board), only_first());
}

#[test]
fn tags_may_span_lines() {
    let spread = first()
        .replace(
            "[Board \"1\"]",
            "[\nBoard\n% a comment\n\t\"1\"\r\n] [Note \"a\"\n]",
        )
        .replace("[Dealer \"N\"]", "[Dealer\n\"N\"][Site\n\"x\"]");
    assert_eq!(pbn(&spread), only_first());
    for (open, line) in [
        ("[", 5),
        ("[Note", 5),
        ("[Note \"a\"", 5),
        ("[Note\n\n\"a\"]", 5),
        ("[Note {} \"a\"]", 5),
        ("x [Note \"a\n\"]", 5),
        ("\n\n[Note ]", 7),
        ("[\n\"a\"]", 5),
        ("[Note \"a\"\n\"b\"]", 5),
    ] {
        let file = first() + open;
        assert_eq!(pbn(&file), Err(Fault::Tag.in_line(line)), "{open}");
    }
}

/// The number of a board determines its dealer and its vulnerability, so unknown ones are warnings.
#[test]
fn spaces_are_skipped_and_unknown_values_are_warnings() {
    let spaced = first()
        .replace("\"1\"", "\" 1 \"")
        .replace("None", "None ")
        .replace(" QT87", "  QT87")
        .replace("N:J2", "N: J2")
        .replace("K98\"", "K98 \"");
    assert_eq!(pbn(&spaced), only_first());
    let odd = first().replace("\"N\"", "\"North\"").replace("None", "N-S");
    let found = reading(&odd);
    assert_eq!(Ok(found.boards), only_first());
    assert_eq!(found.warnings.len(), 2);
    assert!(matches!(found.warnings[0].fault, Fault::NoDealer(_)));
    assert!(matches!(found.warnings[1].fault, Fault::NoVulnerability(_)));
}

#[test]
fn tag_in_another_case_is_skipped_with_a_warning() {
    let file = format!("{}\n[Board \"1\"]\n[DEAL \"{}\"]\n", first(), DEALS[1]);
    let found = reading(&file);
    assert_eq!(Ok(found.boards), only_first());
    assert_eq!(found.warnings, [Fault::TagCase("Deal").in_line(7)]);
    let reason = Format::Pbn.read(b"[DEAL \"x\"]").unwrap_err();
    assert_eq!(reason, Fault::TagCase("Deal").in_line(1));
}

#[test]
fn first_of_two_values_counts_with_a_warning() {
    let file = format!("[Event \"a\"]\n{}[Event \"b\"]\n[Board \"7\"]\n", first());
    let found = reading(&file);
    let [event, board] = [("Event", 6), ("Board", 7)];
    let warnings = [event, board].map(|(tag, line)| Fault::TagTwice(tag).in_line(line));
    assert_eq!(found.warnings, warnings);
    assert_eq!(Ok(found.boards), only_first());
    assert_eq!(pbn(&file), Err(warnings[0].clone()));
}

#[test]
fn hidden_hand_has_its_own_error() {
    let hidden = first().replace("AK9.K97653.T.K98", "-");
    let fault = Fault::Deal(DealError::Hidden('W')).in_line(4);
    assert!(fault.to_string().contains("the hand of W is hidden"));
    assert_eq!(pbn(&hidden), Err(fault));
}

/// The first board with another dealer and another vulnerability.
fn practice_board() -> String {
    first().replace("\"N\"", "\"S\"").replace("None", "All")
}

#[test]
fn boards_of_two_events_and_other_dealers_are_read_with_warnings() {
    let two = format!("{}\n{}", first(), first().replace(DEALS[0], DEALS[1]));
    let found = reading(&two);
    let [one, other] = [boards()[0], boards()[1]].map(|board| (1, board.deal));
    let numbers = found.boards.iter().map(|board| (board.number, board.deal));
    assert_eq!(numbers.collect::<Vec<_>>(), [one, other]);
    assert_eq!(found.warnings, [Fault::OtherDeal(1).in_line(6)]);
    // A further table of a practice board causes no further warnings.
    let tables = practice_board() + "\n" + &practice_board();
    assert_eq!(reading(&tables).warnings.len(), 2);
    // Each deal of a board counts once.
    assert_eq!(
        reading(&two.repeat(3).replace("[Board", "\n[Board"))
            .boards
            .len(),
        2
    );

    let practice = practice_board();
    let found = reading(&practice);
    assert_eq!(Ok(found.boards), only_first());
    let dealer = Fault::Dealer {
        number: 1,
        lawful: 'N',
        found: 'S',
    };
    let vulnerable = Fault::Vulnerability {
        number: 1,
        lawful: "None",
        found: "All",
    };
    assert_eq!(
        found.warnings,
        [dealer.clone().in_line(2), vulnerable.in_line(3)]
    );
    assert_eq!(pbn(&practice), Err(dealer.in_line(2)));
}

#[test]
fn ten_warnings_are_kept_and_the_others_counted() {
    let found = reading(&(first() + &"[Site \"x\"]\n".repeat(100_000)));
    assert_eq!(found.warnings.len(), 10);
    assert_eq!(found.further_warnings, 99_989);
    assert!(found.strict().is_err());
}
