use proptest::prelude::*;
use sha2::{Digest, Sha256};

use super::super::DealNumber;
use super::super::Order;
use super::*;

/// The first key of the World Bridge Games 2024, as published by the organiser
/// (hansvanstaveren/BigDeal a980e7f, "Buenos Aires").
const KEY: &str = "hrzkVbQb9F0QhgIYEwfBUwKjNHDoGZXMYxVBbJZaWXnJf233CI5MJo7buhPR";
/// The value in the description of the World Bridge Games 2024.
const VALUE: &[u8] = b"43275.91";

/// A key that was never published.
const OTHER: &str = "0123456789abcdefghijABCDEFGHIJ0123456789klmnopqrstKLMNOPQRST";

/// Four keys: for three sessions, and for one phase with an unknown number of sessions.
fn keys_text() -> String {
    format!("1,1:{KEY}\r\n1,2:{OTHER}\r\n2,1:{OTHER}\r\n3,0:{KEY}\r\n")
}

fn description_text(keys: &str) -> String {
    let hash: String = Sha256::digest(keys)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!(
        "# Description file of tournament for program SquareDeal 2.7\n#\nTN World Bridge Games 2024\n\
         DI DJI1910\nDV 43275.91\nSN 2:1-16,17-32:OPRR##:Open Round Robin #/17\nSN 1:?:R16:Round of 16\n\
         SN 0:17-20:SWISS#x:Swiss #\nKH {hash}\n"
    )
}

fn files() -> (Description, Keys) {
    let keys = keys_text();
    let description = Description::read(description_text(&keys).as_bytes()).unwrap();
    (description, Keys::read(keys.as_bytes()).unwrap())
}

fn numbers(session: &Session<'_>) -> Vec<u128> {
    let of = |deal| DealNumber::of(&deal, Order::BigDeal).get();
    session.boards().map(|board| of(board.deal)).collect()
}

#[test]
fn boards_match_those_played_at_a_world_championship() {
    let (description, keys) = files();
    assert_eq!(description.value(), VALUE);
    let original = description.session(&keys, [1, 1], Set::Original, VALUE, None);
    let original = original.unwrap();
    assert_eq!(original.file_name(), "OPRR01");
    assert_eq!(original.description(), "Open Round Robin 1/17");
    let boards: Vec<_> = original.boards().collect();
    assert_eq!(
        (boards.len(), boards[0].number, boards[15].number),
        (16, 1, 16)
    );
    for (place, deal) in [
        (
            0,
            "N:AJ65.K82.AK8.J75 8.AQT75.QJT4.Q64 KT2..96532.KT983 Q9743.J9643.7.A2",
        ),
        (
            1,
            "N:KJT84.KT9.AT2.T2 Q953.Q87.4.K8753 62.A64.J9865.AQ9 A7.J532.KQ73.J64",
        ),
        (
            2,
            "N:K.AT98.Q652.8543 A654.2.J9.AK9762 QJT9872.43.8743. 3.KQJ765.AKT.QJT",
        ),
        (
            15,
            "N:973.987.KQJ432.2 AKJ6542.A5.A8.85 QT.KQT642.6.AQT6 8.J3.T975.KJ9743",
        ),
    ] {
        assert_eq!(boards[place].deal.to_string(), deal);
    }
    let known = numbers(&original);
    let first_three = [
        6_904_023_658_446_448_646_504_663_492,
        16_007_052_573_755_346_701_807_217_139,
        23_403_671_986_880_068_241_835_226_547,
    ];
    assert_eq!(known[..3], first_three);
    assert_eq!(known[15], 43_059_827_339_553_631_497_478_988_371);
}

#[test]
fn reserve_set_matches_that_of_square_deal() {
    let (description, keys) = files();
    let reserve = description.session(&keys, [1, 1], Set::Reserve, VALUE, None);
    let reserve = reserve.unwrap();
    assert_eq!(reserve.file_name(), "OPRR01reserve");
    let known = [
        46_826_187_703_706_137_453_111_479_795,
        18_400_290_421_914_985_606_479_911_470,
    ];
    assert_eq!(numbers(&reserve)[..2], known);
    let deals: Vec<String> = reserve
        .boards()
        .map(|board| board.deal.to_string())
        .collect();
    let known = [
        "N:832.KQ3.42.K9542 96.T652.KQJ8.AT6 KQJT54.874.A5.Q8 A7.AJ9.T9763.J73",
        "N:KT765.AQ42.Q.QT6 QJ93.8653.J8763. 42.JT.AT54.AJ942 A8.K97.K92.K8753",
    ];
    assert_eq!(deals[..2], known);
}

#[test]
fn different_values_give_different_boards() {
    let (description, keys) = files();
    let of = |value: &[u8]| {
        let session = description.session(&keys, [1, 1], Set::Original, value, None);
        numbers(&session.unwrap())
    };
    assert_ne!(of(VALUE), of(b"43275.90"));
    assert_ne!(of(VALUE), of(b"4327591"));
}

