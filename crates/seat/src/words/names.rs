//! The names of the players in sentences.

use dealerless_connection::identity::Name;

use super::Sentence;
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
        let seats = 0..seated.names.len();
        Names {
            own: Some(seated.seat),
            names: seats.map(|seat| called(seated, seat)).collect(),
            boards: seated.boards().is_some(),
        }
    }

    /// Returns the name of a player who has no seat yet.
    pub(super) fn shown(name: &str) -> Sentence {
        Sentence::name(Name::clean(name).to_string())
    }

    /// Returns the names for a third person. None of `names` may be misleading.
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
    pub fn name(&self, seat: u8) -> Sentence {
        match self.names.get(usize::from(seat)) {
            _ if self.is_own(seat) => "You".into(),
            Some(name) => Sentence::name(name.clone()),
            None => format!("Seat {seat}").into(),
        }
    }

    /// Whether the seat is the reader's.
    pub fn is_own(&self, seat: u8) -> bool {
        self.own == Some(seat)
    }

    /// Returns a subject and its verb: `You fold` or `Bert folds`.
    pub fn does(&self, seat: u8, verb: &str) -> Sentence {
        let name = self.name(seat);
        match (self.is_own(seat), verb) {
            (true, _) => name.and(format!(" {verb}")),
            (false, "have") => name.and(" has"),
            (false, "pass") => name.and(" passes"),
            (false, _) => name.and(format!(" {verb}s")),
        }
    }

    /// Returns a subject with *is* or *are*: `You are` or `Bert is`.
    pub(crate) fn are(&self, seat: u8) -> Sentence {
        let verb = if self.is_own(seat) { " are" } else { " is" };
        self.name(seat).and(verb)
    }

    /// Returns the names of seats, the last one after *and*.
    pub fn list(&self, seats: &[u8]) -> Sentence {
        list(seats.iter().map(|&seat| self.name(seat)))
    }
}

/// Joins names for a sentence: `Anna, Bert and Cleo`.
pub(crate) fn list<T: Into<Sentence>>(names: impl IntoIterator<Item = T>) -> Sentence {
    let mut names: Vec<Sentence> = names.into_iter().map(Into::into).collect();
    match names.pop() {
        Some(last) if names.is_empty() => last,
        Some(last) => Sentence::joined(names, ", ").and(" and ").and(last),
        None => Sentence::default(),
    }
}

/// Returns the name of the player at `seat` for a sentence. A misleading name is replaced by the seat
/// number, so that no player can pass for "You" or "all". If another player than the reader has the same
/// name, the seat number follows.
fn called(seated: &Seated, seat: usize) -> String {
    let name = &seated.names[seat];
    if misleads(name) {
        return format!("Seat {seat}");
    }
    let shown = Name::clean(name);
    let own = usize::from(seated.seat);
    let mut others = (0..).zip(&seated.names);
    match others.any(|(other, same)| ![seat, own].contains(&other) && same == name) {
        true => format!("{shown} (seat {seat})"),
        false => shown.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_name::GameName;

    fn seated(names: &[&str]) -> Seated {
        Seated {
            version: 2,
            seat: 0,
            names: names.iter().map(|&name| name.to_owned()).collect(),
            fingerprints: vec!["aaaa-bbbb".into(); names.len()],
            game: GameName::Deck,
            hands: 1,
            chips: None,
            cards: 52,
            drawn: 9,
            kinds: Vec::new(),
            of: "00".into(),
            log: None,
            clock: None,
            shuffle: None,
            opens: None,
            continues: None,
            resumed: false,
        }
    }

    #[test]
    fn misleading_or_repeated_names_show_the_seat() {
        let names = Names::of(&seated(&["Bert", "yOu", "Bert", "Bert", "Bert: folds"]));
        let shown = [
            "Bert",
            "Seat 1",
            "Bert (seat 2)",
            "Bert (seat 3)",
            "\"Bert: folds\"",
        ];
        assert_eq!(names.all()[1..], shown[1..]);
        assert_eq!(names.name(0).to_string(), "You");
        // The reader is called "You", so no other player is mistaken for it.
        assert_eq!(Names::of(&seated(&["Bert", "Bert"])).all()[1], "Bert");
    }
}
