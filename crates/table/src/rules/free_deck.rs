//! The deck without rules: the seats agree during the hand who sees which card.
//!
//! The seats choose in turn, starting with the button. On its turn, a seat makes a proposal, agrees
//! to an open proposal, refuses one, or passes. A proposal is carried out once all other seats have
//! agreed to it. It is dropped if a seat refuses it, or if one of its cards is reshuffled or can no
//! longer be opened as proposed. No seat has to respond to a proposal. The hand is over when all
//! seats have passed in succession, or when a seat has left the table.
//!
//! Some choices need no agreement. A seat may:
//! - *roll*: all seats roll dice together.
//! - *draw*: the closed card at the lowest position is opened to the seat alone. So the closed
//!   cards are a pile, and nobody chooses which card comes next.
//! - *show* a card that it holds, and keep the card.
//! - *reveal* a card that it holds. The seat then no longer holds the card.
//! - *steal*: all seats reshuffle the hand of another seat, the owner. The card that is then at the
//!   first position of the hand is opened to all seats and belongs to the thief. The remaining
//!   cards of the hand are opened to the owner alone.
//!
//! Boards of bridge are played in the same way. Each position then holds a hand of 13 cards. Hands
//! are only opened by a proposal, or shown by a seat that sees them; there is no drawing, stealing
//! or rolling.
//!
//! A card is closed, seen by one seat, or seen by all seats. A card that one seat sees can only be
//! opened to all seats, not to a second seat alone.

use super::choice::Choice;
use super::dealing::Seen;
use super::foul::{BadCards, BadFaces, Foul};
use super::next::{Learners, Legal, Next, Outcome, Proposal, Rolled, Steal};
use super::stakes::Stakes;
use crate::seat::Seat;
use dealerless::deck::{Card, Pack};
use dealerless::dice::Dice;

/// The maximum number of open proposals of one seat.
const MAX_PROPOSALS: usize = 8;

/// A hand of a deck without rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FreeDeck {
    seats: usize,
    /// Whether each position holds a hand of bridge instead of a card.
    boards: bool,
    /// The maximum number of cards or hands in a proposal.
    most_proposed: usize,
    turn: Seat,
    /// How many seats have passed in succession.
    passed: usize,
    proposals: Vec<Proposal>,
    /// The number of the next proposal.
    number: u32,
    /// The learners of each card, if it has been opened.
    learned: Vec<Option<Learners>>,
    /// For each card that was shown or stolen: the seat that holds the card. All seats have seen
    /// these cards.
    shown: Vec<Option<Seat>>,
    seen: Seen,
    rolls: u32,
    last_roll: Option<Rolled>,
    due: Due,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Due {
    /// These cards are being opened, in ascending order of their positions.
    Cards(Vec<(usize, Learners)>),
    /// These dice are to be rolled, at the request of this seat.
    Roll(Seat, Dice),
    /// A hand is being reshuffled.
    Steal(Steal),
    /// Nothing: a seat chooses, or all seats have passed.
    Nothing,
}

impl FreeDeck {
    pub(super) fn new(stakes: &Stakes, button: Seat) -> Self {
        let (cards, drawn) = stakes.deck();
        let boards = stakes.boards().is_some();
        FreeDeck {
            seats: stakes.seats(),
            boards,
            most_proposed: stakes.most_proposed(),
            turn: button,
            passed: 0,
            proposals: Vec::new(),
            number: 0,
            learned: vec![None; drawn],
            shown: vec![None; drawn],
            seen: Seen::none(if boards {
                Pack::Hands(cards as u32 / 4)
            } else {
                Pack::Cards(cards as u32)
            }),
            rolls: 0,
            last_roll: None,
            due: Due::Nothing,
        }
    }

    pub(super) fn next(&self) -> Next {
        match &self.due {
            Due::Cards(cards) => Next::Open(cards.clone()),
            &Due::Roll(_, dice) => Next::Roll(dice),
            Due::Steal(steal) => Next::Steal(steal.clone()),
            Due::Nothing if self.passed == self.seats => Next::Over(Outcome {
                stacks: vec![0; self.seats],
                ..Outcome::default()
            }),
            Due::Nothing => Next::Choose {
                seat: self.turn,
                legal: Legal::Speak {
                    proposals: self.proposals.clone(),
                    may_propose: self.may_propose(),
                    may_draw: !self.boards && self.next_closed().is_some(),
                },
            },
        }
    }

