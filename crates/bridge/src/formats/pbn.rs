//! PBN, Portable Bridge Notation 2.1: tags, with an empty line after each board.
//!
//! The standard defines an export format and an import format. Files are written in the export
//! format, with `?` for unknown values. Files in both formats can be read. If a file is marked as
//! export format, a mandatory tag that is missing after the mark causes a warning (section 3.4). In
//! any other file no tag is mandatory (section 3.1).

use super::boards::{Boards, Reading, vulnerability};
use super::error::{Fault, Location, ReadError};
use super::pbn_tags::{self, Token};
use super::text;
use crate::{Board, Compass, Deal, Vulnerability};

/// The mandatory tags, in the order of the standard.
const MANDATORY: [&str; 15] = [
    "Event",
    "Site",
    "Date",
    "Board",
    "West",
    "North",
    "East",
    "South",
    "Dealer",
    "Vulnerable",
    "Deal",
    "Scoring",
    "Declarer",
    "Contract",
    "Result",
];

// The indices in `MANDATORY` of the tags that describe a board.
const BOARD: usize = 3;
const DEALER: usize = 8;
const VULNERABLE: usize = 9;
const DEAL: usize = 10;

/// Writes the boards in the export format: CR LF as the line end, the dealer's hand first (section
/// 3.4.11), and the tag `Generator` after the mandatory tags (section 3.4).
pub(super) fn write_export(boards: &[Board]) -> String {
    let mut text = String::from("% PBN 2.1\n% EXPORT\n");
    for (place, board) in boards.iter().enumerate() {
        if place > 0 {
            text.push('\n');
        }
        write_tags(&mut text, board, board.dealer());
        if place == 0 {
            text.push_str(&generator());
        }
    }
    text.replace('\n', "\r\n")
}

/// Writes the boards as Big Deal does on Unix: LF as the line end, North's hand first, and the tag
/// `Generator` before the first board.
pub(super) fn write_like_big_deal(boards: &[Board]) -> String {
    let mut text = format!("% PBN 2.1\n% EXPORT\n%\n{}", generator());
    for board in boards {
        write_tags(&mut text, board, Compass::North);
        text.push('\n');
    }
    text
}

fn generator() -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!("[Generator \"dealerless {version}\"]\n")
}

/// Appends the mandatory tags of a board. The deal begins with the hand of the seat `first`.
fn write_tags(text: &mut String, board: &Board, first: Compass) {
    for (place, tag) in MANDATORY.into_iter().enumerate() {
        let value = match place {
            BOARD => board.number.to_string(),
            DEALER => board.dealer().letter().to_string(),
            VULNERABLE => vulnerability(board.vulnerability()).to_owned(),
            DEAL => board.deal.pbn_from(first),
            // Also for tags that section 3.4 calls inappropriate, as Big Deal writes them.
            _ => "?".to_owned(),
        };
        text.push_str(&format!("[{tag} \"{value}\"]\n"));
    }
}

pub(super) fn read(bytes: &[u8]) -> Result<Reading, ReadError> {
    let text = text::checked(bytes)?;
    let mut reader = Reader::default();
    pbn_tags::read(text, |line, token| reader.take(line, token))?;
    reader.finish_game()?;
    let end = Location::Line(text::lines(text).count());
    reader.boards.finish(end)
}

/// The line and the value of a tag; `None` if the tag has not been found.
type Found = Option<(usize, String)>;

/// Collects the boards from the tokens. What the standard calls a game ends at an empty line: it is a
/// board, or the result of a board at another table.
#[derive(Default)]
struct Reader {
    boards: Boards,
    /// Whether `% EXPORT` has been read.
    export: bool,
    /// The mandatory tags of the current game.
    found: [Found; MANDATORY.len()],
    /// The mandatory tags that all later games inherit.
    inherited: [bool; MANDATORY.len()],
    /// The value of the last tag `Board`.
    last_board: String,
}

impl Reader {
    fn take(&mut self, line: usize, token: Token) -> Result<(), ReadError> {
        match token {
            Token::Export => self.export = true,
            Token::EmptyLine => self.finish_game()?,
            Token::Tag { name, value } => {
                let is_tag = |tag: &&str| tag.eq_ignore_ascii_case(&name);
                match MANDATORY.iter().position(is_tag) {
                    Some(tag) if MANDATORY[tag] == name => self.keep(tag, line, value)?,
                    Some(tag) => self
                        .boards
                        .warn(Fault::TagCase(MANDATORY[tag]).in_line(line)),
                    None => (),
                }
            }
        }
        Ok(())
    }

