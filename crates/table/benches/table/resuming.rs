//! The time that a match needs to resume on a new connection after the old one was lost in a hand.

use std::thread;
use std::time::{Duration, Instant};

use dealerless_connection::identity::Address;
use dealerless_connection::storage::{Storage, Vault};
use dealerless_connection::{Connection, DoorEvent, Guest, Timing};
use dealerless_table::Seat;
use dealerless_table::log::LogEvent;
use dealerless_table::play::{News, Table, TableEvent};

use crate::match_of_two::{Player, Syncs, attempts, calls, door, seat};
use crate::proxy::{Link, proxy};

const TIMEOUT: Duration = Duration::from_secs(60);
const NOTICE_TIME: Duration = Duration::from_millis(500);

/// Measures the time from the guest's redial until the guest can move, and until the host receives
/// the guest's move.
pub(crate) fn resume(link: Link) -> [Duration; 2] {
    let ([host, guest], door) = door(2);
    let (address, _) = proxy(door.addresses()[0], link);
    let invite = door.invite(vec![address.into()], None).expect("an invite");
    thread::scope(|scope| {
        let host = &host;
        let at_host = scope.spawn(move || {
            let connection = || match door.next(TIMEOUT) {
                Some(DoorEvent::Connection(connection)) => *connection,
                _ => panic!("the guest did not connect"),
            };
            play_host(host, connection)
        });
        let dialer = Guest {
            identity: guest.home.identity(),
            name: &guest.name,
            timing: Timing::default(),
        };
        let connection = dialer.join(&invite).expect("the host");
        let host_keys = connection.met.peer.clone();
        let again = || {
            let at: [Address; 1] = [address.into()];
            dialer.join_again(&host_keys, &at, None).expect("the host")
        };
        let [dialed, resumed] = play_guest(&guest, connection, again);
        let received = at_host.join().expect("the host");
        [resumed - dialed, received - dialed]
    })
}

/// The next news of the seat. `None` if its connection is lost.
fn news<S: Storage, V: Vault>(table: &mut Table<S, V, ()>) -> Option<News> {
    match table.next(TIMEOUT).expect("an honest match") {
        Some(TableEvent::News(news)) => Some(news),
        _ => None,
    }
}

/// Plays until the host receives a move on the second connection. Returns the time of this.
fn play_host(player: &Player, mut connection: impl FnMut() -> Connection) -> Instant {
    let first = connection();
    let mut table = seat::<()>(player, &first, &Syncs::default());
    let counts = attempts(player, &first);
    table.begin(Seat::GUEST, first, Some(counts));
    let mut again = false;
    loop {
        match news(&mut table) {
            Some(News::YourTurn { legal }) => table.command(calls(&legal)).expect("its turn"),
            Some(News::Log(LogEvent::Chose(chosen)))
                if again && chosen.seat != table.play().seat() =>
            {
                return Instant::now();
            }
            Some(_) => {}
            None => {
                let next = connection();
                let counts = attempts(player, &next);
                table
                    .resume(Seat::GUEST, next, Some(counts))
                    .expect("files in memory");
                again = true;
            }
        }
    }
}

/// Plays until the guest's first turn in the second hand, drops the connection there, and moves on
/// a new connection. Returns the times at which the guest dialed and could move.
fn play_guest(
    player: &Player,
    connection: Connection,
    again: impl FnOnce() -> Connection,
) -> [Instant; 2] {
    let mut table = seat::<()>(player, &connection, &Syncs::default());
    let counts = attempts(player, &connection);
    table.begin(Seat::HOST, connection, Some(counts));
    let mut hands = 0;
    loop {
        match news(&mut table).expect("a connection") {
            News::YourTurn { .. } if hands > 0 => break,
            News::YourTurn { legal } => table.command(calls(&legal)).expect("its turn"),
            News::Log(LogEvent::HandOver { .. }) => hands += 1,
            _ => {}
        }
    }
    // Both sides notice that the connection is gone.
    table.lose_connection(Seat::HOST);
    thread::sleep(NOTICE_TIME);
    let dialed = Instant::now();
    let connection = again();
    let counts = attempts(player, &connection);
    table
        .resume(Seat::HOST, connection, Some(counts))
        .expect("files in memory");
    loop {
        if let News::YourTurn { legal } = news(&mut table).expect("a connection") {
            let resumed = Instant::now();
            table.command(calls(&legal)).expect("its turn");
            // Sends the move and waits until the host has disconnected.
            while news(&mut table).is_some() {}
            return [dialed, resumed];
        }
    }
}
