//! `host`: invites others, waits, and plays.

mod link;
mod port_mapping;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use dealerless::net::system_time;
use dealerless_command_line::arguments::{address, seconds};
use dealerless_connection::identity::{Address, Name, PublicIdentity};
use dealerless_connection::{Invite, MeetingError, ask_relay};
use dealerless_native::Native;
use dealerless_seat::event::Event;
use dealerless_seat::peers::BLOCKED;
use dealerless_seat::run::{Host, Hosted, Ways, invite_event};
use dealerless_seat::words::table_risks;
use dealerless_table::play::Proposal;

use self::link::{Link, LinkArgs};
use self::port_mapping::PortMapping;
use crate::in_browser::InBrowser;
use crate::memory::{self, Limit};
use crate::table::as_guest::NativeWays;
use crate::table::door::{LISTEN, OpenDoor, addresses_of};
use crate::table::{CONNECTION, GAME, Own, OwnArgs, Posts, RelayArgs, RelayName, StakesArgs};

/// Invites other players, waits, and plays with them.
///
/// Prints a command for the other players to run: send it over a channel that you trust. With two
/// players, the first one who runs it has the seat. At a table of more than two, it is a link that serves all
/// players: you accept each of them.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless host\n  \
    dealerless host --hands 20 --stack 500 --blinds 5/10 --time 30+120 --name Anna\n  \
    dealerless host --game bridge --boards 24 --name Anna\n  \
    dealerless host --advertise table.example.org:5252\n  \
    dealerless host --relay transit.magic-wormhole.io:4001\n  \
    dealerless host --relay wss://RELAY/ --page https://PAGE/\n  \
    dealerless host --for Bert\n  \
    dealerless host --seats 6 --may-leave 1 --name Anna\n\n\
    Waits for the other player indefinitely, unless --timeout is given. With two players, the one who\n\
    joins with the invite is seated. Players who know each other need no invite: one runs `host`, the other runs\n\
    `join NAME`, and the host is asked to accept, except for the player of --for.\n\n\
    At a table of more than two, everybody who comes by the link waits until you type `accept NAME`. The\n\
    first match begins when all seats are taken, or when you type `start`. Then players come and go: each\n\
    change ends the match with its hand, and the next match begins by itself. `link` makes a new link; the\n\
    old one then gets no answer.\n\n\
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
    /// Ask the router to forward a port to this program until it ends (UPnP).
    #[arg(long, help_heading = CONNECTION)]
    map_port: bool,
    #[command(flatten)]
    relay: RelayArgs,
    #[command(flatten)]
    link: LinkArgs,
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
    if let Some(played) = args.browser.instead(&args.own, None) {
        return played;
    }
    Hosting::prepare(args)?.host(args)
}

/// The state of a host before a guest comes.
struct Hosting {
    own: Own,
    proposal: Proposal,
    /// The known peers that are seated without a question.
    expected: Vec<PublicIdentity>,
    link: Link,
}

impl Hosting {
    fn prepare(args: &Args) -> anyhow::Result<Self> {
        let proposal = args.stakes.proposal(args.memory)?;
        let own = args.own.open(&args.relay)?;
        let proposal = proposal.opened_by(own.identity.public());
        let guest = args.guest.iter().map(|name| known(&own, name));
        let expected = guest.collect::<anyhow::Result<_>>()?;
        let link = args.link.link(&args.own, own.relays.own())?;
        Ok(Hosting {
            own,
            proposal,
            expected,
            link,
        })
    }

