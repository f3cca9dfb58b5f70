//! A hand in play.

use super::betting::Player;
use super::choice::Choice;
use super::dealing::Seen;
use super::foul::{BadCards, CannotDeal, Foul};
use super::free_deck::FreeDeck;
use super::next::Next;
use super::poker::{Kind, Poker};
use super::stakes::{Stakes, Variety};
use crate::seat::Seat;
use dealerless::deck::Card;

/// The most chips of a table: two amounts can still be added. Stakes and rebuys stay far below.
const MAX_CHIPS: u64 = 1 << 62;

/// A hand in play: what comes next follows from the stakes, the stacks, the button, and all that was
/// said and opened so far.
///
/// It knows the cards that everybody sees, and no others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hand {
    button: Seat,
    game: Game,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Game {
    Poker(Poker),
    FreeDeck(FreeDeck),
}

impl Hand {
    /// A new hand: antes or blinds are paid, and no card is open. `stacks` has the chips of each
    /// seat; a seat without chips is not in the hand. In a game without chips all are 0.
    ///
    /// # Errors
    /// If no hand can be dealt so.
    pub fn new(stakes: &Stakes, stacks: &[u64], button: Seat) -> Result<Self, CannotDeal> {
        if stacks.len() != stakes.seats() {
            return Err(CannotDeal::Stacks(stacks.len()));
        }
        let game = match stakes.variety() {
            Variety::Deck { .. } => {
                let (cards, drawn) = stakes.deck();
                if button.index() >= stacks.len() {
                    return Err(CannotDeal::Button(button));
                }
                Game::FreeDeck(FreeDeck::new(stacks.len(), cards, drawn, button))
            }
            Variety::Holdem(rules) => {
                check_chips(stacks, button)?;
                Game::Poker(Poker::new(Kind::Holdem, rules, stacks, button))
            }
            Variety::FiveCardDraw(rules) => {
                check_chips(stacks, button)?;
                Game::Poker(Poker::new(Kind::Draw, rules, stacks, button))
            }
        };
        Ok(Hand { button, game })
    }

    /// What comes next.
    pub fn next(&self) -> Next {
        match &self.game {
            Game::Poker(poker) => poker.next(),
            Game::FreeDeck(deck) => deck.next(),
        }
    }

    /// A seat chooses.
    ///
    /// # Errors
    /// The rule that it breaks. The hand is then as it was.
    pub fn choose(&mut self, seat: Seat, choice: &Choice) -> Result<(), Foul> {
        match self.next() {
            Next::Choose { seat: turn, .. } if turn != seat => Err(Foul::OutOfTurn { seat, turn }),
            Next::Choose { .. } => match &mut self.game {
                Game::Poker(poker) => poker.choose(choice),
                Game::FreeDeck(deck) => deck.choose(choice),
            },
            _ => Err(Foul::NotAsked),
        }
    }

    /// The opening that is due is complete. `public` are the cards that it opens to everybody, in
    /// any order; it is empty if there are none.
    ///
    /// # Errors
    /// If they are not exactly these cards, or no cards of the deck. The hand is then as it was.
    pub fn opened(&mut self, public: &[(usize, Card)]) -> Result<(), BadCards> {
        match &mut self.game {
            Game::Poker(poker) => poker.opened(public),
            Game::FreeDeck(deck) => deck.opened(public),
        }
    }

    /// Who has the button.
    pub fn button(&self) -> Seat {
        self.button
    }

    /// The chips of each seat that are not bet.
    pub fn stacks(&self) -> Vec<u64> {
        self.of_each(|player| player.stack)
    }

    /// What each seat has bet in this round.
    pub fn bets(&self) -> Vec<u64> {
        self.of_each(|player| player.bet)
    }

    /// All chips in the pot, those of this round among them. What nobody matched goes back to who
    /// bet it at the end of a round.
    pub fn pot(&self) -> u64 {
        self.players().iter().map(|player| player.paid).sum()
    }

    /// Whether the seat can still win: it was dealt in and has not folded. In a game without chips
    /// nobody can.
    pub fn is_live(&self, seat: Seat) -> bool {
        let player = self.players().get(seat.index());
        player.is_some_and(|player| player.live)
    }

    /// The positions of the cards that the seat holds now, in the order of their places in the hand.
    /// In a deck without rules they are those that only this seat sees.
    pub fn held(&self, seat: Seat) -> Vec<usize> {
        match &self.game {
            Game::Poker(poker) => poker.held(seat).to_vec(),
            Game::FreeDeck(deck) => deck.held(seat),
        }
    }

    /// The card at this position, if everybody has seen it.
    pub fn public(&self, position: usize) -> Option<Card> {
        self.seen().get(position)
    }

    /// The board: empty in all games but hold'em.
    pub fn board(&self) -> Vec<Card> {
        match &self.game {
            Game::Poker(poker) => poker.board(),
            Game::FreeDeck(_) => Vec::new(),
        }
    }

    fn seen(&self) -> &Seen {
        match &self.game {
            Game::Poker(poker) => poker.seen(),
            Game::FreeDeck(deck) => deck.seen(),
        }
    }

    fn of_each(&self, chips: impl Fn(&Player) -> u64) -> Vec<u64> {
        match &self.game {
            Game::Poker(poker) => poker.betting().players().iter().map(chips).collect(),
            Game::FreeDeck(deck) => vec![0; deck.seats()],
        }
    }

    fn players(&self) -> &[Player] {
        match &self.game {
            Game::Poker(poker) => poker.betting().players(),
            Game::FreeDeck(_) => &[],
        }
    }
}

fn check_chips(stacks: &[u64], button: Seat) -> Result<(), CannotDeal> {
    let sum = stacks.iter().try_fold(0_u64, |sum, &s| sum.checked_add(s));
    if sum.is_none_or(|sum| sum > MAX_CHIPS) {
        return Err(CannotDeal::TooManyChips);
    }
    if stacks.iter().filter(|&&stack| stack > 0).count() < 2 {
        return Err(CannotDeal::NoOpponent);
    }
    match stacks.get(button.index()) {
        Some(1..) => Ok(()),
        _ => Err(CannotDeal::Button(button)),
    }
}
