//! The random oracle: BLAKE3, bound to the session, the step and a counter.

use blake3::Hasher;
use zeroize::{Zeroize, Zeroizing};

use super::Block;

/// The context of every hash of this module. BLAKE3's key derivation mode separates it from all
/// other uses of BLAKE3.
const CONTEXT: &str = "dealerless 2026-11 session oracle v1";

/// The identifier of a session: the hash of both parties' hellos. It is not secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionId(pub [u8; 32]);

/// The purpose of a hash. Each step of each protocol has its own number, so that no two steps can
/// be confused. The counter of [`Oracle::new`] distinguishes directions and batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Step {
    /// The key of the tweakable hash.
    HashKey = 1,
    /// Base OT: the point `T`, derived from its seed.
    BaseOtPoint = 2,
    /// Base OT: the pads, derived from the Diffie-Hellman points.
    BaseOtPad = 3,
    /// Base OT: the hash of a pad (`H3` in the paper).
    BaseOtResponse = 4,
    /// Base OT: the aggregate of all responses (`H4`).
    BaseOtAggregate = 5,
    /// Base OT: the hash that proves the aggregate.
    BaseOtProof = 6,
    /// All-but-one OT: the hash of the check values of all leaves.
    TreeCheck = 7,
    /// Correlated OT: the challenge, derived from the whole correction matrix.
    CotChallenge = 8,
    /// Correlated OT: the digest of the receiver's hashed rows.
    CotRows = 9,
    /// Triples: the commitment to a digest and to a share of the coin.
    TripleCommitment = 10,
    /// Triples: the digest of the values that must be equal.
    TripleEquality = 11,
    /// The pool: the MACs of the bits opened to fill it.
    PoolMacs = 12,
    /// Authenticated garbling: the MACs of the bits opened for the gates.
    GateMacs = 13,
    /// Authenticated garbling: the MACs of the shares in the check of all gates.
    CheckMacs = 14,
    /// The MACs of opened outputs.
    OutputMacs = 15,
    /// The channel secret, derived from the shared Diffie-Hellman point.
    ChannelSecret = 16,
    /// Authenticated garbling: the pad for the shares that change the masks of outputs.
    OutputPad = 17,
    /// The plan of a run.
    RunPlan = 18,
    /// The plan of an exchange of openings.
    OpeningPlan = 19,
    /// The plan of a batch of preprocessing.
    BatchPlan = 20,
    /// A plan as sent by one party.
    SentPlan = 22,
    /// Semi-honest: the digest of the evaluator's masked inputs.
    MaskedInputs = 21,
    /// The seed of the active labels of the wires that the parties enter.
    ActiveLabels = 23,
    /// The challenge for the proof of the products that one party computed alone.
    ProductChallenge = 24,
    /// Semi-honest: the digest of the pairs of hashes that open bits to the evaluator.
    OpenedPairs = 25,
}

/// A hash in progress. Every absorbed string is preceded by its length, so that no two sequences of
/// strings collide.
pub struct Oracle(Hasher);

impl Oracle {
    /// The oracle of one step of a session; `counter` distinguishes directions, batches and
    /// instances.
    pub fn new(session: &SessionId, step: Step, counter: u64) -> Self {
        let mut hasher = Hasher::new_derive_key(CONTEXT);
        hasher.update(&session.0);
        hasher.update(&[step as u8]);
        hasher.update(&counter.to_le_bytes());
        Oracle(hasher)
    }

    /// Absorbs a string.
    #[must_use]
    pub fn absorb(mut self, bytes: &[u8]) -> Self {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    /// Absorbs a long string as its length and its own BLAKE3 hash. If the string were absorbed
    /// directly, it would start at an unaligned offset, and BLAKE3 is slow on unaligned input.
    #[must_use]
    pub fn absorb_long(self, bytes: &[u8]) -> Self {
        let hash = blake3::hash(bytes);
        self.absorb_hash_of(bytes.len(), &hash)
    }

    /// Absorbs blocks as one string, as [`absorb_long`](Self::absorb_long) does.
    #[must_use]
    pub fn absorb_blocks(self, blocks: impl Iterator<Item = Block>) -> Self {
        /// The number of blocks hashed at once: enough to fill the widest registers.
        const BUFFER: usize = 4096;
        let mut hasher = Hasher::new();
        let mut length = 0;
        let mut buffer = Zeroizing::new(Vec::with_capacity(BUFFER));
        let mut update = |buffer: &mut Vec<Block>| {
            let bytes: &[u8] = bytemuck::cast_slice(buffer);
            hasher.update(bytes);
            length += bytes.len();
            buffer.clear();
        };
        for block in blocks {
            buffer.push(block);
            if buffer.len() == BUFFER {
                update(&mut buffer);
            }
        }
        update(&mut buffer);
        let hash = hasher.finalize();
        hasher.zeroize();
        self.absorb_hash_of(length, &hash)
    }

    fn absorb_hash_of(mut self, length: usize, hash: &blake3::Hash) -> Self {
        self.0.update(&(length as u64).to_le_bytes());
        self.0.update(hash.as_bytes());
        self
    }

    /// The first 256 bits of the output.
    pub fn digest(self) -> [u8; 32] {
        self.bytes()
    }

    /// The first 128 bits of the output.
    pub fn block(self) -> Block {
        Block::from(self.bytes())
    }

    /// The first `N` bytes of the output.
    pub fn bytes<const N: usize>(self) -> [u8; N] {
        let mut out = [0; N];
        self.0.finalize_xof().fill(&mut out);
        out
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: SessionId = SessionId([1; 32]);

    #[test]
    fn session_step_counter_and_string_boundaries_change_the_hash() {
        let answers = [
            Oracle::new(&SESSION, Step::BaseOtPad, 0)
                .absorb(b"ab")
                .absorb(b"c"),
            Oracle::new(&SESSION, Step::BaseOtPad, 0)
                .absorb(b"a")
                .absorb(b"bc"),
            Oracle::new(&SESSION, Step::BaseOtPad, 0).absorb(b"abc"),
            Oracle::new(&SESSION, Step::BaseOtPad, 1).absorb(b"abc"),
            Oracle::new(&SESSION, Step::TreeCheck, 0).absorb(b"abc"),
            Oracle::new(&SessionId([2; 32]), Step::BaseOtPad, 0).absorb(b"abc"),
        ]
        .map(Oracle::digest);
        for (i, a) in answers.iter().enumerate() {
            assert!(answers[..i].iter().all(|b| a != b));
        }
    }

    #[test]
    fn blocks_hash_like_their_bytes_and_their_length() {
        let blocks: Vec<Block> = (0..5000u128)
            .map(|i| Block::from(i.to_le_bytes()))
            .collect();
        let oracle = || Oracle::new(&SESSION, Step::CheckMacs, 0);
        for count in [0, 1, 4095, 4096, 4097, 5000] {
            let blocks = &blocks[..count];
            let answer = oracle().absorb_blocks(blocks.iter().copied()).digest();
            let bytes = bytemuck::cast_slice(blocks);
            assert_eq!(answer, oracle().absorb_long(bytes).digest());
            assert_ne!(
                answer,
                oracle().absorb_long(&[bytes, &[0]].concat()).digest()
            );
        }
    }
}
