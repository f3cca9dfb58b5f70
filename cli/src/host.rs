//! `host`: invites another player, waits, and plays.

use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use dealerless::mpc::Security;
use dealerless_table::{Address, Door, DoorEvent, Header, Line, Seating, Timing, own_addresses};

use crate::failure;
use crate::memory::{self, Limit};
use crate::plain;
use crate::session::{SessionArgs, address};
use crate::table::{Ears, Event, Own, OwnArgs, Player, StakesArgs, VERSION, sit};

/// Invites another player, waits, and plays with them.
///
/// Prints one line that the other player runs. Whoever has that line can take the seat, once: send it
/// by a way that you trust.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless host\n  \
    dealerless host --hands 20 --stack 500 --blinds 5/10 --name Anna\n  \
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
    let mut player = args.own.player();
    let outcome = Table::lay(args).and_then(|table| table.wait(args, &mut player));
    match outcome {
        Ok((table, line, ears)) => table.play(line, ears, player, args.own.json),
        Err(error) => {
            report(&error, args.own.json);
            Err(error)
        }
    }
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
        let _ = crate::output::show_json(&event);
    }
}

/// Everything that a host needs before anybody comes.
struct Table {
    own: Own,
    header: Header,
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

    /// Waits until a guest has sat down. The door stays open behind it: a second holder of the
    /// invite is told that it was used, and the player that it has leaked.
    fn wait(self, args: &Args, player: &mut Player) -> anyhow::Result<(Self, Arc<Line>, Ears)> {
        let listen = resolve(&args.listen)?;
        let door = Door::open(
            Arc::clone(&self.own.home),
            self.own.peers.clone(),
            self.own.name.clone(),
            self.header.encode(),
            &listen,
            Timing::default(),
        )?;
        let addresses = reachable(&door, &args.advertise)?;
        let invite = door.invite(addresses.clone(), args.relay.clone())?;
        player.tell(&Event::Invite {
            version: VERSION,
            invite: invite.to_string(),
        })?;
        let listening = door.addresses().iter().map(SocketAddr::to_string);
        player.tell(&Event::Listening {
            addresses: listening.collect(),
        })?;
        if args.relay.is_none() && addresses.iter().all(Address::is_private) {
            player.tell(&notice(
                "The invite holds only private addresses: the other player must be in the same \
                 network. Otherwise forward a port and name it with --advertise, or use --relay.",
            ))?;
        }
        self.wait_at_relays(&door, args.relay.as_ref())?;
        let line = self.guest(&door, args, player)?;
        let ears = Ears::new();
        let notices = ears.notices();
        thread::Builder::new()
            .name("door-watch".into())
            .spawn(move || watch(&door, notices))?;
        Ok((self, Arc::new(line), ears))
    }

    /// Known peers that were met over a relay are waited for there.
    fn wait_at_relays(&self, door: &Door, relay: Option<&Address>) -> anyhow::Result<()> {
        let peers = self.own.peers.lock();
        for peer in peers.peers() {
            if let Some(relay) = relay.or(peer.relay.as_ref()) {
                door.wait_at_relay(relay, &peer.identity)?;
            }
        }
        Ok(())
    }

    fn guest(&self, door: &Door, args: &Args, player: &mut Player) -> anyhow::Result<Line> {
        let patience = args.session.patience();
        let begun = Instant::now();
        loop {
            let left = patience.saturating_sub(begun.elapsed());
            ensure!(!left.is_zero(), "nobody came in time");
            // A wait of years is no moment that the clock knows.
            let line = match door.next(left.min(Duration::from_secs(3600))) {
                None => continue,
                Some(DoorEvent::InviteLeaked { second }) => {
                    player.tell(&leaked(&second.to_string()))?;
                    continue;
                }
                Some(DoorEvent::Line(line)) => *line,
            };
            let met = sit::recognise(&self.own, &line, args.relay.as_ref()).and_then(|warning| {
                sit::await_guest(&line)
                    .map(|()| warning)
                    .map_err(Into::into)
            });
            match met {
                Ok(warning) => {
                    if let Some(text) = warning {
                        player.tell(&Event::Notice { text })?;
                    }
                    return Ok(line);
                }
                Err(error) => player.tell(&notice(&format!(
                    "{} came and did not sit down ({error:#}). Waiting goes on.",
                    line.peer_name
                )))?,
            }
        }
    }

    fn play(self, line: Arc<Line>, ears: Ears, player: Player, json: bool) -> anyhow::Result<()> {
        let own = (self.own.home.identity().public(), &self.own.name);
        let seating = Seating::of_line(&line, self.header, own).map_err(Into::into);
        seating
            .and_then(|seating| sit::play(&self.own, line, seating, player, ears))
            .inspect_err(|error| report(error, json))
    }
}

fn notice(text: &str) -> Event {
    Event::Notice { text: text.into() }
}

fn leaked(second: &str) -> Event {
    notice(&format!(
        "WARNING: THE INVITE HAS LEAKED. Somebody else came with it ({second}) and was turned away. \
         One of the two is not whom you have invited: compare fingerprints."
    ))
}

/// Watches the door during a match. Whoever comes now finds the seat taken.
fn watch(door: &Door, tell: impl Fn(String) -> bool) {
    loop {
        let told = match door.next(Duration::from_secs(3600)) {
            Some(DoorEvent::InviteLeaked { second }) => match leaked(&second.to_string()) {
                Event::Notice { text } => tell(text),
                _ => true,
            },
            // Dropped, the line is closed.
            _ => true,
        };
        if !told {
            break;
        }
    }
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
