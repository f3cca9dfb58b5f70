//! `join`: joins another player's table.

use std::io::{self, BufRead, IsTerminal, Read};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use dealerless_command_line::arguments::address;
use dealerless_connection::identity::{Address, Name, PublicIdentity};
use dealerless_connection::{
    BadCode, Connection, Door, Guest, Invite, SpokenCode, Timing, use_code,
};
use dealerless_seat::VERSION;
use dealerless_seat::command::Said;
use dealerless_seat::event::Event;
use dealerless_seat::guest;
use dealerless_seat::open_match;
use dealerless_seat::peers::BLOCKED;
use dealerless_seat::run::Route;
use dealerless_seat::seated::Seated;
use dealerless_seat::words;
use dealerless_table::log::{DeckTerms, Past, Sitting};
use dealerless_table::play::{Control, GuestAddresses, Seating, Term};

use crate::failure::AnswerIsNo;
use crate::in_browser::InBrowser;
use crate::link::parts_of_link;
use crate::memory::{self, Limit};
use crate::output::say;
use crate::table::absence::{self, Absentees};
use crate::table::door::{LISTEN_AS_GUEST, addresses_of, open_guest_door};
use crate::table::guests::{OtherGuests, guests_of, reachable};
use crate::table::open::{self, MatchFile};
use crate::table::route::{relay_of, route_to};
use crate::table::stored_match::{self, Meets, NewMatch, SeatContext, StoredMatch};
use crate::table::{
    CONNECTION, Differs, GAME, GuestTerms, Own, OwnArgs, Player, Posts, RelayArgs, RelayChoice,
    RelayName, sit, standing,
};

/// Joins a host.
///
/// The host proposes the terms, and you are asked before you sit down. Options such as --game
/// refuse a proposal with other terms.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless join dealerless2-...\n  \
    dealerless join dealerless2-... --game holdem --time 30+120 --name Bert\n  \
    dealerless join 70213-crossbow-guitar\n  \
    dealerless join 'https://PAGE/#dealerless2-...&relay=...'\n  \
    dealerless join Anna --at 192.0.2.1:5252\n  \
    dealerless join - < invite.txt\n\n\
    With --json, input and output are JSON Lines; see docs/table-protocol.md.")]
pub(crate) struct Args {
    /// The invite, the link or the code from the host's screen, or the name or fingerprint of a known
    /// player who is hosting. `-` reads it from standard input, where other users of this machine cannot
    /// see it; they can see arguments. Quote a link. A code needs the host's relay.
    #[arg(value_name = "INVITE|LINK|CODE|NAME", required = true)]
    whom: Vec<String>,
    /// Sit down on the host's terms without being asked.
    #[arg(long, help_heading = GAME)]
    yes: bool,
    #[command(flatten)]
    terms: GuestTerms,
    /// Refuse a match that is estimated to use more memory than this, such as 500M or 4G.
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = memory::limit,
          help_heading = GAME)]
    memory: Limit,
    /// Current address of a known player, if it has changed since you last met.
    #[arg(long, value_name = "HOST:PORT", help_heading = CONNECTION)]
    at: Vec<Address>,
    #[command(flatten)]
    relay: RelayArgs,
    /// Address on which other guests of the same match reach you; port 0 takes a free port. May be
    /// given several times.
    #[arg(long, value_name = "ADDRESS", default_value = LISTEN_AS_GUEST, value_parser = address,
          help_heading = CONNECTION)]
    listen: Vec<String>,
    #[command(flatten)]
    own: OwnArgs,
    #[command(flatten)]
    browser: InBrowser,
}

/// The argument that stands for the first line of standard input.
pub(crate) const FROM_INPUT: &str = "-";
/// The size limit of the line that [`FROM_INPUT`] stands for, in bytes.
const MAX_LINE: u64 = 8 << 10;

