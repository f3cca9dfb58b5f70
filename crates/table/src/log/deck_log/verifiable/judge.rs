//! The judge of the parts of a verifiable deck.

use dealerless::verifiable::{
    BadKeys, BadShuffle, Complaint, Context, Dealing, Goods, Keys, Partials, Roster, Show,
};

use super::super::Turn;
use super::layout::receiver;
use super::{Checked, VerifiableLog, due};
use crate::log::foul::{PartFoul, require};
use crate::log::part::Part;
use crate::log::phase::Phase;
use crate::rules::Learners;

impl VerifiableLog {
    /// Checks a part. Returns what the check has verified. The turn, the kind and the encoding of
    /// the part are checked before.
    pub(in super::super) fn judge(
        &self,
        turn: &Turn<'_>,
        part: &Part,
    ) -> Result<Option<Checked>, PartFoul> {
        let (seat, of) = (turn.seat.index(), turn.attempt.match_id.as_bytes());
        match (part, turn.phase) {
            (Part::Keys(bytes), _) => {
                let keys = Keys::verify(of, seat, bytes).map_err(PartFoul::Keys)?;
                Ok(Some(Checked::Keys(Box::new(keys))))
            }
            (Part::KeyDealing(bytes), _) => {
                let dealing = Dealing::verify(of, self.seats, &self.keys, seat, bytes);
                Ok(Some(Checked::Dealing(dealing.map_err(PartFoul::Keys)?)))
            }
            (Part::Fine, _) => Ok(None),
            (Part::Complain(bytes), _) => {
                let (keys, dealings) = (&self.keys, &self.dealings);
                let at_fault = Complaint::verify(of, self.seats, keys, dealings, seat, bytes);
                let at_fault = at_fault.map_err(PartFoul::Keys)?;
                require(at_fault != seat, PartFoul::FalseComplaint).map(|()| None)
            }
            (Part::Shuffle(bytes), _) => {
                let context = self.context(turn)?;
                let deck = self.deck.verify_shuffle(&context, bytes);
                Ok(Some(Checked::Shuffle(deck.map_err(PartFoul::Shuffle)?)))
            }
            (Part::Partials(bytes), Phase::Open(openings)) => {
                let (context, slots) = (self.context(turn)?, self.slots(openings, turn.seat));
                let hand = self.hand.as_ref().ok_or(PartFoul::OtherCards)?;
                let partials = Partials::verify(&context, &hand.decks, &slots, bytes);
                Ok(Some(Checked::Partials(
                    partials.map_err(PartFoul::Partials)?,
                )))
            }
            (Part::Show(bytes), Phase::Open(openings)) => {
                let (context, shown) = (self.context(turn)?, self.shown(openings, turn.seat));
                let to = self.shown_to(openings, turn.seat);
                let to = to.ok_or(PartFoul::Kind(part.kind()))?;
                let decks = &self.hand.as_ref().ok_or(PartFoul::OtherCards)?.decks;
                let show = Show::verify(&context, decks, receiver(to), &shown, bytes);
                let show = show.map_err(PartFoul::Show)?;
                let positions = due(openings, turn.seat)
                    .iter()
                    .map(|&(position, _)| position);
                if let Learners::Seat(seat) = to {
                    let positions = positions.collect();
                    return Ok(Some(Checked::ShownTo(seat, positions, show, shown)));
                }
                let card = |(number, position): (usize, usize)| {
                    let card = show.card(decks, number, &shown[number])?;
                    let slot = self.layout.slot(position, to);
                    Some((position, self.layout.card(&slot, card)))
                };
                // A verified show of a verified deck is always a card of the deck.
                let cards: Option<Vec<_>> = positions.enumerate().map(card).collect();
                Ok(Some(Checked::Shown(cards.ok_or(PartFoul::OtherCards)?)))
            }
            (Part::Mix(bytes), Phase::Mix { positions, .. }) => {
                let bad = PartFoul::Mix(BadShuffle::Places);
                let goods = self.goods().ok_or(bad)?;
                let context = self.mix_context(turn)?;
                let mixed = goods.verify_mix(&context, &self.numbers(positions), bytes);
                Ok(Some(Checked::Mix {
                    goods: mixed.map_err(PartFoul::Mix)?,
                    before: turn.before,
                }))
            }
            (Part::Key(share), _) => {
                require(self.roster()?.is_share(seat, share), PartFoul::Share)?;
                Ok(Some(Checked::Share(*share)))
            }
            _ => Err(PartFoul::Kind(part.kind())),
        }
    }

    fn roster(&self) -> Result<&Roster, PartFoul> {
        let roster = self.roster.as_deref();
        roster.ok_or(PartFoul::Keys(BadKeys::Seats))
    }

    fn goods(&self) -> Option<&Goods> {
        self.hand.as_ref()?.goods.as_ref()
    }

    /// The context of a mix of goods.
    pub(super) fn mix_context(&self, turn: &Turn<'_>) -> Result<Context<'_>, PartFoul> {
        Ok(Context {
            deck: self.layout.goods_deck() as u64,
            ..self.context(turn)?
        })
    }

    pub(super) fn context(&self, turn: &Turn<'_>) -> Result<Context<'_>, PartFoul> {
        let of = *turn.attempt.match_id.as_bytes();
        Ok(Context {
            roster: self.roster()?,
            match_id: of,
            chain: of,
            hand: turn.attempt.hand.into(),
            deck: 0,
            step: turn.step,
            before: turn.before,
            seat: turn.seat.index(),
        })
    }
}
