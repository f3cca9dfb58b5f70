//! Computes the events of a complete step from the state before the step and the log after it.

use super::event::{Begun, Chosen, Face, LogEvent, Post, PostKind};
use super::match_log::MatchLog;
use super::part::Part;
use super::phase::{Opening, Phase, Stop};
use super::state::State;
use crate::rules::{Choice, Hand, Learners, Legal, Posts};
use crate::seat::{Seat, SeatSet};

/// The state before a step was completed, as far as the events depend on it.
pub(super) struct Before {
    phase: Phase,
    /// The hand in play. `None` in a game without chips: its events do not need the hand, and a
    /// copy could contain the whole deck.
    hand: Option<Hand>,
    /// Whether the deck is already final, because a card of the try was opened.
    is_final: bool,
    is_verifiable: bool,
}

impl Before {
    pub(super) fn of(state: &State) -> Self {
        let has_chips = state.stakes.betting().is_some();
        let dealt = state.dealt.as_ref().filter(|_| has_chips);
        Before {
            phase: state.phase.clone(),
            hand: dealt.map(|dealt| dealt.game.clone()),
            is_final: state.deck.final_since().is_some(),
            is_verifiable: state.shape.verifiable.is_some(),
        }
    }

    /// The events of the step that was completed by `parts`. `log` is the log after this step.
    pub(super) fn events(
        &self,
        log: &MatchLog,
        parts: &[(Seat, Part)],
        removed: SeatSet,
    ) -> Vec<LogEvent> {
        let mut events = match parts.first() {
            Some((seat, part)) => self.of_parts(log, *seat, part),
            None => Vec::new(),
        };
        if !removed.is_empty() {
            events.push(LogEvent::Removed {
                seats: removed.iter().collect(),
            });
        }
        // A roll call can end an opening, and seats go on with the cards that are missing.
        let opened = log.state().opened.clone();
        let has_moved = matches!(parts.first(), Some((_, Part::Move(_))));
        match &self.hand {
            _ if !opened.is_empty() => events.extend(self.opened(log, opened)),
            Some(hand) if !removed.is_empty() && !has_moved => {
                events.extend(returned(log, hand, None));
            }
            _ => {}
        }
        events
    }

    /// The events of the parts. `seat` signed the first one, `part`.
    fn of_parts(&self, log: &MatchLog, seat: Seat, part: &Part) -> Vec<LogEvent> {
        match (part, &self.phase) {
            (Part::Again, _) => vec![LogEvent::Void { seat }],
            (_, Phase::Deal) => {
                let begun = log.begun().map(LogEvent::Begun);
                // The deck was shuffled before the hand.
                begun.into_iter().chain(self.sealed(log)).collect()
            }
            (_, Phase::Open(openings)) if is_coin(log, openings) => {
                let rolled = log.game().and_then(Hand::last_roll).cloned();
                let event = rolled.map(LogEvent::Rolled).or(stolen(log));
                event.into_iter().collect()
            }
            (_, Phase::Open(openings)) if !self.is_verifiable => {
                let cards = openings.iter().flat_map(|opening| &opening.cards);
                let mut cards: Vec<_> = cards.copied().collect();
                cards.sort_unstable();
                cards.dedup();
                self.opened(log, cards)
            }
            (Part::Mix(_), Phase::Mix { seat, positions }) => vec![LogEvent::Mixed {
                seat: *seat,
                positions: positions.clone(),
            }],
            (_, Phase::Shuffle(_)) => self.sealed(log).into_iter().collect(),
            (Part::Leave, Phase::Choose { .. }) => vec![LogEvent::Stopped {
                seat,
                stop: Stop::Leave,
            }],
            (Part::Move(choice), Phase::Choose { legal, .. }) => {
                self.chose(log, seat, choice, legal)
            }
            (_, Phase::Reveal(_)) => {
                let rolled = log.game().and_then(Hand::last_roll).cloned();
                rolled.map(LogEvent::Rolled).into_iter().collect()
            }
            (Part::Void, _) => vec![LogEvent::NotStolen { seat }],
            (_, Phase::Reseal(_, steal)) if log.stolen_in().is_none() => {
                let first = steal.hand.first().and_then(|&first| log.resealed(first));
                vec![LogEvent::Reshuffled {
                    seat: steal.owner,
                    positions: steal.hand.clone(),
                    since: first.map_or(0, |(since, _)| since),
                }]
            }
            (_, Phase::Result(outcome)) if log.game().is_none() => vec![LogEvent::HandOver {
                hand: log.attempt().hand - 1,
                outcome: outcome.clone(),
            }],
            _ => Vec::new(),
        }
    }

    /// The event that the deck is final, if it has become so in this step.
    fn sealed(&self, log: &MatchLog) -> Option<LogEvent> {
        let seal = log.seal_hash().filter(|_| !self.is_final);
        seal.map(|seal| LogEvent::Sealed { seal })
    }

    /// The events of an opening of these cards.
    fn opened(&self, log: &MatchLog, cards: Vec<(usize, Learners)>) -> Vec<LogEvent> {
        let mut events = Vec::new();
        events.extend(self.sealed(log));
        match &self.hand {
            Some(hand) => {
                events.extend(opened_to_hands(log, hand, &cards));
                events.extend(returned(log, hand, None));
            }
            None => events.extend(cards.into_iter().map(|(position, to)| LogEvent::Opened {
                position,
                to,
                card: match to {
                    Learners::All => log.public_card(position),
                    Learners::Seat(_) => None,
                },
            })),
        }
        events
    }

