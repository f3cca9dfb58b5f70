//! Two parties of a session with either engine, each in a thread of its own.

use std::thread;
use std::time::Duration;

use crate::circuit::Party;
use crate::mpc::{Audience, Malicious, Opening, Result, SemiHonest, TwoParty};
use crate::net::{Channel, Deadlines, memory_pair};
use rand::CryptoRng;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;

use super::line::End;

/// An implementation of [`TwoParty`], as a session begins with it.
pub trait Engine: TwoParty<Shared: Send> + Sized {
    /// From the hello on.
    fn begin(channel: Channel, party: Party, rng: &mut impl CryptoRng) -> Result<Self>;
}

impl Engine for SemiHonest {
    fn begin(channel: Channel, party: Party, rng: &mut impl CryptoRng) -> Result<Self> {
        SemiHonest::new(channel, party, rng)
    }
}

impl Engine for Malicious {
    fn begin(channel: Channel, party: Party, rng: &mut impl CryptoRng) -> Result<Self> {
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
                    super::$test::<$crate::mpc::SemiHonest>();
                }
            )*
        }
        mod malicious {
            $(
                #[test]
                fn $test() {
                    super::$test::<$crate::mpc::Malicious>();
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

/// Opens one value to both.
pub fn reveal<P: TwoParty>(session: &mut P, bits: &[P::Shared]) -> Result<Vec<bool>> {
    let to = Audience::Both;
    let opened = session.open(&[Opening { to, bits }])?;
    Ok(opened.get(0).expect("it was opened to both").to_vec())
}
