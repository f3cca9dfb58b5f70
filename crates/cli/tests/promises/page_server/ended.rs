//! The program behind the page ends: on its own, or ended by the page, the user or the system.

use std::io::ErrorKind;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{hosting, signal, wait_until};
use crate::common::matches;
use crate::common::page::Page;
use crate::common::processes::free_address;
use crate::common::side::{Side, folders, of_kind};

#[test]
fn killed_program_is_reported_and_its_match_is_resumed() {
    let [folder, guest] = folders();
    let at = free_address();
    let stakes = json!({ "game": "deck", "hands": 1, "draw": 4, "listen": at });
    let (page, mut lines, invite) = hosting(folder.path(), &stakes);
    let mut guest = Side::join(guest.path(), &invite, &[]);
    lines.until("sealed");
    signal(&page.behind(), "KILL");
    assert!(of_kind(&lines.rest(), "over").is_empty());
    wait_until("the program is reported as ended", || {
        page.state()["running"] == false
    });
    let state = page.state();
    assert_eq!(
        (&state["by_signal"], &state["exit_code"]),
        (&json!(true), &Value::Null)
    );
    guest.until("line-lost");

    let open = page.get("/matches").json();
    let id = open["matches"][0]["match"].as_str().unwrap();
    let body = json!({ "match": id, "listen": at }).to_string();
    assert_eq!(page.post("/resume", body.as_bytes()).status, 200);
    let mut lines = page.lines("/play");
    assert_eq!(lines.until("seated")["resumed"], true);
    lines.until("resumed");
    guest.until("resumed");
    assert_eq!(page.state()["number"], 2);
}

#[test]
fn program_ends_with_the_server_of_its_page() {
    let [folder, guest] = folders();
    // The server is killed while the program waits for a guest, and again while it plays.
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
fn replaced_executable_does_not_affect_a_running_program() {
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
fn ctrl_c_ends_page_and_program_but_not_the_match() {
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
fn hanging_program_is_killed() {
    let [folder, _] = folders();
    let (page, lines, _) = hosting(folder.path(), &json!({ "game": "deck" }));
    signal(&page.behind(), "STOP");
    let long = vec![b' '; 32 << 10];
    // The pipe from the server to the program holds some commands before one is refused.
    let mut refused = (0..1000).map(|_| page.command(&lines.page, &long));
    let refused = refused.find(|answer| answer.status != 204).unwrap();
    assert_eq!(refused.status, 410);
    let begun = Instant::now();
    assert_eq!(page.command(&lines.page, b"{}").status, 410);
    // A program gets five seconds to read a command.
    assert!(begun.elapsed() < Duration::from_secs(4));
    assert_eq!(page.post("/end", b"").status, 204);
    // The page reports that the user ended the program, although the server killed it.
    let state = page.state();
    assert_eq!(
        (&state["running"], &state["exit_code"], &state["by_signal"]),
        (&json!(false), &json!(130), &json!(false))
    );
}

#[test]
fn second_ctrl_c_ends_the_server_at_once() {
    let [folder, _] = folders();
    let (page, _lines, _) = hosting(folder.path(), &json!({ "game": "deck" }));
    let behind = page.behind();
    signal(&behind, "STOP");
    page.program.signal("INT");
    // The server accepts no connections any more, and waits for the program behind the page.
    wait_until("the server stops listening", || {
        let refused = |error: std::io::Error| error.kind() == ErrorKind::ConnectionRefused;
        TcpStream::connect(&page.host).is_err_and(refused)
    });
    let begun = Instant::now();
    page.program.signal("INT");
    let (_, code) = page.program.finish();
    let waited = begun.elapsed();
    signal(&behind, "KILL");
    assert_eq!(code, 130);
    // Without the second signal the program would be killed after ten seconds.
    assert!(waited < Duration::from_secs(9), "{waited:?}");
}
