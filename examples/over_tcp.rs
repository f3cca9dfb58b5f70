//! Two parties over TCP: one process listens, the other one connects, and both see the same five
//! cards.
//!
//! Run `cargo run --example over_tcp` for both parties in one process. Or run, in two terminals,
//! `cargo run --example over_tcp listen 127.0.0.1:7700` and
//! `cargo run --example over_tcp connect 127.0.0.1:7700`.

use std::error::Error;
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use dealerless::circuit::Party;
use dealerless::deck::{self, SealedDeck};
use dealerless::mpc::{Audience, Malicious, TwoParty};
use dealerless::net::{Channel, Deadlines, TcpTransport};
use dealerless::rand::{rand_core::UnwrapErr, rngs::SysRng};
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};

const PATIENCE: Duration = Duration::from_secs(60);

fn play(role: Party, transport: TcpTransport) -> deck::Result<()> {
    let mut rng = UnwrapErr(SysRng);
    let spec = Spec::new(52, 5, Algorithm::FisherYates).expect("5 of 52 can be drawn");
    let shuffle = ShuffleCircuit::build_checked(spec);

    let channel = Channel::new(transport, Deadlines::default());
    let mut session = Malicious::new(channel, role, &mut rng)?;
    let mut deck = SealedDeck::shuffle(&mut session, &shuffle, &mut rng)?;
    let all: Vec<_> = (0..deck.len()).map(|card| (card, Audience::Both)).collect();
    let cards: Vec<String> = deck
        .open(&mut session, &all)?
        .into_iter()
        .filter_map(|card| card?.of_52())
        .collect();
    let sent = session.traffic().bytes_sent;
    println!("the {role} sees {} and sent {sent} bytes", cards.join(" "));
    Ok(())
}

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => {
            let listener = TcpListener::bind("127.0.0.1:0")?;
            let address = listener.local_addr()?;
            let evaluator = thread::spawn(move || {
                play(Party::Evaluator, TcpTransport::connect(address, PATIENCE)?)
            });
            play(Party::Garbler, TcpTransport::accept(&listener, PATIENCE)?)?;
            evaluator.join().expect("no panic")?;
        }
        ["listen", address] => {
            let listener = TcpListener::bind(address)?;
            play(Party::Garbler, TcpTransport::accept(&listener, PATIENCE)?)?;
        }
        ["connect", address] => play(Party::Evaluator, TcpTransport::connect(address, PATIENCE)?)?,
        _ => return Err("expected no arguments, `listen ADDRESS` or `connect ADDRESS`".into()),
    }
    Ok(())
}
