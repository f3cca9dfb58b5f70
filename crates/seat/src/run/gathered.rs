//! A guest of a table, from its request for a seat until all players have agreed to the list of players.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{bail, ensure};
use dealerless_connection::identity::Name;
use dealerless_connection::{ConnectionError, Happened, PolledConnection, Stream};
use dealerless_table::log::{Header, MatchId, Past, Sitting};
use dealerless_table::play::{Control, GuestAddresses, Roster, TableTerms};

use super::absentees::Absentees;
use super::continued::{in_words, must_agree};
use super::errors::AnswerIsNo;
use super::finding::{Finder, request};
use super::matches::NewMatch;
use super::other_guests::{self, GuestDoor, Ways, guests_of, keys_of_guests};
use super::own::Own;
use super::world::SeatWorld;
use crate::event::{Event, TablePlayer};
use crate::guest::{NOT_ACCEPTED_YET, SOON, namesake, refusal};
use crate::peers::is_blocked;
use crate::seated::Seated;

/// The context of an error after this player has agreed to a match.
const LOST_AFTER_AGREEING: &str =
    "the match may have begun without you. To continue it, join again";

/// The host resumes this match with the guest, who has no open record of it: the match is over or closed here.
#[derive(Debug, thiserror::Error)]
#[error(
    "you have an open match with the host ({0}); to continue it, join again or run `dealerless resume`"
)]
pub(super) struct HasOpen(pub(super) MatchId);

/// A list of players that the host has proposed.
enum Proposal {
    /// The player is asked how the match before is continued.
    Asked(Sitting),
    /// The player agrees. This side may still try to reach absent players.
    Accepted(Sitting),
}

/// A match that this player has agreed to, and the door for the other guests.
struct Agreement<W: SeatWorld> {
    new: NewMatch<W::Files>,
    finder: Finder<W>,
    listeners: Vec<String>,
}

/// A guest that waits at a table until a match begins.
pub(super) struct Gathered<W: SeatWorld> {
    pub(super) connection: PolledConnection<W::Sockets>,
    terms: TableTerms,
    pub(super) ways: Arc<dyn Ways<W>>,
    /// The record of the open match that is given up for this one.
    pub(super) instead_of: Option<String>,
    absentees: Option<Absentees<W>>,
    proposal: Option<Proposal>,
    agreed: Option<Agreement<W>>,
    /// The place of this player and the players who have a seat, as the player was told.
    shown: Option<(u8, Vec<Name>)>,
    /// When the player is told that the host takes time, unless it has answered.
    soon: Option<Duration>,
    /// The number of messages of the host.
    messages: u32,
}

/// The maximum number of messages of a host before the match begins.
const MESSAGES: u32 = 4096;

/// A match that all players have agreed to.
pub(super) struct Complete<W: SeatWorld> {
    pub(super) new: NewMatch<W::Files>,
    /// Answers at the door for the other guests.
    pub(super) finder: Finder<W>,
    /// The addresses of the players, in order of their seats.
    pub(super) addresses: Vec<GuestAddresses>,
}

impl<W: SeatWorld> Gathered<W> {
    /// Asks the host for a seat.
    pub(super) fn begin(
        ways: Arc<dyn Ways<W>>,
        connection: PolledConnection<W::Sockets>,
        terms: TableTerms,
        instead_of: Option<String>,
        now: Duration,
    ) -> Self {
        let mut gathered = Gathered {
            connection,
            terms,
            ways,
            instead_of,
            absentees: None,
            proposal: None,
            agreed: None,
            shown: None,
            soon: Some(now + SOON),
            messages: 0,
        };
        gathered.send(&Control::Sit, now);
        gathered
    }

    fn send(&mut self, control: &Control, now: Duration) {
        // A host whose table is full ends the connection at once. Its answer is read nevertheless.
        let _ = self
            .connection
            .core
            .send(Stream::Control, &control.encode());
        self.connection.flush(now);
    }

    /// Whether the player is asked how the match before is continued.
    pub(super) fn is_asked(&self) -> bool {
        matches!(self.proposal, Some(Proposal::Asked(_)))
    }

    /// The player agrees to how the match before is continued.
    pub(super) fn agrees(&mut self) {
        self.proposal = match self.proposal.take() {
            Some(Proposal::Asked(sitting)) => Some(Proposal::Accepted(sitting)),
            proposal => proposal,
        };
    }

