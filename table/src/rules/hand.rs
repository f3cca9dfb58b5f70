//! A hand in play.

use super::betting::Player;
use super::choice::Choice;
use super::dealing::Seen;
use super::edition::Edition;
use super::foul::{BadCards, BadFaces, CannotDeal, Foul};
use super::free_deck::FreeDeck;
use super::next::{Next, Rolled};
use super::poker::Poker;
use super::stakes::Stakes;
use crate::seat::Seat;
use dealerless::deck::Card;

/// The most chips of a table: two amounts can still be added. Stakes and rebuys stay far below.
const MAX_CHIPS: u64 = 1 << 62;

/// A hand in play: what comes next follows from the stakes, the stacks, the button, and all that was
/// said and opened so far. It knows the cards that everybody sees, and no others.
///
/// # Where the cards lie
/// Hole cards are dealt in turn: card `i` of seat `s` at a table for `n` lies at position `i * n + s`,
/// also if a seat is not in the hand. Behind them lies the board, in the order of its streets, or
/// what an exchange brings, in the order in which seats and places asked for it. No card is burnt.
/// Hole cards are opened in two steps, by seat 0 alone and then by the others; a board, or the cards
/// of all exchanges, in one step of all seats. The deck without rules too begins with an opening of
/// seat 0 alone, of no card.
///
/// # The rules of poker
/// Those of the Poker Tournament Directors Association (2022, numbered), and where they leave it to
/// the house:
/// - With two in the hand the button has the small blind; it acts first before the flop and last
///   after it (34). With antes instead of blinds the first seat left of the button begins each round.
/// - A raise adds at least the last full bet or raise (43). An all-in may be less; it reopens the
///   betting only for who then faces a full raise in all (47), also with a fixed limit. There who is
///   next makes it a full bet.
/// - A blind that somebody cannot pay in full costs the others as much as ever. Nobody is asked for
///   chips that no other can match, and nobody can raise when no other could pay more.
/// - With a fixed limit a round has at most a bet and three raises, also with two seats, so that each
///   round ends. The big blind is a bet.
/// - What nobody matched goes back at the end of the round.
/// - Five-card draw: after the first round each seat from the left of the button on exchanges up to
///   five cards; then all see their new ones, and the second round begins.
/// - When all but one have folded, nothing is shown, and no more of the board is opened. When nobody
///   can bet any more, the rest of the board is opened street by street.
/// - When a seat is all in and nobody can bet any more, all contesting hands are turned up: in hold'em
///   before the rest of the board, in draw after the exchange (16). Under [`Edition::Two`] they are
///   shown or mucked like others.
/// - Otherwise the seat that bet or raised last in the last round shows first, or else the first seat
///   left of the button, then the others in turn (17). Each may show or muck. A seat that mucks gives up
///   its claim. A seat that is left alone with all that it claims wins it without being asked.
/// - Equal hands split a pot; odd chips go one by one to the first of them left of the button (20).
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
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn new(
        stakes: &Stakes,
        stacks: &[u64],
        button: Seat,
        edition: Edition,
    ) -> Result<Self, CannotDeal> {
        if stacks.len() != stakes.seats() {
            return Err(CannotDeal::Stacks(stacks.len()));
        }
        let game = match stakes.variety().poker() {
            Some((kind, rules)) => {
                check_chips(stacks, button)?;
                Game::Poker(Poker::new((kind, edition), rules, stacks, button))
            }
            None => {
                if button.index() >= stacks.len() {
                    return Err(CannotDeal::Button(button));
                }
                Game::FreeDeck(FreeDeck::new(stakes, button))
            }
        };
        Ok(Hand { button, game })
    }

    /// What comes next.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn next(&self) -> Next {
        match &self.game {
            Game::Poker(poker) => poker.next(),
            Game::FreeDeck(deck) => deck.next(),
        }
    }

    /// A seat chooses.
    ///
    /// # Errors
    /// The rule that it breaks. The hand is then as it was.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn choose(&mut self, seat: Seat, choice: &Choice) -> Result<(), Foul> {
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
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn opened(&mut self, public: &[(usize, Card)]) -> Result<(), BadCards> {
        match &mut self.game {
            Game::Poker(poker) => poker.opened(public),
            Game::FreeDeck(deck) => deck.opened(public),
        }
    }

    /// The roll that is due is complete: what each of the dice shows, from 1.
    ///
    /// # Errors
    /// If no such dice are to be rolled. The hand is then as it was.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn rolled(&mut self, faces: &[u32]) -> Result<(), BadFaces> {
        match &mut self.game {
            Game::Poker(_) => Err(BadFaces),
            Game::FreeDeck(deck) => deck.rolled(faces),
        }
    }

    /// The hand from which a card is stolen has been shuffled again and sealed; or it could not be, and
    /// lies there as before.
    ///
    /// # Errors
    /// If no card is to be stolen. The hand is then as it was.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn reshuffled(&mut self, sealed: bool) -> Result<(), Foul> {
        match &mut self.game {
            Game::Poker(_) => Err(Foul::NotAsked),
            Game::FreeDeck(deck) => deck.reshuffled(sealed),
        }
    }

    /// How many rolls of this hand are complete.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn rolls(&self) -> u32 {
        match &self.game {
            Game::Poker(_) => 0,
            Game::FreeDeck(deck) => deck.rolls(),
        }
    }

    /// The last roll that is complete.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn last_roll(&self) -> Option<&Rolled> {
        match &self.game {
            Game::Poker(_) => None,
            Game::FreeDeck(deck) => deck.last_roll(),
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

    /// What each seat paid before the cards, as a blind or an ante.
    pub fn posted(&self) -> Vec<u64> {
        self.of_each(|player| player.posted)
    }

    /// All chips in the pot, those of this round among them. What nobody matched goes back to who
    /// bet it at the end of a round.
    pub fn pot(&self) -> u64 {
        self.players().iter().map(|player| player.paid).sum()
    }

    /// Whether the seat can still win: it was dealt in and has not folded. In a game without chips
    /// nobody can.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn is_live(&self, seat: Seat) -> bool {
        let player = self.players().get(seat.index());
        player.is_some_and(|player| player.live)
    }

    /// Whether the seat may still be asked to choose in this hand of a game with chips, or is about to show: it has
    /// neither folded, shown nor mucked, and no hands are being turned up.
    pub(crate) fn may_still_choose(&self, seat: Seat) -> bool {
        match &self.game {
            Game::Poker(poker) => poker.may_still_choose(seat),
            Game::FreeDeck(_) => false,
        }
    }

    /// Whether a hand that was shown beats these cards of the seat in every pot that the seat contests.
    pub(crate) fn is_beaten(&self, seat: Seat, cards: &[Card]) -> bool {
        match &self.game {
            Game::Poker(poker) => poker.is_beaten(seat, cards),
            Game::FreeDeck(_) => false,
        }
    }

    /// The positions of the cards that the seat holds now, in the order of their places in the hand.
    /// In a deck without rules they are those that only this seat sees, and those that it has shown or stolen.
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

    /// What these cards of a seat make with the board, in words. `None` if they make nothing yet, and in a
    /// game without chips.
    pub fn made(&self, own: &[Card]) -> Option<String> {
        match &self.game {
            Game::Poker(poker) => poker.made(own),
            Game::FreeDeck(_) => None,
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
