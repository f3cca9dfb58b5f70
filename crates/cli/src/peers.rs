//! `peers`: the known players, and how many attempts with them failed.

use std::time::{Duration, SystemTime};

use anyhow::Context;
use dealerless_connection::identity::{Fingerprint, KnownPeers, Peer};
use dealerless_seat::stored::{self, KnownPlayer};
use dealerless_seat::words::counted;
use serde::Serialize;

use crate::output::{count, show, show_json};
use crate::table::{FolderArgs, is_in_use};

/// Lists the players you have met, forgives or blocks one, or follows one to a new identity.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless peers\n  \
    dealerless peers forgive Bert\n  \
    dealerless peers block Bert\n  \
    dealerless peers follow dealerless-succession1-...")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    folder: FolderArgs,
    /// Print one JSON object; everything else goes to standard error.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Allows playing again with someone whose attempts are used up, or who failed a check.
    ///
    /// A failed attempt may have been an attempt to cheat. Each time you forgive a player, the
    /// player gets the full number of attempts again. Each doubling of the total number costs one
    /// bit of security.
    Forgive {
        /// The name or the fingerprint.
        #[arg(value_name = "NAME")]
        whom: String,
    },
    /// Blocks a player: `host` declines them without asking, and `join` refuses.
    ///
    /// A blocked player is told the same as any player whom you do not accept. An open match with a
    /// blocked player continues only with `resume`.
    Block {
        /// The name or the fingerprint.
        #[arg(value_name = "NAME")]
        whom: String,
    },
    /// Unblocks a player.
    Unblock {
        /// The name or the fingerprint.
        #[arg(value_name = "NAME")]
        whom: String,
    },
    /// Follows a known player to the new identity of a new machine.
    ///
    /// The old identity has signed the statement, so it does not matter who sends the statement.
    /// The counts of the old keys carry over to the new keys, and the old keys are refused.
    Follow {
        /// The line that `dealerless identity statement` prints, or a file with it.
        #[arg(value_name = "STATEMENT|FILE", required = true)]
        statement: Vec<String>,
    },
}

/// The changed peer in the JSON output.
#[derive(Serialize)]
struct Changed<'a> {
    peer: KnownPlayer<'a>,
}

impl<'a> Changed<'a> {
    fn of(peer: &'a Peer) -> Self {
        Changed {
            peer: KnownPlayer::of(peer),
        }
    }
}

/// The error if the folder is in use: the program that plays writes its own counts into the list.
const IN_USE: &str = "the list of players is in use. End the program that is playing or waiting, and run this again \
                      (an interrupted match can be resumed)";

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let Some(command) = &args.command else {
        let (own, peers) = args.folder.look()?;
        return list(own, &peers, args.json);
    };
    let home = args.folder.open().map_err(|error| {
        if is_in_use(&error) {
            error.context(IN_USE)
        } else {
            error
        }
    })?;
    let peers = home.known_peers().context("cannot read the known peers")?;
    let mut peers = peers.lock();
    match command {
        Command::Follow { statement } => follow(&mut peers, &statement.join(" "), args.json),
        Command::Block { whom } => block(&mut peers, whom, true, args.json),
        Command::Unblock { whom } => block(&mut peers, whom, false, args.json),
        Command::Forgive { whom } => {
            let peer = peers.find(whom)?.clone();
            peers.forgive(&peer.identity)?;
            if args.json {
                let peer = peers.get(&peer.identity).unwrap_or(&peer);
                return show_json("peers forgive", &Changed::of(peer));
            }
            show(&format!(
                "{} is forgiven: {} attempts, {} failed checks.",
                peer.name,
                count(peer.attempts),
                peer.failed_checks
            ))
        }
    }
}

fn block(peers: &mut KnownPeers, whom: &str, blocked: bool, json: bool) -> anyhow::Result<()> {
    let peer = peers.find(whom)?.clone();
    peers.block(&peer.identity, blocked)?;
    let (command, now) = if blocked {
        ("peers block", "now blocked")
    } else {
        ("peers unblock", "no longer blocked")
    };
    if json {
        let peer = peers.get(&peer.identity).unwrap_or(&peer);
        return show_json(command, &Changed::of(peer));
    }
    show(&format!("{} is {now}.", peer.name))
}

fn follow(peers: &mut KnownPeers, statement: &str, json: bool) -> anyhow::Result<()> {
    let succession = crate::identity::statement(statement)?;
    peers
        .follow(&succession)
        .context("cannot follow this statement")?;
    let peer = peers
        .get(succession.current())
        .context("the statement names no known player")?;
    if json {
        return show_json("peers follow", &Changed::of(peer));
    }
    show(&format!(
        "{} is now known as {}. The old keys are refused.",
        peer.name,
        peer.identity.fingerprint()
    ))
}

fn list(own: Fingerprint, peers: &[Peer], json: bool) -> anyhow::Result<()> {
    if json {
        return show_json("peers", &stored::peers(own, peers));
    }
    show(&format!("Your fingerprint: {own}"))?;
    show(&lines(peers))
}

/// The peers as text for people.
fn lines(peers: &[Peer]) -> String {
    if peers.is_empty() {
        return "You have not met anybody yet.".into();
    }
    let lines = peers.iter().map(|peer| {
        let at = match peer.addresses.first() {
            Some(address) => format!(", last at {address}"),
            None => String::new(),
        };
        let blocked = if peer.blocked { "   blocked" } else { "" };
        let olds = peer.before.iter().rev();
        let olds: String = olds
            .map(|old| format!("\n  succeeds {}", old.fingerprint()))
            .collect();
        format!(
            "\n{}   {}{blocked}{olds}\n  {}, last met {}{at}\n  failed attempts: {} \
             ({} in a row), failed checks: {}, forgiven: {}",
            peer.name,
            peer.identity.fingerprint(),
            counted(peer.hands, "hand"),
            ago(peer.last_seen),
            count(peer.attempts),
            peer.in_a_row,
            peer.failed_checks,
            peer.forgiven
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The age of a time, which is given in seconds since 1970.
fn ago(seconds: u64) -> String {
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.min(1 << 40));
    let passed = SystemTime::now().duration_since(then).unwrap_or_default();
    match passed.as_secs() / 60 {
        0 => "just now".into(),
        minutes @ 1..120 => format!("{minutes} min ago"),
        minutes if minutes < 2 * 1440 => format!("{} h ago", minutes / 60),
        minutes => format!("{} days ago", minutes / 1440),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_use_a_short_unit() {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let now = now.unwrap().as_secs();
        assert_eq!(ago(now), "just now");
        assert_eq!(ago(now - 600), "10 min ago");
        assert_eq!(ago(now - 3 * 3600), "3 h ago");
        assert_eq!(ago(now - 9 * 86_400), "9 days ago");
        assert_eq!(ago(u64::MAX), "just now");
    }
}
