//! The engine stream shares a connection with the log and the control stream.

use std::thread;
use std::time::{Duration, Instant};

use dealerless::circuit::Party;
use dealerless::deck::SealedDeck;
use dealerless::mpc::{Audience, EngineKind, Greeting, Malicious, Offer};
use dealerless::net::{Channel, Deadlines, Transport};
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
use dealerless_connection::identity::Budget;
use dealerless_connection::testing::Connection;
use dealerless_connection::testing::players::{Player, SOON, connection, invite, met};
use dealerless_connection::{ConnectionError, Priority, Timing};

fn read_all(stream: &mut impl Transport, count: usize) -> Vec<u8> {
    let (mut all, mut buf) = (Vec::new(), vec![0; 32 << 10]);
    while all.len() < count {
        match stream.recv(&mut buf, SOON).unwrap() {
            0 => break,
            len => all.extend_from_slice(&buf[..len]),
        }
    }
    all
}

#[test]
fn both_engines_may_send_a_lot_before_they_receive() {
    const LEN: usize = 3 << 20;
    let (host, guest) = met(Timing::default());
    let sides = [(host, 1u8), (guest, 2)].map(|(connection, own)| {
        thread::spawn(move || {
            let mut engine = connection.engine(1).unwrap();
            for (part, priority) in [Priority::Run, Priority::Pool, Priority::Run]
                .iter()
                .enumerate()
            {
                connection.set_engine_priority(*priority);
                engine
                    .send(vec![own + 10 * part as u8; LEN / 3], SOON)
                    .unwrap();
            }
            let received = read_all(&mut engine, LEN);
            engine.drain(0, SOON).unwrap();
            (connection, engine, received)
        })
    });
    let sides = sides.map(|side| side.join().unwrap());
    for ((_, _, received), peer) in sides.iter().zip([2u8, 1]) {
        assert_eq!(received.len(), LEN);
        for (part, bytes) in received.chunks(LEN / 3).enumerate() {
            assert!(bytes.iter().all(|byte| *byte == peer + 10 * part as u8));
        }
    }
}

#[test]
fn moves_overtake_a_pool_that_nobody_reads() {
    let (host, guest) = met(Timing::default());
    let mut engine = guest.engine(1).unwrap();
    guest.set_engine_priority(Priority::Pool);
    engine.send(vec![7; 8 << 20], SOON).unwrap();
    for number in 0..100u8 {
        guest.send_log(vec![number; 300]).unwrap();
        assert_eq!(host.recv(SOON).unwrap().bytes, [number; 300]);
    }
    let mut reader = host.engine(1).unwrap();
    assert_eq!(read_all(&mut reader, 8 << 20).len(), 8 << 20);
}

#[test]
fn engine_sessions_follow_each_other_on_one_connection() {
    let (host, guest) = met(Timing::default());
    let mut first = guest.engine(1).unwrap();
    assert_eq!(guest.engine(2).err(), Some(ConnectionError::EngineInUse));
    first.send(vec![1; 100_000], SOON).unwrap();
    first.close(SOON);
    assert!(first.send(vec![1], SOON).is_err());
    drop(first);
    assert_eq!(guest.engine(1).err(), Some(ConnectionError::EngineInUse));
    let mut second = guest.engine(2).unwrap();
    second.send(vec![2; 10], SOON).unwrap();
    let mut theirs = host.engine(1).unwrap();
    assert_eq!(read_all(&mut theirs, usize::MAX).len(), 100_000);
    drop(theirs);
    let mut theirs = host.engine(2).unwrap();
    assert_eq!(read_all(&mut theirs, 10), [2; 10]);
    theirs.send(vec![3; 10], SOON).unwrap();
    assert_eq!(read_all(&mut second, 10), [3; 10]);
    let nothing = second
        .recv(&mut [0], Duration::from_millis(20))
        .unwrap_err();
    assert_eq!(nothing.kind(), std::io::ErrorKind::TimedOut);
    drop(host);
    drop(theirs);
    assert!(!matches!(second.recv(&mut [0], SOON), Ok(1..)));
}

