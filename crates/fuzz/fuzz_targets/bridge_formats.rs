//! Any bytes are rejected with an error, or parsed as boards. Each format rejects these boards or
//! writes them, and each readable format reads its own output back.
//!
//! Input: a file, which is parsed in each format.

#![no_main]

use dealerless_bridge::Board;
use dealerless_bridge::formats::{Format, split};
use libfuzzer_sys::fuzz_target;

/// Checks that boards do not change when they are written and read, or split.
fn check(boards: &[Board]) {
    for &format in Format::ALL {
        let Ok(file) = format.write(boards) else {
            continue;
        };
        if !format.is_readable() {
            continue;
        }
        let again = format.read(&file).expect("the written file is readable");
        let again = again.boards;
        if format.says_numbers(boards) {
            assert_eq!(again, boards)
        } else {
            let deals =
                |boards: &[Board]| boards.iter().map(|board| board.deal).collect::<Vec<_>>();
            assert_eq!(deals(&again), deals(boards));
        }
    }
    let Ok(pieces) = split(boards) else { return };
    assert_eq!(pieces.iter().map(Vec::len).sum::<usize>(), boards.len());
    for (before, after) in boards.iter().zip(pieces.concat()) {
        assert_eq!(before.dealer(), after.dealer());
        assert_eq!(before.vulnerability(), after.vulnerability());
        assert_eq!(before.deal, after.deal);
    }
}

fuzz_target!(|file: &[u8]| {
    // The variants of a format, such as the sealed DLM, share one parser.
    let formats = Format::ALL
        .iter()
        .filter(|format| Format::of_suffix(format.suffix()) == Some(**format));
    for reading in formats.filter_map(|format| format.read(file).ok()) {
        let boards = reading.boards;
        assert!(boards.iter().all(|board| board.number > 0));
        check(&boards);
    }
});
