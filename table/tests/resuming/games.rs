//! What is played while things go wrong, and what the players say.

use std::sync::{Arc, LazyLock};

use dealerless::deck::{Choice as Shuffle, circuit};
use dealerless::dice::Dice;
use dealerless::mpc::Security;
use dealerless::shuffle::ShuffleCircuit;
use dealerless::testing::soak::soak;
use dealerless_table::{BettingRules, Choice, Legal, Limit, Posts, Seat, Stakes, Variety};

use crate::side::Program;

/// What is played.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Game {
    /// Two hands of hold'em, in which all call and show.
    #[default]
    Holdem,
    /// A deck without rules: dice are rolled, cards drawn and revealed.
    Deck,
    /// The same, in which the host steals a card of the guest's.
    Steal,
    /// Many hands of hold'em.
    Long,
}

/// The hands of a long match; in a soak as many as it says.
pub(crate) fn long() -> u32 {
    soak().map_or(30, |hands| hands as u32)
}

pub(crate) type Terms = (Stakes, Arc<ShuffleCircuit>);

fn terms(variety: Variety, hands: u32) -> Terms {
    let stakes = Stakes::new(variety, 2, hands).unwrap();
    let (cards, drawn) = stakes.deck();
    let spec = Shuffle::Cheapest.spec(cards, drawn);
    let circuit = circuit(spec.unwrap(), Security::Malicious);
    (stakes, Arc::new(circuit))
}

fn holdem(stack: u64, hands: u32) -> Terms {
    let rules = BettingRules {
        stack,
        limit: Limit::NoLimit,
        posts: Posts::Blinds { small: 1, big: 2 },
    };
    terms(Variety::Holdem(rules), hands)
}

static HOLDEM: LazyLock<Terms> = LazyLock::new(|| holdem(200, 2));

/// Nobody who calls loses so many chips.
static LONG: LazyLock<Terms> = LazyLock::new(|| holdem(1_000_000, long()));

static DECK: LazyLock<Terms> = LazyLock::new(|| {
    let variety = Variety::Deck {
        cards: 20,
        drawn: 6,
    };
    terms(variety, 1)
});

/// How many cards are drawn where one is stolen.
const OF_A_STEAL: usize = 4;

static STEAL: LazyLock<Terms> = LazyLock::new(|| {
    let variety = Variety::Deck {
        cards: 20,
        drawn: OF_A_STEAL as u32,
    };
    terms(variety, 1)
});

impl Game {
    pub(crate) fn circuit(self) -> &'static ShuffleCircuit {
        &self.terms().1
    }

    pub(crate) fn terms(self) -> &'static Terms {
        match self {
            Game::Holdem => &HOLDEM,
            Game::Deck => &DECK,
            Game::Steal => &STEAL,
            Game::Long => &LONG,
        }
    }
}

/// What a player says who calls and shows; or who rolls dice, draws a card and reveals it.
pub(crate) fn choice(program: &Program, legal: &Legal) -> Choice {
    let game = program.log().game().expect("a hand is played");
    let held = game.held(program.seat());
    let is_open = |&position: &usize| program.log().public_card(position).is_some();
    if program.log().of().header().stakes.deck().1 == OF_A_STEAL {
        let is_new = !(0..OF_A_STEAL).any(|position| is_open(&position));
        let closed = held.iter().find(|position| !is_open(position));
        // The host is the first to hold two.
        let thief = program.seat() == Seat::HOST && program.can_steal();
        return match closed {
            _ if held.len() < 2 && is_new => Choice::Draw,
            _ if thief && is_new => Choice::Steal(Seat::GUEST),
            Some(&position) => Choice::Reveal(position as u16),
            None => Choice::Pass,
        };
    }
    match legal {
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
