//! What a seat needs to make its parts of a verifiable deck.

use dealerless::verifiable::{
    Context, Dealing, Decks, Goods, Keys, Receiver, Seats, SecretKey, Shown, Slot,
};

use dealerless::deck::Card;

use super::super::Turn;
use super::VerifiableLog;
use super::layout::receiver;
use crate::log::match_log::MatchLog;
use crate::log::phase::Phase;
use crate::rules::Learners;
use crate::seat::Seat;

/// The verifiable deck of a match in the current step, as one seat uses it.
pub(crate) struct DeckNow<'a> {
    pub(super) deck: &'a VerifiableLog,
    pub(super) turn: Turn<'a>,
}

/// The cards that a seat opens in a step.
pub(crate) enum Opens {
    /// Cards that no seat or only some seats have opened so far.
    Slots(Vec<Slot>),
    /// Cards that were opened to the seat alone, and who sees them now.
    Shown(Receiver, Vec<Shown>),
}

impl MatchLog {
    /// The verifiable deck of the match, as `seat` uses it. `None` if the deck is sealed.
    pub(crate) fn deck_now(&self, seat: Seat) -> Option<DeckNow<'_>> {
        Some(DeckNow {
            deck: self.state().deck.verifiable()?,
            turn: Turn {
                seat,
                phase: &self.state().phase,
                attempt: self.state().attempt(),
                step: self.step(),
                before: self.hash(),
            },
        })
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

    /// The decks after the shuffles of the ahead chain so far.
    pub(crate) fn ahead_deck(&self) -> Option<&Decks> {
        self.deck.ahead.as_ref().map(|chain| &chain.deck)
    }

    /// The decks after the shuffles so far.
    pub(crate) fn deck(&self) -> &Decks {
        &self.deck.deck
    }

    /// The decks of the hand, once all seats have shuffled them.
    pub(crate) fn hand(&self) -> Option<&Decks> {
        self.deck.hand.as_ref().map(|hand| &hand.decks)
    }

    /// The goods that the seat mixes in this step: what the mix is bound to, all goods, and the numbers
    /// of those that are mixed.
    pub(crate) fn mix(&self) -> Option<(Context<'_>, &Goods, Vec<usize>)> {
        let Phase::Mix { positions, .. } = self.turn.phase else {
            return None;
        };
        let goods = self.deck.hand.as_ref()?.goods.as_ref()?;
        let context = self.deck.mix_context(&self.turn).ok()?;
        Some((context, goods, self.deck.numbers(positions)))
    }

    /// The cards that the seat opens in this step.
    pub(crate) fn opens(&self) -> Option<Opens> {
        let Phase::Open(openings) = self.turn.phase else {
            return None;
        };
        Some(match self.deck.shown_to(openings, self.turn.seat) {
            Some(to) => Opens::Shown(receiver(to), self.deck.shown(openings, self.turn.seat)),
            None => Opens::Slots(self.deck.slots(openings, self.turn.seat)),
        })
    }

    /// The card at a position, if it was opened or shown to the seat alone.
    pub(crate) fn card(&self, position: usize, key: &SecretKey) -> Option<Card> {
        let (deck, seat) = (self.deck, self.turn.seat);
        let hand = deck.hand.as_ref()?;
        let slot = deck.layout.slot(position, Learners::Seat(seat));
        let card = match hand.shown.get(&(position, seat)) {
            Some(shown) => (shown.show).card_for(&hand.decks, shown.number, &shown.card, key),
            None => {
                let partials = deck.partials(&slot);
                let Slot {
                    deck: of, position, ..
                } = slot;
                hand.decks
                    .open_own(deck.seats, of, position, &partials, key)
            }
        };
        Some(deck.layout.card(&slot, card?))
    }

    /// Whether a position is that of a good.
    pub(crate) fn is_good(&self, position: usize) -> bool {
        self.deck.layout.is_good(position)
    }
}
