//! The judge of the parts of a sealed deck, and the openings that a seat may dispute.

use dealerless::dice::{self, Dice, Reveal, Terms};

use super::super::Turn;
use super::opening::CardOpening;
use super::reseal::Reseal;
use super::{Deck, SealedLog};
use crate::log::foul::{PartFoul, require};
use crate::log::part::{Part, PartKind};
use crate::log::phase::{Opening, Phase};
use crate::rules::{Hand, Learners, Steal};
use crate::seat::Seat;

impl SealedLog {
    pub(in super::super) fn other_kinds(&self, phase: &Phase, seat: Seat) -> Vec<PartKind> {
        let mut kinds = Vec::new();
        if self.may_deal_again(phase) {
            kinds.push(PartKind::Again);
        }
        if let Phase::Reseal(..) = phase {
            kinds.push(PartKind::Void);
        }
        if phase.is_sealed() {
            kinds.push(PartKind::Forfeit);
            if self.disputable(phase, seat).next().is_some() {
                kinds.push(PartKind::Dispute);
            }
        }
        kinds
    }

    /// Whether the seat whose turn it is may declare the try void. Each seat may do this instead of
    /// its seal. The host seals before it has received the other seats' seals, so it may also do
    /// this instead of the first opening. In that step only the host opens cards, so nobody has
    /// seen a card yet.
    fn may_deal_again(&self, phase: &Phase) -> bool {
        match phase {
            Phase::Seal(_) => true,
            Phase::Open(_) => {
                let alone = phase.signers(self.seats) == [Seat::HOST];
                alone && self.deck.openings.is_empty()
            }
            _ => false,
        }
    }

    pub(in super::super) fn judge(
        &self,
        turn: &Turn<'_>,
        game: &Hand,
        part: &Part,
    ) -> Result<Option<Hand>, PartFoul> {
        match (part, turn.phase) {
            // Any commitment is allowed: the seat can only reveal the dice that it committed to.
            (Part::Again | Part::Commit(_) | Part::Forfeit, _) => Ok(()),
            (Part::Seal(seal), _) => require(
                seal.masked.is_some() == (turn.seat == Seat::HOST),
                PartFoul::Seal,
            ),
            (Part::Open(cards), Phase::Open(openings)) => self.judge_opening(turn, openings, cards),
            (Part::Reveal(reveal), &Phase::Reveal(dice)) => {
                self.judge_reveal(turn, game, dice, reveal)
            }
            (&Part::Dispute { step }, phase) => self.judge_dispute(phase, turn.seat, step),
            (Part::Void, _) => return reshuffled(game, false).map(Some),
            (Part::Reseal(reseal), Phase::Reseal(_, steal)) => {
                judge_reseal(turn.seat, steal, reseal)?;
                let is_last = self.is_last(turn.seat);
                return is_last.then(|| reshuffled(game, true)).transpose();
            }
            _ => Err(PartFoul::Kind(part.kind())),
        }
        .map(|()| None)
    }

    fn judge_opening(
        &self,
        turn: &Turn<'_>,
        openings: &[Opening],
        cards: &[CardOpening],
    ) -> Result<(), PartFoul> {
        let due = openings.iter().find(|opening| opening.opener == turn.seat);
        let due = due.into_iter().flat_map(|opening| &opening.cards);
        let opened = cards.iter().map(|card| usize::from(card.position));
        require(
            due.map(|&(position, _)| position).eq(opened),
            PartFoul::OtherCards,
        )?;
        for card in cards {
            let position = usize::from(card.position);
            let opens = self.deck.opens(turn, card);
            require(opens, PartFoul::Commitment(position))?;
        }
        Ok(())
    }

    fn judge_reveal(
        &self,
        turn: &Turn<'_>,
        game: &Hand,
        dice: Dice,
        reveal: &Reveal,
    ) -> Result<(), PartFoul> {
        let context = turn.attempt.dice_context();
        let terms = Terms {
            context: &context,
            number: game.rolls().into(),
            dice,
        };
        let commitment = self.deck.commitments.get(turn.seat.index());
        let commitment = commitment.ok_or(PartFoul::Dice(dice::Check::NotCommitted))?;
        let checked = reveal.check(&terms, turn.seat.number(), commitment);
        checked.map_err(PartFoul::Dice)
    }

    fn judge_dispute(&self, phase: &Phase, seat: Seat, step: u64) -> Result<(), PartFoul> {
        let opened = self.openings_to(seat).any(|(opened, _)| *opened == step);
        require(opened, PartFoul::NothingToDispute(step))?;
        let in_time = self.disputable(phase, seat).any(|opened| opened == step);
        require(in_time, PartFoul::LateDispute(step))
    }

    /// The steps whose openings the seat may dispute, the last one first. A seat may only dispute an
    /// opening until it has signed a later step: by continuing, the seat accepts the opening.
    pub(super) fn disputable(&self, phase: &Phase, seat: Seat) -> impl Iterator<Item = u64> {
        let since = self.deck.last_signed[seat.index()];
        let openings = self.openings_to(seat).filter(|_| phase.is_sealed());
        let steps = openings.map(|(step, _)| *step);
        steps.take_while(move |step| *step >= since)
    }

    /// The openings of this try in which another seat opened a card to `seat`, each with its step,
    /// the last one first.
    pub(super) fn openings_to(&self, seat: Seat) -> impl Iterator<Item = &(u64, Opening)> {
        let learns = move |to: Learners| to == Learners::All || to == Learners::Seat(seat);
        let to_seat = move |opening: &Opening| {
            opening.opener != seat && opening.cards.iter().any(|&(_, to)| learns(to))
        };
        let openings = self.deck.openings.iter().rev();
        openings.filter(move |(_, opening)| to_seat(opening))
    }
}

impl Deck {
    /// Whether `card` contains the share that the seat has committed to.
    fn opens(&self, turn: &Turn<'_>, card: &CardOpening) -> bool {
        let position = usize::from(card.position);
        let (of, seat) = (turn.attempt, turn.seat);
        let again = self.resealed.get(position).and_then(Option::as_ref);
        let (opens, commitment) = match again {
            Some(again) => (
                of.reseal_commitment(seat, again.place, card.share, &card.nonce),
                again.commitments.get(seat.index()),
            ),
            None => (
                of.share_commitment(seat, position, card.share, &card.nonce),
                self.seals[seat.index()].commitments.get(position),
            ),
        };
        commitment == Some(&opens)
    }
}

/// The hand after a reshuffle. `sealed` is true if all seats have resealed it, and false if a seat
/// has declared it void.
fn reshuffled(game: &Hand, sealed: bool) -> Result<Hand, PartFoul> {
    let mut after = game.clone();
    after.reshuffled(sealed).map_err(PartFoul::Choice)?;
    Ok(after)
}

fn judge_reseal(seat: Seat, steal: &Steal, reseal: &Reseal) -> Result<(), PartFoul> {
    let cards = steal.hand.len();
    let masked = if seat == Seat::HOST { cards } else { 0 };
    let fits = (reseal.masked.len(), reseal.commitments.len()) == (masked, cards);
    require(fits, PartFoul::Seal)
}
