//! What is agreed before a match begins.

use dealerless::shuffle::Algorithm;

use super::shape::Shape;
use crate::rules::{Edition, Stakes, StakesError};
use crate::wire::{Malformed, Reader, Writer};

/// What is agreed before a match: the host sends it, the guest takes it by sitting down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The version of each protocol that both speak.
    pub versions: Versions,
    /// The game and what it is played for.
    pub stakes: Stakes,
    /// By which algorithm the deck is shuffled.
    pub algorithm: Algorithm,
    /// The digest of the circuit that shuffles and draws.
    pub circuit: [u8; 32],
    /// How many output bits say whether the inputs are in range: one for each seat, or none if
    /// every input is.
    pub validity: u8,
    /// The time to think.
    pub clock: Clock,
}

/// The most bytes of the name of an algorithm.
const ALGORITHM: usize = 32;

/// The versions of the protocols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Versions {
    /// Of the log, which is the edition of the rules.
    pub log: Edition,
    /// Of the engine that shuffles.
    pub engine: u16,
}

/// The time to think. No time at all means as long as one likes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Seconds for each move.
    pub each_move: u32,
    /// Seconds for all that takes longer, in the whole match.
    pub bank: u32,
}

impl Clock {
    /// No limit.
    pub const NONE: Self = Clock {
        each_move: 0,
        bank: 0,
    };
}

/// The bytes are no header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderError {
    /// They are not what [`Header::encode`] writes.
    #[error("the header is not in the one encoding")]
    Malformed,
    /// This version of the log is unknown.
    #[error(
        "version {0} of the log is unknown; this program has version {ours}",
        ours = Header::LOG_VERSION.number()
    )]
    Version(u16),
    /// The stakes are out of bounds.
    #[error("the header has stakes that cannot be played for")]
    Stakes(#[source] StakesError),
}

impl From<Malformed> for HeaderError {
    fn from(Malformed: Malformed) -> Self {
        HeaderError::Malformed
    }
}

impl Header {
    /// The version of the log of a new match.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) const LOG_VERSION: Edition = Edition::NEWEST;
    /// The most bytes of an encoding.
    pub(crate) const MAX_LEN: usize = 2 + 2 + 2 + Stakes::MAX_LEN + 2 + ALGORITHM + 32 + 1 + 4 + 4;

    /// The bytes that stand for this header.
    pub fn encode(&self) -> Vec<u8> {
        Writer::default()
            .u16(self.versions.log.number())
            .u16(self.versions.engine)
            .string(&self.stakes.encode())
            .string(self.algorithm.name().as_bytes())
            .raw(&self.circuit)
            .u8(self.validity)
            .u32(self.clock.each_move)
            .u32(self.clock.bank)
            .finish()
    }

    /// The header for which these bytes stand.
    ///
    /// # Errors
    /// If they are anything else than what [`encode`](Self::encode) writes.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, HeaderError> {
        let mut reader = Reader::new(bytes);
        let log = reader.u16()?;
        let log = Edition::of_number(log).ok_or(HeaderError::Version(log))?;
        let engine = reader.u16()?;
        let stakes =
            Stakes::decode(reader.string(Stakes::MAX_LEN)?).map_err(HeaderError::Stakes)?;
        let algorithm = reader.string(ALGORITHM)?;
        let algorithm = std::str::from_utf8(algorithm).map_err(|_| Malformed)?;
        let header = Header {
            versions: Versions { log, engine },
            algorithm: algorithm.parse().map_err(|_| Malformed)?,
            circuit: reader.array()?,
            validity: reader.u8()?,
            clock: Clock {
                each_move: reader.u32()?,
                bank: reader.u32()?,
            },
            stakes,
        };
        reader.finish()?;
        let validity = usize::from(header.validity);
        if validity != 0 && validity != header.stakes.seats() {
            return Err(HeaderError::Malformed);
        }
        Ok(header)
    }

    pub(super) fn shape(&self) -> Shape {
        Shape::new(&self.stakes, self.validity)
    }
}
