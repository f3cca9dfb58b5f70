//! `demo`: both players of a match in one process, at the same table that `host` and `join` use.

mod cost;
mod hand;
mod seats;

use anyhow::{Context, ensure};
use dealerless::deck::Choice;
use dealerless::mpc::{EngineKind, Security};
use dealerless_command_line::arguments;
use dealerless_seat::game_name::GameName;
use dealerless_seat::words::capitalized;
use dealerless_table::log::Clock;
use dealerless_table::play::Seating;
use dealerless_table::rules::{BettingRules, Posts, Stakes, Variety};
use serde::Serialize;

use self::cost::Cost;
use self::hand::{HandReport, Views};
use self::seats::{NAMES, Side};
use crate::output::{self, count};
use crate::progress::Progress;
use crate::table::stakes::game_name;
use dealerless_lab::session::{Evaluates, notice};

/// Plays both players of a match in this process, over an encrypted connection.
///
/// Shows what each player sees, and the cost. Both players check, call and show their hands.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless demo\n  \
    dealerless demo --game draw --hands 3\n  \
    dealerless demo --algorithm fisher-yates --json")]
pub(crate) struct Args {
    /// Game to play.
    #[arg(long, value_name = "GAME", default_value = "holdem",
          value_parser = game_name(|game| game.poker().is_some()))]
    game: GameName,
    /// Hands to play; the deck is shuffled for each.
    #[arg(long, value_name = "K", default_value_t = 1)]
    hands: u32,
    /// Shuffle algorithm; auto chooses the one with the smallest garbled circuit.
    #[arg(long, value_name = "ALGORITHM", default_value_t = Choice::Cheapest,
          value_parser = arguments::algorithm())]
    algorithm: Choice,
    /// Print one JSON object; everything else goes to standard error.
    #[arg(long)]
    json: bool,
}

fn stakes(game: GameName, hands: u32) -> anyhow::Result<Stakes> {
    let (kind, limit) = game.poker().context("a demo without chips")?;
    let rules = BettingRules {
        stack: 200,
        limit,
        posts: Posts::Blinds { small: 1, big: 2 },
    };
    Ok(Stakes::new(Variety::Poker(kind, rules), 2, hands)?)
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let stakes = stakes(args.game, args.hands)?;
    let (cards, drawn) = stakes.deck();
    let algorithm = args.algorithm.spec(cards, drawn)?.algorithm();
    let (header, circuit) = Seating::propose(stakes, algorithm, Clock::default())?;
    let hands = match args.hands {
        1 => "1 hand".to_owned(),
        hands => format!("{} hands", count(hands.into())),
    };
    let [alice, bob] = NAMES;
    let introduction = format!(
        "{}: {drawn} of {cards} cards, {hands}.\nShuffle: {algorithm}, {} AND gates.\n\
         {alice} and {bob} shuffle and deal over an encrypted connection, with no dealer.\n\n{}\n",
        capitalized(&args.game.title(false)),
        count(circuit.circuit().ands() as u64),
        notice(Security::Malicious, Evaluates::Deck).replace('\n', " ")
    );
    if args.json {
        output::say(&introduction);
    } else {
        output::show(&output::lines(&introduction))?;
    }
    // Both seats report progress, each once for each hand.
    let progress = Progress::begin(2 * args.hands as usize, "decks");
    let sides = seats::play(&header, &progress)?;
    drop(progress);
    let cost = Cost::of(&sides);
    let hands = Views::of(sides.map(Side::into_hands));
    for hand in &hands {
        let agree = hand.agree();
        ensure!(agree, "the players saw different cards: this is a bug");
    }
    if args.json {
        let hands = hands.iter().map(Views::report);
        return output::show_json(
            "demo",
            &Report {
                game: args.game,
                security: EngineKind::Malicious.to_string(),
                algorithm: algorithm.name(),
                cards,
                draw: drawn,
                hands: hands.collect(),
                cost,
            },
        );
    }
    for (number, hand) in (1..).zip(&hands) {
        output::show(&format!("{}\n", hand.describe(number)))?;
    }
    let cost = format!("Cost:\n{}", cost.describe());
    output::show(&output::wrapped(&cost, output::width(), "    "))
}

/// The object of `--json`.
#[derive(Serialize)]
struct Report {
    game: GameName,
    security: String,
    algorithm: &'static str,
    cards: usize,
    draw: usize,
    hands: Vec<HandReport>,
    cost: Cost,
}
