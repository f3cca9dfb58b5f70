//! Files for dealing machines: files of other programs, limits, and the splitting of sets.

use super::{boards, boards_from, read};
use crate::formats::{Fault, Format, Location, WriteError, split};
use crate::{Board, DealNumber, Order};

#[test]
fn dlm_files_of_other_programs_are_read() {
    // The first board is from a file of another program. The second board is from rec.games.bridge,
    // "File formats", 2011. According to this article, its owners begin with SE SW SN EE NN.
    for (line, deal) in [
        (
            "cgcajjjnakpkchipnjhmbmbpbh022",
            "N:AT87.JT3.J.AKT95 Q53.AQ.A754.Q843 KJ9642.98542.Q6. .K76.KT9832.J762",
        ),
        (
            "jlifaelnecgmoldfjmcflinlap023",
            "N:9653.T94.Q54.T54 K874.QJ7.T972.A8 AQT2.862.A83.KJ7 J.AK53.KJ6.Q9632",
        ),
    ] {
        let file = format!(
            "; a comment\r\n[Other]\r\nanything\r\n[Document]\r\nStatus=Show\r\nDuplicates=0\r\n\
             From Board=1\r\nTo Board=1\r\nChecksum=1\r\nBoard 01={line}\r\nBoard 02=nothing\r\n"
        );
        let found = read(Format::Dlm, file.as_bytes()).unwrap();
        assert!(
            found[0].deal.to_string().starts_with(deal),
            "{}",
            found[0].deal
        );
    }
}

/// The number of copies of a board is part of its checksum. The line is from a file of another
/// program.
#[test]
fn duplicates_of_a_board_enter_its_checksum() {
    let file = "[Document]\nStatus=Show\nDuplicates=0\nFrom board=1\nTo board=1\nChecksum=1\n\
                Board 01=fnbkmmincldklcfcofoiefnapm018\nDuplicates 01=1\n";
    assert_eq!(read(Format::Dlm, file).unwrap().len(), 1);
    let refused = |from: &str, to: &str| {
        let error = read(Format::Dlm, file.replace(from, to)).unwrap_err();
        (error.place, error.fault)
    };
    let (found, right) = (18, 19);
    let wrong = (Location::Line(7), Fault::Checksum { found, right });
    assert_eq!(refused("Duplicates 01=1", "Duplicates 01=0"), wrong);
    assert_eq!(refused("Duplicates 01=1", ""), wrong);
    let twice = (Location::Line(9), Fault::KeyTwice("Duplicates of a board"));
    assert_eq!(refused("01=1\n", "01=1\nduplicates 1=1\n"), twice);
    let high = (Location::Line(8), Fault::Number);
    assert_eq!(refused("Duplicates 01", "Duplicates 100"), high);
}

/// Boards as lines of 78 digits, as some programs write them into BRI and DUP files.
#[test]
fn lines_of_78_digits_are_read() {
    let bri = Format::Bri.write(&boards()).unwrap();
    let lines: Vec<&[u8]> = bri.chunks(128).map(|record| &record[..78]).collect();
    for format in [Format::Bri, Format::Dup] {
        for end in ["\r\n", "\n", "\r", "\r\r\n"] {
            let file = lines.join(end.as_bytes());
            for file in [file.clone(), [&file, end.as_bytes()].concat()] {
                let found = format.read(&file).unwrap();
                assert_eq!((found.boards, found.is_numbered), (boards(), false));
            }
            let cut = read(format, &file[..file.len() - 1]).unwrap_err();
            assert_eq!(cut, Fault::HandsLine.in_line(4));
        }
        for end in ["\r\n", "\n", "\n\n", "\r\n\x1a"] {
            let one = [lines[0], end.as_bytes()].concat();
            assert_eq!(read(format, &one), Ok(boards()[..1].to_vec()));
        }
        // Without a line end, the file is a truncated BRI or DUP file.
        assert!(read(format, lines[0]).is_err());
        let mut odd = lines.join(&b"\n"[..]);
        odd[79 + 10..79 + 12].copy_from_slice(b"53");
        assert_eq!(read(format, &odd), Err(Fault::CardNumber.in_line(2)));
    }
}

/// The padding of a BRI file may begin with a line end.
#[test]
fn line_ends_in_the_padding_of_bri_are_not_lines_of_78_digits() {
    let mut bri = Format::Bri.write(&boards()).unwrap();
    for record in bri.chunks_mut(128) {
        record[78..80].copy_from_slice(b"\r\n");
    }
    assert_eq!(read(Format::Bri, &bri), Ok(boards()));
}

