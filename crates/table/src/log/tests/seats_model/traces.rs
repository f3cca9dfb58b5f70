//! The file with the traces, which describes its format.

use std::str::Chars;

use crate::seat::Seat;

/// Traces with all seats opening a card.
pub(super) const ALL_OPEN: &str = include_str!("../../../../tests/seats.txt");
pub(super) struct Trace<'a> {
    /// The rule that the seats break, and what then happens.
    pub(super) breaks: Option<(&'a str, &'a str)>,
    pub(super) seats: u8,
    pub(super) game: &'a str,
    pub(super) begins: u64,
    pub(super) cheats: Vec<Seat>,
    pub(super) script: Vec<&'a str>,
    pub(super) events: Vec<&'a str>,
}

/// The traces in a file.
pub(super) fn traces(file: &str) -> Vec<Trace<'_>> {
    let mut traces: Vec<Trace<'_>> = Vec::new();
    for line in file.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        let (breaks, rest) = match words[..] {
            ["trace", ref rest @ ..] => (None, rest),
            ["break", rule, what, ref rest @ ..] => (Some((rule, what)), rest),
            _ => {
                traces.last_mut().unwrap().events.extend(words);
                continue;
            }
        };
        let [seats, game, begins, cheats, script] = rest[..] else {
            panic!("{line}");
        };
        traces.push(Trace {
            breaks,
            seats: seats.parse().unwrap(),
            game,
            begins: begins.parse().unwrap(),
            cheats: cheats.trim_matches('-').chars().map(seat_of).collect(),
            script: script.split(',').collect(),
            events: Vec::new(),
        });
    }
    traces
}

impl Trace<'_> {
    /// Whether the seats of the trace break one of these rules.
    pub(super) fn breaks(&self, rules: &[&str]) -> bool {
        self.breaks.is_some_and(|(rule, _)| rules.contains(&rule))
    }
}

pub(super) fn seat_of(digit: char) -> Seat {
    Seat::new(digit.to_digit(10).unwrap() as u8)
}

pub(super) fn next_seat(chars: &mut Chars<'_>) -> Seat {
    seat_of(chars.next().unwrap())
}

/// The state of a seat that plays, split at the end of its place.
pub(super) struct StateText<'a> {
    /// The step and the history.
    pub(super) place: &'a str,
    /// The place in the script.
    pub(super) position: usize,
    /// What follows.
    pub(super) flags: &'a str,
}

impl<'a> StateText<'a> {
    pub(super) fn read(state: &'a str) -> Self {
        let end = state.find(|c: char| !c.is_ascii_digit() && c != '/');
        let (place, flags) = state.split_at(end.unwrap_or(state.len()));
        let position = place.split('/').next().unwrap();
        let position: usize = position.parse().unwrap();
        StateText {
            place,
            // All parts of each step are there, and the first step is not in the script.
            position: position - 1,
            flags,
        }
    }
}
