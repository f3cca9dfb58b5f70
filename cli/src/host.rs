//! `host`: invites another player, waits, and plays.

use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use dealerless::mpc::Security;
use dealerless_table::{Address, Control, Door, Header, Line, Seating, own_addresses};

use crate::failure::BrokenOff;
use crate::memory::{self, Limit};
use crate::plain;
use crate::session::{SessionArgs, address};
use crate::table::door::{keep_watch, leaked, listening, open_door, wait_at_relays};
use crate::table::hearing::{Comes, Hearing};
use crate::table::open::{self, MatchFile};
use crate::table::whole::{Around, Farewells, Whole};
use crate::table::{
    Event, InBrowser, Own, OwnArgs, Player, Posts, StakesArgs, VERSION, sit, standing,
};

/// Invites another player, waits, and plays with them.
///
/// Prints one line that the other player runs. Whoever has that line can take the seat, once: send it
/// by a way that you trust.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless host\n  \
    dealerless host --hands 20 --stack 500 --blinds 5/10 --time 30+120 --name Anna\n  \
    dealerless host --game bridge --boards 24 --name Anna\n  \
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
    #[command(flatten)]
    browser: InBrowser,
    /// Refuse what takes more memory than this, by an estimate: 500M or 4G, for example.
    #[arg(long, value_name = "SIZE", default_value = "2G", value_parser = memory::limit)]
    memory: Limit,
    #[command(flatten)]
    session: SessionArgs,
    /// For benches and tests: a fixed hand without bets, over a line that is neither encrypted nor
    /// authenticated.
    #[cfg_attr(feature = "browser", arg(conflicts_with = "browser"))]
    #[arg(long)]
    insecure_plain: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    if let Some(played) = args.browser.instead(&args.own) {
        return played;
    }
    if args.insecure_plain {
        let [at] = &args.listen[..] else {
            anyhow::bail!("--insecure-plain listens on one address");
        };
        return plain::host(at, &args.stakes, args.memory, &args.session, args.own.json);
    }
    Table::lay(args)?.host(args)
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
        player.listen_before(&posts)?;
        let mut hearing = Hearing::new(door);
        let came = self.guest(&mut hearing, args, &mut player, &posts)?;
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
                keep_watch(
                    hearing,
                    &posts,
                    (line.peer.clone(), seating.sitting.of.id()),
                )?;
                Whole::begin(around, line, seating)?
            }
            Came::Again(line, file) => {
                keep_watch(hearing, &posts, (line.peer.clone(), file.of()))?;
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
        hearing: &mut Hearing,
        args: &Args,
        player: &mut Player,
        posts: &Posts,
    ) -> anyhow::Result<Came> {
        let patience = args.session.patience();
        let begun = Instant::now();
        let mut farewells = Farewells::default();
        loop {
            let left = patience.saturating_sub(begun.elapsed());
            ensure!(!left.is_zero(), "nobody came in time");
            // A wait of years is no moment that the clock knows.
            let (name, failed) = match hearing.next(left.min(Duration::from_secs(3600))) {
                None => continue,
                Some(Comes::Leaked(second)) => {
                    player.tell(&notice(&leaked(&second)))?;
                    continue;
                }
                Some(Comes::In(line)) => match self.recognise(&line, hearing, args) {
                    Ok(warning) => {
                        hearing.listen(line, warning);
                        continue;
                    }
                    Err(error) => (line.peer_name.clone(), error),
                },
                Some(Comes::Says(line, word, warning)) => {
                    let name = line.peer_name.clone();
                    let came = match self.serve((line, word), hearing, &mut farewells) {
                        Ok(None) => continue,
                        Ok(Some(came)) => self.ask(&came, warning, player, posts).map(|()| came),
                        Err(error) => Err(error),
                    };
                    match came {
                        Ok(came) => return Ok(came),
                        Err(error) if error.is::<BrokenOff>() => return Err(error),
                        Err(error) => (name, error),
                    }
                }
                Some(Comes::Goes(name, error)) => (name, error.into()),
            };
            player.tell(&notice(&format!(
                "{name} came and did not sit down ({failed:#}). Waiting goes on."
            )))?;
        }
    }

    /// Looks up who has come in: what the player is to know if it sits down.
    fn recognise(
        &self,
        line: &Line,
        hearing: &Hearing,
        args: &Args,
    ) -> anyhow::Result<Option<String>> {
        let relay = args.relay.as_ref();
        let known = self.own.peers.lock().get(&line.peer).is_some();
        let warning = sit::recognise(&self.own, line, relay)?;
        if let (Some(relay), false) = (relay, known) {
            hearing.door().wait_at_relay(relay, &line.peer)?;
        }
        Ok(warning)
    }

    /// Does what a guest wants. None if it was served, and waiting goes on.
    fn serve(
        &self,
        (line, word): (Box<Line>, Control),
        hearing: &mut Hearing,
        farewells: &mut Farewells,
    ) -> anyhow::Result<Option<Came>> {
        let of = match word {
            Control::Resume(of) => of,
            Control::Audit(of) => {
                hearing.decline(line, Control::Unknown(of));
                return Ok(None);
            }
            Control::Declines(term) => bail!("it insists on {term}"),
            _ => return self.new_match(line, hearing),
        };
        match open::find(&self.own, &of, &line.peer)? {
            None => hearing.decline(line, Control::Unknown(of)),
            Some(file) if file.is_over() => farewells.tell_the_end(&self.own, file, *line)?,
            Some(file) => return Ok(Some(Came::Again(*line, Box::new(file)))),
        }
        Ok(None)
    }

    /// A guest wants to begin a match, which it may if none is open between the two.
    fn new_match(&self, line: Box<Line>, hearing: &mut Hearing) -> anyhow::Result<Option<Came>> {
        match open::with(&self.own, &line.peer)? {
            Some(file) if file.has_heard() => {
                let fits = file.must_be_with(&line.peer);
                hearing.decline(line, Control::Open(file.of()));
                return fits.map(|()| None);
            }
            // The guest does not know it.
            Some(file) => file.forget()?,
            None => {}
        }
        Ok(Some(Came::New(*line)))
    }

    /// Asks the player, if there is something to ask, before a match goes on.
    fn ask(
        &self,
        (Came::New(line) | Came::Again(line, _)): &Came,
        warning: Option<String>,
        player: &mut Player,
        posts: &Posts,
    ) -> anyhow::Result<()> {
        if let Some(text) = warning {
            player.tell(&Event::Notice { text })?;
        }
        let peer = (&line.peer, line.peer_name.as_str());
        standing::ask(&self.own, peer, player, posts)
    }
}

fn notice(text: &str) -> Event {
    Event::Notice { text: text.into() }
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
