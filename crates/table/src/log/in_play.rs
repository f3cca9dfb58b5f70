//! Queries about the hand in play and the chips.

use dealerless::deck::Card;

use super::deal::{Deal, DealInput};
use super::deck_log::Attempt;
use super::judge;
use super::match_log::MatchLog;
use super::part::Part;
use super::phase::{End, Phase, Stop};
use crate::rules::{Choice, Foul, Hand, Outcome};
use crate::seat::Seat;

/// A sealed hand whose result not all seats have signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsettled {
    /// The signed parts decide the hand: only one result is possible.
    Decided(Outcome),
    /// The signed parts do not decide who wins the pot.
    Undecided {
        /// The chips in the pot; 0 in a game without chips.
        pot: u64,
    },
}

impl MatchLog {
    /// The outcome of the hand in play, as far as the signed parts decide it. `None` if no hand is
    /// sealed or the match is over.
    pub fn unsettled(&self) -> Option<Unsettled> {
        match self.phase() {
            Phase::Result(outcome) => Some(Unsettled::Decided(outcome)),
            phase if phase.is_sealed() => {
                let pot = self.game().map_or(0, Hand::pot);
                Some(Unsettled::Undecided { pot })
            }
            _ => None,
        }
    }

    /// The try that is being dealt or played.
    pub fn attempt(&self) -> Attempt {
        self.state().attempt()
    }

    /// The maximum length in bytes of a part in this match.
    pub(crate) fn longest_part(&self) -> usize {
        self.state().shape.longest()
    }

    /// Makes the deal that a seat signs next. `deck` has the fields that depend on the kind of deck,
    /// and `rebuys` has an entry for each seat that may buy in again.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn deal(&self, deck: DealInput, rebuys: Vec<bool>) -> Deal {
        let stacks = self.state().stacks_with(&rebuys);
        Deal {
            hand: self.state().hand,
            attempt: self.state().deck.attempt(),
            button: self.state().next_button(&stacks),
            stacks,
            stakes: self.state().stakes_digest,
            deck,
            rebuys,
        }
    }

    /// All deals of a seat that this log still has, over all hands and tries.
    pub fn deals(&self, seat: Seat) -> Vec<Deal> {
        let of_seat = self.history(0).filter(|part| part.seat == seat);
        let parts = of_seat.filter_map(|part| Part::decode(&part.part, &self.state().shape).ok());
        parts.filter_map(|part| part.deal().cloned()).collect()
    }

    /// The chips after the last result; all 0 in a game without chips.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn stacks(&self) -> &[u64] {
        &self.state().stacks
    }

    /// The chips of each seat according to the signed parts. If the match is over, these are the
    /// final chips. Otherwise they are the chips after the last decided hand, even if not all seats
    /// have signed its result. A seat that leaves, forfeits or is convicted gives up a sealed hand.
    /// A hand that is disputed, or that not all seats have sealed, does not count. With more than
    /// two seats, fixed rules divide the chips of a hand that a conviction ends, or that cannot go on
    /// because too few seats are left.
    pub fn final_stacks(&self) -> Vec<u64> {
        let disputed = |stop: &Stop| matches!(stop, Stop::Dispute { .. });
        match self.phase() {
            Phase::Over(End::Stopped(stops)) if !stops.iter().any(|(_, stop)| disputed(stop)) => {
                let seats: Vec<Seat> = stops.iter().map(|(seat, _)| *seat).collect();
                self.state().given_up_by(&seats)
            }
            Phase::Over(End::TooFew(_)) => self.state().standing().settled(&[]),
            Phase::Over(End::Foul { .. } | End::Fork { .. }) if self.match_info().seats() > 2 => {
                self.settled()
            }
            Phase::Over(End::Foul { seat, .. } | End::Fork { seat }) => {
                self.state().given_up_by(&[seat])
            }
            Phase::Over(End::Stopped(_) | End::Cards(_)) => self.state().undecided(),
            Phase::Result(outcome) => outcome.stacks,
            _ => self.stacks().to_vec(),
        }
    }

    /// The chips that this seat loses if it leaves at its next turn: its own chips in the pot of
    /// the hand in play. 0 if the seat has no choice left in the hand, or has a turn before all
    /// seats have sealed the deck.
    pub fn lost_by_leaving(&self, seat: Seat) -> u64 {
        let (Some(game), Some(dealt)) = (self.game(), self.dealt_stacks()) else {
            return 0;
        };
        let is_free = match self.phase() {
            Phase::Result(_) | Phase::Over(_) => true,
            phase if phase.is_sealed() => !game.may_still_choose(seat),
            phase => matches!(phase, Phase::Seal(sealing) if sealing <= seat),
        };
        if is_free {
            0
        } else {
            dealt[seat.index()].saturating_sub(game.stacks()[seat.index()])
        }
    }

    /// The chips at the start of the hand in play, if one was dealt.
    pub(crate) fn dealt_stacks(&self) -> Option<&[u64]> {
        self.state().dealt.as_ref().map(|dealt| &dealt.stacks[..])
    }

    /// The hash of all steps up to the deals of the try in play, if it was dealt.
    pub(crate) fn dealt_hash(&self) -> Option<[u8; 32]> {
        self.hash_before(self.state().dealt.as_ref()?.since)
    }

    /// The hash of all steps up to the last seal of the try in play. `None` until the deck is
    /// final: all seats have sealed it and the first opening is complete, so the try can no longer
    /// be declared void. A player who publishes this hash can prove later that no card has changed
    /// since.
    pub fn seal_hash(&self) -> Option<[u8; 32]> {
        self.hash_before(self.state().deck.final_since()?)
    }

    /// Whether a seat may buy in again before the next deal. Only with a sealed deck.
    pub(crate) fn may_rebuy(&self, seat: Seat) -> bool {
        self.state().may_rebuy(seat)
    }

    /// Checks whether the seat may make this choice now.
    pub(crate) fn may_choose(&self, seat: Seat, choice: &Choice) -> Result<(), Foul> {
        match (self.phase(), &self.state().dealt) {
            (Phase::Choose { .. }, Some(dealt)) => judge::choose(dealt, seat, choice).map(drop),
            _ => Err(Foul::NotAsked),
        }
    }

    /// The hand in play, with its state according to the rules of the game. `None` if it was not
    /// dealt.
    pub fn game(&self) -> Option<&Hand> {
        self.state().dealt.as_ref().map(|dealt| &dealt.game)
    }

    /// The card at a position of the hand in play, if everybody can compute it.
    pub fn public_card(&self, position: usize) -> Option<Card> {
        self.state().deck.card(position)
    }
}
