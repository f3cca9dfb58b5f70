//! A guest that meets its host, sits down to a match or resumes one, and plays it.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow, bail, ensure};
use dealerless_connection::{
    CodeCall, ConnectionError, Dial, Happened, Invite, MeetingError, Place, PolledConnection,
    SpokenCode, SpokenError, Stream,
};
use dealerless_table::log::{Header, MatchId, Sitting};
use dealerless_table::play::{Control, Seating, Term};

use super::continued::settled;
use super::errors::{AnswerIsNo, Differs, NotBegun};
use super::finding::{Caller, Finder, Route, request};
use super::gathered::{Complete, Declined, Gathered};
use super::matches::{self, Kept, NewMatch};
use super::other_guests::{self, Ways, keys_of_guests, tell_absent_host};
use super::own::Own;
use super::playing::SeatInPlay;
use super::program::{Input, Program, ended, input_before_match, refuse};
use super::world::SeatWorld;
use crate::command::{Said, not_asked};
use crate::event::Event;
use crate::guest::{
    ANSWER, CHANGES, END_SENT, KEEPS_CHANGING, NOT_ACCEPTED_YET, SOON, YOU_DECLINED,
    may_have_agreed, refusal,
};
use crate::open_match::{
    WENT_ON, WENT_ON_WITH_YOU, elsewhere, instead_of, not_begun, not_resumed, removes, went_on,
};
use crate::peers::{BLOCKED, all_keys, is_blocked, question};
use crate::seat::{LAST_CALL, PlayerNeeds, Stopped};
use crate::seated::Seated;

/// Timeout for the host to receive the last message of a guest that does not sit down.
const GOODBYE: Duration = Duration::from_secs(2);

/// What a guest of a program requires. By default, it sits down to any match of two without a question.
pub trait Requirements<W: SeatWorld>: Send {
    /// Whether the player is asked before sitting down.
    fn asks(&self) -> bool {
        false
    }

    /// Checks the host's proposal.
    ///
    /// # Errors
    /// If the guest does not accept it: [`Differs`] because of one term.
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
    /// Whether the invite came from a code. A code works once.
    by_code: bool,
    /// Whether the player wants to resume one match, and no other one.
    resumes: bool,
    /// The number of times that the host has changed the match.
    changes: usize,
    /// The open match that the host named, or does not resume.
    host_said: Option<HostSaid>,
    /// Whether the input of the player has ended. The match is told when it begins.
    input_has_ended: bool,
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
    /// The host will be called when the engine of the last match has ended, and its attempts are counted.
    Settling,
    /// The player is asked.
    Asked(Box<PolledConnection<W::Sockets>>, Question),
    /// The host is asked for the seat.
    Asking(Box<Asking<W>>),
    /// The guest waits for the other players of a match of several.
    Gathered(Box<Gathered<W>>),
    /// The guest does not sit down. The host is told why.
    Leaving {
        line: Box<PolledConnection<W::Sockets>>,
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
    line: PolledConnection<W::Sockets>,
    offer: Offer,
    since: Duration,
    /// Whether the request was sent. Otherwise the host cannot have agreed.
    is_sent: bool,
    /// Whether the player knows that the host takes time.
    is_told: bool,
}

/// A question to the player.
enum Question {
    /// Whether to play with a peer after failed attempts.
    Again,
    /// Whether to sit down on these terms.
    Sit(Box<Offer>),
}

/// A match of two that the host proposes.
struct Offer {
    seating: Seating,
    /// The record of the open match that is given up for it.
    instead_of: Option<String>,
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
        guest.resumes = true;
        let ways = guest.requires.ways();
        let listen = ways.as_ref().map(|ways| ways.listens_at());
        let mut seat = guest.seat_again(own, kept, listen.unwrap_or_default(), now)?;
        seat.reconnect(now)?;
        seat.look_for_guests(now);
        guest.stage = Stage::Playing(Box::new(seat));
        Ok(guest)
    }

