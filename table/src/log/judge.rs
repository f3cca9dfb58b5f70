//! Whether a seat may say a part where the match stands.

use super::beyond_poker::Reseal;
use super::deal::{Deal, Seal};
use super::foul::PartFoul;
use super::part::{CardOpening, Part, PartKind};
use super::phase::Phase;
use super::state::{Dealt, State};
use crate::rules::{Choice, Edition, Learners, Opening, Steal};
use crate::seat::Seat;
use dealerless::dice::{self, Dice, Reveal, Terms};

/// Whether `seat`, whose turn it is, may say this.
pub(super) fn judge(state: &State, seat: Seat, part: &Part) -> Result<(), PartFoul> {
    let kind = part.kind();
    match (part, &state.dealt) {
        (Part::Dispute { step }, Some(dealt)) if state.phase.stands() => {
            return judge_dispute(state, dealt, seat, *step);
        }
        _ => require(kinds(state, seat).contains(&kind), PartFoul::Kind(kind))?,
    }
    match (part, &state.phase, &state.dealt) {
        (Part::Deal(deal), ..) => judge_deal(state, deal),
        (Part::Seal(seal), ..) => judge_seal(seat, seal),
        (Part::Open(cards), Phase::Open(openings), Some(dealt)) => {
            judge_opening(state, dealt, seat, openings, cards)
        }
        (Part::Move(choice), _, Some(dealt)) => judge_choice(dealt, seat, choice),
        (Part::Reseal(reseal), Phase::Reseal(_, steal), _) => judge_reseal(seat, steal, reseal),
        (Part::Reveal(reveal), &Phase::Reveal(dice), Some(dealt)) => {
            judge_reveal(state, dealt, seat, dice, reveal)
        }
        (Part::Result(stacks), Phase::Result(outcome), _) => {
            require(*stacks == outcome.stacks, PartFoul::Result)
        }
        // Whatever it commits to, it can reveal no dice but those.
        (Part::Again | Part::Void | Part::Commit(_) | Part::Leave | Part::Forfeit, ..) => Ok(()),
        _ => Err(PartFoul::Kind(kind)),
    }
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

fn judge_choice(dealt: &Dealt, seat: Seat, choice: &Choice) -> Result<(), PartFoul> {
    let mut after = dealt.game.clone();
    after.choose(seat, choice).map_err(PartFoul::Choice)
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
