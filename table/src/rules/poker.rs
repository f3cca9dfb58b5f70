//! A hand of poker: hold'em or five-card draw.
//!
//! Numbered rules are those of the Poker Tournament Directors Association, 2022.

use super::betting::Betting;
use super::betting_rules::{BettingRules, Limit};
use super::choice::Choice;
use super::dealing::{Seen, hole_cards, openings};
use super::foul::{BadCards, Foul};
use super::next::{Learners, Legal, Next, Opening, Outcome, Shown};
use super::pots::{Claims, pots};
use super::ranking::HandRank;
use crate::seat::Seat;
use dealerless::deck::{Card, Pack};

/// What the two games do differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Holdem,
    Draw,
}

impl Kind {
    fn hole_cards(self) -> usize {
        match self {
            Kind::Holdem => 2,
            Kind::Draw => 5,
        }
    }

    /// How many rounds of betting there are. With a fixed limit, bets are double in the second half.
    fn rounds(self) -> usize {
        match self {
            Kind::Holdem => 4,
            Kind::Draw => 2,
        }
    }

    /// How many cards lie on the board in a round.
    fn board(self, round: usize) -> usize {
        match (self, round) {
            (Kind::Draw, _) | (Kind::Holdem, 0) => 0,
            (Kind::Holdem, _) => round + 2,
        }
    }
}

/// A hand of poker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Poker {
    kind: Kind,
    rules: BettingRules,
    button: Seat,
    betting: Betting,
    round: usize,
    /// The positions of each seat's cards.
    held: Vec<Vec<usize>>,
    /// The first position that nobody holds yet.
    undealt: usize,
    seen: Seen,
    claims: Vec<Claims>,
    shown: Vec<Shown>,
    phase: Phase,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Phase {
    /// Seat 0 opens the others' hole cards; `first` has the first turn of the first round.
    DealByHost { first: Seat },
    /// The others open what is not theirs.
    DealByOthers { first: Seat },
    /// A seat bets.
    Bet(Seat),
    /// The board of the next round is opened.
    Board,
    /// A seat exchanges cards; `left` still have to, and `drawn` are the new cards so far.
    Exchange {
        left: Vec<Seat>,
        drawn: Vec<(usize, Learners)>,
    },
    /// The new cards are opened.
    Draw(Vec<(usize, Learners)>),
    /// The first of these seats shows or mucks.
    ShowOrMuck(Vec<Seat>),
    /// The first of these seats opens its cards.
    Show(Vec<Seat>),
    /// Nothing comes any more.
    Over(Outcome),
}

impl Poker {
    pub(super) fn new(kind: Kind, rules: BettingRules, stacks: &[u64], button: Seat) -> Self {
        let seats = stacks.len();
        let (betting, first) = Betting::new(&rules, stacks, button);
        let hole = |seat| hole_cards(seat, seats, kind.hole_cards());
        Poker {
            kind,
            rules,
            button,
            betting,
            round: 0,
            held: Seat::all(seats).map(hole).collect(),
            undealt: seats * kind.hole_cards(),
            seen: Seen::none(Pack::Cards(52)),
            claims: Vec::new(),
            shown: Vec::new(),
            phase: Phase::DealByHost { first },
        }
    }

    pub(super) fn next(&self) -> Next {
        let choose = |seat, legal| Next::Choose { seat, legal };
        match &self.phase {
            Phase::Bet(seat) => choose(*seat, self.betting.legal(*seat)),
            Phase::Exchange { left, .. } => choose(left[0], Legal::Exchange),
            Phase::ShowOrMuck(left) => choose(left[0], Legal::ShowOrMuck),
            Phase::Over(outcome) => Next::Over(outcome.clone()),
            _ => Next::Open(self.due()),
        }
    }

    /// The openings that are due.
    fn due(&self) -> Vec<Opening> {
        let mut all = Seat::all(self.held.len());
        match &self.phase {
            Phase::DealByHost { .. } => openings(&self.dealt(), std::iter::once(Seat::HOST)),
            Phase::DealByOthers { .. } => openings(&self.dealt(), all.skip(1)),
            Phase::Board => {
                let board = self.kind.board(self.round)..self.kind.board(self.round + 1);
                let first = self.undealt;
                let cards: Vec<_> = board.map(|i| (first + i, Learners::All)).collect();
                openings(&cards, all)
            }
            Phase::Draw(cards) => openings(cards, all),
            Phase::Show(left) => {
                let cards = self.held[left[0].index()].iter();
                let cards: Vec<_> = cards.map(|&card| (card, Learners::All)).collect();
                openings(&cards, all.find(|&seat| seat == left[0]).into_iter())
            }
            _ => Vec::new(),
        }
    }

    /// The hole cards of all who are in the hand.
    fn dealt(&self) -> Vec<(usize, Learners)> {
        let hole = |seat: Seat| {
            let cards = self.held[seat.index()].iter();
            cards.map(move |&card| (card, Learners::Seat(seat)))
        };
        self.betting.live().flat_map(hole).collect()
    }

    pub(super) fn opened(&mut self, public: &[(usize, Card)]) -> Result<(), BadCards> {
        let due = self.due();
        if due.is_empty() {
            return Err(BadCards::NotDue);
        }
        self.seen.add(&due, public)?;
        match std::mem::replace(&mut self.phase, Phase::Board) {
            Phase::DealByHost { first } => self.phase = Phase::DealByOthers { first },
            Phase::DealByOthers { first } => self.bet_from(first),
            Phase::Show(mut left) => {
                let seat = left.remove(0);
                self.note_shown(seat);
                self.show_down(left);
            }
            // The board or the new cards.
            _ => self.next_round(),
        }
        Ok(())
    }

