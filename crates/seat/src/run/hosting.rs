//! A host that invites a guest, waits for it, and plays.

use std::time::Duration;

use anyhow::bail;
use dealerless::deck::Choice;
use dealerless_connection::identity::{Name, PublicIdentity};
use dealerless_connection::{ConnectionError, Happened, Invite, PolledConnection, Stream};
use dealerless_table::log::{Header, MatchId};
use dealerless_table::play::{Control, DealCircuit, Seating, Term};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::errors::BrokenOff;
use super::finding::{Finder, goodbye, request};
use super::matches::{self, Kept, NewMatch};
use super::own::Own;
use super::page::{NEEDS, check_memory};
use super::playing::{SeatFiles, SeatInPlay};
use super::program::{Program, ended, refuse};
use super::reception::{PAUSE, Reception};
use super::world::SeatWorld;
use crate::VERSION;
use crate::command::{Said, not_asked};
use crate::event::Event;
use crate::game_name::GameName;
use crate::guest::ANSWER;
use crate::peers::all_keys;
use crate::terms::{Terms, Time};

/// A request to host a match of two.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct HostRequest {
    pub(super) name: Option<String>,
    /// The URL of the relay.
    pub(super) relay: String,
    game: String,
    hands: Option<u32>,
    stack: Option<u64>,
    blinds: Option<String>,
    ante: Option<String>,
    time: Option<String>,
    cards: Option<usize>,
    kinds: Option<String>,
    draw: Option<usize>,
    boards: Option<u32>,
}

impl HostRequest {
    /// The header of the match that the host proposes.
    ///
    /// # Errors
    /// If a term is invalid, or the match takes too much memory.
    pub(super) fn header(&self) -> anyhow::Result<Header> {
        let mut games = GameName::ALL.into_iter();
        let game = games.find(|game| game.as_str() == self.game);
        let game = game.ok_or_else(|| anyhow::anyhow!("unknown game {:?}", self.game))?;
        let stakes = Terms {
            game,
            seats: None,
            hands: self.hands,
            stack: self.stack,
            blinds: parsed(self.blinds.as_deref())?,
            ante: parsed(self.ante.as_deref())?,
            cards: self.cards,
            kinds: parsed(self.kinds.as_deref())?,
            draw: self.draw,
            boards: self.boards,
        }
        .stakes()?;
        let time = parsed(self.time.as_deref())?.unwrap_or_else(|| Time::default_of(game));
        let algorithm = DealCircuit::algorithm_for(Choice::Cheapest, &stakes)?;
        check_memory(&stakes, algorithm)?;
        Ok(Seating::propose(stakes, algorithm, time.0)?.0)
    }
}

fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(
    text: Option<&str>,
) -> anyhow::Result<Option<T>> {
    let value = text.filter(|text| !text.is_empty()).map(str::parse);
    value
        .transpose()
        .map_err(|error| anyhow::anyhow!("{error}"))
}

/// A host that waits with an invite. A session that is opened again continues to wait.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct KeptHost {
    pub(super) request: HostRequest,
    invite: String,
}

/// A host, from the invite to the end of the match.
pub(super) struct Hosting<W: SeatWorld> {
    relay: String,
    /// The invite of a new match. `None` if a match is resumed.
    invite: Option<Invite>,
    /// The match that the host proposes.
    header: Header,
    stage: Stage<W>,
}

enum Stage<W: SeatWorld> {
    /// Waiting for the guest.
    Waiting(Box<Reception<W>>),
    /// The player is asked whether to play with a peer after failed attempts.
    Asked(Box<PolledConnection<W::Sockets>>),
    /// The guest has come, and has until this time to say what it wants.
    Met(Box<PolledConnection<W::Sockets>>, Duration),
    Playing(Box<SeatInPlay<W>>),
    /// The stage changes.
    Changing,
}

