//! A guest that meets its host, sits down to a match or resumes one, and plays it.

mod meeting;
mod returning;
mod seating;

use std::sync::Arc;
use std::time::Duration;

use dealerless_connection::{CodeCall, Dial, Happened, Place, PolledConnection, SpokenCode};
use dealerless_table::log::{Header, MatchId};
use dealerless_table::play::{Seating, TableTerms};

use self::returning::Candidates;
use super::at_table::AtTable;
use super::errors::{AnswerIsNo, NotBegun};
use super::finding::Route;
use super::hosting::Host;
use super::matches::{self, Kept};
use super::other_guests::Ways;
use super::own::Own;
use super::playing::SeatInPlay;
use super::program::{Input, Program, input_before_match, refuse};
use super::world::SeatWorld;
use crate::command::{Said, not_asked};
use crate::guest::{ANSWER, END_SENT, END_UNCONFIRMED, SOON, YOU_DECLINED};
use crate::seat::{PlayerNeeds, Stopped};

/// What a guest of a program requires. By default, it sits down to any match of two without a question.
pub trait Requirements<W: SeatWorld>: Send {
    /// Whether the player is asked before sitting down.
    fn asks(&self) -> bool {
        false
    }

    /// Checks the host's proposal.
    ///
    /// # Errors
    /// If the guest does not accept it: [`Differs`](super::Differs) because of one term.
    fn check(&self, _own: &Own<W>, _header: &Header) -> anyhow::Result<()> {
        Ok(())
    }

    /// How the guest reaches the others of a match of several. `None` if it plays only matches of two.
    fn ways(&self) -> Option<Arc<dyn Ways<W>>> {
        None
    }
}

/// Sits down to any match of two without a question.
pub struct AnyMatch;

impl<W: SeatWorld> Requirements<W> for AnyMatch {}

/// A guest, from the first call of its host to the end of the match.
pub struct Guest<W: SeatWorld> {
    requires: Box<dyn Requirements<W>>,
    needs: PlayerNeeds,
    route: Route,
    /// Whether the invite came from a code, which may be void now.
    by_code: bool,
    /// Whether the player wants to resume one match, and no other one.
    resumes: bool,
    /// The number of times that the host has changed the match.
    changes: usize,
    /// The open match that the host named, or does not resume.
    host_said: Option<HostSaid>,
    /// Whether the input of the player has ended. The match is told when it begins.
    input_has_ended: bool,
    /// The match from which the table has gone on without this player, until the player has a seat again.
    left_out_of: Option<MatchId>,
    /// The players who may host the table that has gone on, until one of them has answered.
    candidates: Option<Candidates>,
    /// Whether this player has lost its chips at the table. It buys again only if it says so.
    is_broke: bool,
    /// The record of the open match that is given up once a match of a table begins.
    given_up: Option<String>,
    /// The terms of the table of a match that was given up or is over. The player has agreed to them already.
    agreed: Option<TableTerms>,
    stage: Stage<W>,
}

/// What the host has said of an open match.
#[derive(Clone, Copy)]
enum HostSaid {
    Open(MatchId),
    Unknown(MatchId),
}

/// What a guest does now.
enum Stage<W: SeatWorld> {
    /// The guest asks the host for an invite by a code.
    UsingCode(Box<CodeCall<W::Sockets>>),
    Calling(Box<Dial<W::Sockets>>),
    /// The host will be called at this time, once the engine of the last match has ended and its attempts are counted.
    Settling(Duration),
    /// The player is asked.
    Asked(Box<PolledConnection<W::Sockets>>, Question<W>),
    /// The host is asked for the seat.
    Asking(Box<Asking<W>>),
    /// The guest waits or plays at a table.
    AtTable(Box<AtTable<W>>),
    /// The guest has become the host of the table.
    Hosting(Box<Host<W>>),
    /// The guest does not sit down. The host is told why.
    Leaving {
        connection: Box<PolledConnection<W::Sockets>>,
        until: Duration,
        why: anyhow::Error,
    },
    Playing(Box<SeatInPlay<W>>),
    /// The host is sent the end of a match, until this time.
    SendingEnd(Box<SeatInPlay<W>>, Duration),
    /// The stage changes.
    Changing,
}

/// A guest that waits for the answer of its host.
struct Asking<W: SeatWorld> {
    connection: PolledConnection<W::Sockets>,
    /// The match of two that begins. `None` if the host resumes a match of several.
    seating: Option<Seating>,
    /// The record of the open match that is given up for this one.
    instead_of: Option<String>,
    since: Duration,
    /// Whether the request was sent. Otherwise the host cannot have agreed.
    is_sent: bool,
    /// Whether the player knows that the host takes time.
    is_told: bool,
}

