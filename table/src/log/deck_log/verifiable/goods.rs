//! Goods and coins of a board game: what is gained, mixed, rolled, and seen by one seat.

use std::sync::Arc;

use dealerless::deck::Card;
use dealerless::dice::Dice;
use dealerless::verifiable::{Coin, Decks, Goods, Partial, Slot};

use super::VerifiableLog;
use crate::log::phase::Phase;
use crate::rules::{Hand, Learners};
use crate::seat::Seat;

/// A step that changed which seats know a good.
#[derive(Clone)]
pub(super) enum Trail {
    /// A seat mixed its goods. The goods are those before the step.
    Mixed {
        seat: Seat,
        positions: Vec<usize>,
        /// The kinds of those that were public.
        public: Vec<Option<Card>>,
        step: u64,
        before: [u8; 32],
        goods: Arc<Goods>,
    },
    /// A hidden good was opened to a seat alone.
    Seen {
        seat: Seat,
        position: usize,
        slot: Slot,
        partials: Vec<Partial>,
        decks: Arc<Decks>,
    },
}

impl VerifiableLog {
    /// The shuffled decks with these goods and with coins.
    pub(super) fn decks_with(&self, goods: Option<&Goods>) -> Decks {
        let mut decks = self.deck.clone();
        if let Some(goods) = goods {
            decks = decks.with_goods(goods);
        }
        match &self.roster {
            Some(roster) => decks.with_coins(roster, self.number),
            None => decks,
        }
    }

    /// Replaces the goods of the hand.
    fn set_goods(&mut self, goods: Goods) {
        let decks = Arc::new(self.decks_with(Some(&goods)));
        if let Some(hand) = &mut self.hand {
            (hand.decks, hand.goods) = (decks, Some(Arc::new(goods)));
        }
    }

    /// Adds the goods that seats have gained in this step.
    pub(in super::super) fn gain(&mut self, game: &Hand) {
        let goods = self.hand.as_ref().and_then(|hand| hand.goods.as_deref());
        let Some(mut goods) = goods.cloned() else {
            return;
        };
        let kinds = game.gained_after(goods.count());
        if kinds.is_empty() {
            return;
        }
        for kind in kinds {
            let (kind, position) = (Card(kind.into()), self.layout.first_good() + goods.count());
            let hand = self.hand.as_mut().filter(|_| goods.gain(kind).is_some());
            if let Some(hand) = hand {
                hand.open.insert(position, kind);
            }
        }
        self.set_goods(goods);
    }

    /// The opening of a coin.
    pub(in super::super) fn roll(&self, coin: u32) -> Phase {
        self.open(&[(self.layout.coin(coin), Learners::All)])
    }

    /// The faces of dice. `None` if too few seats have opened the coin that decides them.
    pub(in super::super) fn rolled(&self, dice: Dice, coin: u32) -> Option<Vec<u32>> {
        let slot = self.layout.slot(self.layout.coin(coin), Learners::All);
        let decks = &self.hand.as_ref()?.decks;
        let coin = Coin::open(decks, self.seats, slot.position, &self.partials(&slot))?;
        let faces = coin.numbers(dice.sides()).map(|number| number + 1);
        Some(faces.take(dice.count() as usize).collect())
    }

    /// The goods at these positions, by number.
    pub(super) fn numbers(&self, positions: &[usize]) -> Vec<usize> {
        let number = |&position: &usize| self.layout.good(position);
        positions.iter().map(number).collect()
    }

    /// The goods after a mix by their owner.
    pub(super) fn mixed(
        &mut self,
        step: u64,
        seat: Seat,
        positions: Vec<usize>,
        goods: Goods,
        before: [u8; 32],
    ) {
        let layout = &self.layout;
        let slots = positions
            .iter()
            .map(|&position| layout.slot(position, Learners::All));
        let slots: Vec<Slot> = slots.collect();
        let Some(hand) = &mut self.hand else {
            return;
        };
        let is_mixed = |slot: &Slot| {
            let mut mixed = slots.iter();
            mixed.any(|mixed| (mixed.deck, mixed.position) == (slot.deck, slot.position))
        };
        hand.partials.retain(|slot, _| !is_mixed(slot));
        let public = positions.iter().map(|position| hand.open.remove(position));
        if let Some(goods) = &hand.goods {
            hand.trail.push(Trail::Mixed {
                seat,
                public: public.collect(),
                positions,
                step,
                before,
                goods: Arc::clone(goods),
            });
        }
        self.set_goods(goods);
    }

    /// Records that a hidden good was opened to a seat alone.
    pub(super) fn seen(&mut self, position: usize, seat: Seat) {
        let slot = self.layout.slot(position, Learners::Seat(seat));
        let partials = self.partials(&slot);
        if let Some(hand) = &mut self.hand {
            hand.trail.push(Trail::Seen {
                seat,
                position,
                slot,
                partials,
                decks: Arc::clone(&hand.decks),
            });
        }
    }
}
