//! `host`: invites another player, waits, and plays.

use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use dealerless::mpc::Security;
use dealerless_table::{
    Address, Control, Door, DoorEvent, Header, Line, PublicIdentity, Seating, Timing, own_addresses,
};

use crate::failure::{self, BrokenOff};
use crate::memory::{self, Limit};
use crate::plain;
use crate::session::{SessionArgs, address};
use crate::table::open::{self, MatchFile};
use crate::table::whole::{self, Around, Whole};
use crate::table::{Event, Own, OwnArgs, Player, Post, Posts, StakesArgs, VERSION, sit, standing};

/// Invites another player, waits, and plays with them.
///
/// Prints one line that the other player runs. Whoever has that line can take the seat, once: send it
/// by a way that you trust.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless host\n  \
    dealerless host --hands 20 --stack 500 --blinds 5/10 --time 30+120 --name Anna\n  \
    dealerless host --advertise table.example.org:5252\n  \
    dealerless host --relay transit.magic-wormhole.io:4001\n\n\
    It waits for the other player as long as it takes, unless --timeout is given. Players who know\n\
    each other need no invite: one runs `host`, the other `join NAME`.\n\n\
    With --json it speaks JSON Lines, as docs/table-protocol.md says.")]
pub(crate) struct Args {
    /// Where to wait for the other player; port 0 takes a free one. May be given several times.
    #[arg(long, value_name = "ADDRESS", default_value = "0.0.0.0:5252", value_parser = address)]
    listen: Vec<String>,
    /// An address by which others reach this machine, such as that of a forwarded port.
    #[arg(long, value_name = "HOST:PORT")]
    advertise: Vec<Address>,
    /// Wait at this transit relay of Magic Wormhole too.
    #[arg(long, value_name = "HOST:PORT")]
    relay: Option<Address>,
    #[command(flatten)]
    stakes: StakesArgs,
    #[command(flatten)]
    own: OwnArgs,
    /// Refuse what takes more memory than this, by an estimate: 500M or 4G, for example.
    #[arg(long, value_name = "SIZE", default_value = "2G", value_parser = memory::limit)]
    memory: Limit,
    #[command(flatten)]
    session: SessionArgs,
    /// For benches and tests: a fixed hand without bets, over a line that is neither encrypted nor
    /// authenticated.
    #[arg(long)]
    insecure_plain: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    if args.insecure_plain {
        let [at] = &args.listen[..] else {
            anyhow::bail!("--insecure-plain listens on one address");
        };
        return plain::host(at, &args.stakes, args.memory, &args.session, args.own.json);
    }
    let played = Table::lay(args).and_then(|table| table.host(args));
    played.inspect_err(|error| report(error, args.own.json))
}

/// Reports an error as an event; the text follows on standard error, as for every command.
pub(crate) fn report(error: &anyhow::Error, json: bool) {
    if json {
        let event = Event::Error {
            code: None,
            exit_code: Some(failure::exit_code(error)),
            message: failure::explain(error),
        };
        // The error itself matters more than that it could not be shown here.
        let _ = crate::output::show_event(&event);
    }
}

/// Everything that a host needs before anybody comes.
struct Table {
    own: Own,
    header: Header,
}

/// Who has come.
enum Came {
    /// A guest that has sat down to a new match.
    New(Line),
    /// One that goes on with an open match.
    Again(Line, Box<MatchFile>),
}

impl Table {
    fn lay(args: &Args) -> anyhow::Result<Self> {
        ensure!(
            args.session.security == Security::Malicious,
            "at a table the security is malicious; semi-honest is for --insecure-plain"
        );
        // The circuit is built once more when it is known with whom: that takes a moment.
        let (header, _) = args.stakes.propose(args.memory)?;
        Ok(Table {
            own: args.own.open()?,
            header,
        })
    }

