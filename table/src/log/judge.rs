//! Whether a seat may sign a part where the match stands, and what the rules make of it.

use super::beyond_poker::Reseal;
use super::deal::{Deal, Seal};
use super::foul::PartFoul;
use super::part::{CardOpening, Part, PartKind};
use super::phase::Phase;
use super::state::{Dealt, State};
use crate::rules::{self, Choice, Edition, Hand, Learners, Opening, Steal};
use crate::seat::Seat;
use dealerless::dice::{self, Dice, Reveal, Terms};

/// A part that its seat may sign now.
pub(super) struct Judged {
    pub(super) part: Part,
    /// The hand after this part; `None` if only the complete step changes the hand.
    pub(super) after: Option<Box<Hand>>,
}

/// Judges the encoded part of a seat.
pub(super) fn judge(state: &State, seat: Seat, bytes: &[u8]) -> Result<Judged, PartFoul> {
    let is_its_turn = state.phase.speakers(state.shape.seats).contains(&seat);
    require(is_its_turn, PartFoul::NotItsTurn)?;
    let part = Part::decode(bytes, &state.shape).map_err(|_| PartFoul::Malformed)?;
    let after = judge_part(state, seat, &part)?.map(Box::new);
    require(bytes.len() == state.size(seat), PartFoul::Malformed)?;
    Ok(Judged { part, after })
}

fn judge_part(state: &State, seat: Seat, part: &Part) -> Result<Option<Hand>, PartFoul> {
    let kind = part.kind();
    match (part, &state.dealt) {
        (Part::Dispute { step }, Some(dealt)) if state.phase.stands() => {
            return judge_dispute(state, dealt, seat, *step).map(|()| None);
        }
        _ => require(kinds(state, seat).contains(&kind), PartFoul::Kind(kind))?,
    }
    match (part, &state.phase, &state.dealt) {
        (Part::Move(choice), _, Some(dealt)) => {
            return choose(dealt, seat, choice)
                .map(Some)
                .map_err(PartFoul::Choice);
        }
        (Part::Void, _, Some(dealt)) => return reshuffled(dealt, false).map(Some),
        (Part::Reseal(reseal), Phase::Reseal(_, steal), Some(dealt)) => {
            judge_reseal(seat, steal, reseal)?;
            let is_last = seat.index() + 1 == state.shape.seats;
            return is_last.then(|| reshuffled(dealt, true)).transpose();
        }
        (Part::Deal(deal), ..) => judge_deal(state, deal),
        (Part::Seal(seal), ..) => judge_seal(seat, seal),
        (Part::Open(cards), Phase::Open(openings), Some(dealt)) => {
            judge_opening(state, dealt, seat, openings, cards)
        }
        (Part::Reveal(reveal), &Phase::Reveal(dice), Some(dealt)) => {
            judge_reveal(state, dealt, seat, dice, reveal)
        }
        (Part::Result(stacks), Phase::Result(outcome), _) => {
            require(*stacks == outcome.stacks, PartFoul::Result)
        }
        // Whatever it commits to, it can reveal no dice but those.
        (Part::Again | Part::Commit(_) | Part::Leave | Part::Forfeit, ..) => Ok(()),
        _ => Err(PartFoul::Kind(kind)),
    }
    .map(|()| None)
}

/// The hand after a choice of this seat.
pub(super) fn choose(dealt: &Dealt, seat: Seat, choice: &Choice) -> Result<Hand, rules::Foul> {
    let mut after = dealt.game.clone();
    after.choose(seat, choice)?;
    Ok(after)
}

/// The hand after a reshuffle that all seats have sealed, or that one seat has declared void.
fn reshuffled(dealt: &Dealt, sealed: bool) -> Result<Hand, PartFoul> {
    let mut after = dealt.game.clone();
    after.reshuffled(sealed).map_err(PartFoul::Choice)?;
    Ok(after)
}

/// The kinds of parts that `seat` may say now: none if it is not its turn.
pub(super) fn kinds(state: &State, seat: Seat) -> Vec<PartKind> {
    if !state.phase.speakers(state.shape.seats).contains(&seat) {
        return Vec::new();
    }
    let mut kinds: Vec<PartKind> = state.phase.kind().into_iter().collect();
    if state.may_deal_again() {
        kinds.push(PartKind::Again);
    }
    if let Phase::Reseal(..) = state.phase {
        kinds.push(PartKind::Void);
    }
    if state.phase.stands() {
        kinds.push(PartKind::Forfeit);
        if disputable(state, seat).next().is_some() {
            kinds.push(PartKind::Dispute);
        }
    }
    kinds.push(PartKind::Leave);
    kinds
}

fn require(allowed: bool, foul: PartFoul) -> Result<(), PartFoul> {
    if allowed { Ok(()) } else { Err(foul) }
}