/// Reads the invite from standard input.
fn line_of_input() -> anyhow::Result<String> {
    let input = io::stdin().lock();
    if input.is_terminal() {
        say("Paste the invite, and press Enter.");
    }
    let mut line = String::new();
    let read = input.take(MAX_LINE).read_line(&mut line);
    read.context("cannot read the invite from standard input")?;
    ensure!(
        line.ends_with('\n') || line.len() < MAX_LINE as usize,
        "the line on standard input is too long for an invite: expected less than 8 KiB"
    );
    // Some programs write a byte order mark first.
    let line = line.trim_start_matches('\u{feff}').trim();
    ensure!(
        !line.is_empty(),
        "standard input has no invite: expected one on its first line"
    );
    Ok(line.to_owned())
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let mut whom = args.whom.join(" ");
    let is_from_input = whom == FROM_INPUT;
    if is_from_input {
        whom = line_of_input()?;
    }
    let first_line = is_from_input.then(|| whom.clone());
    if let Some(played) = args.browser.instead(&args.own, first_line) {
        return played;
    }
    let code = whom.parse::<SpokenCode>();
    let mut found = HostName::of(&whom)?;
    let own = args.own.open(&args.relay)?;
    let mut player = args.own.player(&own);
    player.tell(&Event::Hello { version: VERSION })?;
    let posts = Posts::default();
    posts.break_off_by_signal()?;
    if let Ok(code) = &code {
        found = HostName::Invite(Box::new(invite_of(code, &own)?), None);
    }
    // The host may name another open match with this guest, or may not resume the match found here.
    let mut answer = None;
    for _ in 0..=guest::CHANGES {
        let connected = found.connect(args, &own);
        let (connection, route) = match (connected, &found) {
            (Err(error), HostName::Invite(invite, _)) if code.is_ok() => {
                let again = format!("the code is used; to retry, run `dealerless join {invite}`");
                return Err(error.context(again));
            }
            (connected, _) => connected?,
        };
        let in_invite = route.invite.as_ref().and_then(|invite| invite.relay());
        if let Some(text) = sit::recognise(&own, &connection, in_invite)? {
            player.tell(&Event::Notice { text })?;
        }
        ensure!(!sit::is_blocked(&own, &connection.met.peer), BLOCKED);
        let whom = (&connection.met.peer, &connection.met.peer_name);
        standing::ask(&own, whom, &mut player, &posts)?;
        let sits = GuestSeat {
            own: &own,
            posts: &posts,
            args,
        };
        let Some((control, same)) = sits.play(connection, route, answer, player)? else {
            return Ok(());
        };
        (answer, player) = (Some(control), same);
    }
    bail!(guest::KEEPS_CHANGING)
}

/// A guest that is connected to its host.
struct GuestSeat<'a> {
    own: &'a Own,
    posts: &'a Posts,
    args: &'a Args,
}

impl GuestSeat<'_> {
    /// Resumes the open match, or sits down to a new one. `answer` is the host's answer to the
    /// previous attempt. Returns the host's message, with the player, if the host does not agree.
    fn play(
        &self,
        connection: Connection,
        route: Route,
        answer: Option<Control>,
        mut player: Player,
    ) -> anyhow::Result<Option<(Control, Player)>> {
        let own = self.own;
        let (named, refused) = match answer {
            Some(Control::Open(of)) => (Some(of), None),
            Some(Control::Unknown(of) | Control::WentOn(of, _)) => (None, Some(of)),
            _ => (None, None),
        };
        let mut file = match named {
            Some(of) => open::find(own, &of, &connection.met.peer)?,
            None => open::with(own, &connection.met.peer, None)?,
        };
        if let Some(file) = &file {
            file.must_be_with(&connection.met.peer)?;
        }
        let around = |player, guests| SeatContext {
            own,
            player,
            posts: self.posts,
            meets: Meets::Host(route.clone(), guests),
        };
        let given_up = file.take_if(|file| Some(file.id()) == refused);
        // The file is closed, because the host may continue this match.
        let given_up = given_up.map(|file| (open_match::instead_of(&file.opened), file.path));
        let (path, stored) = match (file, named) {
            (None, Some(of)) => bail!(open_match::elsewhere(&of)),
            (Some(file), _) => {
                let (of, path) = (file.id(), file.path.clone());
                let sent = sit::send(&connection, Control::Resume(of));
                if file.is_over() {
                    sent?;
                    stored_match::send_end(own, file, connection)?;
                    let text = guest::END_SENT.into();
                    player.tell(&Event::Notice { text })?;
                    return Ok(None);
                }
                let guests = OtherGuests::again(own, &file, &[], relay_of(&route))?;
                // If the connection has ended, the seat notices it and calls again.
                let stored = StoredMatch::resume(around(player, guests), file, Some(connection))?;
                (path, stored)
            }
            (None, None) if is_for_several(&connection) => {
                if let Some((text, _)) = &given_up {
                    player.tell(&Event::Notice { text: text.clone() })?;
                }
                let (new, door, addresses) = match self.sit_with_several(&connection, &mut player) {
                    Ok(agreed) => agreed,
                    Err(error) => return Err(decline(connection, error)),
                };
                self.give_up(given_up)?;
                let addresses = reachable(addresses, &connection);
                let guests = OtherGuests::new(&new.sitting, door, &addresses, relay_of(&route));
                let around = around(player, Some(guests));
                let stored = StoredMatch::begin_with_several(around, vec![connection], new)?;
                (stored.path(), stored)
            }
            (None, None) => {
                let seating = match agree(self.args, own, &connection) {
                    Ok(seating) => seating,
                    Err(error) => return Err(decline(connection, error)),
                };
                if let Some((text, _)) = &given_up {
                    player.tell(&Event::Notice { text: text.clone() })?;
                }
                if let Err(error) = self.confirm(&connection, &seating, &mut player) {
                    return Err(decline(connection, error));
                }
                match sit::sit_down(&connection, &mut player)? {
                    Control::Sit => {}
                    control => return Ok(Some((control, player))),
                }
                self.give_up(given_up)?;
                let stored = StoredMatch::begin(around(player, None), connection, seating)?;
                (stored.path(), stored)
            }
        };
        let mut declined = stored.play()?;
        if let Some((Control::Declined, _)) = declined {
            bail!(AnswerIsNo(guest::DECLINED));
        }
        if let Some((Control::WentOn(of, chips), player)) = &mut declined {
            let remains = absence::tell_went_on(own, path, of, *chips, player)?;
            ensure!(
                remains || self.asks(player),
                AnswerIsNo(open_match::WENT_ON)
            );
        } else if let Some((control, player)) = &declined {
            forget_unless_begun(own, path, control, self.asks(player))?;
        }
        Ok(declined)
    }

    /// Closes the open match that this player gives up for another one.
    fn give_up(&self, given_up: Option<(String, PathBuf)>) -> anyhow::Result<()> {
        if let Some((_, path)) = given_up {
            MatchFile::open(self.own, path)?.close()?;
        }
        Ok(())
    }

    /// Whether the player is asked before sitting down.
    fn asks(&self, player: &Player) -> bool {
        !self.args.yes && !player.is_bot()
    }
}

