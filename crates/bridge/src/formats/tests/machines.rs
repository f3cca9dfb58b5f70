//! Files for dealing machines: files of other programs, limits, and the splitting of sets.

use super::{boards, boards_from};
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
        let read = Format::Dlm.read(file.as_bytes()).unwrap();
        assert!(
            read[0].deal.to_string().starts_with(deal),
            "{}",
            read[0].deal
        );
    }
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
    let read = Format::Dup.read(&jannersten("17 ")).unwrap();
    assert_eq!(read[0].number, 17);
    let deal = "N:J987.JT7643.A4.Q .KQ2.QT9.AK98543 AQ42.A8.KJ762.J2 KT653.95.853.T76";
    assert_eq!(read[0].deal.to_string(), deal);
    let number = DealNumber::of(&read[0].deal, Order::BigDeal);
    assert_eq!(number.get(), 32_984_535_458_777_706_834_781_032_082);
    let two = [jannersten("1  "), jannersten("1  ")].concat();
    let (lowest, highest, boards) = (1, 1, 2);
    let fault = Fault::Boards {
        lowest,
        highest,
        boards,
    };
    assert_eq!(Format::Dup.read(&two), Err(fault.at(Location::Byte(146))));
}

#[test]
fn blind_files_are_read_like_other_files() {
    for format in [Format::DupBlind, Format::DlmBlind] {
        let file = format.write(&boards()).unwrap();
        assert_eq!(format.read(&file), Ok(boards()));
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
        assert_eq!(format.read(&file), refused, "{format:?}");
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
        let blind = format.name() != format.suffix();
        assert_eq!(Format::of_suffix(format.suffix()) == Some(format), !blind);
    }
    assert_eq!(Format::of_suffix("PBN"), Some(Format::Pbn));
    assert_eq!(Format::of_suffix("LIN"), Some(Format::Lin));
    assert_eq!(Format::of_suffix("dlmblind"), None);
    assert_eq!(Format::of_suffix("lin-bbo"), None);
    assert_eq!(Format::named("han"), None);
}
