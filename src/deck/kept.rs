//! A sealed deck that outlives its session: on a disk, say, while a line is down.
//!
//! A party keeps its share of every bit, and tags of MACs: of its own, and of the two that it
//! accepts from the peer. To open a card a party shows its share bits and a digest of their tags
//! ([`CardShare`]); the other checks the digest and adds its own share. A kept deck can only be
//! opened: nothing else can be computed from it, and nothing of other decks.

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::error::{Check, Error, Result};
use super::faces::Faces;
use super::{Card, SealedDeck};
use crate::mpc::{AuthenticatedBit, KeptBit, Malicious};
use crate::net::Transport;
use crate::shuffle::{Algorithm, Spec};

/// How a kept deck begins when it is written.
const MAGIC: &[u8; 16] = b"dealerless deck1";

/// The bytes of a bit: masked value and share in one byte, and three tags.
const BIT_BYTES: usize = 1 + 3 * 32;

const CONTEXT: &str = "dealerless 2026-11 share of a card v1";
const NAME_CONTEXT: &str = "dealerless 2026-11 name of a kept deck v1";
const FILE_CONTEXT: &str = "dealerless 2026-11 file of a kept deck v1";

/// One party's part of the drawn cards of a deck. It shows nothing by itself. Everything in it is
/// wiped when it is dropped.
pub struct KeptDeck {
    /// The hash of its name.
    name: [u8; 32],
    cards: Vec<Vec<KeptBit>>,
    faces: Faces,
}

/// A party's share of a card: whoever holds the other share learns the card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardShare {
    /// The share bits of the mask, the lowest bit of the card first.
    pub bits: Vec<bool>,
    /// The digest of the tags of their MACs.
    pub macs: [u8; 32],
}

impl SealedDeck<AuthenticatedBit> {
    /// What opens this deck's cards once the session is gone. Both parties give the same `name`
    /// (the match, the hand, the try): a share of one deck opens no other. The names are not
    /// compared here; take what the [context](SealedDeck::shuffle_in) of the shuffle has, which is.
    ///
    /// # Errors
    /// [`mpc::Error::Usage`](crate::mpc::Error::Usage) if the deck is of another session,
    /// [`mpc::Error::Ended`](crate::mpc::Error::Ended) if the session has ended.
    pub fn keep<T: Transport>(&self, session: &Malicious<T>, name: &[u8]) -> Result<KeptDeck> {
        let keep = |position: usize| {
            let name = [&(position as u64).to_le_bytes(), name].concat();
            session.keep(&self.drawn[position], &name)
        };
        Ok(KeptDeck {
            name: blake3::derive_key(NAME_CONTEXT, name),
            cards: (0..self.len()).map(keep).collect::<Result<_, _>>()?,
            faces: Faces::unseen(self.faces.cards(), self.len()),
        })
    }
}

impl KeptDeck {
    /// How many cards were drawn.
    pub fn len(&self) -> usize {
        self.cards.len()
    }

    /// Whether no card was drawn.
    pub fn is_empty(&self) -> bool {
        self.cards.is_empty()
    }

    /// The card at `position`, if it has been opened here.
    pub fn seen(&self, position: usize) -> Option<Card> {
        self.faces.at(position)
    }

    /// This party's share of a card, for the peer.
    ///
    /// # Errors
    /// [`Error::Usage`] if the position was not drawn.
    pub fn share(&self, position: usize) -> Result<CardShare> {
        let bits = self.bits(position)?;
        Ok(CardShare {
            bits: bits.iter().map(|bit| bit.share).collect(),
            macs: digest(bits.iter().map(|bit| &bit.tag)),
        })
    }

    /// Opens a card with the peer's share of it.
    ///
    /// # Errors
    /// [`Error::Usage`] if the position was not drawn. [`Check::KeptMacs`] if the share is not the
    /// one that was sealed; [`Check::NotInDeck`] or [`Check::OpenedTwice`] if the card cannot be.
    pub fn open(&mut self, position: usize, theirs: &CardShare) -> Result<Card> {
        let bits = self.bits(position)?;
        if theirs.bits.len() != bits.len() {
            return Err(Error::Check(Check::KeptMacs));
        }
        let both = || bits.iter().zip(&theirs.bits);
        let expected = digest(both().map(|(bit, theirs)| &bit.accepted[usize::from(*theirs)]));
        if !bool::from(expected.ct_eq(&theirs.macs)) {
            return Err(Error::Check(Check::KeptMacs));
        }
        let values: Vec<bool> = both()
            .map(|(bit, theirs)| bit.masked ^ bit.share ^ theirs)
            .collect();
        self.faces.open(position, values.into_iter())
    }

