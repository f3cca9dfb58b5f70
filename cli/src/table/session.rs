//! The engine's sessions of a match, as they are counted against the other player.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use dealerless::mpc::{Attempt, Attempts};
use dealerless_table::identity::{PeersError, PublicIdentity};
use dealerless_table::play::Command;

use super::own::Own;

/// The state of a seat's engine sessions.
#[derive(Default)]
pub(crate) struct Sessions {
    /// The player allowed one more session despite earlier failures.
    pub(crate) allowed: bool,
    /// The time at which a pause before a deal ends, and the command to run then. A pause follows a
    /// showdown, or a try that the peer declared void.
    pub(crate) after_pause: Option<(Instant, Command)>,
    /// Disconnected when the last session has settled its count.
    settled: Option<Receiver<()>>,
}

/// An attempt counter that signals when it is settled. Its fields are dropped in declaration order.
struct SignalsSettled {
    counted: Box<dyn Attempts>,
    _settled: Sender<()>,
}

impl Attempts for SignalsSettled {
    fn begins(&mut self, attempt: Attempt) -> io::Result<()> {
        self.counted.begins(attempt)
    }

    fn ends_well(&mut self, attempt: Attempt) {
        self.counted.ends_well(attempt);
    }
}

impl Sessions {
    /// The attempt counter for the next session.
    ///
    /// # Errors
    /// If the peer is unknown.
    pub(crate) fn counted(
        &mut self,
        own: &Own,
        peer: &PublicIdentity,
    ) -> Result<Box<dyn Attempts>, PeersError> {
        // Sessions do not overlap: the previous one ends with its connection.
        self.until_settled();
        let (sender, settled) = channel();
        self.settled = Some(settled);
        Ok(Box::new(SignalsSettled {
            counted: own.peers.counted(peer)?,
            _settled: sender,
        }))
    }

    /// Waits for the last session to settle its count, at most `TIMEOUT`.
    pub(crate) fn until_settled(&self) {
        const TIMEOUT: Duration = Duration::from_secs(4);
        if let Some(settled) = &self.settled {
            // Nothing is ever sent on this channel. An engine that is not done in time counts as
            // failed.
            let _ = settled.recv_timeout(TIMEOUT);
        }
    }
}
