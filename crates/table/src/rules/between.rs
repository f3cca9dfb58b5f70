//! Decisions between two hands: whether another hand follows, who has the button, who may rebuy.

use super::stakes::Stakes;
use crate::seat::Seat;

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

    /// The button of the next hand: seat 0 in the first hand, then the next seat to the left that
    /// has chips. `None` if no hand can be dealt.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn next_button(&self, stacks: &[u64], last: Option<Seat>) -> Option<Seat> {
        let seats = self.seats();
        let plays = |seat: &Seat| match self.betting() {
            Some(_) => stacks.get(seat.index()).is_some_and(|&stack| stack > 0),
            None => true,
        };
        let first = last.map_or(Seat::HOST, |last| last.next(seats));
        first.around(seats).find(plays)
    }
}