    /// Calls the host.
    fn call(&mut self, own: &Own<W>, now: Duration) -> anyhow::Result<()> {
        let (sockets, keys) = (own.world.sockets(), own.credentials());
        let call = self.route.call(sockets, keys, 0, now);
        let call = call.map_err(|error| self.failed(error))?;
        self.stage = Stage::Calling(Box::new(call));
        Ok(())
    }

    /// The host has given its invite for the code.
    fn got_invite(&mut self, own: &Own<W>, invite: Invite, now: Duration) -> anyhow::Result<()> {
        if !W::IN_PAGE {
            self.route.addresses = invite.addresses().to_vec();
            let relay = invite.relay().cloned().map(Place::from);
            self.route.relay = relay.or(self.route.relay.take());
        }
        self.route.invite = Some(Box::new(invite));
        self.by_code = true;
        self.call(own, now)
    }

    /// The error of a guest that has not met its host.
    fn failed(&self, error: MeetingError) -> anyhow::Error {
        let again = if W::IN_PAGE {
            "join with"
        } else {
            "run `dealerless join"
        };
        let end = if W::IN_PAGE { "" } else { "`" };
        match &self.route.invite {
            Some(invite) if self.by_code => anyhow::Error::new(error)
                .context(format!("the code is used; to retry, {again} {invite}{end}")),
            _ => error.into(),
        }
    }

    /// The host has answered, or cannot be reached.
    fn called(
        &mut self,
        own: &mut Own<W>,
        met: Result<Option<PolledConnection<W::Sockets>>, MeetingError>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let Some(line) = met.map_err(|error| self.failed(error))? else {
            return Ok(());
        };
        let in_invite = self.route.invite.as_ref().and_then(|invite| invite.relay());
        let in_invite = in_invite.cloned().map(Place::from);
        if let Some(text) = own.recognise(&line, in_invite.as_ref())? {
            own.notice(text);
        }
        let question = {
            let (peers, met) = (own.peers.lock(), &line.met);
            ensure!(!is_blocked(&peers, &met.peer), BLOCKED);
            question(&peers, &met.peer, &met.peer_name)?
        };
        self.route.peer = Some(line.met.peer.clone());
        match question {
            Some(Event::AskAgain { message, .. }) if self.needs.never_asked => bail!(message),
            Some(question) => {
                own.world.report(&question);
                self.stage = Stage::Asked(Box::new(line), Question::Again);
                Ok(())
            }
            None => self.sit(own, line, now),
        }
    }

    /// Resumes the open match with this host, or asks the player about the one that it proposes.
    fn sit(
        &mut self,
        own: &mut Own<W>,
        line: PolledConnection<W::Sockets>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let peer = &line.met.peer;
        let mut kept = match self.host_said {
            Some(HostSaid::Open(of)) => {
                let keys = all_keys(&own.peers.lock(), peer);
                let is_with_host = |kept: &Kept<_>| keys.iter().any(|keys| kept.connects_to(keys));
                let kept = matches::find(own, &of)?.filter(is_with_host);
                Some(kept.with_context(|| elsewhere(&of))?)
            }
            _ => matches::open_with(own, peer, None)?,
        };
        if let Some(kept) = &kept {
            kept.must_be_with(peer)?;
        }
        let given_up = kept.take_if(
            |kept| matches!(self.host_said, Some(HostSaid::Unknown(of)) if of == kept.id()),
        );
        if let Some(kept) = kept {
            return self.resume(own, line, kept, now);
        }
        match self.offered(own, &line) {
            Err(why) => self.decline(line, why, now),
            Ok(offered) => {
                // The record is closed, because the host may continue this match.
                let given_up = given_up.map(|kept| {
                    let text = instead_of(&kept.opened);
                    own.notice(text);
                    kept.name
                });
                self.consider(own, line, offered, given_up, now);
            }
        }
        Ok(())
    }

    /// Checks the host's proposal before anything has begun.
    fn offered(
        &self,
        own: &Own<W>,
        line: &PolledConnection<W::Sockets>,
    ) -> anyhow::Result<Offered<W>> {
        let header = Seating::proposal(&line.met.header)?;
        let ways = match header.sealed() {
            Some(_) => None,
            None => Some(self.requires.ways().context(
                "this page plays matches of two; to play with more, use the program `dealerless`",
            )?),
        };
        self.requires.check(own, &header)?;
        Ok(match ways {
            Some(ways) => Offered::ToSeveral(header, ways),
            None => Offered::ToTwo(Seating::of_meeting(&line.met, header, own.player())?),
        })
    }

