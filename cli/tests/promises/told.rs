//! The promise: each event of a match is told, on the page as in the terminal. In the terminal the compiler sees
//! to it: `cli/src/table/screen.rs` matches all events, and says why one has no line.

use std::collections::BTreeSet;

use dealerless_events::event::Event;
use serde_json::json;

/// The events that are no sentence on the page, and the file that shows them otherwise.
const SHOWN: [(&str, &str, &str); 4] = [
    // Both versions are compared in the program behind the page.
    (
        "hello",
        "cli/web/protocol.js",
        include_str!("../../web/protocol.js"),
    ),
    (
        "pause",
        "cli/web/match.js",
        include_str!("../../web/match.js"),
    ),
    (
        "your-turn",
        "cli/web/match.js",
        include_str!("../../web/match.js"),
    ),
    (
        "their-turn",
        "cli/web/match.js",
        include_str!("../../web/match.js"),
    ),
];
const WORDS: &str = include_str!("../../web/words.js");

/// The names of all events: serde lists them where it meets an unknown one.
fn events() -> BTreeSet<String> {
    let unknown = serde_json::from_value::<Event>(json!({ "event": "?" }));
    let error = unknown.expect_err("no event has this name").to_string();
    let (_, listed) = error.split_once("expected one of").expect(&error);
    let names = listed.split('`').skip(1).step_by(2);
    names.map(str::to_owned).collect()
}

/// The events for which `sentence` in `words.js` has a case.
fn sentences() -> BTreeSet<String> {
    let (_, sentence) = WORDS
        .split_once("export function sentence(")
        .expect("it is there");
    let (sentence, _) = sentence.split_once("\n}\n").expect("its end");
    let cases = sentence.split("case \"").skip(1);
    let names = cases.filter_map(|case| case.split_once("\":"));
    names.map(|(name, _)| name.to_owned()).collect()
}

#[test]
fn the_page_has_a_sentence_for_each_event_or_shows_it_otherwise() {
    let (events, mut told) = (events(), sentences());
    assert!(events.len() > 25, "{events:?}");
    for (name, file, text) in SHOWN {
        assert!(told.insert(name.to_owned()), "{name} has a sentence");
        assert!(text.contains(name), "{file} does not name {name}");
    }
    assert_eq!(told, events);
}
