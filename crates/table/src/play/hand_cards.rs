//! A seat's shares of all cards of a try: of the deck, and of the reshuffled hands.

use std::collections::BTreeMap;

use dealerless::deck::{Card, Error, Result};
use zeroize::Zeroizing;

use super::deck::{HandDeck, deck_from_bytes};
use crate::log::{Attempt, CardOpening, Masked, MatchLog, Reseal, Seal};
use crate::seat::Seat;

/// A seat's shares of all cards of a try. The log determines whether a card belongs to the deck or
/// to a reshuffled hand.
pub(super) struct HandCards {
    deck: Box<dyn HandDeck>,
    /// The reshuffled hands, by the step of the choice that asked for the reshuffle.
    reshuffled: BTreeMap<u64, Box<dyn HandDeck>>,
}

impl HandCards {
    pub(super) fn new(deck: Box<dyn HandDeck>) -> Self {
        HandCards {
            deck,
            reshuffled: BTreeMap::new(),
        }
    }

    pub(super) fn seal(&self) -> Result<Seal> {
        self.deck.seal()
    }

    pub(super) fn check(&mut self, seal: &Seal) -> Result<()> {
        self.deck.check(seal)
    }

    /// Adds a reshuffled hand. Only cards of a checked deck are reshuffled, so its seeds need no
    /// further check.
    pub(super) fn add(&mut self, step: u64, hand: Box<dyn HandDeck>) {
        self.reshuffled.insert(step, hand);
    }

    /// Drops all reshuffled hands except those of the given steps.
    pub(super) fn keep_only(&mut self, steps: &[u64]) {
        self.reshuffled.retain(|step, _| steps.contains(step));
    }

    /// Makes this seat's reseal of the hand that was reshuffled for the choice of step `step`.
    /// `None` if that hand was not reshuffled.
    pub(super) fn reseal(&self, step: u64) -> Option<Result<Reseal>> {
        let seal = self.reshuffled.get(&step)?.seal();
        Some(seal.map(|seal| Reseal {
            masked: seal.masked.map_or_else(Vec::new, |masked| masked.cards),
            commitments: seal.commitments,
        }))
    }

    /// Checks that the masked values of a reshuffled hand are equal to this seat's own masked
    /// values.
    pub(super) fn check_reshuffled(&mut self, step: u64, masked: &[u64]) -> Result<()> {
        let Some(hand) = self.reshuffled.get_mut(&step) else {
            return Err(Error::Usage("the hand was not reshuffled".into()));
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

    /// Whether this has all reshuffled hands of the log.
    pub(super) fn has_all(&self, log: &MatchLog) -> bool {
        let (_, drawn) = log.match_info().header().stakes.deck();
        let mut hands = (0..drawn).filter_map(|position| log.resealed(position));
        hands.all(|(step, _)| self.reshuffled.contains_key(&step))
    }

    /// Makes this seat's opening of a card.
    pub(super) fn open(&self, log: &MatchLog, position: usize) -> Result<CardOpening> {
        let Some((step, place)) = log.resealed(position) else {
            return self.deck.open(position);
        };
        let lost = || Error::Usage(format!("card {position} was lost"));
        let hand = self.reshuffled.get(&step).ok_or_else(lost)?;
        let opening = hand.open(place)?;
        Ok(CardOpening {
            position: position as u16,
            ..opening
        })
    }

    /// Learns a card from another seat's opening.
    pub(super) fn learn(&mut self, log: &MatchLog, opening: &CardOpening) -> Result<Card> {
        let Some((step, place)) = log.resealed(usize::from(opening.position)) else {
            return self.deck.learn(opening);
        };
        let Some(hand) = self.reshuffled.get_mut(&step) else {
            return Err(Error::Usage(format!("card {} was lost", opening.position)));
        };
        hand.learn(&CardOpening {
            position: place as u16,
            ..opening.clone()
        })
    }

    /// The bytes to store: the length of the deck, the deck, and for each reshuffled hand the step,
    /// the length of the hand, and the hand.
    pub(super) fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let deck = self.deck.to_bytes();
        let hands: Vec<_> = (self.reshuffled.iter())
            .map(|(step, hand)| (*step, hand.to_bytes()))
            .collect();
        let length: usize = hands.iter().map(|(_, hand)| 12 + hand.len()).sum();
        // Allocated at once: a growing vector would leave copies behind that nobody wipes.
        let mut bytes = Zeroizing::new(Vec::with_capacity(4 + deck.len() + length));
        bytes.extend_from_slice(&(deck.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&deck);
        for (step, hand) in hands {
            bytes.extend_from_slice(&step.to_le_bytes());
            bytes.extend_from_slice(&(hand.len() as u32).to_le_bytes());
            bytes.extend_from_slice(&hand);
        }
        bytes
    }

    /// Reads the cards of a try from the output of [`to_bytes`](Self::to_bytes). `name` is the name
    /// of the deck, and `hand_name` gives the name of a reshuffled hand. Hands that the log does
    /// not know are skipped. `None` if the bytes are not those of this deck.
    pub(super) fn from_bytes(
        bytes: &[u8],
        (attempt, seat): (Attempt, Seat),
        name: &[u8],
        hand_name: impl Fn(u64) -> Option<Vec<u8>>,
    ) -> Option<Self> {
        let (deck, mut rest) = split_sized(bytes)?;
        let mut cards = HandCards::new(deck_from_bytes(deck, attempt, None, seat, name)?);
        while let Some((step, more)) = rest.split_first_chunk() {
            let step = u64::from_le_bytes(*step);
            let (hand, more) = split_sized(more)?;
            let read = |name: Vec<u8>| deck_from_bytes(hand, attempt, Some(step), seat, &name);
            if let Some(hand) = hand_name(step).and_then(read) {
                cards.add(step, hand);
            }
            rest = more;
        }
        Some(cards)
    }
}

/// Splits off bytes that follow their length. Returns these bytes and the rest.
fn split_sized(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}
