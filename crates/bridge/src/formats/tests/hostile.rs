//! Truncated, changed, huge and empty files never cause a panic. Their errors have a location.

use super::{boards, read, readable, texts};
use crate::formats::error::MAX_LINE;
use crate::formats::{Fault, Format, Location};

#[test]
fn truncated_file_is_an_error_or_holds_the_first_boards() {
    for format in readable() {
        let whole = format.write(&boards()).unwrap();
        for length in 0..whole.len() {
            if let Ok(found) = read(format, &whole[..length]) {
                assert!(boards().starts_with(&found), "{format:?} {length}");
            }
        }
    }
}

#[test]
fn dup_and_dlm_files_with_missing_boards_are_errors() {
    let dup = Format::Dup.write(&boards()).unwrap();
    for length in 0..dup.len() {
        assert!(read(Format::Dup, &dup[..length]).is_err(), "{length}");
    }
    let dlm = Format::Dlm.write(&boards()).unwrap();
    let last = dlm.windows(9).position(|key| key == b"Board 04=").unwrap();
    for length in 0..last + 9 + 29 {
        assert!(read(Format::Dlm, &dlm[..length]).is_err(), "{length}");
    }
}

#[test]
fn files_for_machines_detect_every_changed_byte_of_a_deal() {
    let dup = Format::Dup.write(&boards()).unwrap();
    for place in 0..146 {
        for changed in [b'0', b' ', b'A', 0xff] {
            let mut file = dup.clone();
            file[place] = changed;
            assert!(
                changed == dup[place] || read(Format::Dup, &file).is_err(),
                "{place}"
            );
        }
    }
    let dlm = Format::Dlm.write(&boards()).unwrap();
    let board = dlm.windows(9).position(|key| key == b"Board 02=").unwrap() + 9;
    for place in board..board + 29 {
        for changed in 0..=u8::MAX {
            let mut file = dlm.clone();
            file[place] = changed;
            assert!(
                changed == dlm[place] || read(Format::Dlm, &file).is_err(),
                "{place}"
            );
        }
    }
}

#[test]
fn errors_in_dlm_files_have_a_line_number() {
    let file = String::from_utf8(Format::Dlm.write(&boards()).unwrap()).unwrap();
    let fault = |from: &str, to: &str| {
        assert!(file.contains(from), "{from}");
        let error = read(Format::Dlm, file.replacen(from, to, 1).as_bytes());
        error.unwrap_err()
    };
    let (found, right) = (7, 4);
    let wrong = Fault::Checksum { found, right }.in_line(10);
    assert_eq!(fault("Checksum=4", "Checksum=7"), wrong);
    let (found, right) = (18, 17);
    let wrong = Fault::Checksum { found, right }.in_line(12);
    assert_eq!(fault("pkab017", "pkab018"), wrong);
    assert_eq!(fault("To board=4", "To board=5").place, Location::Line(10));
    for (from, to) in [(0, 4), (4, 1), (1, 100), (1, u32::MAX)] {
        let head = format!("From board={from}\nTo board={to}\n");
        let wrong = Fault::Range(from, to).in_line(5);
        assert_eq!(fault("From board=1\nTo board=4\n", &head), wrong);
    }
    let huge = fault("To board=4", "To board=99999999999999999999");
    assert_eq!(huge, Fault::NoNumber("To board").in_line(6));
    assert_eq!(
        fault("Crypto key=0", "Crypto key=1"),
        Fault::Encrypted.in_line(9)
    );
    assert_eq!(fault("Show", "Open"), Fault::Status.in_line(3));
    assert_eq!(
        fault("Board 99", "Board 01"),
        Fault::KeyTwice("a board").in_line(208)
    );
    for number in ["100", "00"] {
        let board = format!("Board {number}");
        assert_eq!(fault("Board 99", &board), Fault::Number.in_line(208));
    }
    assert!(read(Format::Dlm, file.replace("Show", "show")).is_ok());
    assert_eq!(
        fault("PrintOuts=0", "PrintOuts"),
        Fault::KeyAndValue.in_line(8)
    );
    // Changing the same bit in two letters preserves the checksum, but not the 13 cards of each
    // seat.
    let cards = fault("pehfkkam", "pehfkkbn");
    assert!(matches!(cards.fault, Fault::Deal(_)), "{cards}");
    assert_eq!(cards.place, Location::Line(12));
}

#[test]
fn errors_in_bri_files_have_a_byte_offset() {
    let bri = Format::Bri.write(&boards()).unwrap();
    let fault = |place: usize, new: &[u8]| {
        let mut file = bri.clone();
        file[place..place + new.len()].copy_from_slice(new);
        read(Format::Bri, &file).unwrap_err()
    };
    let twice = fault(130, &bri[128..130]);
    assert!(matches!(twice.fault, Fault::Deal(_)), "{twice}");
    assert_eq!(twice.place, Location::Byte(130));
    for invalid in [b"00", b"53", b"-1", b" 1", b"\xff\xff"] {
        let error = fault(128, invalid);
        assert_eq!(error, Fault::CardNumber.at(Location::Byte(128)));
    }
    assert_eq!(fault(100, b"x"), Fault::Padding.at(Location::Byte(100)));
    let cut = read(Format::Bri, &bri[..511]).unwrap_err();
    assert_eq!(cut, Fault::Cut(128).at(Location::Byte(511)));
}

