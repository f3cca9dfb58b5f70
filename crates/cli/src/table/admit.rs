//! Admission to a host's table. The host's player is asked about each peer that was not invited,
//! once, and about one peer at a time.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use dealerless_connection::Connection;
use dealerless_connection::identity::{Fingerprint, PublicIdentity};
use dealerless_seat::command::{Complaint, Said, not_asked};
use dealerless_seat::event::{Event, Refusal};
use dealerless_seat::guest::ANSWER;
use dealerless_seat::words::counted;
use dealerless_table::log::MatchId;
use dealerless_table::play::Control;

use super::own::Own;
use super::player::Player;
use super::posts::{Early, Post, Posts};
use super::standing;
use super::waiting_room::WaitingRoom;
/// Poll interval for the player's answer.
const POLL: Duration = Duration::from_millis(50);

/// Decides which peers sit down at a host's table.
pub(crate) struct Admission<'a> {
    own: &'a Own,
    posts: &'a Posts,
    /// The guests of the invites, the peer of `--for` and the players of the match before. The player is asked about an expected peer
    /// only if too many earlier attempts with that peer failed.
    expected: Vec<PublicIdentity>,
    /// The peers that the player was asked about.
    asked: HashSet<Fingerprint>,
    /// The peers for which [`is_news`](Self::is_news) has returned `true`.
    reported: HashSet<Fingerprint>,
    question: Option<Question>,
}

/// The pending question about the peer of this connection.
struct Question {
    connection: Box<Connection>,
    wants: Wants,
    until: Instant,
}

/// The request of a peer at the door.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wants {
    /// Begin a match.
    ToPlay,
    /// Resume this open match.
    ToResume(MatchId),
}

impl<'a> Admission<'a> {
    pub(crate) fn new(own: &'a Own, posts: &'a Posts, expected: Vec<PublicIdentity>) -> Self {
        Admission {
            own,
            posts,
            expected,
            asked: HashSet::new(),
            reported: HashSet::new(),
            question: None,
        }
    }

    /// Lets this peer sit down without a question.
    pub(crate) fn expect(&mut self, peer: &PublicIdentity) {
        if !self.expects(peer) {
            self.expected.push(peer.clone());
        }
    }

    pub(crate) fn expects(&self, peer: &PublicIdentity) -> bool {
        self.expected.contains(peer)
    }

    /// Whether the player must be asked before this peer sits down.
    ///
    /// # Errors
    /// If the peer must not sit down, or a bot would have to be asked about an expected peer.
    pub(crate) fn asks_about(
        &self,
        connection: &Connection,
        player: &Player,
    ) -> anyhow::Result<bool> {
        if !self.expects(&connection.met.peer) {
            return Ok(true);
        }
        let question =
            standing::question(self.own, (&connection.met.peer, &connection.met.peer_name))?;
        if let Some(question) = &question {
            standing::refuse_for_bots(player, question)?;
        }
        Ok(question.is_some())
    }

    /// Whether to report to the player that this peer came and did not sit down. A peer that is not
    /// expected is reported once.
    pub(crate) fn is_news(&mut self, peer: &PublicIdentity) -> bool {
        self.expects(peer) || self.reported.insert(peer.fingerprint())
    }

    /// The time until the next poll of the question.
    pub(crate) fn due(&self) -> Duration {
        match self.question {
            Some(_) => POLL,
            // Not `Duration::MAX`, which would overflow the clock.
            None => Duration::from_secs(3600),
        }
    }

    /// Asks the player whether the peer of `connection` may sit down. The peer is declined at once
    /// if the player is a bot, was already asked about this peer, or is being asked about another
    /// peer. The last two cases do not apply to an expected peer: the player is asked until the
    /// answer is no, and a question about an unexpected peer lapses.
    ///
    /// # Errors
    /// If the player's input or output has failed.
    pub(crate) fn ask(
        &mut self,
        connection: Box<Connection>,
        wants: Wants,
        warning: Option<String>,
        room: &mut WaitingRoom,
        player: &mut Player,
    ) -> anyhow::Result<()> {
        let expected = self.expects(&connection.met.peer);
        if let Some(question) = &mut self.question {
            // The peer has lost its connection and has connected again.
            if question.connection.met.peer == connection.met.peer && question.wants == wants {
                question.connection = connection;
                return Ok(());
            }
            let asked = question.connection.met.peer.clone();
            if !expected || self.expects(&asked) {
                room.decline(connection, Control::Taken);
                return Ok(());
            }
            let why = "A player that you expect has arrived.";
            self.lapse(Control::Taken, why, room, player)?;
        }
        let known = (&connection.met.peer, &connection.met.peer_name);
        let standing = standing::question(self.own, known);
        let first = self.asked.insert(connection.met.peer.fingerprint()) || expected;
        let (Ok(standing), true) = (standing, first && !player.is_bot()) else {
            room.decline(connection, Control::Declined);
            return Ok(());
        };
        if let Some(text) = warning {
            player.tell(&Event::Notice { text })?;
        }
        player.tell(&self.announced(&connection, wants, standing))?;
        player.listen()?;
        let until = Instant::now() + ANSWER;
        self.question = Some(Question {
            connection,
            wants,
            until,
        });
        Ok(())
    }

