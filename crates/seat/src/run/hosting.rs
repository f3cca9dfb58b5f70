//! A host that waits for its guests, decides who sits down, and plays.

use std::time::Duration;

use anyhow::{anyhow, bail, ensure};
use dealerless_connection::identity::{Name, PublicIdentity};
use dealerless_connection::{
    ConnectionError, DoorEvent, Happened, Invite, Place, PolledConnection, PolledDoor, SpokenCode, Stream,
};
use dealerless_table::log::{Header, MatchId, Sitting};
use dealerless_table::play::{Control, Seating, Term};

use super::absentees::Absentees;
use super::admission::{Admission, Answered, Wants};
use super::continued::went_on;
use super::door;
use super::errors::NotBegun;
use super::finding::Finder;
use super::gathering::{Agreed, Change, Gathering};
use super::lobby::{Arrived, Lobby};
use super::matches::{self, Kept, NewMatch};
use super::other_guests::{Ways, keep_listeners, keys_of_guests, tell_absent_host};
use super::own::Own;
use super::playing::{SeatFiles, SeatInPlay};
use super::program::{InPlay, Input, Program, ended, input_before_match, refuse};
use super::world::SeatWorld;
use crate::VERSION;
use crate::command::Said;
use crate::event::Event;
use crate::game_name::GameName;
use crate::open_match::{answer_after, went_on_without_host};
use crate::peers::{cannot_burn, is_blocked};
use crate::seat::{LAST_CALL, PlayerNeeds};
use crate::seated::opens;
use crate::words;

/// The time limit for the first code of an invite, with the look-up of the relay's name and the connection.
const FIRST_CODE: Duration = Duration::from_secs(30);
/// The maximum number of guests at a time who are sent the end of a match.
const FAREWELLS: usize = 16;

/// The proposal of a host, and the guests that it expects.
pub struct Hosted<W: SeatWorld> {
    /// The match.
    pub header: Header,
    /// The addresses on which the door listens.
    pub listeners: Vec<String>,
    /// The invites.
    pub invites: Vec<Invite>,
    /// The relay at which this player waits for others.
    pub relay: Option<Place>,
    /// How an absent host is reached, after a match of several.
    pub ways: Option<Box<dyn Ways<W>>>,
    /// The known peers that are seated without a question.
    pub expected: Vec<PublicIdentity>,
    /// The absent players of the match that is continued without them.
    pub absentees: Option<Absentees<W>>,
    /// The first events for the player, such as the invites. They are reported once the code is known.
    pub announced: Vec<Event>,
    /// Whether the door offers a code for the invite.
    pub offers_code: bool,
    /// Whether the player asks for a new match, although it may have an open one with a guest.
    pub wants_new: bool,
    /// When the host gives up if nobody has sat down.
    pub until: Duration,
}

impl<W: SeatWorld> Hosted<W> {
    /// A host that proposes this match to the guests of its invites, until one of them has sat down.
    pub fn new(header: Header, invites: Vec<Invite>) -> Self {
        let guests = u8::try_from(invites.len())
            .ok()
            .filter(|&guests| guests > 1);
        let opens = guests.and(opens(&header));
        let announced = invites.iter().map(|invite| Event::Invite {
            version: VERSION,
            invite: invite.to_string(),
            link: None,
            code: None,
            guests,
            opens,
        });
        Hosted {
            announced: announced.collect(),
            header,
            listeners: Vec::new(),
            invites,
            relay: None,
            ways: None,
            expected: Vec::new(),
            absentees: None,
            offers_code: false,
            wants_new: false,
            until: Duration::MAX,
        }
    }
}

/// A host, from the invites to the end of the match.
pub struct Host<W: SeatWorld> {
    needs: PlayerNeeds,
    hosted: Hosted<W>,
    /// The door, until the match begins.
    door: Option<PolledDoor<W::Sockets>>,
    admission: Admission<W>,
    /// The guests who have come, if the match has several guests.
    gathering: Option<Gathering<W::Sockets>>,
    lobby: Lobby<W::Sockets>,
    farewells: Vec<Farewell<W>>,
    /// Until when the first events wait for a code.
    code_until: Option<Duration>,
    /// Whether the input of the player has ended, which the match must see.
    input_has_ended: bool,
    seat: Option<Box<SeatInPlay<W>>>,
}

