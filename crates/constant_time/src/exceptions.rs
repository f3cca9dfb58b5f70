//! The branches and addresses that may depend on values derived from secrets, with the reasons.
//!
//! An exception is a set of lines or one small function. A line is matched by its text: if the line
//! changes, its exception no longer applies, and a report for the line is a finding. So a change
//! forces a new review.

use crate::log::{Frame, Report};

/// The kind of an exception.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A deliberate mistake, which must be reported.
    Control,
    /// The outcome of a check, or an opened value. It must be reported, because the report shows
    /// that the secrets were tracked up to this point.
    Outcome,
    /// Another public value. The compiler decides whether a branch or an address depends on it.
    Public,
    /// Code that is not constant-time, as the documentation says.
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
    /// The end of the source file's path.
    pub(crate) file: &'static str,
    pub(crate) place: CodeRange,
    pub(crate) why: &'static str,
}

use CodeRange::{Function, Lines};
use Kind::{Control, Known, Outcome, Public};

pub(crate) const EXCEPTIONS: &[Exception] = &[
    Exception {
        kind: Control,
        file: "crates/constant_time/src/workloads.rs",
        place: Function("branch_on_a_secret"),
        why: "a deliberate branch on a secret",
    },
    Exception {
        kind: Control,
        file: "crates/constant_time/src/workloads.rs",
        place: Function("index_by_a_secret"),
        why: "a deliberate index by a secret",
    },
    Exception {
        kind: Outcome,
        file: "src/ot/mod.rs",
        place: Lines(&["if !bool::from(high.ct_eq(&Block::ZERO)) {"]),
        why: "whether a Delta is redrawn",
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
        place: Lines(&["if !bool::from(batch.rows_digest(&hashes).ct_eq(&check.rows)) {"]),
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
        why: "whether a check of MACs passes, including the check of all gates",
    },
    Exception {
        kind: Outcome,
        file: "src/mpc/semi_honest/mod.rs",
        place: Lines(&[
            "if !bool::from(digest.0.ct_eq(&context.input_digest(number, &masked).0)) {",
        ]),
        why: "whether the masked inputs were changed in transit",
    },
    Exception {
        kind: Outcome,
        file: "src/mpc/semi_honest/open.rs",
        place: Lines(&[
            "if bool::from(zero ^ one) {",
            "for bit in bits {",
            "all.push(bit?);",
        ]),
        why: "whether a hash that opens a bit matches a label",
    },
    Exception {
        kind: Outcome,
        file: "src/deck/mod.rs",
        place: Lines(&["match validity.find(|(_, valid)| !**valid) {"]),
        why: "whether a party's seeds are in range, which is opened to both parties",
    },
    Exception {
        kind: Outcome,
        file: "src/deck/faces.rs",
        place: Lines(&[
            "others.any(|(_, other)| other == card),",
            "(self.pack.check((position, card), seen)).map_err(Error::Check)?;",
        ]),
        why: "whether a card or a hand is possible, which is opened to the party that learns it",
    },
    Exception {
        kind: Public,
        file: "src/mpc/malicious/leaky_and.rs",
        place: Lines(&["*s ^= delta.select(*flip);"]),
        why: "the sum of low bits, which both parties have sent",
    },
    Exception {
        kind: Public,
        file: "src/mpc/malicious/run.rs",
        place: Lines(&["let zero = |label: ActiveLabel, value| label.zero(value, delta);"]),
        why: "the masked values of entered bits, which both parties know",
    },
    Exception {
        kind: Public,
        file: "src/mpc/malicious/quicksilver.rs",
        place: Lines(&[
            "let [a, b, c] = wires.map(|wire| wire.mask.key.0 ^ delta.select(wire.value));",
        ]),
        why: "the masked values of the bits that the prover enters, which both parties know",
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
        why: "the difference of two masks of an output, which is opened to both parties",
    },
    Exception {
        kind: Public,
        file: "src/mpc/malicious/outputs.rs",
        place: Lines(&["HeldLabel::Zero(label) => label.active(self.masked, delta),"]),
        why: "the masked value of an output, which both parties know",
    },
    Exception {
        kind: Public,
        file: "src/mpc/malicious/share.rs",
        place: Function("times"),
        why: "the factor of a shared bit: an opened difference or masked value, known to both",
    },
    Exception {
        kind: Public,
        file: "src/mpc/malicious/share.rs",
        place: Function("plus"),
        why: "the summand of a shared bit: derived from opened differences or masked values",
    },
    Exception {
        kind: Public,
        file: "src/uniform.rs",
        place: Function("below"),
        why: "the rejection of a word reveals nothing about the next one",
    },
    Exception {
        kind: Public,
        file: "src/field.rs",
        place: Lines(&["assert!(bool::from(!acc.is_zero()));"]),
        why: "curve25519-dalek: a product of nonzero field elements is nonzero",
    },
    Exception {
        kind: Public,
        file: "src/verifiable/keys.rs",
        place: Lines(&[
            "let is_own = own.is_some_and(|own| own.encryption == self.keys.encryption)",
            "&& dealt.is_some_and(|dealt| dealt.coefficients == self.coefficients)",
        ]),
        why: "the points of the seat's own keys and dealing, which it has sent",
    },
    Exception {
        kind: Outcome,
        file: "src/verifiable/keys.rs",
        place: Lines(&[
            "let share: Option<Scalar> = Scalar::from_canonical_bytes(*bytes).into();",
            "share.filter(|share| RistrettoPoint::mul_base(share) == image)",
        ]),
        why: "whether a share fits its dealing, which the seat confirms or denies in public",
    },
    Exception {
        kind: Public,
        file: "src/verifiable/shuffle/permutation.rs",
        place: Lines(&["let tied = (0..count as u64).any(|rank| {"]),
        why: "whether two random numbers are equal; then all of them are drawn again",
    },
    Exception {
        kind: Public,
        file: "src/verifiable/partials.rs",
        place: Function("sums"),
        why: "sums of the points that the seat sends with the proof",
    },
    Exception {
        kind: Public,
        file: "src/verifiable/show.rs",
        place: Function("sums"),
        why: "sums of the points that the seat sends with the proof",
    },
    Exception {
        kind: Outcome,
        file: "crates/constant_time/src/workloads.rs",
        place: Lines(&[
            "assert!(is_secret(&[own.expect(\"a card\").0]));",
            "Receiver::Seat(_) => assert!(is_secret(&[seen.expect(\"a card\").0])),",
        ]),
        why: "whether an opened point is a card, which the proofs ensure",
    },
    Exception {
        kind: Known,
        file: "src/uniform.rs",
        place: Lines(&["list.swap(last, other as usize);"]),
        why: "a party draws and routes its own permutation for a network of switches; the other \
              use is the buckets of the triples, with a coin that both parties know",
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

    /// Whether the report is in the place of this exception, or in code called from this place.
    pub(crate) fn covers(&self, report: &Report) -> bool {
        report.frames.iter().any(|frame| self.covers_frame(frame))
    }
}