    /// The event that announces the peer at the door, by the name under which it is known. It
    /// includes any earlier failures with the peer.
    fn announced(&self, connection: &Connection, wants: Wants, standing: Option<Event>) -> Event {
        let peers = self.own.peers.lock();
        let known = peers.get(&connection.met.peer);
        let name = known.map_or(&connection.met.peer_name, |known| &known.name);
        let hands = known.map_or(0, |known| known.hands);
        let fingerprint = connection.met.peer.fingerprint().to_string();
        let alias = if *name == connection.met.peer_name {
            String::new()
        } else {
            format!(", calling itself {},", connection.met.peer_name)
        };
        let wants = match wants {
            Wants::ToPlay => "play",
            Wants::ToResume(_) => "resume your open match",
        };
        let before = match standing {
            Some(Event::AskAgain { message, .. }) => format!(". {message}"),
            _ => String::new(),
        };
        Event::AskAdmit {
            message: format!(
                "{name} (fingerprint {fingerprint}, {} played with you){alias} is at the door and wants \
                 to {wants}{before}",
                counted(hands, "hand")
            ),
            name: name.as_str().to_owned(),
            fingerprint,
            hands,
        }
    }

    /// Polls the open question. Returns the connection and the request of the peer if the player
    /// accepts it.
    ///
    /// # Errors
    /// If the player's output has failed.
    pub(crate) fn accepted(
        &mut self,
        room: &mut WaitingRoom,
        player: &mut Player,
    ) -> anyhow::Result<Option<(Box<Connection>, Wants)>> {
        let Some(question) = &self.question else {
            return Ok(None);
        };
        if question.connection.ended().is_some() {
            self.lapse(Control::Declined, "The player has left.", room, player)?;
        } else if Instant::now() >= question.until {
            let why = "You did not answer in time.";
            self.lapse(Control::Declined, why, room, player)?;
        }
        while let Some(question) = &self.question
            && let Some(early) = self.posts.take()
        {
            let connection = match early {
                Early::Typed(connection) => connection,
                Early::Post(Post::InputEnded) => {
                    // The code that runs after this question must see the end of the input too.
                    self.posts.put(Post::InputEnded);
                    let why = "Nobody is there to answer.";
                    self.lapse(Control::Declined, why, room, player)?;
                    break;
                }
                Early::Post(_) => continue,
            };
            let said = player.read(connection);
            match said.and_then(|said| answer_about(&question.connection.met.peer, said)) {
                Ok(None) => {}
                Ok(Some(true)) => {
                    let accepted = self.question.take();
                    return Ok(accepted.map(|question| (question.connection, question.wants)));
                }
                Ok(Some(false)) => {
                    // The player is not asked again about this peer, even if it was expected.
                    let peer = question.connection.met.peer.clone();
                    self.expected.retain(|expected| *expected != peer);
                    self.lapse(Control::Declined, "You declined.", room, player)?;
                }
                Err((code, message)) => player.tell(&Event::refused(code, message))?,
            }
        }
        Ok(None)
    }

    /// Closes the open question: sends `control` to its peer, and `why` to the player.
    ///
    /// # Errors
    /// If the player's output has failed.
    pub(crate) fn lapse(
        &mut self,
        control: Control,
        why: &str,
        room: &mut WaitingRoom,
        player: &mut Player,
    ) -> anyhow::Result<()> {
        let Some(Question { connection, .. }) = self.question.take() else {
            return Ok(());
        };
        let fingerprint = connection.met.peer.fingerprint().to_string();
        room.decline(connection, control);
        let message = why.to_owned();
        player.tell(&Event::AdmitLapsed {
            fingerprint,
            message,
        })
    }
}

/// Whether `answer` admits this peer, or `None` if there is no answer.
fn answer_about(peer: &PublicIdentity, answer: Option<Said>) -> Result<Option<bool>, Complaint> {
    match answer {
        None => Ok(None),
        Some(Said::Admit { fingerprint, agree })
            if fingerprint == peer.fingerprint().to_string() =>
        {
            Ok(Some(agree))
        }
        Some(Said::Admit { .. }) => {
            let message = "there is no question about this player now";
            Err((Refusal::NobodyAsked, message.to_owned()))
        }
        Some(_) => Err(not_asked()),
    }
}
