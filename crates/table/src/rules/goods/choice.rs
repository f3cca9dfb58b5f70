//! The choices in a game with goods, and their encoding.

use std::fmt;

use dealerless_connection::wire::{Malformed, Reader, Writer};

use crate::rules::next::Learners;
use crate::seat::Seat;

/// A choice that exists only in a game with goods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GoodsChoice {
    /// Seats gain goods of public kinds, as the rules of the game say.
    Gain(Vec<Gain>),
    /// Spends goods. Those that are hidden are then opened to all seats.
    Give(Vec<Good>),
    /// Offers goods to another seat, which answers next.
    Offer(Offer),
    /// Agrees to the open offer. The goods change their owners, and those that were hidden are then
    /// opened to all seats.
    Agree {
        /// The number of the offer.
        number: u32,
        /// The goods that the seat gives, of the kinds that the offer asks for.
        give: Vec<Good>,
    },
    /// Draws the next closed card of the deck with this number. Only this seat then sees it.
    Draw(u8),
    /// Shows a card that the seat has drawn, and keeps it.
    Show {
        /// The position of the card.
        position: u16,
        /// The seats that see it.
        to: Learners,
    },
    /// Mixes the seat's own goods: from then on they are hidden, and only the seat knows which is
    /// which.
    Mix,
}

/// Goods of one kind that a seat gains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gain {
    /// The seat.
    pub seat: Seat,
    /// The number of the kind.
    pub kind: u8,
    /// The number of goods.
    pub count: u8,
}

/// A good that its owner gives, and its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Good {
    /// The position of the good.
    pub position: u16,
    /// The number of its kind.
    pub kind: u8,
}

/// An offer of goods from the seat at its turn to another seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The other seat.
    pub to: Seat,
    /// The goods that are offered, in ascending order of their positions.
    pub give: Vec<Good>,
    /// The kinds that are asked for, in ascending order, with one entry for each good.
    pub take: Vec<u8>,
}

impl GoodsChoice {
    /// The maximum number of entries of a list in a choice.
    pub(crate) const MAX_LISTED: usize = 32;
    /// The maximum length of an encoding in bytes: that of an offer.
    pub(crate) const LONGEST: usize = 1 + 1 + (1 + 3 * Self::MAX_LISTED) + (1 + Self::MAX_LISTED);

    /// Encodes the choice. Truncates lists that are longer than the rules allow.
    pub(in crate::rules) fn write<'w>(&self, writer: &'w mut Writer) -> &'w mut Writer {
        match self {
            GoodsChoice::Gain(gains) => {
                let gains = &gains[..gains.len().min(Self::MAX_LISTED)];
                writer.u8(0).u8(gains.len() as u8);
                for gain in gains {
                    writer.u8(gain.seat.number()).u8(gain.kind).u8(gain.count);
                }
                writer
            }
            GoodsChoice::Give(goods) => write_goods(writer.u8(1), goods),
            GoodsChoice::Offer(offer) => {
                let take = &offer.take[..offer.take.len().min(Self::MAX_LISTED)];
                write_goods(writer.u8(2).u8(offer.to.number()), &offer.give);
                writer.u8(take.len() as u8).raw(take)
            }
            GoodsChoice::Agree { number, give } => write_goods(writer.u8(3).u32(*number), give),
            GoodsChoice::Draw(deck) => writer.u8(4).u8(*deck),
            GoodsChoice::Show { position, to } => to.write(writer.u8(5).u16(*position)),
            GoodsChoice::Mix => writer.u8(6),
        }
    }

    pub(in crate::rules) fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(match reader.u8()? {
            0 => GoodsChoice::Gain(read_list(reader, |reader| {
                Ok(Gain {
                    seat: Seat::new(reader.u8()?),
                    kind: reader.u8()?,
                    count: reader.u8()?,
                })
            })?),
            1 => GoodsChoice::Give(read_goods(reader)?),
            2 => GoodsChoice::Offer(Offer {
                to: Seat::new(reader.u8()?),
                give: read_goods(reader)?,
                take: read_list(reader, Reader::u8)?,
            }),
            3 => GoodsChoice::Agree {
                number: reader.u32()?,
                give: read_goods(reader)?,
            },
            4 => GoodsChoice::Draw(reader.u8()?),
            5 => GoodsChoice::Show {
                position: reader.u16()?,
                to: Learners::read(reader)?,
            },
            6 => GoodsChoice::Mix,
            _ => return Err(Malformed),
        })
    }
}

fn write_goods<'w>(writer: &'w mut Writer, goods: &[Good]) -> &'w mut Writer {
    let goods = &goods[..goods.len().min(GoodsChoice::MAX_LISTED)];
    writer.u8(goods.len() as u8);
    for good in goods {
        writer.u16(good.position).u8(good.kind);
    }
    writer
}

fn read_goods(reader: &mut Reader<'_>) -> Result<Vec<Good>, Malformed> {
    read_list(reader, |reader| {
        Ok(Good {
            position: reader.u16()?,
            kind: reader.u8()?,
        })
    })
}

fn read_list<'a, T>(
    reader: &mut Reader<'a>,
    read: impl Fn(&mut Reader<'a>) -> Result<T, Malformed>,
) -> Result<Vec<T>, Malformed> {
    let count = usize::from(reader.u8()?);
    if count > GoodsChoice::MAX_LISTED {
        return Err(Malformed);
    }
    (0..count).map(|_| read(reader)).collect()
}

/// What the seat does, to be read after its name, such as `gives the goods 62, 63`.
impl fmt::Display for GoodsChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let goods = |goods: &[Good]| list(goods.iter().map(|good| good.position));
        match self {
            GoodsChoice::Gain(gains) => {
                let gains = gains.iter().map(|gain| {
                    let Gain { seat, kind, count } = gain;
                    format!("{count} of kind {kind} for {seat}")
                });
                write!(f, "lets seats gain goods: {}", list(gains))
            }
            GoodsChoice::Give(give) => write!(f, "gives the goods {}", goods(give)),
            GoodsChoice::Offer(Offer { to, give, take }) => {
                let (give, take) = (goods(give), list(take));
                write!(
                    f,
                    "offers {to} the goods {give} for goods of the kinds {take}"
                )
            }
            GoodsChoice::Agree { number, give } => {
                write!(
                    f,
                    "agrees to offer {number} and gives the goods {}",
                    goods(give)
                )
            }
            GoodsChoice::Draw(deck) => write!(f, "draws a card from deck {deck}"),
            GoodsChoice::Show { position, to } => {
                // As everywhere, people count cards from 1.
                let card = u32::from(*position) + 1;
                match to {
                    Learners::All => write!(f, "shows card {card} to all"),
                    Learners::Seat(seat) => write!(f, "shows card {card} to {seat}"),
                }
            }
            GoodsChoice::Mix => f.write_str("mixes its goods"),
        }
    }
}

fn list(items: impl IntoIterator<Item = impl fmt::Display>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    match items.is_empty() {
        true => "(none)".to_owned(),
        false => items.join(", "),
    }
}
