//! Two processes with separate folders meet by an invite and play a match.

use crate::common;

use std::path::Path;
use std::process::Command;

use common::side::{Side, folders, of_kind};
use serde_json::{Value, json};

#[test]
fn two_bots_play_and_meet_again_without_an_invite() {
    let [a, b] = folders();
    let stakes = ["--hands", "5", "--stack", "50", "--blinds", "1/2", "--auto"];
    let (mut host, invite) = Side::host(a.path(), &stakes);
    let at = host.until("listening")["addresses"][0]
        .as_str()
        .unwrap()
        .to_owned();
    let guest = Side::join(b.path(), &invite, &["--auto"]);
    let (by_guest, code) = guest.finish();
    assert_eq!(code, 0, "{by_guest:?}");
    let (by_host, code) = host.finish();
    assert_eq!(code, 0, "{by_host:?}");
    assert_eq!(of_kind(&by_host, "result"), of_kind(&by_guest, "result"));
    assert_eq!(of_kind(&by_host, "result").len(), 5);
    for events in [&by_host, &by_guest] {
        let over = events.last().unwrap();
        assert_eq!(over["how"], "played");
        assert!(Path::new(over["log"].as_str().unwrap()).is_file());
    }
    // No attempt to cheat is counted.
    let listed = Command::new(env!("CARGO_BIN_EXE_dealerless"))
        .args(["peers", "--json"])
        .env("DEALERLESS_HOME", a.path())
        .output()
        .unwrap();
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let peer = &listed["peers"][0];
    let counts = ["name", "hands", "attempts"].map(|field| peer[field].clone());
    assert_eq!(counts, [json!("Bert"), json!(5), json!(0)]);

    let forgiven = Command::new(env!("CARGO_BIN_EXE_dealerless"))
        .args(["peers", "forgive", "Bert", "--home"])
        .arg(a.path())
        .output()
        .unwrap();
    assert!(forgiven.status.success(), "{forgiven:?}");

    let (mut host, _) = Side::host(a.path(), &[&stakes[..], &["--for", "Bert"]].concat());
    let now = host.until("listening")["addresses"][0]
        .as_str()
        .unwrap()
        .to_owned();
    assert_ne!(at, now);
    let (events, code) = Side::join(b.path(), "anna", &["--auto"]).finish();
    assert_eq!(code, 1, "{events:?}");
    let (events, code) = Side::join(b.path(), "Anna", &["--auto", "--at", &now]).finish();
    assert_eq!(code, 0, "{events:?}");
    assert_eq!(host.finish().1, 0);

    check_records(a.path(), b.path());
}

/// Runs a command in a folder. Returns standard output and the exit code.
fn command(folder: &Path, arguments: &[&str]) -> (String, i32) {
    let done = Command::new(env!("CARGO_BIN_EXE_dealerless"))
        .args(arguments)
        .env("DEALERLESS_HOME", folder)
        .output()
        .unwrap();
    let text = String::from_utf8(done.stdout).unwrap();
    (text, done.status.code().expect("no signal"))
}

fn history(folder: &Path, arguments: &[&str]) -> Vec<Value> {
    let (text, code) = command(folder, &[&["history", "--json"], arguments].concat());
    assert_eq!(code, 0);
    let listed: Value = serde_json::from_str(&text).unwrap();
    listed["matches"].as_array().unwrap().clone()
}

