//! A session notifies a counter before it sends the first message of an attempt (the setup, a batch
//! or a run), and again after the attempt has passed its last check. The counter can end the
//! session.

use std::io;
use std::sync::{Arc, Mutex};

use dealerless::circuit::{Builder, Circuit, Party};
use dealerless::mpc::Tag::{
    GateBits, GateValues, LeakyBits, LeakyTables, MacDigest, MaskedValues, OutputBits, Plan,
    PoolBits, Tables, TripleCommitment, TripleDigest, TripleOpening,
};
use dealerless::mpc::{
    Attempt, Attempts, Check, Demand, EngineKind, Error, Greeting, Input, Malicious, Offer, Result,
    Run, SemiHonest, TwoParty,
};
use dealerless::net::{self, Channel};
use dealerless::ot::Tag::{
    BaseOtAnswer, BaseOtPads, BaseOtPoints, CotCheck, CotCorrection, TreeSums,
};
use dealerless::testing::kind::Kind;
use dealerless::testing::line::End;
use dealerless::testing::session::{PATIENT, both, in_memory, reveal, system_rng};
use dealerless::testing::tap::{Frame, Record, Tap, changing};
use dealerless::{Blame, ot};

use Event::{Begins, EndsWell};

const ATTEMPTS: [Attempt; 3] = [Attempt::Setup, Attempt::Batch, Attempt::Run];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    Begins(Attempt),
    EndsWell(Attempt),
}

/// A notification, with the frames sent and received since the previous notification.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    event: Event,
    sent: Vec<Kind>,
    received: Vec<Kind>,
}

/// Records all notifications.
#[derive(Clone)]
struct Counter {
    frames: Record,
    entries: Arc<Mutex<Vec<Entry>>>,
    /// The attempt for which the counter returns an error.
    refused: Option<Attempt>,
}

impl Counter {
    fn new(tap: &Tap<End>, refused: Option<Attempt>) -> Self {
        Counter {
            frames: tap.record(),
            entries: Arc::default(),
            refused,
        }
    }

    /// Returns the kinds of the frames since the previous call: those sent, and those received.
    fn take_kinds(&self) -> [Vec<Kind>; 2] {
        let frames = self.frames.take();
        [true, false].map(|sent| {
            let same = frames.iter().filter(|frame| frame.sent == sent);
            same.map(Frame::kind).collect()
        })
    }

    fn note(&self, event: Event) {
        let [sent, received] = self.take_kinds();
        self.entries.lock().unwrap().push(Entry {
            event,
            sent,
            received,
        });
    }
}

impl Attempts for Counter {
    fn begins(&mut self, attempt: Attempt) -> io::Result<()> {
        self.note(Begins(attempt));
        if self.refused == Some(attempt) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(())
    }

    fn ends_well(&mut self, attempt: Attempt) {
        self.note(EndsWell(attempt));
    }
}

/// The results of one party of a session.
struct Side {
    outcome: Result<()>,
    entries: Vec<Entry>,
    /// The kinds of the frames sent after the last notification.
    rest: Vec<Kind>,
}

impl Side {
    fn events(&self) -> Vec<Event> {
        self.entries.iter().map(|entry| entry.event).collect()
    }
}

/// A circuit with three ANDs; each party enters two bits.
fn circuit() -> Circuit {
    let mut builder = Builder::new(&[2, 2]);
    let (a, b) = (builder.input(0), builder.input(1));
    let (p, q) = (builder.and(a[0], b[0]), builder.and(a[1], b[1]));
    let r = builder.and(p, q);
    builder.build(vec![vec![p, q, r]])
}

fn run(session: &mut Malicious) -> Result<()> {
    let circuit = circuit();
    let run = Run::new(&circuit, &Input::ONE_EACH, &[true; 2]);
    let shared = session.run(run)?;
    assert_eq!(reveal(session, &shared[0])?, [true; 3]);
    Ok(())
}

/// Runs one party of a session with two runs. The preprocessing is sufficient for the first run;
/// the second run makes its own.
fn play(role: Party, end: End, refused: Option<Attempt>) -> Side {
    let tap = Tap::new(end);
    let counter = Counter::new(&tap, refused);
    let attempts = Box::new(counter.clone());
    let outcome = in_session(role, Box::new(tap), attempts);
    let [rest, _] = counter.take_kinds();
    let entries = std::mem::take(&mut *counter.entries.lock().unwrap());
    Side {
        outcome,
        entries,
        rest,
    }
}

fn in_session(role: Party, end: End, attempts: Box<dyn Attempts>) -> Result<()> {
    let channel = Channel::new(end, PATIENT);
    let offer = Offer::new(role, EngineKind::Malicious).counted_by(attempts);
    let rng = &mut system_rng();
    let mut session = Malicious::setup(Greeting::exchange(channel, offer, rng)?, rng)?;
    let demand = Demand::of(&circuit());
    let outcome = (session.prepare(demand))
        // This does nothing, because the demand is already met.
        .and_then(|()| session.prepare(demand))
        .and_then(|()| run(&mut session))
        .and_then(|()| run(&mut session));
    if outcome.is_err() {
        assert!(matches!(session.prepare(demand), Err(Error::Ended)));
    }
    outcome
}

