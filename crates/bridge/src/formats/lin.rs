//! LIN, of Bridge Base Online: fields that consist of a two-letter name, `|`, a value and `|`.
//!
//! A board is written as a line with its label (`qx`), the deal (`md`), the board number (`ah`) and
//! the vulnerability (`sv`). The deal consists of a digit for the dealer and three hands, clockwise
//! from South. When a file is read, all other fields are skipped.
//!
//! A file is written in one of two styles. The style of Big Deal is shorter. The style of Bridge
//! Base Online adds empty names of players (`pn`) and a comma after the third hand, and writes `o`
//! instead of `0` for no vulnerability, as in a file of a tournament (forum of Bridge Base Online,
//! "lin file format structure", 2007). The program endplay 0.5.12 can read only the style of Bridge
//! Base Online: it expects `pn` at the start of a board, and rejects `0` as a vulnerability.

use super::boards::{Boards, Dealing, Reading};
use super::error::{Fault, Location, ReadError};
use super::text;
use crate::{Board, Card, Compass, Deal, DealError, Hand, Suit, Vulnerability};

/// The seats in the order of the hands. The digit for the dealer is an index in this list, counted
/// from 1.
const SEATS: [Compass; 4] = [Compass::South, Compass::West, Compass::North, Compass::East];

/// The style of a written file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    BigDeal,
    BridgeBase,
}

pub(super) fn write(boards: &[Board], style: Style) -> String {
    let (names, last, none) = match style {
        Style::BigDeal => ("", "", '0'),
        Style::BridgeBase => ("pn|,,,|st||", ",", 'o'),
    };
    let mut text = String::new();
    for board in boards {
        let number = board.number;
        let dealer = (board.dealer() as usize + 2) % 4 + 1;
        let hands = SEATS.map(|seat| hand(board.deal.hand(seat)));
        let vulnerable = match board.vulnerability() {
            Vulnerability::None => none,
            Vulnerability::NorthSouth => 'n',
            Vulnerability::EastWest => 'e',
            Vulnerability::All => 'b',
        };
        text.push_str(&format!(
            "qx|o{number}|{names}md|{dealer}{}{last}|rh||ah|Board {number}|sv|{vulnerable}|pg||\n",
            hands[..3].join(",")
        ));
    }
    text
}

/// Formats a hand: the letter of each suit followed by the ranks.
fn hand(hand: Hand) -> String {
    let mut text = String::new();
    for suit in Suit::ALL {
        text.push(suit.letter());
        text.extend(hand.ranks(suit));
    }
    text
}

/// The fields of the current board that have been read, with their lines.
#[derive(Default)]
struct Pending {
    /// The number in the label.
    label: Option<u32>,
    number: Option<(usize, u32)>,
    deal: Option<(usize, Compass, Deal)>,
    vulnerable: Option<(usize, Vulnerability)>,
}

pub(super) fn read(bytes: &[u8]) -> Result<Reading, ReadError> {
    let text = text::checked(bytes)?;
    let mut boards = Boards::default();
    let mut pending = Pending::default();
    let mut fields = Fields { text, line: 1 };
    while let Some((line, name, value)) = fields.next()? {
        let fails = |fault: Fault| fault.in_line(line);
        match &*name.to_ascii_lowercase() {
            b"qx" => {
                std::mem::take(&mut pending).finish(&mut boards)?;
                pending.label = label(value);
            }
            b"md" => {
                if pending.deal.is_some() {
                    std::mem::take(&mut pending).finish(&mut boards)?;
                }
                let (dealer, deal) = read_deal(value).map_err(fails)?;
                pending.deal = Some((line, dealer, deal));
            }
            b"ah" => {
                if let Some(number) = heading(value) {
                    let number = text::number(number).ok_or_else(|| fails(Fault::Number))?;
                    let is_other = |(_, before)| before != number;
                    if pending.deal.is_some() && pending.number.is_some_and(is_other) {
                        std::mem::take(&mut pending).finish(&mut boards)?;
                    }
                    pending.number = Some((line, number));
                }
            }
            b"sv" if !value.is_empty() => match vulnerability(value) {
                Ok(sides) => pending.vulnerable = Some((line, sides)),
                Err(fault) => boards.warn(fails(fault)),
            },
            name if name.len() != 2 || !name.iter().all(u8::is_ascii_alphanumeric) => {
                boards.warn(fails(Fault::FieldName));
            }
            _ => (),
        }
    }
    pending.finish(&mut boards)?;
    boards.finish(Location::Line(fields.line))
}

impl Pending {
    /// Adds the board to `boards`, if its deal has been read.
    fn finish(self, boards: &mut Boards) -> Result<(), ReadError> {
        let Some((line, dealer, deal)) = self.deal else {
            if let Some((line, number)) = self.number.filter(|(_, number)| !boards.holds(*number)) {
                boards.warn(Fault::NoDeal(number).in_line(line));
            }
            return Ok(());
        };
        let labelled = self.label.map(|label| (line, label));
        let number = self.number.or(labelled);
        if let Some((line, 0)) = number {
            return Err(Fault::Number.in_line(line));
        }
        let number = boards.number(number.map(|(_, number)| number), Location::Line(line))?;
        let board = Board { number, deal };
        boards.check_dealer(&board, dealer, Location::Line(line));
        if let Some((line, found)) = self.vulnerable {
            boards.check_vulnerability(&board, found, Location::Line(line));
        }
        boards.take(board, Location::Line(line));
        Ok(())
    }
}

