//! An audit: the two players of a match that is over open their inputs to its shuffles, and each side
//! recomputes the decks.

use std::time::Duration;

use anyhow::{Context, bail, ensure};
use dealerless_connection::identity::PublicIdentity;
use dealerless_connection::{
    ConnectionError, Dial, Happened, MeetingError, PolledConnection, Sockets, Stream,
};
use dealerless_table::Seat;
use dealerless_table::audit::{Audit, Auditing};
use dealerless_table::log::MatchId;
use dealerless_table::play::{Control, Done, Seating};
use dealerless_table::record::Record;
use serde_json::{Value, json};

use super::errors::BrokenOff;
use super::finding::{Route, goodbye, request};
use super::joining::check_memory;
use super::matches::{self, Kept};
use super::own::Own;
use super::program::{Program, refuse};
use super::reception::Reception;
use super::world::World;
use crate::command::{Said, not_asked};
use crate::records::decks::Decks;

/// Timeout for the other player to connect.
const CONNECTS: Duration = Duration::from_secs(600);
/// Timeout for the other player to open the inputs of one try.
const ONE_TRY: Duration = Duration::from_secs(60);
/// Timeout for the guest to send its request, and for the last message to be received.
const SHORT: Duration = Duration::from_secs(5);
/// The pause between two calls of a host that does not answer.
const PAUSE: Duration = Duration::from_secs(1);

const NOT_CONNECTED: &str = "the other player did not connect in time";

/// A program that audits a match.
pub(super) struct Auditor<W: World> {
    of: MatchId,
    peer: PublicIdentity,
    auditing: Auditing,
    /// The deadline for the peer to connect, or for its next message.
    until: Duration,
    stage: Stage<W>,
}

enum Stage<W: World> {
    /// A guest calls its host.
    Calling(Box<Calls<W>>),
    /// A host waits for its guest, and for the request of a guest that has connected.
    Waiting(Box<Reception<W>>, Option<Arrival<W::Sockets>>),
    Exchanging {
        line: Box<PolledConnection<W::Sockets>>,
        has_received: bool,
    },
    /// All inputs are open and kept. The other player receives the last message.
    Ending(Box<PolledConnection<W::Sockets>>),
    /// The stage changes.
    Changing,
}

/// A guest that has connected, and the deadline for its request.
type Arrival<S> = (Box<PolledConnection<S>>, Duration);

struct Calls<W: World> {
    route: Route,
    call: Option<Dial<W::Sockets>>,
    /// The time of the next call if none is active.
    next: Duration,
    /// Why the last call has failed.
    failure: Option<MeetingError>,
}

impl<W: World> Auditor<W> {
    /// Audits a match at this relay.
    ///
    /// # Errors
    /// If the match cannot be audited.
    pub(super) fn new(
        own: &Own<W>,
        kept: &Kept<W>,
        relay: String,
        now: Duration,
    ) -> anyhow::Result<Self> {
        let (of, peer, seat) = (kept.id(), kept.peer().clone(), kept.opened.sitting.seat);
        let inputs = matches::inputs(own, &of)?;
        let inputs = inputs.context("your inputs to the shuffles of this match are destroyed")?;
        let header = kept.opened.sitting.match_info.header();
        if let Some(terms) = header.sealed() {
            check_memory(&header.stakes, terms.algorithm)?;
        }
        let stage = if seat == Seat::HOST {
            let reception = Reception::at_relay(own, &relay, header, None, Some(&peer), now);
            Stage::Waiting(Box::new(reception), None)
        } else {
            Stage::Calling(Box::new(Calls {
                route: Route::at_relay(relay, None, Some(peer.clone())),
                call: None,
                next: now,
                failure: None,
            }))
        };
        Ok(Auditor {
            of,
            peer,
            auditing: Auditing::new(&kept.opened.log, seat, &inputs)?,
            until: now + CONNECTS,
            stage,
        })
    }

