//! Known answers: all parts of a hand of three seats with two decks, from a fixed seed.
//!
//! If an answer changes, the format has changed, so the contexts of the hashes in
//! [`Transcript::new`] must change as well. `check_known_answers.py` verifies the same parts with a
//! second implementation.

use rand::rngs::ChaCha20Rng;
use serde_json::{Value, json};

use super::*;

const ANSWERS: &str = include_str!("known_answers.json");
const CHAIN: [u8; 32] = [8; 32];
const HAND: u64 = 3;
/// The names of the decks, and their numbers of cards.
const DECKS: [(&str, usize); 2] = [("deck", 4), ("tiles", 2)];
/// The cards that are opened.
const SLOTS: [(usize, usize, Receiver); 5] = [
    (0, 0, Receiver::All),
    (0, 1, Receiver::Seat(0)),
    (0, 2, Receiver::Seat(0)),
    (1, 0, Receiver::All),
    (1, 1, Receiver::Seat(1)),
];
/// The cards that seat 0 shows, and to whom.
const SHOWS: [(&[usize], Receiver); 2] = [(&[1, 2], Receiver::All), (&[2], Receiver::Seat(2))];

/// The kinds of the goods that are gained, of three.
const GAINED: [u64; 4] = [0, 1, 1, 2];
/// The goods that seat 1 mixes.
const MIXED: [usize; 3] = [0, 2, 3];
/// The good that is opened to all.
const GIVEN: usize = 2;
/// The coin that is opened, and the bounds of its numbers.
const COIN: usize = 5;
const BOUNDS: [u32; 3] = [6, 7, 1 << 31 | 1];

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn hexes<B: AsRef<[u8]>>(parts: impl IntoIterator<Item = B>) -> Vec<String> {
    parts.into_iter().map(|part| hex(part.as_ref())).collect()
}

/// A receiver as it is hashed.
fn number(receiver: Receiver) -> usize {
    match receiver {
        Receiver::All => 0,
        Receiver::Seat(seat) => 1 + seat,
    }
}

/// A context with the bytes that the answers give for it.
fn step(fixture: &Fixture, deck: usize, step: u64, seat: usize) -> Context<'_> {
    Context {
        chain: CHAIN,
        hand: HAND,
        deck: deck as u64,
        ..fixture.context(seat, step)
    }
}

fn signed(context: &Context<'_>, part: &[u8]) -> Value {
    json!({
        "seat": context.seat,
        "deck": context.deck,
        "step": context.step,
        "before": hex(&context.before),
        "part": hex(part),
    })
}

/// All parts of a hand in which `threshold` of three seats open a card.
fn hand(threshold: usize) -> Value {
    let rng = &mut ChaCha20Rng::from_seed([threshold as u8; 32]);
    let setup = Setup::draw(3, threshold, rng);
    let fixture = setup.fixture();
    // A complaint about a share that fits.
    let maker = &setup.contributions[2];
    let shared = maker.shared(&setup.keys[0]);
    let complaint = maker.complain(&setup.keys, 0, shared, rng).to_bytes();
    assert_eq!(setup.judge(2, &complaint), Ok(2));

    let mut decks = DECKS.map(|(name, count)| {
        let cards = Cards::new(name, count).unwrap();
        VerifiedDeck::start(&cards)
    });
    let mut shuffles = Vec::new();
    for seat in 0..3 {
        for (number, deck) in decks.iter_mut().enumerate() {
            let context = step(&fixture, number, 3 + seat as u64, seat);
            let (part, _) = deck.shuffle(&context, rng);
            *deck = deck.verify_shuffle(&context, &part).unwrap();
            shuffles.push(signed(&context, &part));
        }
    }
    let shuffled = Decks::new(decks.to_vec());
    let decks = shuffled.clone();

    let slots = SLOTS.map(|(deck, position, receiver)| Slot {
        deck,
        position,
        receiver,
    });
    let seats = fixture.roster.seats();
    let opens =
        |seat: usize, slot: &Slot| openers(seats, slot, |_| true, |_| false).contains(&seat);
    let (mut openings, mut partials) = (Vec::new(), Vec::new());
    for seat in 0..3 {
        let own = slots.into_iter().filter(|slot| opens(seat, slot));
        let own: Vec<Slot> = own.collect();
        let context = step(&fixture, 0, 6, seat);
        let (part, _) =
            Partials::make(&context, &decks, &own, &fixture.secrets[seat], rng).unwrap();
        partials.push(Partials::verify(&context, &decks, &own, &part).unwrap());
        openings.push(signed(&context, &part));
    }
    let partials = |slot: &Slot| -> Vec<Partial> {
        let all = partials.iter().flat_map(Partials::iter);
        all.filter(|(of, _)| of == slot)
            .map(|(_, it)| *it)
            .collect()
    };
    let opened = slots.iter().map(|slot| {
        let (deck, position, partials) = (slot.deck, slot.position, partials(slot));
        let card = match slot.receiver {
            Receiver::All => decks.open(seats, deck, position, &partials),
            Receiver::Seat(seat) => {
                let key = &fixture.secrets[seat];
                decks.open_own(seats, deck, position, &partials, key)
            }
        };
        json!([deck, position, number(slot.receiver), card.unwrap().0])
    });

    let shows = SHOWS.map(|(positions, receiver)| {
        let shown = |&position: &usize| Shown {
            deck: 0,
            position,
            partials: partials(&slots[position]),
        };
        let shown: Vec<Shown> = positions.iter().map(shown).collect();
        let context = step(&fixture, 0, 7 + number(receiver) as u64, 0);
        let part =
            Show::make(&context, &decks, receiver, &shown, &fixture.secrets[0], rng).unwrap();
        Show::verify(&context, &decks, receiver, &shown, &part).unwrap();
        let cards = positions.iter().map(|position| json!([0, position]));
        let mut show = signed(&context, &part);
        show["receiver"] = json!(number(receiver));
        show["cards"] = cards.collect();
        show
    });
    let (gained, mix, given) = goods(&fixture, &shuffled, rng);
    json!({
        "goods": gained,
        "mix": mix,
        "given": given,
        "threshold": threshold,
        "match": hex(&MATCH),
        "chain": hex(&CHAIN),
        "hand": HAND,
        "decks": DECKS,
        "keys": hexes(setup.keys.iter().map(Keys::to_bytes)),
        "dealings": hexes(setup.dealings.iter().map(Dealing::to_bytes)),
        "complaint of seat 2": hex(&complaint),
        "e": hexes(fixture.secrets.iter().map(|key| key.decryption.to_bytes())),
        "x": hexes(fixture.secrets.iter().map(|key| *key.share())),
        "roster": hex(fixture.roster.digest()),
        "shuffles": shuffles,
        "openings": openings,
        "shows": shows,
        "opened cards": opened.collect::<Vec<_>>(),
    })
}