/// The number in a label: `1`, or `o1` at the first table and `c1` at the second, with or without a
/// comma and a heading, as in `o1,BOARD 17`. The number of the heading counts if there is one.
fn label(value: &[u8]) -> Option<u32> {
    let comma = value.iter().position(|byte| *byte == b',');
    let (label, title) = value.split_at(comma.unwrap_or(value.len()));
    let of_title = title.get(1..).and_then(heading).and_then(text::number);
    let is_letter = label.first().is_some_and(u8::is_ascii_alphabetic);
    of_title.or_else(|| text::number(label[usize::from(is_letter)..].trim_ascii()))
}

/// The digits after `Board` in a heading; `None` for other headings.
fn heading(value: &[u8]) -> Option<&[u8]> {
    let (word, number) = value.trim_ascii().split_at_checked(5)?;
    // A link has `%20` or `+` for a space.
    let spaces: [&[u8]; 3] = [b" ", b"%20", b"+"];
    let number = spaces
        .iter()
        .find_map(|space| number.strip_prefix(*space))?;
    let number = number.trim_ascii_start();
    let number = number.strip_prefix(b"#").unwrap_or(number);
    let end = number.iter().position(|byte| !byte.is_ascii_digit());
    let digits = &number[..end.unwrap_or(number.len())];
    (word.eq_ignore_ascii_case(b"Board") && !digits.is_empty()).then_some(digits)
}

/// The line of a field's value, the name of the field, and the value.
type Field<'a> = (usize, &'a [u8], &'a [u8]);

/// The unread part of a text, and the number of its first line.
struct Fields<'a> {
    text: &'a [u8],
    line: usize,
}

impl<'a> Fields<'a> {
    /// The next field.
    ///
    /// # Errors
    /// [`Fault::Field`] if the field is not closed, and [`Fault::Encoded`] if the bars are encoded.
    fn next(&mut self) -> Result<Option<Field<'a>>, ReadError> {
        let rest = self.text.trim_ascii_start();
        self.advance(self.text.len() - rest.len());
        // Further arguments of a link may follow the last field.
        if rest.is_empty() || rest.starts_with(b"&") && !rest.contains(&b'|') {
            return Ok(None);
        }
        let mut name = self.part()?;
        // In a link, the first field follows `lin=`.
        if let Some(place) = name.windows(4).rposition(|four| four == b"lin=") {
            name = &name[place + 4..];
        }
        let line = self.line;
        Ok(Some((line, name, self.part()?)))
    }

    /// Returns the text up to the next bar, and skips the bar.
    fn part(&mut self) -> Result<&'a [u8], ReadError> {
        let text = self.text;
        let bar = text.iter().position(|byte| *byte == b'|');
        let bar = bar.ok_or_else(|| {
            let is_encoded = text
                .windows(3)
                .any(|three| three.eq_ignore_ascii_case(b"%7c"));
            let fault = if is_encoded {
                Fault::Encoded
            } else {
                Fault::Field
            };
            fault.in_line(self.line)
        })?;
        self.advance(bar + 1);
        Ok(text[..bar].trim_ascii())
    }

    fn advance(&mut self, bytes: usize) {
        let (skipped, rest) = self.text.split_at(bytes);
        self.line += text::ends(skipped);
        self.text = rest;
    }
}

/// Parses the dealer and the deal. If East's hand is missing, East gets the remaining cards.
fn read_deal(value: &[u8]) -> Result<(Compass, Deal), Fault> {
    const DEALERS: &str = "1 (South), 2 (West), 3 (North) or 4 (East)";
    let (dealer, hands) = value.split_first().ok_or(Fault::NoDealer(DEALERS))?;
    let dealer = match dealer {
        b'1'..=b'4' => SEATS[usize::from(dealer - b'1')],
        _ => return Err(Fault::NoDealer(DEALERS)),
    };
    let count = 1 + hands.iter().filter(|byte| **byte == b',').count();
    if !(3..=4).contains(&count) {
        return Err(Fault::LinHands(count));
    }
    let mut dealing = Dealing::new();
    for (hand, seat) in hands.split(|byte| *byte == b',').zip(SEATS) {
        read_hand(hand, |card| Ok(dealing.give(card, seat)?))?;
    }
    match dealing.cards_of(Compass::East) {
        0 | 13 => Ok((dealer, dealing.rest_to(Compass::East)?)),
        cards => Err(DealError::Count { seat: 'E', cards }.into()),
    }
}

/// Calls `give` with each card of a hand.
fn read_hand(hand: &[u8], mut give: impl FnMut(Card) -> Result<(), Fault>) -> Result<(), Fault> {
    let mut suit: Option<Suit> = None;
    for letter in hand
        .iter()
        .map(|byte| char::from(byte.to_ascii_uppercase()))
    {
        let found = Suit::ALL.into_iter().find(|suit| suit.letter() == letter);
        if let Some(next) = found {
            if suit.is_some_and(|before| before as usize >= next as usize) {
                return Err(Fault::LinHand(letter));
            }
            suit = Some(next);
            continue;
        }
        let card = suit.and_then(|suit| Card::of(suit, letter));
        give(card.ok_or(Fault::LinHand(letter))?)?;
    }
    Ok(())
}

fn vulnerability(value: &[u8]) -> Result<Vulnerability, Fault> {
    match value.to_ascii_lowercase()[..] {
        [b'0' | b'o' | b'-'] => Ok(Vulnerability::None),
        [b'n'] => Ok(Vulnerability::NorthSouth),
        [b'e'] => Ok(Vulnerability::EastWest),
        [b'b'] => Ok(Vulnerability::All),
        _ => Err(Fault::NoVulnerability("0, o, -, n, e or b")),
    }
}
