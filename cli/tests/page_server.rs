//! The server of the page: what it gives to its own page, and what it refuses to everybody else.

#![cfg(feature = "browser")]

mod common;

use std::io::{BufRead, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use common::matches::file;
use common::page::Page;
use common::side::{Side, folders, of_kind};
use serde_json::{Value, json};

/// All that needs no secret.
fn assets() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("web");
    let names = std::fs::read_dir(folder).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    // These are for who checks the types.
    let of_types = ["tsconfig.json", "protocol.js", "types.js"];
    let served = names.filter(|name| !of_types.contains(&name.as_str()));
    served
        .map(|name| format!("/{}", name.replace("index.html", "")))
        .collect()
}

/// What needs cookie and key, and what is sent there.
const CLOSED: [(&str, &str); 17] = [
    ("GET", "/state"),
    ("GET", "/identity"),
    ("GET", "/peers"),
    ("GET", "/matches"),
    ("GET", "/history"),
    ("GET", "/show?match=00"),
    ("GET", "/play"),
    ("GET", "/play?take"),
    ("GET", "/watch"),
    ("POST", "/verify?lengths=1"),
    ("POST", "/qr"),
    ("POST", "/host"),
    ("POST", "/join"),
    ("POST", "/resume"),
    ("POST", "/command"),
    ("POST", "/end"),
    ("GET", "/nothing"),
];

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Sends a signal by its name to a process.
fn signal(process: &str, name: &str) {
    let sent = std::process::Command::new("kill")
        .args(["-s", name, process])
        .status();
    assert!(sent.unwrap().success());
}

/// A page that hosts, and its invite.
fn hosting(folder: &Path, stakes: &Value) -> (Page, common::page::Lines, String) {
    let page = Page::start(folder, &["--name", "Anna"]);
    let mut wish = json!({ "listen": "127.0.0.1:0" });
    wish.as_object_mut()
        .unwrap()
        .extend(stakes.as_object().unwrap().clone());
    let started = page.post("/host", wish.to_string().as_bytes());
    assert_eq!(started.status, 200, "{started:?}");
    let mut lines = page.lines("/play");
    let invite = lines.until("invite")["invite"].as_str().unwrap().to_owned();
    (page, lines, invite)
}

