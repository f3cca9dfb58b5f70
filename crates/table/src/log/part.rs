//! The parts that a seat can sign in a step, and their encoding.

use dealerless_connection::wire::{Malformed, Reader, Writer};

use super::deal::Deal;
use super::deck_log::{
    CardOpening, Reseal, Seal, VerifiableSizes, read_openings, read_reveal, write_reveal,
};
use super::phase::Stop;
use super::shape::Shape;
use super::signed::SignedPart;
use crate::rules::Choice;
use crate::seat::Seat;
use dealerless::dice::Reveal;
use dealerless::verifiable::{Complaint, Dealing, Keys};
#[cfg(doc)]
use dealerless::verifiable::{Goods, Partials, Show};

/// A part: the content that one seat signs in one step.
#[derive(Clone, Debug, PartialEq, Eq, strum::EnumDiscriminants)]
#[strum_discriminants(name(PartKind))]
#[strum_discriminants(derive(Hash, PartialOrd, Ord, strum::Display, strum::EnumIter))]
#[strum_discriminants(strum(serialize_all = "kebab-case"))]
#[strum_discriminants(doc = "The kind of a part, for messages and tests.")]
pub enum Part {
    /// Starts a try of a hand.
    Deal(Deal),
    /// Seals the deck: commits to the seat's shares of the cards, which it can no longer change.
    Seal(Seal),
    /// Declares the try void before anybody has seen a card of it. The hand is dealt again.
    Again,
    /// Opens the seat's shares of cards.
    Open(Vec<CardOpening>),
    /// Makes a choice.
    Move(Choice),
    /// Seals the cards of a reshuffled hand.
    Reseal(Reseal),
    /// Declares a steal void because the hand could not be reshuffled. The hand keeps its cards,
    /// and nobody has seen a card of the reshuffled hand.
    Void,
    /// Commits to dice, as described in [`dealerless::dice`].
    Commit([u8; 32]),
    /// Reveals the dice that the seat has committed to.
    Reveal(Reveal),
    /// Confirms the chips after the hand.
    Result {
        /// The chips of each seat.
        stacks: Vec<u64>,
        /// What the seat does after this hand. With a sealed deck it always stays.
        next: AfterHand,
        /// The chips that the seat buys for the next match, which follows then. With a sealed deck
        /// none.
        buy: u64,
    },
    /// Leaves the match for good.
    Leave,
    /// Gives up the hand because the seat cannot continue, and ends the match.
    Forfeit,
    /// Disputes an opening because the MACs of the opened shares are invalid, and ends the match.
    Dispute {
        /// The step of the opening.
        step: u64,
    },
    /// The first part of a seat for the keys of a verifiable deck ([`Keys`]).
    Keys(Vec<u8>),
    /// The second part of a seat for the keys ([`Dealing`]).
    KeyDealing(Vec<u8>),
    /// The seat received all its shares of the keys.
    Fine,
    /// The seat received a wrong share ([`Complaint`]).
    Complain(Vec<u8>),
    /// The deck after the seat's shuffle, with its proof.
    Shuffle(Vec<u8>),
    /// Partial decryptions of cards ([`Partials`]).
    Partials(Vec<u8>),
    /// Shows cards that were opened to this seat alone ([`Show`]).
    Show(Vec<u8>),
    /// The seat's share of the secret of the deck's key, which a seat publishes when it leaves.
    Key([u8; 32]),
    /// The seat's goods after its mix, with the proof ([`Goods`]).
    Mix(Vec<u8>),
}

/// The first bytes of the parts that open cards of a verifiable deck.
const PARTIALS: u8 = 19;
const SHOW: u8 = 20;

/// What a seat does after a hand, with its number in the part. Only with a verifiable deck.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::FromRepr)]
#[repr(u8)]
pub enum AfterHand {
    /// The seat stays.
    #[default]
    Stay = 0,
    /// The seat leaves, so that the match ends.
    Leave = 1,
    /// The seat ends the match so that others can sit down, if it is the first seat that is left.
    Change = 2,
}

impl SignedPart {
    /// Whether the part opens or shows cards of a verifiable deck.
    pub(crate) fn opens_cards(&self) -> bool {
        matches!(self.part.first(), Some(&(PARTIALS | SHOW)))
    }
}

impl Part {
    /// The maximum length of a part in bytes, in any game.
    pub(super) const MAX_LEN: usize = 1 << 20;

    /// The kind of the part.
    pub(crate) fn kind(&self) -> PartKind {
        self.into()
    }

    /// The content of a [`Part::Deal`].
    pub(super) fn deal(&self) -> Option<&Deal> {
        match self {
            Part::Deal(deal) => Some(deal),
            _ => None,
        }
    }

    /// The seat that the part convicts, if the part is a valid complaint.
    pub(super) fn complains_about(&self) -> Option<Seat> {
        match self {
            Part::Complain(bytes) => bytes.first().map(|&dealer| Seat::new(dealer)),
            _ => None,
        }
    }

    /// How the part ends the match, regardless of what other seats sign in the same step. `None` if
    /// it does not end the match.
    pub(crate) fn stop(&self) -> Option<Stop> {
        match *self {
            Part::Leave => Some(Stop::Leave),
            Part::Forfeit => Some(Stop::Forfeit),
            Part::Dispute { step } => Some(Stop::Dispute { step }),
            _ => None,
        }
    }

