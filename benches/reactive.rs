//! Measures the moves that poker does not have, over loopback TCP, with each party in its own
//! thread: a roll of dice, and a steal from a hand of seven of 52 cards. A steal is split into its
//! preprocessing (`pool`) and the time after it (`online`).

mod common;

use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

use common::{Loopback, Session, checked_shuffle};
use criterion::{Criterion, criterion_group, criterion_main};
use dealerless::circuit::Party;
use dealerless::deck::SealedDeck;
use dealerless::dice::{self, Dice, Terms};
use dealerless::mpc::{Audience, EngineKind};
use dealerless::net::{Channel, Deadlines, TcpTransport};
use dealerless::shuffle::Algorithm;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;

const PATIENCE: Duration = Duration::from_secs(10);
const HAND: [usize; 7] = [0, 1, 2, 3, 4, 5, 6];

fn rolls(criterion: &mut Criterion) {
    let dice: Dice = "2d6".parse().expect("dice");
    criterion.bench_function("reactive/roll-2d6", |bencher| {
        bencher.iter_custom(|iterations| {
            let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
            let address = listener.local_addr().expect("a local address");
            let peer = thread::spawn(move || {
                let stream = TcpTransport::connect(address, PATIENCE).expect("connected");
                roll(Party::Evaluator, stream, dice, iterations)
            });
            let stream = TcpTransport::accept(&listener, PATIENCE).expect("accepted");
            let time = roll(Party::Garbler, stream, dice, iterations);
            peer.join().expect("no panic");
            time
        });
    });
}

/// Rolls the dice `rolls` times and returns the total time.
fn roll(me: Party, transport: TcpTransport, dice: Dice, rolls: u64) -> Duration {
    let mut channel = Channel::new(transport, Deadlines::default());
    let begun = Instant::now();
    for number in 0..rolls {
        let terms = Terms {
            context: b"bench",
            number,
            dice,
        };
        dice::roll(&mut channel, terms, me, &mut UnwrapErr(SysRng)).expect("rolled");
    }
    begun.elapsed()
}

/// Returns the total times of `steals` steals: the time of the preprocessing, and the time from the
/// call to the stolen card.
fn steals(mut session: Session, steals: u64) -> [Duration; 2] {
    let rng = &mut UnwrapErr(SysRng);
    let shuffle = checked_shuffle(52, HAND.len(), Algorithm::FisherYates);
    let mut deck = SealedDeck::shuffle(&mut session, &shuffle, rng).expect("shuffled");
    let hand = HAND.map(|position| (position, Audience::Only(Party::Garbler)));
    deck.open(&mut session, &hand).expect("opened");
    let mut times = [Duration::ZERO; 2];
    for _ in 0..steals {
        let begun = Instant::now();
        deck.prepare_steals(&mut session, HAND.len(), 1)
            .expect("preprocessed");
        let filled = Instant::now();
        deck.steal(&mut session, Party::Garbler, &HAND, rng)
            .expect("stolen");
        times[0] += filled - begun;
        times[1] += filled.elapsed();
    }
    times
}

fn stolen(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("reactive/steal-1-of-7");
    for (phase, name) in ["pool", "online"].into_iter().enumerate() {
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|iterations| {
                let ([garbler, evaluator], _) = Loopback::listen().set_up(EngineKind::Malicious);
                let peer = thread::spawn(move || steals(evaluator, iterations));
                let times = steals(garbler, iterations);
                peer.join().expect("no panic");
                times[phase]
            });
        });
    }
    group.finish();
}

criterion_group!(benches, rolls, stolen);
criterion_main!(benches);
