//! What was typed before a match is no command of the match.

use std::io::Read;

use dealerless_table::rules::{Stakes, Variety};

use super::super::input::TypedLine;
use super::super::posts::{Post, Posts};
use super::super::whole::{Around, Whole};
use super::seats::{met, player};

#[test]
fn a_command_that_was_typed_before_the_match_is_dropped_and_the_end_of_the_input_is_not() {
    let variety = Variety::Deck { cards: 3, drawn: 1 };
    let [host, guest] = met(&Stakes::new(variety, 2, 1).unwrap());
    let posts = Posts::default();
    let leave = r#"{"do":"leave"}"#.to_owned();
    for line in [TypedLine::Text(leave), TypedLine::TooLong] {
        assert!(posts.typed(line).is_none());
    }
    posts.put(Post::InputEnded);
    let (player, mut front) = player();
    let around = Around {
        own: &host.own,
        player,
        posts: &posts,
        dialer: None,
    };
    let whole = Whole::begin(around, host.connection, host.seating).unwrap();
    let error = whole.play().err().expect("the input has ended");
    assert!(error.is::<crate::failure::BrokenOff>(), "{error:#}");
    drop(guest);
    let mut said = String::new();
    front.events.read_to_string(&mut said).unwrap();
    assert_eq!(said.matches("not-allowed").count(), 1, "{said}");
    assert!(said.contains("before the match began"), "{said}");
    for event in ["leaving", "stopped", "line-too-long"] {
        assert!(!said.contains(&format!("\"{event}\"")), "{said}");
    }
}