    /// Asks the player about the host's proposal, or the host for a seat.
    fn consider(
        &mut self,
        own: &Own<W>,
        line: PolledConnection<W::Sockets>,
        offered: Offered<W>,
        instead_of: Option<String>,
        now: Duration,
    ) {
        match offered {
            Offered::ToTwo(seating) => {
                let offer = Offer {
                    seating,
                    instead_of,
                };
                if !self.requires.asks() {
                    return self.ask_host(line, offer, now);
                }
                let terms = Seated::of(&offer.seating.sitting, None, false);
                own.world.report(&Event::AskSit(Box::new(terms)));
                self.stage = Stage::Asked(Box::new(line), Question::Sit(Box::new(offer)));
            }
            Offered::ToSeveral(header, ways) => {
                match Gathered::begin(own, ways, line, header, instead_of, now) {
                    Ok(gathered) => self.stage = Stage::Gathered(Box::new(gathered)),
                    Err(Declined { line, why }) => self.decline(*line, why, now),
                }
            }
        }
    }

    /// The finder of a guest, which calls the host after a lost connection.
    fn calling_host(&self, finder: Finder<W>, sitting: &Sitting) -> Finder<W> {
        let of = sitting.match_info.id();
        let host = sitting.match_info.players()[0].identity.clone();
        finder.calling(Caller::new(of, host, self.route.clone()))
    }

    /// The seat of a guest that resumes a match, still without a connection.
    ///
    /// # Errors
    /// If the match cannot be resumed here, or this side cannot listen for the other guests.
    fn seat_again(
        &self,
        own: &Own<W>,
        kept: Kept<W::Files>,
        listen: &[String],
        now: Duration,
    ) -> anyhow::Result<SeatInPlay<W>> {
        let sitting = &kept.opened.sitting;
        let (of, players, name) = (kept.id(), keys_of_guests(sitting), kept.name.clone());
        let past = sitting.match_info.header().past.clone();
        let finder = Finder::new(own, of, players).after(past.as_ref());
        let finder = self.calling_host(finder, sitting);
        let (finder, at) = match self.requires.ways() {
            None => (finder, None),
            Some(ways) => {
                let relay = self.route.relay.as_ref();
                let (finder, at) =
                    other_guests::find_again(own, &*ways, finder, &kept, listen, relay, now)?;
                let route = |host: &_| ways.route(host);
                (tell_absent_host(own, finder, past.as_ref(), route, now), at)
            }
        };
        let files = matches::resume(own, kept)?;
        if let Some((listeners, addresses)) = at {
            other_guests::keep(own, &name, &listeners, &addresses)?;
        }
        SeatInPlay::new(own, files, self.needs, finder, now)
    }

    /// Resumes an open match on a connection. One that is over here is only sent to the host, who does not know its
    /// end.
    fn resume(
        &mut self,
        own: &Own<W>,
        mut line: PolledConnection<W::Sockets>,
        kept: Kept<W::Files>,
        now: Duration,
    ) -> anyhow::Result<()> {
        // If the connection has ended, the seat notices it and calls again.
        let _ = line
            .core
            .send(Stream::Control, &Control::Resume(kept.id()).encode());
        if kept.is_over() {
            let seat = matches::sending_end(own, kept, line, now)?;
            self.stage = Stage::SendingEnd(Box::new(seat), now + LAST_CALL);
            return Ok(());
        }
        let mut seat = self.seat_again(own, kept, &[], now)?;
        seat.resume(line, now)?;
        seat.look_for_guests(now);
        self.stage = Stage::Playing(Box::new(seat));
        Ok(())
    }