/// A guest that is sent the end of a match.
struct Farewell<W: SeatWorld> {
    peer: PublicIdentity,
    seat: Box<SeatInPlay<W>>,
    until: Duration,
}

/// A guest that takes the seat.
enum Arrival<W: SeatWorld> {
    /// A guest that begins a new match.
    New(PolledConnection<W::Sockets>),
    /// A guest that resumes an open match.
    Resuming(PolledConnection<W::Sockets>, Box<Kept<W::Files>>),
}

impl<W: SeatWorld> Arrival<W> {
    fn line(&self) -> &PolledConnection<W::Sockets> {
        let (Arrival::New(line) | Arrival::Resuming(line, _)) = self;
        line
    }

    fn into_line(self) -> PolledConnection<W::Sockets> {
        let (Arrival::New(line) | Arrival::Resuming(line, _)) = self;
        line
    }
}

/// The notice to a player whose invite was used by a blocked player.
const BURNT: &str = "a blocked player has used your invite; run host again for a new one";

fn whose<W: SeatWorld>(line: &PolledConnection<W::Sockets>) -> (PublicIdentity, Name) {
    (line.met.peer.clone(), line.met.peer_name.clone())
}

impl<W: SeatWorld> Host<W> {
    /// A host that waits at a door.
    pub fn new(
        own: &Own<W>,
        door: PolledDoor<W::Sockets>,
        mut hosted: Hosted<W>,
        needs: PlayerNeeds,
        now: Duration,
    ) -> Self {
        let (keys, name) = own.player();
        let is_of_several = hosted.header.sealed().is_none();
        let gathering = is_of_several
            .then(|| Gathering::new(hosted.header.clone(), (keys.clone(), name.clone())));
        let code_until = hosted.offers_code.then(|| now + FIRST_CODE);
        let admission = Admission::new(needs, std::mem::take(&mut hosted.expected));
        let mut host = Host {
            needs,
            hosted,
            door: Some(door),
            admission,
            gathering,
            lobby: Lobby::new(),
            farewells: Vec::new(),
            code_until,
            input_has_ended: false,
            seat: None,
        };
        if code_until.is_none() {
            host.announce(own, None);
        }
        host
    }

    /// Tells the player the first events, with the code of the invite if there is one.
    fn announce(&mut self, own: &Own<W>, first: Option<&SpokenCode>) {
        self.code_until = None;
        let mut events = std::mem::take(&mut self.hosted.announced);
        if let Some(Event::Invite { code, .. }) = events.first_mut() {
            *code = first.map(SpokenCode::to_string);
        }
        events.iter().for_each(|event| own.world.report(event));
    }

    /// Handles all events at the door.
    ///
    /// # Errors
    /// If the host cannot wait any more.
    fn take_events(&mut self, own: &mut Own<W>, now: Duration) -> anyhow::Result<()> {
        while let Some(event) = self.door.as_mut().and_then(PolledDoor::next_event) {
            self.at_door(own, event, now)?;
        }
        Ok(())
    }

    /// Handles an event at the door.
    ///
    /// # Errors
    /// If the host cannot wait any more.
    fn at_door(
        &mut self,
        own: &mut Own<W>,
        event: DoorEvent<PolledConnection<W::Sockets>>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let is_first = self.code_until.is_some();
        match event {
            DoorEvent::Connection(line) => {
                if is_first {
                    self.announce(own, None);
                }
                self.arrived(own, *line, now)?;
            }
            DoorEvent::CannotBurn(error) => bail!(cannot_burn(&error)),
            DoorEvent::NewCode { code, .. } if is_first => self.announce(own, Some(&code)),
            DoorEvent::CodeVoid { .. } if is_first => self.announce(own, None),
            DoorEvent::NewCode { code, .. } => {
                own.notice(format!("The new code: dealerless join {code}"));
            }
            DoorEvent::CodeVoid { why, is_last, .. } => {
                let mut text = words::sentence(&why.to_string());
                if is_last {
                    text += " No new code is offered: send the invite.";
                }
                own.notice(text);
            }
            event => door::report(&own.world, &own.leaks, event),
        }
        Ok(())
    }

