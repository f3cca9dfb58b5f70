//! A host that invites a guest, waits for it, and plays.

use std::time::Duration;

use dealerless::deck::Choice;
use dealerless_events::command::{Said, not_asked};
use dealerless_events::event::{Event, VERSION};
use dealerless_events::game_name::GameName;
use dealerless_events::open_match::with_old_keys;
use dealerless_events::seat::Stopped;
use dealerless_events::terms::{Terms, Time};
use dealerless_table::connection::{Invite, Stream};
use dealerless_table::identity::PublicIdentity;
use dealerless_table::log::Header;
use dealerless_table::play::{Control, DealCircuit, Done, Seating};
use serde::Deserialize;

use crate::failure::BrokenOff;
use crate::finder::{Finder, goodbye};
use crate::guest::check_memory;
use crate::line::{Happened, Line};
use crate::matches::{self, Kept};
use crate::own::Own;
use crate::page;
use crate::program::Program;
use crate::reception::Reception;
use crate::seat::SeatInPlay;

/// A request to host a match of two.
#[derive(Deserialize)]
pub(crate) struct HostRequest {
    pub(crate) name: Option<String>,
    /// The relay: the URL of a WebSocket.
    pub(crate) relay: String,
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
    fn header(&self) -> anyhow::Result<Header> {
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

/// A host, from the invite to the end of the match.
pub(crate) struct Hosting {
    relay: String,
    /// The invite of a new match. `None` if a match is resumed.
    invite: Option<Invite>,
    header: Option<Header>,
    stage: Stage,
}

enum Stage {
    /// Waiting for the guest.
    Waiting(Reception),
    /// The player is asked whether to play with a peer after failed attempts.
    Asked(Box<Line>),
    /// The guest is connected and has sent no request yet.
    Met(Box<Line>),
    Playing(Box<SeatInPlay>),
    /// The stage changes.
    Changing,
}

impl Hosting {
    /// A host of a new match.
    ///
    /// # Errors
    /// If a term is invalid, or the invite cannot be kept.
    pub(crate) fn inviting(own: &Own, request: HostRequest) -> anyhow::Result<Self> {
        let header = request.header()?;
        let public = own.identity().public();
        let mut invites = own
            .invites
            .lock()
            .map_err(|_| anyhow::anyhow!("the invites are damaged"))?;
        let invite = invites.invite(public, Vec::new(), None)?;
        drop(invites);
        page::tell(&Event::Invite {
            version: VERSION,
            invite: invite.to_string(),
            link: None,
            guests: None,
            opens: None,
        });
        let reception = reception(&request.relay, Some(&header), Some(&invite), None);
        Ok(Hosting {
            relay: request.relay,
            invite: Some(invite),
            header: Some(header),
            stage: Stage::Waiting(reception),
        })
    }

    /// A host that resumes the match of a file.
    ///
    /// # Errors
    /// If the match cannot be resumed here.
    pub(crate) fn resuming(
        own: &Own,
        relay: String,
        kept: Kept,
        now: Duration,
    ) -> anyhow::Result<Self> {
        let header = kept.opened.sitting.match_info.header().clone();
        let peer = kept.peer().clone();
        let finder = Finder::Waits(reception(&relay, Some(&header), None, Some(&peer)), None);
        let mut seat = matches::resume(own, kept, finder, now)?;
        seat.reconnect(now)?;
        Ok(Hosting {
            relay,
            invite: None,
            header: None,
            stage: Stage::Playing(Box::new(seat)),
        })
    }

    /// Waits for the guest of the invite again.
    fn wait(&mut self) {
        let invite = self.invite.as_ref();
        self.stage = Stage::Waiting(reception(&self.relay, self.header.as_ref(), invite, None));
    }

    /// Continues after the meeting.
    fn met(&mut self, own: &mut Own, line: Line) {
        let question = match own.recognise(&line.connection.met, &self.relay) {
            Ok(question) => question,
            // A stranger does not end the program.
            Err(error) => {
                page::tell(&Event::Notice {
                    text: format!("{error:#}"),
                });
                self.wait();
                return;
            }
        };
        self.stage = match question {
            Some(question) => {
                page::tell(&question);
                Stage::Asked(Box::new(line))
            }
            None => Stage::Met(Box::new(line)),
        };
    }

    /// Answers the request of the guest.
    fn answer(
        &mut self,
        own: &mut Own,
        mut line: Box<Line>,
        control: Option<Control>,
        now: Duration,
    ) -> anyhow::Result<()> {
        let peer = line.connection.met.peer.clone();
        let open = matches::open_with(own, &peer)?;
        if let Some(kept) = open.as_ref().filter(|kept| *kept.peer() != peer) {
            page::tell(&Event::Notice {
                text: with_old_keys(&kept.id(), &kept.peer_name()),
            });
            goodbye(*line, &Control::Declined, now)?;
            self.wait();
            return Ok(());
        }
        match (control, open) {
            (Some(Control::Resume(of)), Some(kept)) if kept.id() == of => {
                let finder = self.finder(&peer);
                let mut seat = matches::resume(own, kept, finder, now)?;
                seat.resume(*line, now)?;
                self.stage = Stage::Playing(Box::new(seat));
            }
            (Some(Control::Resume(of)), _) => {
                goodbye(*line, &Control::Unknown(of), now)?;
                self.wait();
            }
            (Some(Control::Sit), Some(kept)) => {
                goodbye(*line, &Control::Open(kept.id()), now)?;
                self.wait();
            }
            (Some(Control::Sit), None) => {
                let Some(header) = self.header.clone() else {
                    return Ok(());
                };
                let keys = (own.identity().public(), own.name);
                let seating = Seating::of_meeting(&line.connection.met, header, keys)?;
                // If the connection has ended, the seat looks for another one.
                let _ = line
                    .connection
                    .core
                    .send(Stream::Control, &Control::Sit.encode());
                let mut seat = matches::begin(own, seating, self.finder(&peer), now)?;
                seat.begin(*line, now)?;
                self.stage = Stage::Playing(Box::new(seat));
            }
            (Some(Control::Declines(term)), _) => {
                page::tell(&Event::Notice {
                    text: format!("{} declines {term}.", line.connection.met.peer_name),
                });
                self.wait();
            }
            _ => self.wait(),
        }
        Ok(())
    }

    /// Waits for the peer of a match, also by the invite: its program may not know yet that this side knows
    /// it.
    fn finder(&self, peer: &PublicIdentity) -> Finder {
        let invite = self.invite.as_ref();
        Finder::Waits(
            reception(&self.relay, self.header.as_ref(), invite, Some(peer)),
            None,
        )
    }

    fn next(&mut self, own: &mut Own, now: Duration) -> anyhow::Result<bool> {
        match std::mem::replace(&mut self.stage, Stage::Changing) {
            Stage::Waiting(mut reception) => {
                reception.tick(own, now)?;
                self.stage = Stage::Waiting(reception);
            }
            Stage::Asked(mut line) => {
                line.flush(now);
                self.stage = Stage::Asked(line);
            }
            Stage::Met(mut line) => {
                line.flush(now);
                match line.connection.core.next_message() {
                    Ok(None) => self.stage = Stage::Met(line),
                    Ok(Some(message)) => {
                        let control = Control::decode(&message.bytes);
                        self.answer(own, line, control, now)?;
                    }
                    Err(_) => self.wait(),
                }
            }
            Stage::Playing(mut seat) => match seat.step(own, now) {
                None => self.stage = Stage::Playing(seat),
                Some(stopped) => {
                    let stopped = stopped?;
                    seat.tell_end(&stopped)?;
                    return match stopped {
                        Stopped::BrokenOff => Err(BrokenOff.into()),
                        stopped => matches::stopped(own, &seat.of(), &stopped).map(|()| true),
                    };
                }
            },
            Stage::Changing => {}
        }
        Ok(false)
    }
}

/// The calls of a host at its relay.
fn reception(
    relay: &str,
    header: Option<&Header>,
    invite: Option<&Invite>,
    peer: Option<&PublicIdentity>,
) -> Reception {
    // Leaked, because a meeting borrows the header. A page hosts few matches.
    let header = header.map(Header::encode).unwrap_or_default();
    Reception::new(relay.to_owned(), header.leak(), invite, peer)
}

impl Program for Hosting {
    fn line(&mut self, socket: u32) -> Option<&mut Line> {
        match &mut self.stage {
            Stage::Playing(seat) => seat.line(socket),
            Stage::Asked(line) | Stage::Met(line) => {
                Some(&mut **line).filter(|line| line.has(socket))
            }
            Stage::Waiting(_) | Stage::Changing => None,
        }
    }

    fn happened(
        &mut self,
        own: &mut Own,
        socket: u32,
        what: Happened<'_>,
        now: Duration,
    ) -> anyhow::Result<()> {
        match &mut self.stage {
            Stage::Playing(seat) => seat.happened(own, socket, what, now)?,
            Stage::Waiting(reception) => {
                if let Some(line) = reception.happened(socket, what, now) {
                    self.met(own, line);
                }
            }
            _ => {
                if let Some(line) = self.line(socket) {
                    line.happened(what, now);
                }
            }
        }
        Ok(())
    }

    fn said(
        &mut self,
        _own: &mut Own,
        said: Said,
        turn: Option<u64>,
        _now: Duration,
    ) -> anyhow::Result<()> {
        match (std::mem::replace(&mut self.stage, Stage::Changing), said) {
            (Stage::Playing(mut seat), said) => {
                seat.said(said, turn);
                self.stage = Stage::Playing(seat);
            }
            (_, Said::Leave { .. }) => return Err(BrokenOff.into()),
            (Stage::Asked(line), Said::Again {}) => self.stage = Stage::Met(line),
            (stage, _) => {
                self.stage = stage;
                page::refuse(not_asked());
            }
        }
        Ok(())
    }

    fn engine_done(&mut self, socket: u32, done: Done) {
        if let Stage::Playing(seat) = &mut self.stage {
            seat.engine_done(socket, done);
        }
    }

    fn step(&mut self, own: &mut Own, now: Duration) -> Option<anyhow::Result<()>> {
        match self.next(own, now) {
            Ok(ended) => ended.then_some(Ok(())),
            Err(error) => Some(Err(error)),
        }
    }

    fn timer(&mut self, now: Duration) -> Duration {
        match &mut self.stage {
            Stage::Waiting(reception) => reception.timer(),
            Stage::Asked(line) | Stage::Met(line) => line.timer(),
            Stage::Playing(seat) => seat.timer(now),
            Stage::Changing => Duration::MAX,
        }
    }

    fn break_off(&mut self, now: Duration) -> anyhow::Result<()> {
        match &mut self.stage {
            Stage::Playing(seat) => {
                seat.break_off(now);
                Ok(())
            }
            _ => Err(BrokenOff.into()),
        }
    }
}
