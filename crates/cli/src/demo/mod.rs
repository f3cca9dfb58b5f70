//! `demo`: both players of a match in one process, at the same table that `host` and `join` use.

mod cost;
mod hand;
mod seats;

use anyhow::ensure;
use dealerless::deck::Choice;
use dealerless::mpc::Security;
use dealerless_command_line::arguments;
use dealerless_table::log::Clock;
use dealerless_table::play::Seating;
use dealerless_table::rules::{BettingRules, Limit, Posts, Stakes, Variety};
use serde::Serialize;

use self::cost::Cost;
use self::hand::{HandReport, Views};
use self::seats::{NAMES, Side};
use crate::output::{self, count};
use crate::progress::Progress;
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
    #[arg(long, value_name = "GAME", default_value = "holdem")]
    game: Game,
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

/// The games of the demo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Game {
    /// Heads-up no-limit Texas hold'em.
    Holdem,
    /// Five-card draw.
    Draw,
}

impl Game {
    fn name(self) -> &'static str {
        match self {
            Game::Holdem => "holdem",
            Game::Draw => "draw",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Game::Holdem => "Heads-up Texas hold'em",
            Game::Draw => "Five-card draw",
        }
    }

    fn stakes(self, hands: u32) -> anyhow::Result<Stakes> {
        let rules = BettingRules {
            stack: 200,
            limit: Limit::NoLimit,
            posts: Posts::Blinds { small: 1, big: 2 },
        };
        let variety = match self {
            Game::Holdem => Variety::Holdem(rules),
            Game::Draw => Variety::FiveCardDraw(rules),
        };
        Ok(Stakes::new(variety, 2, hands)?)
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let stakes = args.game.stakes(args.hands)?;
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
        args.game.title(),
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
                game: args.game.name(),
                security: Security::Malicious.to_string(),
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
    game: &'static str,
    security: String,
    algorithm: &'static str,
    cards: usize,
    draw: usize,
    hands: Vec<HandReport>,
    cost: Cost,
}
