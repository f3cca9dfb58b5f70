//! `demo`: both parties in one process.

use std::cmp;
use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::ensure;
use comfy_table::Table as Grid;
use dealerless::circuit::Party;
use dealerless::deck::Card;
use dealerless::mpc::{Audience, Security, TwoParty};
use dealerless::net::{TcpTransport, Traffic};
use dealerless_lab::session::{Evaluates, Greeting, SessionArgs};
use dealerless_table::{Game, Owner, Step};
use serde::Serialize;

use super::{console, loopback, output};
use crate::cost::{DealCost, LineCost};
use crate::deck_args::DeckArgs;
use crate::faces::Faces;
use crate::play::{Moment, ShuffleCost, Table, play};
use crate::progress::Progress;

/// Plays both parties in this process, over a real TCP connection.
///
/// Shows what each player sees and what it cost.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless demo\n  \
    dealerless demo --game draw --hands 3\n  \
    dealerless demo --game deck --cards 40 --draw 5 --json")]
pub(crate) struct Args {
    #[command(flatten)]
    deck: DeckArgs,
    #[command(flatten)]
    session: SessionArgs,
    /// Print one JSON object; everything else goes to standard error.
    #[arg(long)]
    json: bool,
}

const GARBLER: &str = "Alice";
const EVALUATOR: &str = "Bob";

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let security = args.session.security;
    let table = Table::lay(args.deck.terms(security, 2)?, security);
    let introduction = format!(
        "{}\n{GARBLER} and {EVALUATOR} shuffle and deal over TCP, with no dealer.\n\n{}\n",
        console::describe_terms(&table),
        args.session.notice(Evaluates::Deck)
    );
    if args.json {
        output::say(&introduction);
    } else {
        output::show(&introduction)?;
    }
    // For both: the parties play the same hands at the same time.
    let progress = Progress::begin(2 * table.terms.hands() as usize, "decks");
    let side = |party| {
        let (session, table, progress) = (&args.session, &table, &progress);
        move |transport| Side::play(transport, party, session, table, progress)
    };
    let (garbler, evaluator) = loopback::run_both(side(Party::Garbler), side(Party::Evaluator))?;
    drop(progress);
    let outcome = Outcome::new(&table, garbler, evaluator)?;
    if args.json {
        output::show_json("demo", &outcome.report(security))
    } else {
        for (hand, views) in outcome.hands.iter().enumerate() {
            output::show(&format!("{}\n", grid(&table, hand + 1, views).trim_fmt()))?;
        }
        let cost = outcome.cost.describe(GARBLER, EVALUATOR);
        output::show(&format!("What it cost:\n{cost}"))
    }
}

/// What a party knows of each step, of each of its reveals, of each card.
type View = Vec<Vec<Vec<Option<Card>>>>;

/// One party's side of the session.
struct Side {
    hands: Vec<View>,
    setup: Duration,
    shuffles: Vec<ShuffleCost>,
    traffic: Traffic,
}

impl Side {
    fn play(
        transport: TcpTransport,
        party: Party,
        args: &SessionArgs,
        table: &Table,
        progress: &Progress,
    ) -> anyhow::Result<Self> {
        let terms = table.terms.encode();
        let mut session = Greeting::exchange(transport, party, args, &terms)?.set_up()?;
        let mut hands: Vec<View> = Vec::new();
        let shuffles = play(&mut session.party, table, |moment| {
            match moment {
                Moment::Sealed { .. } => {
                    hands.push(View::new());
                    progress.step();
                }
                Moment::Opened { known, .. } => hands
                    .last_mut()
                    .expect("a deck is sealed before it is opened")
                    .push(known.to_vec()),
            }
            Ok(())
        })?;
        Ok(Side {
            hands,
            setup: session.setup,
            shuffles,
            traffic: session.party.traffic(),
        })
    }
}

/// The two sides, put together.
struct Outcome<'a> {
    table: &'a Table,
    /// The views of the garbler and of the evaluator.
    hands: Vec<[View; 2]>,
    cost: DealCost,
}

impl<'a> Outcome<'a> {
    /// # Errors
    /// When the players have seen different cards at the same place.
    fn new(table: &'a Table, garbler: Side, evaluator: Side) -> anyhow::Result<Self> {
        // A step is over when the slower side has finished it.
        let shuffles: Vec<ShuffleCost> = garbler
            .shuffles
            .iter()
            .zip(&evaluator.shuffles)
            .map(|(a, b)| a.slower(b))
            .collect();
        let setup = cmp::max(garbler.setup, evaluator.setup);
        let line = LineCost::seen_by(Party::Garbler, garbler.traffic);
        let hands: Vec<[View; 2]> = garbler
            .hands
            .into_iter()
            .zip(evaluator.hands)
            .map(<[View; 2]>::from)
            .collect();
        for views in &hands {
            let [a, b] = views.each_ref().map(|view| view.iter().flatten().flatten());
            let agree = a.zip(b).all(|(a, b)| a == b || a.is_none() || b.is_none());
            ensure!(
                agree,
                "the players have seen different cards: this is a bug"
            );
        }
        Ok(Outcome {
            table,
            hands,
            cost: DealCost::new(setup, &shuffles, line),
        })
    }