    fn may_propose(&self) -> bool {
        let own = self.proposals.iter().filter(|p| p.by == self.turn).count();
        let closed = |learned: &Option<Learners>| *learned != Some(Learners::All);
        own < MAX_PROPOSALS && self.number < u32::MAX && self.learned.iter().any(closed)
    }

    /// The position of the card that is drawn next.
    fn next_closed(&self) -> Option<usize> {
        self.learned.iter().position(Option::is_none)
    }

    pub(super) fn opened(&mut self, public: &[(usize, Card)]) -> Result<(), BadCards> {
        let Due::Cards(cards) = &self.due else {
            return Err(BadCards::NotDue);
        };
        self.seen.add(cards, public)?;
        for &(position, to) in cards {
            self.learned[position] = Some(to);
        }
        self.due = Due::Nothing;
        self.drop_stale();
        Ok(())
    }

    /// Drops the proposals that can no longer be carried out.
    fn drop_stale(&mut self) {
        let learned = &self.learned;
        let is_possible =
            |&(position, to): &(u16, Learners)| can_learn(learned[usize::from(position)], to);
        self.proposals
            .retain(|proposal| proposal.cards.iter().all(is_possible));
    }

    pub(super) fn choose(&mut self, choice: &Choice) -> Result<(), Foul> {
        match choice {
            Choice::Propose(cards) => self.propose(cards)?,
            &Choice::Agree(number) => self.agree(number)?,
            &Choice::Refuse(number) => {
                let at = self.index_of(number)?;
                self.proposals.remove(at);
            }
            Choice::Pass => {}
            &Choice::ShowCard(position) => self.show(position)?,
            _ if self.boards => return Err(Foul::WrongKind),
            &Choice::Roll(dice) => self.roll(dice)?,
            Choice::Draw => {
                let next = self.next_closed().ok_or(Foul::NothingToDraw)?;
                self.due = Due::Cards(vec![(next, Learners::Seat(self.turn))]);
            }
            &Choice::Reveal(position) => self.reveal(position)?,
            &Choice::Steal(owner) => self.steal(owner)?,
            _ => return Err(Foul::WrongKind),
        }
        match choice {
            Choice::Pass => self.passed += 1,
            _ => self.passed = 0,
        }
        self.turn = self.turn.next(self.seats);
        Ok(())
    }

    /// Ends the hand, because a seat has left the table: without it, nothing can be agreed on.
    pub(super) fn gone(&mut self) {
        (self.due, self.passed) = (Due::Nothing, self.seats);
    }

    fn propose(&mut self, cards: &[(u16, Learners)]) -> Result<(), Foul> {
        let rise = cards.windows(2).all(|pair| pair[0].0 < pair[1].0);
        if !rise || !(1..=self.most_proposed).contains(&cards.len()) {
            return Err(Foul::BadProposal);
        }
        for &(position, to) in cards {
            let seat_exists = match to {
                Learners::All => true,
                Learners::Seat(seat) => seat.index() < self.seats,
            };
            let learned = self
                .learned
                .get(usize::from(position))
                .filter(|_| seat_exists);
            let &learned = learned.ok_or(Foul::NoSuchCard(position))?;
            if !can_learn(learned, to) {
                return Err(Foul::AlreadyOpen(position));
            }
        }
        if !self.may_propose() {
            return Err(Foul::TooManyProposals);
        }
        self.proposals.push(Proposal {
            number: self.number,
            by: self.turn,
            cards: cards.to_vec(),
            agreed: Vec::new(),
        });
        self.number += 1;
        Ok(())
    }

    fn agree(&mut self, number: u32) -> Result<(), Foul> {
        let at = self.index_of(number)?;
        let proposal = &mut self.proposals[at];
        if proposal.by == self.turn || proposal.agreed.contains(&self.turn) {
            return Err(Foul::AlreadyAgreed(number));
        }
        proposal.agreed.push(self.turn);
        if proposal.agreed.len() + 1 == self.seats {
            let cards = self.proposals.remove(at).cards;
            let with_usize = |(position, to): (u16, Learners)| (usize::from(position), to);
            self.due = Due::Cards(cards.into_iter().map(with_usize).collect());
        }
        Ok(())
    }

    fn roll(&mut self, dice: Dice) -> Result<(), Foul> {
        if dice.count() > Choice::MAX_DICE || self.rolls == u32::MAX {
            return Err(Foul::TooManyDice);
        }
        self.due = Due::Roll(self.turn, dice);
        Ok(())
    }

