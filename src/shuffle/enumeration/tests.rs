//! Tests for the order of the values, and for the report of a draw that is not uniform.

use super::*;
use crate::shuffle::Encoding;

fn enumeration(subject: Subject, cards: usize, draw: usize) -> Enumeration {
    Enumeration::new(subject, cards, draw).unwrap()
}

#[test]
fn arrangements_are_in_lexicographic_order_without_repetition() {
    for (n, m) in [(1, 1), (4, 2), (5, 3), (4, 4)] {
        let all: Vec<_> = (0..arrangements(n, m))
            .map(|i| arrangement(n, m, i))
            .collect();
        assert!(all.is_sorted_by(|a, b| a < b), "{all:?}");
        assert!(all.iter().all(|cards| is_draw(cards, n)));
    }
    assert_eq!(arrangement(4, 2, 3), [1, 0]);
    assert_eq!(arrangements(60, 60), u64::MAX);
}

#[test]
fn first_two_draws_that_differ_are_reported() {
    let biased = enumeration(Subject::Biased(Biased::FairBitBubble), 3, 3);
    let rows = biased.over(Party::Garbler).unwrap();
    let outcome = |cards: [u32; 3], times| Outcome {
        cards: cards.to_vec(),
        times,
    };
    let differ = Counterexample::Differ(outcome([0, 1, 2], 2), outcome([1, 0, 2], 1));
    for fixed in 0..8 {
        assert_eq!(rows.against(fixed), Err(differ.clone()));
    }
}

#[test]
fn missing_and_invalid_outcomes_are_reported() {
    let rows = enumeration(Subject::Shuffle(Algorithm::Cut), 3, 2);
    let rows = rows.over(Party::Evaluator).unwrap();
    let all = [(1, 1), (2, 1), (4, 1), (6, 1), (8, 1), (9, 1)];
    assert_eq!(rows.judge(&all), Ok(1));
    let outcome = |cards: [u32; 2], times| Outcome {
        cards: cards.to_vec(),
        times,
    };
    assert_eq!(
        rows.judge(&all[..5]),
        Err(Counterexample::Differ(
            outcome([0, 1], 1),
            outcome([2, 1], 0)
        ))
    );
    assert_eq!(
        rows.judge(&[all[0], (5, 1)]),
        Err(Counterexample::NoDraw(outcome([1, 1], 1)))
    );
    assert_eq!(
        rows.judge(&[all[0], (12, 2)]),
        Err(Counterexample::NoDraw(outcome([3, 0], 2)))
    );
}

#[test]
fn too_many_values_are_rejected_before_the_circuit_is_built() {
    let values = |algorithm, n, m| {
        let enumeration = enumeration(Subject::Shuffle(algorithm), n, m);
        (enumeration.values(Party::Garbler), enumeration.draws())
    };
    assert_eq!(values(Algorithm::Cut, 5, 3), (60, 60));
    assert_eq!(values(Algorithm::Waksman, 5, 3), (120, 60));
    assert_eq!(values(Algorithm::Cut, 4096, 4096), (u64::MAX, u64::MAX));
    for subject in [
        Subject::Shuffle(Algorithm::Bubble),
        Subject::Shuffle(Algorithm::Bitonic),
        Subject::Biased(Biased::XorThenModulo),
    ] {
        let party = Party::Evaluator;
        let refused = enumeration(subject, 4096, 4096).over(party);
        assert_eq!(refused.map(drop), Err(TooManyValues { party }));
    }
}

#[test]
fn check_refuses_exactly_the_bits_that_are_not_values() {
    for (algorithm, n, m) in [
        (Algorithm::Cut, 3, 2),
        (Algorithm::Lehmer, 4, 2),
        (Algorithm::FisherYates, 3, 3),
        (Algorithm::Waksman, 4, 4),
    ] {
        let enumeration = enumeration(Subject::Shuffle(algorithm), n, m).checked();
        for honest in Party::BOTH {
            let (rows, other) = (enumeration.over(honest).unwrap(), honest.other());
            let fixed = enumeration.fixed_values(other);
            let each = |number| {
                rows.against(number)
                    .expect("the draw is uniform or the value is refused")
            };
            let accepted = (0..fixed).filter(|&number| each(number) > 0).count() as u64;
            let Source::Shuffle(shuffle) = &rows.source else {
                unreachable!("the source is a shuffle")
            };
            let any = shuffle.seeds(other)[0].encoding == Encoding::Switches;
            let in_range = if any {
                fixed
            } else {
                enumeration.values(other)
            };
            assert_eq!(accepted, in_range, "{algorithm}: honest is the {honest}");
        }
    }
}

#[test]
fn check_that_refuses_an_honest_value_is_reported() {
    let checked = enumeration(Subject::Shuffle(Algorithm::Cut), 3, 1).checked();
    let mut rows = checked.over(Party::Garbler).unwrap();
    // The evaluator enters seed 0 as 0 - 3, the bits 101. The bits 000 are out of range.
    assert_eq!([rows.against(0b101), rows.against(0)], [Ok(1), Ok(0)]);
    // Changes the garbler's third value to 3, which is out of range.
    rows.lanes[0].iter_mut().for_each(|bits| *bits |= 0b100);
    for fixed in [0b101, 0] {
        assert_eq!(rows.against(fixed), Err(Counterexample::Refused(1)));
    }
    // The check refuses a fixed value for all three values of the garbler, or for only two of them.
    let refused = |evaluator| {
        rows.is_refused(ByParty {
            garbler: 0,
            evaluator,
        })
    };
    assert_eq!(refused(3), Ok(true));
    assert_eq!(refused(2), Err(Counterexample::Refused(2)));
}
