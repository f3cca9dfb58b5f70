//! Turns the news of a match into events, with all data that a program needs.

use std::collections::BTreeMap;

use dealerless::deck::Card;
use dealerless_connection::hex;
use dealerless_connection::storage::{Storage, Vault};
use dealerless_table::Seat;
use dealerless_table::log::{Begun, End, LogEvent, MatchLog, Phase, Stop};
use dealerless_table::play::{News, NotNow, Play};
use dealerless_table::rules::{Amounts, Hand, Learners, Legal, Outcome, Proposal, Stakes};
use rand::CryptoRng;

use crate::cards::CardNames;
use crate::command::{Said, reveals};
use crate::ending;
use crate::event::{
    Ask, Awaited, Cost, Event, HandResult, How, OpenCard, Pot, Range, Refusal, Shown, Standing,
    TheirTurn, Winner, YourTurn,
};
use crate::leaving;
use crate::seated::Seated;
use crate::words::Names;

/// Turns the news of a seat into events. It keeps the data that is not in the news or the log.
pub struct Story {
    seat: Seat,
    names: Names,
    cards: CardNames,
    drawn: usize,
    /// The board of the hand in play, by position.
    board: BTreeMap<usize, String>,
    /// The path of the match file.
    log_file: Option<String>,
}

/// The state of a seat that its story needs in addition to the news.
pub trait SeatView {
    /// Returns the seat.
    fn seat(&self) -> Seat;
    /// Returns the log.
    fn log(&self) -> &MatchLog;
    /// Returns the card at `position` if this seat has seen it.
    fn card(&self, position: usize) -> Option<Card>;
    /// Whether a shown hand beats this seat's hand in every pot that the seat contests.
    fn is_beaten(&self) -> bool;
    /// Whether the seats have the same log, so that the match can continue.
    fn is_synced(&self) -> bool;
    /// Returns the seats for whose histories the seat waits before it is synced, and whether they are
    /// connected.
    fn waits_for_histories(&self) -> (Vec<Seat>, bool);
    /// Whether the seat can leave at once, and not only at its next turn.
    fn leaves_now(&self) -> bool;
}

impl<S: Storage, V: Vault, R: CryptoRng> SeatView for Play<S, V, R> {
    fn seat(&self) -> Seat {
        self.seat()
    }

    fn log(&self) -> &MatchLog {
        self.log()
    }

    fn card(&self, position: usize) -> Option<Card> {
        self.card(position)
    }

    fn is_beaten(&self) -> bool {
        self.is_beaten()
    }

    fn is_synced(&self) -> bool {
        self.is_synced()
    }

    fn waits_for_histories(&self) -> (Vec<Seat>, bool) {
        self.waits_for_histories()
    }

    fn leaves_now(&self) -> bool {
        self.leaves_now()
    }
}

impl Story {
    /// Creates the story of a match for the player who sits on these terms.
    pub fn new(seated: &Seated, stakes: &Stakes) -> Self {
        Story {
            seat: Seat::new(seated.seat),
            names: Names::of(seated),
            cards: CardNames::of(stakes),
            drawn: stakes.deck().1,
            board: BTreeMap::new(),
            log_file: seated.log.clone(),
        }
    }

    /// Returns the names of the players.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Returns the path of the match file.
    pub(crate) fn log_file(&self) -> Option<&str> {
        self.log_file.as_deref()
    }

