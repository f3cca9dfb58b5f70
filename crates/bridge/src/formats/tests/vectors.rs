//! Test vectors: written files equal those of Big Deal byte for byte.

use super::{boards, read};
use crate::formats::Format;

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<char> = hex.chars().filter(|c| !c.is_whitespace()).collect();
    digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(&pair.iter().collect::<String>(), 16).unwrap())
        .collect()
}

fn written(format: Format) -> Vec<u8> {
    format.write(&boards()).unwrap()
}

fn text(format: Format) -> String {
    String::from_utf8(written(format)).unwrap()
}

const BRI: &str = "041314162734353639434950510305070818202830333738405209101112172426293242444748";
const DGE: &str = "064a32034151044137363532054a3534330651543837035438044b4a383433054132063635343303\
                   4a3432045139055154373606414b39034b39373635330454054b3938";

#[test]
fn bri_matches_big_deal() {
    let file = written(Format::Bri);
    assert_eq!(file.len(), 4 * 128);
    let board = [BRI.as_bytes(), &[b' '; 32], &[0; 18]].concat();
    assert_eq!(file[..128], board);
}

#[test]
fn dge_matches_big_deal() {
    let file = written(Format::Dge);
    assert_eq!(file.len(), 4 * 128);
    assert_eq!(file[..128], [bytes(DGE), vec![0; 60]].concat());
}

#[test]
fn dup_matches_big_deal_and_blind_dup_hides_only_board_1() {
    let [open, blind] = [Format::Dup, Format::DupBlind].map(written);
    let trailer = bytes("594e3120203020303420");
    let board = [BRI.as_bytes(), &bytes(DGE), &trailer].concat();
    assert_eq!(open[..156], board);
    assert_eq!(open.len(), 4 * 156);
    let hidden = [BRI.as_bytes(), &[b' '; 68], &trailer].concat();
    assert_eq!(blind[..156], hidden);
    assert_eq!(blind[156..], open[156..]);
}

#[test]
fn dup_stores_the_number_of_boards_like_big_deal() {
    let eleven_to_20: Vec<_> = (0..10)
        .map(|place| {
            let mut board = boards()[0];
            board.number = 11 + place;
            board
        })
        .collect();
    let file = Format::Dup.write(&eleven_to_20).unwrap();
    assert!(file.ends_with(b"YN1  0 10 "));
    assert!(!Format::Dup.says_numbers(&eleven_to_20));
}

#[test]
fn ber_matches_big_deal() {
    let file = text(Format::Ber);
    assert_eq!(file.len(), 4 * 52);
    assert_eq!(
        file[..52],
        *"4421242233331141324244434312324321112212431344331112"
    );
}

#[test]
fn bhg_matches_big_deal_and_begins_with_the_dealer() {
    let file = text(Format::Bhg);
    let lines: Vec<&str> = file.split('\n').collect();
    assert_eq!(lines.len(), 6);
    assert_eq!([lines[0], lines[5]], ["", ""]);
    let first = "DMNPahijmqwxyCEGHRTbdgklnzIJKLQXZcfpruvABFOSUVWYeost";
    let fourth = "AKNOPVWYbhiszBJRSUkmpqruxyFGILQTZcdefjoCDEHMXaglntvw";
    assert_eq!([lines[1], lines[4]], [first, fourth]);
}

#[test]
fn dlm_matches_big_deal_open_and_sealed() {
    for (format, status, check) in [(Format::Dlm, "Show", 4), (Format::DlmBlind, "Sealed", 5)] {
        let file = text(format);
        let lines: Vec<&str> = file.lines().collect();
        let status = format!("Status={status}");
        let check = format!("Checksum={check}");
        let head = [
            "[Document]",
            "Headline=dealerless",
            &status,
            "Duplicates=0",
            "From board=1",
            "To board=4",
            "Next board to duplimate=0",
            "PrintOuts=0",
            "Crypto key=0",
            &check,
            "Duplicates 01=0",
            "Board 01=pehfkkamjnpoobjoeafbocpkab017",
        ];
        assert_eq!(lines[..12], head);
        assert_eq!(lines.len(), 10 + 2 * 99);
        // The checksum of a dummy board is its number XOR 14.
        assert_eq!(lines[19], "Board 05=aaaaaabffffffkkkkkklpppppp011");
        let last = ["Duplicates 99=0", "Board 99=aaaaaabffffffkkkkkklpppppp109"];
        assert_eq!(lines[206..], last);
        assert!(file.ends_with('\n'));
    }
}

#[test]
fn rzd_matches_big_deal() {
    let file = written(Format::Rzd);
    assert_eq!(file.len(), 13 + 4 * 13);
    let board = bytes("04002020202020202020202020 c1f74a245efb5772b2b0a4b421");
    assert_eq!(file[..26], board);
}

#[test]
fn cds_matches_big_deal() {
    let file = written(Format::Cds);
    assert_eq!(file.len(), 4 * 14);
    assert_eq!(file[..14], bytes("0116089f79a30ca887c7c5f9c976"));
    assert_eq!(file[14], 2);
}

