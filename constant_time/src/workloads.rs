//! What runs under valgrind, on secrets.

use std::hint::black_box;
use std::thread;
use std::time::Duration;

use dealerless::circuit::{Builder, Circuit, Party};
use dealerless::crypto::{Block, SessionId, TweakableHash};
use dealerless::deck::SealedDeck;
use dealerless::mpc::{
    Handshake, Input, Malicious, Opening, Security, SemiHonest, To, TwoParty, evaluate, garble,
};
use dealerless::net::{Channel, Deadlines, memory_pair};
use dealerless::ot::Delta;
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
use rand::{Rng, RngExt};

use crate::memcheck::{is_secret, make_public, make_secret};
use crate::poison::{PublicLine, SecretRng, system_rng};

const PARTIES: [Party; 2] = [Party::Garbler, Party::Evaluator];

/// Bits that each party enters.
const WIDTH: usize = 40;

/// Under valgrind everything takes fifty times as long.
const PATIENT: Deadlines = Deadlines {
    message: Duration::from_secs(600),
    phase: Duration::from_secs(3600),
};

/// Runs everything.
pub(crate) fn all() {
    branch_on_a_secret();
    index_by_a_secret();
    half_gates();
    computing::<SemiHonest<PublicLine>>();
    computing::<Malicious<PublicLine>>();
    dealing::<SemiHonest<PublicLine>>();
    dealing::<Malicious<PublicLine>>();
    routing();
}

/// A mistake made on purpose, which must be reported.
#[inline(never)]
pub(crate) fn branch_on_a_secret() {
    let mut secret = [system_rng().random::<u8>()];
    make_secret(&mut secret);
    if black_box(secret[0]) & 1 == 1 {
        black_box(());
    }
}

/// Another one.
#[inline(never)]
pub(crate) fn index_by_a_secret() {
    let mut secret = [system_rng().random::<u8>()];
    make_secret(&mut secret);
    let table = black_box([7u8; 256]);
    black_box(table[usize::from(black_box(secret[0]))]);
}

/// ANDs of everything with everything, XORs and NOTs; three words.
fn circuit() -> Circuit {
    let mut builder = Builder::new(&[WIDTH, WIDTH]);
    let (a, b) = (builder.input(0), builder.input(1));
    let mut words = vec![Vec::new(); 3];
    let mut sum = builder.not(a[0]);
    for (i, (&a, &b)) in a.iter().zip(&b).enumerate() {
        let product = builder.and(a, b);
        sum = builder.xor(sum, product);
        let other = builder.not(b);
        words[i % 3].push(builder.and(sum, other));
    }
    builder.build(words)
}

/// Garbling and evaluating alone: Delta, all labels and even the tables are secret.
fn half_gates() {
    let circuit = circuit();
    let hash = TweakableHash::new(&SessionId([1; 32]));
    let delta = Delta::random(true, &mut SecretRng);
    let mut zeros: Vec<Block> = (0..circuit.wires())
        .map(|_| Block::random(&mut SecretRng))
        .collect();
    let mut labels: Vec<Block> = (zeros.iter())
        .map(|zero| *zero ^ delta.select(SecretRng.next_u32() & 1 == 1))
        .collect();
    let mut tables = Vec::new();
    let garbled = garble(&circuit, &mut zeros, &delta, &hash, 0, |table| {
        tables.push(table);
        Ok(())
    });
    garbled.expect("tables are kept");
    assert!(is_secret(&tables) && is_secret(&zeros[circuit.wires() - 1..]));
    let mut fetched = tables.into_iter();
    let evaluated = evaluate(&circuit, &mut labels, &hash, 0, || {
        Ok(fetched.next().expect("a table for each AND"))
    });
    evaluated.expect("tables were kept");
    assert!(is_secret(&labels[circuit.wires() - 1..]));
}

/// An engine, set up with secret randomness.
trait Engine: TwoParty + Sized {
    const SECURITY: Security;

    fn begin(channel: Channel<PublicLine>, handshake: &Handshake) -> dealerless::Result<Self>;
}

impl Engine for SemiHonest<PublicLine> {
    const SECURITY: Security = Security::SemiHonest;

