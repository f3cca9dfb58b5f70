//! The verifiable deck: each seat shuffles in turn, with a proof that anybody can check.
//!
//! At the start of a match, the seats make its keys in three steps of all seats. In each hand, every
//! seat that has not left shuffles the deck. Cards are opened by partial decryptions of all seats,
//! and a seat shows a card that was opened to it alone without the others. The crypto is in
//! [`dealerless::verifiable`]; this module keeps its results, and names who opens which card.

mod asked;
mod goods;
mod judge;
mod layout;
mod sizes;

use std::collections::BTreeMap;
use std::sync::Arc;

use dealerless::deck::Card;
use dealerless::verifiable::{
    Dealing, Decks, Goods, Keys, Partial, Partials, Receiver, Roster, Seats, Show, Shown, Slot,
    VerifiedDeck, openers,
};

use super::Completed;
use crate::log::ahead_chain::{AheadChain, Head};
use crate::log::deal::DealInput;
use crate::log::part::{Part, PartKind};
use crate::log::phase::Opening;
use crate::log::phase::{End, Phase};
use crate::log::players::MatchId;
use crate::rules::{Learners, Stakes};
use crate::seat::Seat;
pub(crate) use asked::{DeckNow, Opens};
pub(crate) use goods::KnownGoods;
use goods::Trail;
use layout::Layout;
pub(in crate::log) use sizes::VerifiableSizes;

/// The verifiable decks of a match.
#[derive(Clone)]
pub(in crate::log) struct VerifiableLog {
    match_id: MatchId,
    seats: Seats,
    layout: Layout,
    /// The number of the hand that is played now or dealt next, counted from 1.
    number: u64,
    /// The results of the checks of the parts in the current step, in order of the seats.
    checked: Vec<(Seat, Checked)>,
    keys: Vec<Keys>,
    dealings: Vec<Dealing>,
    /// The public keys of the match, once the seats have made them.
    roster: Option<Arc<Roster>>,
    /// The seats that have left.
    gone: Vec<Seat>,
    /// The published shares of the secret of the deck's key, by seat.
    shares: Vec<Option<[u8; 32]>>,
    /// The decks after the shuffles so far.
    deck: Decks,
    /// The decks of the hand, once all seats have shuffled them.
    hand: Option<Box<HandDeck>>,
    /// The shuffles for the next hand.
    pub(in crate::log) ahead: Option<Box<AheadChain>>,
    /// The chains for the next hand that are void because a seat is gone.
    pub(in crate::log) dropped: Vec<Head>,
}

/// The decks of a hand after the last shuffle.
#[derive(Clone)]
struct HandDeck {
    /// The decks, with the goods as they are now.
    decks: Decks,
    /// The goods, if the game has goods.
    goods: Option<Goods>,
    /// What hid goods, or showed hidden ones to one seat, in order: each seat computes from it the
    /// goods that it knows.
    trail: Vec<Trail>,
    /// The cards that a seat has shown to another seat alone, by position and that seat.
    shown: BTreeMap<(usize, Seat), ShownCard>,
    /// The first step after the last shuffle.
    since: u64,
    /// The partials of each slot, by step and then by seat.
    partials: BTreeMap<Slot, Vec<Partial>>,
    /// The cards and goods that all seats see.
    open: BTreeMap<usize, Card>,
}

/// A card that a seat has shown to another seat alone.
#[derive(Clone)]
struct ShownCard {
    show: Arc<Show>,
    /// The number of the card in the show.
    number: usize,
    card: Shown,
}

/// The result of the check of a part.
#[derive(Clone)]
pub(in crate::log) enum Checked {
    Keys(Box<Keys>),
    Dealing(Dealing),
    Shuffle(Decks),
    Partials(Partials),
    Shown(Vec<(usize, Card)>),
    /// Cards at these positions, shown to one seat.
    ShownTo(Seat, Vec<usize>, Show, Vec<Shown>),
    /// The goods after a mix, and the hash of all steps before it.
    Mix {
        goods: Goods,
        before: [u8; 32],
    },
    Share([u8; 32]),
}

impl std::fmt::Debug for VerifiableLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VerifiableLog").finish_non_exhaustive()
    }
}

impl VerifiableLog {
    pub(super) fn new(match_id: MatchId, seats: Seats, stakes: &Stakes) -> Self {
        let layout = Layout::new(stakes);
        VerifiableLog {
            match_id,
            deck: start(&layout),
            layout,
            number: 1,
            checked: Vec::new(),
            keys: Vec::new(),
            dealings: Vec::new(),
            roster: None,
            gone: Vec::new(),
            shares: vec![None; seats.count()],
            hand: None,
            ahead: None,
            dropped: Vec::new(),
            seats,
        }
    }

