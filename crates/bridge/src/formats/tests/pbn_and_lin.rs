//! PBN and LIN files of other programs, and invalid files.

use super::{DEALS, boards, read, readable};
use crate::DealError;
use crate::formats::{Fault, Format, Location};

fn pbn() -> String {
    String::from_utf8(Format::BigDeal.write(&boards()).unwrap()).unwrap()
}

/// Replaces `from` with `to` in a PBN file, and returns the line and the kind of the error.
fn fault(from: &str, to: &str) -> (usize, Fault) {
    let file = pbn();
    assert!(file.contains(from), "{from}");
    in_line(Format::Pbn, &file.replacen(from, to, 1))
}

fn in_line(format: Format, file: &str) -> (usize, Fault) {
    let error = read(format, file.as_bytes()).unwrap_err();
    match error.place {
        Location::Line(line) => (line, error.fault),
        Location::Byte(_) => panic!("{error}"),
    }
}

#[test]
fn import_format_allows_comments_and_free_layout() {
    let file = format!(
        "\u{feff}% PBN 2.1\r\n%Creator: [Board \"9\"]\r\n; [Board \"9\"]\r\n\r\n\
         {{ a comment with [Board \"9\"]\r\n%}}\r\n; %\r\n{{\r\n\r\nover lines }} [ Board  \"1\" ][Dealer \"N\"] ; [Board \"9\"]\r\n\
         [Vulnerable \"Love\"]\r\n[Deal \"{}\"]\r\n[Note \"1:a\"]\r\n[Note \"2:b\"]\r\n[Auction \"N\"]\r\n\
         1NT =1= Pass {{ [Board }} Pass Pass\r\n[Table \"x\"]\r\n\"[Board\" 12 \"]\"\r\n \t\r\n\r\n\
         [Event \"a \\\"b\\\" \\\\\"]\r\n[Board \"4\"]\r\n[Dealer \"?\"]\r\n[Vulnerable \"Both\"]\r\n[Deal \"{}\"]\r\n",
        "S:6543.J42.Q9.QT76 AK9.K97653.T.K98 J2.AQ.A7652.J543 QT87.T8.KJ843.A2", DEALS[0]
    );
    let mut expected = boards();
    expected[3].deal = expected[0].deal;
    let found = read(Format::Pbn, file.as_bytes());
    assert_eq!(found, Ok(vec![expected[0], expected[3]]));
}

#[test]
fn latin_1_names_are_skipped() {
    let mut file = pbn().into_bytes();
    let place = file.windows(4).position(|four| four == b"\"?\"]").unwrap();
    file[place + 1] = 0xe9;
    assert_eq!(read(Format::Pbn, &file), Ok(boards()));
}

#[test]
fn repeated_board_counts_once_unless_its_deal_differs() {
    let file = pbn();
    assert_eq!(read(Format::Pbn, file.repeat(2).as_bytes()), Ok(boards()));
    let twice = fault("[Board \"4\"]", "[Board \"1\"]");
    assert_eq!(
        twice.1,
        Fault::Dealer {
            number: 1,
            lawful: 'N',
            found: 'W'
        }
    );
    let other = pbn() + &pbn().replace(DEALS[0], DEALS[1]);
    assert_eq!(in_line(Format::Pbn, &other), (76, Fault::OtherDeal(1)));
}

#[test]
fn error_for_an_invalid_tag_has_its_line() {
    let (suit, rank) = ('S', 'J');
    let twice = Fault::Deal(DealError::Twice { suit, rank });
    assert_eq!(fault("N:J2.", "N:J2J."), (15, twice));
    let (seat, cards) = ('N', 12);
    let count = Fault::Deal(DealError::Count { seat, cards });
    assert_eq!(fault("N:J2.", "N:J."), (15, count));
    assert_eq!(
        fault("[Board \"2\"]", "[Board \"2\"]\n[Board \"2\"]"),
        (25, Fault::TagTwice("Board"))
    );
    assert_eq!(fault("[Site \"?\"]\n", ""), (5, Fault::NoExport("Site")));
    assert_eq!(
        fault("[Dealer \"E\"]\n", ""),
        (21, Fault::NoExport("Dealer"))
    );
    let wrong = Fault::Dealer {
        number: 2,
        lawful: 'E',
        found: 'S',
    };
    assert_eq!(fault("[Dealer \"E\"]", "[Dealer \"S\"]"), (29, wrong));
    let wrong = Fault::Vulnerability {
        number: 2,
        lawful: "NS",
        found: "None",
    };
    assert_eq!(
        fault("[Vulnerable \"NS\"]", "[Vulnerable \"Love\"]"),
        (30, wrong)
    );
    assert!(matches!(
        fault("\"NS\"", "\"N\""),
        (30, Fault::NoVulnerability(_))
    ));
    assert!(matches!(
        fault("\"E\"", "\"East\""),
        (29, Fault::NoDealer(_))
    ));
    assert_eq!(fault("[Board \"1\"]", "[Board \"1]"), (8, Fault::Tag));
    assert_eq!(
        fault("[Board \"1\"]", "{ [Board \"1\"]"),
        (8, Fault::Comment)
    );
    for number in ["0", "-1", "one", "4294967296", "99999999999999999999"] {
        let tag = format!("[Board \"{number}\"]");
        assert_eq!(fault("[Board \"1\"]", &tag), (8, Fault::Number), "{number}");
    }
}

