//! A match on a disk that is full: a limit for the size of files has the same effect.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::common::side::{Side, folders};

/// Starts the program with at most this number of blocks of 512 bytes for each file.
const LIMITED: &str = "#!/bin/sh\ntrap '' XFSZ\nulimit -f 24\nexec \"$DEALERLESS\" \"$@\"\n";

#[test]
fn a_full_disk_stops_the_match_with_an_error_and_the_peer_waits() {
    let [a, b] = folders();
    let hands = ["--auto", "--hands", "50", "--game", "holdem"];
    let (mut host, invite) = Side::host(a.path(), &hands);
    let script = b.path().join("limited");
    let program = env!("CARGO_BIN_EXE_dealerless");
    fs::write(&script, LIMITED.replace("\"$DEALERLESS\"", program)).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).unwrap();
    let join = ["join", &invite, "--json", "--yes", "--auto"];
    let guest = Side::start_program(&script, b.path(), &join);
    host.until("line-lost");
    let (events, code) = guest.finish();
    assert_eq!(code, 1, "{events:?}");
    let text = json!(events).to_string();
    for part in [
        "cannot write",
        "Everything that was sent is in the file",
        "dealerless resume",
    ] {
        assert!(text.contains(part), "{text}");
    }
    host.kill();
}
