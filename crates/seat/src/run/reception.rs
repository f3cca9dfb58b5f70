//! A host that waits at a relay for its guest.

use std::io::ErrorKind;
use std::time::Duration;

use dealerless_connection::identity::PublicIdentity;
use dealerless_connection::{Expected, Happened, Invite, Joined, MeetingError, PolledConnection};
use dealerless_table::log::Header;

use super::line::Call;
use super::own::Own;
use super::world::World;
use crate::event::Event;
use crate::peers::{cannot_burn, leaked};

/// The pause after a call that has failed, and after a guest that did not sit down.
pub(super) const PAUSE: Duration = Duration::from_secs(2);

/// The calls of a host at its relay, one for each way in which the guest can connect.
pub(super) struct Reception<W: World> {
    world: W,
    relay: String,
    /// The match that the host proposes, encoded.
    header: Vec<u8>,
    calls: Vec<Waiting<W>>,
    /// Whether the player was told that the relay fails.
    has_failed: bool,
}

struct Waiting<W: World> {
    expected: Expected,
    call: Option<Call<W>>,
    /// The time of the next call if none is active.
    next: Duration,
}

impl<W: World> Reception<W> {
    /// Waits from the time `first` on for the guest of an invite, a known player, or both.
    pub(super) fn new(
        world: &W,
        relay: String,
        header: &Header,
        invite: Option<&Invite>,
        peer: Option<&PublicIdentity>,
        first: Duration,
    ) -> Self {
        let invited = invite.cloned().map(Expected::Invited);
        let known = peer.cloned().map(Expected::Known);
        let waiting = |expected| Waiting {
            expected,
            call: None,
            next: first,
        };
        Reception {
            world: world.clone(),
            relay,
            header: header.encode(),
            calls: invited.into_iter().chain(known).map(waiting).collect(),
            has_failed: false,
        }
    }

    /// Something has happened to a connection. Returns the connection to a guest that was met.
    pub(super) fn happened(
        &mut self,
        number: u32,
        what: Happened<'_>,
        now: Duration,
    ) -> Option<PolledConnection<W>> {
        let mut calls = self.calls.iter_mut();
        let waiting = calls.find(|waiting| {
            let call = waiting.call.as_ref();
            call.is_some_and(|call| call.has(number))
        })?;
        let met = waiting.call.as_mut()?.happened(what, now);
        self.has_failed &= !matches!(met, Ok(Some(_)));
        waiting
            .continues(met, now)
            .map_err(|error| tell_failure(&self.world, &error, &self.relay, &mut self.has_failed))
            .unwrap_or_default()
    }

    /// Makes the calls that are due.
    ///
    /// # Errors
    /// If these are the keys of this player.
    pub(super) fn tick(&mut self, own: &Own<W>, now: Duration) -> Result<(), MeetingError> {
        for waiting in &mut self.calls {
            match &mut waiting.call {
                Some(call) => {
                    let met = call.tick(now).map(|()| None);
                    if let Err(error) = waiting.continues(met, now) {
                        tell_failure(&self.world, &error, &self.relay, &mut self.has_failed);
                    }
                }
                None if now >= waiting.next => {
                    let expected = waiting.expected.clone();
                    let call = Call::waiting(own, &self.relay, expected, self.header.clone(), now)?;
                    waiting.call = Some(call);
                }
                None => {}
            }
        }
        Ok(())
    }

    /// Ends all calls, until [`begin`](Self::begin).
    pub(super) fn stop(&mut self) {
        for waiting in &mut self.calls {
            waiting.call = None;
            waiting.next = Duration::MAX;
        }
    }

    /// Waits again after [`stop`](Self::stop).
    pub(super) fn begin(&mut self, now: Duration) {
        for waiting in &mut self.calls {
            waiting.next = waiting.next.min(now);
        }
    }

    /// The time of the next timer.
    pub(super) fn timer(&self) -> Duration {
        let timers = self.calls.iter().map(|waiting| match &waiting.call {
            Some(call) => call.timer(),
            None => waiting.next,
        });
        timers.min().unwrap_or(Duration::MAX)
    }
}

impl<W: World> Waiting<W> {
    /// Continues after a step of a meeting.
    ///
    /// # Errors
    /// The meeting has failed. Another call follows.
    fn continues(
        &mut self,
        met: Result<Option<Joined>, MeetingError>,
        now: Duration,
    ) -> Result<Option<PolledConnection<W>>, MeetingError> {
        match met {
            Ok(None) => Ok(None),
            Ok(Some(joined)) => {
                let call = self.call.take();
                // The guest may connect again.
                self.next = now + PAUSE;
                Ok(call.map(|call| call.connected(joined, now)))
            }
            Err(error) => {
                self.call = None;
                self.next = match error {
                    MeetingError::NobodyWaits => now,
                    _ => now + PAUSE,
                };
                Err(error)
            }
        }
    }
}

/// Tells the player what a failed meeting means for them. Failed meetings with strangers are not reported.
fn tell_failure(world: &impl World, error: &MeetingError, relay: &str, has_failed: &mut bool) {
    let text = match error {
        MeetingError::SecondGuest(second) => leaked(second),
        MeetingError::Invites(error) => cannot_burn(error),
        // A relay may end a connection on which nobody has come for a long time.
        MeetingError::NoRelay(error) if error.kind() == ErrorKind::UnexpectedEof => return,
        MeetingError::NoRelay(error) if !std::mem::replace(has_failed, true) => format!(
            "Nobody can join now: the relay {relay} cannot be reached, or is not a transit relay ({error}). \
             Still trying."
        ),
        MeetingError::NobodyWaits => {
            *has_failed = false;
            return;
        }
        _ => return,
    };
    world.report(&Event::Notice { text });
}
