//! The hands of a record.

use dealerless_connection::identity::Identity;
use dealerless_table::record::{BadRecord, Record, RecordedHand};
use serde_json::{Value, json};

use super::words::{self, Moment};
use super::{json, listing, pokerstars};
use crate::cards::CardNames;

/// Whether the beginning of an id, or a whole id as in events, names the match with the id `match_id`,
/// which may be only the first digits of the id.
pub fn is_id_of(called: &str, match_id: &str) -> bool {
    if called.len() > match_id.len() {
        is_id(called) && called.starts_with(match_id)
    } else {
        !called.is_empty() && match_id.starts_with(called)
    }
}

/// Whether a text is the full id of a match, as in events.
fn is_id(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Reads a record that may belong to another player. With the keys of its owner, the record contains
/// the owner's own cards.
///
/// # Errors
/// The errors of [`Record::read`].
pub fn read(bytes: &[u8], own: Option<&Identity>) -> Result<Record, BadRecord> {
    match Record::read(bytes, own) {
        Err(BadRecord::NotYours) => Record::read(bytes, None),
        record => record,
    }
}

/// The hand with this number, or without a number all hands.
///
/// # Errors
/// A message if there is no such hand.
pub fn chosen(record: &Record, number: Option<u32>) -> Result<Vec<&RecordedHand>, String> {
    let wanted = |hand: &&RecordedHand| number.is_none_or(|number| hand.begun.hand == number);
    let hands: Vec<&RecordedHand> = record.hands.iter().filter(wanted).collect();
    match (number, hands.is_empty()) {
        (Some(number), true) => Err(format!(
            "there is no hand {number} ({} dealt)",
            words::hands(&record.log.match_info().header().stakes, record.hands.len())
        )),
        _ => Ok(hands),
    }
}

/// The output of `show --json`.
pub fn object(record: &Record, hands: &[&RecordedHand]) -> Value {
    let names = CardNames::of(&record.log.match_info().header().stakes);
    let hands: Vec<Value> = hands
        .iter()
        .map(|hand| json::of_hand(hand, &names))
        .collect();
    json!({ "record": json::of_record(record), "hands": hands })
}

/// Whether [`text`] dates the hands.
pub fn is_dated(record: &Record) -> bool {
    record.log.match_info().header().stakes.betting().is_some()
}

/// The hands for people: poker in the text format of PokerStars, other games as a plain listing.
/// Only the format of PokerStars contains the date.
pub fn text(record: &Record, hands: &[&RecordedHand], date: Option<Moment>) -> String {
    if is_dated(record) {
        pokerstars::write(record, hands, date)
    } else {
        listing::write(record, hands)
    }
}
