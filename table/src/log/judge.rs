//! The judge of parts: whether a seat may sign a part in the current state, and how the part
//! changes the hand.

use super::deal::Deal;
use super::deck_log::Turn;
use super::foul::{PartFoul, require};
use super::part::{Part, PartKind};
use super::phase::Phase;
use super::state::{Dealt, State};
use crate::rules::{self, Choice, Hand};
use crate::seat::Seat;

/// A part that its seat may sign now.
pub(super) struct Judged {
    pub(super) part: Part,
    /// The hand after this part. `None` if only the complete step changes the hand.
    pub(super) after: Option<Box<Hand>>,
}

/// Judges an encoded part of a seat.
pub(super) fn judge(state: &State, seat: Seat, bytes: &[u8]) -> Result<Judged, PartFoul> {
    let is_its_turn = state.phase.signers(state.shape.seats).contains(&seat);
    require(is_its_turn, PartFoul::NotItsTurn)?;
    let part = Part::decode(bytes, &state.shape).map_err(|_| PartFoul::Malformed)?;
    let after = judge_part(state, seat, &part)?.map(Box::new);
    require(bytes.len() == state.size(seat), PartFoul::Malformed)?;
    Ok(Judged { part, after })
}

fn judge_part(state: &State, seat: Seat, part: &Part) -> Result<Option<Hand>, PartFoul> {
    let kind = part.kind();
    // The deck judges all disputes of a sealed hand, because it knows why a step cannot be
    // disputed.
    let is_dispute = kind == PartKind::Dispute && state.phase.is_sealed();
    require(
        is_dispute || kinds(state, seat).contains(&kind),
        PartFoul::Kind(kind),
    )?;
    match (part, &state.phase, &state.dealt) {
        (Part::Deal(deal), ..) => judge_deal(state, deal).map(|()| None),
        (Part::Move(choice), _, Some(dealt)) => {
            let after = choose(dealt, seat, choice);
            after.map(Some).map_err(PartFoul::Choice)
        }
        (Part::Result(stacks), Phase::Result(outcome), _) => {
            require(*stacks == outcome.stacks, PartFoul::Result).map(|()| None)
        }
        (Part::Leave, ..) => Ok(None),
        (_, phase, Some(dealt)) => {
            let turn = Turn {
                seat,
                phase,
                attempt: state.attempt(),
                game: &dealt.game,
            };
            state.deck.judge(&turn, part)
        }
        (_, _, None) => Err(PartFoul::Kind(kind)),
    }
}

/// The hand after a choice of this seat.
pub(super) fn choose(dealt: &Dealt, seat: Seat, choice: &Choice) -> Result<Hand, rules::Foul> {
    let mut after = dealt.game.clone();
    after.choose(seat, choice)?;
    Ok(after)
}

/// The kinds of parts that `seat` may sign now. Empty if it is not the seat's turn.
pub(super) fn kinds(state: &State, seat: Seat) -> Vec<PartKind> {
    if !state.phase.signers(state.shape.seats).contains(&seat) {
        return Vec::new();
    }
    let mut kinds: Vec<PartKind> = state.phase.kind().into_iter().collect();
    kinds.extend(state.deck.other_kinds(&state.phase, seat));
    kinds.push(PartKind::Leave);
    kinds
}

fn judge_deal(state: &State, deal: &Deal) -> Result<(), PartFoul> {
    let number = (deal.hand, deal.attempt) == (state.hand, state.deck.attempt());
    require(number, PartFoul::Number)?;
    let terms = deal.stakes == state.stakes_digest && state.deck.accepts(&deal.deck);
    require(terms, PartFoul::Terms)?;
    let mut seats = Seat::all(state.shape.seats).zip(&deal.rebuys);
    let may_rebuy = seats.all(|(seat, rebuy)| !rebuy || state.may_rebuy(seat));
    require(may_rebuy, PartFoul::Rebuy)?;
    let stacks = state.stacks_with(&deal.rebuys);
    require(deal.stacks == stacks, PartFoul::Stacks)?;
    let button = state.next_button(&stacks);
    require(Some(deal.button) == button, PartFoul::Button)
}