    /// Stores the value of the tag with the index `tag` in [`MANDATORY`]. If the tag does not describe
    /// the board, its value is not stored.
    ///
    /// `#` stands for the value of the last game that has this tag, or else for an empty value. If a
    /// value began with `##`, later games without this tag have its last value (section 4.8). If a tag
    /// appears twice in a game, the first value counts (section 3.4).
    fn keep(&mut self, tag: usize, line: usize, value: String) -> Result<(), ReadError> {
        if self.found[tag].is_some() {
            self.boards
                .warn(Fault::TagTwice(MANDATORY[tag]).in_line(line));
            return Ok(());
        }
        let value = value.trim().to_owned();
        // Declarer and Contract may not have # either, but they do not describe the board.
        if matches!(tag, DEALER | VULNERABLE | DEAL) {
            if value.starts_with('#') {
                return Err(Fault::Inherited(MANDATORY[tag]).in_line(line));
            }
            self.found[tag] = Some((line, value));
            return Ok(());
        }
        let for_later = value.strip_prefix("##");
        self.inherited[tag] |= for_later.is_some();
        let mut kept = String::new();
        if tag == BOARD {
            if value != "#" {
                self.last_board = for_later.unwrap_or(&value).trim().to_owned();
            }
            kept.clone_from(&self.last_board);
        }
        self.found[tag] = Some((line, kept));
        Ok(())
    }

    /// Adds the board that the tags in `found` describe. Does nothing if there are no tags, or if
    /// they add only a result to an earlier board.
    fn finish_game(&mut self) -> Result<(), ReadError> {
        let mut found = std::mem::take(&mut self.found);
        let Some(begun) = found.iter().flatten().map(|(line, _)| *line).min() else {
            return Ok(());
        };
        let absent = |place: &usize| found[*place].is_none() && !self.inherited[*place];
        let absent = (0..MANDATORY.len()).find(absent);
        if let Some(place) = absent.filter(|_| self.export) {
            self.boards
                .warn(Fault::NoExport(MANDATORY[place]).in_line(begun));
        }
        if found[BOARD].is_none() && self.inherited[BOARD] {
            found[BOARD] = Some((begun, self.last_board.clone()));
        }
        let known = |tag: usize| found[tag].as_ref().filter(|(_, text)| !is_unknown(text));
        let number = match known(BOARD) {
            Some((line, text)) => {
                let number = text::number(text.as_bytes()).filter(|number| *number > 0);
                Some(number.ok_or_else(|| Fault::Number.in_line(*line))?)
            }
            None => None,
        };
        let Some((line, deal)) = known(DEAL) else {
            let Some(number) = number else { return Ok(()) };
            let number = self.boards.number(Some(number), Location::Line(begun))?;
            return if self.boards.holds(number) {
                Ok(())
            } else {
                Err(Fault::Missing(MANDATORY[DEAL]).in_line(begun))
            };
        };
        let deal = read_deal(deal).map_err(|fault| fault.in_line(*line))?;
        let number = self.boards.number(number, Location::Line(begun))?;
        let board = Board { number, deal };
        if let Some((line, text)) = known(DEALER) {
            let place = Location::Line(*line);
            match dealer(text) {
                Ok(dealer) => self.boards.check_dealer(&board, dealer, place),
                Err(fault) => self.boards.warn(fault.at(place)),
            }
        }
        if let Some((line, text)) = known(VULNERABLE) {
            let place = Location::Line(*line);
            match vulnerable(text) {
                Ok(sides) => self.boards.check_vulnerability(&board, sides, place),
                Err(fault) => self.boards.warn(fault.at(place)),
            }
        }
        let line = found[BOARD].as_ref().map_or(begun, |(line, _)| *line);
        self.boards.take(board, Location::Line(line));
        Ok(())
    }
}

/// Parses a deal. Accepts repeated white space and lower-case letters.
fn read_deal(text: &str) -> Result<Deal, Fault> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let deal = words.join(" ").replacen(": ", ":", 1);
    Ok(deal.to_ascii_uppercase().parse()?)
}

/// Whether a value is unknown, or inappropriate in its game (section 3.4).
fn is_unknown(value: &str) -> bool {
    matches!(value, "" | "?")
}

/// Parses the value of the tag `Dealer`.
fn dealer(text: &str) -> Result<Compass, Fault> {
    let seat = Compass::ALL
        .into_iter()
        .find(|seat| text.eq_ignore_ascii_case(seat.letter().encode_utf8(&mut [0])));
    seat.ok_or(Fault::NoDealer("N, E, S or W"))
}

/// Parses the value of the tag `Vulnerable`.
fn vulnerable(text: &str) -> Result<Vulnerability, Fault> {
    match &*text.to_ascii_lowercase() {
        "none" | "love" | "-" => Ok(Vulnerability::None),
        "ns" => Ok(Vulnerability::NorthSouth),
        "ew" => Ok(Vulnerability::EastWest),
        "all" | "both" => Ok(Vulnerability::All),
        _ => Err(Fault::NoVulnerability("None, Love, -, NS, EW, All or Both")),
    }
}
