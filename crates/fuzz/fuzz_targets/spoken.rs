//! The exchange of an invite by a code that can be spoken. A hostile relay and a hostile player change what
//! they send: lines, points, confirmations and answers. A guest receives only the host's own invite, and
//! a host sends it only to a guest with its words. Any text is rejected as a code, or survives writing
//! and parsing.
//!
//! Input: a text; whether the guest has the words; the changes to each message, and the sizes of the
//! chunks.

#![no_main]

mod edits;

use std::time::Duration;

use dealerless_connection::identity::Identity;
use dealerless_connection::system_rng;
use dealerless_connection::testing::invite;
use dealerless_connection::{
    CodeWords, Exchanged, Invite, SpokenCode, SpokenError, SpokenExchange,
};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;

const NOW: Duration = Duration::from_secs(1);

/// Passes bytes to one side in chunks, changed as the input requests. Returns the result of the exchange, and
/// the bytes that the side received.
fn pass(
    side: &mut SpokenExchange,
    mut bytes: Vec<u8>,
    input: &mut Unstructured,
) -> Result<(std::result::Result<Option<Exchanged>, SpokenError>, Vec<u8>)> {
    edits::edit(&mut bytes, input)?;
    let chunk = usize::from(input.arbitrary::<u8>()?) * 16 + 1;
    for part in bytes.chunks(chunk) {
        match side.received(part, NOW, &mut system_rng()) {
            Ok(None) => {}
            over => return Ok((over, bytes)),
        }
    }
    Ok((Ok(None), bytes))
}

fn exchange(of: &Invite, input: &mut Unstructured) -> Result<()> {
    let words = match input.arbitrary()? {
        false => CodeWords::Two,
        true => CodeWords::Four,
    };
    let mut host = SpokenExchange::as_host(of, words, &[7; 16], NOW);
    assert!(host.outgoing().starts_with(b"please open a code as 0707"));
    let (number, _) = pass(&mut host, b"code 7\n".to_vec(), input)?;
    let Some(code) = host.code().cloned() else {
        assert!(matches!(
            number,
            Ok(None) | Err(SpokenError::NotOffered | SpokenError::Relay(_))
        ));
        return Ok(());
    };
    let other: SpokenCode = "7-crossbow-guitar".parse().expect("a code");
    let has_words: bool = input.arbitrary()?;
    let used = if has_words { code.clone() } else { other };
    let is_right = used == code;
    let mut guest = SpokenExchange::as_guest(used, NOW);
    guest.outgoing();
    let of_host = pass(&mut host, b"ok\n".to_vec(), input)?.0;
    let of_guest = pass(&mut guest, b"ok\n".to_vec(), input)?.0;
    let at_point = pass(&mut guest, host.outgoing(), input)?.0;
    for early in [of_host, of_guest, at_point] {
        assert!(!matches!(early, Ok(Some(_))));
    }
    let guess = guest.outgoing();
    let (result, came) = pass(&mut host, guess.clone(), input)?;
    if matches!(result, Ok(Some(_))) {
        assert!(is_right && came.starts_with(&guess));
    }
    let (result, _) = pass(&mut guest, host.outgoing(), input)?;
    if let Ok(Some(Exchanged::Received(got))) = result {
        assert!(is_right);
        assert_eq!(got.to_string(), of.to_string());
    }
    Ok(())
}

fn run(input: &mut Unstructured) -> Result<()> {
    let text: &str = input.arbitrary()?;
    if let Ok(code) = text.parse::<SpokenCode>() {
        assert_eq!(code.to_string().parse(), Ok(code));
    }
    let host = Identity::from_seed([1; 32]);
    exchange(&invite(&host, input.arbitrary()?, Vec::new(), None), input)
}

fuzz_target!(|input: &[u8]| {
    // An input that is too short has no effect.
    let _ = run(&mut Unstructured::new(input));
});
