//! Two processes play over TCP, or run a netlist: on the terms on which both agree.

mod common;

use std::io::Write;
use std::net::TcpStream;

use serde_json::Value;

use common::processes::{Finished, PATIENT, SHORT, start, start_host, start_join, start_run};

/// The cards of one step as a player sees them: position, card, and who learned it.
fn opened(player: &Finished, step: &str) -> Vec<(u64, Option<u64>, String)> {
    let events = player.events();
    let event = events
        .iter()
        .find(|event| event["event"] == "opened" && event["step"] == step)
        .expect("the step");
    let card = |card: &Value| {
        let to = card["to"].as_str().unwrap().to_owned();
        (
            card["position"].as_u64().unwrap(),
            card["card"].as_u64(),
            to,
        )
    };
    event["cards"]
        .as_array()
        .unwrap()
        .iter()
        .map(card)
        .collect()
}

fn names(player: &Finished) -> Vec<String> {
    let name = |event: &Value| event["event"].as_str().unwrap().to_owned();
    player.events().iter().map(name).collect()
}

#[test]
fn two_processes_play_a_hand_and_agree_on_the_public_cards() {
    let (host, address) = start_host(&["--timeout", PATIENT]);
    let joiner = start_join(&address.to_string(), &["--timeout", PATIENT])
        .finish()
        .exits(0);
    let host = host.finish().exits(0);
    for step in ["flop", "turn", "river"] {
        let cards = opened(&host, step);
        assert_eq!(cards, opened(&joiner, step));
        assert!(
            cards
                .iter()
                .all(|(_, card, to)| card.is_some() && to == "both")
        );
    }
    let hole = [opened(&host, "hole cards"), opened(&joiner, "hole cards")];
    let showdown = [opened(&host, "showdown"), opened(&joiner, "showdown")];
    for place in 0..4 {
        let [by_host, by_joiner] = [&hole[0][place], &hole[1][place]];
        assert_eq!(by_host.0, by_joiner.0);
        // Dealt to one and hidden from the other, and the same for both when it is shown.
        assert_ne!(by_host.1.is_some(), by_joiner.1.is_some());
        assert_eq!(by_host.1.is_some(), by_host.2 == "me");
        let card = by_host.1.or(by_joiner.1);
        assert_eq!((showdown[0][place].1, showdown[1][place].1), (card, card));
    }
    let story = "connected terms sealed opened opened opened opened opened done";
    assert_eq!(names(&host).join(" "), format!("listening {story}"));
    assert_eq!(names(&joiner).join(" "), story);
    let bytes = |player: &Finished, who: &str| player.events().last().unwrap()["cost"][who].clone();
    for who in ["garbler_bytes", "evaluator_bytes"] {
        assert_eq!(bytes(&host, who), bytes(&joiner, who));
    }
}

#[test]
fn players_see_text_unless_they_ask_for_json() {
    let (host, address) = start_host(&["--game", "draw", "--hands", "2"]);
    let screen = start(["join", "--insecure-plain", &address.to_string()])
        .finish()
        .exits(0)
        .stdout;
    host.finish().exits(0);
    for text in [
        "neither encrypted nor authenticated",
        "Five-card draw: 20 of 52 cards, 2 hands.",
        "Hand 2: the deck is sealed",
        "▒▒ ▒▒ ▒▒ ▒▒ ▒▒",
        "What it cost:",
    ] {
        assert!(screen.contains(text), "{text}: {screen}");
    }
    assert!(
        screen.lines().all(|line| line.chars().count() <= 80),
        "{screen}"
    );
}

#[test]
fn a_joiner_plays_only_on_the_terms_that_it_asked_for() {
    let offer = [
        "--game", "deck", "--cards", "20", "--draw", "3", "--hands", "2",
    ];
    let (host, address) = start_host(&offer);
    start_join(&address.to_string(), &offer).finish().exits(0);
    host.finish().exits(0);
    for wish in [
        ["--game", "draw"],
        ["--cards", "21"],
        ["--draw", "4"],
        ["--algorithm", "bubble"],
        ["--hands", "3"],
    ] {
        let (host, address) = start_host(&offer);
        let joiner = start_join(&address.to_string(), &wish).finish();
        let joiner = joiner
            .exits(1)
            .says(&wish.join(" "))
            .says("the host proposes");
        assert_eq!(names(&joiner), ["connected", "error"]);
        host.finish()
            .exits(2)
            .says("the two sides do not agree")
            .says(&wish.join(" "))
            .says("the host proposes");
    }
}

#[test]
fn host_and_joiner_mean_the_same_by_auto() {
    for security in ["malicious", "semi-honest"] {
        for deal in [
            "--game holdem",
            "--game draw",
            "--game deck --cards 52 --draw 52",
            "--game deck --cards 52 --draw 18",
            "--game deck --cards 9",
        ] {
            let line = format!("{deal} --security {security} --algorithm auto");
            let args: Vec<&str> = line.split(' ').collect();
            let (host, address) = start_host(&args);
            let joiner = start_join(&address.to_string(), &args).finish().exits(0);
            host.finish().exits(0);
            assert!(names(&joiner).ends_with(&["opened".into(), "done".into()]));
        }
    }
}

