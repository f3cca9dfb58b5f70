//! The terms of a match, agreed before it begins.

use dealerless::shuffle::Algorithm;

use super::shape::Shape;
use crate::rules::{Edition, Stakes, StakesError};
use crate::wire::{Malformed, Reader, Writer};

/// The terms of a match. The host proposes them, and the guest accepts or declines them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The version of the log, which is also the edition of the rules.
    pub log_version: Edition,
    /// The version of the shuffling engine.
    pub engine_version: u16,
    /// The game and its stakes.
    pub stakes: Stakes,
    /// The algorithm that shuffles the deck.
    pub algorithm: Algorithm,
    /// The digest of the circuit that shuffles the deck and draws the cards.
    pub circuit: [u8; 32],
    /// The number of output bits of the circuit that tell whether the seats' inputs are in range:
    /// one bit for each seat, or 0 if all possible inputs are in range.
    pub validity: u8,
    /// The time limits.
    pub clock: Clock,
}

/// The maximum length of an algorithm's name in bytes.
const ALGORITHM: usize = 32;

/// The time limits of a match. The default, zero for both, means no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// Seconds for each move.
    pub each_move: u32,
    /// Seconds in the time bank. Moves that exceed `each_move` use it up over the whole match.
    pub bank: u32,
}

/// The bytes are not a valid header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderError {
    /// The bytes are not what [`Header::encode`] writes.
    #[error("the header is malformed or has a non-canonical encoding")]
    Malformed,
    /// The version of the log is unknown.
    #[error(
        "unknown log version {0}; this program uses version {ours}",
        ours = Header::LOG_VERSION.number()
    )]
    Version(u16),
    /// The stakes are out of bounds.
    #[error("the header has invalid stakes")]
    Stakes(#[source] StakesError),
}

impl From<Malformed> for HeaderError {
    fn from(Malformed: Malformed) -> Self {
        HeaderError::Malformed
    }
}

impl Header {
    /// The log version of new matches.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) const LOG_VERSION: Edition = Edition::NEWEST;
    /// The maximum length of an encoded header in bytes.
    pub(crate) const MAX_LEN: usize = 2 + 2 + 2 + Stakes::MAX_LEN + 2 + ALGORITHM + 32 + 1 + 4 + 4;

    /// Encodes the header.
    pub fn encode(&self) -> Vec<u8> {
        Writer::default()
            .u16(self.log_version.number())
            .u16(self.engine_version)
            .string(&self.stakes.encode())
            .string(self.algorithm.name().as_bytes())
            .raw(&self.circuit)
            .u8(self.validity)
            .u32(self.clock.each_move)
            .u32(self.clock.bank)
            .finish()
    }

    /// Decodes a header.
    ///
    /// # Errors
    /// If the bytes are not what [`encode`](Self::encode) writes.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, HeaderError> {
        let mut reader = Reader::new(bytes);
        let log = reader.u16()?;
        let log_version = Edition::of_number(log).ok_or(HeaderError::Version(log))?;
        let engine_version = reader.u16()?;
        let stakes =
            Stakes::decode(reader.string(Stakes::MAX_LEN)?).map_err(HeaderError::Stakes)?;
        let algorithm = reader.string(ALGORITHM)?;
        let algorithm = std::str::from_utf8(algorithm).map_err(|_| Malformed)?;
        let header = Header {
            log_version,
            engine_version,
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
