//! The judge of the parts of a verifiable deck.

use dealerless::verifiable::{
    BadKeys, Complaint, Context, Dealing, Keys, Partials, Receiver, Roster, Show,
};

use super::super::Turn;
use super::{Checked, VerifiableLog, due, slots};
use crate::log::foul::{PartFoul, require};
use crate::log::part::Part;
use crate::log::phase::Phase;

impl VerifiableLog {
    /// Checks a part. Returns what the check has verified. The turn, the kind and the encoding of
    /// the part are checked before.
    pub(in super::super) fn judge(
        &self,
        turn: &Turn<'_>,
        part: &Part,
    ) -> Result<Option<Checked>, PartFoul> {
        let (seat, of) = (turn.seat.index(), &turn.attempt.match_id);
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
                let (context, slots) = (self.context(turn)?, slots(openings, turn.seat));
                let hand = self.hand.as_ref().ok_or(PartFoul::OtherCards)?;
                let partials = Partials::verify(&context, &hand.decks, &slots, bytes);
                Ok(Some(Checked::Partials(
                    partials.map_err(PartFoul::Partials)?,
                )))
            }
            (Part::Show(bytes), Phase::Open(openings)) => {
                let (context, shown) = (self.context(turn)?, self.shown(openings, turn.seat));
                let decks = &self.hand.as_ref().ok_or(PartFoul::OtherCards)?.decks;
                let show = Show::verify(&context, decks, Receiver::All, &shown, bytes);
                let show = show.map_err(PartFoul::Show)?;
                let card = |(number, &(position, _)): (usize, &(usize, _))| {
                    Some((position, show.card(decks, number, &shown[number])?))
                };
                let cards = due(openings, turn.seat).iter().enumerate().map(card);
                // A verified show of a verified deck is always a card of the deck.
                let cards: Option<Vec<_>> = cards.collect();
                Ok(Some(Checked::Shown(cards.ok_or(PartFoul::OtherCards)?)))
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

    pub(super) fn context(&self, turn: &Turn<'_>) -> Result<Context<'_>, PartFoul> {
        let of = turn.attempt.match_id;
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
