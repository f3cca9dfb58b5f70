//! The JSON examples of every event and command in `docs/table-protocol.md`.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use dealerless_seat::command::{Said, parse};
use dealerless_seat::event::Event;

fn page() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/table-protocol.md");
    fs::read_to_string(path).unwrap()
}

/// The JSON objects of the page, each on its own line.
fn objects(page: &str) -> Vec<Value> {
    let lines = page.lines().filter(|line| line.starts_with('{'));
    lines
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// Removes null fields, which are equivalent to missing ones.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(_, value)| !value.is_null());
            fields
                .map(|(name, value)| (name.clone(), without_nulls(value)))
                .collect()
        }
        Value::Array(values) => values.iter().map(without_nulls).collect(),
        other => other.clone(),
    }
}

#[test]
fn every_example_parses_and_serializes_to_itself() {
    for object in objects(&page()) {
        if object.get("event").is_some() {
            let event: Event = serde_json::from_value(object.clone())
                .unwrap_or_else(|error| panic!("{error}: {object}"));
            let again = serde_json::to_value(&event).unwrap();
            assert_eq!(without_nulls(&again), without_nulls(&object));
        } else {
            let (said, turn) = parse(&object.to_string()).unwrap();
            let mut again = serde_json::to_value(&said).unwrap();
            if let Some(turn) = turn {
                again["turn"] = turn.into();
            }
            assert_eq!(again, object);
            let command = said.clone().command();
            if let Some(dealerless_table::play::Command::Choose(choice)) = command {
                assert_eq!(Said::from(&choice), said);
            }
        }
    }
}

#[test]
fn every_event_and_command_has_an_example() {
    let shown = |key: &str| -> BTreeSet<String> {
        let objects = objects(&page());
        let names = objects.iter().filter_map(|object| object[key].as_str());
        names.map(String::from).collect()
    };
    // The error message of serde lists all known names.
    let known = |error: serde_json::Error| -> BTreeSet<String> {
        let text = error.to_string();
        let names = text.split('`').skip(3).step_by(2);
        names.map(String::from).collect()
    };
    let events = serde_json::from_str::<Event>(r#"{"event":""}"#).unwrap_err();
    assert_eq!(shown("event"), known(events));
    let commands = serde_json::from_str::<Said>(r#"{"do":""}"#).unwrap_err();
    // `chose` events have a field `do` as well.
    assert_eq!(shown("do"), known(commands));
}
