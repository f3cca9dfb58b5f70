//! `audit`: two players open what they entered into the shuffles of a match that is over.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use dealerless_table::Seat;
use dealerless_table::audit::{Audit, Auditing};
use dealerless_table::connection::{Connection, ConnectionError, Guest, Stream, Timing};
use dealerless_table::log::{DiskStorage, Storage};
use dealerless_table::play::Control;
use dealerless_table::record::Record;

use crate::output::{say, show, show_json};
use crate::record::{Decks, read};
use crate::table::hearing::{Comes, Hearing};
use crate::table::open::{self, MatchFile, audit_file, inputs_file};
use crate::table::{MeetAgainArgs, Own, OwnArgs, sit};

/// Opens, with the other player, what both entered into the shuffles of a match that is over, and
/// computes every deck anew.
///
/// Both players run this. It shows every card of the match, also those that were mucked or never
/// dealt, so it is never done without you. What both have opened is kept beside the record, and
/// `dealerless verify FILE --audit AUDIT` checks it for anybody.
///
/// If a deck does not agree with a card that was opened, one of the two has lied; nobody can tell
/// which.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless audit Bert\n  \
    dealerless audit 3f2a9c0d --at 192.0.2.1:5252\n  \
    dealerless audit Bert --decline\n\n\
    What you entered is kept until an audit was made or declined, or for 30 days.")]
pub(crate) struct Args {
    #[command(flatten)]
    with: MeetAgainArgs,
    /// Destroy what you entered: there will be no audit of this match.
    #[arg(long)]
    decline: bool,
    /// Give up after so many seconds in which the other player did not come.
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    timeout: u64,
    #[command(flatten)]
    own: OwnArgs,
}

/// How long the other may take to open one try.
const ONE_TRY: Duration = Duration::from_secs(60);
/// Between two calls to a host that is not there.
const PAUSE: Duration = Duration::from_secs(1);

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let own = args.own.open()?;
    let file = choose(&own, &args.with.which())?;
    if args.decline {
        let path = inputs_file(&file.path);
        std::fs::remove_file(path).context("cannot remove what you entered")?;
        return match args.own.json {
            true => show_json("audit decline", &serde_json::json!({ "destroyed": true })),
            false => show("What you entered is destroyed. This match will not be audited."),
        };
    }
    let mut auditing = begin(&own, &file)?;
    say(&format!(
        "This opens all cards of your match with {}, also those that stayed closed. Both of you run \
         this. Ctrl-C ends it.",
        file.peer_name()
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

/// The one that is named, or the only one that can be audited.
fn choose(own: &Own, which: &str) -> anyhow::Result<MatchFile> {
    let fits = |file: &MatchFile| file.is_over() && inputs_file(&file.path).exists();
    let none = match which.is_empty() {
        true => "no match that is over can be audited here",
        false => "no match that is over can be audited here by that name",
    };
    let several = "several matches can be audited: say which";
    open::only_one(own, which, fits, (none, several))
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
    let mut hearing = Hearing::new(args.with.door(own, file, &mut args.own.player(own))?);
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        ensure!(!left.is_zero(), "the other player did not come in time");
        match hearing.next(left) {
            Some(Comes::In(connection)) => hearing.listen(connection, None),
            Some(Comes::Says(connection, word, _)) => {
                if connection.peer == *file.peer() && word == Control::Audit(file.of()) {
                    return Ok(*connection);
                }
                hearing.decline(connection, Control::Unknown(file.of()));
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
    let way = args.with.way(own, file.peer())?;
    let guest = Guest {
        identity: own.home.identity(),
        name: &own.name,
        timing: Timing::default(),
    };
    loop {
        match guest.join_again(file.peer(), &way.addresses, way.relay.as_ref()) {
            Ok(connection) => {
                sit::say(&connection, Control::Audit(file.of()))?;
                return Ok(connection);
            }
            Err(error) => ensure!(Instant::now() < deadline, error),
        }
        std::thread::sleep(PAUSE);
    }
}

/// Opens all to each other, try by try.
fn exchange(auditing: &mut Auditing, connection: &Connection) -> anyhow::Result<Audit> {
    let mut heard = false;
    loop {
        let sent = say_all(auditing, connection);
        if let Some(opened) = auditing.opened() {
            sent?;
            return Ok(opened);
        }
        // What it said before it went comes first.
        let message = connection.recv(ONE_TRY)?;
        if !std::mem::replace(&mut heard, true) && Control::decode(&message.bytes).is_some() {
            bail!("the host audits no match with you now: it has to run `dealerless audit` too");
        }
        match message.stream {
            Stream::Control => auditing.hear(&message.bytes)?,
            _ => Err(ConnectionError::Broken("something else than an audit"))?,
        }
    }
}

fn say_all(auditing: &mut Auditing, connection: &Connection) -> Result<(), ConnectionError> {
    while let Some(message) = auditing.say() {
        connection.send_control(message)?;
    }
    Ok(())
}

/// Writes a file that only its owner may read.
fn keep(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A leftover of an audit that was broken off while it was written.
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = DiskStorage::create(path)?;
    file.append(bytes)?;
    file.sync()
}

/// Keeps what was opened, and says what follows from it.
fn conclude(file: &MatchFile, opened: &Audit, json: bool) -> anyhow::Result<()> {
    let path = audit_file(&file.path);
    keep(&path, &opened.encode()).with_context(|| format!("cannot write {}", path.display()))?;
    // What was opened need not be kept apart any more.
    std::fs::remove_file(inputs_file(&file.path)).context("cannot remove what you entered")?;
    let bytes = read(&file.path)?;
    let decks = Decks::of(&Record::read(&bytes, None)?, opened)?;
    if json {
        show_json("audit", &decks.json())?;
    } else {
        show(&decks.to_string())?;
        let (log, audit) = (file.path.display(), path.display());
        say(&format!(
            "\nWhat both have opened is in {audit}. Anybody can check it:\n  dealerless verify {log} \
             --audit {audit}"
        ));
    }
    Ok(decks.outcome()?)
}
