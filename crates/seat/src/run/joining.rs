//! A guest that meets its host, sits down to a match or resumes one, and plays it.

use std::time::Duration;

use anyhow::{Context, anyhow, bail, ensure};
use dealerless::shuffle::Algorithm;
use dealerless_connection::identity::PublicIdentity;
use dealerless_connection::{
    CodeCall, ConnectionError, Dial, Happened, MeetingError, Place, PolledConnection, SpokenCode,
    Stream,
};
use dealerless_table::log::MatchId;
use dealerless_table::play::{Control, DealCircuit, Done, Seating, Term};
use dealerless_table::rules::Stakes;
use serde_json::Value;

use super::errors::AnswerIsNo;
use super::finding::{Caller, Finder, Route};
use super::matches::{self, Kept};
use super::own::Own;
use super::playing::SeatInPlay;
use super::program::{Program, refuse};
use super::world::World;
use crate::command::{Said, not_asked};
use crate::event::Event;
use crate::guest::{
    ANSWER, CHANGES, END_SENT, KEEPS_CHANGING, NOT_ACCEPTED_YET, SOON, YOU_DECLINED,
    may_have_agreed, refusal,
};
use crate::open_match::{elsewhere, instead_of, not_begun, removes, with_old_keys};
use crate::peers::all_keys;
use crate::seat::Stopped;
use crate::seated::Seated;

/// Timeout for the host to receive the last message of a guest that does not sit down.
const GOODBYE: Duration = Duration::from_secs(2);
/// The number of seats of a match.
const SEATS: usize = 2;
/// The memory limit of a match, in bytes.
const MEMORY: u64 = 256 << 20;

/// A guest, from the first call of its host to the end of the match.
pub(super) struct Guest<W: World> {
    route: Route,
    /// Whether the invite was got by a code, which is void now.
    by_code: bool,
    /// The number of times that the host has changed the match.
    changes: usize,
    /// The open match that the host named, or does not resume.
    host_said: Option<HostSaid>,
    stage: Stage<W>,
}

#[derive(Clone, Copy)]
enum HostSaid {
    Open(MatchId),
    Unknown(MatchId),
}

enum Stage<W: World> {
    /// The guest asks the host for an invite by a code.
    UsingCode(Box<CodeCall<W::Sockets>>),
    Calling(Box<Dial<W::Sockets>>),
    /// The player is asked.
    Asked(Box<PolledConnection<W::Sockets>>, Question<W>),
    /// The host is asked for the seat.
    Asking(Box<Asking<W>>),
    /// The guest does not sit down. The host is told why.
    Leaving {
        line: Box<PolledConnection<W::Sockets>>,
        until: Duration,
        why: anyhow::Error,
    },
    Playing(Box<SeatInPlay<W>>),
    /// The stage changes.
    Changing,
}

/// A guest that waits for the answer of its host.
struct Asking<W: World> {
    line: PolledConnection<W::Sockets>,
    offer: Offer<W>,
    since: Duration,
    /// Whether the request was sent. Otherwise the host cannot have agreed.
    is_sent: bool,
    /// Whether the player knows that the host takes time.
    is_told: bool,
}

enum Question<W: World> {
    /// Whether to play with a peer after failed attempts.
    Again,
    /// Whether to sit down on these terms.
    Sit(Box<Offer<W>>),
}

/// A match that the host proposes.
struct Offer<W: World> {
    seating: Seating,
    /// The open match that is given up for it.
    instead_of: Option<Kept<W>>,
}

impl<W: World> Guest<W> {
    /// A guest that calls the host of an invite, or a known player.
    ///
    /// # Errors
    /// If these are the keys of this player.
    pub(super) fn joining(own: &Own<W>, route: Route, now: Duration) -> anyhow::Result<Self> {
        let call = route.call(own.world.sockets(), own.credentials(), 0, now)?;
        Ok(Guest {
            route,
            by_code: false,
            changes: 0,
            host_said: None,
            stage: Stage::Calling(Box::new(call)),
        })
    }

