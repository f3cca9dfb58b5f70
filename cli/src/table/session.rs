//! The engine's sessions of a match, as they are counted against the other player.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use dealerless::mpc::{Attempt, Attempts};
use dealerless_table::identity::{CountedAttempts, PeersError, PublicIdentity};
use dealerless_table::play::Command;

use super::own::Own;

/// What a seat keeps of its sessions.
#[derive(Default)]
pub(crate) struct Sessions {
    /// The player has said that there may be another one, whatever went wrong before.
    pub(crate) allowed: bool,
    /// What is due when a pause before a deal ends: after a showdown, or after a try that the peer has
    /// declared void.
    pub(crate) after_pause: Option<(Instant, Command)>,
    /// Closed when the last session has settled its count.
    settled: Option<Receiver<()>>,
}

/// A count that tells when it is settled: its fields are dropped in their order.
struct Told {
    counted: CountedAttempts,
    _settled: Sender<()>,
}

impl Attempts for Told {
    fn begins(&mut self, attempt: Attempt) -> io::Result<()> {
        self.counted.begins(attempt)
    }

    fn ends_well(&mut self, attempt: Attempt) {
        self.counted.ends_well(attempt);
    }
}

impl Sessions {
    /// Who counts the next session.
    ///
    /// # Errors
    /// If the peer is not known.
    pub(crate) fn counted(
        &mut self,
        own: &Own,
        peer: &PublicIdentity,
    ) -> Result<Box<dyn Attempts>, PeersError> {
        // There is one session at a time: the one before it ends with its line.
        self.until_settled();
        let (sender, settled) = channel();
        self.settled = Some(settled);
        Ok(Box::new(Told {
            counted: CountedAttempts::new(&own.peers, peer)?,
            _settled: sender,
        }))
    }

    /// Waits until the last session has settled its count, but not for ever.
    pub(crate) fn until_settled(&self) {
        const MOST: Duration = Duration::from_secs(4);
        if let Some(settled) = &self.settled {
            // Nothing is ever sent. An engine that is not done in time counts as one that failed.
            let _ = settled.recv_timeout(MOST);
        }
    }
}
