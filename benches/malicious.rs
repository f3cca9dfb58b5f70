//! Measures a malicious session over loopback TCP, with each party in its own thread: the setup,
//! and for a shuffle the preprocessing (`pool`) and the time after it (`online`).
//!
//! Criterion's throughput is in AND gates, so "elem/s" means AND gates per second.

mod common;

use std::sync::Arc;
use std::time::Duration;

use common::{Loopback, Shuffler, Times};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dealerless::mpc::EngineKind;
use dealerless::shuffle::Algorithm;

const ENGINE: EngineKind = EngineKind::Malicious;

/// Measures the time from the listening socket to two sessions that can preprocess.
fn setup(criterion: &mut Criterion) {
    let loopback = Loopback::listen();
    criterion.bench_function("malicious/setup", |bencher| {
        bencher.iter_custom(|iterations| {
            let set_up = |_| {
                let (sessions, time) = loopback.set_up(ENGINE);
                drop(sessions);
                time
            };
            (0..iterations).map(set_up).sum()
        });
    });
}

fn shuffles(criterion: &mut Criterion) {
    type Phase = (&'static str, fn(&Times) -> Duration);
    let phases: [Phase; 2] = [
        ("pool", |times| times.pool),
        ("online", |times| times.online),
    ];
    for (draw, algorithm) in [
        (52, Algorithm::FisherYates),
        (52, Algorithm::Waksman),
        (9, Algorithm::Cut),
    ] {
        let circuit = Arc::new(common::checked_shuffle(52, draw, algorithm));
        let ands = circuit.circuit().ands() as u64;
        let mut shuffler = Shuffler::new(ENGINE);
        let mut group = criterion.benchmark_group(format!("malicious/{algorithm}/{draw}-of-52"));
        group.throughput(Throughput::Elements(ands));
        for (name, phase) in phases {
            group.bench_function(name, |bencher| {
                bencher.iter_custom(|iterations| phase(&shuffler.time(&circuit, iterations)));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, setup, shuffles);
criterion_main!(benches);
