//! Known answers: all parts of two hands of three seats with two decks, and of one of six seats with
//! 52 cards, from fixed seeds.
//!
//! If an answer changes, the format has changed, so the contexts of the hashes in
//! [`Transcript::new`] must change as well. `check_known_answers.py` verifies the same parts with a
//! second implementation.

use rand::rngs::ChaCha20Rng;
use serde_json::{Value, json};

use super::*;

const ANSWERS: &str = include_str!("known_answers.json");
const HAND: u64 = 3;
/// The chain of the openings, and that of the shuffles of the hand of six seats.
const CHAINS: [[u8; 32]; 2] = [[8; 32], [9; 32]];
const THREE_SEATS: Hand = Hand {
    seats: 3,
    threshold: 3,
    shuffle_chain: CHAINS[0],
    shufflers: &[0, 1, 2],
    leaver: None,
    decks: &[("deck", 4), ("tiles", 2)],
    slots: &[
        (0, 0, Receiver::All),
        (0, 1, Receiver::Seat(0)),
        (0, 2, Receiver::Seat(0)),
        (1, 0, Receiver::All),
        (1, 1, Receiver::Seat(1)),
    ],
    shows: &[(&[1, 2], Receiver::All), (&[2], Receiver::Seat(2))],
};

/// A hand whose parts are known.
#[derive(Clone, Copy)]
struct Hand {
    seats: usize,
    threshold: usize,
    shuffle_chain: [u8; 32],
    /// The seats that shuffle.
    shufflers: &'static [usize],
    /// A seat that publishes its share before any card is opened.
    leaver: Option<usize>,
    /// The names of the decks, and their numbers of cards.
    decks: &'static [(&'static str, usize)],
    /// The cards that are opened.
    slots: &'static [(usize, usize, Receiver)],
    /// The cards of the first deck that seat 0 shows, and to whom. Card `i` is that of slot `i`.
    shows: &'static [(&'static [usize], Receiver)],
}

/// The hands: the second one needs two of its seats for a card. In the third one the shuffles are in
/// another chain, two of the seats shuffle, and one leaves.
const HANDS: [Hand; 3] = [
    THREE_SEATS,
    Hand {
        threshold: 2,
        ..THREE_SEATS
    },
    Hand {
        seats: 6,
        threshold: 6,
        shuffle_chain: CHAINS[1],
        shufflers: &[0, 5],
        leaver: Some(4),
        decks: &[("deck", 52)],
        slots: &[
            (0, 0, Receiver::All),
            (0, 1, Receiver::Seat(0)),
            (0, 51, Receiver::Seat(5)),
        ],
        shows: &[(&[1], Receiver::All), (&[1], Receiver::Seat(3))],
    },
];

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
fn step(fixture: &Fixture, chain: [u8; 32], deck: usize, step: u64, seat: usize) -> Context<'_> {
    Context {
        chain,
        hand: HAND,
        deck: deck as u64,
        ..fixture.context(seat, step)
    }
}

fn signed(context: &Context<'_>, part: &[u8]) -> Value {
    json!({
        "chain": hex(&context.chain),
        "seat": context.seat,
        "deck": context.deck,
        "step": context.step,
        "before": hex(&context.before),
        "part": hex(part),
    })
}

