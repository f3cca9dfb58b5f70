//! Playing the hands of a session, from one party's side.

use std::time::{Duration, Instant};

use dealerless::deck::{Card, SealedDeck};
use dealerless::mpc::{Security, TwoParty};
use dealerless::net::Traffic;
use dealerless::shuffle::{ShuffleCircuit, Spec};
use dealerless::table::{Step, Terms};

use super::session::system_rng;

/// Everything about the game that does not change from hand to hand.
pub(crate) struct Table {
    pub(crate) terms: Terms,
    pub(crate) shuffle: ShuffleCircuit,
    pub(crate) steps: Vec<Step>,
}

/// The circuit of a shuffle, as the session's security needs it.
pub(crate) fn circuit(spec: Spec, security: Security) -> ShuffleCircuit {
    match security {
        Security::SemiHonest => ShuffleCircuit::build(spec),
        Security::Malicious => ShuffleCircuit::build_checked(spec),
    }
}

impl Table {
    /// Lays the table: builds the circuit, which takes seconds for a very large deck.
    pub(crate) fn lay(terms: Terms, security: Security) -> Self {
        Table {
            terms,
            shuffle: circuit(terms.spec(), security),
            steps: terms.game().steps(terms.spec().draw()),
        }
    }
}

/// Something that a player notices. Hands are counted from 1.
pub(crate) enum Moment<'a> {
    /// The deck is shuffled, and nobody knows it.
    Sealed { hand: u32 },
    /// The cards of a step were opened.
    Opened {
        hand: u32,
        step: &'a Step,
        /// What this party now knows of each reveal of the step.
        known: &'a [Vec<Option<Card>>],
    },
}

/// What one shuffle took, as seen from one side.
#[derive(Clone, Copy)]
pub(crate) struct ShuffleCost {
    pub(crate) time: Duration,
    /// Both ways.
    pub(crate) bytes: u64,
}

/// Plays all hands and tells `watch` what happens.
///
/// # Errors
/// Those of the session, and what `watch` gives.
pub(crate) fn play<P: TwoParty>(
    party: &mut P,
    table: &Table,
    mut watch: impl FnMut(Moment<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<Vec<ShuffleCost>> {
    let mut costs = Vec::new();
    for hand in 1..=table.terms.hands() {
        let (before, begun) = (party.traffic(), Instant::now());
        let mut deck = SealedDeck::shuffle(party, &table.shuffle, &mut system_rng())?;
        let (time, after) = (begun.elapsed(), party.traffic());
        costs.push(ShuffleCost {
            time,
            bytes: bytes(after) - bytes(before),
        });
        watch(Moment::Sealed { hand })?;
        for (number, step) in table.steps.iter().enumerate() {
            let known = step.open(&mut deck, party)?;
            watch(Moment::Opened {
                hand,
                step,
                known: &known,
            })?;
            // While people look at their first cards.
            if number == 0 && hand < table.terms.hands() {
                SealedDeck::prepare(party, &table.shuffle, 1)?;
            }
        }
    }
    Ok(costs)
}

fn bytes(traffic: Traffic) -> u64 {
    traffic.bytes_sent + traffic.bytes_received
}
