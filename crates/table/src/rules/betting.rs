//! The chips of a hand, and the rounds of betting.
//!
//! Rule numbers in comments refer to the rules of the Poker Tournament Directors Association, 2022.

use super::betting_rules::{BettingRules, Limit, Posts};
use super::choice::Choice;
use super::foul::Foul;
use super::next::{Amounts, Legal};
use crate::seat::Seat;

/// The maximum number of bets in a round with a fixed limit: a bet and three raises.
const MAX_BETS: u8 = 4;

/// The chips of a hand and the current betting round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Betting {
    limit: Limit,
    players: Vec<Player>,
    /// The amount that a seat must have bet in this round to stay in.
    level: u64,
    /// The last level set by a full bet or raise. Only used with a fixed limit.
    full_level: u64,
    /// The smallest number of chips that a full bet or raise adds to the level.
    step: u64,
    /// The number of full bets and raises in this round, including the big blind.
    bets: u8,
    /// The seat that bet or raised last in this round.
    aggressor: Option<Seat>,
}

/// The chips of one seat and its state in this hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Player {
    /// The chips that are not bet.
    pub(super) stack: u64,
    /// The chips put into the pot in this hand.
    pub(super) paid: u64,
    /// The part of `paid` that was paid before the deal, as a blind or an ante.
    pub(super) posted: u64,
    /// The chips bet in this round.
    pub(super) bet: u64,
    /// Whether the seat can still win: it was dealt in and has not folded.
    pub(super) live: bool,
    /// The level when the seat last chose in this round. `None` if the seat has not chosen yet.
    answered: Option<u64>,
}

impl Player {
    /// The total bet of the seat in this round if it went all in.
    fn reach(&self) -> u64 {
        self.bet + self.stack
    }

    fn pay(&mut self, chips: u64) -> u64 {
        let chips = chips.min(self.stack);
        self.stack -= chips;
        self.paid += chips;
        chips
    }

    fn bet_to(&mut self, to: u64) {
        self.bet += self.pay(to.saturating_sub(self.bet));
    }
}

impl Betting {
    /// Starts a hand with all seats that have chips and are not `out`, and takes their blinds or
    /// antes if at least two seats play. Also returns the seat that chooses first in the first round.
    pub(super) fn new(
        rules: &BettingRules,
        stacks: &[u64],
        out: &[Seat],
        button: Seat,
    ) -> (Self, Seat) {
        let player = |(seat, &stack): (Seat, &u64)| Player {
            stack,
            paid: 0,
            posted: 0,
            bet: 0,
            live: stack > 0 && !out.contains(&seat),
            answered: None,
        };
        let mut betting = Betting {
            limit: rules.limit,
            players: Seat::all(stacks.len()).zip(stacks).map(player).collect(),
            level: 0,
            full_level: 0,
            step: rules.smallest_bet(),
            bets: 0,
            aggressor: None,
        };
        let first = match betting.live().count() {
            0 | 1 => button,
            _ => betting.post(rules.posts, button),
        };
        for player in &mut betting.players {
            player.posted = player.paid;
        }
        (betting, first)
    }

    fn post(&mut self, posts: Posts, button: Seat) -> Seat {
        match posts {
            Posts::Antes { ante, .. } => {
                for player in self.players.iter_mut().filter(|player| player.live) {
                    player.pay(ante);
                }
                self.next_live(button)
            }
            Posts::Blinds { small, big } => {
                // With two seats in the hand, the button has the small blind (rule 34).
                let small_seat = match self.live().count() {
                    2 => button,
                    _ => self.next_live(button),
                };
                let big_seat = self.next_live(small_seat);
                self.player_mut(small_seat).bet_to(small);
                self.player_mut(big_seat).bet_to(big);
                // The other seats must call the full big blind, even if the seat that posts it has
                // fewer chips.
                (self.level, self.full_level, self.bets) = (big, big, 1);
                self.next_live(big_seat)
            }
        }
    }

    /// Starts the next round, with `step` as the smallest bet.
    pub(super) fn begin_round(&mut self, step: u64) {
        for player in &mut self.players {
            (player.bet, player.answered) = (0, None);
        }
        (self.level, self.full_level, self.bets) = (0, 0, 0);
        (self.step, self.aggressor) = (step, None);
    }

    /// Returns chips to the seat that bet them if no other seat has matched them.
    pub(super) fn return_uncalled(&mut self) {
        let mut paid: Vec<u64> = self.players.iter().map(|player| player.paid).collect();
        paid.sort_unstable_by(|a, b| b.cmp(a));
        let matched = paid[1];
        for player in self.players.iter_mut().filter(|player| player.live) {
            let uncalled = player.paid.saturating_sub(matched);
            player.paid -= uncalled;
            player.bet = player.bet.saturating_sub(uncalled);
            player.stack += uncalled;
        }
    }

    /// Whether a seat that can still win has bet all its chips.
    pub(super) fn has_all_in(&self) -> bool {
        self.live().any(|seat| self.player(seat).stack == 0)
    }

    /// Whether no more bets are possible: at most one seat that can still win has chips.
    pub(super) fn is_settled(&self) -> bool {
        self.live()
            .filter(|&seat| self.player(seat).stack > 0)
            .count()
            < 2
    }

    /// The first seat that has to choose, starting with `from`. `None` if the round is over.
    pub(super) fn turn(&self, from: Seat) -> Option<Seat> {
        if self.live().count() < 2 {
            return None;
        }
        from.around(self.players.len())
            .find(|&seat| self.has_to_choose(seat))
    }