    fn report(&self, security: Security) -> Report<'_> {
        let terms = self.table.terms;
        let hands = self.hands.iter().map(|views| self.hand(views)).collect();
        Report {
            game: terms.game().name(),
            security: security.to_string(),
            algorithm: terms.spec().algorithm().name(),
            cards: terms.spec().cards(),
            draw: terms.spec().draw(),
            hands,
            cost: &self.cost,
        }
    }

    fn hand(&self, views: &[View; 2]) -> HandReport {
        let steps = &self.table.steps;
        let [garbler, evaluator] = views;
        let seen = |party, view| match self.table.terms.game() {
            Game::Deck => None,
            Game::Holdem | Game::Draw => Some(seen_by(party, steps, view)),
        };
        HandReport {
            cards: common(steps, views),
            garbler: seen(Party::Garbler, garbler),
            evaluator: seen(Party::Evaluator, evaluator),
        }
    }
}

/// The object of `--json`.
#[derive(Serialize)]
struct Report<'a> {
    game: &'static str,
    security: String,
    algorithm: &'static str,
    cards: usize,
    draw: usize,
    hands: Vec<HandReport>,
    cost: &'a DealCost,
}

#[derive(Serialize)]
struct HandReport {
    /// The cards that both players have seen at the end, in the order in which they were drawn.
    cards: Vec<u32>,
    /// What the garbler learned, step by step; absent where both learn everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    garbler: Option<Vec<StepReport>>,
    /// The same of the evaluator.
    #[serde(skip_serializing_if = "Option::is_none")]
    evaluator: Option<Vec<StepReport>>,
}

#[derive(Serialize)]
struct StepReport {
    step: &'static str,
    cards: Vec<u32>,
}

/// The cards of which both players know the face, by position.
fn common(steps: &[Step], [garbler, evaluator]: &[View; 2]) -> Vec<u32> {
    let mut seen = BTreeMap::new();
    for (step, (a, b)) in steps.iter().zip(garbler.iter().zip(evaluator)) {
        for (reveal, (a, b)) in step.reveals.iter().zip(a.iter().zip(b)) {
            for (position, (a, b)) in reveal.positions.iter().zip(a.iter().zip(b)) {
                if let (Some(card), Some(_)) = (a, b) {
                    seen.insert(position, card.0 as u32);
                }
            }
        }
    }
    seen.into_values().collect()
}

/// What a player learned in each step.
fn seen_by(party: Party, steps: &[Step], view: &View) -> Vec<StepReport> {
    steps
        .iter()
        .zip(view)
        .map(|(step, known)| StepReport {
            step: step.name,
            cards: step
                .reveals
                .iter()
                .zip(known)
                .filter(|(reveal, _)| reveal.to.includes(party))
                .flat_map(|(_, cards)| cards.iter().flatten().map(|card| card.0 as u32))
                .collect(),
        })
        .collect()
}

/// A hand as a table: what is opened downwards, who sees it to the right.
fn grid(table: &Table, hand: usize, [garbler, evaluator]: &[View; 2]) -> Grid {
    let faces = Faces::of_deck(table.terms.spec().cards());
    let mut grid = output::grid();
    let title = format!("Hand {hand}");
    let alike =
        (table.steps.iter()).all(|step| step.reveals.iter().all(|r| r.to == Audience::Both));
    if alike {
        grid.set_header([title, format!("{GARBLER} and {EVALUATOR} see")]);
    } else {
        let [a, b] = [GARBLER, EVALUATOR].map(|name| format!("{name} sees"));
        grid.set_header([title, String::new(), a, b]);
    }
    for (step, (a, b)) in table.steps.iter().zip(garbler.iter().zip(evaluator)) {
        let mut name = step.name;
        for (reveal, (a, b)) in step.reveals.iter().zip(a.iter().zip(b)) {
            let owner = match reveal.owner {
                Owner::Hand(Party::Garbler) => GARBLER,
                Owner::Hand(Party::Evaluator) => EVALUATOR,
                Owner::Board => "",
            };
            if alike {
                grid.add_row([name.to_owned(), faces.row(a)]);
            } else {
                grid.add_row([name, owner, &faces.row(a), &faces.row(b)]);
            }
            name = "";
        }
    }
    grid
}
