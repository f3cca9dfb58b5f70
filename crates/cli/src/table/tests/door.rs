//! Tests of the door and its waiting room.

use std::time::Duration;

use dealerless::shuffle::Algorithm;
use dealerless_connection::{Connection, Guest, Timing};
use dealerless_table::log::{Clock, Header, MatchId};
use dealerless_table::play::{Control, Seating};
use dealerless_table::rules::{Stakes, Variety};

use super::super::door::open_door;
use super::super::own::Own;
use super::super::waiting_room::{RoomEvent, WaitingRoom};
use super::seats::own;

const LIMIT: Duration = Duration::from_secs(60);

fn room(host: &Own) -> WaitingRoom {
    let clock = Clock {
        each_move: 0,
        bank: 0,
    };
    let stakes = Stakes::new(Variety::Deck { cards: 3, drawn: 1 }, 2, 1).unwrap();
    let (header, _): (Header, _) = Seating::propose(stakes, Algorithm::FisherYates, clock).unwrap();
    WaitingRoom::new(open_door(host, &header, &["127.0.0.1:0".to_owned()]).unwrap())
}

/// Connects a new peer with an invite of its own.
fn connect(room: &mut WaitingRoom, guest: &Own) -> Connection {
    let at = room.door().addresses()[0].into();
    let invite = room.door().invite(vec![at], None).unwrap();
    let guest = Guest {
        identity: guest.home.identity(),
        name: &guest.name,
        timing: Timing::default(),
    };
    let connection = guest.join(&invite).unwrap();
    match room.next(LIMIT) {
        Some(RoomEvent::Connected(of_host)) => room.admit(of_host, None),
        _ => panic!("nobody came"),
    }
    connection
}

#[test]
fn sixteen_peers_can_wait_and_a_seventeenth_replaces_the_first() {
    let (_folder, host) = own("Anna");
    let mut room = room(&host);
    let guests: Vec<_> = (0..17)
        .map(|number| own(&format!("Guest {number}")))
        .collect();
    let connections: Vec<Connection> = (guests.iter())
        .map(|(_, guest)| connect(&mut room, guest))
        .collect();
    // The first connection is closed, and the others are open: each peer can still send its
    // request.
    assert!(
        connections[0]
            .recv(LIMIT)
            .is_err_and(|error| error != dealerless_connection::ConnectionError::TimedOut)
    );
    for (number, connection) in connections.iter().enumerate().skip(1).rev() {
        connection.send_control(Control::Sit.encode()).unwrap();
        match room.next(LIMIT) {
            Some(RoomEvent::Request(_, Control::Sit, None)) => {}
            _ => panic!("the request of guest {number} was not received"),
        }
    }
}

#[test]
fn a_declined_guest_is_told_and_an_invalid_first_message_disconnects() {
    let (_folder, host) = own("Anna");
    let mut room = room(&host);
    let guests = ["Bert", "Carl"].map(own);
    let [bert, carl] = [0, 1].map(|number: usize| connect(&mut room, &guests[number].1));
    bert.send_control(Control::Audit(MatchId::new([7; 32])).encode())
        .unwrap();
    match room.next(LIMIT) {
        Some(RoomEvent::Request(connection, Control::Audit(of), None)) => {
            room.decline(connection, Control::Unknown(of));
        }
        _ => panic!("the request of Bert was not received"),
    }
    let answer = bert.recv(LIMIT).unwrap();
    assert_eq!(
        Control::decode(&answer.bytes),
        Some(Control::Unknown(MatchId::new([7; 32])))
    );
    carl.send_log(vec![1]).unwrap();
    match room.next(LIMIT) {
        Some(RoomEvent::Gone(connection, _)) => {
            assert_eq!(connection.met.peer_name.as_str(), "Carl")
        }
        _ => panic!("Carl is still connected"),
    }
}
