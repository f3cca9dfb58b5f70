//! The verdict on the draws of a netlist, in sentences.

use dealerless::circuit::Party;
use dealerless_command_line::output::{count, lines};
use dealerless_logic::draws::{Bias, Counterexample, Finding, Outcome};

use super::{Examined, Part, big, times};
use crate::circuit::prove::options::Role;
use crate::circuit::values::bits;

/// The number of bits of an input value that are shown on a terminal.
const MAX_SHOWN_BITS: usize = 256;

impl Examined {
    /// The verdict, in paragraphs.
    pub(super) fn verdict(&self) -> Vec<String> {
        let mut text = vec![lines(&self.summary()), lines(&self.judged())];
        for part in &self.parts {
            if let Some(reason) = part.reason() {
                text.push(lines(&format!(
                    "Not decided with the {} honest: {reason}.",
                    part.honest
                )));
            }
            if let Some(counterexample) = part.counterexample() {
                text.push(self.refutation(part, counterexample));
            }
            if let (Some(true), false, Some(finding)) =
                (part.uniform(), part.all, part.answer.finding())
            {
                text.push(lines(&self.strength(part, finding)));
            }
        }
        if let Some(finding) = &self.together {
            text.push(self.both(finding));
        }
        if self.uniform() == Some(false) {
            text.extend(self.advice());
        }
        text
    }

    fn summary(&self) -> String {
        let valid = if self.has_validity() || self.has_ranges {
            "valid "
        } else {
            ""
        };
        let rejected = if self.has_validity() {
            "it is rejected, or "
        } else {
            ""
        };
        let suffices = |answer: Option<bool>| -> Vec<String> {
            let parts = self.parts.iter().filter(|part| part.uniform() == answer);
            parts.map(|part| part.honest.to_string()).collect()
        };
        let equally = format!("all draws occur equally often over the {valid}inputs");
        let (yes, no) = (suffices(Some(true)), suffices(Some(false)));
        let complete = (self.parts.iter()).all(|part| part.all || part.uniform() != Some(true));
        let scope = if complete {
            ""
        } else {
            " for the fixed inputs"
        };
        let entered = match (complete, self.has_ranges && !self.checked) {
            (false, _) => "for each input of the other party that was fixed",
            (true, false) => "whatever the other party enters",
            (true, true) => "whatever the other party enters in its ranges",
        };
        match (yes.as_slice(), no.as_slice()) {
            ([_, _], _) => format!(
                "Uniform{scope} if one party is honest: either party's randomness suffices. That is, \
                 {entered}, {rejected}{equally} of the honest party."
            ),
            ([party], []) if self.parties.len() == 1 => {
                format!("Uniform: {equally} of the {party}, the only party that enters bits.")
            }
            ([party], []) => format!(
                "Uniform{scope} if the {party} is honest: {entered}, {rejected}{equally} of the \
                 {party}."
            ),
            ([party], [other, ..]) => format!(
                "Not uniform as soon as one party is honest: the randomness of the {party} \
                 suffices{scope}, but that of the {other} does not."
            ),
            ([], [_, _]) => match &self.together {
                Some(Finding {
                    counterexample: None,
                    ..
                }) => "Not uniform as soon as one party is \
                     honest: the randomness of both parties is needed."
                    .to_owned(),
                Some(_) => "Not uniform, even if both parties are honest.".to_owned(),
                None => "Not uniform: neither party's randomness suffices.".to_owned(),
            },
            ([], [party]) => {
                format!("Not uniform: the randomness of the {party} does not suffice.")
            }
            _ => "Not decided.".to_owned(),
        }
    }

    /// The reading that was judged, and the number of inputs that it rejects.
    fn judged(&self) -> String {
        let mut text = format!("The outputs were read as {}", self.outputs);
        if !self.has_validity() {
            return text + ".";
        }
        for (place, part) in self.parts.iter().enumerate() {
            let Some([all, rejected]) = self.invalid(part) else {
                continue;
            };
            let of = match place {
                0 => format!("{} inputs counted", big(Some(all))),
                _ => big(Some(all)),
            };
            text += &format!(
                "{} with the {} honest, {} of {of} were rejected as invalid",
                if place == 0 { ":" } else { ";" },
                part.honest,
                big(Some(rejected)),
            );
        }
        text + "."
    }

    /// What random fixed inputs show.
    fn strength(&self, part: &Part, finding: &Finding) -> String {
        let others = part.honest.other();
        let accepted = finding.fixed - finding.rejected;
        // (1 - p)^k = 1/1000.
        let missed = 1.0 - (0.001f64).powf(1.0 / accepted as f64);
        let inputs = match finding.fixed {
            1 => "one input".to_owned(),
            fixed => format!("{} inputs", count(fixed)),
        };
        let (rejected, those) = match self.has_validity() {
            true => (
                format!(", and {} were not rejected", count(accepted)),
                "those that are not rejected",
            ),
            false => (String::new(), "them"),
        };
        format!(
            "With the {} honest, {inputs} of the {others} were fixed at random, with seed \
             {}{rejected}; that proves nothing about its other inputs. If a fraction p of {those} \
             led to unequal draws, this would have been missed with probability (1 - p)^{accepted}: \
             1 in 1000 for p = {}.",
            part.honest,
            self.seed,
            decimal(missed),
        )
    }

