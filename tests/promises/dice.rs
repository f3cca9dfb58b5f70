//! Dice are fair: every roll is equally likely. A party is caught if it lies about any field of a
//! message, reflects a message of its peer, or replays a message in another roll.

use std::collections::HashMap;
use std::time::Duration;

use dealerless::circuit::Party;
use dealerless::dice::{self, Check, Commitment, Dice, Error, Reveal, Roll, Terms, roll};
use dealerless::net::{self, Channel, Deadlines};
use dealerless::testing::chi_square::{SUSPICIOUS, ln_survival};
use dealerless::testing::kind::Kind;
use dealerless::testing::line::End;
use dealerless::testing::session::{PATIENT, both, in_memory, system_rng};
use dealerless::testing::tap::{Fate, Fates, Frame, Tap, at, changing, unchanged};

const COMMITMENT: Kind = Kind::Dice(dice::Tag::Commitment);
const REVEAL: Kind = Kind::Dice(dice::Tag::Reveal);

fn terms(dice: &str) -> Terms<'static> {
    Terms {
        context: b"match",
        number: 7,
        dice: dice.parse().unwrap(),
    }
}

/// Rolls dice without a connection, and returns the faces that each party computes.
fn rolled(terms: Terms<'_>) -> [Vec<u32>; 2] {
    let commit = |party| Roll::commit(terms, party, &mut system_rng());
    let [(garbler, of_garbler), (evaluator, of_evaluator)] = Party::BOTH.map(commit);
    let (garbler, hers) = garbler.reveal(of_evaluator).unwrap();
    let (evaluator, his) = evaluator.reveal(of_garbler).unwrap();
    [
        garbler.finish(&his).unwrap(),
        evaluator.finish(&hers).unwrap(),
    ]
}

fn reveal(values: &[u32]) -> Reveal {
    Reveal {
        values: values.to_vec(),
        nonce: [9; 32],
    }
}

/// All lists of values that a party can enter for these dice.
fn all_values(dice: Dice) -> Vec<Vec<u32>> {
    (0..dice.count()).fold(vec![Vec::new()], |all, _| {
        let longer = |values: &Vec<u32>| {
            let values = values.clone();
            (0..dice.sides()).map(move |value| [&values[..], &[value]].concat())
        };
        all.iter().flat_map(longer).collect()
    })
}

#[test]
fn every_roll_is_equally_frequent_over_the_values_of_each_party() {
    for dice in ["1d1", "1d2", "1d6", "2d3", "3d2", "2d6", "1d7"] {
        let dice: Dice = dice.parse().unwrap();
        let all = all_values(dice);
        for fixed in &all {
            for order in [0, 1] {
                let mut seen: Vec<Vec<u32>> = (all.iter())
                    .map(|other| {
                        let (one, other) = (reveal(fixed), reveal(other));
                        let both = [[&one, &other], [&other, &one]];
                        dice.faces(&both[order])
                    })
                    .collect();
                seen.sort();
                let faces = |values: &Vec<u32>| values.iter().map(|value| value + 1).collect();
                let expected: Vec<Vec<u32>> = all.iter().map(faces).collect();
                assert_eq!(seen, expected, "{dice}");
            }
        }
    }
}

#[test]
fn values_of_the_largest_dice_do_not_overflow() {
    let dice: Dice = "1d4294967295".parse().unwrap();
    let most = reveal(&[u32::MAX - 1]);
    assert_eq!(dice.faces(&[&most, &most]), [u32::MAX - 1]);
    assert_eq!(dice.faces(&[&most, &reveal(&[0])]), [u32::MAX]);
    assert_eq!(dice.faces(&[&most, &reveal(&[1])]), [1]);
}

#[test]
fn two_dice_of_six_sides_are_uniform_over_thousands_of_rolls() {
    const ROLLS: usize = 36_000;
    let mut counts: HashMap<Vec<u32>, u32> = HashMap::new();
    for _ in 0..ROLLS {
        let [mine, theirs] = rolled(terms("2d6"));
        assert_eq!(mine, theirs);
        assert!(mine.iter().all(|face| (1..=6).contains(face)));
        *counts.entry(mine).or_default() += 1;
    }
    assert_eq!(counts.len(), 36);
    let expected = ROLLS as f64 / 36.0;
    let term = |&count: &u32| (f64::from(count) - expected).powi(2) / expected;
    let ln_p = ln_survival(counts.values().map(term).sum(), 35.0);
    println!("p = {:e}", ln_p.exp());
    assert!(ln_p > SUSPICIOUS, "{counts:?}");
}

