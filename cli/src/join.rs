//! `join`: goes to another player's table.

use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use dealerless::mpc::Security;
use dealerless_table::{Address, Guest, Header, Invite, Line, Name, Seating, Timing};

use crate::host::report;
use crate::memory::{self, Limit};
use crate::plain;
use crate::session::{SessionArgs, address};
use crate::table::{Ears, Event, Own, OwnArgs, Player, VERSION, Wishes, sit};

/// Joins a player who hosts.
///
/// The host proposes what is played; the options refuse everything else.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless join dealerless2-...\n  \
    dealerless join dealerless2-... --game holdem --hands 20 --name Bert\n  \
    dealerless join Anna --at 192.0.2.1:5252\n\n\
    With --json it speaks JSON Lines, as docs/table-protocol.md says.")]
pub(crate) struct Args {
    /// The invite, as the host's screen says; or the name or fingerprint of a player whom you have
    /// met and who hosts.
    #[arg(value_name = "INVITE|NAME", required = true)]
    whom: Vec<String>,
    /// Where a known player is now, instead of where it was met last.
    #[arg(long, value_name = "HOST:PORT")]
    at: Vec<Address>,
    /// The relay at which a known player waits.
    #[arg(long, value_name = "HOST:PORT")]
    relay: Option<Address>,
    #[command(flatten)]
    wishes: Wishes,
    #[command(flatten)]
    own: OwnArgs,
    /// Refuse what takes more memory than this, by an estimate: 500M or 4G, for example
    /// [default: 256M; 64M with --insecure-plain].
    #[arg(long, value_name = "SIZE", value_parser = memory::limit)]
    memory: Option<Limit>,
    #[command(flatten)]
    session: SessionArgs,
    /// For benches and tests: a fixed hand without bets, over a line that is neither encrypted nor
    /// authenticated, at HOST:PORT.
    #[arg(long)]
    insecure_plain: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let whom = args.whom.join(" ");
    if args.insecure_plain {
        let at = address(&whom).map_err(anyhow::Error::msg)?;
        let limit = args.memory.unwrap_or(Limit::megabytes(64));
        return plain::join(&at, &args.wishes, limit, &args.session, args.own.json);
    }
    join(args, &whom).inspect_err(|error| report(error, args.own.json))
}

fn join(args: &Args, whom: &str) -> anyhow::Result<()> {
    ensure!(
        args.session.security == Security::Malicious,
        "at a table the security is malicious; semi-honest is for --insecure-plain"
    );
    let mut player = args.own.player();
    player.tell(&Event::Hello { version: VERSION })?;
    let way = Way::of(whom)?;
    let own = args.own.open()?;
    let line = way.go(args, &own)?;
    let relay = way.relay().or(args.relay.as_ref());
    let seating = agree(args, &own, (&line, relay), &mut player)?;
    sit::accept(&line)?;
    sit::play(&own, Arc::new(line), seating, player, Ears::new())
}

/// How the host is found.
enum Way {
    Invite(Box<Invite>),
    Known(String),
}

impl Way {
    /// # Errors
    /// If it looks like an invite and is none.
    fn of(whom: &str) -> anyhow::Result<Self> {
        match whom.parse::<Invite>() {
            Ok(invite) => Ok(Way::Invite(Box::new(invite))),
            Err(error) if looks_like_an_invite(whom) => Err(error.into()),
            Err(_) => Ok(Way::Known(whom.into())),
        }
    }

    /// The relay that an invite names.
    fn relay(&self) -> Option<&Address> {
        match self {
            Way::Invite(invite) => invite.relay(),
            Way::Known(_) => None,
        }
    }

    fn go(&self, args: &Args, own: &Own) -> anyhow::Result<Line> {
        let guest = Guest {
            identity: own.home.identity(),
            name: &own.name,
            timing: Timing::default(),
        };
        let whom = match self {
            Way::Invite(invite) => return Ok(guest.join(invite)?),
            Way::Known(whom) => whom,
        };
        let peer = {
            let peers = own.peers.lock();
            let found = peers.find(whom).with_context(|| {
                format!(
                    "{:?} is neither an invite nor somebody you have met",
                    Name::clean(whom).as_str()
                )
            });
            found?.clone()
        };
        let at = match args.at.is_empty() {
            true => &peer.addresses,
            false => &args.at,
        };
        let relay = args.relay.as_ref().or(peer.relay.as_ref());
        if at.is_empty() && relay.is_none() {
            bail!(
                "no address of {} is known: say where with --at HOST:PORT",
                peer.name
            );
        }
        Ok(guest.join_again(&peer.identity, at, relay)?)
    }
}

/// An invite is long, and begins with the name of the program; no name of a person is.
fn looks_like_an_invite(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
    text.to_ascii_lowercase().starts_with("dealerless") || text.len() > 100
}

/// Whether to play what the host proposes, with whom it is. Nothing of the match has begun.
fn agree(
    args: &Args,
    own: &Own,
    (line, relay): (&Line, Option<&Address>),
    player: &mut Player,
) -> anyhow::Result<Seating> {
    let header = Header::decode(&line.header).context("the host proposes no match")?;
    args.wishes.check(&header.stakes)?;
    if let Some(text) = sit::recognise(own, line, relay)? {
        player.tell(&Event::Notice { text })?;
    }
    let limit = args.memory.unwrap_or(Limit::megabytes(256));
    args.wishes.check_shuffle(&header, limit)?;
    let own = (own.home.identity().public(), &own.name);
    Ok(Seating::of_line(line, header, own)?)
}
