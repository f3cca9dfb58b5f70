//! The study finds known leaks, and reports none for schemes without leaks.

use super::*;

fn answer<'a>(findings: &'a Findings, question: Question, of: &str) -> &'a Estimate {
    let mut answers = findings.answers.iter();
    let found = answers.find(|answer| answer.question == question && answer.of == of);
    &found.unwrap().rate
}

#[test]
fn tops_of_equal_piles_share_a_suit_at_the_computed_rate() {
    let findings = study(Scheme::EqualPiles, 200_000, 1, &|| ());
    // The last card of a pile is of the last suit unless the pile lacks that suit, which has the
    // probability C(39, 13) / C(52, 13).
    let lacks_suit = 0.012_790_9;
    // The suits are equal in two cases. With probability 0.974 427, both piles have cards of the
    // last suit. With probability less than 0.000 2, both piles lack this suit; then the last card
    // of both is mostly of the previous suit.
    let same = answer(&findings, Question::SameSuit, "1 14");
    assert!(same.low < 1.0 - 2.0 * lacks_suit + 0.0005 && same.high > 1.0 - 2.0 * lacks_suit);
    let most = &findings.most[Question::SameSuit as usize];
    assert!(most.rate.rate > 0.96, "{most:?}");
}

#[test]
fn fixed_suit_order_puts_the_last_suit_on_top() {
    let findings = study(Scheme::FixedSuits, 100_000, 2, &|| ());
    assert!(answer(&findings, Question::Suit, "1").rate > 0.97);
    let random = study(Scheme::Published, 100_000, 2, &|| ());
    let suit = answer(&random, Question::Suit, "1");
    assert!(suit.low < 0.25 && suit.high > 0.25, "{suit:?}");
    assert!(findings.owner.low > random.owner.high);
    assert!(random.owner.low > 0.25);
}

#[test]
fn uniform_packs_show_no_leak() {
    let findings = study(Scheme::Thirteen, 200_000, 3, &|| ());
    let owner = findings.owner;
    assert!(owner.low < 0.25 && owner.high > 0.25, "{owner:?}");
    for most in &findings.most {
        // A 95 % interval misses the true rate now and then, so allow five standard deviations.
        let half = (most.rate.high - most.rate.low) / 2.0;
        let over = (most.rate.rate - most.question.chance()).abs();
        assert!(over < 2.6 * half, "{most:?}");
    }
    let outside = findings.answers.iter().filter(|answer| {
        let chance = answer.question.chance();
        chance < answer.rate.low || answer.rate.high < chance
    });
    // For about 5 % of the 1534 answers, the interval misses the true rate.
    assert!((30..130).contains(&outside.count()));
}

#[test]
fn hidden_seats_prevent_guessing_owners() {
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
fn results_are_determined_by_the_seed() {
    let again = || study(Scheme::Cut, 1001, 5, &|| ()).answers;
    assert_eq!(again(), again());
    assert_ne!(again(), study(Scheme::Cut, 1001, 6, &|| ()).answers);
}

#[test]
fn interval_is_a_wilson_interval() {
    // Computed by hand: the middle is (5 + 1.92) / 53.84, and half of the width is 1.96 *
    // sqrt(5.46) / 53.84.
    let found = Estimate::of(5, 50);
    assert!((found.low - 0.043_477).abs() < 1e-4, "{found:?}");
    assert!((found.high - 0.213_603).abs() < 1e-4, "{found:?}");
    let empty = Estimate::of(0, 0);
    assert!(empty.rate == 0.0 && empty.high.is_finite());
}
