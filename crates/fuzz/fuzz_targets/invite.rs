//! Any text is rejected, or is an invite that survives writing and parsing, also wrapped, quoted
//! and in capitals, as chat programs and people forward it. Statements of successions, fingerprints
//! and addresses are tested in the same way.
//!
//! Input: the construction of the invite, and the changes to its text.

#![no_main]

mod edits;
mod moved;

use std::sync::LazyLock;

use dealerless_connection::{BadInvite, Invite};
use dealerless_connection::identity::{Address, Fingerprint, Identity, Name, Succession};
use dealerless_connection::testing::invite;
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;

/// The succession of a player who has moved twice.
static CHAIN: LazyLock<Succession> = LazyLock::new(|| moved::chain(2));

fn any_text(input: &mut Unstructured) -> Result<String> {
    Ok(match input.int_in_range(0..=2)? {
        0 => made(input)?,
        1 => {
            let mut text = made(input)?.into_bytes();
            edits::edit(&mut text, input)?;
            String::from_utf8_lossy(&text).into_owned()
        }
        _ => input.arbitrary::<&str>()?.to_owned(),
    })
}

/// The text of an invite with arbitrary addresses, or of a statement.
fn made(input: &mut Unstructured) -> Result<String> {
    if input.ratio(1, 4)? {
        return Ok(CHAIN.to_string());
    }
    let host = Identity::from_seed([input.arbitrary()?; 32]);
    let mut addresses: Vec<Address> = Vec::new();
    for _ in 0..input.int_in_range(0..=10)? {
        addresses.extend(input.arbitrary::<&str>()?.parse::<Address>());
    }
    let relay = addresses.pop();
    Ok(invite(&host, input.arbitrary()?, addresses, relay).to_string())
}

/// The text as changed by a chat program.
fn forwarded(text: &str, input: &mut Unstructured) -> Result<String> {
    let width = input.int_in_range(1..=80)?;
    let between = input.choose(&["\n", "\r\n> ", " ", "\u{200b}", "*\n*", "\u{201d} \u{201c}"])?;
    let lines: Vec<&[u8]> = text.as_bytes().chunks(width).collect();
    let lines = lines.iter().map(|line| String::from_utf8_lossy(line));
    let text = lines.collect::<Vec<_>>().join(between);
    Ok(match input.int_in_range(0..=3)? {
        0 => text.to_uppercase(),
        1 => format!("> \u{ab}{text}\u{bb}"),
        2 => format!("dealerless join {text}\n"),
        _ => text,
    })
}

fn run(input: &mut Unstructured) -> Result<()> {
    let text = any_text(input)?;
    match text.parse::<Invite>() {
        Ok(invite) => {
            let written = invite.to_string();
            let again: Invite = written.parse().expect("a written invite is readable");
            assert_eq!(again.to_string(), written);
            assert_eq!(again.addresses(), invite.addresses());
            assert_eq!(again.relay(), invite.relay());
            let changed = forwarded(&written, input)?;
            let again: Invite = changed
                .parse()
                .expect("a chat program does not damage an invite");
            assert_eq!(again.to_string(), written);
        }
        Err(BadInvite::NoInvite) => {}
        Err(error) => assert!(text.to_lowercase().contains('d'), "{error}"),
    }
    if let Ok(succession) = text.parse::<Succession>() {
        let changed = forwarded(&succession.to_string(), input)?;
        assert_eq!(changed.parse(), Ok(succession));
    }
    if let Some(fingerprint) = Fingerprint::parse(&text) {
        assert_eq!(
            Fingerprint::parse(&fingerprint.to_string()),
            Some(fingerprint)
        );
    }
    if let Ok(address) = text.parse::<Address>() {
        assert_eq!(address.to_string().parse(), Ok(address));
    }
    let name = Name::clean(&text);
    assert_eq!(Name::clean(name.as_str()), name);
    Ok(())
}

fuzz_target!(|input: &[u8]| {
    // An input that is too short has no effect.
    let _ = run(&mut Unstructured::new(input));
});
