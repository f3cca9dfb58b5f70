//! Decisions between two hands: whether another hand follows, who has the button and the blinds, who
//! may rebuy.

use super::betting_rules::Posts;
use super::stakes::Stakes;
use crate::seat::{Seat, SeatSet};

impl Stakes {
    /// Whether the match is over by the rules, with these stacks after `hands_played` hands: all
    /// hands have been played, or fewer than two seats have chips. Does not consider
    /// [rebuys](Self::may_rebuy) on which the seats could still agree.
    #[cfg(feature = "internals")]
    pub fn is_over(&self, stacks: &[u64], hands_played: u32) -> bool {
        let with_chips = stacks.iter().filter(|&&stack| stack > 0).count();
        hands_played >= self.hands() || self.betting().is_some() && with_chips < 2
    }

    /// Whether the seat may buy a new [stack](Self::stack) if all seats agree: it has no chips, and
    /// there are hands left to play.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn may_rebuy(&self, stacks: &[u64], hands_played: u32, seat: Seat) -> bool {
        let broke = stacks.get(seat.index()) == Some(&0);
        self.betting().is_some() && broke && hands_played < self.hands()
    }

    /// The seats that have chips and are not `out`. All seats in a game without chips.
    pub(crate) fn can_play(&self, stacks: &[u64], out: &[Seat]) -> Vec<Seat> {
        let has_chips = |seat: &Seat| stacks[seat.index()] > 0 && !out.contains(seat);
        let plays = |seat: &Seat| self.betting().is_none() || has_chips(seat);
        Seat::all(self.seats()).filter(plays).collect()
    }
}

/// The blinds between two hands. They are those of all matches of a table.
///
/// The big blind moves on by one player in each hand: to the next player on the left who can play. The
/// button and the small blind are the players to the right of it, so nobody misses a big blind or pays
/// two in a row. A seat that could not play when the big blind passed it is dealt in again when the big
/// blind comes to it. With antes, or without chips, the button moves on in the same way, and no seat
/// waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blinds {
    /// The seat that had the last big blind. With antes or without chips, the last button.
    pub last: Seat,
    /// The seats that are dealt in when the big blind comes to them.
    pub waits: SeatSet,
}

impl Blinds {
    /// The blinds before the first hand of a table: seat 0 has the button in it.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn first(stakes: &Stakes) -> Self {
        let last = match (has_blinds(stakes), stakes.seats()) {
            (true, 2) => 0,
            (true, _) => 1,
            (false, seats) => seats as u8 - 1,
        };
        Blinds {
            last: Seat::new(last),
            waits: SeatSet::default(),
        }
    }

    /// The button of a hand for these seats, and the blinds after the hand. Their [waiting](Self::waits)
    /// seats are not dealt in. `None` if fewer than two seats can play.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn next(self, stakes: &Stakes, can_play: &[Seat]) -> Option<(Seat, Self)> {
        let seats = stakes.seats();
        let left = || self.last.next(seats).around(seats);
        let due = left().find(|seat| can_play.contains(seat))?;
        if can_play.len() < 2 {
            return None;
        }
        if !has_blinds(stakes) {
            return Some((due, Blinds { last: due, ..self }));
        }
        let passed = left().take_while(|seat| *seat != due);
        let waits = self.waits.iter().filter(|seat| *seat != due).chain(passed);
        let mut waits: SeatSet = waits.collect();
        if can_play
            .iter()
            .all(|seat| *seat == due || waits.contains(*seat))
        {
            // Nobody else may play yet, so all play.
            waits = waits.without(can_play.iter().copied().collect());
        }
        let plays = |seat: &Seat| can_play.contains(seat) && !waits.contains(*seat);
        let players: Vec<Seat> = due.around(seats).filter(plays).collect();
        let button = players[(players.len() - 2).max(1)];
        Some((button, Blinds { last: due, waits }))
    }
}

fn has_blinds(stakes: &Stakes) -> bool {
    let rules = stakes.betting();
    rules.is_some_and(|rules| matches!(rules.posts, Posts::Blinds { .. }))
}
