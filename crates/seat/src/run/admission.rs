//! Admission to a host's table. The host's player is asked about each peer that was not invited, once, and about one
//! peer at a time.

use std::collections::HashSet;
use std::time::Duration;

use anyhow::bail;
use dealerless_connection::PolledConnection;
use dealerless_connection::identity::{Fingerprint, PublicIdentity};
use dealerless_table::log::MatchId;
use dealerless_table::play::Control;

use super::lobby::Lobby;
use super::own::Own;
use super::world::SeatWorld;
use crate::command::{Complaint, Said, not_asked};
use crate::event::{Event, Refusal};
use crate::guest::ANSWER;
use crate::peers;
use crate::seat::PlayerNeeds;
use crate::words::counted;

/// Decides which peers sit down at a host's table.
pub(super) struct Admission<W: SeatWorld> {
    needs: PlayerNeeds,
    /// The guests of the invites, the known player for whom the host waits, and the players of the match before. The
    /// player is asked about an expected peer only if too many earlier attempts with that peer failed.
    expected: Vec<PublicIdentity>,
    /// The peers that the player was asked about.
    asked: HashSet<Fingerprint>,
    /// The peers that [`is_news`](Self::is_news) has reported as new.
    reported: HashSet<Fingerprint>,
    question: Option<Question<W>>,
}

/// The pending question about the peer of this connection.
struct Question<W: SeatWorld> {
    connection: PolledConnection<W::Sockets>,
    wants: Wants,
    until: Duration,
}

/// The request of a peer at the door.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wants {
    /// Begin a match.
    Play,
    /// Resume this open match.
    Resume(MatchId),
    /// Resume this open match, although the host's player asks for a new one.
    ResumeInstead(MatchId),
}

/// The answer to a question.
pub(super) struct Answered<W: SeatWorld> {
    pub(super) connection: PolledConnection<W::Sockets>,
    pub(super) wants: Wants,
    pub(super) agrees: bool,
}

impl<W: SeatWorld> Admission<W> {
    pub(super) fn new(needs: PlayerNeeds, expected: Vec<PublicIdentity>) -> Self {
        Admission {
            needs,
            expected,
            asked: HashSet::new(),
            reported: HashSet::new(),
            question: None,
        }
    }

    /// Lets this peer sit down without a question.
    pub(super) fn expect(&mut self, peer: &PublicIdentity) {
        if !self.expects(peer) {
            self.expected.push(peer.clone());
        }
    }

    fn expects(&self, peer: &PublicIdentity) -> bool {
        self.expected.contains(peer)
    }

    /// Whether the player must be asked before this peer sits down.
    ///
    /// # Errors
    /// If the peer must not sit down, or a bot would have to be asked about an expected peer.
    pub(super) fn asks_about(
        &self,
        own: &Own<W>,
        connection: &PolledConnection<W::Sockets>,
    ) -> anyhow::Result<bool> {
        if !self.expects(&connection.met.peer) {
            return Ok(true);
        }
        match question(own, connection)? {
            Some(Event::AskAgain { message, .. }) if self.needs.never_asked => bail!(message),
            question => Ok(question.is_some()),
        }
    }

    /// Whether to report to the player that this peer came and did not sit down. A peer that is not expected is
    /// reported once.
    pub(super) fn is_news(&mut self, peer: &PublicIdentity) -> bool {
        self.expects(peer) || self.reported.insert(peer.fingerprint())
    }

    /// Asks the player whether the peer of `connection` may sit down. The peer is declined at once if the player is a
    /// bot, was already asked about this peer, or is being asked about another peer. The last two cases do not apply to
    /// an expected peer: the player is asked until the answer is no, and a question about an unexpected peer lapses.
    pub(super) fn ask(
        &mut self,
        own: &Own<W>,
        connection: PolledConnection<W::Sockets>,
        wants: Wants,
        warning: Option<String>,
        lobby: &mut Lobby<W::Sockets>,
        now: Duration,
    ) {
        let peer = connection.met.peer.clone();
        let expected = self.expects(&peer);
        if let Some(question) = &mut self.question {
            // The peer has lost its connection and has connected again.
            if question.connection.met.peer == peer && question.wants == wants {
                question.connection = connection;
                return;
            }
            let asked = question.connection.met.peer.clone();
            if !expected || self.expects(&asked) {
                return lobby.decline(connection, &Control::Taken, now);
            }
            let why = "A player that you expect has arrived.";
            self.lapse(own, &Control::Taken, why, lobby, now);
        }
        let standing = question(own, &connection);
        let first = self.asked.insert(peer.fingerprint()) || expected;
        let (Ok(standing), true) = (standing, first && !self.needs.never_asked) else {
            return lobby.decline(connection, &Control::Declined, now);
        };
        if let Some(text) = warning {
            own.notice(text);
        }
        own.world
            .report(&announced(own, &connection, wants, standing));
        self.begin(connection, wants, now);
    }

    /// Asks a person whether to resume a match, although this side asks for a new one. `text` is the question.
    pub(super) fn ask_instead(
        &mut self,
        own: &Own<W>,
        connection: PolledConnection<W::Sockets>,
        of: MatchId,
        text: String,
        lobby: &mut Lobby<W::Sockets>,
        now: Duration,
    ) {
        let why = "A player that you expect has arrived.";
        self.lapse(own, &Control::Taken, why, lobby, now);
        own.world.report(&Event::AskResume {
            fingerprint: connection.met.peer.fingerprint().to_string(),
            message: text,
        });
        self.begin(connection, Wants::ResumeInstead(of), now);
    }

