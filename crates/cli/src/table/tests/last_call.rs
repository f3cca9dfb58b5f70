//! The outcome of a match is counted before the last call to the peer.

use std::io::{self, Write, empty};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use dealerless_connection::identity::{PublicIdentity, SharedPeers};
use dealerless_native::Input;
use dealerless_table::Seat;
use dealerless_table::log::{LogMessage, MatchLog, PartKind, SignedPart};
use dealerless_table::rules::{Stakes, Variety};

use super::super::player::{Face, Player};
use super::super::posts::Posts;
use super::seats::{met, sit};

/// The front end of a host whose guest has disconnected.
struct Front {
    output: Vec<u8>,
    peers: SharedPeers,
    guest: PublicIdentity,
    posts: Posts,
    /// The failed checks of the guest when its last call began.
    counted: Arc<Mutex<Option<u32>>>,
}

impl Front {
    fn receive(&mut self, line: &str) {
        if line.contains("Waiting up to 30 s") {
            let known = self.peers.lock().get(&self.guest).cloned();
            *self.counted.lock().unwrap() = known.map(|known| known.failed_checks);
            self.posts.put(Input::BreakOff);
        }
    }
}

impl Write for Front {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.output.extend_from_slice(bytes);
        while let Some(end) = self.output.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.output.drain(..=end).collect();
            self.receive(std::str::from_utf8(&line).unwrap());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_foul_is_counted_before_the_last_call() {
    let variety = Variety::Deck { cards: 3, drawn: 1 };
    let [host, guest] = met(&Stakes::new(variety, 2, 1).unwrap());
    // Not a valid part, but with the guest's signature.
    let part = vec![PartKind::Leave as u8; 40];
    let of = &guest.seating.sitting.match_info;
    let (id, step, before) = (of.id(), 0_u64, MatchLog::new(of.clone(), Seat::HOST).hash());
    let fields: [&[u8]; 5] = [
        id.as_bytes(),
        &step.to_le_bytes(),
        &before,
        &[Seat::GUEST.number()],
        &part,
    ];
    let foul = LogMessage::Part(SignedPart {
        step,
        seat: Seat::GUEST,
        signature: guest.own.identity.sign("part", &fields),
        part,
    });
    guest.connection.send_log(foul.encode()).unwrap();
    // The connection ends after this message, without a goodbye.
    drop(guest.connection);

    let (posts, counted) = (Posts::default(), Arc::default());
    let front = Front {
        output: Vec::new(),
        peers: host.own.peers.clone(),
        guest: host.connection.met.peer.clone(),
        posts: posts.clone(),
        counted: Arc::clone(&counted),
    };
    // The input is empty, but its end does not end the match of a bot.
    let bot = super::super::bot::Bot::new(rand::SeedableRng::seed_from_u64(1));
    let player = Player::new(
        Face::Json(Box::new(front), Box::default()),
        Some(bot),
        Box::new(empty()),
    );
    let begun = Instant::now();
    let error = sit(host, player.writing_to(&posts)).expect_err("a foul is an error");
    assert!(begun.elapsed() < Duration::from_secs(60));
    assert!(error.to_string().contains("broke"), "{error:#}");
    assert_eq!(*counted.lock().unwrap(), Some(1));
}
