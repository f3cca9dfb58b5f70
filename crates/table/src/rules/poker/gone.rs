//! A hand of poker without a seat that has left the table.

use super::{Phase, Poker};
use crate::rules::next::Learners;
use crate::rules::pots::pots;
use crate::seat::Seat;

impl Poker {
    /// Continues without a seat that has left the table. Before the showdown, the seat folds. At the
    /// showdown, it mucks unless it has shown.
    pub(in crate::rules) fn gone(&mut self, seat: Seat) {
        match std::mem::replace(&mut self.phase, Phase::Board) {
            Phase::Over(outcome) => self.phase = Phase::Over(outcome),
            Phase::Show(mut left) if left[0] != seat => {
                self.pass_over(seat, &mut left);
                self.phase = Phase::Show(left);
            }
            Phase::ShowOrMuck(mut left) | Phase::Show(mut left) => {
                self.pass_over(seat, &mut left);
                self.ask_to_show(left);
            }
            before => {
                self.betting.fold(seat);
                self.resume(before, seat);
            }
        }
    }

    /// The seat mucks if it is one of those in `left`, which have not shown or mucked yet.
    fn pass_over(&mut self, seat: Seat, left: &mut Vec<Seat>) {
        if left.contains(&seat) {
            left.retain(|&other| other != seat);
            self.give_up(seat);
        }
    }

    /// Continues in the phase `before` the seat `gone` has folded.
    fn resume(&mut self, before: Phase, gone: Seat) {
        let is_decided = self.betting.live().count() == 1;
        match before {
            Phase::Deal { first } if !is_decided => self.phase = Phase::Deal { first },
            Phase::Deal { first: turn } | Phase::Bet(turn) => self.bet_from(turn),
            after_round => {
                self.claims = pots(self.betting.players());
                match after_round {
                    Phase::Exchange { left, drawn } if !is_decided => {
                        self.exchange_without(gone, left, drawn);
                    }
                    Phase::Draw(drawn) if !is_decided => {
                        self.exchange_without(gone, Vec::new(), drawn);
                    }
                    _ => self.after_round(),
                }
            }
        }
    }

    fn exchange_without(
        &mut self,
        gone: Seat,
        mut left: Vec<Seat>,
        mut drawn: Vec<(usize, Learners)>,
    ) {
        left.retain(|&seat| seat != gone);
        drawn.retain(|&(_, to)| to != Learners::Seat(gone));
        self.resume_exchange(left, drawn);
    }
}