impl GuestSeat<'_> {
    /// Shows the player the terms, and asks whether to sit down. Bots and players with `--yes` are
    /// not asked.
    ///
    /// # Errors
    /// If the player declines.
    fn confirm(
        &self,
        connection: &Connection,
        seating: &Seating,
        player: &mut Player,
    ) -> anyhow::Result<()> {
        if !self.asks(player) {
            return Ok(());
        }
        self.confirm_sitting(connection, &seating.sitting, player)
    }

    fn confirm_sitting(
        &self,
        connection: &Connection,
        sitting: &Sitting,
        player: &mut Player,
    ) -> anyhow::Result<()> {
        let terms = Seated::of(sitting, None, false);
        let sits = |said: &Said| match said {
            Said::Sit { agree } => Some(*agree),
            _ => None,
        };
        let question = Event::AskSit(Box::new(terms));
        // If the host has disconnected, the reason may be in a message that `sit_down` receives.
        let lapsed = || connection.ended().is_some();
        match standing::answer(&question, sits, player, self.posts, lapsed)? {
            Some(true) => Ok(()),
            None if lapsed() => Ok(()),
            _ => Err(AnswerIsNo(guest::YOU_DECLINED).into()),
        }
    }
}

impl GuestSeat<'_> {
    /// Waits until all players of a match with several guests are there, and asks the player
    /// whether to play with them. Returns the match once all players have agreed, the door for the
    /// other guests, and the addresses of all guests.
    ///
    /// # Errors
    /// If the player declines or has blocked another player, or the host declines or disconnects. If
    /// the host disconnects after this player has agreed, the file of the match stays: the others may
    /// have begun.
    fn sit_with_several(
        &self,
        connection: &Connection,
        player: &mut Player,
    ) -> anyhow::Result<(NewMatch, Door, Vec<GuestAddresses>)> {
        let header = Seating::proposal(&connection.met.header)?;
        self.args.terms.check(&header.stakes)?;
        self.args
            .terms
            .check_may_leave(&header, self.asks(player))?;
        self.args
            .terms
            .check_clock_and_shuffle(&header, self.args.memory)?;
        let mut absentees = match &header.past {
            Some(past) => self.agree_to_past(past, player)?,
            None => None,
        };
        if player.is_person() && !self.asks(player) {
            let opens = match header.deck {
                DeckTerms::Verifiable(deck) => deck.threshold(),
                DeckTerms::Sealed(_) => header.stakes.seats(),
            };
            for text in words::risks(header.stakes.seats(), opens) {
                player.tell(&Event::Notice { text })?;
            }
        }
        // A host whose table is full ends the connection at once, and `sit::next` returns its answer.
        let _ = sit::send(connection, Control::Sit);
        // The match that this player has agreed to, and the door for the other guests.
        let mut agreed: Option<(NewMatch, Door)> = None;
        loop {
            let received = sit::next(connection, header.stakes.seats());
            let has_begun = matches!(received, Ok(Control::Begins(_)));
            let is_void = match &received {
                Ok(_) => !has_begun,
                Err(error) => error.is::<AnswerIsNo>(),
            };
            if is_void && let Some((new, door)) = agreed.take() {
                // Frees the port.
                drop(door);
                new.remove()?;
            }
            let control = received.map_err(|error| match agreed {
                None => error,
                Some(_) => error.context(LOST_AFTER_AGREEING),
            });
            match control? {
                Control::Present(present) => {
                    let wanted = header.stakes.seats();
                    let text = format!("{present} of {wanted} players are here.");
                    player.tell(&Event::Notice { text })?;
                }
                Control::Roster(roster) => {
                    roster.check(&connection.met, self.own.home.identity().public())?;
                    let sitting = roster.sitting(header.clone())?;
                    let others = self.others(&sitting)?;
                    if self.asks(player) {
                        self.confirm_sitting(connection, &sitting, player)?;
                    }
                    if let Some(absentees) = &mut absentees {
                        absentees.must_stay_absent()?;
                        absentees.stop_listening();
                    }
                    let door = open_guest_door(self.own, others, &self.args.listen)?;
                    // Without addresses, only this side dials.
                    let at = addresses_of(door.addresses()).unwrap_or_default();
                    let new = NewMatch::create(self.own, sitting)?;
                    let id = new.sitting.match_info.id();
                    agreed = Some((new, door));
                    sit::send(connection, Control::Agrees(id, GuestAddresses::new(at)))?;
                    let text = "You have agreed. The match begins when all players have agreed.";
                    player.tell(&Event::Notice { text: text.into() })?;
                }
                Control::Begins(addresses) => match agreed {
                    Some((new, door)) if addresses.len() == new.sitting.names.len() => {
                        let absent = absentees.as_mut().map_or(Ok(()), Absentees::must_be_absent);
                        if let Err(error) = absent {
                            new.remove()?;
                            return Err(error);
                        }
                        return Ok((new, door, addresses));
                    }
                    _ => bail!("the host began a match without a list of players"),
                },
                Control::Open(of) => bail!(
                    "you have an open match with the host ({of}); to continue it, join again or run \
                     `dealerless resume`"
                ),
                _ => bail!("the host sent an unexpected answer"),
            }
        }
    }
}

