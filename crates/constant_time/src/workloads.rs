//! The workloads that run under valgrind, on secret inputs.

use std::convert::Infallible;
use std::hint::black_box;
use std::thread;
use std::time::Duration;

use dealerless::circuit::{Builder, Circuit, Ownership, Party};
use dealerless::crypto::{Block, SecretBit, SessionId, TweakableHash};
use dealerless::deck::{self, SealedDeck};
use dealerless::mpc::{
    ActiveLabel, Audience, Demand, Greeting, Input, Malicious, Offer, Opening, Result, Run,
    EngineKind, SemiHonest, TwoParty, ZeroLabel, evaluate, garble,
};
use dealerless::net::{Channel, Deadlines, memory_pair};
use dealerless::ot::Delta;
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
use dealerless::verifiable::{
    Cards, Coin, Complaint, Context, Contribution, Dealing, Decks, Goods, Keys, NoKey, Partial,
    Partials, Receiver, Roster, Seats, SecretKey, Show, Shown, Slot, VerifiedDeck,
};
use rand::RngExt;

use crate::memcheck::{is_secret, make_public, make_secret};
use crate::poison::{PublicConnection, SecretRng, system_rng};

/// The number of bits that each party enters.
const WIDTH: usize = 40;

/// Long deadlines, because under valgrind everything is fifty times slower.
const PATIENT: Deadlines = Deadlines {
    message: Duration::from_secs(600),
    phase: Duration::from_secs(3600),
};

/// Runs all workloads.
pub(crate) fn all() {
    branch_on_a_secret();
    index_by_a_secret();
    half_gates();
    computing::<SemiHonest>();
    computing::<Malicious>();
    dealing::<SemiHonest>();
    dealing::<Malicious>();
    routing();
    verifiable_deck();
}

/// A deliberate mistake, which must be reported.
#[inline(never)]
pub(crate) fn branch_on_a_secret() {
    let mut secret = [system_rng().random::<u8>()];
    make_secret(&mut secret);
    if black_box(secret[0]) & 1 == 1 {
        black_box(());
    }
}

/// A second deliberate mistake, which must be reported.
#[inline(never)]
pub(crate) fn index_by_a_secret() {
    let mut secret = [system_rng().random::<u8>()];
    make_secret(&mut secret);
    let table = black_box([7u8; 256]);
    black_box(table[usize::from(black_box(secret[0]))]);
}

/// A circuit of AND, XOR and NOT gates with three output words.
fn circuit() -> Circuit {
    let mut builder = Builder::new(&[WIDTH, WIDTH]);
    let (a, b) = (builder.input(0), builder.input(1));
    let mut words = vec![Vec::new(); 3];
    let mut sum = builder.not(a[0]);
    for (i, (&a, &b)) in a.iter().zip(&b).enumerate() {
        let product = builder.and(a, b);
        sum = builder.xor(sum, product);
        let other = builder.not(b);
        words[i % 3].push(builder.and(sum, other));
    }
    builder.build(words)
}

/// Garbles and evaluates a circuit without a session: Delta, all labels and even the tables are
/// secret.
fn half_gates() {
    let circuit = circuit();
    let joint = Ownership::of(&circuit, [None, None]);
    let hash = TweakableHash::new(&SessionId([1; 32]));
    let delta = Delta::random(true, &mut SecretRng);
    let mut zeros: Vec<ZeroLabel> = (0..circuit.wires())
        .map(|_| ZeroLabel(Block::random(&mut SecretRng)))
        .collect();
    let mut labels: Vec<ActiveLabel> = (zeros.iter())
        .map(|zero| zero.active(SecretBit::random(&mut SecretRng), &delta))
        .collect();
    let mut tables = Vec::new();
    let garbled = garble(&circuit, &joint, &mut zeros, &delta, &hash, 0, |table| {
        tables.push(table);
        Ok::<(), Infallible>(())
    });
    garbled.expect("garbling cannot fail");
    assert!(is_secret(&tables) && is_secret(&zeros[circuit.wires() - 1..]));
    let mut fetched = tables.into_iter();
    let evaluated = evaluate(&circuit, &joint, &mut labels, &hash, 0, || {
        Ok::<_, Infallible>(fetched.next().expect("one table per AND gate"))
    });
    evaluated.expect("evaluating cannot fail");
    assert!(is_secret(&labels[circuit.wires() - 1..]));
}

