//! Three players in the middle of a hand, of whom one stays away: the other two continue without it.
#![cfg(unix)]

use crate::common;

use std::net::TcpListener;
use std::path::Path;

use common::matches::{host_at, resume, run};
use common::processes::free_address;
use common::side::Side;
use common::tables::are_here;
use serde_json::{Value, json};
use tempfile::TempDir;

fn text(output: std::process::Output) -> String {
    String::from_utf8(output.stdout).expect("text")
}

/// The message of the last event, and the exit code.
fn end(side: Side) -> (String, i32) {
    let (events, code) = side.finish();
    let message = events.last().expect("an event")["message"].to_string();
    (message, code)
}

fn join(folder: &Path, whom: &[&str], name: &str) -> Side {
    let join = ["join", "--json", "--name", name, "--listen", "127.0.0.1:0"];
    Side::start(folder, &[&join, whom].concat())
}

/// The next event that fits. An error must not come before it.
fn until(side: &mut Side, fits: impl Fn(&Value) -> bool) -> Value {
    loop {
        let event = side.event();
        assert_ne!(event["event"], "error", "{event}");
        if fits(&event) {
            return event;
        }
    }
}

/// The next notice that contains this text.
fn until_notice(side: &mut Side, text: &str) -> String {
    let fits = |event: &Value| {
        event["text"]
            .as_str()
            .is_some_and(|told| told.contains(text))
    };
    until(side, fits)["text"].to_string()
}

/// Calls or checks at each turn of this side, until it is the turn of the last player.
fn play_on(sides: &mut [Side; 3]) {
    // Cleo chooses first only before the flop; the others act until it is her turn again.
    for side in sides.iter_mut() {
        side.until("dealt");
    }
    sides[0].until("your-turn");
    sides[0].say(&json!({"do": "raise", "to": 10}));
    sides[1].until("your-turn");
    sides[1].say(&json!({"do": "call"}));
    sides[2].until("your-turn");
}

#[test]
fn two_players_continue_without_the_third_who_returns_with_its_chips_later() {
    let folders: [TempDir; 3] = [(); 3].map(|()| tempfile::tempdir().expect("a folder"));
    let [a, b, c] = folders.each_ref().map(|folder| folder.path());
    let at = free_address();
    let terms = [
        "--seats", "3", "--open", "--hands", "2", "--stack", "100", "--time", "8+0",
    ];
    let (mut anna, link) = host_at(a, &at, &terms);
    let mut bert = join(b, &[&link, "--yes"], "Bert");
    are_here(&mut anna, &["Bert"]);
    let mut cleo = join(c, &[&link, "--yes"], "Cleo");
    let of = anna.until("seated")["match"]
        .as_str()
        .expect("an id")
        .to_owned();
    let mut logs = Vec::new();
    for side in [&mut bert, &mut cleo] {
        logs.push(
            side.until("seated")["log"]
                .as_str()
                .expect("a file")
                .to_owned(),
        );
    }
    let of = &of[..16];

    // The button is Anna's, who raises. Bert calls, and Cleo is asked, but her machine has stopped.
    let mut sides = [anna, bert, cleo];
    play_on(&mut sides);
    let [mut anna, mut bert, cleo] = sides;
    cleo.signal("STOP");
    for side in [&mut anna, &mut bert] {
        while side.until("out-of-time")["seat"] != 2 {}
    }
    for side in [anna, bert] {
        side.kill();
    }

    // Cleo is back. A host whom she does not reach names her as absent, but Bert reaches her.
    let closed_door = TcpListener::bind(&at).expect("the host has ended");
    cleo.signal("CONT");
    let after = ["host", "--json", "--auto", "--after", of, "--listen"];
    let mut host = Side::start(a, &[&after[..], &["127.0.0.1:0"]].concat());
    let address = host.until("listening")["addresses"][0].to_string();
    let address = address.trim_matches('"').to_owned();
    let bert = join(b, &["Anna", "--at", &address, "--yes", "--auto"], "Bert");
    let (message, code) = end(bert);
    assert!(
        code == 1 && message.contains("Cleo is not absent"),
        "{message}"
    );
    drop((host, cleo, closed_door));

    // She comes back while an honest host waits: she is not absent.
    let mut host = Side::start(a, &[&after[..], &[&at]].concat());
    host.until("listening");
    let cleo = resume(c, &["--at", &at]);
    let (message, code) = end(host);
    assert!(
        code == 1 && message.contains("Cleo is not absent"),
        "{message}"
    );
    cleo.kill();

    // Without her, the two continue. Bets: Anna 10, Bert 10, Cleo 2.
    // Cleo must be told before the hand ends. So Anna plays by hand, since a bot may fold at once, and
    // the clock allows for a slow machine.
    let slowly = [
        "host", "--json", "--after", of, "--hands", "1", "--time", "120+0",
    ];
    let mut host = Side::start(a, &[&slowly[..], &["--listen", &at]].concat());
    let told = until_notice(&mut host, "is settled without Cleo");
    assert!(
        told.contains("Chips: You 101, Bert 101, Cleo 98."),
        "{told}"
    );
    host.until("listening");
    // Bert, who remains, does not resume the match but has to join the next one.
    let mut bert = resume(b, &["--at", &at]);
    let told = until_notice(&mut bert, "without Cleo");
    assert!(
        told.contains("You stay at the table, with 101 chips."),
        "{told}"
    );
    let (message, code) = end(bert);
    assert!(
        code == 4 && message.contains("dealerless join") && !message.contains("--close"),
        "{message}"
    );
    let mut bert = join(b, &["Anna", "--at", &at], "Bert");
    let sit = json!({"do": "sit", "agree": true});
    until(&mut bert, |event| event["event"] == "ask-table");
    bert.say(&sit);
    // The list of players shows what the match continues, so Bert is asked again.
    until_notice(&mut bert, "is settled without Cleo");
    let terms = bert.until("ask-sit")["continues"].clone();
    assert_eq!(terms["stacks"], json!([101, 101]));
    assert_eq!(terms["without"][0]["chips"], 98);
    bert.say(&sit);
    let seated = bert.until("seated");
    host.until("dealt");
    // Cleo comes back while the next match is played, and is told.
    let mut cleo = resume(c, &["--at", &at]);
    let told = until_notice(&mut cleo, "does not resume match");
    assert!(told.contains("There you have 98 chips,"), "{told}");
    assert_eq!(end(cleo).1, 4);
    // Bert's program is killed. After that, too, it only goes on with the next match.
    bert.kill();
    let resumed = run(b, &["resume", of]);
    assert_eq!(resumed.status.code(), Some(1), "{resumed:?}");
    let mut bert = resume(b, &["--at", &at]);
    bert.until("seated");
    // Anna has the big blind.
    bert.until("your-turn");
    bert.say(&json!({"do": "fold"}));
    bert.until("over");
    assert_eq!(host.finish().1, 0);
    assert_eq!(bert.finish().1, 0);

    // Her file and that of the next match show it; nobody resumes the old match.
    let next = seated["log"].as_str().expect("a file");
    let verified = text(run(c, &["verify", &logs[1], next]));
    for line in [
        "Chips: Anna 101, Bert 101, Cleo 98.",
        "All others have signed in the new match.",
    ] {
        assert!(verified.contains(line), "{verified}");
    }
    for folder in [a, b] {
        let listed = text(run(folder, &["history"]));
        let listed: Vec<&str> = listed.split_whitespace().collect();
        let listed = listed.join(" ");
        let settled = "won 1. Settled without Cleo, and continued in match ";
        assert!(listed.contains(settled), "{listed}");
        let resumed = run(folder, &["resume", of]);
        assert_eq!(resumed.status.code(), Some(1), "{resumed:?}");
        let again = run(folder, &["host", "--after", of, "--auto"]);
        assert_eq!(again.status.code(), Some(1), "{again:?}");
    }

    // She returns to the match after that with her chips.
    let args = [
        "host", "--json", "--auto", "--after", "--seats", "3", "--hands", "1", "--time", "120+0",
        "--listen", &at,
    ];
    let mut host = Side::start(a, &args);
    host.until("listening");
    let bert = join(b, &["Anna", "--at", &at, "--yes", "--auto"], "Bert");
    let mut cleo = join(c, &["Anna", "--at", &at], "Cleo");
    until_notice(&mut cleo, "does not resume match");
    until(&mut cleo, |event| event["event"] == "ask-table");
    cleo.say(&sit);
    let terms = until(&mut cleo, |event| event["event"] == "ask-sit");
    let stacks = terms["continues"]["stacks"]
        .as_array()
        .expect("chips")
        .clone();
    let seat = terms["seat"].as_u64().expect("a seat") as usize;
    // She sits to the left of the last big blind, which was Anna's.
    assert_eq!((seat, &stacks[seat]), (1, &json!(98)));
    let sum: u64 = stacks.iter().filter_map(Value::as_u64).sum();
    assert_eq!(sum, 300);
    cleo.say(&sit);
    cleo.until("dealt");
    drop([host, bert, cleo]);
}

