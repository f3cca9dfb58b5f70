//! The questions to a person before a match: whether to sit down, whom to admit, and when to begin.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use dealerless_seat::command::{Complaint, Said};
use dealerless_seat::event::{AtDoor, Event, Refusal};

/// The minimum delay before an empty line counts as an answer. An earlier empty line was probably
/// typed before the question was shown, for example at the end of a pasted invite.
const MIN_DELAY: Duration = Duration::from_millis(500);

/// A question to the player.
pub(super) enum Question {
    /// Whether to sit down on the terms that have been shown since this instant, and more about these terms.
    Sit(Instant, Vec<String>),
    /// Whether to resume the open match with the peer with this fingerprint, in place of a new one.
    Resume(String),
}

/// The player's answer to a question.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Nothing,
    Say(Said),
    /// The player asks for these lines.
    Details(Vec<String>),
}

impl Question {
    /// The open question after an event, if `before` was open before it.
    pub(super) fn after(event: &Event, before: Option<Self>) -> Option<Self> {
        match event {
            Event::AskSit(_) => Some(Question::Sit(Instant::now(), Vec::new())),
            Event::AskTable(offer) => Some(Question::Sit(Instant::now(), offer.details.clone())),
            Event::AskResume { fingerprint, .. } => Some(Question::Resume(fingerprint.clone())),
            Event::Seated(_) => None,
            _ => before,
        }
    }

    /// Parses the answer.
    pub(super) fn answer(&self, text: &str) -> Result<Answer, Complaint> {
        let agree = match (text.trim().to_lowercase().as_str(), self) {
            ("resume", Question::Resume(_)) => true,
            ("new", Question::Resume(_)) => false,
            (_, Question::Resume(_)) => return Err(complaint("type `resume` or `new`")),
            ("y" | "yes", _) => true,
            ("n" | "no" | "q" | "quit", _) => false,
            ("?", Question::Sit(_, details)) => return Ok(Answer::Details(details.clone())),
            ("", Question::Sit(since, _)) if since.elapsed() >= MIN_DELAY => true,
            ("", _) => return Ok(Answer::Nothing),
            _ => return Err(complaint("type y or n")),
        };
        Ok(Answer::Say(match self {
            Question::Sit(..) => Said::Sit { agree },
            Question::Resume(fingerprint) => decided(agree, fingerprint.clone()),
        }))
    }
}

/// The players who wait for the answer of a host, and whether the host has opened a table.
pub(super) struct Door {
    players: Vec<AtDoor>,
    /// When the players were shown. An answer without a name that comes at once was probably meant for somebody else.
    since: Instant,
    /// The names, in small letters, and the fingerprints of all players who were shown.
    seen: HashSet<(String, String)>,
    is_table: bool,
    /// Whether a match is played. Then a player is admitted or declined only by name.
    in_match: bool,
}

impl Door {
    fn in_match(self) -> Self {
        Door {
            in_match: true,
            ..self
        }
    }

    /// Whether the text is a command about the door, during a match.
    pub(super) fn is_meant(text: &str) -> bool {
        let word = text.split_whitespace().next().unwrap_or_default();
        let words = ["accept", "decline", "start", "link"];
        words.contains(&word.to_lowercase().as_str())
    }

    /// The door of a host after an event.
    pub(super) fn after(event: &Event, before: Option<Self>) -> Option<Self> {
        let mut door = match event {
            // Guests come to a table during its matches, too.
            Event::Seated(_) => return before.filter(|door| door.is_table).map(Door::in_match),
            Event::Invite { seats: Some(_), .. } | Event::AtDoor { .. } => {
                before.unwrap_or_else(|| Door {
                    players: Vec::new(),
                    since: Instant::now(),
                    seen: HashSet::new(),
                    is_table: false,
                    in_match: false,
                })
            }
            _ => return before,
        };
        door.since = Instant::now();
        match event {
            Event::AtDoor { players } => {
                let seen = players.iter();
                let seen =
                    seen.map(|player| (player.name.to_lowercase(), player.fingerprint.clone()));
                door.seen.extend(seen);
                door.players = players.clone();
            }
            _ => door.is_table = true,
        }
        Some(door).filter(|door| door.is_table || !door.players.is_empty())
    }

