//! Match files in memory.

use dealerless::deck::Card;
use dealerless_connection::storage::MemoryStorage;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::log::tests::test_match::TestMatch;
use crate::log::{Journal, MatchLog, Part, PartKind, Phase, Seen, SignedPart};
use crate::rules::{Amounts, Choice, Learners, Legal};
use crate::seat::Seat;

/// A new match file of the given seat, open for appending.
pub(super) fn begun(table: &TestMatch, seat: Seat) -> (Journal<MemoryStorage>, MemoryStorage) {
    let memory = MemoryStorage::default();
    let key = table.identities[seat.index()].file_key();
    let journal = Journal::create(memory.clone(), key, &table.sitting(seat)).unwrap();
    (journal, memory)
}

/// The file of a seat with all parts of this log.
pub(super) fn file(table: &TestMatch, seat: Seat, log: &MatchLog) -> Vec<u8> {
    file_of(table, seat, &log.history(0).cloned().collect::<Vec<_>>())
}

/// The file of a seat with these parts.
pub(super) fn file_of(table: &TestMatch, seat: Seat, parts: &[SignedPart]) -> Vec<u8> {
    let (mut journal, memory) = begun(table, seat);
    journal.append(parts).unwrap();
    memory.bytes()
}

/// The offsets at which the records of a file start, followed by the end of the last record.
pub(super) fn ends(file: &[u8]) -> Vec<usize> {
    let mut ends = vec![0];
    while let Some(len) = file[ends[ends.len() - 1]..].first_chunk() {
        let at = ends[ends.len() - 1];
        ends.push(at + 20 + u32::from_le_bytes(*len) as usize + 32);
    }
    ends
}

/// The card at a position of the current hand, computed from the shares of all seats.
pub(super) fn face(table: &TestMatch, log: &MatchLog, position: usize) -> Card {
    let shares = table
        .seats()
        .map(|seat| match table.opening(log, seat, &[position]) {
            Part::Open(cards) => cards[0].share,
            _ => unreachable!(),
        });
    Card(shares.fold(log.masked(position).unwrap(), |sum, share| sum ^ share))
}

/// Plays a match with random choices, and returns it with the host's file and its notes.
pub(super) fn random_match(table: &TestMatch, seed: u64, hands: u32) -> (MatchLog, Vec<u8>) {
    let mut rng = StdRng::seed_from_u64(seed);
    let (mut journal, memory) = begun(table, Seat::HOST);
    let mut log = table.log();
    while log.attempt().hand <= hands && !log.waits_for().is_empty() {
        let seat = log.waits_for()[0];
        let phase = log.phase();
        let part = match (log.may_sign(seat)[0], &phase) {
            (PartKind::Move, Phase::Choose { legal, .. }) => {
                let choice = random_choice(legal, table.match_info.seats(), &mut rng);
                // In a deck without rules the card may already be open.
                let mut game = log.game().unwrap().clone();
                let allowed = game.choose(seat, &choice).is_ok();
                Part::Move(if allowed { choice } else { Choice::Pass })
            }
            (kind, _) => table.part(kind, &log, seat),
        };
        let identity = &table.identities[seat.index()];
        let (said, _) = log.sign(identity, seat, &part).unwrap();
        if let Phase::Open(openings) = &phase
            && log.phase() != phase
        {
            for (position, to) in openings.iter().flat_map(|opening| opening.cards.clone()) {
                if to == Learners::Seat(Seat::HOST) {
                    journal.note(&Seen {
                        attempt: log.attempt(),
                        position: position as u16,
                        since: log.resealed(position).map_or(0, |(step, _)| step),
                        card: face(table, &log, position),
                        wide: false,
                    });
                }
            }
        }
        journal.append([&said]).unwrap();
    }
    (log, memory.bytes())
}

fn random_choice(legal: &Legal, seats: usize, rng: &mut StdRng) -> Choice {
    let pick = |Amounts { min, max }: Amounts, rng: &mut StdRng| match rng.random_range(0..4) {
        0 => max,
        1 => rng.random_range(min..=max),
        _ => min,
    };
    match legal {
        Legal::Bet { call, bet, raise } => match (rng.random_range(0..8), call, bet, raise) {
            (0..=1, _, Some(bet), _) => Choice::Bet {
                to: pick(*bet, rng),
            },
            (0..=1, _, _, Some(raise)) => Choice::Raise {
                to: pick(*raise, rng),
            },
            (2, Some(_), ..) => Choice::Fold,
            (_, Some(_), ..) => Choice::Call,
            _ => Choice::Check,
        },
        Legal::Exchange => {
            let places = (0..5).filter(|_| rng.random_ratio(1, 2)).collect();
            Choice::Exchange(places)
        }
        Legal::ShowOrMuck if rng.random_ratio(1, 4) => Choice::Muck,
        Legal::ShowOrMuck => Choice::Show,
        Legal::Goods { .. } => legal.out_of_time(),
        Legal::Speak { proposals, .. } => match proposals.first() {
            Some(proposal) => Choice::Agree(proposal.number),
            None if rng.random_ratio(1, 2) => {
                let to = match rng.random_range(0..=seats) {
                    0 => Learners::All,
                    seat => Learners::Seat(Seat::new(seat as u8 - 1)),
                };
                Choice::Propose(vec![(rng.random_range(0..7), to)])
            }
            None => Choice::Pass,
        },
    }
}
