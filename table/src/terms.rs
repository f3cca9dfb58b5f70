//! What the two parties agree on before they play.

use std::fmt;

use dealerless::Blame;
use dealerless::shuffle::{Spec, SpecError};

use super::game::Game;

/// The most hands of one session.
pub const MAX_HANDS: u32 = 10_000;

/// The game, the shuffle and the number of hands of a session.
///
/// They travel in the host's hello, as the line of words that [`Display`](fmt::Display) writes:
/// `holdem 52 9 fisher-yates 1` is the game, the cards of the deck, how many are drawn, the
/// algorithm and the hands. The session id is a hash of the hellos, so nobody plays on other terms
/// than the peer does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    game: Game,
    spec: Spec,
    hands: u32,
}

impl Terms {
    /// Terms for `hands` hands of `game`, each with a shuffle by `spec`.
    ///
    /// # Errors
    /// [`TermsError`] if the rules ask for another deck, or the hands are too few or too many.
    pub fn new(game: Game, spec: Spec, hands: u32) -> Result<Self, TermsError> {
        match game.deck() {
            Some((cards, draw)) if (cards, draw) != (spec.cards(), spec.draw()) => {
                Err(TermsError::Deck { game, cards, draw })
            }
            _ if !(1..=MAX_HANDS).contains(&hands) => Err(TermsError::Hands(hands)),
            _ => Ok(Terms { game, spec, hands }),
        }
    }

    /// What is played.
    pub fn game(&self) -> Game {
        self.game
    }

    /// The deck, the draw and the algorithm.
    pub fn spec(&self) -> Spec {
        self.spec
    }

    /// How many hands, at least one; the deck is shuffled for each.
    pub fn hands(&self) -> u32 {
        self.hands
    }

    /// The bytes for the hello.
    pub fn encode(&self) -> Vec<u8> {
        self.to_string().into_bytes()
    }

    /// Reads the terms of a peer's hello, which may hold anything.
    ///
    /// # Errors
    /// [`OfferError`] if they are not what [`encode`](Self::encode) writes. The error does not
    /// repeat the peer's bytes, which may be meant for the terminal.
    pub fn decode(bytes: &[u8]) -> Result<Self, OfferError> {
        let terms = Self::parse(bytes).ok_or(OfferError::UnknownGame)??;
        // One spelling for each: no leading zeros, no signs.
        if terms.encode() != bytes {
            return Err(OfferError::Spelling);
        }
        Ok(terms)
    }

    fn parse(bytes: &[u8]) -> Option<Result<Self, TermsError>> {
        let mut words = std::str::from_utf8(bytes).ok()?.split(' ');
        let game = words.next()?.parse().ok()?;
        let cards = words.next()?.parse().ok()?;
        let draw = words.next()?.parse().ok()?;
        let algorithm = words.next()?.parse().ok()?;
        let hands = words.next()?.parse().ok()?;
        match words.next() {
            None => Some(
                Spec::new(cards, draw, algorithm)
                    .map_err(TermsError::from)
                    .and_then(|spec| Self::new(game, spec, hands)),
            ),
            Some(_) => None,
        }
    }
}

impl fmt::Display for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Terms { game, spec, hands } = self;
        let (cards, draw, algorithm) = (spec.cards(), spec.draw(), spec.algorithm());
        write!(f, "{game} {cards} {draw} {algorithm} {hands}")
    }
}

/// Why there are no such [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TermsError {
    /// The rules of the game ask for another deck.
    #[error("{game} is played with {draw} of {cards} cards")]
    Deck {
        /// The game.
        game: Game,
        /// The cards of its deck.
        cards: usize,
        /// How many of them it draws.
        draw: usize,
    },
    /// There is no such shuffle.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// Too few or too many hands.
    #[error("a session has 1 to {MAX_HANDS} hands, not {0}")]
    Hands(u32),
}

