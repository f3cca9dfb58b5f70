//! The binding of the engine to its connection, and evidence against a peer.

use std::io;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};

use dealerless::circuit::Party;
use dealerless::mpc::{Attempt, Attempts, EngineKind, Greeting, Malicious, Offer};
use dealerless::net::{Channel, Deadlines, MemoryTransport, memory_pair, system_time};
use dealerless_connection::identity::Identity;
use dealerless_connection::storage::MemoryStorage;
use dealerless_connection::system_rng;
use dealerless_table::Seat;
use dealerless_table::log::{End, Journal, LogMessage, MatchLog, Part, Phase, SignedPart};
use dealerless_table::play::{Binding, Dealer, Done, Event, Orders};
use dealerless_table::testing::threads::wirings;

use super::watched::{Action, Watched};
use super::{holdem, shuffle_for};

/// Records the attempts in a list.
struct Recorded(Arc<Mutex<Vec<Attempt>>>);

impl Attempts for Recorded {
    fn begins(&mut self, attempt: Attempt) -> io::Result<()> {
        self.0.lock().unwrap().push(attempt);
        Ok(())
    }

    fn ends_well(&mut self, _: Attempt) {}
}

/// A host's engine, bound to this handshake hash. Returns the engine, its reports, and the attempts
/// that it counts.
fn engine(
    handshake: [u8; 32],
    connection: MemoryTransport,
) -> (Dealer, Receiver<Done>, Arc<Mutex<Vec<Attempt>>>) {
    let attempts = Arc::new(Mutex::new(Vec::new()));
    let binding = Binding {
        seat: Seat::HOST,
        handshake,
        circuit: shuffle_for(&holdem(1)),
        attempts: Box::new(Recorded(Arc::clone(&attempts))),
        now: system_time,
    };
    let (sender, done) = mpsc::channel();
    let channel = Channel::new(connection, Deadlines::default());
    let report = move |done| sender.send(done).is_ok();
    let dealer = Dealer::start(channel, binding, system_rng(), |_| {}, report);
    (dealer, done, attempts)
}

#[test]
fn engine_is_bound_to_its_connection_and_counts_its_attempts() {
    for (handshake, bits, good) in [(1, 56, true), (2, 56, false), (1, 50, false)] {
        let (one, other) = memory_pair();
        let (mut dealer, done, attempts) = engine([1; 32], one);
        let handshake = [handshake; 32];
        let offer = Offer::new(Party::Evaluator, EngineKind::Malicious)
            .bound_to(&handshake)
            .statistical_security(bits);
        let (channel, mut rng) = (Channel::new(other, Deadlines::default()), system_rng());
        let session = Greeting::exchange(channel, offer, &mut rng)
            .and_then(|greeting| Malicious::setup(greeting, &mut rng));
        assert_eq!(session.is_ok(), good, "{handshake:?} {bits}");
        if good {
            dealer.voided().unwrap();
            assert_eq!(attempts.lock().unwrap()[..], [Attempt::Setup, Attempt::Run]);
        } else {
            assert!(matches!(done.recv(), Ok(Done::Failed(_))));
        }
    }
}

/// The message with a host's `Deal` part, whose input commitment is `input`. `change` can change
/// the part before the host signs it.
fn deal(
    log: &MatchLog,
    identity: &Identity,
    input: [u8; 32],
    change: impl FnOnce(&mut Vec<u8>),
) -> Event {
    let honest = Part::Deal(log.deal(log.sealed_input(input, 0).unwrap(), vec![false; 2]));
    let (signed, _) = log.clone().sign(identity, Seat::HOST, &honest).unwrap();
    let mut part = signed.part;
    change(&mut part);
    let (id, step, before) = (log.match_info().id(), 0u64.to_le_bytes(), log.hash());
    let signature = identity.sign("part", &[id.as_bytes(), &step, &before, &[0], &part]);
    let signed = SignedPart {
        step: 0,
        seat: Seat::HOST,
        part,
        signature,
    };
    Event::Received(Seat::HOST, LogMessage::Part(signed).encode())
}

/// The log in the guest's file after the guest has received these messages from the host.
fn file_after(messages: impl Fn(&MatchLog, &Identity) -> Vec<Event>) -> MatchLog {
    let stakes = holdem(1);
    let ([host, guest], info) = wirings(&stakes, &shuffle_for(&stakes));
    let log = MatchLog::new(info, Seat::GUEST);
    let mut guest = Watched::new(guest, &log);
    for event in messages(&log, &host.identity) {
        guest.play.receive(event).unwrap();
    }
    // Data that was not synced is lost, as if the machine stopped here.
    let mut bytes = Vec::new();
    let mut synced = 0;
    for action in guest.actions.all() {
        match action {
            Action::Append(more) => bytes.extend(more),
            Action::Sync => synced = bytes.len(),
            _ => {}
        }
    }
    bytes.truncate(synced);
    let key = guest.wiring.identity.file_key();
    Journal::open(MemoryStorage::of(bytes), key).unwrap().log
}

#[test]
fn evidence_is_on_disk_as_soon_as_it_is_received() {
    let foul = file_after(|log, host| vec![deal(log, host, [1; 32], |part| part[1] = 9)]);
    assert!(matches!(
        foul.phase(),
        Phase::Over(End::Foul {
            seat: Seat::HOST,
            ..
        })
    ));
    let fork = file_after(|log, host| {
        let deal = |input| deal(log, host, [input; 32], |_| {});
        vec![deal(1), deal(1), deal(2)]
    });
    assert!(matches!(
        fork.phase(),
        Phase::Over(End::Fork { seat: Seat::HOST })
    ));
}

#[test]
fn deck_name_depends_on_all_deals() {
    let stakes = holdem(1);
    let (seats, info) = wirings(&stakes, &shuffle_for(&stakes));
    let name = |input: u8| {
        let mut log = MatchLog::new(info.clone(), Seat::HOST);
        for (seat, wiring) in [Seat::HOST, Seat::GUEST].into_iter().zip(&seats) {
            let deal =
                Part::Deal(log.deal(log.sealed_input([input; 32], 0).unwrap(), vec![false; 2]));
            log.sign(&wiring.identity, seat, &deal).unwrap();
        }
        dealerless_table::play::deck_name(&log)
    };
    assert_eq!(name(1), name(1));
    assert_ne!(name(1), name(2));
}