#[test]
fn lin_matches_big_deal() {
    let file = text(Format::Lin);
    let first =
        "qx|o1|md|3S6543HJ42DQ9CQT76,SAK9HK97653DTCK98,SJ2HAQDA7652CJ543|rh||ah|Board 1|sv|0|pg||";
    let lines: Vec<&str> = file.split('\n').collect();
    assert_eq!([lines[0], lines[4]], [first, ""]);
    assert_eq!(lines.len(), 5);
    let begins = ["qx|o2|md|4S", "qx|o3|md|1S", "qx|o4|md|2S"];
    let ends = ["|sv|n|pg||", "|sv|e|pg||", "|sv|b|pg||"];
    for (line, (begin, end)) in lines[1..4].iter().zip(begins.into_iter().zip(ends)) {
        assert!(line.starts_with(begin) && line.ends_with(end), "{line}");
    }
}

/// The lines have the style of a file of Bridge Base Online (its forum, "lin file format
/// structure", 2007), without names and auction. endplay 0.5.12 reads these lines with the correct
/// deals, dealers and vulnerabilities.
#[test]
fn lin_bbo_has_player_names_and_o_for_no_vulnerability() {
    let file = text(Format::LinBbo);
    let lines = [
        "qx|o1|pn|,,,|st||md|3S6543HJ42DQ9CQT76,SAK9HK97653DTCK98,SJ2HAQDA7652CJ543,|rh||ah|Board 1|sv|o|pg||\n",
        "qx|o2|pn|,,,|st||md|4SQ6HKJ632DAQ42CA2,SA952HAT54DT75C43,SKJT73H97DJ98CJT6,|rh||ah|Board 2|sv|n|pg||\n",
    ];
    assert!(file.starts_with(&lines.concat()), "{file}");
    assert_eq!(read(Format::LinBbo, file.as_bytes()), Ok(boards()));
}

#[test]
fn csv_matches_big_deal() {
    let file = text(Format::Csv);
    let lines: Vec<&str> = file.split('\n').collect();
    let first = r#""J2","AQ","A7652","J543","QT87","T8","KJ843","A2","6543","J42","Q9","QT76","AK9","K97653","T","K98","1","N/-""#;
    assert_eq!([lines[0], lines[4]], [first, ""]);
    assert!(lines[3].ends_with(r#","4","W/All""#));
}

#[test]
fn big_deal_pbn_matches_big_deal() {
    let file = text(Format::BigDeal);
    let board = |number, dealer, vulnerable, deal| {
        format!(
            "[Event \"?\"]\n[Site \"?\"]\n[Date \"?\"]\n[Board \"{number}\"]\n[West \"?\"]\n[North \"?\"]\n\
             [East \"?\"]\n[South \"?\"]\n[Dealer \"{dealer}\"]\n[Vulnerable \"{vulnerable}\"]\n\
             [Deal \"{deal}\"]\n[Scoring \"?\"]\n[Declarer \"?\"]\n[Contract \"?\"]\n[Result \"?\"]\n\n"
        )
    };
    // Big Deal writes its own name into the tag Generator.
    let version = env!("CARGO_PKG_VERSION");
    let head = format!("% PBN 2.1\n% EXPORT\n%\n[Generator \"dealerless {version}\"]\n");
    let all = [
        board(1, 'N', "None", super::DEALS[0]),
        board(2, 'E', "NS", super::DEALS[1]),
        board(3, 'S', "EW", super::DEALS[2]),
        board(4, 'W', "All", super::DEALS[3]),
    ];
    assert_eq!(file, head + &all.concat());
}

/// PBN 2.1, sections 2.3, 3 and 3.4: CR LF, an empty line before each game but the first, the
/// mandatory tags in their order and then the others, the dealer's hand first.
#[test]
fn pbn_obeys_the_export_format() {
    let file = text(Format::Pbn);
    let tags = |number, dealer, vulnerable, deal| {
        format!(
            "[Event \"?\"]\r\n[Site \"?\"]\r\n[Date \"?\"]\r\n[Board \"{number}\"]\r\n[West \"?\"]\r\n\
             [North \"?\"]\r\n[East \"?\"]\r\n[South \"?\"]\r\n[Dealer \"{dealer}\"]\r\n\
             [Vulnerable \"{vulnerable}\"]\r\n[Deal \"{deal}\"]\r\n[Scoring \"?\"]\r\n\
             [Declarer \"?\"]\r\n[Contract \"?\"]\r\n[Result \"?\"]\r\n"
        )
    };
    let version = env!("CARGO_PKG_VERSION");
    let second = "E:84.Q8.K63.KQ9875 Q6.KJ632.AQ42.A2 A952.AT54.T75.43 KJT73.97.J98.JT6";
    let third = "S:KQ9873.8652.K2.4 A..AT5.KQJ987532 JT52.JT3.QJ973.T 64.AKQ974.864.A6";
    let fourth = "W:A4.AKQ653.K76.92 K5.T97.42.QJT743 9863.J82.QJT95.K QJT72.4.A83.A865";
    let games = [
        tags(1, 'N', "None", super::DEALS[0])
            + &format!("[Generator \"dealerless {version}\"]\r\n"),
        tags(2, 'E', "NS", second),
        tags(3, 'S', "EW", third),
        tags(4, 'W', "All", fourth),
    ];
    assert_eq!(
        file,
        "% PBN 2.1\r\n% EXPORT\r\n".to_owned() + &games.join("\r\n")
    );
    assert_eq!(read(Format::Pbn, &file), Ok(boards()));
}