#[test]
fn the_page_is_small_and_whatever_is_answered_keeps_other_pages_out() {
    let [folder, _] = folders();
    let page = Page::start(folder.path(), &[]);
    let mut all = 0;
    for path in assets() {
        let answer = page.request("GET", &path, &[("host", page.host.clone())], b"");
        assert_eq!(answer.status, 200, "{path}");
        assert!(!answer.body.is_empty(), "{path}");
        all += answer.body.len();
    }
    assert!(all < 200_000, "{all} bytes");
    let of_another_page = [
        &page.origin()[..1],
        &[("sec-fetch-site", "cross-site".into())],
    ]
    .concat();
    let answers = [
        page.get("/"),
        page.get("/state"),
        page.get("/nothing"),
        page.request("GET", "/", &[("host", "evil.example".into())], b""),
        page.request("DELETE", "/state", &page.own(), b""),
        page.request("GET", "/", &of_another_page, b""),
        page.request("GET", "/main.js", &of_another_page, b""),
    ];
    assert_eq!(
        answers.each_ref().map(|answer| answer.status),
        [200, 200, 404, 403, 405, 403, 403]
    );
    for answer in answers {
        let policy = answer.header("content-security-policy").unwrap();
        for rule in [
            "default-src 'none'",
            "script-src 'self'",
            "frame-ancestors 'none'",
            "form-action 'none'",
            "base-uri 'none'",
            "require-trusted-types-for 'script'",
        ] {
            assert!(policy.contains(rule), "{policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        for (name, value) in [
            ("x-frame-options", "DENY"),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cache-control", "no-store"),
        ] {
            assert_eq!(answer.header(name), Some(value));
        }
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
}

#[test]
fn nothing_is_said_under_another_name_of_this_machine() {
    let [folder, _] = folders();
    let page = Page::start(folder.path(), &[]);
    let port = page.host.split_once(':').unwrap().1;
    let paths = CLOSED
        .iter()
        .copied()
        .chain([("GET", "/"), ("POST", "/session")]);
    for (method, path) in paths {
        for host in [
            format!("evil.example:{port}"),
            format!("localhost:{port}"),
            String::new(),
        ] {
            let mut headers = page.own();
            headers[0].1 = host;
            let answer = page.request(method, path, &headers, b"");
            assert_eq!(answer.status, 403, "{method} {path}");
            let own = "this page is served under its own address alone";
            assert_eq!(answer.refused().1, own);
        }
    }
    let both = [&page.own()[..], &[("host", "evil.example".into())]].concat();
    assert!([400, 403].contains(&page.request("GET", "/state", &both, b"").status));
}

#[test]
fn nobody_gets_anything_without_cookie_and_key_or_from_another_page() {
    let [folder, _] = folders();
    let page = Page::start(folder.path(), &[]);
    for (method, path) in CLOSED {
        let without = |name: &str| {
            let mut headers = page.own();
            headers.retain(|(header, _)| *header != name);
            page.request(method, path, &headers, b"").refused()
        };
        for missing in ["cookie", "dealerless-key"] {
            let (status, why) = without(missing);
            assert_eq!(status, 403, "{method} {path}");
            assert!(why.contains("not let in"), "{why}");
        }
        let other = "this was sent by another page";
        if method == "POST" {
            assert_eq!(without("origin"), (403, other.into()), "{path}");
        }
        for (name, value) in [
            ("origin", "http://evil.example"),
            ("origin", "null"),
            ("origin", "http://127.0.0.1:1"),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
        ] {
            let mut headers = page.own();
            headers.retain(|(header, _)| *header != name);
            headers.push((name, value.into()));
            let refused = page.request(method, path, &headers, b"").refused();
            assert_eq!(refused, (403, other.into()), "{path} {name} {value}");
        }
    }
    // None of that did anything.
    assert_eq!(page.state(), Value::Null);
    // Other servers on this machine may have set as many cookies as a browser keeps.
    let mut headers = page.own();
    headers[2].1 = format!("other={}; {}", "x".repeat(60 << 10), headers[2].1);
    assert_eq!(page.request("GET", "/state", &headers, b"").status, 200);
}

#[test]
fn an_address_is_used_once_and_from_the_page_itself() {
    let [folder, _] = folders();
    let mut page = Page::closed(folder.path(), &[]);
    let (token, host) = (page.token.clone(), page.host.clone());
    let tried = |headers: &[(&str, String)], token: &str| {
        page.request("POST", "/session", headers, token.as_bytes())
            .refused()
            .0
    };
    // What another page sends does not use it up, and what is guessed gets nothing.
    let other = [("host", host), ("origin", "http://evil.example".into())];
    assert_eq!(tried(&other, &token), 403);
    assert_eq!(tried(&page.origin(), ""), 403);
    assert_eq!(tried(&page.origin(), &"0".repeat(32)), 403);
    assert_eq!(tried(&page.origin(), &token.repeat(1000)), 413);
    page.open();
    let again = page.request("POST", "/session", &page.origin(), token.as_bytes());
    let (status, why) = again.refused();
    assert_eq!(status, 410);
    assert!(why.contains("was used before"), "{why}");
    // The first one stays.
    assert_eq!(page.get("/state").status, 200);
}

#[test]
fn one_page_plays_and_others_watch() {
    let [folder, _] = folders();
    let (page, mut first, invite) = hosting(folder.path(), &json!({ "game": "holdem" }));
    assert_eq!(page.state()["played"], true);
    assert_eq!(
        page.get("/play").refused(),
        (409, "another page plays".into())
    );
    first.until("listening");
    let mut watchers: Vec<_> = (0..3).map(|_| page.lines("/watch")).collect();
    for watcher in &mut watchers {
        assert_eq!(watcher.until("invite")["invite"], invite.as_str());
        let refused = page.command(&watcher.page, br#"{"do":"leave"}"#);
        assert_eq!(refused.refused(), (409, "this page does not play".into()));
    }
    assert_eq!(page.status("/watch"), 429);
    drop(watchers.pop());
    wait_until("a place is free", || page.status("/watch") == 200);

    let mut second = page.lines("/play?take");
    assert_eq!(second.until("invite")["invite"], invite.as_str());
    let rest = first.rest();
    assert!(
        rest.iter().all(|event| event["event"] == "notice"),
        "{rest:?}"
    );
    let page_of_first = (second.page.parse::<u64>().unwrap() - 6).to_string();
    assert_eq!(page.command(&page_of_first, b"{}").status, 409);
    assert_eq!(page.command(&second.page, b"{}").status, 204);
    // A page that is gone plays no more.
    drop(second);
    wait_until("the seat is free", || page.state()["played"] == false);
    drop(page.lines("/play"));

    // While the program runs the folder is its own, and no other is started.
    for path in [
        "/identity",
        "/peers",
        "/matches",
        "/history",
        "/show?match=00",
    ] {
        assert_eq!(page.get(path).status, 409, "{path}");
    }
    assert_eq!(page.post("/host", br#"{"game":"deck"}"#).status, 409);
    assert_eq!(page.post("/end", b"").status, 204);
    assert_eq!(page.state()["running"], false);
    assert_eq!(page.get("/identity").status, 200);
}

#[test]
fn what_is_too_long_or_makes_no_sense_is_refused_and_the_match_goes_on() {
    let [folder, guest] = folders();
    let stakes = json!({ "game": "holdem", "hands": 1, "stack": 50, "blinds": "1/2" });
    let (page, mut lines, invite) = hosting(folder.path(), &stakes);
    let guest = Side::join(guest.path(), &invite, &["--auto"]);
    lines.until("your-turn");
    let ten_megabytes = vec![b' '; 10 << 20];
    assert_eq!(page.command(&lines.page, &ten_megabytes).status, 413);
    for two_lines in ["{}\n{\"do\":\"leave\"}", "{}\r{\"do\":\"leave\"}"] {
        assert_eq!(page.command(&lines.page, two_lines.as_bytes()).status, 400);
    }
    for page_number in ["", "x", "-1", "99999999999999999999999"] {
        assert_eq!(
            page.command(page_number, b"{}").status,
            400,
            "{page_number}"
        );
    }
    for (path, body) in [
        ("/host", "{"),
        ("/host", r#"{"game":"holdem","auto":true}"#),
        ("/join", "[]"),
        ("/verify", "x"),
        ("/verify?lengths=2", "x"),
        ("/verify?lengths=18446744073709551615,2", "x"),
        ("/verify?lengths=0,0,1", "x"),
        ("/qr", "\u{0}\u{1}"),
    ] {
        let status = page.post(path, body.as_bytes()).status;
        assert_eq!(
            status,
            if path == "/qr" { 200 } else { 400 },
            "{path} {body}"
        );
    }
    assert_eq!(page.post("/qr", &[0xff]).status, 400);
    assert_eq!(page.post("/qr", &[b'x'; 513]).status, 413);
    assert_eq!(page.post("/host", &vec![b'x'; 9000]).status, 413);
    // What no command is the program says itself.
    assert_eq!(page.command(&lines.page, &[0xff, 0xfe]).status, 204);
    assert_eq!(lines.until("error")["code"], "no-command");
    assert_eq!(page.command(&lines.page, br#"{"do":"leave"}"#).status, 204);
    assert_eq!(lines.until("over")["how"], "left");
    assert_eq!(guest.finish().1, 0);
}

#[test]
fn a_page_and_a_terminal_play_a_match_and_the_page_reads_its_record() {
    let [folder, guest] = folders();
    let stakes = json!({ "game": "holdem", "hands": 2, "stack": 50, "blinds": "1/2" });
    let (page, mut lines, invite) = hosting(folder.path(), &stakes);
    let guest_side = Side::join(guest.path(), &invite, &["--auto"]);
    let mut results = Vec::new();
    loop {
        let event = lines.event().unwrap();
        let answer = match event["event"].as_str().unwrap() {
            "over" => break,
            "result" => {
                results.push(event);
                continue;
            }
            "your-turn" => &event,
            _ => continue,
        };
        let said = match (answer["ask"].as_str().unwrap(), &answer["call"]) {
            ("bet", Value::Null) => "check",
            ("bet", _) => "call",
            _ => "show",
        };
        let said = json!({ "do": said, "turn": answer["turn"] });
        let sent = page.command(&lines.page, said.to_string().as_bytes());
        assert_eq!(sent.status, 204);
    }
    assert!(lines.rest().iter().all(|event| event["event"] == "notice"));
    let (by_guest, code) = guest_side.finish();
    assert_eq!((of_kind(&by_guest, "result"), code), (results, 0));
    wait_until("it has ended", || page.state()["running"] == false);
    assert_eq!(page.state()["exit_code"], 0);
    // Who comes later reads all of it.
    let again = page.lines("/play").rest();
    assert_eq!(
        (&again[0]["event"], of_kind(&again, "over").len()),
        (&json!("invite"), 1)
    );

    let listed = page.get("/history").json();
    assert_eq!(listed["matches"][0]["state"], "over");
    assert_eq!(page.get("/matches").json()["matches"], json!([]));
    assert_eq!(page.get("/peers").json()["peers"][0]["name"], "Bert");
    // The id is that which the events have told.
    let id = again
        .iter()
        .find_map(|event| event["match"].as_str())
        .unwrap();
    assert!(id.starts_with(listed["matches"][0]["match"].as_str().unwrap()));
    let shown = page.get(&format!("/show?match={id}")).json();
    assert_eq!(shown["show"]["hands"].as_array().unwrap().len(), 2);
    assert!(
        shown["text"]
            .as_str()
            .unwrap()
            .starts_with("PokerStars Hand"),
        "{shown}"
    );
    let other = format!("{}x", &id[..63]);
    for id in ["0000", &other, &id[..40]] {
        assert_eq!(page.get(&format!("/show?match={id}")).status, 500, "{id}");
    }

    let read = |home: &Path| std::fs::read(file(home, "log").unwrap()).unwrap();
    let [own, theirs] = [read(folder.path()), read(guest.path())];
    let lengths = format!("/verify?lengths={},{}", own.len(), theirs.len());
    let good = page.post(&lengths, &[&own[..], &theirs].concat()).json();
    assert_eq!(
        (&good["exit_code"], &good["verify"]["good"]),
        (&json!(0), &json!(true))
    );
    assert_eq!(good["verify"]["compared"]["how"], "together");
    assert!(
        good["text"]
            .as_str()
            .unwrap()
            .contains("Every signature is good"),
        "{good}"
    );
    assert!(good["shown"][1].is_string());
    // Whose cards nobody has seen are not shown, also not one's own.
    let dealt = |text: &Value| text.as_str().unwrap().contains("Dealt to");
    assert!(!dealt(&good["shown"][0]) || dealt(&good["shown"][1]));
    let mut flipped = own.clone();
    flipped[own.len() / 2] ^= 1;
    let bad = page
        .post(&format!("/verify?lengths={}", flipped.len()), &flipped)
        .json();
    assert_eq!(
        (&bad["exit_code"], &bad["verify"]["good"]),
        (&json!(4), &json!(false))
    );
    assert_eq!(bad["shown"][0], Value::Null);
    assert!(
        bad["verify"]["records"][0]["error"]["message"].is_string(),
        "{bad}"
    );
}

#[test]
fn a_program_that_was_killed_is_told_as_that_and_the_match_is_resumed() {
    let [folder, guest] = folders();
    let at = common::matches::free_address();
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
            let identity = common::matches::run(folder.path(), &["identity", "--json"]);
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
    let listed = common::matches::run(folder.path(), &["resume", "--list", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(listed["matches"].as_array().unwrap().len(), 1);
}

#[test]
fn who_connects_and_says_nothing_keeps_nobody_out() {
    let [folder, _] = folders();
    let (page, mut lines, _) = hosting(folder.path(), &json!({ "game": "deck" }));
    lines.until("listening");
    let mut oldest = page.connect();
    oldest.write_all(b"GET / HTTP/1.1\r\nhost: 127").unwrap();
    let begun = Instant::now();
    let idle: Vec<_> = (0..300).map(|_| page.connect()).collect();
    // Others come in at once, and who was let in stays.
    assert_eq!(page.request("GET", "/", &page.origin(), b"").status, 200);
    assert_eq!(page.state()["played"], true);
    assert_eq!(page.command(&lines.page, b"{}").status, 204);
    // The oldest has made room, and has not waited for its deadline.
    let _ = oldest.read_to_end(&mut Vec::new());
    assert!(begun.elapsed() < Duration::from_secs(5));
    drop(idle);
    let begun = Instant::now();
    let mut long = page.connect();
    // It is refused before it has an end.
    let _ = long.write_all(&[&b"GET / HTTP/1.1\r\na: "[..], &vec![b'a'; 1 << 21]].concat());
    let mut answer = Vec::new();
    let _ = long.read_to_end(&mut answer);
    assert!(answer.len() < 1000, "{}", answer.len());
    assert!(begun.elapsed() < Duration::from_secs(5));
    let mut slow = page.connect();
    slow.write_all(b"GET / HTTP/1.1\r\nhost: 127").unwrap();
    let mut silent = page.connect();
    let _ = silent.read_to_end(&mut Vec::new());
    let _ = slow.read_to_end(&mut Vec::new());
    assert!(begun.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_match_of_the_command_line_is_played_on_the_page() {
    let [folder, guest] = folders();
    let args = [
        "host",
        "--browser",
        "--no-open",
        "--game",
        "deck",
        "--hands",
        "1",
    ];
    let args = [&args[..], &["--listen", "127.0.0.1:0", "--name", "Anna"]].concat();
    let mut host = std::process::Command::new(env!("CARGO_BIN_EXE_dealerless"))
        .args(args)
        .env("DEALERLESS_HOME", folder.path())
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let said = std::io::BufReader::new(host.stdout.take().unwrap());
    let mut said = said.lines().map(Result::unwrap);
    let address = said.find(|line| line.starts_with("http://")).unwrap();
    let (at, token) = address
        .strip_prefix("http://")
        .unwrap()
        .split_once("/#")
        .unwrap();
    let [elsewhere, _] = folders();
    let mut page = Page::closed(elsewhere.path(), &[]);
    (page.host, page.token) = (at.into(), token.into());
    page.open();
    assert_eq!(page.state()["command"], "host");
    let mut lines = page.lines("/play");
    let invite = lines.until("invite")["invite"].as_str().unwrap().to_owned();
    let guest = Side::join(guest.path(), &invite, &["--auto"]);
    assert_eq!(lines.until("seated")["names"], json!(["Anna", "Bert"]));
    lines.until("your-turn");
    let leave = page.command(&lines.page, br#"{"do":"leave"}"#);
    assert_eq!(leave.status, 204);
    assert_eq!(lines.until("over")["how"], "left");
    assert_eq!(guest.finish().1, 0);
    host.kill().unwrap();
    host.wait().unwrap();
}

#[test]
fn the_page_is_of_the_folder_and_the_identity_that_the_program_was_given() {
    let [unused, folder] = folders();
    let home = folder.path().join("home");
    let identity = folder.path().join("keys");
    let own = ["--home", home.to_str().unwrap()];
    let own = [&own[..], &["--identity", identity.to_str().unwrap()]].concat();
    let page = Page::start(unused.path(), &own);
    let wish = json!({ "game": "deck", "listen": "127.0.0.1:0" }).to_string();
    assert_eq!(page.post("/host", wish.as_bytes()).status, 200);
    page.lines("/play").until("listening");
    assert_eq!(page.post("/end", b"").status, 204);
    assert_eq!(page.get("/show?match=00").status, 500);
    let file = page.get("/identity").json()["file"].clone();
    assert_eq!(file, identity.to_str().unwrap());
    assert_eq!(page.get("/matches").status, 200);
    assert!(home.join("matches").is_dir());
    assert!(!home.join("identity").exists());
    assert_eq!(std::fs::read_dir(unused.path()).unwrap().count(), 0);
}

#[test]
fn what_a_page_asks_for_is_the_id_of_a_match_and_no_option() {
    let [folder, _] = folders();
    let page = Page::start(folder.path(), &[]);
    for id in ["", "zz", "--help", "--list", "..%2f"] {
        let (status, why) = page.get(&format!("/show?match={id}")).refused();
        let no_id = "this is not the id of a match";
        assert_eq!((status, why.as_str()), (500, no_id), "{id}");
    }
    let too_many = vec![0; (32 << 20) + 1];
    let lengths = format!("/verify?lengths={}", too_many.len());
    assert_eq!(page.post(&lengths, &too_many).status, 413);
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

#[test]
fn what_cannot_be_played_the_program_says_and_a_port_is_one_pages() {
    let [folder, other] = folders();
    let page = Page::start(folder.path(), &[]);
    assert_eq!(page.status("/play"), 404);
    for wish in [r#"{"game":"chess"}"#, r#"{"game":"draw","cards":40}"#] {
        assert_eq!(page.post("/host", wish.as_bytes()).status, 200);
        let said = page.lines("/play").rest();
        let [error] = &said[..] else {
            panic!("{said:?}");
        };
        assert_eq!(
            (&error["event"], &error["exit_code"]),
            (&json!("error"), &json!(1))
        );
        wait_until("it has ended", || page.state()["running"] == false);
        let state = page.state();
        assert_eq!(
            (&state["exit_code"], &state["by_signal"]),
            (&json!(1), &json!(false))
        );
    }
    let port = page.host.split_once(':').unwrap().1;
    let taken = ["table", "--no-open", "--port", port];
    let taken = common::matches::run(other.path(), &taken);
    let why = String::from_utf8(taken.stderr).unwrap();
    assert_eq!(taken.status.code(), Some(1), "{why}");
    let expected = format!("cannot serve the page at port {port}");
    assert!(why.contains(&expected), "{why}");
}
