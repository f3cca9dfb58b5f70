//! `host`: invites another player, waits, and plays.

use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail, ensure};
use dealerless_events::event::{Event, VERSION};
use dealerless_events::game_name::GameName;
use dealerless_program::arguments::{address, seconds};
use dealerless_table::connection::{Connection, Door, Invite, MeetingError, ask_relay};
use dealerless_table::hex;
use dealerless_table::identity::{Address, Name, PublicIdentity};
use dealerless_table::log::Header;
use dealerless_table::play::{Control, Seating, Term};

use crate::in_browser::InBrowser;
use crate::memory::{self, Limit};
use crate::table::admit::{Admission, Wants};
use crate::table::door::{
    LISTEN, addresses_of, cannot_burn, keep_addresses, keep_watch, leaked, listening, open_door,
    wait_at_relays,
};
use crate::table::hearing::{Comes, Hearing};
use crate::table::open::{self, MatchFile};
use crate::table::sit::{ANSWER, BLOCKED};
use crate::table::whole::{Around, Farewells, Whole};
use crate::table::{CONNECTION, GAME, Own, OwnArgs, Player, Posts, StakesArgs, sit, standing};

/// Invites another player, waits, and plays with them.
///
/// Prints one line that the other player runs. Anybody who has that line can take the seat, once: send
/// it over a channel that you trust.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless host\n  \
    dealerless host --hands 20 --stack 500 --blinds 5/10 --time 30+120 --name Anna\n  \
    dealerless host --game bridge --boards 24 --name Anna\n  \
    dealerless host --advertise table.example.org:5252\n  \
    dealerless host --relay transit.magic-wormhole.io:4001\n  \
    dealerless host --for Bert\n\n\
    It waits for the other player as long as it takes, unless --timeout is given. A player who comes\n\
    with the invite sits down. Players who know each other need no invite: one runs `host`, the other\n\
    `join NAME`; the host is asked about them, except about the player of --for.\n\n\
    If a match with that player is open, it is resumed. With options such as --game you are asked\n\
    whether to resume it or to begin a new one.\n\n\
    With --json it speaks JSON Lines, as docs/table-protocol.md says.")]
pub(crate) struct Args {
    #[command(flatten)]
    stakes: StakesArgs,
    /// Refuse a match that takes more memory than this, by an estimate: 500M or 4G, for example.
    #[arg(long, value_name = "SIZE", default_value = "2G", value_parser = memory::limit,
          help_heading = GAME)]
    memory: Limit,
    /// Where to wait for the other player; port 0 takes a free one. May be given several times.
    #[arg(long, value_name = "ADDRESS", default_value = LISTEN, value_parser = address,
          help_heading = CONNECTION)]
    listen: Vec<String>,
    /// An address by which others reach this machine, such as that of a forwarded port.
    #[arg(long, value_name = "HOST:PORT", help_heading = CONNECTION)]
    advertise: Vec<Address>,
    /// Wait at this transit relay of Magic Wormhole too.
    #[arg(long, value_name = "HOST:PORT", help_heading = CONNECTION)]
    relay: Option<Address>,
    /// Let this known player sit down without a question: the name or the fingerprint.
    #[arg(long = "for", value_name = "NAME", help_heading = CONNECTION)]
    guest: Option<String>,
    /// Give up if no player has sat down after this time, in seconds [default: wait as long as it takes].
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

/// Everything that a host needs before anybody comes.
struct Hosting {
    own: Own,
    header: Header,
    /// The known peer that sits down without a question.
    expected: Option<PublicIdentity>,
}

/// Who has come.
enum Came {
    /// A guest that has sat down to a new match.
    New(Box<Connection>),
    /// One that goes on with an open match.
    Again(Box<Connection>, Box<MatchFile>),
}

impl Came {
    fn connection(&self) -> &Connection {
        let (Came::New(connection) | Came::Again(connection, _)) = self;
        connection
    }
}

impl Hosting {
    fn prepare(args: &Args) -> anyhow::Result<Self> {
        // The circuit is built once more when it is known with whom: that takes a moment.
        let (header, _) = args.stakes.propose(args.memory)?;
        let own = args.own.open()?;
        let expected = match &args.guest {
            Some(name) => Some(known(&own, name)?),
            None => None,
        };
        Ok(Hosting {
            own,
            header,
            expected,
        })
    }

