//! What must hold after a match of honest seats, and what is in their files.

use dealerless_connection::storage::Storage;
use dealerless_table::Seat;
use dealerless_table::log::End;
use dealerless_table::record::Record;
use dealerless_table::testing::test_match::identity;

use super::side::{Side, Style};
use super::world::World;

impl World {
    /// The record in the file of a seat, as its owner reads it.
    pub(crate) fn record(&self, seat: Seat) -> Record {
        let bytes = self.sides[seat.index()].disk.log().read().unwrap();
        Record::read(&bytes, Some(&identity(seat))).unwrap()
    }

    /// Checks that must hold after every match of honest seats.
    pub(crate) fn check(&self) {
        let plan = &self.plan;
        let host = self.sides[0]
            .program
            .as_ref()
            .expect("a running program")
            .log();
        let end = match plan.style {
            Style::Leaves(seat) | Style::SitsOutAndLeaves(seat) => End::Left(vec![seat]),
            _ => End::Played,
        };
        for side in &self.sides {
            let program = side.program.as_ref().expect("a running program");
            let log = program.log();
            assert_eq!(
                side.end.as_ref(),
                Some(&end),
                "{:?} {:?} {plan:?}",
                side.seat,
                log.phase()
            );
            assert!(log.evidence().is_empty() && log.fouls().is_empty());
            assert_eq!(log.hash(), host.hash(), "{plan:?}");
            assert!(
                !side.disk.has_deck(),
                "the secret is still on the disk: {plan:?}"
            );
        }
        // Nobody has seen another card at a position than any other seat.
        for (at, card) in self.sides.iter().flat_map(|side| &side.seen) {
            let others = self.sides.iter().filter_map(|other| other.seen.get(at));
            assert!(
                others.into_iter().all(|other| other == card),
                "{at:?} {plan:?}"
            );
        }
    }

    /// Checks the files of all seats, and the cards that each seat has seen.
    pub(crate) fn check_files(&self) {
        for side in &self.sides {
            let record = self.record(side.seat);
            let log = side.program.as_ref().expect("a running program").log();
            assert_eq!(
                (record.log.hash(), record.log.phase()),
                (log.hash(), log.phase())
            );
            let hands = match self.plan.style {
                Style::SitsOutAndLeaves(_) => 1,
                _ => self.plan.hands,
            };
            assert_eq!(record.hands.len(), hands as usize);
            self.check_cards(side, &record);
        }
    }

    /// A seat has seen its own cards and those that all have seen, and no others.
    fn check_cards(&self, side: &Side, record: &Record) {
        for (number, hand) in (1..).zip(&record.hands) {
            let own = &hand.held[side.seat.index()];
            let mut seen = side.seen.iter().filter(|((of, _), _)| *of == number);
            assert!(seen.all(|((_, at), _)| own.contains(at) || hand.public.contains_key(at)));
            for (at, card) in &hand.public {
                assert_eq!(side.seen.get(&(number, *at)), Some(card), "{:?}", self.plan);
            }
            for at in own {
                let card = side.seen.get(&(number, *at));
                assert!(
                    card.is_some() && hand.card(*at) == card.copied(),
                    "{:?}",
                    self.plan
                );
            }
            // No other seat holds one of these cards.
            for other in self.sides.iter().filter(|other| other.seat != side.seat) {
                for at in &hand.held[other.seat.index()] {
                    let theirs = other.seen.get(&(number, *at));
                    assert!(own.iter().all(|at| side.seen.get(&(number, *at)) != theirs));
                }
            }
        }
    }
}
