//! `host`: invites another player, waits, and plays.

use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail, ensure};
use dealerless_events::event::{Event, VERSION};
use dealerless_events::game_name::GameName;
use dealerless_events::seated::opens;
use dealerless_events::words;
use dealerless_program::arguments::{address, seconds};
use dealerless_table::connection::{Connection, Door, Invite, MeetingError, ask_relay};
use dealerless_table::hex;
use dealerless_table::identity::{Address, Name, PublicIdentity};
use dealerless_table::log::Header;
use dealerless_table::play::{Control, Seating, Term};

use crate::in_browser::InBrowser;
use crate::memory::{self, Limit};
use crate::table::absence::{self, Absentees, Settling, returning};
use crate::table::admit::{Admission, Wants};
use crate::table::door::{
    LISTEN, addresses_of, cannot_burn, keep_addresses, keep_watch, leaked, listening, open_door,
    wait_at_relays, went_on,
};
use crate::table::gathering::{self, Agreed, Gathered, Gathering};
use crate::table::open::{self, MatchFile};
use crate::table::sit::{ANSWER, BLOCKED};
use crate::table::stored_match::{Farewells, NewMatch, SeatContext, StoredMatch};
use crate::table::waiting_room::{RoomEvent, WaitingRoom};
use crate::table::{CONNECTION, GAME, Own, OwnArgs, Player, Posts, StakesArgs, sit, standing};

/// Invites other players, waits, and plays with them.
///
/// Prints a command for each other player to run. Anybody who has the command can take a seat,
/// once: send the command over a channel that you trust.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless host\n  \
    dealerless host --hands 20 --stack 500 --blinds 5/10 --time 30+120 --name Anna\n  \
    dealerless host --game bridge --boards 24 --name Anna\n  \
    dealerless host --advertise table.example.org:5252\n  \
    dealerless host --relay transit.magic-wormhole.io:4001\n  \
    dealerless host --for Bert\n  \
    dealerless host --seats 6 --may-leave 1 --name Anna\n  \
    dealerless host --after --seats 5\n\n\
    Waits for the other player indefinitely, unless --timeout is given. A player who joins with the\n\
    invite is seated. Players who know each other need no invite: one runs `host`, the other runs\n\
    `join NAME`, and the host is asked to accept, except for the player of --for.\n\n\
    If you have an open match with the player who joins, it is resumed. If you give options such as\n\
    --game, you are asked whether to resume the open match or begin a new one.\n\n\
    With --json, input and output are JSON Lines; see docs/table-protocol.md.")]
pub(crate) struct Args {
    #[command(flatten)]
    stakes: StakesArgs,
    /// Refuse a match that is estimated to use more memory than this, such as 500M or 4G.
    #[arg(long, value_name = "SIZE", default_value = "2G", value_parser = memory::limit,
          help_heading = GAME)]
    memory: Limit,
    /// Address to listen on; port 0 takes a free port. May be given several times.
    #[arg(long, value_name = "ADDRESS", default_value = LISTEN, value_parser = address,
          help_heading = CONNECTION)]
    listen: Vec<String>,
    /// Address at which others reach this machine, such as that of a forwarded port.
    #[arg(long, value_name = "HOST:PORT", help_heading = CONNECTION)]
    advertise: Vec<Address>,
    /// Also wait at this Magic Wormhole transit relay.
    #[arg(long, value_name = "HOST:PORT", help_heading = CONNECTION)]
    relay: Option<Address>,
    /// Seat this known player, given by name or fingerprint, without asking.
    #[arg(long = "for", value_name = "NAME", help_heading = CONNECTION)]
    guest: Option<String>,
    /// Give up if nobody has sat down after this many seconds [default: wait indefinitely].
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = CONNECTION)]
    timeout: Option<Duration>,
    #[command(flatten)]
    own: OwnArgs,
    #[command(flatten)]
    browser: InBrowser,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    if let Some(played) = args.browser.instead(&args.own) {
        return played;
    }
    Hosting::prepare(args)?.host(args)
}

