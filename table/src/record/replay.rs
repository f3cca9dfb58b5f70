//! How a record is replayed: each part is taken as if it were said now, and what it does is noted.

use dealerless::deck::Card;
use zeroize::Zeroizing;

use super::error::{BadRecord, Place};
use super::hand::{Chosen, HandEvent, Post, PostKind, RecordedHand};
use crate::log::{
    BadFile, Evidence, Match, MatchLog, Note, Part, Phase, Refused, Seen, Taken, Verified,
};
use crate::rules::{Choice, Hand, Learners, Legal, Opening, Posts, Steal};
use crate::seat::Seat;

/// A record as far as it has been read.
pub(super) struct Replay {
    pub(super) log: MatchLog,
    /// The owner's key, with which its notes can be read.
    key: Option<Zeroizing<[u8; 32]>>,
    hands: Vec<RecordedHand>,
    /// What was noted of tries that were not found void yet.
    seen: Vec<Seen>,
    /// Who declared the tries before this one void.
    voided: Vec<Seat>,
    /// Where the record begins that is read now.
    at: usize,
}

/// The chips and cards of a hand before something happens.
struct Before {
    stacks: Vec<u64>,
    bets: Vec<u64>,
    /// Of each seat; empty in a game without chips, where a hand can be the whole deck.
    held: Vec<Vec<usize>>,
}

impl Before {
    fn of(log: &MatchLog, hand: &Hand) -> Self {
        let seats = match log.of().header().stakes.betting() {
            Some(_) => log.of().seats(),
            None => 0,
        };
        Before {
            stacks: hand.stacks(),
            bets: hand.bets(),
            held: Seat::all(seats).map(|seat| hand.held(seat)).collect(),
        }
    }
}

impl Replay {
    pub(super) fn new(of: Match, key: Option<Zeroizing<[u8; 32]>>) -> Self {
        Replay {
            log: MatchLog::new(of),
            key,
            hands: Vec::new(),
            seen: Vec::new(),
            voided: Vec::new(),
            at: 0,
        }
    }

    fn place(&self) -> Place {
        Place {
            hand: self.log.attempt().hand,
            step: self.log.step(),
            at: self.at,
        }
    }

    /// What is wrong with the file, in terms of the match.
    pub(super) fn bad_file(&mut self, bad: BadFile) -> BadRecord {
        match bad {
            BadFile::NeverBegun => BadRecord::NeverBegun,
            BadFile::Changed(at) => {
                self.at = at;
                BadRecord::Changed(self.place())
            }
            BadFile::Record(at) => {
                self.at = at;
                BadRecord::Foreign(self.place())
            }
        }
    }

    /// Takes in what was said.
    pub(super) fn part(&mut self, at: usize, part: Verified) -> Result<(), BadRecord> {
        self.at = at;
        let place = self.place();
        let seat = part.seat();
        // Only a part that completes its step changes anything.
        let last = self.log.waits_for() == [seat];
        let phase = last.then(|| self.log.phase());
        let game = self.log.game().filter(|_| last);
        let before = game.map(|hand| Before::of(&self.log, hand));
        match self.log.take_verified(part) {
            Ok(Taken::Known) => Err(BadRecord::Repeated { place, seat }),
            Ok(Taken::New(said)) => {
                if let Some(stop) = said.stop() {
                    self.push(HandEvent::Stopped { seat, stop });
                }
                if let Some(phase) = phase.filter(|_| self.log.step() > place.step) {
                    self.completed(place.step, (seat, said), phase, before);
                }
                Ok(())
            }
            Err(Refused::Foul(proof)) => {
                self.log.close(*proof);
                Ok(())
            }
            Err(refused) => Err(BadRecord::Part {
                place,
                seat,
                refused,
            }),
        }
    }

    /// Takes in what convicts a seat.
    pub(super) fn evidence(&mut self, at: usize, evidence: Evidence) -> Result<(), BadRecord> {
        self.at = at;
        let place = self.place();
        // A match ends once.
        let convicted = self.log.foul().is_some() || self.log.evidence().is_some();
        match convicted || self.log.convict(evidence).is_err() {
            true => Err(BadRecord::Foreign(place)),
            false => Ok(()),
        }
    }

    /// Takes in what the owner has noted.
    pub(super) fn note(&mut self, at: usize, note: &Note) -> Result<(), BadRecord> {
        self.at = at;
        let now = self.log.attempt();
        let (_, drawn) = self.log.of().header().stakes.deck();
        if note.attempt() > (now.hand, now.attempt) || note.position() >= drawn {
            return Err(BadRecord::Foreign(self.place()));
        }
        if let Some(key) = &self.key {
            self.seen.push(note.seen(now.of, key));
        }
        Ok(())
    }

