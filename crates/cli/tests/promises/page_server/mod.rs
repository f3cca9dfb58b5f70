//! The server of the page: which requests it answers, and what happens when a program ends.

#![cfg(feature = "browser")]

use crate::common;
mod ended;
mod guarded;
mod played;

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use common::page::{Lines, Page};
use common::processes::LIMIT;

fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < LIMIT, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Sends a signal to a process by name.
fn signal(process: &str, name: &str) {
    let sent = std::process::Command::new("kill")
        .args(["-s", name, process])
        .status();
    assert!(sent.unwrap().success());
}

/// Starts a page and hosts a match. Returns the page, the events of the match and the invite.
fn hosting(folder: &Path, stakes: &Value) -> (Page, Lines, String) {
    let page = Page::start(folder, &["--name", "Anna"]);
    let mut body = json!({ "listen": "127.0.0.1:0" });
    body.as_object_mut()
        .unwrap()
        .extend(stakes.as_object().unwrap().clone());
    let started = page.post("/host", body.to_string().as_bytes());
    assert_eq!(started.status, 200, "{started:?}");
    let mut lines = page.lines("/play");
    let invite = lines.until("invite")["invite"].as_str().unwrap().to_owned();
    (page, lines, invite)
}
