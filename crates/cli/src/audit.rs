//! `audit`: two players open their inputs to the shuffles of a match that is over.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use dealerless_connection::storage::{DiskStorage, Storage};
use dealerless_connection::{Connection, ConnectionError, Guest, Stream, Timing};
use dealerless_table::Seat;
use dealerless_table::audit::{Audit, Auditing};
use dealerless_table::play::Control;
use dealerless_table::record::Record;

use crate::output::{say, show, show_json};
use crate::record::{must_agree, read, recompute};
use crate::table::open::{self, MatchFile, audit_file, inputs_file};
use crate::table::route::relay_of;
use crate::table::waiting_room::{RoomEvent, WaitingRoom};
use crate::table::{MeetAgainArgs, Own, OwnArgs, sit};

/// Opens both players' inputs to the shuffles of a match that is over, and recomputes every deck.
///
/// Both players run this command. It reveals every card of the match, including mucked cards and
/// cards that were never dealt, so it needs the consent of both. The opened inputs are stored next
/// to the record. Anybody can check them with `dealerless verify FILE --audit AUDIT`.
///
/// If a deck does not match an opened card, one of the two players has lied; nobody can tell which.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless audit Bert\n  \
    dealerless audit 3f2a9c0d --at 192.0.2.1:5252\n  \
    dealerless audit Bert --decline\n\n\
    Your inputs are kept until an audit is made or declined, for at most 30 days.")]
pub(crate) struct Args {
    #[command(flatten)]
    with: MeetAgainArgs,
    /// Destroy your inputs, so that this match cannot be audited.
    #[arg(long)]
    decline: bool,
    /// Seconds to wait for the other player.
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    timeout: u64,
    #[command(flatten)]
    own: OwnArgs,
}

/// Timeout for the other player to open the inputs of one try.
const ONE_TRY: Duration = Duration::from_secs(60);
/// Pause between two calls to a host that does not answer.
const PAUSE: Duration = Duration::from_secs(1);

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let own = args.own.open(&args.with.relay)?;
    let file = choose(&own, &args.with.which())?;
    if args.decline {
        let path = inputs_file(&file.path);
        std::fs::remove_file(path).context("cannot remove the file of your inputs")?;
        return if args.own.json {
            show_json("audit decline", &serde_json::json!({ "destroyed": true }))
        } else {
            show("Your inputs are destroyed. This match cannot be audited.")
        };
    }
    let mut auditing = begin(&own, &file)?;
    say(&format!(
        "An audit opens all cards of your match with {}, including those that stayed closed. Both players \
         must run this command. Ctrl-C cancels the audit.",
        file.peer_names()
    ));
    let deadline = Instant::now() + Duration::from_secs(args.timeout);
    let connection = match file.seat() {
        Seat::HOST => await_guest(args, &own, &file, deadline)?,
        _ => call_host(args, &own, &file, deadline)?,
    };
    let opened = exchange(&mut auditing, &connection)?;
    connection.close(PAUSE);
    conclude(&file, &opened, args.own.json)
}

/// The match that `which` names, or without a name the only match that can be audited.
fn choose(own: &Own, which: &str) -> anyhow::Result<MatchFile> {
    let fits = |file: &MatchFile| file.is_over() && inputs_file(&file.path).exists();
    let none = if which.is_empty() {
        "there is no finished match here that can be audited"
    } else {
        "there is no finished match of that name here that can be audited"
    };
    let several = "several matches can be audited; name one";
    open::only_one(own, which, fits, none, several)
}

fn begin(own: &Own, file: &MatchFile) -> anyhow::Result<Auditing> {
    let inputs = file.inputs(own)?;
    Ok(Auditing::new(&file.opened.log, file.seat(), &inputs)?)
}

fn await_guest(
    args: &Args,
    own: &Own,
    file: &MatchFile,
    deadline: Instant,
) -> anyhow::Result<Connection> {
    let mut room = WaitingRoom::new(args.with.door(own, file, &mut args.own.player(own))?);
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        ensure!(!left.is_zero(), "the other player did not connect in time");
        match room.next(left) {
            Some(RoomEvent::Connected(connection)) => room.admit(connection, None),
            Some(RoomEvent::Request(connection, request, _)) => {
                if connection.met.peer == *file.peer() && request == Control::Audit(file.id()) {
                    return Ok(*connection);
                }
                room.decline(connection, Control::Unknown(file.id()));
            }
            _ => {}
        }
    }
}

fn call_host(
    args: &Args,
    own: &Own,
    file: &MatchFile,
    deadline: Instant,
) -> anyhow::Result<Connection> {
    let route = args.with.route(own, file.peer())?;
    let guest = Guest {
        identity: own.home.identity(),
        name: &own.name,
        timing: Timing::default(),
    };
    loop {
        match guest.join_again(file.peer(), &route.addresses, relay_of(&route)) {
            Ok(connection) => {
                sit::send(&connection, Control::Audit(file.id()))?;
                return Ok(connection);
            }
            Err(error) => ensure!(Instant::now() < deadline, error),
        }
        std::thread::sleep(PAUSE);
    }
}

/// Exchanges all openings with the peer, try by try.
fn exchange(auditing: &mut Auditing, connection: &Connection) -> anyhow::Result<Audit> {
    let mut received = false;
    loop {
        let sent = send_all(auditing, connection);
        if let Some(opened) = auditing.opened() {
            sent?;
            return Ok(opened);
        }
        // Messages that the peer sent before it disconnected come first.
        let message = connection.recv(ONE_TRY)?;
        if !std::mem::replace(&mut received, true) && Control::decode(&message.bytes).is_some() {
            bail!("the host is not auditing this match; it must run `dealerless audit` too");
        }
        match message.stream {
            Stream::Control => auditing.hear(&message.bytes)?,
            _ => Err(ConnectionError::Broken(
                "a message that is not part of an audit",
            ))?,
        }
    }
}

fn send_all(auditing: &mut Auditing, connection: &Connection) -> Result<(), ConnectionError> {
    while let Some(message) = auditing.say() {
        connection.send_control(message)?;
    }
    Ok(())
}

/// Writes a file that only its owner can read.
fn keep(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // An interrupted audit may have left a partial file.
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = DiskStorage::create(path)?;
    file.append(bytes)?;
    file.sync()
}

/// Stores the opened inputs, and reports the outcome of the audit.
fn conclude(file: &MatchFile, opened: &Audit, json: bool) -> anyhow::Result<()> {
    let path = audit_file(&file.path);
    keep(&path, &opened.encode()).with_context(|| format!("cannot write {}", path.display()))?;
    // The audit file contains the inputs now.
    std::fs::remove_file(inputs_file(&file.path))
        .context("cannot remove the file of your inputs")?;
    let bytes = read(&file.path)?;
    let decks = recompute(&Record::read(&bytes, None)?, opened)?;
    if json {
        show_json("audit", &decks.json())?;
    } else {
        show(&decks.to_string())?;
        let (log, audit) = (file.path.display(), path.display());
        say(&format!(
            "\nThe opened inputs of both players are in {audit}. Anybody can check them:\n  dealerless verify \
             {log} --audit {audit}"
        ));
    }
    must_agree(&decks)
}
