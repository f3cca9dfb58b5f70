//! A match in which the test plays all seats, and makes sealed decks without an engine.

use std::io;
use std::sync::Arc;

use dealerless::deck::Choice as Shuffle;
use dealerless::dice::{Dice, Reveal, Terms};
use dealerless_connection::identity::{Identity, Name};
use dealerless_connection::storage::{MemoryStorage, MemoryVault, Storage, Vault};

use super::choices;
use super::deck::SeatDeck;
use crate::log::*;
use crate::play::{DealCircuit, DeckSetting, HandDeck, SealedSetting, Seating, Setting};
use crate::rules::{
    BettingRules, Choice, Hand, Legal, Limit, Next, PokerKind, Posts, Stakes, Variety,
};
use crate::seat::Seat;

#[derive(Clone)]
pub struct TestMatch {
    pub identities: Vec<Arc<Identity>>,
    pub match_info: Match,
}

/// The keys of a seat.
pub fn identity(seat: Seat) -> Arc<Identity> {
    Arc::new(Identity::from_seed([seat.number(); 32]))
}

/// The setting of a program that finds this match file.
///
/// # Errors
/// If the file is not the match file of this seat.
pub fn setting<S: Storage, V, R>(
    seat: Seat,
    file: S,
    deck: DeckSetting<S, V>,
    rng: R,
) -> Result<Setting<S, V, R>, JournalError> {
    let identity = identity(seat);
    let opened = Journal::open(file, identity.file_key())?;
    Ok(Setting {
        identity,
        seat,
        log: opened.log,
        journal: opened.journal,
        deck,
        rng,
    })
}

/// The sealed deck of a seat, with these files of its shuffle inputs and its deck.
///
/// # Errors
/// If the file of the inputs cannot be read.
pub fn sealed_deck<S: Storage, V>(
    (seat, match_id): (Seat, MatchId),
    (inputs, vault): (S, V),
    circuit: &Arc<DealCircuit>,
) -> io::Result<DeckSetting<S, V>> {
    Ok(DeckSetting::Sealed(SealedSetting {
        inputs: Inputs::open(inputs, identity(seat).file_key(), match_id)?.file,
        vault,
        circuit: Arc::clone(circuit),
    }))
}

/// The nonce of a resealed card is the nonce of its position plus this number.
const RESEALED: usize = 1000;

pub fn holdem(seats: u8, hands: u32) -> TestMatch {
    TestMatch::new(
        Variety::Poker(PokerKind::Holdem, rules(Limit::NoLimit)),
        seats,
        hands,
    )
}

pub fn draw(seats: u8, hands: u32) -> TestMatch {
    TestMatch::new(
        Variety::Poker(PokerKind::FiveCardDraw, rules(Limit::Fixed)),
        seats,
        hands,
    )
}

pub fn free_deck(seats: u8) -> TestMatch {
    let variety = Variety::Deck {
        cards: 40,
        drawn: 7,
    };
    TestMatch::new(variety, seats, 2)
}

pub fn boards(boards: u32) -> TestMatch {
    TestMatch::new(Variety::Boards { boards }, 2, 2)
}

/// Stakes of hold'em with this stack.
pub fn stakes_of(stack: u64, seats: u8, hands: u32) -> Stakes {
    let rules = BettingRules {
        stack,
        ..rules(Limit::NoLimit)
    };
    Stakes::new(Variety::Poker(PokerKind::Holdem, rules), seats, hands).unwrap()
}

/// The header that a host without a clock proposes, and the circuit that shuffles the decks.
pub fn proposal(stakes: Stakes) -> (Header, Arc<DealCircuit>) {
    let algorithm = DealCircuit::algorithm_for(Shuffle::Cheapest, &stakes).unwrap();
    let clock = Clock {
        each_move: 0,
        bank: 0,
    };
    Seating::propose(stakes, algorithm, clock).unwrap()
}

/// A match of hold'em with a verifiable deck.
pub fn verifiable(seats: u8, hands: u32) -> TestMatch {
    threshold(seats, seats.into(), hands)
}

/// A match of hold'em with a verifiable deck, whose cards `threshold` seats together open.
pub fn threshold(seats: u8, threshold: usize, hands: u32) -> TestMatch {
    TestMatch::verifiable(stakes_of(100, seats, hands), threshold)
}

