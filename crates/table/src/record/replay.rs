//! Replay of a record: each part is added to a log as if it had just arrived, and its events are
//! collected.

use std::collections::{BTreeMap, BTreeSet};

use zeroize::Zeroizing;

use super::error::{BadRecord, Place};
use super::hand::RecordedHand;
use crate::log::{
    Accepted, BadFile, Evidence, LogEvent, Match, MatchLog, Note, Refused, Seen, Signed, Statement,
    Verified,
};
use crate::rules::{Choice, Hand};
use crate::seat::Seat;

/// The state of a replay.
pub(super) struct Replay {
    pub(super) log: MatchLog,
    /// The owner's key, which decrypts the notes.
    key: Option<Zeroizing<[u8; 32]>>,
    hands: Vec<RecordedHand>,
    /// The shuffles for the next hands.
    ahead: Vec<Statement>,
    /// The decrypted notes read so far, including notes of tries (attempts to deal a hand) that are
    /// declared void later.
    seen: Vec<Seen>,
    /// The seats that declared the earlier tries of the next dealt hand void.
    voided: Vec<Seat>,
    /// The offset of the current entry in the file.
    at: usize,
}

impl Replay {
    pub(super) fn new(of: Match, owner: Seat, key: Option<Zeroizing<[u8; 32]>>) -> Self {
        Replay {
            log: MatchLog::new(of, owner),
            key,
            hands: Vec::new(),
            ahead: Vec::new(),
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

    /// Converts an error of the file into an error at a place of the match.
    pub(super) fn bad_file(&mut self, bad: BadFile) -> BadRecord {
        match bad {
            BadFile::NeverBegun => BadRecord::NeverBegun,
            BadFile::Changed(at) => {
                self.at = at;
                BadRecord::Changed(self.place())
            }
            BadFile::Entry(at) => {
                self.at = at;
                BadRecord::Foreign(self.place())
            }
        }
    }

    /// Adds a part.
    pub(super) fn part(&mut self, at: usize, part: Verified) -> Result<(), BadRecord> {
        self.at = at;
        let place = self.place();
        let seat = part.seat();
        match self.log.accept_verified(part) {
            Ok(Accepted::Known | Accepted::Ack | Accepted::Ahead | Accepted::Vote(_)) => {
                Err(BadRecord::Repeated { place, seat })
            }
            Ok(Accepted::Void) => Ok(()),
            Ok(Accepted::New(_, events)) => {
                self.collect_all(place.step, events);
                Ok(())
            }
            Err(Refused::Foul(proof)) => {
                self.log.record_foul(*proof);
                Ok(())
            }
            Err(refused) => Err(BadRecord::Part {
                place,
                seat,
                refused,
            }),
        }
    }

    /// Adds an ack, a vote, or a shuffle for the next hand.
    pub(super) fn signed(&mut self, at: usize, signed: Signed) -> Result<(), BadRecord> {
        self.at = at;
        let (place, seat) = (self.place(), signed.seat());
        match self.log.accept_signed(signed) {
            Ok(Accepted::Known) => Err(BadRecord::Repeated { place, seat }),
            Ok(Accepted::Vote(events)) => {
                self.collect_all(place.step, events);
                Ok(())
            }
            Ok(Accepted::Ahead) => {
                self.ahead.extend(self.log.last_ahead().cloned());
                Ok(())
            }
            Ok(_) => Ok(()),
            Err(refused) => Err(BadRecord::Part {
                place,
                seat,
                refused,
            }),
        }
    }

    /// Adds evidence that convicts a seat.
    pub(super) fn evidence(&mut self, at: usize, evidence: Evidence) -> Result<(), BadRecord> {
        self.at = at;
        let place = self.place();
        let is_over = self.log.is_convicted() && self.log.match_info().seats() == 2;
        // The owner's program writes only what its log does not know yet.
        match self.log.record_fork(evidence) {
            Ok(true) if !is_over => Ok(()),
            _ => Err(BadRecord::Foreign(place)),
        }
    }

    /// Adds a note of the owner.
    pub(super) fn note(&mut self, at: usize, note: &Note) -> Result<(), BadRecord> {
        self.at = at;
        let now = self.log.attempt();
        let (_, drawn) = self.log.match_info().header().stakes.deck();
        if note.attempt() > (now.hand, now.attempt) || note.position() >= drawn {
            return Err(BadRecord::Foreign(self.place()));
        }
        if let Some(key) = &self.key {
            self.seen.push(note.seen(now.match_id, key));
        }
        Ok(())
    }

    /// Adds the events of the given step.
    fn collect_all(&mut self, step: u64, events: Vec<LogEvent>) {
        let moves_cards = events.iter().any(moves_cards);
        for event in events {
            self.collect(step, event);
        }
        if moves_cards && let (Some(game), Some(hand)) = (self.log.game(), self.hands.last_mut()) {
            hand.held = held(game, &self.log);
        }
    }

    /// Adds an event of the given step.
    fn collect(&mut self, step: u64, event: LogEvent) {
        let hand = self.hands.last_mut();
        let hand = hand.filter(|hand| hand.outcome.is_none());
        match (event, hand) {
            (LogEvent::Begun(begun), _) => self.hands.push(RecordedHand {
                begun,
                step,
                voided: std::mem::take(&mut self.voided),
                seal: None,
                events: Vec::new(),
                outcome: None,
                over_in: None,
                held: vec![Vec::new(); self.log.match_info().seats()],
                public: BTreeMap::new(),
                seen: BTreeMap::new(),
            }),
            (LogEvent::Void { seat }, _) => {
                // The earlier tries of this hand are void as well.
                self.voided = self.hands.pop().map(|hand| hand.voided).unwrap_or_default();
                self.voided.push(seat);
            }
            (LogEvent::Sealed { seal }, Some(hand)) => hand.seal = Some(seal),
            (LogEvent::HandOver { outcome, .. }, Some(hand)) => {
                (hand.outcome, hand.over_in) = (Some(outcome), Some(step));
            }
            (event, Some(hand)) => hand.take(event),
            // The match ended between two hands.
            (_, None) => {}
        }
    }

    /// Returns the log, the hands, and the shuffles for hands whose deals do not name them.
    pub(super) fn finish(mut self) -> (MatchLog, Vec<RecordedHand>, Vec<Statement>) {
        let head = |statement: &Statement| statement.signed.head();
        let used: BTreeSet<_> = self.log.used_ahead().map(head).collect();
        self.ahead.retain(|shuffle| !used.contains(&head(shuffle)));
        for seen in self.seen {
            let at = (self.hands).binary_search_by_key(&seen.attempt.hand, |hand| hand.begun.hand);
            let Some(hand) = at.ok().map(|at| &mut self.hands[at]) else {
                continue;
            };
            let position = seen.position.into();
            let of_last_try = hand.voided.len() as u64 == u64::from(seen.attempt.attempt);
            if of_last_try && hand.since(position) == seen.since {
                hand.seen.insert(position, seen.card);
            }
        }
        (self.log, self.hands, self.ahead)
    }
}

/// Whether the event can change which cards a seat holds, or their order.
fn moves_cards(event: &LogEvent) -> bool {
    match event {
        LogEvent::Begun(_)
        | LogEvent::Dealt { .. }
        | LogEvent::Board(_)
        | LogEvent::Shown { .. }
        | LogEvent::Opened { .. } => true,
        // A revealed card that all seats have already seen causes no opening.
        // A public good changes its owner without an opening.
        LogEvent::Chose(chosen) => matches!(chosen.choice, Choice::Reveal(_) | Choice::Goods(_)),
        LogEvent::Stolen(_) => true,
        _ => false,
    }
}

/// The positions of the cards that each seat holds.
fn held(game: &Hand, log: &MatchLog) -> Vec<Vec<usize>> {
    let seats = Seat::all(log.match_info().seats());
    seats.map(|seat| game.held(seat)).collect()
}
