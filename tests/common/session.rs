//! Two parties of a semi-honest session, each in a thread of its own.

use std::thread;
use std::time::Duration;

use dealerless::circuit::Party;
use dealerless::mpc::{Input, Opening, SemiHonest, SharedBit, To, TwoParty};
use dealerless::net::{Channel, Deadlines, memory_pair};
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;

use super::line::End;

pub type Session = SemiHonest<End>;

/// Well before any default deadline, on a machine that is busy.
pub const SOON: Duration = Duration::from_secs(10);

/// The generator of the operating system.
pub fn system_rng() -> UnwrapErr<SysRng> {
    UnwrapErr(SysRng)
}

/// Runs both parties over a line; gives what the garbler and what the evaluator gave.
pub fn both<R: Send>(
    [garbler, evaluator]: [End; 2],
    act: impl Fn(Party, End) -> R + Sync,
) -> [R; 2] {
    thread::scope(|scope| {
        let evaluator = scope.spawn(|| act(Party::Evaluator, evaluator));
        let garbler = act(Party::Garbler, garbler);
        [
            garbler,
            evaluator.join().expect("the evaluator does not panic"),
        ]
    })
}

/// Sets up a session over a line and lets both parties act in it.
pub fn sessions<R: Send>(ends: [End; 2], act: impl Fn(&mut Session) -> R + Sync) -> [R; 2] {
    both(ends, |party, end| {
        let channel = Channel::new(end, Deadlines::default());
        let mut session = SemiHonest::new(channel, party, &mut system_rng()).unwrap();
        act(&mut session)
    })
}

/// Both ends of a line in memory.
pub fn in_memory() -> [End; 2] {
    let (one, other) = memory_pair();
    [Box::new(one), Box::new(other)]
}

/// An input value of `owner`, as `session` enters it.
pub fn input_of<'a>(owner: Party, session: &Session, bits: &'a [bool]) -> Input<'a, SharedBit> {
    if owner == session.party() {
        Input::Mine(bits)
    } else {
        Input::Peer
    }
}

/// `learner` alone, as `session` says it.
pub fn only(learner: Party, session: &Session) -> To {
    if learner == session.party() {
        To::Me
    } else {
        To::Peer
    }
}

/// Opens one value to both.
pub fn reveal(session: &mut Session, bits: &[SharedBit]) -> dealerless::Result<Vec<bool>> {
    let opened = session.open(&[Opening { to: To::Both, bits }])?;
    Ok(opened.into_iter().flatten().flatten().collect())
}