    /// Returns the events for `news`. `seat` has the state after the news.
    pub fn tell(&mut self, news: &News, seat: &impl SeatView) -> Vec<Event> {
        let log = seat.log();
        let hand = log.attempt().hand;
        let event = match news {
            News::Log(LogEvent::Removed { seats }) => {
                let gone = |seat: &Seat| Event::Gone {
                    seat: seat.number(),
                };
                return seats.iter().map(gone).collect();
            }
            News::Log(event) => return self.of_log(event, log).into_iter().collect(),
            News::Sealed { cost } => Event::Sealed {
                hand,
                seal: log.seal_hash().map_or_else(String::new, |seal| hex(&seal)),
                cost: cost.as_ref().map(Cost::of),
            },
            News::Card { position, card } => return self.card(hand, *position, *card, log),
            News::YourTurn { legal } => match self.your_turn(hand, legal, seat) {
                Some(turn) => Event::YourTurn(Box::new(turn)),
                None => return Vec::new(),
            },
            News::TheirTurn { seat } => match their_turn(hand, *seat, log) {
                Some(turn) => Event::TheirTurn(Box::new(turn)),
                None => return Vec::new(),
            },
            News::SitsOut => Event::SitsOut {},
            News::OutOfTime { seat, asks } => Event::OutOfTime {
                seat: seat.number(),
                away: false,
                asks: *asks,
            },
            News::Away { seat } => Event::OutOfTime {
                seat: seat.number(),
                away: true,
                asks: false,
            },
            News::RollCall { seat, missing } => Event::RollCall {
                seat: seat.number(),
                missing: numbers(missing),
            },
            News::Resumed => Event::Resumed {},
            News::NotNow(refused) => {
                let code = match refused {
                    NotNow::NotYourTurn | NotNow::OtherTurn(_) => Refusal::NotYourTurn,
                    NotNow::NobodyAsked | NotNow::Connected => Refusal::NobodyAsked,
                    NotNow::MayClose => Refusal::MayClose,
                    NotNow::OnlyOpens => Refusal::OnlyOpens,
                    _ => Refusal::NotAllowed,
                };
                Event::refused(code, leaving::refusal(refused, &self.names))
            }
            News::AskRebuy { broke } => Event::AskRebuy {
                seats: numbers(broke),
                chips: log
                    .match_info()
                    .header()
                    .stakes
                    .betting()
                    .map_or(0, |betting| betting.stack),
            },
            News::Over(end) => self.over(end, log),
            _ => return Vec::new(),
        };
        vec![event]
    }

    /// Returns the event for an event of the log.
    fn of_log(&mut self, event: &LogEvent, log: &MatchLog) -> Option<Event> {
        let hand = log.attempt().hand;
        Some(match event {
            LogEvent::Begun(begun) => {
                self.board.clear();
                dealt(begun, log)
            }
            LogEvent::Void { seat } => Event::Again {
                hand,
                seat: seat.number(),
            },
            LogEvent::Chose(chosen) => Event::Chose {
                hand,
                seat: chosen.seat.number(),
                all_in: chosen.all_in,
                choice: Said::from(&chosen.choice),
            },
            LogEvent::NotStolen { seat } => Event::NotStolen {
                hand,
                seat: seat.number(),
            },
            LogEvent::Rolled(rolled) => Event::Rolled {
                hand,
                seat: rolled.by.number(),
                dice: rolled.dice,
                sum: rolled.sum(),
                faces: rolled.faces.clone(),
            },
            LogEvent::HandOver { hand, outcome } => {
                Event::Result(Box::new(self.result(*hand, outcome)))
            }
            LogEvent::Stopped { seat, stop } => stopped(*seat, *stop),
            _ => return None,
        })
    }

    fn card(&mut self, hand: u32, position: usize, card: Card, log: &MatchLog) -> Vec<Event> {
        let name = self.cards.name(card);
        let game = log.game();
        let mut seats = Seat::all(log.match_info().seats());
        let holds = |seat: &Seat| game.is_some_and(|game| game.held(*seat).contains(&position));
        let holder = seats.find(holds);
        let chips = log.match_info().header().stakes.betting().is_some();
        // In a deck without rules, a card belongs to the only seat that has seen it.
        let holder = if chips {
            holder
        } else {
            (!self.is_public(position, log)).then_some(self.seat)
        };
        let mut events = vec![Event::Card {
            hand,
            position,
            card: name.clone(),
            holder: holder.map(Seat::number),
        }];
        if chips && holder.is_none() {
            self.board.insert(position, name);
            if self.board.len() >= 3 {
                let cards = self.board.values().cloned().collect();
                events.push(Event::Board { hand, cards });
            }
        }
        events
    }

    /// Whether the card at `position`, in a deck without rules, was opened or is being opened to
    /// all seats.
    fn is_public(&self, position: usize, log: &MatchLog) -> bool {
        let is_being_opened = match log.phase() {
            Phase::Open(openings) => openings.iter().any(|opening| {
                let all = (position, Learners::All);
                opening.cards.contains(&all)
            }),
            _ => false,
        };
        is_being_opened || log.public_card(position).is_some()
    }

