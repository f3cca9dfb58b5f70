//! The report on the draws of a netlist.

mod json;
mod verdict;

use comfy_table::CellAlignment;
use dealerless::circuit::{ByParty, Party};
use dealerless_command_line::output::{count, grid, lines};
use dealerless_logic::draws::{Counterexample, Finding, Layout, number_of_draws};

use super::options::Role;

/// A netlist, as it was understood, and what was counted.
pub(super) struct Examined {
    pub(super) file: String,
    /// The number of bits of each input value and of each output value.
    pub(super) widths: [Vec<usize>; 2],
    pub(super) roles: Vec<Role>,
    /// For each output bit, the parties on whose inputs it may depend.
    pub(super) dependence: Vec<ByParty<bool>>,
    pub(super) has_ranges: bool,
    pub(super) checked: bool,
    pub(super) public_deck: bool,
    pub(super) layout: Layout,
    /// The layout as an argument of `--outputs`.
    pub(super) outputs: String,
    /// The parties that enter bits.
    pub(super) parties: Vec<Party>,
    pub(super) parts: Vec<Part>,
    /// What was counted over the inputs of both parties, if neither party's randomness suffices.
    pub(super) together: Option<Finding>,
    /// Whether Ctrl-C ended the count.
    pub(super) stopped: bool,
    pub(super) seed: u64,
}

/// What was counted with one party honest.
pub(super) struct Part {
    pub(super) honest: Party,
    /// The number of bits of its inputs that vary.
    pub(super) bits: usize,
    /// The number of its inputs, in their ranges; `None` if it exceeds 128 bits.
    pub(super) inputs: Option<u128>,
    /// The number of inputs of the other party that can be fixed.
    pub(super) others: Option<u128>,
    /// Whether all of them were to be fixed.
    pub(super) all: bool,
    pub(super) answer: Answer,
}

/// What was counted, or why not.
pub(super) enum Answer {
    Counted(Box<Finding>),
    /// The reason why nothing was counted.
    Undecided(String),
}

impl Answer {
    pub(super) fn finding(&self) -> Option<&Finding> {
        match self {
            Answer::Counted(finding) => Some(finding),
            Answer::Undecided(_) => None,
        }
    }
}

impl Part {
    fn counterexample(&self) -> Option<&Counterexample> {
        self.answer.finding()?.counterexample.as_ref()
    }

    /// Marks draws that were counted over other cards than `deck` as undecided, unless they are
    /// refuted.
    pub(super) fn is_of_another_deck(&mut self, deck: &[u64]) {
        if let Answer::Counted(finding) = &mut self.answer {
            finding.stopped |= finding.deck != deck;
        }
    }

    /// Whether a counterexample was found.
    pub(super) fn is_refuted(&self) -> bool {
        self.counterexample().is_some()
    }

    /// Whether this party's randomness suffices; `None` if that is not decided. An input that is
    /// always rejected says nothing about draws.
    fn uniform(&self) -> Option<bool> {
        match &self.answer {
            Answer::Undecided(_) => None,
            Answer::Counted(_) if self.is_refuted() => Some(false),
            Answer::Counted(_) => self.reason().is_none().then_some(true),
        }
    }

    /// Why it is not decided whether this party's randomness suffices.
    fn reason(&self) -> Option<&str> {
        match &self.answer {
            Answer::Undecided(reason) => Some(reason),
            Answer::Counted(_) if self.is_refuted() => None,
            Answer::Counted(finding) if finding.stopped => Some("Ctrl-C ended the count"),
            Answer::Counted(finding) if finding.valid.is_none() => {
                Some("all inputs that were evaluated are rejected")
            }
            Answer::Counted(_) => None,
        }
    }
}

impl Examined {
    /// Whether the draw is uniform with each party honest in turn; `None` if that is not decided.
    pub(super) fn uniform(&self) -> Option<bool> {
        let answers = self.parts.iter().map(Part::uniform);
        if answers.clone().any(|answer| answer == Some(false)) {
            return Some(false);
        }
        answers
            .clone()
            .all(|answer| answer == Some(true))
            .then_some(true)
    }

    fn findings(&self) -> impl Iterator<Item = &Finding> {
        let parts = self.parts.iter().filter_map(|part| part.answer.finding());
        parts.chain(&self.together)
    }

    fn deck(&self) -> &[u64] {
        let deck = self.findings().find(|finding| !finding.deck.is_empty());
        deck.map_or(&[], |finding| &finding.deck)
    }

