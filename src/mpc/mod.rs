//! Two-party computation on shared bits.
//!
//! [`TwoParty`] is what the decks are built on: enter inputs, run a circuit, open some of what
//! came out, to one party or to both, and let the next circuit take in the rest.
//! [`Malicious`] implements it with authenticated garbling, against a peer that does anything;
//! [`SemiHonest`] with half gates, against one that follows the protocol; [`Session`] is either.
//! A session begins with a [`Greeting`], which an engine takes.

mod attempts;
mod channel_secret;
mod error;
mod greeting;
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

pub use attempts::{Attempt, Attempts};
pub use error::{Check, Disagreement, Error, Result};
pub use greeting::{Greeting, MAX_TERMS, Offer};
#[cfg(feature = "internals")]
pub use label::{ActiveLabel, ZeroLabel};
pub use malicious::{AuthenticatedBit, KeptBit, Malicious};
pub use semi_honest::{SemiHonest, SharedBit};
#[cfg(feature = "internals")]
pub use semi_honest::{evaluate, garble};
pub use session::{Session, SessionBit};
pub use tag::Tag;
pub use values::{Audience, Demand, Input, Opened, Opening, Run, Words};

/// What a session protects against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Security {
    /// Against a peer that follows the protocol and looks at everything that it gets. A peer that
    /// deviates can cheat.
    SemiHonest,
    /// Against a peer that does anything.
    Malicious,
}

impl fmt::Display for Security {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Security::SemiHonest => "semi-honest",
            Security::Malicious => "malicious",
        })
    }
}

impl FromStr for Security {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "semi-honest" => Ok(Security::SemiHonest),
            "malicious" => Ok(Security::Malicious),
            _ => Err(Error::usage(format!(
                "'{name}' is neither semi-honest nor malicious"
            ))),
        }
    }
}

/// Two parties that compute on shared bits, over one connection.
///
/// Both call the same methods with the same arguments in the same order, but for the bits that each
/// enters itself. They compare what they run, open and make ahead before they give a result: if
/// they disagree, whoever notices first gets [`Error::Disagreement`] (or, if the two even expect
/// different messages, [`Error::Channel`]), and the other that or an abort.
///
/// After an error other than [`Error::Usage`] the session is over: its secrets are wiped, the
/// connection is closed, and every later call gives [`Error::Ended`].
pub trait TwoParty {
    /// A bit that neither party knows, held in two halves.
    type Shared: Clone;

    /// This party's role.
    fn role(&self) -> Party;

    /// What this session protects against.
    fn security(&self) -> Security;

    /// Makes what runs will take, so that they are faster. Nothing is made of what is there
    /// already, nor by an engine that needs nothing. The more is made at once, the less a run costs
    /// in all.
    ///
    /// # Errors
    /// [`Error::Usage`] if the demand is above 2^28 of anything; any other [`Error`] of a session.
    fn prepare(&mut self, demand: Demand) -> Result<()>;

    /// Evaluates a circuit, and gives its output values as shared bits.
    ///
    /// # Errors
    /// [`Error::Usage`] if the inputs do not fit the circuit, or it is too large for
    /// [`prepare`](Self::prepare); any other [`Error`] of a session.
    fn run(&mut self, run: Run<'_, Self::Shared>) -> Result<Words<Self::Shared>>;

    /// Opens shared bits, all in one exchange, and gives what this party learns.
    ///
    /// # Errors
    /// [`Error::Usage`] if a bit is of another session; any other [`Error`] of a session.
    fn open(&mut self, openings: &[Opening<'_, Self::Shared>]) -> Result<Opened>;

    /// Ends the session because the layer above caught the peer cheating: secrets are wiped, the
    /// peer sees only that the session was aborted.
    fn abort(&mut self);

    /// Bytes and flights of the session so far.
    fn traffic(&self) -> Traffic;
}