/// Checks the records of the two matches of Anna and Bert in these folders.
fn check_records(anna: &Path, bert: &Path) {
    let [mine, theirs] = [anna, bert].map(|folder| history(folder, &[]));
    assert_eq!((mine.len(), theirs.len()), (2, 2));
    let won = |list: &[Value]| list[0]["won"].as_i64().unwrap();
    assert_eq!(won(&mine) + won(&theirs), 0);
    // The latest match comes first.
    let [second, first] = [&mine[0], &mine[1]];
    assert_eq!([&first["state"], &first["with"][0]], ["over", "Bert"]);
    let file = |of: &Value| of["file"].as_str().unwrap().to_owned();
    let same = |their: &&Value| their["match"] == first["match"];
    let same = theirs.iter().find(same).unwrap();
    let (one, other) = (file(first), file(same));

    let (text, code) = command(anna, &["verify", &one, &other]);
    assert_eq!(code, 0, "{text}");
    assert!(text.ends_with("Both records agree.\n"), "{text}");
    let (text, code) = command(anna, &["verify", "--json", &one, &file(second)]);
    let verified: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, &verified["good"]), (4, &json!(false)));
    assert_eq!(verified["compared"]["how"], "other-match");
    let changed = anna.join("changed");
    let mut bytes = std::fs::read(&one).unwrap();
    let at = bytes.len() - 40;
    bytes[at] ^= 1;
    std::fs::write(&changed, bytes).unwrap();
    let (text, code) = command(anna, &["verify", changed.to_str().unwrap()]);
    assert!(code == 4 && text.contains("\nHand 5, step "), "{text}");
    assert_eq!(command(anna, &["verify", "nowhere"]).1, 1);

    let id = first["match"].as_str().unwrap();
    let (text, code) = command(anna, &["show", &id[..6]]);
    assert!(code == 0 && text.starts_with("PokerStars Hand #"), "{text}");
    assert_eq!(text.matches("*** SUMMARY ***").count(), 5);
    let (text, code) = command(anna, &["show", &other, "--phh", "--hand", "2"]);
    assert!(
        code == 0 && text.starts_with("variant = \"NT\"\n"),
        "{text}"
    );
    assert_eq!(command(anna, &["show", id, "--hand", "6"]).1, 1);
    let latest = |which| command(anna, &["show", "--json", which]).0;
    assert_eq!(latest("Bert"), latest(second["match"].as_str().unwrap()));
    let (text, _) = command(anna, &["show", "--json", id]);
    let shown: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(shown["hands"].as_array().unwrap().len(), 5);

    #[cfg(unix)]
    check_unreadable_files(anna);

    let states = |arguments: &[&str]| -> Vec<Value> {
        let listed = history(anna, arguments);
        listed.iter().map(|of| of["state"].clone()).collect()
    };
    assert_eq!(states(&["--older-than", "1", "--delete"]), [""; 0]);
    assert_eq!(states(&["--delete", id]), ["deleted"]);
    assert_eq!(command(anna, &["show", "Bert"]).1, 0);
    assert_eq!(states(&["--older-than", "0", "--delete"]), ["deleted"]);
    assert_eq!(states(&[]), [""; 0]);
    // The other files of the matches are deleted too.
    let left = std::fs::read_dir(anna.join("matches")).unwrap();
    assert_eq!(left.count(), 0);
    assert_eq!(command(anna, &["history", "--delete"]).1, 1);
}

/// Asserts that unreadable files are listed together with the two matches in this folder.
#[cfg(unix)]
fn check_unreadable_files(folder: &Path) {
    let matches = folder.join("matches");
    let path = |digit: u8| matches.join(format!("{digit:016x}-Bert.log"));
    std::os::unix::fs::symlink("nowhere", path(1)).unwrap();
    let made = Command::new("mkfifo").arg(path(2)).status().unwrap();
    assert!(made.success());
    std::fs::create_dir(path(3)).unwrap();
    let large = std::fs::File::create(path(4)).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&large, b"1", 256 << 20).unwrap();
    std::os::unix::fs::symlink(path(2), path(5)).unwrap();
    let reasons = ["No such file", "not a regular file", "not a regular file"];
    let reasons = [&reasons[..], &["larger than 256 MiB", "not a regular file"]].concat();

    let listed = history(folder, &[]);
    let of_state = |state: &str| listed.iter().filter(|of| of["state"] == state).count();
    assert_eq!((of_state("over"), of_state("damaged")), (2, 5));
    for (digit, reason) in (1..).zip(&reasons) {
        let of = format!("{digit:016x}");
        let of = listed.iter().find(|listed| listed["match"] == of.as_str());
        let message = of.unwrap()["message"].as_str().unwrap();
        assert!(message.contains(reason), "{message}");
    }
    let (text, code) = command(folder, &["history"]);
    assert_eq!(
        (code, text.matches("Cannot be read: ").count()),
        (0, 5),
        "{text}"
    );
    let (text, code) = command(folder, &["resume", "--list"]);
    assert_eq!(
        (code, text.matches("cannot be read: ").count()),
        (0, 5),
        "{text}"
    );
    let (text, code) = command(folder, &["resume", "--list", "--json"]);
    let listed: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (code, listed["unread"].as_array().map(Vec::len)),
        (0, Some(5))
    );
    for digit in 1..=5 {
        let link = path(digit);
        if digit == 3 {
            std::fs::remove_dir(link).unwrap();
        } else {
            std::fs::remove_file(link).unwrap();
        }
    }
}

#[test]
fn guest_refuses_other_terms_and_the_host_keeps_waiting() {
    let [a, b] = folders();
    let (mut host, invite) = Side::host(a.path(), &["--hands", "101", "--time", "none", "--auto"]);
    host.until("listening");
    for terms in [
        &["--hands", "100"][..],
        &["--hands", "101", "--game", "draw"],
        &["--hands", "101", "--stack", "100"],
        &["--hands", "101", "--blinds", "2/4"],
        &["--hands", "101", "--ante", "1/2"],
        &["--hands", "101", "--time", "30+120"],
        &["--hands", "101", "--memory", "1M"],
    ] {
        let (events, code) = Side::join(b.path(), &invite, terms).finish();
        let error = events.last().unwrap();
        assert_eq!(
            (code, &error["exit_code"]),
            (1, &json!(1)),
            "{terms:?}: {events:?}"
        );
        assert!(error["message"].as_str().unwrap().contains("the host"));
        assert!(host.until("notice")["text"].as_str().is_some());
    }
    let mut guest = Side::join(b.path(), &invite, &["--hands", "101", "--time", "none"]);
    guest.until("seated");
    guest.say(&json!({"do": "leave"}));
    let (events, code) = guest.finish();
    assert_eq!((code, &events.last().unwrap()["how"]), (0, &json!("left")));
    let (events, code) = host.finish();
    assert_eq!((code, &events.last().unwrap()["how"]), (0, &json!("left")));
}

