//! `resume`: resumes an open match.

use std::time::SystemTime;

use anyhow::{Context, bail, ensure};
use dealerless_connection::identity::Name;
use dealerless_seat::VERSION;
use dealerless_seat::ending::{closed, unsettled_at};
use dealerless_seat::event::Event;
use dealerless_seat::guest::DECLINED;
use dealerless_seat::open_match::{WENT_ON, WENT_ON_WITH_YOU, not_begun, not_resumed};
use dealerless_seat::seated::Seated;
use dealerless_seat::stored::{OpenMatch, UnreadMatch, open_matches};
use dealerless_seat::words::Names;
use dealerless_table::Seat;
use dealerless_table::log::MatchEntry;
use dealerless_table::play::{Control, PlayError};

use crate::failure::AnswerIsNo;
use crate::in_browser::InBrowser;
use crate::output::{show, show_json};
use crate::table::absence;
use crate::table::guests::OtherGuests;
use crate::table::open::{self, Files, MatchFile};
use crate::table::route::relay_of;
use crate::table::stored_match::{self, Meets, SeatContext, StoredMatch};
use crate::table::waiting_room::WaitingRoom;
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
    let files = open::all(&own)?;
    if args.list {
        return list(&files, args.own.json);
    }
    let file = choose(files.open, &args.with.which(), args.own.json)?;
    if args.close {
        let log = file.path.display().to_string();
        let opened = file.close()?;
        let mut player = args.own.player(&own);
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
    let mut player = args.own.player(own);
    player.tell(&Event::Hello { version: VERSION })?;
    let posts = Posts::default();
    posts.break_off_by_signal()?;
    let (peer, of, path) = (file.peer().clone(), file.id(), file.path.clone());
    let meets = match file.seat() {
        Seat::HOST => Meets::At(WaitingRoom::new(args.with.door(own, &file, &mut player)?)),
        _ => {
            let route = args.with.route(own, &peer)?;
            let (listen, relay) = (args.with.listen(), relay_of(&route));
            let guests = OtherGuests::again(own, &file, listen, relay)?;
            Meets::Host(route, guests)
        }
    };
    let around = SeatContext {
        own,
        player,
        posts: &posts,
        meets,
    };
    let stored = StoredMatch::resume(around, file, None)?;
    match stored.play()? {
        None => Ok(()),
        Some((Control::WentOn(of, chips), mut player)) => {
            let remains = absence::tell_went_on(own, path, &of, chips, &mut player)?;
            bail!(AnswerIsNo(if remains { WENT_ON_WITH_YOU } else { WENT_ON }))
        }
        Some((Control::Declined, _)) => bail!(AnswerIsNo(DECLINED)),
        Some(_) => {
            let file = MatchFile::open(own, path)?;
            if !file.is_begun() {
                file.forget()?;
                bail!(not_begun(&of));
            }
            bail!(not_resumed(&of))
        }
    }
}

/// The open match that `which` names, or without a name the only open match that is not closed.
fn choose(files: Vec<MatchFile>, which: &str, json: bool) -> anyhow::Result<MatchFile> {
    let fits = |file: &MatchFile| match which {
        "" => !file.opened.is_closed(),
        _ => file.is_called(which),
    };
    let mut fitting = Files {
        open: files.into_iter().filter(fits).collect(),
        unread: Vec::new(),
    };
    match (fitting.open.len(), which) {
        (1, _) => Ok(fitting.open.remove(0)),
        (0, "") => bail!("there is no open match here"),
        (0, _) => bail!(
            "no open match is called {:?}. A match that was continued without absent players cannot be \
             resumed",
            Name::clean(which).as_str()
        ),
        _ => {
            list(&fitting, json)?;
            bail!("several matches are open; name one")
        }
    }
}

fn list(files: &Files, json: bool) -> anyhow::Result<()> {
    let listed: Vec<OpenMatch> = files.open.iter().map(listed).collect();
    let unread: Vec<UnreadMatch> = files.unread.iter().map(unread).collect();
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

fn unread((file, error): &(MatchEntry, anyhow::Error)) -> UnreadMatch {
    UnreadMatch {
        of: file.match_id.clone(),
        peer: file.peer.clone(),
        log: file.path.display().to_string(),
        message: format!("{error:#}"),
    }
}

fn listed(file: &MatchFile) -> OpenMatch {
    let changed = std::fs::metadata(&file.path).and_then(|metadata| metadata.modified());
    let changed = changed.unwrap_or(SystemTime::UNIX_EPOCH);
    let since = changed.duration_since(SystemTime::UNIX_EPOCH);
    OpenMatch::of(
        &file.opened,
        file.path.display().to_string(),
        since.map_or(0, |since| since.as_secs()),
    )
}

/// Removes the damaged deck of a match and opens the match again, so that the seat forfeits the
/// hand.
fn without_deck(own: &Own, file: MatchFile) -> anyhow::Result<MatchFile> {
    let path = file.path.clone();
    let error = stored_match::check(own, file).err();
    let error = error.context("the file of the deck is intact; there is nothing to forfeit")?;
    ensure!(matches!(error.downcast_ref(), Some(PlayError::Deck)), error);
    std::fs::remove_file(open::deck_file(&path)).context("cannot remove the deck")?;
    MatchFile::open(own, path)
}
