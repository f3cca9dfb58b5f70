//! Where a match stands: what follows from all complete steps, and what a complete step changes.

use super::beyond_poker::Reseal;
use super::commitment::Attempt;
use super::deal::{Deal, Seal};
use super::part::Part;
use super::phase::{End, Phase};
use super::players::Match;
use super::shape::Shape;
use super::shares::Shares;
use crate::hash::Hash;
use crate::rules::{
    BadCards, BadFaces, Edition, Hand, Learners, Next, Opening, Outcome, Stakes, Steal,
};
use crate::seat::Seat;
use dealerless::dice::{Commitment, Dice, Reveal};

/// Where a match stands after some complete steps. Nothing in it is chosen here: it follows from
/// the header and the parts.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) of: [u8; 32],
    pub(super) edition: Edition,
    pub(super) shape: Shape,
    pub(super) stakes: Stakes,
    pub(super) stakes_digest: [u8; 32],
    pub(super) circuit: [u8; 32],
    pub(super) phase: Phase,
    /// The hand that is played, or that is dealt next. From 1.
    pub(super) hand: u32,
    pub(super) attempt: u32,
    /// How many tries of this hand each seat has declared void.
    pub(super) voids: Vec<u32>,
    /// The chips after the last result.
    pub(super) stacks: Vec<u64>,
    /// Who had the button in the last hand that has a result.
    last_button: Option<Seat>,
    pub(super) dealt: Option<Dealt>,
}

/// A try of a hand from its deal on.
#[derive(Clone, Debug)]
pub(super) struct Dealt {
    /// The step after the deals.
    pub(super) since: u64,
    pub(super) stacks: Vec<u64>,
    pub(super) button: Seat,
    /// How many hands the batch holds that is made behind this hand.
    pub(super) batch: u32,
    pub(super) seals: Vec<Seal>,
    pub(super) shares: Shares,
    /// What was opened in which step.
    pub(super) openings: Vec<(u64, Opening)>,
    /// The cards that were sealed anew, by position.
    pub(super) resealed: Vec<Option<Resealed>>,
    /// The last step in which each seat said something, since the deal.
    pub(super) spoke_in: Vec<u64>,
    /// The step of the last choice.
    pub(super) chosen_in: u64,
    /// What was sealed anew by some seats and not yet by all, in order of the seats.
    pub(super) reseals: Vec<Reseal>,
    /// The commitments to the dice that are revealed now, in order of the seats.
    pub(super) commitments: Vec<Commitment>,
    pub(super) game: Hand,
}

/// A card that was sealed anew.
#[derive(Clone, Debug)]
pub(super) struct Resealed {
    /// The step of the choice for which its hand was shuffled again, and its place in that hand.
    pub(super) place: (u64, usize),
    masked: u64,
    /// In order of the seats.
    pub(super) commitments: Vec<[u8; 32]>,
}

impl State {
    pub(super) fn new(of: &Match) -> Self {
        let header = of.header();
        let stakes = header.stakes.clone();
        let shape = header.shape();
        State {
            of: of.id(),
            edition: header.versions.log,
            shape,
            stakes_digest: Hash::new("stakes").field(&stakes.encode()).finish(),
            circuit: header.circuit,
            phase: Phase::Deal,
            hand: 1,
            attempt: 0,
            voids: vec![0; shape.seats],
            stacks: vec![stakes.stack(); shape.seats],
            last_button: None,
            dealt: None,
            stakes,
        }
    }

    /// The try that is dealt or played now.
    pub(super) fn attempt(&self) -> Attempt {
        Attempt {
            of: self.of,
            hand: self.hand,
            attempt: self.attempt,
        }
    }

    /// The chips with which a hand begins, if these seats buy in again.
    pub(super) fn stacks_with(&self, rebuys: &[bool]) -> Vec<u64> {
        let bought = |&rebuy: &bool| if rebuy { self.stakes.stack() } else { 0 };
        let pairs = self.stacks.iter().zip(rebuys);
        pairs
            .map(|(stack, rebuy)| stack.saturating_add(bought(rebuy)))
            .collect()
    }