    pub(super) fn choose(&mut self, choice: &Choice) -> Result<(), Foul> {
        match (&mut self.phase, choice) {
            (&mut Phase::Bet(seat), _) => {
                self.betting.choose(seat, choice)?;
                self.bet_from(seat.next(self.held.len()));
            }
            (Phase::Exchange { .. }, Choice::Exchange(places)) => self.exchange(places)?,
            (Phase::ShowOrMuck(left), Choice::Show) => {
                self.phase = Phase::Show(std::mem::take(left));
            }
            (Phase::ShowOrMuck(left), Choice::Muck) => {
                let mut left = std::mem::take(left);
                let seat = left.remove(0);
                self.claims.iter_mut().for_each(|pot| pot.give_up(seat));
                self.show_down(left);
            }
            _ => return Err(Foul::WrongKind),
        }
        Ok(())
    }

    /// Goes on with the round, or with what comes after it.
    fn bet_from(&mut self, seat: Seat) {
        if let Some(seat) = self.betting.turn(seat) {
            self.phase = Phase::Bet(seat);
            return;
        }
        self.betting.return_uncalled();
        let live = self.betting.live().count();
        if live == 1 || self.round + 1 == self.kind.rounds() {
            self.claims = pots(self.betting.players());
            return self.show_down(self.order_of_showing());
        }
        self.phase = match self.kind {
            Kind::Holdem => Phase::Board,
            Kind::Draw => Phase::Exchange {
                left: self.betting.live_after(self.button).collect(),
                drawn: Vec::new(),
            },
        };
    }

    fn next_round(&mut self) {
        self.round += 1;
        let smallest = self.rules.smallest_bet();
        let late = self.round >= self.kind.rounds() / 2;
        let step = match self.rules.limit {
            Limit::Fixed if late => 2 * smallest,
            _ => smallest,
        };
        self.betting.begin_round(step);
        self.bet_from(self.button.next(self.held.len()));
    }

    /// Throws away the cards at these places; the next ones of the deck take their places.
    fn exchange(&mut self, places: &[u8]) -> Result<(), Foul> {
        let Phase::Exchange { left, drawn } = &mut self.phase else {
            return Err(Foul::WrongKind);
        };
        let rise = places.windows(2).all(|pair| pair[0] < pair[1]);
        if !rise || places.iter().any(|&place| place >= 5) {
            return Err(Foul::BadExchange);
        }
        let seat = left.remove(0);
        for &place in places {
            self.held[seat.index()][usize::from(place)] = self.undealt;
            drawn.push((self.undealt, Learners::Seat(seat)));
            self.undealt += 1;
        }
        match (left.is_empty(), drawn.is_empty()) {
            (true, true) => self.next_round(),
            (true, false) => self.phase = Phase::Draw(std::mem::take(drawn)),
            (false, _) => {}
        }
        Ok(())
    }

    /// Who bet or raised last in the last round shows first, or else the first seat left of the
    /// button; the others follow to the left (rule 17).
    fn order_of_showing(&self) -> Vec<Seat> {
        let mut order: Vec<Seat> = self.betting.live_after(self.button).collect();
        let first = self.betting.aggressor();
        let first = first.and_then(|first| order.iter().position(|&seat| seat == first));
        order.rotate_left(first.unwrap_or(0));
        order
    }

    /// Asks the next of these who has to show to win something; who is alone with all that it
    /// claims need not. After the last the chips are paid out.
    fn show_down(&mut self, mut left: Vec<Seat>) {
        let contests = |seat: &Seat| self.claims.iter().any(|pot| pot.contested_by(*seat));
        left.retain(contests);
        self.phase = match left.is_empty() {
            true => Phase::Over(self.pay_out()),
            false => Phase::ShowOrMuck(left),
        };
    }

    fn note_shown(&mut self, seat: Seat) {
        let cards = self.held[seat.index()].iter();
        let cards: Vec<Card> = cards.filter_map(|&card| self.seen.get(card)).collect();
        if let Some(rank) = HandRank::of(&[cards.clone(), self.board()].concat()) {
            self.shown.push(Shown { seat, cards, rank });
        }
    }

    fn pay_out(&self) -> Outcome {
        let seats: Vec<Seat> = self.betting.live_after(self.button).collect();
        let rank = |seat| {
            let mut shown = self.shown.iter();
            Some(shown.find(|shown| shown.seat == seat)?.rank)
        };
        let split = |pot: &Claims| pot.split(&seats, rank);
        let mut outcome = Outcome {
            stacks: self.betting.players().iter().map(|p| p.stack).collect(),
            pots: self.claims.iter().map(split).collect(),
            shown: self.shown.clone(),
        };
        for (seat, chips) in outcome.pots.iter().flat_map(|pot| &pot.winners) {
            outcome.stacks[seat.index()] += chips;
        }
        outcome
    }

    pub(super) fn betting(&self) -> &Betting {
        &self.betting
    }

    pub(super) fn held(&self, seat: Seat) -> &[usize] {
        self.held.get(seat.index()).map_or(&[], Vec::as_slice)
    }

    pub(super) fn seen(&self) -> &Seen {
        &self.seen
    }

    /// The cards on the board.
    pub(super) fn board(&self) -> Vec<Card> {
        let positions = (self.undealt..).take(self.kind.board(self.round));
        positions.filter_map(|card| self.seen.get(card)).collect()
    }
}