#[test]
fn only_the_export_format_has_mandatory_tags() {
    let file = pbn().replace("% EXPORT\n", "");
    let without = |tag: &str| file.replacen(tag, "", 1);
    assert_eq!(
        read(Format::Pbn, without("[Site \"?\"]\n").as_bytes()),
        Ok(boards())
    );
    assert_eq!(read(Format::Pbn, without("[Dealer \"N\"]\n")), Ok(boards()));
}

#[test]
fn lin_files_of_other_programs_are_read() {
    let file = "pn|a,b,c,d|st||md|3S6543HJ42DQ9CQT76,SAK9HK97653DTCK98,SJ2HAQDA7652CJ543,\
                SQT87HT8DKJ843CA2|sv|o|ah|Board 1|\nmb|1N|an|15 [Board 9]\nto 17|pc|CA|\npg||\r\n\
                qx|c2|rh||ah|Open room|md|4Sq6hkj632daq42ca2,SA952HAT54DT75C43,SKJT73H97DJ98CJT6,|sv|N|pg||";
    assert_eq!(
        read(Format::Lin, file.as_bytes()),
        Ok(boards()[..2].to_vec())
    );
    // The label of a file of a vugraph may have the heading, and the second table repeats the deal.
    let vugraph =
        "qx|o1,BOARD 1|md|3S6543HJ42DQ9CQT76,SAK9HK97653DTCK98,SJ2HAQDA7652CJ543|sv|o|pg||\n";
    let vugraph = vugraph.to_owned() + &vugraph.replace("|o1,", "|c1,");
    for heading in ["BOARD 1", "Board 1", "Segment 2"] {
        let file = vugraph.replace("BOARD 1", heading);
        assert_eq!(read(Format::Lin, file), Ok(boards()[..1].to_vec()));
    }
    let spaced = vugraph.replace("1,BOARD 1", "1 , BOARD  1 ");
    assert_eq!(read(Format::Lin, spaced), Ok(boards()[..1].to_vec()));
    for (label, number) in [("1", 1), ("17", 17), ("o17", 17), ("17,Segment 1", 17)] {
        let dealt = "|md|3S6543HJ42DQ9CQT76,SAK9HK97653DTCK98,SJ2HAQDA7652CJ543|pg||";
        let found = read(Format::Lin, format!("qx|{label}{dealt}")).unwrap();
        assert_eq!(found[0].number, number, "{label}");
        let heading =
            format!("qx|{label}{dealt}").replace("pg||", "ah|Board #33 - open|PG||\x1a\r\n\x1a");
        assert_eq!(read(Format::Lin, heading).unwrap()[0].number, 33);
    }
    // A heading that is repeated, in upper case and in the form of a link.
    let dealt = "md|3S6543HJ42DQ9CQT76,SAK9HK97653DTCK98,SJ2HAQDA7652CJ543|";
    let second = "md|4SQ6HKJ632DAQ42CA2,SA952HAT54DT75C43,SKJT73H97DJ98CJT6|";
    let twice = format!("{dealt}ah|Board%201|pg||ah|BOARD+1|pg||{second}ah|Board 2|pg||&x=y");
    assert_eq!(read(Format::Lin, twice), Ok(boards()[..2].to_vec()));
    let lost = format!("{dealt}ah|Board 1|qx|o2|{second}ah|Board 2|pg||").replace("md|4", "Cd|4");
    assert_eq!(in_line(Format::Lin, &lost), (1, Fault::NoDeal(2)));
    // A link, and a board without a number, which is numbered from 1.
    let link = "https://www.bridgebase.com/tools/handviewer.html?lin=md|\
                3S6543HJ42DQ9CQT76,SAK9HK97653DTCK98,SJ2HAQDA7652CJ543|sv|o|";
    assert_eq!(read(Format::Lin, link), Ok(boards()[..1].to_vec()));
    assert!(!Format::Lin.read(link.as_bytes()).unwrap().is_numbered);
    let of_heading = vugraph.replace("|o1,", "|o9,").replace("|c1,", "|c9,");
    assert_eq!(read(Format::Lin, of_heading), Ok(boards()[..1].to_vec()));
    // The board number may precede the deal.
    let numbers_first = "ah|Board 1|md|3S6543HJ42DQ9CQT76,SAK9HK97653DTCK98,SJ2HAQDA7652CJ543|\n\
                         ah|Board 2|md|4SQ6HKJ632DAQ42CA2,SA952HAT54DT75C43,SKJT73H97DJ98CJT6|sv|n|";
    assert_eq!(
        read(Format::Lin, numbers_first.as_bytes()),
        Ok(boards()[..2].to_vec())
    );
}