fn judge_deal(state: &State, deal: &Deal) -> Result<(), PartFoul> {
    let number = (deal.hand, deal.attempt) == (state.hand, state.attempt);
    require(number, PartFoul::Number)?;
    let terms = (deal.stakes, deal.circuit) == (state.stakes_digest, state.circuit);
    require(terms, PartFoul::Terms)?;
    let mut seats = Seat::all(state.shape.seats).zip(&deal.rebuys);
    let may_rebuy = seats.all(|(seat, rebuy)| !rebuy || state.may_rebuy(seat));
    require(may_rebuy, PartFoul::Rebuy)?;
    let stacks = state.stacks_with(&deal.rebuys);
    require(deal.stacks == stacks, PartFoul::Stacks)?;
    let button = state.next_button(&stacks);
    require(Some(deal.button) == button, PartFoul::Button)
}

fn judge_seal(seat: Seat, seal: &Seal) -> Result<(), PartFoul> {
    require(
        seal.masked.is_some() == (seat == Seat::HOST),
        PartFoul::Seal,
    )
}

fn judge_reseal(seat: Seat, steal: &Steal, reseal: &Reseal) -> Result<(), PartFoul> {
    let cards = steal.hand.len();
    let masked = if seat == Seat::HOST { cards } else { 0 };
    let fits = (reseal.masked.len(), reseal.commitments.len()) == (masked, cards);
    require(fits, PartFoul::Seal)
}

fn judge_opening(
    state: &State,
    dealt: &Dealt,
    seat: Seat,
    openings: &[Opening],
    cards: &[CardOpening],
) -> Result<(), PartFoul> {
    let due = openings.iter().find(|opening| opening.opener == seat);
    let due = due.into_iter().flat_map(|opening| &opening.cards);
    let opened = cards.iter().map(|card| usize::from(card.position));
    require(
        due.map(|&(position, _)| position).eq(opened),
        PartFoul::OtherCards,
    )?;
    let commitments = &dealt.seals[seat.index()].commitments;
    for card in cards {
        let position = usize::from(card.position);
        let (of, share, nonce) = (state.attempt(), card.share, &card.nonce);
        let again = dealt.resealed.get(position).and_then(Option::as_ref);
        let opens = match again {
            Some(again) => of.reseal_commitment(seat, again.place, share, nonce),
            None => of.share_commitment(seat, position, share, nonce),
        };
        let commitment = match again {
            Some(again) => again.commitments.get(seat.index()),
            None => commitments.get(position),
        };
        require(commitment == Some(&opens), PartFoul::Commitment(position))?;
    }
    Ok(())
}

fn judge_reveal(
    state: &State,
    dealt: &Dealt,
    seat: Seat,
    dice: Dice,
    reveal: &Reveal,
) -> Result<(), PartFoul> {
    let context = state.attempt().dice_context();
    let terms = Terms {
        context: &context,
        number: dealt.game.rolls().into(),
        dice,
    };
    let commitment = dealt.commitments.get(seat.index());
    let commitment = commitment.ok_or(PartFoul::Dice(dice::Check::NotCommitted))?;
    let checked = reveal.check(&terms, seat.number(), commitment);
    checked.map_err(PartFoul::Dice)
}

fn judge_dispute(state: &State, dealt: &Dealt, seat: Seat, step: u64) -> Result<(), PartFoul> {
    let opened = openings_to(dealt, seat).any(|(opened, _)| *opened == step);
    require(opened, PartFoul::NothingToDispute(step))?;
    let in_time = disputable(state, seat).any(|opened| opened == step);
    require(in_time, PartFoul::LateDispute(step))
}

/// The steps whose openings the seat may dispute, the last one first. From edition 3 on it has said
/// nothing in a later step: once it has gone on, it keeps to what it has seen.
pub(super) fn disputable(state: &State, seat: Seat) -> impl Iterator<Item = u64> {
    let dealt = state.dealt.iter().filter(|_| state.phase.stands());
    dealt.flat_map(move |dealt| {
        let since = match state.edition {
            Edition::Two => 0,
            Edition::Three => dealt.spoke_in[seat.index()],
        };
        let openings = openings_to(dealt, seat).map(|(step, _)| *step);
        openings.take_while(move |step| *step >= since)
    })
}

/// What other seats have opened to this one in this try, with the steps, the last one first.
pub(super) fn openings_to(dealt: &Dealt, seat: Seat) -> impl Iterator<Item = &(u64, Opening)> {
    let learns = move |to: Learners| to == Learners::All || to == Learners::Seat(seat);
    let to_seat = move |opening: &Opening| {
        opening.opener != seat && opening.cards.iter().any(|&(_, to)| learns(to))
    };
    let openings = dealt.openings.iter().rev();
    openings.filter(move |(_, opening)| to_seat(opening))
}
