//! Bridge: from a deal to its number and back, in each order, Big Deal's generator, and files of boards.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use dealerless::bridge::big_deal::Generator;
use dealerless::bridge::formats::Format;
use dealerless::bridge::{Board, Deal, DealNumber, Order};

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

/// The boards of the files.
const BOARDS: u32 = 10_000;

/// Files are read into boards and written, both in memory.
fn files(criterion: &mut Criterion) {
    let numbers = Generator::new([0; 20], b"bench");
    let boards = (1..=BOARDS).zip(numbers);
    let boards: Vec<Board> = boards
        .map(|(number, of_deal)| Board {
            number,
            deal: of_deal.deal(Order::BigDeal),
        })
        .collect();
    let mut group = criterion.benchmark_group("bridge/10000-boards");
    group.sample_size(20);
    for format in [Format::Pbn, Format::Lin, Format::Bri] {
        let file = format.write(&boards).expect("a format without an end");
        let name = format.name();
        group.bench_function(format!("read/{name}"), |bencher| {
            bencher.iter(|| format.read(black_box(&file)));
        });
        group.bench_function(format!("write/{name}"), |bencher| {
            bencher.iter(|| format.write(black_box(&boards)));
        });
    }
    let pbn = Format::Pbn.write(&boards).expect("boards");
    group.bench_function("pbn-to-lin", |bencher| {
        bencher.iter(|| {
            let boards = Format::Pbn.read(black_box(&pbn)).expect("what was written");
            Format::Lin.write(&boards)
        });
    });
    group.finish();
}

criterion_group!(benches, numbers, files);
criterion_main!(benches);
