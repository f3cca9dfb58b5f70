//! Tables over real connections, also between guests.

use std::thread;
use std::time::{Duration, Instant};

use dealerless::net::Deadlines;
use dealerless_connection::system_rng;
use dealerless_connection::testing::players::met;
use dealerless_connection::{Connection, Timing};
use dealerless_table::Seat;
use dealerless_table::log::End;
use dealerless_table::play::{Command, Control, DeckSetting, News, Table, TableEvent};
use dealerless_table::rules::Choice;
use dealerless_table::testing::choices;
use dealerless_table::testing::disk::{Disk, Growing};
use dealerless_table::testing::test_match::{setting, verifiable};

/// A table, to which new connections to the second guest are posted.
type Seated = Table<Growing, Disk, Connection>;

const ONE: Seat = Seat::new(1);
const TWO: Seat = Seat::new(2);

/// The disks of three seats with the files of a match of one hand.
fn disks() -> [Disk; 3] {
    let of = verifiable(3, 1);
    [Seat::HOST, ONE, TWO].map(|seat| {
        let disk = Disk::default();
        of.journal(seat, disk.log());
        disk
    })
}

/// The table of a seat, started from its disk.
fn seated(disk: &Disk, seat: Seat) -> Seated {
    let deck = DeckSetting::Verifiable(disk.clone());
    let setting = setting(seat, disk.log(), deck, system_rng());
    Table::new(setting.unwrap(), Deadlines::default()).unwrap()
}

/// The tables of a match that has begun, in which each guest is connected to the host.
fn begun(disks: &[Disk; 3]) -> [Seated; 3] {
    let [mut host, mut one, mut two] =
        [(0, Seat::HOST), (1, ONE), (2, TWO)].map(|(at, seat)| seated(&disks[at], seat));
    for (seat, guest) in [(ONE, &mut one), (TWO, &mut two)] {
        let (to_guest, to_host) = met(Timing::default());
        host.begin(seat, to_guest, None);
        guest.begin(Seat::HOST, to_host, None);
    }
    [host, one, two]
}

/// Plays until the match is over, or until the seat has to choose if it `stops`. Returns the seats
/// whose connections were lost.
fn play(table: &mut Seated, stops: bool) -> Vec<Seat> {
    let (mut lost, begun) = (Vec::new(), Instant::now());
    while begun.elapsed() < Duration::from_secs(300) {
        match table.next(Duration::from_millis(50)).unwrap() {
            Some(TableEvent::News(News::YourTurn { .. })) if stops => return lost,
            Some(TableEvent::News(News::YourTurn { legal })) => {
                let choice = choices::passive(&legal);
                table.command(Command::Choose(choice)).unwrap();
            }
            Some(TableEvent::News(News::Over(end))) => {
                assert_eq!(end, End::Played);
                table.close();
                return lost;
            }
            Some(TableEvent::Posted(connection)) => table.resume(TWO, connection, None).unwrap(),
            Some(TableEvent::ConnectionLost(seat, _)) => lost.push(seat),
            Some(TableEvent::Control(control)) => panic!("{control:?}"),
            _ => {}
        }
    }
    panic!("the match is not over: {:?}", table.play().log().phase());
}

/// A guest could otherwise make another one believe that the host declines the match.
#[test]
fn guests_ignore_each_others_control_messages_and_play_on_after_their_connection_is_lost() {
    let [mut host, mut one, mut two] = begun(&disks());
    let (to_two, to_one) = met(Timing::default());
    to_two.send_control(Control::Declined.encode()).unwrap();
    one.resume(TWO, to_two, None).unwrap();
    two.resume(ONE, to_one, None).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| play(&mut host, false));
        let two = scope.spawn(|| play(&mut two, false));
        assert_eq!(play(&mut one, true), []);
        one.lose_connection(TWO);
        assert!(one.is_connected());
        let choice = Command::Choose(Choice::Call);
        one.command(choice).unwrap();
        play(&mut one, false);
        assert_eq!(two.join().unwrap(), [ONE]);
    });
}

/// The guest has no connection to the other guest. Then the match goes on over the host.
#[test]
fn guest_waits_for_the_histories_of_other_guests_for_five_seconds_after_its_start() {
    let disks = disks();
    let [mut host, mut one, mut two] = begun(&disks);
    let mailbox = host.mailbox();
    thread::scope(|scope| {
        scope.spawn(|| play(&mut host, false));
        scope.spawn(|| play(&mut one, false));
        play(&mut two, true);
        drop(two);
        let mut two = seated(&disks[2], TWO);
        let (to_guest, to_host) = met(Timing::default());
        assert!(mailbox.post(to_guest));
        let begun = Instant::now();
        two.resume(Seat::HOST, to_host, None).unwrap();
        while !two.play().is_synced() {
            let event = two.next(Duration::from_millis(50)).unwrap();
            let is_early = matches!(event, Some(TableEvent::News(News::YourTurn { .. })));
            assert!(!is_early && begun.elapsed() < Duration::from_secs(60));
        }
        assert!(begun.elapsed() > Duration::from_secs(5));
        assert_eq!(play(&mut two, false), []);
    });
}
