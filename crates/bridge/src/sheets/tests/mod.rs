//! Tests that both sheets of a board together produce its deal, and that no dealer gets both
//! sheets.

#[cfg(feature = "joint")]
mod entered;
mod enumeration;
mod mistakes;
mod pages;

use rand::SeedableRng;
use rand::rngs::StdRng;

use super::*;
use crate::{Board, Card, Compass, Deal, Suit};

pub(super) fn random(seed: u64) -> StdRng {
    StdRng::seed_from_u64(seed)
}

/// The digits of a printed sheet, which count from 1, converted to numbers from 0.
fn digits(text: &str) -> Vec<u8> {
    let digits = text.bytes().filter(u8::is_ascii_digit);
    digits.map(|digit| digit - b'1').collect()
}

/// A board whose first sheet was printed by another program, with one pass to four piles.
fn printed(number: u32, deal: &str, suits: [Suit; 4], first: &str) -> BoardSheets {
    let deal: Deal = deal.parse().unwrap();
    let first = FirstSheet {
        suits,
        passes: vec![Pass::new(4, digits(first)).unwrap()],
        cut: 0,
        hands: None,
    };
    BoardSheets::with_first(&Board { number, deal }, first)
}

const EXAMPLE: &str = "N:J2.AQ.A7652.J543 QT87.T8.KJ843.A2 6543.J42.Q9.QT76 AK9.K97653.T.K98";

/// This sheet was made by hand according to the mechanics of Pescetti 0.5, for the first deal of
/// Big Deal with a seed of zeros.
#[test]
fn sheet_made_by_the_published_mechanics_has_the_expected_second_half() {
    use Suit::{Clubs, Diamonds, Hearts, Spades};
    let board = printed(
        1,
        EXAMPLE,
        [Diamonds, Spades, Clubs, Hearts],
        "4132 1321 3134 4224 4233 2432 2231 3122 2413 4141 2243 3312 1431",
    );
    let second = "3441 1314 1142 4144 4313 3224 4224 2421 3232 4213 3332 1331 2121";
    assert_eq!(board.second().to_vec(), digits(second));
    assert_eq!(board.first().passes[0].sizes(), [12, 15, 14, 11]);
    let pack = "H2 H5 H7 HA C3 C6 CJ CK D5 D7 DT DK H6 HQ HK C8 C9 CT S2 S3 S4 S7 ST SK SA D8 DJ H3 H8 \
                H9 HT C5 CQ CA S5 S8 S9 D4 D6 D9 DQ H4 HJ C2 C4 C7 S6 SJ SQ D2 D3 DA";
    let names: Vec<String> = board
        .first()
        .pack()
        .iter()
        .map(|card| format!("{}{}", card.suit().letter(), card.rank()))
        .collect();
    assert_eq!(names.join(" "), pack);
    assert_eq!(board.follow().unwrap().to_string(), EXAMPLE);
}

/// Pescetti 0.5 printed this sheet.
#[test]
fn sheet_printed_by_pescetti_gives_its_deal() {
    use Suit::{Clubs, Diamonds, Hearts, Spades};
    let deal = "N:K95432.J9.Q853.Q AT6.K65.KT6.AKJ9 QJ8.T872.AJ2.652 7.AQ43.974.T8743";
    let board = printed(
        2,
        deal,
        [Hearts, Diamonds, Spades, Clubs],
        "2341 2244 2332 3342 4333 4131 3411 4312 1332 1312 4224 4312 2421",
    );
    let second = "3411 3212 4214 3321 2111 4213 4412 4311 1423 3422 4242 3343 2334";
    assert_eq!(board.second().to_vec(), digits(second));
    assert_eq!(board.first().passes[0].sizes(), [11, 14, 15, 12]);
    assert_eq!(board.follow().unwrap().to_string(), deal);
}

#[test]
fn following_both_sheets_gives_the_deal_for_every_scheme() {
    for (seed, scheme) in (0..).zip(Scheme::ALL) {
        let rng = &mut random(seed);
        let boards = match scheme {
            Scheme::Thirteen => 100_000,
            _ => 10_000,
        };
        for number in 1..=boards {
            let board = Board {
                number,
                deal: uniform_deal(rng),
            };
            let sheets = BoardSheets::draw(&board, scheme, rng);
            assert_eq!(sheets.follow(), Ok(board.deal), "{scheme:?} {number}");
        }
    }
}

#[test]
fn first_sheet_has_the_piles_of_its_scheme() {
    let rng = &mut random(1);
    for _ in 0..1000 {
        for scheme in [Scheme::Published, Scheme::FixedSuits] {
            let sizes = scheme.first_sheet(rng).passes[0].sizes();
            assert!(sizes.iter().all(|size| (10..=16).contains(size)));
            assert_eq!((sizes[0] + sizes[2], sizes[1] + sizes[3]), (26, 26));
        }
        let equal = Scheme::EqualPiles.first_sheet(rng);
        assert_eq!(equal.passes[0].sizes(), [13; 4]);
        let thirteen = Scheme::Thirteen.first_sheet(rng).passes;
        assert_eq!(thirteen[0].sizes(), [4; 13]);
        assert_eq!(thirteen[1].sizes(), [13; 4]);
        for scheme in Scheme::ALL {
            let passes = scheme.first_sheet(rng).passes.len();
            assert_eq!(scheme.movements(), 52 * (passes + 1));
        }
    }
}

