//! An eavesdropper, and the bits that can be computed from all messages between two parties.

use crate::circuit::{Circuit, Party};
use crate::mpc::{Audience, Demand, Input, Opening, Run, Tag as Mpc};
use crate::net::Channel;
use crate::shuffle::{Algorithm, ShuffleCircuit, Spec};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::affine::{Samples, Span};
use super::circuits::bits;
use super::kind::Kind;
use super::line::End;
use super::session::{Engine, PATIENT, both, in_memory, system_rng};
use super::tap::{Frame, Tap};
use super::view::bits_of_bytes;

/// The parties that learn an output word, if any.
pub type Learner = Option<Audience>;

/// The letter for a learner in the name of a [`Play`].
pub fn initial(learner: Learner) -> char {
    match learner {
        Some(Audience::Only(Party::Garbler)) => 'G',
        Some(Audience::Only(Party::Evaluator)) => 'E',
        Some(Audience::Both) => 'B',
        None => '-',
    }
}

/// A scenario that two parties repeat while an eavesdropper reads.
pub struct Play {
    pub name: String,
    circuit: Circuit,
    /// The learner of each output word.
    learners: Vec<Learner>,
    /// For a shuffle: the circuit from which the inputs are sampled.
    shuffle: Option<ShuffleCircuit>,
}

impl Play {
    /// A circuit with one input value for each party.
    pub fn of_circuit(name: &str, circuit: Circuit, learners: &[Learner]) -> Self {
        assert_eq!(circuit.outputs().len(), learners.len());
        Play {
            name: name.to_owned(),
            circuit,
            learners: learners.to_vec(),
            shuffle: None,
        }
    }

    /// A deck from which one card is drawn for each element of `learners`. The card is opened to
    /// this learner, if any.
    pub fn of_deck(algorithm: Algorithm, cards: usize, learners: &[Learner]) -> Self {
        let spec = Spec::new(cards, learners.len(), algorithm).expect("a small deck");
        let shuffle = ShuffleCircuit::build_checked(spec);
        let mut learners = learners.to_vec();
        let names: String = learners.iter().copied().map(initial).collect();
        if shuffle.validity().is_some() {
            learners.push(Some(Audience::Both));
        }
        Play {
            name: format!("{} of {cards}, {algorithm}, to {names}", spec.draw()),
            circuit: shuffle.circuit().clone(),
            learners,
            shuffle: Some(shuffle),
        }
    }

    fn entered(&self, coins: &mut StdRng) -> [Vec<bool>; 2] {
        Party::BOTH.map(|party| match &self.shuffle {
            Some(shuffle) => shuffle.sample(party, coins).bits().to_vec(),
            None => bits(coins, self.circuit.inputs()[party as usize]),
        })
    }
}

/// The bits that an eavesdropper on many runs can compute, and the bits that must stay secret.
pub struct Reading {
    /// The span of all messages and of the values opened to both parties.
    view: Span,
    /// The span of the values opened to both parties.
    public: Span,
    secret: Samples,
    /// The names of the secrets.
    names: Vec<String>,
}

impl Reading {
    /// Returns the secrets, or sums of a secret with earlier secrets, that the eavesdropper can
    /// compute and that do not follow from the values opened to both parties.
    pub fn leaks(&self) -> Vec<&str> {
        let leaks = self.view.leaks_beyond(&self.public, &self.secret);
        leaks.into_iter().map(|i| &self.names[i][..]).collect()
    }
}

/// The bits of a frame that may reveal information: all bits of the frame, but only the two lowest
/// bits of each block. All operations treat the bits of a block alike, except for the lowest, the
/// colour bit.
///
/// The following frames are omitted:
/// - digests, challenges and commitments: each is a hash, computed once, of MACs, keys or 256
///   random bits that an eavesdropper does not have;
/// - shares of a coin, which are only random;
/// - plans and other digests that contain the channel secret;
/// - the matrices of correlated OTs and their checks: each row is XORed with its own stream, and an
///   eavesdropper does not have the seed of any stream;
/// - the leaky tables and their lowest bits: a table is XORed with the hash of a key, and the
///   lowest bits of both parties add up to `x y ^ z` for a `z` that is used nowhere else;
/// - the differences within the buckets: each is masked by a `y` that is used nowhere else, and not
///   every run makes a batch;
/// - the proofs of products: each is masked by a VOLE that is used nowhere else.
fn revealing_bits(frame: &Frame, ands: usize) -> Vec<bool> {
    let blocks_of = |bytes: usize| {
        frame
            .payload
            .chunks(bytes)
            .flat_map(|block| bits_of_bytes(block).take(2).collect::<Vec<_>>())
            .collect()
    };
    match frame.kind() {
        Kind::Hello
        | Kind::Ot(_)
        | Kind::Mpc(
            Mpc::Plan
            | Mpc::InputDigest
            | Mpc::PairsDigest
            | Mpc::MacDigest
            | Mpc::TripleCommitment
            | Mpc::TripleDigest
            | Mpc::TripleOpening
            | Mpc::LeakyTables
            | Mpc::LeakyBits
            | Mpc::PoolBits
            | Mpc::ProductProof,
        ) => Vec::new(),
        Kind::Mpc(Mpc::OpenedHashes | Mpc::OpenedPairs) => blocks_of(16),
        // Each AND gate has two blocks, and an additional byte in the malicious engine. Here all
        // tables are in one frame.
        Kind::Mpc(Mpc::Tables) => (frame.payload.chunks(frame.payload.len() / ands))
            .flat_map(|table| table.chunks(16))
            .flat_map(|part| bits_of_bytes(part).take(2))
            .collect(),
        _ => bits_of_bytes(&frame.payload).collect(),
    }
}