    fn refutation(&self, part: &Part, counterexample: &Counterexample) -> String {
        let others = part.honest.other();
        let fixed: String = (self.fixed(others, &counterexample.fixed))
            .map(|(number, bits)| match bits.len() {
                0..=MAX_SHOWN_BITS => format!("\n  input {number}: {bits}"),
                length => format!(
                    "\n  input {number}: {} bits, see --json",
                    count(length as u64)
                ),
            })
            .collect();
        let for_input = match fixed.is_empty() {
            true => String::new(),
            false => format!(", for this input of the {others}"),
        };
        let text = lines(&format!(
            "With the {} honest, over its {}{for_input}:",
            part.honest,
            self.valid_inputs(counterexample.valid)
        ));
        text + &fixed + &bias(counterexample)
    }

    fn valid_inputs(&self, inputs: u64) -> String {
        let valid = match self.has_validity() || self.has_ranges {
            true => "valid ",
            false => "",
        };
        match inputs {
            1 => format!("only {valid}input"),
            inputs => format!("{} {valid}inputs", count(inputs)),
        }
    }

    /// The numbers of the input values of a party, and their fixed bits.
    pub(super) fn fixed<'a>(
        &'a self,
        party: Party,
        wires: &'a [bool],
    ) -> impl Iterator<Item = (usize, String)> + 'a {
        let [inputs, _] = &self.widths;
        let starts = inputs.iter().scan(0, |start, &width| {
            *start += width;
            Some(*start - width)
        });
        let values = (1..).zip(inputs.iter().zip(&self.roles)).zip(starts);
        values
            .filter(move |((_, (width, role)), _)| **width > 0 && **role == Role::Party(party))
            .map(|((number, (&width, _)), start)| {
                (number, bits::format(&wires[start..start + width]))
            })
    }

    fn both(&self, finding: &Finding) -> String {
        match &finding.counterexample {
            None => lines(
                "Over all valid inputs of both parties together, all draws occur equally often.",
            ),
            Some(counterexample) => format!(
                "With both parties honest, over their {}:{}",
                self.valid_inputs(counterexample.valid),
                bias(counterexample)
            ),
        }
    }

    /// What may be wrong with the question instead of the netlist.
    fn advice(&self) -> Vec<String> {
        let mut advice = Vec::new();
        let all = || {
            let parts = self.parts.iter().filter_map(Part::counterexample);
            parts.chain(
                self.together
                    .iter()
                    .filter_map(|f| f.counterexample.as_ref()),
            )
        };
        let no_draw = |found: &Counterexample| matches!(found.bias, Bias::NoDraw { .. });
        let indivisible = all().find(|found| {
            let draws = self.draws().unwrap_or(u128::MAX);
            !no_draw(found) && draws > 0 && !u128::from(found.valid).is_multiple_of(draws)
        });
        if let Some(found) = indivisible {
            advice.push(lines(&format!(
                "{} inputs cannot lead to {} draws equally often.",
                count(found.valid),
                big(self.draws())
            )));
        }
        if self.has_validity() {
            let opposite = self.outputs.chars().map(|letter| match letter {
                'v' => 'e',
                'e' => 'v',
                letter => letter,
            });
            let opposite: String = opposite.collect();
            advice.push(lines(&format!(
                "If the validity means the opposite, use --outputs {opposite}."
            )));
        }
        if !self.has_ranges && !self.has_validity() {
            advice.push(lines(
                "This is the answer for fair bits. If the parties enter numbers below bounds \
                 instead, the netlist can be uniform for these: name the bounds with --range.",
            ));
        }
        if all().any(no_draw) {
            advice.push(lines(
                "If an input value holds the deck, name it with --owner; if other outputs are the \
                 cards, name them with --outputs.",
            ));
        }
        advice
    }
}

/// The unequal draws, each on a line.
fn bias(counterexample: &Counterexample) -> String {
    let line = |Outcome {
                    cards,
                    times: number,
                }: &Outcome| {
        let cards: Vec<String> = cards.iter().map(u64::to_string).collect();
        let share = match number {
            0 => String::new(),
            number => format!(" ({number}/{})", counterexample.valid),
        };
        format!(
            "\n  {} occurs {}{share}",
            cards.join(" "),
            times((*number, *number))
        )
    };
    match &counterexample.bias {
        Bias::NoDraw {
            first,
            times: number_of,
        } => format!(
            "\n  outcomes that are not draws occur {}, such as{}",
            times((*number_of, *number_of)),
            line(first)
        ),
        Bias::Unequal {
            most,
            least,
            distance,
        } => {
            let exact = distance
                .fraction
                .map(|(above, whole)| format!("{above}/{whole}, "));
            format!(
                "{}{}\n  statistical distance from uniform: {}about {}",
                line(most),
                line(least),
                exact.unwrap_or_default(),
                decimal(distance.value)
            )
        }
    }
}

/// Formats a probability.
fn decimal(value: f64) -> String {
    if value < 0.001 && value > 0.0 {
        format!("{value:.2e}")
    } else {
        format!("{value:.3}")
    }
}
