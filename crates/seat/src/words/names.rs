//! The names of the players in sentences.

use dealerless_connection::identity::Name;

use crate::hands;
use crate::misleading::misleads;
use crate::seated::Seated;

/// The names of the players as they appear in sentences. The reader is the player at a seat or a
/// third person.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// The seat of the reader, which is called *You*.
    own: Option<u8>,
    /// The names, in order of the seats.
    names: Vec<String>,
    /// Whether each position holds a bridge hand instead of a card.
    boards: bool,
}

impl Names {
    /// Returns the names for the player on this side.
    pub fn of(seated: &Seated) -> Self {
        Names {
            own: Some(seated.seat),
            names: (0..).zip(&seated.names).map(called).collect(),
            boards: seated.boards().is_some(),
        }
    }

    /// Returns the names for a third person. None of `names` may be misleading; see [`misleads`].
    pub fn of_all(names: Vec<String>, boards: bool) -> Self {
        Names {
            own: None,
            names,
            boards,
        }
    }

    /// The same names for the player at a seat.
    #[cfg(test)]
    pub(super) fn read_by(self, seat: u8) -> Self {
        Names {
            own: Some(seat),
            ..self
        }
    }

    /// Returns all names, in order of the seats.
    pub fn all(&self) -> &[String] {
        &self.names
    }

    /// Whether each position holds a bridge hand instead of a card.
    pub fn has_boards(&self) -> bool {
        self.boards
    }

    /// Whether there are more than two players. With two, sentences can say "the other player".
    pub fn are_several(&self) -> bool {
        self.names.len() > 2
    }

    /// Returns a position in its short form: `3`, or `2S` for the South hand of board 2.
    pub fn short_place(&self, position: usize) -> String {
        if self.boards {
            let (board, seat) = hands::place(position);
            format!("{board}{}", seat.letter())
        } else {
            (position + 1).to_string()
        }
    }

    /// Returns the name of a position: `card 3`, or `the South hand of board 2`.
    pub fn place(&self, position: usize) -> String {
        hands::name(self.boards, position)
    }

    /// Returns the name of a seat: `You`, or the name of its player.
    pub fn name(&self, seat: u8) -> String {
        match self.names.get(usize::from(seat)) {
            _ if self.is_own(seat) => "You".into(),
            Some(name) => name.clone(),
            None => format!("Seat {seat}"),
        }
    }

    /// Whether the seat is the reader's.
    pub fn is_own(&self, seat: u8) -> bool {
        self.own == Some(seat)
    }

    /// Returns a subject and its verb: `You fold` or `Bert folds`.
    pub fn does(&self, seat: u8, verb: &str) -> String {
        let name = self.name(seat);
        match (self.is_own(seat), verb) {
            (true, _) => format!("{name} {verb}"),
            (false, "have") => format!("{name} has"),
            (false, "pass") => format!("{name} passes"),
            (false, _) => format!("{name} {verb}s"),
        }
    }

    /// Returns a subject with *is* or *are*: `You are` or `Bert is`.
    pub(crate) fn are(&self, seat: u8) -> String {
        let verb = if self.is_own(seat) { "are" } else { "is" };
        format!("{} {verb}", self.name(seat))
    }

    /// Returns the names of seats, the last one after *and*.
    pub fn list(&self, seats: &[u8]) -> String {
        list(seats.iter().map(|&seat| self.name(seat)).collect())
    }
}

/// Joins names for a sentence: `Anna, Bert and Cleo`.
pub fn list(mut names: Vec<String>) -> String {
    match names.pop() {
        Some(last) if names.is_empty() => last,
        Some(last) => format!("{} and {last}", names.join(", ")),
        None => String::new(),
    }
}

/// Returns the name of a player for a sentence. A misleading name is replaced by the seat number,
/// so that no player can pass for "You" or "all".
fn called((seat, name): (u8, &String)) -> String {
    if misleads(name) {
        format!("Seat {seat}")
    } else {
        Name::clean(name).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misleading_name_is_replaced_by_the_seat() {
        assert_eq!(called((1, &"yOu".into())), "Seat 1");
        assert_eq!(called((0, &"Anna".into())), "Anna");
    }
}
