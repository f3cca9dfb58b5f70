//! What a seat needs to make its parts of a verifiable deck.

use dealerless::verifiable::{
    Context, Dealing, Decks, Keys, Partial, Seats, Shown, Slot, VerifiedDeck,
};

use super::super::{DeckLog, Turn};
use super::{VerifiableLog, slot, slots};
use crate::log::match_log::MatchLog;
use crate::log::phase::Phase;
use crate::rules::Learners;
use crate::seat::Seat;

/// The verifiable deck of a match in the current step, as one seat uses it.
pub(crate) struct DeckNow<'a> {
    deck: &'a VerifiableLog,
    turn: Turn<'a>,
}

/// The cards that a seat opens in a step.
pub(crate) enum Opens {
    /// Cards that no seat or only some seats have opened so far.
    Slots(Vec<Slot>),
    /// Cards that were opened to the seat alone.
    Shown(Vec<Shown>),
}

impl MatchLog {
    /// The verifiable deck of the match, as `seat` uses it. `None` if the deck is sealed.
    pub(crate) fn deck_now(&self, seat: Seat) -> Option<DeckNow<'_>> {
        match &self.state.deck {
            DeckLog::Sealed(_) => None,
            DeckLog::Verifiable(deck) => Some(DeckNow {
                deck,
                turn: Turn {
                    seat,
                    phase: &self.state.phase,
                    attempt: self.state.attempt(),
                    step: self.step(),
                    before: self.hash(),
                },
            }),
        }
    }
}

impl DeckNow<'_> {
    /// The number of seats and the threshold.
    pub(crate) fn seats(&self) -> Seats {
        self.deck.seats
    }

    /// The first parts of all seats for the keys, in order.
    pub(crate) fn keys(&self) -> &[Keys] {
        &self.deck.keys
    }

    /// The second parts of all seats for the keys, in order.
    pub(crate) fn dealings(&self) -> &[Dealing] {
        &self.deck.dealings
    }

    /// What a proof of the seat in this step is bound to. `None` before the keys are made.
    pub(crate) fn context(&self) -> Option<Context<'_>> {
        self.deck.context(&self.turn).ok()
    }

    /// What the seat's shuffle in the current step of the ahead chain is bound to. `None` if there is
    /// no such chain.
    pub(crate) fn ahead_context(&self) -> Option<Context<'_>> {
        let chain = self.deck.ahead.as_ref()?;
        Some(Context {
            chain: chain.head.hash(&self.turn.attempt.match_id),
            hand: chain.head.hand.into(),
            step: chain.step(),
            before: chain.hash,
            ..self.context()?
        })
    }

    /// The deck after the shuffles of the ahead chain so far.
    pub(crate) fn ahead_deck(&self) -> Option<&VerifiedDeck> {
        self.deck.ahead.as_ref().map(|chain| &chain.deck)
    }

    /// The deck after the shuffles so far.
    pub(crate) fn deck(&self) -> &VerifiedDeck {
        &self.deck.deck
    }

    /// The deck of the hand, once all seats have shuffled it.
    pub(crate) fn hand(&self) -> Option<&Decks> {
        self.deck.hand.as_ref().map(|hand| &hand.decks)
    }

    /// The cards that the seat opens in this step.
    pub(crate) fn opens(&self) -> Option<Opens> {
        let Phase::Open(openings) = self.turn.phase else {
            return None;
        };
        Some(match self.deck.shows(openings, self.turn.seat) {
            true => Opens::Shown(self.deck.shown(openings, self.turn.seat)),
            false => Opens::Slots(slots(openings, self.turn.seat)),
        })
    }

    /// The partials with which the card at a position was opened to the seat alone.
    pub(crate) fn partials(&self, position: usize) -> Vec<Partial> {
        self.deck
            .partials(&slot(position, Learners::Seat(self.turn.seat)))
    }
}
