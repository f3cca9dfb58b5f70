//! Any bytes that a peer offers as terms are refused with an error that does not repeat them, or
//! are exactly what the terms read from them would send. As a guest's wishes, they are answered with one
//! short sentence at most, without anything that moves a cursor.

#![no_main]

use std::sync::LazyLock;

use dealerless_cli::arguments::answer_to_wishes;
use dealerless_table::Terms;
use libfuzzer_sys::fuzz_target;

/// What the host offers.
static OFFERED: LazyLock<Terms> = LazyLock::new(|| {
    Terms::decode(include_bytes!("../seeds/terms/holdem")).expect("the terms of a host")
});

fuzz_target!(|bytes: &[u8]| {
    match Terms::decode(bytes) {
        Ok(terms) => assert_eq!(terms.encode(), bytes),
        Err(error) => assert!(error.to_string().len() < 150, "{error}"),
    }
    if let Some(said) = answer_to_wishes(bytes, &OFFERED) {
        assert!(
            said.len() < 400 && !said.contains(char::is_control),
            "{said:?}"
        );
    }
});