#[test]
fn any_number_of_dice_and_sides_is_rolled() {
    for dice in ["1d1", "1000d2", "3d4294967295", "d100"] {
        let terms = terms(dice);
        let [mine, theirs] = rolled(terms);
        assert_eq!(mine, theirs);
        assert_eq!(mine.len(), terms.dice.count() as usize);
        assert!(
            mine.iter()
                .all(|face| (1..=terms.dice.sides()).contains(face))
        );
    }
}

#[test]
fn commitments_to_equal_values_differ() {
    let commit = || Roll::commit(terms("1d1"), Party::Garbler, &mut system_rng()).1;
    assert_ne!(commit(), commit());
}

#[test]
fn every_field_of_a_commitment_and_of_a_reveal_is_bound() {
    let terms = terms("2d6");
    let honest = Reveal::draw(terms.dice, &mut system_rng());
    let commitment = honest.commitment(&terms, 1);
    assert_eq!(honest.check(&terms, 1, &commitment), Ok(()));
    let refused = |reveal: &Reveal, terms: &Terms<'_>, party, commitment: &Commitment| {
        let checked = reveal.check(terms, party, commitment);
        assert_eq!(checked, Err(Check::NotCommitted), "{reveal:?} {terms:?}");
    };
    for bit in 0..256 {
        let mut other = commitment;
        other.0[bit / 8] ^= 1 << (bit % 8);
        refused(&honest, &terms, 1, &other);
        let mut other = honest.clone();
        other.nonce[bit / 8] ^= 1 << (bit % 8);
        refused(&other, &terms, 1, &commitment);
    }
    for die in 0..2 {
        for bit in 0..32 {
            let mut other = honest.clone();
            other.values[die] ^= 1 << bit;
            refused(&other, &terms, 1, &commitment);
        }
    }
    for values in [&honest.values[..1], &[&honest.values[..], &[0]].concat()] {
        let mut other = honest.clone();
        other.values = values.to_vec();
        refused(&other, &terms, 1, &commitment);
    }
    refused(&honest, &terms, 0, &commitment);
    let of = |context, number, dice: &str| Terms {
        context,
        number,
        dice: dice.parse().unwrap(),
    };
    for other in [
        of(b"match", 8, "2d6"),
        of(b"other", 7, "2d6"),
        of(b"", 7, "2d6"),
        of(b"match", 7, "2d7"),
        of(b"match", 7, "3d6"),
    ] {
        refused(&honest, &other, 1, &commitment);
    }
}

#[test]
fn fields_of_a_commitment_are_separated() {
    let of = |context, number, values: &[u32]| {
        let terms = Terms {
            context,
            number,
            dice: "2d6".parse().unwrap(),
        };
        reveal(values).commitment(&terms, 0)
    };
    // In the second commitment, the context ends with bytes that equal those of the number.
    let all = [
        of(b"a", 0, &[1, 2]),
        of(b"a\0\0\0\0\0\0\0\0", 0, &[1, 2]),
        of(b"", 0, &[1, 2]),
        of(b"a", 0, &[1]),
        of(b"a", 0, &[1, 2, 0]),
        of(b"a", 0, &[2, 1]),
    ];
    for (i, commitment) in all.iter().enumerate() {
        assert!(!all[..i].contains(commitment), "{i}");
    }
}

#[test]
fn committed_value_out_of_range_is_refused() {
    let terms = terms("2d6");
    for (values, die) in [([6, 0], 0), ([5, 6], 1), ([0, u32::MAX], 1)] {
        let lie = reveal(&values);
        let (roll, _) = Roll::commit(terms, Party::Garbler, &mut system_rng());
        let (revealed, _) = roll.reveal(lie.commitment(&terms, 1)).unwrap();
        assert_eq!(revealed.finish(&lie), Err(Check::OutOfRange { die }));
    }
}

#[test]
fn reflected_commitment_is_refused_before_anything_is_revealed() {
    let (roll, commitment) = Roll::commit(terms("2d6"), Party::Garbler, &mut system_rng());
    assert_eq!(roll.reveal(commitment).unwrap_err(), Check::Reflected);
    // The peer could not open the reflected commitment, which is bound to the other party.
    let mine = Reveal::draw(terms("2d6").dice, &mut system_rng());
    let commitment = mine.commitment(&terms("2d6"), 0);
    let reflected = mine.check(&terms("2d6"), 1, &commitment);
    assert_eq!(reflected, Err(Check::NotCommitted));
}

