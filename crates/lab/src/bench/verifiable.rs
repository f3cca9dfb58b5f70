//! The verifiable deck: the time and the bytes of each of its parts, all seats in this process.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::panic::resume_unwind;
use std::thread;
use std::time::Instant;

use anyhow::{Context as _, bail};
use comfy_table::CellAlignment;
use dealerless::deck::Card;
use dealerless::verifiable::{
    Cards, Context, Contribution, Dealing, Decks, Goods, Keys, Partials, Receiver, Roster, Seats,
    SecretKey, Show, Shown, Slot, VerifiedDeck,
};
use dealerless_command_line::output::{count, grid, milliseconds, show, show_json};
use dealerless_command_line::system_rng;
use rand::CryptoRng;
use serde::Serialize;

use super::args::Args;
use super::environment::Environment;
use crate::loopback;

/// The match that the measured parts belong to.
const MATCH: [u8; 32] = [0; 32];

/// The decks of a board game: tiles, numbers and cards.
const BOARD_GAME: [(&str, usize); 3] = [("tiles", 19), ("numbers", 18), ("cards", 25)];
/// The number of goods in a mix.
const MIXED: usize = 7;

/// What `bench --deck verifiable` reports.
#[derive(Serialize)]
struct Report<'a> {
    seats: usize,
    threshold: usize,
    cards: usize,
    rounds: u32,
    operations: Vec<Operation>,
    environment: &'a Environment,
}

/// One measured operation.
#[derive(Serialize)]
struct Operation {
    name: &'static str,
    /// The median of all rounds, in milliseconds.
    ms: f64,
    min: f64,
    max: f64,
    /// The bytes of the part that a seat signs; `None` if the operation makes no part.
    bytes: Option<usize>,
}

/// Measures the verifiable deck.
pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let environment = Environment::detect(true);
    let &[cards] = args.cards.as_slice() else {
        bail!("--deck verifiable measures one deck: give --cards one number");
    };
    let count = usize::from(args.seats);
    let threshold = count.saturating_sub(args.may_leave.into());
    let seats = Seats::new(count, threshold)
        .context("a verifiable deck has 2 to 10 seats, and at least 2 of them open a card")?;
    let mut rounds = Rounds::default();
    for _ in 0..=args.rounds {
        round(seats, cards, &mut rounds, &mut system_rng())?;
    }
    let report = Report {
        seats: count,
        threshold,
        cards,
        rounds: args.rounds,
        operations: rounds.operations(),
        environment: &environment,
    };
    if args.json {
        show_json("bench verifiable", &report)
    } else {
        show(&report.describe())
    }
}