    fn your_turn(&self, hand: u32, legal: &Legal, seat: &impl SeatView) -> Option<YourTurn> {
        let log = seat.log();
        let game = log.game()?;
        let positions = game.held(self.seat);
        let seen: Vec<Option<Card>> = (positions.iter())
            .map(|&position| seat.card(position))
            .collect();
        let own: Option<Vec<Card>> = seen.iter().copied().collect();
        let made = own.and_then(|own| game.made(&own));
        let holds = |seat: &Seat, position| game.held(*seat).contains(&position);
        let open = |position| {
            let mut seats = Seat::all(log.match_info().seats());
            Some(OpenCard {
                position,
                card: self.cards.name(game.public(position)?),
                holder: (seats.find(|seat| holds(seat, position))).map(Seat::number),
            })
        };
        let chips = log.match_info().header().stakes.betting().is_some();
        Some(YourTurn {
            hand,
            turn: log.step(),
            button: game.button().number(),
            pot: game.pot(),
            stacks: game.stacks(),
            bets: game.bets(),
            playing: playing(game, log),
            cards: (seen.iter().map(|card| Some(self.cards.name((*card)?)))).collect(),
            positions,
            held: held(game, log),
            board: (game.board().iter().map(|&card| self.cards.name(card))).collect(),
            made,
            open: if chips {
                Vec::new()
            } else {
                (0..self.drawn).filter_map(open).collect()
            },
            time: None,
            ask: ask(legal, seat)?,
        })
    }

    fn result(&self, hand: u32, outcome: &Outcome) -> HandResult {
        let winner = |&(seat, chips): &(Seat, u64)| Winner {
            seat: seat.number(),
            chips,
        };
        let pots = outcome.pots.iter().map(|pot| Pot {
            chips: pot.chips,
            winners: pot.winners.iter().map(winner).collect(),
        });
        let shown = outcome.shown.iter().map(|shown| Shown {
            seat: shown.seat.number(),
            cards: (shown.cards.iter().map(|&card| self.cards.name(card))).collect(),
            best: (shown.best.iter().map(|&card| self.cards.name(card))).collect(),
            worth: shown.rank.to_string(),
        });
        HandResult {
            hand,
            stacks: outcome.stacks.clone(),
            pots: pots.collect(),
            shown: shown.collect(),
        }
    }

    fn over(&self, end: &End, log: &MatchLog) -> Event {
        Event::Over {
            how: ending::how(end),
            hands: hands_with_a_result(log),
            stacks: log.final_stacks(),
            log: self.log_file.clone(),
            exit_code: ending::exit_code(end, self.seat),
            message: ending::in_words(end, self.seat, &self.names),
        }
    }
}

/// Returns the number of hands that have a result.
pub fn hands_with_a_result(log: &MatchLog) -> u32 {
    log.attempt().hand.saturating_sub(1)
}

fn dealt(begun: &Begun, log: &MatchLog) -> Event {
    let game = log.game();
    Event::Dealt {
        hand: begun.hand,
        attempt: begun.attempt,
        button: begun.button.number(),
        stacks: game.map_or_else(Vec::new, |game| game.stacks()),
        bets: game.map_or_else(Vec::new, |game| game.bets()),
        pot: game.map_or(0, |game| game.pot()),
        posted: (game.filter(|_| log.match_info().header().stakes.betting().is_some()))
            .map_or_else(Vec::new, |game| game.posted()),
        playing: game.map_or_else(Vec::new, |game| playing(game, log)),
    }
}

fn their_turn(hand: u32, seat: Seat, log: &MatchLog) -> Option<TheirTurn> {
    let game = log.game()?;
    Some(TheirTurn {
        hand,
        turn: log.step(),
        seat: seat.number(),
        button: game.button().number(),
        pot: game.pot(),
        stacks: game.stacks(),
        bets: game.bets(),
        playing: playing(game, log),
        held: held(game, log),
        time: None,
    })
}

