//! Two seats of one match, each with its own thread and folder, over an encrypted connection and
//! with the real engine.

use std::io::{BufReader, PipeReader, PipeWriter, pipe};

use dealerless::deck::Choice;
use dealerless_connection::identity::{Home, Name};
use dealerless_connection::system_rng;
use dealerless_connection::{Connection, Door, DoorEvent, Guest, Timing};
use dealerless_seat::run::NewMatch;
use dealerless_table::log::{Clock, Header};
use dealerless_table::play::Seating;
use dealerless_table::rules::Stakes;

use super::super::own::Own;
use super::super::player::{Face, Player};
use super::super::stored_match::{SeatContext, begin};

/// The program at the other end of a seat's JSON.
pub(super) struct FrontEnd {
    pub(super) events: PipeReader,
    pub(super) commands: PipeWriter,
}

/// A closure that plays a seat to its end.
pub(super) type Ready = Box<dyn FnOnce() -> anyhow::Result<()> + Send>;

/// A player connected to the other player.
pub(super) struct Met {
    // Dropping this value removes the folder.
    _folder: tempfile::TempDir,
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
    let Seating { sitting, circuit } = met.seating;
    let files = NewMatch::create(&met.own, sitting)?.begin(&met.own, Some(circuit))?;
    let around = SeatContext {
        own: &met.own,
        player,
        room: None,
    };
    begin(around, vec![met.connection], files)
}

pub(super) fn own(name: &str) -> (tempfile::TempDir, Own) {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::open(folder.path(), None, &mut system_rng()).unwrap();
    let mut own = Own::of(home).unwrap();
    own.stored.name = Name::clean(name);
    (folder, own)
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
    let listen = ["127.0.0.1:0".to_owned()];
    let door = super::super::door::open_door(&host.1, &header, &listen).unwrap();
    let connections = meet(&door, &guest.1);
    let mut sides = [host, guest].into_iter().zip(connections);
    [(); 2].map(|()| {
        let ((folder, own), connection) = sides.next().unwrap();
        side(folder, own, connection, &header)
    })
}

fn meet(door: &Door, guest: &Own) -> [Connection; 2] {
    let at = door.addresses()[0].into();
    let invite = door.invite(vec![at], None).unwrap();
    let guest = Guest {
        identity: guest.home.identity(),
        name: &guest.name,
        timing: Timing::default(),
    };
    let of_guest = guest.join(&invite).unwrap();
    match door.next(std::time::Duration::from_secs(60)) {
        Some(DoorEvent::Connection(of_host)) => [*of_host, of_guest],
        _ => panic!("nobody came"),
    }
}

fn side(folder: tempfile::TempDir, own: Own, connection: Connection, header: &Header) -> Met {
    (own.peers.lock())
        .remember(&connection.met.peer, &connection.met.peer_name, &[], None)
        .unwrap();
    let me = (own.home.identity().public(), &own.name);
    let seating = Seating::of_meeting(&connection.met, header.clone(), me).unwrap();
    Met {
        _folder: folder,
        own,
        connection,
        seating,
    }
}
