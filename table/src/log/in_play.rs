//! What a log says of the hand in play, and of the chips.

use dealerless::deck::Card;

use super::deal::Deal;
use super::deck_log::Attempt;
use super::judge;
use super::match_log::MatchLog;
use super::part::Part;
use super::phase::{End, Phase, Stop};
use crate::rules::{Choice, Foul, Hand, Outcome};
use crate::seat::Seat;

/// A hand that stands, with a result that not all seats have signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsettled {
    /// All that decides it is signed: the rules leave one result.
    Decided(Outcome),
    /// It is not decided who wins the pot.
    Undecided {
        /// The chips in the pot; 0 in a game without chips.
        pot: u64,
    },
}

impl MatchLog {
    /// What the signed parts say of the hand in play; none if there is no hand that stands, or the
    /// match is over.
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

    /// The try that is dealt or played now.
    pub fn attempt(&self) -> Attempt {
        self.state.attempt()
    }

    /// The most bytes of a part in this match.
    pub(crate) fn longest_part(&self) -> usize {
        self.state.shape.longest()
    }

    /// The deals of a seat that were not forgotten, of all hands and tries.
    pub fn deals(&self, seat: Seat) -> Vec<Deal> {
        let of_seat = self.history(0).filter(|part| part.seat == seat);
        let parts = of_seat.filter_map(|part| Part::decode(&part.part, &self.state.shape).ok());
        parts.filter_map(|part| part.deal().cloned()).collect()
    }

    /// The chips after the last result; all 0 in a game without chips.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn stacks(&self) -> &[u64] {
        &self.state.stacks
    }

    /// The chips that follow from the signed parts: when the match is over, for whatever reason; before, those
    /// after the last hand that is decided, also if not all have signed its result.
    /// A hand that stands is given up by who leaves it, forfeits, or is convicted; a hand that is
    /// disputed or was not sealed by all counts for nothing.
    pub fn final_stacks(&self) -> Vec<u64> {
        let disputed = |stop: &Stop| matches!(stop, Stop::Dispute { .. });
        match self.phase() {
            Phase::Over(End::Stopped(stops)) if !stops.iter().any(|(_, stop)| disputed(stop)) => {
                let seats: Vec<Seat> = stops.iter().map(|(seat, _)| *seat).collect();
                self.state.given_up_by(&seats)
            }
            Phase::Over(End::Foul { seat, .. } | End::Fork { seat }) => {
                self.state.given_up_by(&[seat])
            }
            Phase::Over(End::Stopped(_) | End::Cards(_)) => self.state.undecided(),
            Phase::Result(outcome) => outcome.stacks,
            _ => self.stacks().to_vec(),
        }
    }

    /// What this seat loses if it leaves at its next turn: its own chips in the pot of the hand in play. Nothing
    /// if it has no choice left in the hand, or if its next turn can only come before the hand stands.
    pub fn lost_by_leaving(&self, seat: Seat) -> u64 {
        let (Some(game), Some(dealt)) = (self.game(), self.dealt_stacks()) else {
            return 0;
        };
        let is_free = match self.phase() {
            Phase::Result(_) | Phase::Over(_) => true,
            phase if phase.is_sealed() => !game.may_still_choose(seat),
            phase => self.state.deck.asks_before_it_stands(&phase, seat),
        };
        match is_free {
            true => 0,
            false => dealt[seat.index()].saturating_sub(game.stacks()[seat.index()]),
        }
    }

    /// The chips with which the hand in play began, if one was dealt.
    pub(crate) fn dealt_stacks(&self) -> Option<&[u64]> {
        self.state.dealt.as_ref().map(|dealt| &dealt.stacks[..])
    }

    /// The hash of all steps up to the deals of the try in play, if it was dealt.
    pub(crate) fn dealt_hash(&self) -> Option<[u8; 32]> {
        self.hash_before(self.state.dealt.as_ref()?.since)
    }

    /// The hash of all steps up to the last one that made the deck of the try in play, if the hand stands:
    /// the deck is complete, and a card was opened instead of declaring the try void. Who publishes it before
    /// a card is opened can show later that nothing has been changed since.
    pub fn seal_hash(&self) -> Option<[u8; 32]> {
        self.hash_before(self.state.deck.final_since()?)
    }

    /// Whether the seat may make this choice now.
    pub(crate) fn may_choose(&self, seat: Seat, choice: &Choice) -> Result<(), Foul> {
        match (self.phase(), &self.state.dealt) {
            (Phase::Choose { .. }, Some(dealt)) => judge::choose(dealt, seat, choice).map(drop),
            _ => Err(Foul::NotAsked),
        }
    }

    /// The rules' view of the hand in play.
    pub fn game(&self) -> Option<&Hand> {
        self.state.dealt.as_ref().map(|dealt| &dealt.game)
    }

    /// A card of the hand in play that everybody can compute.
    pub fn public_card(&self, position: usize) -> Option<Card> {
        self.state.deck.card(position)
    }
}