    /// Keeps the result of the check of an accepted part until the step is complete.
    pub(in crate::log) fn keep(&mut self, seat: Seat, checked: Checked) {
        let at = self.checked.partition_point(|(other, _)| *other < seat);
        self.checked.insert(at, (seat, checked));
    }

    fn is_live(&self, seat: Seat) -> bool {
        !self.gone.contains(&seat)
    }

    fn live(&self) -> impl Iterator<Item = Seat> {
        Seat::all(self.seats.count()).filter(|seat| self.is_live(*seat))
    }

    /// Starts the shuffles of a hand. `None` if all deals name the end of the ahead chain, whose deck
    /// is then the deck of the hand.
    pub(super) fn deal(&mut self, step: u64, inputs: &[DealInput]) -> Option<Phase> {
        self.hand = None;
        self.dropped.clear();
        let chain = self.ahead.take().map(|chain| *chain);
        let is_named = |chain: &AheadChain| {
            let ends = inputs.iter().map(DealInput::end);
            chain.is_whole() && ends.into_iter().all(|end| end == Some(chain.hash))
        };
        if let Some(chain) = chain.filter(is_named) {
            self.deck = chain.deck;
            self.use_deck(step);
            return None;
        }
        self.deck = start(&self.layout);
        Some(self.shuffle_from(Seat::HOST).unwrap_or(Phase::Deal))
    }

    /// Begins the ahead chain of the next hand.
    pub(in crate::log) fn begin_ahead(&mut self, head: Head) {
        let (seats, start) = (self.live().collect(), start(&self.layout));
        let chain = AheadChain::new(&self.match_id, head, seats, start);
        self.ahead = Some(Box::new(chain));
    }

    /// Drops the ahead chain of the next hand.
    pub(in crate::log) fn drop_ahead(&mut self) {
        self.ahead = None;
    }

    /// The decks after the last shuffle, made in this step, are those of the hand.
    fn use_deck(&mut self, step: u64) {
        let goods = self.layout.goods.as_ref().map(Goods::new);
        self.hand = Some(Box::new(HandDeck {
            decks: self.decks_with(goods.as_ref()),
            goods,
            trail: Vec::new(),
            shown: BTreeMap::new(),
            since: step + 1,
            partials: BTreeMap::new(),
            open: BTreeMap::new(),
        }));
    }

    /// The shuffle of the first seat that has not left, from `seat` on.
    fn shuffle_from(&self, seat: Seat) -> Option<Phase> {
        self.live().find(|live| *live >= seat).map(Phase::Shuffle)
    }

    /// The openings of these cards. A card that one seat has seen is shown to all by that seat. Any
    /// other card is opened by the seats of [`openers`].
    pub(super) fn open(&self, cards: &[(usize, Learners)]) -> Phase {
        let mut due: BTreeMap<Seat, Vec<(usize, Learners)>> = BTreeMap::new();
        for &(position, to) in cards {
            for seat in self.openers(position, to) {
                due.entry(seat).or_default().push((position, to));
            }
        }
        let openings = due.into_iter();
        Phase::Open(
            openings
                .map(|(opener, cards)| Opening { opener, cards })
                .collect(),
        )
    }

    fn openers(&self, position: usize, to: Learners) -> Vec<Seat> {
        if let Some(owner) = self
            .owner(position)
            .filter(|&owner| to != Learners::Seat(owner))
        {
            return if self.is_shown(position, to) {
                Vec::new()
            } else {
                vec![owner]
            };
        }
        let slot = self.layout.slot(position, to);
        let given = self.partials(&slot);
        let gave = |seat| given.iter().any(|partial| partial.seat() == seat);
        let live = |seat| self.is_live(Seat::new(seat as u8));
        let seats = openers(self.seats, &slot, live, gave).into_iter();
        seats.map(|seat| Seat::new(seat as u8)).collect()
    }

    /// Whether the seat to which a card was opened alone has shown it to these seats.
    fn is_shown(&self, position: usize, to: Learners) -> bool {
        match to {
            Learners::All => self.card(position).is_some(),
            Learners::Seat(seat) => {
                let shown = self.hand.as_ref().map(|hand| &hand.shown);
                shown.is_some_and(|shown| shown.contains_key(&(position, seat)))
            }
        }
    }