    /// A guest that gets the invite of a host by a code.
    pub(super) fn using_code(world: &W, code: SpokenCode, relay: String, now: Duration) -> Self {
        let call = CodeCall::new(world.sockets(), &Place::Url(relay.clone()), code, now);
        Guest {
            route: Route::at_relay(relay, None, None),
            by_code: false,
            changes: 0,
            host_said: None,
            stage: Stage::UsingCode(Box::new(call)),
        }
    }

    /// A guest that resumes the match of a file.
    ///
    /// # Errors
    /// If the match cannot be resumed here.
    pub(super) fn resuming(
        own: &Own<W>,
        route: Route,
        kept: Kept<W>,
        now: Duration,
    ) -> anyhow::Result<Self> {
        let finder = finder(own, &route, kept.id(), kept.peer());
        let mut seat = matches::resume(own, kept, finder, now)?;
        seat.reconnect(now)?;
        Ok(Guest {
            route,
            by_code: false,
            changes: CHANGES,
            host_said: None,
            stage: Stage::Playing(Box::new(seat)),
        })
    }

    /// The error of a guest that has not met its host.
    fn failed(&self, error: MeetingError) -> anyhow::Error {
        match &self.route.invite {
            Some(invite) if self.by_code => anyhow::Error::new(error)
                .context(format!("the code is used; to retry, join with {invite}")),
            _ => error.into(),
        }
    }

    /// Continues after a step of the call.
    fn called(
        &mut self,
        own: &mut Own<W>,
        met: Result<Option<PolledConnection<W::Sockets>>, MeetingError>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let Some(line) = met.map_err(|error| self.failed(error))? else {
            return Ok(());
        };
        let line = Box::new(line);
        let met = &line.met;
        let question = own.recognise(met, &self.route.relay())?;
        self.route.peer = Some(met.peer.clone());
        match question {
            Some(question) => {
                own.world.report(&question);
                self.stage = Stage::Asked(line, Question::Again);
                Ok(())
            }
            None => self.sit(own, line, now),
        }
    }

    /// Resumes the open match with this host, or asks the player about the one that it proposes.
    fn sit(
        &mut self,
        own: &mut Own<W>,
        line: Box<PolledConnection<W::Sockets>>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let peer = &line.met.peer;
        let mut kept = match self.host_said {
            Some(HostSaid::Open(of)) => {
                let keys = all_keys(&own.peers.lock(), peer);
                let kept = matches::find(own, &of)?.filter(|kept| keys.contains(kept.peer()));
                Some(kept.with_context(|| elsewhere(&of))?)
            }
            _ => matches::open_with(own, peer)?,
        };
        if let Some(kept) = &kept
            && kept.peer() != peer
        {
            bail!(with_old_keys(&kept.id(), &kept.peer_name()));
        }
        let given_up = kept.take_if(
            |kept| matches!(self.host_said, Some(HostSaid::Unknown(of)) if of == kept.id()),
        );
        if let Some(kept) = kept {
            if kept.is_over() {
                own.world.report(&Event::Notice {
                    text: END_SENT.into(),
                });
            }
            let finder = finder(own, &self.route, kept.id(), &line.met.peer);
            let mut line = *line;
            let request = Control::Resume(kept.id()).encode();
            let mut seat = matches::resume(own, kept, finder, now)?;
            // If the connection has ended, the seat learns it from the next message.
            let _ = line.core.send(Stream::Control, &request);
            seat.resume(line, now)?;
            self.stage = Stage::Playing(Box::new(seat));
            return Ok(());
        }
        let seating = match agree(own, &line) {
            Ok(seating) => seating,
            Err(why) => {
                self.decline(line, Term::All, why, now);
                return Ok(());
            }
        };
        if let Some(kept) = &given_up {
            let text = instead_of(&kept.opened);
            own.world.report(&Event::Notice { text });
        }
        let terms = Seated::of(&seating.sitting, None, false);
        own.world.report(&Event::AskSit(Box::new(terms)));
        let offer = Box::new(Offer {
            seating,
            instead_of: given_up,
        });
        self.stage = Stage::Asked(line, Question::Sit(offer));
        Ok(())
    }