    /// The guest has met somebody.
    fn called(&mut self, mut line: PolledConnection<W::Sockets>, now: Duration) {
        let audit = Control::Audit(self.of).encode();
        // If the connection has ended, the exchange reports it.
        let _ = line.core.send(Stream::Control, &audit);
        self.exchange(Box::new(line), now);
    }

    fn exchange(&mut self, line: Box<PolledConnection<W::Sockets>>, now: Duration) {
        self.until = now + ONE_TRY;
        self.stage = Stage::Exchanging {
            line,
            has_received: false,
        };
    }

    /// Continues. Returns the answer once the audit is over.
    fn next(&mut self, own: &Own<W>, now: Duration) -> anyhow::Result<Option<Value>> {
        match std::mem::replace(&mut self.stage, Stage::Changing) {
            Stage::Calling(calls) if now >= self.until => match calls.failure {
                Some(error) => return Err(error.into()),
                None => bail!(NOT_CONNECTED),
            },
            Stage::Calling(mut calls) => {
                let met = match &mut calls.call {
                    Some(call) => call.step(now),
                    None if now >= calls.next => {
                        let keys = own.credentials();
                        calls.call = Some(calls.route.call(&own.world, keys, 1, now)?);
                        Ok(None)
                    }
                    None => Ok(None),
                };
                match calls.met(met, now) {
                    Some(line) => self.called(line, now),
                    None => self.stage = Stage::Calling(calls),
                }
            }
            Stage::Waiting(mut reception, arrival) => {
                ensure!(now < self.until, NOT_CONNECTED);
                let arrived = reception.step(now).map(|line| arrival_of(line, now));
                let arrival = arrived
                    .or(arrival)
                    .and_then(|arrival| self.arrived(arrival, now));
                if matches!(self.stage, Stage::Changing) {
                    self.stage = Stage::Waiting(reception, arrival);
                }
            }
            Stage::Exchanging { line, has_received } => {
                return self.exchanging(own, line, has_received, now);
            }
            Stage::Ending(mut line) => {
                line.flush(now);
                if line.core.ended().is_some() || now >= self.until {
                    return made(&own.world, &self.of).map(Some);
                }
                self.stage = Stage::Ending(line);
            }
            Stage::Changing => {}
        }
        Ok(None)
    }

    /// Reads the request of a player who has connected. The connection is dropped if it is not the guest.
    fn arrived(
        &mut self,
        (mut line, until): Arrival<W::Sockets>,
        now: Duration,
    ) -> Option<Arrival<W::Sockets>> {
        let is_peer = line.met.peer == self.peer;
        match line.core.next_message() {
            Ok(None) if is_peer && now < until => {
                line.flush(now);
                return Some((line, until));
            }
            Ok(Some(message)) if is_peer && request(&message) == Some(Control::Audit(self.of)) => {
                self.exchange(line, now);
            }
            Ok(Some(_)) => {
                let _ = goodbye(*line, &Control::Unknown(self.of), now);
            }
            _ => {}
        }
        None
    }

    /// Exchanges the openings, try by try.
    fn exchanging(
        &mut self,
        own: &Own<W>,
        mut line: Box<PolledConnection<W::Sockets>>,
        mut has_received: bool,
        now: Duration,
    ) -> anyhow::Result<Option<Value>> {
        loop {
            // Messages that the peer sent before it disconnected come first.
            let mut sent = Ok(());
            while let Some(message) = self.auditing.say() {
                sent = sent.and(line.core.send(Stream::Control, &message));
            }
            if let Some(opened) = self.auditing.opened() {
                sent?;
                keep(&own.world, &self.of, &opened)?;
                line.core.close();
                self.until = now + SHORT;
                self.stage = Stage::Ending(line);
                return self.next(own, now);
            }
            let Some(message) = line.core.next_message()? else {
                break;
            };
            let is_first = !std::mem::replace(&mut has_received, true);
            if is_first && request(&message).is_some() {
                bail!(
                    "the host is not auditing this match: both players must audit it at the same time"
                );
            }
            match message.stream {
                Stream::Control => self.auditing.hear(&message.bytes)?,
                Stream::Log => Err(ConnectionError::Broken(
                    "a message that is not part of an audit",
                ))?,
            }
            self.until = now + ONE_TRY;
        }
        ensure!(now < self.until, ConnectionError::TimedOut);
        line.flush(now);
        self.stage = Stage::Exchanging { line, has_received };
        Ok(None)
    }
}

