//! The options that describe a netlist: who enters what, and which outputs are cards.

use std::str::FromStr;
use std::{fmt, ops};

use anyhow::{Context, ensure};
use dealerless::circuit::Party;
use dealerless_logic::draws::{Entry, Layout, Range};

use crate::circuit::owners::{Owner, Owners};

/// Who enters an input value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Party(Party),
    /// The value holds cards of the deck.
    Deck,
}

/// An item of `--owner`: the role of one or more values.
#[derive(Clone, Copy)]
pub(super) struct Roles {
    count: usize,
    role: Role,
}

impl FromStr for Roles {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (count, name) = repeated(text)?;
        let role = match name {
            "d" | "deck" => Role::Deck,
            name => match name.parse::<Owner>() {
                Ok(owner) => Role::Party(owner.party()),
                Err(_) => return Err("expected g (garbler), e (evaluator) or d (deck)".into()),
            },
        };
        Ok(Roles { count, role })
    }
}

/// Splits a number of repetitions from a text such as `9*c6`.
fn repeated(text: &str) -> Result<(usize, &str), String> {
    let Some((count, rest)) = text.split_once('*') else {
        return Ok((1, text));
    };
    let count = count.parse().ok().filter(|count| *count > 0);
    Ok((count.ok_or("expected a number before *")?, rest))
}

/// The role of each input value.
///
/// # Errors
/// If the numbers of roles and values differ, or no roles are given for three or more values.
pub(super) fn roles(values: usize, given: &[Roles]) -> anyhow::Result<Vec<Role>> {
    if given.is_empty() {
        let owners = Owners::obvious(values).with_context(|| {
            format!(
                "the netlist has {values} input values; name the owner of each with --owner: g \
                 (garbler), e (evaluator), or d for values that hold the deck"
            )
        })?;
        return Ok((owners.parties().iter())
            .map(|&party| Role::Party(party))
            .collect());
    }
    let named = (given.iter()).fold(0, |sum: usize, roles| sum.saturating_add(roles.count));
    ensure!(
        named == values,
        "the netlist has {values} input values, but --owner names {named}"
    );
    let roles = given.iter();
    Ok(roles
        .flat_map(|r| std::iter::repeat_n(r.role, r.count))
        .collect())
}

/// The entry of each input bit, given the widths and roles of the values, and the number of cards
/// in the deck if the deck is an input. Without `cards`, each value of the deck is a card, or a
/// single value is a deck with cards of as few bits as possible.
///
/// # Errors
/// If the number of cards is unclear, or does not fit the values.
pub(super) fn entries(
    widths: &[usize],
    roles: &[Role],
    cards: Option<usize>,
) -> anyhow::Result<(Vec<Entry>, Option<usize>)> {
    let decks = || (widths.iter().zip(roles)).filter(|(_, role)| **role == Role::Deck);
    let bits: usize = decks().map(|(&width, _)| width).sum();
    if bits == 0 {
        let entries = widths.iter().zip(roles).flat_map(|(&width, &role)| {
            let entry = match role {
                Role::Party(party) => Entry::Of(party),
                Role::Deck => Entry::Public(false),
            };
            std::iter::repeat_n(entry, width)
        });
        return Ok((entries.collect(), None));
    }
    let bits_of_card = |n: usize| {
        n.saturating_sub(1)
            .checked_ilog2()
            .map_or(1, |log| log as usize + 1)
    };
    let cards = match (cards, decks().count()) {
        (Some(cards), _) => cards,
        (None, 1) => (2..=bits)
            .take_while(|&n| n * bits_of_card(n) <= bits)
            .last()
            .filter(|&n| n * bits_of_card(n) == bits)
            .with_context(|| {
                format!("the deck has {bits} bits; name the number of cards with --cards")
            })?,
        (None, values) => values,
    };
    ensure!(
        cards > 0 && bits.is_multiple_of(cards) && bits / cards >= bits_of_card(cards),
        "the {bits} bits of the deck do not hold {cards} cards; name their number with --cards"
    );
    let size = bits / cards;
    let deck = (0..bits).map(|bit| {
        let (card, place) = (bit / size, bit % size);
        Entry::Public(card.checked_shr(place as u32).unwrap_or(0) & 1 == 1)
    });
    let mut deck = deck;
    let entries = widths.iter().zip(roles).flat_map(|(&width, &role)| {
        let value: Vec<Entry> = match role {
            Role::Party(party) => vec![Entry::Of(party); width],
            Role::Deck => deck.by_ref().take(width).collect(),
        };
        value
    });
    Ok((entries.collect(), Some(cards)))
}

