//! The session state common to both engines: the channel, and the secrets until the session ends.

use super::error::{Error, Fault, Result};
use super::greeting::Agreed;
use super::plan::{Identified, check_origin, check_run};
use super::{EngineKind, Greeting, Run};
use crate::circuit::Party;
use crate::crypto::SessionId;
use crate::net::{Channel, Traffic};

/// A session: its channel, and its secrets unless it has ended.
pub(super) struct Live<S> {
    role: Party,
    session: SessionId,
    channel: Channel,
    secrets: Option<S>,
}

impl<S> Live<S> {
    /// Begins a session of the given engine on the greeting's channel. `set_up` creates the
    /// secrets of the session.
    ///
    /// # Errors
    /// [`Disagreement::Engine`](super::Disagreement::Engine) if the parties have agreed on
    /// another engine; any error of `set_up`, after which the session is aborted.
    pub(super) fn set_up(
        greeting: Greeting,
        engine: EngineKind,
        set_up: impl FnOnce(&mut Channel, Party, Agreed) -> Result<S, Fault>,
    ) -> Result<Self> {
        let (mut channel, role, agreed) = greeting.into_parts(engine)?;
        channel.begin_phase("setting up oblivious transfer");
        let session = agreed.session;
        let secrets = set_up(&mut channel, role, agreed).inspect_err(|_| channel.abort())?;
        Ok(Live {
            role,
            session,
            channel,
            secrets: Some(secrets),
        })
    }

    /// This party's role.
    pub(super) fn role(&self) -> Party {
        self.role
    }

    /// Checks that a run is possible: the session has not ended, and the inputs match the circuit.
    ///
    /// # Errors
    /// [`Error::Ended`]; any error of [`check_run`].
    pub(super) fn check_run<B: Identified>(&self, run: &Run<'_, B>) -> Result<()> {
        self.secrets()?;
        check_run(&self.session, self.role, run)
    }

    /// Checks that the bits can be used: the session has not ended, and the bits belong to it.
    ///
    /// # Errors
    /// [`Error::Ended`]; any error of [`check_origin`].
    pub(super) fn check_bits<B: Identified>(&self, bits: &[B]) -> Result<()> {
        self.secrets()?;
        check_origin(&self.session, bits)
    }

    /// The secrets of the session.
    ///
    /// # Errors
    /// [`Error::Ended`] if the session has ended.
    pub(super) fn secrets(&self) -> Result<&S> {
        self.secrets.as_ref().ok_or(Error::Ended)
    }

    /// Runs a step of the protocol, and ends the session if the step fails. `name` completes the
    /// sentence "the connection was lost while …".
    ///
    /// # Errors
    /// [`Error::Ended`] if the session has already ended; any error of `step`.
    pub(super) fn step<R>(
        &mut self,
        name: &'static str,
        step: impl FnOnce(&mut Channel, &mut S) -> Result<R, Fault>,
    ) -> Result<R> {
        // The secrets are taken out, so that they are also wiped if the step panics.
        let mut secrets = self.secrets.take().ok_or(Error::Ended)?;
        self.channel.begin_phase(name);
        let done = step(&mut self.channel, &mut secrets).inspect_err(|_| self.channel.abort())?;
        self.secrets = Some(secrets);
        Ok(done)
    }

    /// Ends the session: wipes its secrets and sends an abort to the peer.
    pub(super) fn abort(&mut self) {
        self.secrets = None;
        self.channel.abort();
    }

    pub(super) fn traffic(&self) -> Traffic {
        self.channel.traffic()
    }
}

#[cfg(feature = "internals")]
impl<S> Live<S> {
    /// For tests: applies `change` to the secrets of the session.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut S)) {
        change(self.secrets.as_mut().expect("the session has not ended"));
    }
}