#[test]
fn sessions_of_a_phase_differ_by_key_or_by_number() {
    let (description, keys) = files();
    let session = |of, asked: Option<&str>| {
        let asked = asked.map(|boards| boards.parse().unwrap());
        description.session(&keys, of, Set::Original, VALUE, asked)
    };
    let second = session([1, 2], None).unwrap();
    assert_eq!(
        (second.file_name(), second.boards().next().unwrap().number),
        ("OPRR02".into(), 17)
    );
    assert_eq!(session([2, 1], None), None);
    let asked = session([2, 1], Some("5-7")).unwrap();
    let boards: Vec<u32> = asked.boards().map(|board| board.number).collect();
    assert_eq!(boards, [5, 6, 7]);
    // Two sessions with the same key have the same deals. The board numbers do not matter.
    assert_eq!(numbers(&asked), numbers(&second)[..3]);
    for invalid in [[0, 1], [1, 0], [1, 3], [4, 1], [u32::MAX, 1], [3, 0]] {
        assert_eq!(session(invalid, Some("1-2")), None, "{invalid:?}");
    }
    let open = |number| session([3, number], None).unwrap();
    assert_eq!(open(12).file_name(), "SWISS12x");
    assert_ne!(numbers(&open(1)), numbers(&open(2)));
    let first = session([1, 1], None).unwrap();
    assert_ne!(numbers(&open(1)), numbers(&first)[..4]);
}

/// Checks the seeds of the test vectors. For a phase with an unknown number of sessions, compares
/// the seed with the RIPEMD-160 hash of the text that the format prescribes.
#[test]
fn seed_is_the_hash_of_half_a_key_the_value_and_the_set() {
    let (description, keys) = files();
    let hex =
        |seed: [u8; 20]| -> String { seed.iter().map(|byte| format!("{byte:02x}")).collect() };
    let seed = |of, set| {
        let session = description.session(&keys, of, set, VALUE, None).unwrap();
        assert_eq!(session.owner(), "hrzkVbQb9F0QhgIYEwfBUwKjNHDoGZ");
        let hash = super::super::big_deal::hash(session.owner().as_bytes());
        assert_eq!(hex(hash), "e092ab0ccaaf9c6cd9c3708642e5e8523c695c89");
        session.seed()
    };
    let original = "648cc374641e68a57c20772f6acf5d4565033e8f";
    assert_eq!(hex(seed([1, 1], Set::Original)), original);
    let reserve = "6f0dc7e2f4d3c19f460bb14bf55fe80363cb2bb2";
    assert_eq!(hex(seed([1, 1], Set::Reserve)), reserve);
    let open = b"XMYxVBbJZaWXnJf233CI5MJo7buhPRNDMyNzUuOTE=reserveses7";
    assert_eq!(
        seed([3, 7], Set::Reserve),
        super::super::big_deal::hash(open)
    );
}

#[test]
fn keys_match_their_hash_with_any_line_ends() {
    let text = keys_text();
    let (description, keys) = files();
    assert_eq!(keys.count(), 4);
    assert!(verify(&description, &keys).agrees());
    for text in [text.replace("\r\n", "\n"), text.trim_end().to_owned()] {
        let keys = Keys::read(text.as_bytes()).unwrap();
        assert!(verify(&description, &keys).agrees());
    }
    let dos = description_text(&text).replace('\n', "  \r\n");
    assert_eq!(Description::read(dos.as_bytes()), Ok(description));
}

#[test]
fn changed_missing_and_extra_keys_are_found() {
    let (description, _) = files();
    let verdict = |text: String| verify(&description, &Keys::read(text.as_bytes()).unwrap());
    let text = keys_text();
    let changed = verdict(text.replacen("hrzk", "hrzK", 1));
    assert_eq!(
        (changed.key_hash, changed.agrees()),
        (KeyHash::Differs, false)
    );
    assert!(changed.without_key.is_empty() && changed.not_described.is_empty());
    let missing = verdict(text.replace(&format!("1,2:{OTHER}\r\n"), ""));
    assert_eq!(missing.without_key, [(1, 2)]);
    let added = verdict(format!(
        "{text}1,3:{KEY}\n2,0:{KEY}\n3,1:{KEY}\n9,1:{KEY}\n"
    ));
    assert_eq!(added.not_described, [(1, 3), (2, 0), (3, 1), (9, 1)]);
    assert!(!added.agrees() && !missing.agrees());
    let unpublished = Description::read(b"TN invalid\n").unwrap();
    let (_, keys) = files();
    assert_eq!(verify(&unpublished, &keys).key_hash, KeyHash::Unpublished);
}

/// A matching hash is not enough: the described sessions must also have the keys.
#[test]
fn matching_hash_does_not_hide_a_missing_key() {
    let keys = keys_text().replace("2,1:", "2,2:");
    let description = Description::read(description_text(&keys).as_bytes()).unwrap();
    let verdict = verify(&description, &Keys::read(keys.as_bytes()).unwrap());
    assert_eq!(verdict.key_hash, KeyHash::Agrees);
    assert_eq!(
        (verdict.without_key.clone(), verdict.agrees()),
        (vec![(2, 1)], false)
    );
    assert_eq!(verdict.not_described, [(2, 2)]);
}