    /// A peer has connected.
    ///
    /// # Errors
    /// If it is one of the absent players of the match that is continued without them.
    fn arrived(
        &mut self,
        own: &mut Own<W>,
        line: PolledConnection<W::Sockets>,
        now: Duration,
    ) -> anyhow::Result<()> {
        if let Some(absentees) = &mut self.hosted.absentees {
            absentees.is_here(&line.met.peer);
            absentees.must_be_absent()?;
        }
        let mut invites = self.hosted.invites.iter();
        let is_invited = invites.any(|invite| line.met.came_by(invite));
        let recognised = self.recognise(own, &line, is_invited, now);
        if is_invited {
            let peer = &line.met.peer;
            if !is_blocked(&own.peers.lock(), peer) {
                self.admission.expect(peer);
            } else if self.admission.is_news(peer) {
                own.notice(BURNT);
            }
        }
        match recognised {
            Ok(warning) => self.lobby.admit(line, warning, now),
            Err(error) => self.did_not_sit(own, whose::<W>(&line), &error),
        }
        Ok(())
    }

    /// Looks up a peer that has connected. Returns a notice that the player gets if the peer sits down.
    fn recognise(
        &mut self,
        own: &mut Own<W>,
        line: &PolledConnection<W::Sockets>,
        is_invited: bool,
        now: Duration,
    ) -> anyhow::Result<Option<String>> {
        let relay = self.hosted.relay.as_ref();
        let is_known = own.peers.lock().get(&line.met.peer).is_some();
        let warning = own.recognise(line, relay.filter(|_| is_invited))?;
        if let (Some(relay), Some(door), false) = (relay, &mut self.door, is_known) {
            door.wait_for_known(relay.clone(), &line.met.peer, now);
        }
        Ok(warning)
    }

    fn did_not_sit(
        &mut self,
        own: &Own<W>,
        (peer, name): (PublicIdentity, Name),
        error: &anyhow::Error,
    ) {
        if self.admission.is_news(&peer) {
            own.notice(format!(
                "{name} did not sit down ({error:#}). Still waiting."
            ));
        }
    }

    /// Returns the guest, if any. Reports an error as a guest that did not sit down.
    fn or_report(
        &mut self,
        own: &Own<W>,
        who: (PublicIdentity, Name),
        served: anyhow::Result<Option<Arrival<W>>>,
    ) -> Option<Arrival<W>> {
        served.unwrap_or_else(|error| {
            self.did_not_sit(own, who, &error);
            None
        })
    }

    /// Declines a guest and continues to wait.
    fn does_not_sit(
        &mut self,
        own: &Own<W>,
        line: PolledConnection<W::Sockets>,
        error: &anyhow::Error,
        now: Duration,
    ) {
        self.did_not_sit(own, whose::<W>(&line), error);
        self.lobby.decline(line, &Control::Declined, now);
    }

    /// A peer in the lobby has sent its request, or has left.
    ///
    /// # Errors
    /// If the host cannot play.
    fn asked(
        &mut self,
        own: &mut Own<W>,
        Arrived {
            line,
            request,
            warning,
        }: Arrived<W::Sockets>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let who = whose::<W>(&line);
        let served = match request {
            Ok(request) => self.serve(own, line, request, now),
            Err(why) => Err(why.into()),
        };
        match self.or_report(own, who, served) {
            Some(arrival) => self.ask_or_seat(own, arrival, warning, now),
            None => Ok(()),
        }
    }

    /// Serves the request of a guest. Returns the guest if it can be seated.
    fn serve(
        &mut self,
        own: &Own<W>,
        line: PolledConnection<W::Sockets>,
        request: Control,
        now: Duration,
    ) -> anyhow::Result<Option<Arrival<W>>> {
        if is_blocked(&own.peers.lock(), &line.met.peer) {
            self.lobby.decline(line, &Control::Declined, now);
            return Ok(None);
        }
        match request {
            Control::Sit => self.new_match(own, line, now),
            Control::Resume(of) => self.resumed(own, line, of, now),
            Control::Audit(of) => {
                self.lobby.decline(line, &Control::Unknown(of), now);
                Ok(None)
            }
            Control::WentOn(of, chips) => {
                self.went_on_without_host(own, line, of, chips, now)?;
                Ok(None)
            }
            Control::Declines(Term::All) => bail!("the guest declined the terms"),
            Control::Declines(term) => bail!("the guest requires {term}"),
            _ => bail!(ConnectionError::Broken(
                "a first message that is not a request"
            )),
        }
    }

