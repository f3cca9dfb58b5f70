//! Three seats with a verifiable deck, and their connections.

use super::super::super::control::Control;
use super::super::super::orders::{Event, NoEngine};
use super::super::super::seat_play::DeckSetting;
use super::*;
use crate::log::tests::test_match::verifiable;

const ONE: Seat = Seat::new(1);
const TWO: Seat = Seat::new(2);

/// The files of a seat.
#[derive(Clone, Default)]
struct Disk {
    log: MemoryStorage,
    keys: MemoryVault,
}

/// The seats of a match of one hand. Each guest is connected to the host.
struct Three {
    disks: [Disk; 3],
    tables: [TestTable; 3],
    now: Duration,
}

fn started(disk: &Disk, seat: Seat, now: Duration) -> TestTable {
    let deck = DeckSetting::Verifiable(disk.keys.clone());
    let setting = setting(seat, disk.log.clone(), deck, system_rng()).unwrap();
    TableCore::new(setting, now).unwrap()
}

impl Three {
    fn new() -> Self {
        let of = verifiable(3, 1);
        let disks: [Disk; 3] = Default::default();
        let mut tables = [Seat::HOST, ONE, TWO].map(|seat| {
            let disk = &disks[seat.index()];
            of.journal(seat, disk.log.clone());
            started(disk, seat, Duration::ZERO)
        });
        for guest in [ONE, TWO] {
            tables[0].begin(guest, Duration::ZERO);
            tables[guest.index()].begin(Seat::HOST, Duration::ZERO);
        }
        let now = Duration::ZERO;
        let mut three = Three { disks, tables, now };
        three.run();
        three
    }

    fn table(&mut self, seat: Seat) -> &mut TestTable {
        &mut self.tables[seat.index()]
    }

    fn connect(&mut self, one: Seat, other: Seat) {
        let now = self.now;
        self.table(one).resume(other, now).unwrap();
        self.table(other).resume(one, now).unwrap();
    }

    /// Delivers all messages. Returns all events but news.
    fn run(&mut self) -> Vec<(Seat, TableEvent)> {
        let mut events = Vec::new();
        loop {
            let mut all = Vec::new();
            for from in [Seat::HOST, ONE, TWO] {
                let moment = Moment {
                    running: self.now,
                    unix: 0,
                };
                let (mut sent, table) = (Vec::new(), self.table(from));
                while let Some(event) = table
                    .next(moment, &mut sent, None::<&mut NoEngine>)
                    .unwrap()
                {
                    if !matches!(event, TableEvent::News(_)) {
                        events.push((from, event));
                    }
                }
                all.extend(sent.into_iter().map(|(to, bytes)| (from, to, bytes)));
            }
            if all.is_empty() {
                return events;
            }
            for (from, to, bytes) in all {
                let event = Incoming::Event(Event::Received(from, bytes));
                self.table(to).receive(Some(from), event);
            }
        }
    }
}

/// A guest could otherwise make another one believe that the host declines the match.
#[test]
fn guests_ignore_each_others_control_messages_and_stay_after_their_connection_is_lost() {
    let mut three = Three::new();
    three.connect(ONE, TWO);
    let declined = || Incoming::Control(Control::Declined);
    three.table(ONE).receive(Some(TWO), declined());
    assert!(three.run().is_empty());
    three
        .table(ONE)
        .receive(Some(TWO), Incoming::Lost(ConnectionError::Closed));
    let events = three.run();
    assert!(matches!(
        events[..],
        [(ONE, TableEvent::ConnectionLost(TWO, _))]
    ));
    assert!(three.table(ONE).is_connected() && three.table(ONE).play().is_synced());
    three.table(ONE).receive(Some(Seat::HOST), declined());
    let events = three.run();
    assert!(matches!(
        events[..],
        [(ONE, TableEvent::Control(Control::Declined))]
    ));
}

/// The guest has no connection to the other guest. Then the match goes on over the host.
#[test]
fn guest_waits_for_the_histories_of_other_guests_for_five_seconds_after_its_start() {
    let mut three = Three::new();
    three.now = Duration::from_secs(60);
    three.tables[TWO.index()] = started(&three.disks[TWO.index()], TWO, three.now);
    three.connect(Seat::HOST, TWO);
    three.run();
    assert!(!three.table(TWO).play().is_synced());
    three.now += Duration::from_millis(4_999);
    three.run();
    assert!(!three.table(TWO).play().is_synced());
    three.now += Duration::from_millis(1);
    three.run();
    assert!(three.table(TWO).play().is_synced());
    assert!(three.table(Seat::HOST).play().is_synced());
}
