//! `join`: joins another player's table.

use std::io::{self, BufRead, IsTerminal, Read};

use anyhow::{Context, ensure};
use dealerless_command_line::arguments::address;
use dealerless_connection::identity::{Address, Name};
use dealerless_connection::{BadCode, Invite, Place, SpokenCode};
use dealerless_seat::VERSION;
use dealerless_seat::event::Event;
use dealerless_seat::peers::BLOCKED;
use dealerless_seat::run::{Guest, Route};

use crate::in_browser::InBrowser;
use crate::link::parts_of_link;
use crate::memory::{self, Limit};
use crate::output::say;
use crate::table::as_guest::{AsGuest, NativeWays};
use crate::table::door::LISTEN_AS_GUEST;
use crate::table::route::route_to;
use crate::table::{
    CONNECTION, GAME, GuestTerms, Own, OwnArgs, Posts, RelayArgs, RelayChoice, RelayName,
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
    let found = HostName::of(&whom)?;
    let own = args.own.open(&args.relay)?;
    let posts = Posts::default();
    let mut player = args.own.player(&own, &posts);
    player.tell(&Event::Hello { version: VERSION })?;
    posts.break_off_by_signal()?;
    let calls = match code {
        Ok(code) => Calls::AtRelay(code, relay_of_codes(&own)?),
        Err(_) => Calls::Host(found.route(args, &own)?),
    };
    let mut requires = AsGuest::new(NativeWays::new(&own, &args.listen)?);
    requires.terms = Some((args.terms.clone(), args.memory));
    requires.asks = !args.yes && !player.is_bot();
    let (requires, needs) = (Box::new(requires), player.needs());
    player.play(&own, |own, now| {
        let guest = match calls {
            Calls::AtRelay(code, relay) => {
                Guest::using_code(own, requires, needs, code, relay, now)
            }
            Calls::Host(route) => Guest::joining(own, requires, needs, route, now)?,
        };
        Ok(Box::new(guest))
    })
}

/// Whom a guest calls first.
enum Calls {
    /// The host of a code, at this relay.
    AtRelay(SpokenCode, Place),
    Host(Route),
}

/// The host, as named by the player.
enum HostName {
    /// An invite, and the relay of its link.
    Invite(Box<Invite>, Option<String>),
    Known(String),
}

/// The relay for codes.
fn relay_of_codes(own: &Own) -> anyhow::Result<Place> {
    let relay = own.relays.own().context(
        "a code is used at the host's relay: give it with --relay, or set it once with `dealerless \
         config relay RELAY`",
    )?;
    Ok(relay.tcp.clone().into())
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

    /// The route to the host.
    ///
    /// # Errors
    /// If the host is not known, or no address of it.
    fn route(&self, args: &Args, own: &Own) -> anyhow::Result<Route> {
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
                return Ok(Route::to_host(invite.at_relay(relay)));
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
        route_to(&own.relays, &peer, &args.at)
    }
}

/// Whether the text is probably meant as an invite: unlike a player's name, it is long or begins
/// with the name of the program.
fn looks_like_an_invite(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
    text.to_ascii_lowercase().starts_with("dealerless") || text.len() > 100
}
