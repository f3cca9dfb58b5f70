//! A hand in play.

use super::betting::Player;
use super::choice::Choice;
use super::dealing::Seen;
use super::foul::{BadCards, BadFaces, CannotDeal, Foul};
use super::free_deck::FreeDeck;
use super::goods::Goods;
use super::next::{Next, Rolled, Stolen};
use super::poker::{Lost, Poker};
use super::stakes::Stakes;
use crate::seat::Seat;
use dealerless::deck::Card;

/// The maximum number of chips at a table, so that the sum of two amounts fits into 64 bits. Stakes
/// and rebuys stay far below it.
const MAX_CHIPS: u64 = 1 << 62;

/// The rule of `Hand::settled` that decides the chips of a hand that cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettledBy {
    /// The hand is over: its result counts.
    Result,
    /// The deck is not final: each seat takes back its bets.
    NotFinal,
    /// Only this seat has not folded and is not lost: it wins the pot.
    OneLeft(Seat),
    /// Only lost seats have not shown or mucked: the shown hands win the pots.
    Showdown,
    /// Each other seat takes back its bets, and the bets of the lost seats are divided.
    Division,
}

/// A hand in play. The next action follows from the stakes, the stacks, the button, and all choices
/// and openings so far. A hand knows only the cards that everybody has seen.
///
/// # Positions of cards
/// Hole cards are dealt in turn: card `i` of seat `s` at a table with `n` seats is at position `i *
/// n + s`, even if some seats are not in the hand. The next positions hold the board, in the order
/// of its streets, or the new cards of an exchange, in the order in which seats and places asked
/// for them. No card is burnt. All hole cards are opened together, and so are the cards of a street
/// and the new cards of all exchanges.
///
/// # The rules of poker
/// The rules are those of the Poker Tournament Directors Association (2022, rule numbers in
/// parentheses). The following rules add details, or decide what these rules leave to the house:
/// - With two seats in the hand, the button has the small blind. The button acts first before the
///   flop and last after the flop (34). With antes instead of blinds, the first seat left of the
///   button starts each round.
/// - A raise adds at least the last full bet or raise (43). An all-in raise may add less. It
///   reopens the betting only for a seat that faces a full raise in total (47). The same holds with
///   a fixed limit, where the next raise completes the all-in to a full bet.
/// - If a seat cannot pay its blind in full, the other seats still pay the full amount. No seat is
///   asked for chips that no other seat can match, and no seat can raise when no other seat could
///   pay more.
/// - With a fixed limit, a round has at most a bet and three raises, also with two seats, so that
///   each round ends. The big blind counts as a bet.
/// - Unmatched chips are returned at the end of the round.
/// - Five-card draw: after the first round, each seat exchanges up to five cards, starting left of
///   the button. Then all seats see their new cards, and the second round starts.
/// - When all seats but one have folded, no hand is shown and no more of the board is opened. When
///   no more bets are possible, the rest of the board is opened street by street.
/// - When a seat is all in and no more bets are possible, all contesting hands are turned up: in
///   hold'em before the rest of the board, in draw after the exchange (16).
/// - Otherwise the seats show or muck in turn, starting with the seat that bet or raised last in
///   the last round. If no seat did, the first seat left of the button starts (17). A seat that
///   mucks gives up its claim. A seat that is the only one left to claim a pot wins it without
///   being asked.
/// - Equal hands split a pot. Odd chips go one by one to the first winners left of the button (20).
/// - A seat that sits out keeps its chips: it has no cards and pays no blind or ante. Who has the
///   button follows from the big blind ([`Blinds`](super::Blinds)), in place of rules 32 and 33. If
///   fewer than two seats play, the hand is over at once, and the chips are unchanged.
/// - A seat that leaves the table folds at once, whoever's turn it is. Its bets stay in the pot, the
///   other seats still have to call them, and its other chips stay in its stack. If it made the last
///   bet of the last round, the first seat left of the button shows first. At the showdown, the seat
///   mucks instead of folding. If it has already shown, it keeps its claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hand {
    button: Seat,
    game: Game,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Game {
    Poker(Poker),
    FreeDeck(FreeDeck),
    Goods(Goods),
}