    /// Serves a guest that wants to begin a match, which is allowed if the two players have no open match.
    fn new_match(
        &mut self,
        own: &Own<W>,
        line: PolledConnection<W::Sockets>,
        now: Duration,
    ) -> anyhow::Result<Option<Arrival<W>>> {
        let settled = self.hosted.absentees.as_ref().map(Absentees::of);
        match matches::open_with(own, &line.met.peer, settled)? {
            Some(kept) if kept.has_peer_parts() => {
                let fits = kept.must_be_with(&line.met.peer);
                self.lobby.decline(line, &Control::Open(kept.id()), now);
                return fits.map(|()| None);
            }
            // The guest has signed no part of this match and does not know it.
            Some(kept) => kept.forget(own)?,
            None => {}
        }
        Ok(Some(Arrival::New(line)))
    }

    /// The match with this id in which this side connects to a player.
    fn found(
        own: &Own<W>,
        of: &MatchId,
        peer: &PublicIdentity,
    ) -> anyhow::Result<Option<Kept<W::Files>>> {
        let kept = matches::find(own, of)?;
        Ok(kept.filter(|kept| kept.connects_to(peer)))
    }

    /// Serves a guest that wants to resume a match. A match that was closed here can only be resumed with `resume` on
    /// this side.
    fn resumed(
        &mut self,
        own: &Own<W>,
        line: PolledConnection<W::Sockets>,
        of: MatchId,
        now: Duration,
    ) -> anyhow::Result<Option<Arrival<W>>> {
        let peer = &line.met.peer;
        let settles = self.hosted.absentees.as_ref().map(Absentees::of) == Some(of);
        let answer = if settles {
            let past = self.hosted.header.past.as_ref();
            let answer = past.and_then(|past| answer_after(past, peer));
            Some(answer.unwrap_or(Control::Unknown(of)))
        } else {
            went_on(own, &of, peer)?
        };
        if let Some(answer) = answer {
            self.lobby.decline(line, &answer, now);
            return Ok(None);
        }
        match Self::found(own, &of, peer)? {
            Some(kept) if kept.is_over() => self.send_end(own, line, kept, now)?,
            Some(kept) if !kept.opened.is_closed() => {
                return Ok(Some(Arrival::Resuming(line, Box::new(kept))));
            }
            _ => self.lobby.decline(line, &Control::Unknown(of), now),
        }
        Ok(None)
    }

    /// Sends the end of a match to a guest that does not know it. One that does not receive it connects again.
    fn send_end(
        &mut self,
        own: &Own<W>,
        line: PolledConnection<W::Sockets>,
        kept: Kept<W::Files>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let peer = line.met.peer.clone();
        let is_sending = self.farewells.iter().any(|other| other.peer == peer);
        ensure!(
            !is_sending && self.farewells.len() < FAREWELLS,
            "the end of the last match is already being sent"
        );
        let seat = matches::sending_end(own, kept, line, now)?;
        self.farewells.push(Farewell {
            peer,
            seat: Box::new(seat),
            until: now + LAST_CALL,
        });
        Ok(())
    }

    /// Tells the player that the others have continued an open match of this host without it, by the word of one of
    /// them.
    fn went_on_without_host(
        &mut self,
        own: &Own<W>,
        line: PolledConnection<W::Sockets>,
        of: MatchId,
        chips: u64,
        now: Duration,
    ) -> anyhow::Result<()> {
        let kept = Self::found(own, &of, &line.met.peer)?;
        let is_open = kept.is_some_and(|kept| !kept.is_over());
        if is_open && self.admission.is_news(&line.met.peer) {
            own.notice(went_on_without_host(&line.met.peer_name, &of, chips));
        }
        self.lobby.decline(line, &Control::Taken, now);
        Ok(())
    }