/// The state of a host before a guest comes.
struct Hosting {
    own: Own,
    header: Header,
    /// The open match that the host continues without absent players, if there is one.
    settling: Option<Settling>,
    /// The known peers that are seated without a question.
    expected: Vec<PublicIdentity>,
}

/// A guest that takes the seat.
enum Arrival {
    /// A guest that begins a new match.
    New(Box<Connection>),
    /// A guest that resumes an open match.
    Resuming(Box<Connection>, Box<MatchFile>),
}

/// The guest or guests with whom the host plays.
enum Guests {
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

impl Hosting {
    fn prepare(args: &Args) -> anyhow::Result<Self> {
        let (own, header, settling, mut expected) = match &args.stakes.after {
            None => {
                let header = args.stakes.header(args.memory)?;
                (args.own.open()?, header, None, Vec::new())
            }
            Some(which) => {
                let own = args.own.open()?;
                let before = open::before(&own, which)?;
                let (past, settling) = Settling::of(&before)?;
                open::must_not_be_continued(&own, &before.id())?;
                let expected = returning(&own, &before, &past);
                let header = args.stakes.header_after(&before.opened.log, past)?;
                (own, header, settling, expected)
            }
        };
        if let Some(name) = &args.guest {
            expected.push(known(&own, name)?);
        }
        Ok(Hosting {
            own,
            header,
            settling,
            expected,
        })
    }

    fn host(self, args: &Args) -> anyhow::Result<()> {
        let mut player = args.own.player(&self.own);
        let posts = Posts::default();
        posts.break_off_by_signal()?;
        if let Some(settling) = &self.settling {
            settling.confirm(&mut player, &posts)?;
        }
        let door = open_door(&self.own, &self.header, &args.listen)?;
        // The old door may have the address of the new one.
        let settling = self.settling.as_ref().map(|settling| {
            let absentees = settling.try_to_reach(&self.own, args.relay.as_ref())?;
            anyhow::Ok((settling.past.match_id, absentees))
        });
        let settling = settling.transpose()?;
        let addresses = reachable(&door, &args.advertise)?;
        let dead_relay = dead_relay(args.relay.as_ref(), &addresses)?;
        let invites = self.invite(&door, &addresses, args, &mut player)?;
        if let Some(text) = &dead_relay {
            player.tell(&notice(text))?;
        }
        wait_at_relays(&self.own, &door, args.relay.as_ref())?;
        player.listen_before(&posts)?;
        let mut waiting = Waiting {
            own: &self.own,
            args,
            posts: &posts,
            invites,
            gathering: self.header.sealed().is_none().then(|| {
                let own = (
                    self.own.home.identity().public().clone(),
                    self.own.name.clone(),
                );
                Gathering::new(self.header.clone(), own)
            }),
            room: WaitingRoom::new(door),
            admission: Admission::new(&self.own, &posts, self.expected),
            settling,
            farewells: Farewells::default(),
            player,
        };
        let guests = waiting.guests()?;
        let Waiting { player, room, .. } = waiting;
        let around = SeatContext {
            own: &self.own,
            player,
            posts: &posts,
            dialer: None,
            guests: None,
        };
        let listens_at = room.door().addresses().to_vec();
        let (stored, _watch) = match guests {
            Guests::One(Arrival::New(connection)) => {
                let own = (self.own.home.identity().public(), &self.own.name);
                let seating = Seating::of_connection(&connection, self.header, own)?;
                let id = seating.sitting.match_info.id();
                let watch = keep_watch(room, &posts, vec![connection.peer.clone()], id, None)?;
                (StoredMatch::begin(around, *connection, seating)?, watch)
            }
            Guests::One(Arrival::Resuming(connection, file)) => {
                let past = file.opened.sitting.match_info.header().past.as_ref();
                let watch = keep_watch(room, &posts, file.peers(), file.id(), past)?;
                let mut stored = StoredMatch::resume(around, *file)?;
                stored.meet_again(*connection)?;
                (stored, watch)
            }
            Guests::All(agreed) => {
                let new = NewMatch::create(&self.own, agreed.sitting.clone())?;
                keep_addresses(&new.path, &listens_at)?;
                agreed.begin();
                let connections = agreed.connections;
                let peers = connections.iter().map(|connection| connection.peer.clone());
                let (of, past) = (new.sitting.match_info.id(), self.header.past.as_ref());
                let watch = keep_watch(room, &posts, peers.collect(), of, past)?;
                let stored = StoredMatch::begin_with_several(around, connections, new)?;
                (stored, watch)
            }
        };
        keep_addresses(&stored.path(), &listens_at)?;
        stored.play().map(drop)
    }

