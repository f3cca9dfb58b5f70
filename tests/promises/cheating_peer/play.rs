//! The session in which the peer cheats, and how it may end.

use std::time::{Duration, Instant};

use dealerless::circuit::{Builder, Circuit, Party};
use dealerless::mpc::{
    Audience, Demand, Error, Greeting, Input, Malicious, Offer, Opening, Result, Run, Security,
    TwoParty,
};
use dealerless::net::{self, Channel, Deadlines, memory_pair};
use dealerless::testing::circuits::bits;
use dealerless::testing::kind::Kind;
use dealerless::testing::line::End;
use dealerless::testing::session::{SOON, both, system_rng};
use dealerless::testing::tap::{Fates, Frame, Tap};
use rand::Rng;

/// Bits that each party enters: not a multiple of 8, so that messages end in unused bits.
pub(crate) const WIDTH: usize = 61;
/// AND gates that each party owns.
const OWN: usize = 2;
/// Joint AND gates of the first layer, which reads only inputs, and of the second.
const LAYERS: [usize; 2] = [WIDTH, 40];
/// In all.
pub(crate) const ANDS: usize = LAYERS[0] + LAYERS[1];
/// Joint AND gates of a slice, if there are slices: of three slices each layer has a part of two.
pub(crate) const SLICE: usize = 40;
/// Output bits.
pub(crate) const OUTPUTS: usize = 2 * LAYERS[1];

/// Who learns each of the three words that the circuit puts out.
const LEARNERS: [Audience; 3] = [
    Audience::Only(Party::Garbler),
    Audience::Only(Party::Evaluator),
    Audience::Both,
];

/// Deadlines that never pass in a test that is right.
pub(crate) const PATIENT: Deadlines = Deadlines {
    message: Duration::from_secs(60),
    phase: Duration::from_secs(60),
};

/// Deadlines that pass while the test waits.
const HASTY: Deadlines = Deadlines {
    message: Duration::from_millis(200),
    ..PATIENT
};

/// How long the victim waits for a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    /// Only a deadline may end it.
    Short,
    /// It must end without one.
    Long,
}

/// Of inputs `a` and `b`: `p_i = a_i b_i`, and `q_j = (s ^ a_j)(s ^ b_j)` with `s` the sum of all
/// `p_i` and of two products of each party, `x_0 x_1` and `x_0 x_1 x_2`. So a wrong label of a `p_i`
/// spoils all gates of the second layer, and that of a `q_j` nothing but an output. All `q_j` and some of `p` are dealt to three words, whose bits
/// are not a multiple of 8 either.
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

/// The three words: of the garbler, of the evaluator, of both.
pub(crate) type Learned = [Option<Vec<bool>>; 3];

/// How the correlated OTs of a session come about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Setup {
    /// By the protocol.
    Made,
    /// From a dealer, at a tenth of the price.
    Dealt,
    /// The same, and each run is made in slices of [`SLICE`] joint ANDs.
    Sliced,
}

/// What a dealer deals from.
pub(crate) type Seed = [u8; 32];

/// Begins a session.
pub(crate) fn begin(
    role: Party,
    end: End,
    deadlines: Deadlines,
    setup: Setup,
    seed: Seed,
) -> Result<Malicious> {
    let rng = &mut system_rng();
    let offer = Offer::new(role, Security::Malicious);
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

/// Runs the circuit in a session and opens each word to whom it is for. After an error it sees
/// that the session is over.
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

/// Whether the error says what is wrong in what the peer sent.
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
    /// What the honest party made of it.
    pub(crate) honest: Result<R>,
    /// What the party behind the lie made of it.
    pub(crate) cheater: Result<R>,
    /// What the honest party sent.
    pub(crate) sent: Vec<Frame>,
}

impl<R> Ending<R> {
    /// What either side found wrong in what the other one sent.
    pub(crate) fn findings(&self) -> impl Iterator<Item = &Error> {
        [&self.honest, &self.cheater]
            .into_iter()
            .filter_map(|outcome| outcome.as_ref().err())
            .filter(|error| is_finding(error))
    }

    /// The kinds of what the honest party sent.
    pub(crate) fn sent_kinds(&self) -> Vec<Kind> {
        self.sent.iter().map(Frame::kind).collect()
    }
}

/// Lets both parties act over a line on which what `cheater` sends goes through `lie`. They may
/// deal from a seed.
///
/// # Panics
/// Unless it ends soon, and the peer of a party that has caught it gets nothing after that but an
/// empty abort.
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

/// Plays the session of [`play`] with a liar. The honest party enters `input` for all bits, the
/// other random ones.
///
/// # Panics
/// As [`with_liar`], and if the honest party gets other outputs than belong to the inputs.
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
