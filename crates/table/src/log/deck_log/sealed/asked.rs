//! Queries about the sealed deck of the hand in play.

use dealerless::dice::Commitment;

use super::opening::CardOpening;
use super::reseal::Reseal;
use super::seal::{Seal, SealedInput};
use super::{SealedLog, cards};
use crate::log::deal::DealInput;
use crate::log::match_log::MatchLog;
use crate::log::part::Part;
use crate::log::phase::Phase;
use crate::rules::Learners;
use crate::seat::Seat;

/// The cards that a seat has opened in a step of the try in play.
pub(crate) struct OpenedCards {
    pub(crate) step: u64,
    pub(crate) opener: Seat,
    /// The openings, each with the seats that learn the card.
    pub(crate) cards: Vec<(CardOpening, Learners)>,
}

impl MatchLog {
    fn sealed(&self) -> Option<&SealedLog> {
        self.state().deck.sealed()
    }

    /// The fields for the shuffle in the deal that a seat signs next. `input` is the commitment to
    /// the seat's input, and `batch` is the number of hands in the next batch of preprocessing.
    /// `None` if the deck is not sealed.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn sealed_input(&self, input: [u8; 32], batch: u32) -> Option<DealInput> {
        let circuit = self.sealed()?.circuit;
        Some(DealInput::Sealed(SealedInput {
            circuit,
            input,
            batch,
        }))
    }

    /// The number of tries of this hand that seats other than `seat` have declared void.
    pub(crate) fn voided_by_others(&self, seat: Seat) -> u32 {
        let voids = self.sealed().map_or(&[][..], |deck| &deck.voids);
        let others = Seat::all(self.match_info().seats()).zip(voids);
        others
            .filter(|(by, _)| *by != seat)
            .map(|(_, tries)| tries)
            .sum()
    }

    /// Whether at least one seat has dealt this try and no seat has sealed it. At the start of a
    /// connection, this means that the engine run of the try was lost with the previous connection.
    /// Then the seat that seals first signs [`Part::Again`].
    pub(crate) fn lost_engine_run(&self) -> bool {
        match self.state().phase {
            Phase::Deal => {
                let mut seats = Seat::all(self.match_info().seats());
                seats.any(|seat| self.part(self.step(), seat).is_some())
            }
            Phase::Seal(seat) => seat == Seat::HOST,
            _ => false,
        }
    }

    /// The number of hands in the batch of preprocessing after the deal of the hand in play.
    pub(crate) fn batch(&self) -> u32 {
        self.sealed().map_or(0, |deck| deck.deck.batch)
    }

    /// The seals of the hand in play, in order of the seats.
    pub(crate) fn seals(&self) -> &[Seal] {
        self.sealed().map_or(&[], |deck| &deck.deck.seals)
    }

    /// The cards that the seats have opened in the try in play, without the cards that were
    /// reshuffled later.
    pub(crate) fn opened(&self) -> Vec<OpenedCards> {
        let now = match &self.state().phase {
            Phase::Open(openings) => &openings[..],
            _ => &[],
        };
        let step = self.step();
        let openings = self.sealed().map_or(&[][..], |deck| &deck.deck.openings);
        let complete = openings.iter().map(|(step, due)| (*step, due));
        let all = complete.chain(now.iter().map(|due| (step, due)));
        all.filter_map(|(step, due)| {
            let part = self.part(step, due.opener)?;
            let opened = Part::decode(&part.part, &self.state().shape).ok()?;
            let learners = due.cards.iter().map(|(_, learners)| *learners);
            let openings = cards(&opened).iter().cloned().zip(learners);
            // The card may have been replaced in a reshuffle since then.
            let is_current = |(card, _): &(CardOpening, Learners)| {
                let again = self.resealed(card.position.into());
                again.is_none_or(|(since, _)| since < step)
            };
            Some(OpenedCards {
                step,
                opener: due.opener,
                cards: openings.filter(is_current).collect(),
            })
        })
        .collect()
    }

    /// Whether a seat may dispute the opening of this step.
    pub(crate) fn may_dispute(&self, seat: Seat, step: u64) -> bool {
        let disputes = |deck: &SealedLog| {
            let mut steps = deck.disputable(&self.state().phase, seat);
            steps.any(|opened| opened == step)
        };
        self.sealed().is_some_and(disputes)
    }

    /// The seats that have opened cards to the seat `to` in a step of the hand in play. A dispute
    /// of the step is directed against these seats.
    pub fn openers(&self, step: u64, to: Seat) -> Vec<Seat> {
        let openings = self
            .sealed()
            .into_iter()
            .flat_map(|deck| deck.openings_to(to));
        let opened = openings.filter(|(opened, _)| *opened == step);
        opened.map(|(_, opening)| opening.opener).collect()
    }

    /// The last reseal of the card at a position, if any: the step of the choice for which its hand
    /// was reshuffled, and the card's place in that hand.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn resealed(&self, position: usize) -> Option<(u64, usize)> {
        let again = self.sealed()?.deck.resealed.get(position)?;
        again.as_ref().map(|again| again.place)
    }

    /// The step of the choice for which a hand is being reshuffled.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn stolen_in(&self) -> Option<u64> {
        match self.state().phase {
            Phase::Reseal(..) => self.sealed().map(|deck| deck.deck.stolen_in),
            _ => None,
        }
    }

    /// The host's reseal, while other seats have not resealed yet.
    pub(crate) fn reseal(&self) -> Option<&Reseal> {
        self.sealed()?.deck.reseals.first()
    }

    /// A seat's commitment to the dice that are being revealed.
    pub(crate) fn dice_commitment(&self, seat: Seat) -> Option<Commitment> {
        let commitments = &self.sealed()?.deck.commitments;
        commitments.get(seat.index()).copied()
    }

    /// The masked value of a card of the hand in play, once it is sealed.
    #[cfg(test)]
    pub(crate) fn masked(&self, position: usize) -> Option<u64> {
        self.sealed()?.deck.masked(position)
    }

    /// A seat's share of a card of the hand in play, once it was opened.
    #[cfg(test)]
    pub(crate) fn share(&self, seat: Seat, position: usize) -> Option<u64> {
        self.sealed()?.deck.shares.of(seat, position)
    }
}