/// The goods with their mix, and the openings of a good and a coin after it.
fn goods(fixture: &Fixture, shuffled: &Decks, rng: &mut ChaCha20Rng) -> (Value, Value, Value) {
    let mut goods = Goods::new(&Cards::kinds(3, 4).unwrap());
    for kind in GAINED {
        goods.gain(Card(kind)).unwrap();
    }
    let number = DECKS.len();
    let context = step(fixture, number, 9, 1);
    let (part, _) = goods.mix(&context, &MIXED, rng).unwrap();
    let mixed = goods.verify_mix(&context, &MIXED, &part).unwrap();
    let mut mix = signed(&context, &part);
    mix["positions"] = json!(MIXED);

    let decks = shuffled.clone().with_goods(&mixed);
    let decks = decks.with_coins(&fixture.roster, HAND);
    let seats = fixture.roster.seats();
    let slot = |deck, position| Slot {
        deck,
        position,
        receiver: Receiver::All,
    };
    let slots = [slot(number, GIVEN), slot(decks.coins(), COIN)];
    let (mut openings, mut partials) = (Vec::new(), Vec::new());
    for seat in 0..3 {
        let opens = |slot: &Slot| openers(seats, slot, |_| true, |_| false).contains(&seat);
        let own: Vec<Slot> = slots.into_iter().filter(opens).collect();
        if own.is_empty() {
            continue;
        }
        let context = step(fixture, 0, 10, seat);
        let key = &fixture.secrets[seat];
        let (part, made) = Partials::make(&context, &decks, &own, key, rng).unwrap();
        Partials::verify(&context, &decks, &own, &part).unwrap();
        partials.extend(made.iter().copied());
        openings.push(signed(&context, &part));
    }
    let partials = |slot: &Slot| -> Vec<Partial> {
        let own = partials.iter().filter(|(of, _)| of == slot);
        own.map(|(_, partial)| *partial).collect()
    };
    let kind = decks
        .open(seats, number, GIVEN, &partials(&slots[0]))
        .unwrap();
    let coin = Coin::open(&decks, seats, COIN, &partials(&slots[1])).unwrap();
    let numbers = BOUNDS.map(|below| {
        let numbers: Vec<u32> = coin.numbers(below).take(8).collect();
        json!([below, numbers])
    });
    let given = json!({
        "openings": openings,
        "slots": [[number, GIVEN, 0], [decks.coins(), COIN, 0]],
        "kind": kind.0,
        "numbers": numbers,
    });
    (json!({ "kinds": 3, "gained": GAINED }), mix, given)
}

#[test]
fn all_parts_of_a_hand_are_unchanged() {
    let answers = json!([hand(3), hand(2)]);
    let answers = format!("{answers:#}\n");
    assert!(answers == ANSWERS, "the answers are now:\n{answers}");
}
