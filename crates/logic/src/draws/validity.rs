//! Whether a validity checks the input of each party separately.

use std::cell::Cell;
use std::rc::Rc;

use dealerless::circuit::bristol::Netlist;
use dealerless::circuit::{Bit, Builder, Party};

use super::{Entry, Shuffle};
use crate::equal::{self, Verdict};

/// The number of rounds of the proof. Each has more effort than the one before.
const ROUNDS: u32 = 4;

/// The maximum number of gates of a netlist: the proof is about three copies of it.
const MAX_GATES: usize = equal::MAX_GATES / 4;

impl Shuffle<'_> {
    /// Whether the inputs that have the given output bits are the pairs of an input of the garbler,
    /// from some set, and an input of the evaluator, from some other set. `accepted` is one of
    /// them. `false` if this is not decided, for example because `stop` ended the search.
    ///
    /// With v(g, e) = 1 for valid inputs, and with v(g', e') = 1: if v(g, e) is the AND of a
    /// function of g and a function of e, then v(g, e) = v(g, e') v(g', e). The right-hand side is
    /// such an AND, so the two sides are equal if and only if v is.
    pub(super) fn checks_separately(
        &self,
        valid: &[(usize, bool)],
        accepted: &[bool],
        stop: impl Fn() -> bool + 'static,
    ) -> bool {
        if self.netlist.gates() > MAX_GATES {
            return false;
        }
        let netlist = |parts: &[&[Party]]| {
            let mut builder = Builder::new(&[self.entries.len()]);
            let checks = parts
                .iter()
                .map(|free| self.check(&mut builder, valid, free, accepted));
            let checks: Vec<Bit> = checks.collect();
            let all = and(&mut builder, checks);
            Netlist::from(&builder.build(vec![vec![all]]))
        };
        let together = netlist(&[&Party::BOTH]);
        let apart = netlist(&[&[Party::Garbler], &[Party::Evaluator]]);
        let reached = Rc::new(Cell::new(0));
        let round = reached.clone();
        let stop = move || round.get() > ROUNDS || stop();
        let verdict = equal::decide(&together, &apart, stop, |round, _| reached.set(round));
        verdict.expect("both have the same inputs, and one output bit") == Verdict::Equal
    }

    /// The check of the inputs of the `free` parties. The other party's input is the accepted one.
    fn check(
        &self,
        builder: &mut Builder,
        valid: &[(usize, bool)],
        free: &[Party],
        accepted: &[bool],
    ) -> Bit {
        let entered = builder.input(0);
        let entries = self.entries.iter().enumerate();
        let inputs = entries.map(|(wire, &entry)| match entry {
            Entry::Public(bit) => Bit::from(bit),
            Entry::Of(party) if free.contains(&party) => entered[wire],
            Entry::Of(_) => Bit::from(accepted[wire]),
        });
        let inputs: Vec<Bit> = inputs.collect();
        let outputs = self.netlist.add_to(builder, &inputs);
        let bits = valid.iter().map(|&(number, value)| match value {
            true => outputs[number],
            false => builder.not(outputs[number]),
        });
        let bits: Vec<Bit> = bits.collect();
        and(builder, bits)
    }
}

fn and(builder: &mut Builder, bits: Vec<Bit>) -> Bit {
    (bits.into_iter()).fold(Bit::ONE, |all, bit| builder.and(all, bit))
}
