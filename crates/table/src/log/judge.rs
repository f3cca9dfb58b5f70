//! The judge of parts: whether a seat may sign a part in the current state, and how the part
//! changes the hand.

use super::deal::Deal;
use super::deck_log::{Checked, Turn, Verdict};
use super::foul::{PartFoul, require};
use super::part::{AfterHand, Part, PartKind};
use super::phase::Phase;
use super::state::{Dealt, State};
use crate::rules::{self, Choice, Hand, Stakes};
use crate::seat::Seat;

/// A part that its seat may sign now.
pub(super) struct Judged {
    pub(super) part: Part,
    /// The hand after this part. `None` if only the complete step changes the hand.
    pub(super) after: Option<Box<Hand>>,
    /// What the check of a part of the deck has verified.
    pub(super) checked: Option<Checked>,
}

/// The step in which a part is signed.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) step: u64,
    /// The hash of all earlier steps.
    pub(super) before: [u8; 32],
}

/// Judges an encoded part of a seat in the current step.
pub(super) fn judge(
    state: &State,
    place: Place,
    seat: Seat,
    bytes: &[u8],
) -> Result<Judged, PartFoul> {
    let is_its_turn = state.signers().contains(&seat);
    require(is_its_turn, PartFoul::NotItsTurn)?;
    let part = Part::decode(bytes, &state.shape).map_err(|_| PartFoul::Malformed)?;
    let Verdict { after, checked } = judge_part(state, place, seat, &part)?;
    require(bytes.len() == state.size(seat), PartFoul::Malformed)?;
    Ok(Judged {
        part,
        after: after.map(Box::new),
        checked,
    })
}

fn judge_part(state: &State, place: Place, seat: Seat, part: &Part) -> Result<Verdict, PartFoul> {
    let kind = part.kind();
    // The deck judges all disputes of a sealed hand, because it knows why a step cannot be
    // disputed.
    let is_dispute = kind == PartKind::Dispute && state.phase.is_sealed();
    require(
        is_dispute || kinds(state, seat).contains(&kind),
        PartFoul::Kind(kind),
    )?;
    match (part, &state.phase, &state.dealt) {
        (Part::Deal(deal), ..) => judge_deal(state, deal)?,
        (Part::Move(choice), _, Some(dealt)) => {
            let after = choose(dealt, seat, choice).map_err(PartFoul::Choice)?;
            return Ok(Verdict {
                after: Some(after),
                checked: None,
            });
        }
        (Part::Result { stacks, next, buy }, Phase::Result(outcome), _) => {
            require(*stacks == outcome.stacks, PartFoul::Result)?;
            let stays = *next != AfterHand::Leave && state.stakes.betting().is_some();
            let may_buy = stays && *buy <= Stakes::MAX_STACK;
            require(*buy == 0 || may_buy, PartFoul::Buy)?;
        }
        (Part::Leave, ..) => {}
        (_, phase, dealt) => {
            let turn = Turn {
                seat,
                phase,
                attempt: state.attempt(),
                step: place.step,
                before: place.before,
            };
            let game = dealt.as_ref().map(|dealt| &dealt.game);
            return state.deck.judge(&turn, game, part);
        }
    }
    Ok(Verdict::default())
}

/// The hand after a choice of this seat.
pub(super) fn choose(dealt: &Dealt, seat: Seat, choice: &Choice) -> Result<Hand, rules::Foul> {
    let mut after = dealt.game.clone();
    after.choose(seat, choice)?;
    Ok(after)
}

/// The kinds of parts that `seat` may sign now. Empty if it is not the seat's turn.
pub(super) fn kinds(state: &State, seat: Seat) -> Vec<PartKind> {
    if !state.signers().contains(&seat) {
        return Vec::new();
    }
    let mut kinds: Vec<PartKind> = state.deck.kind(&state.phase, seat).into_iter().collect();
    kinds.extend(state.deck.other_kinds(&state.phase, seat));
    if state.deck.may_leave(&state.phase) {
        kinds.push(PartKind::Leave);
    }
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
    require(deal.button == state.next_button(&stacks), PartFoul::Button)
}