#[test]
fn debug_output_does_not_show_unrevealed_values() {
    let (roll, _) = Roll::commit(terms("2d6"), Party::Garbler, &mut system_rng());
    assert!(format!("{roll:?}").contains("mine: Reveal(2 secret values)"));
}

const HASTY: Deadlines = Deadlines {
    message: Duration::from_millis(200),
    phase: Duration::from_secs(60),
};

/// Lets both parties roll over a connection on which `lie` changes the frames of the evaluator.
/// Returns the outcomes, and the frames that the garbler sent and received.
fn with_liar(lie: Fates, deadlines: Deadlines) -> ([dice::Result<Vec<u32>>; 2], Vec<Frame>) {
    let [garbler, evaluator] = in_memory();
    let garbler = Tap::new(garbler);
    let record = garbler.record();
    let ends: [End; 2] = [Box::new(garbler), Box::new(Tap::with(evaluator, lie))];
    let outcomes = both(ends, |party, end| {
        let mut channel = Channel::new(end, deadlines);
        roll(&mut channel, terms("2d6"), party, &mut system_rng())
    });
    (outcomes, record.take())
}

#[test]
fn both_see_the_same_faces_and_reveal_only_after_both_commitments() {
    let (outcomes, frames) = with_liar(unchanged(), PATIENT);
    let [garbler, evaluator] = outcomes.map(Result::unwrap);
    assert_eq!(garbler, evaluator);
    let seen: Vec<_> = (frames.iter())
        .map(|frame| (frame.sent, frame.kind(), frame.payload.len()))
        .collect();
    let expected = [
        (true, COMMITMENT, 32),
        (false, COMMITMENT, 32),
        (true, REVEAL, 32 + 2 * 4),
        (false, REVEAL, 32 + 2 * 4),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn every_flipped_bit_is_found() {
    for (kind, bytes) in [(COMMITMENT, 32), (REVEAL, 32 + 2 * 4)] {
        for bit in 0..8 * bytes {
            let lie = changing(move |frame| {
                if frame.kind() == kind {
                    frame.payload[bit / 8] ^= 1 << (bit % 8);
                }
            });
            let ([honest, _], _) = with_liar(lie, PATIENT);
            let found = matches!(honest, Err(Error::Check(Check::NotCommitted)));
            assert!(found, "{kind}, bit {bit}: {honest:?}");
        }
    }
}

#[test]
fn reveal_of_the_wrong_length_is_malformed() {
    for length in [0, 32, 39, 41, 4000] {
        let lie = changing(move |frame| {
            if frame.kind() == REVEAL {
                frame.payload.resize(length, 0);
            }
        });
        let ([honest, _], _) = with_liar(lie, PATIENT);
        let found = matches!(honest, Err(Error::Channel(net::Error::Malformed(_))));
        assert!(found, "{length}: {honest:?}");
    }
}

#[test]
fn withheld_reveal_ends_the_roll_without_faces() {
    let cut = || at(1, |_| Fate::Cut(Vec::new()));
    let stalled = || at(1, |_| Fate::Stalled(Vec::new()));
    for lie in [cut(), stalled()] {
        let ([honest, cheater], _) = with_liar(lie, HASTY);
        assert!(
            matches!(
                honest,
                Err(Error::Channel(
                    net::Error::Lost { .. } | net::Error::Timeout { .. }
                ))
            ),
            "{honest:?}"
        );
        // The cheater may know the faces, so its outcome does not matter.
        drop(cheater);
    }
}

#[test]
fn commitment_of_another_roll_is_refused() {
    let first = Roll::commit(terms("2d6"), Party::Evaluator, &mut system_rng());
    let (old, commitment) = first;
    let (_, old) = old.reveal(Commitment([0; 32])).unwrap();
    let second = Terms {
        number: 8,
        ..terms("2d6")
    };
    let (roll, _) = Roll::commit(second, Party::Garbler, &mut system_rng());
    let (revealed, _) = roll.reveal(commitment).unwrap();
    assert_eq!(revealed.finish(&old), Err(Check::NotCommitted));
}
