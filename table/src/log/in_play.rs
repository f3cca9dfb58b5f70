//! What a log says of the hand in play, and of the chips.

use dealerless::deck::Card;
use dealerless::dice::Commitment;

use super::beyond_poker::Reseal;
use super::commitment::Attempt;
use super::deal::{Deal, Seal};
use super::judge::{self, disputable, openings_to};
use super::match_log::MatchLog;
use super::part::{CardOpening, Part};
use super::phase::{End, Phase, Stop};
use crate::rules::{Choice, Foul, Hand, Learners, Outcome};
use crate::seat::Seat;

/// What a seat has opened in a step of the try in play.
pub(crate) struct SaidOpen {
    pub(crate) step: u64,
    pub(crate) opener: Seat,
    /// Each card with who is to learn it.
    pub(crate) cards: Vec<(CardOpening, Learners)>,
}

/// A hand that stands, with a result that not all seats have signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsettled {
    /// All that decides it is signed: the rules leave one result.
    Decided(Outcome),
    /// It is not decided who wins the pot.
    Undecided {
        /// The chips in the pot; 0 in a game without chips.
        pot: u64,
    },
}

impl MatchLog {
    /// What the signed parts say of the hand in play; none if there is no hand that stands, or the
    /// match is over.
    pub fn unsettled(&self) -> Option<Unsettled> {
        match self.phase() {
            Phase::Result(outcome) => Some(Unsettled::Decided(outcome)),
            phase if phase.stands() => {
                let pot = self.game().map_or(0, Hand::pot);
                Some(Unsettled::Undecided { pot })
            }
            _ => None,
        }
    }

    /// The try that is dealt or played now.
    pub fn attempt(&self) -> Attempt {
        self.state.attempt()
    }

    /// How many tries of this hand seats other than this one have declared void.
    pub(crate) fn voided_by_others(&self, seat: Seat) -> u32 {
        let others = Seat::all(self.of().seats()).zip(&self.state.voids);
        others
            .filter(|(by, _)| *by != seat)
            .map(|(_, tries)| tries)
            .sum()
    }

    /// The most bytes of a part in this match.
    pub(crate) fn longest_part(&self) -> usize {
        self.state.shape.longest()
    }

