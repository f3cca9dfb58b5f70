//! The promise: `bridge number` and `bridge deal` print one line, and `bridge squaredeal verify`
//! checks published keys against their hash, and published boards against the keys.

use crate::common;

use std::fs;
use std::path::Path;

use common::processes::{Finished, start};
use dealerless_bridge::formats::Format;
use dealerless_bridge::squaredeal::{Description, Keys, Set};
use dealerless_bridge::{Board, DealNumber, Order};

const DEAL: &str = "N:J2.AQ.A7652.J543 QT87.T8.KJ843.A2 6543.J42.Q9.QT76 AK9.K97653.T.K98";

fn run(args: &[&str]) -> Finished {
    start([&["bridge"], args].concat()).finish()
}

#[test]
fn deals_and_numbers_convert_in_every_order() {
    for (order, number) in [
        ("bigdeal", "36892843148362336617819499272"),
        ("andrews", "39821623690885960145906715859"),
        ("pavlicek", "51410303815515745124945918626"),
    ] {
        let printed = run(&["number", DEAL, "--order", order]).exits(0).stdout;
        assert_eq!(printed, format!("{number}\n"));
        let printed = run(&["deal", number, "--order", order]).exits(0).stdout;
        assert_eq!(printed, format!("{DEAL}\n"));
    }
    let hands: Vec<&str> = DEAL.split(' ').collect();
    let without_quotes = run(&[&["number"], &hands[..]].concat()).exits(0);
    assert_eq!(without_quotes.stdout, "36892843148362336617819499272\n");
    let without_order = run(&["deal", "36,892,843,148,362,336,617,819,499,272"]);
    assert_eq!(without_order.exits(0).stdout, format!("{DEAL}\n"));
    let hex = run(&["deal", "0x77350b6a87f4363a6cef6b08"]).exits(0).stdout;
    assert_eq!(hex, format!("{DEAL}\n"));
}

#[test]
fn invalid_deals_and_numbers_are_refused() {
    let too_large = run(&["deal", "53644737765488792839237440000"]);
    too_large
        .exits(1)
        .says("the last deal is 53644737765488792839237439999");
    run(&["deal", "1,00"]).exits(1).says("such as 1000");
    run(&["number", "N:AK"])
        .exits(1)
        .says("a deal has four hands");
    run(&["deal", "1", "--order", "other"])
        .exits(1)
        .says("pavlicek");
}

/// The keys of two sessions. The first key is real (hansvanstaveren/BigDeal a980e7f, World Bridge
/// Games 2024), and belongs to the value 43275.91.
const KEYS: &str = "1,1:hrzkVbQb9F0QhgIYEwfBUwKjNHDoGZXMYxVBbJZaWXnJf233CI5MJo7buhPR\r\n\
                    2,0:0123456789abcdefghijABCDEFGHIJ0123456789klmnopqrstKLMNOPQRST\r\n";
const HASH: &str = "cedccc269df7eb6205cd0dd86d2cabcde143a8e2ea7f30032d8e454836308d23";

fn write(folder: &Path, value: &str, keys: &str) -> [String; 2] {
    let [description, key_file] = ["x.sqd", "x.sqk"].map(|name| folder.join(name));
    let text = format!(
        "# SquareDeal 2.7\r\nTN World Bridge Games 2024\r\nDI DJI1910\r\n{value}SN 1:1-2:OPRR##:Open #/17\r\n\
         SN 0:5-6:SW#:Swiss #\r\nKH {HASH}\r\n"
    );
    fs::write(&description, text).unwrap();
    fs::write(&key_file, keys).unwrap();
    [description, key_file].map(|path| path.to_str().unwrap().to_owned())
}

const FIRST: &str = "   1  N:AJ65.K82.AK8.J75 8.AQT75.QJT4.Q64 KT2..96532.KT983 Q9743.J9643.7.A2\n";