#[test]
fn typed_values_are_normalised_as_in_square_deal() {
    for (typed, canonical) in [
        ("43275.91", "4327591"),
        ("44,901.92", "4490192"),
        ("1,2,3", "12,3"),
        ("  a \t b  ", "a b"),
        ("x.1, 2.y", "x.1, 2.y"),
        ("1.", "1."),
        ("", ""),
    ] {
        assert_eq!(canonical_value(typed), canonical, "{typed}");
    }
}

#[test]
fn error_names_the_invalid_line_of_a_description() {
    let hash = "0".repeat(64);
    let long = "#".repeat(MAX_TEXT + 1);
    for (line, problem) in [
        ("XX what", Problem::Tag),
        ("TNname", Problem::Tag),
        ("T", Problem::Tag),
        (" TN name", Problem::Tag),
        ("TN again", Problem::Twice("TN")),
        ("KH 00", Problem::Hash),
        (&format!("KH {}", hash.replace('0', "A")), Problem::Hash),
        (&format!("KH {hash}0"), Problem::Hash),
        ("SN", Problem::Phase),
        ("SN 1:2:3", Problem::Phase),
        ("SN x:1-7:P:D", Problem::Sessions),
        ("SN -1:1-7:P:D", Problem::Sessions),
        ("SN 10000:1-7:P:D", Problem::Sessions),
        ("SN 99999999999:1-7:P:D", Problem::Sessions),
        ("SN 9999:1-7:P:D", Problem::TooManySessions),
        ("SN 1:7-1:P:D", Problem::Boards),
        ("SN 1:1-101:P:D", Problem::TooManyBoards),
        (&format!("SN 1:1:{long}:D"), Problem::LongText),
        (&format!("SN 1:1:P:{long}"), Problem::LongText),
    ] {
        let text = format!("TN name\nSN 1:1:P:D\n# comment\n\n{line}\nnot read\n");
        let read = Description::read(text.as_bytes());
        assert_eq!(read, Err(BadLine { line: 5, problem }), "{line}");
    }
    let error = Description::read(b"#\nSN 1:0:P:D").unwrap_err();
    assert!(
        error.to_string().starts_with("line 2: boards must be "),
        "{error}"
    );
}

#[test]
fn error_names_the_invalid_line_of_keys() {
    for (line, problem) in [
        ("", Problem::KeyLine),
        ("1,2", Problem::KeyLine),
        ("1:key", Problem::KeyLine),
        ("01,2:key", Problem::KeyLine),
        ("0,2:key", Problem::KeyLine),
        ("1,-2:key", Problem::KeyLine),
        ("1,99999999999:key", Problem::KeyLine),
        ("1,2:", Problem::Key),
        ("1,2:key ", Problem::Key),
        ("1,2:k;y", Problem::Key),
        ("1,1:key", Problem::TwoKeys(1, 1)),
    ] {
        let text = format!("1,1:{KEY}\r\n{line}\r\nnot read");
        let read = Keys::read(text.as_bytes());
        assert_eq!(read, Err(BadLine { line: 2, problem }), "{line}");
    }
    let not_utf8 = Keys::read(b"1,1:\xff\n");
    assert_eq!(not_utf8, Err(Problem::KeyLine.at(0)));
}

#[test]
fn too_large_files_are_rejected() {
    let line = "# 0123456789012345678901234567\n";
    let full = line.repeat(MAX_BYTES / line.len());
    assert!(Description::read(full.as_bytes()).is_ok());
    let more = full.clone() + line;
    let refused = Description::read(more.as_bytes()).unwrap_err();
    assert_eq!(refused, Problem::TooLarge.at(MAX_BYTES / line.len()));
    assert_eq!(Keys::read(more.as_bytes()), Err(refused));
}

/// A text may be displayed on a terminal, but the value is hashed.
#[test]
fn control_characters_are_replaced_but_the_value_is_unchanged() {
    let read = Description::read(b"TN a\x1b[2Jb\xff\nDV \x1b\xff.\n").unwrap();
    assert_eq!(read.name(), "a\u{fffd}[2Jb\u{fffd}");
    assert_eq!(read.value(), b"\x1b\xff.");
}

proptest! {
    /// Truncated or changed files are either read or rejected with the number of an existing line.
    #[test]
    fn damaged_files_are_handled(at in 0usize..500, byte: u8, cut: bool) {
        let keys = keys_text();
        for text in [description_text(&keys), keys] {
            let mut bytes = text.into_bytes();
            let at = at % bytes.len();
            if cut { bytes.truncate(at) } else { bytes[at] = byte }
            let count = bytes.split(|byte| *byte == b'\n').count();
            let description = Description::read(&bytes);
            let keys = Keys::read(&bytes);
            for line in [description.err(), keys.err()].into_iter().flatten() {
                prop_assert!((1..=count).contains(&line.line));
            }
        }
    }
}