/// The header of a match of these players, of whom those without chips buy a stack, if this one was made
/// before they were known.
pub fn with_players(mut header: Header, players: &[Player]) -> Header {
    let prints: Vec<_> = (players.iter())
        .map(|player| player.identity.fingerprint())
        .collect();
    if let Some(table) = &mut header.table {
        table.past = table.past.take().map(|past| past.before(&prints));
        let chips = |player| Some(table.past.as_ref()?.member(player)?.chips);
        let is_broke = |player| chips(player).is_none_or(|chips| chips == 0);
        let buys = prints.iter().map(|player| match is_broke(*player) {
            true => header.stakes.stack(),
            false => 0,
        });
        table.buys = buys.collect();
    }
    header
}

/// The header of the first match of a table.
pub fn header(stakes: Stakes, threshold: usize) -> Header {
    let id = TableId::of_bytes([6; 32]);
    Header::at_table(id, stakes, threshold, Clock::default()).unwrap()
}

/// Blinds of 1 and 2.
pub fn rules(limit: Limit) -> BettingRules {
    let (stack, posts) = (100, Posts::Blinds { small: 1, big: 2 });
    BettingRules {
        stack,
        limit,
        posts,
    }
}

impl TestMatch {
    pub fn new(variety: Variety, seats: u8, hands: u32) -> Self {
        Self::sealed(Stakes::new(variety, seats, hands).unwrap())
    }

    /// A match with a sealed deck that no engine shuffles.
    pub fn sealed(stakes: Stakes) -> Self {
        let validity = stakes.seats() as u8;
        Self::of(Header {
            stakes,
            deck: DeckTerms::Sealed(SealedTerms {
                engine_version: 3,
                algorithm: dealerless::shuffle::Algorithm::Waksman,
                circuit: [7; 32],
                validity,
            }),
            clock: Clock {
                each_move: 30,
                bank: 60,
            },
            table: None,
        })
    }

    /// A match with a verifiable deck, whose cards `threshold` seats together open.
    pub fn verifiable(stakes: Stakes, threshold: usize) -> Self {
        Self::of(header(stakes, threshold))
    }

    /// A match whose decks the engine shuffles by this circuit.
    pub fn shuffled(stakes: &Stakes, circuit: &DealCircuit) -> Self {
        let clock = Clock {
            each_move: 0,
            bank: 0,
        };
        Self::of(Header {
            stakes: stakes.clone(),
            deck: DeckTerms::Sealed(SealedTerms {
                engine_version: dealerless::net::VERSION,
                algorithm: circuit.algorithm(),
                circuit: circuit.circuit().digest(),
                validity: if circuit.checks_inputs() { 2 } else { 0 },
            }),
            clock,
            table: None,
        })
    }

    pub fn of(header: Header) -> Self {
        let players: Vec<u8> = (0..header.stakes.seats() as u8).collect();
        Self::with(header, &players)
    }

    /// A match of the identities with these numbers.
    pub fn with(header: Header, players: &[u8]) -> Self {
        let identities = players.iter().map(|&number| identity(Seat::new(number)));
        let identities: Vec<_> = identities.collect();
        let player = |identity: &Arc<Identity>| Player {
            identity: identity.public().clone(),
            nonce: [9; 32],
        };
        let players: Vec<Player> = identities.iter().map(player).collect();
        TestMatch {
            match_info: Match::new(with_players(header, &players), players).unwrap(),
            identities,
        }
    }

    /// A new match file of this seat.
    pub fn journal<S: Storage>(&self, seat: Seat, file: S) -> Journal<S> {
        let key = self.identities[seat.index()].file_key();
        Journal::create(file, key, &self.sitting(seat)).unwrap()
    }

    /// A new match file of this seat, and a vault with the secret of its verifiable deck, which is the
    /// same in each run.
    pub fn files(&self, seat: Seat) -> (MemoryStorage, MemoryVault) {
        let (file, mut vault) = (MemoryStorage::default(), MemoryVault::default());
        self.journal(seat, file.clone());
        vault.keep(&[seat.number(); 32]).unwrap();
        (file, vault)
    }

    /// An empty log, of seat 0. Its owner matters only with roll calls.
    pub fn log(&self) -> MatchLog {
        self.log_of(Seat::HOST)
    }

    /// An empty log of this seat.
    pub fn log_of(&self, seat: Seat) -> MatchLog {
        MatchLog::new(self.match_info.clone(), seat)
    }

