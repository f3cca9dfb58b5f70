//! A host that waits at a relay for its guest.

use std::time::Duration;

use dealerless_table::connection::{Expected, Invite, MeetingError, PolledConnection};
use dealerless_table::identity::PublicIdentity;

use crate::line::{Call, Happened, Line};
use crate::own::Own;

/// The pause after a call that has failed.
const PAUSE: Duration = Duration::from_secs(2);

/// The calls of a host at its relay, one for each way in which the guest can connect.
pub(crate) struct Reception {
    relay: String,
    /// The match that the host proposes.
    header: &'static [u8],
    calls: Vec<Waiting>,
}

struct Waiting {
    expected: Expected,
    call: Option<Call>,
    /// The time of the next call, if there is none now.
    next: Duration,
}

impl Reception {
    /// Waits for the guest of an invite, a known player, or both.
    pub(crate) fn new(
        relay: String,
        header: &'static [u8],
        invite: Option<&Invite>,
        peer: Option<&PublicIdentity>,
    ) -> Self {
        let invited = invite.cloned().map(Expected::Invited);
        let known = peer.cloned().map(Expected::Known);
        let waiting = |expected| Waiting {
            expected,
            call: None,
            next: Duration::ZERO,
        };
        Reception {
            relay,
            header,
            calls: invited.into_iter().chain(known).map(waiting).collect(),
        }
    }

    /// Something has happened to a socket. Returns the connection to a guest that was met.
    pub(crate) fn happened(
        &mut self,
        socket: u32,
        what: Happened<'_>,
        now: Duration,
    ) -> Option<Line> {
        let mut calls = self.calls.iter_mut();
        let waiting = calls.find(|waiting| {
            let call = waiting.call.as_ref();
            call.is_some_and(|call| call.has(socket))
        })?;
        let met = waiting.call.as_mut()?.happened(what, now);
        waiting.continues(met, now)
    }

    /// Makes the calls that are due.
    ///
    /// # Errors
    /// If these are the keys of this player.
    pub(crate) fn tick(&mut self, own: &Own, now: Duration) -> Result<(), MeetingError> {
        for waiting in &mut self.calls {
            match &mut waiting.call {
                Some(call) => {
                    let met = call.tick(now).map(|()| None);
                    waiting.continues(met, now);
                }
                None if now >= waiting.next => {
                    let expected = waiting.expected.clone();
                    let call = Call::waiting(own, &self.relay, expected, self.header, now)?;
                    waiting.call = Some(call);
                }
                None => {}
            }
        }
        Ok(())
    }

    /// The time of the next timer.
    pub(crate) fn timer(&self) -> Duration {
        let timers = self.calls.iter().map(|waiting| match &waiting.call {
            Some(call) => call.timer(),
            None => waiting.next,
        });
        timers.min().unwrap_or(Duration::MAX)
    }
}

impl Waiting {
    /// Continues after a step of a meeting. Failed meetings with strangers are not reported.
    fn continues(
        &mut self,
        met: Result<Option<PolledConnection>, MeetingError>,
        now: Duration,
    ) -> Option<Line> {
        match met {
            Ok(None) => None,
            Ok(Some(connection)) => {
                let call = self.call.take()?;
                // The guest may connect again.
                self.next = now + PAUSE;
                Some(call.connected(connection))
            }
            Err(error) => {
                self.call = None;
                self.next = match error {
                    MeetingError::NobodyWaits => now,
                    _ => now + PAUSE,
                };
                None
            }
        }
    }
}