impl Hand {
    /// Starts a hand: antes or blinds are paid, and no card is open. `stacks` has the chips of each
    /// seat; a seat without chips is not in the hand. The seats `out` sit out. In a game without
    /// chips, all stacks are 0; in a board game, the seats `out` get no turns, and in a deck without
    /// rules, no seat sits out.
    ///
    /// # Errors
    /// If no hand can be dealt with these stacks or this button.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn new(
        stakes: &Stakes,
        stacks: &[u64],
        out: &[Seat],
        button: Seat,
    ) -> Result<Self, CannotDeal> {
        if stacks.len() != stakes.seats() {
            return Err(CannotDeal::Stacks(stacks.len()));
        }
        let Some((kind, rules)) = stakes.variety().poker() else {
            if button.index() >= stacks.len() {
                return Err(CannotDeal::Button(button));
            }
            let game = match stakes.game() {
                Some(game) => Game::Goods(Goods::new(game, stakes, out, button)),
                None => Game::FreeDeck(FreeDeck::new(stakes, button)),
            };
            return Ok(Hand { button, game });
        };
        check_chips(stacks, button)?;
        let plays = |seat: &Seat| stacks[seat.index()] > 0 && !out.contains(seat);
        let button = button.around(stacks.len()).find(plays).unwrap_or(button);
        let game = Game::Poker(Poker::new(kind, rules, stacks, out, button));
        Ok(Hand { button, game })
    }

    /// The next action.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn next(&self) -> Next {
        match &self.game {
            Game::Poker(poker) => poker.next(),
            Game::FreeDeck(deck) => deck.next(),
            Game::Goods(goods) => goods.next(),
        }
    }

    /// Applies the choice of a seat.
    ///
    /// # Errors
    /// The violated rule. The hand is then unchanged.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn choose(&mut self, seat: Seat, choice: &Choice) -> Result<(), Foul> {
        match self.next() {
            Next::Choose { seat: turn, .. } if turn != seat => Err(Foul::OutOfTurn { seat, turn }),
            Next::Choose { .. } => match &mut self.game {
                Game::Poker(poker) => poker.choose(choice),
                Game::FreeDeck(deck) => deck.choose(choice),
                Game::Goods(goods) => goods.choose(choice),
            },
            _ => Err(Foul::NotAsked),
        }
    }

    /// Completes the opening that is due. `public` are the cards that the opening shows to all
    /// seats, in any order. It may be empty.
    ///
    /// # Errors
    /// If `public` are not exactly the cards to be opened, or not cards of the deck. The hand is
    /// then unchanged.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn opened(&mut self, public: &[(usize, Card)]) -> Result<(), BadCards> {
        match &mut self.game {
            Game::Poker(poker) => poker.opened(public),
            Game::FreeDeck(deck) => deck.opened(public),
            Game::Goods(goods) => goods.opened(public),
        }
    }

    /// Completes the roll that is due. `faces` has the face of each die, from 1.
    ///
    /// # Errors
    /// If no roll with such faces is due. The hand is then unchanged.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn rolled(&mut self, faces: &[u32]) -> Result<(), BadFaces> {
        match &mut self.game {
            Game::Poker(_) => Err(BadFaces),
            Game::FreeDeck(deck) => deck.rolled(faces),
            Game::Goods(goods) => goods.rolled(faces),
        }
    }

    /// Continues after the reshuffle for a steal. `sealed` is `true` if the owner's cards were
    /// reshuffled and sealed. If it is `false`, the reshuffle has failed, and the owner keeps its
    /// cards.
    ///
    /// # Errors
    /// If no steal is in progress. The hand is then unchanged.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn reshuffled(&mut self, sealed: bool) -> Result<(), Foul> {
        match &mut self.game {
            Game::Poker(_) | Game::Goods(_) => Err(Foul::NotAsked),
            Game::FreeDeck(deck) => deck.reshuffled(sealed),
        }
    }

    /// Completes the mix of goods that is due.
    ///
    /// # Errors
    /// If no mix is due. The hand is then unchanged.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn mixed(&mut self) -> Result<(), Foul> {
        match &mut self.game {
            Game::Goods(goods) => goods.mixed(),
            Game::Poker(_) | Game::FreeDeck(_) => Err(Foul::NotAsked),
        }
    }

    /// Continues without a seat that has left the table, at any moment and whoever's turn it is. A
    /// seat can be reported more than once. Does nothing if the hand is over.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn gone(&mut self, seat: Seat) {
        match &mut self.game {
            Game::Poker(poker) => poker.gone(seat),
            Game::FreeDeck(deck) => deck.gone(),
            Game::Goods(goods) => goods.gone(seat),
        }
    }

    /// The chips of each seat if the hand cannot go on because the seats in `convicted` and `missing`
    /// are lost. A missing seat is absent or gone, including every seat that was passed to
    /// [`gone`](Self::gone). `finalised` is true once the deck is final. All 0 in a game without
    /// chips.
    ///
    /// The first rule that applies decides:
    /// 1. The hand is over: its outcome counts.
    /// 2. The deck is not final: each seat takes back what it has paid into the pot.
    /// 3. One seat has not folded and is not lost: it wins the whole pot.
    /// 4. The hand is in its showdown, only lost seats have not shown or mucked yet, and a seat that
    ///    is not convicted has shown: the lost seats muck in turn, except the missing seats that have
    ///    shown. Then the pots are paid.
    /// 5. Otherwise, each seat that is not lost takes back what it has paid, even if it has folded.
    ///    The seats that have not folded and are not lost divide what the lost seats have paid. Odd
    ///    chips go one by one to the first of these seats left of the button. If there is no such
    ///    seat, all seats that are not lost take its place. If all seats are lost, each seat takes
    ///    back what it has paid.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn settled(
        &self,
        convicted: &[Seat],
        missing: &[Seat],
        finalised: bool,
    ) -> Vec<u64> {
        self.settlement(convicted, missing, finalised).1
    }

    /// Like [`settled`](Self::settled), with the rule that decides.
    pub(crate) fn settlement(
        &self,
        convicted: &[Seat],
        missing: &[Seat],
        finalised: bool,
    ) -> (SettledBy, Vec<u64>) {
        let lost = Lost { convicted, missing };
        match &self.game {
            Game::Poker(poker) => poker.settled(lost, finalised),
            Game::FreeDeck(deck) => (SettledBy::NotFinal, vec![0; deck.seats()]),
            Game::Goods(goods) => (SettledBy::NotFinal, vec![0; goods.seats()]),
        }
    }

    /// Whether a card that no seat has seen may still have to be opened in this hand.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn may_open_more(&self) -> bool {
        match &self.game {
            Game::Poker(poker) => poker.may_open_more(),
            Game::FreeDeck(_) | Game::Goods(_) => !matches!(self.next(), Next::Over(_)),
        }
    }

    /// In a board game: the number of the coin that decides the roll that is due. A roll that is due
    /// for the same reason keeps its coin.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn coin(&self) -> u32 {
        self.board_game().map_or(0, Goods::coin)
    }

    /// The kinds of the goods that were gained after the first `count` goods of this hand.
    pub(crate) fn gained_after(&self, count: usize) -> Vec<u8> {
        let goods = self.board_game().into_iter();
        goods.flat_map(|goods| goods.gained_after(count)).collect()
    }

    /// In a board game: the goods of a seat, in ascending order of their positions, with the kinds of
    /// those that are public.
    pub fn goods(&self, seat: Seat) -> Vec<(usize, Option<u8>)> {
        let goods = self.board_game().into_iter();
        goods.flat_map(|goods| goods.goods_of(seat)).collect()
    }

    /// In a board game: the good that was stolen last, until the next choice.
    pub(crate) fn last_steal(&self) -> Option<Stolen> {
        self.board_game()?.last_steal()
    }

    /// The number of completed rolls in this hand.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn rolls(&self) -> u32 {
        match &self.game {
            Game::Poker(_) | Game::Goods(_) => 0,
            Game::FreeDeck(deck) => deck.rolls(),
        }
    }

    /// The last completed roll. In a board game, until the next choice.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn last_roll(&self) -> Option<&Rolled> {
        match &self.game {
            Game::Poker(_) => None,
            Game::FreeDeck(deck) => deck.last_roll(),
            Game::Goods(goods) => goods.last_roll(),
        }
    }

    /// The seat that has the button.
    pub fn button(&self) -> Seat {
        self.button
    }

    /// The chips of each seat that are not bet.
    pub fn stacks(&self) -> Vec<u64> {
        self.of_each(|player| player.stack)
    }

    /// The chips that each seat has bet in this round.
    pub fn bets(&self) -> Vec<u64> {
        self.of_each(|player| player.bet)
    }

    /// The chips that each seat paid before the deal, as a blind or an ante.
    pub fn posted(&self) -> Vec<u64> {
        self.of_each(|player| player.posted)
    }

    /// All chips in the pot, including those of this round. Unmatched chips are returned at the end
    /// of a round.
    pub fn pot(&self) -> u64 {
        self.players().iter().map(|player| player.paid).sum()
    }

    /// Whether the seat can still win: it was dealt in and has not folded. In a game without chips,
    /// no seat can win.
    pub fn is_live(&self, seat: Seat) -> bool {
        let player = self.players().get(seat.index());
        player.is_some_and(|player| player.live)
    }

    /// Whether the seat may still be asked to choose in this hand of a game with chips, or is about
    /// to show: it has not folded, shown or mucked, and no hands are being turned up.
    pub(crate) fn may_still_choose(&self, seat: Seat) -> bool {
        self.poker()
            .is_some_and(|poker| poker.may_still_choose(seat))
    }

    /// Whether a shown hand beats these cards of the seat in every pot that the seat contests.
    pub(crate) fn is_beaten(&self, seat: Seat, cards: &[Card]) -> bool {
        self.poker()
            .is_some_and(|poker| poker.is_beaten(seat, cards))
    }

    /// The positions of the cards that the seat holds now, in the order of their places in the
    /// hand. In a deck without rules, these are the cards that only this seat sees, and the cards
    /// that it has shown or stolen. In a board game, these are the cards that the seat has drawn, and its
    /// goods.
    pub fn held(&self, seat: Seat) -> Vec<usize> {
        match &self.game {
            Game::Poker(poker) => poker.held(seat).to_vec(),
            Game::FreeDeck(deck) => deck.held(seat),
            Game::Goods(goods) => goods.held(seat),
        }
    }

    /// The card at this position, if everybody has seen it.
    pub fn public(&self, position: usize) -> Option<Card> {
        self.seen().get(position)
    }

    /// The board. Empty in all games but hold'em.
    pub fn board(&self) -> Vec<Card> {
        self.poker().map(Poker::board).unwrap_or_default()
    }

    /// The hand that these cards of a seat make with the board, in words. `None` if there are too
    /// few cards, and in a game without chips.
    pub fn made(&self, own: &[Card]) -> Option<String> {
        self.poker()?.made(own)
    }

    fn poker(&self) -> Option<&Poker> {
        match &self.game {
            Game::Poker(poker) => Some(poker),
            Game::FreeDeck(_) | Game::Goods(_) => None,
        }
    }

    fn board_game(&self) -> Option<&Goods> {
        match &self.game {
            Game::Goods(goods) => Some(goods),
            Game::Poker(_) | Game::FreeDeck(_) => None,
        }
    }

    fn seen(&self) -> &Seen {
        match &self.game {
            Game::Poker(poker) => poker.seen(),
            Game::FreeDeck(deck) => deck.seen(),
            Game::Goods(goods) => goods.seen(),
        }
    }

    fn of_each(&self, chips: impl Fn(&Player) -> u64) -> Vec<u64> {
        match &self.game {
            Game::Poker(poker) => poker.betting().players().iter().map(chips).collect(),
            Game::FreeDeck(deck) => vec![0; deck.seats()],
            Game::Goods(goods) => vec![0; goods.seats()],
        }
    }

    fn players(&self) -> &[Player] {
        self.poker().map_or(&[], |poker| poker.betting().players())
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
