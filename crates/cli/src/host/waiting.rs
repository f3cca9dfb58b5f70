//! A host that waits for its guests: who comes, what they want, and who is seated.

use std::time::{Duration, Instant};

use anyhow::{anyhow, bail, ensure};
use dealerless_connection::identity::{Name, PublicIdentity};
use dealerless_connection::{Connection, Invite};
use dealerless_seat::event::Event;
use dealerless_seat::game_name::GameName;
use dealerless_seat::guest::ANSWER;
use dealerless_seat::open_match::{answer_after, went_on_without_host};
use dealerless_seat::peers::cannot_burn;
use dealerless_seat::run;
use dealerless_seat::words;
use dealerless_table::log::MatchId;
use dealerless_table::play::{Control, Term};

use super::{Args, notice};
use crate::table::absence::Absentees;
use crate::table::admit::{Admission, Wants};
use crate::table::gathering::{self, Agreed, Gathered, Gathering};
use crate::table::open::MatchFile;
use crate::table::stored_match::Farewells;
use crate::table::waiting_room::{RoomEvent, WaitingRoom};
use crate::table::{Own, Player, Posts, sit, standing};

/// A guest that takes the seat.
pub(super) enum Arrival {
    /// A guest that begins a new match.
    New(Box<Connection>),
    /// A guest that resumes an open match.
    Resuming(Box<Connection>, Box<MatchFile>),
}

/// The host's guests.
pub(super) enum Guests {
    /// The guest of a match of two players.
    One(Arrival),
    /// All guests of a match with several guests, which they have agreed to.
    All(Box<Agreed>),
}

impl Arrival {
    fn connection(&self) -> &Connection {
        let (Arrival::New(connection) | Arrival::Resuming(connection, _)) = self;
        connection
    }
}

/// A host that waits for its guests.
pub(super) struct Waiting<'a> {
    pub(super) own: &'a Own,
    pub(super) args: &'a Args,
    pub(super) posts: &'a Posts,
    pub(super) invites: Vec<Invite>,
    /// The guests who have come, if the match has several guests.
    pub(super) gathering: Option<Gathering>,
    pub(super) room: WaitingRoom,
    pub(super) admission: Admission<'a>,
    /// The open match that is continued without absent players, if there is one, and these players.
    pub(super) settling: Option<(MatchId, Absentees)>,
    pub(super) farewells: Farewells,
    pub(super) player: Player,
}

