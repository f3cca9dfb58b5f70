//! Two-party computation on shared bits.
//!
//! [`TwoParty`] is what the decks are built on: enter inputs, run a circuit, open some of what
//! came out, to one party or to both, and let the next circuit take in the rest.
//! [`Malicious`] implements it with authenticated garbling, against a peer that does anything;
//! [`SemiHonest`] with half gates, against one that follows the protocol; [`Session`] is either.

mod handshake;
mod malicious;
mod packed_bits;
mod plan;
mod semi_honest;
mod session;
mod tables;
mod tag;
mod walk;

use std::fmt;
use std::str::FromStr;

use self::plan::{Identified, check_origin};
use crate::circuit::{Circuit, Party};
use crate::crypto::SessionId;
use crate::net::Traffic;
use crate::{Error, Result};

pub use handshake::{Handshake, MAX_TERMS};
pub use malicious::{AuthenticatedBit, Malicious};
pub use semi_honest::{SemiHonest, SharedBit, evaluate, garble};
pub use session::{Session, SessionBit};
#[cfg(feature = "internals")]
pub use tag::Tag;

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

/// Where the bits of an input value of a circuit come from.
#[derive(Clone, Copy)]
pub enum Input<'a, S> {
    /// This party enters them.
    Mine(&'a [bool]),
    /// The peer enters them.
    Peer,
    /// They came out of an earlier circuit of this session.
    Shared(&'a [S]),
}

/// Who learns an opened bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// This party alone.
    Me,
    /// The peer alone.
    Peer,
    /// Both.
    Both,
}

impl To {
    /// Whether `party` learns the bit, `me` being the party that speaks.
    pub(crate) fn includes(self, me: Party, party: Party) -> bool {
        match self {
            To::Me => party == me,
            To::Peer => party != me,
            To::Both => true,
        }
    }
}

/// Shared bits and who is to learn them.
#[derive(Clone, Copy)]
pub struct Opening<'a, S> {
    /// Who learns them.
    pub to: To,
    /// The bits.
    pub bits: &'a [S],
}

/// Two parties that compute on shared bits, over one connection.
///
/// Both call the same methods with the same circuits in the same order, each from its own side
/// (what is [`Input::Mine`] and [`To::Me`] for one is [`Input::Peer`] and [`To::Peer`] for the
/// other). The parties compare what they run, open and make ahead before they give a result: if they
/// disagree, whoever notices first gets [`Error::Disagreement`] (or, if the two even expect different
/// messages, an [`Error::Channel`]), the other that or an abort.
///
/// After an error other than [`Error::Usage`] the session is over: its secrets are wiped, the
/// connection is closed, and every later call gives [`Error::Failed`].
pub trait TwoParty {
    /// A bit that neither party knows, held in two halves.
    type Shared: Clone;

    /// Which party this is.
    fn party(&self) -> Party;

    /// What this session protects against.
    fn security(&self) -> Security;

    /// Makes sure that what circuits with so many AND gates, and so many input bits of the garbler
    /// and of the evaluator, need in all is there, as far as it can be made ahead: running them is
    /// faster then. The more at once, the cheaper. Nothing is made by an engine that has no use
    /// for it.
    ///
    /// # Errors
    /// [`Error::Usage`] if it is more than the engine makes at once, 2^28 of anything; any other
    /// [`Error`] of a session.
    fn prepare(&mut self, ands: usize, inputs: [usize; 2]) -> Result<()>;

    /// Evaluates `circuit`, with one of `inputs` for each of its input values, and gives its
    /// output values as shared bits.
    ///
    /// # Errors
    /// [`Error::Usage`] if the inputs do not fit the circuit, or it is too large for
    /// [`prepare`](Self::prepare); any other [`Error`] of a session.
    fn run(
        &mut self,
        circuit: &Circuit,
        inputs: &[Input<'_, Self::Shared>],
    ) -> Result<Vec<Vec<Self::Shared>>>;

    /// Opens shared bits, all in one exchange. For each opening gives the bits if this party is
    /// among those that learn them.
    ///
    /// # Errors
    /// Any [`Error`] of a session.
    fn open(&mut self, openings: &[Opening<'_, Self::Shared>]) -> Result<Vec<Option<Vec<bool>>>>;

    /// Ends the session because the layer above caught the peer cheating: secrets are wiped, the
    /// peer sees only that the session was aborted.
    fn abort(&mut self);

    /// Bytes and flights of the session so far.
    fn traffic(&self) -> Traffic;
}

/// Checks that `inputs` fit the input values of `circuit`, and are of this session.
fn check_inputs<S: Identified>(
    session: &SessionId,
    circuit: &Circuit,
    inputs: &[Input<'_, S>],
) -> Result<()> {
    if inputs.len() != circuit.inputs().len() {
        return Err(Error::usage(format!(
            "the circuit has {} input values, {} were given",
            circuit.inputs().len(),
            inputs.len()
        )));
    }
    for (number, (input, &bits)) in inputs.iter().zip(circuit.inputs()).enumerate() {
        let given = match input {
            Input::Mine(values) => values.len(),
            Input::Peer => bits,
            Input::Shared(shared) => {
                check_origin(session, *shared)?;
                shared.len()
            }
        };
        if given != bits {
            return Err(Error::usage(format!(
                "input value {number} has {bits} bits, {given} were given"
            )));
        }
    }
    Ok(())
}
