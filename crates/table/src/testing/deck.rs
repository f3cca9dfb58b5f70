//! A sealed deck without an engine: the numbers of the hand and the try determine its cards and their
//! random shares. The peer of a real engine could not compute it.

use dealerless::deck::{Card, Result};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use zeroize::Zeroizing;

use crate::log::{Attempt, CardOpening, Masked, Seal};
use crate::play::{HandDeck, Shuffled};
use crate::rules::Stakes;
use crate::seat::Seat;

/// The decks of all hands of a match with these stakes.
pub struct TestDeck(pub Stakes);

/// The shares of one seat, for one try of a hand.
pub(super) struct SeatDeck {
    pub(super) cards: Vec<u64>,
    /// The shares of each seat.
    pub(super) shares: Vec<Vec<u64>>,
    attempt: Attempt,
    seat: Seat,
    secret: [u8; 32],
}

/// The four hands of a board, as sets of cards.
pub fn hands(rng: &mut StdRng) -> Vec<u64> {
    let mut pack: Vec<u32> = (0..52).collect();
    pack.shuffle(rng);
    let hand = |cards: &[u32]| cards.iter().map(|card| 1 << card).sum();
    pack.chunks(13).map(hand).collect()
}

impl SeatDeck {
    pub(super) fn new(stakes: &Stakes, attempt: Attempt, seat: Seat, secret: [u8; 32]) -> Self {
        let seed = u64::from(attempt.hand) << 32 | u64::from(attempt.attempt);
        let mut rng = StdRng::seed_from_u64(seed);
        let (cards, drawn) = stakes.deck();
        let cards: Vec<u64> = match stakes.boards() {
            Some(boards) => (0..boards).flat_map(|_| hands(&mut rng)).collect(),
            None => {
                let mut deck: Vec<u64> = (0..cards as u64).collect();
                deck.shuffle(&mut rng);
                deck
            }
        };
        let width = 1 << stakes.word_bits();
        let shares = (0..stakes.seats())
            .map(|_| (0..drawn).map(|_| rng.random_range(0..width)).collect())
            .collect();
        SeatDeck {
            cards,
            shares,
            attempt,
            seat,
            secret,
        }
    }

    /// The masked value of a card at a position with these shares.
    pub(super) fn masked(&self, card: u64, position: usize) -> u64 {
        self.shares.iter().fold(card, |sum, of| sum ^ of[position])
    }

    /// This seat's share of the card at a position, and the nonce of its commitment.
    fn share(&self, position: usize) -> (u64, [u8; 32]) {
        let nonce = self.attempt.share_nonce(self.seat, position, &self.secret);
        (self.shares[self.seat.index()][position], nonce)
    }
}

impl HandDeck for SeatDeck {
    fn seal(&self) -> Result<Seal> {
        let positions = 0..self.shares[0].len();
        let commitment = |position: usize| {
            let (share, nonce) = self.share(position);
            self.attempt
                .share_commitment(self.seat, position, share, &nonce)
        };
        let masked = |position: usize| self.masked(self.cards[position], position);
        let validity = vec![true; self.shares.len()];
        Ok(Seal {
            masked: (self.seat == Seat::HOST).then(|| Masked {
                cards: positions.clone().map(masked).collect(),
                validity: validity.clone(),
            }),
            commitments: positions.map(commitment).collect(),
            validity,
            validity_macs: [3; 32],
        })
    }

    fn check(&mut self, _: &Seal) -> Result<()> {
        Ok(())
    }

    fn open(&self, position: usize) -> Result<CardOpening> {
        let (share, nonce) = self.share(position);
        Ok(CardOpening {
            position: position as u16,
            share,
            nonce,
            macs: [self.seat.number(); 32],
        })
    }

    fn learn(&mut self, opening: &CardOpening) -> Result<Card> {
        Ok(Card(self.cards[usize::from(opening.position)]))
    }

    fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new(Vec::new())
    }
}

impl Shuffled for TestDeck {
    fn seated(
        self: Box<Self>,
        attempt: Attempt,
        reshuffled_for: Option<u64>,
        seat: Seat,
        secret: Zeroizing<[u8; 32]>,
    ) -> Box<dyn HandDeck> {
        assert_eq!(reshuffled_for, None, "nobody steals");
        Box::new(SeatDeck::new(&self.0, attempt, seat, *secret))
    }
}
