//! The terms of a match, agreed before it begins.

use dealerless::shuffle::Algorithm;
use dealerless::verifiable::Seats;
use dealerless_connection::wire::{Malformed, Reader, Writer};

use super::at_table::{AtTable, TableId};
use super::past::Past;
use super::shape::Shape;
use crate::rules::{Stakes, StakesError};

/// The terms of a match. The host proposes them, and the guest accepts or declines them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The game and its stakes.
    pub stakes: Stakes,
    /// The kind of deck.
    pub deck: DeckTerms,
    /// The time limits.
    pub clock: Clock,
    /// The place of the match at its table. With a verifiable deck only.
    pub table: Option<AtTable>,
}

/// The kind of deck, with the terms that depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeckTerms {
    /// A deck that two seats shuffle with a circuit.
    Sealed(SealedTerms),
    /// A deck that each seat shuffles in turn, with proofs ([`dealerless::verifiable`]). If the
    /// threshold is below the number of seats, the others can remove a silent seat.
    Verifiable(Seats),
}

impl DeckTerms {
    /// A verifiable deck for these stakes, whose cards any `threshold` seats together open. `None`
    /// unless the game is poker or a board game for 2 to 10 seats, and `2 <= threshold <= seats`.
    pub fn verifiable(stakes: &Stakes, threshold: usize) -> Option<Self> {
        let seats = Seats::new(stakes.seats(), threshold)?;
        let has_deck = stakes.betting().is_some() || stakes.game().is_some();
        has_deck.then_some(DeckTerms::Verifiable(seats))
    }
}

/// The terms of a sealed deck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SealedTerms {
    /// The version of the shuffling engine.
    pub engine_version: u16,
    /// The algorithm that shuffles the deck.
    pub algorithm: Algorithm,
    /// The digest of the circuit that shuffles the deck and draws the cards.
    pub circuit: [u8; 32],
    /// The number of output bits of the circuit that tell whether the seats' inputs are in range:
    /// one bit for each seat, or 0 if all possible inputs are in range.
    pub validity: u8,
}

/// The version of the log of a match with a sealed deck.
const SEALED: u16 = 3;
/// The version of the log of a match with a verifiable deck.
const VERIFIABLE: u16 = 4;
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
    #[error("unknown log version {0}; this program knows versions {SEALED} and {VERIFIABLE}")]
    Version(u16),
    /// The stakes are out of bounds.
    #[error("the header has invalid stakes")]
    Stakes(#[source] StakesError),
    /// The game has no verifiable deck, or the threshold is below 2 or above the number of seats.
    #[error(
        "a verifiable deck is for poker or a board game with 2 to 10 seats, and 2 or more of them open \
         a card"
    )]
    NoSuchDeck,
    /// A board game has a sealed deck.
    #[error("a board game needs a verifiable deck")]
    Sealed,
}

impl From<Malformed> for HeaderError {
    fn from(Malformed: Malformed) -> Self {
        HeaderError::Malformed
    }
}

// A board game continues no match, and its stakes can be longer than those of poker with a result.
const _: () = assert!(Past::MAX_LEN + 64 <= Stakes::MAX_LEN);

impl Header {
    /// The maximum length of an encoded header in bytes.
    pub(crate) const MAX_LEN: usize =
        2 + 2 + 2 + Stakes::MAX_LEN + 2 + ALGORITHM + 32 + 1 + 4 + 4 + AtTable::MAX_LEN;

    /// Encodes the header.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        match &self.deck {
            DeckTerms::Sealed(terms) => writer
                .u16(SEALED)
                .u16(terms.engine_version)
                .string(&self.stakes.encode())
                .string(terms.algorithm.name().as_bytes())
                .raw(&terms.circuit)
                .u8(terms.validity),
            DeckTerms::Verifiable(seats) => writer
                .u16(VERIFIABLE)
                .string(&self.stakes.encode())
                .u8(seats.threshold() as u8),
        };
        writer.u32(self.clock.each_move).u32(self.clock.bank);
        if let Some(table) = &self.table {
            table.write(&mut writer);
        }
        writer.finish()
    }

    /// Decodes a header.
    ///
    /// # Errors
    /// If the bytes are not what [`encode`](Self::encode) writes.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, HeaderError> {
        let mut reader = Reader::new(bytes);
        let (stakes, deck) = match reader.u16()? {
            SEALED => read_sealed(&mut reader)?,
            VERIFIABLE => read_verifiable(&mut reader)?,
            version => return Err(HeaderError::Version(version)),
        };
        let clock = Clock {
            each_move: reader.u32()?,
            bank: reader.u32()?,
        };
        let table = match deck {
            DeckTerms::Sealed(_) => None,
            DeckTerms::Verifiable(_) => Some(AtTable::read(&mut reader, &stakes)?),
        };
        reader.finish()?;
        Ok(Header {
            stakes,
            deck,
            clock,
            table,
        })
    }

    /// The header of the first match of a table with a verifiable deck, whose cards any `threshold`
    /// seats together open. `None` if there is [no such deck](DeckTerms::verifiable).
    pub fn at_table(id: TableId, stakes: Stakes, threshold: usize, clock: Clock) -> Option<Self> {
        Some(Header {
            deck: DeckTerms::verifiable(&stakes, threshold)?,
            table: Some(AtTable::first(id, &stakes)),
            stakes,
            clock,
        })
    }

    /// The result of the match before, if this match continues one.
    pub fn past(&self) -> Option<&Past> {
        self.table.as_ref()?.past.as_ref()
    }

    /// The terms of the sealed deck, if the match is played with one.
    pub fn sealed(&self) -> Option<&SealedTerms> {
        match &self.deck {
            DeckTerms::Sealed(terms) => Some(terms),
            DeckTerms::Verifiable(_) => None,
        }
    }

    pub(super) fn shape(&self) -> Shape {
        Shape::new(&self.stakes, &self.deck)
    }
}

fn read_stakes(reader: &mut Reader<'_>) -> Result<Stakes, HeaderError> {
    Stakes::decode(reader.string(Stakes::MAX_LEN)?).map_err(HeaderError::Stakes)
}

/// Reads the stakes and the terms of a verifiable deck.
fn read_verifiable(reader: &mut Reader<'_>) -> Result<(Stakes, DeckTerms), HeaderError> {
    let (stakes, threshold) = (read_stakes(reader)?, reader.u8()?);
    let deck = DeckTerms::verifiable(&stakes, threshold.into()).ok_or(HeaderError::NoSuchDeck)?;
    Ok((stakes, deck))
}

/// Reads the stakes and the terms of a sealed deck.
fn read_sealed(reader: &mut Reader<'_>) -> Result<(Stakes, DeckTerms), HeaderError> {
    let engine_version = reader.u16()?;
    let stakes = read_stakes(reader)?;
    if stakes.game().is_some() {
        return Err(HeaderError::Sealed);
    }
    let algorithm = reader.text(ALGORITHM)?;
    let terms = SealedTerms {
        engine_version,
        algorithm: algorithm.parse().map_err(|_| Malformed)?,
        circuit: reader.array()?,
        validity: reader.u8()?,
    };
    let validity = usize::from(terms.validity);
    if validity != 0 && validity != stakes.seats() {
        return Err(HeaderError::Malformed);
    }
    Ok((stakes, DeckTerms::Sealed(terms)))
}
