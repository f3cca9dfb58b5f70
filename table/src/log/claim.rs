//! What a player says of the other beside the log: that its time is out, or that it is away.

use super::match_log::MatchLog;
use crate::seat::Seat;
use crate::wire::{Malformed, Reader, Writer};

/// What the owner of a file claims. Nobody else has signed it, and it is no step: a signed part of
/// that seat for that step, whenever it comes, voids it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The step in which nothing came.
    pub step: u64,
    /// Who had to speak, or was to come back so that anybody could.
    pub seat: Seat,
    /// When this was written, in seconds since 1970, by the owner's own clock.
    pub time: u64,
    /// What is claimed.
    pub what: Claimed,
}

/// What is claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Claimed {
    /// The time of the seat was out.
    OutOfTime,
    /// The owner of the file closed the match here, and does not mean to come back to it.
    Closed,
    /// There was no line to the seat, though the owner was ready to go on: for as long as the clock
    /// gives the seat for a move, or until the owner closed a match without a clock.
    Away,
}

const OUT_OF_TIME: u8 = 0;
const CLOSED: u8 = 1;
const AWAY: u8 = 2;

impl Claim {
    /// Whether the seat has said nothing for that step since. A seat can be away from a step for which it has spoken:
    /// then, whether the step is not complete.
    pub fn is_valid(&self, log: &MatchLog) -> bool {
        let is_silent = log.part(self.step, self.seat).is_none();
        self.step == log.step() && (is_silent || self.what == Claimed::Away)
    }

    pub(super) const LEN: usize = 8 + 1 + 8 + 1;

    pub(super) fn encode(&self) -> Vec<u8> {
        let what = match self.what {
            Claimed::OutOfTime => OUT_OF_TIME,
            Claimed::Closed => CLOSED,
            Claimed::Away => AWAY,
        };
        let mut writer = Writer::default();
        writer.u64(self.step).u8(self.seat.number());
        writer.u64(self.time).u8(what).finish()
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        let claim = Claim {
            step: reader.u64()?,
            seat: Seat::new(reader.u8()?),
            time: reader.u64()?,
            what: match reader.u8()? {
                OUT_OF_TIME => Claimed::OutOfTime,
                CLOSED => Claimed::Closed,
                AWAY => Claimed::Away,
                _ => return Err(Malformed),
            },
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
    fn a_claim_stands_until_the_seat_or_anybody_has_gone_on_from_that_step() {
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
        for what in [Claimed::OutOfTime, Claimed::Closed, Claimed::Away] {
            let claim = Claim { what, ..host };
            assert_eq!(Claim::decode(&claim.encode()), Ok(claim));
        }
        // Both deal: one has spoken.
        table.sign_next(&mut log);
        assert!(!host.is_valid(&log) && guest.is_valid(&log));
        // It may have spoken before it was away.
        let away = Claim {
            what: Claimed::Away,
            ..host
        };
        assert!(away.is_valid(&log));
        table.sign_next(&mut log);
        assert!(!guest.is_valid(&log) && !away.is_valid(&log));
        // Nobody claims anything of a step that has not come.
        let later = Claim {
            step: log.step() + 1,
            ..claim(&log, Seat::HOST)
        };
        assert!(!later.is_valid(&log));
    }
}
