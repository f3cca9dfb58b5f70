//! The engine sessions of a match. Each attempt of the peer in a session counts as failed until it
//! ends well.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use dealerless::mpc::{Attempt, Attempts};
use dealerless_connection::identity::{PeersError, PublicIdentity};

use super::own::Own;

/// The state of a seat's engine sessions.
#[derive(Default)]
pub(crate) struct Sessions {
    /// A channel that disconnects when the last session has written its final counts.
    settled: Option<Receiver<()>>,
}

/// An attempt counter. Dropping it first drops `counted`, which writes the final counts, and then
/// disconnects the channel.
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

    /// Waits until the last session has written its final counts, at most `TIMEOUT`.
    pub(crate) fn until_settled(&self) {
        const TIMEOUT: Duration = Duration::from_secs(4);
        if let Some(settled) = &self.settled {
            // Nothing is ever sent on this channel. The attempts of an engine that does not end in
            // time count as failed.
            let _ = settled.recv_timeout(TIMEOUT);
        }
    }
}
