//! The parts of a board game for several seats: a board, goods, trades, piles, steals and dice.
//!
//! The seats take turns, starting with the button. The seat at its turn makes any number of choices
//! until it passes. If it offers goods to another seat, that seat answers, and the turn continues. The
//! hand is over when all seats have passed in succession, or when fewer than two seats are left.
//!
//! # What this module checks, and what the game must check
//! This module checks that a seat gives only goods that it has and of the kinds that it names, that
//! both seats have agreed to a trade, that only the receiver of a card can show it, and that nobody
//! chooses a drawn card, a stolen good or a roll. It does not know the rules of the game: who gains
//! what, what a thing costs, when dice are rolled or goods are stolen, and who wins. All choices are
//! public and signed, and all seats see the same ones in the same order. So the program of the game
//! computes its own state from them, and judges each choice of the other seats. If it sees a choice
//! that its rules forbid, it must not continue: the record then shows this choice to everybody who has
//! the rules.
//!
//! # Goods
//! A good was gained in public, so everybody knows its kind, until its owner mixes its goods. A steal
//! from a seat with several goods begins with such a mix. Then a coin picks a good, and only the thief
//! sees its kind. The owner knows which good is gone. A hidden good that is given is opened to all
//! seats; if it is not of the kind that its owner named, that is a foul of the owner.

mod choice;
mod trade;

use dealerless::deck::{Card, Pack};
use dealerless::dice::Dice;

use super::choice::Choice;
use super::dealing::Seen;
use super::foul::{BadCards, BadFaces, Foul};
pub(super) use super::game::Game;
use super::next::{Learners, Legal, Next, Outcome, Rolled, Stolen};
use super::stakes::Stakes;
use crate::seat::Seat;
pub use choice::{Gain, Good, GoodsChoice, Offer};

/// A hand of a board game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Goods {
    seats: usize,
    /// The positions of each deck, in order.
    decks: Vec<std::ops::Range<usize>>,
    /// The number of kinds of goods.
    kinds: u8,
    turn: Seat,
    /// The seats that have passed since the last other choice.
    passed: Vec<Seat>,
    gone: Vec<Seat>,
    /// The open offer, and the seat that made it.
    offer: Option<(Seat, Offer)>,
    /// The number of offers that were made.
    offers: u32,
    /// For each card: the seat that has drawn it, if any.
    drawn: Vec<Option<Seat>>,
    seen: Seen,
    goods: Vec<Held>,
    /// The number of coins that were asked for.
    coins: u32,
    /// The result of the last coin or steal, until the next choice.
    last: Option<Last>,
    due: Due,
}

