//! The host of an audit, and guests with modified programs, in simulated time.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use dealerless_connection::identity::{Address, Name};
use dealerless_connection::storage::MemoryVault;
use dealerless_connection::{
    Admits, ConnectionError, Credentials, Dial, Invites, PolledConnection, PolledDoor, Stream,
    Timing,
};
use dealerless_table::Seat;
use dealerless_table::audit::{Audit, Auditing};
use dealerless_table::log::{Input, MatchId, MatchLog, Part, Phase};
use dealerless_table::play::Control;
use dealerless_table::testing::test_match::{holdem, identity};

use super::wires::{LISTENER, Wires};
use crate::run::{AuditExchange, Route};

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3600);

enum Guest {
    Calls(Box<Dial<Wires>>),
    Met(Box<PolledConnection<Wires>>),
    Left,
}

/// A match that is over, one side of its audit, and its guests.
struct Table {
    wires: Wires,
    log: MatchLog,
    side: AuditExchange<Wires>,
    /// How the side has ended.
    ended: Option<Result<Audit, String>>,
    guests: Vec<Guest>,
    now: Duration,
    /// Whether the program has no time for the next step of the side.
    is_busy: bool,
    /// The inputs of the guest.
    inputs: Vec<Input>,
}

fn own(number: u8) -> Credentials {
    Credentials {
        identity: identity(Seat::new(number)),
        name: Name::clean("Anna"),
    }
}

/// The address of the host.
fn address() -> Address {
    "127.0.0.1:1".parse().unwrap()
}

impl Table {
    fn of(
        (log, seat, inputs): (MatchLog, Seat, &[Input]),
        begin: impl FnOnce(AuditExchange<Wires>, &Wires) -> AuditExchange<Wires>,
    ) -> Self {
        let wires = Wires::default();
        let side = AuditExchange::new(&log, seat, inputs).unwrap();
        Table {
            side: begin(side, &wires),
            wires,
            log,
            ended: None,
            guests: Vec::new(),
            now: HOUR,
            is_busy: false,
            inputs: Vec::new(),
        }
    }

    /// A host without inputs who waits for this time, at a door to which all these players may come.
    fn host(players: u8, within: Duration) -> Self {
        Self::at_door(holdem(2, 1).played(), &[], players, within)
    }

    /// A host who waits for an hour. It and its guest have the inputs of one try.
    fn with_inputs() -> Self {
        let table = holdem(2, 1);
        let mut log = table.log();
        let inputs: Vec<_> = table
            .seats()
            .map(|seat| {
                let input = Input {
                    attempt: log.attempt(),
                    bits: vec![true; 8].into(),
                    nonce: [3; 32].into(),
                };
                let commitment = input
                    .attempt
                    .input_commitment(seat, &input.bits, &input.nonce);
                let deal = log.deal(log.sealed_input(commitment, 0).unwrap(), vec![false; 2]);
                let own = &table.identities[seat.index()];
                log.sign(own, seat, &Part::Deal(deal)).unwrap();
                input
            })
            .collect();
        table.play_until(&mut log, |log| matches!(log.phase(), Phase::Over(_)));
        let host = Self::at_door(log, &inputs[..1], 1, HOUR);
        Table {
            inputs: inputs[1..].to_vec(),
            ..host
        }
    }

    fn at_door(log: MatchLog, inputs: &[Input], players: u8, within: Duration) -> Self {
        Self::of((log, Seat::HOST, inputs), |side, wires| {
            let players = (1..=players).map(|number| identity(Seat::new(number)));
            let admits = Admits::Only {
                invite: None,
                players: players.map(|player| player.public().clone()).collect(),
            };
            let invites = Invites::open(Box::new(MemoryVault::default())).unwrap();
            let (invites, timing) = (Arc::new(Mutex::new(invites)), Timing::default());
            let mut door = PolledDoor::new(wires, own(0), admits, invites, Vec::new(), timing);
            door.listen(LISTENER);
            side.waiting(door, HOUR + within)
        })
    }