    /// Describes the input that answers.
    pub(super) fn hint(&self) -> Option<String> {
        match &self.players[..] {
            [] => None,
            [_] if !self.in_match => Some("Accept? y or n".into()),
            [first, ..] => Some(format!(
                "Type `accept {name}` or `decline {name}`.",
                name = first.name
            )),
        }
    }

    /// Parses what the player has typed. Returns `None` if the line is empty.
    pub(super) fn answer(&self, text: &str) -> Result<Option<Said>, Complaint> {
        let text = text.trim();
        let (word, whom) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let agree = match (word.to_lowercase().as_str(), &self.players[..]) {
            ("", _) => return Ok(None),
            ("start", _) if self.is_table => return Ok(Some(Said::Start {})),
            ("link", _) if self.is_table => return Ok(Some(Said::LinkNew {})),
            ("accept", _) | ("y" | "yes", [_]) => true,
            ("decline", _) | ("n" | "no", [_]) => false,
            (_, []) => {
                return Err(complaint(
                    "type `start` to begin with those who are here, or `link` for a new link",
                ));
            }
            (_, [_]) => return Err(complaint("type y or n")),
            _ => return Err(complaint("type `accept NAME` or `decline NAME`")),
        };
        if whom.is_empty() && self.since.elapsed() < MIN_DELAY {
            return Err(complaint("the list has just changed; type it again"));
        }
        let whom = whom.trim().to_lowercase();
        // A player who was admitted can be turned away, too.
        let fingerprint = match is_fingerprint(&whom) && !agree {
            true => whom,
            false => self.named(&whom)?.fingerprint.clone(),
        };
        Ok(Some(decided(agree, fingerprint)))
    }

    /// The player with this fingerprint or name in small letters. The only one, if the text is empty. A name that several players have
    /// had here does not count, and a name that looks like a fingerprint never does.
    fn named(&self, whom: &str) -> Result<&AtDoor, Complaint> {
        let is_fingerprint = is_fingerprint(whom);
        let fits = |player: &&AtDoor| match is_fingerprint {
            true => player.fingerprint == whom,
            false => player.name.to_lowercase() == whom,
        };
        let found: Vec<&AtDoor> = match whom {
            "" => self.players.iter().collect(),
            _ => self.players.iter().filter(fits).collect(),
        };
        let [player] = found[..] else {
            return Err(match found.is_empty() {
                true => complaint(format!("{whom:?} is not at the door")),
                false => complaint("several players fit: give the fingerprint of one"),
            });
        };
        let is_other = |(name, fingerprint): &(String, String)| {
            *name == player.name.to_lowercase() && *fingerprint != player.fingerprint
        };
        if !is_fingerprint && self.seen.iter().any(is_other) {
            return Err(complaint(
                "several players with this name have come: give the fingerprint of one",
            ));
        }
        Ok(player)
    }
}

/// Whether a text has the form of a fingerprint.
fn is_fingerprint(text: &str) -> bool {
    text.split('-').map(str::len).eq([4; 6])
}

fn complaint(text: impl Into<String>) -> Complaint {
    (Refusal::NoCommand, text.into())
}

