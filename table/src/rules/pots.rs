//! Pots: who can win which chips, and how they are split.

use super::betting::Player;
use super::next::Pot;
use super::ranking::HandRank;
use crate::seat::Seat;

/// The chips of a pot and the seats that can win it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claims {
    chips: u64,
    seats: Vec<Seat>,
}

/// Returns the main pot, and one side pot for each larger amount that a seat that can still win has
/// paid.
pub(super) fn pots(players: &[Player]) -> Vec<Claims> {
    let mut tops: Vec<u64> = players.iter().filter(|p| p.live).map(|p| p.paid).collect();
    tops.sort_unstable();
    tops.dedup();
    let mut below = 0;
    let mut pots = Vec::new();
    for (i, &top) in tops.iter().enumerate() {
        // The last pot also has the chips that folded seats paid above the highest amount.
        let cut = if i + 1 == tops.len() { u64::MAX } else { top };
        let chips = players.iter().map(|p| p.paid.min(cut) - p.paid.min(below));
        let claims = |seat: &Seat| {
            let player = &players[seat.index()];
            player.live && player.paid >= top
        };
        pots.push(Claims {
            chips: chips.sum(),
            seats: Seat::all(players.len()).filter(claims).collect(),
        });
        below = top;
    }
    pots
}

impl Claims {
    /// Whether the seat claims this pot together with other seats.
    pub(super) fn contested_by(&self, seat: Seat) -> bool {
        self.seats.len() > 1 && self.seats.contains(&seat)
    }

    /// Removes the claim of a seat. The last claim is kept: the chips must go to somebody.
    pub(super) fn give_up(&mut self, seat: Seat) {
        if self.contested_by(seat) {
            self.seats.retain(|&other| other != seat);
        }
    }

    /// Splits the chips among the seats with the best hand, or gives them to the only seat that
    /// claims the pot. Odd chips go one by one to the first seats left of the button (rule 20).
    ///
    /// `seats` are all seats in the hand, starting left of the button.
    pub(super) fn split(&self, seats: &[Seat], rank: impl Fn(Seat) -> Option<HandRank>) -> Pot {
        let best = self.seats.iter().map(|&seat| rank(seat)).max().flatten();
        let wins = |seat: &&Seat| {
            self.seats.contains(seat) && (self.seats.len() == 1 || rank(**seat) == best)
        };
        let winners: Vec<Seat> = seats.iter().filter(wins).copied().collect();
        let (share, odd) = match winners.len() as u64 {
            0 => (0, 0),
            count => (self.chips / count, self.chips % count),
        };
        let pays = |(i, &seat): (usize, &Seat)| (seat, share + u64::from((i as u64) < odd));
        let mut winners: Vec<_> = winners.iter().enumerate().map(pays).collect();
        winners.sort_unstable();
        Pot {
            chips: self.chips,
            winners,
        }
    }
}
