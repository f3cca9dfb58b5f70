//! PBN, Portable Bridge Notation 2.1: tags, with an empty line after each board.
//!
//! The standard defines an export format and an import format. Files are written in the export
//! format, with `?` for unknown values. Files in both formats can be read. A file that is marked as
//! export format must have every mandatory tag (section 3.4). In any other file no tag is mandatory
//! (section 3.1).

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
    reader.boards.finish(end, reader.unnumbered.is_none())
}

/// The line and the value of a tag; `None` if the tag has not been found.
type Found = Option<(usize, String)>;

/// A game of the standard is what an empty line ends: usually a board, or its result at a table.
#[derive(Default)]
struct Reader {
    boards: Boards,
    /// Whether the file is marked as export format, so that every mandatory tag is required.
    export: bool,
    /// The mandatory tags of the current game.
    found: [Found; MANDATORY.len()],
    /// The mandatory tags that all later games inherit.
    inherited: [bool; MANDATORY.len()],
    /// The value of the last tag `Board`.
    last_board: String,
    /// The line of the first game that has a deal without a board number.
    unnumbered: Option<usize>,
}

impl Reader {
    fn take(&mut self, line: usize, token: Token) -> Result<(), ReadError> {
        match token {
            Token::Export => self.export = true,
            Token::EmptyLine => self.finish_game()?,
            Token::Tag { name, value } => {
                if let Some(place) = MANDATORY.iter().position(|tag| *tag == name) {
                    self.keep(place, line, value)?;
                }
            }
        }
        Ok(())
    }

    /// Stores the value of the tag with the index `place` in [`MANDATORY`]. If the tag does not
    /// describe the board, its value is not stored.
    ///
    /// `#` stands for the value of the last game that has this tag, or else for an empty value. A
    /// value after `##` is also that of all later games without this tag (section 4.8). Of a tag
    /// that appears twice in a game, the first value counts (section 3.4).
    fn keep(&mut self, place: usize, line: usize, value: String) -> Result<(), ReadError> {
        if self.found[place].is_some() {
            let fault = Fault::TagTwice(MANDATORY[place]);
            self.boards.warn(fault.in_line(line));
            return Ok(());
        }
        let value = match (place, value.strip_prefix("##")) {
            (DEALER | VULNERABLE | DEAL, _) if value.starts_with('#') => {
                return Err(Fault::Inherited(MANDATORY[place]).in_line(line));
            }
            (_, Some(text)) => {
                self.inherited[place] = true;
                text.to_owned()
            }
            (BOARD, None) if value == "#" => self.last_board.clone(),
            (_, None) => value,
        };
        let value = match place {
            BOARD => {
                self.last_board.clone_from(&value);
                value
            }
            DEALER | VULNERABLE | DEAL => value,
            _ => String::new(),
        };
        self.found[place] = Some((line, value));
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
            return Err(Fault::Missing(MANDATORY[place]).in_line(begun));
        }
        if found[BOARD].is_none() && self.inherited[BOARD] {
            found[BOARD] = Some((begun, self.last_board.clone()));
        }
        let known = |place: usize| found[place].as_ref().filter(|(_, text)| !is_unknown(text));
        let number = match known(BOARD) {
            Some((line, text)) => {
                let number = text::number(text.as_bytes()).filter(|number| *number > 0);
                Some(number.ok_or_else(|| Fault::Number.in_line(*line))?)
            }
            None => None,
        };
        let Some((line, deal)) = known(DEAL) else {
            return match number {
                Some(number) if !self.boards.holds(number) => {
                    Err(Fault::Missing(MANDATORY[DEAL]).in_line(begun))
                }
                _ => Ok(()),
            };
        };
        let deal: Result<Deal, _> = deal.to_ascii_uppercase().parse();
        let deal = deal.map_err(|error| Fault::Deal(error).in_line(*line))?;
        let number = self.number(number, begun)?;
        let board = Board { number, deal };
        if let Some((line, text)) = known(DEALER) {
            let dealer = dealer(text).map_err(|fault| fault.in_line(*line))?;
            self.boards
                .check_dealer(&board, dealer, Location::Line(*line));
        }
        if let Some((line, text)) = known(VULNERABLE) {
            let vulnerable = vulnerable(text).map_err(|fault| fault.in_line(*line))?;
            self.boards
                .check_vulnerability(&board, vulnerable, Location::Line(*line));
        }
        let line = found[BOARD].as_ref().map_or(begun, |(line, _)| *line);
        self.boards.take(board, Location::Line(line));
        Ok(())
    }

    /// The number of a board in the game that begins in the line `begun`: the number in the file,
    /// or if no game has one, the place of the board in the file.
    fn number(&mut self, stated: Option<u32>, begun: usize) -> Result<u32, ReadError> {
        let missing = |line| Fault::Missing(MANDATORY[BOARD]).in_line(line);
        match (stated, self.unnumbered) {
            (Some(number), None) => Ok(number),
            (Some(_), Some(line)) => Err(missing(line)),
            (None, None) if self.boards.count() > 0 => Err(missing(begun)),
            (None, unnumbered) => {
                self.unnumbered = unnumbered.or(Some(begun));
                Ok(self.boards.count() as u32 + 1)
            }
        }
    }
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