    /// Tells the host which term this guest does not accept, and ends.
    fn decline(
        &mut self,
        mut line: PolledConnection<W::Sockets>,
        why: anyhow::Error,
        now: Duration,
    ) {
        let differs = why.downcast_ref().map(|differs: &Differs| differs.term);
        let declines = why.is::<AnswerIsNo>() || W::IN_PAGE;
        if let Some(term) = differs.or(declines.then_some(Term::All)) {
            // The reason matters more than whether the host receives it.
            let declines = Control::Declines(term).encode();
            let _ = line.core.send(Stream::Control, &declines);
        }
        line.core.close();
        line.flush(now);
        self.stage = Stage::Leaving {
            line: Box::new(line),
            until: now + GOODBYE,
            why,
        };
    }

    fn ask_host(&mut self, mut line: PolledConnection<W::Sockets>, offer: Offer, now: Duration) {
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
                call.step(now).map_err(|why| self.failed_code(why))?;
                self.stage = Stage::UsingCode(call);
            }
            Stage::Settling if own.world.is_engine_settled() => self.call(own, now)?,
            Stage::Settling => self.stage = Stage::Settling,
            Stage::Calling(mut call) => {
                let met = call.step(now);
                self.stage = Stage::Calling(call);
                self.called(own, met, now)?;
                if !matches!(self.stage, Stage::Calling(_)) {
                    return self.next(own, now);
                }
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
            Stage::Gathered(gathered) => {
                self.wait_for_all(own, gathered, now)?;
                if let Stage::Playing(_) | Stage::Leaving { .. } = self.stage {
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
                Some(stopped) => return self.stopped(own, *seat, stopped?, now),
            },
            Stage::SendingEnd(mut seat, until) => {
                // Errors change nothing: the match is over here.
                match seat.step(now) {
                    None if now < until => self.stage = Stage::SendingEnd(seat, until),
                    Some(Ok(Stopped::BrokenOff)) => return Err(NotBegun.into()),
                    _ => {
                        own.notice(END_SENT);
                        return Ok(true);
                    }
                }
            }
            Stage::Changing => {}
        }
        Ok(false)
    }