impl<W: SeatWorld> Hosting<W> {
    /// A host of a new match.
    ///
    /// # Errors
    /// If a term is invalid, or the invite cannot be kept.
    pub(super) fn inviting(
        own: &mut Own<W>,
        request: HostRequest,
        now: Duration,
    ) -> anyhow::Result<Self> {
        let header = request.header()?;
        matches::check_free(&own.files)?;
        let public = own.identity.public();
        let mut invites = own
            .invites
            .lock()
            .map_err(|_| anyhow::anyhow!("the invites are damaged"))?;
        let invite = invites.invite(public, Vec::new(), None)?;
        drop(invites);
        let kept = KeptHost {
            request,
            invite: invite.to_string(),
        };
        own.keep_hosting(Some(kept.clone()))?;
        Ok(Self::waiting(own, kept, invite, header, now))
    }

    /// A host that waits again in a new session.
    ///
    /// # Errors
    /// If what it has kept is invalid, or the match takes too much memory.
    pub(super) fn again(own: &Own<W>, kept: KeptHost, now: Duration) -> anyhow::Result<Self> {
        let (invite, header) = (kept.invite.parse()?, kept.request.header()?);
        Ok(Self::waiting(own, kept, invite, header, now))
    }

    fn waiting(
        own: &Own<W>,
        kept: KeptHost,
        invite: Invite,
        header: Header,
        now: Duration,
    ) -> Self {
        own.world.report(&Event::Invite {
            version: VERSION,
            invite: kept.invite,
            link: None,
            code: None,
            guests: None,
            opens: None,
        });
        let relay = kept.request.relay;
        let reception = Reception::at_relay(own, &relay, &header, Some(&invite), None, now);
        Hosting {
            relay,
            invite: Some(invite),
            header,
            stage: Stage::Waiting(Box::new(reception)),
        }
    }

    /// A host that resumes the match of a file.
    ///
    /// # Errors
    /// If the match cannot be resumed here.
    pub(super) fn resuming(
        own: &Own<W>,
        relay: String,
        kept: Kept<W::Files>,
        now: Duration,
    ) -> anyhow::Result<Self> {
        let header = kept.opened.sitting.match_info.header().clone();
        let reception = Reception::at_relay(own, &relay, &header, None, Some(kept.peer()), now);
        let players = vec![kept.peer().clone()];
        let finder = Finder::new(&own.world, own.credentials(), kept.id(), players);
        let mut seat = seat_of(
            own,
            matches::resume(own, kept)?,
            finder.waiting(reception),
            now,
        )?;
        seat.reconnect(now)?;
        Ok(Hosting {
            relay,
            invite: None,
            header,
            stage: Stage::Playing(Box::new(seat)),
        })
    }

    /// Waits for the guest of the invite again.
    fn wait(&mut self, own: &Own<W>, now: Duration) {
        let (relay, invite) = (&self.relay, self.invite.as_ref());
        let reception = Reception::at_relay(own, relay, &self.header, invite, None, now + PAUSE);
        self.stage = Stage::Waiting(Box::new(reception));
    }

    /// Tells the player why the guest does not sit down, and waits again.
    fn did_not_sit(&mut self, own: &Own<W>, name: &Name, why: &anyhow::Error, now: Duration) {
        own.world.report(&Event::Notice {
            text: format!("{name} did not sit down ({why:#}). Still waiting."),
        });
        self.wait(own, now);
    }

    /// Continues after the meeting.
    fn met(&mut self, own: &mut Own<W>, line: PolledConnection<W::Sockets>, now: Duration) {
        match own.recognise(&line, None) {
            Ok(Some(question)) => {
                own.world.report(&question);
                self.stage = Stage::Asked(Box::new(line));
            }
            Ok(None) => self.stage = Stage::Met(Box::new(line), now + ANSWER),
            // A guest does not end the program.
            Err(error) => self.did_not_sit(own, &line.met.peer_name, &error, now),
        }
    }

    /// Answers the request of the guest.
    fn answer(
        &mut self,
        own: &mut Own<W>,
        line: PolledConnection<W::Sockets>,
        wants: Option<Control>,
        now: Duration,
    ) -> anyhow::Result<()> {
        match wants {
            Some(Control::Sit) => self.sit(own, line, now),
            Some(Control::Resume(of)) => self.resume(own, line, of, now),
            Some(Control::Declines(Term::All)) => bail!("the guest declined the terms"),
            Some(Control::Declines(term)) => bail!("the guest requires {term}"),
            _ => bail!(ConnectionError::Broken(
                "a first message that is not a request"
            )),
        }
    }

