//! Claims that a player writes to its own match file, outside the log: the other seat is out of
//! time or not connected, or the player closed the match.

use dealerless_connection::wire::{Malformed, Reader, Writer};

use super::match_log::MatchLog;
use crate::seat::Seat;

/// A claim of the owner of a match file. It is not a step of the match, and no other seat has
/// signed it. It no longer [applies](Self::is_valid) when the match continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The step that the claim is about.
    pub step: u64,
    /// The seat that had to sign, or that had to reconnect before anybody could sign.
    pub seat: Seat,
    /// The time at which the claim was written, by the clock of the owner's computer, in seconds
    /// since 1970.
    pub time: u64,
    /// The content of the claim.
    pub what: Claimed,
}

/// The content of a [`Claim`], with its number in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::FromRepr)]
#[repr(u8)]
#[non_exhaustive]
pub enum Claimed {
    /// The seat ran out of time.
    OutOfTime = 0,
    /// The owner of the file closed the match here and does not intend to resume it.
    Closed = 1,
    /// The seat was not connected although the owner was ready to continue. In a match with a
    /// clock, the seat was away for longer than it may take for a move. In a match without a clock,
    /// the seat was away when the owner closed the match.
    Away = 2,
    /// A seat that was away is connected again: the claim that it was away no longer applies.
    Back = 3,
}

impl Claim {
    /// Whether the claim still applies: `step` is the current step, and `seat` has not signed in
    /// it. A seat can sign and then be away, so [`Claimed::Away`] applies until the step is
    /// complete. A seat that has signed can be out of time with its vote on a call.
    pub fn is_valid(&self, log: &MatchLog) -> bool {
        let is_pending = log.part(self.step, self.seat).is_none();
        let outlasts = match self.what {
            Claimed::Away | Claimed::Back => true,
            Claimed::OutOfTime => log.unanswered().contains(self.seat),
            Claimed::Closed => false,
        };
        self.step == log.step() && (is_pending || outlasts)
    }

    pub(super) const LEN: usize = 8 + 1 + 8 + 1;

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.u64(self.step).u8(self.seat.number());
        writer.u64(self.time).u8(self.what as u8).finish()
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        let claim = Claim {
            step: reader.u64()?,
            seat: Seat::new(reader.u8()?),
            time: reader.u64()?,
            what: Claimed::from_repr(reader.u8()?).ok_or(Malformed)?,
        };
        reader.finish()?;
        Ok(claim)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::tests::test_match::holdem;

    #[test]
    fn claim_applies_until_the_seat_signs_or_the_step_is_complete() {
        let table = holdem(2, 1);
        let mut log = table.log();
        let claim = |log: &MatchLog, seat| Claim {
            step: log.step(),
            seat,
            time: 1,
            what: Claimed::OutOfTime,
        };
        let [host, guest] = [Seat::HOST, Seat::GUEST].map(|seat| claim(&log, seat));
        assert!(host.is_valid(&log) && guest.is_valid(&log));
        for what in [
            Claimed::OutOfTime,
            Claimed::Closed,
            Claimed::Away,
            Claimed::Back,
        ] {
            let claim = Claim { what, ..host };
            assert_eq!(Claim::decode(&claim.encode()), Ok(claim));
        }
        // Both deal, and the host has signed.
        table.sign_next(&mut log);
        assert!(!host.is_valid(&log) && guest.is_valid(&log));
        // A seat can sign before it goes away.
        let away = Claim {
            what: Claimed::Away,
            ..host
        };
        assert!(away.is_valid(&log));
        table.sign_next(&mut log);
        assert!(!guest.is_valid(&log) && !away.is_valid(&log));
        // A claim about a later step does not apply.
        let later = Claim {
            step: log.step() + 1,
            ..claim(&log, Seat::HOST)
        };
        assert!(!later.is_valid(&log));
    }
}
