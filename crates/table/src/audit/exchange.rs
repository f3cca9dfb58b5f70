//! The exchange of secret shuffle inputs between two seats. A *try* is one attempt to deal a hand.
//!
//! ```text
//! both    the match, the hash of its log, the tries whose inputs the sender still has
//! then, for each try whose inputs both seats still have:
//! first   its input     the host is first in the first try, the guest in the next, and so on
//! second  its input
//! ```
//!
//! Each input is checked against its commitment before the next input is opened. Therefore a player
//! who aborts an audit has seen at most one input more than it has opened. Restarting an aborted
//! audit can give away one more input.

use dealerless_connection::wire::{Malformed, Reader, Writer};

use crate::log::{Attempt, Input, MatchId, MatchLog, Phase};
use crate::seat::Seat;

use super::opened::{Audit, Commitments};

/// The reason why an audit cannot start or continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CannotAudit {
    /// The match is not over, or has more than two seats.
    #[error("the match is not over; an audit would reveal cards that are still closed")]
    NotOver,
    /// The two sides have different logs.
    #[error("the two players have different logs of the match")]
    OtherLog,
    /// A message is not part of an audit, or arrives out of order.
    #[error("the other player sent an invalid audit message")]
    Malformed,
    /// The other seat has opened an input that does not match its commitment.
    #[error("the input that {seat} opened for hand {hand} does not match its commitment")]
    Commitment {
        /// The seat that opened the input.
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

/// The state of one of the two seats during the exchange.
pub struct Auditing {
    seat: Seat,
    /// The id of the match.
    of: MatchId,
    /// The hash of the log.
    hash: [u8; 32],
    commitments: Commitments,
    /// The tries that both seats have dealt: hand, attempt, and this seat's input if it was kept.
    own: Vec<((u32, u32), Option<Input>)>,
    sent_first: bool,
    /// The indices in `own` of the tries whose inputs both seats still have. `None` until the other
    /// seat has sent its list.
    both: Option<Vec<usize>>,
    /// The inputs opened so far: this seat's and the other's.
    opened: [Vec<Input>; 2],
}

impl Auditing {
    /// Starts an audit of a match that is over. `log` must hold the whole history, and `inputs`
    /// come from this seat's [file](crate::log::Inputs).
    ///
    /// # Errors
    /// [`CannotAudit::NotOver`].
    pub fn new(log: &MatchLog, seat: Seat, inputs: &[Input]) -> Result<Self, CannotAudit> {
        if !matches!(log.phase(), Phase::Over(_)) || log.match_info().seats() != 2 {
            return Err(CannotAudit::NotOver);
        }
        let commitments = Commitments::of(log);
        let own = commitments.tries().into_iter().map(|(hand, attempt)| {
            // After a crash the file may contain an input whose deal was never sent.
            let of_try =
                |input: &&Input| (input.attempt.hand, input.attempt.attempt) == (hand, attempt);
            let mut of_try = inputs.iter().filter(of_try);
            let input = of_try.find(|input| commitments.opens(seat, input)).cloned();
            ((hand, attempt), input)
        });
        Ok(Auditing {
            seat,
            of: log.match_info().id(),
            hash: log.hash(),
            own: own.collect(),
            commitments,
            sent_first: false,
            both: None,
            opened: [Vec::new(), Vec::new()],
        })
    }

    /// The message that this seat must send now. `None` if it waits for the other seat or all
    /// inputs are opened.
    pub fn say(&mut self) -> Option<Vec<u8>> {
        if !std::mem::replace(&mut self.sent_first, true) {
            return Some(self.first_message());
        }
        let [own, theirs] = self.opened.each_ref().map(Vec::len);
        let index = *self.both.as_ref()?.get(own)?;
        let begins = (own % 2 == 0) == (self.seat == Seat::HOST);
        if own > theirs || own == theirs && !begins {
            return None;
        }
        let input = self.own[index].1.clone()?;
        let bytes = input.encode().to_vec();
        self.opened[0].push(input);
        Some(bytes)
    }

    fn first_message(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.raw(self.of.as_bytes()).raw(&self.hash);
        writer.u32(self.own.len() as u32);
        for (_, input) in &self.own {
            writer.u8(u8::from(input.is_some()));
        }
        writer.finish()
    }

    /// Processes a message of the other seat.
    ///
    /// # Errors
    /// [`CannotAudit`]. After an error, the caller must not send any more inputs.
    pub fn hear(&mut self, bytes: &[u8]) -> Result<(), CannotAudit> {
        let Some(both) = &self.both else {
            self.both = Some(self.read_first_message(bytes)?);
            return Ok(());
        };
        let [own, theirs] = self.opened.each_ref().map(Vec::len);
        let begins = (theirs % 2 == 0) == (self.seat != Seat::HOST);
        let due = own > theirs || own == theirs && begins;
        let index = *both
            .get(theirs)
            .filter(|_| due)
            .ok_or(CannotAudit::Malformed)?;
        let (hand, attempt) = self.own[index].0;
        let input = Input::decode(bytes, self.of)?;
        let seat = self.seat.next(2);
        let of = Attempt {
            match_id: self.of,
            hand,
            attempt,
        };
        if input.attempt != of || !self.commitments.opens(seat, &input) {
            return Err(CannotAudit::Commitment { seat, hand });
        }
        self.opened[1].push(input);
        Ok(())
    }

    fn read_first_message(&self, bytes: &[u8]) -> Result<Vec<usize>, CannotAudit> {
        let mut reader = Reader::new(bytes);
        let (of, hash) = (MatchId::new(reader.array()?), reader.array()?);
        if (of, hash) != (self.of, self.hash) {
            return Err(CannotAudit::OtherLog);
        }
        if reader.u32()? as usize != self.own.len() {
            return Err(CannotAudit::Malformed);
        }
        let mut both = Vec::new();
        for (index, (_, input)) in self.own.iter().enumerate() {
            match reader.u8()? {
                0 => {}
                1 if input.is_some() => both.push(index),
                1 => {}
                _ => return Err(CannotAudit::Malformed),
            }
        }
        reader.finish()?;
        Ok(both)
    }

    /// The complete audit. `None` until both seats have opened all inputs that both still have.
    pub fn opened(&self) -> Option<Audit> {
        let tries = self.both.as_ref()?.len();
        let [own, theirs] = &self.opened;
        if [own.len(), theirs.len()] != [tries; 2] {
            return None;
        }
        let pairs = own.iter().zip(theirs).map(|(own, theirs)| {
            let mut pair = vec![own.clone(), theirs.clone()];
            // The input of the host comes first.
            pair.rotate_left(self.seat.index());
            pair
        });
        Some(Audit {
            of: self.of,
            tries: pairs.collect(),
        })
    }
}
