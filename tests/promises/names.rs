//! Runs, openings and batches are numbered. The number of a step is part of all its messages and
//! hashes, so a message of one step is never valid in another step.
//!
//! If the code omitted a number, honest sessions would still work. So these tests compare the
//! frames of two steps that differ only in their number, and run parties that refer to different
//! steps.

use dealerless::circuit::{Builder, Circuit, Party};
use dealerless::mpc::{
    Audience, Demand, Disagreement, Error, Input, Malicious, Opening, Result, Run, SemiHonest,
    Tag as Mpc, TwoParty,
};
use dealerless::net;
use dealerless::net::Channel;
use dealerless::testing::line::End;
use dealerless::testing::session::{Engine, PATIENT, both, in_memory, sessions, system_rng};
use dealerless::testing::tap::{Frame, Tap};
use dealerless::with_both_engines;

with_both_engines! {
    opening_bits_of_different_runs_is_noticed,
    entering_bits_of_different_runs_is_noticed,
    runs_have_different_plans,
}

type Shared<E> = Vec<<E as TwoParty>::Shared>;

/// The bitwise AND of two bits of each party.
fn ands() -> Circuit {
    let mut builder = Builder::new(&[2, 2]);
    let (a, b) = (builder.input(0), builder.input(1));
    let products = a.iter().zip(&b).map(|(&a, &b)| builder.and(a, b)).collect();
    builder.build(vec![products])
}

fn run<E: Engine>(session: &mut E) -> Shared<E> {
    let circuit = ands();
    let run = Run::new(&circuit, &Input::ONE_EACH, &[true, false]);
    session.run(run).unwrap()[0].to_vec()
}

/// Runs the same circuit twice on the same inputs. Then the garbler uses the outputs of the first
/// run, and the evaluator the outputs of the second run.
fn of_different_runs<E: Engine>(act: impl Fn(&mut E, &Shared<E>) -> Result<()> + Sync) {
    let errors = sessions(in_memory(), |session: &mut E| {
        let shared = [run(session), run(session)];
        act(session, &shared[session.role() as usize]).expect_err("different bits")
    });
    let detected = |error: &Error| matches!(error, Error::Disagreement(Disagreement::Plan));
    assert!(errors.iter().any(detected), "{errors:?}");
    for error in &errors {
        assert!(
            detected(error) || matches!(error, Error::Channel(net::Error::Aborted)),
            "{errors:?}"
        );
    }
}

fn opening_bits_of_different_runs_is_noticed<E: Engine>() {
    of_different_runs(|session: &mut E, bits| {
        session
            .open(&[Opening {
                to: Audience::Both,
                bits,
            }])
            .map(drop)
    });
}

fn entering_bits_of_different_runs_is_noticed<E: Engine>() {
    of_different_runs(|session: &mut E, bits| {
        let inputs = [Input::Shared(bits), Input::By(Party::Garbler)];
        let mine: &[bool] = match session.role() {
            Party::Garbler => &[true, true],
            Party::Evaluator => &[],
        };
        session.run(Run::new(&ands(), &inputs, mine)).map(drop)
    });
}

/// The frames that `sender` sends in each of several steps.
fn sent<E: Engine>(
    sender: Party,
    steps: usize,
    step: impl Fn(&mut E) + Sync,
    before: impl Fn(&mut E) + Sync,
) -> Vec<Vec<Frame>> {
    let [garbler, evaluator] = both(in_memory(), |party, end| {
        let tap = Tap::new(end);
        let record = tap.record();
        let channel = Channel::new(Box::new(tap) as End, PATIENT);
        let mut session = E::begin(channel, party, &mut system_rng()).unwrap();
        before(&mut session);
        record.take();
        let step = |_| {
            step(&mut session);
            record
                .take()
                .into_iter()
                .filter(|frame| frame.sent)
                .collect()
        };
        (0..steps).map(step).collect()
    });
    match sender {
        Party::Garbler => garbler,
        Party::Evaluator => evaluator,
    }
}

/// The payloads with this tag in each of two steps.
fn payloads(steps: &[Vec<Frame>], tag: Mpc) -> [Vec<&[u8]>; 2] {
    [0, 1].map(|step: usize| {
        (steps[step].iter())
            .filter(|frame| frame.tag == tag.byte())
            .map(|frame| &frame.payload[..])
            .collect()
    })
}

#[track_caller]
fn assert_differ(steps: &[Vec<Frame>], tag: Mpc) {
    let [one, other] = payloads(steps, tag);
    assert!(!one.is_empty() && one.len() == other.len(), "{tag:?}");
    for payload in one {
        assert!(!other.contains(&payload), "the same {tag:?} twice");
    }
}

fn runs_have_different_plans<E: Engine>() {
    for sender in Party::BOTH {
        let runs = sent(sender, 2, |session: &mut E| drop(run(session)), |_| {});
        // The second run may need a smaller batch than the first. The plan of the run itself comes
        // last.
        let last = |step: &Vec<Frame>| {
            let mut frames = step.iter().rev();
            let plan = frames.find(|frame| frame.tag == Mpc::Plan.byte());
            plan.expect("a plan").payload.clone()
        };
        assert_ne!(last(&runs[0]), last(&runs[1]));
    }
}

/// The frames of two openings of the same two bits. Each opening contains one of the bits twice.
fn openings<E: Engine>(sender: Party) -> Vec<Vec<Frame>> {
    let shared = std::sync::Mutex::new([None, None]);
    sent(
        sender,
        2,
        |session: &mut E| {
            let me = session.role() as usize;
            let bits: Shared<E> = shared.lock().unwrap()[me].clone().expect("two bits");
            let twice = [bits[0].clone(), bits[0].clone(), bits[1].clone()];
            let openings = Party::BOTH.map(|learner| Opening {
                to: Audience::Only(learner),
                bits: &twice,
            });
            session.open(&openings).unwrap();
        },
        |session| {
            let bits = run(session);
            shared.lock().unwrap()[session.role() as usize] = Some(bits);
        },
    )
}

#[test]
fn repeated_opening_of_a_bit_has_a_new_hash_at_each_place() {
    let openings = openings::<SemiHonest>(Party::Evaluator);
    assert_differ(&openings, Mpc::Plan);
    assert_differ(&openings, Mpc::OpenedHashes);
    let [one, other] = payloads(&openings, Mpc::OpenedHashes);
    let hashes: Vec<&[u8]> = (one.iter().chain(&other))
        .flat_map(|payload| payload.chunks(16))
        .collect();
    assert_eq!(hashes.len(), 6);
    for (i, hash) in hashes.iter().enumerate() {
        assert!(!hashes[..i].contains(hash), "the same hash twice");
    }
}

#[test]
fn repeated_opening_of_a_bit_has_a_new_mac_digest() {
    for sender in Party::BOTH {
        let openings = openings::<Malicious>(sender);
        assert_differ(&openings, Mpc::Plan);
        assert_differ(&openings, Mpc::MacDigest);
        let [one, other] = payloads(&openings, Mpc::OutputBits);
        assert_eq!(one, other, "the share of a mask changed");
    }
}

#[test]
fn equal_batches_have_different_plans() {
    for sender in Party::BOTH {
        let batches = sent(
            sender,
            3,
            |session: &mut Malicious| {
                let ands = session.prepared() + 3;
                let more = Demand {
                    ands,
                    ..Demand::default()
                };
                session.prepare(more).unwrap();
            },
            |_| {},
        );
        // The first batch makes more than it needs. The other batches find these parts in the pool.
        assert_differ(&batches[1..], Mpc::Plan);
    }
}
