//! An audit of a match that is over, as a program: it keeps the opened inputs.

use std::io;
use std::time::Duration;

use anyhow::Context;
use dealerless_connection::PolledConnection;

use super::audit_exchange::AuditExchange;
use super::door;
use super::matches::{self, AUDIT, beside};
use super::own::Own;
use super::playing::SeatInPlay;
use super::program::{Input, Program, input_before_match, refuse};
use super::world::{Files as _, SeatWorld};
use crate::command::not_asked;

/// Timeout for the last message to be received.
const SHORT: Duration = Duration::from_secs(5);

/// The audit of a match, as a program. It ends when the opened inputs of both players are in the file with the
/// ending [`AUDIT`], and the file of this player's inputs is removed.
pub struct Auditor<W: SeatWorld> {
    /// The name of the record.
    record: String,
    exchange: AuditExchange<W::Sockets>,
    /// Once all inputs are open.
    ending: Option<Ending<W>>,
}

/// The end of an audit.
struct Ending<W: SeatWorld> {
    /// The connection on which the other player receives the last message.
    connection: PolledConnection<W::Sockets>,
    /// The deadline for that.
    until: Duration,
    /// Whether the opened inputs were kept.
    kept: io::Result<()>,
}

impl<W: SeatWorld> Auditor<W> {
    /// Audits the match whose record has this name, by an exchange that has begun.
    pub fn new(record: String, exchange: AuditExchange<W::Sockets>) -> Self {
        Auditor {
            record,
            exchange,
            ending: None,
        }
    }
}

impl<W: SeatWorld> Program<W> for Auditor<W> {
    fn has(&mut self, number: u32) -> bool {
        self.exchange.has(number) || self.connection(number).is_some()
    }

    fn seat(&mut self) -> Option<&mut SeatInPlay<W>> {
        None
    }

    fn connection(&mut self, number: u32) -> Option<&mut PolledConnection<W::Sockets>> {
        match &mut self.ending {
            Some(Ending { connection, .. }) => {
                Some(connection).filter(|connection| connection.number() == number)
            }
            None => self.exchange.connection(number),
        }
    }

    fn input(&mut self, own: &mut Own<W>, input: Input<'_>, now: Duration) -> anyhow::Result<()> {
        match input {
            Input::Socket(number, what) => match self.connection(number) {
                Some(connection) => connection.happened(what, now),
                None => self.exchange.happened(number, what, now),
            },
            Input::Said(..) | Input::AskLeave => refuse(&own.world, not_asked()),
            input => return input_before_match(&own.world, input),
        }
        Ok(())
    }

    fn step(&mut self, own: &mut Own<W>, now: Duration) -> anyhow::Result<bool> {
        let tell = |event| door::report(&own.world, &own.leaks, event);
        if let Some((opened, connection)) = self.exchange.step(now, tell)? {
            // The other player receives the last message even if this side cannot write its file.
            self.ending = Some(Ending {
                connection,
                until: now + SHORT,
                kept: matches::keep_audit(&own.files, &self.record, &opened.encode()),
            });
        }
        let Some(Ending {
            connection,
            until,
            kept,
        }) = &mut self.ending
        else {
            return Ok(false);
        };
        connection.flush(now);
        if now < *until && (connection.core.ended().is_none() || connection.is_answering()) {
            return Ok(false);
        }
        let file = || own.files.shown(&beside(&self.record, AUDIT));
        let kept = std::mem::replace(kept, Ok(()));
        kept.with_context(|| format!("cannot write {}", file()))?;
        Ok(true)
    }

    fn timer(&mut self, _: Duration) -> Duration {
        match &self.ending {
            Some(Ending {
                connection, until, ..
            }) => connection.timer().min(*until),
            None => self.exchange.timer(),
        }
    }
}
