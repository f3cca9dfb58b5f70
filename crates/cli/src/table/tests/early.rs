//! Input from before a match is not a command of the match.

use std::io::Read;

use dealerless_native::Input;
use dealerless_table::rules::{Stakes, Variety};

use super::super::input::TypedLine;
use super::super::posts::Posts;
use super::seats::{met, player, sit};

#[test]
fn early_commands_are_dropped_but_the_end_of_the_input_is_kept() {
    let variety = Variety::Deck { cards: 3, drawn: 1 };
    let [host, guest] = met(&Stakes::new(variety, 2, 1).unwrap());
    let posts = Posts::default();
    let leave = r#"{"do":"leave"}"#.to_owned();
    for line in [TypedLine::Text(leave), TypedLine::TooLong] {
        assert!(posts.typed(line).is_none());
    }
    posts.put(Input::Ended);
    let (player, mut front) = player();
    let error = sit(host, player.writing_to(&posts)).expect_err("the input has ended");
    assert!(error.is::<crate::failure::BrokenOff>(), "{error:#}");
    drop(guest);
    let mut output = String::new();
    front.events.read_to_string(&mut output).unwrap();
    assert_eq!(output.matches("not-allowed").count(), 1, "{output}");
    assert!(output.contains("before the match began"), "{output}");
    for event in ["leaving", "stopped", "line-too-long"] {
        assert!(!output.contains(&format!("\"{event}\"")), "{output}");
    }
}
