//! A session that is played again and again against a peer whose bytes are an honest peer's, as
//! recorded once, with some changes.
//!
//! All randomness is fixed, so the honest peer's bytes fit every time, up to the first change.

use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use dealerless::circuit::{Builder, Circuit, Party};
use dealerless::deck::{Card, SealedDeck};
use dealerless::mpc::{Input, Opening, To, TwoParty};
use dealerless::net::{Channel, Deadlines, HEADER_BYTES, MemoryTransport, Transport, memory_pair};
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
use dealerless::{Error, Result, net};
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::line::Bytes;

/// Sets up an engine of the session.
pub trait Engine {
    type Party<T: Transport>: TwoParty;

    /// Whether any change of what the peer sends is caught, or without effect.
    const CATCHES_LIES: bool;

    fn begin<T: Transport>(
        channel: Channel<T>,
        party: Party,
        rng: &mut StdRng,
    ) -> Result<Self::Party<T>>;
}

/// What a party learned: opened words of a circuit, and the cards of a deck.
#[derive(Debug, PartialEq, Eq)]
pub struct Learned {
    words: Vec<Option<Vec<bool>>>,
    cards: Vec<Option<Card>>,
}

/// The product of two values, bit by bit, and that of neighbours in it: every input is read by an
/// AND.
fn products() -> Circuit {
    let mut builder = Builder::new(&[9, 9]);
    let (a, b) = (builder.input(0), builder.input(1));
    let first: Vec<_> = a.iter().zip(&b).map(|(&a, &b)| builder.and(a, b)).collect();
    let second = first.windows(2).map(|pair| builder.and(pair[0], pair[1]));
    let second = second.collect();
    builder.build(vec![first, second])
}

/// Runs a circuit, runs it again on what came out, opens; then shuffles a deck and opens cards.
fn play<P: TwoParty>(session: &mut P, rng: &mut StdRng) -> Result<Learned> {
    let (mine, theirs) = match session.party() {
        Party::Garbler => (To::Me, To::Peer),
        Party::Evaluator => (To::Peer, To::Me),
    };
    let circuit = products();
    let bits = [true; 9];
    let inputs = match session.party() {
        Party::Garbler => [Input::Mine(&bits[..]), Input::Peer],
        Party::Evaluator => [Input::Peer, Input::Mine(&bits[..])],
    };
    let once = session.run(&circuit, &inputs)?;
    let twice = session.run(
        &circuit,
        &[Input::Shared(&once[0]), Input::Shared(&once[0])],
    )?;
    let opening = |to, bits| Opening { to, bits };
    let words = session.open(&[
        opening(mine, &once[1]),
        opening(theirs, &twice[0]),
        opening(To::Both, &twice[1]),
    ])?;

    let spec = Spec::new(5, 3, Algorithm::Lehmer).expect("3 of 5 cards can be drawn");
    let shuffle = ShuffleCircuit::build_checked(spec);
    let mut deck = SealedDeck::shuffle(session, &shuffle, rng)?;
    deck.open(session, &[(0, mine), (1, theirs)])?;
    deck.open(session, &[(0, theirs), (2, To::Both)])?;
    let cards = (0..deck.len())
        .map(|position| deck.seen(position))
        .collect();
    Ok(Learned { words, cards })
}

fn act<E: Engine, T: Transport>(party: Party, line: T) -> Result<Learned> {
    let mut rng = StdRng::from_seed([party as u8; 32]);
    let mut session = E::begin(Channel::new(line, Deadlines::default()), party, &mut rng)?;
    let learned = play(&mut session, &mut rng);
    if learned.is_err() {
        assert!(matches!(session.open(&[]), Err(Error::Ended)));
    }
    learned
}

/// One end of a line, which keeps what it sends.
struct Recorder {
    line: MemoryTransport,
    sent: Arc<Mutex<Vec<u8>>>,
}

impl Transport for Recorder {
    fn send(&mut self, bytes: Vec<u8>, within: Duration) -> io::Result<()> {
        self.sent.lock().expect("no panic").extend(&bytes);
        self.line.send(bytes, within)
    }

    fn drain(&mut self, max_unsent: usize, within: Duration) -> io::Result<()> {
        self.line.drain(max_unsent, within)
    }