/// The times of each operation, by round, in the order in which the operations were first measured.
/// The first round only warms the caches.
#[derive(Default)]
struct Rounds(Vec<(&'static str, Option<usize>, Vec<f64>)>);

impl Rounds {
    /// Measures an operation.
    fn time<T>(&mut self, name: &'static str, operation: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = operation();
        let time = milliseconds(start.elapsed());
        match self.0.iter_mut().find(|(other, ..)| *other == name) {
            Some((.., times)) => times.push(time),
            None => self.0.push((name, None, vec![time])),
        }
        result
    }

    /// Notes the length of the part that the last measured operation made.
    fn part(&mut self, bytes: usize, name: &'static str) {
        let mut operations = self.0.iter_mut();
        if let Some((_, noted, _)) = operations.find(|(other, ..)| *other == name) {
            *noted = Some(bytes);
        }
    }

    fn operations(self) -> Vec<Operation> {
        let operation = |(name, bytes, times): (&'static str, Option<usize>, Vec<f64>)| {
            let mut times = times[1..].to_vec();
            times.sort_by(f64::total_cmp);
            Operation {
                name,
                ms: times[times.len() / 2],
                min: times[0],
                max: times[times.len() - 1],
                bytes,
            }
        };
        self.0.into_iter().map(operation).collect()
    }
}

/// Measures every operation once.
fn round(
    seats: Seats,
    cards: usize,
    rounds: &mut Rounds,
    rng: &mut impl CryptoRng,
) -> anyhow::Result<()> {
    let (roster, keys) = rounds.time("keys of all seats", || set_up(seats, rng))?;
    rounds.part(Keys::LEN + Dealing::part_len(seats), "keys of all seats");

    let context = |seat| context(&roster, seat);
    let cards = Cards::new("deck", cards).context("a deck has 1 to 1024 cards")?;
    let mut deck = VerifiedDeck::start(&cards);
    for seat in 0..seats.count() {
        let context = context(seat);
        let (part, _) = if seat == 1 {
            rounds.time("shuffle and prove", || deck.shuffle(&context, rng))
        } else {
            deck.shuffle(&context, rng)
        };
        rounds.part(part.len(), "shuffle and prove");
        let verify = || deck.verify_shuffle(&context, &part);
        let verified = if seat == 1 {
            rounds.time("decode and verify a shuffle", verify)
        } else {
            verify()
        };
        deck = verified?;
    }
    let mut connections = connections(seats.count())?;
    let start = VerifiedDeck::start(&cards);
    let in_turn = || shuffles_in_turn(&roster, &start, &mut connections);
    rounds.time("all shuffles in turn, verified by all", in_turn)?;
    let decks = Decks::new(vec![deck]);

    let opener = seats.count() - 1;
    let slot = |position, receiver| Slot {
        deck: 0,
        position,
        receiver,
    };
    let to_all = vec![slot(0, Receiver::All)];
    let to_one = vec![slot(0, Receiver::Seat(0))];
    let last = cards.count().min(10);
    let hands = (0..last).map(|position| slot(position, Receiver::Seat(position % opener)));
    let names = [
        ("a partial to all: make", "a partial to all: verify", to_all),
        (
            "a partial to a seat: make",
            "a partial to a seat: verify",
            to_one.clone(),
        ),
        (
            "10 partials to seats: make",
            "10 partials to seats: verify",
            hands.collect(),
        ),
    ];
    for (make, verify, slots) in names {
        let (context, key) = (context(opener), &keys[opener]);
        let made = || Partials::make(&context, &decks, &slots, key, rng);
        let (part, _) = rounds.time(make, made)?;
        rounds.part(part.len(), make);
        rounds.time(verify, || Partials::verify(&context, &decks, &slots, &part))?;
    }

    let partials = (1..seats.threshold()).map(|seat| {
        let (_, partials) = Partials::make(&context(seat), &decks, &to_one, &keys[seat], rng)?;
        Ok(partials.iter().next().expect("a partial for the slot").1)
    });
    let shown = [Shown {
        deck: 0,
        position: 0,
        partials: partials.collect::<anyhow::Result<_>>()?,
    }];
    let (context, all) = (context(0), Receiver::All);
    let made = || Show::make(&context, &decks, all, &shown, &keys[0], rng);
    let part = rounds.time("show a card: make", made)?;
    rounds.part(part.len(), "show a card: make");
    let verify = || Show::verify(&context, &decks, all, &shown, &part);
    rounds.time("show a card: verify", verify)?;
    board_game(&roster, &keys[0], rounds, rng)
}

/// Measures the parts of a board game: a coin, a mix of the goods of a hand, and a shuffle of several
/// decks. `key` is that of seat 0.
fn board_game(
    roster: &Roster,
    key: &SecretKey,
    rounds: &mut Rounds,
    rng: &mut impl CryptoRng,
) -> anyhow::Result<()> {
    let context = context(roster, 0);
    let cards = BOARD_GAME.map(|(name, count)| Cards::new(name, count));
    let cards = cards.into_iter().collect::<Option<Vec<_>>>();
    let cards = cards.context("the decks have cards")?;
    let decks = Decks::new(cards.iter().map(VerifiedDeck::start).collect());
    let (part, _) = rounds.time("62 cards in 3 decks: shuffle", || {
        decks.shuffle(&context, rng)
    });
    rounds.part(part.len(), "62 cards in 3 decks: shuffle");
    let verify = || decks.verify_shuffle(&context, &part);
    rounds.time("62 cards in 3 decks: verify", verify)?;

    let mut goods = Goods::new(&Cards::kinds(5, MIXED).context("kinds of goods")?);
    for number in 0..MIXED as u64 {
        goods.gain(Card(number % 5)).context("a kind of goods")?;
    }
    let positions: Vec<usize> = (0..MIXED).collect();
    let mix = || goods.mix(&context, &positions, rng);
    let (part, _) = rounds.time("mix 7 goods: make", mix)?;
    rounds.part(part.len(), "mix 7 goods: make");
    let verify = || goods.verify_mix(&context, &positions, &part);
    rounds.time("mix 7 goods: verify", verify)?;

    let decks = decks.with_coins(roster, context.hand);
    let coin = [Slot {
        deck: decks.coins(),
        position: 0,
        receiver: Receiver::All,
    }];
    let made = || Partials::make(&context, &decks, &coin, key, rng);
    let (part, _) = rounds.time("a coin: make", made)?;
    rounds.part(part.len(), "a coin: make");
    let verify = || Partials::verify(&context, &decks, &coin, &part);
    rounds.time("a coin: verify", verify)?;
    Ok(())
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

/// For each seat, its end of a loopback connection with each other seat.
fn connections(seats: usize) -> anyhow::Result<Vec<BTreeMap<usize, TcpStream>>> {
    let mut ends: Vec<BTreeMap<usize, TcpStream>> = (0..seats).map(|_| BTreeMap::new()).collect();
    for one in 0..seats {
        for other in 0..one {
            let (near, far) = loopback::connection()?;
            ends[one].insert(other, near);
            ends[other].insert(one, far);
        }
    }
    Ok(ends)
}

/// Every seat shuffles at its turn and sends its part to all others, each of which verifies it. Each
/// seat has a thread.
fn shuffles_in_turn(
    roster: &Roster,
    start: &VerifiedDeck,
    connections: &mut [BTreeMap<usize, TcpStream>],
) -> anyhow::Result<()> {
    let shuffle = |others: &mut BTreeMap<usize, TcpStream>| -> anyhow::Result<()> {
        let mut deck = start.clone();
        for turn in 0..roster.seats().count() {
            let context = context(roster, turn);
            if let Some(other) = others.get_mut(&turn) {
                let mut part = vec![0; VerifiedDeck::shuffle_len(deck.count())];
                other.read_exact(&mut part)?;
                deck = deck.verify_shuffle(&context, &part)?;
            } else {
                let (part, shuffled) = deck.shuffle(&context, &mut system_rng());
                for other in others.values_mut() {
                    other.write_all(&part)?;
                }
                deck = shuffled;
            }
        }
        Ok(())
    };
    thread::scope(|scope| {
        let shuffle = &shuffle;
        let seats = connections
            .iter_mut()
            .map(|own| scope.spawn(move || shuffle(own)));
        let seats: Vec<_> = seats.collect();
        seats
            .into_iter()
            .try_for_each(|seat| seat.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// The keys of a match, from all parts of all seats, each verified once.
fn set_up(seats: Seats, rng: &mut impl CryptoRng) -> anyhow::Result<(Roster, Vec<SecretKey>)> {
    let own: Vec<Contribution> = (0..seats.count())
        .map(|seat| Contribution::generate(MATCH, seats, seat, rng))
        .collect();
    let keys = own
        .iter()
        .enumerate()
        .map(|(seat, own)| Keys::verify(&MATCH, seat, &own.keys().to_bytes()));
    let keys: Vec<Keys> = keys.collect::<Result<_, _>>()?;
    let dealings = own.iter().enumerate().map(|(seat, own)| {
        Dealing::verify(&MATCH, seats, &keys, seat, &own.dealing(&keys).to_bytes())
    });
    let dealings: Vec<Dealing> = dealings.collect::<Result<_, _>>()?;
    let secrets = own
        .iter()
        .map(|own| Ok(own.receive(&keys, &dealings, rng)?));
    let secrets = secrets.collect::<anyhow::Result<_>>()?;
    let roster = Roster::new(&MATCH, seats, &keys, &dealings).context("a key is the identity")?;
    Ok((roster, secrets))
}

impl Report<'_> {
    fn describe(&self) -> String {
        let header = ["", "ms", "min", "max", "bytes"].map(String::from);
        let row = |operation: &Operation| {
            let time = |ms: f64| format!("{ms:.2}");
            let bytes = operation.bytes.map(|bytes| count(bytes as u64));
            [
                operation.name.to_owned(),
                time(operation.ms),
                time(operation.min),
                time(operation.max),
                bytes.unwrap_or_default(),
            ]
        };
        let mut table = grid();
        table.set_header(header);
        table.add_rows(self.operations.iter().map(row));
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        format!(
            "Verifiable deck: {} cards, {} seats, {} of which open a card.\nMedians of {} rounds; \
             bytes of the part that one seat signs.\n\n{}\n\n{}",
            self.cards,
            self.seats,
            match self.threshold == self.seats {
                true => "all".to_owned(),
                false => self.threshold.to_string(),
            },
            self.rounds,
            table.trim_fmt(),
            self.environment.describe()
        )
    }
}
