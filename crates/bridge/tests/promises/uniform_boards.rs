//! The promise: jointly dealt boards are uniform, tested on thousands of boards with each engine.
//! The same statistics reject generators with known mistakes.

use std::collections::HashMap;

use dealerless::mpc::{Malicious, SemiHonest};
use dealerless::shuffle::split::{Split, SplitCircuit};
use dealerless::testing::chi_square::{SUSPICIOUS, ln_survival};
use dealerless::testing::session::{Engine, in_memory, sessions, system_rng};
use dealerless::testing::shuffles::fresh_generator;
use dealerless_bridge::{Card, Compass, Deal, DealNumber, Order, SealedBoards};
use rand::{Rng, RngExt};

/// ln 10^-30: for a generator with a known mistake, ln p must be below this value.
const CERTAIN: f64 = -69.078;

/// The number of boards dealt at once.
const SET: usize = 50;

/// The logarithm of the p value of each statistic of the deals, by the name of the statistic.
fn ln_ps(deals: &[Deal]) -> HashMap<&'static str, f64> {
    let number = |deal| DealNumber::of(deal, Order::BigDeal).get();
    let numbers: Vec<u128> = deals.iter().map(number).collect();
    let top = |bits: u32| {
        numbers
            .iter()
            .map(|number| (number >> 32 << bits) / (DealNumber::COUNT >> 32))
            .collect::<Vec<_>>()
    };
    let low = |bits: u32| numbers.iter().map(move |number| number % (1 << bits));
    let middle = numbers.iter().map(|number| number >> 32 & 0xfff);
    HashMap::from([
        ("cards and seats", of_cards_and_seats(deals)),
        ("lengths of suits", of_lengths(deals)),
        ("low bits", of_cells(low(6), 64)),
        ("top bits", of_cells(top(6).into_iter(), 64)),
        ("repeated top bits", of_pairs(top(12).into_iter(), 1 << 12)),
        ("repeated middle bits", of_pairs(middle, 1 << 12)),
    ])
}

/// ln p of the counts of how often each seat holds each card.
///
/// The cells of one deal are dependent. Their covariance is `52/51 * (I - J/52) ⊗ (I - J/4)/4`. The
/// first factor is over the cards and the second over the seats; I is the identity and J is all
/// ones. So 51/52 of the statistic is chi-square with 51 * 3 degrees of freedom.
fn of_cards_and_seats(deals: &[Deal]) -> f64 {
    let mut counts = [0u64; 4 * 52];
    for deal in deals {
        for card in Card::all() {
            counts[4 * card.number() + deal.owner(card) as usize] += 1;
        }
    }
    let expected = [deals.len() as f64 / 4.0; 4 * 52];
    ln_survival(statistic(&counts, &expected) * 51.0 / 52.0, 51.0 * 3.0)
}

/// ln p of the lengths of North's spades, East's hearts, South's diamonds and West's clubs, which
/// are hypergeometric. Lengths 0 and 1 are counted together, and so are all lengths above 5. The
/// result is the smallest of the four p values, times four.
fn of_lengths(deals: &[Deal]) -> f64 {
    let choose = |n: u32, k: u32| (0..k).fold(1.0, |c, i| c * f64::from(n - i) / f64::from(i + 1));
    let cell = |length: u32| length.clamp(1, 6) as usize - 1;
    let mut expected = [0.0; 6];
    for length in 0..=13 {
        let p = choose(13, length) * choose(39, 13 - length) / choose(52, 13);
        expected[cell(length)] += p * deals.len() as f64;
    }
    let ln_ps = Compass::ALL.into_iter().enumerate().map(|(suit, seat)| {
        let mut counts = [0u64; 6];
        for deal in deals {
            let held = deal.hand(seat).cards();
            let length = held.filter(|card| card.number() / 13 == suit).count() as u32;
            counts[cell(length)] += 1;
        }
        ln_survival(statistic(&counts, &expected), 5.0)
    });
    (ln_ps.fold(0.0, f64::min) + 4f64.ln()).min(0.0)
}

/// ln p of how often each of `cells` equally likely values occurs.
fn of_cells(values: impl Iterator<Item = u128>, cells: usize) -> f64 {
    let mut counts = vec![0u64; cells];
    values.for_each(|value| counts[value as usize] += 1);
    let expected = counts.iter().sum::<u64>() as f64 / cells as f64;
    let expected = vec![expected; cells];
    ln_survival(statistic(&counts, &expected), cells as f64 - 1.0)
}