    /// The seat to which the card at a position was opened alone. A good can have another owner since,
    /// so it is opened by partials only.
    fn owner(&self, position: usize) -> Option<Seat> {
        let hand = self
            .hand
            .as_ref()
            .filter(|_| !self.layout.is_good(position))?;
        let mut given = hand.partials.range(self.layout.slots(position));
        given.find_map(|(slot, _)| match slot.receiver {
            Receiver::Seat(seat) => Some(Seat::new(seat as u8)),
            Receiver::All => None,
        })
    }

    /// The partials of a slot: first those that were signed, by step and then by seat, then those
    /// computed from published shares.
    fn partials(&self, slot: &Slot) -> Vec<Partial> {
        let (Some(hand), Some(roster)) = (&self.hand, &self.roster) else {
            return Vec::new();
        };
        let mut partials = hand.partials.get(slot).cloned().unwrap_or_default();
        for (seat, share) in self.shares.iter().enumerate() {
            let gave = partials.iter().any(|partial| partial.seat() == seat);
            if let (Some(share), false) = (share, gave || slot.receiver == Receiver::Seat(seat)) {
                partials.extend(Partial::published(roster, &hand.decks, slot, seat, share));
            }
        }
        partials
    }

    /// The slots that `seat` opens, in order.
    fn slots(&self, openings: &[Opening], seat: Seat) -> Vec<Slot> {
        let due = due(openings, seat).iter();
        due.map(|&(position, to)| self.layout.slot(position, to))
            .collect()
    }

    /// The kind of part with which `seat` opens these cards.
    pub(super) fn kind(&self, openings: &[Opening], seat: Seat) -> PartKind {
        match self.shown_to(openings, seat) {
            Some(_) => PartKind::Show,
            None => PartKind::Partials,
        }
    }

    /// The seats to which `seat` shows cards that only it has seen. `None` if it shows none.
    fn shown_to(&self, openings: &[Opening], seat: Seat) -> Option<Learners> {
        let mut cards = due(openings, seat).iter();
        cards.find_map(|&(position, to)| {
            let is_own = self.owner(position) == Some(seat) && to != Learners::Seat(seat);
            is_own.then_some(to)
        })
    }

    /// The cards that a seat shows in this opening, with the partials that opened them to it.
    fn shown(&self, openings: &[Opening], seat: Seat) -> Vec<Shown> {
        let shown = |&(position, _): &(usize, Learners)| {
            let slot = self.layout.slot(position, Learners::Seat(seat));
            Shown {
                deck: slot.deck,
                position: slot.position,
                partials: self.partials(&slot),
            }
        };
        due(openings, seat).iter().map(shown).collect()
    }

    /// Updates the deck after a complete step. In a step that a roll call has ended, `parts` can lack
    /// parts that were due; these are due again.
    pub(super) fn complete(
        &mut self,
        step: u64,
        phase: Phase,
        parts: &[(Seat, Part)],
    ) -> Completed {
        let mut checked = std::mem::take(&mut self.checked);
        checked.retain(|(seat, _)| parts.iter().any(|(other, _)| other == seat));
        match phase {
            Phase::Keys => {
                let keys = checked
                    .into_iter()
                    .filter_map(|(_, checked)| match checked {
                        Checked::Keys(keys) => Some(*keys),
                        _ => None,
                    });
                self.keys = keys.collect();
                Completed::Next(Phase::KeyDealing)
            }
            Phase::KeyDealing => {
                let dealings = checked
                    .into_iter()
                    .filter_map(|(_, checked)| match checked {
                        Checked::Dealing(dealing) => Some(dealing),
                        _ => None,
                    });
                self.dealings = dealings.collect();
                Completed::Next(Phase::Complaints)
            }
            Phase::Complaints => Completed::Next(self.make_roster()),
            Phase::Shuffle(seat) => {
                let next = match checked.into_iter().next() {
                    Some((_, Checked::Shuffle(deck))) => {
                        self.deck = deck;
                        Seat::new(seat.number() + 1)
                    }
                    _ => seat,
                };
                if let Some(next) = self.shuffle_from(next) {
                    return Completed::Next(next);
                }
                self.use_deck(step);
                Completed::Ready
            }
            Phase::Open(_) => {
                self.add_openings(checked);
                Completed::Ready
            }
            Phase::Mix { seat, positions } => match checked.into_iter().next() {
                Some((_, Checked::Mix { goods, before })) => {
                    self.mixed(step, seat, positions, goods, before);
                    Completed::Mixed
                }
                _ => Completed::Ready,
            },
            Phase::Key(seat) => {
                if let Some((_, Checked::Share(share))) = checked.into_iter().next() {
                    self.shares[seat.index()] = Some(share);
                }
                self.gone.push(seat);
                Completed::Ready
            }
            phase => Completed::Next(phase),
        }
    }