    pub fn seats(&self) -> impl Iterator<Item = Seat> + use<> {
        Seat::all(self.match_info.seats())
    }

    pub fn sitting(&self, seat: Seat) -> Sitting {
        let names = self.seats().map(|seat| Name::clean(&seat.to_string()));
        Sitting {
            match_info: self.match_info.clone(),
            seat,
            names: names.collect(),
        }
    }

    /// The seat's deck of the current try.
    fn deck(&self, log: &MatchLog, seat: Seat) -> SeatDeck {
        let stakes = &self.match_info.header().stakes;
        SeatDeck::new(stakes, log.attempt(), seat, [5; 32])
    }

    /// The reseal of a seat: the cards of the hand have moved by one place, and the shares are
    /// unchanged.
    fn reseal(&self, log: &MatchLog, seat: Seat) -> Reseal {
        let (deck, of) = (self.deck(log, seat), log.attempt());
        let (hand, step) = match log.phase() {
            Phase::Reseal(_, steal) => (steal.hand, log.stolen_in().unwrap()),
            _ => (vec![0], 0),
        };
        let masked = |(place, &position): (usize, &usize)| {
            deck.masked(deck.cards[hand[(place + 1) % hand.len()]], position)
        };
        let commitment = |(place, &position): (usize, &usize)| {
            let share = deck.shares[seat.index()][position];
            let nonce = of.share_nonce(seat, RESEALED + position, &[5; 32]);
            of.reseal_commitment(seat, (step, place), share, &nonce)
        };
        let cards = || hand.iter().enumerate();
        Reseal {
            masked: match seat {
                Seat::HOST => cards().map(masked).collect(),
                _ => Vec::new(),
            },
            commitments: cards().map(commitment).collect(),
        }
    }

    /// The part with which a seat opens these cards.
    pub fn opening(&self, log: &MatchLog, seat: Seat, positions: &[usize]) -> Part {
        let deck = self.deck(log, seat);
        let card = |&position: &usize| {
            let mut opening = deck.open(position).unwrap();
            if log.resealed(position).is_some() {
                let (of, position) = (log.attempt(), RESEALED + position);
                opening.nonce = of.share_nonce(seat, position, &[5; 32]);
            }
            opening
        };
        Part::Open(positions.iter().map(card).collect())
    }

    /// A part of this kind, as valid as possible in the current state.
    pub fn part(&self, kind: PartKind, log: &MatchLog, seat: Seat) -> Part {
        match kind {
            PartKind::Deal => {
                let none = vec![false; self.match_info.seats()];
                let input = log.sealed_input([seat.number() + 1; 32], 0).unwrap();
                Part::Deal(log.deal(input, none))
            }
            PartKind::Seal => Part::Seal(self.deck(log, seat).seal().unwrap()),
            PartKind::Again => Part::Again,
            PartKind::Open => {
                let due = match log.phase() {
                    Phase::Open(openings) => due(&openings, seat),
                    _ => None,
                };
                self.opening(log, seat, &due.unwrap_or(vec![0]))
            }
            PartKind::Move => Part::Move(match log.phase() {
                Phase::Choose {
                    legal:
                        Legal::Speak {
                            may_draw,
                            proposals,
                            ..
                        },
                    ..
                } => match self.match_info.header().stakes.boards() {
                    Some(_) => choices::of_boards(log, seat, &proposals),
                    None => self.free_deck_choice(log, seat, may_draw),
                },
                Phase::Choose { legal, .. } => choices::passive(&legal),
                _ => Choice::Check,
            }),
            PartKind::Reseal => Part::Reseal(self.reseal(log, seat)),
            PartKind::Void => Part::Void,
            PartKind::Commit => {
                let (context, reveal) = self.drawn_dice(log, seat);
                let terms = Terms {
                    context: &context,
                    number: log.game().map_or(0, Hand::rolls).into(),
                    dice: dice(log),
                };
                Part::Commit(reveal.commitment(&terms, seat.number()).0)
            }
            PartKind::Reveal => Part::Reveal(self.drawn_dice(log, seat).1),
            PartKind::Result => Part::Result {
                stacks: match log.game().map(Hand::next) {
                    Some(Next::Over(outcome)) => outcome.stacks,
                    _ => log.stacks().to_vec(),
                },
                next: AfterHand::Stay,
                buy: 0,
            },
            PartKind::Leave => Part::Leave,
            PartKind::Forfeit => Part::Forfeit,
            PartKind::Keys
            | PartKind::KeyDealing
            | PartKind::Fine
            | PartKind::Complain
            | PartKind::Shuffle
            | PartKind::Partials
            | PartKind::Show
            | PartKind::Key
            | PartKind::Mix => unreachable!("a sealed deck has no {kind}"),
            PartKind::Dispute => {
                let now = log.step();
                let opened =
                    |part: &&SignedPart| part.step < now && part.seat != seat && part.part[0] == 4;
                let last = log.history(0).filter(opened).last();
                let may = (0..now).rev().find(|step| log.may_dispute(seat, *step));
                Part::Dispute {
                    step: may.unwrap_or(last.map_or(0, |part| part.step)),
                }
            }
        }
    }

