//! `resume`: resumes an open match.

use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use dealerless::net::system_time;
use dealerless_connection::identity::Name;
use dealerless_native::Native;
use dealerless_seat::VERSION;
use dealerless_seat::ending::{closed, unsettled_at};
use dealerless_seat::event::Event;
use dealerless_seat::run::{
    DECK, Files as _, Guest, HostedAt, RECORD, SeatWorld as _, Unread, Ways, all_resumable, beside,
    check, host_again, host_table_again,
};
use dealerless_seat::seated::Seated;
use dealerless_seat::stored::{OpenMatch, UnreadMatch, open_matches};
use dealerless_seat::words::Names;
use dealerless_table::Seat;
use dealerless_table::play::PlayError;

use crate::in_browser::InBrowser;
use crate::output::{show, show_json};
use crate::table::as_guest::{AsGuest, NativeWays};
use crate::table::door::addresses_of;
use crate::table::open::{MatchFile, is_called};
use crate::table::{MeetAgainArgs, Own, OwnArgs, Posts};

/// Resumes a match that was interrupted, by Ctrl-C, a crash or a lost connection.
///
/// The cards are kept: a hand continues where it was. Both players run this command, in any order.
/// If the other player's program is still waiting, only you need to run it.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless resume\n  \
    dealerless resume --list\n  \
    dealerless resume Bert --at 192.0.2.1:5252\n  \
    dealerless resume --close 3f2a9c0d\n\n\
    You can close a match that has waited too long for the other player. A closed match is not over,\n\
    and its record shows its state. To resume a closed match later, name it.")]
pub(crate) struct Args {
    #[command(flatten)]
    with: MeetAgainArgs,
    /// List the open matches.
    #[cfg_attr(feature = "browser", arg(conflicts_with = "browser"))]
    #[arg(long, conflicts_with_all = ["forfeit", "close"])]
    list: bool,
    /// Give up the hand in play if the file of its deck is lost or damaged.
    #[arg(long, conflicts_with = "close")]
    forfeit: bool,
    /// Close the match here, without the other player.
    #[arg(long)]
    close: bool,
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
    let own = args.own.open(&args.with.relay)?;
    let (open, unread) = all_resumable(&own)?;
    if args.list {
        return list(&own, &open, &unread, args.own.json);
    }
    let file = choose(&own, open, &args.with.which(), args.own.json)?;
    if args.close {
        let log = own.files.shown(&file.name);
        let opened = file.close()?;
        let mut player = args.own.player(&own, &Posts::default());
        let names = Names::of(&Seated::of(&opened.sitting, None, false));
        let unsettled = unsettled_at(&opened.log, opened.sitting.seat, &names);
        return player.tell(&closed(Some(log), unsettled));
    }
    let file = if args.forfeit {
        without_deck(&own, file)?
    } else {
        file
    };
    play(args, &own, file)
}

fn play(args: &Args, own: &Own, file: MatchFile) -> anyhow::Result<()> {
    let posts = Posts::default();
    let mut player = args.own.player(own, &posts);
    player.tell(&Event::Hello { version: VERSION })?;
    posts.break_off_by_signal()?;
    let needs = player.needs();
    if file.seat() == Seat::HOST && !file.is_without_seat(own) {
        let mut open = args.with.door(own, &file)?;
        let addresses = addresses_of(&open.listeners)?;
        let ways: Arc<dyn Ways<Native>> = Arc::new(NativeWays::new(own, &[])?);
        let relay = own.relays.own().map(|relay| relay.tcp.clone().into());
        let at = HostedAt {
            ways: Arc::clone(&ways),
            addresses,
            relay,
        };
        return player.play(own, |run_own, now| {
            // The door is answered from now on.
            run_own.world.report(&open.listening());
            open.wait_at_relays(own, &file.peers());
            if file.has_table(own) {
                let host = host_table_again(run_own, open.door, at, file, needs, now)?;
                return Ok(Box::new(host));
            }
            let seat = host_again(run_own, open.door, Some(&*ways), file, needs, now)?;
            Ok(Box::new(seat))
        });
    }
    let route = args.with.route(own, file.peer())?;
    let requires = Box::new(AsGuest::new(NativeWays::new(own, args.with.listen())?));
    player.play(own, |own, now| {
        let guest = Guest::resuming(own, requires, needs, route, file, now)?;
        Ok(Box::new(guest))
    })
}

/// The open match that `which` names, or without a name the only open match that is not closed.
fn choose(own: &Own, files: Vec<MatchFile>, which: &str, json: bool) -> anyhow::Result<MatchFile> {
    let fits = |file: &MatchFile| match which {
        "" => !file.opened.is_closed(),
        _ => is_called(file, which),
    };
    let mut fitting: Vec<_> = files.into_iter().filter(fits).collect();
    match (fitting.len(), which) {
        (1, _) => Ok(fitting.remove(0)),
        (0, "") => bail!("there is no open match here"),
        (0, _) => bail!(
            "no open match is called {:?}. A match that was continued without absent players cannot be \
             resumed",
            Name::clean(which).as_str()
        ),
        _ => {
            list(own, &fitting, &[], json)?;
            bail!("several matches are open; name one")
        }
    }
}

fn list(own: &Own, open: &[MatchFile], unread: &[Unread], json: bool) -> anyhow::Result<()> {
    let listed =
        |file: &MatchFile| OpenMatch::of(&file.opened, own.files.shown(&file.name), file.time);
    let listed: Vec<OpenMatch> = open.iter().map(listed).collect();
    let unread = unread.iter().map(|unread| not_read_here(own, unread));
    let unread: Vec<UnreadMatch> = unread.collect();
    if json {
        return show_json("resume", &open_matches(&listed, &unread));
    }
    if listed.is_empty() && unread.is_empty() {
        return show("No match is open.");
    }
    let line = |one: &OpenMatch| {
        let seat = if one.seat == 0 { "host" } else { "guest" };
        let of = &one.of[..16];
        format!(
            "{of}  with {}, you are the {seat}\n  {}",
            Name::clean(&one.peer),
            one.state
        )
    };
    let not_read = |one: &UnreadMatch| {
        let UnreadMatch {
            of, peer, message, ..
        } = one;
        format!(
            "{of}  with {}\n  cannot be read: {message}",
            Name::clean(peer)
        )
    };
    let lines = listed.iter().map(line).chain(unread.iter().map(not_read));
    show(&lines.collect::<Vec<_>>().join("\n"))
}

fn not_read_here(own: &Own, (name, error): &Unread) -> UnreadMatch {
    let (of, peer) = name.split_once('-').unwrap_or((name, ""));
    UnreadMatch {
        of: of.to_owned(),
        peer: peer.strip_suffix(RECORD).unwrap_or(peer).to_owned(),
        log: own.files.shown(name),
        message: format!("{error:#}"),
    }
}

/// Removes the damaged deck of a match and opens the match again, so that the seat forfeits the
/// hand.
fn without_deck(own: &Own, file: MatchFile) -> anyhow::Result<MatchFile> {
    let name = file.name.clone();
    let error = check::<Native>(own, file, system_time()).err();
    let error = error.context("the file of the deck is intact; there is nothing to forfeit")?;
    ensure!(matches!(error.downcast_ref(), Some(PlayError::Deck)), error);
    let removed = own.files.remove_value(&beside(&name, DECK));
    removed.context("cannot remove the deck")?;
    MatchFile::open(own, name)
}
