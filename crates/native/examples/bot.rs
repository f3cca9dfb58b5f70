//! A bot hosts a match of one hand in a thread, and a bot in another thread joins it with the invite.
//! Run it with `cargo run -p dealerless-native --example bot`.

use std::thread;

use dealerless::deck::Choice;
use dealerless_native::{Player, begin, host, in_memory};
use dealerless_seat::command::Said;
use dealerless_seat::event::{Ask, Event};
use dealerless_seat::game_name::GameName;
use dealerless_seat::run::{AnyMatch, Guest, Route};
use dealerless_seat::seat::PlayerNeeds;
use dealerless_seat::terms::Terms;
use dealerless_table::play::{DealCircuit, Seating};

struct Bot(&'static str);

impl Player for Bot {
    fn tell(&mut self, event: &Event) -> anyhow::Result<()> {
        if let Event::Result(result) = event {
            println!("{} sees {result:?}", self.0);
        }
        Ok(())
    }

    fn answer(&mut self, event: &Event) -> Option<Said> {
        match event {
            Event::YourTurn(turn) => Some(match turn.ask {
                Ask::Bet { call: None, .. } => Said::Check {},
                Ask::Bet { .. } => Said::Call {},
                _ => Said::Show {},
            }),
            _ => None,
        }
    }
}

fn main() -> anyhow::Result<()> {
    let mut terms = Terms::of(GameName::Holdem);
    terms.hands = Some(1);
    let stakes = terms.stakes()?;
    let shuffle = DealCircuit::algorithm_for(Choice::Cheapest, &stakes)?;
    let (header, _) = Seating::propose(stakes, shuffle, Default::default())?;
    let (at, needs) = ("127.0.0.1:0".parse()?, PlayerNeeds::default());
    let mut invite = None;
    let alice = begin(false, in_memory("Alice")?, |own, now| {
        let (host, made) = host(own, header.into(), at, needs, now)?;
        invite = Some(made);
        Ok(Box::new(host))
    })?;
    let alice = thread::spawn(move || alice.play(&mut Bot("Alice")));
    let route = Route::to_host(invite.expect("an invite"));
    let bob = begin(false, in_memory("Bob")?, |own, now| {
        let guest = Guest::joining(own, Box::new(AnyMatch), needs, route, now);
        Ok(Box::new(guest?))
    })?;
    let bob = thread::spawn(move || bob.play(&mut Bot("Bob")));
    alice.join().expect("no panic")?;
    bob.join().expect("no panic")
}