    /// The last part of a step was said, which was in this phase.
    fn completed(
        &mut self,
        step: u64,
        (seat, said): (Seat, Part),
        phase: Phase,
        before: Option<Before>,
    ) {
        match (said, phase, before) {
            (Part::Again, ..) => self.void(seat),
            (_, Phase::Deal, _) => self.dealt(step),
            (_, Phase::Open(openings), Some(before)) => {
                self.opened(&openings, &before);
                self.settled(&before, None);
            }
            (Part::Move(choice), Phase::Choose { legal, .. }, Some(before)) => {
                self.chose(seat, choice, &legal, before);
            }
            (_, Phase::Reveal(_), _) => {
                let rolled = self.log.game().and_then(Hand::last_roll).cloned();
                rolled
                    .into_iter()
                    .for_each(|rolled| self.push(HandEvent::Rolled(rolled)));
            }
            (Part::Void, ..) => self.push(HandEvent::NotStolen { seat }),
            (_, Phase::Reseal(_, steal), _) if self.log.stolen_in().is_none() => {
                self.reshuffled(steal);
            }
            (_, Phase::Result(outcome), _) => {
                if let Some(hand) = self.hands.last_mut() {
                    (hand.outcome, hand.over_in) = (Some(outcome), Some(step));
                }
            }
            _ => {}
        }
    }

    /// Other cards lie at the positions of this hand now.
    fn reshuffled(&mut self, steal: Steal) {
        let first = steal
            .hand
            .first()
            .and_then(|&first| self.log.resealed(first));
        if let Some(hand) = self.hands.last_mut() {
            hand.public
                .retain(|position, _| !steal.hand.contains(position));
        }
        self.push(HandEvent::Reshuffled {
            seat: steal.owner,
            positions: steal.hand,
            since: first.map_or(0, |(since, _)| since),
        });
    }

    fn push(&mut self, event: HandEvent) {
        let number = self.log.attempt().hand;
        let hand = self.hands.last_mut();
        if let Some(hand) = hand.filter(|hand| hand.number == number && hand.outcome.is_none()) {
            hand.events.push(event);
        }
    }

    fn void(&mut self, seat: Seat) {
        // The tries before this one are void as well.
        self.voided = self.hands.pop().map(|hand| hand.voided).unwrap_or_default();
        self.voided.push(seat);
    }

    /// All seats have begun a try.
    fn dealt(&mut self, step: u64) {
        let (Some(game), Some(stacks)) = (self.log.game(), self.log.dealt_stacks()) else {
            return;
        };
        let button = game.button();
        let bought = |seat: &Seat| stacks[seat.index()] > self.log.stacks()[seat.index()];
        let hand = RecordedHand {
            number: self.log.attempt().hand,
            step,
            button,
            stacks: stacks.to_vec(),
            rebuys: Seat::all(stacks.len()).filter(bought).collect(),
            posts: posts(&self.log, game, stacks, button),
            voided: std::mem::take(&mut self.voided),
            seal: None,
            events: Vec::new(),
            outcome: None,
            over_in: None,
            held: self.held(),
            public: Default::default(),
            seen: Default::default(),
        };
        self.hands.push(hand);
    }

    fn opened(&mut self, openings: &[Opening], before: &Before) {
        let mut cards: Vec<(usize, Learners)> =
            openings.iter().flat_map(|o| &o.cards).copied().collect();
        cards.sort_unstable();
        cards.dedup();
        let face = |position| self.log.public_card(position);
        let faces: Vec<(usize, Card)> = (cards.iter())
            .filter(|(_, to)| *to == Learners::All)
            .filter_map(|&(position, _)| Some((position, face(position)?)))
            .collect();
        let rules = self.log.of().header().stakes.betting().is_some();
        let events = match rules {
            true => events_of(&cards, &faces, before),
            false => (cards.iter())
                .map(|&(position, to)| HandEvent::Opened { position, to })
                .collect(),
        };
        let held = self.held();
        if let Some(hand) = self.hands.last_mut() {
            hand.seal = hand.seal.or(self.log.seal_hash());
            hand.public.extend(faces);
            hand.events.extend(events);
            hand.held = held;
        }
    }

    /// The positions of the cards that each seat holds now.
    fn held(&self) -> Vec<Vec<usize>> {
        let of_seats = |game: &Hand| {
            let seats = Seat::all(self.log.of().seats());
            seats.map(|seat| game.held(seat)).collect()
        };
        self.log.game().map(of_seats).unwrap_or_default()
    }