    /// Names the relay, unless it has paired this guest with the host: then it is the right one.
    fn failed_code(&self, why: SpokenError) -> anyhow::Error {
        let is_paired = matches!(
            why,
            SpokenError::Wrong | SpokenError::WrongHost | SpokenError::Invite
        );
        match &self.route.relay {
            Some(relay) if !is_paired => {
                anyhow::Error::new(why).context(format!("at the relay {relay}"))
            }
            _ => why.into(),
        }
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
                    own.notice(NOT_ACCEPTED_YET);
                }
                self.stage = Stage::Asking(asking);
            }
            Ok(Some(message)) => match request(&message) {
                Some(Control::Sit) => self.begin(own, *asking, now)?,
                Some(Control::Open(of)) => self.change(own, HostSaid::Open(of), now)?,
                Some(control) => match refusal(&control, 2) {
                    Some(text) => bail!(AnswerIsNo(text)),
                    None => bail!(ConnectionError::Broken("an unexpected answer")),
                },
                None => bail!(ConnectionError::Broken("an unexpected answer")),
            },
            Err(why) if asking.is_sent && may_have_agreed(&why) => self.begin(own, *asking, now)?,
            Err(why) => return Err(anyhow::Error::new(why).context("the host has not answered")),
        }
        Ok(())
    }

    fn wait_for_all(
        &mut self,
        own: &mut Own<W>,
        mut gathered: Box<Gathered<W>>,
        now: Duration,
    ) -> anyhow::Result<()> {
        match gathered.step(own, self.requires.asks(), now) {
            Ok(None) => self.stage = Stage::Gathered(gathered),
            Err(why) => self.decline(gathered.line, why, now),
            Ok(Some(complete)) => {
                let Complete {
                    new,
                    finder,
                    addresses,
                } = complete;
                let Gathered {
                    line,
                    ways,
                    instead_of,
                    ..
                } = *gathered;
                give_up(own, instead_of)?;
                let past = new.sitting.match_info.header().past.as_ref();
                let relay = self.route.relay.as_ref();
                let finder = self.calling_host(finder.after(past), &new.sitting);
                let finder = other_guests::find(finder, &new.sitting, &addresses, relay, now);
                let finder = tell_absent_host(own, finder, past, |host| ways.route(host), now);
                let files = new.begin(own, None)?;
                let mut seat = SeatInPlay::new(own, files, self.needs, finder, now)?;
                seat.begin(line, now)?;
                seat.look_for_guests(now);
                self.stage = Stage::Playing(Box::new(seat));
            }
        }
        Ok(())
    }

    fn begin(&mut self, own: &mut Own<W>, asking: Asking<W>, now: Duration) -> anyhow::Result<()> {
        let Asking { line, offer, .. } = asking;
        give_up(own, offer.instead_of)?;
        let Seating { sitting, circuit } = offer.seating;
        let of = sitting.match_info.id();
        let finder = Finder::new(own, of, Vec::new());
        let finder = self.calling_host(finder, &sitting);
        let files = NewMatch::create(own, sitting)?.begin(own, Some(circuit))?;
        let mut seat = SeatInPlay::new(own, files, self.needs, finder, now)?;
        seat.begin(line, now)?;
        self.stage = Stage::Playing(Box::new(seat));
        Ok(())
    }

    /// The host has named another match. Calls it again.
    fn change(&mut self, own: &mut Own<W>, said: HostSaid, now: Duration) -> anyhow::Result<()> {
        self.changes += 1;
        ensure!(self.changes <= CHANGES, KEEPS_CHANGING);
        self.host_said = Some(said);
        self.stage = Stage::Settling;
        self.next(own, now).map(drop)
    }

    /// The match has stopped here.
    fn stopped(
        &mut self,
        own: &mut Own<W>,
        seat: SeatInPlay<W>,
        stopped: Stopped,
        now: Duration,
    ) -> anyhow::Result<bool> {
        let Stopped::Declined(control) = stopped else {
            return ended(own, &seat, &stopped).map(|()| true);
        };
        seat.tell_end(&Stopped::Declined(control.clone()))?;
        let (of, seats) = (seat.of(), seat.log().match_info().seats());
        // Closes the record.
        drop(seat);
        if let Some(text) = refusal(&control, seats) {
            bail!(AnswerIsNo(text));
        }
        let Some(kept) = matches::find(own, &of)? else {
            bail!(not_begun(&of));
        };
        if let Control::WentOn(of, chips) = control {
            let settled = settled(&kept).ok();
            let absent = settled.as_ref().map(|settled| kept.names(&settled.absent));
            let text = went_on(&of, chips, absent.as_deref());
            own.notice(text);
            match (self.resumes, settled.is_some()) {
                (true, true) => bail!(AnswerIsNo(WENT_ON_WITH_YOU)),
                (false, remains) if remains || self.requires.asks() => {}
                _ => bail!(AnswerIsNo(WENT_ON)),
            }
        } else if self.resumes {
            if kept.is_begun() {
                bail!(not_resumed(&of));
            }
            kept.forget(own)?;
            bail!(not_begun(&of));
        } else if removes(
            &kept.opened.log,
            kept.seat(),
            &control,
            self.requires.asks(),
        )? {
            kept.forget(own)?;
        }
        let said = match control {
            Control::Open(of) => HostSaid::Open(of),
            Control::Unknown(of) | Control::WentOn(of, _) => HostSaid::Unknown(of),
            _ => return Err(anyhow!("the host sent an unexpected answer")),
        };
        self.change(own, said, now)?;
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
            Stage::Gathered(gathered) => gathered.happened(number, what, now),
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
                if let Some(line) = self.line(number) {
                    line.happened(what, now);
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
            (Stage::Asked(line, Question::Again), Said::Again {}) => {
                return self.sit(own, *line, now);
            }
            (Stage::Asked(line, Question::Sit(offer)), Said::Sit { agree: true }) => {
                self.ask_host(*line, *offer, now);
            }
            (Stage::Gathered(mut gathered), Said::Sit { agree: true }) if gathered.is_asked() => {
                gathered.agrees();
                self.stage = Stage::Gathered(gathered);
            }
            (stage, _) => {
                self.stage = stage;
                refuse(&own.world, not_asked());
            }
        }
        Ok(())
    }

    /// Declines the match that the player is asked about. Returns `false` if there is none.
    fn refuses_seat(&mut self, now: Duration) -> bool {
        let line = match std::mem::replace(&mut self.stage, Stage::Changing) {
            Stage::Asked(line, Question::Sit(_)) => *line,
            Stage::Gathered(gathered) if gathered.is_asked() => gathered.line,
            stage => {
                self.stage = stage;
                return false;
            }
        };
        self.decline(line, AnswerIsNo(YOU_DECLINED).into(), now);
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
            Stage::Asking(_) | Stage::Gathered(_) | Stage::Calling(_) | Stage::Settling
                if !self.needs.is_program =>
            {
                self.input_has_ended = true;
            }
            _ => return Err(NotBegun.into()),
        }
        Ok(())
    }
}