impl Waiting<'_> {
    /// Waits until the guest has sat down, or all guests.
    pub(super) fn guests(&mut self) -> anyhow::Result<Guests> {
        let timeout = self.args.timeout.unwrap_or(Duration::MAX);
        let begun = Instant::now();
        loop {
            let left = timeout.saturating_sub(begun.elapsed());
            ensure!(!left.is_zero(), "nobody sat down in time");
            if let Some((_, absentees)) = &mut self.settling {
                absentees.must_be_absent()?;
            }
            if let Some(guests) = self.gathered()? {
                return Ok(guests);
            }
            let accepted = self.admission.accepted(&mut self.room, &mut self.player)?;
            let due = match &self.gathering {
                Some(_) => gathering::POLL,
                None => self.admission.due(),
            };
            let arrival = match accepted {
                Some((connection, wants)) => self.accepted(connection, wants)?,
                None => match self.room.next(left.min(due)) {
                    Some(event) => self.handle(event)?,
                    None => None,
                },
            };
            if let Some(arrival) = arrival {
                return Ok(Guests::One(arrival));
            }
        }
    }

    /// Processes the answers of the guests who have come. Returns all guests once they have agreed
    /// to the match.
    fn gathered(&mut self) -> anyhow::Result<Option<Guests>> {
        let Some(gathering) = &mut self.gathering else {
            return Ok(None);
        };
        if let Some((_, absentees)) = &mut self.settling
            && gathering.is_full()
        {
            absentees.must_stay_absent()?;
        }
        let (present, wanted) = (gathering.present(), gathering.wanted());
        match gathering.poll() {
            None => {}
            Some(Gathered::Left(name)) => {
                let left = present - 1;
                let text = format!("{name} has left: {left} of {wanted} players are here.");
                self.player.tell(&notice(&text))?;
            }
            Some(Gathered::CannotBegin(error)) => return Err(error.into()),
            Some(Gathered::Proposed) => {
                let text =
                    "All players are here. Waiting for them to agree to the list of players.";
                self.player.tell(&notice(text))?;
            }
            Some(Gathered::Complete(agreed)) => {
                let why = "All seats are taken.";
                let (room, player) = (&mut self.room, &mut self.player);
                self.admission.lapse(Control::Taken, why, room, player)?;
                return Ok(Some(Guests::All(agreed)));
            }
        }
        Ok(None)
    }

    /// Handles an event at the door. Returns the guest if one has sat down.
    fn handle(&mut self, event: RoomEvent) -> anyhow::Result<Option<Arrival>> {
        match event {
            RoomEvent::Leaked(text) => self.player.tell(&notice(&text))?,
            RoomEvent::CannotBurn(error) => bail!(cannot_burn(&error)),
            RoomEvent::CodeVoid(why, is_last) => {
                let mut text = words::sentence(&why.to_string());
                if is_last {
                    text += " No new code is offered: send the invite.";
                }
                self.player.tell(&notice(&text))?;
            }
            RoomEvent::NewCode(code) => {
                let text = format!("The new code: dealerless join {code}");
                self.player.tell(&notice(&text))?;
            }
            RoomEvent::Gone(connection, error) => {
                self.did_not_sit(whose(&connection), &error.into())?
            }
            RoomEvent::Connected(connection) => {
                if let Some((_, absentees)) = &mut self.settling {
                    absentees.is_here(&connection.met.peer);
                    absentees.must_be_absent()?;
                }
                let recognised = self.recognise(&connection);
                if self.is_invited(&connection) {
                    self.invited(&connection.met.peer)?;
                }
                match recognised {
                    Ok(warning) => self.room.admit(connection, warning),
                    Err(error) => self.did_not_sit(whose(&connection), &error)?,
                }
            }
            RoomEvent::Request(connection, request, warning) => {
                let who = whose(&connection);
                match self.serve(connection, request) {
                    Ok(Some(arrival)) => return self.ask_or_seat(arrival, warning),
                    Ok(None) => {}
                    Err(error) => self.did_not_sit(who, &error)?,
                }
            }
        }
        Ok(None)
    }

    /// Whether a peer came by an invite of this host.
    fn is_invited(&self, connection: &Connection) -> bool {
        let mut invites = self.invites.iter();
        invites.any(|invite| connection.met.came_by(invite))
    }

    /// Expects the guest of the invite. If the guest is blocked, notifies the player instead that
    /// the invite is used.
    fn invited(&mut self, peer: &PublicIdentity) -> anyhow::Result<()> {
        if !sit::is_blocked(self.own, peer) {
            self.admission.expect(peer);
        } else if self.admission.is_news(peer) {
            self.player.tell(&notice(BURNT))?;
        }
        Ok(())
    }

    /// Asks the player about a guest if necessary, otherwise seats the guest.
    fn ask_or_seat(
        &mut self,
        arrival: Arrival,
        warning: Option<String>,
    ) -> anyhow::Result<Option<Arrival>> {
        match self
            .admission
            .asks_about(arrival.connection(), &self.player)
        {
            Ok(false) => self.sits(arrival, warning),
            Ok(true) => {
                // The match file is closed while the player is asked, so that `resume` can use it.
                let (connection, wants) = match arrival {
                    Arrival::New(connection) => (connection, Wants::ToPlay),
                    Arrival::Resuming(connection, file) => (connection, Wants::ToResume(file.id())),
                };
                let (room, player) = (&mut self.room, &mut self.player);
                self.admission
                    .ask(connection, wants, warning, room, player)?;
                Ok(None)
            }
            Err(error) => self.does_not_sit(arrival, &error),
        }
    }

    /// Seats a guest that the player has accepted.
    fn accepted(
        &mut self,
        connection: Box<Connection>,
        wants: Wants,
    ) -> anyhow::Result<Option<Arrival>> {
        let who = whose(&connection);
        let arrival = match wants {
            Wants::ToPlay => Ok(Some(Arrival::New(connection))),
            Wants::ToResume(of) => self.resumed(connection, of),
        };
        match arrival {
            Ok(Some(arrival)) => self.sits(arrival, None),
            Ok(None) => Ok(None),
            Err(error) => self.did_not_sit(who, &error).map(|()| None),
        }
    }

    fn did_not_sit(
        &mut self,
        (peer, name): (PublicIdentity, Name),
        error: &anyhow::Error,
    ) -> anyhow::Result<()> {
        if self.admission.is_news(&peer) {
            self.player.tell(&notice(&format!(
                "{name} did not sit down ({error:#}). Still waiting."
            )))?;
        }
        Ok(())
    }

    /// Looks up a peer that has connected. Returns a notice that the player gets if the peer sits
    /// down.
    fn recognise(&self, connection: &Connection) -> anyhow::Result<Option<String>> {
        let relay = self.own.relays.own().map(|relay| &relay.tcp);
        let known = self.own.peers.lock().get(&connection.met.peer).is_some();
        let in_invite = relay.filter(|_| self.is_invited(connection));
        let warning = sit::recognise(self.own, connection, in_invite)?;
        if let (Some(relay), false) = (relay, known) {
            self.room.door().wait_at_relay(relay, &connection.met.peer);
        }
        Ok(warning)
    }

    /// Serves the request of a guest. Returns the guest if it can be seated.
    fn serve(
        &mut self,
        connection: Box<Connection>,
        request: Control,
    ) -> anyhow::Result<Option<Arrival>> {
        if sit::is_blocked(self.own, &connection.met.peer) {
            self.room.decline(connection, Control::Declined);
            return Ok(None);
        }
        let of = match request {
            Control::Resume(of) => of,
            Control::Audit(of) => {
                self.room.decline(connection, Control::Unknown(of));
                return Ok(None);
            }
            Control::WentOn(of, chips) => {
                self.went_on_without_host(connection, of, chips)?;
                return Ok(None);
            }
            Control::Declines(Term::All) => bail!("the guest declined the terms"),
            Control::Declines(term) => bail!("the guest requires {term}"),
            _ => return self.new_match(connection),
        };
        self.resumed(connection, of)
    }

    /// The match with this id in which this side connects to a player.
    fn found(&self, of: &MatchId, peer: &PublicIdentity) -> anyhow::Result<Option<MatchFile>> {
        let file = run::find(self.own, of)?;
        Ok(file.filter(|file| file.connects_to(peer)))
    }

    /// Serves a guest that wants to resume a match. A match that was closed here can only be
    /// resumed with `resume` on this side.
    fn resumed(
        &mut self,
        connection: Box<Connection>,
        of: MatchId,
    ) -> anyhow::Result<Option<Arrival>> {
        if let Some((settled, _)) = &self.settling
            && *settled == of
        {
            let header = self.gathering.as_ref().map(Gathering::header);
            let past = header.and_then(|header| header.past.as_ref());
            let answer = past.and_then(|past| answer_after(past, &connection.met.peer));
            let answer = answer.unwrap_or(Control::Unknown(of));
            self.room.decline(connection, answer);
            return Ok(None);
        }
        if let Some(answer) = run::went_on(self.own, &of, &connection.met.peer)? {
            self.room.decline(connection, answer);
            return Ok(None);
        }
        match self.found(&of, &connection.met.peer)? {
            None => self.room.decline(connection, Control::Unknown(of)),
            Some(file) if file.is_over() => self.farewells.send_end(self.own, file, *connection)?,
            Some(file) if file.opened.is_closed() => {
                self.room.decline(connection, Control::Unknown(of));
            }
            Some(file) => return Ok(Some(Arrival::Resuming(connection, Box::new(file)))),
        }
        Ok(None)
    }

    /// Tells the player that the others have continued an open match of this host without it, by the
    /// word of one of them.
    fn went_on_without_host(
        &mut self,
        connection: Box<Connection>,
        of: MatchId,
        chips: u64,
    ) -> anyhow::Result<()> {
        let file = self.found(&of, &connection.met.peer)?;
        let is_open = file.is_some_and(|file| !file.is_over());
        if is_open && self.admission.is_news(&connection.met.peer) {
            let text = went_on_without_host(&connection.met.peer_name, &of, chips);
            self.player.tell(&notice(&text))?;
        }
        self.room.decline(connection, Control::Taken);
        Ok(())
    }

    /// Serves a guest that wants to begin a match, which is allowed if the two players have no open
    /// match.
    fn new_match(&mut self, connection: Box<Connection>) -> anyhow::Result<Option<Arrival>> {
        let settled = self.settling.as_ref().map(|(settled, _)| *settled);
        match run::open_with(self.own, &connection.met.peer, settled)? {
            Some(file) if file.has_peer_parts() => {
                let fits = file.must_be_with(&connection.met.peer);
                self.room.decline(connection, Control::Open(file.id()));
                return fits.map(|()| None);
            }
            // The guest has signed no part of this match and does not know it.
            Some(file) => file.forget(self.own)?,
            None => {}
        }
        Ok(Some(Arrival::New(connection)))
    }

    /// Whether to resume an open match although the command line asks for another one. A person is
    /// asked; programs and bots are notified. Returns `None` if the guest disconnects or the answer
    /// does not come in time.
    fn resumes(
        &mut self,
        connection: &Connection,
        file: &MatchFile,
    ) -> anyhow::Result<Option<bool>> {
        let game = GameName::of(&file.opened.sitting.match_info.header().stakes);
        let (of, state) = (file.id(), file.state());
        let peer = &connection.met.peer_name;
        let open = format!("{peer} wants to resume your open match {of} ({game}, {state})");
        if !self.player.is_person() {
            self.player.tell(&notice(&format!(
                "{open}. It is resumed, and the terms of this command are ignored. To begin a new \
                 match instead, end this program and close the open one: dealerless resume --close {of}"
            )))?;
            return Ok(Some(true));
        }
        self.player.tell(&notice(&format!(
            "{open}. This command asks for a new match. Type `resume` to continue the open match, or \
             `new` to close it here and begin the new one."
        )))?;
        let until = Instant::now() + ANSWER;
        let lapsed = || connection.ended().is_some() || Instant::now() >= until;
        standing::choose("resume", "new", &mut self.player, self.posts, lapsed)
    }

    /// Closes an open match here, so that the guest can begin another one.
    fn close(&mut self, connection: Box<Connection>, file: MatchFile) -> anyhow::Result<()> {
        let (of, peer) = (file.id(), file.peer_names());
        file.close()?;
        self.player.tell(&notice(&format!(
            "The open match is closed here; `dealerless resume {of}` continues it. Waiting for {peer} to \
             sit down to the new match."
        )))?;
        self.admission.expect(&connection.met.peer);
        self.room.decline(connection, Control::Unknown(of));
        Ok(())
    }

    /// Seats a guest, unless its connection has ended.
    fn sits(
        &mut self,
        arrival: Arrival,
        warning: Option<String>,
    ) -> anyhow::Result<Option<Arrival>> {
        if let Some(text) = warning {
            self.player.tell(&Event::Notice { text })?;
        }
        let arrival = match arrival {
            Arrival::Resuming(connection, file) if self.args.stakes.are_given() => {
                match self.resumes(&connection, &file)? {
                    Some(true) => Arrival::Resuming(connection, file),
                    Some(false) => return self.close(connection, *file).map(|()| None),
                    None => {
                        let error = anyhow!("nobody answered in time");
                        return self.does_not_sit(Arrival::Resuming(connection, file), &error);
                    }
                }
            }
            arrival => arrival,
        };
        let arrival = match (arrival, &mut self.gathering) {
            (Arrival::New(connection), Some(gathering)) => {
                if !gathering.has(&connection.met.peer)
                    && gathering.is_for_others(&connection.met.peer)
                {
                    self.room.decline(connection, Control::Taken);
                    return Ok(None);
                }
                let name = connection.met.peer_name.clone();
                gathering.add(connection);
                let (present, wanted) = (gathering.present(), gathering.wanted());
                let text = format!("{name} is here: {present} of {wanted} players.");
                self.player.tell(&notice(&text))?;
                return Ok(None);
            }
            (arrival, _) => arrival,
        };
        let sits = match &arrival {
            Arrival::New(connection) => sit::send(connection, Control::Sit),
            Arrival::Resuming(..) => Ok(()),
        };
        match sits {
            Ok(()) => {
                let why = "Another player has sat down.";
                let (room, player) = (&mut self.room, &mut self.player);
                self.admission.lapse(Control::Taken, why, room, player)?;
                Ok(Some(arrival))
            }
            Err(error) => self.does_not_sit(arrival, &error.into()),
        }
    }

    /// Declines a guest and continues to wait.
    fn does_not_sit(
        &mut self,
        arrival: Arrival,
        error: &anyhow::Error,
    ) -> anyhow::Result<Option<Arrival>> {
        self.did_not_sit(whose(arrival.connection()), error)?;
        let (Arrival::New(connection) | Arrival::Resuming(connection, _)) = arrival;
        self.room.decline(connection, Control::Declined);
        Ok(None)
    }
}

/// The notice to a player whose invite was used by a blocked player.
const BURNT: &str = "a blocked player has used your invite; run host again for a new one";

fn whose(connection: &Connection) -> (PublicIdentity, Name) {
    (
        connection.met.peer.clone(),
        connection.met.peer_name.clone(),
    )
}
