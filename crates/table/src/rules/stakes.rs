//! The stakes: what the players agree on before a match.

use dealerless::shuffle::split::Split;
use dealerless_connection::wire::{Malformed, Reader, Writer};

use super::betting_rules::BettingRules;
use super::choice::Choice;
use super::game::{BadGame, Game};
use super::kinds::{BadKinds, NamedKinds};
use super::poker_kind::PokerKind;

/// The game, the number of hands, the number of seats and the betting rules.
///
/// The values are always in bounds: all constructors and `Stakes::decode` refuse other
/// values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stakes {
    variety: Variety,
    /// The kinds of cards. Only in a deck without rules, and then with the same total number of
    /// cards.
    kinds: Option<NamedKinds>,
    /// The decks and goods of a board game. Only in such a game, and then with the same total number
    /// of cards.
    game: Option<Game>,
    seats: u8,
    hands: u32,
}

/// The game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variety {
    /// Poker, with 52 cards.
    Poker(PokerKind, BettingRules),
    /// A deck without rules and without chips: the seats agree during the hand who sees which card.
    Deck {
        /// The number of cards in the deck.
        cards: u32,
        /// The number of cards that are drawn and can be opened.
        drawn: u32,
    },
    /// Boards of bridge, dealt by both seats jointly, without chips: the seats agree during the
    /// game who sees which hands.
    Boards {
        /// The number of boards.
        boards: u32,
    },
    /// The parts of a board game, without chips, with a verifiable deck only: several decks, goods,
    /// trades and dice. The rules of the game itself are those of the program that uses this library.
    Game {
        /// The number of cards in all decks.
        cards: u32,
    },
}