    /// Makes an invite for each guest.
    fn invite(
        &self,
        door: &Door,
        addresses: &[Address],
        args: &Args,
        player: &mut Player,
    ) -> anyhow::Result<Vec<Invite>> {
        let only_private = addresses.iter().all(Address::is_private);
        let mut invites = Vec::new();
        let seats = self.header.stakes.seats();
        let guests = u8::try_from(seats - 1).ok().filter(|&guests| guests > 1);
        let opens = opens(&self.header);
        for _ in 1..seats {
            let invite = door.invite(addresses.to_vec(), args.relay.clone())?;
            player.tell(&Event::Invite {
                version: VERSION,
                invite: invite.to_string(),
                guests,
                opens: guests.and(opens),
            })?;
            invites.push(invite);
        }
        player.tell(&listening(door))?;
        if args.relay.is_none() && only_private {
            let who = match guests {
                None => "The invite has only private addresses, so the other player must be",
                Some(_) => "The invites have only private addresses, so the other players must be",
            };
            player.tell(&notice(&format!(
                "{who} in the same network. Otherwise forward a port and give its address with \
                 --advertise, or use --relay."
            )))?;
        }
        if let Some(opens) = opens {
            for risk in words::risks(seats, opens.into()) {
                player.tell(&notice(&risk))?;
            }
        }
        Ok(invites)
    }
}

/// A host that waits for its guests.
struct Waiting<'a> {
    own: &'a Own,
    args: &'a Args,
    posts: &'a Posts,
    invites: Vec<Invite>,
    /// The guests who have come, if the match has several guests.
    gathering: Option<Gathering>,
    room: WaitingRoom,
    admission: Admission<'a>,
    /// The open match that is continued without absent players, if there is one, and these players.
    settling: Option<([u8; 32], Absentees)>,
    farewells: Farewells,
    player: Player,
}