/// All parts of a hand.
fn parts(hand: &Hand) -> Value {
    let rng = &mut ChaCha20Rng::from_seed([hand.threshold as u8; 32]);
    let setup = Setup::draw(hand.seats, hand.threshold, rng);
    let fixture = setup.fixture();
    // A complaint about a share that fits.
    let maker = &setup.contributions[2];
    let shared = maker.shared(&setup.keys[0]);
    let complaint = maker.complain(&setup.keys, 0, shared, rng).to_bytes();
    assert_eq!(setup.judge(2, &complaint), Ok(2));

    let decks = hand.decks.iter().map(|&(name, count)| {
        let cards = Cards::new(name, count).unwrap();
        VerifiedDeck::start(&cards)
    });
    let mut decks: Vec<VerifiedDeck> = decks.collect();
    let mut shuffles = Vec::new();
    for &seat in hand.shufflers {
        for (number, deck) in decks.iter_mut().enumerate() {
            let context = step(&fixture, hand.shuffle_chain, number, 3 + seat as u64, seat);
            let (part, _) = deck.shuffle(&context, rng);
            *deck = deck.verify_shuffle(&context, &part).unwrap();
            shuffles.push(signed(&context, &part));
        }
    }
    let shuffled = Decks::new(decks);
    let decks = shuffled.clone();

    let slots = hand.slots.iter().map(|&(deck, position, receiver)| Slot {
        deck,
        position,
        receiver,
    });
    let slots: Vec<Slot> = slots.collect();
    let seats = fixture.roster.seats();
    let has_left = |seat| Some(seat) == hand.leaver;
    let opens = |seat: usize, slot: &Slot| openers(seats, slot, |_| true, has_left).contains(&seat);
    let (mut openings, mut opened) = (Vec::new(), Vec::new());
    for seat in 0..hand.seats {
        let own = slots.iter().copied().filter(|slot| opens(seat, slot));
        let own: Vec<Slot> = own.collect();
        if own.is_empty() {
            continue;
        }
        let context = step(&fixture, CHAINS[0], 0, 6, seat);
        let (part, _) =
            Partials::make(&context, &decks, &own, &fixture.secrets[seat], rng).unwrap();
        let verified = Partials::verify(&context, &decks, &own, &part).unwrap();
        opened.extend(verified.iter().copied());
        openings.push(signed(&context, &part));
    }
    if let Some(leaver) = hand.leaver {
        let share = fixture.secrets[leaver].share();
        opened.extend(slots.iter().map(|slot| {
            let partial = Partial::published(&fixture.roster, &decks, slot, leaver, &share);
            (*slot, partial.unwrap())
        }));
    }
    let partials = |slot: &Slot| -> Vec<Partial> {
        let own = opened.iter().filter(|(of, _)| of == slot);
        own.map(|(_, partial)| *partial).collect()
    };
    let cards = slots.iter().map(|slot| {
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

    let shows = hand.shows.iter().map(|&(positions, receiver)| {
        let shown = |&position: &usize| Shown {
            deck: 0,
            position,
            partials: partials(&slots[position]),
        };
        let shown: Vec<Shown> = positions.iter().map(shown).collect();
        let context = step(&fixture, CHAINS[0], 0, 7 + number(receiver) as u64, 0);
        let part =
            Show::make(&context, &decks, receiver, &shown, &fixture.secrets[0], rng).unwrap();
        Show::verify(&context, &decks, receiver, &shown, &part).unwrap();
        let cards = positions.iter().map(|position| json!([0, position]));
        let mut show = signed(&context, &part);
        show["receiver"] = json!(number(receiver));
        show["cards"] = cards.collect();
        show
    });
    let shows: Vec<Value> = shows.collect();
    let goods = match hand.leaver {
        None => goods(&fixture, &shuffled, hand.decks.len(), rng),
        Some(_) => Value::Null,
    };
    json!({
        "goods": goods,
        "threshold": hand.threshold,
        "match": hex(&MATCH),
        "hand": HAND,
        "decks": hand.decks,
        "keys": hexes(setup.keys.iter().map(Keys::to_bytes)),
        "dealings": hexes(setup.dealings.iter().map(Dealing::to_bytes)),
        "complaint of seat 2": hex(&complaint),
        "e": hexes(fixture.secrets.iter().map(|key| key.decryption.to_bytes())),
        "x": hexes(fixture.secrets.iter().map(|key| *key.share())),
        "roster": hex(&fixture.roster.digest),
        "leaver": hand.leaver,
        "shuffles": shuffles,
        "openings": openings,
        "shows": shows,
        "opened cards": cards.collect::<Vec<_>>(),
    })
}

/// The goods with their mix, and the openings of a good and a coin after it. The goods are the deck
/// with this number.
fn goods(fixture: &Fixture, shuffled: &Decks, number: usize, rng: &mut ChaCha20Rng) -> Value {
    let mut goods = Goods::new(&Cards::kinds(3, 4).unwrap());
    for kind in GAINED {
        goods.gain(Card(kind)).unwrap();
    }
    let context = step(fixture, CHAINS[0], number, 9, 1);
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
    for seat in 0..seats.count() {
        let opens = |slot: &Slot| openers(seats, slot, |_| true, |_| false).contains(&seat);
        let own: Vec<Slot> = slots.into_iter().filter(opens).collect();
        if own.is_empty() {
            continue;
        }
        let context = step(fixture, CHAINS[0], 0, 10, seat);
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
    json!({ "kinds": 3, "gained": GAINED, "mix": mix, "given": given })
}

#[test]
fn all_parts_of_a_hand_are_unchanged() {
    let answers = json!(HANDS.each_ref().map(parts));
    let answers = format!("{answers:#}\n");
    assert!(answers == ANSWERS, "the answers are now:\n{answers}");
}
