//! Measures how preprocessing scales with cores: one party makes correlated OTs with a given number
//! of threads, while its peer is idle. Both parties are in this process and take turns, so the
//! working party has all cores, as on a machine of its own.
//!
//! Criterion's throughput is in correlated OTs.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dealerless::circuit::Party;
use dealerless::crypto::{SecretVec, SessionId};
use dealerless::net::{Channel, Deadlines, memory_pair};
use dealerless::ot::dealt::deal;
use dealerless::ot::{CotBits, Key};
use rayon::ThreadPoolBuilder;

/// The number of correlated OTs for a batch of 2^13 triples at 50 bits of statistical security.
const OTS: usize = 15 << 13;

fn correlated_ots(criterion: &mut Criterion) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut group = criterion.benchmark_group("cores/correlated-ots");
    group.throughput(Throughput::Elements(OTS as u64));
    for threads in 1..=cores.min(8) {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.expect("a thread pool");
        let session = SessionId([1; 32]);
        let [(_, mut receiver), (mut sender, _)] =
            Party::BOTH.map(|me| deal(&session, me, [2; 32]));
        let (near, far) = memory_pair();
        let [mut near, mut far] = [near, far].map(|end| Channel::new(end, Deadlines::default()));
        let mut bits = CotBits::default();
        bits.reuse(OTS);
        let mut keys = SecretVec::<Key>::zeros(OTS);
        group.bench_function(format!("threads-{threads}"), |bencher| {
            bencher.iter(|| {
                pool.install(|| {
                    receiver.extend(&mut near, &mut bits).expect("no error");
                    sender.extend(&mut far, &mut keys).expect("no error");
                });
            });
        });
    }
    group.finish();
}

criterion_group!(benches, correlated_ots);
criterion_main!(benches);
