//! A hand in a record.

use std::collections::BTreeMap;

use dealerless::deck::Card;

use crate::log::{Begun, LogEvent};
use crate::rules::Outcome;
use crate::seat::Seat;

/// A hand that was dealt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedHand {
    /// The start of the last *try*: the last attempt to deal this hand. Earlier tries were declared
    /// void.
    pub begun: Begun,
    /// The step in which the last try was dealt.
    pub step: u64,
    /// For each void try of this hand: the seat that declared it void.
    pub voided: Vec<Seat>,
    /// The hash of all steps up to the seals, if the hand was sealed. If a player publishes the
    /// hash before a card is opened, it later proves that these steps have not changed since.
    pub seal: Option<[u8; 32]>,
    /// The events of the hand after the deal, in order.
    pub events: Vec<LogEvent>,
    /// The result, if all seats have signed it.
    pub outcome: Option<Outcome>,
    /// The step in which all seats signed the result.
    pub over_in: Option<u64>,
    /// The positions of the cards that each seat held at the end.
    pub held: Vec<Vec<usize>>,
    /// The cards that anybody can compute from the record, by position.
    pub public: BTreeMap<usize, Card>,
    /// The cards that only the owner has seen and noted, by position, if the record was read with
    /// the owner's key. These cards are not proven unless they are also in `public`.
    pub seen: BTreeMap<usize, Card>,
}

impl RecordedHand {
    /// The card at this position, if the reader can know it.
    pub fn card(&self, position: usize) -> Option<Card> {
        let public = self.public.get(&position);
        public.or_else(|| self.seen.get(&position)).copied()
    }

    /// Adds an event of the hand.
    pub(super) fn take(&mut self, event: LogEvent) {
        match &event {
            LogEvent::Board(cards) | LogEvent::Shown { cards, .. } => {
                let faces = cards.iter().map(|face| (face.position, face.card));
                self.public.extend(faces);
            }
            LogEvent::Opened { position, card, .. } => {
                self.public.extend(card.map(|card| (*position, card)));
            }
            LogEvent::Reshuffled { positions, .. } | LogEvent::Mixed { positions, .. } => {
                self.public
                    .retain(|position, _| !positions.contains(position));
            }
            _ => {}
        }
        self.events.push(event);
    }

    /// The step since which the final card has been at this position. If a steal has reshuffled the
    /// position, this is the step in which the last such steal was chosen. Otherwise 0: the card
    /// has been there since the deal.
    pub fn since(&self, position: usize) -> u64 {
        let shuffled = |event: &LogEvent| match event {
            LogEvent::Reshuffled {
                positions, since, ..
            } if positions.contains(&position) => Some(*since),
            _ => None,
        };
        self.events.iter().rev().find_map(shuffled).unwrap_or(0)
    }
}