#[test]
fn mistyped_and_used_invites_have_different_errors() {
    let [a, b] = folders();
    let (mut host, invite) = Side::host(a.path(), &[]);
    host.until("listening");
    let other = if invite.ends_with('0') { "1" } else { "0" };
    let mistyped = invite[..invite.len() - 1].to_owned() + other;
    let (events, code) = Side::join(b.path(), &mistyped, &[]).finish();
    let message = events.last().unwrap()["message"].to_string();
    assert!(code == 1 && message.contains("mistyped"), "{message}");

    let guest = Side::join(b.path(), &invite, &[]);
    host.until("seated");
    let [other, _] = folders();
    let (events, code) = Side::join(other.path(), &invite, &[]).finish();
    let message = events.last().unwrap()["message"].to_string();
    assert!(
        code == 4 && message.contains("used by somebody else"),
        "{message}"
    );
    let notice = host.until("notice");
    let text = notice["text"].as_str().unwrap();
    assert!(
        text.starts_with("A second player used the invite"),
        "{text}"
    );

    // The same player again, and another one.
    let [third, _] = folders();
    for other in [&other, &third] {
        assert_eq!(Side::join(other.path(), &invite, &[]).finish().1, 4);
    }
    let notice = host.until("notice");
    let text = notice["text"].as_str().unwrap();
    assert!(text.starts_with("Another player used the invite"), "{text}");
    drop(guest);
}

#[test]
fn text_screen_has_80_columns_and_no_json() {
    let [a, b] = folders();
    let (host, invite) = Side::host(a.path(), &["--auto", "--hands", "3"]);
    let screen = Command::new(env!("CARGO_BIN_EXE_dealerless"))
        .args(["join", &invite, "--auto", "--faces", "words"])
        .env("DEALERLESS_HOME", b.path())
        .output()
        .unwrap();
    assert_eq!(host.finish().1, 0);
    let text = String::from_utf8(screen.stdout).unwrap();
    assert!(screen.status.success(), "{text}");
    let folder = b.path().display().to_string();
    for line in text.lines().filter(|line| !line.contains(&folder)) {
        assert!(line.chars().count() <= 80 && !line.contains('{'), "{line}");
    }
    for shown in [
        "Hand 3 of 3",
        "Your cards: ",
        " of ",
        "The match was played to its end.",
    ] {
        assert!(text.contains(shown), "{shown}: {text}");
    }
}

#[test]
fn python_bot_plays() {
    let Ok(python) = Command::new("python3").arg("--version").output() else {
        println!("python3 is not installed: the Python bot was not tested");
        return;
    };
    assert!(python.status.success());
    for game in ["holdem", "draw", "deck"] {
        let [a, b] = folders();
        let (host, invite) = Side::host(a.path(), &["--auto", "--hands", "5", "--game", game]);
        let bot = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/bot.py");
        let played = Command::new("python3")
            .args([bot, &invite])
            .env("DEALERLESS", env!("CARGO_BIN_EXE_dealerless"))
            .env("DEALERLESS_HOME", b.path())
            .output()
            .unwrap();
        assert!(played.status.success(), "{played:?}");
        assert_eq!(host.finish().1, 0);
    }
}

/// Plays a match with the commands that `choose` returns. Returns all events and the exit code.
fn play(mut side: Side, mut choose: impl FnMut(&[Value]) -> Value + Send) -> (Vec<Value>, i32) {
    let mut events = Vec::new();
    loop {
        let event = side.event();
        let (turn, over) = (event["event"] == "your-turn", event["event"] == "over");
        events.push(event);
        if turn {
            side.say(&choose(&events));
        }
        if over {
            return (events, side.finish().1);
        }
    }
}

/// The number of times that `seat` made the choice `choice`.
fn count(events: &[Value], seat: u8, choice: &str) -> usize {
    let chosen = of_kind(events, "chose");
    let chosen = chosen
        .iter()
        .filter(|chose| chose["seat"] == seat && chose["do"] == choice);
    chosen.count()
}