/// ln p of the number of pairs with equal values, for `cells` equally likely values. The pairs are
/// pairwise independent, so the variance is that of the same number of independent coins.
fn of_pairs(values: impl Iterator<Item = u128>, cells: usize) -> f64 {
    let mut counts: HashMap<u128, u64> = HashMap::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    let pairs = |count: u64| (count * (count - 1) / 2) as f64;
    let (found, of) = (
        counts.values().map(|&count| pairs(count)).sum::<f64>(),
        pairs(counts.values().sum()),
    );
    let p = 1.0 / cells as f64;
    ln_survival((found - of * p).powi(2) / (of * p * (1.0 - p)), 1.0)
}

fn statistic(counts: &[u64], expected: &[f64]) -> f64 {
    counts
        .iter()
        .zip(expected)
        .map(|(&count, expected)| (count as f64 - expected).powi(2) / expected)
        .sum()
}

/// Deals `sets` sets of boards jointly, and opens them to both parties.
fn jointly<E: Engine>(sets: usize) -> Vec<Deal> {
    let circuit = SplitCircuit::build(Split::new(13, SET).expect("the split is valid"));
    let [mine, theirs] = sessions(in_memory(), |session: &mut E| {
        let mut deals = Vec::new();
        for _ in 0..sets {
            let dealt = SealedBoards::deal(session, &circuit, &[], &mut system_rng());
            let mut boards = dealt.expect("the boards are dealt");
            boards.open_all(session).expect("the boards are opened");
            let boards = boards.boards(1).expect("all have been opened");
            deals.extend(boards.iter().map(|board| board.deal));
        }
        deals
    });
    assert_eq!(mine, theirs);
    mine
}

#[track_caller]
fn assert_uniform(deals: &[Deal]) {
    for (of, ln_p) in ln_ps(deals) {
        let message = format!("{} boards, {of}: p = {:e}", deals.len(), ln_p.exp());
        println!("{message}");
        assert!(ln_p > SUSPICIOUS, "{message}");
    }
}

#[test]
fn boards_are_uniform_in_a_semi_honest_session() {
    assert_uniform(&jointly::<SemiHonest>(200));
}

#[test]
fn boards_are_uniform_in_a_malicious_session() {
    assert_uniform(&jointly::<Malicious>(60));
}

/// The deals that `deal` generates.
fn generated(mut deal: impl FnMut() -> Deal) -> Vec<Deal> {
    (0..60 * SET).map(|_| deal()).collect()
}

fn numbered(number: u128) -> Deal {
    let number = DealNumber::new(number).expect("below the number of deals");
    number.deal(Order::BigDeal)
}

#[test]
fn deals_of_uniform_numbers_are_uniform() {
    let mut rng = fresh_generator();
    assert_uniform(&generated(|| {
        numbered(rng.random_range(0..DealNumber::COUNT))
    }));
}

/// The shuffle of Pescetti 0.5: card k is swapped with the card whose index is the absolute value
/// of a random signed byte modulo 52.
fn pescetti(rng: &mut impl Rng) -> Deal {
    let mut owners: [Compass; 52] = std::array::from_fn(|card| Compass::ALL[card / 13]);
    for place in 0..52 {
        let byte = rng.random::<i8>().unsigned_abs();
        owners.swap(place, usize::from(byte) % 52);
    }
    Deal::new(owners).expect("each seat has 13 cards")
}

#[test]
fn the_same_statistics_reject_generators_with_known_mistakes() {
    let mut rng = fresh_generator();
    let count = DealNumber::COUNT;
    let by_bytes = generated(|| pescetti(&mut rng));
    // 96 bits modulo the number of deals: about half of the deals occur twice as often as the
    // others.
    let by_modulo = generated(|| numbered((rng.random::<u128>() >> 32) % count));
    // A 53-bit fraction of the number of deals: the last bits are rounding artefacts.
    let by_fraction = generated(|| numbered((rng.random::<f64>() * count as f64) as u128));
    // 12-bit seeds: only 4096 deals, which the multiplication spreads over all numbers.
    let by_seed = generated(|| {
        let seed = u128::from(rng.random::<u16>() & 0xfff);
        numbered((seed * 0x9e37_79b9_7f4a_7c15_f39c_c060) % count)
    });
    for (deals, of) in [
        (&by_bytes, "cards and seats"),
        (&by_bytes, "lengths of suits"),
        (&by_modulo, "top bits"),
        (&by_fraction, "low bits"),
        (&by_seed, "repeated top bits"),
        (&by_seed, "repeated middle bits"),
    ] {
        let ln_p = ln_ps(deals)[of];
        let message = format!("{of}: log10 p = {}", ln_p / 10f64.ln());
        println!("{message}");
        assert!(ln_p < CERTAIN, "{message}");
    }
}