    fn has_to_choose(&self, seat: Seat) -> bool {
        let player = self.player(seat);
        let can_respond = |other| self.player(other).stack > 0;
        player.live
            && player.stack > 0
            && (self.owed(seat) > 0
                || player.answered.is_none() && self.others(seat).any(can_respond))
    }

    /// The chips that the seat has to pay to stay in. Never more than another seat can match,
    /// because unmatched chips would be returned.
    fn owed(&self, seat: Seat) -> u64 {
        let player = self.player(seat);
        let matched = self.others(seat).map(|other| self.player(other).reach());
        let target = self.level.min(matched.max().unwrap_or(0));
        target.saturating_sub(player.bet).min(player.stack)
    }

    /// The choices that the rules allow to the seat now.
    pub(super) fn legal(&self, seat: Seat) -> Legal {
        let owed = self.owed(seat);
        let amounts = self.may_raise(seat).then(|| self.amounts(seat));
        let (bet, raise) = match self.level {
            0 => (amounts, None),
            _ => (None, amounts),
        };
        Legal::Bet {
            call: (owed > 0).then_some(owed),
            bet,
            raise,
        }
    }

    fn may_raise(&self, seat: Seat) -> bool {
        let above = |seat| self.player(seat).reach() > self.level;
        // A seat that has already chosen may only raise if the level has risen by a full raise
        // since then. Several short all-ins together can be a full raise (rule 47).
        let open = match self.player(seat).answered {
            None => true,
            Some(level) => self.level - level >= self.step,
        };
        let capped = self.limit == Limit::Fixed && self.bets >= MAX_BETS;
        open && !capped && above(seat) && self.others(seat).any(above)
    }

    fn amounts(&self, seat: Seat) -> Amounts {
        let all = self.player(seat).reach();
        match self.limit {
            // A raise adds at least the last full bet or raise (rule 43).
            Limit::NoLimit => Amounts {
                min: all.min(self.level + self.step),
                max: all,
            },
            // After a short all-in, the next raise only completes the bet to a full bet.
            Limit::Fixed => {
                let to = all.min(self.full_level + self.step);
                Amounts { min: to, max: to }
            }
        }
    }

    /// Applies the choice of the seat whose turn it is.
    pub(super) fn choose(&mut self, seat: Seat, choice: &Choice) -> Result<(), Foul> {
        let Legal::Bet { call, bet, raise } = self.legal(seat) else {
            return Err(Foul::WrongKind);
        };
        match (choice, call) {
            (Choice::Fold, _) => self.fold(seat),
            (Choice::Check, Some(owed)) => return Err(Foul::CannotCheck(owed)),
            (Choice::Check, None) => {}
            (Choice::Call, None) => return Err(Foul::NothingToCall),
            (Choice::Call, Some(owed)) => {
                let to = self.player(seat).bet + owed;
                self.player_mut(seat).bet_to(to);
            }
            (Choice::Bet { .. }, _) if self.level > 0 => return Err(Foul::NoBet),
            (Choice::Raise { .. }, _) if self.level == 0 => return Err(Foul::NothingToRaise),
            (&Choice::Bet { to } | &Choice::Raise { to }, _) => {
                within(to, bet.or(raise))?;
                self.raise(seat, to);
            }
            _ => return Err(Foul::WrongKind),
        }
        self.player_mut(seat).answered = Some(self.level);
        Ok(())
    }

    /// Folds the hand of a seat, whether or not it is its turn. Its bets stay in the pot.
    pub(super) fn fold(&mut self, seat: Seat) {
        self.player_mut(seat).live = false;
    }

    fn raise(&mut self, seat: Seat, to: u64) {
        match self.limit {
            Limit::NoLimit => self.step = self.step.max(to - self.level),
            Limit::Fixed if to == self.full_level + self.step => {
                self.full_level = to;
                self.bets += 1;
            }
            Limit::Fixed => {}
        }
        self.level = to;
        self.aggressor = Some(seat);
        self.player_mut(seat).bet_to(to);
    }

    /// The seat that bet or raised last in this round.
    pub(super) fn aggressor(&self) -> Option<Seat> {
        self.aggressor
    }

    pub(super) fn players(&self) -> &[Player] {
        &self.players
    }

    pub(super) fn player(&self, seat: Seat) -> &Player {
        &self.players[seat.index()]
    }

    fn player_mut(&mut self, seat: Seat) -> &mut Player {
        &mut self.players[seat.index()]
    }

    /// The seats that can still win.
    pub(super) fn live(&self) -> impl Iterator<Item = Seat> {
        Seat::all(self.players.len()).filter(|&seat| self.player(seat).live)
    }

    fn others(&self, seat: Seat) -> impl Iterator<Item = Seat> {
        self.live().filter(move |&other| other != seat)
    }

    /// The seats that can still win, in order, starting with the seat to the left of `seat`.
    pub(super) fn live_after(&self, seat: Seat) -> impl Iterator<Item = Seat> {
        let seats = self.players.len();
        let around = seat.next(seats).around(seats);
        around.filter(|&seat| self.player(seat).live)
    }

    /// The next seat to the left of `seat` that can still win.
    pub(super) fn next_live(&self, seat: Seat) -> Seat {
        self.live_after(seat).next().unwrap_or(seat)
    }
}

fn within(to: u64, amounts: Option<Amounts>) -> Result<(), Foul> {
    match amounts {
        None => Err(Foul::NoRaise),
        Some(Amounts { min, .. }) if to < min => Err(Foul::TooLittle { to, min }),
        Some(Amounts { max, .. }) if to > max => Err(Foul::TooMuch { to, max }),
        Some(_) => Ok(()),
    }
}