    /// Asks the player about a guest if necessary, otherwise seats the guest.
    fn ask_or_seat(
        &mut self,
        own: &mut Own<W>,
        arrival: Arrival<W>,
        warning: Option<String>,
        now: Duration,
    ) -> anyhow::Result<()> {
        match self.admission.asks_about(own, arrival.line()) {
            Ok(false) => self.sits(own, arrival, warning, now)?,
            Ok(true) => {
                // The record is closed while the player is asked, so that another program can resume the match.
                let (line, wants) = match arrival {
                    Arrival::New(line) => (line, Wants::Play),
                    Arrival::Resuming(line, kept) => (line, Wants::Resume(kept.id())),
                };
                (self.admission).ask(own, line, wants, warning, &mut self.lobby, now);
            }
            Err(error) => self.does_not_sit(own, arrival.into_line(), &error, now),
        }
        Ok(())
    }

    /// The player has answered about a peer.
    fn answered(
        &mut self,
        own: &mut Own<W>,
        Answered {
            line,
            wants,
            agrees,
        }: Answered<W>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let who = whose::<W>(&line);
        let arrival = match wants {
            Wants::Play => Ok(Some(Arrival::New(line))),
            Wants::Resume(of) => self.resumed(own, line, of, now),
            Wants::ResumeInstead(of) if agrees => {
                let resumed = self.resumed(own, line, of, now);
                return match self.or_report(own, who, resumed) {
                    Some(arrival) => self.seat(own, arrival, now),
                    None => Ok(()),
                };
            }
            Wants::ResumeInstead(of) => {
                if let Err(error) = self.close(own, line, of, now) {
                    self.did_not_sit(own, who, &error);
                }
                return Ok(());
            }
        };
        match self.or_report(own, who, arrival) {
            Some(arrival) => self.sits(own, arrival, None, now),
            None => Ok(()),
        }
    }

    /// Seats a guest, unless the player must decide whether to resume its open match.
    fn sits(
        &mut self,
        own: &mut Own<W>,
        arrival: Arrival<W>,
        warning: Option<String>,
        now: Duration,
    ) -> anyhow::Result<()> {
        if let Some(text) = warning {
            own.notice(text);
        }
        let (line, kept) = match arrival {
            Arrival::Resuming(line, kept) if self.hosted.wants_new => (line, kept),
            arrival => return self.seat(own, arrival, now),
        };
        let game = GameName::of(&kept.opened.sitting.match_info.header().stakes);
        let (of, state, peer) = (kept.id(), kept.state(), &line.met.peer_name);
        let open = format!("{peer} wants to resume your open match {of} ({game}, {state})");
        if self.needs.is_program {
            own.notice(format!(
                "{open}. It is resumed, and the terms of this command are ignored. To begin a \
                 new match instead, end this program and close the open one: dealerless resume \
                 --close {of}"
            ));
            return self.seat(own, Arrival::Resuming(line, kept), now);
        }
        let text = format!(
            "{open}. This command asks for a new match. Type `resume` to continue the open match, or \
             `new` to close it here and begin the new one."
        );
        (self.admission).ask_instead(own, line, of, text, &mut self.lobby, now);
        Ok(())
    }

    /// Closes an open match here, so that the guest can begin another one.
    fn close(
        &mut self,
        own: &Own<W>,
        line: PolledConnection<W::Sockets>,
        of: MatchId,
        now: Duration,
    ) -> anyhow::Result<()> {
        let kept = Self::found(own, &of, &line.met.peer)?;
        if let Some(kept) = kept.filter(|kept| !kept.is_over() && !kept.opened.is_closed()) {
            let peer = kept.peer_names();
            kept.close()?;
            own.notice(format!(
                "The open match is closed here; `dealerless resume {of}` continues it. Waiting \
                 for {peer} to sit down to the new match."
            ));
        }
        self.admission.expect(&line.met.peer);
        self.lobby.decline(line, &Control::Unknown(of), now);
        Ok(())
    }

