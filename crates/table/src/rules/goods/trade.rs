//! Goods that change their owners: spent, offered and traded.

use super::{Due, Game, Good, Goods, GoodsChoice, Held, Offer, held_by};
use crate::rules::choice::Choice;
use crate::rules::foul::Foul;
use crate::seat::Seat;

impl Goods {
    /// Checks that a seat can give these goods.
    pub(super) fn check(&self, seat: Seat, give: &[Good]) -> Result<(), Foul> {
        let fits = (1..=GoodsChoice::MAX_LISTED).contains(&give.len());
        if !fits || !give.is_sorted_by(|a, b| a.position < b.position) {
            return Err(Foul::BadGoods);
        }
        for good in give {
            let held = self
                .good(good.position)
                .filter(|held| held.owner == Some(seat));
            let held = held.ok_or(Foul::NotHeld(good.position))?;
            if good.kind >= self.kinds {
                return Err(Foul::BadGoods);
            }
            if held.kind.is_some_and(|kind| kind != good.kind) {
                return Err(Foul::OtherKind(good.position));
            }
            if held.kind.is_none() && self.keeps_public(seat, good.kind, give) {
                return Err(Foul::PublicFirst(good.position));
            }
        }
        Ok(())
    }

    /// Whether a seat that gives these goods has another public one of this kind.
    fn keeps_public(&self, seat: Seat, kind: u8, give: &[Good]) -> bool {
        let first = self.first_good();
        let mut goods = self.goods.iter().enumerate();
        goods.any(|(number, good)| {
            let is_given = give
                .iter()
                .any(|given| usize::from(given.position) == first + number);
            (good.owner, good.kind) == (Some(seat), Some(kind)) && !is_given
        })
    }

    fn good(&self, position: u16) -> Option<&Held> {
        let number = usize::from(position).checked_sub(self.first_good())?;
        self.goods.get(number)
    }

    /// Hands goods of these seats over to their new owners. Returns the opening that follows, if some
    /// of them are hidden.
    pub(super) fn hand_over(&mut self, given: &[(Seat, &[Good], Option<Seat>)]) -> Due {
        let first = self.first_good();
        let mut claims = Vec::new();
        for &(seat, goods, to) in given {
            for &good in goods {
                let held = &mut self.goods[usize::from(good.position) - first];
                held.owner = to;
                if held.kind.is_none() {
                    claims.push((seat, good));
                }
            }
        }
        claims.sort_unstable_by_key(|(_, good)| good.position);
        match claims.is_empty() {
            true => Due::Nothing,
            false => Due::Claims(claims),
        }
    }

    pub(super) fn make_offer(&mut self, offer: &Offer) -> Result<(), Foul> {
        let takes = offer.take.len() <= GoodsChoice::MAX_LISTED
            && offer.take.is_sorted()
            && offer.take.iter().all(|&kind| kind < self.kinds);
        let is_other = self.is_live(offer.to) && offer.to != self.turn;
        if !takes || !is_other || self.offers == u32::MAX {
            return Err(Foul::BadGoods);
        }
        let only_asks = offer.give.is_empty() && !offer.take.is_empty();
        if !only_asks {
            self.check(self.turn, &offer.give)?;
        }
        self.offer = Some((self.turn, offer.clone()));
        self.offers += 1;
        Ok(())
    }

    /// The other seat answers the open offer.
    pub(super) fn answer(&mut self, by: Seat, offer: &Offer, choice: &Choice) -> Result<(), Foul> {
        let open = self.offers - 1;
        match choice {
            Choice::Refuse(number) if *number == open => self.last = None,
            Choice::Refuse(number) | Choice::Goods(GoodsChoice::Agree { number, .. })
                if *number != open =>
            {
                return Err(Foul::NoSuchOffer(*number));
            }
            Choice::Goods(GoodsChoice::Agree { give, .. }) => {
                let mut kinds: Vec<u8> = give.iter().map(|good| good.kind).collect();
                kinds.sort_unstable();
                if kinds != offer.take {
                    return Err(Foul::BadGoods);
                }
                if !give.is_empty() {
                    self.check(offer.to, give)?;
                }
                let after = |seat, given: &[Good], taken: &[Good]| {
                    held_by(&self.goods, seat) - given.len() + taken.len() <= Game::MAX_HELD
                };
                if !after(by, &offer.give, give) || !after(offer.to, give, &offer.give) {
                    return Err(Foul::TooManyGoods);
                }
                let given = [
                    (by, &offer.give[..], Some(offer.to)),
                    (offer.to, &give[..], Some(by)),
                ];
                (self.last, self.due) = (None, self.hand_over(&given));
            }
            _ => return Err(Foul::WrongKind),
        }
        self.offer = None;
        Ok(())
    }
}
