//! Two-party computation on shared bits.
//!
//! Each party holds one part of a *shared bit*, and one part alone does not reveal the bit. The
//! parties enter inputs and run a circuit, whose outputs are shared bits. The parties may open some
//! outputs to one party or to both, and use other outputs as inputs of the next circuit.
//! [`TwoParty`] is the interface.
//!
//! Two engines implement it. [`Malicious`] uses authenticated garbling, and protects against a peer
//! that deviates from the protocol in any way. [`SemiHonest`] uses half gates, and protects against
//! a peer that follows the protocol. [`Session`] is one of the two, chosen at run time by its
//! [`EngineKind`]. The parties first exchange hellos. The result is a [`Greeting`], from which an
//! engine is set up.

mod attempts;
mod channel_secret;
mod error;
mod greeting;
#[cfg_attr(
    not(feature = "internals"),
    allow(unreachable_pub, reason = "public with the feature `internals`")
)]
mod label;
mod layout;
mod live;
mod malicious;
mod packed_bits;
mod plan;
mod semi_honest;
mod session;
mod tables;
mod tag;
mod values;
mod walk;

use std::fmt;
use std::str::FromStr;

use crate::circuit::Party;
use crate::net::Traffic;

pub use attempts::{Attempt, Attempts, Uncounted};
pub use error::{Check, Disagreement, Error, Result};
pub use greeting::{Greeting, MAX_TERMS, Offer, STATISTICAL_SECURITY};
#[cfg(feature = "internals")]
pub use label::{ActiveLabel, ZeroLabel};
pub use malicious::{AuthenticatedBit, Keep, KeptBit, Malicious, MaliciousBytes};
pub use semi_honest::{SemiHonest, SharedBit};
#[cfg(feature = "internals")]
pub use semi_honest::{evaluate, garble};
pub use session::{Session, SessionBit};
#[cfg(feature = "internals")]
pub use tag::Tag;
pub use values::{Audience, Demand, Input, Opened, Opening, Run, Words};

/// The adversary that a session protects against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Security {
    /// A peer that follows the protocol, but analyses everything it receives. A peer that deviates
    /// can cheat.
    SemiHonest,
    /// A peer that deviates from the protocol in any way.
    Malicious,
}

/// An engine that the parties can choose in their hellos. Both must choose the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EngineKind {
    /// Half gates: [`SemiHonest`].
    SemiHonest = 0,
    /// Authenticated garbling: [`Malicious`].
    Malicious = 1,
}

impl EngineKind {
    const ALL: [Self; 2] = [Self::SemiHonest, Self::Malicious];

    /// The number in a hello, which also enters the session id.
    const fn number(self) -> u8 {
        self as u8
    }

    /// The adversary that a session of this engine protects against.
    pub const fn security(self) -> Security {
        match self {
            Self::SemiHonest => Security::SemiHonest,
            Self::Malicious => Security::Malicious,
        }
    }
}

impl fmt::Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SemiHonest => "semi-honest",
            Self::Malicious => "malicious",
        })
    }
}

impl FromStr for EngineKind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "semi-honest" => Ok(Self::SemiHonest),
            "malicious" => Ok(Self::Malicious),
            _ => Err(Error::usage(format!(
                "unknown security `{name}`; use malicious or semi-honest"
            ))),
        }
    }
}

/// One party's side of a computation on shared bits, over one connection.
///
/// Both parties must call the same methods in the same order with the same arguments, except for
/// the bits that each party enters. The parties compare their calls before a call returns a result.
/// If the calls differ, the party that notices first gets [`Error::Disagreement`], or
/// [`Error::Channel`] if the calls expect different messages. The other party gets one of these two
/// errors, or receives an abort.
///
/// After an error other than [`Error::Usage`] the session is over: its secrets are wiped, the
/// connection is closed, and every later call returns [`Error::Ended`].
pub trait TwoParty {
    /// This party's part of a shared bit.
    type Shared: Clone;

    /// This party's role.
    fn role(&self) -> Party;

    /// The adversary that this session protects against. This value determines whether the circuit
    /// of a deck checks the parties' seeds. An engine without any protection must return
    /// [`Security::SemiHonest`].
    fn security(&self) -> Security;

    /// Does the preprocessing for later runs now, so that these runs take less time.
    ///
    /// Afterwards the session holds at least the preprocessing that `demand` requires, including
    /// the preprocessing that it already held. Preprocessing for many runs at once costs less per
    /// run. An engine without preprocessing does nothing.
    ///
    /// # Errors
    /// [`Error::Usage`] if a number in the demand is above 2^28, or above 2^22 on a machine with
    /// less than 64 bits; any other [`Error`] of a session.
    fn prepare(&mut self, demand: Demand) -> Result<()>;

    /// Evaluates a circuit. Returns its output values as shared bits.
    ///
    /// # Errors
    /// [`Error::Usage`] if the inputs do not match the circuit, or if the demand of the run exceeds
    /// the limits of [`prepare`](Self::prepare); any other [`Error`] of a session.
    fn run(&mut self, run: Run<'_, Self::Shared>) -> Result<Words<Self::Shared>>;

    /// Opens shared bits in one exchange of messages. Returns the bits that this party learns.
    ///
    /// # Errors
    /// [`Error::Usage`] if a bit belongs to a different session; any other [`Error`] of a session.
    fn open(&mut self, openings: &[Opening<'_, Self::Shared>]) -> Result<Opened>;

    /// Ends the session and wipes its secrets, because the caller has caught the peer cheating. The
    /// peer learns only that the session was aborted.
    fn abort(&mut self);

    /// The bytes and flights of the session so far.
    fn traffic(&self) -> Traffic;
}
