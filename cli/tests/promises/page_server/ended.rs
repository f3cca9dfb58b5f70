//! The program behind the page ends: by itself, by the page, by its user, or by the system.

use std::io::ErrorKind;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{hosting, signal, wait_until};
use crate::common::matches;
use crate::common::page::Page;
use crate::common::side::{Side, folders, of_kind};

#[test]
fn a_program_that_was_killed_is_told_as_that_and_the_match_is_resumed() {
    let [folder, guest] = folders();
    let at = matches::free_address();
    let stakes = json!({ "game": "deck", "hands": 1, "draw": 4, "listen": at });
    let (page, mut lines, invite) = hosting(folder.path(), &stakes);
    let mut guest = Side::join(guest.path(), &invite, &[]);
    lines.until("sealed");
    signal(&page.behind(), "KILL");
    assert!(of_kind(&lines.rest(), "over").is_empty());
    wait_until("it is told", || page.state()["running"] == false);
    let state = page.state();
    assert_eq!(
        (&state["by_signal"], &state["exit_code"]),
        (&json!(true), &Value::Null)
    );
    guest.until("line-lost");

    let open = page.get("/matches").json();
    let id = open["matches"][0]["match"].as_str().unwrap();
    let wish = json!({ "match": id, "listen": at }).to_string();
    assert_eq!(page.post("/resume", wish.as_bytes()).status, 200);
    let mut lines = page.lines("/play");
    assert_eq!(lines.until("seated")["resumed"], true);
    lines.until("resumed");
    guest.until("resumed");
    assert_eq!(page.state()["number"], 2);
}

#[test]
fn a_program_behind_the_page_ends_with_it() {
    let [folder, guest] = folders();
    // While it waits for a guest, and while it plays.
    for plays in [false, true] {
        let (mut page, mut lines, invite) = hosting(folder.path(), &json!({ "game": "deck" }));
        let _guest = plays.then(|| Side::join(guest.path(), &invite, &["--auto"]));
        if plays {
            lines.until("seated");
        }
        page.program.child.kill().unwrap();
        page.program.child.wait().unwrap();
        wait_until("the folder is free again", || {
            let identity = matches::run(folder.path(), &["identity", "--json"]);
            identity.status.success()
        });
    }
}

#[test]
fn a_program_whose_file_was_replaced_goes_on_as_it_was() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let [folder, place] = folders();
    let copy = place.path().join("dealerless");
    std::fs::copy(env!("CARGO_BIN_EXE_dealerless"), &copy).unwrap();
    let mut page = Page::of_program(&copy, folder.path(), &["table", "--no-open", "--json"]);
    page.open();
    std::fs::remove_file(&copy).unwrap();
    std::fs::write(&copy, "another program").unwrap();
    assert_eq!(page.get("/identity").status, 200);
}

#[test]
fn ctrl_c_ends_page_and_program_and_the_match_stays_open() {
    let [folder, guest] = folders();
    let page = Page::start(folder.path(), &[]);
    page.program.signal("INT");
    assert_eq!(page.program.finish().1, 0);

    let (page, mut lines, invite) = hosting(folder.path(), &json!({ "game": "deck" }));
    let mut guest = Side::join(guest.path(), &invite, &[]);
    lines.until("sealed");
    page.program.signal("TERM");
    assert_eq!(page.program.finish().1, 130);
    guest.until("line-lost");
    let listed = matches::run(folder.path(), &["resume", "--list", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(listed["matches"].as_array().unwrap().len(), 1);
}

#[test]
fn a_program_that_reads_nothing_and_does_not_end_is_killed() {
    let [folder, _] = folders();
    let (page, lines, _) = hosting(folder.path(), &json!({ "game": "deck" }));
    signal(&page.behind(), "STOP");
    let long = vec![b' '; 32 << 10];
    // Some of them fit between the two processes.
    let mut refused = (0..1000).map(|_| page.command(&lines.page, &long));
    let refused = refused.find(|answer| answer.status != 204).unwrap();
    assert_eq!(refused.status, 410);
    let begun = Instant::now();
    assert_eq!(page.command(&lines.page, b"{}").status, 410);
    assert!(begun.elapsed() < Duration::from_secs(3));
    assert_eq!(page.post("/end", b"").status, 204);
    // Its user has ended it, whatever it took.
    let state = page.state();
    assert_eq!(
        (&state["running"], &state["exit_code"], &state["by_signal"]),
        (&json!(false), &json!(130), &json!(false))
    );
}

#[test]
fn the_second_ctrl_c_waits_for_nothing() {
    let [folder, _] = folders();
    let (page, _lines, _) = hosting(folder.path(), &json!({ "game": "deck" }));
    let behind = page.behind();
    signal(&behind, "STOP");
    page.program.signal("INT");
    // Nobody comes in any more, and the program behind the page is waited for.
    wait_until("it ends", || {
        let refused = |error: std::io::Error| error.kind() == ErrorKind::ConnectionRefused;
        TcpStream::connect(&page.host).is_err_and(refused)
    });
    let begun = Instant::now();
    page.program.signal("INT");
    let (_, code) = page.program.finish();
    let waited = begun.elapsed();
    signal(&behind, "KILL");
    assert_eq!(code, 130);
    // Without that it would be killed after ten seconds.
    assert!(waited < Duration::from_secs(6), "{waited:?}");
}