/// The files were written by endplay 0.5.12 with the first two boards. The first board has an
/// auction.
#[test]
fn files_of_endplay_are_read() {
    let lin = "pn|,,,|st||md|3S3456H24JD9QC67TQ,S9KAH35679KDTC89K,S2JHQAD2567AC345J,|rh||ah|Board 1|sv|o|mb|1N|\
               an|12-14|mb|p|mb|p|mb|p|pg||\n\
               pn|,,,|st||md|4S6QH236JKD24QAC2A,S259AH45TAD57TC34,S37TJKH79D89JC6TJ,|rh||ah|Board 2|sv|n|pg||\n";
    assert_eq!(
        read(Format::Lin, lin.as_bytes()),
        Ok(boards()[..2].to_vec())
    );
    let unknown =
        |tags: &[&str]| -> String { tags.iter().map(|tag| format!("[{tag} \"?\"]\n")).collect() };
    let head = unknown(&["Event", "Site", "Date"]);
    let players = unknown(&["West", "North", "East", "South"]);
    let (first, second) = (DEALS[0], DEALS[1]);
    let end = unknown(&["Scoring", "Contract", "Result", "Declarer"]);
    let pbn = format!(
        "% PBN 2.1\n% EXPORT\n{head}[Board \"1\"]\n{players}[Dealer \"N\"]\n[Vulnerable \"None\"]\n\
         [Deal \"{first}\"]\n[Scoring \"?\"]\n[Declarer \"N\"]\n[Contract \"1NT\"]\n[Result \"7\"]\n\
         [Auction \"N\"]\n1NT =1= Pass Pass Pass\n[Note \"1:12-14\"]\n\n{head}[Board \"2\"]\n{players}\
         [Dealer \"E\"]\n[Vulnerable \"NS\"]\n[Deal \"{second}\"]\n{end}\n"
    );
    assert_eq!(
        read(Format::Pbn, pbn.as_bytes()),
        Ok(boards()[..2].to_vec())
    );
}

#[test]
fn error_for_an_invalid_lin_field_has_its_line() {
    let file = String::from_utf8(Format::Lin.write(&boards()).unwrap()).unwrap();
    let fault = |from: &str, to: &str| {
        assert!(file.contains(from), "{from}");
        in_line(Format::Lin, &file.replacen(from, to, 1))
    };
    let (suit, rank) = ('S', 'Q');
    let twice = Fault::Deal(DealError::Twice { suit, rank });
    assert_eq!(fault("4SQ6H", "4SQQ6H"), (2, twice));
    let (seat, cards) = ('S', 12);
    let count = Fault::Deal(DealError::Count { seat, cards });
    assert_eq!(fault("4SQ6H", "4SQH"), (2, count));
    let (seat, cards) = ('E', 1);
    let count = Fault::Deal(DealError::Count { seat, cards });
    assert_eq!(fault("CJT6|rh", "CJT6,S8|rh"), (2, count));
    assert_eq!(fault("4SQ6H", "4HQ6S"), (2, Fault::LinHand('S')));
    assert_eq!(fault("4SQ6H", "4SX6H"), (2, Fault::LinHand('X')));
    assert_eq!(fault(",SA952", "SA952"), (2, Fault::LinHands(2)));
    assert!(matches!(fault("|4S", "|5S"), (2, Fault::NoDealer(_))));
    assert!(matches!(
        fault("|4S", "|3S"),
        (2, Fault::Dealer { number: 2, .. })
    ));
    assert!(matches!(
        fault("sv|n", "sv|e"),
        (2, Fault::Vulnerability { number: 2, .. })
    ));
    assert!(matches!(
        fault("sv|n", "sv|q"),
        (2, Fault::NoVulnerability(_))
    ));
    let read = Format::Lin.read(file.replace("sv|n", "sv|?").as_bytes());
    assert_eq!(read.unwrap().boards, boards());
    assert_eq!(fault("Board 2", "Board 4294967296"), (2, Fault::Number));
    assert_eq!(fault("Board 2", "Board 0"), (2, Fault::Number));
    let nowhere = file.replace("|ah|Board 2", "").replace("qx|o2|", "qx||");
    assert_eq!(in_line(Format::Lin, &nowhere), (2, Fault::SomeNumbers));
    assert_eq!(fault("|rh|", "|rhx|"), (1, Fault::FieldName));
    assert_eq!(
        fault("|pg||\nqx|o2", "|pg||\nqx|o2|x|y"),
        (2, Fault::FieldName)
    );
    let encoded = file.replace('|', "%7C");
    assert_eq!(in_line(Format::Lin, &encoded), (1, Fault::Encoded));
    let open = file.trim_end().trim_end_matches('|');
    assert_eq!(in_line(Format::Lin, open), (4, Fault::Field));
}

#[test]
fn files_without_boards_are_errors() {
    for format in readable() {
        assert!(read(format, b"").is_err(), "{format:?}");
    }
    assert_eq!(in_line(Format::Pbn, "% PBN 2.1\n\n"), (3, Fault::Empty));
    assert_eq!(in_line(Format::Lin, "vg|a,b|\n\n"), (3, Fault::Empty));
}
