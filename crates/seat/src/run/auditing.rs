//! An audit that a session runs at a relay: it keeps the opened inputs, and answers with the decks.

use std::time::Duration;

use anyhow::Context;
use dealerless_connection::{Happened, PolledConnection};
use dealerless_table::Seat;
use dealerless_table::audit::Audit;
use dealerless_table::play::Seating;
use dealerless_table::record::Record;
use serde_json::{Value, json};

use super::audit_exchange::AuditExchange;
use super::matches::{self, Kept};
use super::own::Own;
use super::page::{check_memory, route_at};
use super::playing::SeatInPlay;
use super::program::{Program, refuse};
use super::reception::{door_at_relay, notice};
use super::world::{Files, SeatWorld};
use crate::command::{Said, not_asked};
use crate::records::decks::Decks;

/// Timeout for the other player to connect.
const CONNECTS: Duration = Duration::from_secs(600);
/// Timeout for the last message to be received.
const SHORT: Duration = Duration::from_secs(5);

/// The audit of a match, as the program of a session.
pub(super) struct Auditor<W: SeatWorld> {
    /// The name of the record.
    record: String,
    exchange: AuditExchange<W::Sockets>,
    /// Once all inputs are open and kept: the connection on which the other player receives the last message,
    /// and the deadline for that.
    ending: Option<(PolledConnection<W::Sockets>, Duration)>,
}

impl<W: SeatWorld> Auditor<W> {
    /// Audits a match at this relay.
    ///
    /// # Errors
    /// If the match cannot be audited.
    pub(super) fn new(
        own: &Own<W>,
        kept: &Kept<W::Files>,
        relay: String,
        now: Duration,
    ) -> anyhow::Result<Self> {
        let (peer, seat) = (kept.peer(), kept.seat());
        let inputs = matches::inputs(own, kept)?;
        let inputs = inputs.context("your inputs to the shuffles of this match are destroyed")?;
        let header = kept.opened.sitting.match_info.header();
        if let Some(terms) = header.sealed() {
            check_memory(&header.stakes, terms.algorithm)?;
        }
        let (exchange, until) = (
            AuditExchange::new(&kept.opened.log, seat, &inputs)?,
            now + CONNECTS,
        );
        let exchange = if seat == Seat::HOST {
            exchange.waiting(
                door_at_relay(own, &relay, header, (None, Some(peer)), now),
                until,
            )
        } else {
            let route = route_at(relay, None, Some(peer.clone()));
            exchange.calling(own.world.sockets(), own.credentials(), route, until)
        };
        Ok(Auditor {
            record: kept.name.clone(),
            exchange,
            ending: None,
        })
    }
}

impl<W: SeatWorld> Program<W> for Auditor<W> {
    fn has(&mut self, number: u32) -> bool {
        self.exchange.has(number) || self.line(number).is_some()
    }

    fn seat(&mut self) -> Option<&mut SeatInPlay<W>> {
        None
    }

    fn line(&mut self, number: u32) -> Option<&mut PolledConnection<W::Sockets>> {
        match &mut self.ending {
            Some((line, _)) => Some(line).filter(|line| line.number() == number),
            None => self.exchange.line(number),
        }
    }

    fn happened(
        &mut self,
        _: &mut Own<W>,
        number: u32,
        what: Happened<'_>,
        now: Duration,
    ) -> anyhow::Result<()> {
        match self.line(number) {
            Some(line) => line.happened(what, now),
            None => self.exchange.happened(number, what, now),
        }
        Ok(())
    }

    fn said(
        &mut self,
        own: &mut Own<W>,
        _: Said,
        _: Option<u64>,
        _: Duration,
    ) -> anyhow::Result<()> {
        refuse(&own.world, not_asked());
        Ok(())
    }

    fn step(&mut self, own: &mut Own<W>, now: Duration) -> anyhow::Result<Option<Value>> {
        let tell = |event| {
            if let Some(event) = notice(event, &own.leaks, true) {
                own.world.report(&event);
            }
        };
        if let Some((opened, line)) = self.exchange.step(now, tell)? {
            let kept = matches::keep_audit(&own.files, &self.record, &opened.encode());
            kept.context("cannot keep the opened inputs")?;
            self.ending = Some((line, now + SHORT));
        }
        let Some((line, until)) = &mut self.ending else {
            return Ok(None);
        };
        line.flush(now);
        let is_over = line.core.ended().is_some() || now >= *until;
        is_over.then(|| made(&own.files, &self.record)).transpose()
    }

    fn timer(&mut self, _: Duration) -> Duration {
        match &self.ending {
            Some((line, until)) => line.timer().min(*until),
            None => self.exchange.timer(),
        }
    }
}

/// An audit that was made: the decks as a text, whether they agree with the record, and the file.
///
/// # Errors
/// If the match was not audited here, or a file cannot be read.
pub(super) fn made(files: &impl Files, record: &str) -> anyhow::Result<Value> {
    let bytes = matches::audit(files, record)?;
    let record = Record::read(&matches::read(files, record)?, None)?;
    let header = record.log.match_info().header();
    if let Some(terms) = header.sealed() {
        check_memory(&header.stakes, terms.algorithm)?;
    }
    let decks = Decks::of(
        &record,
        &Audit::decode(&bytes)?,
        &Seating::circuit_of(header)?,
    );
    Ok(json!({
        "text": decks.to_string(),
        "agrees": decks.agrees(),
        "hex": dealerless_connection::hex(&bytes),
    }))
}
