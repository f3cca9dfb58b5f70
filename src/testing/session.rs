//! A session of two parties with either engine, each party in its own thread.

use std::thread;
use std::time::Duration;

use crate::circuit::Party;
use crate::mpc::{Audience, Malicious, Opening, Result, SemiHonest, TwoParty};
use crate::net::{Channel, Deadlines, memory_pair};
use rand::CryptoRng;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;

use super::line::End;

/// An implementation of [`TwoParty`] that can begin a session.
pub trait Engine: TwoParty<Shared: Send> + Sized {
    /// Begins a session on a new channel, starting with the hello.
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

/// Declares one test per engine for each given function. The functions must be generic over the
/// [`Engine`].
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

/// Deadlines that do not expire in a passing test, even on a busy machine.
pub const PATIENT: Deadlines = Deadlines {
    message: Duration::from_secs(600),
    phase: Duration::from_secs(600),
};

/// A limit for everything that must not wait for a deadline: well below [`PATIENT`], and far above
/// what a busy machine needs.
pub const SOON: Duration = Duration::from_secs(60);

/// The random generator of the operating system.
pub fn system_rng() -> UnwrapErr<SysRng> {
    UnwrapErr(SysRng)
}

/// Runs both parties over a connection. Returns the results of the garbler and of the evaluator.
pub fn both<R: Send>(
    [garbler, evaluator]: [End; 2],
    act: impl Fn(Party, End) -> R + Sync,
) -> [R; 2] {
    thread::scope(|scope| {
        let evaluator = scope.spawn(|| act(Party::Evaluator, evaluator));
        let garbler = act(Party::Garbler, garbler);
        [garbler, evaluator.join().expect("the evaluator panicked")]
    })
}

/// Sets up a session over a connection and runs `act` for both parties.
pub fn sessions<E: Engine, R: Send>(ends: [End; 2], act: impl Fn(&mut E) -> R + Sync) -> [R; 2] {
    both(ends, |party, end| {
        let channel = Channel::new(end, PATIENT);
        let mut session = E::begin(channel, party, &mut system_rng()).unwrap();
        act(&mut session)
    })
}

/// Both ends of a connection in memory.
pub fn in_memory() -> [End; 2] {
    let (one, other) = memory_pair();
    [Box::new(one), Box::new(other)]
}

/// Opens one value to both parties.
pub fn reveal<P: TwoParty>(session: &mut P, bits: &[P::Shared]) -> Result<Vec<bool>> {
    let to = Audience::Both;
    let opened = session.open(&[Opening { to, bits }])?;
    Ok(opened
        .get(0)
        .expect("the value was opened to both parties")
        .to_vec())
}