    fn recv(&mut self, buf: &mut [u8], within: Duration) -> io::Result<usize> {
        self.line.recv(buf, within)
    }

    fn close(&mut self, within: Duration) {
        self.line.close(within);
    }
}

/// One side of a session between honest parties.
struct Side {
    party: Party,
    learned: Learned,
    /// What the peer sent.
    received: Vec<u8>,
    /// Where each frame of it is, with its header.
    frames: Vec<Range<usize>>,
}

/// An honest session, seen from both sides.
pub struct Honest([Side; 2]);

impl Honest {
    /// Plays it.
    pub fn record<E: Engine>() -> Self {
        let (one, other) = memory_pair();
        let ends = [(Party::Garbler, one), (Party::Evaluator, other)];
        let [garbler, evaluator] = ends.map(|(party, line)| {
            let sent = Arc::default();
            let recorder = Recorder {
                line,
                sent: Arc::clone(&sent),
            };
            let playing = thread::spawn(move || act::<E, _>(party, recorder));
            (party, playing, sent)
        });
        let sides = [garbler, evaluator].map(|(party, playing, sent)| {
            let learned = playing.join().expect("no panic").expect("honest parties");
            let sent = std::mem::take(&mut *sent.lock().expect("no panic"));
            (party, learned, sent)
        });
        let [
            (garbler, seen, by_garbler),
            (evaluator, noticed, by_evaluator),
        ] = sides;
        Honest([
            Side::new(garbler, seen, by_evaluator),
            Side::new(evaluator, noticed, by_garbler),
        ])
    }

    /// Plays one side again. The input says which, and then what is changed in what it receives.
    ///
    /// # Panics
    /// When it ends in something else than an error of the peer's making or the right result.
    pub fn replay<E: Engine>(&self, input: &[u8]) {
        let mut input = input.iter().copied();
        let which = input.next().unwrap_or_default();
        let side = &self.0[usize::from(which % 2)];
        let received = side.changed(&mut input);
        let outcome = act::<E, _>(side.party, Bytes::new(&received, received.len()));
        match outcome {
            Ok(learned) if E::CATCHES_LIES => assert_eq!(learned, side.learned),
            Ok(_) => {}
            Err(
                Error::Check(_)
                | Error::Disagreement(_)
                | Error::Channel(
                    net::Error::Malformed(_)
                    | net::Error::Version { .. }
                    | net::Error::Lost { .. }
                    | net::Error::Aborted,
                ),
            ) => {
                assert_ne!(received, side.received);
            }
            Err(other) => panic!("{other}"),
        }
    }
}

impl Side {
    fn new(party: Party, learned: Learned, received: Vec<u8>) -> Self {
        let mut frames = Vec::new();
        let mut start = 0;
        while start < received.len() {
            let (length, _) = received[start..].split_at(4);
            let length = u32::from_le_bytes(length.try_into().expect("4 bytes"));
            let end = start + HEADER_BYTES + length as usize;
            frames.push(start..end);
            start = end;
        }
        Side {
            party,
            learned,
            received,
            frames,
        }
    }

    /// What the peer sends, with the changes that the input asks for, each at a place in a frame:
    /// a short one is changed as often as a long one.
    fn changed(&self, input: &mut impl Iterator<Item = u8>) -> Vec<u8> {
        let mut bytes = self.received.clone();
        while let Some(frame) = input.next() {
            let mut next = || input.next().unwrap_or_default();
            let frame = &self.frames[usize::from(frame) % self.frames.len()];
            let (kind, offset) = (next(), usize::from(u16::from_le_bytes([next(), next()])));
            // An earlier change may have made it shorter.
            let at = (frame.start + offset % frame.len()).min(bytes.len());
            let end = frame.end.clamp(at, bytes.len());
            let count = usize::from(next());
            match kind % 6 {
                0 => bytes
                    .get_mut(at)
                    .into_iter()
                    .for_each(|byte| *byte ^= 1 << (count % 8)),
                1 => bytes[at..end]
                    .iter_mut()
                    .take(count % 40)
                    .for_each(|byte| *byte = next()),
                2 => bytes[at..end].fill(count as u8),
                3 => drop(bytes.splice(at..at, std::iter::repeat_n(next(), count))),
                4 => drop(bytes.drain(at..end)),
                _ => bytes.truncate(at),
            }
        }
        bytes
    }
}
