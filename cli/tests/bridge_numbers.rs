//! The promise: `bridge number` and `bridge deal` print a line each, and `bridge squaredeal verify` says
//! whether published keys are those that were promised.

mod common;

use std::fs;
use std::path::Path;

use common::processes::{Finished, start};

const DEAL: &str = "N:J2.AQ.A7652.J543 QT87.T8.KJ843.A2 6543.J42.Q9.QT76 AK9.K97653.T.K98";

fn run(args: &[&str]) -> Finished {
    start([&["bridge"], args].concat()).finish()
}

#[test]
fn a_deal_and_its_number_are_a_line_each_in_every_order() {
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
    let without_order = run(&["deal", "36,892,843,148,362,336,617,819,499,272"]);
    assert_eq!(without_order.exits(0).stdout, format!("{DEAL}\n"));
    let hex = run(&["deal", "0x77350b6a87f4363a6cef6b08"]).exits(0).stdout;
    assert_eq!(hex, format!("{DEAL}\n"));
}

#[test]
fn what_is_no_deal_and_no_number_is_refused() {
    let too_large = run(&["deal", "53644737765488792839237440000"]);
    too_large
        .exits(1)
        .says("the last deal is 53644737765488792839237439999");
    run(&["deal", "1,00"]).exits(1).says("digits");
    run(&["number", "N:AK"])
        .exits(1)
        .says("a deal has four hands");
    run(&["deal", "1", "--order", "other"])
        .exits(1)
        .says("pavlicek");
}

/// The keys of two sessions; the first is a real one (hansvanstaveren/BigDeal a980e7f, World Bridge Games
/// 2024), with the value that it belongs to.
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
fn keys_that_agree_give_the_boards() {
    let folder = tempfile::tempdir().unwrap();
    let [description, keys] = write(folder.path(), "DV 43275.91\r\n", KEYS);
    let both = run(&["squaredeal", "verify", &keys, &description])
        .exits(0)
        .stdout;
    assert!(
        both.contains("The 2 keys have the published hash."),
        "{both}"
    );
    assert!(
        both.contains(&format!("OPRR01  Open 1/17\n{FIRST}")),
        "{both}"
    );
    assert!(both.contains("Phase 2: sets left out"), "{both}");
    let beside = run(&["squaredeal", "verify", &description, "--sessions", "3"]);
    let beside = beside.exits(0).stdout;
    assert!(beside.contains("SW3  Swiss 3\n   5  N:"), "{beside}");
    let reserve = run(&["squaredeal", "verify", &description, "--reserve"])
        .exits(0)
        .stdout;
    let board = "OPRR01reserve  Open 1/17\n   1  N:832.KQ3.42.K9542 96.T652.KQJ8.AT6 ";
    assert!(reserve.contains(board), "{reserve}");
}

#[test]
fn keys_that_do_not_agree_are_the_answer_no() {
    let folder = tempfile::tempdir().unwrap();
    let [description, _] = write(
        folder.path(),
        "DV 43275.91\r\n",
        &KEYS.replace("hrzk", "hrzK"),
    );
    let answer = run(&["squaredeal", "verify", &description]).exits(4);
    assert!(
        answer.stdout.contains("not those that were published"),
        "{}",
        answer.stdout
    );
    assert!(!answer.stdout.contains("N:"), "{}", answer.stdout);
}

#[test]
fn a_value_can_be_given_when_the_file_has_none_and_only_then() {
    let folder = tempfile::tempdir().unwrap();
    let [description, _] = write(folder.path(), "", KEYS);
    let unknown = run(&["squaredeal", "verify", &description]).exits(0).stdout;
    assert!(
        unknown.contains("not known") && !unknown.contains("N:"),
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
    twice.exits(1).says("has a value already");
}

#[test]
fn a_bad_file_is_named_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let [description, keys] = write(folder.path(), "", "1,1:a\r\n1,1:b\r\n");
    let twice = run(&["squaredeal", "verify", &description]).exits(1);
    twice.says("x.sqk: line 2: phase 1 session 1 has two keys");
    run(&["squaredeal", "verify", &keys])
        .exits(1)
        .says("give the .sqd");
    run(&["squaredeal", "verify", "boards.pbn"])
        .exits(1)
        .says("neither");
}
