//! The commands of the player of a seat.

use dealerless_connection::storage::{Storage, Vault};
use rand::CryptoRng;

use super::super::news::{Command, News, NotNow};
use super::Play;
use super::own_seat::OwnSeat;
use crate::log::{AfterHand, Part, Phase};
use crate::rules::{Choice, Foul, Legal, Outcome, Stakes};
use crate::seat::Seat;

/// The decisions of the player that the seat has not signed yet.
#[derive(Default)]
pub(super) struct Player {
    choice: Option<Choice>,
    rebuy: Option<bool>,
    /// The last [`Command::DealAgain`]: its hand, and the number of void tries of this hand.
    deals_again: Option<(u32, u32)>,
    pub(super) leaving: bool,
    /// Whether this seat signs nothing: its player has signed in another match instead.
    pub(super) frozen: bool,
    /// The chips that the player buys after this hand.
    buy: u64,
    /// Whether the match is to end with this hand because somebody waits for a seat.
    change: bool,
    pub(super) sits_out: bool,
    /// Whether this seat waits for [`Command::Next`] after each showdown.
    pauses: bool,
    /// Whether this seat is waiting after a showdown.
    pub(super) paused: bool,
    /// Whether too few seats played in the last hand, because the others sat out.
    pub(super) idle: bool,
}

impl Player {
    /// Forgets a choice that was made with an older file: it is not one for a later turn.
    pub(super) fn forget_choice(&mut self) {
        self.choice = None;
    }

    pub(super) fn after_hand(&mut self, outcome: &Outcome) {
        self.paused = self.pauses && !outcome.shown.is_empty();
        self.idle = outcome.pots.is_empty();
    }
}

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    /// Sets whether this seat wants the match to end with this hand because somebody waits for a seat. The
    /// seat signs it with the result of the hand, unless its player leaves. It has an effect only for the
    /// first seat that is not gone.
    pub fn set_change(&mut self, change: bool) {
        self.own.player.change = change;
    }

    /// Makes the seat wait for [`Command::Next`] after each showdown, so that the player can look
    /// at the cards.
    pub fn pause_after_showdowns(&mut self) {
        self.own.player.pauses = true;
    }

    /// Processes a command of the player. The caller then calls [`advance`](Self::advance).
    ///
    /// # Errors
    /// [`NotNow`]. The seat is unchanged.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn command(&mut self, command: Command) -> Result<(), NotNow> {
        let can_steal = self.can_steal();
        let own = &mut self.own;
        match command {
            Command::Choose(choice) => {
                let allowed = own.log.may_choose(own.seat, &choice);
                if let Err(Foul::OutOfTurn { .. } | Foul::NotAsked) = allowed {
                    return Err(NotNow::NotYourTurn);
                }
                if matches!(choice, Choice::Steal(_)) && !can_steal {
                    return Err(NotNow::OnlyOpens);
                }
                allowed.map_err(NotNow::Foul)?;
                own.player.choice = Some(choice);
            }
            Command::Rebuy(agreed) if own.log.phase() == Phase::Deal && !own.broke().is_empty() => {
                own.player.rebuy = Some(agreed);
            }
            Command::Buy(chips) => {
                let header = own.log.match_info().header();
                let has_chips = header.stakes.betting().is_some();
                if header.table.is_none() || !has_chips || chips > Stakes::MAX_STACK {
                    return Err(NotNow::CannotBuy);
                }
                own.player.buy = chips;
            }
            Command::DealAgain => {
                let now = own.void_tries().ok_or(NotNow::NobodyAsked)?;
                own.player.deals_again = Some(now);
                own.reports.ask_again();
            }
            Command::Next if own.player.paused => own.player.paused = false,
            Command::SitOut(out) => {
                own.player.sits_out = out;
                own.reports.ask_again();
            }
            Command::Leave { .. } => own.player.leaving = true,
            Command::Stay if own.player.leaving => own.player.leaving = false,
            Command::Stay => return Err(NotNow::NotLeaving),
            // The table, not the seat, connects and closes.
            Command::Rebuy(_) | Command::Next | Command::Close | Command::Again => {
                return Err(NotNow::NobodyAsked);
            }
        }
        Ok(())
    }

    /// Whether a player who leaves now does so immediately: when this seat deals, seals, reseals or
    /// makes a choice. In other phases the program first signs the parts that need no player, so
    /// that the player does not lose a pot that is almost certainly won.
    pub fn leaves_now(&self) -> bool {
        self.own.leaves_now()
    }
}

impl<S: Storage, R> OwnSeat<S, R> {
    /// The choice of the player, who is asked for it.
    pub(super) fn choose(&mut self, legal: Legal) -> Option<Part> {
        let choice = self.player.choice.take();
        if choice.is_none() {
            self.ask(News::YourTurn { legal });
        }
        choice.map(Part::Move)
    }

    /// The result of a hand of a table, with what the player has asked for. A buy that counts ends the match,
    /// so it is signed in no later result.
    pub(super) fn result(&self, outcome: Outcome) -> Part {
        let (next, buy) = match (self.player.leaving, self.player.change) {
            (true, _) => (AfterHand::Leave, 0),
            (false, true) => (AfterHand::Change, self.player.buy),
            (false, false) => (AfterHand::Stay, self.player.buy),
        };
        Part::Result {
            stacks: outcome.stacks,
            next,
            buy,
        }
    }

    /// The seats that may buy in again before the deal. Empty in a game without chips and at a table.
    pub(super) fn broke(&self) -> Vec<Seat> {
        let seats = Seat::all(self.log.match_info().seats());
        seats.filter(|seat| self.log.may_rebuy(*seat)).collect()
    }

    /// Asks the player about rebuys, if a seat may buy in again. Returns whether the answer is still missing.
    pub(super) fn asks_rebuy(&mut self) -> bool {
        let broke = self.broke();
        let asks = !broke.is_empty() && self.player.rebuy.is_none();
        if asks {
            self.ask(News::AskRebuy { broke });
        }
        asks
    }

    /// The answer of the player about rebuys: for each seat, whether it may buy in again.
    pub(super) fn take_rebuys(&mut self) -> Vec<bool> {
        let agreed = self.player.rebuy.take().unwrap_or(false);
        let seats = Seat::all(self.log.match_info().seats());
        let rebuys = seats.map(|seat| agreed && self.log.may_rebuy(seat));
        rebuys.collect()
    }

    /// The number of the hand to deal, and the number of its tries that other seats have declared
    /// void. `None` if there are no such tries.
    fn void_tries(&self) -> Option<(u32, u32)> {
        let tries = self.log.voided_by_others(self.seat);
        let is_due = self.log.phase() == Phase::Deal && tries > 0;
        is_due.then_some((self.log.attempt().hand, tries))
    }

    /// Asks the player whether to deal again after void tries. Returns whether the answer is missing.
    pub(super) fn asks_deal_again(&mut self) -> bool {
        let void = self.void_tries();
        let asked = void.filter(|_| void != self.player.deals_again);
        if let Some((_, tries)) = asked {
            self.ask(News::Voided { tries });
        }
        asked.is_some()
    }

    /// As [`Play::leaves_now`].
    pub(super) fn leaves_now(&self) -> bool {
        let has_turn = !self.log.may_sign(self.seat).is_empty();
        let phase = self.log.phase();
        let is_turn = matches!(
            phase,
            Phase::Deal | Phase::Seal(_) | Phase::Reseal(..) | Phase::Choose { .. }
        );
        has_turn && is_turn
    }
}
