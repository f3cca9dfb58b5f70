//! The promise: the page shows each event of a match, as the terminal does. In
//! `crates/cli/src/table/screen.rs` a `match` over all events ensures this for the terminal.

use std::collections::BTreeSet;

use dealerless_seat::event::{Awaited, Event};
use serde_json::json;

/// Events without a sentence on the page, and the file of the page that handles each.
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
const WORDS: &str = include_str!("../../page/words.js");

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
fn page_and_its_description_name_all_that_a_match_waits_for() {
    let awaited = names(&serde_json::from_value::<Awaited>(json!("?")).expect_err("unknown"));
    assert!(awaited.contains("vote"), "{awaited:?}");
    let (_, shown) = WORDS.split_once("function waitingFor(").expect("its words");
    let protocol = include_str!("../../../../docs/table-protocol.md");
    for name in awaited {
        assert!(shown.contains(&format!(" {name}: ")), "{name}");
        assert!(protocol.contains(&format!("`{name}`")), "{name}");
    }
}

/// The events for which `sentence` in `words.js` has a case.
fn sentences() -> BTreeSet<String> {
    let (_, sentence) = WORDS
        .split_once("export function sentence(")
        .expect("the function `sentence`");
    let (sentence, _) = sentence
        .split_once("\n}\n")
        .expect("the end of the function");
    let cases = sentence.split("case \"").skip(1);
    let names = cases.filter_map(|case| case.split_once("\":"));
    names.map(|(name, _)| name.to_owned()).collect()
}

#[test]
fn page_handles_every_event() {
    let (events, mut handled) = (events(), sentences());
    assert!(events.len() > 25, "{events:?}");
    for (name, file, text) in SHOWN {
        assert!(handled.insert(name.to_owned()), "{name} has a sentence");
        assert!(text.contains(name), "{file} does not mention {name}");
    }
    assert_eq!(handled, events);
}