impl Waiting<'_> {
    /// Waits until the guest has sat down, or all guests.
    fn guests(&mut self) -> anyhow::Result<Guests> {
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
            RoomEvent::Leaked(second) => self.player.tell(&notice(&leaked(&second)))?,
            RoomEvent::CannotBurn(error) => bail!(cannot_burn(&error)),
            RoomEvent::Gone(connection, error) => {
                self.did_not_sit(whose(&connection), &error.into())?
            }
            RoomEvent::Connected(connection) => {
                if let Some((_, absentees)) = &mut self.settling {
                    absentees.is_here(&connection.peer);
                    absentees.must_be_absent()?;
                }
                let recognised = self.recognise(&connection);
                if self.invites.iter().any(|invite| connection.came_by(invite)) {
                    self.invited(&connection.peer)?;
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
        let relay = self.args.relay.as_ref();
        let known = self.own.peers.lock().get(&connection.peer).is_some();
        let warning = sit::recognise(self.own, connection, relay)?;
        if let (Some(relay), false) = (relay, known) {
            self.room.door().wait_at_relay(relay, &connection.peer)?;
        }
        Ok(warning)
    }

    /// Serves the request of a guest. Returns the guest if it can be seated.
    fn serve(
        &mut self,
        connection: Box<Connection>,
        request: Control,
    ) -> anyhow::Result<Option<Arrival>> {
        if sit::is_blocked(self.own, &connection.peer) {
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

    /// Serves a guest that wants to resume a match. A match that was closed here can only be
    /// resumed with `resume` on this side.
    fn resumed(
        &mut self,
        connection: Box<Connection>,
        of: [u8; 32],
    ) -> anyhow::Result<Option<Arrival>> {
        if let Some((settled, _)) = &self.settling
            && *settled == of
        {
            let header = self.gathering.as_ref().map(Gathering::header);
            let past = header.and_then(|header| header.past.as_ref());
            let answer = past.and_then(|past| went_on(past, &connection.peer));
            let answer = answer.unwrap_or(Control::Unknown(of));
            self.room.decline(connection, answer);
            return Ok(None);
        }
        if let Some(answer) = open::went_on(self.own, &of, &connection.peer)? {
            self.room.decline(connection, answer);
            return Ok(None);
        }
        match open::find(self.own, &of, &connection.peer)? {
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
        of: [u8; 32],
        chips: u64,
    ) -> anyhow::Result<()> {
        let file = open::find(self.own, &of, &connection.peer)?;
        let is_open = file.is_some_and(|file| !file.is_over());
        if is_open && self.admission.is_news(&connection.peer) {
            let text = absence::went_on_without_host(&connection, &of, chips);
            self.player.tell(&notice(&text))?;
        }
        self.room.decline(connection, Control::Taken);
        Ok(())
    }

    /// Serves a guest that wants to begin a match, which is allowed if the two players have no open
    /// match.
    fn new_match(&mut self, connection: Box<Connection>) -> anyhow::Result<Option<Arrival>> {
        let settled = self.settling.as_ref().map(|(settled, _)| *settled);
        match open::with(self.own, &connection.peer, settled)? {
            Some(file) if file.has_peer_parts() => {
                let fits = file.must_be_with(&connection.peer);
                self.room.decline(connection, Control::Open(file.id()));
                return fits.map(|()| None);
            }
            // The guest has signed no part of this match and does not know it.
            Some(file) => file.forget()?,
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
        let (of, peer, state) = (hex(&file.id()[..8]), file.peer_names(), file.state());
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
            "The open match is closed here; `dealerless resume {}` continues it. Waiting for {peer} to \
             sit down to the new match.",
            hex(&of[..8])
        )))?;
        self.admission.expect(&connection.peer);
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
                if !gathering.has(&connection.peer) && gathering.is_for_others(&connection.peer) {
                    self.room.decline(connection, Control::Taken);
                    return Ok(None);
                }
                let name = connection.peer_name.clone();
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
    (connection.peer.clone(), connection.peer_name.clone())
}

/// The keys of the known player of `--for`.
fn known(own: &Own, name: &str) -> anyhow::Result<PublicIdentity> {
    let peers = own.peers.lock();
    let peer = peers.find(name).with_context(|| {
        let name = Name::clean(name);
        format!("--for {:?}: see `dealerless peers`", name.as_str())
    })?;
    ensure!(!peer.blocked, BLOCKED);
    Ok(peer.identity.clone())
}

fn notice(text: &str) -> Event {
    Event::Notice { text: text.into() }
}

/// Timeout for a relay's answer, so that the player is notified within 5 s.
const RELAY_ANSWERS: Duration = Duration::from_secs(4);

/// Notice to the host that its relay does not answer.
///
/// # Errors
/// If nobody else can reach this machine without the relay.
fn dead_relay(relay: Option<&Address>, addresses: &[Address]) -> anyhow::Result<Option<String>> {
    let Some(relay) = relay else { return Ok(None) };
    let Err(source) = ask_relay(relay, RELAY_ANSWERS) else {
        return Ok(None);
    };
    if addresses.iter().all(Address::is_loopback) {
        let relay = relay.clone();
        return Err(MeetingError::Relay { relay, source })
            .context("nobody else can reach this machine: it listens only on loopback addresses");
    }
    Ok(Some(format!(
        "No transit relay answers at {relay} ({source}). The other player can still connect directly to an \
         address of the invite, and this program keeps trying the relay. Check its address, or run host \
         again with another --relay."
    )))
}

/// The addresses at which the guest may reach the door, the best first.
fn reachable(door: &Door, advertised: &[Address]) -> anyhow::Result<Vec<Address>> {
    let mut all = advertised.to_vec();
    all.extend(addresses_of(door.addresses())?);
    let mut seen = std::collections::HashSet::new();
    all.retain(|address| seen.insert(address.clone()));
    all.truncate(8);
    Ok(all)
}