/// The stakes are out of bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StakesError {
    /// There are too few or too many seats.
    #[error("this game has 2 to {most} seats, not {seats}")]
    Seats {
        /// The given number of seats.
        seats: u8,
        /// The maximum number of seats for this game.
        most: u8,
    },
    /// There are too few or too many hands.
    #[error("a match has 1 to {most} hands, not {0}", most = Stakes::MAX_HANDS)]
    Hands(u32),
    /// There are too few or too many chips.
    #[error("a stack is 1 to {most} chips, not {0}", most = Stakes::MAX_STACK)]
    Stack(u64),
    /// A blind is zero or more than a stack, or the small blind is larger than the big blind.
    #[error(
        "the blinds {small}/{big} must be 1 to {stack} (a stack), and the small blind at most the big blind"
    )]
    Blinds {
        /// The small blind.
        small: u64,
        /// The big blind.
        big: u64,
        /// A stack.
        stack: u64,
    },
    /// The ante or the smallest bet is zero or more than a stack, or the ante is larger than the
    /// bet.
    #[error(
        "the ante {ante} and the smallest bet {bet} must be 1 to {stack} (a stack), and the ante at most the bet"
    )]
    Antes {
        /// The ante.
        ante: u64,
        /// The smallest bet.
        bet: u64,
        /// A stack.
        stack: u64,
    },
    /// The deck cannot be dealt.
    #[error(
        "a deck has 2 to {most} cards, and 1 to all of them are drawn, not {drawn} of {cards}",
        most = Stakes::MAX_CARDS
    )]
    Deck {
        /// The number of cards in the deck.
        cards: u32,
        /// The number of drawn cards.
        drawn: u32,
    },
    /// There are too few or too many boards.
    #[error("1 to {most} boards can be dealt together, not {0}", most = Stakes::MAX_BOARDS)]
    Boards(u32),
    /// The kinds of cards are invalid.
    #[error(transparent)]
    Kinds(#[from] BadKinds),
    /// The decks or goods of a board game are invalid.
    #[error(transparent)]
    Game(#[from] BadGame),
    /// The bytes are not an output of `Stakes::encode`.
    #[error("invalid encoding of the stakes")]
    Malformed,
}

impl From<Malformed> for StakesError {
    fn from(Malformed: Malformed) -> Self {
        StakesError::Malformed
    }
}

impl Stakes {
    /// The maximum number of seats in a match. With more seats, hold'em has too few cards for the
    /// hands and the board.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) const MAX_SEATS: u8 = 23;
    /// The maximum number of seats in a board game: those of a verifiable deck.
    const MAX_GAME_SEATS: u8 = 10;
    /// The maximum number of hands in a match.
    pub(crate) const MAX_HANDS: u32 = 1_000_000;
    /// The maximum number of chips in a stack. With [`MAX_HANDS`](Self::MAX_HANDS) rebuys of all
    /// seats, the chips of a table still fit into 64 bits.
    pub(crate) const MAX_STACK: u64 = 1_000_000_000;
    /// The maximum number of cards in a deck.
    pub(crate) const MAX_CARDS: u32 = 4096;
    /// The maximum number of boards that are dealt together.
    pub(crate) const MAX_BOARDS: u32 = Split::MAX_BOARDS as u32;
    /// The maximum length of an encoding in bytes.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) const MAX_LEN: usize = 1 + Game::MAX_LEN + 1 + 4;

    /// Creates stakes.
    ///
    /// # Errors
    /// The first value that is out of bounds.
    pub fn new(variety: Variety, seats: u8, hands: u32) -> Result<Self, StakesError> {
        Self::checked((variety, None, None), seats, hands)
    }

    /// Creates stakes for a [board game](Variety::Game).
    ///
    /// # Errors
    /// The first value that is out of bounds.
    pub fn of_game(game: Game, seats: u8, hands: u32) -> Result<Self, StakesError> {
        let variety = with_game(&game);
        Self::checked((variety, None, Some(game)), seats, hands)
    }

    /// Creates stakes for a [deck without rules](Variety::Deck) with cards of these kinds. The
    /// kinds do not change what can be done with the cards: the rules only use positions.
    ///
    /// # Errors
    /// The first value that is out of bounds.
    pub fn of_kinds(
        kinds: NamedKinds,
        drawn: u32,
        seats: u8,
        hands: u32,
    ) -> Result<Self, StakesError> {
        let variety = of_these(&kinds, drawn);
        Self::checked((variety, Some(kinds), None), seats, hands)
    }

    fn checked((variety, kinds, game): Played, seats: u8, hands: u32) -> Result<Self, StakesError> {
        let stakes = Stakes {
            variety,
            kinds,
            game,
            seats,
            hands,
        };
        stakes.check()?;
        Ok(stakes)
    }

    /// The same stakes for another number of seats.
    ///
    /// # Errors
    /// If the number is out of bounds.
    pub(crate) fn with_seats(&self, seats: u8) -> Result<Self, StakesError> {
        let stakes = Stakes {
            seats,
            ..self.clone()
        };
        stakes.check()?;
        Ok(stakes)
    }

    /// The game.
    pub fn variety(&self) -> Variety {
        self.variety
    }

    /// The kinds of the cards, if the deck without rules has kinds.
    pub fn kinds(&self) -> Option<&NamedKinds> {
        self.kinds.as_ref()
    }

    /// The decks and goods, if the game is a board game.
    pub fn game(&self) -> Option<&Game> {
        self.game.as_ref()
    }

    /// The number of seats.
    pub fn seats(&self) -> usize {
        usize::from(self.seats)
    }

    /// The number of hands in the match.
    pub fn hands(&self) -> u32 {
        self.hands
    }

    /// The betting rules, if the game has chips.
    pub fn betting(&self) -> Option<BettingRules> {
        self.variety.poker().map(|(_, betting)| betting)
    }

    /// The chips of each seat at the start. 0 in a game without chips.
    pub fn stack(&self) -> u64 {
        self.betting().map_or(0, |betting| betting.stack)
    }

    /// The number of cards in the deck, and the number of positions that can be opened. In a game
    /// of boards, the positions hold hands: those of board `b`, counted from 0, are at the
    /// positions `4b` to `4b + 3`, North first.
    pub fn deck(&self) -> (usize, usize) {
        match self.variety {
            Variety::Poker(kind, _) => kind.deck(self.seats()),
            Variety::Deck { cards, drawn } => (cards as usize, drawn as usize),
            Variety::Boards { boards } => (52, 4 * boards as usize),
            Variety::Game { cards } => (cards as usize, cards as usize),
        }
    }

    /// The number of boards dealt in each hand of the match, if the game is boards of bridge.
    pub fn boards(&self) -> Option<u32> {
        match self.variety {
            Variety::Boards { boards } => Some(boards),
            _ => None,
        }
    }

    /// The number of bits that encode the contents of a position: the number of a card, or the set
    /// of cards in a hand of bridge.
    pub(crate) fn word_bits(&self) -> u32 {
        match (self.variety, self.deck()) {
            (Variety::Boards { .. }, (cards, _)) => cards as u32,
            (_, (cards, _)) => usize::BITS - (cards - 1).leading_zeros(),
        }
    }

    /// The maximum number of cards or hands in a proposal.
    pub(crate) fn most_proposed(&self) -> usize {
        match self.variety {
            Variety::Boards { .. } => self.deck().1,
            _ => Choice::MAX_PROPOSED,
        }
    }

    fn check(&self) -> Result<(), StakesError> {
        let most = match self.variety {
            Variety::Poker(kind, _) => kind.most_seats(),
            Variety::Deck { .. } => Self::MAX_SEATS,
            // A joint deal has exactly two inputs: one player's permutation of the cards, and the
            // other player's word, which assigns the permuted cards to the four hands.
            Variety::Boards { .. } => 2,
            Variety::Game { .. } => Self::MAX_GAME_SEATS,
        };
        let seats = self.seats;
        if !(2..=most).contains(&seats) {
            return Err(StakesError::Seats { seats, most });
        }
        if !(1..=Self::MAX_HANDS).contains(&self.hands) {
            return Err(StakesError::Hands(self.hands));
        }
        match self.variety {
            Variety::Poker(_, betting) => betting.check(),
            Variety::Deck { cards, drawn } => {
                let fits = (2..=Self::MAX_CARDS).contains(&cards) && (1..=cards).contains(&drawn);
                fits.then_some(()).ok_or(StakesError::Deck { cards, drawn })
            }
            Variety::Boards { boards } => {
                let fits = (1..=Self::MAX_BOARDS).contains(&boards);
                fits.then_some(()).ok_or(StakesError::Boards(boards))
            }
            Variety::Game { .. } => self.game.as_ref().map(drop).ok_or(BadGame.into()),
        }
    }

    /// Encodes the stakes.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        match &self.game {
            Some(game) => {
                game.write(writer.u8(number::GAME));
            }
            None => self.variety.write(self.kinds.as_ref(), &mut writer),
        }
        writer.u8(self.seats).u32(self.hands).finish()
    }

    /// Decodes stakes.
    ///
    /// # Errors
    /// [`StakesError::Malformed`] if the bytes are not an output of [`encode`](Self::encode), or
    /// the error for the first value that is out of bounds.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, StakesError> {
        let mut reader = Reader::new(bytes);
        let played = Variety::read(&mut reader)?;
        let (seats, hands) = (reader.u8()?, reader.u32()?);
        reader.finish()?;
        Self::checked(played, seats, hands)
    }
}