#[test]
fn stolen_card_is_shown_in_the_hand_history() {
    let [a, b] = folders();
    let deck = [
        "--game", "deck", "--cards", "12", "--draw", "4", "--hands", "1",
    ];
    let (host, invite) = Side::host(a.path(), &deck);
    let guest = Side::join(b.path(), &invite, &[]);
    let draws = |events: &[Value]| match count(events, 0, "draw") {
        0 | 1 => json!({"do": "draw"}),
        _ => json!({"do": "pass"}),
    };
    let steals = |events: &[Value]| match (count(events, 0, "draw"), count(events, 1, "steal")) {
        (2, 0) => json!({"do": "steal", "from": 0}),
        _ => json!({"do": "pass"}),
    };
    let ((by_host, code), (by_guest, guests_code)) = std::thread::scope(|scope| {
        let host = scope.spawn(|| play(host, draws));
        let guest = play(guest, steals);
        (host.join().unwrap(), guest)
    });
    assert_eq!((code, guests_code), (0, 0));
    let log = |events: &[Value]| events.last().unwrap()["log"].as_str().unwrap().to_owned();
    let card = |events: &[Value], position: usize| {
        let cards = of_kind(events, "card");
        let there = cards.iter().rfind(|card| card["position"] == position);
        there.unwrap()["card"].as_str().unwrap().to_owned()
    };
    let (stolen, kept) = (card(&by_guest, 0), card(&by_host, 1));
    assert_eq!(stolen, card(&by_host, 0));
    // Nobody keeps the former face of a reshuffled card.
    let steal_lines = |kept: &str| {
        format!(
            "Bert steals a card from the hand of Anna.\n\
             The hand of Anna is reshuffled, at the positions of cards 1, 2.\n\
             Card 1 is opened to all: {stolen}\n\
             Card 2 is opened to Anna: {kept}\n"
        )
    };
    for (folder, log, kept) in [(&a, log(&by_host), &kept[..]), (&b, log(&by_guest), "?")] {
        let (shown, code) = command(folder.path(), &["show", &log]);
        assert_eq!(code, 0);
        for before in [
            "Card 1 is opened to Anna: ?\n",
            "Card 2 is opened to Anna: ?\n",
        ] {
            assert!(shown.contains(before), "{shown}");
        }
        assert!(shown.contains(&steal_lines(kept)), "{shown}");
    }
}

/// Checks, calls, keeps all cards and shows. Returns all events, and the turns.
fn play_passively(side: Side) -> (Vec<Value>, Vec<Value>) {
    let mut turns = Vec::new();
    let (events, code) = play(side, |events| {
        let turn = events.last().unwrap();
        turns.push(turn.clone());
        match turn["ask"].as_str() {
            Some("bet") if turn["call"].is_null() => json!({"do": "check"}),
            Some("bet") => json!({"do": "call"}),
            Some("exchange") => json!({"do": "exchange", "places": []}),
            _ => json!({"do": "show"}),
        }
    });
    assert_eq!(code, 0, "{events:?}");
    (events, turns)
}

#[test]
fn turns_name_the_made_hand_and_whether_it_wins() {
    for game in ["holdem", "draw"] {
        let [a, b] = folders();
        let (host, invite) = Side::host(a.path(), &["--game", game, "--hands", "6"]);
        let guest = Side::join(b.path(), &invite, &[]);
        let sides = std::thread::scope(|scope| {
            [host, guest]
                .map(|side| scope.spawn(|| play_passively(side)))
                .map(|thread| thread.join().unwrap())
        });
        let mut shows = 0;
        for (seat, (events, turns)) in sides.iter().enumerate() {
            let results = of_kind(events, "result");
            for turn in turns {
                let cards: Vec<&str> = (turn["cards"].as_array().unwrap().iter())
                    .map(|card| card.as_str().unwrap())
                    .collect();
                let known = cards.len() + turn["board"].as_array().unwrap().len();
                let pair = cards.len() == 2 && cards[0][..1] == cards[1][..1];
                assert_eq!(turn["made"].is_string(), known >= 5 || pair, "{turn}");
                if turn["ask"] != "show-or-muck" {
                    assert_eq!(turn["wins"], Value::Null);
                    continue;
                }
                shows += 1;
                let result = results
                    .iter()
                    .find(|result| result["hand"] == turn["hand"])
                    .unwrap();
                let shown = result["shown"].as_array().unwrap();
                let place = shown
                    .iter()
                    .position(|shown| shown["seat"] == seat)
                    .unwrap();
                assert_eq!(shown[place]["worth"], turn["made"]);
                let mut winners = result["pots"][0]["winners"].as_array().unwrap().iter();
                let wins = winners.any(|winner| winner["seat"] == seat);
                // When the first seat must show or muck, no shown hand beats its hand.
                assert_eq!(turn["wins"], json!(wins || place == 0), "{turn} {result}");
            }
        }
        assert_eq!(shows, 12, "{game}");
    }
}
