//! The channel and the secrets of a session, until it fails or is aborted.

use super::error::{Error, Fault, Result};
use crate::net::{Channel, Traffic, Transport};

/// The channel of a session, and its secrets if it has not ended.
pub(super) struct Live<T: Transport, S> {
    channel: Channel<T>,
    secrets: Option<S>,
}

impl<T: Transport, S> Live<T, S> {
    /// Sets up the secrets over the channel.
    ///
    /// # Errors
    /// Those of `set_up`. The peer is then told that the session was aborted.
    pub(super) fn set_up(
        mut channel: Channel<T>,
        set_up: impl FnOnce(&mut Channel<T>) -> Result<S, Fault>,
    ) -> Result<Self> {
        channel.begin_phase("setting up oblivious transfer");
        let secrets = set_up(&mut channel).inspect_err(|_| channel.abort())?;
        Ok(Live {
            channel,
            secrets: Some(secrets),
        })
    }

    /// The secrets.
    ///
    /// # Errors
    /// [`Error::Ended`] if the session has ended.
    pub(super) fn secrets(&self) -> Result<&S> {
        self.secrets.as_ref().ok_or(Error::Ended)
    }

    /// Does a step of the protocol, and ends the session if the step fails. `name` completes the
    /// sentence "the connection was lost while …".
    ///
    /// # Errors
    /// [`Error::Ended`] if the session has already ended; those of `step`.
    pub(super) fn step<R>(
        &mut self,
        name: &'static str,
        step: impl FnOnce(&mut Channel<T>, &mut S) -> Result<R, Fault>,
    ) -> Result<R> {
        // Taken out, so that they are also wiped if the step panics.
        let mut secrets = self.secrets.take().ok_or(Error::Ended)?;
        self.channel.begin_phase(name);
        let done = step(&mut self.channel, &mut secrets).inspect_err(|_| self.channel.abort())?;
        self.secrets = Some(secrets);
        Ok(done)
    }

    /// Ends the session: wipes its secrets, and tells the peer that it was aborted.
    pub(super) fn abort(&mut self) {
        self.secrets = None;
        self.channel.abort();
    }

    pub(super) fn traffic(&self) -> Traffic {
        self.channel.traffic()
    }
}

#[cfg(test)]
impl<T: Transport, S> Live<T, S> {
    /// Changes the secrets of a session that has not ended.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut S)) {
        change(self.secrets.as_mut().expect("a session that has not ended"));
    }
}