    fn begin(&mut self, connection: PolledConnection<W::Sockets>, wants: Wants, now: Duration) {
        self.question = Some(Question {
            connection,
            wants,
            until: now + ANSWER,
        });
    }

    /// Whether the player decides whether to resume a match.
    pub(super) fn decides(&self) -> bool {
        let wants = self.question.as_ref().map(|question| question.wants);
        matches!(wants, Some(Wants::ResumeInstead(_)))
    }

    /// Ends a question that nobody can answer any more. Returns the peer whose open match was not resumed, because the
    /// player has not decided about it in time.
    pub(super) fn step(
        &mut self,
        own: &Own<W>,
        lobby: &mut Lobby<W::Sockets>,
        now: Duration,
    ) -> Option<PolledConnection<W::Sockets>> {
        let question = self.question.as_mut()?;
        question.connection.flush(now);
        let has_left = question.connection.core.ended().is_some();
        if !has_left && now < question.until {
            return None;
        }
        let why = match has_left {
            true => "The player has left.",
            false => "You did not answer in time.",
        };
        if let Wants::ResumeInstead(_) = question.wants {
            own.world
                .report(&lapsed(&question.connection.met.peer, why));
            return self.question.take().map(|question| question.connection);
        }
        self.lapse(own, &Control::Declined, why, lobby, now);
        None
    }

    /// The answer of the player. Declines the peer if it is no.
    ///
    /// # Errors
    /// If it answers no question.
    pub(super) fn answer(
        &mut self,
        own: &Own<W>,
        said: &Said,
        lobby: &mut Lobby<W::Sockets>,
        now: Duration,
    ) -> Result<Option<Answered<W>>, Complaint> {
        let (Some(question), Said::Admit { fingerprint, agree }) = (&self.question, said) else {
            return Err(not_asked());
        };
        let peer = question.connection.met.peer.clone();
        if *fingerprint != peer.fingerprint().to_string() {
            let message = "there is no question about this player now";
            return Err((Refusal::NobodyAsked, message.to_owned()));
        }
        if *agree || self.decides() {
            let question = self.question.take();
            return Ok(question.map(
                |Question {
                     connection, wants, ..
                 }| Answered {
                    connection,
                    wants,
                    agrees: *agree,
                },
            ));
        }
        // The player is not asked again about this peer, even if it was expected.
        self.expected.retain(|expected| *expected != peer);
        self.lapse(own, &Control::Declined, "You declined.", lobby, now);
        Ok(None)
    }

    /// The input of the player has ended. Returns a peer whose open match is resumed.
    pub(super) fn input_ended(
        &mut self,
        own: &Own<W>,
        lobby: &mut Lobby<W::Sockets>,
        now: Duration,
    ) -> Option<Answered<W>> {
        let wants = self.question.as_ref()?.wants;
        if let Wants::ResumeInstead(_) = wants {
            let connection = self.question.take()?.connection;
            let agrees = true;
            return Some(Answered {
                connection,
                wants,
                agrees,
            });
        }
        let why = "Nobody is there to answer.";
        self.lapse(own, &Control::Declined, why, lobby, now);
        None
    }

    /// Ends the open question: sends `control` to its peer, and `why` to the player.
    pub(super) fn lapse(
        &mut self,
        own: &Own<W>,
        control: &Control,
        why: &str,
        lobby: &mut Lobby<W::Sockets>,
        now: Duration,
    ) {
        let Some(Question { connection, .. }) = self.question.take() else {
            return;
        };
        let lapsed = lapsed(&connection.met.peer, why);
        lobby.decline(connection, control, now);
        own.world.report(&lapsed);
    }

    /// The connection with this number.
    pub(super) fn connection(&mut self, number: u32) -> Option<&mut PolledConnection<W::Sockets>> {
        let connection = self
            .question
            .as_mut()
            .map(|question| &mut question.connection);
        connection.filter(|connection| connection.number() == number)
    }

    /// The time of the next timer.
    pub(super) fn timer(&self) -> Duration {
        let question = self.question.as_ref();
        question.map_or(Duration::MAX, |question| {
            question.connection.timer().min(question.until)
        })
    }
}

/// The event that ends a question about this peer.
fn lapsed(peer: &PublicIdentity, why: &str) -> Event {
    Event::AdmitLapsed {
        fingerprint: peer.fingerprint().to_string(),
        message: why.to_owned(),
    }
}

/// The question that the player must answer before another engine session with this peer.
///
/// # Errors
/// If no further session is allowed.
fn question<W: SeatWorld>(
    own: &Own<W>,
    connection: &PolledConnection<W::Sockets>,
) -> Result<Option<Event>, peers::NotAllowed> {
    peers::question(
        &own.peers.lock(),
        &connection.met.peer,
        &connection.met.peer_name,
    )
}

/// The event that announces the peer at the door, by the name under which it is known. It includes any earlier failures
/// with the peer.
fn announced<W: SeatWorld>(
    own: &Own<W>,
    connection: &PolledConnection<W::Sockets>,
    wants: Wants,
    standing: Option<Event>,
) -> Event {
    let peers = own.peers.lock();
    let (peer, alias) = (&connection.met.peer, &connection.met.peer_name);
    let known = peers.get(peer);
    let name = known.map_or(alias, |known| &known.name);
    let hands = known.map_or(0, |known| known.hands);
    let fingerprint = peer.fingerprint().to_string();
    let alias = if name == alias {
        String::new()
    } else {
        format!(", calling itself {alias},")
    };
    let wants = match wants {
        Wants::Play => "play",
        Wants::Resume(_) | Wants::ResumeInstead(_) => "resume your open match",
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