/// Whether a joiner with these wishes plays what a host with these arguments offers, and what it
/// says.
fn accepts(offer: &str, wishes: &str) -> (bool, String) {
    let (host, address) = start_host(&offer.split_whitespace().collect::<Vec<_>>());
    let wishes: Vec<&str> = wishes.split_whitespace().collect();
    let joiner = start_join(&address.to_string(), &wishes).finish();
    let accepted = joiner.code == Some(0);
    host.finish().exits(if accepted { 0 } else { 2 });
    (accepted, joiner.stderr)
}

#[test]
fn a_joiner_consents_to_little_that_it_did_not_ask_for() {
    // More than 64 MB, by the estimate.
    let large = "--game deck --cards 130 --algorithm fisher-yates";
    let (accepted, complaint) = accepts(large, "--cards 130 --draw 130");
    assert!(
        !accepted && complaint.contains("and 64.00 MB are allowed"),
        "{complaint}"
    );
    let (_, enough) = complaint.trim_end().rsplit_once("--memory ").unwrap();
    assert!(accepts(large, &format!("--memory {enough}")).0);

    let long = "--game deck --cards 2 --draw 1 --hands 101";
    let (accepted, complaint) = accepts(long, "");
    assert!(
        !accepted && complaint.contains("say so with --hands"),
        "{complaint}"
    );
    assert!(accepts(long, "--hands 101").0);
}

/// Writes an exported netlist, and gives its folder and path.
fn exported(draw: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder
        .path()
        .join("netlist.txt")
        .to_str()
        .unwrap()
        .to_owned();
    let shape = [
        "--algorithm",
        "fisher-yates",
        "--cards",
        "4",
        "--draw",
        draw,
    ];
    start([&["circuit", "export", "-o", &path], shape.as_slice()].concat())
        .finish()
        .exits(0);
    (folder, path)
}

/// The garbler's seeds 1 and 2, and the evaluator's 3 of 4 and 0 of 3: draws 0 and 2.
const GARBLER: [&str; 2] = ["--garbler", "1001"];
const EVALUATOR: [&str; 2] = ["--evaluator", "111101"];

#[test]
fn two_processes_run_an_exported_netlist_in_either_role() {
    let (_folder, path) = exported("2");
    for (listener, connector) in [(GARBLER, EVALUATOR), (EVALUATOR, GARBLER)] {
        let (near, address) = start_run(&[path.as_str(), listener[0], listener[1]]);
        let address = address.to_string();
        let connect = ["circuit", "run", &path, "--json", "--connect", &address];
        let far = start([connect.as_slice(), &connector].concat())
            .finish()
            .exits(0)
            .json();
        let near = near.finish().exits(0).json();
        assert_eq!(near["outputs"], serde_json::json!(["00", "11"]));
        assert_eq!(near["outputs"], far["outputs"]);
        assert_eq!(near["cost"]["garbler_bytes"], far["cost"]["garbler_bytes"]);
    }
}

#[test]
fn a_side_that_listens_drops_connections_without_a_hello_and_waits_for_the_other_party() {
    let (_folder, path) = exported("2");
    let (near, address) = start_run(&[&path, GARBLER[0], GARBLER[1], "--timeout", PATIENT]);
    for garbage in [&b"GET / HTTP/1.1\r\n\r\n"[..], b"\x20\0\0\0\x01deal", b""] {
        let mut stranger = TcpStream::connect(address).unwrap();
        stranger.write_all(garbage).unwrap();
    }
    let address = address.to_string();
    let connect = ["circuit", "run", &path, "--connect", &address];
    start([&connect[..], &EVALUATOR].concat()).finish().exits(0);
    near.finish()
        .exits(0)
        .says("Dropped a connection: the peer broke the protocol")
        .says("Dropped a connection: the connection was lost");
}

#[test]
fn a_side_that_listens_gives_up_after_its_timeout_whoever_else_connects() {
    let (_folder, path) = exported("2");
    let (near, address) = start_run(&[&path, GARBLER[0], GARBLER[1], "--timeout", SHORT]);
    drop(TcpStream::connect(address).unwrap());
    near.finish()
        .exits(3)
        .says("waiting for the peer to connect");
}

#[test]
fn parties_with_different_netlists_part_before_anything_is_run() {
    let (_one, mine) = exported("2");
    let (_other, theirs) = exported("1");
    let (near, address) = start_run(&[mine.as_str(), "--garbler", "1001"]);
    let address = address.to_string();
    let far = [
        "circuit",
        "run",
        &theirs,
        "--evaluator",
        "111",
        "--connect",
        &address,
    ];
    start(far).finish().exits(2);
    near.finish().exits(2).says("another netlist");
}

#[test]
fn a_game_and_a_circuit_do_not_mistake_each_other() {
    let (_folder, path) = exported("2");
    let (host, address) = start_host(&[]);
    let address = address.to_string();
    let run = ["circuit", "run", &path, "--connect", &address];
    start([run.as_slice(), &EVALUATOR].concat())
        .finish()
        .exits(2);
    host.finish()
        .exits(2)
        .says("the two sides do not agree: it did not come to join a game");
    let (side, address) = start_run(&[path.as_str(), "--garbler", "1001"]);
    start_join(&address.to_string(), &[])
        .finish()
        .exits(2)
        .says("it offers no known game");
    side.finish().exits(2);
}
