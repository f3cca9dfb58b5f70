//! A hand of poker: hold'em or five-card draw.
//!
//! Rule numbers in comments refer to the rules of the Poker Tournament Directors Association, 2022.

mod gone;
mod settlement;

pub(super) use settlement::Lost;

use super::betting::Betting;
use super::betting_rules::{BettingRules, Limit};
use super::choice::Choice;
use super::dealing::{Seen, hole_cards};
use super::foul::{BadCards, Foul};
use super::next::{Learners, Legal, Next, Outcome, Pot, Shown};
use super::poker_kind::PokerKind;
use super::pots::{Claims, pots};
use super::ranking::HandRank;
use crate::seat::Seat;
use dealerless::deck::{Card, Pack};

/// A hand of poker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Poker {
    kind: PokerKind,
    rules: BettingRules,
    button: Seat,
    betting: Betting,
    /// The number of the betting round, from 0.
    round: usize,
    /// The positions of each seat's cards.
    held: Vec<Vec<usize>>,
    /// The first position that was not dealt to a seat.
    undealt: usize,
    seen: Seen,
    claims: Vec<Claims>,
    shown: Vec<Shown>,
    /// Whether all contesting hands have been turned up.
    face_up: bool,
    phase: Phase,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Phase {
    /// Each seat in the hand learns its hole cards. `first` will act first in the first round.
    Deal { first: Seat },
    /// It is the turn of this seat to bet, call, check or fold.
    Bet(Seat),
    /// The board of the next round is opened.
    Board,
    /// The seats exchange cards. `left` are the seats that have not exchanged yet, and `drawn` are
    /// the new cards so far.
    Exchange {
        left: Vec<Seat>,
        drawn: Vec<(usize, Learners)>,
    },
    /// The new cards are opened.
    Draw(Vec<(usize, Learners)>),
    /// All contesting seats open their hands to all seats.
    TurnUp,
    /// The first of these seats shows or mucks.
    ShowOrMuck(Vec<Seat>),
    /// The first of these seats has chosen to show, and opens its hand to all seats.
    Show(Vec<Seat>),
    /// The hand is over.
    Over(Outcome),
}

impl Poker {
    pub(super) fn new(
        kind: PokerKind,
        rules: BettingRules,
        stacks: &[u64],
        out: &[Seat],
        button: Seat,
    ) -> Self {
        let seats = stacks.len();
        let (betting, first) = Betting::new(&rules, stacks, out, button);
        // A seat that sits out holds no cards.
        let hole = |seat| match betting.live().any(|live| live == seat) {
            true => hole_cards(seat, seats, kind.hole_cards()),
            false => Vec::new(),
        };
        let held = Seat::all(seats).map(hole).collect();
        let mut poker = Poker {
            kind,
            rules,
            button,
            betting,
            round: 0,
            held,
            undealt: seats * kind.hole_cards(),
            seen: Seen::none(Pack::Cards(PokerKind::CARDS)),
            claims: Vec::new(),
            shown: Vec::new(),
            face_up: false,
            phase: Phase::Deal { first },
        };
        if poker.betting.live().count() < 2 {
            poker.phase = Phase::Over(poker.pay_out());
        }
        poker
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

    /// The cards that are to be opened, in ascending order of their positions.
    fn due(&self) -> Vec<(usize, Learners)> {
        let mut cards = match &self.phase {
            Phase::Deal { .. } => self.dealt(),
            Phase::Board => {
                let board = self.kind.board(self.round)..self.kind.board(self.round + 1);
                board.map(|i| (self.undealt + i, Learners::All)).collect()
            }
            Phase::Draw(cards) => cards.clone(),
            Phase::TurnUp => (self.contesting())
                .flat_map(|seat| self.hand_of(seat, Learners::All))
                .collect(),
            Phase::Show(left) => self.hand_of(left[0], Learners::All).collect(),
            _ => Vec::new(),
        };
        cards.sort_unstable();
        cards
    }

    /// The cards of a seat, with the seats that learn them.
    fn hand_of(&self, seat: Seat, to: Learners) -> impl Iterator<Item = (usize, Learners)> {
        let cards = self.held[seat.index()].iter();
        cards.map(move |&card| (card, to))
    }

    /// The seats that claim a pot together with another seat.
    fn contesting(&self) -> impl Iterator<Item = Seat> {
        let contests = |seat: &Seat| self.claims.iter().any(|pot| pot.contested_by(*seat));
        Seat::all(self.held.len()).filter(contests)
    }

    /// The hole cards of all seats in the hand.
    fn dealt(&self) -> Vec<(usize, Learners)> {
        let hole = |seat| self.hand_of(seat, Learners::Seat(seat));
        self.betting.live().flat_map(hole).collect()
    }

    pub(super) fn opened(&mut self, public: &[(usize, Card)]) -> Result<(), BadCards> {
        let due = self.due();
        if due.is_empty() {
            return Err(BadCards::NotDue);
        }
        self.seen.add(&due, public)?;
        match std::mem::replace(&mut self.phase, Phase::Board) {
            Phase::Deal { first } => self.bet_from(first),
            Phase::Show(mut left) => {
                let seat = left.remove(0);
                self.note_shown(seat);
                self.ask_to_show(left);
            }
            Phase::TurnUp => {
                self.face_up = true;
                self.after_round();
            }
            // The board or the new cards of an exchange.
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
                self.give_up(seat);
                self.ask_to_show(left);
            }
            _ => return Err(Foul::WrongKind),
        }
        Ok(())
    }

