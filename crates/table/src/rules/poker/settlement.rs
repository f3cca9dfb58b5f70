//! The chips of a hand of poker that cannot go on.

use super::{Phase, Poker};
use crate::rules::SettledBy;
use crate::rules::pots::split_equally;
use crate::seat::Seat;

/// The seats without which a hand cannot go on.
#[derive(Clone, Copy)]
pub(in crate::rules) struct Lost<'a> {
    pub(in crate::rules) convicted: &'a [Seat],
    /// The seats that are gone or absent.
    pub(in crate::rules) missing: &'a [Seat],
}

impl Lost<'_> {
    fn contains(self, seat: Seat) -> bool {
        self.convicted.contains(&seat) || self.missing.contains(&seat)
    }
}

impl Poker {
    /// The chips of each seat, by the rules of [`Hand::settled`](crate::rules::Hand::settled), and
    /// the rule that decides.
    pub(in crate::rules) fn settled(
        &self,
        lost: Lost<'_>,
        finalised: bool,
    ) -> (SettledBy, Vec<u64>) {
        let playing = self.betting.live_after(self.button);
        let playing: Vec<Seat> = playing.filter(|&seat| !lost.contains(seat)).collect();
        match (&self.phase, &playing[..]) {
            (Phase::Over(outcome), _) => (SettledBy::Result, outcome.stacks.clone()),
            _ if !finalised => (SettledBy::NotFinal, self.stacks_with(self.paid())),
            (_, &[winner]) => {
                let pot = self.paid().map(|(_, chips)| (winner, chips));
                (SettledBy::OneLeft(winner), self.stacks_with(pot))
            }
            _ => match self.shown_down_without(lost) {
                Some(hand) => (SettledBy::Showdown, hand.pay_out().stacks),
                None => (SettledBy::Division, self.divided(lost, &playing)),
            },
        }
    }

    /// The chips that each seat has paid into the pot, starting left of the button.
    fn paid(&self) -> impl Iterator<Item = (Seat, u64)> {
        let seats = self.held.len();
        let around = self.button.next(seats).around(seats);
        around.map(|seat| (seat, self.betting.player(seat).paid))
    }

    /// The hand after the showdown, if only lost seats have not shown or mucked. The lost seats muck
    /// in turn, except the missing seats that have shown. `None` if the hand is not in its showdown,
    /// or no other seat has shown.
    fn shown_down_without(&self, lost: Lost<'_>) -> Option<Poker> {
        let (Phase::ShowOrMuck(left) | Phase::Show(left)) = &self.phase else {
            return None;
        };
        let has_shown = |seat: Seat| {
            let mut shown = self.shown.iter();
            shown.any(|shown| shown.seat == seat) && !lost.convicted.contains(&seat)
        };
        let order = self.showdown_order();
        if !order.iter().any(|&seat| has_shown(seat)) || !left.iter().all(|&s| lost.contains(s)) {
            return None;
        }
        let mut after = self.clone();
        for seat in order {
            if lost.contains(seat) && !has_shown(seat) {
                after.give_up(seat);
            }
        }
        Some(after)
    }

    /// The chips if each seat that is not lost takes back what it has paid, and the `playing` seats
    /// divide what the lost seats have paid. `playing` starts left of the button.
    fn divided(&self, lost: Lost<'_>, playing: &[Seat]) -> Vec<u64> {
        let (of_lost, own): (Vec<_>, Vec<_>) = self.paid().partition(|&(s, _)| lost.contains(s));
        let remaining: Vec<Seat> = own.iter().map(|&(seat, _)| seat).collect();
        let sharing = match playing {
            [] => &remaining,
            _ => playing,
        };
        if sharing.is_empty() {
            return self.stacks_with(self.paid());
        }
        let chips = of_lost.iter().map(|(_, chips)| chips).sum();
        self.stacks_with(own.into_iter().chain(split_equally(chips, sharing)))
    }
}