    /// The encoding of the part, padded with zeros to `size`. A part that does not fit has a longer
    /// encoding, which the peer refuses.
    pub(super) fn encode(&self, shape: &Shape, size: usize) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.u8(self.code());
        match self {
            Part::Deal(deal) => deal.write(&mut writer),
            Part::Keys(bytes)
            | Part::KeyDealing(bytes)
            | Part::Complain(bytes)
            | Part::Shuffle(bytes)
            | Part::Partials(bytes)
            | Part::Show(bytes)
            | Part::Mix(bytes) => {
                writer.raw(bytes);
            }
            Part::Key(share) => {
                writer.raw(share);
            }
            Part::Seal(seal) => seal.write(&mut writer, &shape.deck),
            Part::Open(cards) => {
                writer.u16(cards.len() as u16);
                cards
                    .iter()
                    .for_each(|card| card.write(&mut writer, &shape.deck));
            }
            Part::Move(choice) => {
                writer.string(&choice.encode());
            }
            Part::Reseal(reseal) => reseal.write(&mut writer, &shape.deck),
            Part::Commit(commitment) => {
                writer.raw(commitment);
            }
            Part::Reveal(reveal) => write_reveal(&mut writer, reveal),
            Part::Result { stacks, next, buy } => {
                stacks.iter().for_each(|&stack| {
                    writer.u64(stack);
                });
                if shape.verifiable.is_some() {
                    writer.u8(*next as u8).u64(*buy);
                }
            }
            Part::Dispute { step } => {
                writer.u64(*step);
            }
            Part::Again | Part::Void | Part::Leave | Part::Forfeit | Part::Fine => {}
        }
        let mut bytes = writer.finish();
        bytes.resize(bytes.len().max(size), 0);
        bytes
    }

    /// Decodes a part.
    pub(super) fn decode(bytes: &[u8], shape: &Shape) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        let part = match reader.u8()? {
            0 => Part::Deal(Deal::read(&mut reader, shape)?),
            1 => Part::Seal(Seal::read(&mut reader, &shape.deck, true)?),
            2 => Part::Seal(Seal::read(&mut reader, &shape.deck, false)?),
            3 => Part::Again,
            4 => Part::Open(read_openings(&mut reader, &shape.deck)?),
            5 => Part::Move(read_choice(&mut reader, shape)?),
            6 => {
                let stacks = read_list(shape.seats, || reader.u64())?;
                let (next, buy) = match shape.verifiable {
                    Some(_) => (AfterHand::from_repr(reader.u8()?), reader.u64()?),
                    None => (Some(AfterHand::Stay), 0),
                };
                let next = next.ok_or(Malformed)?;
                Part::Result { stacks, next, buy }
            }
            7 => Part::Leave,
            8 => Part::Forfeit,
            9 => Part::Dispute {
                step: reader.u64()?,
            },
            10 => Part::Commit(reader.array()?),
            11 => Part::Reveal(read_reveal(&mut reader)?),
            12 => Part::Reseal(Reseal::read(&mut reader, &shape.deck)?),
            13 => Part::Void,
            code => {
                let sizes = shape.verifiable.as_ref().ok_or(Malformed)?;
                read_verifiable(code, sizes, &mut reader)?
            }
        };
        only_zeros(reader)?;
        Ok(part)
    }

    fn code(&self) -> u8 {
        match self {
            Part::Deal(_) => 0,
            Part::Seal(Seal {
                masked: Some(_), ..
            }) => 1,
            Part::Seal(Seal { masked: None, .. }) => 2,
            Part::Again => 3,
            Part::Open(_) => 4,
            Part::Move(_) => 5,
            Part::Result { .. } => 6,
            Part::Leave => 7,
            Part::Forfeit => 8,
            Part::Dispute { .. } => 9,
            Part::Commit(_) => 10,
            Part::Reveal(_) => 11,
            Part::Reseal(_) => 12,
            Part::Void => 13,
            Part::Keys(_) => 14,
            Part::KeyDealing(_) => 15,
            Part::Fine => 16,
            Part::Complain(_) => 17,
            Part::Shuffle(_) => 18,
            Part::Partials(_) => PARTIALS,
            Part::Show(_) => SHOW,
            Part::Key(_) => 21,
            Part::Mix(_) => 22,
        }
    }
}

/// Reads a part of a verifiable deck. Partials, shows and mixes take all remaining bytes: their
/// lengths depend on the cards or goods.
fn read_verifiable(
    code: u8,
    sizes: &VerifiableSizes,
    reader: &mut Reader<'_>,
) -> Result<Part, Malformed> {
    Ok(match code {
        14 => Part::Keys(reader.raw(Keys::LEN)?.to_vec()),
        15 => Part::KeyDealing(reader.raw(Dealing::part_len(sizes.seats))?.to_vec()),
        16 => Part::Fine,
        17 => Part::Complain(reader.raw(Complaint::LEN)?.to_vec()),
        18 => Part::Shuffle(reader.raw(sizes.shuffle)?.to_vec()),
        PARTIALS => Part::Partials(reader.rest().to_vec()),
        SHOW => Part::Show(reader.rest().to_vec()),
        21 => Part::Key(reader.array()?),
        22 => Part::Mix(reader.rest().to_vec()),
        _ => return Err(Malformed),
    })
}

pub(super) fn read_list<T>(
    count: usize,
    mut read: impl FnMut() -> Result<T, Malformed>,
) -> Result<Vec<T>, Malformed> {
    // The list grows as it is read: a large count alone allocates nothing.
    (0..count).map(|_| read()).collect()
}

/// Checks the padding of a part.
fn only_zeros(mut reader: Reader<'_>) -> Result<(), Malformed> {
    while let Ok(byte) = reader.u8() {
        if byte != 0 {
            return Err(Malformed);
        }
    }
    Ok(())
}

fn read_choice(reader: &mut Reader<'_>, shape: &Shape) -> Result<Choice, Malformed> {
    Choice::decode(reader.string(shape.choice())?)
}
