//! The places of cards, goods and coins: the positions that the rules use, and the slots of the crypto.

use std::ops::RangeInclusive;
use std::sync::Arc;

use dealerless::deck::Card;
use dealerless::verifiable::{Cards, Decks, Goods, Receiver, Slot, VerifiedDeck};

use crate::rules::{Game, Learners, Stakes};

/// The name of the deck of a game that has one deck.
const ONE_DECK: &str = "cards";

/// The decks of a hand, one after the other, then the goods, then the coins.
#[derive(Clone)]
pub(super) struct Layout {
    /// The cards of each deck.
    pub(super) decks: Vec<Arc<Cards>>,
    /// The kinds of goods, if the game has goods.
    pub(super) goods: Option<Arc<Cards>>,
    /// The number that stands for the coins among the decks.
    coins_deck: usize,
}

impl Layout {
    pub(super) fn new(stakes: &Stakes) -> Self {
        let new = |name: &str, count| Cards::new(name, count).expect("the stakes limit the cards");
        let (decks, goods) = match stakes.game() {
            None => (vec![new(ONE_DECK, stakes.deck().0)], None),
            Some(game) => {
                let decks = game.decks().iter();
                let decks = decks.map(|deck| new(&deck.name, deck.kinds.cards()));
                let goods = Cards::kinds(game.goods().len(), Game::MAX_HELD);
                (decks.collect(), goods)
            }
        };
        let start = Decks::new(decks.iter().map(VerifiedDeck::start).collect());
        let hand = match &goods {
            Some(kinds) => start.with_goods(&Goods::new(kinds)),
            None => start,
        };
        Layout {
            coins_deck: hand.coins(),
            decks,
            goods,
        }
    }

    /// The first position of a deck.
    fn start(&self, deck: usize) -> usize {
        self.decks[..deck].iter().map(|cards| cards.count()).sum()
    }

    /// The first position of the goods: the number of cards.
    pub(super) fn first_good(&self) -> usize {
        self.start(self.decks.len())
    }

    /// The number of the goods as a deck.
    pub(super) fn goods_deck(&self) -> usize {
        self.decks.len()
    }

    fn first_coin(&self) -> usize {
        self.first_good() + Game::MAX_GOODS
    }

    /// The position that stands for a coin.
    pub(super) fn coin(&self, number: u32) -> usize {
        self.first_coin() + number as usize
    }

    /// The number of a good.
    pub(super) fn good(&self, position: usize) -> usize {
        position - self.first_good()
    }

    pub(super) fn is_good(&self, position: usize) -> bool {
        (self.first_good()..self.first_coin()).contains(&position)
    }

    /// The deck of a position, and the position in it.
    fn place(&self, position: usize) -> (usize, usize) {
        if position >= self.first_coin() {
            return (self.coins_deck, position - self.first_coin());
        }
        let decks = (0..self.decks.len()).rev();
        let with_goods = decks.map(|deck| (deck, self.start(deck)));
        let mut starts = [(self.goods_deck(), self.first_good())]
            .into_iter()
            .chain(with_goods);
        let found = starts.find(|&(_, start)| position >= start);
        found.map_or((0, position), |(deck, start)| (deck, position - start))
    }

    pub(super) fn slot(&self, position: usize, to: Learners) -> Slot {
        let (deck, position) = self.place(position);
        Slot {
            deck,
            position,
            receiver: receiver(to),
        }
    }

    /// The slots of a position, for all receivers.
    pub(super) fn slots(&self, position: usize) -> RangeInclusive<Slot> {
        let first = self.slot(position, Learners::All);
        let last = Slot {
            receiver: Receiver::Seat(usize::MAX),
            ..first
        };
        first..=last
    }

    /// The number of a card of the deck of this slot, over all decks. A good is a card with the number
    /// of its kind.
    pub(super) fn card(&self, slot: &Slot, card: Card) -> Card {
        match slot.deck < self.decks.len() {
            true => Card(card.0 + self.start(slot.deck) as u64),
            false => card,
        }
    }
}

pub(super) fn receiver(to: Learners) -> Receiver {
    match to {
        Learners::All => Receiver::All,
        Learners::Seat(seat) => Receiver::Seat(seat.index()),
    }
}
