//! Two parties of a session with either engine, each in a thread of its own.

use std::thread;
use std::time::Duration;

use crate::Result;
use crate::circuit::Party;
use crate::mpc::{Input, Malicious, Opening, SemiHonest, To, TwoParty};
use crate::net::{Channel, Deadlines, memory_pair};
use rand::CryptoRng;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;

use super::line::End;

/// An implementation of [`TwoParty`], as a session begins with it.
pub trait Engine: TwoParty<Shared: Send> + Sized {
    /// From the hello on.
    fn begin(channel: Channel<End>, party: Party, rng: &mut impl CryptoRng) -> Result<Self>;
}

impl Engine for SemiHonest<End> {
    fn begin(channel: Channel<End>, party: Party, rng: &mut impl CryptoRng) -> Result<Self> {
        SemiHonest::new(channel, party, rng)
    }
}

impl Engine for Malicious<End> {
    fn begin(channel: Channel<End>, party: Party, rng: &mut impl CryptoRng) -> Result<Self> {
        Malicious::new(channel, party, rng)
    }
}

/// Makes each of these functions, which are generic over the [`Engine`], a test of both.
#[macro_export]
macro_rules! with_both_engines {
    ($($test:ident,)*) => {
        mod semi_honest {
            $(
                #[test]
                fn $test() {
                    super::$test::<$crate::mpc::SemiHonest<$crate::testing::line::End>>();
                }
            )*
        }
        mod malicious {
            $(
                #[test]
                fn $test() {
                    super::$test::<$crate::mpc::Malicious<$crate::testing::line::End>>();
                }
            )*
        }
    };
}

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
pub fn sessions<E: Engine, R: Send>(ends: [End; 2], act: impl Fn(&mut E) -> R + Sync) -> [R; 2] {
    both(ends, |party, end| {
        let channel = Channel::new(end, Deadlines::default());
        let mut session = E::begin(channel, party, &mut system_rng()).unwrap();
        act(&mut session)
    })
}

/// Both ends of a line in memory.
pub fn in_memory() -> [End; 2] {
    let (one, other) = memory_pair();
    [Box::new(one), Box::new(other)]
}

/// An input value of `owner`, as `session` enters it.
pub fn input_of<'a, P: TwoParty>(
    owner: Party,
    session: &P,
    bits: &'a [bool],
) -> Input<'a, P::Shared> {
    if owner == session.party() {
        Input::Mine(bits)
    } else {
        Input::Peer
    }
}

/// `learner` alone, as `session` says it.
pub fn only(learner: Party, session: &impl TwoParty) -> To {
    if learner == session.party() {
        To::Me
    } else {
        To::Peer
    }
}

/// Opens one value to both.
pub fn reveal<P: TwoParty>(session: &mut P, bits: &[P::Shared]) -> Result<Vec<bool>> {
    let opened = session.open(&[Opening { to: To::Both, bits }])?;
    Ok(opened.into_iter().flatten().flatten().collect())
}
