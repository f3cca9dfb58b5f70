//! Whether to play with somebody, after what went wrong with their keys before.

use std::time::Duration;

use anyhow::bail;
use dealerless_table::{Budget, PublicIdentity, Standing};

use super::command::Said;
use super::event::{Event, Refusal};
use super::own::Own;
use super::player::{Player, Wish};
use super::posts::{Post, Posts};
use crate::failure::BrokenOff;

/// What the player is to be asked before there is another session of the engine with these keys;
/// none if nothing.
///
/// # Errors
/// If there must be none.
pub(crate) fn question(
    own: &Own,
    (peer, name): (&PublicIdentity, &str),
) -> anyhow::Result<Option<Event>> {
    let fingerprint = peer.fingerprint();
    match own.peers.lock().standing(peer, Budget::default()) {
        Standing::Fine => Ok(None),
        Standing::Ask {
            in_a_row,
            failed_checks,
        } => Ok(Some(Event::AskAgain {
            in_a_row,
            failed_checks,
            message: format!(
                "{in_a_row} attempts in a row with {name} did not end well, and {failed_checks} \
                 checks failed: a bad line, or tries to cheat. To forget them for good, run: \
                 dealerless peers forgive {fingerprint}"
            ),
        })),
        Standing::Refuse { attempts } => bail!(
            "{name} is not played with: {attempts} attempts did not end well, which is all that may. \
             To allow as many again, which costs a bit of security, run: dealerless peers forgive \
             {fingerprint}"
        ),
        _ => bail!("{name} is not played with"),
    }
}

/// Asks the player, if there is something to ask, before anybody sits at a table.
///
/// # Errors
/// If there must be no session, or the player does not want one. A bot never does.
pub(crate) fn ask(
    own: &Own,
    peer: (&PublicIdentity, &str),
    player: &mut Player,
    posts: &Posts,
) -> anyhow::Result<()> {
    let Some(question) = question(own, peer)? else {
        return Ok(());
    };
    refuse_for_bots(player, &question)?;
    player.tell(&question)?;
    player.listen(posts)?;
    loop {
        // What else comes belongs to no match yet.
        let Some(Post::Typed(line)) = posts.next(Duration::from_secs(3600)) else {
            continue;
        };
        let refused = match player.read(line) {
            Ok(Wish::Say(Said::Again {}, _)) => return Ok(()),
            Ok(Wish::BreakOff | Wish::Say(Said::Leave {}, _)) => return Err(BrokenOff.into()),
            Ok(Wish::Nothing) => continue,
            Ok(Wish::Say(..)) => (Refusal::NotAllowed, "only `again` goes on".to_owned()),
            Err(complaint) => complaint,
        };
        player.tell(&Event::refused(refused.0, refused.1))?;
    }
}

/// A bot has nobody to ask.
pub(crate) fn refuse_for_bots(player: &Player, question: &Event) -> anyhow::Result<()> {
    match question {
        Event::AskAgain { message, .. } if player.is_bot() => bail!("{message}"),
        _ => Ok(()),
    }
}
