//! What a seat asks a log about the sealed deck of the hand in play.

use dealerless::dice::Commitment;

use super::super::DeckLog;
use super::opening::CardOpening;
use super::reseal::Reseal;
use super::seal::{DealInput, Seal};
use super::{SealedLog, cards};
use crate::log::deal::Deal;
use crate::log::match_log::MatchLog;
use crate::log::part::Part;
use crate::log::phase::Phase;
use crate::rules::Learners;
use crate::seat::Seat;

/// What a seat has opened in a step of the try in play.
pub(crate) struct SaidOpen {
    pub(crate) step: u64,
    pub(crate) opener: Seat,
    /// Each card with who is to learn it.
    pub(crate) cards: Vec<(CardOpening, Learners)>,
}

impl MatchLog {
    fn sealed(&self) -> &SealedLog {
        let DeckLog::Sealed(deck) = &self.state.deck;
        deck
    }

    /// The deal that this seat is to sign, but for its own choices: the commitment to its input, who
    /// buys in again, the hands of the batch behind.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn deal(&self, input: [u8; 32], rebuys: Vec<bool>, batch: u32) -> Deal {
        let stacks = self.state.stacks_with(&rebuys);
        Deal {
            hand: self.state.hand,
            attempt: self.sealed().attempt,
            button: self.state.next_button(&stacks).unwrap_or(Seat::HOST),
            stacks,
            stakes: self.state.stakes_digest,
            deck: DealInput {
                circuit: self.sealed().circuit,
                input,
                batch,
            },
            rebuys,
        }
    }

    /// How many tries of this hand seats other than this one have declared void.
    pub(crate) fn voided_by_others(&self, seat: Seat) -> u32 {
        let others = Seat::all(self.match_info().seats()).zip(&self.sealed().voids);
        others
            .filter(|(by, _)| *by != seat)
            .map(|(_, tries)| tries)
            .sum()
    }

    /// Whether this try was begun and is not sealed by anybody: if so when a line begins, the run of
    /// the engine that belongs to it was on a line that is gone, and the seat that seals first says
    /// [`Part::Again`].
    pub(crate) fn lost_engine_run(&self) -> bool {
        match self.state.phase {
            Phase::Deal => {
                let mut seats = Seat::all(self.match_info().seats());
                seats.any(|seat| self.part(self.step(), seat).is_some())
            }
            Phase::Seal(seat) => seat == Seat::HOST,
            _ => false,
        }
    }

    /// How many hands the batch holds that is made behind the hand in play.
    pub(crate) fn batch(&self) -> u32 {
        self.sealed().deck.batch
    }

    /// The seals of the hand in play, in order of the seats.
    pub(crate) fn seals(&self) -> &[Seal] {
        &self.sealed().deck.seals
    }

    /// What the seats have opened in the try in play, as far as the cards still lie there.
    pub(crate) fn opened(&self) -> Vec<SaidOpen> {
        let now = match &self.state.phase {
            Phase::Open(openings) => &openings[..],
            _ => &[],
        };
        let step = self.step();
        let complete = self
            .sealed()
            .deck
            .openings
            .iter()
            .map(|(step, due)| (*step, due));
        let all = complete.chain(now.iter().map(|due| (step, due)));
        all.filter_map(|(step, due)| {
            let part = self.part(step, due.opener)?;
            let said = Part::decode(&part.part, &self.state.shape).ok()?;
            let learners = due.cards.iter().map(|(_, learners)| *learners);
            let opened = cards(&said).iter().cloned().zip(learners);
            // Another card may lie there since.
            let lies_there = |(card, _): &(CardOpening, Learners)| {
                let again = self.resealed(card.position.into());
                again.is_none_or(|(since, _)| since < step)
            };
            Some(SaidOpen {
                step,
                opener: due.opener,
                cards: opened.filter(lies_there).collect(),
            })
        })
        .collect()
    }

    /// Whether a seat may dispute what was opened to it in this step.
    pub(crate) fn may_dispute(&self, seat: Seat, step: u64) -> bool {
        let mut steps = self.sealed().disputable(&self.state.phase, seat);
        steps.any(|opened| opened == step)
    }

    /// The seats that have opened cards to this one in a step of the hand in play: those against whom
    /// it disputes the step.
    pub fn openers(&self, step: u64, to: Seat) -> Vec<Seat> {
        let openings = self.sealed().openings_to(to);
        let opened = openings.filter(|(opened, _)| *opened == step);
        opened.map(|(_, opening)| opening.opener).collect()
    }

    /// Where the card at a position was sealed last, if that was not with the deck: the step of the
    /// choice for which a hand was shuffled again, and the place in that hand.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn resealed(&self, position: usize) -> Option<(u64, usize)> {
        let again = self.sealed().deck.resealed.get(position)?;
        again.as_ref().map(|again| again.place)
    }

    /// The step of the choice for which a hand is being shuffled again.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn stolen_in(&self) -> Option<u64> {
        match self.state.phase {
            Phase::Reseal(..) => Some(self.sealed().deck.stolen_in),
            _ => None,
        }
    }

    /// What the host has sealed anew, while the others have not.
    pub(crate) fn reseal(&self) -> Option<&Reseal> {
        self.sealed().deck.reseals.first()
    }

    /// What a seat has committed to, of the dice that are being revealed.
    pub(crate) fn dice_commitment(&self, seat: Seat) -> Option<Commitment> {
        let commitments = &self.sealed().deck.commitments;
        commitments.get(seat.index()).copied()
    }

    /// The masked value of a card of the hand in play, once it is sealed.
    #[cfg(test)]
    pub(crate) fn masked(&self, position: usize) -> Option<u64> {
        self.sealed().deck.masked(position)
    }

    /// A seat's share of a card of the hand in play, once it was said.
    #[cfg(test)]
    pub(crate) fn share(&self, seat: Seat, position: usize) -> Option<u64> {
        self.sealed().deck.shares.of(seat, position)
    }
}
