//! Measures a semi-honest session over loopback TCP, with each party in its own thread: the setup,
//! a full Fisher-Yates shuffle of 52 cards, and garbling and evaluation alone.
//!
//! Criterion's throughput is in AND gates, so "elem/s" means AND gates per second.

mod common;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use common::{Loopback, Shuffler};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dealerless::circuit::Ownership;
use dealerless::crypto::{Block, TweakableHash};
use dealerless::mpc::{ActiveLabel, EngineKind, ZeroLabel, evaluate, garble};
use dealerless::ot::Delta;
use dealerless::shuffle::{Algorithm, ShuffleCircuit};
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;

fn full_shuffle() -> ShuffleCircuit {
    common::shuffle(52, 52, Algorithm::FisherYates)
}

/// Measures the time from the listening socket to two sessions that are ready to shuffle.
fn setup(criterion: &mut Criterion) {
    let loopback = Loopback::listen();
    criterion.bench_function("setup", |bencher| {
        bencher.iter_custom(|iterations| {
            let mut total = Duration::ZERO;
            for _ in 0..iterations {
                let (sessions, time) = loopback.set_up(EngineKind::SemiHonest);
                total += time;
                drop(sessions);
            }
            total
        });
    });
}

/// Measures the time from fresh randomness to a sealed deck on both sides, after the setup.
fn shuffle(criterion: &mut Criterion) {
    let circuit = Arc::new(full_shuffle());
    let ands = circuit.circuit().ands();
    let mut shuffler = Shuffler::new(EngineKind::SemiHonest);
    let before = shuffler.bytes_sent();
    let mut shuffles = 0;
    criterion.bench_function("shuffle/fisher-yates/52-of-52", |bencher| {
        bencher.iter_custom(|iterations| {
            shuffles += iterations;
            shuffler.time(&circuit, iterations).online
        });
    });
    let sent = shuffler.bytes_sent() - before;
    println!(
        "{ands} ANDs; the garbler sends {:.2} bytes per AND\n",
        sent as f64 / (shuffles as f64 * ands as f64)
    );
}

fn garbling(criterion: &mut Criterion) {
    let shuffle = full_shuffle();
    let circuit = shuffle.circuit();
    let mut rng = UnwrapErr(SysRng);
    let delta = Delta::random(true, &mut rng);
    let hash = TweakableHash::with_key([1; 16]);
    let joint = Ownership::of(circuit, [None, None]);
    let labels: Vec<Block> = (0..circuit.wires())
        .map(|_| Block::random(&mut rng))
        .collect();
    let mut zeros: Vec<ZeroLabel> = labels.iter().copied().map(ZeroLabel).collect();
    let mut active: Vec<ActiveLabel> = labels.into_iter().map(ActiveLabel).collect();
    let mut tables = Vec::with_capacity(circuit.ands());

    let mut group = criterion.benchmark_group("alone");
    group.throughput(Throughput::Elements(circuit.ands() as u64));
    group.bench_function("garble", |bencher| {
        bencher.iter(|| {
            tables.clear();
            garble(circuit, &joint, &mut zeros, &delta, &hash, 0, |table| {
                tables.push(table);
                Ok::<_, Infallible>(())
            })
        });
    });
    group.bench_function("evaluate", |bencher| {
        bencher.iter(|| {
            let mut next = tables.iter();
            evaluate(circuit, &joint, &mut active, &hash, 0, || {
                Ok::<_, Infallible>(*next.next().expect("a table for each AND"))
            })
        });
    });
    group.finish();
}

criterion_group!(benches, setup, shuffle, garbling);
criterion_main!(benches);
