//! The answers to the requests of a page about records, from their bytes. `docs/browser.md` describes
//! the requests; the program that serves a page on its own machine runs the commands instead.

use dealerless_table::record::Record;
use serde_json::{Value, json};

use super::show;
use super::verify::{Read, Verified, outcome, pairs, report};
use super::words::Moment;

/// The names of the records in the answer to `/verify`.
const NAMES: [&str; 2] = ["first", "second"];

/// The answer to `/show`: all hands of a record. See [`show::text`] for the date.
pub fn shown(record: &Record, date: Option<Moment>) -> Value {
    let hands: Vec<_> = record.hands.iter().collect();
    json!({ "text": text(record, date), "show": show::object(record, &hands) })
}

/// The answer to `/verify`: one or two records, as anybody can read them. Further records are ignored.
/// See [`show::text`] for the date.
pub fn verified(records: &[&[u8]], date: Option<Moment>) -> Value {
    let named = NAMES.iter().zip(records);
    let files: Vec<Read> = named
        .map(|(name, bytes)| Read::of((*name).to_owned(), bytes, None))
        .collect();
    let pairs = pairs(&files);
    let shown = |file: &Read| Some(text(file.record.as_ref().ok()?, date));
    json!({
        "exit_code": if outcome(&files, &pairs).is_ok() { 0 } else { 4 },
        "verify": Verified::of(&files, &pairs),
        "text": report(&files, &pairs, true) + "\n",
        "shown": files.iter().map(shown).collect::<Vec<_>>(),
    })
}

fn text(record: &Record, date: Option<Moment>) -> String {
    let hands: Vec<_> = record.hands.iter().collect();
    show::text(record, &hands, date) + "\n"
}
