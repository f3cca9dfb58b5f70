//! The output of `circuit run`.

use dealerless::circuit::Party;
use dealerless_command_line::output::{count, milliseconds, say, show, show_json};
use serde::Serialize;

use super::{Args, Job, Outcome, Side, What};
use crate::cost::{TrafficCost, line};

/// The object of `--json`.
#[derive(Serialize)]
struct Report<'a> {
    inputs: RandomInputs,
    outputs: Vec<String>,
    /// The cards drawn by a shuffle, where the first card of the deck has the number `first_card`.
    #[serde(skip_serializing_if = "Option::is_none")]
    cards: Option<&'a [u64]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_card: Option<u64>,
    and: usize,
    security: String,
    cost: Cost<'a>,
}

/// The input values that were drawn at random, for each party in this process. A value from the
/// user is null, since it may be secret.
#[derive(Default, Serialize)]
pub(super) struct RandomInputs {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    garbler: Vec<Option<String>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    evaluator: Vec<Option<String>>,
}

impl RandomInputs {
    /// The random input values of these sides; empty without `--json`.
    pub(super) fn by<'a>(sides: impl IntoIterator<Item = &'a Side<'a>>, args: &Args) -> Self {
        let mut drawn = RandomInputs::default();
        for side in sides.into_iter().filter(|_| args.json) {
            let values = side.inputs.iter();
            let shown = values.map(|value| value.drawn.then(|| args.values.show(&value.bits)));
            match side.party {
                Party::Garbler => drawn.garbler = shown.collect(),
                Party::Evaluator => drawn.evaluator = shown.collect(),
            }
        }
        drawn
    }
}

#[derive(Serialize)]
struct Cost<'a> {
    /// The time of the hellos and the base OTs.
    setup_ms: f64,
    /// The time from the inputs to the opened outputs.
    run_ms: f64,
    #[serde(flatten)]
    traffic: &'a TrafficCost,
}

impl Outcome {
    pub(super) fn show(&self, args: &Args, job: &Job, drawn: RandomInputs) -> anyhow::Result<()> {
        let outputs = self.outputs.iter().map(|bits| args.values.show(bits));
        let outputs: Vec<String> = outputs.collect();
        let shuffle = match &job.what {
            What::Shuffle(shuffle) => Some(shuffle),
            What::Netlist(_) => None,
        };
        let cards = shuffle.map(|shuffle| shuffle.cards(&self.outputs));
        let and = job.circuit().ands();
        let (setup_ms, run_ms) = (milliseconds(self.setup), milliseconds(self.run));
        if args.json {
            return show_json(
                "circuit run",
                &Report {
                    inputs: drawn,
                    outputs,
                    cards: cards.as_deref(),
                    first_card: shuffle.map(|shuffle| shuffle.first_card),
                    and,
                    security: args.session.engine.to_string(),
                    cost: Cost {
                        setup_ms,
                        run_ms,
                        traffic: &self.traffic,
                    },
                },
            );
        }
        match &cards {
            Some(cards) => {
                let cards: Vec<String> = cards.iter().map(u64::to_string).collect();
                show(&format!("cards: {}", cards.join(" ")))?;
            }
            None => {
                for (number, bits) in outputs.iter().enumerate() {
                    show(&format!("output {}: {bits}", number + 1))?;
                }
            }
        }
        say(&format!(
            "\nCost (bytes and flights include setup and openings):\n{}\n{}\n{}\n{}",
            line("AND gates", &count(and as u64)),
            line("setup", &format!("{setup_ms:.1} ms")),
            line("run", &format!("{run_ms:.1} ms")),
            self.traffic.describe("garbler", "evaluator"),
        ));
        Ok(())
    }
}
