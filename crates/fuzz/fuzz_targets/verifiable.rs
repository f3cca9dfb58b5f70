//! The parts of a verifiable deck: honest parts verify, and changed parts are rejected.
//!
//! Input: the kind of the part, and the changes to its bytes. The pads of a dealing and the
//! commitment in the first part of a seat are checked by other parts only.

#![no_main]

mod edits;

use std::sync::LazyLock;

use dealerless::deck::Card;
use dealerless::verifiable::{
    Cards, Complaint, Context, Contribution, Dealing, Decks, Goods, Keys, Partials, Receiver,
    Roster, Seats, SecretKey, Show, Shown, Slot, VerifiedDeck,
};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use rand::SeedableRng;
use rand::rngs::StdRng;

const MATCH: [u8; 32] = [1; 32];

/// Everything that two seats have sent in a hand with three cards, three goods and a coin.
struct Hand {
    seats: Seats,
    keys: Vec<Keys>,
    dealings: Vec<Dealing>,
    roster: Roster,
    start: VerifiedDeck,
    decks: Decks,
    slots: [Slot; 3],
    shown: [Shown; 1],
    goods: Goods,
    starts: Decks,
    parts: [Vec<u8>; 7],
}

impl Hand {
    fn context(&self, seat: usize) -> Context<'_> {
        context(&self.roster, seat)
    }
}

fn context(roster: &Roster, seat: usize) -> Context<'_> {
    Context {
        roster,
        match_id: MATCH,
        chain: MATCH,
        hand: 0,
        deck: 0,
        step: 3,
        before: MATCH,
        seat,
    }
}

static HAND: LazyLock<Hand> = LazyLock::new(|| {
    let rng = &mut StdRng::seed_from_u64(1);
    let seats = Seats::new(2, 2).expect("two seats");
    let own: Vec<Contribution> = (0..2)
        .map(|seat| Contribution::generate(MATCH, seats, seat, rng))
        .collect();
    let keys: Vec<Keys> = own.iter().map(|own| own.keys().clone()).collect();
    let dealings: Vec<Dealing> = own.iter().map(|own| own.dealing(&keys)).collect();
    let roster = Roster::new(&MATCH, seats, &keys, &dealings).expect("keys");
    let secrets: Vec<SecretKey> = own
        .iter()
        .map(|own| {
            own.receive(&keys, &dealings, rng)
                .ok()
                .expect("a share that fits")
        })
        .collect();
    let start = VerifiedDeck::start(&Cards::new("deck", 3).expect("cards"));
    let (shuffle, deck) = start.shuffle(&context(&roster, 0), rng);
    let other = VerifiedDeck::start(&Cards::new("tiles", 2).expect("cards"));
    let starts = Decks::new(vec![start.clone(), other]);
    let (both, _) = starts.shuffle(&context(&roster, 0), rng);
    let mut goods = Goods::new(&Cards::kinds(2, 3).expect("kinds"));
    for kind in [0, 1, 1] {
        goods.gain(Card(kind)).expect("a kind of goods");
    }
    let mixed = goods
        .mix(&context(&roster, 0), &[0, 2], rng)
        .expect("two goods");
    let decks = Decks::new(vec![deck]).with_coins(&roster, 0);
    let slot = |position, receiver| Slot {
        deck: 0,
        position,
        receiver,
    };
    let coin = Slot {
        deck: decks.coins(),
        ..slot(0, Receiver::All)
    };
    let slots = [slot(0, Receiver::All), slot(1, Receiver::Seat(0)), coin];
    let (partials, made) =
        Partials::make(&context(&roster, 1), &decks, &slots, &secrets[1], rng).expect("slots");
    let shown = [Shown {
        deck: 0,
        position: 1,
        partials: made
            .iter()
            .skip(1)
            .take(1)
            .map(|(_, partial)| *partial)
            .collect(),
    }];
    let receiver = Receiver::Seat(1);
    let show = Show::make(
        &context(&roster, 0),
        &decks,
        receiver,
        &shown,
        &secrets[0],
        rng,
    );
    Hand {
        parts: [
            keys[0].to_bytes(),
            dealings[0].to_bytes(),
            shuffle,
            partials,
            show.expect("a card of the seat"),
            both,
            mixed.0,
        ],
        goods,
        starts,
        seats,
        keys,
        dealings,
        roster,
        start,
        decks,
        slots,
        shown,
    }
});

/// Whether the part verifies.
fn verifies(kind: usize, part: &[u8]) -> bool {
    let hand = &*HAND;
    match kind {
        0 => Keys::verify(&MATCH, 0, part).is_ok(),
        1 => Dealing::verify(&MATCH, hand.seats, &hand.keys, 0, part).is_ok(),
        2 => hand.start.verify_shuffle(&hand.context(0), part).is_ok(),
        3 => Partials::verify(&hand.context(1), &hand.decks, &hand.slots, part).is_ok(),
        4 => {
            let (receiver, shown) = (Receiver::Seat(1), &hand.shown);
            Show::verify(&hand.context(0), &hand.decks, receiver, shown, part).is_ok()
        }
        5 => hand.starts.verify_shuffle(&hand.context(0), part).is_ok(),
        6 => hand
            .goods
            .verify_mix(&hand.context(0), &[0, 2], part)
            .is_ok(),
        _ => {
            let (keys, dealings) = (&hand.keys, &hand.dealings);
            Complaint::verify(&MATCH, hand.seats, keys, dealings, 0, part).is_ok()
        }
    }
}

/// The number of leading bytes that the verification of a part binds.
fn bound(kind: usize, part: &[u8]) -> usize {
    match kind {
        0 | 1 => part.len() - 32,
        _ => part.len(),
    }
}

fn run(input: &mut Unstructured) -> Result<()> {
    let kind = input.int_in_range(0..=7)?;
    let honest = HAND
        .parts
        .get(kind)
        .cloned()
        .unwrap_or_else(|| vec![0; Complaint::LEN]);
    let mut part = honest.clone();
    edits::edit(&mut part, input)?;
    let bound = bound(kind, &honest);
    let unchanged = part.len() == honest.len() && part[..bound] == honest[..bound];
    assert_eq!(verifies(kind, &part), unchanged && kind < 7);
    Ok(())
}

fuzz_target!(|input: &[u8]| {
    // An input that is too short has no effect.
    let _ = run(&mut Unstructured::new(input));
});
