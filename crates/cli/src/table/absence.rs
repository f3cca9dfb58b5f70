//! A match that the host continues without absent seats, and the calls to the absent players before that.

use std::time::Duration;

use anyhow::Context;
use dealerless_connection::identity::{Fingerprint, PublicIdentity};
use dealerless_native::{Input, Native};
use dealerless_seat::event::Event;
use dealerless_seat::run::{self, Absentees, in_words, kept_listeners, settled};
use dealerless_table::Seat;
use dealerless_table::log::Past;

use super::door::OpenDoor;
use super::input::TypedLine;
use super::open::MatchFile;
use super::own::Own;
use super::player::Player;
use super::posts::{Early, Posts};
use crate::failure::AnswerIsNo;

/// An open match that the host continues without absent players.
pub(crate) struct Settling {
    pub(crate) past: Past,
    absent: Vec<Seat>,
    /// The settlement in words.
    text: String,
    file: String,
}

impl Settling {
    /// The end of the match before, and if it is open, its settlement.
    pub(crate) fn of(before: &MatchFile) -> anyhow::Result<(Past, Option<Self>)> {
        if before.is_over() {
            let past = Past::of(&before.opened.log).context("the match cannot be continued")?;
            return Ok((past, None));
        }
        let end = settled(before)?;
        let settling = Settling {
            text: in_words(before, &end),
            past: end.past,
            absent: end.absent,
            file: before.name.clone(),
        };
        Ok((settling.past.clone(), Some(settling)))
    }

    /// Tries to reach the absent players, at the door of the open match if its address is still free.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub(crate) fn try_to_reach(
        &self,
        own: &Own,
        run_own: &run::Own<Native>,
        now: Duration,
    ) -> anyhow::Result<Absentees<Native>> {
        let file = MatchFile::open(own, self.file.clone())?;
        let door = old_door(own, &file).map(|open| open.door);
        Ok(Absentees::of_host(run_own, &file, &self.absent, door, now))
    }

    /// Shows the settlement. Asks a person whether to continue with it; a program has named the match.
    ///
    /// # Errors
    /// If the answer is no.
    pub(crate) fn confirm(&self, player: &mut Player, posts: &Posts) -> anyhow::Result<()> {
        let text = format!(
            "{} From the first signature in the next match on, this match cannot be resumed.",
            self.text
        );
        player.tell(&Event::notice(&text))?;
        if !player.is_person() {
            return Ok(());
        }
        player.tell(&Event::notice(
            "Type `continue` to continue without them, or `stop` to leave the match open.",
        ))?;
        match continues(player, posts)? {
            true => Ok(()),
            false => Err(AnswerIsNo("The match stays open.").into()),
        }
    }
}

/// Waits until a person types `stop` or `continue`. The end of the input counts as `stop`.
///
/// # Errors
/// If the player's input or output has failed.
fn continues(player: &mut Player, posts: &Posts) -> anyhow::Result<bool> {
    player.listen()?;
    player.asks_for_a_word()?;
    loop {
        let line = match posts.next() {
            Early::Typed(line) => line,
            Early::Input(Input::Ended) => return Ok(false),
            // It is for a match, and no match has begun.
            Early::Input(_) => continue,
        };
        player.typed();
        match line {
            TypedLine::Text(text) if text.trim().eq_ignore_ascii_case("stop") => return Ok(false),
            TypedLine::Text(text) if text.trim().eq_ignore_ascii_case("continue") => {
                return Ok(true);
            }
            _ => player.tell(&Event::notice("Type `stop` or `continue`."))?,
        }
    }
}

/// The keys of the players who may continue the match `before` without an invite: those who sat there
/// and are not missing, and the known players who were away and have chips.
pub(crate) fn returning(own: &Own, before: &MatchFile, past: &Past) -> Vec<PublicIdentity> {
    let missing = past.without.iter().filter_map(|seat| past.player(*seat));
    let missing: Vec<Fingerprint> = missing.map(|(player, _)| player).collect();
    let away = |peer: &PublicIdentity| {
        let mut away = past.players.iter().skip(past.seats);
        away.any(|member| member.player == peer.fingerprint() && member.chips > 0)
    };
    let peers = own.peers.lock();
    let known = peers.peers().iter().filter(|peer| !peer.blocked);
    let known = known.map(|peer| peer.identity.clone()).filter(away);
    let seated = before.peers().into_iter();
    let seated = seated.filter(|peer| !missing.contains(&peer.fingerprint()));
    seated.chain(known).collect()
}

/// The door of the open match, if its address is still free.
fn old_door(own: &Own, file: &MatchFile) -> Option<OpenDoor> {
    let kept = kept_listeners(own, &file.name).ok().flatten()?;
    let header = file.opened.sitting.match_info.header().clone();
    OpenDoor::open(own, &header.into(), &kept).ok()
}

#[cfg(test)]
mod tests {
    use std::io::{self, Read};
    use std::sync::{Arc, Mutex};

    use super::super::cards::{Colours, Ink, Style};
    use super::super::player::Face;
    use super::super::screen::Screen;
    use super::*;

    #[test]
    fn each_answer_to_the_question_gets_a_prompt() {
        let (mut shown, output) = io::pipe().unwrap();
        let ink = Ink {
            style: Style::Letters,
            colours: Colours::None,
        };
        let screen = Screen::new(Box::new(output), ink, Some(|| 80));
        let mut player = Player::new(
            Face::Screen(Arc::new(Mutex::new(screen))),
            None,
            Box::new(io::empty()),
        );
        let question = Event::Notice {
            text: "Which?".into(),
        };
        player.tell(&question).unwrap();
        let posts = Posts::default();
        for word in ["zz", "Continue"] {
            assert!(posts.typed(TypedLine::Text(word.into())).is_none());
        }
        assert!(continues(&mut player, &posts).unwrap());
        drop(player);
        let mut text = String::new();
        shown.read_to_string(&mut text).unwrap();
        assert_eq!(text, "Which?\n> Type `stop` or `continue`.\n> ");
    }
}
