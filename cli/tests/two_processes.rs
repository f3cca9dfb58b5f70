//! Two processes play over TCP; and whoever else is on the line, they end soon, with the exit code
//! that says whose fault it is, and never by a panic.

mod common;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use common::processes::{Finished, Running, start, start_host, start_run};
use common::proxy::{Fault, From, Proxy};

/// Long enough for an honest peer on a busy machine, where nobody is expected to time out.
const PATIENT: &str = "30";

/// A deadline for the tests in which somebody does.
const SHORT: &str = "1";

fn start_join(address: &str, args: &[&str]) -> Running {
    start([&["join", "--insecure-plain", "--json", address], args].concat())
}

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
        host.finish().exits(2).says("the peer aborted the session");
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

/// A hello of protocol version 9, whose body is anything.
fn newer_version() -> Vec<u8> {
    let body = b"the future";
    let length = (10 + 2 + body.len()) as u32;
    [
        &length.to_le_bytes()[..],
        &[1],
        b"dealerless",
        &[9, 0],
        body,
    ]
    .concat()
}

/// What a stranger sends, the exit code, and what the message names.
fn strangers() -> Vec<(Vec<u8>, i32, &'static str)> {
    vec![
        (
            b"GET / HTTP/1.1\r\n\r\n".to_vec(),
            2,
            "does not speak dealerless",
        ),
        (
            b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(),
            2,
            "does not speak dealerless",
        ),
        (
            b"SSH-2.0-OpenSSH_9.9\r\n".to_vec(),
            2,
            "does not speak dealerless",
        ),
        (
            (1u64 << 60).to_be_bytes().to_vec(),
            2,
            "does not speak dealerless",
        ),
        (vec![0xff; 4096], 2, "does not speak dealerless"),
        (vec![0; 4096], 2, "does not speak dealerless"),
        (
            newer_version(),
            2,
            "speaks version 9 of the protocol, and this is version 3",
        ),
        (
            newer_version()[..9].to_vec(),
            3,
            "the connection was lost while saying hello",
        ),
        (vec![], 3, "the connection was lost while saying hello"),
    ]
}

#[test]
fn a_stranger_who_knocks_at_the_host_is_called_what_it_is() {
    for (greeting, code, message) in strangers() {
        let (host, address) = start_host(&["--timeout", PATIENT]);
        let mut stranger = TcpStream::connect(address).unwrap();
        stranger.write_all(&greeting).unwrap();
        stranger.shutdown(std::net::Shutdown::Write).unwrap();
        let host = host.finish().exits(code).says(message);
        let events = host.events();
        assert_eq!(events.last().unwrap()["event"], "error");
        assert_eq!(events.last().unwrap()["exit_code"], code);
        assert!(host.took < Duration::from_secs(20), "{host:?}");
    }
}

#[test]
fn a_stranger_whom_one_joins_is_called_what_it_is() {
    for (greeting, code, message) in strangers() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let joiner = start_join(&address, &["--timeout", PATIENT]);
        let (mut stranger, _) = listener.accept().unwrap();
        stranger.write_all(&greeting).unwrap();
        stranger.shutdown(std::net::Shutdown::Write).unwrap();
        joiner.finish().exits(code).says(message);
    }
}

#[test]
fn a_peer_that_says_nothing_or_drips_is_cut_at_the_deadline() {
    let hang = |address| {
        let mut stream = TcpStream::connect(address).unwrap();
        thread::spawn(move || {
            let mut rest = Vec::new();
            // Until the other side has had enough.
            let _ = stream.read_to_end(&mut rest);
        })
    };
    let drip = |address| {
        let mut stream = TcpStream::connect(address).unwrap();
        thread::spawn(move || {
            for byte in newer_version().iter().cycle() {
                if stream.write_all(&[*byte]).is_err() {
                    return;
                }
                thread::sleep(Duration::from_millis(200));
            }
        })
    };
    let hosts = [hang as fn(_) -> _, drip].map(|peer| {
        let (host, address) = start_host(&["--timeout", SHORT]);
        (host, peer(address))
    });
    for (host, peer) in hosts {
        let host = host.finish().exits(3);
        let host = host.says("no answer from the peer within 1s while saying hello");
        assert!(host.took < Duration::from_secs(10), "{host:?}");
        peer.join().unwrap();
    }
}

#[test]
fn a_host_whom_nobody_joins_gives_up_only_if_it_was_told_to() {
    let (host, _) = start_host(&["--timeout", "0.2"]);
    host.finish()
        .exits(3)
        .says("waiting for the peer to connect");
}

