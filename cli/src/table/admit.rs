//! Peers whom a host has not invited: its player is asked about each of them once, one at a time.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use dealerless_events::command::{Complaint, Said};
use dealerless_events::event::{Event, Refusal};
use dealerless_table::connection::Connection;
use dealerless_table::identity::{Fingerprint, PublicIdentity};
use dealerless_table::play::Control;

use super::hearing::Hearing;
use super::own::Own;
use super::player::Player;
use super::posts::{Early, Post, Posts};
use super::sit::ANSWER;
use super::standing;
use crate::output::count;

/// Between two looks at what the player says, while it is asked.
const LOOK: Duration = Duration::from_millis(50);

/// Decides which peers sit down at a host's table.
pub(crate) struct Admission<'a> {
    own: &'a Own,
    posts: &'a Posts,
    /// The guest of the invite and the peer of `--for`. The player is asked about them only if too much
    /// went wrong with them before.
    expected: Vec<PublicIdentity>,
    /// The peers about which the player was asked.
    asked: HashSet<Fingerprint>,
    /// The peers that came and did not sit down, as the player was told.
    told: HashSet<Fingerprint>,
    question: Option<Question>,
}

/// The player is asked about the peer of this line.
struct Question {
    connection: Box<Connection>,
    wants: Wants,
    until: Instant,
}

/// The request of a peer at the door.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wants {
    /// To begin a match.
    ToPlay,
    /// To go on with this open match.
    ToResume([u8; 32]),
}

impl<'a> Admission<'a> {
    pub(crate) fn new(own: &'a Own, posts: &'a Posts, expected: Option<PublicIdentity>) -> Self {
        Admission {
            own,
            posts,
            expected: expected.into_iter().collect(),
            asked: HashSet::new(),
            told: HashSet::new(),
            question: None,
        }
    }

    /// This peer sits down without a question.
    pub(crate) fn expect(&mut self, peer: &PublicIdentity) {
        if !self.expects(peer) {
            self.expected.push(peer.clone());
        }
    }

    pub(crate) fn expects(&self, peer: &PublicIdentity) -> bool {
        self.expected.contains(peer)
    }

    /// Whether the player is to be asked before this peer sits down.
    ///
    /// # Errors
    /// If it must not sit down, or a bot would have to be asked about an expected peer.
    pub(crate) fn asks_about(
        &self,
        connection: &Connection,
        player: &Player,
    ) -> anyhow::Result<bool> {
        if !self.expects(&connection.peer) {
            return Ok(true);
        }
        let question = standing::question(self.own, (&connection.peer, &connection.peer_name))?;
        if let Some(question) = &question {
            standing::refuse_for_bots(player, question)?;
        }
        Ok(question.is_some())
    }

    /// Whether the player is to be told that this peer came and did not sit down. A peer that is not
    /// expected is reported once.
    pub(crate) fn is_news(&mut self, peer: &PublicIdentity) -> bool {
        self.expects(peer) || self.told.insert(peer.fingerprint())
    }

    /// The time until the question is due for another look.
    pub(crate) fn due(&self) -> Duration {
        match self.question {
            Some(_) => LOOK,
            // A wait of years is no moment that the clock knows.
            None => Duration::from_secs(3600),
        }
    }

    /// Asks the player about a peer that wants to sit down, if it was not asked before and is not asked
    /// about another one now. An expected peer may be asked about until the player says no, and takes
    /// the place of one that is not expected. A bot is not asked: it declines.
    ///
    /// # Errors
    /// If nobody reads or writes any more.
    pub(crate) fn ask(
        &mut self,
        (connection, wants): (Box<Connection>, Wants),
        warning: Option<String>,
        (hearing, player): (&mut Hearing, &mut Player),
    ) -> anyhow::Result<()> {
        let expected = self.expects(&connection.peer);
        if let Some(question) = &mut self.question {
            // A peer that has lost its line comes again.
            if question.connection.peer == connection.peer && question.wants == wants {
                question.connection = connection;
                return Ok(());
            }
            let asked = question.connection.peer.clone();
            if !expected || self.expects(&asked) {
                hearing.decline(connection, Control::Taken);
                return Ok(());
            }
            let why = "A player whom you expect has come.";
            self.lapse(Control::Taken, why, (&mut *hearing, &mut *player))?;
        }
        let known = (&connection.peer, &connection.peer_name);
        let standing = standing::question(self.own, known);
        let first = self.asked.insert(connection.peer.fingerprint()) || expected;
        let (Ok(standing), true) = (standing, first && !player.is_bot()) else {
            hearing.decline(connection, Control::Declined);
            return Ok(());
        };
        if let Some(text) = warning {
            player.tell(&Event::Notice { text })?;
        }
        player.tell(&self.announced(&connection, wants, standing))?;
        player.listen(self.posts)?;
        let until = Instant::now() + ANSWER;
        self.question = Some(Question {
            connection,
            wants,
            until,
        });
        Ok(())
    }