/// A question to the player.
enum Question<W: SeatWorld> {
    /// Whether to play with a peer after failed attempts.
    Again,
    /// Whether to sit down on these terms, and to give up the open match with this record.
    Sit(Offer<W>, Option<String>),
}

/// What the host offers.
enum Offer<W: SeatWorld> {
    /// A match of two.
    Match(Box<Seating>),
    /// A table, and the means to reach the other guests.
    Table(Box<TableTerms>, Arc<dyn Ways<W>>),
    /// Nothing: the host resumes a match of several. It may not know yet that the match is over for this guest.
    Resumed,
}

impl<W: SeatWorld> Guest<W> {
    fn new(
        requires: Box<dyn Requirements<W>>,
        needs: PlayerNeeds,
        route: Route,
        stage: Stage<W>,
    ) -> Self {
        Guest {
            requires,
            needs,
            route,
            by_code: false,
            resumes: false,
            changes: 0,
            host_said: None,
            input_has_ended: false,
            left_out_of: None,
            candidates: None,
            is_broke: false,
            given_up: None,
            agreed: None,
            stage,
        }
    }

    /// A guest that calls the host of an invite, or a known player.
    ///
    /// # Errors
    /// If these are the keys of this player, or there is no way to the host.
    pub fn joining(
        own: &Own<W>,
        requires: Box<dyn Requirements<W>>,
        needs: PlayerNeeds,
        route: Route,
        now: Duration,
    ) -> anyhow::Result<Self> {
        let mut guest = Guest::new(requires, needs, route, Stage::Changing);
        guest.call(own, now)?;
        Ok(guest)
    }

    /// A guest that gets the invite of a host by a code, at this relay.
    pub fn using_code(
        own: &Own<W>,
        requires: Box<dyn Requirements<W>>,
        needs: PlayerNeeds,
        code: SpokenCode,
        relay: Place,
        now: Duration,
    ) -> Self {
        let call = CodeCall::new(own.world.sockets(), &relay, code, now);
        let route = Route {
            invite: None,
            peer: None,
            addresses: Vec::new(),
            relay: Some(relay),
        };
        Guest::new(requires, needs, route, Stage::UsingCode(Box::new(call)))
    }

    /// A guest that resumes a match.
    ///
    /// # Errors
    /// If the match cannot be resumed here.
    pub fn resuming(
        own: &Own<W>,
        requires: Box<dyn Requirements<W>>,
        needs: PlayerNeeds,
        route: Route,
        kept: Kept<W::Files>,
        now: Duration,
    ) -> anyhow::Result<Self> {
        let mut guest = Guest::new(requires, needs, route, Stage::Changing);
        if kept.is_without_seat(own) {
            // It has no part in the handover after this match, but can come to its host.
            guest.is_broke = true;
            guest.agreed = matches::kept_table(own, &kept.name).map(|table| table.terms);
            guest.call(own, now)?;
            return Ok(guest);
        }
        guest.resumes = true;
        let ways = guest.requires.ways();
        let listen = ways.as_ref().map(|ways| ways.listens_at());
        let at = listen.unwrap_or_default();
        guest.play_again(own, kept, at, |seat| seat.reconnect(now), now)?;
        Ok(guest)
    }