/// Closes the open match that this player gives up for another one.
fn give_up<W: SeatWorld>(own: &Own<W>, record: Option<String>) -> anyhow::Result<()> {
    let kept = record.map(|name| Kept::open(own, name)).transpose()?;
    kept.map_or(Ok(()), |kept| kept.close().map(drop))
}

/// The proposal of a host.
enum Offered<W: SeatWorld> {
    ToTwo(Seating),
    ToSeveral(Header, Arc<dyn Ways<W>>),
}

impl<W: SeatWorld> Program<W> for Guest<W> {
    fn has(&mut self, number: u32) -> bool {
        match &mut self.stage {
            Stage::UsingCode(call) => call.has(number),
            Stage::Calling(call) => call.has(number),
            Stage::Gathered(gathered) => gathered.has(number),
            Stage::Playing(seat) | Stage::SendingEnd(seat, _) => seat.has(number),
            _ => self.line(number).is_some(),
        }
    }

    fn line(&mut self, number: u32) -> Option<&mut PolledConnection<W::Sockets>> {
        let line = match &mut self.stage {
            Stage::Playing(seat) | Stage::SendingEnd(seat, _) => return seat.line(number),
            Stage::Asked(line, _) | Stage::Leaving { line, .. } => line,
            Stage::Asking(asking) => &mut asking.line,
            Stage::Gathered(gathered) => &mut gathered.line,
            Stage::UsingCode(_) | Stage::Calling(_) | Stage::Settling | Stage::Changing => {
                return None;
            }
        };
        Some(line).filter(|line| line.number() == number)
    }

    fn seat(&mut self) -> Option<&mut SeatInPlay<W>> {
        match &mut self.stage {
            Stage::Playing(seat) | Stage::SendingEnd(seat, _) => Some(seat),
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
            (_, Input::Socket(number, what)) => self.happened(own, number, what, now)?,
            (_, Input::Said(said, _)) => self.said(own, &said, now)?,
            (_, Input::AskLeave) => self.said(own, &Said::Leave { anyhow: false }, now)?,
            (_, Input::Ended) => self.input_ended(now)?,
            (_, input) => input_before_match(&own.world, input)?,
        }
        Ok(())
    }

    fn step(&mut self, own: &mut Own<W>, now: Duration) -> anyhow::Result<bool> {
        let is_playing = matches!(self.stage, Stage::Playing(_));
        let has_ended = self.next(own, now)?;
        if self.input_has_ended && !has_ended {
            let is_asked = match &mut self.stage {
                Stage::Asked(..) => true,
                Stage::Gathered(gathered) => gathered.is_asked(),
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
            Stage::Asked(line, _) => line.timer(),
            Stage::Asking(asking) => {
                let deadline = if asking.is_told { ANSWER } else { SOON };
                asking.line.timer().min(asking.since + deadline)
            }
            Stage::Gathered(gathered) => gathered.timer(),
            Stage::Leaving { line, until, .. } => line.timer().min(*until),
            Stage::Playing(seat) => seat.timer(now),
            Stage::SendingEnd(seat, until) => seat.timer(now).min(*until),
            Stage::Settling | Stage::Changing => Duration::MAX,
        }
    }
}
