//! Admission to a host's table: the list of players at the door who wait for the answer of the host's player.

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
use crate::event::{AtDoor, Event, Refusal};
use crate::guest::ANSWER;
use crate::peers;
use crate::seat::PlayerNeeds;
use crate::words::counted;

/// The maximum number of players who wait for an answer. A further one replaces the oldest.
const MOST: usize = 16;

/// Decides which peers sit down at a host's table.
pub(super) struct Admission<W: SeatWorld> {
    needs: PlayerNeeds,
    /// Whether everybody who is not blocked may sit down without a question.
    is_open: bool,
    /// The guest of a one-time invite, the known player for whom the host waits, and the players of the match before.
    /// The player is asked about an expected peer only if too many earlier attempts with that peer failed.
    expected: Vec<PublicIdentity>,
    /// The peers that the player has declined. They are declined without a question.
    declined: HashSet<Fingerprint>,
    /// The peers that were ready for a match and did not sign in it.
    suspected: HashSet<Fingerprint>,
    /// The peers that [`is_news`](Self::is_news) has reported as new.
    reported: HashSet<Fingerprint>,
    /// The peers about whom the player is asked, in order of arrival.
    waiting: Vec<Waiting<W>>,
    /// A question whether to resume an open match in place of a new one.
    resumes: Option<(Waiting<W>, Duration)>,
}

/// A peer at the door.
struct Waiting<W: SeatWorld> {
    connection: PolledConnection<W::Sockets>,
    wants: Wants,
    shown: AtDoor,
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
    pub(super) fn new(needs: PlayerNeeds, is_open: bool, expected: Vec<PublicIdentity>) -> Self {
        Admission {
            needs,
            is_open,
            expected,
            declined: HashSet::new(),
            suspected: HashSet::new(),
            reported: HashSet::new(),
            waiting: Vec::new(),
            resumes: None,
        }
    }

    /// Lets this peer sit down without a question.
    pub(super) fn expect(&mut self, peer: &PublicIdentity) {
        if !self.expects(peer) {
            self.expected.push(peer.clone());
        }
    }

    /// Asks the player about this peer from now on, also at an open table.
    pub(super) fn suspect(&mut self, peer: &PublicIdentity) {
        self.expected.retain(|expected| expected != peer);
        if self.suspected.len() < MOST {
            self.suspected.insert(peer.fingerprint());
        }
    }

    /// Whether the player is asked about this peer although the table is open or the peer is in its list.
    pub(super) fn is_suspected(&self, peer: &PublicIdentity) -> bool {
        self.suspected.contains(&peer.fingerprint())
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
        let peer = &connection.met.peer;
        let is_open = self.is_open && !self.is_suspected(peer);
        if !self.expects(peer) && !is_open || self.declined.contains(&peer.fingerprint()) {
            return Ok(true);
        }
        match question(own, connection)? {
            Some(Event::AskAgain { message, .. }) if self.needs.never_asked => bail!(message),
            question => Ok(question.is_some()),
        }
    }

    /// Whether to report to the player that this peer came and did not sit down. A peer that is not expected is
    /// reported once, and only the first ones are: anybody can make new keys.
    pub(super) fn is_news(&mut self, peer: &PublicIdentity) -> bool {
        let is_new = self.reported.len() < MOST && self.reported.insert(peer.fingerprint());
        is_new || self.expects(peer)
    }

    /// Asks the player whether the peer of `connection` may sit down. The peer is declined at once if the player is a
    /// bot or has declined it before, or if no further session with the peer is allowed.
    pub(super) fn ask(
        &mut self,
        own: &Own<W>,
        connection: PolledConnection<W::Sockets>,
        wants: Wants,
        warning: Option<String>,
        lobby: &mut Lobby<W::Sockets>,
        now: Duration,
    ) {
        let peer = &connection.met.peer;
        let standing = question(own, &connection);
        let is_declined = self.declined.contains(&peer.fingerprint());
        let (Ok(standing), false, false) = (standing, is_declined, self.needs.never_asked) else {
            return lobby.decline(connection, &Control::Declined, now);
        };
        let shown = at_door(own, &connection, wants, standing);
        let is_same = |other: &Waiting<W>| other.connection.met.peer == *peer;
        // The peer has lost its connection and has connected again.
        if let Some(other) = self.waiting.iter_mut().find(|other| is_same(other)) {
            let has_changed = other.shown != shown;
            *other = Waiting {
                connection,
                wants,
                shown,
            };
            if has_changed {
                self.show(own);
            }
            return;
        }
        if let Some(text) = warning {
            own.notice(text);
        }
        if self.waiting.len() == MOST {
            lobby.decline(self.waiting.remove(0).connection, &Control::Taken, now);
        }
        self.waiting.push(Waiting {
            connection,
            wants,
            shown,
        });
        self.show(own);
    }

    /// Tells the player who waits at the door.
    fn show(&self, own: &Own<W>) {
        let players = self.waiting.iter().map(|waiting| waiting.shown.clone());
        own.world.report(&Event::AtDoor {
            players: players.collect(),
        });
    }

    /// Asks a person whether to resume a match, although this side asks for a new one. `text` is the question.
    pub(super) fn ask_instead(
        &mut self,
        own: &Own<W>,
        connection: PolledConnection<W::Sockets>,
        of: MatchId,
        text: String,
        now: Duration,
    ) {
        own.world.report(&Event::AskResume {
            fingerprint: connection.met.peer.fingerprint().to_string(),
            message: text,
        });
        let wants = Wants::ResumeInstead(of);
        let shown = at_door(own, &connection, wants, None);
        let waiting = Waiting {
            connection,
            wants,
            shown,
        };
        self.resumes = Some((waiting, now + ANSWER));
    }

