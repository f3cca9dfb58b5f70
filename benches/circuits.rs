//! Measures every shuffle: the time to generate the circuit, to evaluate the circuit in plaintext,
//! and to shuffle in a semi-honest session over loopback TCP, compared with the bitonic network.

mod common;

use std::sync::Arc;
use std::time::Duration;

use common::Shuffler;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use dealerless::mpc::EngineKind;
use dealerless::shuffle::{Algorithm, ShuffleCircuit};

/// Creates a group of many short benchmarks, with less time for each than criterion's default.
fn group<'a>(criterion: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    group
}

/// Measures the time from the spec to the circuit. The throughput is in gates per second; the
/// larger decks show whether the throughput stays constant.
fn generation(criterion: &mut Criterion) {
    let mut group = group(criterion, "generate");
    for cards in [52, 128, 256] {
        for algorithm in Algorithm::ALL {
            let gates = common::shuffle(cards, cards, algorithm)
                .circuit()
                .gates()
                .len();
            group.throughput(Throughput::Elements(gates as u64));
            group.bench_function(format!("{algorithm}/{cards}-of-{cards}"), |bencher| {
                bencher.iter(|| common::shuffle(cards, cards, algorithm));
            });
        }
    }
    group.finish();
}

/// Measures the plaintext evaluation of 64 bit-sliced shuffles at once. The throughput is in
/// shuffles per second.
fn plaintext(criterion: &mut Criterion) {
    let mut group = group(criterion, "evaluate-64");
    group.throughput(Throughput::Elements(64));
    for algorithm in Algorithm::ALL {
        let shuffle = common::shuffle(52, 52, algorithm);
        let circuit = shuffle.circuit();
        let inputs: Vec<Vec<u64>> = (circuit.inputs().iter())
            .map(|&bits| {
                (0..bits as u64)
                    .map(|bit| bit.wrapping_mul(0x9e37_79b9_7f4a_7c15))
                    .collect()
            })
            .collect();
        group.bench_function(format!("{algorithm}/52-of-52"), |bencher| {
            bencher.iter(|| circuit.evaluate_lanes(&inputs));
        });
    }
    group.finish();
}

/// Measures the time from fresh randomness to a sealed deck on both sides. All shuffles run in one
/// session. The throughput is in ANDs per second.
fn shuffling(criterion: &mut Criterion) {
    let mut shuffler = Shuffler::new(EngineKind::SemiHonest);
    for draw in [9, 20, 52] {
        let mut results = Vec::new();
        let mut group = group(criterion, "shuffle");
        for algorithm in Algorithm::ALL {
            let circuit = Arc::new(common::shuffle(52, draw, algorithm));
            group.throughput(Throughput::Elements(circuit.circuit().ands() as u64));
            let mut times = Vec::new();
            group.bench_function(format!("{algorithm}/{draw}-of-52"), |bencher| {
                bencher.iter_custom(|iterations| {
                    let time = shuffler.time(&circuit, iterations).online;
                    times.push(time.div_f64(iterations as f64));
                    time
                });
            });
            times.sort_unstable();
            // The command line may have filtered out this benchmark.
            if let Some(&median) = times.get(times.len() / 2) {
                results.push(Measured::new(&circuit, median));
            }
        }
        group.finish();
        compare(draw, &results);
    }
}

/// The measured cost of a shuffle.
struct Measured {
    algorithm: Algorithm,
    ands: usize,
    /// The median time.
    time: Duration,
}

impl Measured {
    fn new(circuit: &ShuffleCircuit, time: Duration) -> Self {
        Measured {
            algorithm: circuit.spec().algorithm(),
            ands: circuit.circuit().ands(),
            time,
        }
    }
}

/// Prints each result, and its ratio to the result of the bitonic network.
fn compare(draw: usize, results: &[Measured]) {
    let is_bitonic = |result: &&Measured| result.algorithm == Algorithm::Bitonic;
    let Some(bitonic) = results.iter().find(is_bitonic) else {
        return;
    };
    println!(
        "\n{:<14} {:>6} {:>10} {:>11} {:>10}",
        format!("{draw} of 52"),
        "ANDs",
        "of bitonic",
        "time",
        "of bitonic"
    );
    for result in results {
        println!(
            "{:<14} {:>6} {:>10} {:>8.3} ms {:>10}",
            result.algorithm,
            result.ands,
            percent(result.ands as f64 / bitonic.ands as f64),
            1e3 * result.time.as_secs_f64(),
            percent(result.time.as_secs_f64() / bitonic.time.as_secs_f64()),
        );
    }
    println!();
}

fn percent(part: f64) -> String {
    format!("{:.0} %", 100.0 * part)
}

criterion_group!(benches, generation, plaintext, shuffling);
criterion_main!(benches);