/// What is wrong with the terms in a peer's hello.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OfferError {
    /// They are not those of a game.
    #[error("the peer broke the protocol: it offers no known game")]
    UnknownGame,
    /// There is no game with these terms.
    #[error("the peer broke the protocol: it offers a game, but {0}")]
    Terms(TermsError),
    /// They are not spelled as this program spells them.
    #[error("the peer broke the protocol: it spells its terms in an odd way")]
    Spelling,
}

impl OfferError {
    /// Whose fault it can be.
    pub fn blame(&self) -> Blame {
        Blame::ProgramOrConnection
    }
}

impl From<TermsError> for OfferError {
    fn from(error: TermsError) -> Self {
        OfferError::Terms(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dealerless::shuffle::Algorithm;

    fn spec(cards: usize, draw: usize) -> Spec {
        Spec::new(cards, draw, Algorithm::FisherYates).unwrap()
    }

    fn deck(cards: usize, draw: usize, hands: u32) -> Terms {
        Terms::new(Game::Deck, spec(cards, draw), hands).unwrap()
    }

    #[test]
    fn the_terms_on_the_wire_are_what_they_were() {
        assert_eq!(deck(40, 7, 3).encode(), b"deck 40 7 fisher-yates 3");
        assert_eq!(
            Terms::decode(b"deck 40 7 fisher-yates 3").unwrap(),
            deck(40, 7, 3)
        );
    }

    #[test]
    fn a_game_with_rules_takes_no_other_deck() {
        let holdem = |cards, draw| Terms::new(Game::Holdem, spec(cards, draw), 1);
        assert_eq!(holdem(52, 9).unwrap().spec(), spec(52, 9));
        for (cards, draw) in [(40, 9), (52, 10), (52, 8)] {
            let error = holdem(cards, draw).unwrap_err();
            assert_eq!(error.to_string(), "holdem is played with 9 of 52 cards");
        }
    }

    #[test]
    fn terms_of_a_peer_are_held_to_the_bounds() {
        for (offer, complaint) in [
            ("deck 4097 1 fisher-yates 1", "a deck has 2 to 4096 cards"),
            ("deck 1 1 fisher-yates 1", "a deck has 2 to 4096 cards"),
            ("deck 52 53 fisher-yates 1", "from 52 cards one can draw"),
            ("deck 52 0 fisher-yates 1", "from 52 cards one can draw"),
            ("deck 52 5 fisher-yates 0", "1 to 10000 hands"),
            ("deck 52 5 fisher-yates 10001", "1 to 10000 hands"),
            ("holdem 40 9 fisher-yates 1", "9 of 52 cards"),
        ] {
            let error = Terms::decode(offer.as_bytes()).unwrap_err();
            assert!(matches!(error, OfferError::Terms(_)), "{offer}: {error}");
            assert!(error.to_string().contains(complaint), "{offer}: {error}");
        }
    }

    #[test]
    fn bytes_that_are_no_terms_are_an_error_that_does_not_repeat_them() {
        let long = vec![b'9'; 1024];
        for bytes in [
            b"".as_slice(),
            b"holdem",
            b"\x1b[2Jholdem 52 9 fisher-yates 1",
            b"holdem 52 9 fisher-yates 1 ",
            b"holdem 52 9 fisher-yates 1\n",
            b"holdem  52 9 fisher-yates 1",
            b"holdem 52 +9 fisher-yates 1",
            b"holdem 052 9 fisher-yates 1",
            b"holdem 52 9 riffle 1",
            b"bridge 52 52 fisher-yates 1",
            b"deck 18446744073709551616 1 fisher-yates 1",
            b"deck 52 -1 fisher-yates 1",
            b"\xff\xfe\xfd",
            &long,
        ] {
            let error = Terms::decode(bytes).unwrap_err();
            assert!(!matches!(error, OfferError::Terms(_)), "{error}");
            assert!(error.to_string().len() < 80, "{error}");
            assert!(!error.to_string().contains('\x1b'));
        }
    }
}