/// A DUP file with the board of Jannersten's description, as the lowest and the highest board
/// `lowest`. The cards of North and East are not sorted.
fn jannersten(lowest: &str) -> Vec<u8> {
    let hands = "18043727240822422106250717515032151649294126403146454335112830203914015213340 3";
    let hands = hands.replace(' ', "");
    format!("{hands}{}YN{lowest}1 {lowest}", " ".repeat(68)).into_bytes()
}

#[test]
fn dup_file_of_jannersten_is_read_with_its_number() {
    let found = read(Format::Dup, jannersten("17 ")).unwrap();
    assert_eq!(found[0].number, 17);
    let deal = "N:J987.JT7643.A4.Q .KQ2.QT9.AK98543 AQ42.A8.KJ762.J2 KT653.95.853.T76";
    assert_eq!(found[0].deal.to_string(), deal);
    let number = DealNumber::of(&found[0].deal, Order::BigDeal);
    assert_eq!(number.get(), 32_984_535_458_777_706_834_781_032_082);
    let two = [jannersten("1  "), jannersten("1  ")].concat();
    let (lowest, highest, boards) = (1, 1, 2);
    let fault = Fault::Boards {
        lowest,
        highest,
        boards,
    };
    assert_eq!(read(Format::Dup, &two), Err(fault.at(Location::Byte(146))));
}

#[test]
fn blind_files_are_read_like_other_files() {
    for format in [Format::DupBlind, Format::DlmBlind] {
        let file = format.write(&boards()).unwrap();
        assert_eq!(read(format, &file), Ok(boards()));
    }
}

#[test]
fn files_for_machines_end_at_board_99_and_hold_consecutive_boards() {
    let gap = [boards()[0], boards()[2]];
    for &format in Format::ALL {
        if !format.is_for_machines() {
            assert!(format.write(&gap).is_ok(), "{format:?}");
            continue;
        }
        assert!(format.write(&boards_from(96)).is_ok());
        let refused = format.write(&boards_from(97)).unwrap_err();
        let (number, format_name) = (100, format.name());
        let high = WriteError::TooHigh {
            format: format_name,
            number,
        };
        assert_eq!(refused, high);
        let (before, number) = (1, 3);
        let gap_error = WriteError::NotInARow {
            format: format_name,
            before,
            number,
        };
        assert_eq!(format.write(&gap), Err(gap_error));
    }
}

#[test]
fn empty_sets_are_not_written() {
    for format in Format::ALL {
        assert_eq!(format.write(&[]), Err(WriteError::Empty), "{format:?}");
    }
}

#[test]
fn write_only_formats_are_not_read() {
    for format in Format::ALL.iter().filter(|format| !format.is_readable()) {
        let file = format.write(&boards_from(5)).unwrap();
        let refused = Err(Fault::OnlyWritten(format.name()).at(Location::Byte(0)));
        assert_eq!(read(*format, &file), refused, "{format:?}");
    }
}

#[test]
fn rzd_rejects_more_boards_than_two_bytes_can_count() {
    let boards = vec![boards()[0]; 65_536];
    let refused = Format::Rzd.write(&boards).unwrap_err();
    assert_eq!(refused, WriteError::TooMany(65_536));
    assert!(Format::Rzd.write(&boards[1..]).is_ok());
}

fn set(from: u32, to: u32) -> Vec<Board> {
    let deal = boards()[0].deal;
    (from..=to).map(|number| Board { number, deal }).collect()
}

#[test]
fn splitting_preserves_dealer_and_vulnerability() {
    assert_eq!(split(&set(1, 99)), Ok(vec![set(1, 99)]));
    let long = set(50, 200);
    let pieces = split(&long).unwrap();
    assert_eq!(pieces, [set(50, 96), set(1, 96), set(1, 8)]);
    let split_boards: Vec<Board> = pieces.concat();
    for (before, after) in long.iter().zip(&split_boards) {
        assert_eq!(before.dealer(), after.dealer());
        assert_eq!(before.vulnerability(), after.vulnerability());
    }
    assert!(pieces.iter().all(|piece| Format::Dlm.write(piece).is_ok()));
    assert!(split(&[set(1, 1), set(3, 3)].concat()).is_err());
}

#[test]
fn formats_are_found_by_name_and_by_suffix() {
    for &format in Format::ALL {
        assert_eq!(Format::named(format.name()), Some(format));
        let is_variant = format.name() != format.suffix();
        let of_suffix = Format::of_suffix(format.suffix());
        assert_eq!(of_suffix == Some(format), !is_variant);
    }
    assert_eq!(Format::of_suffix("PBN"), Some(Format::Pbn));
    assert_eq!(Format::of_suffix("LIN"), Some(Format::Lin));
    assert_eq!(Format::of_suffix("dlmblind"), None);
    assert_eq!(Format::of_suffix("lin-bbo"), None);
    assert_eq!(Format::named("han"), None);
}