    fn host(self, args: &Args) -> anyhow::Result<()> {
        let mut player = args.own.player(&self.own);
        let posts = Posts::default();
        posts.break_off_by_signal()?;
        let door = open_door(&self.own, &self.header, &args.listen)?;
        let addresses = reachable(&door, &args.advertise)?;
        let dead_relay = dead_relay(args.relay.as_ref(), &addresses)?;
        let invite = self.invite(&door, addresses, args, &mut player)?;
        if let Some(text) = &dead_relay {
            player.tell(&notice(text))?;
        }
        wait_at_relays(&self.own, &door, args.relay.as_ref())?;
        player.listen_before(&posts)?;
        let mut waiting = Waiting {
            own: &self.own,
            args,
            posts: &posts,
            invite,
            hearing: Hearing::new(door),
            admission: Admission::new(&self.own, &posts, self.expected),
            farewells: Farewells::default(),
            player,
        };
        let came = waiting.guest()?;
        let Waiting {
            player, hearing, ..
        } = waiting;
        let around = Around {
            own: &self.own,
            player,
            posts: &posts,
            dialer: None,
        };
        let listens_at = hearing.door().addresses().to_vec();
        let whole = match came {
            Came::New(connection) => {
                let own = (self.own.home.identity().public(), &self.own.name);
                let seating = Seating::of_connection(&connection, self.header, own)?;
                keep_watch(
                    hearing,
                    &posts,
                    (connection.peer.clone(), seating.sitting.match_info.id()),
                )?;
                Whole::begin(around, *connection, seating)?
            }
            Came::Again(connection, file) => {
                keep_watch(hearing, &posts, (connection.peer.clone(), file.of()))?;
                let mut whole = Whole::take_up(around, *file)?;
                whole.meet_again(*connection)?;
                whole
            }
        };
        keep_addresses(&whole.path(), &listens_at)?;
        whole.play().map(drop)
    }

    fn invite(
        &self,
        door: &Door,
        addresses: Vec<Address>,
        args: &Args,
        player: &mut Player,
    ) -> anyhow::Result<Invite> {
        let only_private = addresses.iter().all(Address::is_private);
        let invite = door.invite(addresses, args.relay.clone())?;
        player.tell(&Event::Invite {
            version: VERSION,
            invite: invite.to_string(),
        })?;
        player.tell(&listening(door))?;
        if args.relay.is_none() && only_private {
            player.tell(&notice(
                "The invite holds only private addresses: the other player must be in the same \
                 network. Otherwise forward a port and name it with --advertise, or use --relay.",
            ))?;
        }
        Ok(invite)
    }
}

/// A host that waits for its guest.
struct Waiting<'a> {
    own: &'a Own,
    args: &'a Args,
    posts: &'a Posts,
    invite: Invite,
    hearing: Hearing,
    admission: Admission<'a>,
    farewells: Farewells,
    player: Player,
}