/// An argument of `--range`: the numbers that a party enters.
#[derive(Clone)]
pub(super) struct PartyRanges {
    party: Party,
    numbers: Vec<Number>,
}

/// A number from 0 to `count` - 1, or from -`count` to -1.
#[derive(Clone, Copy)]
struct Number {
    negative: bool,
    count: u64,
    bits: Option<usize>,
}

impl FromStr for PartyRanges {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (party, numbers) = text
            .split_once(':')
            .ok_or("expected a party and bounds, for example g:52,51 for numbers of the garbler")?;
        Ok(PartyRanges {
            party: party.parse::<Owner>()?.party(),
            numbers: numbers
                .split(',')
                .map(str::parse)
                .collect::<Result<_, _>>()?,
        })
    }
}

impl FromStr for Number {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (bound, bits) = match text.split_once('/') {
            Some((bound, bits)) => (bound, Some(bits)),
            None => (text, None),
        };
        let (negative, digits) = match bound.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, bound),
        };
        let count = digits.parse().ok().filter(|&count| count > 0);
        let bits = bits.map(|bits| bits.parse().ok().filter(|bits| (1..=64).contains(bits)));
        let number = Number {
            negative,
            count: count.ok_or(format!("`{text}` is not a bound, such as 52, -52 or 52/8"))?,
            bits: match bits {
                None => None,
                Some(bits) => Some(bits.ok_or("a number has 1 to 64 bits")?),
            },
        };
        if (number.bits.unwrap_or(number.least_bits())) < number.least_bits()
            || number.least_bits() > 64
        {
            return Err(format!("`{text}` does not fit into its bits"));
        }
        Ok(number)
    }
}

impl Number {
    /// The number of bits that the numbers need.
    fn least_bits(self) -> usize {
        let magnitude = (u64::BITS - (self.count - 1).leading_zeros()) as usize;
        if self.negative {
            magnitude + 1
        } else {
            magnitude.max(1)
        }
    }

    fn range(self, first_wire: usize, bits: usize) -> Range {
        let low = match self.negative {
            true => ((1u128 << bits) - u128::from(self.count)) as u64,
            false => 0,
        };
        Range {
            first_wire,
            bits,
            low,
            count: self.count,
        }
    }
}

/// The ranges of the input wires.
///
/// # Errors
/// If numbers do not fit the inputs of their party.
pub(super) fn ranges(
    widths: &[usize],
    roles: &[Role],
    given: &[PartyRanges],
) -> anyhow::Result<Vec<Range>> {
    let mut ranges = Vec::new();
    for (place, PartyRanges { party, numbers }) in given.iter().enumerate() {
        let before = &given[..place];
        ensure!(
            before.iter().all(|other| other.party != *party),
            "--range names the {party} twice; name all its numbers together"
        );
        let mut first = 0;
        let mut values: Vec<ops::Range<usize>> = Vec::new();
        for (&width, &role) in widths.iter().zip(roles) {
            if role == Role::Party(*party) && width > 0 {
                values.push(first..first + width);
            }
            first += width;
        }
        let sizes = sizes(numbers, &values).with_context(|| {
            let bits: usize = values.iter().map(ops::Range::len).sum();
            format!(
                "the {} numbers of --range do not fill the {bits} input bits of the {party}; name \
                 the bits of each number, for example 52/8",
                numbers.len()
            )
        })?;
        let wires: Vec<usize> = values.into_iter().flatten().collect();
        let mut wires = wires.as_slice();
        for (number, bits) in numbers.iter().zip(sizes) {
            let own = wires.split_off(..bits).expect("the sizes fill the wires");
            ensure!(
                own[bits - 1] - own[0] == bits - 1,
                "a number of the {party} would lie in two input values that do not follow each other"
            );
            ensure!(
                number.least_bits() <= bits && bits <= 64,
                "a number of the {party} does not fit into {bits} bits"
            );
            ranges.push(number.range(own[0], bits));
        }
    }
    Ok(ranges)
}

/// The number of bits of each number, which together fill the values of a party: as named, or as
/// few as possible, or one value for each number, or the same number of bits for all.
fn sizes(numbers: &[Number], values: &[ops::Range<usize>]) -> Option<Vec<usize>> {
    let bits: usize = values.iter().map(ops::Range::len).sum();
    let least: Vec<usize> = numbers
        .iter()
        .map(|n| n.bits.unwrap_or(n.least_bits()))
        .collect();
    let named = numbers.iter().any(|number| number.bits.is_some());
    if least.iter().sum::<usize>() == bits {
        Some(least)
    } else if !named && values.len() == numbers.len() {
        Some(values.iter().map(ops::Range::len).collect())
    } else if !named && bits.is_multiple_of(numbers.len()) && bits > 0 {
        Some(vec![bits / numbers.len(); numbers.len()])
    } else {
        None
    }
}

