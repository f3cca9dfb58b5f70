//! Any bytes are rejected with a line number, or parsed as a tournament whose sessions have the
//! boards of the description. Any text is rejected as a number, or is the number of a deal.
//!
//! Input: the description and the keys, separated by a zero byte.

#![no_main]

use dealerless_bridge::squaredeal::{
    BadLine, BoardRange, Comparison, Description, Keys, Published, Session, Set, canonical_value,
    verify,
};
use dealerless_bridge::{DealNumber, Order};
use libfuzzer_sys::fuzz_target;

/// The maximum number of sessions of an input that are dealt.
const SESSIONS: u32 = 3;

/// Checks that the line of an error exists.
fn is_in(error: &BadLine, bytes: &[u8]) {
    let lines = bytes.split(|byte| *byte == b'\n').count();
    assert!((1..=lines).contains(&error.line));
}

/// Checks that the boards of a set match a file that contains these boards, with the set's file
/// name or another name, and with or without board numbers.
fn agree_with_themselves(set: &Session<'_>) {
    let mut comparison = Comparison::default();
    for name in [set.file_name(), set.file_name() + "x"] {
        for is_numbered in [true, false] {
            comparison.add(Published {
                name: name.clone(),
                boards: set.boards().collect(),
                is_numbered,
            });
        }
    }
    comparison.take(set);
    let compared = comparison.finish();
    assert!(
        compared
            .iter()
            .all(|file| file.agrees() && file.missing.is_empty())
    );
    assert_eq!(compared.iter().filter(|file| file.set.is_some()).count(), 2);
}

fn deal(description: &Description, keys: &Keys) {
    let asked: BoardRange = "5-7".parse().expect("a valid range");
    let verdict = verify(description, keys);
    for (number, phase) in (1..).zip(description.phases()).take(SESSIONS as usize) {
        for session in 1..=phase.sessions().unwrap_or(SESSIONS).min(SESSIONS) {
            let of = [number, session];
            let original =
                description.session(keys, of, Set::Original, description.value(), Some(asked));
            let key = phase.sessions().map_or(0, |_| session);
            assert_eq!(
                original.is_none(),
                verdict.without_key.contains(&(number, key))
            );
            let Some(original) = original else { continue };
            let _ = (original.file_name(), original.description());
            agree_with_themselves(&original);
            let numbers: Vec<u32> = original.boards().map(|board| board.number).collect();
            assert!((1..=100).contains(&numbers.len()) && numbers.is_sorted());
        }
    }
}

fn number(text: &str) {
    let _ = canonical_value(text);
    let Ok(number) = text.parse::<DealNumber>() else {
        return;
    };
    for order in Order::ALL {
        assert_eq!(DealNumber::of(&number.deal(order), order), number);
    }
    assert_eq!(number.to_string().parse(), Ok(number));
}

fuzz_target!(|bytes: &[u8]| {
    let (first, second) = match bytes.iter().position(|byte| *byte == 0) {
        Some(end) => (&bytes[..end], &bytes[end + 1..]),
        None => (bytes, bytes),
    };
    match (Description::read(first), Keys::read(second)) {
        (Ok(description), Ok(keys)) => deal(&description, &keys),
        (description, keys) => {
            description
                .err()
                .iter()
                .for_each(|error| is_in(error, first));
            keys.err().iter().for_each(|error| is_in(error, second));
        }
    }
    if let Ok(text) = str::from_utf8(first) {
        number(text);
    }
});
