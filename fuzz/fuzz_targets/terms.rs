//! Any bytes that a peer offers as terms are refused with an error that does not repeat them, or
//! are exactly what the terms read from them would send.

#![no_main]

use dealerless::table::Terms;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| match Terms::decode(bytes) {
    Ok(terms) => assert_eq!(terms.encode(), bytes),
    Err(error) => assert!(error.to_string().len() < 150, "{error}"),
});