    fn chose(&self, log: &MatchLog, seat: Seat, choice: &Choice, legal: &Legal) -> Vec<LogEvent> {
        let mut chosen = Chosen {
            seat,
            choice: choice.clone(),
            level: 0,
            paid: 0,
            all_in: false,
            held: Vec::new(),
        };
        let Some(hand) = &self.hand else {
            let chosen = LogEvent::Chose(chosen);
            return [chosen].into_iter().chain(stolen(log)).collect();
        };
        let bets = hand.bets();
        chosen.held = hand.held(seat);
        chosen.level = bets.iter().copied().max().unwrap_or_default();
        chosen.paid = match (choice, legal) {
            (Choice::Call, Legal::Bet { call, .. }) => call.unwrap_or_default(),
            (&(Choice::Bet { to } | Choice::Raise { to }), _) => {
                to.saturating_sub(bets[seat.index()])
            }
            _ => 0,
        };
        chosen.all_in = chosen.paid > 0 && chosen.paid == hand.stacks()[seat.index()];
        let returned = returned(log, hand, Some((seat, chosen.paid)));
        let mut events = vec![LogEvent::Chose(chosen)];
        events.extend(returned);
        events
    }
}

/// Whether a coin is opened.
fn is_coin(log: &MatchLog, openings: &[Opening]) -> bool {
    let mut cards = openings.iter().flat_map(|opening| &opening.cards);
    let game = log.match_info().header().stakes.game();
    game.is_some_and(|game| cards.any(|&(position, _)| position >= game.first_coin()))
}

/// The event of the good that was stolen in this step.
fn stolen(log: &MatchLog) -> Option<LogEvent> {
    log.game().and_then(Hand::last_steal).map(LogEvent::Stolen)
}

/// The events of a complete opening step in a game with chips: cards are dealt to a seat, shown by
/// a seat, or opened on the board.
fn opened_to_hands(log: &MatchLog, before: &Hand, cards: &[(usize, Learners)]) -> Vec<LogEvent> {
    let to_all = cards.iter().filter(|(_, to)| *to == Learners::All);
    let mut faces: Vec<Face> = to_all
        .filter_map(|&(position, _)| {
            let card = log.public_card(position)?;
            Some(Face { position, card })
        })
        .collect();
    let mut events = Vec::new();
    for seat in Seat::all(log.match_info().seats()) {
        let to_seat = cards.iter().filter(|(_, to)| *to == Learners::Seat(seat));
        let positions: Vec<usize> = to_seat.map(|card| card.0).collect();
        if !positions.is_empty() {
            events.push(LogEvent::Dealt { seat, positions });
        }
        let held = before.held(seat);
        let face = |position: &usize| faces.iter().find(|face| face.position == *position);
        let cards: Vec<Face> = held.iter().filter_map(face).copied().collect();
        faces.retain(|face| !held.contains(&face.position));
        if !cards.is_empty() {
            events.push(LogEvent::Shown { seat, cards });
        }
    }
    if !faces.is_empty() {
        events.push(LogEvent::Board(faces));
    }
    events
}

/// The events for unmatched chips that were returned in this step. `paid` is the seat that paid
/// chips in this step, if any, with the number of chips.
fn returned(log: &MatchLog, before: &Hand, paid: Option<(Seat, u64)>) -> Vec<LogEvent> {
    let Some(game) = log.game() else {
        return Vec::new();
    };
    let stacks = game.stacks().into_iter().zip(before.stacks());
    let seats = Seat::all(log.match_info().seats()).zip(stacks);
    let chips = seats.map(|(seat, (now, was))| {
        let paid = paid.filter(|(who, _)| *who == seat);
        let chips = (now + paid.map_or(0, |(_, paid)| paid)).saturating_sub(was);
        LogEvent::Returned { seat, chips }
    });
    let is_some = |event: &LogEvent| !matches!(event, LogEvent::Returned { chips: 0, .. });
    chips.filter(is_some).collect()
}

impl MatchLog {
    /// The event at the start of the try in play, if it was dealt.
    pub(crate) fn begun(&self) -> Option<Begun> {
        let dealt = self.state().dealt.as_ref()?;
        let bought = |seat: &Seat| dealt.stacks[seat.index()] > self.state().stacks[seat.index()];
        Some(Begun {
            hand: self.state().hand,
            attempt: self.state().deck.attempt(),
            button: dealt.game.button(),
            stacks: dealt.stacks.clone(),
            rebuys: Seat::all(dealt.stacks.len()).filter(bought).collect(),
            posts: self.posts(&dealt.game, &dealt.stacks),
        })
    }

    /// The blinds or antes of a hand, in the order in which they are due.
    fn posts(&self, game: &Hand, stacks: &[u64]) -> Vec<Post> {
        let Some(rules) = self.state().stakes.betting() else {
            return Vec::new();
        };
        let posted = game.posted();
        let mut around: Vec<Seat> = Seat::all(stacks.len()).collect();
        around.rotate_left(game.button().index() + 1);
        around.retain(|seat| posted[seat.index()] > 0);
        let kinds = match rules.posts {
            Posts::Antes { .. } => vec![PostKind::Ante; around.len()],
            Posts::Blinds { .. } => vec![PostKind::Small, PostKind::Big],
        };
        // With two seats in the hand, the button has the small blind. It comes last in `around`.
        if around.len() == 2 && kinds[0] == PostKind::Small && around[1] == game.button() {
            around.rotate_left(1);
        }
        let post = |(seat, kind): (Seat, PostKind)| Post {
            seat,
            kind,
            chips: posted[seat.index()],
            all_in: posted[seat.index()] == stacks[seat.index()],
        };
        let posts = around.into_iter().zip(kinds).map(post);
        posts.filter(|post| post.chips > 0).collect()
    }
}