    /// Who has the button in the next hand, if it begins with these chips.
    pub(super) fn next_button(&self, stacks: &[u64]) -> Option<Seat> {
        self.stakes.next_button(stacks, self.last_button)
    }

    /// Whether a seat may buy in again.
    pub(super) fn may_rebuy(&self, seat: Seat) -> bool {
        self.stakes.may_rebuy(&self.stacks, self.hand - 1, seat)
    }

    /// A step is complete. Its parts come in order of the seats; each was judged, and none of them
    /// ends the match. `after` is the hand that the judge of the last part has computed, if that part
    /// alone changes the hand.
    pub(super) fn complete(&mut self, step: u64, parts: &[(Seat, Part)], after: Option<Box<Hand>>) {
        let again = parts.iter().any(|(_, part)| matches!(part, Part::Again));
        if let Some(dealt) = &mut self.dealt {
            parts
                .iter()
                .for_each(|(seat, _)| dealt.spoke_in[seat.index()] = step);
            if let Some(after) = after {
                dealt.game = *after;
            }
        }
        let phase = std::mem::replace(&mut self.phase, Phase::Deal);
        self.phase = match (phase, parts) {
            _ if again => self.again(parts),
            (Phase::Deal, _) => self.deal(step, parts),
            (Phase::Seal(seat), [(_, Part::Seal(seal))]) => self.seal(seat, seal),
            (Phase::Open(openings), _) => self.open(step, openings, parts),
            (Phase::Choose { .. }, [(_, Part::Move(_))]) => self.play(|dealt| {
                dealt.chosen_in = step;
                Ok(())
            }),
            (Phase::Reseal(..), [(_, Part::Void)]) => self.play(|dealt| {
                dealt.reseals.clear();
                Ok(())
            }),
            (Phase::Reseal(seat, steal), [(_, Part::Reseal(reseal))]) => {
                self.reseal(seat, steal, reseal)
            }
            (Phase::Commit(dice), _) => self.commit(dice, parts),
            (Phase::Reveal(dice), _) => self.play(|dealt| {
                let rolled = dealt.game.rolled(&dice.faces(&revealed(parts)));
                rolled.map_err(|BadFaces| Phase::Over(End::Cards(BadCards::NotDue)))
            }),
            (Phase::Result(outcome), _) => self.result(outcome),
            (other, _) => other,
        };
    }

    fn again(&mut self, parts: &[(Seat, Part)]) -> Phase {
        for (seat, _) in parts {
            self.voids[seat.index()] += 1;
        }
        self.dealt = None;
        self.attempt += 1;
        Phase::Deal
    }

    fn deal(&mut self, step: u64, parts: &[(Seat, Part)]) -> Phase {
        let deals: Vec<&Deal> = parts.iter().filter_map(|(_, part)| part.deal()).collect();
        let agreed = |seat: Seat| deals.iter().all(|deal| deal.rebuys[seat.index()]);
        let rebuys: Vec<bool> = Seat::all(self.shape.seats).map(agreed).collect();
        let stacks = self.stacks_with(&rebuys);
        let batch = deals.first().map_or(0, |deal| deal.batch);
        let button = self.next_button(&stacks);
        let new = |button| {
            let game = Hand::new(&self.stakes, &stacks, button, self.edition);
            Some((button, game.ok()?))
        };
        let Some((button, game)) = button.and_then(new) else {
            return Phase::Over(End::NoChips);
        };
        self.dealt = Some(Dealt {
            since: step + 1,
            stacks,
            button,
            batch: if deals.iter().all(|deal| deal.batch == batch) {
                batch
            } else {
                0
            },
            seals: Vec::new(),
            shares: Shares::none(&self.shape),
            openings: Vec::new(),
            resealed: vec![None; self.shape.drawn],
            spoke_in: vec![step; self.shape.seats],
            chosen_in: 0,
            reseals: Vec::new(),
            commitments: Vec::new(),
            game,
        });
        Phase::Seal(Seat::HOST)
    }