    /// Continues the round with the next seat that has to choose, starting with `seat`. If there is
    /// none, ends the round.
    fn bet_from(&mut self, seat: Seat) {
        if let Some(seat) = self.betting.turn(seat) {
            self.phase = Phase::Bet(seat);
            return;
        }
        self.betting.return_uncalled();
        self.claims = pots(self.betting.players());
        self.after_round();
    }

    /// Continues after a betting round, or after hands were turned up.
    fn after_round(&mut self) {
        let live = self.betting.live().count();
        let is_last = self.round + 1 == self.kind.rounds();
        if live > 1 && !self.face_up && self.turns_up(is_last) {
            self.phase = Phase::TurnUp;
            return;
        }
        if live == 1 || is_last {
            return self.showdown();
        }
        self.phase = match self.kind.exchanges() {
            false => Phase::Board,
            true => Phase::Exchange {
                left: self.betting.live_after(self.button).collect(),
                drawn: Vec::new(),
            },
        };
    }

    /// Whether all contesting hands are turned up now: a seat is all in, and no more bets are
    /// possible (rule 16). In a game with an exchange, hands stay closed before it.
    fn turns_up(&self, is_last: bool) -> bool {
        let settled = is_last || !self.kind.exchanges() && self.betting.is_settled();
        settled && self.betting.has_all_in()
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

    /// Discards the cards at these places, and replaces them with the next cards of the deck.
    fn exchange(&mut self, places: &[u8]) -> Result<(), Foul> {
        let Phase::Exchange { left, drawn } = &mut self.phase else {
            return Err(Foul::WrongKind);
        };
        let rise = places.windows(2).all(|pair| pair[0] < pair[1]);
        if !rise || (places.iter()).any(|&place| usize::from(place) >= self.kind.hole_cards()) {
            return Err(Foul::BadExchange);
        }
        let seat = left.remove(0);
        for &place in places {
            self.held[seat.index()][usize::from(place)] = self.undealt;
            drawn.push((self.undealt, Learners::Seat(seat)));
            self.undealt += 1;
        }
        let (left, drawn) = (std::mem::take(left), std::mem::take(drawn));
        self.resume_exchange(left, drawn);
        Ok(())
    }

    /// Continues the exchange. `left` are the seats that have not exchanged yet, and `drawn` are the
    /// new cards so far.
    fn resume_exchange(&mut self, left: Vec<Seat>, drawn: Vec<(usize, Learners)>) {
        match (left.is_empty(), drawn.is_empty()) {
            (true, true) => self.next_round(),
            (true, false) => self.phase = Phase::Draw(drawn),
            (false, _) => self.phase = Phase::Exchange { left, drawn },
        }
    }

    /// The order of the showdown, clockwise. The seat that bet or raised last in the last round
    /// shows first. If no seat did, the first seat left of the button shows first (rule 17).
    fn showdown_order(&self) -> Vec<Seat> {
        let mut order: Vec<Seat> = self.betting.live_after(self.button).collect();
        let first = self.betting.aggressor();
        let first = first.and_then(|first| order.iter().position(|&seat| seat == first));
        order.rotate_left(first.unwrap_or(0));
        order
    }

    /// Ends the betting. No more cards of the board are opened.
    fn showdown(&mut self) {
        let order = self.showdown_order();
        if !self.face_up {
            return self.ask_to_show(order);
        }
        order.into_iter().for_each(|seat| self.note_shown(seat));
        self.phase = Phase::Over(self.pay_out());
    }

    /// A seat gives up its claims to all pots that another seat claims too.
    fn give_up(&mut self, seat: Seat) {
        self.claims.iter_mut().for_each(|pot| pot.give_up(seat));
    }

    /// Asks the first seat in `left` that contests a pot to show or muck. A seat that claims its
    /// pots alone need not show. If no seat is left to ask, pays out the chips.
    fn ask_to_show(&mut self, mut left: Vec<Seat>) {
        left.retain(|seat| self.contesting().any(|other| other == *seat));
        self.phase = if left.is_empty() {
            Phase::Over(self.pay_out())
        } else {
            Phase::ShowOrMuck(left)
        };
    }

    /// Whether a shown hand beats these cards of a seat in every pot that the seat contests.
    pub(super) fn is_beaten(&self, seat: Seat, cards: &[Card]) -> bool {
        let own = self.best(cards).map(|(rank, _)| rank);
        let beats = |pot: &Claims| {
            let mut shown = self.shown.iter();
            shown.any(|shown| {
                pot.contested_by(shown.seat) && own.is_some_and(|own| shown.rank > own)
            })
        };
        let mut contested = self.claims.iter().filter(|pot| pot.contested_by(seat));
        contested.all(beats)
    }

    /// Whether a card that no seat has seen may still have to be opened.
    pub(super) fn may_open_more(&self) -> bool {
        let is_over = matches!(self.phase, Phase::Over(_));
        !is_over && self.round + 1 < self.kind.rounds()
    }

    /// Whether the seat may still be asked to choose, or has chosen to show and not opened its hand
    /// yet.
    pub(super) fn may_still_choose(&self, seat: Seat) -> bool {
        match &self.phase {
            Phase::TurnUp | Phase::Over(_) => false,
            Phase::ShowOrMuck(left) | Phase::Show(left) => left.contains(&seat),
            _ => self.betting.player(seat).live && !self.face_up,
        }
    }

    /// The rank of the best five of a seat's cards and the board, and these five cards.
    fn best(&self, own: &[Card]) -> Option<(HandRank, Vec<Card>)> {
        self.kind.best(own, &self.board())
    }

    /// The hand that these cards of a seat make with the board, in words.
    pub(super) fn made(&self, own: &[Card]) -> Option<String> {
        self.kind.made(own, &self.board())
    }

    fn note_shown(&mut self, seat: Seat) {
        let cards = self.held[seat.index()].iter();
        let cards: Vec<Card> = cards.filter_map(|&card| self.seen.get(card)).collect();
        if let Some((rank, best)) = self.best(&cards) {
            self.shown.push(Shown {
                seat,
                cards,
                rank,
                best,
            });
        }
    }

    fn pay_out(&self) -> Outcome {
        let seats: Vec<Seat> = self.betting.live_after(self.button).collect();
        let rank = |seat| {
            let mut shown = self.shown.iter();
            Some(shown.find(|shown| shown.seat == seat)?.rank)
        };
        let split = |pot: &Claims| pot.split(&seats, rank);
        let pots: Vec<Pot> = self.claims.iter().map(split).collect();
        let winners = pots.iter().flat_map(|pot| &pot.winners);
        Outcome {
            stacks: self.stacks_with(winners.copied()),
            pots,
            shown: self.shown.clone(),
        }
    }

    /// The chips of each seat that are not bet, and these gains.
    fn stacks_with(&self, gains: impl IntoIterator<Item = (Seat, u64)>) -> Vec<u64> {
        let players = self.betting.players().iter();
        let mut stacks: Vec<u64> = players.map(|player| player.stack).collect();
        for (seat, chips) in gains {
            stacks[seat.index()] += chips;
        }
        stacks
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Seat 0 has aces. Seat 1 has kings and has shown them.
    #[test]
    fn a_hand_is_beaten_once_a_better_one_is_shown_in_every_contested_pot() {
        let rules = BettingRules {
            stack: 100,
            limit: Limit::NoLimit,
            posts: super::super::betting_rules::Posts::Blinds { small: 1, big: 2 },
        };
        let mut hand = Poker::new(PokerKind::Holdem, rules, &[100, 100], &[], Seat::HOST);
        let card = |(position, name): (usize, u64)| (position, Card(name));
        // 7c 9d Jc 3s 2h: the board gives nobody more than a pair.
        let board = [(4, 5), (5, 20), (6, 9), (7, 40), (8, 26)].map(card);
        hand.opened(&[]).unwrap();
        hand.choose(&Choice::Call).unwrap();
        hand.choose(&Choice::Check).unwrap();
        for street in [&board[..3], &board[3..4], &board[4..]] {
            hand.opened(street).unwrap();
            hand.choose(&Choice::Check).unwrap();
            hand.choose(&Choice::Check).unwrap();
        }
        let [kings, queens, aces] = [11, 10, 12].map(|rank| [Card(rank), Card(13 + rank)]);
        assert!(!hand.is_beaten(Seat::HOST, &queens), "no hand is shown yet");
        hand.choose(&Choice::Show).unwrap();
        hand.opened(&[(1, kings[0]), (3, kings[1])]).unwrap();
        assert!(hand.is_beaten(Seat::HOST, &queens));
        assert!(!hand.is_beaten(Seat::HOST, &aces));
        let equal = [Card(26 + 11), Card(39 + 11)];
        assert!(
            !hand.is_beaten(Seat::HOST, &equal),
            "equal hands split the pot"
        );
    }
}
