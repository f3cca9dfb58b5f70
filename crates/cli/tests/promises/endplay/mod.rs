//! Interoperability with the Python package `endplay`: it reads our files of boards and we read its
//! files.

use std::env;
use std::fs;
use std::process::Command;

use dealerless_bridge::big_deal::Generator;
use dealerless_bridge::formats::Format;
use dealerless_bridge::{Board, Order, Vulnerability};

const READ_AND_WRITE: &str = include_str!("read_and_write.py");

fn boards() -> Vec<Board> {
    let numbers = Generator::new([7; 20], b"endplay");
    let boards = (1..=100).zip(numbers);
    let board = |(number, of_deal): (u32, dealerless_bridge::DealNumber)| Board {
        number,
        deal: of_deal.deal(Order::BigDeal),
    };
    boards.map(board).collect()
}

/// A board in the format of the script's output.
fn line(name: &str, board: &Board) -> String {
    let vulnerable = match board.vulnerability() {
        Vulnerability::None => "none",
        Vulnerability::NorthSouth => "ns",
        Vulnerability::EastWest => "ew",
        Vulnerability::All => "both",
    };
    let (number, dealer) = (board.number, board.dealer().letter());
    format!("{name}|{number}|{dealer}|{vulnerable}|{}", board.deal)
}

#[test]
fn endplay_and_we_read_each_others_boards() {
    let python = env::var_os("DEALERLESS_PYTHON").unwrap_or_else(|| "python3".into());
    let found = Command::new(&python)
        .args(["-c", "import endplay"])
        .output();
    if !found.is_ok_and(|found| found.status.success()) {
        println!("endplay is not installed: the test was skipped");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let boards = boards();
    let formats = [
        ("pbn", Format::Pbn),
        ("lin", Format::named("lin-bbo").unwrap()),
    ];
    for (name, format) in formats {
        let bytes = format.write(&boards).unwrap();
        fs::write(folder.path().join(format!("set.{name}")), bytes).unwrap();
    }
    let read = Command::new(&python)
        .args(["-c", READ_AND_WRITE])
        .arg(folder.path())
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&read.stdout);
    assert!(
        read.status.success(),
        "{}",
        String::from_utf8_lossy(&read.stderr)
    );
    let lines: Vec<&str> = output.lines().collect();
    let expected = formats.map(|(name, _)| boards.iter().map(move |board| line(name, board)));
    assert!(
        expected.into_iter().flatten().eq(lines.iter().copied()),
        "{output}"
    );
    for (name, format) in formats {
        let again = fs::read(folder.path().join(format!("again.{name}"))).unwrap();
        assert_eq!(format.read(&again).unwrap().boards, boards, "{name}");
    }
}