/// Shuffles ten cards over `connection`, and opens four of them to both players. Returns the four.
fn deal(connection: &Connection, own: &Player, role: Party, shuffle: &ShuffleCircuit) -> Vec<u8> {
    let rng = &mut rand::rng();
    let budget = Budget::default();
    let counted = own.peers.counted(&connection.met.peer).unwrap();
    let offer = Offer::new(role, EngineKind::Malicious)
        .bound_to(&connection.met.handshake_hash)
        .statistical_security(budget.rho())
        .counted_by(counted);
    let channel = Channel::new(connection.engine(1).unwrap(), Deadlines::default());
    let greeting = Greeting::exchange(channel, offer, rng).unwrap();
    let mut session = Malicious::setup(greeting, rng).unwrap();
    // The attempt of this session is already counted on disk.
    assert_eq!(own.peers.lock().attempts(&connection.met.peer), 1);
    let mut deck = SealedDeck::shuffle(&mut session, shuffle, rng).unwrap();
    let cards: Vec<_> = (0..4).map(|card| (card, Audience::Both)).collect();
    let opened = deck.open(&mut session, &cards).unwrap();
    opened
        .into_iter()
        .flatten()
        .map(|card| card.0 as u8)
        .collect()
}

#[test]
fn engine_deals_over_a_connection_and_its_attempts_are_counted() {
    let [host, guest] = ["Anna", "Bob"].map(Player::new);
    host.remember(&guest);
    guest.remember(&host);
    let door = host.door();
    let joined = guest.join(&invite(&door)).unwrap();
    let let_in = connection(&door);
    let shuffle = Spec::new(10, 4, Algorithm::FisherYates).unwrap();
    let shuffle = ShuffleCircuit::build_checked(shuffle);
    let (ours, theirs) = thread::scope(|scope| {
        let theirs = scope.spawn(|| deal(&joined, &guest, Party::Evaluator, &shuffle));
        (
            deal(&let_in, &host, Party::Garbler, &shuffle),
            theirs.join().unwrap(),
        )
    });
    assert_eq!(ours, theirs);
    assert_eq!(ours.len(), 4);
    let_in.send_log(b"part".to_vec()).unwrap();
    assert_eq!(joined.recv(SOON).unwrap().bytes, b"part");
    for (player, connection) in [(&host, &let_in), (&guest, &joined)] {
        assert_eq!(player.peers.lock().attempts(&connection.met.peer), 0);
    }
}

#[test]
#[ignore = "a measurement; run it alone with --nocapture"]
fn throughput_of_a_connection() {
    let (host, guest) = met(Timing::default());
    let (mut ours, mut theirs) = (guest.engine(1).unwrap(), host.engine(1).unwrap());
    const LEN: usize = 64 << 20;
    let begun = Instant::now();
    let sender = thread::spawn(move || {
        for _ in 0..LEN >> 16 {
            ours.send(vec![7; 1 << 16], SOON).unwrap();
        }
        ours
    });
    assert_eq!(read_all(&mut theirs, LEN).len(), LEN);
    let rate = LEN as f64 / begun.elapsed().as_secs_f64() / 1e6;
    let mut ours = sender.join().unwrap();
    let answers = thread::spawn(move || {
        while let Ok(1) = theirs.recv(&mut [0], SOON) {
            theirs.send(vec![1], SOON).unwrap();
        }
    });
    const TRIPS: u32 = 2000;
    let begun = Instant::now();
    for _ in 0..TRIPS {
        ours.send(vec![1], SOON).unwrap();
        ours.recv(&mut [0], SOON).unwrap();
    }
    println!(
        "{rate:.0} MB/s; {:?} per round trip",
        begun.elapsed() / TRIPS
    );
    drop(ours);
    answers.join().unwrap();
}

#[test]
#[ignore = "a measurement; run it alone with --nocapture"]
fn duration_of_a_meeting() {
    const MEETINGS: u32 = 50;
    let [host, guest] = ["Anna", "Bob"].map(Player::new);
    host.remember(&guest);
    guest.remember(&host);
    let door = host.door();
    let first = invite(&door);
    let public = host.home.identity().public();
    let timed = |meet: &dyn Fn() -> Connection| {
        let begun = Instant::now();
        for _ in 0..MEETINGS {
            let connections = (meet(), connection(&door));
            drop(connections);
        }
        begun.elapsed() / MEETINGS
    };
    let by_invite = timed(&|| guest.join(&first).unwrap());
    let at = [door.addresses()[0].into()];
    let again = timed(&|| guest.guest().join_again(public, &at, None).unwrap());
    println!("{by_invite:?} by an invite, {again:?} with a known peer");
}
