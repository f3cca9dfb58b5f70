//! A page plays a match, and reads the output of commands about it.

use std::io::BufRead;
use std::path::Path;

use dealerless_connection::identity::Home;
use dealerless_connection::system_rng;
use dealerless_seat::records::{answers, show};
use serde_json::{Value, json};

use super::{hosting, wait_until};
use crate::common::matches::{self, file};
use crate::common::page::{Lines, Page, PendingRequest};
use crate::common::side::{Side, folders, of_kind};

#[test]
fn settings_are_kept_in_the_folder_also_while_a_match_is_played() {
    let [folder, _] = folders();
    let kept = |page: &Page| page.get("/settings").json();
    let (page, _lines, _) = hosting(folder.path(), &json!({ "game": "deck" }));
    assert_eq!(kept(&page), json!({}));
    let settings = json!({ "theme": "dark", "sound": true });
    let terms = json!({ "host-game": "deck" });
    for new in [json!({ "settings": settings }), json!({ "terms": terms })] {
        let answer = page.post("/settings", new.to_string().as_bytes());
        assert_eq!(answer.status, 204, "{answer:?}");
    }
    assert_eq!(page.post("/end", b"").status, 204);
    let page = Page::start(folder.path(), &[]);
    let all = json!({ "settings": settings, "terms": terms });
    assert_eq!(kept(&page), all);
    for (new, status) in [
        (r#"{"name":"Bert"}"#.to_owned(), 400),
        (r#"{"settings":1}"#.into(), 400),
        (
            format!(r#"{{"terms":{{"a":"{}"}}}}"#, "b".repeat(9000)),
            413,
        ),
    ] {
        assert_eq!(page.post("/settings", new.as_bytes()).status, status);
    }
    assert_eq!(kept(&page), all);
    // The page changes nothing else.
    let named = matches::run(folder.path(), &["config", "name", "Zoe"]);
    assert!(named.status.success());
    assert_eq!(page.post("/settings", br#"{"terms":{}}"#).status, 204);
    let text = std::fs::read_to_string(folder.path().join("settings.json")).unwrap();
    let stored: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(stored["name"], "Zoe");
    assert_eq!(
        stored["table"],
        json!({ "settings": settings, "terms": {} })
    );
}

/// Other users of the machine can list arguments.
#[cfg(target_os = "linux")]
#[test]
fn invite_is_in_the_arguments_of_no_process() {
    let ([anna, bert], [carla, _]) = (folders(), folders());
    let (_host, mut lines, invite) = hosting(anna.path(), &json!({ "game": "deck" }));
    lines.until("listening");
    let page = Page::start(bert.path(), &["--name", "Bert"]);
    let join = json!({ "whom": invite });
    assert_eq!(page.post("/join", join.to_string().as_bytes()).status, 200);
    page.lines("/play").until("ask-sit");
    let mut terminal = Side::start(carla.path(), &["join", "-", "--json"]);
    // The arguments and the environment of each process.
    let processes = || -> Vec<[String; 2]> {
        let all = std::fs::read_dir("/proc").unwrap();
        let of = |process: std::io::Result<std::fs::DirEntry>| {
            let path = process.unwrap().path();
            let [args, environment] =
                ["cmdline", "environ"].map(|name| std::fs::read(path.join(name)).ok());
            let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
            Some([text(args?), text(environment.unwrap_or_default())])
        };
        all.filter_map(of).collect()
    };
    // The page's program waits for its player, and the one at the terminal for its invite. A program that was
    // just started may not show its arguments yet.
    let homes = [&bert, &carla].map(|home| home.path().to_str().unwrap());
    let is_join = |[args, environment]: &&[String; 2]| {
        let is_here = homes.iter().any(|home| environment.contains(home));
        is_here && args.contains("\0join\0") && args.contains("\0-\0")
    };
    wait_until("both programs are shown", || {
        processes().iter().filter(is_join).count() == 2
    });
    let all = processes();
    terminal.type_line(&invite);
    terminal.until("hello");
    let both = [all, processes()].concat();
    assert!(both.iter().all(|[args, _]| !args.contains(&invite)));
}

#[test]
fn one_page_plays_and_others_watch() {
    let [folder, _] = folders();
    let (page, mut first, invite) = hosting(folder.path(), &json!({ "game": "holdem" }));
    assert_eq!(page.state()["played"], true);
    assert_eq!(
        page.get("/play").refused(),
        (409, "another page is playing".into())
    );
    first.until("listening");
    let mut watchers: Vec<_> = (0..3).map(|_| page.lines("/watch")).collect();
    for watcher in &mut watchers {
        assert_eq!(watcher.until("invite")["invite"], invite.as_str());
        let refused = page.command(&watcher.page, br#"{"do":"leave"}"#);
        assert_eq!(refused.refused(), (409, "this page is not playing".into()));
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
    // A closed page frees the seat.
    drop(second);
    wait_until("the seat is free", || page.state()["played"] == false);
    drop(page.lines("/play"));

    // A running program locks the folder, so other commands are refused after a wait.
    let waiting = FOLDER.map(|path| page.ask(path));
    assert_eq!(page.post("/host", br#"{"game":"deck"}"#).status, 409);
    assert_eq!(waiting.map(PendingRequest::status), [409; 4]);
    assert_eq!(page.get("/show?match=00").status, 409);
    assert_eq!(page.post("/end", b"").status, 204);
    assert_eq!(page.state()["running"], false);
    assert_eq!(page.get("/identity").status, 200);
}

/// The requests of the lobby.
const FOLDER: [&str; 4] = ["/identity", "/peers", "/matches", "/history"];

#[test]
fn commands_wait_for_the_folder() {
    let [folder, _] = folders();
    let page = Page::start(folder.path(), &[]);
    let both = [FOLDER, FOLDER].concat();
    let waiting: Vec<_> = both.iter().map(|path| page.ask(path)).collect();
    for (path, request) in both.iter().zip(waiting) {
        assert_eq!(request.status(), 200, "{path}");
    }
    // The program can lock the folder in spite of the lobby's requests: the server answers them
    // before the program starts, or refuses them.
    let waiting = FOLDER.map(|path| page.ask(path));
    let body = json!({ "game": "deck", "listen": "127.0.0.1:0" }).to_string();
    assert_eq!(page.post("/host", body.as_bytes()).status, 200);
    page.lines("/play").until("invite");
    for status in waiting.map(PendingRequest::status) {
        assert!([200, 409].contains(&status), "{status}");
    }
    let lobby = page.ask("/history");
    assert_eq!(page.post("/end", b"").status, 204);
    assert_eq!(lobby.status(), 200);
}

#[test]
fn name_comes_from_the_page_or_the_command_line() {
    for (sent, expected) in [(Some("Zoe"), "Zoe"), (None, "Anna")] {
        let [folder, guest] = folders();
        let stakes = match sent {
            Some(name) => json!({ "game": "deck", "name": name }),
            None => json!({ "game": "deck" }),
        };
        let (page, mut lines, invite) = hosting(folder.path(), &stakes);
        let _guest = Side::join(guest.path(), &invite, &[]);
        assert_eq!(lines.until("seated")["names"][0], expected);
        assert_eq!(page.post("/end", b"").status, 204);
        assert_eq!(page.get("/identity").json()["player"], "Anna");
    }
}

#[test]
fn rematch_needs_no_invite() {
    let [folder, guest] = folders();
    let stakes = json!({ "game": "deck", "hands": 1, "cards": 3, "draw": 1 });
    let (page, mut lines, invite) = hosting(folder.path(), &stakes);
    let listening = lines.until("listening");
    let guest_page = Page::start(guest.path(), &["--name", "Bert"]);
    let body = json!({ "whom": invite }).to_string();
    assert_eq!(guest_page.post("/join", body.as_bytes()).status, 200);
    let mut theirs = guest_page.lines("/play");
    let terms = theirs.until("ask-sit");
    let sit = |lines: &Lines| guest_page.command(&lines.page, br#"{"do":"sit","agree":true}"#);
    assert_eq!(sit(&theirs).status, 204);
    let keys = theirs.until("seated")["fingerprints"].clone();
    lines.until("your-turn");
    let leave = page.command(&lines.page, br#"{"do":"leave"}"#);
    assert_eq!(leave.status, 204);
    theirs.until("over");
    theirs.rest();
    lines.rest();

    let host = json!({
        "game": "deck", "hands": 1, "cards": 3, "draw": 1, "time": "none",
        "for": keys[1], "listen": listening["addresses"][0],
    });
    let join = json!({ "whom": keys[0] }).to_string();
    assert_eq!(guest_page.post("/join", join.as_bytes()).status, 200);
    // The host does not listen yet.
    assert_eq!(
        guest_page.lines("/play").rest().last().unwrap()["exit_code"],
        3
    );
    assert_eq!(page.post("/host", host.to_string().as_bytes()).status, 200);
    let mut lines = page.lines("/play");
    lines.until("listening");
    assert_eq!(guest_page.post("/join", join.as_bytes()).status, 200);
    let mut theirs = guest_page.lines("/play");
    let again = theirs.until("ask-sit");
    for term in ["game", "hands", "cards", "drawn", "clock"] {
        assert_eq!(again[term], terms[term]);
    }
    assert_eq!(sit(&theirs).status, 204);
    // The host gets no question.
    while let event = lines.event().unwrap()
        && event["event"] != "seated"
    {
        assert_eq!(event["event"], "notice");
    }
}

#[test]
fn oversized_and_invalid_requests_are_refused() {
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
    // The program itself reports an invalid command.
    assert_eq!(page.command(&lines.page, &[0xff, 0xfe]).status, 204);
    assert_eq!(lines.until("error")["code"], "no-command");
    assert_eq!(page.command(&lines.page, br#"{"do":"leave"}"#).status, 204);
    assert_eq!(lines.until("over")["how"], "left");
    assert_eq!(guest.finish().1, 0);
}

#[test]
fn page_plays_with_a_terminal_and_verifies_the_record() {
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
        let choice = match (answer["ask"].as_str().unwrap(), &answer["call"]) {
            ("bet", Value::Null) => "check",
            ("bet", _) => "call",
            _ => "show",
        };
        let command = json!({ "do": choice, "turn": answer["turn"] });
        let sent = page.command(&lines.page, command.to_string().as_bytes());
        assert_eq!(sent.status, 204);
    }
    assert!(lines.rest().iter().all(|event| event["event"] == "notice"));
    let (by_guest, code) = guest_side.finish();
    let results = of_kind(&results, "result");
    assert_eq!((of_kind(&by_guest, "result"), code), (results, 0));
    wait_until("the program has ended", || page.state()["running"] == false);
    assert_eq!(page.state()["exit_code"], 0);
    // A later reader receives all events.
    let again = page.lines("/play").rest();
    assert_eq!(
        (&again[0]["event"], of_kind(&again, "over").len()),
        (&json!("invite"), 1)
    );

    let listed = page.get("/history").json();
    assert_eq!(listed["matches"][0]["state"], "over");
    assert_eq!(page.get("/matches").json()["matches"], json!([]));
    assert_eq!(page.get("/peers").json()["peers"][0]["name"], "Bert");
    // The listed id is the id in the events.
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
            .contains("Every signature is valid"),
        "{good}"
    );
    assert!(good["shown"][1].is_string());
    // Cards that were not opened to all are not shown, not even the host's
    // own cards.
    let dealt = |text: &Value| text.as_str().unwrap().contains("Dealt to");
    assert!(!dealt(&good["shown"][0]) || dealt(&good["shown"][1]));
    let flipped = with_a_flipped_signature(&own);
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

    let home = Home::open(folder.path(), None, &mut system_rng()).unwrap();
    let record = show::read(&own, Some(home.identity())).unwrap();
    for (native, from_bytes) in [
        (shown, answers::shown(&record, None)),
        (good, answers::verified(&[&own, &theirs], None)),
        (bad, answers::verified(&[&flipped], None)),
    ] {
        assert_eq!(plain(native), plain(from_bytes));
    }
}

/// An answer without the dates of hands, and without the head of the output of a command.
fn plain(mut answer: Value) -> Value {
    for command in ["show", "verify"] {
        if let Some(Value::Object(object)) = answer.get_mut(command) {
            object.remove("version");
            object.remove("command");
        }
    }
    let undated = |line: &str| match line.split_once(" - ") {
        Some((hand, _)) if line.starts_with("PokerStars Hand") => hand.to_owned(),
        _ => line.to_owned(),
    };
    let undate = |text: &mut Value| {
        if let Value::String(text) = text {
            *text = text.lines().map(undated).collect::<Vec<_>>().join("\n");
        }
    };
    undate(&mut answer["text"]);
    if let Some(Value::Array(shown)) = answer.get_mut("shown") {
        shown.iter_mut().for_each(undate);
    }
    answer
}

/// A record with one flipped bit in the signature of its first part (docs/records.md, "The file").
fn with_a_flipped_signature(record: &[u8]) -> Vec<u8> {
    const PART: u8 = 1;
    let mut changed = record.to_vec();
    let mut content = 20;
    while record[content] != PART {
        let length = u32::from_le_bytes(record[content - 20..content - 16].try_into().unwrap());
        content += length as usize + 32 + 20;
    }
    changed[content + 10] ^= 1;
    changed
}

#[test]
fn match_from_the_command_line_is_played_on_the_page() {
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
    let output = std::io::BufReader::new(host.stdout.take().unwrap());
    let mut output = output.lines().map(Result::unwrap);
    let address = output.find(|line| line.starts_with("http://")).unwrap();
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
fn page_uses_the_given_folder_and_identity() {
    let [unused, folder] = folders();
    let home = folder.path().join("home");
    let identity = folder.path().join("keys");
    let own = ["--home", home.to_str().unwrap()];
    let own = [&own[..], &["--identity", identity.to_str().unwrap()]].concat();
    let page = Page::start(unused.path(), &own);
    let body = json!({ "game": "deck", "listen": "127.0.0.1:0" }).to_string();
    assert_eq!(page.post("/host", body.as_bytes()).status, 200);
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
fn show_takes_a_match_id_and_no_option() {
    let [folder, _] = folders();
    let page = Page::start(folder.path(), &[]);
    for id in ["", "zz", "--help", "--list", "..%2f"] {
        let (status, why) = page.get(&format!("/show?match={id}")).refused();
        let expected = "this is not the id of a match";
        assert_eq!((status, why.as_str()), (500, expected), "{id}");
    }
    let too_many = vec![0; (32 << 20) + 1];
    let lengths = format!("/verify?lengths={}", too_many.len());
    assert_eq!(page.post(&lengths, &too_many).status, 413);
}

#[test]
fn invalid_stakes_and_a_used_port_are_reported() {
    let [folder, other] = folders();
    let page = Page::start(folder.path(), &[]);
    assert_eq!(page.status("/play"), 404);
    for body in [r#"{"game":"chess"}"#, r#"{"game":"draw","cards":40}"#] {
        assert_eq!(page.post("/host", body.as_bytes()).status, 200);
        let events = page.lines("/play").rest();
        let [error] = &events[..] else {
            panic!("{events:?}");
        };
        assert_eq!(
            (&error["event"], &error["exit_code"]),
            (&json!("error"), &json!(1))
        );
        wait_until("the program has ended", || page.state()["running"] == false);
        let state = page.state();
        assert_eq!(
            (&state["exit_code"], &state["by_signal"]),
            (&json!(1), &json!(false))
        );
    }
    let port = page.host.split_once(':').unwrap().1;
    let taken = [
        "table",
        "--no-open",
        "--address",
        "127.0.0.1",
        "--port",
        port,
    ];
    let taken = matches::run(other.path(), &taken);
    let why = String::from_utf8(taken.stderr).unwrap();
    assert_eq!(taken.status.code(), Some(1), "{why}");
    let expected = format!("cannot serve the page at 127.0.0.1:{port}");
    assert!(why.contains(&expected), "{why}");
}