#[test]
fn keys_with_the_published_hash_give_the_boards() {
    let folder = tempfile::tempdir().unwrap();
    let [description, keys] = write(folder.path(), "DV 43275.91\r\n", KEYS);
    let both = run(&["squaredeal", "verify", &keys, &description])
        .exits(0)
        .stdout;
    assert!(
        both.contains("The 2 keys match the published hash."),
        "{both}"
    );
    assert!(
        both.contains(&format!("OPRR01  Open 1/17\n{FIRST}")),
        "{both}"
    );
    assert!(both.contains("Phase 2: skipped sets"), "{both}");
    let third = run(&["squaredeal", "verify", &description, "--sessions", "3"]);
    let third = third.exits(0).stdout;
    assert!(third.contains("SW3  Swiss 3\n   5  N:"), "{third}");
    let reserve = run(&["squaredeal", "verify", &description, "--reserve"])
        .exits(0)
        .stdout;
    let board = "OPRR01reserve  Open 1/17\n   1  N:832.KQ3.42.K9542 96.T652.KQJ8.AT6 ";
    assert!(reserve.contains(board), "{reserve}");
}

#[test]
fn keys_with_another_hash_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let [description, _] = write(
        folder.path(),
        "DV 43275.91\r\n",
        &KEYS.replace("hrzk", "hrzK"),
    );
    let answer = run(&["squaredeal", "verify", &description]).exits(4);
    assert!(
        answer.stdout.contains("do not match the published hash"),
        "{}",
        answer.stdout
    );
    assert!(!answer.stdout.contains("N:"), "{}", answer.stdout);
}

#[test]
fn value_option_is_for_files_without_a_value() {
    let folder = tempfile::tempdir().unwrap();
    let [description, _] = write(folder.path(), "", KEYS);
    let unknown = run(&["squaredeal", "verify", &description]).exits(0).stdout;
    assert!(
        unknown.contains("unknown, so") && !unknown.contains("N:"),
        "{unknown}"
    );
    let given = run(&["squaredeal", "verify", &description, "--value", "43275.91"]);
    let given = given.exits(0).stdout;
    assert!(
        given.contains("DJI1910: 4327591\n") && !given.contains(FIRST),
        "{given}"
    );
    let [description, _] = write(folder.path(), "DV 43275.91\r\n", KEYS);
    let twice = run(&["squaredeal", "verify", &description, "--value", "1"]);
    twice.exits(1).says("already has a value");
}

#[test]
fn errors_name_the_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let [description, keys] = write(folder.path(), "", "1,1:a\r\n1,1:b\r\n");
    let twice = run(&["squaredeal", "verify", &description]).exits(1);
    twice.says("x.sqk: line 2: phase 1 session 1 has two keys");
    run(&["squaredeal", "verify", &keys])
        .exits(1)
        .says("give the .sqd");
    run(&["squaredeal", "verify", "boards.txt"])
        .exits(1)
        .says("nor a readable file of boards");
}

/// Two sessions of 20 boards, with the published hash of their keys.
const TOURNAMENT: [(&str, &str); 2] = [
    (
        "t.sqd",
        "TN Test\nDI a number\nDV 7\nSN 2:1-20,21-40:A##:Session #\n\
         KH 673b3160853741fee8c0a07fd995926fcfbc74a7ac720cb943cd02d2b6505dcd\n",
    ),
    ("t.sqk", "1,1:abcdefgh\r\n1,2:ijklmnop\r\n"),
];

/// Writes the files of the tournament. Returns the boards of both sessions, and the reserve boards
/// of the first session.
fn tournament(folder: &Path) -> [Vec<Board>; 3] {
    for (name, text) in TOURNAMENT {
        fs::write(folder.join(name), text).unwrap();
    }
    let [description, keys] = TOURNAMENT.map(|(_, text)| text.as_bytes());
    let description = Description::read(description).unwrap();
    let keys = Keys::read(keys).unwrap();
    [(1, Set::Original), (2, Set::Original), (1, Set::Reserve)].map(|(number, set)| {
        let session = description.session(&keys, [1, number], set, b"7", None);
        session.unwrap().boards().collect()
    })
}

/// Writes boards to a file and verifies it. Returns the output.
fn verify_boards(folder: &Path, name: &str, format: Format, boards: &[Board], code: i32) -> String {
    let path = folder.join(name);
    fs::write(&path, format.write(boards).unwrap()).unwrap();
    let [description, path] = [folder.join("t.sqd"), path].map(|path| path.display().to_string());
    let finished = run(&["squaredeal", "verify", &description, &path]).exits(code);
    finished.stdout.replace(&*folder.display().to_string(), "")
}