    /// The player of this number connects. Returns the number of the guest.
    fn connects(&mut self, player: u8) -> usize {
        let host = identity(Seat::HOST);
        let at = [address()];
        let (timing, now) = (Timing::default(), self.now);
        let dial = Dial::with_known(
            &self.wires,
            own(player),
            host.public(),
            &at,
            None,
            timing,
            now,
        );
        self.guests.push(Guest::Calls(Box::new(dial.unwrap())));
        self.settles();
        self.guests.len() - 1
    }

    fn line(&mut self, guest: usize) -> &mut PolledConnection<Wires> {
        match &mut self.guests[guest] {
            Guest::Met(line) => line,
            _ => panic!("the guest has not met the host"),
        }
    }

    fn says(&mut self, guest: usize, bytes: &[u8]) {
        let core = &mut self.line(guest).core;
        core.send(Stream::Control, bytes).unwrap();
        self.settles();
    }

    fn asks(&mut self, guest: usize) {
        let of = self.log.match_info().id();
        self.says(guest, &Control::Audit(of).encode());
    }

    /// The first message of an honest guest.
    fn first(&self) -> Vec<u8> {
        let mut honest = Auditing::new(&self.log, Seat::GUEST, &self.inputs).unwrap();
        honest.say().unwrap()
    }

    fn steps(&mut self) {
        let stepped = self.side.step(self.now, |_| {});
        if let Some(ended) = stepped.transpose() {
            assert!(self.ended.is_none(), "it ends twice");
            let ended = ended.map(|(opened, line)| {
                self.guests.push(Guest::Met(Box::new(line)));
                opened
            });
            self.ended = Some(ended.map_err(|error| error.to_string()));
        }
    }

    fn flush(&mut self) {
        if !self.is_busy {
            self.steps();
        }
        for guest in &mut self.guests {
            if let Guest::Met(line) = guest {
                line.flush(self.now);
            }
        }
    }

    /// Lets everything happen that happens now.
    fn settles(&mut self) {
        loop {
            self.flush();
            let next = self.wires.next();
            let Some((socket, what)) = next else {
                return;
            };
            let what = what.happened();
            if self.side.has(socket) {
                self.side.happened(socket, what, self.now);
                continue;
            }
            for guest in &mut self.guests {
                match guest {
                    Guest::Calls(call) if call.has(socket) => {
                        if let Some(line) = call.happened(socket, what, self.now).unwrap() {
                            *guest = Guest::Met(Box::new(line));
                        }
                        break;
                    }
                    Guest::Met(line) if line.number() == socket => {
                        line.happened(what, self.now);
                        break;
                    }
                    _ => {}
                }
            }
        }
    }

    /// Goes forward, second by second.
    fn waits(&mut self, time: Duration) {
        let until = self.now + time;
        while self.now < until {
            self.now += SECOND;
            self.settles();
            assert!(self.side.timer() > self.now, "it does not pause");
        }
    }

    fn error(&self) -> &str {
        match &self.ended {
            Some(Err(error)) => error,
            other => panic!("{other:?}", other = other.as_ref().map(|_| "inputs")),
        }
    }
}

#[test]
fn silent_strangers_delay_no_guest_and_leave_after_a_time() {
    let mut table = Table::host(20, HOUR);
    let strangers: Vec<_> = (2..=20).map(|player| table.connects(player)).collect();
    // Each more than 16 replaces the oldest one.
    let is_there = |table: &mut Table, guest: usize| table.line(guest).core.ended().is_none();
    let there = |table: &mut Table| {
        let strangers = strangers.iter();
        let there = strangers.map(|guest| is_there(table, *guest));
        there.collect::<Vec<_>>()
    };
    let last_16: Vec<_> = (2..=20).map(|player| player > 4).collect();
    assert_eq!(there(&mut table), last_16);
    table.waits(SECOND * 599);
    assert_eq!(there(&mut table), last_16);
    table.waits(SECOND);
    assert_eq!(there(&mut table), [false; 19]);

    // A stranger who asks for the audit, or a guest for another match, is told that there is none.
    let of = table.log.match_info().id();
    for (player, of) in [(2, of), (1, MatchId::new([7; 32]))] {
        let other = table.connects(player);
        table.says(other, &Control::Audit(of).encode());
        let answer = table.line(other).core.next_message().unwrap().unwrap();
        let unknown = Control::Unknown(table.log.match_info().id());
        assert_eq!(Control::decode(&answer.bytes), Some(unknown));
        assert!(table.line(other).core.next_message().is_err());
    }
    table.connects(2);
    // The guest has lost its first connection.
    let lost = table.connects(1);
    let guest = table.connects(1);
    assert!(!is_there(&mut table, lost) && table.ended.is_none());
    table.asks(guest);
    let first = table.first();
    table.says(guest, &first);
    assert!(matches!(table.ended, Some(Ok(Audit { .. }))));
    // The host has sent its part, and closes its side.
    assert!(table.line(guest).core.next_message().unwrap().is_some());
    assert!(table.line(guest).core.next_message().is_err());
    table.line(guest).core.close();
    table.settles();
    assert!(!is_there(&mut table, guest));
}