impl<W: World> Calls<W> {
    /// Continues after a step of the call. Returns the line to the host that was met.
    fn met(
        &mut self,
        met: Result<Option<PolledConnection<W::Sockets>>, MeetingError>,
        now: Duration,
    ) -> Option<PolledConnection<W::Sockets>> {
        met.unwrap_or_else(|error| {
            self.call = None;
            self.next = now + PAUSE;
            self.failure = Some(error);
            None
        })
    }
}

impl<W: World> Program<W> for Auditor<W> {
    fn line(&mut self, number: u32) -> Option<&mut PolledConnection<W::Sockets>> {
        let line = match &mut self.stage {
            Stage::Waiting(_, Some((line, _))) => line,
            Stage::Exchanging { line, .. } | Stage::Ending(line) => line,
            _ => return None,
        };
        Some(&mut **line).filter(|line| line.number() == number)
    }

    fn happened(
        &mut self,
        _: &mut Own<W>,
        number: u32,
        what: Happened<'_>,
        now: Duration,
    ) -> anyhow::Result<()> {
        if let Some(line) = self.line(number) {
            line.happened(what, now);
            return Ok(());
        }
        match &mut self.stage {
            Stage::Calling(calls) => {
                if let Some(call) = &mut calls.call {
                    let met = call.happened(number, what, now);
                    if let Some(line) = calls.met(met, now) {
                        self.called(line, now);
                    }
                }
            }
            Stage::Waiting(reception, arrival) => {
                if let Some(line) = reception.happened(number, what, now) {
                    *arrival = Some(arrival_of(line, now));
                }
            }
            _ => {}
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

    fn engine_done(&mut self, _: u32, _: Done) {}

    fn step(&mut self, own: &mut Own<W>, now: Duration) -> anyhow::Result<Option<Value>> {
        self.next(own, now)
    }

    fn timer(&mut self, _: Duration) -> Duration {
        let timer = match &self.stage {
            Stage::Calling(calls) => calls.call.as_ref().map_or(calls.next, Dial::timer),
            Stage::Waiting(reception, arrival) => {
                let line = |(line, until): &Arrival<W::Sockets>| line.timer().min(*until);
                reception
                    .timer()
                    .min(arrival.as_ref().map_or(Duration::MAX, line))
            }
            Stage::Exchanging { line, .. } | Stage::Ending(line) => line.timer(),
            Stage::Changing => Duration::MAX,
        };
        timer.min(self.until)
    }

    fn break_off(&mut self, _: Duration) -> anyhow::Result<()> {
        Err(BrokenOff.into())
    }
}

fn arrival_of<S: Sockets>(line: PolledConnection<S>, now: Duration) -> Arrival<S> {
    (Box::new(line), now + SHORT)
}

/// Keeps the opened inputs. They contain this player's own, whose file is then needless.
fn keep(world: &impl World, of: &MatchId, opened: &Audit) -> anyhow::Result<()> {
    matches::keep_audit(world, of, &opened.encode()).context("cannot keep the opened inputs")?;
    Ok(matches::destroy_inputs(world, of)?)
}

/// An audit that was made: the decks as a text, whether they agree with the record, and the file.
///
/// # Errors
/// If the match was not audited here, or a file cannot be read.
pub(super) fn made(world: &impl World, of: &MatchId) -> anyhow::Result<Value> {
    let bytes = matches::audit(world, of)?;
    let record = Record::read(&matches::record(world, &matches::record_name(of))?, None)?;
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
