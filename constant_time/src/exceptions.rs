//! Where a branch or an address may depend on what was made of secrets, and why.
//!
//! An exception is one line or one small function. A line that changes is found no more, and what
//! was an exception is a finding then: whoever changes it looks again.

use crate::log::{Frame, Report};

/// Why there is an exception.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A mistake made on purpose, which must be found.
    Control,
    /// The outcome of a check, or an opened value. It must be found: that shows that secrets were
    /// followed to here.
    Outcome,
    /// Something else that is public. Whether it is found depends on the compiler.
    Public,
    /// Not constant-time, as documented.
    Known,
}

pub(crate) enum CodeRange {
    /// One of these lines.
    Lines(&'static [&'static str]),
    /// A function.
    Function(&'static str),
}

pub(crate) struct Exception {
    pub(crate) kind: Kind,
    /// The end of the path of the source file.
    pub(crate) file: &'static str,
    pub(crate) place: CodeRange,
    pub(crate) why: &'static str,
}

use Kind::{Control, Known, Outcome, Public};
use CodeRange::{Function, Lines};

pub(crate) const EXCEPTIONS: &[Exception] = &[
    Exception {
        kind: Control,
        file: "constant_time/src/workloads.rs",
        place: Function("branch_on_a_secret"),
        why: "a branch on a secret, made on purpose",
    },
    Exception {
        kind: Control,
        file: "constant_time/src/workloads.rs",
        place: Function("index_by_a_secret"),
        why: "an index by a secret, made on purpose",
    },
    Exception {
        kind: Outcome,
        file: "src/ot/mod.rs",
        place: Lines(&["if !bool::from(high.ct_eq(&Block::ZERO)) {"]),
        why: "whether a Delta is drawn again",
    },
    Exception {
        kind: Outcome,
        file: "src/ot/base.rs",
        place: Lines(&["if !bool::from(self.hashes.proof(&answer).ct_eq(&message.proof)) {"]),
        why: "whether the check of the base OT's challenge passes",
    },
    Exception {
        kind: Outcome,
        file: "src/ot/base.rs",
        place: Lines(&["if bool::from(self.answer.ct_eq(&message.answer)) {"]),
        why: "whether the check of the base OT's answer passes",
    },
    Exception {
        kind: Outcome,
        file: "src/ot/all_but_one.rs",
        place: Lines(&["if bool::from(digest.ct_eq(&message.digest)) {"]),
        why: "whether the check of the trees passes",
    },
    Exception {
        kind: Outcome,
        file: "src/ot/correlated.rs",
        place: Lines(&["if !bool::from(batch.rows(&hashes).ct_eq(&check.rows)) {"]),
        why: "whether the consistency check of the correlated OT passes",
    },
    Exception {
        kind: Outcome,
        file: "src/mpc/malicious/triples.rs",
        place: Lines(&[
            "if !bool::from(opening.digest.ct_eq(&digest)) {",
            "if !bool::from(evaluator.digest.ct_eq(&digest)) {",
        ]),
        why: "whether the equality check of the triples passes",
    },
    Exception {
        kind: Outcome,
        file: "src/mpc/malicious/context.rs",
        place: Lines(&["if bool::from(self.0.ct_eq(&received.0)) {"]),
        why: "whether a check of MACs passes, that of all gates among them",
    },
    Exception {
        kind: Outcome,
        file: "src/mpc/semi_honest/mod.rs",
        place: Lines(&[
            "if !bool::from(digest.0.ct_eq(&context.input_digest(number, &masked).0)) {",
        ]),
        why: "whether the masked inputs have arrived as they were sent",
    },
    Exception {
        kind: Outcome,
        file: "src/mpc/semi_honest/open.rs",
        place: Lines(&[
            "if bool::from(zero ^ one) {",
            "for bit in bits {",
            "all.push(bit?);",
        ]),
        why: "whether a hash that opens a bit is that of a label",
    },
    Exception {
        kind: Outcome,
        file: "src/deck/mod.rs",
        place: Lines(&["match validity.find(|(_, valid)| !**valid) {"]),
        why: "whether a party's seeds are in range, opened to both",
    },
    Exception {
        kind: Outcome,
        file: "src/deck/faces.rs",
        place: Lines(&[
            "others.any(|(_, other)| other == card),",
            "(self.pack.check((position, card), seen)).map_err(Error::Check)?;",
        ]),
        why: "whether a card or a hand can be, which is opened to whoever looks",
    },
    Exception {
        kind: Public,
        file: "src/mpc/malicious/leaky_and.rs",
        place: Lines(&["*s ^= delta.select(*flip);"]),
        why: "the sum of low bits that both parties have sent",
    },
    Exception {
        kind: Public,
        file: "src/mpc/malicious/run.rs",
        place: Lines(&["let zero = |label: ActiveLabel, value| label.zero(value, delta);"]),
        why: "the masked values of what is entered, which both know",
    },
    Exception {
        kind: Public,
        file: "src/mpc/malicious/quicksilver.rs",
        place: Lines(&[
            "let [a, b, c] = wires.map(|wire| wire.mask.key.0 ^ delta.select(wire.value));",
        ]),
        why: "the masked values of what the prover enters, which both know",
    },
    Exception {
        kind: Outcome,
        file: "src/mpc/malicious/quicksilver.rs",
        place: Lines(&["if bool::from((challenge.hash(&keys) ^ of_mask).ct_eq(&expected)) {"]),
        why: "whether the proof of a party's products passes",
    },
    Exception {
        kind: Public,
        file: "src/mpc/malicious/outputs.rs",
        place: Function("remasked"),
        why: "the difference of two masks of an output, opened to both",
    },
    Exception {
        kind: Public,
        file: "src/mpc/malicious/outputs.rs",
        place: Lines(&["HeldLabel::Zero(label) => label.active(self.masked, delta),"]),
        why: "the masked value of an output, which both know",
    },
    Exception {
        kind: Public,
        file: "src/mpc/malicious/share.rs",
        place: Function("times"),
        why: "the factor of a shared bit: an opened difference or a masked value; both know it",
    },
    Exception {
        kind: Public,
        file: "src/mpc/malicious/share.rs",
        place: Function("plus"),
        why: "what is added to a shared bit: made of opened differences or masked values",
    },
    Exception {
        kind: Public,
        file: "src/uniform.rs",
        place: Function("below"),
        why: "that a word was rejected says nothing about the next one",
    },
    Exception {
        kind: Public,
        file: "src/field.rs",
        place: Lines(&["assert!(bool::from(!acc.is_zero()));"]),
        why: "curve25519-dalek: a product of field elements that are not 0 is not 0",
    },
    Exception {
        kind: Known,
        file: "src/uniform.rs",
        place: Lines(&["list.swap(last, other as usize);"]),
        why: "a party draws its own permutation for a network of switches, and routes it; the other \
              use is the buckets of the triples, by a coin that both know",
    },
];

impl Exception {
    fn covers_frame(&self, frame: &Frame) -> bool {
        let in_file = frame.file.strip_suffix(self.file);
        let at_place = || match self.place {
            Lines(lines) => lines.contains(&&*frame.text()),
            Function(name) => frame.is_in(name),
        };
        in_file.is_some_and(|folder| folder.ends_with('/')) && at_place()
    }

    /// Whether the report is of this place, or of something that is called there.
    pub(crate) fn covers(&self, report: &Report) -> bool {
        report.frames.iter().any(|frame| self.covers_frame(frame))
    }
}