/// The host disappears, and its guests continue the match. When it returns, they tell it.
#[test]
fn absent_host_that_returns_is_told_by_its_guests() {
    let folders: [TempDir; 3] = [(); 3].map(|()| tempfile::tempdir().expect("a folder"));
    let [a, b, c] = folders.each_ref().map(|folder| folder.path());
    let at = free_address();
    let terms = [
        "--seats", "3", "--open", "--hands", "2", "--stack", "100", "--time", "8+0",
    ];
    let (mut anna, link) = host_at(a, &at, &terms);
    let mut bert = join(b, &[&link, "--yes"], "Bert");
    are_here(&mut anna, &["Bert"]);
    let mut cleo = join(c, &[&link, "--yes"], "Cleo");
    let of = anna.until("seated")["match"]
        .as_str()
        .expect("an id")
        .to_owned();
    let of = &of[..16];
    for side in [&mut anna, &mut bert, &mut cleo] {
        side.until("dealt");
    }
    // It is the turn of Anna, whose machine stops.
    anna.until("your-turn");
    anna.signal("STOP");
    for side in [&mut bert, &mut cleo] {
        while side.until("out-of-time")["seat"] != 0 {}
    }
    for side in [anna, bert, cleo] {
        side.kill();
    }

    let next = [
        "host", "--json", "--after", of, "--hands", "1", "--name", "Bert", "--time", "120+0",
    ];
    let mut bert = Side::start(b, &[&next[..], &["--listen", "127.0.0.1:0"]].concat());
    until_notice(&mut bert, "is settled without Anna");
    let invite = bert.until("invite")["invite"]
        .as_str()
        .expect("an invite")
        .to_owned();
    let mut cleo = join(c, &[&invite, "--yes"], "Cleo");
    bert.until("dealt");
    cleo.until("dealt");
    let mut anna = resume(a, &[]);
    let told = until_notice(&mut anna, "the table goes on in another match, without you");
    assert!(told.contains("There you have 100 chips"), "{told}");
    drop([anna, bert, cleo]);
}
