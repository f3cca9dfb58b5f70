//! Simulates two people who follow the sheets and make the usual mistakes. Counting cards finds
//! some mistakes. Comparing the hands with the hand record finds more.

use rand::RngExt;
use rand::rngs::StdRng;

use super::*;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mistake {
    /// A card is dealt to the wrong pile.
    WrongPile,
    /// A card is dealt to the wrong hand.
    WrongHand,
    /// Two adjacent cards of the sorted pack are swapped.
    TwoCards,
    /// Two suits of the sorted pack are swapped.
    TwoSuits,
    /// Two piles are swapped when they are stacked.
    Stacked,
}

/// The result of following the sheets with a mistake.
struct Outcome {
    /// Whether all piles have the sizes that the first sheet states.
    piles: bool,
    hands: [Vec<Card>; 4],
}

/// A random number below `below` other than `number`.
fn other(number: usize, below: usize, rng: &mut StdRng) -> usize {
    (number + rng.random_range(1..below)) % below
}

fn follow(board: &BoardSheets, mistake: Mistake, rng: &mut StdRng) -> Outcome {
    let mut first = board.first().clone();
    let a = rng.random_range(0..4);
    if mistake == Mistake::TwoSuits {
        first.suits.swap(a, other(a, 4, rng));
    }
    let mut pack = first.sorted_pack();
    if mistake == Mistake::TwoCards {
        let at = rng.random_range(0..51);
        pack.swap(at, at + 1);
    }
    let wrong = rng.random_range(0..first.passes.len());
    let slip = rng.random_range(0..52);
    let mut right_piles = true;
    for (number, pass) in first.passes.iter().enumerate() {
        let mut piles = vec![Vec::new(); pass.piles()];
        for (at, (card, place)) in pack.iter().zip(pass.places()).enumerate() {
            let mut place = usize::from(*place);
            if mistake == Mistake::WrongPile && (number, at) == (wrong, slip) {
                place = other(place, pass.piles(), rng);
            }
            piles[place].push(*card);
        }
        let sizes: Vec<usize> = piles.iter().map(Vec::len).collect();
        right_piles &= sizes == pass.sizes();
        if mistake == Mistake::Stacked && number == wrong {
            let a = rng.random_range(0..pass.piles());
            piles.swap(a, other(a, pass.piles(), rng));
        }
        pack = piles
            .into_iter()
            .flat_map(|pile| pile.into_iter().rev())
            .collect();
    }
    let mut hands = [const { Vec::new() }; 4];
    for (at, (card, hand)) in pack.into_iter().zip(board.second()).enumerate() {
        let mut hand = usize::from(*hand);
        if mistake == Mistake::WrongHand && at == slip {
            hand = other(hand, 4, rng);
        }
        hands[hand].push(card);
    }
    Outcome {
        piles: right_piles,
        hands,
    }
}

/// Simulates 1000 boards with the given mistake. Returns how often counting the cards of the piles,
/// counting the cards of the hands, and comparing each hand with the record finds the mistake.
fn found(scheme: Scheme, mistake: Mistake) -> [u32; 3] {
    let rng = &mut random(7);
    let mut found = [0; 3];
    for number in 1..=1000 {
        let board = Board {
            number,
            deal: uniform_deal(rng),
        };
        let sheets = BoardSheets::draw(&board, scheme, rng);
        let table = follow(&sheets, mistake, rng);
        let agrees = |seat: Compass| {
            let hand = board.deal.hand(seat);
            table.hands[seat as usize]
                .iter()
                .all(|card| hand.holds(*card))
        };
        found[0] += u32::from(!table.piles);
        found[1] += u32::from(table.hands.iter().any(|hand| hand.len() != 13));
        found[2] += u32::from(!Compass::ALL.into_iter().all(agrees));
    }
    found
}

#[test]
fn counting_hands_finds_only_cards_in_wrong_hands() {
    for scheme in [Scheme::Published, Scheme::Thirteen] {
        for mistake in [
            Mistake::TwoCards,
            Mistake::TwoSuits,
            Mistake::Stacked,
            Mistake::WrongPile,
        ] {
            assert_eq!(found(scheme, mistake)[1], 0, "{scheme:?} {mistake:?}");
        }
        assert_eq!(found(scheme, Mistake::WrongHand)[1], 1000);
    }
}

#[test]
fn counting_piles_finds_exactly_the_cards_in_wrong_piles() {
    for scheme in [Scheme::Published, Scheme::Thirteen] {
        assert_eq!(found(scheme, Mistake::WrongPile)[0], 1000);
        for mistake in [
            Mistake::TwoCards,
            Mistake::TwoSuits,
            Mistake::Stacked,
            Mistake::WrongHand,
        ] {
            assert_eq!(found(scheme, mistake)[0], 0, "{scheme:?} {mistake:?}");
        }
    }
}

#[test]
fn hand_record_finds_every_mistake_that_changes_the_deal() {
    for scheme in [Scheme::Published, Scheme::Thirteen] {
        let by_record = |mistake| found(scheme, mistake)[2];
        assert_eq!(by_record(Mistake::TwoSuits), 1000);
        assert_eq!(by_record(Mistake::WrongHand), 1000);
        for mistake in [Mistake::Stacked, Mistake::WrongPile] {
            let found = by_record(mistake);
            assert!(found > 980, "{scheme:?} {mistake:?} {found}");
        }
        // The swapped cards go to the same hand with probability 12/51; then the deal is unchanged.
        let two_cards = by_record(Mistake::TwoCards);
        assert!((720..810).contains(&two_cards), "{scheme:?} {two_cards}");
    }
}