impl Waiting<'_> {
    /// Waits until a guest has sat down.
    fn guest(&mut self) -> anyhow::Result<Came> {
        let patience = self.args.timeout.unwrap_or(Duration::MAX);
        let begun = Instant::now();
        loop {
            let left = patience.saturating_sub(begun.elapsed());
            ensure!(!left.is_zero(), "nobody came in time");
            let accepted = self
                .admission
                .accepted((&mut self.hearing, &mut self.player))?;
            let came = match accepted {
                Some((connection, wants)) => self.accepted(connection, wants)?,
                None => match self.hearing.next(left.min(self.admission.due())) {
                    Some(comes) => self.comes(comes)?,
                    None => None,
                },
            };
            if let Some(came) = came {
                return Ok(came);
            }
        }
    }

    /// Does what is to be done at the door. None if waiting goes on.
    fn comes(&mut self, comes: Comes) -> anyhow::Result<Option<Came>> {
        match comes {
            Comes::Leaked(second) => self.player.tell(&notice(&leaked(&second)))?,
            Comes::CannotBurn(error) => bail!(cannot_burn(&error)),
            Comes::Goes(connection, error) => {
                self.did_not_sit(whose(&connection), &error.into())?
            }
            Comes::In(connection) => {
                let recognised = self.recognise(&connection);
                if connection.came_by(&self.invite) {
                    self.invited(&connection.peer)?;
                }
                match recognised {
                    Ok(warning) => self.hearing.listen(connection, warning),
                    Err(error) => self.did_not_sit(whose(&connection), &error)?,
                }
            }
            Comes::Says(connection, word, warning) => {
                let who = whose(&connection);
                match self.serve(connection, word) {
                    Ok(Some(came)) => return self.ask_or_seat(came, warning),
                    Ok(None) => {}
                    Err(error) => self.did_not_sit(who, &error)?,
                }
            }
        }
        Ok(None)
    }

    /// The guest of the invite is expected. If it is blocked, the player is told that the invite is used.
    fn invited(&mut self, peer: &PublicIdentity) -> anyhow::Result<()> {
        if !sit::is_blocked(self.own, peer) {
            self.admission.expect(peer);
        } else if self.admission.is_news(peer) {
            self.player.tell(&notice(BURNT))?;
        }
        Ok(())
    }

    /// Asks the player about a guest if it must be asked, or seats the guest.
    fn ask_or_seat(&mut self, came: Came, warning: Option<String>) -> anyhow::Result<Option<Came>> {
        match self.admission.asks_about(came.connection(), &self.player) {
            Ok(false) => self.sits(came, warning),
            Ok(true) => {
                // While the player is asked, the file is not kept: `resume` may take it.
                let asked = match came {
                    Came::New(connection) => (connection, Wants::ToPlay),
                    Came::Again(connection, file) => (connection, Wants::ToResume(file.of())),
                };
                let around = (&mut self.hearing, &mut self.player);
                self.admission.ask(asked, warning, around)?;
                Ok(None)
            }
            Err(error) => self.does_not_sit(came, &error),
        }
    }

    /// The player has accepted a guest.
    fn accepted(
        &mut self,
        connection: Box<Connection>,
        wants: Wants,
    ) -> anyhow::Result<Option<Came>> {
        let who = whose(&connection);
        let came = match wants {
            Wants::ToPlay => Ok(Some(Came::New(connection))),
            Wants::ToResume(of) => self.resumed(connection, of),
        };
        match came {
            Ok(Some(came)) => self.sits(came, None),
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
                "{name} came and did not sit down ({error:#}). Waiting goes on."
            )))?;
        }
        Ok(())
    }

    /// Looks up who has come in: what the player is to know if it sits down.
    fn recognise(&self, connection: &Connection) -> anyhow::Result<Option<String>> {
        let relay = self.args.relay.as_ref();
        let known = self.own.peers.lock().get(&connection.peer).is_some();
        let warning = sit::recognise(self.own, connection, relay)?;
        if let (Some(relay), false) = (relay, known) {
            self.hearing.door().wait_at_relay(relay, &connection.peer)?;
        }
        Ok(warning)
    }

    /// Does what a guest wants. None if it was served, and waiting goes on.
    fn serve(
        &mut self,
        connection: Box<Connection>,
        word: Control,
    ) -> anyhow::Result<Option<Came>> {
        if sit::is_blocked(self.own, &connection.peer) {
            self.hearing.decline(connection, Control::Declined);
            return Ok(None);
        }
        let of = match word {
            Control::Resume(of) => of,
            Control::Audit(of) => {
                self.hearing.decline(connection, Control::Unknown(of));
                return Ok(None);
            }
            Control::Declines(Term::All) => bail!("it does not play on these terms"),
            Control::Declines(term) => bail!("it insists on {term}"),
            _ => return self.new_match(connection),
        };
        self.resumed(connection, of)
    }

    /// A guest wants to go on with a match. With one that was closed here only `resume` goes on, on this
    /// side.
    fn resumed(
        &mut self,
        connection: Box<Connection>,
        of: [u8; 32],
    ) -> anyhow::Result<Option<Came>> {
        match open::find(self.own, &of, &connection.peer)? {
            None => self.hearing.decline(connection, Control::Unknown(of)),
            Some(file) if file.is_over() => {
                self.farewells.tell_the_end(self.own, file, *connection)?
            }
            Some(file) if file.opened.is_closed() => {
                self.hearing.decline(connection, Control::Unknown(of));
            }
            Some(file) => return Ok(Some(Came::Again(connection, Box::new(file)))),
        }
        Ok(None)
    }

    /// A guest wants to begin a match, which it may if none is open between the two.
    fn new_match(&mut self, connection: Box<Connection>) -> anyhow::Result<Option<Came>> {
        match open::with(self.own, &connection.peer)? {
            Some(file) if file.has_heard() => {
                let fits = file.must_be_with(&connection.peer);
                self.hearing.decline(connection, Control::Open(file.of()));
                return fits.map(|()| None);
            }
            // The guest does not know it.
            Some(file) => file.forget()?,
            None => {}
        }
        Ok(Some(Came::New(connection)))
    }

    /// Whether an open match is resumed where the command line asks for another one: a person is asked,
    /// everybody else is told. None if the guest does not wait for the answer.
    fn resumes(
        &mut self,
        connection: &Connection,
        file: &MatchFile,
    ) -> anyhow::Result<Option<bool>> {
        let game = GameName::of(&file.opened.sitting.match_info.header().stakes);
        let (of, peer, state) = (hex(&file.of()[..8]), file.peer_name(), file.state());
        let open = format!("{peer} comes back to your open match {of} ({game}, {state})");
        if !self.player.is_person() {
            self.player.tell(&notice(&format!(
                "{open}. It is resumed, and the terms of this command are not used. To begin a new \
                 match instead, end this program and close the open one: dealerless resume --close {of}"
            )))?;
            return Ok(Some(true));
        }
        self.player.tell(&notice(&format!(
            "{open}. This command asks for another match. Type `resume` to go on with the open match, or \
             `new` to close it here and begin the other one."
        )))?;
        let until = Instant::now() + ANSWER;
        let lapsed = || connection.ended().is_some() || Instant::now() >= until;
        let around = (&mut self.player, self.posts);
        standing::chooses("resume", "new", around, lapsed)
    }

    /// Closes an open match here, so that the guest can begin another one.
    fn close(&mut self, connection: Box<Connection>, file: MatchFile) -> anyhow::Result<()> {
        let (of, peer) = (file.of(), file.peer_name());
        file.close()?;
        self.player.tell(&notice(&format!(
            "The open match is closed here; `dealerless resume {}` goes on with it. Waiting for {peer} to \
             sit down to the new one.",
            hex(&of[..8])
        )))?;
        self.admission.expect(&connection.peer);
        self.hearing.decline(connection, Control::Unknown(of));
        Ok(())
    }

    /// A guest sits down, unless its line has ended.
    fn sits(&mut self, came: Came, warning: Option<String>) -> anyhow::Result<Option<Came>> {
        if let Some(text) = warning {
            self.player.tell(&Event::Notice { text })?;
        }
        let came = match came {
            Came::Again(connection, file) if self.args.stakes.are_given() => {
                match self.resumes(&connection, &file)? {
                    Some(true) => Came::Again(connection, file),
                    Some(false) => return self.close(connection, *file).map(|()| None),
                    None => {
                        let error = anyhow!("nobody answered while it waited");
                        return self.does_not_sit(Came::Again(connection, file), &error);
                    }
                }
            }
            came => came,
        };
        let sits = match &came {
            Came::New(connection) => sit::say(connection, Control::Sit),
            Came::Again(..) => Ok(()),
        };
        match sits {
            Ok(()) => {
                let why = "Another player has sat down.";
                let around = (&mut self.hearing, &mut self.player);
                self.admission.lapse(Control::Taken, why, around)?;
                Ok(Some(came))
            }
            Err(error) => self.does_not_sit(came, &error.into()),
        }
    }

    /// Turns a guest away, and waits on.
    fn does_not_sit(&mut self, came: Came, error: &anyhow::Error) -> anyhow::Result<Option<Came>> {
        self.did_not_sit(whose(came.connection()), error)?;
        let (Came::New(connection) | Came::Again(connection, _)) = came;
        self.hearing.decline(connection, Control::Declined);
        Ok(None)
    }
}

/// The notice to a player whose invite a blocked player has used.
const BURNT: &str =
    "a blocked player came with your invite: it is used; run host again for a new one";

fn whose(connection: &Connection) -> (PublicIdentity, Name) {
    (connection.peer.clone(), connection.peer_name.clone())
}

/// The keys of a known player whom the host waits for.
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

/// Timeout for a relay's answer. The player is notified within 5 s.
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
        "No transit relay answers at {relay} ({source}). The other player can still come directly to an \
         address of the invite, and the program goes on trying the relay. Check its address, or run host \
         again with another --relay."
    )))
}

/// Where the guest may reach the door, the best first.
fn reachable(door: &Door, advertised: &[Address]) -> anyhow::Result<Vec<Address>> {
    let mut all = advertised.to_vec();
    all.extend(addresses_of(door.addresses())?);
    let mut seen = std::collections::HashSet::new();
    all.retain(|address| seen.insert(address.clone()));
    all.truncate(8);
    Ok(all)
}
