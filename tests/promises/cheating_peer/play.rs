//! The session with a cheating peer, and its possible endings.

use std::time::{Duration, Instant};

use dealerless::circuit::{Builder, Circuit, Party};
use dealerless::mpc::{
    Audience, Demand, EngineKind, Error, Greeting, Input, Malicious, Offer, Opening, Result, Run,
    TwoParty,
};
use dealerless::net::{self, Channel, Deadlines, memory_pair};
use dealerless::testing::circuits::bits;
use dealerless::testing::kind::Kind;
use dealerless::testing::line::End;
use dealerless::testing::session::{PATIENT, SOON, both, system_rng};
use dealerless::testing::tap::{Fates, Frame, Tap};
use rand::Rng;

/// The number of bits that each party enters: not a multiple of 8, so that messages end in unused
/// bits.
pub(crate) const WIDTH: usize = 61;
/// The number of AND gates that each party owns.
const OWN: usize = 2;
/// The numbers of joint AND gates of the first layer, which reads only inputs, and of the second
/// layer.
const LAYERS: [usize; 2] = [WIDTH, 40];
/// The number of joint AND gates of both layers.
pub(crate) const ANDS: usize = LAYERS[0] + LAYERS[1];
/// The number of joint AND gates of a slice in sessions with slices. Each layer lies in two of the
/// three slices.
pub(crate) const SLICE: usize = 40;
/// The number of output bits.
pub(crate) const OUTPUTS: usize = 2 * LAYERS[1];

/// The learners of the three output words.
const LEARNERS: [Audience; 3] = [
    Audience::Only(Party::Garbler),
    Audience::Only(Party::Evaluator),
    Audience::Both,
];

/// Deadlines that expire while the test waits.
const HASTY: Deadlines = Deadlines {
    message: Duration::from_millis(200),
    ..PATIENT
};

/// The time that the honest party waits for a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    /// The session may end by a deadline.
    Short,
    /// The session must end without a deadline.
    Long,
}

/// The circuit of the session, with inputs `a` and `b`.
///
/// The circuit computes `p_i = a_i b_i` and `q_j = (s ^ a_j)(s ^ b_j)`. Here `s` is the sum of all
/// `p_i` and, for each input `x`, of the products `x_0 x_1` and `x_0 x_1 x_2`. So a wrong label of
/// a `p_i` spoils all gates of the second layer, and a wrong label of a `q_j` spoils only an
/// output. The outputs are three words that contain all `q_j` and some `p_i`. The widths of these
/// words are not multiples of 8 either.
pub(crate) fn circuit() -> Circuit {
    let mut builder = Builder::new(&[WIDTH, WIDTH]);
    let (a, b) = (builder.input(0), builder.input(1));
    let p: Vec<_> = (a.iter().zip(&b))
        .map(|(&a, &b)| builder.and(a, b))
        .collect();
    let mut sum = p[0];
    let own = [&a, &b].map(|x| {
        let first = builder.and(x[0], x[1]);
        [first, builder.and(first, x[2])]
    });
    for &p in p[1..].iter().chain(own.as_flattened()) {
        sum = builder.xor(sum, p);
    }
    let mut words = vec![Vec::new(); 3];
    for j in 0..LAYERS[1] {
        let (left, right) = (builder.xor(sum, a[j]), builder.xor(sum, b[j]));
        words[j % 3].push(builder.and(left, right));
        words[j % 3].push(p[j]);
    }
    let circuit = builder.build(words);
    let demand = Demand::of(&circuit);
    assert_eq!((demand.ands, demand.outputs), (ANDS, OUTPUTS));
    assert_eq!(circuit.ands(), ANDS + 2 * OWN);
    circuit
}

/// The three output words: for the garbler, for the evaluator, for both.
pub(crate) type Learned = [Option<Vec<bool>>; 3];

/// The source of the correlated OTs of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Setup {
    /// The setup protocol.
    Made,
    /// A trusted dealer, at a tenth of the cost.
    Dealt,
    /// A trusted dealer. Each run is cut into slices of [`SLICE`] joint ANDs.
    Sliced,
}

/// The seed of the trusted dealer.
pub(crate) type Seed = [u8; 32];

/// Begins a malicious session.
pub(crate) fn begin(
    role: Party,
    end: End,
    deadlines: Deadlines,
    setup: Setup,
    seed: Seed,
) -> Result<Malicious> {
    let rng = &mut system_rng();
    let offer = Offer::new(role, EngineKind::Malicious);
    let greeting = Greeting::exchange(Channel::new(end, deadlines), offer, rng)?;
    match setup {
        Setup::Made => Malicious::setup(greeting, rng),
        Setup::Dealt => Malicious::dealt(greeting, seed, rng),
        Setup::Sliced => {
            let mut session = Malicious::dealt(greeting, seed, rng)?;
            session.run_in_slices_of(SLICE);
            Ok(session)
        }
    }
}