    /// Seats a guest, unless its connection has ended. The match of two has its files before the guest knows that it
    /// begins.
    fn seat(&mut self, own: &mut Own<W>, arrival: Arrival<W>, now: Duration) -> anyhow::Result<()> {
        if let Some(why) = arrival.line().core.ended() {
            let why = why.clone().into();
            self.does_not_sit(own, arrival.into_line(), &why, now);
            return Ok(());
        }
        match arrival {
            Arrival::Resuming(line, kept) => {
                self.admission_lapses(own, "Another player has sat down.", now);
                let gathered = self.gathering.take().map(Gathering::into_lines);
                for line in gathered.into_iter().flatten() {
                    self.lobby.decline(line, &Control::Taken, now);
                }
                keep_listeners(own, &kept.name, &self.hosted.listeners)?;
                let files = matches::resume(own, *kept)?;
                self.play(own, files, |seat| seat.resume(line, now), now)
            }
            Arrival::New(line) if self.gathering.is_some() => {
                self.gather(own, line, now);
                Ok(())
            }
            Arrival::New(mut line) => {
                let (met, header) = (&line.met, self.hosted.header.clone());
                let Seating { sitting, circuit } = Seating::of_meeting(met, header, own.player())?;
                self.admission_lapses(own, "Another player has sat down.", now);
                let new = NewMatch::create(own, sitting)?;
                keep_listeners(own, &new.name, &self.hosted.listeners)?;
                let files = new.begin(own, Some(circuit))?;
                // If the connection has ended, the seat looks for another one.
                let _ = line.core.send(Stream::Control, &Control::Sit.encode());
                self.play(own, files, |seat| seat.begin(line, now), now)
            }
        }
    }

    fn admission_lapses(&mut self, own: &Own<W>, why: &str, now: Duration) {
        self.admission
            .lapse(own, &Control::Taken, why, &mut self.lobby, now);
    }

    /// A guest of a match of several takes a place.
    fn gather(&mut self, own: &Own<W>, line: PolledConnection<W::Sockets>, now: Duration) {
        let Some(gathering) = &mut self.gathering else {
            return;
        };
        let peer = &line.met.peer;
        if !gathering.has(peer) && gathering.is_for_others(peer) {
            return self.lobby.decline(line, &Control::Taken, now);
        }
        let name = line.met.peer_name.clone();
        gathering.add(line, now);
        let (present, wanted) = (gathering.present(), gathering.wanted());
        own.notice(format!("{name} is here: {present} of {wanted} players."));
    }

    /// Processes the answers of the guests who have come. Begins the match once they have agreed to it.
    fn gathered(&mut self, own: &mut Own<W>, now: Duration) -> anyhow::Result<()> {
        let Some(gathering) = &mut self.gathering else {
            return Ok(());
        };
        let mut may_propose = true;
        if let Some(absentees) = &mut self.hosted.absentees
            && gathering.is_full()
        {
            absentees.must_be_absent()?;
            may_propose = now >= absentees.tried_at();
        }
        match gathering.step(may_propose, now) {
            None => {}
            Some(Change::Left(name)) => {
                let (left, wanted) = (gathering.present(), gathering.wanted());
                let text = format!("{name} has left: {left} of {wanted} players are here.");
                own.notice(text);
            }
            Some(Change::CannotBegin(error)) => return Err(error.into()),
            Some(Change::Proposed) => own
                .notice("All players are here. Waiting for them to agree to the list of players."),
            Some(Change::Complete(mut agreed)) => {
                self.admission_lapses(own, "All seats are taken.", now);
                let new = NewMatch::create(own, agreed.sitting.clone())?;
                keep_listeners(own, &new.name, &self.hosted.listeners)?;
                let files = new.begin(own, None)?;
                agreed.begin();
                let Agreed { lines, .. } = *agreed;
                let begin = |seat: &mut SeatInPlay<W>| {
                    let mut lines = lines.into_iter();
                    lines.try_for_each(|line| seat.begin(line, now))
                };
                self.play(own, files, begin, now)?;
            }
        }
        Ok(())
    }

    /// Plays the match of these files. `begin` does something with the seat before anything else happens.
    fn play(
        &mut self,
        own: &mut Own<W>,
        files: SeatFiles<W>,
        begin: impl FnOnce(&mut SeatInPlay<W>) -> anyhow::Result<()>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let finder = self.finder(own, &files.sitting, now);
        self.hosted.absentees = None;
        let mut seat = SeatInPlay::new(own, files, self.needs, finder, now)?;
        begin(&mut seat)?;
        if self.input_has_ended {
            seat.input(Input::Ended, now);
        }
        self.seat = Some(Box::new(seat));
        own.keep_hosting(None)
    }

