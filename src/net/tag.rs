//! The kinds of frames.

use std::fmt;

/// Declares the enum, its numbers and its names as one table, so that none can be forgotten.
macro_rules! tags {
    ($($(#[$doc:meta])* $tag:ident = $number:literal, $name:literal;)*) => {
        /// What a frame carries: one byte on the wire.
        ///
        /// Numbers are never reused for another meaning. Those of [`Tag::Hello`] and
        /// [`Tag::Abort`] are the same in every version of the protocol.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Tag {
            $($(#[$doc])* $tag = $number,)*
        }

        impl Tag {
            /// All tags, in the order of their numbers.
            pub const ALL: &[Tag] = &[$(Tag::$tag),*];

            /// What the frame is called in errors.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Tag::$tag => $name,)*
                }
            }

            /// The tag of a byte from the wire, if there is one.
            pub const fn from_byte(byte: u8) -> Option<Tag> {
                match byte {
                    $($number => Some(Tag::$tag),)*
                    _ => None,
                }
            }
        }
    };
}

tags! {
    /// The first message of a session, both ways.
    Hello = 1, "hello";
    /// The sender ends the session and does not say why. Empty; allowed at any time.
    Abort = 2, "abort";
    /// Base OT: the points of the receiver.
    BaseOtPoints = 16, "base OT points";
    /// Base OT: the answer of the receiver.
    BaseOtAnswer = 17, "base OT answer";
    /// Base OT: the pads of the sender.
    BaseOtPads = 18, "base OT pads";
    /// Correlated OT: the sums over the levels of the punctured trees.
    TreeSums = 32, "tree sums";
    /// Correlated OT: the correction matrix.
    CotCorrection = 33, "COT correction";
    /// Correlated OT: the consistency check.
    CotCheck = 34, "COT check";
    /// What is about to be run, opened or made ahead, as the sender sees it.
    Plan = 48, "plan";
    /// The evaluator's inputs under their one-time pads.
    MaskedInputs = 49, "masked inputs";
    /// The labels of the garbler's inputs.
    InputLabels = 50, "input labels";
    /// Garbled tables.
    Tables = 51, "garbled tables";
    /// Colour bits, which open shared bits to the evaluator.
    OpenedColours = 52, "opened colours";
    /// Hashes of labels, which open shared bits to the garbler.
    OpenedHashes = 53, "opened hashes";
    /// Leaky AND triples: the tables.
    LeakyTables = 64, "leaky AND tables";
    /// Leaky AND triples: the low bits.
    LeakyBits = 65, "leaky AND low bits";
    /// Leaky AND triples: the commitment to the garbler's digest and share of the coin.
    TripleCommitment = 66, "triple commitment";
    /// Leaky AND triples: the evaluator's digest and share of the coin.
    TripleDigest = 67, "triple digest";
    /// Leaky AND triples: the garbler's digest and share of the coin.
    TripleOpening = 68, "triple opening";
    /// The pool: the differences within buckets, the mask shares of inputs.
    PoolBits = 69, "pool bits";
    /// The digest of the MACs of the bits before it.
    MacDigest = 70, "MAC digest";
    /// Authenticated garbling: the bits opened for the gates.
    GateBits = 80, "gate bits";
    /// Authenticated garbling: masked values of inputs.
    MaskedValues = 81, "masked input values";
    /// Authenticated garbling: masked values of all AND gates.
    GateValues = 82, "masked gate values";
    /// Opened mask shares of outputs.
    OutputBits = 83, "output bits";
}

impl Tag {
    /// The byte on the wire.
    pub const fn byte(self) -> u8 {
        self as u8
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_one_tag_or_none() {
        let known: Vec<Tag> = (0..=u8::MAX).filter_map(Tag::from_byte).collect();
        assert_eq!(known, Tag::ALL);
        for tag in known {
            assert_eq!(Tag::from_byte(tag.byte()), Some(tag));
        }
    }

    #[test]
    fn the_numbers_on_the_wire_are_what_they_were() {
        let numbers: Vec<u8> = Tag::ALL.iter().map(|tag| tag.byte()).collect();
        assert_eq!(
            numbers,
            [
                1, 2, 16, 17, 18, 32, 33, 34, 48, 49, 50, 51, 52, 53, 64, 65, 66, 67, 68, 69, 70,
                80, 81, 82, 83
            ]
        );
    }

    #[test]
    fn no_two_tags_share_a_name() {
        for (i, one) in Tag::ALL.iter().enumerate() {
            for other in &Tag::ALL[i + 1..] {
                assert_ne!(one.name(), other.name());
            }
        }
    }
}
