//! The JSON of every event and command, as `docs/table-protocol.md` shows it.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use dealerless_events::command::{Said, parse};
use dealerless_events::event::Event;

fn page() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/table-protocol.md");
    fs::read_to_string(path).unwrap()
}

/// The objects of the page, each on a line of its own.
fn objects(page: &str) -> Vec<Value> {
    let lines = page.lines().filter(|line| line.starts_with('{'));
    lines
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// A value without its nulls: what is null may as well be absent.
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
fn every_example_of_the_page_is_what_the_program_says_and_reads() {
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
fn the_page_has_an_example_of_every_event_and_command() {
    let shown = |key: &str| -> BTreeSet<String> {
        let objects = objects(&page());
        let names = objects.iter().filter_map(|object| object[key].as_str());
        names.map(String::from).collect()
    };
    // The names that serde knows stand in its own complaint.
    let known = |error: serde_json::Error| -> BTreeSet<String> {
        let text = error.to_string();
        let names = text.split('`').skip(3).step_by(2);
        names.map(String::from).collect()
    };
    let events = serde_json::from_str::<Event>(r#"{"event":""}"#).unwrap_err();
    assert_eq!(shown("event"), known(events));
    let commands = serde_json::from_str::<Said>(r#"{"do":""}"#).unwrap_err();
    let mut said = shown("do");
    // Those that only a choice of another seat shows are commands as well.
    said.retain(|name| !name.is_empty());
    assert_eq!(said, known(commands));
}