/// A game with its kinds of cards, or its decks and goods.
type Played = (Variety, Option<NamedKinds>, Option<Game>);

/// A board game with these decks.
fn with_game(game: &Game) -> Variety {
    Variety::Game {
        cards: game.cards() as u32,
    }
}

/// A deck of all cards of these kinds.
fn of_these(kinds: &NamedKinds, drawn: u32) -> Variety {
    Variety::Deck {
        cards: kinds.cards() as u32,
        drawn,
    }
}

/// The first byte of encoded stakes, as listed for the header in `docs/records.md`. Each game of
/// [`PokerKind`] has another number. The next new game gets 6.
mod number {
    pub(super) const DECK: u8 = 2;
    pub(super) const DECK_OF_KINDS: u8 = 3;
    pub(super) const BOARDS: u8 = 4;
    pub(super) const GAME: u8 = 5;
}

impl Variety {
    /// The game of poker and its betting rules, if the game has chips.
    pub fn poker(&self) -> Option<(PokerKind, BettingRules)> {
        match *self {
            Variety::Poker(kind, rules) => Some((kind, rules)),
            Variety::Deck { .. } | Variety::Boards { .. } | Variety::Game { .. } => None,
        }
    }

    fn write(&self, kinds: Option<&NamedKinds>, writer: &mut Writer) {
        match *self {
            Variety::Poker(kind, rules) => rules.write(writer.u8(kind.number())),
            Variety::Deck { cards, drawn } => {
                match kinds {
                    None => writer.u8(number::DECK).u32(cards),
                    Some(kinds) => kinds.write(writer.u8(number::DECK_OF_KINDS)),
                };
                writer.u32(drawn);
            }
            Variety::Boards { boards } => {
                writer.u8(number::BOARDS).u32(boards);
            }
            // `Stakes::encode` writes a board game itself.
            Variety::Game { .. } => {}
        }
    }

    fn read(reader: &mut Reader<'_>) -> Result<Played, StakesError> {
        let variety = match reader.u8()? {
            number::DECK => Variety::Deck {
                cards: reader.u32()?,
                drawn: reader.u32()?,
            },
            number::DECK_OF_KINDS => {
                let kinds = NamedKinds::read(reader)?;
                return Ok((of_these(&kinds, reader.u32()?), Some(kinds), None));
            }
            number::BOARDS => Variety::Boards {
                boards: reader.u32()?,
            },
            number::GAME => {
                let game = Game::read(reader)?;
                return Ok((with_game(&game), None, Some(game)));
            }
            number => {
                let mut kinds = PokerKind::ALL.into_iter();
                let kind = kinds.find(|kind| kind.number() == number);
                Variety::Poker(
                    kind.ok_or(StakesError::Malformed)?,
                    BettingRules::read(reader)?,
                )
            }
        };
        Ok((variety, None, None))
    }
}
