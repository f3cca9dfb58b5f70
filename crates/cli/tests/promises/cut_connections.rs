//! A match survives the loss of its connection: at any frame, while a laptop sleeps, and if only a
//! relay connects the players again.
#![cfg(unix)]

use crate::common;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use common::cuts::{Cut, Cuts};
use common::matches::{assert_agree, assert_same_turn, host_at, resume};
use common::relay::Relay;
use common::side::{Side, folders, of_kind};
use serde_json::json;
use tempfile::TempDir;

/// The maximum number of hands for each cut.
const TRIES: usize = 4;

/// A listening address with any free port.
const ANY_PORT: &str = "127.0.0.1:0";

fn listening(host: &mut Side) -> String {
    let event = host.until("listening");
    event["addresses"][0].as_str().unwrap().to_owned()
}

/// The folders of two players who know each other.
fn acquainted() -> [TempDir; 2] {
    let [a, b] = folders();
    let (host, invite) = host_at(a.path(), ANY_PORT, &["--auto", "--hands", "1"]);
    assert_eq!(Side::join(b.path(), &invite, &["--auto"]).finish().1, 0);
    assert_eq!(host.finish().1, 0);
    [a, b]
}

/// Copies the keys and known peers of a player, without the matches.
fn copied(folder: &Path) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    for name in ["identity", "known_peers"] {
        std::fs::copy(folder.join(name), copy.path().join(name)).unwrap();
    }
    copy
}

/// Plays a hand over a connection with this cut. Returns the number of frames from each seat, and
/// whether the connection was cut.
fn hand(players: &[TempDir; 2], cut: Option<Cut>) -> ([usize; 2], bool) {
    let [a, b] = players.each_ref().map(|folder| copied(folder.path()));
    let bot = ["--auto", "--hands", "1", "--for", "Bert"];
    let (mut host, _) = host_at(a.path(), ANY_PORT, &bot);
    let at = listening(&mut host);
    let cuts = Cuts::start(at.parse().unwrap(), cut);
    let by = cuts.address.to_string();
    let join = || Side::join(b.path(), "Anna", &["--auto", "--at", &by]).finish();
    let (mut by_guest, mut code) = join();
    if code != 0 && cuts.was_cut() && of_kind(&by_guest, "seated").is_empty() {
        // The cut came before the match began, so the guest joins again.
        (by_guest, code) = join();
    }
    assert_eq!(code, 0, "{cut:?} {by_guest:?}");
    let (by_host, code) = host.finish();
    assert_eq!(code, 0, "{cut:?} {by_host:?}");
    assert_agree([&by_host, &by_guest], 1);
    (cuts.frames(), cuts.was_cut())
}

#[test]
fn hand_continues_after_a_cut_at_any_frame() {
    let players = acquainted();
    let (frames, _) = hand(&players, None);
    let cuts = (0..2).flat_map(|seat| (1..=frames[seat]).map(move |after| Cut { seat, after }));
    let cuts: Vec<Cut> = cuts.collect();
    let [next, cut] = [(); 2].map(|()| AtomicUsize::new(0));
    thread::scope(|scope| {
        // Six threads, because each hand mostly waits until it connects again.
        for _ in 0..6 {
            scope.spawn(|| {
                while let Some(&point) = cuts.get(next.fetch_add(1, Ordering::Relaxed)) {
                    // The bots may end a hand before this frame.
                    let was_cut = (0..TRIES).any(|_| hand(&players, Some(point)).1);
                    cut.fetch_add(usize::from(was_cut), Ordering::Relaxed);
                }
            });
        }
    });
    let cut = cut.into_inner();
    println!("an undisturbed hand takes {frames:?} frames; cut at {cut} of them");
    // The number of frames depends on timing, so some cuts may not happen.
    assert!(cut > 40 && cut * 5 >= cuts.len() * 4);
}

/// A sleeping side does not notice the end of its connection. It receives the missing parts on the
/// next connection.
#[test]
fn match_continues_with_the_same_cards_after_a_side_slept() {
    let players = acquainted();
    let [a, b] = players.each_ref().map(TempDir::path);
    let bot = ["--auto", "--hands", "3", "--for", "Bert"];
    let (mut host, _) = host_at(a, ANY_PORT, &bot);
    let cuts = Cuts::start(listening(&mut host).parse().unwrap(), None);
    let mut guest = Side::join(b, "Anna", &["--at", &cuts.address.to_string()]);
    let before = guest.until("your-turn");
    guest.signal("STOP");
    cuts.cut_now();
    host.until("line-lost");
    guest.signal("CONT");
    guest.until("line-lost");
    guest.until("resumed");
    let after = guest.until("your-turn");
    assert_same_turn(&before, &after);
    host.until("resumed");
    assert_eq!(host.until("their-turn")["turn"], after["turn"]);
    guest.say(&json!({"do": "leave", "turn": after["turn"]}));
    assert_eq!(guest.finish().1, 0);
    assert_eq!(host.finish().1, 0);
}

/// A killed host comes back at another port, which the guest does not know. The two meet
/// at the relay.
#[test]
fn match_is_resumed_over_a_relay() {
    let relay = Relay::start();
    let by = relay.address.to_string();
    let [a, b] = folders();
    let offer = ["--hands", "3", "--relay", &by];
    let (mut host, invite) = host_at(a.path(), ANY_PORT, &offer);
    let mut guest = Side::join(b.path(), &invite, &["--auto"]);
    let before = host.until("your-turn");
    assert_eq!(relay.joined(), 0);
    host.kill();
    guest.until("line-lost");
    let mut host = resume(a.path(), &["--listen", ANY_PORT, "--relay", &by]);
    host.until("resumed");
    let again = host.until("your-turn");
    assert_same_turn(&before, &again);
    assert!(relay.joined() > 0);
    host.say(&json!({"do": "leave", "turn": again["turn"]}));
    assert_eq!(host.finish().1, 0);
    let (events, code) = guest.finish();
    let last = events.last().unwrap();
    assert_eq!((code, &last["how"]), (0, &json!("left")), "{events:#?}");
}
