//! A host that declares each try of a hand void, repeatedly on one connection.

use std::io::{BufRead, BufReader, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use dealerless_connection::Stream;
use dealerless_table::Seat;
use dealerless_table::log::{LogMessage, MatchLog, Part, PartKind, Phase};
use dealerless_table::rules::{Stakes, Variety};
use serde_json::{Value, json};

use super::seats::{Met, met, player, sit};

/// Deals and sends `Again` until the connection ends. Counts the deals of the guest.
fn voids_all(host: &Met, dealt: &AtomicU32) {
    let mut log = MatchLog::new(host.seating.sitting.match_info.clone(), Seat::HOST);
    loop {
        let may = log.may_sign(Seat::HOST);
        let part = match log.phase() {
            Phase::Deal if may.contains(&PartKind::Deal) => Some(Part::Deal(
                log.deal(log.sealed_input([1; 32], 0).unwrap(), vec![false; 2]),
            )),
            Phase::Seal(Seat::HOST) => Some(Part::Again),
            _ => None,
        };
        let result = match part {
            Some(part) => {
                let signed = log.sign(&host.own.identity, Seat::HOST, &part);
                let signed = LogMessage::Part(signed.unwrap().0);
                host.connection.send_log(signed.encode())
            }
            None => host
                .connection
                .recv(Duration::from_secs(60))
                .map(|message| {
                    if message.stream == Stream::Log
                        && let Ok(LogMessage::Part(part)) = LogMessage::decode(&message.bytes)
                    {
                        log.accept(part).unwrap();
                        dealt.fetch_add(1, Ordering::Relaxed);
                    }
                }),
        };
        if result.is_err() {
            return;
        }
    }
}

#[test]
fn from_the_eighth_void_try_the_player_is_asked_before_each_deal() {
    let variety = Variety::Deck { cards: 3, drawn: 1 };
    let [host, guest] = met(&Stakes::new(variety, 2, 1).unwrap());
    let dealt = Arc::new(AtomicU32::new(0));
    let attacker = {
        let dealt = Arc::clone(&dealt);
        thread::spawn(move || voids_all(&host, &dealt))
    };
    let (player, front) = player();
    let victim = thread::spawn(move || sit(guest, player));
    let mut commands = front.commands;
    let mut again = || writeln!(commands, "{}", json!({ "do": "again" })).unwrap();
    let (mut void, mut asked) = (0, 0);
    for line in BufReader::new(front.events).lines() {
        let event: Value = serde_json::from_str(&line.unwrap()).unwrap();
        match event["event"].as_str().unwrap() {
            "again" => {
                void += 1;
                assert!(void <= 8 + asked, "it deals without asking");
                // The player need not wait for the pause.
                if void < 8 {
                    again();
                }
            }
            "ask-again" => {
                assert_eq!(event["in_a_row"], json!(void));
                assert_eq!(dealt.load(Ordering::Relaxed), void);
                asked += 1;
                if asked == 3 {
                    break;
                }
                again();
            }
            _ => {}
        }
    }
    assert_eq!((void, asked), (10, 3));
    drop(commands);
    // The match is broken off.
    assert!(victim.join().unwrap().is_err());
    attacker.join().unwrap();
}