#[test]
fn guest_that_stays_silent_in_the_exchange_ends_it_after_a_minute() {
    let mut table = Table::with_inputs();
    let guest = table.connects(1);
    table.waits(SECOND * 30);
    table.asks(guest);
    // Nobody else comes in any more.
    table.waits(SECOND * 50);
    let first = table.first();
    table.says(guest, &first);
    // The input of the host, which begins.
    assert!(table.line(guest).core.next_message().unwrap().is_some());
    table.waits(SECOND * 59);
    assert!(table.ended.is_none());
    assert!(table.side.timer() <= table.now + SECOND);
    table.waits(SECOND);
    assert_eq!(table.error(), ConnectionError::TimedOut.to_string());
}

#[test]
fn messages_that_are_no_part_of_an_audit_end_it() {
    for (first, error) in [
        (
            vec![0xff; 69],
            "the two players have different logs of the match",
        ),
        (vec![0xff], "the other player sent an invalid audit message"),
        (Control::Sit.encode(), "the host is not auditing this match"),
    ] {
        let mut table = Table::host(1, HOUR);
        let guest = table.connects(1);
        table.asks(guest);
        table.says(guest, &first);
        assert!(table.error().starts_with(error), "{}", table.error());
    }
    let mut table = Table::host(1, HOUR);
    let guest = table.connects(1);
    table.asks(guest);
    let first = table.first();
    let core = &mut table.line(guest).core;
    core.send(Stream::Log, &first).unwrap();
    table.settles();
    assert!(table.error().contains("not part of an audit"));

    // A guest that leaves.
    let mut table = Table::host(1, HOUR);
    let guest = table.connects(1);
    table.asks(guest);
    table.guests[guest] = Guest::Left;
    table.settles();
    assert!(!table.error().is_empty());

    // A guest that leaves before it has received the last message of the host.
    let mut table = Table::host(1, HOUR);
    let guest = table.connects(1);
    table.is_busy = true;
    table.asks(guest);
    let first = table.first();
    table.says(guest, &first);
    table.guests[guest] = Guest::Left;
    table.settles();
    table.is_busy = false;
    table.settles();
    assert!(!table.error().is_empty());
}

#[test]
fn guest_that_never_asks_does_not_make_the_host_wait_longer() {
    let mut table = Table::host(1, SECOND * 100);
    table.connects(1);
    table.waits(SECOND * 99);
    assert!(table.ended.is_none());
    table.waits(SECOND);
    assert_eq!(table.error(), "the other player did not connect in time");
}

#[test]
fn guest_calls_its_host_each_second_until_the_deadline() {
    const UNTIL: Duration = Duration::from_millis(3_600_000 + 9_500);
    let mut table = Table::of((holdem(2, 1).played(), Seat::GUEST, &[]), |side, wires| {
        wires.0.borrow_mut().refuses = true;
        let host = identity(Seat::HOST);
        let route = Route {
            invite: None,
            peer: Some(host.public().clone()),
            addresses: vec![address()],
            relay: None,
        };
        side.calling(wires, own(1), route, UNTIL)
    });
    table.settles();
    table.waits(SECOND * 9);
    assert!(table.ended.is_none());
    assert_eq!(table.wires.0.borrow().last, 2 * 10);
    assert_eq!(table.side.timer(), UNTIL);
    table.waits(SECOND);
    assert!(table.error().contains("127.0.0.1:1"), "{}", table.error());
}