    /// The finder of the match, with the door and all who are there.
    fn finder(&mut self, own: &Own<W>, sitting: &Sitting, now: Duration) -> Finder<W> {
        let (of, guests) = (sitting.match_info.id(), keys_of_guests(sitting));
        let past = sitting.match_info.header().past.as_ref();
        let lobby = std::mem::replace(&mut self.lobby, Lobby::new());
        let finder = Finder::new(own, of, guests).after(past);
        let finder = match self.door.take() {
            Some(mut door) => {
                door.end_codes();
                finder.waiting(door)
            }
            None => finder,
        };
        let mut finder = finder.taking_over(lobby, now);
        for guest in keys_of_guests(sitting) {
            if let Some(relay) = &self.hosted.relay {
                finder.wait_at_relay(relay, &guest, now);
            }
        }
        let ways = self.hosted.ways.as_deref();
        tell_absent_host(own, finder, past, |host| ways?.route(host), now)
    }

    /// Ends a question if the input of the player has ended.
    fn answer_for_nobody(&mut self, own: &mut Own<W>, now: Duration) -> anyhow::Result<()> {
        if self.input_has_ended
            && let Some(answered) = self.admission.input_ended(own, &mut self.lobby, now)
        {
            self.answered(own, answered, now)?;
        }
        Ok(())
    }

    /// Does all that is due before the match.
    fn wait(&mut self, own: &mut Own<W>, now: Duration) -> anyhow::Result<()> {
        ensure!(now < self.hosted.until, "nobody sat down in time");
        if self.code_until.is_some_and(|until| now >= until) {
            self.announce(own, None);
        }
        if let Some(absentees) = &mut self.hosted.absentees {
            absentees.step(now);
            absentees.must_be_absent()?;
        }
        if let Some(door) = &mut self.door {
            door.step(now);
        }
        self.take_events(own, now)?;
        if let Some(line) = self.admission.step(own, &mut self.lobby, now) {
            let error = anyhow!("nobody answered in time");
            self.does_not_sit(own, line, &error, now);
        }
        self.answer_for_nobody(own, now)?;
        // What others want depends on whether the player resumes a match.
        while self.seat.is_none()
            && !self.admission.decides()
            && let Some(arrived) = self.lobby.step(now)
        {
            self.asked(own, arrived, now)?;
            self.answer_for_nobody(own, now)?;
        }
        if self.admission.decides() {
            self.lobby.keep_waiting(now);
        }
        while self.seat.is_none() {
            let before = self.gathering.as_ref().map(Gathering::present);
            self.gathered(own, now)?;
            if before == self.gathering.as_ref().map(Gathering::present) {
                break;
            }
        }
        Ok(())
    }

    /// Something has happened to a connection before the match.
    fn happened(
        &mut self,
        own: &mut Own<W>,
        number: u32,
        what: Happened<'_>,
        now: Duration,
    ) -> anyhow::Result<()> {
        if let Some(line) = self.line(number) {
            line.happened(what, now);
        } else if let Some(absentees) = &mut self.hosted.absentees
            && absentees.has(number)
        {
            absentees.happened(number, what, now);
        } else if let Some(door) = &mut self.door {
            door.happened(number, what, now);
            self.take_events(own, now)?;
        }
        Ok(())
    }

    /// A command of the player before the match.
    fn said(&mut self, own: &mut Own<W>, said: &Said, now: Duration) -> anyhow::Result<()> {
        if W::IN_PAGE && matches!(said, Said::Leave { .. }) {
            return Err(NotBegun.into());
        }
        match (self.admission).answer(own, said, &mut self.lobby, now) {
            Ok(Some(answered)) => self.answered(own, answered, now)?,
            Ok(None) => {}
            Err(complaint) => refuse(&own.world, complaint),
        }
        Ok(())
    }
}

/// The seat that sends the end of a match on the socket with this number.
fn farewell<W: SeatWorld>(
    farewells: &mut [Farewell<W>],
    number: u32,
) -> Option<&mut SeatInPlay<W>> {
    let mut seats = farewells.iter_mut().map(|farewell| &mut *farewell.seat);
    seats.find_map(|seat| seat.has(number).then_some(seat))
}

impl<W: SeatWorld> Program<W> for Host<W> {
    fn has(&mut self, number: u32) -> bool {
        if farewell(&mut self.farewells, number).is_some() {
            return true;
        }
        if let Some(seat) = &mut self.seat {
            return seat.has(number);
        }
        let absentees = self.hosted.absentees.as_mut();
        absentees.is_some_and(|absentees| absentees.has(number))
            || self.door.as_ref().is_some_and(|door| door.has(number))
            || self.line(number).is_some()
    }

