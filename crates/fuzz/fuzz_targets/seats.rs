//! Tables whose seats are all played by this module. The decks are made without an engine: random
//! shares whose XOR is a shuffled deck. Each table has played a match and kept the log of each
//! moment. An input starts at one of these moments.

// Not every target uses all of this module.
#![allow(dead_code)]

use std::sync::LazyLock;

use dealerless_connection::identity::{Identity, Name};
use dealerless::dice::{Dice, Reveal, Terms};
use dealerless::shuffle::Algorithm;
use dealerless_table::Seat;
use dealerless_table::log::{
    CardOpening, Clock, DeckTerms, Header, Masked, Match, MatchLog, Opening, Part, PartKind, Phase,
    Player, Seal, SealedTerms, SignedPart, Sitting,
};
use dealerless_table::rules::{
    BettingRules, Choice, Hand, Learners, Legal, Limit, PokerKind, Posts, Stakes, Variety,
};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
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

fn rules(limit: Limit) -> BettingRules {
    let (stack, posts) = (100, Posts::Blinds { small: 1, big: 2 });
    BettingRules {
        stack,
        limit,
        posts,
    }
}

/// The hands of `boards` boards, as sets of cards.
pub fn hands(boards: u32, rng: &mut StdRng) -> Vec<u64> {
    let mut hands = Vec::new();
    for _ in 0..boards {
        let mut pack: Vec<u32> = (0..52).collect();
        pack.shuffle(rng);
        let hand = |cards: &[u32]| cards.iter().map(|card| 1 << card).sum::<u64>();
        hands.extend(pack.chunks(13).map(hand));
    }
    hands
}

/// A match, with the keys of all its players.
pub struct Table {
    pub identities: Vec<Identity>,
    pub of: Match,
    /// The log before each part of a finished match.
    pub moments: Vec<MatchLog>,
}

/// A sealed deck: the masked cards and the shares of each seat.
struct Deck {
    masked: Vec<u64>,
    shares: Vec<Vec<u64>>,
}

impl Table {
    fn new(stakes: Stakes, seed: u64) -> Self {
        let seats = stakes.seats() as u8;
        let header = Header {
            stakes,
            deck: DeckTerms::Sealed(SealedTerms {
                engine_version: 3,
                algorithm: Algorithm::Waksman,
                circuit: [7; 32],
                validity: seats,
            }),
            clock: Clock {
                each_move: 30,
                bank: 60,
            },
            past: None,
        };
        let identities: Vec<_> = (0..seats).map(|s| Identity::from_seed([s; 32])).collect();
        let player = |identity: &Identity| Player {
            identity: identity.public().clone(),
            nonce: [9; 32],
        };
        let players = identities.iter().map(player).collect();
        let of = Match::new(header, players).expect("the players have different keys");
        let mut table = Table {
            identities,
            of,
            moments: Vec::new(),
        };
        table.moments = table.played(&mut StdRng::seed_from_u64(seed));
        table
    }

    /// The moments of a match in which all seats choose at random.
    fn played(&self, rng: &mut StdRng) -> Vec<MatchLog> {
        let mut log = MatchLog::new(self.of.clone(), Seat::HOST);
        let mut moments = vec![log.clone()];
        while let Some(&seat) = log.waits_for().first() {
            let part = self
                .honest(&log, seat, rng.random())
                .expect("it is this seat's turn");
            let said = log.sign(&self.identities[seat.index()], seat, &part);
            said.expect("honest parts are allowed");
            moments.push(log.clone());
        }
        moments
    }

    pub fn sitting(&self, seat: Seat) -> Sitting {
        let names = Seat::all(self.of.seats()).map(|seat| Name::clean(&seat.to_string()));
        let (of, names) = (self.of.clone(), names.collect());
        Sitting {
            match_info: of,
            seat,
            names,
        }
    }

    /// The deck of the current attempt, derived from the numbers of the hand and the attempt.
    fn deck(&self, log: &MatchLog) -> Deck {
        let attempt = log.attempt();
        let seed = u64::from(attempt.hand) << 32 | u64::from(attempt.attempt);
        let mut rng = StdRng::seed_from_u64(seed);
        let stakes = &self.of.header().stakes;
        let (cards, drawn) = stakes.deck();
        let (deck, width) = match stakes.boards() {
            Some(boards) => (hands(boards, &mut rng), 1 << cards),
            None => {
                let mut deck: Vec<u64> = (0..cards as u64).collect();
                deck.shuffle(&mut rng);
                (deck, (cards as u64).next_power_of_two())
            }
        };
        let shares: Vec<Vec<u64>> = (0..self.of.seats())
            .map(|_| (0..drawn).map(|_| rng.random_range(0..width)).collect())
            .collect();
        let mask = |position: usize| shares.iter().fold(0, |sum, of| sum ^ of[position]);
        let masked = (0..drawn).map(|position| deck[position] ^ mask(position));
        Deck {
            masked: masked.collect(),
            shares,
        }
    }