    fn begin(channel: Channel<PublicLine>, handshake: &Handshake) -> dealerless::Result<Self> {
        SemiHonest::setup(channel, handshake, &mut SecretRng)
    }
}

impl Engine for Malicious<PublicLine> {
    const SECURITY: Security = Security::Malicious;

    fn begin(channel: Channel<PublicLine>, handshake: &Handshake) -> dealerless::Result<Self> {
        Malicious::setup(channel, handshake, &mut SecretRng)
    }
}

/// Sets up a session whose hellos are public and whose other randomness is secret, and lets both
/// parties act in it.
fn sessions<E: Engine>(act: impl Fn(&mut E) -> dealerless::Result<()> + Sync) {
    let (one, other) = memory_pair();
    let side = |party, line| {
        let mut channel = Channel::new(PublicLine(line), PATIENT);
        let rng = &mut system_rng();
        let handshake = Handshake::perform(&mut channel, party, E::SECURITY, &[], rng)?;
        act(&mut E::begin(channel, &handshake)?)
    };
    let [garbler, evaluator] = thread::scope(|scope| {
        let evaluator = scope.spawn(|| side(Party::Evaluator, other));
        [
            side(Party::Garbler, one),
            evaluator.join().expect("the evaluator does not panic"),
        ]
    });
    garbler.expect("an honest session");
    evaluator.expect("an honest session");
}

fn only(learner: Party, me: Party) -> To {
    if learner == me { To::Me } else { To::Peer }
}

/// Both parties enter secrets into a circuit, enter what comes out into it again, and open it: to
/// one, to the other, to both.
fn computing<E: Engine>() {
    let circuit = circuit();
    let mut values = [(); 2].map(|()| {
        let mut values = vec![false; WIDTH];
        values.fill_with(|| system_rng().random());
        values
    });
    let clear = circuit.evaluate(&values).expect("inputs of the circuit");
    for values in &mut values {
        make_secret(values);
    }
    sessions(|session: &mut E| {
        let me = session.party();
        session.prepare(circuit.ands(), [WIDTH, WIDTH])?;
        let inputs = PARTIES.map(|owner| match owner == me {
            true => Input::Mine(&values[owner as usize]),
            false => Input::Peer,
        });
        let words = session.run(&circuit, &inputs)?;
        let again = words.concat();
        let inputs = [
            Input::Shared(&again[..WIDTH]),
            Input::Shared(&again[..WIDTH]),
        ];
        let more = session.run(&circuit, &inputs)?;
        let learners = [only(PARTIES[0], me), only(PARTIES[1], me), To::Both];
        for words in [&words, &more] {
            let openings: Vec<_> = (learners.into_iter().zip(words))
                .map(|(to, bits)| Opening { to, bits })
                .collect();
            for (bits, expected) in session.open(&openings)?.into_iter().zip(&clear) {
                let Some(mut bits) = bits else { continue };
                assert!(is_secret(&bits), "what was opened comes from secrets");
                make_public(&mut bits);
                assert!(std::ptr::eq(words, &more) || bits == *expected);
            }
        }
        Ok(())
    });
}

/// A deck is shuffled with secret seeds, and cards of it are opened.
fn dealing<E: Engine>() {
    let spec = Spec::new(10, 4, Algorithm::FisherYates).expect("4 of 10 can be drawn");
    let shuffle = ShuffleCircuit::build_checked(spec);
    sessions(|session: &mut E| {
        let mut deck = SealedDeck::shuffle(session, &shuffle, &mut SecretRng)?;
        let me = session.party();
        deck.open(
            session,
            &[(0, only(PARTIES[0], me)), (1, only(PARTIES[1], me))],
        )?;
        deck.open(session, &[(2, To::Both), (0, only(PARTIES[1], me))])?;
        Ok(())
    });
}

/// The switches of a network are set for a secret permutation.
fn routing() {
    let spec = Spec::new(10, 10, Algorithm::Waksman).expect("10 of 10 can be drawn");
    let shuffle = ShuffleCircuit::build(spec);
    for party in PARTIES {
        black_box(shuffle.sample(party, &mut SecretRng));
    }
}
