//! Records a session of honest parties, and repeats one side of it against a peer that sends the
//! recorded bytes with some changes.
//!
//! All randomness is fixed, so the recorded bytes match in every run, up to the first change.

use std::ops::Range;

use dealerless::Blame;
use dealerless::circuit::{Builder, Circuit, Party};
use dealerless::deck::{Card, Result, SealedDeck};
use dealerless::mpc::{self, Audience, Input, Opening, Run, Security, TwoParty};
use dealerless::net::{Channel, Deadlines};
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
use dealerless::testing::line::End;
use dealerless::testing::session::{Engine, both, in_memory};
use dealerless::testing::tap::Tap;
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::replayed_bytes::ReplayedBytes;

const LEARNERS: [Audience; 3] = [
    Audience::Only(Party::Garbler),
    Audience::Only(Party::Evaluator),
    Audience::Both,
];

/// The result of a party: opened words of a circuit, and the cards of a deck.
#[derive(Debug, PartialEq, Eq)]
pub struct Learned {
    security: Security,
    words: Vec<Option<Vec<bool>>>,
    cards: Vec<Option<Card>>,
}

/// A circuit that computes the bitwise product of two values, and the products of neighbouring bits
/// of that product. So every input is read by an AND gate.
fn products() -> Circuit {
    let mut builder = Builder::new(&[9, 9]);
    let (a, b) = (builder.input(0), builder.input(1));
    let first: Vec<_> = a.iter().zip(&b).map(|(&a, &b)| builder.and(a, b)).collect();
    let second = first.windows(2).map(|pair| builder.and(pair[0], pair[1]));
    let second = second.collect();
    builder.build(vec![first, second])
}

/// Runs a circuit, runs it again on its outputs, and opens bits; then shuffles a deck and opens
/// cards.
fn play<P: TwoParty>(session: &mut P, rng: &mut StdRng) -> Result<Learned> {
    let circuit = products();
    let bits = [true; 9];
    let once = session.run(Run::new(&circuit, &Input::ONE_EACH, &bits))?;
    let inputs = [Input::Shared(&once[0]), Input::Shared(&once[0])];
    let twice = session.run(Run::new(&circuit, &inputs, &[]))?;
    let values = [&once[1], &twice[0], &twice[1]];
    let openings: Vec<_> = (LEARNERS.into_iter().zip(values))
        .map(|(to, bits)| Opening { to, bits })
        .collect();
    let opened = session.open(&openings)?;
    let words = opened
        .iter()
        .map(|word| word.map(<[bool]>::to_vec))
        .collect();

    let spec = Spec::new(5, 3, Algorithm::Lehmer).expect("3 of 5 cards can be drawn");
    let shuffle = ShuffleCircuit::build_checked(spec);
    let mut deck = SealedDeck::shuffle(session, &shuffle, rng)?;
    let [garbler, evaluator, everybody] = LEARNERS;
    deck.open(session, &[(0, garbler), (1, evaluator)])?;
    deck.open(session, &[(0, evaluator), (2, everybody)])?;
    let cards = (0..deck.len())
        .map(|position| deck.seen(position))
        .collect();
    Ok(Learned {
        security: session.security(),
        words,
        cards,
    })
}

fn act<E: Engine>(party: Party, transport: End) -> Result<Learned> {
    let mut rng = StdRng::from_seed([party as u8; 32]);
    let mut session = E::begin(
        Channel::new(transport, Deadlines::default()),
        party,
        &mut rng,
    )?;
    let learned = play(&mut session, &mut rng);
    if learned.is_err() {
        assert!(matches!(session.open(&[]), Err(mpc::Error::Ended)));
    }
    learned
}

/// One side of a session between honest parties.
struct Side {
    party: Party,
    learned: Learned,
    /// The bytes sent by the peer.
    received: Vec<u8>,
    /// The position of each frame in `received`, including its header.
    frames: Vec<Range<usize>>,
}

/// An honest session, recorded on both sides.
pub struct Honest([Side; 2]);

impl Honest {
    /// Plays and records the session.
    pub fn record<E: Engine>() -> Self {
        Honest(both(in_memory(), |party, end| {
            let tap = Tap::new(end);
            let record = tap.record();
            let learned = act::<E>(party, Box::new(tap)).expect("an honest session succeeds");
            let (mut frames, mut received) = (Vec::new(), Vec::new());
            for frame in record.take().into_iter().filter(|frame| !frame.sent) {
                let start = received.len();
                received.extend(frame.to_bytes());
                frames.push(start..received.len());
            }
            Side {
                party,
                learned,
                frames,
                received,
            }
        }))
    }

    /// Repeats one side of the session. The input selects the side, and then the changes to the
    /// bytes that this side receives.
    ///
    /// # Panics
    /// If the session ends with neither the correct result nor an error that the peer can have
    /// caused.
    pub fn replay<E: Engine>(&self, input: &[u8]) {
        let mut input = input.iter().copied();
        let which = input.next().unwrap_or_default();
        let side = &self.0[usize::from(which % 2)];
        let received = side.changed(&mut input);
        let transport = ReplayedBytes::new(received.clone(), received.len());
        match act::<E>(side.party, Box::new(transport)) {
            // Any change to the peer's bytes is detected or has no effect.
            Ok(learned) if learned.security == Security::Malicious => {
                assert_eq!(learned, side.learned);
            }
            Ok(_) => {}
            Err(error) => {
                assert_ne!(error.blame(), Blame::ThisSide, "{error}");
                assert_ne!(received, side.received);
            }
        }
    }
}

impl Side {
    /// Returns the peer's bytes with the changes that the input requests. Each change is at a
    /// position in a frame, so that short frames are changed as often as long ones.
    fn changed(&self, input: &mut impl Iterator<Item = u8>) -> Vec<u8> {
        let mut bytes = self.received.clone();
        while let Some(frame) = input.next() {
            let mut next = || input.next().unwrap_or_default();
            let frame = &self.frames[usize::from(frame) % self.frames.len()];
            let (kind, offset) = (next(), usize::from(u16::from_le_bytes([next(), next()])));
            // An earlier change may have shortened the bytes.
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
