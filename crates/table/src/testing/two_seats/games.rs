//! The games of the tests, and the choices of the players.

use std::sync::{Arc, LazyLock};

use dealerless::dice::Dice;
use dealerless::testing::soak::soak;

use super::side::Program;
use crate::play::DealCircuit;
use crate::rules::{Choice, Legal, Stakes, Variety};
use crate::seat::Seat;
use crate::testing::choices;
use crate::testing::test_match::{proposal, stakes_of};

/// The match that a test plays.
#[derive(Clone, Copy, Debug, Default)]
pub enum Game {
    /// Two hands of hold'em in which both seats call and show.
    #[default]
    Holdem,
    /// A deck without rules: dice are rolled, and cards are drawn and revealed.
    Deck,
    /// A deck without rules in which the host steals a card from the guest.
    Steal,
    /// Boards of bridge: hands are opened to each player, then all hands to both.
    Boards,
    /// Many hands of hold'em.
    Long,
}

/// The number of hands of `Game::Long`: `DEALERLESS_SOAK`, or 30 if it is not set.
pub fn long() -> u32 {
    soak().map_or(30, |hands| hands as u32)
}

pub type Terms = (Stakes, Arc<DealCircuit>);

fn terms(stakes: Stakes) -> Terms {
    let (_, circuit) = proposal(stakes.clone());
    (stakes, circuit)
}

fn one_hand(variety: Variety) -> Terms {
    terms(Stakes::new(variety, 2, 1).unwrap())
}

static HOLDEM: LazyLock<Terms> = LazyLock::new(|| terms(stakes_of(200, 2, 2)));

/// With stacks this large, no seat can lose all chips by calling.
static LONG: LazyLock<Terms> = LazyLock::new(|| terms(stakes_of(1_000_000, 2, long())));

static DECK: LazyLock<Terms> = LazyLock::new(|| {
    let variety = Variety::Deck {
        cards: 20,
        drawn: 6,
    };
    one_hand(variety)
});

/// The number of cards in `Game::Steal` that can be drawn.
const STEAL_DRAW: usize = 4;

static STEAL: LazyLock<Terms> = LazyLock::new(|| {
    let variety = Variety::Deck {
        cards: 20,
        drawn: STEAL_DRAW as u32,
    };
    one_hand(variety)
});

static BOARDS: LazyLock<Terms> = LazyLock::new(|| one_hand(Variety::Boards { boards: 2 }));

impl Game {
    pub fn circuit(self) -> &'static DealCircuit {
        &self.terms().1
    }

    pub fn terms(self) -> &'static Terms {
        match self {
            Game::Holdem => &HOLDEM,
            Game::Deck => &DECK,
            Game::Steal => &STEAL,
            Game::Boards => &BOARDS,
            Game::Long => &LONG,
        }
    }
}

/// The choice of a player who plays the game that [`Game`] describes.
pub fn choice(program: &Program, legal: &Legal) -> Choice {
    let game = program.log().game().expect("a hand is played");
    let held = game.held(program.seat());
    let is_open = |&position: &usize| program.log().public_card(position).is_some();
    if program.log().match_info().header().stakes.deck().1 == STEAL_DRAW {
        let is_new = !(0..STEAL_DRAW).any(|position| is_open(&position));
        let closed = held.iter().find(|position| !is_open(position));
        // Only the host steals: it is the first seat to hold two cards.
        let thief = program.seat() == Seat::HOST && program.can_steal();
        return match closed {
            _ if held.len() < 2 && is_new => Choice::Draw,
            _ if thief && is_new => Choice::Steal(Seat::GUEST),
            Some(&position) => Choice::Reveal(position as u16),
            None => Choice::Pass,
        };
    }
    match legal {
        Legal::Speak { proposals, .. }
            if program
                .log()
                .match_info()
                .header()
                .stakes
                .boards()
                .is_some() =>
        {
            choices::of_boards(program.log(), program.seat(), proposals)
        }
        Legal::Bet { call: None, .. } => Choice::Check,
        Legal::Bet { .. } => Choice::Call,
        Legal::Speak { may_draw, .. } => match held.first() {
            _ if game.rolls() < 2 => Choice::Roll(Dice::new(2, 6).unwrap()),
            Some(&position) => Choice::Reveal(position as u16),
            None if *may_draw && (0..6).filter(is_open).count() < 2 => Choice::Draw,
            None => Choice::Pass,
        },
        _ => Choice::Show,
    }
}