    fn bits(&self, position: usize) -> Result<&[KeptBit]> {
        let count = self.cards.len();
        let card = self.cards.get(position);
        card.map(Vec::as_slice).ok_or_else(|| {
            Error::usage(format!(
                "card {position} was not drawn: there are {count}, counted from 0"
            ))
        })
    }

    /// The deck in bytes, for a private file. Not which cards have been opened.
    ///
    /// Layout: 16 bytes that name the format; the cards of the deck, the drawn cards and the bits
    /// of each as u32 LE; for each bit a byte (1: masked value, 2: share) and three tags; and a
    /// digest of all that and of the deck's name. A file that went bad would make an honest peer
    /// look like a cheat.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let width = self.cards.first().map_or(0, Vec::len);
        let size = MAGIC.len() + 12 + BIT_BYTES * width * self.cards.len() + 32;
        let mut bytes = Zeroizing::new(Vec::with_capacity(size));
        bytes.extend_from_slice(MAGIC);
        for number in [self.faces.cards(), self.cards.len() as u32, width as u32] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for bit in self.cards.iter().flatten() {
            bytes.push(u8::from(bit.masked) | u8::from(bit.share) << 1);
            bytes.extend_from_slice(&bit.tag);
            bytes.extend_from_slice(bit.accepted.as_flattened());
        }
        let digest = file_digest(&self.name, &bytes);
        bytes.extend_from_slice(&digest);
        bytes
    }

    /// Reads what [`to_bytes`](Self::to_bytes) has written of the deck with this name. `None` if it
    /// is anything else.
    pub fn from_bytes(bytes: &[u8], name: &[u8]) -> Option<Self> {
        let name = blake3::derive_key(NAME_CONTEXT, name);
        let (bytes, digest) = bytes.split_last_chunk::<32>()?;
        if file_digest(&name, bytes) != *digest {
            return None;
        }
        let (numbers, bits) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<12>()?;
        let [cards, drawn, width] =
            bytemuck::pod_read_unaligned::<[[u8; 4]; 3]>(numbers).map(u32::from_le_bytes);
        // The algorithm plays no part.
        let spec = Spec::new(cards as usize, drawn as usize, Algorithm::FisherYates).ok()?;
        let count = spec.draw() * spec.word_bits();
        if width as usize != spec.word_bits() || bits.len() != count * BIT_BYTES {
            return None;
        }
        let card = |bytes: &[u8]| {
            // Room for all at once: a vector that grows leaves copies behind that nobody wipes.
            let mut card = Vec::with_capacity(width as usize);
            for bit in bytes.chunks(BIT_BYTES) {
                card.push(read_bit(bit)?);
            }
            Some(card)
        };
        let kept = bits.chunks(width as usize * BIT_BYTES).map(card);
        Some(KeptDeck {
            name,
            cards: kept.collect::<Option<_>>()?,
            faces: Faces::unseen(cards, drawn as usize),
        })
    }
}

/// What shows that a file is as it was written.
fn file_digest(name: &[u8; 32], bytes: &[u8]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key(FILE_CONTEXT);
    hasher.update(name);
    hasher.update(bytes);
    *hasher.finalize().as_bytes()
}

fn read_bit(bytes: &[u8]) -> Option<KeptBit> {
    let (&flags, tags) = bytes.split_first()?;
    let ([tag, zero, one], []) = tags.as_chunks::<32>() else {
        return None;
    };
    (flags < 4).then_some(KeptBit {
        masked: flags & 1 == 1,
        share: flags & 2 == 2,
        tag: *tag,
        accepted: [*zero, *one],
    })
}

/// The digest of the tags of a card.
fn digest<'a>(tags: impl Iterator<Item = &'a [u8; 32]>) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key(CONTEXT);
    for tag in tags {
        hasher.update(tag);
    }
    *hasher.finalize().as_bytes()
}
