//! Whether to play with a peer after earlier failures with the same keys.

use std::time::Duration;

use anyhow::bail;
use dealerless_connection::identity::{Name, PublicIdentity};
use dealerless_seat::event::Event;
use dealerless_seat::peers::{self, NotAllowed};

use super::input::TypedLine;
use super::own::Own;
use super::player::Player;
use super::posts::{Early, Post, Posts};

/// The [question](peers::question) before another engine session with this peer.
///
/// # Errors
/// If no further session is allowed.
pub(crate) fn question(
    own: &Own,
    (peer, name): (&PublicIdentity, &Name),
) -> Result<Option<Event>, NotAllowed> {
    peers::question(&own.peers.lock(), peer, name)
}

/// Interval between two checks whether a question has lapsed.
const POLL: Duration = Duration::from_millis(200);

/// Waits until a person types the word `first` or `second`. Returns whether the word is `first`, or
/// `None` if the question has `lapsed`. The end of the input counts as `first`.
///
/// # Errors
/// If the player's input or output has failed.
pub(crate) fn choose(
    first: &str,
    second: &str,
    player: &mut Player,
    posts: &Posts,
    lapsed: impl Fn() -> bool,
) -> anyhow::Result<Option<bool>> {
    player.listen()?;
    player.asks_for_a_word()?;
    while !lapsed() {
        let line = match posts.next(POLL) {
            Some(Early::Typed(line)) => line,
            Some(Early::Post(Post::InputEnded)) => {
                // The match must see the end of the input too.
                posts.put(Post::InputEnded);
                return Ok(Some(true));
            }
            // All other messages are for a match, and no match has begun.
            _ => continue,
        };
        player.typed();
        match line {
            TypedLine::Text(text) if text.trim().eq_ignore_ascii_case(first) => {
                return Ok(Some(true));
            }
            TypedLine::Text(text) if text.trim().eq_ignore_ascii_case(second) => {
                return Ok(Some(false));
            }
            TypedLine::Text(_) | TypedLine::TooLong => player.tell(&Event::Notice {
                text: format!("Type `{first}` or `{second}`."),
            })?,
        }
    }
    Ok(None)
}

/// Returns the question as an error if the player is a bot, which cannot answer.
pub(crate) fn refuse_for_bots(player: &Player, question: &Event) -> anyhow::Result<()> {
    match question {
        Event::AskAgain { message, .. } if player.is_bot() => bail!("{message}"),
        _ => Ok(()),
    }
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
    fn each_answer_to_a_choice_gets_a_prompt() {
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
        for word in ["zz", "New"] {
            assert!(posts.typed(TypedLine::Text(word.into())).is_none());
        }
        let chosen = choose("resume", "new", &mut player, &posts, || false);
        assert_eq!(chosen.unwrap(), Some(false));
        drop(player);
        let mut text = String::new();
        shown.read_to_string(&mut text).unwrap();
        assert_eq!(text, "Which?\n> Type `resume` or `new`.\n> ");
    }
}