    fn seal(&mut self, seat: Seat, seal: &Seal) -> Phase {
        let seats = self.shape.seats;
        self.play(|dealt| {
            dealt.seals.push(seal.clone());
            match seat.index() + 1 < seats {
                true => Err(Phase::Seal(seat.next(seats))),
                false => Ok(()),
            }
        })
    }

    fn reseal(&mut self, seat: Seat, steal: Steal, reseal: &Reseal) -> Phase {
        let seats = self.shape.seats;
        self.play(|dealt| {
            dealt.reseals.push(reseal.clone());
            if seat.index() + 1 < seats {
                return Err(Phase::Reseal(seat.next(seats), steal));
            }
            dealt.replace(&steal.hand);
            Ok(())
        })
    }

    fn open(&mut self, step: u64, openings: Vec<Opening>, parts: &[(Seat, Part)]) -> Phase {
        self.play(|dealt| {
            for (seat, part) in parts {
                for card in part.opened() {
                    dealt.shares.add(*seat, card);
                }
            }
            let public = dealt.public(&openings);
            dealt
                .openings
                .extend(openings.into_iter().map(|opening| (step, opening)));
            let opened = dealt.game.opened(&public);
            opened.map_err(|bad| Phase::Over(End::Cards(bad)))
        })
    }

    fn commit(&mut self, dice: Dice, parts: &[(Seat, Part)]) -> Phase {
        let commitment = |(_, part): &(Seat, Part)| match part {
            Part::Commit(commitment) => Some(Commitment(*commitment)),
            _ => None,
        };
        self.play(|dealt| {
            dealt.commitments = parts.iter().filter_map(commitment).collect();
            Err(Phase::Reveal(dice))
        })
    }

    /// Changes the try, and gives what the rules of the game ask for then.
    fn play(&mut self, change: impl FnOnce(&mut Dealt) -> Result<(), Phase>) -> Phase {
        let Some(dealt) = &mut self.dealt else {
            return Phase::Deal;
        };
        match change(dealt) {
            Err(phase) => phase,
            Ok(()) => match dealt.game.next() {
                Next::Open(openings) => Phase::Open(openings),
                Next::Roll(dice) => Phase::Commit(dice),
                Next::Steal(steal) => Phase::Reseal(Seat::HOST, steal),
                Next::Choose { seat, legal } => Phase::Choose { seat, legal },
                Next::Over(outcome) => Phase::Result(outcome),
            },
        }
    }

    fn result(&mut self, outcome: Outcome) -> Phase {
        self.stacks = outcome.stacks;
        self.last_button = self.dealt.take().map(|dealt| dealt.button);
        self.attempt = 0;
        self.voids.fill(0);
        self.hand += 1;
        match self.hand > self.stakes.hands() {
            true => Phase::Over(End::Played),
            false => Phase::Deal,
        }
    }

    /// Whether the seat whose turn it is may say that the try is void. Who seals may; and the host,
    /// which seals first and hears of the others' validity last, instead of the first opening: it
    /// opens alone, and nobody has seen a card.
    pub(super) fn may_deal_again(&self) -> bool {
        match &self.phase {
            Phase::Seal(_) => true,
            Phase::Open(_) => {
                let alone = self.phase.speakers(self.shape.seats) == [Seat::HOST];
                let dealt = self.dealt.as_ref();
                alone && dealt.is_some_and(|dealt| dealt.openings.is_empty())
            }
            _ => false,
        }
    }