    fn sit(
        &mut self,
        own: &mut Own<W>,
        mut line: PolledConnection<W::Sockets>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let met = &line.met;
        if let Some(kept) = matches::open_with(own, &met.peer, None)? {
            let fits = kept.must_be_with(&met.peer);
            goodbye(line, &Control::Open(kept.id()), now);
            fits?;
            self.wait(own, now);
            return Ok(());
        }
        let seating = Seating::of_meeting(met, self.header.clone(), own.player())?;
        let Seating { sitting, circuit } = seating;
        let finder = self.finder(own, sitting.match_info.id(), &met.peer, now);
        let files = NewMatch::create(own, sitting)?.begin(own, Some(circuit))?;
        let mut seat = seat_of(own, files, finder, now)?;
        // The match has its files before the guest knows that it begins. If the connection has ended, the seat
        // looks for another one.
        let _ = line.core.send(Stream::Control, &Control::Sit.encode());
        seat.begin(line, now)?;
        self.stage = Stage::Playing(Box::new(seat));
        own.keep_hosting(None)
    }

    /// Resumes a match. One that is over here is resumed, too: the guest does not know how it ended.
    fn resume(
        &mut self,
        own: &mut Own<W>,
        line: PolledConnection<W::Sockets>,
        of: MatchId,
        now: Duration,
    ) -> anyhow::Result<()> {
        let peer = &line.met.peer;
        let keys = all_keys(&own.peers.lock(), peer);
        let kept = matches::find(own, &of)?.filter(|kept| keys.contains(kept.peer()));
        let Some(kept) = kept.filter(|kept| !kept.opened.is_closed()) else {
            goodbye(line, &Control::Unknown(of), now);
            self.wait(own, now);
            return Ok(());
        };
        if let Err(old_keys) = kept.must_be_with(peer) {
            goodbye(line, &Control::Declined, now);
            return Err(old_keys);
        }
        if kept.is_over() {
            own.world.report(&Event::Notice {
                text: END_SENT.into(),
            });
        }
        let finder = self.finder(own, of, peer, now);
        let mut seat = seat_of(own, matches::resume(own, kept)?, finder, now)?;
        seat.resume(line, now)?;
        self.stage = Stage::Playing(Box::new(seat));
        own.keep_hosting(None)
    }

    /// Waits for the peer of a match, also by the invite: its program may not know yet that this side knows
    /// it.
    fn finder(&self, own: &Own<W>, of: MatchId, peer: &PublicIdentity, now: Duration) -> Finder<W> {
        let (relay, invite) = (&self.relay, self.invite.as_ref());
        let (header, from) = (&self.header, now + PAUSE);
        let reception = Reception::at_relay(own, relay, header, invite, Some(peer), from);
        let players = vec![peer.clone()];
        Finder::new(&own.world, own.credentials(), of, players).waiting(reception)
    }

    fn next(&mut self, own: &mut Own<W>, now: Duration) -> anyhow::Result<bool> {
        match std::mem::replace(&mut self.stage, Stage::Changing) {
            Stage::Waiting(mut reception) => {
                let arrived = reception.step(now);
                self.stage = Stage::Waiting(reception);
                if let Some(line) = arrived {
                    self.met(own, line, now);
                }
            }
            Stage::Asked(mut line) => {
                line.flush(now);
                match line.core.ended() {
                    None => self.stage = Stage::Asked(line),
                    Some(why) => {
                        let why = why.clone().into();
                        self.did_not_sit(own, &line.met.peer_name, &why, now);
                    }
                }
            }
            Stage::Met(mut line, until) => {
                line.flush(now);
                let name = line.met.peer_name.clone();
                let answered = match line.core.next_message() {
                    Ok(None) if now < until => {
                        self.stage = Stage::Met(line, until);
                        Ok(())
                    }
                    Ok(None) => Err(ConnectionError::TimedOut.into()),
                    Ok(Some(message)) => self.answer(own, *line, request(&message), now),
                    Err(why) => Err(why.into()),
                };
                match answered {
                    Err(why) => self.did_not_sit(own, &name, &why, now),
                    Ok(()) if matches!(self.stage, Stage::Playing(_)) => {
                        return self.next(own, now);
                    }
                    Ok(()) => {}
                }
            }
            Stage::Playing(mut seat) => match seat.step(now) {
                None => self.stage = Stage::Playing(seat),
                Some(stopped) => {
                    return ended(own, &seat, &stopped?).map(|()| true);
                }
            },
            Stage::Changing => {}
        }
        Ok(false)
    }
}

