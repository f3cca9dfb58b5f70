//! A custom transport: two threads, connected by channels of the standard library, deal ten runes.
//!
//! Run with `cargo run --example own_transport`.

use std::collections::VecDeque;
use std::error::Error;
use std::io::{self, ErrorKind, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use dealerless::circuit::Party;
use dealerless::deck::{self, SealedDeck};
use dealerless::mpc::{Audience, Malicious};
use dealerless::net::{Channel, Deadlines, Transport};
use dealerless::rand::{rand_core::UnwrapErr, rngs::SysRng};
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};

const RUNES: [&str; 10] = ["ᚠ", "ᚢ", "ᚦ", "ᚨ", "ᚱ", "ᚲ", "ᚷ", "ᚹ", "ᚺ", "ᚾ"];

/// One end: the channel to the peer, the channel from the peer, and the received bytes that are not
/// read yet.
struct Threads(Sender<Vec<u8>>, Receiver<Vec<u8>>, VecDeque<u8>);

impl Transport for Threads {
    fn send(&mut self, bytes: Vec<u8>, _: Duration) -> io::Result<()> {
        let sent = self.0.send(bytes);
        sent.map_err(|_| ErrorKind::BrokenPipe.into())
    }

    fn recv(&mut self, buf: &mut [u8], within: Duration) -> io::Result<usize> {
        if self.2.is_empty() {
            self.2 = match self.1.recv_timeout(within) {
                Ok(bytes) => bytes.into(),
                Err(RecvTimeoutError::Timeout) => return Err(ErrorKind::TimedOut.into()),
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
            };
        }
        self.2.read(buf)
    }
}

/// Draws four of the runes, two for each party, and returns the two runes of this party.
fn play(role: Party, transport: Threads, shuffle: &ShuffleCircuit) -> deck::Result<String> {
    let rng = &mut UnwrapErr(SysRng);
    let channel = Channel::new(transport, Deadlines::default());
    let mut session = Malicious::new(channel, role, rng)?;
    let mut deck = SealedDeck::shuffle(&mut session, shuffle, rng)?;
    let owners = [
        Party::Garbler,
        Party::Evaluator,
        Party::Garbler,
        Party::Evaluator,
    ];
    let cards: Vec<_> = owners.map(Audience::Only).into_iter().enumerate().collect();
    let mine = deck.open(&mut session, &cards)?.into_iter().flatten();
    let runes: Vec<&str> = mine.map(|card| RUNES[card.0 as usize]).collect();
    Ok(runes.join(" "))
}

fn main() -> Result<(), Box<dyn Error>> {
    let shuffle = ShuffleCircuit::build_checked(Spec::new(RUNES.len(), 4, Algorithm::FisherYates)?);
    let ((to_right, from_left), (to_left, from_right)) = (channel(), channel());
    let left = Threads(to_right, from_right, VecDeque::new());
    let right = Threads(to_left, from_left, VecDeque::new());
    let (garbler, evaluator) = thread::scope(|scope| {
        let evaluator = scope.spawn(|| play(Party::Evaluator, right, &shuffle));
        let garbler = play(Party::Garbler, left, &shuffle);
        let evaluator = evaluator.join();
        (garbler, evaluator.expect("no panic"))
    });
    println!("the garbler drew   {}", garbler?);
    println!("the evaluator drew {}", evaluator?);
    Ok(())
}
