//! The pots of a poker hand: which seats can win which chips, and how the chips are split.

use super::betting::Player;
use super::next::Pot;
use super::ranking::HandRank;
use crate::seat::Seat;

/// A pot: its chips, and the seats that can win them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claims {
    chips: u64,
    seats: Vec<Seat>,
}

/// Returns the main pot and the side pots: one pot for each different amount that a live seat has
/// paid. A seat is live if it can still win.
pub(super) fn pots(players: &[Player]) -> Vec<Claims> {
    let mut tops: Vec<u64> = players.iter().filter(|p| p.live).map(|p| p.paid).collect();
    tops.sort_unstable();
    tops.dedup();
    let mut below = 0;
    let mut pots = Vec::new();
    for (i, &top) in tops.iter().enumerate() {
        // The last pot also has the chips that folded seats paid above the last `top`.
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
    /// Whether `seat` and at least one other seat can win this pot.
    pub(super) fn contested_by(&self, seat: Seat) -> bool {
        self.seats.len() > 1 && self.seats.contains(&seat)
    }

    /// Removes `seat` from the seats that can win, unless it is the only one: some seat must win
    /// the chips.
    pub(super) fn give_up(&mut self, seat: Seat) {
        if self.contested_by(seat) {
            self.seats.retain(|&other| other != seat);
        }
    }

    /// Splits the chips equally among the seats with the best hand. If only one seat can win, it
    /// gets all chips. Chips left over from an equal split go one by one to the first winners left
    /// of the button (rule 20 of the Poker Tournament Directors Association, 2022).
    ///
    /// `seats` are all live seats, starting left of the button. `rank` returns the rank of a seat's
    /// hand, or `None` if the hand was not shown.
    pub(super) fn split(&self, seats: &[Seat], rank: impl Fn(Seat) -> Option<HandRank>) -> Pot {
        let best = self.seats.iter().map(|&seat| rank(seat)).max().flatten();
        let wins = |seat: &&Seat| {
            self.seats.contains(seat) && (self.seats.len() == 1 || rank(**seat) == best)
        };
        let winners: Vec<Seat> = seats.iter().filter(wins).copied().collect();
        let mut winners: Vec<_> = split_equally(self.chips, &winners).collect();
        winners.sort_unstable();
        Pot {
            chips: self.chips,
            winners,
        }
    }
}

/// Splits chips equally among seats. Chips left over go one by one to the first of these seats.
pub(super) fn split_equally(chips: u64, seats: &[Seat]) -> impl Iterator<Item = (Seat, u64)> {
    let (share, odd) = match seats.len() as u64 {
        0 => (0, 0),
        count => (chips / count, chips % count),
    };
    let pays = move |(i, &seat): (usize, &Seat)| (seat, share + u64::from((i as u64) < odd));
    seats.iter().enumerate().map(pays)
}