    fn next(&mut self, own: &mut Own<W>, now: Duration) -> anyhow::Result<bool> {
        let stage = std::mem::replace(&mut self.stage, Stage::Changing);
        match stage {
            Stage::UsingCode(mut call) => {
                call.step(now).map_err(|why| self.failed_code(why))?;
                self.stage = Stage::UsingCode(call);
            }
            Stage::Settling(at) if now >= at && own.world.is_engine_settled() => {
                self.call(own, now)?;
            }
            Stage::Settling(at) => self.stage = Stage::Settling(at),
            Stage::Calling(mut call) => {
                let met = call.step(now);
                self.stage = Stage::Calling(call);
                self.called(own, met, now)?;
                if !matches!(self.stage, Stage::Calling(_)) {
                    return self.next(own, now);
                }
            }
            Stage::Asked(mut connection, question) => {
                connection.flush(now);
                // The reason may be in a message.
                match question {
                    Question::Sit(offer, instead_of) if connection.core.ended().is_some() => {
                        self.ask_host(own, *connection, offer, instead_of, now)?;
                        return self.next(own, now);
                    }
                    question => self.stage = Stage::Asked(connection, question),
                }
            }
            Stage::Asking(asking) => {
                self.wait_for_host(own, asking, now)?;
                if let Stage::Playing(_) = self.stage {
                    return self.next(own, now);
                }
            }
            Stage::AtTable(table) => return self.step_table(own, table, now),
            Stage::Hosting(mut host) => {
                let has_ended = host.step(own, now);
                match host.take_guest() {
                    Some(guest) => *self = *guest,
                    None => self.stage = Stage::Hosting(host),
                }
                return has_ended;
            }
            Stage::Leaving {
                mut connection,
                until,
                why,
            } => {
                connection.flush(now);
                if connection.core.ended().is_some() || now >= until {
                    return Err(why);
                }
                self.stage = Stage::Leaving {
                    connection,
                    until,
                    why,
                };
            }
            Stage::Playing(mut seat) => match seat.step(now) {
                None => self.stage = Stage::Playing(seat),
                Some(stopped) => return self.stopped(own, *seat, stopped?, now),
            },
            Stage::SendingEnd(mut seat, until) => {
                // Errors change nothing: the match is over here.
                match seat.step(now) {
                    None if now < until => self.stage = Stage::SendingEnd(seat, until),
                    Some(Ok(Stopped::BrokenOff)) => return Err(NotBegun.into()),
                    _ => {
                        own.notice(match seat.table.is_finished() {
                            true => END_SENT,
                            false => END_UNCONFIRMED,
                        });
                        return Ok(true);
                    }
                }
            }
            Stage::Changing => {}
        }
        Ok(false)
    }

    /// Something has happened to a connection before the match.
    fn happened(
        &mut self,
        own: &mut Own<W>,
        number: u32,
        what: Happened<'_>,
        now: Duration,
    ) -> anyhow::Result<()> {
        match &mut self.stage {
            Stage::AtTable(table) => table.input(own, Input::Socket(number, what), now)?,
            Stage::UsingCode(call) if call.has(number) => {
                let invite = call.happened(what, now);
                if let Some(invite) = invite.map_err(|why| self.failed_code(why))? {
                    self.got_invite(own, invite, now)?;
                }
            }
            Stage::Calling(call) => {
                let met = call.happened(number, what, now);
                self.called(own, met, now)?;
            }
            _ => {
                if let Some(connection) = self.connection(number) {
                    connection.happened(what, now);
                }
            }
        }
        Ok(())
    }

    /// A command of the player before the match.
    fn said(&mut self, own: &mut Own<W>, said: &Said, now: Duration) -> anyhow::Result<()> {
        match said {
            Said::Sit { agree: false } | Said::Leave { .. } if self.refuses_seat(now) => {
                return Ok(());
            }
            Said::Leave { .. } if W::IN_PAGE => return Err(NotBegun.into()),
            _ => {}
        }
        match (std::mem::replace(&mut self.stage, Stage::Changing), said) {
            (Stage::Asked(connection, Question::Again), Said::Again {}) => {
                return self.sit(own, *connection, now);
            }
            (
                Stage::Asked(connection, Question::Sit(offer, instead_of)),
                Said::Sit { agree: true },
            ) => {
                self.ask_host(own, *connection, offer, instead_of, now)?;
            }
            (stage, _) => {
                self.stage = stage;
                refuse(&own.world, not_asked());
            }
        }
        Ok(())
    }

    /// Declines the proposed match. Returns `false` if the player is not asked about one.
    fn refuses_seat(&mut self, now: Duration) -> bool {
        let connection = match std::mem::replace(&mut self.stage, Stage::Changing) {
            Stage::Asked(connection, Question::Sit(..)) => *connection,
            stage => {
                self.stage = stage;
                return false;
            }
        };
        self.decline(connection, AnswerIsNo(YOU_DECLINED).into(), now);
        true
    }

    /// The input of the player has ended before the match: nobody can agree to one any more.
    fn input_ended(&mut self, now: Duration) -> anyhow::Result<()> {
        if self.refuses_seat(now) {
            return Ok(());
        }
        match &self.stage {
            Stage::Leaving { .. } => {}
            // The terminal of a person may be closed until there is a question.
            Stage::Asking(_) | Stage::AtTable(_) | Stage::Calling(_) | Stage::Settling(_)
                if !self.needs.is_program =>
            {
                self.input_has_ended = true;
            }
            _ => return Err(NotBegun.into()),
        }
        Ok(())
    }
}