/// The notice to a host whose guest has missed the end of a match.
const END_SENT: &str = "Your last match with this guest is over. The guest did not know this, and is told now. To begin a \
                        new match, host again.";

impl<W: SeatWorld> Program<W> for Hosting<W> {
    fn has(&mut self, number: u32) -> bool {
        match &mut self.stage {
            Stage::Waiting(reception) => reception.has(number),
            Stage::Playing(seat) => seat.has(number),
            _ => self.line(number).is_some(),
        }
    }

    fn seat(&mut self) -> Option<&mut SeatInPlay<W>> {
        match &mut self.stage {
            Stage::Playing(seat) => Some(seat),
            _ => None,
        }
    }

    fn line(&mut self, number: u32) -> Option<&mut PolledConnection<W::Sockets>> {
        match &mut self.stage {
            Stage::Playing(seat) => seat.line(number),
            Stage::Asked(line) | Stage::Met(line, _) => {
                Some(&mut **line).filter(|line| line.number() == number)
            }
            Stage::Waiting(_) | Stage::Changing => None,
        }
    }

    fn happened(
        &mut self,
        own: &mut Own<W>,
        number: u32,
        what: Happened<'_>,
        now: Duration,
    ) -> anyhow::Result<()> {
        match &mut self.stage {
            Stage::Playing(seat) => seat.happened(number, what, now),
            Stage::Waiting(reception) => {
                if let Some(line) = reception.happened(number, what, now) {
                    self.met(own, line, now);
                }
            }
            _ => {
                if let Some(line) = self.line(number) {
                    line.happened(what, now);
                }
            }
        }
        Ok(())
    }

    fn said(
        &mut self,
        own: &mut Own<W>,
        said: Said,
        turn: Option<u64>,
        now: Duration,
    ) -> anyhow::Result<()> {
        match (std::mem::replace(&mut self.stage, Stage::Changing), said) {
            (Stage::Playing(mut seat), said) => {
                seat.said(said, turn);
                self.stage = Stage::Playing(seat);
            }
            (_, Said::Leave { .. }) => return Err(BrokenOff.into()),
            (Stage::Asked(line), Said::Again {}) => {
                self.stage = Stage::Met(line, now + ANSWER);
            }
            (stage, _) => {
                self.stage = stage;
                refuse(&own.world, not_asked());
            }
        }
        Ok(())
    }

    fn step(&mut self, own: &mut Own<W>, now: Duration) -> anyhow::Result<Option<Value>> {
        Ok(self.next(own, now)?.then_some(Value::Null))
    }

    fn timer(&mut self, now: Duration) -> Duration {
        match &mut self.stage {
            Stage::Waiting(reception) => reception.timer(),
            Stage::Asked(line) => line.timer(),
            Stage::Met(line, until) => line.timer().min(*until),
            Stage::Playing(seat) => seat.timer(now),
            Stage::Changing => Duration::MAX,
        }
    }
}

/// The seat of a match, for the player of a page.
fn seat_of<W: SeatWorld>(
    own: &Own<W>,
    files: SeatFiles<W>,
    finder: Finder<W>,
    now: Duration,
) -> anyhow::Result<SeatInPlay<W>> {
    SeatInPlay::new(&own.world, files, own.peers.clone(), NEEDS, finder, now)
}
