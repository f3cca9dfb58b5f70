//! The study finds the leaks that can be computed, and none where there is none.

use super::*;

fn answer<'a>(findings: &'a Findings, question: Question, of: &str) -> &'a Estimate {
    let mut answers = findings.answers.iter();
    let found = answers.find(|answer| answer.question == question && answer.of == of);
    &found.unwrap().rate
}

#[test]
fn the_top_of_equal_piles_is_of_one_suit_as_often_as_can_be_computed() {
    let findings = study(Scheme::EqualPiles, 200_000, 1, &|| ());
    // The last card of a pile is of the last suit unless the pile has none of it: C(39, 13) / C(52, 13).
    let none = 0.012_790_9;
    // Both piles have some, or both have none and then mostly the suit before: P is 0.974 427 for the
    // first, and less than 0.000 2 for the second.
    let same = answer(&findings, Question::SameSuit, "1 14");
    assert!(same.low < 1.0 - 2.0 * none + 0.0005 && same.high > 1.0 - 2.0 * none);
    let most = &findings.most[Question::SameSuit as usize];
    assert!(most.rate.rate > 0.96, "{most:?}");
}

#[test]
fn of_a_pack_with_its_suits_in_a_fixed_order_the_last_suit_is_on_top() {
    let findings = study(Scheme::FixedSuits, 100_000, 2, &|| ());
    assert!(answer(&findings, Question::Suit, "1").rate > 0.97);
    let random = study(Scheme::Published, 100_000, 2, &|| ());
    let suit = answer(&random, Question::Suit, "1");
    assert!(suit.low < 0.25 && suit.high > 0.25, "{suit:?}");
    assert!(findings.owner.low > random.owner.high);
    assert!(random.owner.low > 0.25);
}

#[test]
fn where_nothing_can_be_guessed_nothing_is_found() {
    let findings = study(Scheme::Thirteen, 200_000, 3, &|| ());
    let owner = findings.owner;
    assert!(owner.low < 0.25 && owner.high > 0.25, "{owner:?}");
    for most in &findings.most {
        // Five deviations, since intervals of 95 % are missed now and then.
        let half = (most.rate.high - most.rate.low) / 2.0;
        let over = (most.rate.rate - most.question.chance()).abs();
        assert!(over < 2.6 * half, "{most:?}");
    }
    let outside = findings.answers.iter().filter(|answer| {
        let chance = answer.question.chance();
        chance < answer.rate.low || answer.rate.high < chance
    });
    // 5 in 100 of 1534.
    assert!((30..130).contains(&outside.count()));
}

#[test]
fn if_the_seats_are_hidden_no_owner_can_be_guessed() {
    let findings = study(Scheme::HiddenSeats, 100_000, 4, &|| ());
    let owner = findings.owner;
    assert!(
        (owner.rate - 0.25).abs() < 2.6 * (owner.high - owner.rate),
        "{owner:?}"
    );
    let free = study(Scheme::FreePiles, 100_000, 4, &|| ()).owner;
    assert!(free.low > 0.25, "{free:?}");
}

#[test]
fn the_seed_decides_what_is_found() {
    let again = || study(Scheme::Cut, 1001, 5, &|| ()).answers;
    assert_eq!(again(), again());
    assert_ne!(again(), study(Scheme::Cut, 1001, 6, &|| ()).answers);
}

#[test]
fn an_interval_is_that_of_wilson() {
    // By hand: (5 + 1.92) / 53.84 is the middle, 1.96 * sqrt(5.46) / 53.84 half the width.
    let found = Estimate::of(5, 50);
    assert!((found.low - 0.043_477).abs() < 1e-4, "{found:?}");
    assert!((found.high - 0.213_603).abs() < 1e-4, "{found:?}");
    let none = Estimate::of(0, 0);
    assert!(none.rate == 0.0 && none.high.is_finite());
}