    fn draws(&self) -> Option<u128> {
        number_of_draws(self.deck().len(), self.layout.cards.len())
    }

    fn complete(&self) -> bool {
        self.parts
            .iter()
            .all(|part| part.all && part.reason().is_none())
    }

    fn evaluations(&self) -> u64 {
        self.findings().map(|finding| finding.evaluations).sum()
    }

    fn has_validity(&self) -> bool {
        !self.layout.valid.is_empty()
    }

    /// The number of inputs that were counted with this party honest, and of those among them that
    /// were rejected; `None` if nothing was counted, or if the numbers exceed 128 bits.
    fn invalid(&self, part: &Part) -> Option<[u128; 2]> {
        let finding = part.answer.finding().filter(|finding| finding.fixed > 0)?;
        let all = part.inputs?.checked_mul(finding.fixed.into())?;
        Some([all, all - finding.accepted])
    }

    /// The parties on whose inputs the validity may depend.
    fn validity_depends_on(&self) -> Vec<Party> {
        let depends = |party: &Party| {
            let mut bits = self.layout.valid.iter();
            bits.any(|&(bit, _)| self.dependence[bit][*party])
        };
        Party::BOTH.into_iter().filter(depends).collect()
    }

    /// The report as text.
    pub(super) fn screen(&self) -> String {
        let mut text = self.file.clone();
        for line in [self.inputs(), self.outputs(), self.deck_line()] {
            text += "\n";
            text += &lines(&line);
        }
        text += &format!("\n\n{}\n\n", self.table());
        for paragraph in self.verdict() {
            text += &paragraph;
            text += "\n";
        }
        text + &format!("{} evaluations of the netlist.", count(self.evaluations()))
    }

    fn inputs(&self) -> String {
        let [inputs, _] = &self.widths;
        let mut groups: Vec<(usize, usize, usize, Role)> = Vec::new();
        for (number, (&bits, &role)) in (1..).zip(inputs.iter().zip(&self.roles)) {
            match groups.last_mut() {
                Some((_, last, of, same))
                    if *of == bits && *same == role && *last + 1 == number =>
                {
                    *last = number;
                }
                _ => groups.push((number, number, bits, role)),
            }
        }
        let shown = groups.iter().take(9).map(|&(first, last, bits, role)| {
            let who = match role {
                Role::Party(Party::Garbler) => "garbler",
                Role::Party(Party::Evaluator) => "evaluator",
                Role::Deck => "the deck",
            };
            format!("{} {who}", values(first, last, bits))
        });
        let shown: Vec<String> = shown.collect();
        let more = if groups.len() > shown.len() {
            ", …"
        } else {
            ""
        };
        format!("Inputs: {}{more}.", shown.join(", "))
    }

    fn outputs(&self) -> String {
        let [_, outputs] = &self.widths;
        let cards = &self.layout.cards;
        let starts: Vec<usize> = (outputs.iter())
            .scan(0, |start, &bits| {
                Some(std::mem::replace(start, *start + bits))
            })
            .collect();
        let value = |bits: &std::ops::Range<usize>| {
            let mut found = (0..outputs.len()).filter(|&value| outputs[value] > 0);
            found.find(|&value| starts[value] == bits.start && outputs[value] == bits.len())
        };
        let (first, last) = (&cards[0], &cards[cards.len() - 1]);
        let consecutive = cards.windows(2).all(|pair| pair[0].end == pair[1].start);
        let whole = value(first).zip(value(last));
        let mut text = match whole {
            Some((first, last)) if consecutive && last - first + 1 == cards.len() => format!(
                "Outputs: {} {}",
                values(first + 1, last + 1, self.layout.card_bits()),
                if cards.len() == 1 { "a card" } else { "cards" }
            ),
            _ => format!(
                "Outputs: bits {} to {}: {} of {} bits each",
                first.start,
                last.end - 1,
                cards_text(cards.len()),
                self.layout.card_bits()
            ),
        };
        let valid = &self.layout.valid;
        if let (Some(&(first, one)), Some(&(last, _))) = (valid.first(), valid.last()) {
            text += match value(&(first..last + 1)) {
                Some(value) => format!(", value {} the validity", value + 1),
                None if first == last => format!(", bit {first} the validity"),
                None => format!(", bits {first} to {last} the validity"),
            }
            .as_str();
            let one = u8::from(one);
            let parties = self.validity_depends_on();
            let depends: Vec<String> = (valid.iter())
                .map(|&(bit, _)| match self.dependence[bit] {
                    ByParty {
                        garbler: true,
                        evaluator: true,
                    } => "both parties".to_owned(),
                    ByParty { garbler: true, .. } => "the garbler".to_owned(),
                    ByParty {
                        evaluator: true, ..
                    } => "the evaluator".to_owned(),
                    ByParty { .. } => "nobody".to_owned(),
                })
                .collect();
            text += &match valid.len() {
                _ if parties.is_empty() => {
                    format!(", {one} if the inputs are valid; but it depends on no input")
                }
                1 => format!(
                    ", {one} if the inputs are valid; it depends on {}",
                    depends[0]
                ),
                2 if depends[0] != depends[1] => format!(
                    ", all {one} if the inputs are valid; the bits depend on {} and {}",
                    depends[0], depends[1]
                ),
                _ => {
                    let names: Vec<String> = parties.iter().map(Party::to_string).collect();
                    format!(
                        ", all {one} if the inputs are valid; they depend on {}",
                        names.join(" and ")
                    )
                }
            };
        } else {
            text += ", no validity";
        }
        text + "."
    }

