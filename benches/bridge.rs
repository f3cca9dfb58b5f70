//! Bridge: from a deal to its number and back, in each order, and Big Deal's generator.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use dealerless::bridge::big_deal::Generator;
use dealerless::bridge::{Deal, DealNumber, Order};

/// Enough deals that no branch can be learnt.
const DEALS: usize = 4096;

fn numbers(criterion: &mut Criterion) {
    let numbers: Vec<DealNumber> = Generator::new([0; 20], b"bench").take(DEALS).collect();
    let mut group = criterion.benchmark_group("bridge");
    for order in Order::ALL {
        let deals: Vec<Deal> = numbers.iter().map(|number| number.deal(order)).collect();
        let mut next = deals.iter().cycle();
        group.bench_function(format!("number/{order}"), |bencher| {
            bencher.iter(|| {
                next.next()
                    .map(|deal| DealNumber::of(black_box(deal), order))
            });
        });
        let mut next = numbers.iter().cycle();
        group.bench_function(format!("deal/{order}"), |bencher| {
            bencher.iter(|| next.next().map(|number| black_box(number).deal(order)));
        });
    }
    let mut generator = Generator::new([0; 20], b"bench");
    group.bench_function("generate", |bencher| bencher.iter(|| generator.next()));
    group.finish();
}

criterion_group!(benches, numbers);
criterion_main!(benches);
