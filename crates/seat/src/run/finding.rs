//! How a seat finds its peer again after the connection was lost.

use std::time::Duration;

use dealerless_connection::{Dial, Message, PolledConnection, Stream, system_rng};
use dealerless_table::play::Control;

use super::line::Route;
use super::reception::Reception;
use super::world::World;
use crate::retry::{HOST_PAUSE, pause};

/// How a seat finds its peer again after the connection was lost.
pub(super) enum Finder<W: World> {
    /// A guest calls its host.
    Calls(Caller<W>),
    /// A host waits for its guest.
    Waits(Reception<W>, Option<Box<Arrival<W>>>),
}

/// Calls the host.
pub(super) struct Caller<W: World> {
    pub(super) route: Route,
    pub(super) call: Option<Box<Dial<W>>>,
    /// The time of the next call.
    pub(super) next: Option<Duration>,
    /// The number of calls since the match last continued.
    pub(super) tries: u32,
}

/// The guest has connected again.
pub(super) struct Arrival<W: World> {
    pub(super) line: PolledConnection<W>,
    /// Whether the guest has asked to resume this match. The match continues when the engine of the last
    /// connection has ended.
    pub(super) resumes: bool,
}

impl<W: World> Arrival<W> {
    pub(super) fn new(line: PolledConnection<W>) -> Box<Self> {
        Box::new(Arrival {
            line,
            resumes: false,
        })
    }
}

impl<W: World> Finder<W> {
    /// A guest that calls its host on this route.
    pub(super) fn calls(route: Route) -> Self {
        Finder::Calls(Caller {
            route,
            call: None,
            next: None,
            tries: 0,
        })
    }

    pub(super) fn stop(&mut self) {
        match self {
            Finder::Calls(caller) => {
                caller.call = None;
                caller.next = None;
            }
            Finder::Waits(reception, arrival) => {
                reception.stop();
                *arrival = None;
            }
        }
    }

    /// Looks for the peer. A guest calls after a pause, unless this is the first call. A host waits until it
    /// [stops](Self::stop).
    pub(super) fn look(&mut self, now: Duration) {
        let caller = match self {
            Finder::Calls(caller) => caller,
            Finder::Waits(reception, _) => return reception.begin(now),
        };
        let pause = match caller.tries {
            0 => Duration::ZERO,
            tries => pause(tries, HOST_PAUSE, &mut system_rng()),
        };
        caller.tries = caller.tries.saturating_add(1);
        caller.next = Some(now + pause);
    }

    /// The match has continued: the next call is made at once.
    pub(super) fn found(&mut self) {
        if let Finder::Calls(caller) = self {
            caller.tries = 0;
        }
    }

    pub(super) fn timer(&self) -> Duration {
        match self {
            Finder::Calls(caller) => {
                let call = caller
                    .call
                    .as_ref()
                    .map_or(Duration::MAX, |call| call.timer());
                call.min(caller.next.unwrap_or(Duration::MAX))
            }
            Finder::Waits(reception, arrival) => {
                let arrival = arrival.as_ref();
                let line = arrival.map_or(Duration::MAX, |arrival| arrival.line.timer());
                reception.timer().min(line)
            }
        }
    }
}

/// The request of a guest in its first message, if it is one.
pub(super) fn request(message: &Message) -> Option<Control> {
    match message.stream {
        Stream::Control => Control::decode(&message.bytes),
        Stream::Log => None,
    }
}

/// Sends a last message on a connection, and drops it.
pub(super) fn goodbye<W: World>(
    mut line: PolledConnection<W>,
    control: &Control,
    now: Duration,
) -> anyhow::Result<()> {
    let core = &mut line.core;
    if core.send(Stream::Control, &control.encode()).is_ok() {
        core.close();
        line.flush(now);
    }
    Ok(())
}