/// An engine that is set up with secret randomness.
trait Engine: TwoParty + Sized {
    const ENGINE: EngineKind;

    fn begin(greeting: Greeting) -> Result<Self>;
}

impl Engine for SemiHonest {
    const ENGINE: EngineKind = EngineKind::SemiHonest;

    fn begin(greeting: Greeting) -> Result<Self> {
        SemiHonest::setup(greeting, &mut SecretRng)
    }
}

impl Engine for Malicious {
    const ENGINE: EngineKind = EngineKind::Malicious;

    fn begin(greeting: Greeting) -> Result<Self> {
        Malicious::setup(greeting, &mut SecretRng)
    }
}

/// Sets up a session and runs `act` for both parties. The hellos are public, and so is the channel
/// secret derived from the hellos. All other randomness is secret.
fn sessions<E: Engine>(act: impl Fn(&mut E) -> deck::Result<()> + Sync) {
    let (one, other) = memory_pair();
    let side = |role, transport| {
        let channel = Channel::new(PublicConnection(transport), PATIENT);
        let offer = Offer::new(role, E::ENGINE);
        let greeting = Greeting::exchange(channel, offer, &mut system_rng())?;
        act(&mut E::begin(greeting)?)
    };
    let [garbler, evaluator] = thread::scope(|scope| {
        let evaluator = scope.spawn(|| side(Party::Evaluator, other));
        [
            side(Party::Garbler, one),
            evaluator.join().expect("the evaluator panicked"),
        ]
    });
    garbler.expect("an honest session failed");
    evaluator.expect("an honest session failed");
}

const GARBLER: Audience = Audience::Only(Party::Garbler);
const EVALUATOR: Audience = Audience::Only(Party::Evaluator);

/// Both parties enter secrets into a circuit, use the outputs as inputs of a second run, and open
/// the results: one word to each party and one word to both.
fn computing<E: Engine>() {
    let circuit = circuit();
    let mut values = [(); 2].map(|()| {
        let mut values = vec![false; WIDTH];
        values.fill_with(|| system_rng().random());
        values
    });
    let clear = circuit
        .evaluate(&values)
        .expect("the inputs match the circuit");
    for values in &mut values {
        make_secret(values);
    }
    sessions(|session: &mut E| {
        session.prepare(Demand::of(&circuit))?;
        let mine = &values[session.role() as usize];
        let words = session.run(Run::new(&circuit, &Input::ONE_EACH, mine))?;
        let again = || Input::Shared(&words.bits()[..WIDTH]);
        let more = session.run(Run::new(&circuit, &[again(), again()], &[]))?;
        for (words, expected) in [(&words, Some(&clear)), (&more, None)] {
            open(session, words.iter(), expected)?;
        }
        Ok(())
    });
}

/// Opens three words: one word to each party and one word to both.
fn open<'a, E: Engine<Shared: 'a>>(
    session: &mut E,
    words: impl Iterator<Item = &'a [E::Shared]>,
    expected: Option<&Vec<Vec<bool>>>,
) -> Result<()> {
    let learners = [GARBLER, EVALUATOR, Audience::Both];
    let openings: Vec<_> = (learners.into_iter().zip(words))
        .map(|(to, bits)| Opening { to, bits })
        .collect();
    for (number, bits) in session.open(&openings)?.iter().enumerate() {
        let Some(mut bits) = bits.map(<[bool]>::to_vec) else {
            continue;
        };
        assert!(is_secret(&bits), "opened bits are derived from secrets");
        make_public(&mut bits);
        assert!(expected.is_none_or(|expected| expected[number] == bits));
    }
    Ok(())
}