    fn host(self, args: &Args) -> anyhow::Result<()> {
        let own = &self.own;
        let posts = Posts::default();
        let player = args.own.player(own, &posts).listening_at_once();
        posts.break_off_by_signal()?;
        let admits = args.stakes.open || args.guest.is_some();
        ensure!(
            !is_table(&self.proposal) || !player.is_bot() || admits,
            "with --auto, nobody answers for the players who come by the link: use --open, which lets all of them \
             sit down, or --for"
        );
        let mut open = OpenDoor::open(own, &self.proposal, &args.listen)?;
        let mapping = args.map_port.then(|| map_port(&open.listeners));
        let mapped = mapping.iter().flatten().map(PortMapping::address);
        let advertised: Vec<_> = args.advertise.iter().cloned().chain(mapped).collect();
        let addresses = reachable(&open.listeners, &advertised)?;
        let dead_relay = dead_relay(own.relays.own(), &addresses)?;
        let ways: Arc<dyn Ways<Native>> = Arc::new(NativeWays::new(own, &[])?);
        let until = args.timeout.map_or(Duration::MAX, |timeout| {
            system_time().saturating_add(timeout)
        });
        let needs = player.needs();
        let relay = own.relays.own().map(|relay| &relay.tcp);
        player.play(own, |run_own, now| {
            let at_relay = relay.cloned();
            let invite = match &self.proposal {
                Proposal::Match(_) => run_own.invite(addresses.clone(), at_relay)?,
                Proposal::Table(terms) => run_own.table_link(terms, addresses.clone(), at_relay)?,
            };
            let offers_code = relay.is_some() && dead_relay.is_none();
            if let Some(relay) = relay {
                (open.door).wait_for_invite(relay.clone().into(), &invite, now);
                if offers_code {
                    open.door.offer_code(relay.clone().into(), &invite, now);
                }
            }
            open.wait_at_relays(own, &self.expected);
            let mut announced = self.announced(&open, &invite, &addresses);
            announced.extend(dead_relay.map(|text| Event::notice(&text)));
            if let Some(Err(error)) = &mapping {
                announced.push(Event::notice(format!(
                    "No port of the router was mapped: {error:#}."
                )));
            }
            let hosted = Hosted {
                proposal: self.proposal.clone(),
                listeners: open.listens_at(),
                invite,
                relay: relay.cloned().map(Into::into),
                ways: Some(ways),
                expected: self.expected.clone(),
                announced,
                offers_code,
                wants_new: args.stakes.are_given(),
                until,
            };
            Ok(Box::new(Host::new(run_own, open.door, hosted, needs, now)))
        })
    }

    /// The first events for the player.
    fn announced(&self, open: &OpenDoor, invite: &Invite, addresses: &[Address]) -> Vec<Event> {
        let link = self.link.of(invite);
        let mut events = vec![invite_event(invite, &self.proposal, link), open.listening()];
        events.extend(self.link.notice().map(|text| Event::notice(&text)));
        let has_relay = self.own.relays.own().is_some();
        if !has_relay && addresses.iter().all(Address::is_private) {
            let who = match is_table(&self.proposal) {
                false => "The invite has only private addresses, so the other player must be",
                true => "The link has only private addresses, so the other players must be",
            };
            events.push(Event::notice(format!(
                "{who} in the same network. Otherwise forward a port and give its address with \
                 --advertise (--map-port does both), or use --relay (`dealerless config relay` sets it \
                 once)."
            )));
        }
        if let Proposal::Table(terms) = &self.proposal {
            let what = table_risks(terms).into_iter().map(Event::notice);
            events.extend(what);
        }
        events
    }
}

fn is_table(proposal: &Proposal) -> bool {
    matches!(proposal, Proposal::Table(_))
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

/// Timeout for a relay's answer, so that the player is notified within 5 s.
const RELAY_ANSWERS: Duration = Duration::from_secs(4);

/// Notice to the host that its relay does not answer.
///
/// # Errors
/// If nobody else can reach this machine without the relay.
fn dead_relay(relay: Option<&RelayName>, addresses: &[Address]) -> anyhow::Result<Option<String>> {
    let Some(relay) = relay else { return Ok(None) };
    let relay = &relay.tcp;
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

/// Makes the router forward a port to the door.
fn map_port(listeners: &[SocketAddr]) -> anyhow::Result<PortMapping> {
    let mut listeners = listeners.iter();
    let fits = |address: &&SocketAddr| {
        let ip = address.ip();
        ip.is_unspecified() || (ip.is_ipv4() && !ip.is_loopback())
    };
    let listener = listeners.find(fits);
    PortMapping::open(
        *listener.context("this program does not listen on an IPv4 address of the network")?,
    )
}

/// The addresses at which the guest may reach the door, the best first.
fn reachable(listeners: &[SocketAddr], advertised: &[Address]) -> anyhow::Result<Vec<Address>> {
    let mut all = advertised.to_vec();
    all.extend(addresses_of(listeners)?);
    let mut seen = std::collections::HashSet::new();
    all.retain(|address| seen.insert(address.clone()));
    all.truncate(8);
    Ok(all)
}