    /// Makes the public keys of the match, after all seats have confirmed their shares.
    fn make_roster(&mut self) -> Phase {
        let of = self.match_id.as_bytes();
        let roster = Roster::new(of, self.seats, &self.keys, &self.dealings);
        self.roster = roster.map(Arc::new);
        match self.roster {
            Some(_) => Phase::Deal,
            None => Phase::Over(End::NoKeys),
        }
    }

    /// Forgets the dealings, so that there are no keys. Dealings that add up to the identity have the same
    /// effect. Only seats that know each other's secrets can make them.
    #[cfg(test)]
    pub(in crate::log) fn forget_dealings(&mut self) {
        self.dealings.clear();
    }

    /// Adds what the seats opened in a step.
    fn add_openings(&mut self, checked: Vec<(Seat, Checked)>) {
        let Some(hand) = &mut self.hand else {
            return;
        };
        for (_, checked) in checked {
            match checked {
                Checked::Partials(partials) => {
                    for (slot, partial) in partials.iter() {
                        hand.partials.entry(*slot).or_default().push(*partial);
                    }
                }
                Checked::Shown(cards) => hand.open.extend(cards),
                Checked::ShownTo(seat, positions, show, shown) => {
                    let show = Arc::new(show);
                    for (number, (position, card)) in positions.into_iter().zip(shown).enumerate() {
                        let show = Arc::clone(&show);
                        let shown = ShownCard { show, number, card };
                        hand.shown.insert((position, seat), shown);
                    }
                }
                _ => {}
            }
        }
    }

    /// The public ones of these cards, if no seat has to open any of them any more.
    pub(in crate::log) fn opened(
        &mut self,
        cards: &[(usize, Learners)],
    ) -> Option<Vec<(usize, Card)>> {
        let is_open = |&(position, to): &(usize, Learners)| self.openers(position, to).is_empty();
        if !cards.iter().all(is_open) {
            return None;
        }
        for &(position, to) in cards {
            if let (Learners::Seat(seat), true) = (to, self.layout.is_good(position)) {
                self.seen(position, seat);
            }
        }
        let to_all = cards.iter().filter(|(_, to)| *to == Learners::All);
        let card = |&(position, _): &(usize, Learners)| {
            let shown = self.card(position);
            Some((position, shown.or_else(|| self.decrypted(position))?))
        };
        let public: Vec<_> = to_all.filter_map(card).collect();
        if let Some(hand) = &mut self.hand {
            hand.open.extend(public.iter().copied());
        }
        Some(public)
    }

    /// The card at a position, from its partials for all seats.
    fn decrypted(&self, position: usize) -> Option<Card> {
        let slot = self.layout.slot(position, Learners::All);
        let decks = &self.hand.as_ref()?.decks;
        let card = decks.open(self.seats, slot.deck, slot.position, &self.partials(&slot))?;
        Some(self.layout.card(&slot, card))
    }

    /// Records that a seat has left without publishing its share of the deck's key, or was removed. A
    /// deck made ahead is void then.
    pub(in crate::log) fn leave(&mut self, seat: Seat) {
        self.gone.push(seat);
        self.dropped
            .extend(self.ahead.take().map(|chain| chain.head));
    }

    /// Whether the match ends with the hand in play, because all seats together open a card.
    pub(in crate::log) fn is_last_hand(&self) -> bool {
        !self.gone.is_empty() && self.may_publish()
    }

    /// Whether a seat that leaves publishes its share of the deck's key if the others need it: all
    /// seats together open a card.
    pub(in crate::log) fn may_publish(&self) -> bool {
        self.seats.threshold() == self.seats.count()
    }

    /// Whether enough seats are left to open cards.
    pub(in crate::log) fn can_open(&self) -> bool {
        self.live().count() >= self.seats.threshold()
    }

    pub(super) fn gone(&self) -> &[Seat] {
        &self.gone
    }

    pub(super) fn hand_over(&mut self) {
        self.hand = None;
        self.number += 1;
    }

    pub(super) fn final_since(&self) -> Option<u64> {
        self.hand.as_ref().map(|hand| hand.since)
    }

    pub(super) fn card(&self, position: usize) -> Option<Card> {
        self.hand.as_ref()?.open.get(&position).copied()
    }
}

/// The cards that `seat` opens.
fn due(openings: &[Opening], seat: Seat) -> &[(usize, Learners)] {
    let opening = openings.iter().find(|opening| opening.opener == seat);
    opening.map_or(&[], |opening| &opening.cards)
}

/// The decks before the first shuffle.
fn start(layout: &Layout) -> Decks {
    Decks::new(layout.decks.iter().map(VerifiedDeck::start).collect())
}