/// Shuffles a deck with secret seeds and opens some of its cards.
fn dealing<E: Engine>() {
    let spec = Spec::new(10, 4, Algorithm::FisherYates).expect("4 of 10 can be drawn");
    let shuffle = ShuffleCircuit::build_checked(spec);
    sessions(|session: &mut E| {
        let mut deck = SealedDeck::shuffle(session, &shuffle, &mut SecretRng)?;
        deck.open(session, &[(0, GARBLER), (1, EVALUATOR)])?;
        deck.open(session, &[(2, Audience::Both), (0, EVALUATOR)])?;
        Ok(())
    });
}

/// Sets the switches of a network for a secret permutation.
fn routing() {
    let spec = Spec::new(10, 10, Algorithm::Waksman).expect("10 of 10 can be drawn");
    let shuffle = ShuffleCircuit::build(spec);
    for party in Party::BOTH {
        black_box(shuffle.sample(party, &mut SecretRng));
    }
}

/// Marks a part as public, because it is sent.
fn sent(mut part: Vec<u8>) -> Vec<u8> {
    assert!(is_secret(&part), "parts are derived from secrets");
    make_public(&mut part);
    part
}

/// Three seats draw keys, shuffle a deck, open cards to all seats and to one, and show a card to all
/// seats and to one. One of them mixes its goods, and they open a coin and a good.
fn verifiable_deck() {
    let match_id = [1; 32];
    let seats = Seats::new(3, 3).expect("three seats can play");
    let own: Vec<Contribution> = (0..3)
        .map(|seat| Contribution::generate(match_id, seats, seat, &mut SecretRng))
        .collect();
    let keys = own.iter().enumerate().map(|(seat, own)| {
        let part = sent(own.keys().to_bytes());
        Keys::verify(&match_id, seat, &part).expect("an honest part")
    });
    let keys: Vec<Keys> = keys.collect();
    let dealings = own.iter().enumerate().map(|(seat, own)| {
        let part = sent(own.dealing(&keys).to_bytes());
        Dealing::verify(&match_id, seats, &keys, seat, &part).expect("an honest part")
    });
    let dealings: Vec<Dealing> = dealings.collect();
    let secrets = own.iter().map(|own| {
        let received = own.receive(&keys, &dealings, &mut SecretRng);
        let Ok(key) = received else {
            panic!("an honest share does not fit");
        };
        assert!(is_secret(&*key.share()));
        key
    });
    let secrets: Vec<SecretKey> = secrets.collect();
    // Seat 0 complains about a share of seat 1 that does not fit.
    let mut part = dealings[1].to_bytes();
    let pads = part.len() - 2 * 32;
    part[pads] ^= 1;
    let mut wrong = dealings.clone();
    wrong[1] = Dealing::verify(&match_id, seats, &keys, 1, &part).expect("a pad has any bytes");
    let Err(NoKey::Complaint(complaint)) = own[0].receive(&keys, &wrong, &mut SecretRng) else {
        panic!("a wrong share fits");
    };
    let complaint = sent(complaint.to_bytes());
    let judged = Complaint::verify(&match_id, seats, &keys, &wrong, 0, &complaint);
    assert!(judged == Ok(1));
    let roster = Roster::new(&match_id, seats, &keys, &dealings).expect("keys");

    let context = |seat| Context {
        roster: &roster,
        match_id,
        chain: match_id,
        hand: 0,
        deck: 0,
        step: 3,
        before: [2; 32],
        seat,
    };
    let cards = Cards::new("deck", 5).expect("5 cards are a deck");
    let deck = (0..3).fold(VerifiedDeck::start(&cards), |deck, seat| {
        let (part, _) = deck.shuffle(&context(seat), &mut SecretRng);
        let verified = deck.verify_shuffle(&context(seat), &sent(part));
        verified.expect("an honest shuffle")
    });
    let decks = Decks::new(vec![deck]);

    let slots = [
        (0, Receiver::All),
        (1, Receiver::Seat(0)),
        (2, Receiver::Seat(0)),
    ]
    .map(|(position, receiver)| Slot {
        deck: 0,
        position,
        receiver,
    });
    let open = |seat: usize, slots: &[Slot]| {
        let (context, key) = (context(seat), &secrets[seat]);
        let (part, _) = Partials::make(&context, &decks, slots, key, &mut SecretRng)
            .expect("the slots are of the deck");
        Partials::verify(&context, &decks, slots, &sent(part)).expect("honest partials")
    };
    let opened = [open(0, &slots[..1]), open(1, &slots), open(2, &slots)];
    let partials = |slot: &Slot| -> Vec<Partial> {
        let all = opened.iter().flat_map(Partials::iter);
        all.filter(|(of, _)| of == slot)
            .map(|(_, partial)| *partial)
            .collect()
    };
    let own = decks.open_own(seats, 0, 1, &partials(&slots[1]), &secrets[0]);
    assert!(is_secret(&[own.expect("a card").0]));
    assert!(decks.open(seats, 0, 0, &partials(&slots[0])).is_some());

    let shown = [1, 2].map(|position| Shown {
        deck: 0,
        position,
        partials: partials(&slots[position]),
    });
    for receiver in [Receiver::All, Receiver::Seat(1)] {
        let (context, key) = (context(0), &secrets[0]);
        let part = Show::make(&context, &decks, receiver, &shown, key, &mut SecretRng)
            .expect("the cards are of the seat");
        let show =
            Show::verify(&context, &decks, receiver, &shown, &sent(part)).expect("an honest show");
        let seen = show.card_for(&decks, 0, &shown[0], &secrets[1]);
        match receiver {
            Receiver::All => assert!(show.card(&decks, 0, &shown[0]).is_some()),
            Receiver::Seat(_) => assert!(is_secret(&[seen.expect("a card").0])),
        }
    }
    mixed_goods(&roster, &context(0), &secrets);
}

