//! The choices of a seat.

use dealerless_connection::wire::{Malformed, Reader, Writer};

use super::goods::GoodsChoice;
use super::next::Learners;
use super::stakes::Stakes;
use crate::seat::Seat;
use dealerless::dice::Dice;

/// The choice of a seat on its turn.
///
/// Amounts are the total that the seat has bet in this round, not the chips that it adds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Gives up the hand. The cards stay closed.
    Fold,
    /// Bets nothing when there is nothing to call.
    Check,
    /// Pays the amount to call, or all remaining chips.
    Call,
    /// Makes the first bet of a round.
    Bet {
        /// The total bet of the seat in this round.
        to: u64,
    },
    /// Raises the last bet or blind.
    Raise {
        /// The total bet of the seat in this round.
        to: u64,
    },
    /// Exchanges some of the five cards, given by their places in the hand, 0 to 4, in ascending
    /// order.
    Exchange(Vec<u8>),
    /// Shows the hand to claim a pot.
    Show,
    /// Gives up the claim to a pot. The cards stay closed.
    Muck,
    /// In a deck without rules: proposes who should see which cards. The positions are in ascending
    /// order.
    Propose(Vec<(u16, Learners)>),
    /// In a deck without rules: agrees to the proposal with this number.
    Agree(u32),
    /// In a deck without rules: refuses the proposal with this number, or withdraws it if it is the
    /// seat's own.
    Refuse(u32),
    /// In a deck without rules: passes.
    Pass,
    /// In a deck without rules: makes all seats roll these dice together.
    Roll(Dice),
    /// In a deck without rules: draws the next closed card, which only this seat then sees.
    Draw,
    /// In a deck without rules: lays down a card that this seat holds. All seats then see the card,
    /// and no seat holds it.
    Reveal(u16),
    /// In a deck without rules: steals a random card from the hand of the given seat.
    Steal(Seat),
    /// In a deck without rules: shows all seats a card that this seat holds. The seat keeps the
    /// card.
    ShowCard(u16),
    /// In a board game: a choice about goods and cards. Dice, steals, refusals and passes are the
    /// choices of a deck without rules.
    Goods(GoodsChoice),
}

impl Choice {
    /// The maximum number of cards in a proposal in a deck without rules.
    pub(crate) const MAX_PROPOSED: usize = 64;
    /// The maximum number of hands in a proposal in a game of boards: all hands of all boards.
    pub(crate) const MAX_HANDS: usize = 4 * Stakes::MAX_BOARDS as usize;
    /// The maximum number of dice in a roll.
    pub(crate) const MAX_DICE: u32 = 100;
    /// The maximum length of an encoding in bytes.
    #[cfg(feature = "internals")]
    pub const MAX_LEN: usize = 3 + 4 * Self::MAX_HANDS;

    /// The maximum length of an encoding in bytes if a proposal may name `proposed` cards or hands.
    pub(crate) const fn longest(proposed: usize) -> usize {
        let count = if proposed > Self::MAX_PROPOSED { 2 } else { 1 };
        1 + count + 4 * proposed
    }

