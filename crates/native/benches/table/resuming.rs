//! The time that a match needs to resume on a new connection after the old one was lost in a hand.

use std::thread;
use std::time::{Duration, Instant};

use dealerless_connection::testing::{Connection, Door, Guest};
use dealerless_connection::{DoorEvent, Timing};
use dealerless_native::testing::passive;
use dealerless_native::{Native, RunningProgram};
use dealerless_seat::command::Said;
use dealerless_seat::event::Event;
use dealerless_seat::run::{Caller, Finder, Own, Route};
use dealerless_table::log::MatchId;

use crate::match_of_two::{Player, Syncs, door, seat};
use crate::proxy::{Link, Proxy};

const TIMEOUT: Duration = Duration::from_secs(60);

/// Measures the time from the guest's redial until the guest can move, and until the host receives
/// the guest's move.
pub(crate) fn resume(link: Link) -> [Duration; 2] {
    let ([host, guest], door) = door(2);
    let proxy = Proxy::new(door.addresses()[0], link);
    let invite = door
        .invite(vec![proxy.address.into()], None)
        .expect("an invite");
    thread::scope(|scope| {
        let host = &host;
        let at_host = scope.spawn(move || {
            let playing = sit_host(host, door);
            play(&playing, None).received
        });
        let dialer = Guest {
            identity: guest.home.identity(),
            name: &guest.name,
            timing: Timing::default(),
        };
        let connection = dialer.join(&invite).expect("the host");
        let playing = sit_guest(&guest, connection, &proxy);
        let cut = || proxy.cut();
        let at_guest = play(&playing, Some(&cut));
        let received = at_host.join().expect("the host").expect("a move");
        let dialed = at_guest.lost.expect("the connection was cut");
        let resumed = at_guest.resumed.expect("a turn");
        [resumed - dialed, received - dialed]
    })
}

/// A host that waits at its door when a connection is lost.
fn sit_host(player: &Player, door: Door) -> RunningProgram {
    let Some(DoorEvent::Connection(connection)) = door.next(TIMEOUT) else {
        panic!("the guest did not connect");
    };
    let waits = |_: &Own<Native>, finder: Finder<Native>, _: MatchId| {
        let door = door.into_polled().0.expect("nobody has taken it");
        finder.waiting(door)
    };
    seat(player, *connection, &Syncs::default(), waits)
}

/// A guest that calls its host when a connection is lost.
fn sit_guest(player: &Player, connection: Connection, proxy: &Proxy) -> RunningProgram {
    let host = connection.met.peer.clone();
    let calls = |_: &Own<Native>, finder: Finder<Native>, of| {
        let route = Route {
            invite: None,
            peer: Some(host.clone()),
            addresses: vec![proxy.address.into()],
            relay: None,
        };
        finder.calling(Caller::new(of, host, route))
    };
    seat(player, connection, &Syncs::default(), calls)
}

fn play<'a>(playing: &RunningProgram, cut: Option<&'a dyn Fn()>) -> Resuming<'a> {
    let mut resuming = Resuming {
        cut,
        own: 0,
        hands: 0,
        lost: None,
        resumed: None,
        received: None,
    };
    playing.play(&mut resuming).expect("an honest match");
    resuming
}

/// A player who calls and shows. In the guest's first turn of the second hand, the connection is cut before the guest
/// chooses.
struct Resuming<'a> {
    cut: Option<&'a dyn Fn()>,
    own: u8,
    /// The number of hands that are over.
    hands: u32,
    /// When the connection was lost.
    lost: Option<Instant>,
    /// When it was first this seat's turn after this.
    resumed: Option<Instant>,
    /// When this seat received the first move after this.
    received: Option<Instant>,
}

impl dealerless_native::Player for Resuming<'_> {
    fn tell(&mut self, event: &Event) -> anyhow::Result<()> {
        match event {
            Event::Seated(seated) => self.own = seated.seat,
            Event::Result(_) => self.hands += 1,
            Event::LineLost { .. } => {
                self.lost.get_or_insert_with(Instant::now);
            }
            Event::YourTurn(_) if self.lost.is_some() => {
                self.resumed.get_or_insert_with(Instant::now);
            }
            Event::Chose { seat, .. } if self.lost.is_some() && *seat != self.own => {
                self.received.get_or_insert_with(Instant::now);
            }
            _ => {}
        }
        Ok(())
    }

    fn answer(&mut self, event: &Event) -> Option<Said> {
        let is_turn = matches!(event, Event::YourTurn(_));
        if let Some(cut) = self.cut.take_if(|_| is_turn && self.hands == 1) {
            cut();
            return None;
        }
        passive(event)
    }
}