fn decided(agree: bool, fingerprint: String) -> Said {
    match agree {
        true => Said::Accept { fingerprint },
        false => Said::Decline { fingerprint },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_line_accepts_only_a_seat_and_only_after_a_delay() {
        let sits = Answer::Say(Said::Sit { agree: true });
        let sit = |since| Question::Sit(since, vec!["more".into()]);
        let now = Instant::now();
        assert_eq!(sit(now).answer(""), Ok(Answer::Nothing));
        let before = now.checked_sub(MIN_DELAY).unwrap();
        assert_eq!(sit(before).answer(" "), Ok(sits));
        assert!(sit(before).answer("fold").is_err());
        let more = Answer::Details(vec!["more".into()]);
        assert_eq!(sit(before).answer("?"), Ok(more));
    }

    fn door(players: &[(&str, &str)], is_table: bool) -> Door {
        let player = |&(name, fingerprint): &(&str, &str)| AtDoor {
            name: name.into(),
            fingerprint: fingerprint.into(),
            hands: 0,
            message: name.into(),
        };
        Door {
            players: players.iter().map(player).collect(),
            since: Instant::now().checked_sub(MIN_DELAY).unwrap(),
            seen: HashSet::new(),
            is_table,
            in_match: false,
        }
    }

    #[test]
    fn a_host_names_a_player_at_the_door_and_one_alone_needs_no_name() {
        let accepts = |fingerprint: &str| {
            Ok(Some(Said::Accept {
                fingerprint: fingerprint.into(),
            }))
        };
        let declines = |fingerprint: &str| {
            Ok(Some(Said::Decline {
                fingerprint: fingerprint.into(),
            }))
        };
        let one = door(&[("Bert", "aa-bb")], false);
        assert_eq!(one.answer("y"), accepts("aa-bb"));
        assert_eq!(one.answer("no"), declines("aa-bb"));
        assert_eq!(one.answer("accept"), accepts("aa-bb"));
        assert_eq!(one.answer(" "), Ok(None));
        assert!(one.answer("start").is_err());
        let changed = Door {
            since: Instant::now(),
            ..door(&[("Bert", "aa-bb")], false)
        };
        assert!(changed.answer("y").is_err() && changed.answer("accept").is_err());
        assert_eq!(changed.answer("accept Bert"), accepts("aa-bb"));
        let many = door(
            &[
                ("Bert", "aa-bb"),
                ("Cleo van Dam", "cc-dd"),
                ("bert", "ee-ff"),
            ],
            true,
        );
        assert_eq!(many.answer("accept cleo van dam"), accepts("cc-dd"));
        for unclear in ["y", "accept", "accept Bert", "accept Dora", "call"] {
            assert!(many.answer(unclear).is_err(), "{unclear}");
        }
        assert_eq!(many.answer("START"), Ok(Some(Said::Start {})));
        assert_eq!(many.answer("link"), Ok(Some(Said::LinkNew {})));
        assert_eq!(door(&[], true).answer("start"), Ok(Some(Said::Start {})));
        // During a match, `y` and the like are about the match.
        assert!(Door::is_meant("Accept Bert") && Door::is_meant("link"));
        assert!(!Door::is_meant("y") && !Door::is_meant("call") && !Door::is_meant(""));
        let hint = door(&[("Bert", "aa-bb")], true).in_match().hint();
        assert_eq!(hint.unwrap(), "Type `accept Bert` or `decline Bert`.");
        // A name that is the fingerprint of another player, and one that another player had before.
        let fingerprint = "z232-qrvz-sg8y-6yse-rgbd-gh3f";
        let posing = door(&[(fingerprint, "rkbs-g6y6-dd2p-cz76-594p-b6yy")], true);
        assert!(posing.answer(&format!("accept {fingerprint}")).is_err());
        let turned_away = posing.answer(&format!("decline {fingerprint}"));
        assert_eq!(turned_away, declines(fingerprint));
        let mut again = door(&[("Bert", fingerprint)], true);
        again
            .seen
            .insert(("bert".into(), "rkbs-g6y6-dd2p-cz76-594p-b6yy".into()));
        assert!(again.answer("accept bert").is_err());
        let by_fingerprint = again.answer(&format!("accept {fingerprint}"));
        assert_eq!(by_fingerprint, accepts(fingerprint));
    }
}