    /// The chips if the hand in play ends here, because these seats give it up. If one seat is left
    /// that has not folded, it wins the pot; if there are several, the hand is undecided.
    pub(super) fn given_up_by(&self, seats: &[Seat]) -> Vec<u64> {
        if let Phase::Result(outcome) = &self.phase {
            return outcome.stacks.clone();
        }
        let Some(dealt) = self.dealt.as_ref().filter(|_| self.phase.stands()) else {
            return self.undecided();
        };
        let plays = |seat: &Seat| dealt.game.is_live(*seat) && !seats.contains(seat);
        let left: Vec<Seat> = Seat::all(self.shape.seats).filter(plays).collect();
        match left[..] {
            [winner] => {
                let mut stacks = dealt.game.stacks();
                stacks[winner.index()] += dealt.game.pot();
                stacks
            }
            _ => dealt.stacks.clone(),
        }
    }

    /// The chips if the hand in play counts for nothing.
    pub(super) fn undecided(&self) -> Vec<u64> {
        let dealt = self.dealt.as_ref();
        dealt.map_or(&self.stacks, |dealt| &dealt.stacks).clone()
    }

    /// The bytes of whatever this seat says now.
    pub(super) fn size(&self, seat: Seat) -> usize {
        match &self.phase {
            Phase::Deal | Phase::Over(_) => self.shape.deal(),
            Phase::Seal(_) => self.shape.seal(seat == Seat::HOST),
            Phase::Open(openings) => {
                let mine = openings.iter().find(|opening| opening.opener == seat);
                self.shape
                    .open(mine.map_or(0, |opening| opening.cards.len()))
            }
            Phase::Choose { .. } => self.shape.choose(),
            Phase::Reseal(_, steal) => self.shape.reseal(steal.hand.len(), seat == Seat::HOST),
            Phase::Commit(_) => self.shape.commit(),
            Phase::Reveal(dice) => self.shape.reveal(dice.count()),
            Phase::Result(_) => self.shape.result(),
        }
    }
}

/// What the seats reveal in a step.
fn revealed(parts: &[(Seat, Part)]) -> Vec<&Reveal> {
    let mut reveals = Vec::with_capacity(parts.len());
    for (_, part) in parts {
        if let Part::Reveal(reveal) = part {
            reveals.push(reveal);
        }
    }
    reveals
}

impl Dealt {
    /// The cards that everybody can compute and that these openings are to show to everybody.
    fn public(&self, openings: &[Opening]) -> Vec<(usize, dealerless::deck::Card)> {
        let cards = openings.iter().flat_map(|opening| &opening.cards);
        let to_all = cards.filter(|(_, to)| *to == Learners::All);
        let mut positions: Vec<usize> = to_all.map(|&(position, _)| position).collect();
        positions.sort_unstable();
        positions.dedup();
        let card = |position| Some((position, self.card(position)?));
        positions.into_iter().filter_map(card).collect()
    }

    /// The cards of a hand are those that all seats have sealed anew.
    fn replace(&mut self, hand: &[usize]) {
        let reseals = std::mem::take(&mut self.reseals);
        for (place, &position) in hand.iter().enumerate() {
            let masked = reseals.first().and_then(|first| first.masked.get(place));
            let commitment = |reseal: &Reseal| reseal.commitments.get(place).copied();
            self.shares.forget(position);
            self.resealed[position] = masked.map(|&masked| Resealed {
                place: (self.chosen_in, place),
                masked,
                commitments: reseals.iter().filter_map(commitment).collect(),
            });
        }
    }

    /// The card at a position, if all shares of it were said.
    pub(super) fn card(&self, position: usize) -> Option<dealerless::deck::Card> {
        self.shares.card(self.masked(position)?, position)
    }

    /// The masked value of the card at a position; none before the first seal.
    pub(super) fn masked(&self, position: usize) -> Option<u64> {
        if let Some(Some(again)) = self.resealed.get(position) {
            return Some(again.masked);
        }
        let first = self.seals.first().and_then(|seal| seal.masked.as_ref())?;
        first.cards.get(position).copied()
    }
}