/// A good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Held {
    /// The owner. `None` if the good was spent.
    owner: Option<Seat>,
    /// The kind. `None` if the good is hidden.
    kind: Option<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Last {
    Rolled(Rolled),
    Stolen(Stolen),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Due {
    /// These cards are being opened, in ascending order of their positions.
    Cards(Vec<(usize, Learners)>),
    /// These dice are to be rolled, at the request of this seat.
    Roll(Seat, Dice),
    /// The owner mixes its goods, for a steal or at its own request.
    Mix {
        owner: Seat,
        hand: Vec<usize>,
        thief: Option<Seat>,
    },
    /// A coin picks one of these goods of the owner for the thief.
    Pick {
        thief: Seat,
        owner: Seat,
        hand: Vec<usize>,
    },
    /// The good is being opened to the thief, to whom it already belongs.
    Take(Stolen),
    /// These hidden goods were given by these seats, and are being opened to all seats. In ascending
    /// order of their positions.
    Claims(Vec<(Seat, Good)>),
    /// Nothing: a seat chooses, or the hand is over.
    Nothing,
}

impl Goods {
    /// The seats `out` take no turns.
    pub(super) fn new(game: &Game, stakes: &Stakes, out: &[Seat], button: Seat) -> Self {
        let decks = (0..game.decks().len()).filter_map(|deck| game.positions(deck));
        let decks: Vec<_> = decks.collect();
        let boards = game.decks().iter().zip(&decks);
        let boards = boards.filter(|(deck, _)| deck.is_board);
        let board = boards.flat_map(|(_, positions)| positions.clone());
        let board: Vec<_> = board.map(|position| (position, Learners::All)).collect();
        let mut goods = Goods {
            seats: stakes.seats(),
            decks,
            kinds: game.goods().len() as u8,
            turn: button,
            passed: Vec::new(),
            gone: Vec::new(),
            offer: None,
            offers: 0,
            drawn: vec![None; game.cards()],
            seen: Seen::none(Pack::Cards(game.cards() as u32)),
            goods: Vec::new(),
            coins: 0,
            last: None,
            due: match board.is_empty() {
                true => Due::Nothing,
                false => Due::Cards(board),
            },
        };
        out.iter().for_each(|seat| goods.gone(*seat));
        goods
    }

    pub(super) fn next(&self) -> Next {
        match &self.due {
            Due::Cards(cards) => Next::Open(cards.clone()),
            Due::Claims(claims) => {
                Next::Open(claims.iter().map(|(_, good)| to_all(good)).collect())
            }
            Due::Take(stolen) => Next::Open(vec![(stolen.position, Learners::Seat(stolen.thief))]),
            &Due::Roll(_, dice) => Next::Roll(dice),
            Due::Pick { hand, .. } => match Dice::new(1, hand.len() as u32) {
                Ok(dice) => Next::Roll(dice),
                Err(_) => unreachable!("a pick is among two goods or more"),
            },
            Due::Mix { owner, hand, .. } => Next::Mix {
                seat: *owner,
                positions: hand.clone(),
            },
            Due::Nothing if self.is_over() => Next::Over(Outcome {
                stacks: vec![0; self.seats],
                ..Outcome::default()
            }),
            Due::Nothing => Next::Choose {
                seat: self.offer.as_ref().map_or(self.turn, |(_, offer)| offer.to),
                legal: Legal::Goods {
                    offer: self.open_offer(),
                },
            },
        }
    }

    fn is_over(&self) -> bool {
        let mut live = Seat::all(self.seats).filter(|seat| !self.gone.contains(seat));
        let has_passed = |seat: Seat| self.passed.contains(&seat);
        self.seats - self.gone.len() < 2 || live.all(has_passed)
    }

    fn open_offer(&self) -> Option<(u32, Seat, Offer)> {
        let (by, offer) = self.offer.clone()?;
        Some((self.offers - 1, by, offer))
    }

    fn is_live(&self, seat: Seat) -> bool {
        seat.index() < self.seats && !self.gone.contains(&seat)
    }

    /// The first position of a good.
    fn first_good(&self) -> usize {
        self.drawn.len()
    }

    pub(super) fn choose(&mut self, choice: &Choice) -> Result<(), Foul> {
        if let Some((by, offer)) = &self.offer {
            let (by, offer) = (*by, offer.clone());
            return self.answer(by, &offer, choice);
        }
        let seat = self.turn;
        let (mut last, mut due) = (None, Due::Nothing);
        match choice {
            Choice::Pass => {}
            &Choice::Roll(dice) => {
                self.ask_coin(dice.count())?;
                due = Due::Roll(seat, dice);
            }
            &Choice::Steal(owner) => (last, due) = self.steal(seat, owner)?,
            Choice::Goods(choice) => match choice {
                GoodsChoice::Gain(gains) => self.gain(gains)?,
                GoodsChoice::Give(give) => {
                    self.check(seat, give)?;
                    due = self.hand_over(&[(seat, give, None)]);
                }
                GoodsChoice::Offer(offer) => self.make_offer(offer)?,
                GoodsChoice::Agree { number, .. } => return Err(Foul::NoSuchOffer(*number)),
                &GoodsChoice::Draw(deck) => {
                    let positions = self.decks.get(usize::from(deck)).cloned();
                    let mut positions = positions.ok_or(Foul::NothingToDraw)?;
                    let next = positions.find(|&position| self.is_closed(position));
                    let next = next.ok_or(Foul::NothingToDraw)?;
                    due = Due::Cards(vec![(next, Learners::Seat(seat))]);
                }
                &GoodsChoice::Show { position, to } => due = self.show(seat, position, to)?,
                GoodsChoice::Mix => {
                    let hand = self.hand(seat);
                    if hand.is_empty() {
                        return Err(Foul::BadGoods);
                    }
                    due = Due::Mix {
                        owner: seat,
                        hand,
                        thief: None,
                    };
                }
            },
            _ => return Err(Foul::WrongKind),
        }
        (self.last, self.due) = (last, due);
        if *choice == Choice::Pass {
            self.passed.push(seat);
            self.turn = self.next_turn();
        } else {
            self.passed.clear();
        }
        Ok(())
    }

    /// The next seat at the table, after the seat at its turn.
    fn next_turn(&self) -> Seat {
        let mut around = self.turn.next(self.seats).around(self.seats);
        around.find(|seat| self.is_live(*seat)).unwrap_or(self.turn)
    }

    fn is_closed(&self, position: usize) -> bool {
        self.drawn[position].is_none() && self.seen.get(position).is_none()
    }

    /// Counts a coin that is asked for. A coin that is not needed any more is never used again: some
    /// seats may know it already.
    fn ask_coin(&mut self, dice: u32) -> Result<(), Foul> {
        if dice > Choice::MAX_DICE || self.coins == u32::MAX {
            return Err(Foul::TooManyDice);
        }
        self.coins += 1;
        Ok(())
    }

    fn gain(&mut self, gains: &[Gain]) -> Result<(), Foul> {
        let fits = (1..=GoodsChoice::MAX_LISTED).contains(&gains.len());
        let valid =
            |gain: &Gain| self.is_live(gain.seat) && gain.kind < self.kinds && gain.count > 0;
        if !fits || !gains.iter().all(valid) {
            return Err(Foul::BadGoods);
        }
        let mut goods = self.goods.clone();
        for gain in gains {
            let good = Held {
                owner: Some(gain.seat),
                kind: Some(gain.kind),
            };
            goods.extend(vec![good; gain.count.into()]);
        }
        let fits = |seat| held_by(&goods, seat) <= Game::MAX_HELD;
        if goods.len() > Game::MAX_GOODS || !Seat::all(self.seats).all(fits) {
            return Err(Foul::TooManyGoods);
        }
        self.goods = goods;
        Ok(())
    }

    fn steal(&mut self, thief: Seat, owner: Seat) -> Result<(Option<Last>, Due), Foul> {
        let hand = self.hand(owner);
        if owner == thief || !self.is_live(owner) || hand.is_empty() {
            return Err(Foul::NothingToSteal(owner));
        }
        if held_by(&self.goods, thief) >= Game::MAX_HELD {
            return Err(Foul::TooManyGoods);
        }
        let [position] = hand[..] else {
            let thief = Some(thief);
            return Ok((None, Due::Mix { owner, hand, thief }));
        };
        let stolen = Stolen {
            thief,
            owner,
            position,
        };
        Ok((Some(Last::Stolen(stolen)), self.take(stolen)))
    }

    /// Gives a stolen good to the thief. Everybody knows a public one, so it is not opened.
    fn take(&mut self, stolen: Stolen) -> Due {
        let first = self.first_good();
        let good = &mut self.goods[stolen.position - first];
        good.owner = Some(stolen.thief);
        match good.kind {
            Some(_) => Due::Nothing,
            None => Due::Take(stolen),
        }
    }

    fn show(&self, seat: Seat, position: u16, to: Learners) -> Result<Due, Foul> {
        let at = usize::from(position);
        if self.drawn.get(at) != Some(&Some(seat)) {
            return Err(Foul::NotHeld(position));
        }
        let may_see = match to {
            Learners::All => true,
            Learners::Seat(other) => other != seat && self.is_live(other),
        };
        if self.seen.get(at).is_some() || !may_see {
            return Err(Foul::AlreadyOpen(position));
        }
        Ok(Due::Cards(vec![(at, to)]))
    }

    pub(super) fn opened(&mut self, public: &[(usize, Card)]) -> Result<(), BadCards> {
        match &self.due {
            Due::Cards(cards) => {
                self.seen.add(cards, public)?;
                for &(position, to) in cards {
                    if let (Learners::Seat(seat), None) = (to, self.drawn[position]) {
                        self.drawn[position] = Some(seat);
                    }
                }
            }
            Due::Take(_) if public.is_empty() => {}
            Due::Claims(claims) => {
                let mut public = public.to_vec();
                public.sort_unstable_by_key(|&(position, _)| position);
                let positions = claims.iter().map(|(_, good)| usize::from(good.position));
                if !positions.eq(public.iter().map(|&(position, _)| position)) {
                    return Err(BadCards::NotDue);
                }
                for ((seat, good), (_, card)) in claims.iter().zip(public) {
                    if card != Card(good.kind.into()) {
                        return Err(BadCards::OtherKind(*seat));
                    }
                }
                let first = self.first_good();
                for (_, good) in claims {
                    self.goods[usize::from(good.position) - first].kind = Some(good.kind);
                }
            }
            _ => return Err(BadCards::NotDue),
        }
        self.due = Due::Nothing;
        Ok(())
    }

    /// Completes the mix that is due.
    pub(super) fn mixed(&mut self) -> Result<(), Foul> {
        let Due::Mix { owner, hand, thief } = &self.due else {
            return Err(Foul::NotAsked);
        };
        let (owner, hand, thief) = (*owner, hand.clone(), *thief);
        if thief.is_some() {
            self.ask_coin(1)?;
        }
        let first = self.first_good();
        for &position in &hand {
            self.goods[position - first].kind = None;
        }
        self.due = match thief {
            Some(thief) => Due::Pick { thief, owner, hand },
            None => Due::Nothing,
        };
        Ok(())
    }

    /// Completes the roll or the pick that is due.
    pub(super) fn rolled(&mut self, faces: &[u32]) -> Result<(), BadFaces> {
        match &self.due {
            &Due::Roll(by, dice) => {
                let fit = faces.iter().all(|face| (1..=dice.sides()).contains(face));
                if faces.len() != dice.count() as usize || !fit {
                    return Err(BadFaces);
                }
                let faces = faces.to_vec();
                self.last = Some(Last::Rolled(Rolled { by, dice, faces }));
                self.due = Due::Nothing;
            }
            Due::Pick { thief, owner, hand } => {
                let &[face] = faces else {
                    return Err(BadFaces);
                };
                let number = (face as usize).checked_sub(1).ok_or(BadFaces)?;
                let stolen = Stolen {
                    thief: *thief,
                    owner: *owner,
                    position: *hand.get(number).ok_or(BadFaces)?,
                };
                self.last = Some(Last::Stolen(stolen));
                self.due = self.take(stolen);
            }
            _ => return Err(BadFaces),
        }
        Ok(())
    }

    /// Continues without a seat that has left. Its cards and goods stay with it.
    pub(super) fn gone(&mut self, seat: Seat) {
        if !self.is_live(seat) {
            return;
        }
        self.gone.push(seat);
        let is_its = |(by, offer): &(Seat, Offer)| *by == seat || offer.to == seat;
        if self.offer.as_ref().is_some_and(is_its) {
            self.offer = None;
        }
        if self.turn == seat {
            self.turn = self.next_turn();
        }
        let is_void = match &self.due {
            Due::Cards(cards) => match cards[..] {
                // A card that the seat draws counts as drawn: it may have been opened to the seat.
                [(position, Learners::Seat(to))] if to == seat => {
                    self.drawn[position].get_or_insert(seat);
                    true
                }
                // A card that the seat shows.
                [(position, _)] => self.drawn[position] == Some(seat),
                _ => false,
            },
            Due::Mix { owner, .. } => *owner == seat,
            Due::Pick { thief, .. } => *thief == seat,
            Due::Take(stolen) => stolen.thief == seat,
            Due::Roll(..) | Due::Claims(_) | Due::Nothing => false,
        };
        if is_void {
            self.due = Due::Nothing;
        }
        // The owner may have signed its mix already, so it still counts.
        if let Due::Mix { thief, .. } = &mut self.due
            && *thief == Some(seat)
        {
            *thief = None;
        }
    }

    /// The number of the coin that is due, or of the last one.
    pub(super) fn coin(&self) -> u32 {
        self.coins.saturating_sub(1)
    }

    pub(super) fn last_roll(&self) -> Option<&Rolled> {
        match &self.last {
            Some(Last::Rolled(rolled)) => Some(rolled),
            _ => None,
        }
    }

    pub(super) fn last_steal(&self) -> Option<Stolen> {
        match self.last {
            Some(Last::Stolen(stolen)) => Some(stolen),
            _ => None,
        }
    }

    pub(super) fn seats(&self) -> usize {
        self.seats
    }

    pub(super) fn seen(&self) -> &Seen {
        &self.seen
    }

    /// The cards that this seat has drawn, and its goods.
    pub(super) fn held(&self, seat: Seat) -> Vec<usize> {
        let cards = self.drawn.iter().enumerate();
        let cards = cards.filter(|(_, drawn)| **drawn == Some(seat));
        let cards = cards.map(|(position, _)| position);
        cards.chain(self.hand(seat)).collect()
    }

    /// The positions of a seat's goods, in ascending order.
    fn hand(&self, seat: Seat) -> Vec<usize> {
        self.goods_of(seat).map(|(position, _)| position).collect()
    }

    /// The positions of a seat's goods, in ascending order, and the kinds of those that are public.
    pub(super) fn goods_of(&self, seat: Seat) -> impl Iterator<Item = (usize, Option<u8>)> {
        let first = self.first_good();
        let goods = self.goods.iter().enumerate();
        let own = goods.filter(move |(_, good)| good.owner == Some(seat));
        own.map(move |(number, good)| (first + number, good.kind))
    }

    /// The kinds of the goods that were gained after the first `count` ones, as far as they are public.
    pub(super) fn gained_after(&self, count: usize) -> impl Iterator<Item = u8> {
        self.goods.iter().skip(count).filter_map(|good| good.kind)
    }
}

fn to_all(good: &Good) -> (usize, Learners) {
    (usize::from(good.position), Learners::All)
}

/// The number of goods of a seat.
fn held_by(goods: &[Held], seat: Seat) -> usize {
    let own = goods.iter().filter(|good| good.owner == Some(seat));
    own.count()
}