#[test]
fn errors_in_dup_files_have_a_byte_offset() {
    let dup = Format::Dup.write(&boards()).unwrap();
    let fault = |place: usize, new: &[u8]| {
        let mut file = dup.clone();
        file[place..place + new.len()].copy_from_slice(new);
        read(Format::Dup, &file).unwrap_err()
    };
    assert_eq!(fault(79, b"Q"), Fault::ReadableHands.at(Location::Byte(79)));
    assert_eq!(
        fault(302, b"N"),
        Fault::OtherTrailer.at(Location::Byte(302))
    );
    for trailer in [b"XN1  0 04 ", b"YN   0 04 ", b"YN1  0 xx ", b"YN1 10 4 4"] {
        let error = fault(146, trailer);
        assert_eq!(error, Fault::Trailer.at(Location::Byte(146)), "{trailer:?}");
    }
    // Big Deal 1.2 writes the trailer only after the first board.
    let mut bare = Format::Dup.write(&boards()).unwrap();
    for record in bare.chunks_mut(156).skip(1) {
        record[146..].fill(0);
    }
    assert_eq!(read(Format::Dup, &bare), Ok(boards()));
    for trailer in [b"YN0  0 3  ", b"YN4  0 1  ", b"YN1  0 999"] {
        let error = fault(146, trailer);
        assert!(matches!(error.fault, Fault::Boards { .. }), "{error}");
    }
}

#[test]
fn line_of_ten_megabytes_is_rejected_with_its_number() {
    for filler in [b' ', b'x', b'[', b'"', b'\\', b'|', b'{', 0, 0xff] {
        let line = vec![filler; 10_000_000];
        for format in texts() {
            let file = [&b"first\n"[..], &line, b"\n"].concat();
            let refused = read(format, &file).unwrap_err();
            assert_eq!(refused, Fault::LongLine.in_line(2), "{format:?}");
        }
    }
}

#[test]
fn longest_lines_of_quotes_and_bars_are_rejected() {
    for piece in ["\"\\", "\"", "[", "{", "|", "md|", "}", "\\\""] {
        let line = piece.repeat(MAX_LINE / piece.len()) + "\n";
        for format in texts() {
            let found = read(format, line.repeat(20).as_bytes());
            assert!(found.is_err(), "{format:?} {piece}");
        }
    }
}

#[test]
fn zero_bytes_and_utf_16_are_rejected_with_the_line() {
    for format in texts() {
        let mut file = format.write(&boards()).unwrap();
        let utf_16: Vec<u8> = file.iter().flat_map(|byte| [*byte, 0]).collect();
        let begun = [&[0xff, 0xfe][..], &utf_16].concat();
        let refused = Err(Fault::ZeroByte.in_line(1));
        assert_eq!(read(format, &begun), refused, "{format:?}");
        let second = file.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        file.insert(second, 0);
        let refused = Err(Fault::ZeroByte.in_line(2));
        assert_eq!(read(format, &file), refused, "{format:?}");
    }
}

#[test]
fn line_numbers_do_not_depend_on_line_ends() {
    let last_line = |format: Format, from: &str, to: &str, end: &str| {
        let file = String::from_utf8(format.write(&boards()).unwrap()).unwrap();
        let file = file.replacen(from, to, 1).replace('\n', end);
        read(format, file.as_bytes()).unwrap_err().place
    };
    for end in ["\n", "\r\n", "\r", "\r\r\n"] {
        let pbn = last_line(Format::BigDeal, "[Board \"2\"]", "[Board \"x\"]", end);
        assert_eq!(pbn, Location::Line(24), "{end:?}");
        let lin = last_line(Format::Lin, "ah|Board 3", "ah|Board 0", end);
        assert_eq!(lin, Location::Line(3), "{end:?}");
    }
}

#[test]
fn pbn_comments_do_not_nest_and_a_board_may_have_a_million_tags() {
    let file = String::from_utf8(Format::BigDeal.write(&boards()).unwrap()).unwrap();
    let nested = format!("{}}}\n{file}", "{".repeat(MAX_LINE - 1));
    assert_eq!(read(Format::Pbn, nested.as_bytes()), Ok(boards()));
    let tags = "[Other \"x\"]\n".repeat(1_000_000);
    let many = file.replacen("[Event", &(tags + "[Event"), 1);
    assert_eq!(read(Format::Pbn, many.as_bytes()), Ok(boards()));
}

/// If a number with ten thousand digits were accepted, each board could copy it with a single `#`.
#[test]
fn numbers_have_at_most_20_digits() {
    let file = String::from_utf8(Format::BigDeal.write(&boards()).unwrap()).unwrap();
    let of = |digits: usize| {
        let number = format!("[Board \"{}1\"]", "0".repeat(digits - 1));
        read(
            Format::Pbn,
            file.replacen("[Board \"1\"]", &number, 1).as_bytes(),
        )
    };
    assert_eq!(of(20), Ok(boards()));
    for digits in [21, 10_000] {
        assert_eq!(of(digits), Err(Fault::Number.in_line(8)));
    }
}

#[test]
fn binary_files_and_binary_deals_are_rejected() {
    for format in readable() {
        let bytes: Vec<u8> = (0..=u8::MAX).cycle().take(156 * 128).collect();
        assert!(read(format, &bytes).is_err(), "{format:?}");
    }
    let mut pbn = Format::BigDeal.write(&boards()).unwrap();
    let deal = pbn.windows(2).position(|two| two == b"N:").unwrap();
    pbn[deal + 2] = 0xff;
    assert_eq!(
        read(Format::Pbn, &pbn).unwrap_err().to_string(),
        "line 15: 'ÿ' is not a rank; ranks are AKQJT98765432, with T for a ten"
    );
}