    fn chose(&mut self, seat: Seat, choice: Choice, legal: &Legal, before: Before) {
        let place = seat.index();
        let (stack, bet) = (before.stacks[place], before.bets[place]);
        let paid = match (&choice, legal) {
            (Choice::Call, Legal::Bet { call, .. }) => call.unwrap_or_default(),
            (&(Choice::Bet { to } | Choice::Raise { to }), _) => to.saturating_sub(bet),
            _ => 0,
        };
        // A card that all have seen is laid down without being opened.
        if let Choice::Reveal(_) = choice {
            let held = self.held();
            if let Some(hand) = self.hands.last_mut() {
                hand.held = held;
            }
        }
        self.push(HandEvent::Chose(Chosen {
            seat,
            choice,
            level: before.bets.iter().copied().max().unwrap_or_default(),
            paid,
            all_in: paid > 0 && paid == stack,
            held: before.held.get(place).cloned().unwrap_or_default(),
        }));
        self.settled(&before, Some((seat, paid)));
    }

    /// What nobody matched has gone back to who bet it.
    fn settled(&mut self, before: &Before, paid: Option<(Seat, u64)>) {
        let Some(game) = self.log.game() else { return };
        let seats = Seat::all(self.log.of().seats());
        let mut returned = Vec::new();
        for (seat, (now, was)) in seats.zip(game.stacks().iter().zip(&before.stacks)) {
            let paid = match paid {
                Some((who, paid)) if who == seat => paid,
                _ => 0,
            };
            let chips = (now + paid).saturating_sub(*was);
            if chips > 0 {
                returned.push(HandEvent::Returned { seat, chips });
            }
        }
        returned.into_iter().for_each(|event| self.push(event));
    }

    /// What came of all records.
    pub(super) fn finish(mut self) -> (MatchLog, Vec<RecordedHand>) {
        for seen in self.seen {
            let at = (self.hands).binary_search_by_key(&seen.of.hand, |hand| hand.number);
            let Some(hand) = at.ok().map(|at| &mut self.hands[at]) else {
                continue;
            };
            let position = seen.position.into();
            let of_last_try = hand.voided.len() as u64 == u64::from(seen.of.attempt);
            if of_last_try && hand.since(position) == seen.since {
                hand.seen.insert(position, seen.card);
            }
        }
        (self.log, self.hands)
    }
}

/// What an opening does in a game with hands and a board.
fn events_of(
    cards: &[(usize, Learners)],
    faces: &[(usize, Card)],
    before: &Before,
) -> Vec<HandEvent> {
    let mut events = Vec::new();
    let mut board = Vec::new();
    let seats = Seat::all(before.held.len());
    for (seat, held) in seats.zip(&before.held) {
        let to_it = |&&(_, to): &&(usize, Learners)| to == Learners::Seat(seat);
        let positions: Vec<usize> = cards.iter().filter(to_it).map(|card| card.0).collect();
        if !positions.is_empty() {
            events.push(HandEvent::Dealt { seat, positions });
        }
        let face = |position: &usize| faces.iter().find(|face| face.0 == *position);
        let shown: Vec<Card> = held.iter().filter_map(face).map(|face| face.1).collect();
        if !shown.is_empty() {
            events.push(HandEvent::Shown { seat, cards: shown });
        }
    }
    for (position, card) in faces {
        if !before.held.iter().any(|held| held.contains(position)) {
            board.push(*card);
        }
    }
    if !board.is_empty() {
        events.push(HandEvent::Board(board));
    }
    events
}

/// What was bet before the cards, in the order in which it is due.
fn posts(log: &MatchLog, game: &Hand, stacks: &[u64], button: Seat) -> Vec<Post> {
    let Some(rules) = log.of().header().stakes.betting() else {
        return Vec::new();
    };
    let left = game.stacks();
    let post = |seat: Seat, kind| {
        let chips = stacks[seat.index()] - left[seat.index()];
        let all_in = left[seat.index()] == 0;
        (chips > 0).then_some(Post {
            seat,
            kind,
            chips,
            all_in,
        })
    };
    let seats = stacks.len();
    let around = std::iter::successors(Some(button.next(seats)), |seat| Some(seat.next(seats)));
    let mut live: Vec<Seat> = around
        .take(seats)
        .filter(|&seat| game.is_live(seat))
        .collect();
    match rules.posts {
        Posts::Antes { .. } => {
            let ante = |seat| post(seat, PostKind::Ante);
            live.into_iter().filter_map(ante).collect()
        }
        Posts::Blinds { .. } => {
            // With two in the hand the button, which is the last, has the small blind.
            if live.len() == 2 {
                live.rotate_right(1);
            }
            let kinds = [PostKind::Small, PostKind::Big];
            let blinds = live.into_iter().zip(kinds);
            blinds.filter_map(|(seat, kind)| post(seat, kind)).collect()
        }
    }
}
