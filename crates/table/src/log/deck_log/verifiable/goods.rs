//! Goods and coins of a board game: what is gained, mixed, rolled, and seen by one seat.

use std::collections::BTreeMap;

use dealerless::deck::Card;
use dealerless::dice::Dice;
use dealerless::verifiable::{Coin, Decks, Goods, OpenedTo, SecretKey, Slot, Unmixed};
use rand::CryptoRng;

use super::super::Turn;
use super::VerifiableLog;
use super::asked::DeckNow;
use crate::log::phase::Phase;
use crate::rules::{Hand, Learners};
use crate::seat::Seat;

/// A step that changed which seats know a good, with what such a seat needs to compute the kinds. It
/// takes about as much memory as the parts of the step.
#[derive(Clone)]
pub(super) enum Trail {
    /// A seat mixed its goods.
    Mixed {
        seat: Seat,
        positions: Vec<usize>,
        /// The kinds of those that were public.
        public: Vec<Option<Card>>,
        step: u64,
        before: [u8; 32],
        /// The goods before the step.
        unmixed: Unmixed,
    },
    /// A hidden good was opened to a seat alone.
    Seen {
        seat: Seat,
        position: usize,
        opened: Box<OpenedTo>,
    },
}

/// The hidden goods of a hand whose kinds a seat knows: it has mixed them, or they were opened to it
/// alone.
#[derive(Default)]
pub(crate) struct KnownGoods {
    hand: u64,
    /// The number of the steps that the kinds follow from.
    followed: usize,
    kinds: BTreeMap<usize, Card>,
}

impl KnownGoods {
    /// The kind of a good, if the seat knows it.
    pub(crate) fn kind(&self, position: usize) -> Option<Card> {
        self.kinds.get(&position).copied()
    }
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
        let decks = self.decks_with(Some(&goods));
        if let Some(hand) = &mut self.hand {
            (hand.decks, hand.goods) = (decks, Some(goods));
        }
    }

    /// Adds the goods that seats have gained in this step.
    pub(in crate::log) fn gain(&mut self, game: &Hand) {
        let goods = self.hand.as_ref().and_then(|hand| hand.goods.as_ref());
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
    pub(in crate::log) fn rolled(&self, dice: Dice, coin: u32) -> Option<Vec<u32>> {
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
        let numbers = self.numbers(&positions);
        let Some(hand) = &mut self.hand else {
            return;
        };
        for &position in &positions {
            let slots = hand.partials.range(self.layout.slots(position));
            let slots: Vec<Slot> = slots.map(|(slot, _)| *slot).collect();
            for slot in slots {
                hand.partials.remove(&slot);
            }
        }
        let public = positions.iter().map(|position| hand.open.remove(position));
        let public = public.collect();
        let unmixed = hand.goods.as_ref().map(|goods| goods.unmixed(&numbers));
        if let Some(Ok(unmixed)) = unmixed {
            hand.trail.push(Trail::Mixed {
                seat,
                positions,
                public,
                step,
                before,
                unmixed,
            });
        }
        self.set_goods(goods);
    }

    /// Records that a hidden good was opened to a seat alone.
    pub(super) fn seen(&mut self, position: usize, seat: Seat) {
        let slot = self.layout.slot(position, Learners::Seat(seat));
        let partials = self.partials(&slot);
        if let Some(hand) = &mut self.hand {
            let opened = hand.decks.opened_to(slot.deck, slot.position, partials);
            hand.trail.extend(opened.map(|opened| Trail::Seen {
                seat,
                position,
                opened: Box::new(opened),
            }));
        }
    }
}

impl DeckNow<'_> {
    /// Updates the goods that the seat knows, with the steps since the last call. `rng` gives the random
    /// values with which the seat has mixed goods in a step, after steps with this hash.
    pub(crate) fn follow_goods<R: CryptoRng>(
        &self,
        known: &mut KnownGoods,
        key: &SecretKey,
        rng: impl Fn(u64, &[u8; 32]) -> R,
    ) {
        let hand = self.deck.hand.as_ref();
        let trail = hand.map_or(&[][..], |hand| &hand.trail);
        if known.hand != self.deck.number || known.followed > trail.len() {
            *known = KnownGoods {
                hand: self.deck.number,
                ..KnownGoods::default()
            };
        }
        for step in &trail[known.followed..] {
            match step {
                Trail::Mixed {
                    seat,
                    positions,
                    public,
                    step,
                    before,
                    unmixed,
                } => {
                    let kinds = positions.iter().zip(public);
                    let kinds =
                        kinds.map(|(position, public)| public.or(known.kinds.remove(position)));
                    let kinds: Vec<Option<Card>> = kinds.collect();
                    let kinds: Option<Vec<Card>> = kinds.into_iter().collect();
                    let turn = Turn {
                        step: *step,
                        before: *before,
                        ..self.turn
                    };
                    let (Some(kinds), Ok(context)) = (kinds, self.deck.mix_context(&turn)) else {
                        continue;
                    };
                    if *seat == self.turn.seat {
                        let after = unmixed.follow(&context, &kinds, &mut rng(*step, before));
                        let after = after.unwrap_or_default();
                        known.kinds.extend(positions.iter().copied().zip(after));
                    }
                }
                Trail::Seen {
                    seat,
                    position,
                    opened,
                } => {
                    if *seat == self.turn.seat {
                        let kind = opened.card(self.deck.seats, key);
                        known.kinds.extend(kind.map(|kind| (*position, kind)));
                    }
                }
            }
        }
        known.followed = trail.len();
    }
}
