//! Parts with their signatures, and two of them that convict.

use super::players::Match;
use crate::hash::Hash;
use crate::identity::{Identity, PublicIdentity};
use crate::seat::Seat;
use crate::wire::{Malformed, Reader, Writer};

/// What a seat said in a step, as it travels and is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedPart {
    /// The number of the step, from 0.
    pub step: u64,
    /// Who said it.
    pub seat: Seat,
    /// The encoded part.
    pub part: Vec<u8>,
    /// The seat's signature, which also holds all that was said before.
    pub signature: [u8; 64],
}

/// The bytes are no signed part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bytes are not a signed part in the one encoding")]
pub struct BadSignedPart;

impl From<Malformed> for BadSignedPart {
    fn from(Malformed: Malformed) -> Self {
        BadSignedPart
    }
}

impl SignedPart {
    /// The bytes beside the part itself.
    pub(super) const REST: usize = 8 + 1 + 64;

    /// Signs a part. `before` is the hash of all steps before this one.
    pub(super) fn sign(
        identity: &Identity,
        of: &[u8; 32],
        step: u64,
        before: &[u8; 32],
        seat: Seat,
        part: Vec<u8>,
    ) -> Self {
        let (number, place) = (step.to_le_bytes(), [seat.number()]);
        let signature = identity.sign("part", &[of, &number, before, &place, &part]);
        SignedPart {
            step,
            seat,
            part,
            signature,
        }
    }

    /// Whether the seat signed this after the steps with this hash.
    pub(super) fn is_signed(&self, by: &PublicIdentity, of: &[u8; 32], before: &[u8; 32]) -> bool {
        let (number, place) = (self.step.to_le_bytes(), [self.seat.number()]);
        let fields: [&[u8]; 5] = [of, &number, before, &place, &self.part];
        by.verify("part", &fields, &self.signature).is_ok()
    }

    /// The bytes that stand for it.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.u64(self.step).u8(self.seat.number());
        writer.raw(&self.signature).raw(&self.part).finish()
    }

    /// The signed part for which these bytes stand; the part itself is as long as what is left.
    ///
    /// # Errors
    /// If they are too few.
    pub fn decode(bytes: &[u8]) -> Result<Self, BadSignedPart> {
        let mut reader = Reader::new(bytes);
        Ok(SignedPart {
            step: reader.u64()?,
            seat: Seat::new(reader.u8()?),
            signature: reader.array()?,
            part: bytes.get(Self::REST..).ok_or(BadSignedPart)?.to_vec(),
        })
    }
}

/// The hash of a step and of all before it. `parts` come in order of the seats.
pub(super) fn step_hash<'a>(
    step: u64,
    before: &[u8; 32],
    parts: impl Iterator<Item = &'a SignedPart>,
) -> [u8; 32] {
    let mut hash = Hash::new("step").number(step).field(before);
    for part in parts {
        hash = hash.number(u64::from(part.seat.number())).field(&part.part);
    }
    hash.finish()
}

/// Two parts that one seat signed for the same step of the same history. No log can hold both: the
/// seat cheats, or goes on from a state that was put back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The match.
    pub match_id: [u8; 32],
    /// The hash of all steps before.
    pub before: [u8; 32],
    /// What was signed.
    pub parts: [SignedPart; 2],
}

impl Evidence {
    /// The seat that it convicts.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn seat(&self) -> Seat {
        self.parts[0].seat
    }

    /// The bytes that stand for it.
    pub fn encode(&self) -> Vec<u8> {
        let [one, other] = self.parts.each_ref().map(SignedPart::encode);
        let mut writer = Writer::default();
        writer.raw(&self.match_id).raw(&self.before);
        writer.u32(one.len() as u32).raw(&one).raw(&other).finish()
    }

    /// The evidence for which these bytes stand. Ask [`holds`](Self::holds) whether it is any.
    ///
    /// # Errors
    /// If they are not what [`encode`](Self::encode) writes.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, BadSignedPart> {
        let mut reader = Reader::new(bytes);
        let (of, before) = (reader.array()?, reader.array()?);
        let len = reader.u32()? as usize;
        let one = SignedPart::decode(reader.raw(len)?)?;
        let rest = bytes.get(32 + 32 + 4 + len..).unwrap_or_default();
        let parts = [one, SignedPart::decode(rest)?];
        Ok(Evidence {
            match_id: of,
            before,
            parts,
        })
    }

    /// Whether it convicts a player of this match. It takes nothing on trust.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn holds(&self, of: &Match) -> bool {
        let [one, other] = &self.parts;
        let player = of.players().get(one.seat.index());
        let same_place = one.step == other.step && one.seat == other.seat;
        let signed = player.is_some_and(|player| {
            let by =
                |part: &SignedPart| part.is_signed(&player.identity, &self.match_id, &self.before);
            by(one) && by(other)
        });
        self.match_id == of.id() && same_place && one.part != other.part && signed
    }
}
