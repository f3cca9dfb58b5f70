//! PBN, Portable Bridge Notation 2.1: tags, with an empty line after each board.
//!
//! The standard defines an export format and an import format. Files are written in the strict
//! export format: all mandatory tags in the order of the standard, `?` for unknown values, and LF
//! as the line end. Files in both formats can be read. A file that is marked as export format must
//! have every mandatory tag. Any other file needs only the tags that describe a board.

use super::boards::{Boards, check_dealer, check_vulnerability, vulnerability};
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

pub(super) fn write(boards: &[Board]) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let mut text = format!("% PBN 2.1\n% EXPORT\n%\n[Generator \"dealerless {version}\"]\n");
    for board in boards {
        for (place, tag) in MANDATORY.into_iter().enumerate() {
            let value = match place {
                BOARD => board.number.to_string(),
                DEALER => board.dealer().letter().to_string(),
                VULNERABLE => vulnerability(board.vulnerability()).to_owned(),
                DEAL => board.deal.to_string(),
                _ => "?".to_owned(),
            };
            text.push_str(&format!("[{tag} \"{value}\"]\n"));
        }
        text.push('\n');
    }
    text
}

pub(super) fn read(bytes: &[u8]) -> Result<Vec<Board>, ReadError> {
    let text = text::checked(bytes)?;
    let mut reader = Reader::default();
    pbn_tags::read(text, |line, token| reader.take(line, token))?;
    reader.finish_board()?;
    reader
        .boards
        .finish(Location::Line(text::lines(text).count()))
}

/// The line and the value of a tag; `None` if the tag has not been found.
type Found = Option<(usize, String)>;

#[derive(Default)]
struct Reader {
    boards: Boards,
    /// Whether the file is marked as export format, so that every mandatory tag is required.
    export: bool,
    /// The mandatory tags of the current board.
    found: [Found; MANDATORY.len()],
    /// The mandatory tags of the previous board.
    before: [Found; MANDATORY.len()],
}

impl Reader {
    fn take(&mut self, line: usize, token: Token) -> Result<(), ReadError> {
        match token {
            Token::Export => self.export = true,
            Token::EmptyLine => self.finish_board()?,
            Token::Tag { name, value } => {
                if let Some(place) = MANDATORY.iter().position(|tag| *tag == name) {
                    self.keep(place, line, value)?;
                }
            }
        }
        Ok(())
    }

    /// Stores the value of the tag with the index `place` in [`MANDATORY`]. `#` stands for the
    /// value of the previous board. If the tag does not describe the board, its value is not
    /// stored.
    fn keep(&mut self, place: usize, line: usize, mut value: String) -> Result<(), ReadError> {
        if matches!(&*value, "#" | "##") {
            let before = self.before[place].as_ref();
            value = match before {
                Some((_, before)) => before.clone(),
                None => return Err(Fault::NothingBefore.in_line(line)),
            };
        } else if !matches!(place, BOARD | DEALER | VULNERABLE | DEAL) {
            value.clear();
        }
        match self.found[place].replace((line, value)) {
            None => Ok(()),
            Some(_) => Err(Fault::TagTwice(MANDATORY[place]).in_line(line)),
        }
    }

    /// Adds the board that the tags in `found` describe. Does nothing if there are no tags.
    fn finish_board(&mut self) -> Result<(), ReadError> {
        let found = std::mem::take(&mut self.found);
        let Some(begun) = found.iter().flatten().map(|(line, _)| *line).min() else {
            return Ok(());
        };
        let absent = found.iter().position(Option::is_none);
        if let Some(place) = absent.filter(|_| self.export) {
            return Err(Fault::Missing(MANDATORY[place]).in_line(begun));
        }
        let (line, board) = board(&found, begun)?;
        self.boards
            .take(board)
            .map_err(|fault| fault.in_line(line))?;
        self.before = found;
        Ok(())
    }
}

/// Returns the line of the board number, and the board that the tags describe. `begun` is the line
/// of the first tag.
fn board(found: &[Found; MANDATORY.len()], begun: usize) -> Result<(usize, Board), ReadError> {
    let tag = |place: usize| {
        let found = found[place].as_ref();
        found.ok_or_else(|| Fault::Missing(MANDATORY[place]).in_line(begun))
    };
    let (line, text) = tag(BOARD)?;
    let number = text::number(text.as_bytes()).filter(|number| *number > 0);
    let number = number.ok_or_else(|| Fault::Number.in_line(*line))?;
    let (at, text) = tag(DEAL)?;
    let deal: Result<Deal, _> = text.parse();
    let deal = deal.map_err(|error| Fault::Deal(error).in_line(*at))?;
    let board = Board { number, deal };
    let (at, text) = tag(DEALER)?;
    dealer(text)
        .and_then(|found| found.map_or(Ok(()), |found| check_dealer(&board, found)))
        .map_err(|fault| fault.in_line(*at))?;
    let (at, text) = tag(VULNERABLE)?;
    vulnerable(text)
        .and_then(|found| found.map_or(Ok(()), |found| check_vulnerability(&board, found)))
        .map_err(|fault| fault.in_line(*at))?;
    Ok((*line, board))
}

/// Parses the value of the tag `Dealer`; `None` if the dealer is unknown.
fn dealer(text: &str) -> Result<Option<Compass>, Fault> {
    if matches!(text, "" | "?") {
        return Ok(None);
    }
    let seat = Compass::ALL
        .into_iter()
        .find(|seat| text == seat.letter().to_string());
    seat.map(Some).ok_or(Fault::NoDealer("N, E, S or W"))
}

/// Parses the value of the tag `Vulnerable`; `None` if the vulnerability is unknown.
fn vulnerable(text: &str) -> Result<Option<Vulnerability>, Fault> {
    Ok(Some(match text {
        "" | "?" => return Ok(None),
        "None" | "Love" | "-" => Vulnerability::None,
        "NS" => Vulnerability::NorthSouth,
        "EW" => Vulnerability::EastWest,
        "All" | "Both" => Vulnerability::All,
        _ => {
            return Err(Fault::NoVulnerability("None, Love, -, NS, EW, All or Both"));
        }
    }))
}