    /// The choice of a seat in a deck without rules: dice are rolled, each seat draws two cards,
    /// the guest steals one of the host's cards, the host reveals its other card, and all seats
    /// pass.
    fn free_deck_choice(&self, log: &MatchLog, seat: Seat, may_draw: bool) -> Choice {
        let game = log.game().expect("a hand in play");
        let drawn = self.match_info.header().stakes.deck().1;
        let is_shown = |&position: &usize| log.public_card(position).is_some();
        let shown = (0..drawn).filter(is_shown).count();
        match game.held(seat)[..] {
            _ if game.rolls() == 0 => Choice::Roll(Dice::new(2, 6).unwrap()),
            [] | [_] if may_draw && shown == 0 => Choice::Draw,
            _ if shown == 0 && seat == Seat::GUEST => Choice::Steal(Seat::HOST),
            [position] if shown == 1 && seat == Seat::HOST => Choice::Reveal(position as u16),
            _ => Choice::Pass,
        }
    }

    /// The dice of a seat for the roll that is due, or for an arbitrary roll. The try, the roll and
    /// the seat determine the dice.
    fn drawn_dice(&self, log: &MatchLog, seat: Seat) -> ([u8; 32], Reveal) {
        let rolls = log.game().map_or(0, Hand::rolls);
        let dice = dice(log);
        let value = |die| (die + rolls + u32::from(seat.number())) % dice.sides();
        let reveal = Reveal {
            values: (0..dice.count()).map(value).collect(),
            nonce: [seat.number(); 32],
        };
        (log.attempt().dice_context(), reveal)
    }

    /// The part of an honest seat that checks or calls, and shows.
    pub fn honest(&self, log: &MatchLog, seat: Seat) -> Part {
        self.part(log.may_sign(seat)[0], log, seat)
    }

    /// The first seat that the log waits for signs its honest part.
    pub fn sign_next(&self, log: &mut MatchLog) -> SignedPart {
        let seat = log.waits_for()[0];
        let part = self.honest(log, seat);
        let signed = log.sign(&self.identities[seat.index()], seat, &part);
        signed.unwrap().0
    }

    /// Plays honestly until the condition is true.
    pub fn play_until(&self, log: &mut MatchLog, condition: impl Fn(&MatchLog) -> bool) {
        while !condition(log) {
            self.sign_next(log);
        }
    }

    /// The logs with the first 0, 1, 2, ... of these parts.
    pub fn prefixes(&self, parts: &[SignedPart]) -> Vec<MatchLog> {
        let mut logs = vec![self.log()];
        for part in parts {
            let mut log = logs[logs.len() - 1].clone();
            log.accept(part.clone()).unwrap();
            logs.push(log);
        }
        logs
    }

    /// The log of a match that is played to its end.
    pub fn played(&self) -> MatchLog {
        let mut log = self.log();
        self.play_until(&mut log, |log| matches!(log.phase(), Phase::Over(_)));
        log
    }
}

/// The cards that the seat has to open.
pub fn due(openings: &[Opening], seat: Seat) -> Option<Vec<usize>> {
    let opening = openings.iter().find(|opening| opening.opener == seat)?;
    Some(
        opening
            .cards
            .iter()
            .map(|&(position, _)| position)
            .collect(),
    )
}

/// The dice that are rolled now, or arbitrary dice.
fn dice(log: &MatchLog) -> Dice {
    match log.phase() {
        Phase::Commit(dice) | Phase::Reveal(dice) => dice,
        _ => Dice::new(2, 6).unwrap(),
    }
}