    /// Tells the host which term this guest does not accept, and ends.
    fn decline(
        &mut self,
        mut line: Box<PolledConnection<W::Sockets>>,
        term: Term,
        why: anyhow::Error,
        now: Duration,
    ) {
        let declines = Control::Declines(term).encode();
        // The reason matters more than whether the host receives it.
        let _ = line.core.send(Stream::Control, &declines);
        line.core.close();
        self.stage = Stage::Leaving {
            line,
            until: now + GOODBYE,
            why,
        };
    }

    fn ask_host(&mut self, mut line: PolledConnection<W::Sockets>, offer: Offer<W>, now: Duration) {
        let request = Control::Sit.encode();
        let sent = line.core.send(Stream::Control, &request);
        self.stage = Stage::Asking(Box::new(Asking {
            line,
            offer,
            since: now,
            // If the connection has ended, an answer that came before is still read.
            is_sent: sent.is_ok(),
            is_told: false,
        }));
    }

    fn next(&mut self, own: &mut Own<W>, now: Duration) -> anyhow::Result<bool> {
        let stage = std::mem::replace(&mut self.stage, Stage::Changing);
        match stage {
            Stage::UsingCode(mut call) => {
                call.step(now)?;
                self.stage = Stage::UsingCode(call);
            }
            Stage::Calling(mut call) => {
                let met = call.step(now);
                self.stage = Stage::Calling(call);
                self.called(own, met, now)?;
            }
            Stage::Asked(mut line, question) => {
                line.flush(now);
                // The reason may be in a message.
                match question {
                    Question::Sit(offer) if line.core.ended().is_some() => {
                        self.ask_host(*line, *offer, now);
                        return self.next(own, now);
                    }
                    question => self.stage = Stage::Asked(line, question),
                }
            }
            Stage::Asking(asking) => {
                self.wait_for_host(own, asking, now)?;
                if let Stage::Playing(_) = self.stage {
                    return self.next(own, now);
                }
            }
            Stage::Leaving {
                mut line,
                until,
                why,
            } => {
                line.flush(now);
                if line.core.ended().is_some() || now >= until {
                    return Err(why);
                }
                self.stage = Stage::Leaving { line, until, why };
            }
            Stage::Playing(mut seat) => match seat.step(now) {
                None => self.stage = Stage::Playing(seat),
                Some(stopped) => return self.stopped(own, &seat, stopped?, now),
            },
            Stage::Changing => {}
        }
        Ok(false)
    }

    fn wait_for_host(
        &mut self,
        own: &mut Own<W>,
        mut asking: Box<Asking<W>>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let line = &mut asking.line;
        line.flush(now);
        match line.core.next_message() {
            Ok(None) if now >= asking.since + ANSWER => {
                return Err(anyhow::Error::new(ConnectionError::TimedOut)
                    .context("the host has not answered"));
            }
            Ok(None) => {
                if !asking.is_told && now >= asking.since + SOON {
                    asking.is_told = true;
                    own.world.report(&Event::Notice {
                        text: NOT_ACCEPTED_YET.into(),
                    });
                }
                self.stage = Stage::Asking(asking);
            }
            Ok(Some(message)) => {
                let control = match message.stream {
                    Stream::Control => Control::decode(&message.bytes),
                    _ => None,
                };
                match control {
                    Some(control) if refusal(&control, SEATS).is_some() => {
                        bail!(AnswerIsNo(refusal(&control, SEATS).unwrap_or_default()))
                    }
                    Some(Control::Sit) => self.begin(own, *asking, now)?,
                    Some(Control::Open(of)) => self.change(own, HostSaid::Open(of), now)?,
                    _ => bail!(ConnectionError::Broken("an unexpected answer")),
                }
            }
            Err(why) if asking.is_sent && may_have_agreed(&why) => self.begin(own, *asking, now)?,
            Err(why) => return Err(anyhow::Error::new(why).context("the host has not answered")),
        }
        Ok(())
    }

