//! The list of the matches whose records a player has.

use dealerless_connection::identity::Name;
use dealerless_table::Seat;
use dealerless_table::log::Past;
use dealerless_table::record::{BadRecord, MatchState, Record};
use serde::Serialize;

use super::words::{self, Who};
use crate::game_name;
use crate::words::count;

/// What is known of a stored record without reading it.
#[derive(Clone, Debug)]
pub struct RecordFile {
    /// The first digits of the id of the match, in hexadecimal.
    pub match_id: String,
    /// The path or the name of the file.
    pub file: String,
    /// The other player's name, if the record cannot be read.
    pub peer: String,
    /// The length of the record, in bytes.
    pub bytes: u64,
    /// The time of the last change, in seconds since 1970.
    pub changed: u64,
}

/// A match in the output of `history --json`.
#[derive(Serialize)]
pub struct Listed {
    #[serde(rename = "match")]
    of: String,
    file: String,
    peer: String,
    bytes: u64,
    changed: u64,
    /// `over`, `open`, `settled`, `damaged` or `deleted`.
    state: &'static str,
    /// The state as a sentence.
    message: String,
    #[serde(flatten)]
    pub(super) played: Option<Played>,
}

/// The contents of a readable record.
#[derive(Serialize)]
pub(super) struct Played {
    pub(super) with: Vec<String>,
    /// The names of the other players, as a list in a sentence.
    pub(super) called: String,
    pub(super) game: String,
    pub(super) hands: usize,
    /// The chips won, or negative for chips lost. `None` in a game without chips.
    pub(super) won: Option<i128>,
    /// The chips in a pot that nobody has won yet.
    pub(super) undecided: Option<u64>,
    /// The end of the match before, if that one was settled without absent players.
    #[serde(skip)]
    settles: Option<Past>,
    #[serde(skip)]
    seat: Seat,
    /// The names of all players, in order of their seats.
    #[serde(skip)]
    names: Vec<Name>,
    /// The chips that the owner has bought.
    #[serde(skip)]
    bought: i128,
}

/// The matches of these files, in the same order. Each file comes with its record as its owner
/// reads it, or with the error of reading the file.
pub fn list(
    files: impl IntoIterator<Item = (RecordFile, Result<Result<Record, BadRecord>, String>)>,
) -> Vec<Listed> {
    let listed = files
        .into_iter()
        .map(|(file, record)| Listed::of(file, record));
    let mut listed: Vec<Listed> = listed.collect();
    let settle = |next: &Listed| Some((next.played.as_ref()?.settles.clone()?, next.of.clone()));
    let pasts: Vec<(Past, String)> = listed.iter().filter_map(settle).collect();
    for listed in &mut listed {
        let is_it = |(past, _): &&(Past, String)| past.match_id.to_string() == listed.of;
        if let Some((past, next)) = pasts.iter().find(is_it) {
            listed.settle(past, next);
        }
    }
    listed
}

impl Listed {
    /// The match of a file, without regard to other matches.
    pub fn of(file: RecordFile, record: Result<Result<Record, BadRecord>, String>) -> Self {
        let (state, message, played) = match record {
            Err(error) => ("damaged", format!("Cannot be read: {error}."), None),
            Ok(Err(error)) => ("damaged", words::bad(&error), None),
            Ok(Ok(record)) => {
                let is_over = matches!(record.state(), MatchState::Over(_));
                let state = if is_over { "over" } else { "open" };
                let message = words::state(&Who::of(&record), &record);
                (state, message, Some(played(&record)))
            }
        };
        Listed {
            of: file.match_id,
            file: file.file,
            peer: file.peer,
            bytes: file.bytes,
            changed: file.changed,
            state,
            message,
            played,
        }
    }

    /// Whether the match is over here, or settled. A damaged record may be the only trace of an open
    /// match.
    pub fn is_over(&self) -> bool {
        ["over", "settled"].contains(&self.state)
    }

    /// The match after its record was deleted.
    pub fn deleted(self) -> Self {
        Listed {
            state: "deleted",
            ..self
        }
    }

    /// Replaces the state of an open match that others continue in the match `next` without absent
    /// players.
    fn settle(&mut self, past: &Past, next: &str) {
        let open = self.played.as_mut().filter(|_| self.state == "open");
        let Some(played) = open else {
            return;
        };
        let named = |seat: &Seat| Some(played.names.get(seat.index())?.to_string());
        let without: Vec<String> = past.without.iter().filter_map(named).collect();
        let chips = past.player(played.seat).map(|(_, chips)| i128::from(chips));
        self.state = "settled";
        self.message = format!(
            "Settled without {}, and continued in match {next}.",
            without.join(", ")
        );
        played.undecided = None;
        played.won = (played.won.and(chips)).map(|chips| chips - played.bought);
    }
}

fn played(record: &Record) -> Played {
    let own = record.owner;
    let others = Seat::all(record.log.match_info().seats()).filter(|&seat| seat != own);
    let others: Vec<Seat> = others.collect();
    let stakes = &record.log.match_info().header().stakes;
    let chips = |chips: Vec<u64>| i128::from(chips[own.index()]);
    let bought = chips(record.bought());
    let won = || chips(record.log.final_stacks()) - bought;
    let past = record.log.match_info().header().past().cloned();
    let is_begun = record.log.history(0).next().is_some();
    Played {
        with: (others.iter())
            .map(|seat| record.names[seat.index()].as_str().to_owned())
            .collect(),
        called: Who::of(record).list(&others),
        game: game_name::title(stakes),
        hands: record.played(),
        won: stakes.betting().map(|_| won()),
        undecided: words::undecided_pot(record),
        settles: past.filter(|past| is_begun && past.is_open),
        seat: own,
        names: record.names.clone(),
        bought,
    }
}

/// Two lines for each match.
pub fn lines(listed: &[Listed]) -> String {
    let one = |one: &Listed| {
        let date = words::date(one.changed);
        let Some(played) = &one.played else {
            return format!(
                "{}  {date}  with {}\n  {}",
                one.of,
                Name::clean(&one.peer),
                one.message.replace('\n', "\n  ")
            );
        };
        let won = match played.won {
            None => String::new(),
            Some(0) if played.undecided.is_some() => String::new(),
            Some(0) => ", even".to_owned(),
            Some(won) if won > 0 => format!(", won {}", count(won.unsigned_abs() as u64)),
            Some(lost) => format!(", lost {}", count(lost.unsigned_abs() as u64)),
        };
        let state = match one.state {
            "deleted" => "Deleted.",
            _ => &one.message,
        };
        format!(
            "{}  {date}  with {}\n  {}, {}{won}. {state}",
            one.of,
            played.called,
            played.game,
            words::rounds(played.game == "bridge", played.hands)
        )
    };
    listed.iter().map(one).collect::<Vec<_>>().join("\n")
}
