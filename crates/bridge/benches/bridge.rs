//! Benchmarks of conversions between deals and numbers, of Big Deal's generator, of files of
//! boards, and of jointly dealt boards. Two parties deal these boards in a malicious session over
//! loopback TCP, with one split of all boards or with a shuffle of 52 cards for each board. The
//! measured time includes the preprocessing, and ends when both parties have seen all boards.

#[path = "../../../benches/common/mod.rs"]
mod common;

use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use common::{Loopback, Session, checked_shuffle};
use criterion::{Criterion, criterion_group, criterion_main};
use dealerless::deck::SealedDeck;
use dealerless::mpc::{Audience, EngineKind};
use dealerless::shuffle::split::{Split, SplitCircuit};
use dealerless::shuffle::{Algorithm, ShuffleCircuit};
use dealerless_bridge::big_deal::Generator;
use dealerless_bridge::formats::Format;
use dealerless_bridge::{Board, Deal, DealNumber, Order, SealedBoards};
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;

/// The number of deals, so large that the branch predictor cannot learn them.
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

/// The number of boards in a file.
const BOARDS: u32 = 10_000;

/// Measures reading and writing of files in memory.
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
        let file = format
            .write(&boards)
            .expect("the format has no limit on boards");
        let name = format.name();
        group.bench_function(format!("read/{name}"), |bencher| {
            bencher.iter(|| format.read(black_box(&file)));
        });
        group.bench_function(format!("write/{name}"), |bencher| {
            bencher.iter(|| format.write(black_box(&boards)));
        });
    }
    let pbn = Format::Pbn.write(&boards).expect("there are boards");
    group.bench_function("pbn-to-lin", |bencher| {
        bencher.iter(|| {
            let reading = Format::Pbn
                .read(black_box(&pbn))
                .expect("the file is valid");
            Format::Lin.write(&reading.boards)
        });
    });
    group.finish();
}

/// A method of dealing boards.
enum Method {
    /// All boards at once, with a split.
    Splits(SplitCircuit),
    /// One shuffle of 52 cards for each of the given number of boards.
    Shuffles(ShuffleCircuit, usize),
}

impl Method {
    fn splits(boards: usize) -> Self {
        let split = Split::new(13, boards).expect("the number of boards is valid");
        Method::Splits(SplitCircuit::build(split))
    }

    fn shuffles(boards: usize) -> Self {
        Method::Shuffles(checked_shuffle(52, 52, Algorithm::Waksman), boards)
    }

    fn deal(&self, session: &mut Session) {
        let rng = &mut UnwrapErr(SysRng);
        match self {
            Method::Splits(circuit) => {
                SealedBoards::prepare(session, circuit, 1).expect("the preparation succeeds");
                let boards = SealedBoards::deal(session, circuit, &[], rng);
                let opened = boards.expect("the deal succeeds").open_all(session);
                opened.expect("the opening succeeds");
            }
            Method::Shuffles(circuit, boards) => {
                SealedDeck::prepare(session, circuit, *boards).expect("the preparation succeeds");
                let all: Vec<_> = (0..52).map(|card| (card, Audience::Both)).collect();
                for _ in 0..*boards {
                    let mut deck =
                        SealedDeck::shuffle(session, circuit, rng).expect("the shuffle succeeds");
                    deck.open(session, &all).expect("the opening succeeds");
                }
            }
        }
    }

    /// Measures the given number of rounds in a new session. Returns the time of the slower party
    /// for each round.
    fn times(&self, rounds: usize) -> Vec<Duration> {
        let ([garbler, evaluator], _) = Loopback::listen().set_up(EngineKind::Malicious);
        let repeat = |mut session| {
            (0..rounds)
                .map(|_| {
                    let begun = Instant::now();
                    self.deal(&mut session);
                    begun.elapsed()
                })
                .collect::<Vec<_>>()
        };
        let [mine, theirs] = thread::scope(|scope| {
            let evaluator = scope.spawn(|| repeat(evaluator));
            [repeat(garbler), evaluator.join().expect("no panic")]
        });
        mine.into_iter()
            .zip(theirs)
            .map(|(a, b)| a.max(b))
            .collect()
    }
}

fn jointly(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("bridge/jointly");
    group.sample_size(20);
    for (name, method) in [
        ("36-splits", Method::splits(36)),
        ("36-shuffles", Method::shuffles(36)),
        ("1-split", Method::splits(1)),
        ("1-shuffle", Method::shuffles(1)),
    ] {
        println!(
            "bridge/jointly/{name}: first round {:?}",
            method.times(1)[0]
        );
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|rounds| {
                // The first round of a session only warms the caches.
                let times = method.times(rounds as usize + 1);
                times[1..].iter().sum()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, numbers, files, jointly);
criterion_main!(benches);