    /// Whether the player decides whether to resume a match.
    pub(super) fn decides(&self) -> bool {
        self.resumes.is_some()
    }

    /// Forgets the peers that have left. Returns the peer whose open match was not resumed, because the player has not
    /// decided about it in time.
    pub(super) fn step(
        &mut self,
        own: &Own<W>,
        now: Duration,
    ) -> Option<PolledConnection<W::Sockets>> {
        let before = self.waiting.len();
        self.waiting.retain_mut(|waiting| {
            waiting.connection.flush(now);
            waiting.connection.core.ended().is_none()
        });
        if self.waiting.len() < before {
            self.show(own);
        }
        let (waiting, until) = self.resumes.as_mut()?;
        waiting.connection.flush(now);
        let has_left = waiting.connection.core.ended().is_some();
        if !has_left && now < *until {
            return None;
        }
        own.notice(match has_left {
            true => "The player has left.",
            false => "You did not answer in time.",
        });
        self.resumes.take().map(|(waiting, _)| waiting.connection)
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
        let (fingerprint, agrees) = match said {
            Said::Accept { fingerprint } => (fingerprint, true),
            Said::Decline { fingerprint } => (fingerprint, false),
            _ => return Err(not_asked()),
        };
        let is_of = |waiting: &Waiting<W>| waiting.shown.fingerprint == *fingerprint;
        let place = self.waiting.iter().position(is_of);
        let waiting = match place {
            Some(place) => self.waiting.remove(place),
            None if self.resumes.as_ref().is_some_and(|(one, _)| is_of(one)) => {
                let resumes = self.resumes.take();
                return Ok(resumes.map(|(waiting, _)| waiting.answered(agrees)));
            }
            None => {
                let message = "no player with this fingerprint is waiting";
                return Err((Refusal::NobodyAsked, message.to_owned()));
            }
        };
        self.show(own);
        if agrees {
            return Ok(Some(waiting.answered(true)));
        }
        let peer = &waiting.connection.met.peer;
        self.declined.insert(peer.fingerprint());
        lobby.decline(waiting.connection, &Control::Declined, now);
        Ok(None)
    }

    /// Closes the connections of this kind at the door.
    pub(super) fn drop_waiting(
        &mut self,
        own: &Own<W>,
        is_it: impl Fn(&PolledConnection<W::Sockets>) -> bool,
    ) {
        let before = self.waiting.len();
        self.waiting.retain(|waiting| !is_it(&waiting.connection));
        if self.waiting.len() < before {
            self.show(own);
        }
    }

    /// The player declines a peer that was admitted.
    pub(super) fn declines(&mut self, peer: &PublicIdentity) {
        self.expected.retain(|expected| expected != peer);
        self.declined.insert(peer.fingerprint());
    }

    /// Asks the player again about those who were declined.
    pub(super) fn forget_declined(&mut self) {
        self.declined.clear();
    }

    /// The input of the player has ended: nobody answers. Returns a peer whose open match is resumed.
    pub(super) fn input_ended(
        &mut self,
        own: &Own<W>,
        lobby: &mut Lobby<W::Sockets>,
        now: Duration,
    ) -> Option<Answered<W>> {
        if !self.waiting.is_empty() {
            own.notice("Nobody is there to answer.");
        }
        self.close(own, &Control::Declined, lobby, now);
        let (waiting, _) = self.resumes.take()?;
        Some(waiting.answered(true))
    }

    /// Declines all who wait.
    pub(super) fn close(
        &mut self,
        own: &Own<W>,
        control: &Control,
        lobby: &mut Lobby<W::Sockets>,
        now: Duration,
    ) {
        if self.waiting.is_empty() {
            return;
        }
        for waiting in self.waiting.drain(..) {
            lobby.decline(waiting.connection, control, now);
        }
        self.show(own);
    }

    /// The connection with this number.
    pub(super) fn connection(&mut self, number: u32) -> Option<&mut PolledConnection<W::Sockets>> {
        let resumes = self.resumes.iter_mut().map(|(waiting, _)| waiting);
        let mut all = self.waiting.iter_mut().chain(resumes);
        let found = all.find(|waiting| waiting.connection.number() == number);
        found.map(|waiting| &mut waiting.connection)
    }

    /// The time of the next timer.
    pub(super) fn timer(&self) -> Duration {
        let waiting = self.waiting.iter().map(|one| one.connection.timer());
        let resumes = self.resumes.iter();
        let resumes = resumes.map(|(one, until)| one.connection.timer().min(*until));
        waiting.chain(resumes).min().unwrap_or(Duration::MAX)
    }
}

impl<W: SeatWorld> Waiting<W> {
    fn answered(self, agrees: bool) -> Answered<W> {
        Answered {
            connection: self.connection,
            wants: self.wants,
            agrees,
        }
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

/// The peer at the door, by the name under which it is known. The message includes any earlier failures with the peer.
fn at_door<W: SeatWorld>(
    own: &Own<W>,
    connection: &PolledConnection<W::Sockets>,
    wants: Wants,
    standing: Option<Event>,
) -> AtDoor {
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
    let played = match known {
        None => "new here".to_owned(),
        Some(_) => format!("{} played with you", counted(hands, "hand")),
    };
    let wants = match wants {
        Wants::Play => "play",
        Wants::Resume(_) | Wants::ResumeInstead(_) => "resume your open match",
    };
    let before = match standing {
        Some(Event::AskAgain { message, .. }) => format!(". {message}"),
        _ => String::new(),
    };
    AtDoor {
        message: format!(
            "{name} (fingerprint {fingerprint}, {played}){alias} is at the door and wants to {wants}{before}"
        ),
        name: name.as_str().to_owned(),
        fingerprint,
        hands,
    }
}