    /// The deal that this seat is to sign, but for its own choices: the commitment to its input, who
    /// buys in again, the hands of the batch behind.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn deal(&self, input: [u8; 32], rebuys: Vec<bool>, batch: u32) -> Deal {
        let stacks = self.state.stacks_with(&rebuys);
        Deal {
            hand: self.state.hand,
            attempt: self.state.attempt,
            button: self.state.next_button(&stacks).unwrap_or(Seat::HOST),
            stacks,
            stakes: self.state.stakes_digest,
            circuit: self.state.circuit,
            input,
            batch,
            rebuys,
        }
    }

    /// The deals of a seat that were not forgotten, of all hands and tries.
    pub fn deals(&self, seat: Seat) -> Vec<Deal> {
        let of_seat = self.history(0).filter(|part| part.seat == seat);
        let parts = of_seat.filter_map(|part| Part::decode(&part.part, &self.state.shape).ok());
        parts.filter_map(|part| part.deal().cloned()).collect()
    }

    /// The chips after the last result; all 0 in a game without chips.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn stacks(&self) -> &[u64] {
        &self.state.stacks
    }

    /// The chips that follow from the signed parts: when the match is over, for whatever reason; before, those
    /// after the last hand that is decided, also if not all have signed its result.
    /// A hand that stands is given up by who leaves it, forfeits, or is convicted; a hand that is
    /// disputed or was not sealed by all counts for nothing.
    pub fn final_stacks(&self) -> Vec<u64> {
        let disputed = |stop: &Stop| matches!(stop, Stop::Dispute { .. });
        match self.phase() {
            Phase::Over(End::Stopped(stops)) if !stops.iter().any(|(_, stop)| disputed(stop)) => {
                let seats: Vec<Seat> = stops.iter().map(|(seat, _)| *seat).collect();
                self.state.given_up_by(&seats)
            }
            Phase::Over(End::Foul { seat, .. } | End::Fork { seat }) => {
                self.state.given_up_by(&[seat])
            }
            Phase::Over(End::Stopped(_) | End::Cards(_)) => self.state.undecided(),
            Phase::Result(outcome) => outcome.stacks,
            _ => self.stacks().to_vec(),
        }
    }

    /// What this seat loses if it leaves at its next turn: its own chips in the pot of the hand in play. Nothing
    /// if it has no choice left in the hand, or if its next turn can only come before the hand stands.
    pub fn lost_by_leaving(&self, seat: Seat) -> u64 {
        let (Some(game), Some(dealt)) = (self.game(), self.dealt_stacks()) else {
            return 0;
        };
        let is_free = match self.phase() {
            Phase::Seal(sealing) => sealing.index() <= seat.index(),
            Phase::Result(_) | Phase::Over(_) => true,
            _ => !game.may_still_choose(seat),
        };
        match is_free {
            true => 0,
            false => dealt[seat.index()].saturating_sub(game.stacks()[seat.index()]),
        }
    }

    /// The chips with which the hand in play began, if one was dealt.
    pub(crate) fn dealt_stacks(&self) -> Option<&[u64]> {
        self.state.dealt.as_ref().map(|dealt| &dealt.stacks[..])
    }

    /// How many hands the batch holds that is made behind the hand in play.
    pub(crate) fn batch(&self) -> u32 {
        self.state.dealt.as_ref().map_or(0, |dealt| dealt.batch)
    }

    /// The hash of all steps up to the deals of the try in play, if it was dealt.
    pub(crate) fn dealt_hash(&self) -> Option<[u8; 32]> {
        self.hash_before(self.state.dealt.as_ref()?.since)
    }

    /// The hash of all steps up to the seals of the try in play, if it stands: all seats have sealed, and the
    /// host has opened instead of declaring the try void. Who publishes it before a card is opened can show
    /// later that nothing has been changed since.
    pub fn seal_hash(&self) -> Option<[u8; 32]> {
        let dealt = self.state.dealt.as_ref()?;
        let seats = self.of().seats();
        let stands = !dealt.openings.is_empty();
        stands
            .then(|| self.hash_before(dealt.since + seats as u64))
            .flatten()
    }

    /// What the seats have opened in the try in play, as far as the cards still lie there.
    pub(crate) fn opened(&self) -> Vec<SaidOpen> {
        let Some(dealt) = &self.state.dealt else {
            return Vec::new();
        };
        let now = match &self.state.phase {
            Phase::Open(openings) => &openings[..],
            _ => &[],
        };
        let step = self.step();
        let complete = dealt.openings.iter().map(|(step, due)| (*step, due));
        let all = complete.chain(now.iter().map(|due| (step, due)));
        all.filter_map(|(step, due)| {
            let part = self.part(step, due.opener)?;
            let said = Part::decode(&part.part, &self.state.shape).ok()?;
            let learners = due.cards.iter().map(|(_, learners)| *learners);
            let cards = said.opened().iter().cloned().zip(learners);
            // Another card may lie there since.
            let lies_there = |(card, _): &(CardOpening, Learners)| {
                let again = self.resealed(card.position.into());
                again.is_none_or(|(since, _)| since < step)
            };
            Some(SaidOpen {
                step,
                opener: due.opener,
                cards: cards.filter(lies_there).collect(),
            })
        })
        .collect()
    }

    /// Whether a seat may dispute what was opened to it in this step.
    pub(crate) fn may_dispute(&self, seat: Seat, step: u64) -> bool {
        disputable(&self.state, seat).any(|opened| opened == step)
    }

    /// Whether the seat may make this choice now.
    pub(crate) fn may_choose(&self, seat: Seat, choice: &Choice) -> Result<(), Foul> {
        match (self.phase(), &self.state.dealt) {
            (Phase::Choose { .. }, Some(dealt)) => judge::choose(dealt, seat, choice).map(drop),
            _ => Err(Foul::NotAsked),
        }
    }

    /// The seats that have opened cards to this one in a step of the hand in play: those against whom
    /// it disputes the step.
    pub fn openers(&self, step: u64, to: Seat) -> Vec<Seat> {
        let dealt = self.state.dealt.iter();
        let openings = dealt.flat_map(|dealt| openings_to(dealt, to));
        let opened = openings.filter(|(opened, _)| *opened == step);
        opened.map(|(_, opening)| opening.opener).collect()
    }

    /// The seals of the hand in play, in order of the seats.
    pub(crate) fn seals(&self) -> &[Seal] {
        self.state.dealt.as_ref().map_or(&[], |dealt| &dealt.seals)
    }

    /// The rules' view of the hand in play.
    pub fn game(&self) -> Option<&Hand> {
        self.state.dealt.as_ref().map(|dealt| &dealt.game)
    }

    /// Where the card at a position was sealed last, if that was not with the deck: the step of the
    /// choice for which a hand was shuffled again, and the place in that hand.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn resealed(&self, position: usize) -> Option<(u64, usize)> {
        let again = self.state.dealt.as_ref()?.resealed.get(position)?;
        again.as_ref().map(|again| again.place)
    }

    /// The step of the choice for which a hand is being shuffled again.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn stolen_in(&self) -> Option<u64> {
        match self.state.phase {
            Phase::Reseal(..) => Some(self.state.dealt.as_ref()?.chosen_in),
            _ => None,
        }
    }

    /// What the host has sealed anew, while the others have not.
    pub(crate) fn reseal(&self) -> Option<&Reseal> {
        self.state.dealt.as_ref()?.reseals.first()
    }

    /// What a seat has committed to, of the dice that are being revealed.
    pub(crate) fn dice_commitment(&self, seat: Seat) -> Option<Commitment> {
        let dealt = self.state.dealt.as_ref()?;
        dealt.commitments.get(seat.index()).copied()
    }

    /// The masked value of a card of the hand in play, once it is sealed.
    #[cfg(test)]
    pub(crate) fn masked(&self, position: usize) -> Option<u64> {
        self.state.dealt.as_ref()?.masked(position)
    }

    /// A seat's share of a card of the hand in play, once it was said.
    #[cfg(test)]
    pub(crate) fn share(&self, seat: Seat, position: usize) -> Option<u64> {
        self.state.dealt.as_ref()?.shares.of(seat, position)
    }

    /// A card of the hand in play that everybody can compute.
    pub fn public_card(&self, position: usize) -> Option<Card> {
        self.state.dealt.as_ref()?.card(position)
    }
}