    fn begin(&mut self, own: &mut Own<W>, asking: Asking<W>, now: Duration) -> anyhow::Result<()> {
        let Asking { line, offer, .. } = asking;
        if let Some(kept) = offer.instead_of {
            kept.close()?;
        }
        let of = offer.seating.sitting.match_info.id();
        let finder = finder(own, &self.route, of, &line.met.peer);
        let mut seat = matches::begin(own, offer.seating, finder, now)?;
        seat.begin(line, now)?;
        self.stage = Stage::Playing(Box::new(seat));
        Ok(())
    }

    /// The host has named another match. Calls it again.
    fn change(&mut self, own: &mut Own<W>, said: HostSaid, now: Duration) -> anyhow::Result<()> {
        self.changes += 1;
        ensure!(self.changes <= CHANGES, KEEPS_CHANGING);
        self.host_said = Some(said);
        self.stage = Stage::Calling(Box::new(self.route.call(
            own.world.sockets(),
            own.credentials(),
            0,
            now,
        )?));
        Ok(())
    }

    /// The match has stopped here.
    fn stopped(
        &mut self,
        own: &mut Own<W>,
        seat: &SeatInPlay<W>,
        stopped: Stopped,
        now: Duration,
    ) -> anyhow::Result<bool> {
        seat.tell_end(&stopped)?;
        let of = seat.of();
        match stopped {
            Stopped::Over(_) | Stopped::Left | Stopped::Closed => {
                matches::stopped(own, &of, &stopped)?;
                Ok(true)
            }
            Stopped::BrokenOff => Err(super::errors::BrokenOff.into()),
            Stopped::Declined(control) => {
                if let Some(text) = refusal(&control, SEATS) {
                    bail!(AnswerIsNo(text));
                }
                let asks = self.changes < CHANGES;
                let Some(kept) = matches::find(own, &of)? else {
                    bail!(not_begun(&of));
                };
                if removes(&kept.opened.log, kept.opened.sitting.seat, &control, asks)? {
                    matches::forget(&own.world, &of)?;
                }
                let said = match control {
                    Control::Open(of) => HostSaid::Open(of),
                    Control::Unknown(of) => HostSaid::Unknown(of),
                    _ => return Err(anyhow!("the host sent an unexpected answer")),
                };
                self.change(own, said, now)?;
                Ok(false)
            }
        }
    }
}

impl<W: World> Program<W> for Guest<W> {
    fn line(&mut self, number: u32) -> Option<&mut PolledConnection<W::Sockets>> {
        match &mut self.stage {
            Stage::Playing(seat) => seat.line(number),
            Stage::Asked(line, _) | Stage::Leaving { line, .. } => {
                Some(&mut **line).filter(|line| line.number() == number)
            }
            Stage::Asking(asking) => Some(&mut asking.line).filter(|line| line.number() == number),
            Stage::UsingCode(_) | Stage::Calling(_) | Stage::Changing => None,
        }
    }

    fn happened(
        &mut self,
        own: &mut Own<W>,
        number: u32,
        what: Happened<'_>,
        now: Duration,
    ) -> anyhow::Result<()> {
        match &mut self.stage {
            Stage::Playing(seat) => seat.happened(number, what, now),
            Stage::UsingCode(call) if call.has(number) => {
                if let Some(invite) = call.happened(what, now)? {
                    self.route.invite = Some(Box::new(invite));
                    self.by_code = true;
                    self.stage = Stage::Calling(Box::new(self.route.call(
                        own.world.sockets(),
                        own.credentials(),
                        0,
                        now,
                    )?));
                }
            }
            Stage::Calling(call) => {
                let met = call.happened(number, what, now);
                self.called(own, met, now)?;
            }
            _ => {
                if let Some(line) = self.line(number) {
                    line.happened(what, now);
                }
            }
        }
        Ok(())
    }