    /// A seat's opening of these cards.
    fn opening(&self, log: &MatchLog, seat: Seat, cards: &[(usize, Learners)]) -> Part {
        let deck = self.deck(log);
        let card = |&(position, _): &(usize, Learners)| CardOpening {
            position: position as u16,
            share: deck.shares[seat.index()][position],
            nonce: log.attempt().share_nonce(seat, position, &[5; 32]),
            macs: [seat.number(); 32],
        };
        Part::Open(cards.iter().map(card).collect())
    }

    fn seal(&self, log: &MatchLog, seat: Seat) -> Seal {
        let deck = self.deck(log);
        let attempt = log.attempt();
        let commit = |(position, &share): (usize, &u64)| {
            let nonce = attempt.share_nonce(seat, position, &[5; 32]);
            attempt.share_commitment(seat, position, share, &nonce)
        };
        let shares = deck.shares[seat.index()].iter().enumerate();
        let validity = vec![true; self.of.seats()];
        Seal {
            masked: (seat == Seat::HOST).then(|| Masked {
                cards: deck.masked.clone(),
                validity: validity.clone(),
            }),
            commitments: shares.map(commit).collect(),
            validity,
            validity_macs: [3; 32],
        }
    }

    /// The next part of an honest seat. `number` selects the choice. `None` if the seat has nothing
    /// to sign.
    pub fn honest(&self, log: &MatchLog, seat: Seat, number: u8) -> Option<Part> {
        let kind = *log.may_sign(seat).first()?;
        Some(match (kind, log.phase()) {
            (PartKind::Deal, _) => {
                let none = vec![false; self.of.seats()];
                Part::Deal(log.deal(log.sealed_input([seat.number() + 1; 32], 0).unwrap(), none))
            }
            (PartKind::Seal, _) => Part::Seal(self.seal(log, seat)),
            (_, Phase::Open(openings)) => {
                let mine = |opening: &&Opening| opening.opener == seat;
                let due = openings.iter().find(mine)?;
                self.opening(log, seat, &due.cards)
            }
            (_, Phase::Choose { legal, .. }) => {
                let choice = choice(&legal, number);
                // Some proposals are not allowed, and a seat cannot agree to its own.
                let allowed = log.game()?.clone().choose(seat, &choice).is_ok();
                Part::Move(if allowed { choice } else { Choice::Pass })
            }
            (_, Phase::Reseal(..)) => Part::Void,
            (_, Phase::Commit(dice)) => {
                let (terms, reveal) = (Roll::of(log, dice), drawn(dice, seat));
                Part::Commit(reveal.commitment(&terms.terms(), seat.number()).0)
            }
            (_, Phase::Reveal(dice)) => Part::Reveal(drawn(dice, seat)),
            (_, Phase::Result(outcome)) => Part::Result {
                stacks: outcome.stacks,
                last: false,
            },
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
        let (of, number, place) = (self.of.id(), step.to_le_bytes(), [seat.number()]);
        let fields: [&[u8]; 5] = [of.as_bytes(), &number, &before, &place, &part];
        let identity = &self.identities[seat.index()];
        let signature = identity.sign("part", &fields);
        SignedPart {
            step,
            seat,
            part,
            signature,
        }
    }
}

/// The terms of the pending roll, with their context.
struct Roll {
    context: [u8; 32],
    number: u64,
    dice: Dice,
}

impl Roll {
    fn of(log: &MatchLog, dice: Dice) -> Self {
        Roll {
            context: log.attempt().dice_context(),
            number: log.game().map_or(0, Hand::rolls).into(),
            dice,
        }
    }

    fn terms(&self) -> Terms<'_> {
        Terms {
            context: &self.context,
            number: self.number,
            dice: self.dice,
        }
    }
}

/// The values that a seat draws for dice; always the same.
fn drawn(dice: Dice, seat: Seat) -> Reveal {
    let value = |die| (die + u32::from(seat.number())) % dice.sides();
    Reveal {
        values: (0..dice.count()).map(value).collect(),
        nonce: [seat.number(); 32],
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