/// Returns the positions of the cards that each seat holds.
fn held(game: &Hand, log: &MatchLog) -> Vec<Vec<usize>> {
    let seats = Seat::all(log.match_info().seats());
    seats.map(|seat| game.held(seat)).collect()
}

/// Returns the seats that can still win a pot; empty with two seats.
fn playing(game: &Hand, log: &MatchLog) -> Vec<u8> {
    let seats = log.match_info().seats();
    let live = Seat::all(seats).filter(|seat| game.is_live(*seat) && seats > 2);
    live.map(Seat::number).collect()
}

fn stopped(seat: Seat, stop: Stop) -> Event {
    let (how, step) = match stop {
        Stop::Leave => (How::Leave, None),
        Stop::Forfeit => (How::Forfeit, None),
        Stop::Dispute { step } => (How::Dispute, Some(step)),
    };
    Event::Stopped {
        seat: seat.number(),
        how,
        step,
    }
}

/// Returns `None` for a choice that this version does not know.
fn ask(legal: &Legal, seat: &impl SeatView) -> Option<Ask> {
    let range = |amounts: &Amounts| Range {
        min: amounts.min,
        max: amounts.max,
    };
    Some(match legal {
        Legal::Bet { call, bet, raise } => Ask::Bet {
            call: *call,
            bet: bet.as_ref().map(range),
            raise: raise.as_ref().map(range),
        },
        Legal::Exchange => Ask::Exchange {},
        Legal::ShowOrMuck => Ask::ShowOrMuck {
            wins: !seat.is_beaten(),
        },
        Legal::Speak {
            proposals,
            may_propose,
            may_draw,
        } => Ask::Speak {
            proposals: proposals.iter().map(standing).collect(),
            may_propose: *may_propose,
            may_draw: *may_draw,
        },
        _ => return None,
    })
}

fn standing(proposal: &Proposal) -> Standing {
    Standing {
        proposal: proposal.number,
        by: proposal.by.number(),
        cards: reveals(&proposal.cards),
        agreed: numbers(&proposal.agreed),
    }
}

fn numbers(seats: &[Seat]) -> Vec<u8> {
    seats.iter().map(|seat| seat.number()).collect()
}

/// Returns the seats that the match waits for, as the owner of this log counts them, and what they must
/// do. All screens and records show this.
pub(crate) fn pending(log: &MatchLog) -> (Vec<Seat>, Awaited) {
    let votes = log.waits_for_votes();
    if !votes.is_empty() {
        return (votes.iter().collect(), Awaited::Vote);
    }
    let mut seats = log.waits_for();
    let what = match log.phase() {
        Phase::Keys | Phase::KeyDealing | Phase::Complaints | Phase::Key(_) => Awaited::Keys,
        Phase::Deal if seats.iter().any(|seat| log.sat_out().contains(seat)) => {
            seats.retain(|seat| log.sat_out().contains(seat));
            Awaited::Back
        }
        Phase::Deal => Awaited::Deal,
        Phase::Seal(_) | Phase::Shuffle(_) | Phase::Reseal(..) => Awaited::Shuffle,
        Phase::Open(_) => Awaited::Cards,
        Phase::Commit(_) | Phase::Reveal(_) => Awaited::Dice,
        Phase::Choose { .. } => Awaited::Move,
        _ => Awaited::Result,
    };
    (seats, what)
}

/// Returns the seats that the match waits for, and what they must do; `None` if it waits for the player
/// at this seat. The list is empty if it waits for this program.
pub(crate) fn awaited(seat: &impl SeatView) -> Option<(Vec<u8>, Awaited)> {
    if !seat.is_synced() {
        let (seats, are_here) = seat.waits_for_histories();
        let what = if are_here {
            Awaited::History
        } else {
            Awaited::Line
        };
        return Some((numbers(&seats), what));
    }
    let (mut seats, what) = pending(seat.log());
    match (what, seats.contains(&seat.seat())) {
        (Awaited::Shuffle, true) => seats.clear(),
        (Awaited::Vote, true) => seats.retain(|other| *other != seat.seat()),
        (_, true) => return None,
        (_, false) => {}
    }
    Some((numbers(&seats), what))
}
