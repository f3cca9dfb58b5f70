//! The settlement of a hand that cannot go on, compared with the sealed deck.

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use super::super::*;
use super::test_match::{TestMatch, draw, holdem};
use crate::rules::{Choice, Legal};
use crate::seat::Seat;

/// A random choice that the rules allow. Folds are rare.
pub(super) fn any_choice(legal: &Legal, rng: &mut StdRng) -> Choice {
    match legal {
        Legal::Bet { call, bet, raise } => {
            let passive = match call {
                Some(_) => Choice::Call,
                None => Choice::Check,
            };
            match (rng.random_range(0..8), bet, raise) {
                (0, ..) => Choice::Fold,
                (1 | 2, Some(to), _) => Choice::Bet { to: to.min },
                (3, Some(to), _) => Choice::Bet { to: to.max },
                (1 | 2, _, Some(to)) => Choice::Raise { to: to.min },
                (3, _, Some(to)) => Choice::Raise { to: to.max },
                _ => passive,
            }
        }
        Legal::Exchange => Choice::Exchange((0..rng.random_range(0..=5)).collect()),
        _ => [Choice::Show, Choice::Muck].choose(rng).unwrap().clone(),
    }
}

/// Compares both settlements for all sets of seats that can be lost in the current step. Returns
/// whether a hand is in play.
fn agree(log: &MatchLog) -> bool {
    let state = &log.state();
    let Some(dealt) = &state.dealt else {
        return false;
    };
    let mut sets = vec![vec![], vec![Seat::HOST], vec![Seat::GUEST]];
    if state.phase.signers(2).len() == 2 {
        sets.push(vec![Seat::HOST, Seat::GUEST]);
    }
    let finalised = state.phase.is_sealed();
    for lost in sets {
        let known = state.given_up_by(&lost);
        assert_eq!(dealt.game.settled(&lost, &[], finalised), known);
        assert_eq!(dealt.game.settled(&[], &lost, finalised), known);
    }
    true
}

fn play(table: &TestMatch, rng: &mut StdRng) -> usize {
    let (mut log, mut states) = (table.log(), 0);
    while !matches!(log.phase(), Phase::Over(_)) {
        states += usize::from(agree(&log));
        let seat = log.waits_for()[0];
        let part = match log.phase() {
            Phase::Choose { legal, .. } => Part::Move(any_choice(&legal, rng)),
            _ => table.honest(&log, seat),
        };
        let identity = &table.identities[seat.index()];
        log.sign(identity, seat, &part).unwrap();
    }
    states
}

#[test]
fn two_seats_settle_like_the_sealed_deck() {
    let mut rng = StdRng::seed_from_u64(1);
    let mut states = 0;
    for _ in 0..40 {
        states += play(&holdem(2, 2), &mut rng);
        states += play(&draw(2, 2), &mut rng);
    }
    assert!(states > 1000, "{states}");
}