    fn said(
        &mut self,
        own: &mut Own<W>,
        said: Said,
        turn: Option<u64>,
        now: Duration,
    ) -> anyhow::Result<()> {
        if let Stage::Playing(seat) = &mut self.stage {
            seat.said(said, turn);
            return Ok(());
        }
        match (std::mem::replace(&mut self.stage, Stage::Changing), said) {
            (_, Said::Leave { .. }) => Err(super::errors::BrokenOff.into()),
            (Stage::Asked(line, Question::Again), Said::Again {}) => self.sit(own, line, now),
            (Stage::Asked(line, Question::Sit(offer)), Said::Sit { agree: true }) => {
                self.ask_host(*line, *offer, now);
                Ok(())
            }
            (Stage::Asked(line, Question::Sit(_)), Said::Sit { agree: false }) => {
                self.decline(line, Term::All, AnswerIsNo(YOU_DECLINED).into(), now);
                Ok(())
            }
            (stage, _) => {
                self.stage = stage;
                refuse(&own.world, not_asked());
                Ok(())
            }
        }
    }

    fn step(&mut self, own: &mut Own<W>, now: Duration) -> anyhow::Result<Option<Value>> {
        Ok(self.next(own, now)?.then_some(Value::Null))
    }

    fn break_off(&mut self, now: Duration) -> anyhow::Result<()> {
        match &mut self.stage {
            Stage::Playing(seat) => {
                seat.break_off(now);
                Ok(())
            }
            _ => Err(super::errors::BrokenOff.into()),
        }
    }

    fn engine_done(&mut self, number: u32, done: Done) {
        if let Stage::Playing(seat) = &mut self.stage {
            seat.engine_done(number, done);
        }
    }

    fn timer(&mut self, now: Duration) -> Duration {
        match &mut self.stage {
            Stage::UsingCode(call) => call.timer(),
            Stage::Calling(call) => call.timer(),
            Stage::Asked(line, _) => line.timer(),
            Stage::Asking(asking) => {
                let deadline = if asking.is_told { ANSWER } else { SOON };
                asking.line.timer().min(asking.since + deadline)
            }
            Stage::Leaving { line, until, .. } => line.timer().min(*until),
            Stage::Playing(seat) => seat.timer(now),
            Stage::Changing => Duration::MAX,
        }
    }
}

/// The finder of a guest, which calls the host after a lost connection.
fn finder<W: World>(own: &Own<W>, route: &Route, of: MatchId, host: &PublicIdentity) -> Finder<W> {
    let caller = Caller::new(of, host.clone(), route.clone());
    Finder::new(&own.world, own.credentials(), of, vec![host.clone()]).calling(caller)
}

/// Checks the host's proposal before anything has begun.
fn agree<W: World>(own: &Own<W>, line: &PolledConnection<W::Sockets>) -> anyhow::Result<Seating> {
    let header = Seating::proposal(&line.met.header)?;
    let terms = header.sealed().context(
        "this page plays matches of two; to play with more, use the program `dealerless`",
    )?;
    check_memory(&header.stakes, terms.algorithm)?;
    matches::check_free(&own.world)?;
    Ok(Seating::of_meeting(&line.met, header, own.player())?)
}

/// Checks the memory that a match takes, before a circuit is built.
///
/// # Errors
/// If it takes too much.
pub(super) fn check_memory(stakes: &Stakes, algorithm: Algorithm) -> anyhow::Result<()> {
    let memory = DealCircuit::estimate(stakes, algorithm)?.memory(1);
    ensure!(
        memory <= MEMORY,
        "the match takes {} MB of memory; this page takes at most {} MB",
        memory >> 20,
        MEMORY >> 20
    );
    Ok(())
}
