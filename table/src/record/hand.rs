//! A hand, as a record tells it.

use std::collections::BTreeMap;

use dealerless::deck::Card;

use crate::log::{Begun, LogEvent};
use crate::rules::Outcome;
use crate::seat::Seat;

/// A hand that was dealt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedHand {
    /// The try that stands, as it began.
    pub begun: Begun,
    /// The step in which it was dealt.
    pub step: u64,
    /// Who declared a try of this hand void, one for each such try.
    pub voided: Vec<Seat>,
    /// The hash of all steps up to the seals, if the hand stands: who has published it before a card was
    /// opened shows with it that nothing was changed since.
    pub seal: Option<[u8; 32]>,
    /// What happened then, in order.
    pub events: Vec<LogEvent>,
    /// How it ended, if all seats have signed that.
    pub outcome: Option<Outcome>,
    /// The step in which they signed it.
    pub over_in: Option<u64>,
    /// The positions of the cards that each seat held last.
    pub held: Vec<Vec<usize>>,
    /// The cards that everybody can compute, by position.
    pub public: BTreeMap<usize, Card>,
    /// The cards that the owner alone was shown and has noted, by position, if the record was read
    /// with its key. That they were these, nothing proves, unless they are public now.
    pub seen: BTreeMap<usize, Card>,
}

impl RecordedHand {
    /// The card at this position, if the reader can know it.
    pub fn card(&self, position: usize) -> Option<Card> {
        let public = self.public.get(&position);
        public.or_else(|| self.seen.get(&position)).copied()
    }

    /// Takes in an event of the hand.
    pub(super) fn take(&mut self, event: LogEvent) {
        match &event {
            LogEvent::Board(cards) | LogEvent::Shown { cards, .. } => {
                let faces = cards.iter().map(|face| (face.position, face.card));
                self.public.extend(faces);
            }
            LogEvent::Opened { position, card, .. } => {
                self.public.extend(card.map(|card| (*position, card)));
            }
            LogEvent::Reshuffled { positions, .. } => {
                self.public
                    .retain(|position, _| !positions.contains(position));
            }
            _ => {}
        }
        self.events.push(event);
    }

    /// Since which step the card lies at this position that lies there at the end: that of the last
    /// choice to steal for which it was shuffled again, or 0 if it is the one that was drawn.
    pub fn since(&self, position: usize) -> u64 {
        let shuffled = |event: &LogEvent| match event {
            LogEvent::Reshuffled {
                positions, since, ..
            } if positions.contains(&position) => Some(*since),
            _ => None,
        };
        self.events.iter().rev().find_map(shuffled).unwrap_or(0)
    }

    /// The board.
    #[cfg(test)]
    pub(crate) fn board(&self) -> Vec<Card> {
        let laid = |event: &LogEvent| match event {
            LogEvent::Board(cards) => cards.iter().map(|face| face.card).collect(),
            _ => Vec::new(),
        };
        self.events.iter().flat_map(laid).collect()
    }
}