impl GuestSeat<'_> {
    /// Checks the match before against the own file of it. If it is settled without absent players,
    /// shows the settlement, and tries to reach these players.
    ///
    /// # Errors
    /// If this side does not agree.
    fn agree_to_past(&self, past: &Past, player: &mut Player) -> anyhow::Result<Option<Absentees>> {
        let Some((file, settled)) = open::must_agree(self.own, past)? else {
            return Ok(None);
        };
        let text = absence::in_words(&file, &settled);
        player.tell(&Event::Notice { text })?;
        Absentees::try_to_reach(self.own, &file, &settled.absent).map(Some)
    }

    /// The keys of the other guests of a match.
    ///
    /// # Errors
    /// If this side's player has blocked one of them.
    fn others(&self, sitting: &Sitting) -> anyhow::Result<Vec<PublicIdentity>> {
        let others = guests_of(sitting);
        for other in &others {
            ensure!(
                !sit::is_blocked(self.own, &other.identity),
                "you have blocked {}, who would play too; to play with them again, run: dealerless peers \
                 unblock NAME",
                other.name
            );
        }
        Ok(others.into_iter().map(|other| other.identity).collect())
    }
}

/// The context of an error after this player has agreed to a match.
const LOST_AFTER_AGREEING: &str =
    "the match may have begun without you. To continue it, join again";

/// Whether the host of this connection proposes a match with several guests.
fn is_for_several(connection: &Connection) -> bool {
    Seating::proposal(&connection.met.header).is_ok_and(|header| header.sealed().is_none())
}

/// Removes a match that the host does not resume, if [it has not begun](open_match::removes).
///
/// # Errors
/// If the match stays open, unless `asks`: a player who is asked may begin another match.
fn forget_unless_begun(
    own: &Own,
    path: PathBuf,
    answer: &Control,
    asks: bool,
) -> anyhow::Result<()> {
    let file = MatchFile::open(own, path)?;
    match open_match::removes(&file.opened.log, file.seat(), answer, asks)? {
        true => file.forget(),
        false => Ok(()),
    }
}

