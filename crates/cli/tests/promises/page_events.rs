//! The promise: the page shows each event of a match, as the terminal does. Both show the sentences of
//! `Narrator`, whose `match` over all events ensures that none is forgotten.

use std::collections::BTreeSet;

use dealerless_seat::event::{Awaited, Event};
use serde_json::json;

/// Events without sentences in the log of the page, and the file of the page that handles each.
const SHOWN: [(&str, &str, &str); 4] = [
    // The program behind the page compares the versions.
    (
        "hello",
        "crates/cli/page/protocol.js",
        include_str!("../../page/protocol.js"),
    ),
    (
        "pause",
        "crates/cli/page/match.js",
        include_str!("../../page/match.js"),
    ),
    (
        "your-turn",
        "crates/cli/page/match.js",
        include_str!("../../page/match.js"),
    ),
    (
        "their-turn",
        "crates/cli/page/match.js",
        include_str!("../../page/match.js"),
    ),
];
/// The names of all events, from serde's error message for an unknown event.
fn events() -> BTreeSet<String> {
    let unknown = serde_json::from_value::<Event>(json!({ "event": "?" }));
    names(&unknown.expect_err("an unknown event"))
}

/// The names in serde's error message for an unknown name.
fn names(error: &serde_json::Error) -> BTreeSet<String> {
    let error = error.to_string();
    let (_, listed) = error.split_once("expected one of").expect(&error);
    let names = listed.split('`').skip(1).step_by(2);
    names.map(str::to_owned).collect()
}

#[test]
fn description_names_all_that_a_match_waits_for() {
    let awaited = names(&serde_json::from_value::<Awaited>(json!("?")).expect_err("unknown"));
    assert!(awaited.contains("vote"), "{awaited:?}");
    let protocol = include_str!("../../../../docs/table-protocol.md");
    for name in awaited {
        assert!(protocol.contains(&format!("`{name}`")), "{name}");
    }
}

#[test]
fn page_handles_every_event_without_sentences() {
    let events = events();
    assert!(events.len() > 25, "{events:?}");
    for (name, file, text) in SHOWN {
        assert!(events.contains(name), "{name}");
        assert!(text.contains(name), "{file} does not mention {name}");
    }
}