/// The seat of the context mixes goods. Then the seats open a coin to all and a good to one.
fn mixed_goods(roster: &Roster, context: &Context<'_>, secrets: &[SecretKey]) {
    let mut goods = Goods::new(&Cards::kinds(3, 4).expect("kinds of goods"));
    let kinds = [0, 1, 2, 2].map(deck::Card);
    for kind in kinds {
        goods.gain(kind).expect("a kind of goods");
    }
    let positions = [0, 1, 2, 3];
    let (part, _) = goods.mix(context, &positions, &mut SecretRng).expect("a hand");
    let mixed = goods.verify_mix(context, &positions, &sent(part));
    let unmixed = goods.unmixed(&positions).expect("a hand");
    let followed = unmixed.follow(context, &kinds, &mut SecretRng);
    assert!(is_secret(&[followed.expect("a hand")[0].0]));

    let decks = Decks::new(Vec::new()).with_goods(&mixed.expect("an honest mix"));
    let decks = decks.with_coins(roster, context.hand);
    let slots = [
        (0, 1, Receiver::Seat(2)),
        (decks.coins(), 0, Receiver::All),
    ]
    .map(|(deck, position, receiver)| Slot {
        deck,
        position,
        receiver,
    });
    let open = |(seat, key): (usize, &SecretKey)| {
        let context = Context { seat, ..*context };
        let own = if seat == 2 { &slots[1..] } else { &slots };
        let made = Partials::make(&context, &decks, own, key, &mut SecretRng);
        let (part, _) = made.expect("the slots are of the hand");
        Partials::verify(&context, &decks, own, &sent(part)).expect("honest partials")
    };
    let opened: Vec<Partials> = secrets.iter().enumerate().map(open).collect();
    let partials = |slot: &Slot| -> Vec<Partial> {
        let all = opened.iter().flat_map(Partials::iter);
        all.filter(|(of, _)| of == slot)
            .map(|(_, partial)| *partial)
            .collect()
    };
    let seats = roster.seats();
    let own = decks.open_own(seats, 0, 1, &partials(&slots[0]), &secrets[2]);
    assert!(is_secret(&[own.expect("a card").0]));
    let coin = Coin::open(&decks, seats, 0, &partials(&slots[1]));
    assert!(coin.expect("a coin").numbers(6).next().is_some());
}