/// Runs the circuit in a session, and opens each word to its learners. After an error, checks that
/// later calls fail.
fn play(mut session: Malicious, input: &[bool]) -> Result<Learned> {
    let outcome = in_session(&mut session, input);
    if outcome.is_err() {
        let again = session.open(&[]).expect_err("a failed session");
        assert!(matches!(again, Error::Ended), "{again}");
        let demand = Demand::of(&circuit());
        let again = session.prepare(demand).expect_err("a failed session");
        assert!(matches!(again, Error::Ended), "{again}");
    }
    outcome
}

fn in_session(session: &mut Malicious, input: &[bool]) -> Result<Learned> {
    let words = session.run(Run::new(&circuit(), &Input::ONE_EACH, input))?;
    let openings: Vec<Opening<'_, _>> = (LEARNERS.into_iter().zip(words.iter()))
        .map(|(to, bits)| Opening { to, bits })
        .collect();
    let opened = session.open(&openings)?;
    Ok(std::array::from_fn(|word| {
        opened.get(word).map(<[bool]>::to_vec)
    }))
}

/// Whether the error names a fault in a message of the peer.
pub(crate) fn is_finding(error: &Error) -> bool {
    matches!(
        error,
        Error::Check(_)
            | Error::Disagreement(_)
            | Error::Channel(net::Error::Malformed(_) | net::Error::Version { .. })
    )
}

/// How a session with a cheating peer ended.
pub(crate) struct Ending<R> {
    /// The outcome of the honest party.
    pub(crate) honest: Result<R>,
    /// The outcome of the cheating party.
    pub(crate) cheater: Result<R>,
    /// The frames that the honest party sent.
    pub(crate) sent: Vec<Frame>,
}

impl<R> Ending<R> {
    /// The faults that either party found in the messages of its peer.
    pub(crate) fn findings(&self) -> impl Iterator<Item = &Error> {
        [&self.honest, &self.cheater]
            .into_iter()
            .filter_map(|outcome| outcome.as_ref().err())
            .filter(|error| is_finding(error))
    }

    /// The kinds of the frames that the honest party sent.
    pub(crate) fn sent_kinds(&self) -> Vec<Kind> {
        self.sent.iter().map(Frame::kind).collect()
    }
}

/// Runs `act` for both parties over a connection where `lie` changes the frames of `cheater`. The
/// seed is for a trusted dealer.
///
/// # Panics
/// If the parties do not end soon, or if the honest party finds a fault and its last frame is not
/// an empty abort.
pub(crate) fn with_liar<R: Send>(
    cheater: Party,
    lie: Fates,
    act: impl Fn(Party, End, Seed) -> Result<R> + Sync,
) -> Ending<R> {
    let mut seed = Seed::default();
    system_rng().fill_bytes(&mut seed);
    let (cheating, honest) = memory_pair();
    let honest = Tap::new(honest);
    let record = honest.record();
    let (cheating, honest): (End, End) = (Box::new(Tap::with(cheating, lie)), Box::new(honest));
    let ends = match cheater {
        Party::Garbler => [cheating, honest],
        Party::Evaluator => [honest, cheating],
    };
    let begun = Instant::now();
    let [garbler, evaluator] = both(ends, |party, end| act(party, end, seed));
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    let (honest, cheating) = match cheater {
        Party::Garbler => (evaluator, garbler),
        Party::Evaluator => (garbler, evaluator),
    };
    let sent = record.take_sent();
    match &honest {
        Err(error) if is_finding(error) => {
            let last = sent.last().expect("an abort");
            assert_eq!((last.kind(), last.payload.len()), (Kind::Abort, 0));
        }
        Ok(_)
        | Err(Error::Channel(
            net::Error::Aborted | net::Error::Lost { .. } | net::Error::Timeout { .. },
        )) => {}
        Err(error) => panic!("{error}"),
    }
    Ending {
        honest,
        cheater: cheating,
        sent,
    }
}

/// Runs the session of [`play`] with a cheating peer. The honest party enters `input` for all
/// bits, the cheating party random bits.
///
/// # Panics
/// Like [`with_liar`], and if the honest party gets wrong outputs.
pub(crate) fn run(
    cheater: Party,
    lie: Fates,
    input: bool,
    (setup, patience): (Setup, Patience),
) -> Ending<Learned> {
    let inputs = Party::BOTH.map(|party| {
        if party == cheater {
            bits(&mut system_rng(), WIDTH)
        } else {
            vec![input; WIDTH]
        }
    });
    let ending = with_liar(cheater, lie, |party, end, seed| {
        let deadlines = match patience {
            Patience::Short if party != cheater => HASTY,
            _ => PATIENT,
        };
        let session = begin(party, end, deadlines, setup, seed)?;
        play(session, &inputs[party as usize])
    });
    if let Ok(learned) = &ending.honest {
        let clear = circuit().evaluate(&inputs).expect("inputs of the circuit");
        for ((word, value), to) in learned.iter().zip(clear).zip(LEARNERS) {
            let expected = to.includes(cheater.other()).then_some(value);
            assert_eq!(*word, expected, "a wrong output");
        }
    }
    ending
}
