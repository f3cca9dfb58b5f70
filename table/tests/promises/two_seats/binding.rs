//! What the engine is bound to, and what convicts a peer.

use std::io;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};

use dealerless::circuit::Party;
use dealerless::mpc::{Attempt, Attempts, Greeting, Malicious, Offer, Security};
use dealerless::net::{Channel, Deadlines, MemoryTransport, memory_pair};
use dealerless_table::identity::Identity;
use dealerless_table::log::{
    End, Journal, LogMessage, MatchLog, MemoryStorage, Part, Phase, SignedPart,
};
use dealerless_table::play::{Binding, Dealer, Done, Event, Orders};
use dealerless_table::{Seat, system_rng};

use super::seats::wirings;
use super::watched::{Deed, Watched};
use super::{holdem, shuffle_for};

/// Counts into a list.
struct Noted(Arc<Mutex<Vec<Attempt>>>);

impl Attempts for Noted {
    fn begins(&mut self, attempt: Attempt) -> io::Result<()> {
        self.0.lock().unwrap().push(attempt);
        Ok(())
    }

    fn ends_well(&mut self, _: Attempt) {}
}

/// A host's engine on a line with this handshake, what it does and what it counts.
fn engine(
    handshake: [u8; 32],
    connection: MemoryTransport,
) -> (Dealer, Receiver<Done>, Arc<Mutex<Vec<Attempt>>>) {
    let noted = Arc::new(Mutex::new(Vec::new()));
    let binding = Binding {
        seat: Seat::HOST,
        handshake,
        circuit: shuffle_for(&holdem(1)),
        attempts: Box::new(Noted(Arc::clone(&noted))),
    };
    let (sender, done) = mpsc::channel();
    let channel = Channel::new(connection, Deadlines::default());
    let report = move |done| sender.send(done).is_ok();
    let dealer = Dealer::start(channel, binding, system_rng(), |_| {}, report);
    (dealer, done, noted)
}

#[test]
fn an_engine_is_bound_to_its_line_and_counts_before_it_begins() {
    for (handshake, bits, good) in [(1, 56, true), (2, 56, false), (1, 50, false)] {
        let (one, other) = memory_pair();
        let (mut dealer, done, noted) = engine([1; 32], one);
        let handshake = [handshake; 32];
        let offer = Offer::new(Party::Evaluator, Security::Malicious)
            .bound_to(&handshake)
            .statistical_security(bits);
        let (channel, mut rng) = (Channel::new(other, Deadlines::default()), system_rng());
        let session = Greeting::exchange(channel, offer, &mut rng)
            .and_then(|greeting| Malicious::setup(greeting, &mut rng));
        assert_eq!(session.is_ok(), good, "{handshake:?} {bits}");
        match good {
            true => {
                dealer.voided().unwrap();
                assert_eq!(noted.lock().unwrap()[..], [Attempt::Setup, Attempt::Run]);
            }
            false => assert!(matches!(done.recv(), Ok(Done::Failed(_)))),
        }
    }
}

/// A deal of a seat with this input, as it is sent. `change` spoils it before it is signed.
fn deal(
    log: &MatchLog,
    identity: &Identity,
    input: [u8; 32],
    change: impl FnOnce(&mut Vec<u8>),
) -> Event {
    let honest = Part::Deal(log.deal(input, vec![false; 2], 0));
    let (said, _) = log.clone().sign(identity, Seat::HOST, &honest).unwrap();
    let mut part = said.part;
    change(&mut part);
    let (of, step, before) = (log.match_info().id(), 0u64.to_le_bytes(), log.hash());
    let signature = identity.sign("part", &[&of, &step, &before, &[0], &part]);
    let signed = SignedPart {
        step: 0,
        seat: Seat::HOST,
        part,
        signature,
    };
    Event::Received(LogMessage::Part(signed).encode())
}

/// The log in the file of a guest after the host has said all this.
fn file_after(said: impl Fn(&MatchLog, &Identity) -> Vec<Event>) -> MatchLog {
    let stakes = holdem(1);
    let ([host, guest], of) = wirings(&stakes, &shuffle_for(&stakes));
    let log = MatchLog::new(of);
    let mut guest = Watched::new(guest, &log);
    for event in said(&log, &host.identity) {
        guest.play.receive(event).unwrap();
    }
    // It is written when it is heard: a program that stops here loses nothing.
    let mut bytes = Vec::new();
    let mut synced = 0;
    for deed in guest.deeds.all() {
        match deed {
            Deed::Append(more) => bytes.extend(more),
            Deed::Sync => synced = bytes.len(),
            _ => {}
        }
    }
    bytes.truncate(synced);
    let key = guest.wiring.identity.file_key();
    Journal::open(MemoryStorage::of(bytes), key).unwrap().log
}

#[test]
fn what_convicts_the_other_is_in_the_file_when_it_was_heard() {
    let foul = file_after(|log, host| vec![deal(log, host, [1; 32], |part| part[1] = 9)]);
    assert!(matches!(
        foul.phase(),
        Phase::Over(End::Foul {
            seat: Seat::HOST,
            ..
        })
    ));
    let fork = file_after(|log, host| {
        let said = |input| deal(log, host, [input; 32], |_| {});
        vec![said(1), said(1), said(2)]
    });
    assert!(matches!(
        fork.phase(),
        Phase::Over(End::Fork { seat: Seat::HOST })
    ));
}

#[test]
fn the_name_of_a_deck_takes_in_all_that_was_said() {
    let stakes = holdem(1);
    let (seats, of) = wirings(&stakes, &shuffle_for(&stakes));
    let name = |input: u8| {
        let mut log = MatchLog::new(of.clone());
        for (seat, wiring) in [Seat::HOST, Seat::GUEST].into_iter().zip(&seats) {
            let deal = Part::Deal(log.deal([input; 32], vec![false; 2], 0));
            log.sign(&wiring.identity, seat, &deal).unwrap();
        }
        dealerless_table::play::deck_name(&log)
    };
    assert_eq!(name(1), name(1));
    assert_ne!(name(1), name(2));
}
