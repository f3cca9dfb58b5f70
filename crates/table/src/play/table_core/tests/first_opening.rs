//! The first opening of cards in time, over connections.

use std::time::Duration;

use dealerless_connection::random::{SystemRng, system_rng};
use dealerless_connection::storage::{MemoryStorage, MemoryVault};

use super::super::*;
use crate::log::tests::many_seats::threshold;
use crate::log::tests::test_match::{TestMatch, setting};
use crate::play::seat_play::DeckSetting;
use crate::record::Record;
use crate::seat::SeatSet;

type Core = TableCore<MemoryStorage, MemoryVault, SystemRng>;

struct World {
    cores: Vec<Core>,
    files: Vec<MemoryStorage>,
    /// The seats that send and receive nothing.
    silent: Vec<Seat>,
}

const OPENING: FirstOpening = FirstOpening {
    until: Duration::from_secs(30),
    each: Duration::from_secs(3),
    seats: SeatSet::of_mask(7),
    least: 0,
};

impl World {
    /// Three connected seats, any two of whom open a card, without these seats.
    fn new(opening: Option<FirstOpening>, silent: &[Seat]) -> Self {
        let of: TestMatch = threshold(3, 2, 2);
        let mut world = World {
            cores: Vec::new(),
            files: Vec::new(),
            silent: silent.to_vec(),
        };
        for seat in of.seats() {
            let (file, vault) = of.files(seat);
            let deck = DeckSetting::Verifiable(vault);
            let setting = setting(seat, file.clone(), deck, system_rng()).unwrap();
            let mut core = Core::new(setting, Duration::ZERO).unwrap();
            core.set_opening(opening);
            for peer in of.seats().filter(|peer| *peer != seat) {
                core.begin(peer, Duration::ZERO);
            }
            world.cores.push(core);
            world.files.push(file);
        }
        world
    }

    /// Lets the seats do all that is due at this second.
    fn run(&mut self, second: u64) {
        let now = Moment {
            running: Duration::from_secs(second),
            unix: second,
        };
        let mut is_done = false;
        while !is_done {
            is_done = true;
            for seat in Seat::all(3).filter(|seat| !self.silent.contains(seat)) {
                let mut sent = Vec::new();
                let core = &mut self.cores[seat.index()];
                let orders = None::<&mut NoEngine>;
                if core.next(now, &mut sent, orders).unwrap().is_some() {
                    is_done = false;
                }
                for (to, bytes) in sent.into_iter().filter(|(to, _)| !self.silent.contains(to)) {
                    is_done = false;
                    let item = Incoming::Event(Event::Received(seat, bytes));
                    self.cores[to.index()].receive(Some(seat), item);
                }
            }
        }
    }

    fn has_opened(&self) -> [bool; 3] {
        [0, 1, 2].map(|seat| self.cores[seat].play().has_opened())
    }

    /// Whether the host claims that a seat is absent, or calls the roll.
    fn host_accuses(&self) -> bool {
        let record = Record::read(&self.files[0].bytes(), None).unwrap();
        !record.claims.is_empty() || !self.cores[0].play().log().calls().is_empty()
    }
}

#[test]
fn seats_open_their_first_cards_until_the_time_is_over() {
    for (second, opens) in [(0, true), (29, true), (30, false), (100, false)] {
        let mut world = World::new(Some(OPENING), &[]);
        world.run(second);
        assert_eq!(world.has_opened(), [opens; 3], "{second}");
    }
    let mut world = World::new(None, &[]);
    world.run(100);
    assert_eq!(world.has_opened(), [true; 3]);
}

#[test]
fn a_seat_claims_no_absence_before_it_opens_cards() {
    for opening in [None, Some(OPENING)] {
        let mut world = World::new(opening, &[]);
        world.run(0);
        assert!(!world.host_accuses());
        // Before the last seat has dealt, or after the first cards.
        let mut world = World::new(opening, &[Seat::new(2)]);
        (0..2000).for_each(|second| world.run(second));
        assert_eq!(world.host_accuses(), opening.is_none());
        assert_eq!(world.cores[0].may_close().is_some(), opening.is_none());
    }
}