/// The kinds of all frames that a party sends in an attempt.
fn frames_of(attempt: Attempt, sender: Party) -> Vec<Kind> {
    let cots = [CotCorrection, CotCheck].map(Kind::Ot);
    let kinds = |tags: &[_]| tags.iter().copied().map(Kind::Mpc).collect::<Vec<_>>();
    match (attempt, sender) {
        (Attempt::Setup, _) => [BaseOtPoints, BaseOtPads, BaseOtAnswer, TreeSums]
            .map(Kind::Ot)
            .to_vec(),
        (Attempt::Batch, Party::Garbler) => [
            kinds(&[Plan]),
            cots.to_vec(),
            kinds(&[LeakyTables, LeakyBits, TripleCommitment]),
            kinds(&[TripleOpening, PoolBits, MacDigest]),
        ]
        .concat(),
        (Attempt::Batch, Party::Evaluator) => [
            kinds(&[Plan]),
            cots.to_vec(),
            kinds(&[LeakyTables, LeakyBits, TripleDigest]),
            kinds(&[PoolBits, MacDigest]),
        ]
        .concat(),
        (Attempt::Run, Party::Garbler) => {
            kinds(&[Plan, GateBits, MacDigest, MaskedValues, Tables, MacDigest])
        }
        (Attempt::Run, Party::Evaluator) => kinds(&[
            Plan,
            GateBits,
            MacDigest,
            MaskedValues,
            GateValues,
            MacDigest,
        ]),
        (other, _) => panic!("unknown attempt {other:?}"),
    }
}

/// The expected entries of an attempt. `before` are the frames that each party has sent since the
/// previous attempt.
fn entries_of(attempt: Attempt, me: Party, before: &[Kind]) -> [Entry; 2] {
    [
        Entry {
            event: Begins(attempt),
            sent: before.to_vec(),
            received: before.to_vec(),
        },
        Entry {
            event: EndsWell(attempt),
            sent: frames_of(attempt, me),
            received: frames_of(attempt, me.other()),
        },
    ]
}

#[test]
fn counter_is_notified_before_and_after_every_attempt() {
    let sides = both(in_memory(), |role, end| play(role, end, None));
    let opening = [Plan, OutputBits, MacDigest].map(Kind::Mpc);
    for (me, side) in Party::BOTH.into_iter().zip(sides) {
        side.outcome.unwrap();
        let expected = [
            entries_of(Attempt::Setup, me, &[Kind::Hello]),
            entries_of(Attempt::Batch, me, &[]),
            entries_of(Attempt::Run, me, &[]),
            entries_of(Attempt::Batch, me, &opening),
            entries_of(Attempt::Run, me, &[]),
        ];
        assert_eq!(
            side.entries,
            expected.into_iter().flatten().collect::<Vec<_>>()
        );
        assert_eq!(side.rest, opening);
    }
}

/// The expected events up to the beginning of an attempt.
fn events_until(attempt: Attempt) -> Vec<Event> {
    let earlier = ATTEMPTS.into_iter().take_while(|other| *other != attempt);
    let mut events: Vec<Event> = earlier
        .flat_map(|attempt| [Begins(attempt), EndsWell(attempt)])
        .collect();
    events.push(Begins(attempt));
    events
}

#[test]
fn uncounted_attempt_ends_the_session_before_its_first_message() {
    for attempt in ATTEMPTS {
        for refuser in Party::BOTH {
            let sides = both(in_memory(), |role, end| {
                play(role, end, (role == refuser).then_some(attempt))
            });
            for (me, side) in Party::BOTH.into_iter().zip(sides) {
                // At the peer, the attempt has begun but has not ended well.
                assert_eq!(side.events(), events_until(attempt));
                let error = side.outcome.expect_err("no session");
                if me == refuser {
                    assert_eq!(error.blame(), Blame::ThisSide);
                    assert_eq!(side.rest, [Kind::Abort]);
                    let Error::NotCounted(source) = error else {
                        panic!("{error}")
                    };
                    assert_eq!(source.kind(), io::ErrorKind::StorageFull);
                } else {
                    let aborted = matches!(error, Error::Channel(net::Error::Aborted));
                    assert!(aborted, "{error}");
                }
            }
        }
    }
}

/// The last check of an attempt, and the frame that it checks: the kind of the frame, and the
/// number of earlier frames of this kind.
fn last_check(attempt: Attempt) -> (Check, Kind, usize) {
    let digest = Kind::Mpc(MacDigest);
    match attempt {
        Attempt::Setup => (
            Check::ObliviousTransfer(ot::Check::Trees),
            Kind::Ot(TreeSums),
            0,
        ),
        Attempt::Batch => (Check::PoolMacs, digest, 0),
        Attempt::Run => (Check::AndGates, digest, 2),
        other => panic!("unknown attempt {other:?}"),
    }
}

#[test]
fn attempt_that_fails_its_last_check_does_not_end_well() {
    for attempt in ATTEMPTS {
        let (check, kind, nth) = last_check(attempt);
        for cheat in Party::BOTH {
            let sides = both(in_memory(), |role, end| {
                let lie = changing(move |frame| {
                    if role == cheat && frame.place() == (kind, nth) {
                        *frame.payload.last_mut().expect("a digest") ^= 1;
                    }
                });
                play(role, Box::new(Tap::with(end, lie)), None)
            });
            let honest = &sides[cheat.other() as usize];
            assert_eq!(honest.events(), events_until(attempt));
            match &honest.outcome {
                Err(Error::Check(found)) => assert_eq!(*found, check),
                other => panic!("{other:?}"),
            }
        }
    }
}

/// A semi-honest session does not prevent cheating, so there is nothing to count.
#[test]
fn semi_honest_session_has_no_attempts() {
    both(in_memory(), |role, end| {
        let tap = Tap::new(end);
        let counter = Counter::new(&tap, Some(Attempt::Setup));
        let channel = Channel::new(Box::new(tap) as End, PATIENT);
        let offer = Offer::new(role, EngineKind::SemiHonest).counted_by(Box::new(counter.clone()));
        let rng = &mut system_rng();
        SemiHonest::setup(Greeting::exchange(channel, offer, rng).unwrap(), rng).unwrap();
        assert!(counter.entries.lock().unwrap().is_empty());
    });
}
