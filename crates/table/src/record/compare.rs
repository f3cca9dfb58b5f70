//! Comparison of the records of two sides of a match.

use std::collections::BTreeMap;

use super::{Record, RecordedHand};
use crate::log::{Evidence, Statement};
use crate::seat::Seat;

/// The result of a comparison of two records.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Compared {
    /// The records belong to different matches.
    OtherMatch,
    /// The records belong to different matches of one table, of which none continues the other directly.
    SameTable,
    /// The match of one record continues the match of the other.
    Continues {
        /// Whether it begins with the chips and the button of that record's end, or with those of the
        /// settlement without absent seats.
        agrees: bool,
        /// The seats that remained in a match that was settled without absent seats, and have not
        /// signed in the match that continues it. Until they do, the settlement does not count.
        unsigned: Vec<Seat>,
        /// The seats that remained in such a match, and have signed later steps of it in that record:
        /// they have hidden these steps, or continued from an older copy of their file.
        beyond: Vec<Seat>,
    },
    /// The records do not conflict: one log can contain the parts of both.
    Together {
        /// The number of parts that are only in the first record, and the number only in the
        /// second.
        more: [usize; 2],
        /// The seats with different names in the two records. Names are not signed, so neither name
        /// is proven.
        renamed: Vec<Seat>,
        /// Whether both records claim to be the file of the same seat.
        same_owner: bool,
    },
    /// The records conflict: for one step of the log or of the shuffles for the next hand, a seat has signed
    /// two different parts, or parts for two histories.
    Forked {
        /// The number of the hand to which the step belongs, from 1. For a shuffle, the hand that it
        /// was made for.
        hand: u32,
        /// Both parts with their signatures and histories. They prove to anybody that the seat has cheated.
        evidence: Box<Evidence>,
    },
}

/// Compares the records of two sides.
///
/// Both records have the same history up to the first step with different parts. The seat with
/// different parts for this step has signed both parts, because all signatures in a [`Record`] have
/// been verified. Two records can also part in a step with roll calls. Then the owner of one is gone in
/// the other, and its later parts are only in its own record, or a seat has signed in both histories.
pub fn compare(one: &Record, other: &Record) -> Compared {
    if one.log.match_info().id() != other.log.match_info().id() {
        let pairs = [(one, other), (other, one)];
        let table = |record: &Record| Some(record.log.match_info().header().table.as_ref()?.id);
        let other = match table(one).is_some() && table(one) == table(other) {
            true => Compared::SameTable,
            false => Compared::OtherMatch,
        };
        return (pairs.into_iter().find_map(continues)).unwrap_or(other);
    }
    let of = one.log.match_info().id();
    let mut more = [0, 0];
    let last = one.log.step().max(other.log.step());
    for step in 0..=last {
        for seat in Seat::all(one.log.match_info().seats()) {
            let before = [one, other].map(|record| record.log.hash_before(step));
            match [one, other].map(|record| record.log.part(step, seat)) {
                [Some(a), Some(b)] if a.part != b.part || before[0] != before[1] => {
                    let [a, b] = [(a, before[0]), (b, before[1])].map(|(part, before)| Statement {
                        before: before.unwrap_or_default(),
                        signed: part.into(),
                    });
                    return Compared::Forked {
                        hand: hand_at(one, step),
                        evidence: Box::new(Evidence {
                            match_id: of,
                            statements: [a, b],
                        }),
                    };
                }
                [a, b] => {
                    more[0] += usize::from(a.is_some() && b.is_none());
                    more[1] += usize::from(b.is_some() && a.is_none());
                }
            }
        }
    }
    if let Some(evidence) = two_shuffles(one, other) {
        return evidence;
    }
    let renamed = |seat: &Seat| one.names.get(seat.index()) != other.names.get(seat.index());
    Compared::Together {
        more,
        renamed: Seat::all(one.log.match_info().seats())
            .filter(renamed)
            .collect(),
        same_owner: one.owner == other.owner,
    }
}

/// The first two conflicting shuffles for the next hand. The deals need not name them.
fn two_shuffles(one: &Record, other: &Record) -> Option<Compared> {
    let place = |shuffle: &Statement| {
        let signed = &shuffle.signed;
        (signed.head(), signed.step(), signed.seat())
    };
    let [one_has, other_has] = [one, other].map(|record| {
        let all = record.log.used_ahead().chain(&record.unused_ahead);
        all.map(|shuffle| (place(shuffle), shuffle))
            .collect::<BTreeMap<_, _>>()
    });
    one_has.into_iter().find_map(|(place, shuffle)| {
        let evidence = Evidence {
            match_id: one.log.match_info().id(),
            statements: [shuffle, *other_has.get(&place)?].map(Statement::clone),
        };
        let hand = shuffle.signed.head()?.hand;
        (evidence.holds(one.log.match_info())).then(|| Compared::Forked {
            hand,
            evidence: Box::new(evidence),
        })
    })
}

/// Compares the match `next` with the match `before` if its header names that match.
fn continues((next, before): (&Record, &Record)) -> Option<Compared> {
    let past = next.log.match_info().header().past()?;
    let found = past.match_id == before.log.match_info().id();
    found.then(|| {
        let remaining = past.remaining().filter(|_| past.is_open);
        let remaining: Vec<Seat> = remaining.collect();
        let later = past.steps + 1..=before.log.step();
        let is_beyond = |seat: &&Seat| {
            later
                .clone()
                .any(|step| before.log.has_spoken(step, **seat))
        };
        let is_unsigned = |seat: &&Seat| {
            let players = next.log.match_info().players();
            let mut seats = Seat::all(players.len()).zip(players);
            let of = past.player(**seat).map(|(of, _)| of);
            let now = seats.find(|(_, player)| Some(player.identity.fingerprint()) == of);
            now.is_none_or(|(now, _)| next.log.part(0, now).is_none())
        };
        Compared::Continues {
            agrees: past.follows_from(&before.log),
            unsigned: remaining.iter().filter(is_unsigned).copied().collect(),
            beyond: remaining.iter().filter(is_beyond).copied().collect(),
        }
    })
}

/// The number of the hand to which a step belongs, from 1.
fn hand_at(record: &Record, step: u64) -> u32 {
    let over = |hand: &&RecordedHand| hand.over_in.is_some_and(|over| over < step);
    record.hands.iter().filter(over).count() as u32 + 1
}
