//! The report on the draws of a netlist, as JSON.

use std::iter;

use dealerless::circuit::Party;
use dealerless_logic::draws::{Bias, Counterexample, Outcome};
use serde::Serialize;

use super::{Examined, Part};
use crate::circuit::prove::options::Role;

/// The object of `--json`.
#[derive(Serialize)]
pub(in crate::circuit::prove) struct Report {
    algorithm: Option<&'static str>,
    file: String,
    /// The number of cards in the deck.
    cards: usize,
    draw: usize,
    checked: bool,
    /// The cards of the deck.
    deck: Vec<u64>,
    inputs: Vec<ReportedInput>,
    outputs: ReportedOutputs,
    /// The number of draws, if it fits into 64 bits.
    draws: Option<u64>,
    uniform: Option<bool>,
    complete: bool,
    /// The parties whose randomness alone suffices.
    suffices: Vec<String>,
    evaluations: u64,
    seed: u64,
    parties: Vec<ReportedPart>,
    /// The result with both parties honest, if neither party's randomness suffices.
    together: Option<ReportedTogether>,
}

#[derive(Serialize)]
struct ReportedInput {
    bits: usize,
    owner: String,
}

#[derive(Serialize)]
struct ReportedOutputs {
    /// The meaning of all bits, as an argument of `--outputs`.
    reading: String,
    /// The number of bits of a card.
    card_bits: usize,
    /// The first output bit of each card.
    cards: Vec<usize>,
    validity: Vec<ReportedValidity>,
}

#[derive(Serialize)]
struct ReportedValidity {
    bit: usize,
    /// The value of the bit for valid inputs.
    valid: bool,
    depends_on: Vec<String>,
}

#[derive(Serialize)]
struct ReportedPart {
    honest: String,
    uniform: Option<bool>,
    /// Why it is not decided.
    undecided: Option<String>,
    bits: usize,
    values: Option<u64>,
    fixed: u64,
    of: Option<u64>,
    refused: u64,
    /// The number of inputs counted that were rejected, if it fits into 64 bits.
    invalid: Option<u64>,
    valid: Option<[u64; 2]>,
    each: Option<u64>,
    each_range: Option<[u64; 2]>,
    counterexample: Option<ReportedBias>,
}

#[derive(Serialize)]
struct ReportedTogether {
    uniform: bool,
    counterexample: Option<ReportedBias>,
}

#[derive(Serialize)]
struct ReportedBias {
    /// The bits of the input values of the party that is not honest.
    fixed_inputs: Vec<String>,
    values: u64,
    no_draw: bool,
    /// The number of inputs that lead to outcomes that are not draws.
    no_draws: u64,
    outcomes: Vec<ReportedOutcome>,
    distance: Option<ReportedDistance>,
}

#[derive(Serialize)]
struct ReportedOutcome {
    cards: Vec<u64>,
    times: u64,
}

#[derive(Serialize)]
struct ReportedDistance {
    fraction: Option<String>,
    value: f64,
}

impl Examined {
    /// The report for `--json`.
    pub(in crate::circuit::prove) fn report(&self) -> Report {
        let [inputs, _] = &self.widths;
        let names = |parties: &[Party]| parties.iter().map(Party::to_string).collect();
        let suffices = self
            .parts
            .iter()
            .filter(|part| part.uniform() == Some(true));
        Report {
            algorithm: None,
            file: self.file.clone(),
            cards: self.deck().len(),
            draw: self.layout.cards.len(),
            checked: self.checked,
            deck: self.deck().to_vec(),
            inputs: (inputs.iter().zip(&self.roles))
                .map(|(&bits, &role)| ReportedInput {
                    bits,
                    owner: match role {
                        Role::Party(party) => party.to_string(),
                        Role::Deck => "deck".to_owned(),
                    },
                })
                .collect(),
            outputs: ReportedOutputs {
                reading: self.outputs.clone(),
                card_bits: self.layout.card_bits(),
                cards: self.layout.cards.iter().map(|card| card.start).collect(),
                validity: (self.layout.valid.iter())
                    .map(|&(bit, valid)| {
                        let depends = |party: &Party| self.dependence[bit][*party];
                        let parties: Vec<Party> = Party::BOTH.into_iter().filter(depends).collect();
                        ReportedValidity {
                            bit,
                            valid,
                            depends_on: names(&parties),
                        }
                    })
                    .collect(),
            },
            draws: self.draws().and_then(|draws| u64::try_from(draws).ok()),
            uniform: self.uniform(),
            complete: self.complete(),
            suffices: suffices.map(|part| part.honest.to_string()).collect(),
            evaluations: self.evaluations(),
            seed: self.seed,
            parties: self
                .parts
                .iter()
                .map(|part| self.reported_part(part))
                .collect(),
            together: self.together.as_ref().map(|finding| ReportedTogether {
                uniform: finding.counterexample.is_none(),
                counterexample: (finding.counterexample.as_ref())
                    .map(|found| self.reported_bias(None, found)),
            }),
        }
    }

    fn reported_part(&self, part: &Part) -> ReportedPart {
        let finding = part.answer.finding();
        let small = |number: Option<u128>| number.and_then(|number| u64::try_from(number).ok());
        let each = finding.and_then(|finding| finding.each);
        let each = each.filter(|_| !part.is_refuted());
        ReportedPart {
            honest: part.honest.to_string(),
            uniform: part.uniform(),
            undecided: part.reason().map(str::to_owned),
            bits: part.bits,
            values: small(part.inputs),
            fixed: finding.map_or(0, |finding| finding.fixed),
            of: small(part.others),
            refused: finding.map_or(0, |finding| finding.rejected),
            invalid: small(self.invalid(part).map(|[_, rejected]| rejected)),
            valid: finding
                .and_then(|f| f.valid)
                .map(|(least, most)| [least, most]),
            each: each
                .filter(|(least, most)| least == most)
                .map(|(each, _)| each),
            each_range: each.map(|(least, most)| [least, most]),
            counterexample: (part.counterexample())
                .map(|found| self.reported_bias(Some(part.honest.other()), found)),
        }
    }

    fn reported_bias(&self, others: Option<Party>, found: &Counterexample) -> ReportedBias {
        let outcome = |outcome: &Outcome| ReportedOutcome {
            cards: outcome.cards.clone(),
            times: outcome.times,
        };
        let (no_draws, outcomes, distance) = match &found.bias {
            Bias::NoDraw { first, times } => {
                (*times, iter::once(first).map(outcome).collect(), None)
            }
            Bias::Unequal {
                most,
                least,
                distance,
            } => (0, [most, least].map(outcome).into(), Some(distance)),
        };
        ReportedBias {
            fixed_inputs: others.map_or(Vec::new(), |party| {
                let values = self.fixed(party, &found.fixed);
                values.map(|(_, bits)| bits).collect()
            }),
            values: found.valid,
            no_draw: no_draws > 0,
            no_draws,
            outcomes,
            distance: distance.map(|distance| ReportedDistance {
                fraction: (distance.fraction).map(|(above, whole)| format!("{above}/{whole}")),
                value: distance.value,
            }),
        }
    }
}
