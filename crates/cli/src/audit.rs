//! `audit`: two players open their inputs to the shuffles of a match that is over.

use std::time::Duration;

use anyhow::{Context, anyhow};
use dealerless_seat::run::{
    AUDIT, AuditExchange, Auditor, INPUTS, NotAuditing, SeatWorld as _, beside, destroy_inputs,
    inputs,
};
use dealerless_table::Seat;
use dealerless_table::record::Record;

use crate::output::{say, show, show_json};
use crate::record::{must_agree, of_file, read};
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
    Your inputs are kept until an audit is made or declined, for at most 30 days after the match.")]
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
    let player = args.own.player(&own, &Posts::default());
    let until = |now: Duration| now.saturating_add(Duration::from_secs(args.timeout));
    let record = file.name.clone();
    let audited = match file.seat() {
        Seat::HOST => {
            let mut open = args.with.door(&own, &file)?;
            player.play(&own, |run_own, now| {
                // The door is answered from now on.
                run_own.world.report(&open.listening());
                open.wait_at_relays(&own, &file.peers());
                let exchange = exchange.waiting(open.door, until(now));
                Ok(Box::new(Auditor::new(record, exchange)))
            })
        }
        _ => {
            let route = args.with.route(&own, file.peer())?;
            player.play(&own, |own, now| {
                let (sockets, keys) = (own.world.sockets(), own.credentials());
                let exchange = exchange.calling(sockets, keys, route, until(now));
                Ok(Box::new(Auditor::new(record, exchange)))
            })
        }
    };
    audited.map_err(|error| match error.is::<NotAuditing>() {
        true => anyhow!("the host is not auditing this match; it must run `dealerless audit` too"),
        false => error,
    })?;
    conclude(&own, &file, args.own.json)
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

/// Reports the outcome of the audit.
fn conclude(own: &Own, file: &MatchFile, json: bool) -> anyhow::Result<()> {
    let path = own.files.path(&file.name);
    let audit = own.files.path(&beside(&file.name, AUDIT));
    let decks = of_file(&Record::read(&read(&path)?, None)?, &audit)?;
    if json {
        show_json("audit", &decks.json())?;
    } else {
        show(&decks.to_string())?;
        let (log, audit) = (path.display(), audit.display());
        say(&format!(
            "\nThe opened inputs of both players are in {audit}. Anybody can check them:\n  dealerless verify \
             {log} --audit {audit}"
        ));
    }
    must_agree(&decks)
}