impl<W: SeatWorld> Program<W> for Guest<W> {
    fn has(&mut self, number: u32) -> bool {
        match &mut self.stage {
            Stage::UsingCode(call) => call.has(number),
            Stage::Calling(call) => call.has(number),
            Stage::AtTable(table) => table.has(number),
            Stage::Hosting(host) => host.has(number),
            Stage::Playing(seat) | Stage::SendingEnd(seat, _) => seat.has(number),
            _ => self.connection(number).is_some(),
        }
    }

    fn connection(&mut self, number: u32) -> Option<&mut PolledConnection<W::Sockets>> {
        let connection = match &mut self.stage {
            Stage::Playing(seat) | Stage::SendingEnd(seat, _) => return seat.connection(number),
            Stage::Asked(connection, _) | Stage::Leaving { connection, .. } => connection,
            Stage::Asking(asking) => &mut asking.connection,
            Stage::AtTable(table) => return table.connection(number),
            Stage::Hosting(host) => return host.connection(number),
            Stage::UsingCode(_) | Stage::Calling(_) | Stage::Settling(_) | Stage::Changing => {
                return None;
            }
        };
        Some(connection).filter(|connection| connection.number() == number)
    }

    fn seat(&mut self) -> Option<&mut SeatInPlay<W>> {
        match &mut self.stage {
            Stage::Playing(seat) | Stage::SendingEnd(seat, _) => Some(seat),
            Stage::AtTable(table) => table.seat(),
            Stage::Hosting(host) => host.seat(),
            _ => None,
        }
    }

    fn input(&mut self, own: &mut Own<W>, input: Input<'_>, now: Duration) -> anyhow::Result<()> {
        match (&mut self.stage, input) {
            (Stage::SendingEnd(..), Input::Ended) => {}
            (Stage::Playing(seat) | Stage::SendingEnd(seat, _), input) => {
                // If the host declines the match, the player may be asked about another one.
                self.input_has_ended |= matches!(input, Input::Ended);
                seat.input(input, now);
            }
            (Stage::Hosting(host), input) => host.input(own, input, now)?,
            (Stage::AtTable(table), input) if !(table.waits() && matches!(input, Input::Ended)) => {
                self.input_has_ended |= matches!(input, Input::Ended);
                table.input(own, input, now)?;
            }
            (_, Input::Socket(number, what)) => {
                let happened = self.happened(own, number, what, now);
                happened.or_else(|why| self.calls_next(why, now))?;
            }
            (_, Input::Said(said, _)) => self.said(own, &said, now)?,
            (_, Input::AskLeave) => self.said(own, &Said::Leave { anyhow: false }, now)?,
            (_, Input::Ended) => self.input_ended(now)?,
            (_, input) => input_before_match(&own.world, input)?,
        }
        Ok(())
    }

    fn step(&mut self, own: &mut Own<W>, now: Duration) -> anyhow::Result<bool> {
        let is_playing = matches!(self.stage, Stage::Playing(_));
        let mut stepped = self.next(own, now);
        while let Err(why) = stepped {
            self.calls_next(why, now)?;
            stepped = self.next(own, now);
        }
        let has_ended = stepped?;
        if self.input_has_ended && !has_ended {
            let is_asked = match &mut self.stage {
                Stage::Asked(..) => true,
                Stage::Playing(seat) if !is_playing => {
                    seat.input(Input::Ended, now);
                    false
                }
                _ => false,
            };
            if is_asked {
                self.input_ended(now)?;
            }
        }
        Ok(has_ended)
    }

    fn timer(&mut self, now: Duration) -> Duration {
        match &mut self.stage {
            Stage::UsingCode(call) => call.timer(),
            Stage::Calling(call) => call.timer(),
            Stage::Asked(connection, _) => connection.timer(),
            Stage::Asking(asking) => {
                let deadline = if asking.is_told { ANSWER } else { SOON };
                asking.connection.timer().min(asking.since + deadline)
            }
            Stage::AtTable(table) => table.timer(now),
            Stage::Hosting(host) => host.timer(now),
            Stage::Leaving {
                connection, until, ..
            } => connection.timer().min(*until),
            Stage::Playing(seat) => seat.timer(now),
            Stage::SendingEnd(seat, until) => seat.timer(now).min(*until),
            Stage::Settling(at) if *at > now => *at,
            // The end of the engine is an input.
            Stage::Settling(_) | Stage::Changing => Duration::MAX,
        }
    }
}