#[test]
fn published_boards_are_verified_in_every_readable_format() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let [first, second, reserve] = tournament(folder);
    for &format in Format::ALL.iter().filter(|format| format.is_readable()) {
        for (set, boards) in [("A01", &first), ("A02", &second), ("A01reserve", &reserve)] {
            let name = format!("{set}.{}", format.suffix());
            let output = verify_boards(folder, &name, format, boards, 0);
            let agree = format!("{name}: 20 of 20 boards agree (compared with {set}).\n");
            assert!(output.contains(&agree), "{output}");
            let [low, high] = [&boards[0], &boards[19]].map(|board| board.number);
            assert!(
                output.contains(&format!("  {low}-{high}  agree: {set}\n")),
                "{output}"
            );
            // Boards computed from the keys are printed only if no file is given.
            assert!(!output.contains("N:"), "{output}");
        }
    }
    let both = [first, second].concat();
    let output = verify_boards(folder, "all.lin", Format::Lin, &both, 0);
    assert!(
        output.contains("40 of 40 boards agree (no set has this name"),
        "{output}"
    );
    assert!(
        output.contains("  1-20  agree: A01\n      21-40  agree: A02\n"),
        "{output}"
    );
}

#[test]
fn published_boards_that_differ_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let [first, second, reserve] = tournament(folder);
    let mut changed = first.clone();
    changed[4].deal = DealNumber::new(0).unwrap().deal(Order::BigDeal);
    changed[6].deal = second[3].deal;
    changed.truncate(18);
    let output = verify_boards(folder, "A01.pbn", Format::Pbn, &changed, 4);
    let rows = "A01.pbn: 16 of 18 boards agree (compared with A01).\n        1-4  agree: A01\n          \
                5  DIFFER: in no set\n          6  agree: A01\n          7  DIFFER: in A02 this is 24\n       \
                8-18  agree: A01\nBoards of the set that are not in the file: 19-20\n";
    assert!(output.contains(rows), "{output}");
    let output = verify_boards(folder, "A01.pbn", Format::Pbn, &reserve, 4);
    assert!(output.contains("A01.pbn: 0 of 20"), "{output}");
    assert!(
        output.contains("  1-20  DIFFER: in A01reserve this is 1-20\n"),
        "{output}"
    );
}

/// A file of deals only is numbered from the first board of the set, and a file that contradicts
/// itself is refused.
#[test]
fn published_pbn_may_lack_numbers_but_not_contradict_itself() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let [_, second, _] = tournament(folder);
    let verify = |file: String| {
        let path = folder.join("A02.pbn");
        fs::write(&path, file).unwrap();
        let [description, path] =
            [folder.join("t.sqd"), path].map(|path| path.display().to_string());
        run(&["squaredeal", "verify", &description, &path])
    };
    let deals = (second.iter()).map(|board| format!("[Deal \"{}\"]\n\n", board.deal));
    let output = verify(deals.collect()).exits(0).stdout;
    assert!(output.contains("  21-40  agree: A02\n"), "{output}");
    let file = String::from_utf8(Format::BigDeal.write(&second).unwrap()).unwrap();
    let other = file.replacen("[Dealer \"N\"]", "[Dealer \"S\"]", 1);
    verify(other)
        .exits(1)
        .says("the dealer of board 21 is S here");
}

#[test]
fn boards_are_not_compared_with_wrong_keys_or_without_a_value() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let [first, ..] = tournament(folder);
    let [description, keys] = ["t.sqd", "t.sqk"].map(|name| folder.join(name));
    fs::write(&keys, TOURNAMENT[1].1.replace("abc", "abd")).unwrap();
    let output = verify_boards(folder, "A01.pbn", Format::Pbn, &first, 4);
    assert!(!output.contains("A01.pbn"), "{output}");
    fs::write(&keys, TOURNAMENT[1].1).unwrap();
    fs::write(&description, TOURNAMENT[0].1.replace("DV 7\n", "")).unwrap();
    let unknown = run(&[
        "squaredeal",
        "verify",
        &description.display().to_string(),
        &folder.join("A01.pbn").display().to_string(),
    ]);
    unknown.exits(1).says("--value");
}