    /// The event that announces the peer at the door, by the name under which it is known.
    /// What went wrong with it before is said as well.
    fn announced(&self, connection: &Connection, wants: Wants, standing: Option<Event>) -> Event {
        let peers = self.own.peers.lock();
        let known = peers.get(&connection.peer);
        let name = known.map_or(&connection.peer_name, |known| &known.name);
        let hands = known.map_or(0, |known| known.hands);
        let fingerprint = connection.peer.fingerprint().to_string();
        let alias = match *name == connection.peer_name {
            true => String::new(),
            false => format!(", calling itself {},", connection.peer_name),
        };
        let wants = match wants {
            Wants::ToPlay => "play",
            Wants::ToResume(_) => "go on with your open match",
        };
        let before = match standing {
            Some(Event::AskAgain { message, .. }) => format!(". {message}"),
            _ => String::new(),
        };
        Event::AskAdmit {
            message: format!(
                "{name} (fingerprint {fingerprint}, {} hands played with you){alias} is at the door \
                 and wants to {wants}{before}",
                count(hands)
            ),
            name: name.as_str().to_owned(),
            fingerprint,
            hands,
        }
    }

    /// Looks at the open question: the line of a peer that the player accepts, and what it wants.
    ///
    /// # Errors
    /// If nobody reads any more.
    pub(crate) fn accepted(
        &mut self,
        (hearing, player): (&mut Hearing, &mut Player),
    ) -> anyhow::Result<Option<(Box<Connection>, Wants)>> {
        let Some(question) = &self.question else {
            return Ok(None);
        };
        if question.connection.ended().is_some() {
            self.lapse(Control::Declined, "It is gone.", (hearing, player))?;
        } else if Instant::now() >= question.until {
            let why = "It was not answered in time.";
            self.lapse(Control::Declined, why, (hearing, player))?;
        }
        while let Some(question) = &self.question
            && let Some(early) = self.posts.take()
        {
            let connection = match early {
                Early::Typed(connection) => connection,
                Early::Post(Post::InputEnded) => {
                    // The end of the input ends the match, too.
                    self.posts.put(Post::InputEnded);
                    let why = "Nobody is there to answer.";
                    self.lapse(Control::Declined, why, (hearing, player))?;
                    break;
                }
                Early::Post(_) => continue,
            };
            let said = player.read(connection);
            match said.and_then(|said| said_of(&question.connection.peer, said)) {
                Ok(None) => {}
                Ok(Some(true)) => {
                    let accepted = self.question.take();
                    return Ok(accepted.map(|question| (question.connection, question.wants)));
                }
                Ok(Some(false)) => {
                    // Also one that was expected is not asked about once more.
                    let peer = question.connection.peer.clone();
                    self.expected.retain(|expected| *expected != peer);
                    self.lapse(Control::Declined, "You declined.", (hearing, player))?;
                }
                Err((code, message)) => player.tell(&Event::refused(code, message))?,
            }
        }
        Ok(None)
    }

    /// The open question is over: its peer is told this, and the player why.
    ///
    /// # Errors
    /// If nobody reads any more.
    pub(crate) fn lapse(
        &mut self,
        control: Control,
        why: &str,
        (hearing, player): (&mut Hearing, &mut Player),
    ) -> anyhow::Result<()> {
        let Some(Question { connection, .. }) = self.question.take() else {
            return Ok(());
        };
        let fingerprint = connection.peer.fingerprint().to_string();
        hearing.decline(connection, control);
        let message = why.to_owned();
        player.tell(&Event::AdmitLapsed {
            fingerprint,
            message,
        })
    }
}

/// The player's answer about this peer, if it has said something.
fn said_of(peer: &PublicIdentity, said: Option<Said>) -> Result<Option<bool>, Complaint> {
    match said {
        None => Ok(None),
        Some(Said::Admit { fingerprint, agree })
            if fingerprint == peer.fingerprint().to_string() =>
        {
            Ok(Some(agree))
        }
        Some(Said::Admit { .. }) => {
            let message = "nothing is asked about this player now";
            Err((Refusal::NobodyAsked, message.to_owned()))
        }
        Some(_) => Err(standing::not_asked()),
    }
}
