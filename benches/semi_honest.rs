//! What a semi-honest session costs over loopback TCP, each party in a thread of its own: the
//! setup, a full Fisher-Yates shuffle of 52 cards, and garbling and evaluating alone.
//!
//! Criterion's throughput is in AND gates, so "elem/s" reads "AND gates a second".

use std::net::TcpListener;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dealerless::circuit::Party;
use dealerless::crypto::{Block, TweakableHash};
use dealerless::deck::SealedDeck;
use dealerless::mpc::{SemiHonest, TwoParty, evaluate, garble};
use dealerless::net::{Channel, Deadlines, TcpTransport};
use dealerless::ot::Delta;
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;

type Session = SemiHonest<TcpTransport>;

const PATIENCE: Duration = Duration::from_secs(10);

fn session(party: Party, transport: TcpTransport) -> Session {
    let channel = Channel::new(transport, Deadlines::default());
    SemiHonest::new(channel, party, &mut UnwrapErr(SysRng)).expect("the session is set up")
}

fn full_shuffle() -> ShuffleCircuit {
    let spec = Spec::new(52, 52, Algorithm::FisherYates).expect("52 of 52 can be drawn");
    ShuffleCircuit::build(spec)
}

/// A party that does what it is asked for `n` times, when told `n`, and says when it is done.
struct Peer {
    rounds: mpsc::Sender<u64>,
    done: mpsc::Receiver<()>,
}

impl Peer {
    fn spawn(mut step: impl FnMut() + Send + 'static) -> Self {
        let (rounds, todo) = mpsc::channel();
        let (finished, done) = mpsc::channel();
        thread::spawn(move || {
            while let Ok(count) = todo.recv() {
                (0..count).for_each(|_| step());
                if finished.send(()).is_err() {
                    break;
                }
            }
        });
        Peer { rounds, done }
    }
}

/// From the listening socket to two sessions that are ready to shuffle.
fn setup(criterion: &mut Criterion) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a port");
    let address = listener.local_addr().expect("the port has a number");
    criterion.bench_function("setup", |bencher| {
        bencher.iter_custom(|iterations| {
            let mut total = Duration::ZERO;
            for _ in 0..iterations {
                let start = Instant::now();
                let peer = thread::spawn(move || {
                    let stream = TcpTransport::connect(address, PATIENCE).expect("connected");
                    (session(Party::Evaluator, stream), Instant::now())
                });
                let stream = TcpTransport::accept(&listener, PATIENCE).expect("accepted");
                let garbler = session(Party::Garbler, stream);
                let mine = Instant::now();
                let (evaluator, theirs) = peer.join().expect("the evaluator is set up");
                total += mine.max(theirs) - start;
                drop((garbler, evaluator));
            }
            total
        });
    });
}

/// From fresh randomness to a sealed deck on both sides, after setup.
fn shuffle(criterion: &mut Criterion) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a port");
    let address = listener.local_addr().expect("the port has a number");
    let peer = thread::spawn(move || {
        session(
            Party::Evaluator,
            TcpTransport::connect(address, PATIENCE).expect("connected"),
        )
    });
    let stream = TcpTransport::accept(&listener, PATIENCE).expect("accepted");
    let mut garbler = session(Party::Garbler, stream);
    let mut evaluator = peer.join().expect("the evaluator is set up");

    let circuit = full_shuffle();
    let ands = circuit.circuit().ands();
    let before = garbler.traffic().bytes_sent;
    let peer = Peer::spawn({
        let circuit = circuit.clone();
        move || {
            SealedDeck::shuffle(&mut evaluator, &circuit, &mut UnwrapErr(SysRng))
                .expect("shuffled");
        }
    });
    let mut shuffles = 0;
    criterion.bench_function("shuffle/fisher-yates/52-of-52", |bencher| {
        bencher.iter_custom(|iterations| {
            let start = Instant::now();
            peer.rounds.send(iterations).expect("the evaluator lives");
            for _ in 0..iterations {
                SealedDeck::shuffle(&mut garbler, &circuit, &mut UnwrapErr(SysRng))
                    .expect("shuffled");
            }
            peer.done.recv().expect("the evaluator lives");
            shuffles += iterations;
            start.elapsed()
        });
    });
    let sent = garbler.traffic().bytes_sent - before;
    println!(
        "{ands} ANDs; the garbler sends {:.2} bytes an AND\n",
        sent as f64 / (shuffles as f64 * ands as f64)
    );
}

fn garbling(criterion: &mut Criterion) {
    let shuffle = full_shuffle();
    let circuit = shuffle.circuit();
    let mut rng = UnwrapErr(SysRng);
    let delta = Delta::random(true, &mut rng);
    let hash = TweakableHash::with_key([1; 16]);
    let mut labels: Vec<Block> = (0..circuit.wires())
        .map(|_| Block::random(&mut rng))
        .collect();
    let mut tables = Vec::with_capacity(2 * circuit.ands());

    let mut group = criterion.benchmark_group("alone");
    group.throughput(Throughput::Elements(circuit.ands() as u64));
    group.bench_function("garble", |bencher| {
        bencher.iter(|| {
            tables.clear();
            garble(circuit, &mut labels, &delta, &hash, 0, |fresh| {
                tables.extend_from_slice(fresh);
                Ok(())
            })
        });
    });
    group.bench_function("evaluate", |bencher| {
        bencher.iter(|| {
            let mut next = 0;
            evaluate(circuit, &mut labels, &hash, 0, |wanted| {
                wanted.copy_from_slice(&tables[next..next + wanted.len()]);
                next += wanted.len();
                Ok(())
            })
        });
    });
    group.finish();
}

criterion_group!(benches, setup, shuffle, garbling);
criterion_main!(benches);
