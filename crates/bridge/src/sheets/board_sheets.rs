//! The two sheets of a board, and the deal that results from following them.

use rand::Rng;

use super::{Pass, Scheme};
use crate::uniform;
use crate::{Board, Card, Compass, Deal, DealError, Suit};

/// The instructions for the first dealer, who starts with a sorted pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstSheet {
    /// The order of the suits in the sorted pack, from the top. In each suit the ace is on top.
    pub suits: [Suit; 4],
    /// The passes of the pack, in the order in which the dealer makes them.
    pub passes: Vec<Pass>,
    /// The number of cards to move from the top to the bottom after the last pass.
    pub cut: usize,
    /// The seats of the second dealer's four hands. `None` if the second sheet names the seats,
    /// which are then North, East, South and West.
    pub hands: Option<[Compass; 4]>,
}

impl FirstSheet {
    /// The sorted pack, from the top.
    pub fn sorted_pack(&self) -> Vec<Card> {
        self.suits
            .into_iter()
            .flat_map(|suit| Card::all().filter(move |card| card.suit() == suit))
            .collect()
    }

    /// The pack for the second dealer, from the top.
    pub fn pack(&self) -> Vec<Card> {
        let pack = self.passes.iter();
        let mut pack = pack.fold(self.sorted_pack(), |pack, pass| pass.restacked(&pack));
        let cards = pack.len();
        pack.rotate_left(self.cut % cards);
        pack
    }
}

/// Both sheets of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardSheets {
    number: u32,
    first: FirstSheet,
    second: [u8; 52],
}

impl BoardSheets {
    /// Draws a first sheet by `scheme`, and computes the second sheet that then produces the deal
    /// of `board`.
    pub fn draw(board: &Board, scheme: Scheme, rng: &mut impl Rng) -> BoardSheets {
        Self::with_first(board, scheme.first_sheet(rng))
    }

    /// Computes the second sheet that produces the deal of `board` with the first sheet `first`.
    pub fn with_first(board: &Board, first: FirstSheet) -> BoardSheets {
        let hands = first.hands.unwrap_or(Compass::ALL);
        let hand = |card: Card| {
            let owner = board.deal.owner(card);
            let hand = hands.iter().position(|seat| *seat == owner);
            hand.unwrap_or_default() as u8
        };
        let mut second = [0; 52];
        for (digit, card) in second.iter_mut().zip(first.pack()) {
            *digit = hand(card);
        }
        BoardSheets {
            number: board.number,
            first,
            second,
        }
    }

    /// The number of the board.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The first sheet.
    pub fn first(&self) -> &FirstSheet {
        &self.first
    }

    /// For each card of the second dealer's pack, from the top, the index of the hand to which it
    /// is dealt.
    pub fn second(&self) -> &[u8; 52] {
        &self.second
    }

    /// Follows both sheets card by card, as two people would.
    ///
    /// # Errors
    /// [`DealError::Count`] if a hand does not have 13 cards.
    pub fn follow(&self) -> Result<Deal, DealError> {
        let mut pack = self.first.sorted_pack();
        for pass in &self.first.passes {
            let mut piles = vec![Vec::new(); pass.piles()];
            for (card, place) in pack.iter().zip(pass.places()) {
                piles[usize::from(*place)].push(*card);
            }
            // The last card dealt to a pile is on top.
            pack = piles
                .into_iter()
                .flat_map(|pile| pile.into_iter().rev())
                .collect();
        }
        let below = pack.split_off(self.first.cut % pack.len().max(1));
        let pack = [below, pack].concat();
        let hands = self.first.hands.unwrap_or(Compass::ALL);
        let mut owners = [Compass::North; 52];
        for (card, hand) in pack.into_iter().zip(self.second) {
            owners[card.number()] = hands[usize::from(hand)];
        }
        Deal::new(owners)
    }
}

/// Draws a uniformly random deal.
pub fn uniform_deal(rng: &mut impl Rng) -> Deal {
    let mut owners = std::array::from_fn(|card| Compass::ALL[card % 4]);
    uniform::shuffle(&mut owners, || rng.next_u64());
    Deal::dealt(owners)
}