    /// Completes the roll that is due with the faces of its dice.
    pub(super) fn rolled(&mut self, faces: &[u32]) -> Result<(), BadFaces> {
        let Due::Roll(by, dice) = self.due else {
            return Err(BadFaces);
        };
        let fit = faces.iter().all(|face| (1..=dice.sides()).contains(face));
        if faces.len() != dice.count() as usize || !fit {
            return Err(BadFaces);
        }
        let faces = faces.to_vec();
        self.last_roll = Some(Rolled { by, dice, faces });
        self.rolls += 1;
        self.due = Due::Nothing;
        Ok(())
    }

    fn steal(&mut self, owner: Seat) -> Result<(), Foul> {
        let hand = self.held(owner);
        if owner == self.turn || hand.is_empty() {
            return Err(Foul::NothingToSteal(owner));
        }
        let thief = self.turn;
        self.due = Due::Steal(Steal { thief, owner, hand });
        Ok(())
    }

    /// Continues after the reshuffle for a steal. `sealed` is `false` if the reshuffle failed.
    pub(super) fn reshuffled(&mut self, sealed: bool) -> Result<(), Foul> {
        let Due::Steal(Steal { thief, owner, hand }) = &self.due else {
            return Err(Foul::NotAsked);
        };
        let (thief, owner, hand) = (*thief, *owner, hand.clone());
        self.due = Due::Nothing;
        let Some((&first, rest)) = hand.split_first().filter(|_| sealed) else {
            return Ok(());
        };
        self.seen.forget(&hand);
        for &position in &hand {
            (self.learned[position], self.shown[position]) = (None, None);
        }
        self.shown[first] = Some(thief);
        let of_owner = rest.iter().map(|&at| (at, Learners::Seat(owner)));
        let cards = [(first, Learners::All)].into_iter().chain(of_owner);
        self.due = Due::Cards(cards.collect());
        // Proposals for these positions meant the cards before the reshuffle.
        let touches = |proposal: &Proposal| {
            let mut cards = proposal.cards.iter();
            cards.any(|(position, _)| hand.contains(&usize::from(*position)))
        };
        self.proposals.retain(|proposal| !touches(proposal));
        Ok(())
    }

    fn show(&mut self, position: u16) -> Result<(), Foul> {
        let at = self.own(position)?;
        if self.learned[at] == Some(Learners::All) {
            return Err(Foul::AlreadyOpen(position));
        }
        self.shown[at] = Some(self.turn);
        self.due = Due::Cards(vec![(at, Learners::All)]);
        Ok(())
    }

    /// Lays down a card. If all seats have already seen the card, it needs no opening.
    fn reveal(&mut self, position: u16) -> Result<(), Foul> {
        let at = self.own(position)?;
        if self.shown[at].take().is_none() {
            self.due = Due::Cards(vec![(at, Learners::All)]);
        }
        Ok(())
    }

    /// Converts a position to an index and checks that the current seat holds the card.
    fn own(&self, position: u16) -> Result<usize, Foul> {
        let at = usize::from(position);
        if self.held(self.turn).contains(&at) {
            Ok(at)
        } else {
            Err(Foul::NotHeld(position))
        }
    }

    fn index_of(&self, number: u32) -> Result<usize, Foul> {
        let mut proposals = self.proposals.iter();
        let at = proposals.position(|proposal| proposal.number == number);
        at.ok_or(Foul::NoSuchProposal(number))
    }

    pub(super) fn rolls(&self) -> u32 {
        self.rolls
    }

    pub(super) fn last_roll(&self) -> Option<&Rolled> {
        self.last_roll.as_ref()
    }

    pub(super) fn seats(&self) -> usize {
        self.seats
    }

    pub(super) fn seen(&self) -> &Seen {
        &self.seen
    }

    /// The positions of the cards that were opened to this seat alone, and of those that it has
    /// shown or stolen and still holds.
    pub(super) fn held(&self, seat: Seat) -> Vec<usize> {
        let its_own = |&position: &usize| {
            self.learned[position] == Some(Learners::Seat(seat))
                || self.shown[position] == Some(seat)
        };
        (0..self.learned.len()).filter(its_own).collect()
    }
}

fn can_learn(learned: Option<Learners>, to: Learners) -> bool {
    match learned {
        None => true,
        Some(Learners::Seat(_)) => to == Learners::All,
        Some(Learners::All) => false,
    }
}
