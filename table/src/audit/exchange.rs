//! How two seats open their inputs to each other.
//!
//! ```text
//! both   the match, the hash of its log, which tries' inputs this seat still has
//! then, for each try that both have, in turn:
//! one    its input          the host first in the first try, the guest in the next, and so on
//! other  its input
//! ```
//!
//! Each input is checked against its commitment before the next one is opened: who breaks off an
//! audit has seen one try more in it than the other, at most. Who begins it again can lose another.

use crate::log::{Attempt, Input, MatchLog, Phase};
use crate::seat::Seat;
use crate::wire::{Malformed, Reader, Writer};

use super::opened::{Audit, Commitments};

/// An audit cannot begin, or not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CannotAudit {
    /// The match is not over.
    #[error("the match is not over: an audit would show what is still closed")]
    NotOver,
    /// The two sides have different logs.
    #[error("the two sides have different logs of the match")]
    OtherLog,
    /// What arrived is none of an audit, or comes out of order.
    #[error("the other side does not audit as the protocol says")]
    Malformed,
    /// The other has opened something else than it has committed itself to.
    #[error("{seat} has not entered into the shuffle of hand {hand} what it says")]
    Commitment {
        /// Who.
        seat: Seat,
        /// The number of the hand.
        hand: u32,
    },
}

impl From<Malformed> for CannotAudit {
    fn from(Malformed: Malformed) -> Self {
        CannotAudit::Malformed
    }
}

/// One seat of two that open their inputs to each other.
pub struct Auditing {
    seat: Seat,
    of: [u8; 32],
    /// The hash of the log.
    hash: [u8; 32],
    commitments: Commitments,
    /// The tries that both have dealt, and the own input of each, if it is still there.
    own: Vec<((u32, u32), Option<Input>)>,
    said_first: bool,
    /// The tries whose inputs both have: known when the other has spoken.
    both: Option<Vec<usize>>,
    /// Of these, what was opened: own and theirs.
    opened: [Vec<Input>; 2],
}

impl Auditing {
    /// Begins for a match that is over. `log` has forgotten nothing, and `inputs` are those of the
    /// own [file](crate::log::Inputs).
    ///
    /// # Errors
    /// [`CannotAudit::NotOver`].
    pub fn new(log: &MatchLog, seat: Seat, inputs: &[Input]) -> Result<Self, CannotAudit> {
        if !matches!(log.phase(), Phase::Over(_)) || log.of().seats() != 2 {
            return Err(CannotAudit::NotOver);
        }
        let commitments = Commitments::of(log);
        let own = commitments.tries().into_iter().map(|(hand, attempt)| {
            // A crash may have left one that was never said.
            let of_try = |input: &&Input| (input.of.hand, input.of.attempt) == (hand, attempt);
            let mut of_try = inputs.iter().filter(of_try);
            let input = of_try.find(|input| commitments.opens(seat, input)).cloned();
            ((hand, attempt), input)
        });
        Ok(Auditing {
            seat,
            of: log.of().id(),
            hash: log.hash(),
            own: own.collect(),
            commitments,
            said_first: false,
            both: None,
            opened: [Vec::new(), Vec::new()],
        })
    }

    /// What this seat sends now. `None` if it waits for the other, or all is opened.
    pub fn say(&mut self) -> Option<Vec<u8>> {
        if !std::mem::replace(&mut self.said_first, true) {
            return Some(self.first());
        }
        let [own, theirs] = self.opened.each_ref().map(Vec::len);
        let place = *self.both.as_ref()?.get(own)?;
        let begins = (own % 2 == 0) == (self.seat == Seat::HOST);
        if own > theirs || own == theirs && !begins {
            return None;
        }
        let input = self.own[place].1.clone()?;
        let bytes = input.encode().to_vec();
        self.opened[0].push(input);
        Some(bytes)
    }

    fn first(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.raw(&self.of).raw(&self.hash);
        writer.u32(self.own.len() as u32);
        for (_, input) in &self.own {
            writer.u8(u8::from(input.is_some()));
        }
        writer.finish()
    }

    /// Hears what the other sends.
    ///
    /// # Errors
    /// [`CannotAudit`]; nothing more is to be opened then.
    pub fn hear(&mut self, bytes: &[u8]) -> Result<(), CannotAudit> {
        let Some(both) = &self.both else {
            self.both = Some(self.hear_first(bytes)?);
            return Ok(());
        };
        let [own, theirs] = self.opened.each_ref().map(Vec::len);
        let begins = (theirs % 2 == 0) == (self.seat != Seat::HOST);
        let due = own > theirs || own == theirs && begins;
        let place = *both
            .get(theirs)
            .filter(|_| due)
            .ok_or(CannotAudit::Malformed)?;
        let (hand, attempt) = self.own[place].0;
        let input = Input::decode(bytes, self.of)?;
        let seat = self.seat.next(2);
        let of = Attempt {
            of: self.of,
            hand,
            attempt,
        };
        if input.of != of || !self.commitments.opens(seat, &input) {
            return Err(CannotAudit::Commitment { seat, hand });
        }
        self.opened[1].push(input);
        Ok(())
    }

    fn hear_first(&self, bytes: &[u8]) -> Result<Vec<usize>, CannotAudit> {
        let mut reader = Reader::new(bytes);
        let (of, hash) = (reader.array()?, reader.array()?);
        if (of, hash) != (self.of, self.hash) {
            return Err(CannotAudit::OtherLog);
        }
        if reader.u32()? as usize != self.own.len() {
            return Err(CannotAudit::Malformed);
        }
        let mut both = Vec::new();
        for (place, (_, input)) in self.own.iter().enumerate() {
            match reader.u8()? {
                0 => {}
                1 if input.is_some() => both.push(place),
                1 => {}
                _ => return Err(CannotAudit::Malformed),
            }
        }
        reader.finish()?;
        Ok(both)
    }

    /// All that was opened, once both have opened all that they have.
    pub fn opened(&self) -> Option<Audit> {
        let tries = self.both.as_ref()?.len();
        let [own, theirs] = &self.opened;
        if [own.len(), theirs.len()] != [tries; 2] {
            return None;
        }
        let pairs = own.iter().zip(theirs).map(|(own, theirs)| {
            let mut pair = vec![own.clone(), theirs.clone()];
            // The host comes first.
            pair.rotate_left(self.seat.index());
            pair
        });
        Some(Audit {
            of: self.of,
            tries: pairs.collect(),
        })
    }
}
