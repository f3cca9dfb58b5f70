//! `audit`: two players open their inputs to the shuffles of a match that is over.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow};
use dealerless_connection::{Connection, Happened, Machine, Network, wait_for};
use dealerless_seat::run::{
    AUDIT, AuditExchange, INPUTS, NotAuditing, OpenedInputs, beside, destroy_inputs, inputs,
    keep_audit,
};
use dealerless_table::Seat;
use dealerless_table::audit::Audit;
use dealerless_table::record::Record;

use crate::output::{say, show, show_json};
use crate::record::{must_agree, read, recompute};
use crate::table::open::{self, MatchFile};
use crate::table::{MeetAgainArgs, Own, OwnArgs, Posts};

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

/// Timeout for the other player to receive the last message.
const GOODBYE: Duration = Duration::from_secs(1);

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let own = args.own.open(&args.with.relay)?;
    let file = choose(&own, &args.with.which())?;
    if args.decline {
        let destroyed = destroy_inputs(&own.files, &file.name);
        destroyed.context("cannot remove the file of your inputs")?;
        return if args.own.json {
            show_json("audit decline", &serde_json::json!({ "destroyed": true }))
        } else {
            show("Your inputs are destroyed. This match cannot be audited.")
        };
    }
    let inputs = inputs(&own, &file)?;
    let inputs = inputs.context("cannot open the file of your inputs to the shuffles")?;
    let exchange = AuditExchange::new(&file.opened.log, file.seat(), &inputs)?;
    say(&format!(
        "An audit opens all cards of your match with {}, including those that stayed closed. Both players \
         must run this command. Ctrl-C cancels the audit.",
        file.peer_names()
    ));
    let opened = match file.seat() {
        Seat::HOST => await_guest(args, &own, &file, exchange),
        _ => call_host(args, &own, &file, exchange),
    };
    let (opened, connection) = opened.map_err(|error| match error.is::<NotAuditing>() {
        true => anyhow!("the host is not auditing this match; it must run `dealerless audit` too"),
        false => error,
    })?;
    let kept = keep_audit(&own.files, &file.name, &opened.encode());
    // The other player receives the last message even if this side cannot write its file.
    connection.close(GOODBYE);
    let path = audit_path(&own, &file);
    kept.with_context(|| format!("cannot write {}", path.display()))?;
    conclude(&own, &file, &opened, args.own.json)
}

/// The match that `which` names, or without a name the only match that can be audited.
fn choose(own: &Own, which: &str) -> anyhow::Result<MatchFile> {
    let has_inputs = |file: &MatchFile| own.files.path(&beside(&file.name, INPUTS)).exists();
    let fits = |file: &MatchFile| file.is_over() && has_inputs(file);
    let none = if which.is_empty() {
        "there is no finished match here that can be audited"
    } else {
        "there is no finished match of that name here that can be audited"
    };
    let several = "several matches can be audited; name one";
    open::only_one(own, which, fits, none, several)
}

/// An exchange that the thread of the sockets runs.
struct Exchange(AuditExchange<Arc<Network>>);

impl Machine for Exchange {
    type Made = OpenedInputs<Arc<Network>>;
    type Error = anyhow::Error;

    fn has(&self, socket: u32) -> bool {
        self.0.has(socket)
    }

    fn happened(
        &mut self,
        socket: u32,
        what: Happened<'_>,
        now: Duration,
    ) -> anyhow::Result<Option<Self::Made>> {
        self.0.happened(socket, what, now);
        self.step(now)
    }

    fn step(&mut self, now: Duration) -> anyhow::Result<Option<Self::Made>> {
        self.0.step(now, drop)
    }

    fn timer(&self) -> Duration {
        self.0.timer()
    }
}

/// Runs an exchange. `begin` makes it; its times are that of now, and the deadline for the other player to connect.
fn exchange(
    args: &Args,
    begin: impl FnOnce(&Arc<Network>, Duration, Duration) -> anyhow::Result<AuditExchange<Arc<Network>>>,
) -> anyhow::Result<(Audit, Connection)> {
    let within = Duration::from_secs(args.timeout);
    wait_for(
        |network, now| begin(network, now, now.saturating_add(within)).map(Exchange),
        |network, (opened, line)| (opened, Connection::new(network, line)),
        anyhow::Error::from,
    )
}

fn await_guest(
    args: &Args,
    own: &Own,
    file: &MatchFile,
    begun: AuditExchange<Arc<Network>>,
) -> anyhow::Result<(Audit, Connection)> {
    let mut open = args.with.door(own, file)?;
    let mut player = args.own.player(own, &Posts::default());
    player.tell(&open.listening())?;
    exchange(args, |_, _, until| {
        open.wait_at_relays(own, &file.peers());
        Ok(begun.waiting(open.door, until))
    })
}

fn call_host(
    args: &Args,
    own: &Own,
    file: &MatchFile,
    begun: AuditExchange<Arc<Network>>,
) -> anyhow::Result<(Audit, Connection)> {
    let route = args.with.route(own, file.peer())?;
    let credentials = own.credentials();
    exchange(args, |network, _, until| {
        Ok(begun.calling(network, credentials, route, until))
    })
}

fn audit_path(own: &Own, file: &MatchFile) -> PathBuf {
    own.files.path(&beside(&file.name, AUDIT))
}

/// Reports the outcome of the audit.
fn conclude(own: &Own, file: &MatchFile, opened: &Audit, json: bool) -> anyhow::Result<()> {
    let path = own.files.path(&file.name);
    let bytes = read(&path)?;
    let decks = recompute(&Record::read(&bytes, None)?, opened)?;
    if json {
        show_json("audit", &decks.json())?;
    } else {
        show(&decks.to_string())?;
        let audit = audit_path(own, file);
        let (log, audit) = (path.display(), audit.display());
        say(&format!(
            "\nThe opened inputs of both players are in {audit}. Anybody can check them:\n  dealerless verify \
             {log} --audit {audit}"
        ));
    }
    must_agree(&decks)
}
