//! Two seats of one match, each with its own thread and folder, over an encrypted connection and
//! with the real engine.

use std::io::{BufReader, PipeReader, PipeWriter, pipe};
use std::sync::Arc;

use dealerless::deck::Choice;
use dealerless_connection::identity::{Home, Name};
use dealerless_connection::system_rng;
use dealerless_connection::testing::{Connection, Door, Guest};
use dealerless_connection::{DoorEvent, Timing};
use dealerless_seat::run::{Finder, InPlay, NewMatch, SeatInPlay};
use dealerless_table::log::{Clock, Header};
use dealerless_table::play::Seating;
use dealerless_table::rules::Stakes;

use super::super::own::Own;
use super::super::player::{Face, Player};

/// The program at the other end of a seat's JSON.
pub(super) struct FrontEnd {
    pub(super) events: PipeReader,
    pub(super) commands: PipeWriter,
}

/// A closure that plays a seat to its end.
pub(super) type Ready = Box<dyn FnOnce() -> anyhow::Result<()> + Send>;

/// A player connected to the other player.
pub(super) struct Met {
    _folder: Folder,
    pub(super) own: Own,
    pub(super) connection: Connection,
    pub(super) seating: Seating,
}

/// Both seats of a match for these stakes, each with the program that plays it.
pub(super) fn both(stakes: &Stakes) -> [(Ready, FrontEnd); 2] {
    met(stakes).map(|met| {
        let (player, front) = player();
        let ready: Ready = Box::new(move || sit(met, player));
        (ready, front)
    })
}

/// A player that is a program, and the program's end of the pipes.
pub(super) fn player() -> (Player, FrontEnd) {
    let (events, output) = pipe().unwrap();
    let (input, commands) = pipe().unwrap();
    let input = Box::new(BufReader::new(input));
    let player = Player::new(Face::Json(Box::new(output), Box::default()), None, input);
    (player, FrontEnd { events, commands })
}

/// Plays a seat to its end. It makes no further connection.
pub(super) fn sit(met: Met, player: Player) -> anyhow::Result<()> {
    let (needs, connection) = (player.needs(), met.connection);
    let Seating { sitting, circuit } = met.seating;
    player.play(&met.own, |own, now| {
        let files = NewMatch::create(own, sitting)?.begin(own, Some(circuit))?;
        let finder = Finder::new(own, files.sitting.match_info.id(), Vec::new());
        let mut seat = SeatInPlay::new(own, files, needs, finder, now)?;
        seat.begin(connection.into_polled().expect("nobody else has it"), now)?;
        Ok(Box::new(InPlay(seat)))
    })
}

/// The folder of a player. Dropping this value removes it.
pub(super) struct Folder {
    _folder: tempfile::TempDir,
    home: Arc<Home>,
}

pub(super) fn own(name: &str) -> (Folder, Own) {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::open(folder.path(), None, &mut system_rng()).unwrap();
    let home = Arc::new(home);
    let mut own = Own::of(Arc::clone(&home)).unwrap();
    own.stored.name = Name::clean(name);
    let _folder = folder;
    (Folder { _folder, home }, own)
}

/// Two connected players, the host first.
pub(super) fn met(stakes: &Stakes) -> [Met; 2] {
    let (cards, drawn) = stakes.deck();
    let spec = Choice::Cheapest.spec(cards, drawn);
    let clock = Clock {
        each_move: 0,
        bank: 0,
    };
    let proposed = Seating::propose(stakes.clone(), spec.unwrap().algorithm(), clock);
    let (header, _) = proposed.unwrap();
    let [host, guest] = ["Anna", "Bert"].map(own);
    let connections = meet(&host, &guest.1, &header);
    let mut sides = [host, guest].into_iter().zip(connections);
    [(); 2].map(|()| {
        let ((folder, own), connection) = sides.next().unwrap();
        side(folder, own, connection, &header)
    })
}

fn meet((folder, host): &(Folder, Own), guest: &Own, header: &Header) -> [Connection; 2] {
    let door = Door::open(
        Arc::clone(&folder.home),
        host.peers.clone(),
        host.name.clone(),
        header.encode(),
        &["127.0.0.1:0".parse().unwrap()],
        Timing::default(),
    )
    .unwrap();
    let at = door.addresses()[0].into();
    let invite = door.invite(vec![at], None).unwrap();
    let guest = Guest {
        identity: &guest.identity,
        name: &guest.name,
        timing: Timing::default(),
    };
    let of_guest = guest.join(&invite).unwrap();
    match door.next(std::time::Duration::from_secs(60)) {
        Some(DoorEvent::Connection(of_host)) => [*of_host, of_guest],
        _ => panic!("nobody came"),
    }
}

fn side(folder: Folder, own: Own, connection: Connection, header: &Header) -> Met {
    (own.peers.lock())
        .remember(&connection.met.peer, &connection.met.peer_name, &[], None)
        .unwrap();
    let seating = Seating::of_meeting(&connection.met, header.clone(), own.player()).unwrap();
    Met {
        _folder: folder,
        own,
        connection,
        seating,
    }
}