    /// Does all that is due. Returns the match once it begins.
    ///
    /// # Errors
    /// If this player or the host declines, the player has blocked another player, or the host is lost. If it is lost
    /// after this player has agreed, the record of the match stays: the others may have begun.
    pub(super) fn step(
        &mut self,
        own: &Own<W>,
        asks: bool,
        now: Duration,
    ) -> anyhow::Result<Option<Complete<W>>> {
        self.connection.flush(now);
        if self.soon.is_some_and(|soon| now >= soon) {
            self.soon = None;
            own.notice(NOT_ACCEPTED_YET);
        }
        if let Some(absentees) = &mut self.absentees {
            absentees.finder.step(now);
        }
        if let Some(agreed) = &mut self.agreed {
            agreed.finder.step(now);
        }
        loop {
            // If the host has disconnected, the reason may be in a message.
            if self.is_asked() && self.connection.core.ended().is_some() {
                self.proposal = None;
            }
            match self.proposal.take() {
                Some(Proposal::Accepted(sitting)) => {
                    if let Some(absentees) = &mut self.absentees {
                        absentees.must_be_absent()?;
                        if now < absentees.tried_at() {
                            self.proposal = Some(Proposal::Accepted(sitting));
                            return Ok(None);
                        }
                        // The door for the next match may use the same port.
                        absentees.finder.close_door();
                    }
                    self.agree(own, sitting, now)?;
                }
                asked @ Some(_) => {
                    self.proposal = asked;
                    return Ok(None);
                }
                None => {}
            }
            let message = match self.connection.core.next_message() {
                Ok(None) => return Ok(None),
                Ok(Some(message)) => message,
                Err(why) => {
                    let why = anyhow::Error::new(why).context("the host has disconnected");
                    return Err(self.lost(why));
                }
            };
            self.messages += 1;
            let control = request(&message).filter(|_| self.messages <= MESSAGES);
            let Some(control) = control else {
                return Err(self.lost(ConnectionError::Broken("an unexpected answer").into()));
            };
            self.soon = None;
            if let Some(complete) = self.received(own, control, asks, now)? {
                return Ok(Some(complete));
            }
        }
    }

    /// The error of a guest that has lost its host.
    fn lost(&self, why: anyhow::Error) -> anyhow::Error {
        match self.agreed {
            None => why,
            Some(_) => why.context(LOST_AFTER_AGREEING),
        }
    }

    fn received(
        &mut self,
        own: &Own<W>,
        control: Control,
        asks: bool,
        now: Duration,
    ) -> anyhow::Result<Option<Complete<W>>> {
        let agreed = self.agreed.take();
        let addresses = match control {
            Control::Begins(addresses) => addresses,
            control => {
                if let Some(Agreement { new, .. }) = agreed {
                    new.remove(own)?;
                }
                return self.told(own, control, asks, now).map(|()| None);
            }
        };
        let Some(agreed) =
            agreed.filter(|agreed| addresses.len() == agreed.new.sitting.names.len())
        else {
            bail!("the host began a match without a list of players")
        };
        let Agreement {
            new,
            finder,
            listeners,
        } = agreed;
        let absent = self
            .absentees
            .as_mut()
            .map_or(Ok(()), Absentees::must_be_absent);
        if let Err(error) = absent {
            new.remove(own)?;
            return Err(error);
        }
        let addresses = self.reachable(addresses);
        other_guests::keep(own, &new.name, &listeners, &addresses)?;
        Ok(Some(Complete {
            new,
            finder,
            addresses,
        }))
    }

    fn told(
        &mut self,
        own: &Own<W>,
        control: Control,
        asks: bool,
        now: Duration,
    ) -> anyhow::Result<()> {
        if let Some(text) = refusal(&control, true) {
            bail!(AnswerIsNo(text));
        }
        match control {
            Control::Waits { place, players } => self.waits(own, place, players),
            Control::Roster(roster) => self.proposed(own, *roster, asks, now)?,
            Control::Open(of) => bail!(HasOpen(of)),
            _ => bail!("the host sent an unexpected answer"),
        }
        Ok(())
    }

    /// Reports who has a seat, and a namesake of this player among them.
    fn waits(&mut self, own: &Own<W>, place: u8, players: Vec<Name>) {
        if self.shown.as_ref() == Some(&(place, players.clone())) {
            return;
        }
        let is_own =
            |name: &&Name| name.as_str().to_lowercase() == own.name.as_str().to_lowercase();
        let namesakes = |players: &[Name], place| {
            let all = players.iter().filter(is_own).count();
            all.saturating_sub(usize::from(place == 0))
        };
        let before = self.shown.as_ref();
        let before = before.map_or(0, |(place, players)| namesakes(players, *place));
        if namesakes(&players, place) > before {
            own.notice(namesake(&own.name));
        }
        let player = |name: &Name| TablePlayer {
            name: name.to_string(),
            fingerprint: None,
            away: false,
        };
        own.world.report(&Event::Table {
            players: players.iter().map(player).collect(),
            seats: self.terms.stakes.seats() as u8,
            place,
        });
        self.shown = Some((place, players));
    }