/// The number of standard deviations by which the chi-square statistic of `counts` exceeds its
/// mean, if all counts have the same expectation.
fn deviations(counts: &[u32]) -> f64 {
    let total: u32 = counts.iter().sum();
    let expected = f64::from(total) / counts.len() as f64;
    let terms = counts.iter().map(|&count| {
        let over = f64::from(count) - expected;
        over * over / expected
    });
    let freedom = counts.len() as f64 - 1.0;
    (terms.sum::<f64>() - freedom) / (2.0 * freedom).sqrt()
}

#[test]
fn every_part_of_a_first_sheet_is_uniform() {
    let rng = &mut random(4);
    let (mut sizes, mut cuts) = (vec![0; 49], vec![0; 52]);
    let [mut suits, mut hands] = [(); 2].map(|()| vec![0; 256]);
    let mut piles = vec![0; 4 * 52];
    let mut places = vec![0; 52 * 52];
    let order = |four: [usize; 4]| four.into_iter().fold(0, |order, one| 4 * order + one);
    for _ in 0..50_000 {
        let published = Scheme::Published.first_sheet(rng);
        let size = published.passes[0].sizes();
        sizes[7 * (size[0] - 10) + size[1] - 10] += 1;
        suits[order(published.suits.map(|suit| suit as usize))] += 1;
        let hidden = Scheme::HiddenSeats.first_sheet(rng);
        cuts[hidden.cut] += 1;
        hands[order(hidden.hands.unwrap().map(|seat| seat as usize))] += 1;
        for (card, pile) in hidden.passes[0].places().iter().enumerate() {
            piles[4 * card + usize::from(*pile)] += 1;
        }
        let pack = Scheme::Thirteen.first_sheet(rng).pack();
        for (place, card) in pack.iter().enumerate() {
            places[52 * place + card.number()] += 1;
        }
    }
    // Only 24 of the 256 codes are permutations of four.
    for orders in [&mut suits, &mut hands] {
        orders.retain(|count| *count > 0);
        assert_eq!(orders.len(), 24);
    }
    for (what, counts) in [
        ("sizes", sizes),
        ("suits", suits),
        ("cuts", cuts),
        ("hands", hands),
        ("piles", piles),
        ("places", places),
    ] {
        let off = deviations(&counts);
        assert!(off.abs() < 5.0, "{what}: {off}");
    }
}

#[test]
fn drawn_deals_give_every_card_to_every_seat_equally_often() {
    let rng = &mut random(2);
    let mut counts = [[0u32; 4]; 52];
    for _ in 0..40_000 {
        for (counts, owner) in counts.iter_mut().zip(uniform_deal(rng).owners()) {
            counts[*owner as usize] += 1;
        }
    }
    let terms = counts.iter().flatten().map(|&count| {
        let over = f64::from(count) - 10_000.0;
        over * over / 10_000.0
    });
    // Approximately chi-square with 156 degrees of freedom: five standard deviations are 88.
    let chi_square: f64 = terms.sum();
    assert!((68.0..244.0).contains(&chi_square), "{chi_square}");
}

#[test]
fn no_dealer_has_both_halves_of_a_board() {
    for boards in 0..=40 {
        let [one, two] = [Dealer::One, Dealer::Two].map(|dealer| halves(boards, dealer));
        for board in 0..boards {
            let of = |halves: &[(usize, Half)]| -> Vec<Half> {
                let own = halves.iter().filter(|(of, _)| *of == board);
                own.map(|(_, half)| *half).collect()
            };
            let (one, two) = (of(&one), of(&two));
            assert_eq!((one.len(), two.len()), (1, 1), "{board} of {boards}");
            assert_ne!(one, two, "{board} of {boards}");
        }
        let work = one.len().abs_diff(two.len());
        assert_eq!(work, 0, "both dealers do the same work for {boards} boards");
    }
    use Half::{First, Second};
    let block = [(4, First), (5, First), (6, Second)];
    assert_eq!(halves(7, Dealer::One)[4..], block);
    let block = [(6, First), (4, Second), (5, Second)];
    assert_eq!(halves(7, Dealer::Two)[4..], block);
}

#[test]
fn pass_with_an_invalid_pile_is_rejected() {
    assert!(Pass::new(4, vec![3; 52]).is_some());
    assert!(Pass::new(4, vec![4; 52]).is_none());
    assert!(Pass::new(4, vec![3; 51]).is_none());
    assert!(Pass::new(27, vec![3; 52]).is_none());
}
