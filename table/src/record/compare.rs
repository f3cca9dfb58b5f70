//! The records of two sides of a match, side by side.

use super::{Record, RecordedHand};
use crate::log::{Evidence, MatchLog, SignedPart};
use crate::seat::Seat;

/// What two records are to each other.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Compared {
    /// They are of two matches.
    OtherMatch,
    /// One log holds both.
    Together {
        /// How many parts only the first has, and only the second.
        more: [usize; 2],
        /// The seats to which they give different names. Nobody signs a name: which one is true is
        /// unproven.
        renamed: Vec<Seat>,
        /// Both say that they are the file of the same seat.
        same_owner: bool,
    },
    /// No log holds both: a seat has signed two things for one step.
    Forked {
        /// The hand of that step, from 1.
        hand: u32,
        /// Both parts, with their signatures. They convict the seat, whoever looks at them.
        evidence: Box<Evidence>,
    },
}

/// Compares the records of two sides.
///
/// Up to the first step in which they differ both have the same history. There a seat that said one
/// thing in the one and another in the other has signed both: all signatures of a [`Record`] were
/// verified.
pub fn compare(one: &Record, other: &Record) -> Compared {
    if one.log.of().id() != other.log.of().id() {
        return Compared::OtherMatch;
    }
    let of = one.log.of().id();
    let mut more = [0, 0];
    let last = one.log.step().max(other.log.step());
    for step in 0..=last {
        for seat in Seat::all(one.log.of().seats()) {
            match [one, other].map(|record| said(&record.log, step, seat)) {
                [Some(a), Some(b)] if a.part != b.part => {
                    let before = one.log.hash_before(step).unwrap_or_default();
                    let parts = [a.clone(), b.clone()];
                    return Compared::Forked {
                        hand: hand_at(one, step),
                        evidence: Box::new(Evidence { of, before, parts }),
                    };
                }
                [a, b] => {
                    more[0] += usize::from(a.is_some() && b.is_none());
                    more[1] += usize::from(b.is_some() && a.is_none());
                }
            }
        }
    }
    let renamed = |seat: &Seat| one.names.get(seat.index()) != other.names.get(seat.index());
    Compared::Together {
        more,
        renamed: Seat::all(one.log.of().seats()).filter(renamed).collect(),
        same_owner: one.owner == other.owner,
    }
}

fn said(log: &MatchLog, step: u64, seat: Seat) -> Option<&SignedPart> {
    log.part(step, seat)
}

/// The hand to which a step belongs.
fn hand_at(record: &Record, step: u64) -> u32 {
    let over = |hand: &&RecordedHand| hand.over_in.is_some_and(|over| over < step);
    record.hands.iter().filter(over).count() as u32 + 1
}