    /// The host has listed the players of a match.
    fn proposed(
        &mut self,
        own: &Own<W>,
        roster: Roster,
        asks: bool,
        now: Duration,
    ) -> anyhow::Result<()> {
        roster.check(&self.connection.met, own.identity.public())?;
        ensure!(
            self.terms.allow(&roster.header, &roster.players),
            "the host proposes a match with other terms than those of its table"
        );
        let sitting = roster.sitting()?;
        for other in guests_of(&sitting) {
            ensure!(
                !is_blocked(&own.peers.lock(), &other.identity),
                "you have blocked {}, who would play too; to play with them again, run: dealerless peers \
                 unblock NAME",
                other.name
            );
        }
        let header = sitting.match_info.header();
        let past = header.past();
        self.absentees = match past {
            Some(past) => agree_to_past(own, &*self.ways, header, past, now)?,
            None => None,
        };
        self.proposal = Some(match asks && past.is_some() {
            true => {
                let terms = Seated::of(&sitting, None, false);
                own.world.report(&Event::AskSit(Box::new(terms)));
                Proposal::Asked(sitting)
            }
            false => Proposal::Accepted(sitting),
        });
        Ok(())
    }

    /// Tells the host that this player agrees to the list of players. The record of the match is on the disk before.
    fn agree(&mut self, own: &Own<W>, sitting: Sitting, now: Duration) -> anyhow::Result<()> {
        let players = keys_of_guests(&sitting);
        let ways = &*self.ways;
        let door = other_guests::open_door(own, ways, players, ways.listens_at())?;
        let GuestDoor {
            door,
            listeners,
            addresses,
        } = door;
        let new = NewMatch::create(own, sitting)?;
        let of = new.sitting.match_info.id();
        let finder = Finder::of_guests(own, &new.sitting);
        self.agreed = Some(Agreement {
            new,
            finder: finder.waiting(door),
            listeners,
        });
        self.send(&Control::Agrees(of, GuestAddresses::new(addresses)), now);
        Ok(())
    }

    /// Drops the loopback addresses unless the host was reached on loopback. Otherwise a player on another machine could
    /// make this side connect to its own programs.
    fn reachable(&self, all: Vec<GuestAddresses>) -> Vec<GuestAddresses> {
        let is_local = self.connection.at().is_some_and(|at| at.ip().is_loopback());
        let of_one = |addresses: GuestAddresses| {
            let addresses = addresses.as_slice().iter();
            let reachable = addresses.filter(|address| is_local || !address.is_loopback());
            GuestAddresses::new(reachable.cloned())
        };
        all.into_iter().map(of_one).collect()
    }

    pub(super) fn has(&mut self, number: u32) -> bool {
        let (absentees, agreed) = (self.absentees.as_mut(), self.agreed.as_mut());
        self.connection.number() == number
            || absentees.is_some_and(|absentees| absentees.finder.has(number))
            || agreed.is_some_and(|agreed| agreed.finder.has(number))
    }

    pub(super) fn happened(&mut self, number: u32, what: Happened<'_>, now: Duration) {
        if self.connection.number() == number {
            self.connection.happened(what, now);
        } else if let Some(absentees) = &mut self.absentees
            && absentees.finder.has(number)
        {
            absentees.finder.happened(number, what, now);
        } else if let Some(agreed) = &mut self.agreed {
            agreed.finder.happened(number, what, now);
        }
    }

    pub(super) fn timer(&self) -> Duration {
        let accepted = matches!(self.proposal, Some(Proposal::Accepted(_)));
        let absentees = self.absentees.as_ref();
        let times = [
            Some(self.connection.timer()),
            self.soon,
            absentees.filter(|_| accepted).map(Absentees::tried_at),
            absentees.map(|absentees| absentees.finder.timer()),
            self.agreed.as_ref().map(|agreed| agreed.finder.timer()),
        ];
        times.into_iter().flatten().min().unwrap_or(Duration::MAX)
    }
}

/// Checks the match before against the own record of it. If it is settled without absent players, shows the settlement,
/// and tries to reach these players.
///
/// # Errors
/// If this side does not agree.
fn agree_to_past<W: SeatWorld>(
    own: &Own<W>,
    ways: &dyn Ways<W>,
    header: &Header,
    past: &Past,
    now: Duration,
) -> anyhow::Result<Option<Absentees<W>>> {
    let Some((kept, settled)) = must_agree(own, header, past)? else {
        return Ok(None);
    };
    own.notice(in_words(&kept, &settled));
    Absentees::of_guest(own, ways, &kept, &settled.absent, now).map(Some)
}
