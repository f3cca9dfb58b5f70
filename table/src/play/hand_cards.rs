//! A seat's part of all cards of a try: of its deck, and of the hands of it that were shuffled again
//! and sealed anew.

use dealerless::deck::{Card, Error, Result};
use zeroize::Zeroizing;

use super::deck::{HandDeck, read_back, read_back_again};
use crate::log::{Attempt, CardOpening, Masked, MatchLog, Reseal, Seal};
use crate::seat::Seat;

/// All cards of a try. Which of its decks a card belongs to is for the log to say.
pub(super) struct HandCards {
    deck: Box<dyn HandDeck>,
    /// The hands that were shuffled again, by the step of the choice that asked for it.
    again: Vec<(u64, Box<dyn HandDeck>)>,
}

impl HandCards {
    pub(super) fn new(deck: Box<dyn HandDeck>) -> Self {
        HandCards {
            deck,
            again: Vec::new(),
        }
    }

    pub(super) fn seal(&self) -> Result<Seal> {
        self.deck.seal()
    }

    pub(super) fn check(&mut self, seal: &Seal) -> Result<()> {
        self.deck.check(seal)
    }

    /// Adds a hand that was shuffled again. Only cards of a checked deck are, so its seeds need no
    /// further check.
    pub(super) fn add(&mut self, step: u64, hand: Box<dyn HandDeck>) {
        self.again.retain(|(other, _)| *other != step);
        self.again.push((step, hand));
    }

    /// Forgets all hands but those of these steps.
    pub(super) fn keep_only(&mut self, steps: &[u64]) {
        self.again.retain(|(step, _)| steps.contains(step));
    }

    fn again(&self, step: u64) -> Option<&dyn HandDeck> {
        let mut again = self.again.iter();
        let (_, hand) = again.find(|(other, _)| *other == step)?;
        Some(&**hand)
    }

    /// What this seat says of its shares of a hand that was shuffled again, if it was.
    pub(super) fn reseal(&self, step: u64) -> Option<Result<Reseal>> {
        let seal = self.again(step)?.seal();
        Some(seal.map(|seal| Reseal {
            masked: seal.masked.map_or_else(Vec::new, |masked| masked.cards),
            commitments: seal.commitments,
        }))
    }

    /// Checks the masked values of a hand that was shuffled again: all hold the same.
    pub(super) fn check_again(&mut self, step: u64, masked: &[u64]) -> Result<()> {
        let mut again = self.again.iter_mut();
        let Some((_, hand)) = again.find(|(other, _)| *other == step) else {
            return Err(Error::Usage("the hand was not shuffled again".into()));
        };
        let own = hand.seal()?;
        hand.check(&Seal {
            masked: Some(Masked {
                cards: masked.to_vec(),
                validity: Vec::new(),
            }),
            ..own
        })
    }

    /// Whether each card of the log is there.
    pub(super) fn has_all(&self, log: &MatchLog) -> bool {
        let (_, drawn) = log.match_info().header().stakes.deck();
        let mut again = (0..drawn).filter_map(|position| log.resealed(position));
        again.all(|(step, _)| self.again(step).is_some())
    }

    /// This seat's share of a card.
    pub(super) fn open(&self, log: &MatchLog, position: usize) -> Result<CardOpening> {
        let Some((step, place)) = log.resealed(position) else {
            return self.deck.open(position);
        };
        let lost = || Error::Usage(format!("card {position} was lost"));
        let opening = self.again(step).ok_or_else(lost)?.open(place)?;
        Ok(CardOpening {
            position: position as u16,
            ..opening
        })
    }

    /// Learns a card from what another seat has opened.
    pub(super) fn learn(&mut self, log: &MatchLog, opening: &CardOpening) -> Result<Card> {
        let Some((step, place)) = log.resealed(usize::from(opening.position)) else {
            return self.deck.learn(opening);
        };
        let mut again = self.again.iter_mut();
        let Some((_, hand)) = again.find(|(other, _)| *other == step) else {
            return Err(Error::Usage(format!("card {} was lost", opening.position)));
        };
        hand.learn(&CardOpening {
            position: place as u16,
            ..opening.clone()
        })
    }

    /// What is kept of all of them: the deck's length, the deck, and for each other hand its step,
    /// its length and its bytes.
    pub(super) fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let deck = self.deck.to_bytes();
        let again: Vec<_> = (self.again.iter())
            .map(|(step, hand)| (*step, hand.to_bytes()))
            .collect();
        let length: usize = again.iter().map(|(_, hand)| 12 + hand.len()).sum();
        // Room for all at once: a vector that grows leaves copies behind that nobody wipes.
        let mut bytes = Zeroizing::new(Vec::with_capacity(4 + deck.len() + length));
        bytes.extend_from_slice(&(deck.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&deck);
        for (step, hand) in again {
            bytes.extend_from_slice(&step.to_le_bytes());
            bytes.extend_from_slice(&(hand.len() as u32).to_le_bytes());
            bytes.extend_from_slice(&hand);
        }
        bytes
    }

    /// Reads what [`to_bytes`](Self::to_bytes) has written of this try. `name` is that of the deck,
    /// and `name_again` gives that of a hand that was shuffled again; of those of which the log
    /// knows nothing none is read. `None` if the deck is anything else.
    pub(super) fn from_bytes(
        bytes: &[u8],
        (of, seat): (Attempt, Seat),
        name: &[u8],
        name_again: impl Fn(u64) -> Option<Vec<u8>>,
    ) -> Option<Self> {
        let (deck, mut rest) = part(bytes)?;
        let mut cards = HandCards::new(read_back(deck, of, seat, name)?);
        while let Some((step, more)) = rest.split_first_chunk() {
            let step = u64::from_le_bytes(*step);
            let (hand, more) = part(more)?;
            let read = |name: Vec<u8>| read_back_again(hand, (of, step), seat, &name);
            if let Some(hand) = name_again(step).and_then(read) {
                cards.add(step, hand);
            }
            rest = more;
        }
        Some(cards)
    }
}

/// A part after its length, and what follows it.
fn part(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}
