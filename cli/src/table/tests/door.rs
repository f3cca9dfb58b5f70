//! Who comes to a door, and who is listened to there.

use std::time::Duration;

use dealerless::shuffle::Algorithm;
use dealerless_table::connection::{Connection, Guest, Timing};
use dealerless_table::log::{Clock, Header};
use dealerless_table::play::{Control, Seating};
use dealerless_table::rules::{Stakes, Variety};

use super::super::door::open_door;
use super::super::hearing::{Comes, Hearing};
use super::super::own::Own;
use super::seats::own;

const LIMIT: Duration = Duration::from_secs(60);

fn hearing(host: &Own) -> Hearing {
    let clock = Clock {
        each_move: 0,
        bank: 0,
    };
    let stakes = Stakes::new(Variety::Deck { cards: 3, drawn: 1 }, 2, 1).unwrap();
    let (header, _): (Header, _) = Seating::propose(stakes, Algorithm::FisherYates, clock).unwrap();
    Hearing::new(open_door(host, &header, &["127.0.0.1:0".to_owned()]).unwrap())
}

/// Somebody new comes with an invite of its own.
fn comes(hearing: &mut Hearing, guest: &Own) -> Connection {
    let at = hearing.door().addresses()[0].into();
    let invite = hearing.door().invite(vec![at], None).unwrap();
    let guest = Guest {
        identity: guest.home.identity(),
        name: &guest.name,
        timing: Timing::default(),
    };
    let connection = guest.join(&invite).unwrap();
    match hearing.next(LIMIT) {
        Some(Comes::In(of_host)) => hearing.listen(of_host, None),
        _ => panic!("nobody came"),
    }
    connection
}

#[test]
fn sixteen_are_listened_to_and_the_oldest_goes_for_one_more() {
    let (_folder, host) = own("Anna");
    let mut hearing = hearing(&host);
    let guests: Vec<_> = (0..17)
        .map(|number| own(&format!("Guest {number}")))
        .collect();
    let lines: Vec<Connection> = (guests.iter())
        .map(|(_, guest)| comes(&mut hearing, guest))
        .collect();
    // The first one's line is closed, and of the others none: each can still say what it wants.
    assert!(
        lines[0]
            .recv(LIMIT)
            .is_err_and(|error| error != dealerless_table::connection::ConnectionError::TimedOut)
    );
    for (number, connection) in lines.iter().enumerate().skip(1).rev() {
        connection.send_control(Control::Sit.encode()).unwrap();
        match hearing.next(LIMIT) {
            Some(Comes::Says(_, Control::Sit, None)) => {}
            _ => panic!("guest {number} was not heard"),
        }
    }
}

#[test]
fn who_is_turned_away_hears_it_and_who_says_something_else_is_gone() {
    let (_folder, host) = own("Anna");
    let mut hearing = hearing(&host);
    let guests = ["Bert", "Carl"].map(own);
    let [bert, carl] = [0, 1].map(|number: usize| comes(&mut hearing, &guests[number].1));
    bert.send_control(Control::Audit([7; 32]).encode()).unwrap();
    match hearing.next(LIMIT) {
        Some(Comes::Says(connection, Control::Audit(of), None)) => {
            hearing.decline(connection, Control::Unknown(of));
        }
        _ => panic!("Bert was not heard"),
    }
    let answer = bert.recv(LIMIT).unwrap();
    assert_eq!(
        Control::decode(&answer.bytes),
        Some(Control::Unknown([7; 32]))
    );
    carl.send_log(vec![1]).unwrap();
    match hearing.next(LIMIT) {
        Some(Comes::Goes(connection, _)) => assert_eq!(connection.peer_name.as_str(), "Carl"),
        _ => panic!("Carl is still there"),
    }
}
