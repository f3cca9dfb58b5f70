//! Runs a host's match that is stored in a file. A run begins when the players sit down or resume the match, and lasts
//! until the match is over, closed or broken off on this side.

use std::time::{Duration, Instant};

use anyhow::ensure;
use dealerless_connection::Connection;
use dealerless_connection::identity::PublicIdentity;
use dealerless_native::{Native, NativeProgram, Playing};
use dealerless_seat::run::{self, Finder, InPlay, SeatFiles, SeatInPlay, tell_absent_host};
use dealerless_seat::seat::{LAST_CALL, Other, PlayerNeeds};
use dealerless_table::Seat;
use dealerless_table::log::Sitting;

use super::open::MatchFile;
use super::own::Own;
use super::player::Player;
use super::route::route_to;
use super::waiting_room::WaitingRoom;

/// The parts of a seat that do not depend on the match.
pub(crate) struct SeatContext<'a> {
    pub(crate) own: &'a Own,
    pub(crate) player: Player,
    /// The door at which the guests come again. `None` if no connection is made again.
    pub(crate) room: Option<WaitingRoom>,
}

/// The keys of the guests of a match, who come to the door of the host.
fn guests_of(sitting: &Sitting) -> Vec<PublicIdentity> {
    let others = Other::all_of(sitting).into_iter();
    let guests = others.filter(|other| other.seat != Seat::HOST);
    guests.map(|other| other.identity).collect()
}

/// Plays a match that all players have agreed to, with a connection to each guest.
///
/// # Errors
/// If the match cannot continue, was broken by a player, or was broken off.
pub(crate) fn begin(
    around: SeatContext<'_>,
    connections: Vec<Connection>,
    files: SeatFiles<Native>,
) -> anyhow::Result<()> {
    sit(around, files, |seat, now| {
        for line in connections.into_iter().filter_map(Connection::into_polled) {
            seat.begin(line, now)?;
        }
        Ok(())
    })
}

/// Resumes a match: on this connection, on which the guest has just asked its host to, or without one. If a question to
/// the player is necessary, the caller has asked it in the first case.
///
/// # Errors
/// If the file cannot be resumed here, the files of the deck are damaged, or the match cannot continue.
pub(crate) fn resume(
    around: SeatContext<'_>,
    file: MatchFile,
    connection: Option<Connection>,
) -> anyhow::Result<()> {
    let files = run::resume(around.own, file)?;
    sit(around, files, |seat, now| {
        match connection.and_then(Connection::into_polled) {
            Some(line) => seat.resume(line, now),
            None => seat.reconnect(now),
        }
    })
}

/// Plays the match of these files. `first` does something with the seat before anything else happens.
fn sit(
    around: SeatContext<'_>,
    files: SeatFiles<Native>,
    first: impl FnOnce(&mut SeatInPlay<Native>, Duration) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let SeatContext { own, player, room } = around;
    let needs = player.needs();
    player.play(own, |seat_of, now| {
        let world = &seat_of.world;
        let past = files.sitting.match_info.header().past.clone();
        let (of, guests) = (files.sitting.match_info.id(), guests_of(&files.sitting));
        let finder = Finder::new(world, own.credentials(), of, guests).after(past.as_ref());
        let finder = match room {
            Some(room) => room.into_finder(world, finder),
            None => finder,
        };
        let route = |peer: &_| route_to(&own.relays, peer, &[]).ok();
        let finder = tell_absent_host(own, finder, past.as_ref(), route, now);
        let mut seat = SeatInPlay::new(world, files, own.peers.clone(), needs, finder, now)?;
        first(&mut seat, now)?;
        Ok(Box::new(InPlay(seat)) as NativeProgram)
    })
}

/// Sends the end of a match that is over here to another player, who does not know it. Nobody is told.
///
/// # Errors
/// If its file is damaged.
fn sending_end(own: &Own, file: MatchFile, connection: Connection) -> anyhow::Result<Playing> {
    let files = run::resume(own, file)?;
    let players = vec![connection.met.peer.clone()];
    let keeps = (own.stored.clone(), own.invites.clone());
    dealerless_native::begin(false, keeps, |seat_of, now| {
        let of = files.sitting.match_info.id();
        let finder = Finder::new(&seat_of.world, own.credentials(), of, players);
        let needs = PlayerNeeds {
            is_told_nothing: true,
            ..PlayerNeeds::default()
        };
        let peers = own.peers.clone();
        let mut seat = SeatInPlay::new(&seat_of.world, files, peers, needs, finder, now)?;
        match connection.into_polled() {
            Some(line) => seat.resume(line, now)?,
            None => seat.break_off(now),
        }
        Ok(Box::new(InPlay(seat)) as NativeProgram)
    })
}

/// The peers at a host's door that are being sent the end of a match.
#[derive(Default)]
pub(crate) struct Farewells(Vec<(PublicIdentity, Instant, Playing)>);

impl Farewells {
    /// The maximum number of peers at a time.
    const MOST: usize = 16;

    /// Sends the end of a match to the peer of `connection`, in the background. A peer that does not receive
    /// it connects again.
    ///
    /// # Errors
    /// If this peer or [`MOST`](Self::MOST) peers are being sent it, or the file is damaged.
    pub(crate) fn send_end(
        &mut self,
        own: &Own,
        file: MatchFile,
        connection: Connection,
    ) -> anyhow::Result<()> {
        let is_late = |begun: &Instant| begun.elapsed() >= LAST_CALL;
        (self.0).retain(|(_, begun, sending)| !sending.is_over() && !is_late(begun));
        let peer = connection.met.peer.clone();
        let is_sending = self.0.iter().any(|(other, ..)| *other == peer);
        ensure!(
            !is_sending && self.0.len() < Self::MOST,
            "the end of the last match is already being sent"
        );
        let sending = sending_end(own, file, connection)?;
        self.0.push((peer, Instant::now(), sending));
        Ok(())
    }
}