    fn line(&mut self, number: u32) -> Option<&mut PolledConnection<W::Sockets>> {
        if let Some(seat) = &mut self.seat {
            return seat.line(number);
        }
        let gathering = self.gathering.as_mut();
        let gathered = gathering.and_then(|gathering| gathering.line(number));
        let asked = gathered.or_else(|| self.admission.line(number));
        asked.or_else(|| self.lobby.line(number))
    }

    fn seat(&mut self) -> Option<&mut SeatInPlay<W>> {
        self.seat.as_deref_mut()
    }

    fn input(&mut self, own: &mut Own<W>, input: Input<'_>, now: Duration) -> anyhow::Result<()> {
        let farewell = match &input {
            Input::Socket(number, _) => farewell(&mut self.farewells, *number),
            _ => None,
        };
        if let Some(seat) = farewell.or(self.seat.as_deref_mut()) {
            seat.input(input, now);
            return Ok(());
        }
        match input {
            Input::Socket(number, what) => self.happened(own, number, what, now),
            Input::Said(said, _) => self.said(own, &said, now),
            Input::AskLeave => self.said(own, &Said::Leave { anyhow: false }, now),
            Input::Ended if !self.needs.is_program => {
                // The match must see the end of the input, too.
                self.input_has_ended = true;
                self.answer_for_nobody(own, now)
            }
            input => input_before_match(&own.world, input),
        }
    }

    fn step(&mut self, own: &mut Own<W>, now: Duration) -> anyhow::Result<bool> {
        // Errors change nothing: the match is over here.
        (self.farewells).retain_mut(|one| one.seat.step(now).is_none() && now < one.until);
        if self.seat.is_none() {
            self.wait(own, now)?;
        }
        let Some(seat) = &mut self.seat else {
            return Ok(false);
        };
        let Some(stopped) = seat.step(now).transpose()? else {
            return Ok(false);
        };
        ended(own, seat, &stopped).map(|()| true)
    }

    fn timer(&mut self, now: Duration) -> Duration {
        let farewells = self.farewells.iter();
        let farewells = farewells.map(|one| one.seat.timer(now).min(one.until));
        let farewells = farewells.min().unwrap_or(Duration::MAX);
        if let Some(seat) = &self.seat {
            return seat.timer(now).min(farewells);
        }
        let absentees = self.hosted.absentees.as_ref();
        let gathering = self.gathering.as_ref();
        let is_full = gathering.is_some_and(Gathering::is_full);
        let tried = absentees.filter(|_| is_full).map(Absentees::tried_at);
        let times = [
            Some(farewells),
            Some(self.hosted.until),
            self.door.as_ref().map(PolledDoor::timer),
            Some(self.lobby.timer()),
            Some(self.admission.timer()),
            gathering.map(Gathering::timer),
            absentees.map(Absentees::timer),
            tried.filter(|tried| *tried > now),
            self.code_until,
        ];
        times.into_iter().flatten().min().unwrap_or(Duration::MAX)
    }
}

/// A host that resumes a match, and waits for its guests at a door.
///
/// # Errors
/// If the match cannot be resumed here.
pub fn host_again<W: SeatWorld>(
    own: &Own<W>,
    door: PolledDoor<W::Sockets>,
    ways: Option<&dyn Ways<W>>,
    kept: Kept<W::Files>,
    needs: PlayerNeeds,
    now: Duration,
) -> anyhow::Result<InPlay<W>> {
    let files: SeatFiles<W> = matches::resume(own, kept)?;
    let (of, players) = (
        files.sitting.match_info.id(),
        keys_of_guests(&files.sitting),
    );
    let past = files.sitting.match_info.header().past.clone();
    let finder = Finder::new(own, of, players);
    let finder = finder.after(past.as_ref()).waiting(door);
    let finder = tell_absent_host(own, finder, past.as_ref(), |host| ways?.route(host), now);
    let mut seat = SeatInPlay::new(own, files, needs, finder, now)?;
    seat.reconnect(now)?;
    Ok(InPlay(seat))
}