    fn host(self, args: &Args) -> anyhow::Result<()> {
        let mut player = args.own.player();
        let posts = Posts::default();
        posts.break_off_by_signal()?;
        let door = open_door(&self.own, &self.header, &args.listen)?;
        self.invite(&door, args, &mut player)?;
        wait_at_relays(&self.own, &door, args.relay.as_ref())?;
        let came = self.guest(&door, args, &mut player, &posts)?;
        let around = Around {
            own: &self.own,
            player,
            posts: &posts,
            dialer: None,
        };
        let whole = match came {
            Came::New(line) => {
                let own = (self.own.home.identity().public(), &self.own.name);
                let seating = Seating::of_line(&line, self.header.clone(), own)?;
                keep_watch(door, &posts, (line.peer.clone(), seating.sitting.of.id()))?;
                Whole::begin(around, line, seating)?
            }
            Came::Again(line, file) => {
                keep_watch(door, &posts, (line.peer.clone(), file.of()))?;
                let mut whole = Whole::take_up(around, *file)?;
                whole.meet_again(line)?;
                whole
            }
        };
        whole.play().map(drop)
    }

    fn invite(&self, door: &Door, args: &Args, player: &mut Player) -> anyhow::Result<()> {
        let addresses = reachable(door, &args.advertise)?;
        let invite = door.invite(addresses.clone(), args.relay.clone())?;
        player.tell(&Event::Invite {
            version: VERSION,
            invite: invite.to_string(),
        })?;
        player.tell(&listening(door))?;
        if args.relay.is_none() && addresses.iter().all(Address::is_private) {
            player.tell(&notice(
                "The invite holds only private addresses: the other player must be in the same \
                 network. Otherwise forward a port and name it with --advertise, or use --relay.",
            ))?;
        }
        Ok(())
    }

    /// Waits until a guest has sat down.
    fn guest(
        &self,
        door: &Door,
        args: &Args,
        player: &mut Player,
        posts: &Posts,
    ) -> anyhow::Result<Came> {
        let patience = args.session.patience();
        let begun = Instant::now();
        loop {
            let left = patience.saturating_sub(begun.elapsed());
            ensure!(!left.is_zero(), "nobody came in time");
            // A wait of years is no moment that the clock knows.
            let line = match door.next(left.min(Duration::from_secs(3600))) {
                None => continue,
                Some(DoorEvent::InviteLeaked { second }) => {
                    player.tell(&notice(&leaked(&second.to_string())))?;
                    continue;
                }
                Some(DoorEvent::Line(line)) => *line,
            };
            let name = line.peer_name.to_string();
            match self.receive(line, (door, args.relay.as_ref()), player, posts) {
                Ok(Some(came)) => return Ok(came),
                Ok(None) => {}
                Err(error) if error.is::<BrokenOff>() => return Err(error),
                Err(error) => player.tell(&notice(&format!(
                    "{name} came and did not sit down ({error:#}). Waiting goes on."
                )))?,
            }
        }
    }

    /// Hears what a guest wants. None if it was served, and waiting goes on.
    fn receive(
        &self,
        line: Line,
        (door, relay): (&Door, Option<&Address>),
        player: &mut Player,
        posts: &Posts,
    ) -> anyhow::Result<Option<Came>> {
        let known = self.own.peers.lock().get(&line.peer).is_some();
        let warning = sit::recognise(&self.own, &line, relay)?;
        if let (Some(relay), false) = (relay, known) {
            door.wait_at_relay(relay, &line.peer)?;
        }
        let came = match sit::first_word(&line, sit::SIT_TIME)? {
            Control::Resume(of) => match open::find(&self.own, &of, &line.peer)? {
                None => {
                    sit::decline(&line, Control::Unknown(of));
                    return Ok(None);
                }
                Some(file) if file.is_over() => {
                    whole::tell_the_end(&self.own, file, line)?;
                    return Ok(None);
                }
                Some(file) => Came::Again(line, Box::new(file)),
            },
            Control::Audit(of) => {
                sit::decline(&line, Control::Unknown(of));
                return Ok(None);
            }
            _ => match open::with(&self.own, &line.peer)? {
                Some(file) if file.has_heard() => {
                    sit::decline(&line, Control::Open(file.of()));
                    file.must_be_with(&line.peer)?;
                    return Ok(None);
                }
                // The guest does not know it.
                Some(file) => {
                    file.forget()?;
                    Came::New(line)
                }
                None => Came::New(line),
            },
        };
        if let Some(text) = warning {
            player.tell(&Event::Notice { text })?;
        }
        let (Came::New(line) | Came::Again(line, _)) = &came;
        standing::ask(
            &self.own,
            (&line.peer, line.peer_name.as_str()),
            player,
            posts,
        )?;
        Ok(Some(came))
    }
}