/// The host, as named by the player.
enum HostName {
    /// An invite, and the relay of its link.
    Invite(Box<Invite>, Option<String>),
    Known(String),
}

/// Gets the invite of the host with this code.
fn invite_of(code: &SpokenCode, own: &Own) -> anyhow::Result<Invite> {
    let relay = own.relays.own().context(
        "a code is used at the host's relay: give it with --relay, or set it once with `dealerless \
         config relay RELAY`",
    )?;
    use_code(&relay.tcp, code.clone()).with_context(|| format!("at the relay {}", relay.tcp))
}

impl HostName {
    /// # Errors
    /// If the text looks like an invite but is invalid.
    fn of(whom: &str) -> anyhow::Result<Self> {
        let (invite, relay) = parts_of_link(whom).unwrap_or((whom, None));
        match invite.parse::<Invite>() {
            Ok(invite) => Ok(HostName::Invite(Box::new(invite), relay)),
            Err(error) if looks_like_an_invite(invite) => Err(error.into()),
            Err(_) => Ok(HostName::Known(whom.into())),
        }
    }

    /// Connects to the host. Returns the connection, and the route for further connections.
    fn connect(&self, args: &Args, own: &Own) -> anyhow::Result<(Connection, Route)> {
        let guest = Guest {
            identity: own.home.identity(),
            name: &own.name,
            timing: Timing::default(),
        };
        let whom = match self {
            HostName::Invite(invite, of_link) => {
                let relay = match (own.relays.given(), invite.relay(), of_link) {
                    (Some(RelayChoice::None), ..) => None,
                    (_, Some(relay), _) => Some(relay.clone()),
                    (Some(RelayChoice::At(relay)), ..) => Some(relay.tcp.clone()),
                    (None, None, Some(url)) => {
                        let relay: RelayName = url.parse().context("the relay of the link")?;
                        Some(relay.tcp)
                    }
                    (None, None, None) => None,
                };
                let invite = invite.at_relay(relay);
                let connection = guest.join(&invite)?;
                let route = Route {
                    peer: Some(connection.met.peer.clone()),
                    addresses: invite.addresses().to_vec(),
                    relay: invite.relay().cloned().map(Into::into),
                    invite: Some(Box::new(invite)),
                };
                return Ok((connection, route));
            }
            HostName::Known(whom) => whom,
        };
        let peer = {
            let peers = own.peers.lock();
            let found = peers.find(whom);
            if let (Err(bad), true) = (whom.parse::<SpokenCode>(), found.is_err())
                && bad != BadCode::NoCode
            {
                return Err(bad.into());
            }
            let found = found.with_context(|| {
                format!(
                    "{:?} is neither an invite, which begins with dealerless2-, nor a code such as \
                     70213-crossbow-guitar, nor the name of a known player (see `dealerless peers`). To give a \
                     player's address, use --at HOST:PORT, for example 192.0.2.1:5252",
                    Name::clean(whom).as_str()
                )
            });
            found?.clone()
        };
        ensure!(!peer.blocked, BLOCKED);
        let route = route_to(own, &peer, &args.at)?;
        let connection = guest.join_again(&peer.identity, &route.addresses, relay_of(&route))?;
        Ok((connection, route))
    }
}

/// Whether the text is probably meant as an invite: unlike a player's name, it is long or begins
/// with the name of the program.
fn looks_like_an_invite(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
    text.to_ascii_lowercase().starts_with("dealerless") || text.len() > 100
}

/// Handles the error of a guest that does not sit down, and returns it. Tells the host which term
/// differs from this side's requirements, or that the player declines all terms.
fn decline(connection: Connection, error: anyhow::Error) -> anyhow::Error {
    let differs = error.downcast_ref().map(|differs: &Differs| differs.term);
    let term = differs.or(error.is::<AnswerIsNo>().then_some(Term::All));
    if let Some(term) = term {
        // The error itself matters more than whether the host receives it.
        let _ = sit::send(&connection, Control::Declines(term));
        connection.close(GOODBYE);
    }
    error
}

/// Timeout for the host to receive the reason.
const GOODBYE: Duration = Duration::from_secs(2);

/// Checks the host's proposal before anything has begun.
fn agree(args: &Args, own: &Own, connection: &Connection) -> anyhow::Result<Seating> {
    let header = Seating::proposal(&connection.met.header)?;
    args.terms.check(&header.stakes)?;
    // A match of two players needs no consent.
    args.terms.check_may_leave(&header, true)?;
    args.terms.check_clock_and_shuffle(&header, args.memory)?;
    let own = (own.home.identity().public(), &own.name);
    Ok(Seating::of_meeting(&connection.met, header, own)?)
}