    fn deck_line(&self) -> String {
        let deck = self.deck();
        let Some((&lowest, &highest)) = deck.first().zip(deck.last()) else {
            return "Deck: unknown.".to_owned();
        };
        let is_range = highest - lowest == deck.len() as u64 - 1;
        let names = if is_range {
            format!("{} to {}", count(lowest), count(highest))
        } else {
            let names = deck.iter().take(9).map(u64::to_string);
            let more = if deck.len() > 9 { ", …" } else { "" };
            format!("{}{more}", names.collect::<Vec<_>>().join(", "))
        };
        let origin = if self.public_deck { ", an input" } else { "" };
        format!(
            "Deck: {}, {names}{origin}. Draws of {}: {}.",
            cards_text(deck.len()),
            cards_text(self.layout.cards.len()),
            big(self.draws())
        )
    }

    fn table(&self) -> String {
        let mut grid = grid();
        let mut header = vec!["honest", "its inputs", "fixed inputs"];
        if self.has_validity() {
            header.extend(["rejected", "valid"]);
        }
        header.push("each draw");
        grid.set_header(header);
        for part in &self.parts {
            let finding = part.answer.finding();
            let fixed = match finding {
                None => format!("none of {}", big(part.others)),
                Some(finding)
                    if part.all && u128::from(finding.fixed) == part.others.unwrap_or(0) =>
                {
                    format!("all {}", count(finding.fixed))
                }
                Some(finding) => format!("{} of {}", count(finding.fixed), big(part.others)),
            };
            let mut row = vec![part.honest.to_string(), big(part.inputs), fixed];
            if self.has_validity() {
                row.push(finding.map_or("?".to_owned(), |f| count(f.rejected)));
                row.push(
                    finding
                        .and_then(|f| f.valid)
                        .map_or("none".to_owned(), between),
                );
            }
            row.push(match (finding, part.is_refuted()) {
                (_, true) => "not equally".to_owned(),
                (
                    Some(Finding {
                        each: Some(each), ..
                    }),
                    _,
                ) => times(*each),
                _ => "not decided".to_owned(),
            });
            grid.add_row(row);
        }
        for column in grid.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        grid.trim_fmt()
    }
}

fn values(first: usize, last: usize, bits: usize) -> String {
    let bits = match bits {
        1 => "1 bit".to_owned(),
        bits => format!("{bits} bits"),
    };
    if first == last {
        format!("value {first} ({bits})")
    } else {
        format!("values {first} to {last} ({bits} each)")
    }
}

fn cards_text(cards: usize) -> String {
    match cards {
        1 => "1 card".to_owned(),
        cards => format!("{} cards", count(cards as u64)),
    }
}

/// Formats a number that may be too large.
fn big(number: Option<u128>) -> String {
    match number.map(u64::try_from) {
        Some(Ok(number)) => count(number),
        Some(Err(_)) => format!("about {:.1e}", number.unwrap_or_default() as f64),
        None => "more than 10^38".to_owned(),
    }
}

fn between((least, most): (u64, u64)) -> String {
    if least == most {
        count(least)
    } else {
        format!("{} to {}", count(least), count(most))
    }
}

fn times((least, most): (u64, u64)) -> String {
    match (least, most) {
        (0, 0) => "never".to_owned(),
        (1, 1) => "once".to_owned(),
        range => format!("{} times", between(range)),
    }
}