    /// Encodes the choice. Truncates lists that are longer than any rule allows, such as an
    /// exchange of more than five cards. The rules refuse such a choice in any case.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        match self {
            Choice::Fold => writer.u8(0),
            Choice::Check => writer.u8(1),
            Choice::Call => writer.u8(2),
            Choice::Bet { to } => writer.u8(3).u64(*to),
            Choice::Raise { to } => writer.u8(4).u64(*to),
            Choice::Exchange(places) => {
                let places = &places[..places.len().min(5)];
                writer.u8(5).u8(places.len() as u8).raw(places)
            }
            Choice::Show => writer.u8(6),
            Choice::Muck => writer.u8(7),
            Choice::Propose(cards) => {
                let cards = &cards[..cards.len().min(Self::MAX_HANDS)];
                match u8::try_from(cards.len()) {
                    Ok(count) if cards.len() <= Self::MAX_PROPOSED => writer.u8(8).u8(count),
                    _ => writer.u8(17).u16(cards.len() as u16),
                };
                for (position, learners) in cards {
                    learners.write(writer.u16(*position));
                }
                &mut writer
            }
            Choice::Agree(number) => writer.u8(9).u32(*number),
            Choice::Refuse(number) => writer.u8(10).u32(*number),
            Choice::Pass => writer.u8(11),
            Choice::Roll(dice) => writer.u8(12).u32(dice.count()).u32(dice.sides()),
            Choice::Draw => writer.u8(13),
            Choice::Reveal(position) => writer.u8(14).u16(*position),
            Choice::Steal(seat) => writer.u8(15).u8(seat.number()),
            Choice::ShowCard(position) => writer.u8(16).u16(*position),
            Choice::Goods(choice) => choice.write(writer.u8(18)),
        };
        writer.finish()
    }

    /// Decodes a choice.
    ///
    /// # Errors
    /// If the bytes are not an output of [`encode`](Self::encode).
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        let choice = match reader.u8()? {
            0 => Choice::Fold,
            1 => Choice::Check,
            2 => Choice::Call,
            3 => Choice::Bet { to: reader.u64()? },
            4 => Choice::Raise { to: reader.u64()? },
            5 => Choice::Exchange(read_places(&mut reader)?),
            6 => Choice::Show,
            7 => Choice::Muck,
            8 => {
                let count = usize::from(reader.u8()?);
                let fits = (1..=Choice::MAX_PROPOSED).contains(&count);
                Choice::Propose(read_proposal(&mut reader, count, fits)?)
            }
            9 => Choice::Agree(reader.u32()?),
            10 => Choice::Refuse(reader.u32()?),
            11 => Choice::Pass,
            12 => Choice::Roll(read_dice(&mut reader)?),
            13 => Choice::Draw,
            14 => Choice::Reveal(reader.u16()?),
            15 => Choice::Steal(Seat::new(reader.u8()?)),
            16 => Choice::ShowCard(reader.u16()?),
            17 => {
                let count = usize::from(reader.u16()?);
                let fits = (Choice::MAX_PROPOSED + 1..=Choice::MAX_HANDS).contains(&count);
                Choice::Propose(read_proposal(&mut reader, count, fits)?)
            }
            18 => Choice::Goods(GoodsChoice::read(&mut reader)?),
            _ => return Err(Malformed),
        };
        reader.finish()?;
        Ok(choice)
    }
}

fn read_places(reader: &mut Reader<'_>) -> Result<Vec<u8>, Malformed> {
    let count = reader.u8()?;
    if count > 5 {
        return Err(Malformed);
    }
    let places = reader.raw(usize::from(count))?.to_vec();
    let rise = places.windows(2).all(|pair| pair[0] < pair[1]);
    let fit = places.iter().all(|&place| place < 5);
    if rise && fit {
        Ok(places)
    } else {
        Err(Malformed)
    }
}

fn read_dice(reader: &mut Reader<'_>) -> Result<Dice, Malformed> {
    let (count, sides) = (reader.u32()?, reader.u32()?);
    Dice::new(count, sides).map_err(|_| Malformed)
}

fn read_proposal(
    reader: &mut Reader<'_>,
    count: usize,
    fits: bool,
) -> Result<Vec<(u16, Learners)>, Malformed> {
    if !fits {
        return Err(Malformed);
    }
    let mut cards: Vec<(u16, Learners)> = Vec::new();
    for _ in 0..count {
        let position = reader.u16()?;
        if cards.last().is_some_and(|&(last, _)| last >= position) {
            return Err(Malformed);
        }
        cards.push((position, Learners::read(reader)?));
    }
    Ok(cards)
}

impl Learners {
    pub(super) fn write(self, writer: &mut Writer) -> &mut Writer {
        match self {
            Learners::All => writer.u8(0),
            Learners::Seat(seat) => writer.u8(1).u8(seat.number()),
        }
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        match reader.u8()? {
            0 => Ok(Learners::All),
            1 => Ok(Learners::Seat(Seat::new(reader.u8()?))),
            _ => Err(Malformed),
        }
    }
}