#[test]
fn a_joiner_without_a_host_is_told_so() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    start_join(&address, &[])
        .finish()
        .exits(3)
        .says("refused")
        .says("Begin anew");
    start_join("host.invalid:5252", &[])
        .finish()
        .exits(1)
        .says("cannot resolve");
    start_join("no-port", &[])
        .finish()
        .exits(1)
        .says("an address is HOST:PORT");
}

/// Plays a hand of hold'em through a proxy that spoils one frame. Gives the receiver of that frame,
/// its sender, and the number of frames that passed.
fn spoiled(from: From, number: usize, fault: Fault, timeout: &str) -> (Finished, Finished, usize) {
    let (host, address) = start_host(&["--timeout", timeout]);
    let proxy = Proxy::start(address, from, number, fault);
    let joiner = start_join(&proxy.address.to_string(), &["--timeout", timeout]).finish();
    let host = host.finish();
    let frames = proxy.frames();
    match from {
        From::Host => (joiner, host, frames),
        From::Joiner => (host, joiner, frames),
    }
}

/// How many frames a hand of hold'em takes.
fn frames(from: From) -> usize {
    let (receiver, sender, frames) = spoiled(from, usize::MAX, Fault::Flip, PATIENT);
    assert_eq!((receiver.code, sender.code), (Some(0), Some(0)));
    assert!(frames > 10, "{frames}");
    frames
}

/// Spoils every frame of a hand in turn, and hands receiver and sender to `check`.
fn every_frame_spoiled(fault: Fault, check: impl Fn(&str, Finished, Finished) + Sync) {
    thread::scope(|scope| {
        for from in [From::Host, From::Joiner] {
            let check = &check;
            scope.spawn(move || {
                for number in 0..frames(from) {
                    let (receiver, sender, _) = spoiled(from, number, fault, PATIENT);
                    let case = format!("frame {number} from {from:?}");
                    check(&case, receiver, sender);
                }
            });
        }
    });
}

/// The sender of a message that was lost learns it too, unless it was its last.
fn ends_somehow(case: &str, sender: &Finished) {
    assert!(matches!(sender.code, Some(0 | 2 | 3)), "{case}: {sender:?}");
}

#[test]
fn a_connection_that_is_cut_in_the_middle_of_any_message_is_lost_and_not_hung() {
    for fault in [Fault::CutInHeader, Fault::CutInPayload] {
        every_frame_spoiled(fault, |case, receiver, sender| {
            assert_eq!(receiver.code, Some(3), "{case}: {receiver:?}");
            assert!(
                receiver.stderr.contains("the connection was lost while"),
                "{case}"
            );
            assert!(receiver.stderr.contains("Begin anew"), "{case}");
            ends_somehow(case, &sender);
        });
    }
}

#[test]
fn a_message_of_four_gigabytes_or_of_another_kind_is_refused_wherever_it_comes() {
    for fault in [Fault::Oversize, Fault::WrongTag] {
        every_frame_spoiled(fault, |case, receiver, sender| {
            assert_eq!(receiver.code, Some(2), "{case}: {receiver:?}");
            assert!(receiver.stderr.contains("broke the protocol: "), "{case}");
            ends_somehow(case, &sender);
        });
    }
}

#[test]
fn a_message_that_is_altered_on_the_line_makes_nobody_panic_or_hang() {
    every_frame_spoiled(Fault::Flip, |case, receiver, sender| {
        ends_somehow(case, &receiver);
        ends_somehow(case, &sender);
    });
}

#[test]
fn a_line_that_falls_silent_is_noticed_at_the_deadline_whatever_was_going_on() {
    thread::scope(|scope| {
        for from in [From::Host, From::Joiner] {
            for number in [0, 1, 3, 5, 8] {
                scope.spawn(move || {
                    let (receiver, sender, _) = spoiled(from, number, Fault::Stall, SHORT);
                    let case = format!("frame {number} from {from:?}");
                    assert!(
                        receiver.took < Duration::from_secs(30),
                        "{case}: {receiver:?}"
                    );
                    assert_eq!(receiver.code, Some(3), "{case}: {receiver:?}");
                    assert!(
                        receiver.stderr.contains("no answer"),
                        "{case}: {receiver:?}"
                    );
                    assert!(matches!(sender.code, Some(2 | 3)), "{case}: {sender:?}");
                });
            }
        }
    });
}
