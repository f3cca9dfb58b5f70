//! Playing the hands of a session, from one party's side.

use dealerless::deck::{self, Card, SealedDeck};
use dealerless::mpc::{Security, TwoParty};
use dealerless::shuffle::ShuffleCircuit;
use dealerless_table::play::Spent;
use dealerless_table::{Step, Terms};

use crate::progress::Progress;
use crate::session::system_rng;

/// Everything about the game that does not change from hand to hand.
pub(crate) struct Table {
    pub(crate) terms: Terms,
    pub(crate) shuffle: ShuffleCircuit,
    pub(crate) steps: Vec<Step>,
}

impl Table {
    /// Lays the table: builds the circuit, which takes half a minute for the largest decks.
    pub(crate) fn lay(terms: Terms, security: Security) -> Self {
        let spec = terms.spec();
        let _progress = Progress::of_building(spec);
        Table {
            terms,
            shuffle: deck::circuit(spec, security),
            steps: terms.game().steps(spec.draw()),
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

/// What one shuffle took.
#[derive(Clone, Copy)]
pub(crate) struct ShuffleCost {
    /// What was made ahead.
    pub(crate) preprocessing: Spent,
    /// From the seeds to the sealed deck.
    pub(crate) shuffle: Spent,
}

impl ShuffleCost {
    /// With the times of the slower side.
    pub(crate) fn slower(&self, other: &Self) -> Self {
        let slower = |mine: Spent, theirs: Spent| Spent {
            time: mine.time.max(theirs.time),
            ..mine
        };
        ShuffleCost {
            preprocessing: slower(self.preprocessing, other.preprocessing),
            shuffle: slower(self.shuffle, other.shuffle),
        }
    }
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
    let prepare =
        |party: &mut P| Spent::on(party, |party| SealedDeck::prepare(party, &table.shuffle, 1));
    let mut costs = Vec::new();
    let ((), mut preprocessing) = prepare(party)?;
    for hand in 1..=table.terms.hands() {
        let (mut deck, shuffle) = Spent::on(party, |party| {
            SealedDeck::shuffle(party, &table.shuffle, &mut system_rng())
        })?;
        costs.push(ShuffleCost {
            preprocessing,
            shuffle,
        });
        watch(Moment::Sealed { hand })?;
        for (number, step) in table.steps.iter().enumerate() {
            let known = step.open(&mut deck, party)?;
            watch(Moment::Opened {
                hand,
                step,
                known: &known,
            })?;
            // For the next hand, while people look at the first cards of this one.
            if number == 0 && hand < table.terms.hands() {
                ((), preprocessing) = prepare(party)?;
            }
        }
    }
    Ok(costs)
}
