//! Tables whose seats are all played by this module, with decks that no engine shuffles. Each table
//! has played a match and kept the log of each moment. An input starts at one of these moments.

// Not every target uses all of this module.
#![allow(dead_code)]

use std::sync::LazyLock;

use dealerless::dice::Dice;
use dealerless_table::Seat;
use dealerless_table::log::{MatchLog, Part, PartKind, Phase, SignedPart};
use dealerless_table::rules::{Choice, Learners, Legal, Limit, PokerKind, Stakes, Variety};
use dealerless_table::testing::test_match::{TestMatch, rules};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// The tables that inputs choose from.
pub static TABLES: LazyLock<Vec<Table>> = LazyLock::new(|| {
    let holdem = Variety::Poker(PokerKind::Holdem, rules(Limit::NoLimit));
    let draw = Variety::Poker(PokerKind::FiveCardDraw, rules(Limit::Fixed));
    let deck = Variety::Deck {
        cards: 40,
        drawn: 7,
    };
    let kinds = "knight=28,castle=10,road=2".parse().expect("valid kinds");
    let tables = [
        Stakes::new(holdem, 2, 3),
        Stakes::new(holdem, 3, 2),
        Stakes::new(draw, 2, 2),
        Stakes::of_kinds(kinds, 7, 2, 2),
        Stakes::new(deck, 3, 1),
        Stakes::new(Variety::Boards { boards: 2 }, 2, 1),
    ];
    (tables.into_iter().zip(0..))
        .map(|(stakes, seed)| Table::new(stakes.expect("the stakes are valid"), seed))
        .collect()
});

/// A match, with the keys of all its players.
pub struct Table {
    pub of: TestMatch,
    /// The log before each part of a finished match.
    pub moments: Vec<MatchLog>,
}

impl Table {
    fn new(stakes: Stakes, seed: u64) -> Self {
        let mut table = Table {
            of: TestMatch::sealed(stakes),
            moments: Vec::new(),
        };
        table.moments = table.played(&mut StdRng::seed_from_u64(seed));
        table
    }

    /// The moments of a match in which all seats choose at random.
    fn played(&self, rng: &mut StdRng) -> Vec<MatchLog> {
        let mut log = self.of.log();
        let mut moments = vec![log.clone()];
        while let Some(&seat) = log.waits_for().first() {
            let part = self
                .honest(&log, seat, rng.random())
                .expect("it is this seat's turn");
            let said = log.sign(&self.of.identities[seat.index()], seat, &part);
            said.expect("honest parts are allowed");
            moments.push(log.clone());
        }
        moments
    }

    /// The next part of an honest seat. `number` selects the choice. `None` if the seat has nothing
    /// to sign.
    pub fn honest(&self, log: &MatchLog, seat: Seat, number: u8) -> Option<Part> {
        let kind = *log.may_sign(seat).first()?;
        Some(match (kind, log.phase()) {
            (_, Phase::Choose { legal, .. }) => {
                let choice = choice(&legal, number);
                // Some proposals are not allowed, and a seat cannot agree to its own.
                let allowed = log.game()?.clone().choose(seat, &choice).is_ok();
                Part::Move(if allowed { choice } else { Choice::Pass })
            }
            (_, Phase::Reseal(..)) => Part::Void,
            (
                PartKind::Deal
                | PartKind::Seal
                | PartKind::Open
                | PartKind::Commit
                | PartKind::Reveal
                | PartKind::Result,
                _,
            ) => self.of.part(kind, log, seat),
            _ => Part::Leave,
        })
    }

    /// Signs these bytes for a seat, in the current step.
    pub fn sign(&self, log: &MatchLog, seat: Seat, part: Vec<u8>) -> SignedPart {
        self.sign_in(log, log.step(), seat, part)
    }

    /// Signs these bytes for any step. For a future step, the signature follows the whole log.
    pub fn sign_in(&self, log: &MatchLog, step: u64, seat: Seat, part: Vec<u8>) -> SignedPart {
        let before = log.hash_before(step).unwrap_or_else(|| log.hash());
        let of = self.of.match_info.id();
        let (number, place) = (step.to_le_bytes(), [seat.number()]);
        let fields: [&[u8]; 5] = [of.as_bytes(), &number, &before, &place, &part];
        let identity = &self.of.identities[seat.index()];
        let signature = identity.sign("part", &fields);
        SignedPart {
            step,
            seat,
            part,
            signature,
        }
    }
}

/// Selects an allowed choice by a number.
pub fn choice(legal: &Legal, number: u8) -> Choice {
    let way = number / 16;
    match legal {
        Legal::Bet { call, bet, raise } => match (way, bet, raise, call) {
            (0, ..) => Choice::Fold,
            (1..=3, Some(amounts), ..) => Choice::Bet { to: amounts.min },
            (4, Some(amounts), ..) => Choice::Bet { to: amounts.max },
            (1..=3, _, Some(amounts), _) => Choice::Raise { to: amounts.min },
            (4, _, Some(amounts), _) => Choice::Raise { to: amounts.max },
            (_, _, _, None) => Choice::Check,
            _ => Choice::Call,
        },
        Legal::Exchange => Choice::Exchange((0..5).filter(|i| number >> i & 1 == 1).collect()),
        Legal::ShowOrMuck if way == 0 => Choice::Muck,
        Legal::ShowOrMuck => Choice::Show,
        Legal::Speak {
            proposals,
            may_propose,
            ..
        } => match (way, proposals.first()) {
            (1..=4, Some(proposal)) => Choice::Agree(proposal.number),
            (5, Some(proposal)) => Choice::Refuse(proposal.number),
            (6..=9, None) if *may_propose => {
                let to = match number % 4 {
                    0 => Learners::All,
                    seat => Learners::Seat(Seat::new(seat % 2)),
                };
                Choice::Propose(vec![(u16::from(number % 7), to)])
            }
            (10, _) => Choice::Draw,
            (11, _) => Choice::Reveal(u16::from(number % 7)),
            (14, _) => Choice::ShowCard(u16::from(number % 7)),
            (13, _) => Choice::Steal(Seat::new(number % 2)),
            (12, _) => Choice::Roll(Dice::new(1 + u32::from(number % 16), 6).expect("dice")),
            _ => Choice::Pass,
        },
        Legal::Goods {
            offer: Some((number, ..)),
        } => Choice::Refuse(*number),
        _ => Choice::Pass,
    }
}
