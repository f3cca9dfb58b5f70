//! The tags of the engines' messages.

crate::net::tags! {
    /// The type of an engine's message.
    pub enum Tag {
        /// The digest of the operation that the sender is about to perform.
        Plan = 48, "plan";
        /// The evaluator's inputs, XORed with the choice bits of its OTs.
        MaskedInputs = 49, "masked inputs";
        /// Garbled tables.
        Tables = 51, "garbled tables";
        /// Hashes of labels, which open shared bits to the garbler.
        OpenedHashes = 53, "opened hashes";
        /// The digest of the masked inputs that the garbler has received.
        InputDigest = 54, "digest of masked inputs";
        /// Pairs of hashes of labels, which open shared bits to the evaluator.
        OpenedPairs = 55, "opened pairs of hashes";
        /// The digest of the pairs of hashes in the previous message.
        PairsDigest = 56, "digest of opened pairs";
        /// Leaky AND triples: the tables `G`.
        LeakyTables = 64, "leaky AND tables";
        /// Leaky AND triples: the lowest bits of the sums `S`.
        LeakyBits = 65, "leaky AND low bits";
        /// Leaky AND triples: the commitment to the garbler's digest and share of the coin.
        TripleCommitment = 66, "triple commitment";
        /// Leaky AND triples: the evaluator's digest and share of the coin.
        TripleDigest = 67, "triple digest";
        /// Leaky AND triples: the garbler's digest and share of the coin.
        TripleOpening = 68, "triple opening";
        /// Preprocessing: the differences within buckets, and the shares of input masks.
        PoolBits = 69, "pool bits";
        /// The digest of MACs of bits that the receiver knows, for example from the previous
        /// message.
        MacDigest = 70, "MAC digest";
        /// Authenticated garbling: the shares opened for the gates, and the shares opened for the
        /// outputs, XORed with pads.
        GateBits = 80, "gate bits";
        /// Authenticated garbling: masked values of inputs.
        MaskedValues = 81, "masked input values";
        /// Authenticated garbling: masked values of all AND gates.
        GateValues = 82, "masked gate values";
        /// Shares of output masks, which open outputs.
        OutputBits = 83, "output bits";
        /// Authenticated garbling: the proof of the products of one party.
        ProductProof = 84, "proof of products";
    }
}

#[cfg(test)]
mod tests {
    use super::Tag;
    use crate::{net, ot};

    fn all() -> Vec<net::Tag> {
        let mut all = vec![net::Tag::HELLO, net::Tag::ABORT];
        all.extend(ot::Tag::ALL.iter().map(|tag| tag.tag()));
        all.extend(Tag::ALL.iter().map(|tag| tag.tag()));
        all
    }

    #[test]
    fn every_byte_has_at_most_one_tag() {
        for byte in 0..=u8::MAX {
            let same = all().into_iter().filter(|tag| tag.byte() == byte).count();
            assert!(same <= 1, "{byte}");
            assert!(
                same == 0 || byte < 128,
                "{byte} is reserved for other crates"
            );
            let [of_ot, of_mpc] = [
                ot::Tag::from_byte(byte).map(ot::Tag::byte),
                Tag::from_byte(byte).map(Tag::byte),
            ];
            assert!(of_ot.or(of_mpc).is_none_or(|known| known == byte));
        }
    }

    #[test]
    fn tag_numbers_have_not_changed() {
        let numbers: Vec<u8> = all().iter().map(|tag| tag.byte()).collect();
        assert_eq!(
            numbers,
            [
                1, 2, 16, 17, 18, 32, 33, 34, 48, 49, 51, 53, 54, 55, 56, 64, 65, 66, 67, 68, 69,
                70, 80, 81, 82, 83, 84
            ]
        );
    }

    #[test]
    fn no_two_tags_share_a_name() {
        let all = all();
        for (i, one) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|other| one.name() != other.name()));
        }
    }
}