/// A run of a session as seen by the two parties and the eavesdropper.
struct Played {
    /// The bits seen by the eavesdropper.
    seen: Vec<bool>,
    entered: [Vec<bool>; 2],
    outputs: Vec<Vec<bool>>,
}

/// Performs `count` runs of `play` in one session. Returns the record of each run. `more` returns
/// additional bits that the eavesdropper knows after a run.
fn runs<E: Engine>(
    play: &Play,
    count: usize,
    more: &(impl Fn(&E) -> Vec<bool> + Sync),
) -> Vec<Played> {
    let seed: u64 = system_rng().random();
    let [runs, _] = both(in_memory(), |party, end| {
        let tap = Tap::new(end);
        let record = tap.record();
        let channel = Channel::new(Box::new(tap) as End, PATIENT);
        let mut session = E::begin(channel, party, &mut system_rng()).unwrap();
        record.take();
        let mut coins = StdRng::seed_from_u64(seed);
        let ands = Demand::of(&play.circuit).ands;
        let run = |_| {
            let entered = play.entered(&mut coins);
            let outputs = run_once(play, &mut session, &entered);
            // Both directions pass the garbler; each frame is recorded when it is sent or received.
            let mut seen: Vec<bool> = (record.take().iter())
                .flat_map(|frame| revealing_bits(frame, ands))
                .collect();
            if party == Party::Garbler {
                seen.extend(more(&session));
            }
            Played {
                seen,
                entered,
                outputs,
            }
        };
        (0..count).map(run).collect::<Vec<_>>()
    });
    runs
}

/// Runs the circuit and opens all output words that have a learner, in one exchange. Returns all
/// output words in the clear.
fn run_once<E: Engine>(play: &Play, session: &mut E, entered: &[Vec<bool>; 2]) -> Vec<Vec<bool>> {
    let mine = &entered[session.role() as usize];
    let run = Run::new(&play.circuit, &Input::ONE_EACH, mine);
    let words = session.run(run).unwrap();
    let openings: Vec<_> = (play.learners.iter().zip(words.iter()))
        .filter_map(|(learner, bits)| learner.map(|to| Opening { to, bits }))
        .collect();
    let opened = session.open(&openings).unwrap();
    let outputs = play
        .circuit
        .evaluate(entered)
        .expect("the inputs match the circuit");
    let due = (play.learners.iter().zip(&outputs)).filter(|(learner, _)| learner.is_some());
    for ((_, output), opened) in due.zip(opened.iter()) {
        assert!(opened.is_none_or(|opened| opened == output));
    }
    outputs
}

/// Eavesdrops on enough runs of `play` to find all leaks. `more` returns additional bits that the
/// eavesdropper knows after a run.
pub fn read<E: Engine>(play: &Play, more: impl Fn(&E) -> Vec<bool> + Sync) -> Reading {
    let [first, ..] = &runs::<E>(play, 1, &more)[..] else {
        unreachable!("one run")
    };
    let words = first.entered.iter().chain(&first.outputs);
    let count = first.seen.len() + words.map(Vec::len).sum::<usize>() + 96;
    let (mut seen, mut public, mut secret) =
        (Samples::default(), Samples::default(), Samples::default());
    for run in runs::<E>(play, count, &more) {
        seen.add_run(run.seen);
        let words = || play.learners.iter().zip(&run.outputs);
        let known = words().filter(|(learner, _)| **learner == Some(Audience::Both));
        public.add_run(known.flat_map(|(_, word)| word).copied());
        let words = words().map(|(_, word)| word).chain(&run.entered);
        secret.add_run(words.flatten().copied());
    }
    let word = |name: String, bits: usize| (0..bits).map(move |bit| format!("{name} bit {bit}"));
    let outputs = (play.circuit.outputs().iter().enumerate())
        .flat_map(|(i, output)| word(format!("output {i}"), output.len()));
    let inputs = (Party::BOTH.iter().zip(play.circuit.inputs()))
        .flat_map(|(owner, &bits)| word(format!("{owner}'s input"), bits));
    let names = outputs.chain(inputs).collect();
    let public = Span::of(&public);
    Reading {
        view: public.clone().with(&seen),
        public,
        secret,
        names,
    }
}