/// A door for a match with this header.
///
/// # Errors
/// If it cannot be opened there.
pub(crate) fn open_door(own: &Own, header: &Header, listen: &[String]) -> anyhow::Result<Door> {
    Ok(Door::open(
        Arc::clone(&own.home),
        own.peers.clone(),
        own.name.clone(),
        header.encode(),
        &resolve(listen)?,
        Timing::default(),
    )?)
}

/// Where somebody can come to.
pub(crate) fn listening(door: &Door) -> Event {
    let addresses = door.addresses().iter().map(SocketAddr::to_string);
    Event::Listening {
        addresses: addresses.collect(),
    }
}

/// Known peers that were met over a relay are waited for there.
///
/// # Errors
/// If there are no threads for it.
pub(crate) fn wait_at_relays(
    own: &Own,
    door: &Door,
    relay: Option<&Address>,
) -> anyhow::Result<()> {
    let peers = own.peers.lock();
    for peer in peers.peers() {
        if let Some(relay) = relay.or(peer.relay.as_ref()) {
            door.wait_at_relay(relay, &peer.identity)?;
        }
    }
    Ok(())
}

fn notice(text: &str) -> Event {
    Event::Notice { text: text.into() }
}

fn leaked(second: &str) -> String {
    format!(
        "WARNING: THE INVITE HAS LEAKED. Somebody else came with it ({second}) and was turned away. \
         One of the two is not whom you have invited: compare fingerprints."
    )
}

/// Keeps the door open behind a guest: it may come again when its line is lost, a second holder of
/// the invite is told that it was used, and whoever else comes finds the seat taken.
///
/// # Errors
/// If there is no thread for it.
pub(crate) fn keep_watch(
    door: Door,
    posts: &Posts,
    (peer, of): (PublicIdentity, [u8; 32]),
) -> std::io::Result<()> {
    let posts = posts.clone();
    let watch = move || {
        loop {
            let wanted = match door.next(Duration::from_secs(3600)) {
                Some(DoorEvent::InviteLeaked { second }) => {
                    posts.put(Post::Notice(leaked(&second.to_string())))
                }
                Some(DoorEvent::Line(line)) if line.peer == peer => comes_back(line, of, &posts),
                // Dropped, the line is closed.
                _ => true,
            };
            if !wanted {
                break;
            }
        }
    };
    let thread = thread::Builder::new().name("door-watch".into());
    thread.spawn(watch).map(|_| ())
}

/// The guest of this match has come once more. Says whether anybody still wants to know.
fn comes_back(line: Box<Line>, of: [u8; 32], posts: &Posts) -> bool {
    // Who goes on with a match says so with its first bytes.
    const AT_ONCE: Duration = Duration::from_secs(5);
    match sit::first_word(&line, AT_ONCE) {
        Ok(Control::Resume(id)) if id == of => return posts.put(Post::Line(line)),
        Ok(_) => sit::decline(&line, Control::Open(of)),
        // Dropped, the line is closed.
        Err(_) => {}
    }
    true
}

fn resolve(listen: &[String]) -> anyhow::Result<Vec<SocketAddr>> {
    let mut all = Vec::new();
    for text in listen {
        let mut found = text
            .to_socket_addrs()
            .with_context(|| format!("{text} is no address of this machine"))?;
        all.push(
            found
                .next()
                .with_context(|| format!("{text} is no address"))?,
        );
    }
    Ok(all)
}

/// Where the guest may reach the door, the best first.
fn reachable(door: &Door, advertised: &[Address]) -> anyhow::Result<Vec<Address>> {
    let mut all = advertised.to_vec();
    for &at in door.addresses() {
        match at.ip().is_unspecified() {
            false => all.push(at.into()),
            true => {
                let own = own_addresses(at.port()).context("cannot list the addresses")?;
                // Who listens by IPv4 is not reached by IPv6; the other way round is usual.
                let fits =
                    |address: &Address| at.is_ipv6() || address.ip().is_some_and(|ip| ip.is_ipv4());
                all.extend(own.into_iter().filter(fits));
            }
        }
    }
    let mut seen = std::collections::HashSet::new();
    all.retain(|address| seen.insert(address.clone()));
    all.truncate(8);
    Ok(all)
}