/// The argument of `--outputs`: the meaning of all output bits, in order.
#[derive(Clone)]
pub(super) struct Outputs(Vec<Piece>);

#[derive(Clone, Copy)]
struct Piece {
    count: usize,
    meaning: Meaning,
    bits: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Card,
    /// Bits that all have this value if the inputs are valid.
    Valid(bool),
    Ignored,
}

impl FromStr for Outputs {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let pieces: Result<Vec<Piece>, String> = text.split(',').map(str::parse).collect();
        let pieces = pieces?;
        let mut sizes = (pieces.iter())
            .filter(|p| p.meaning == Meaning::Card)
            .map(|p| p.bits);
        let first = sizes
            .next()
            .ok_or("expected at least one card, such as c6")?;
        if first > 64 || sizes.any(|size| size != first) {
            return Err("all cards must have the same number of bits, at most 64".into());
        }
        Ok(Outputs(pieces))
    }
}

impl FromStr for Piece {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (count, piece) = repeated(text)?;
        let mut letters = piece.chars();
        let meaning = match letters.next() {
            Some('c') => Meaning::Card,
            Some('v') => Meaning::Valid(true),
            Some('e') => Meaning::Valid(false),
            Some('x') => Meaning::Ignored,
            _ => {
                return Err(format!(
                    "`{text}` is not an output such as 9*c6, v1, e1 or x8"
                ));
            }
        };
        let bits = letters.as_str().parse().ok().filter(|bits| *bits > 0);
        Ok(Piece {
            count,
            meaning,
            bits: bits.ok_or(format!("`{text}` has no number of bits"))?,
        })
    }
}

impl fmt::Display for Outputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, piece) in self.0.iter().enumerate() {
            let comma = if place > 0 { "," } else { "" };
            let letter = match piece.meaning {
                Meaning::Card => 'c',
                Meaning::Valid(true) => 'v',
                Meaning::Valid(false) => 'e',
                Meaning::Ignored => 'x',
            };
            match piece.count {
                1 => write!(f, "{comma}{letter}{}", piece.bits)?,
                count => write!(f, "{comma}{count}*{letter}{}", piece.bits)?,
            }
        }
        Ok(())
    }
}

impl Outputs {
    /// The argument that names this layout of `total` output bits.
    pub(super) fn naming(layout: &Layout, total: usize) -> Self {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut bit = 0;
        while bit < total {
            let card = layout.cards.iter().find(|card| card.start == bit);
            let valid = layout.valid.iter().find(|&&(number, _)| number == bit);
            let (meaning, bits) = match (card, valid) {
                (Some(card), _) => (Meaning::Card, card.len()),
                (None, Some(&(_, value))) => (Meaning::Valid(value), 1),
                (None, None) => (Meaning::Ignored, 1),
            };
            bit += bits;
            match pieces.last_mut() {
                Some(last) if last.meaning == meaning && meaning == Meaning::Card => {
                    last.count += 1;
                }
                Some(last) if last.meaning == meaning => last.bits += 1,
                _ => pieces.push(Piece {
                    count: 1,
                    meaning,
                    bits,
                }),
            }
        }
        Outputs(pieces)
    }

    /// The layout of a netlist with `total` output bits.
    ///
    /// # Errors
    /// If the number of bits differs.
    pub(super) fn layout(&self, total: usize) -> anyhow::Result<Layout> {
        let named = self.0.iter().fold(0, |sum: usize, piece| {
            sum.saturating_add(piece.count.saturating_mul(piece.bits))
        });
        ensure!(
            named == total,
            "the netlist has {total} output bits, but --outputs names {named}"
        );
        let mut layout = Layout {
            cards: Vec::new(),
            valid: Vec::new(),
        };
        let mut start = 0;
        for piece in &self.0 {
            for _ in 0..piece.count {
                let bits = start..start + piece.bits;
                start = bits.end;
                match piece.meaning {
                    Meaning::Card => layout.cards.push(bits),
                    Meaning::Valid(value) => layout.valid.extend(bits.map(|bit| (bit, value))),
                    Meaning::Ignored => {}
                }
            }
        }
        Ok(layout)
    }
}
