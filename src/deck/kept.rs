//! A sealed deck that outlives its session, for example on disk while a connection is down.
//!
//! For every bit, a party keeps the masked value, its share of the mask, a tag of the MAC of this
//! share, and tags of the two MACs that it accepts for the peer's share. To open a card, a party
//! sends its share bits and a digest of their tags ([`Share`]). The other party checks the digest
//! and adds its own share. A kept deck can only be opened: nothing else can be computed from it,
//! and it reveals nothing about other decks.
//!
//! The *validity bits*, which hold whether the seeds of the shuffle were in range, are kept in the
//! same way. The parties first send each other their shares of the validity bits
//! ([`KeptDeck::check_seeds`]), over any connection.

use subtle::ConstantTimeEq;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::error::{Check, Error, Result};
use super::faces::{Faces, HANDS, Pack};
use super::live::{LiveDeck, UncheckedDeck};
use super::{Card, check_circuit, seeds_in_range};
use crate::circuit::Party;
use crate::mpc::{self, Input, Keep, KeptBit, Run, Security, Words};
use crate::shuffle::split::{Split, SplitCircuit};
use crate::shuffle::{Algorithm, Randomness, ShuffleCircuit, Spec};

/// The first bytes of a serialized deck.
const MAGIC: &[u8; 16] = b"dealerless deck2";

/// The size of a bit in bytes: masked value and share in one byte, and three tags.
const BIT_BYTES: usize = 1 + 3 * 32;

const CONTEXT: &str = "dealerless 2026-11 share of a card v1";
const NAME_CONTEXT: &str = "dealerless 2026-11 name of a kept deck v1";
const FILE_CONTEXT: &str = "dealerless 2026-11 file of a kept deck v1";

/// One party's shares of the drawn cards of a deck, which reveal nothing by themselves. They are
/// wiped on drop.
pub struct KeptDeck {
    /// The hash of the deck's name.
    name: [u8; 32],
    cards: Vec<Vec<KeptBit>>,
    /// The validity bits: whether the seeds of each party were in range. Empty if no input can be
    /// out of range. Also empty for a reshuffled hand, because only cards of a checked deck are
    /// reshuffled.
    validity: Vec<KeptBit>,
    /// Whether the peer has proved that the seeds were in range, or no proof is needed.
    checked: bool,
    faces: Faces,
}

/// A party's share of a word. A party that has both shares knows the word. The share is wiped on
/// drop.
#[derive(Clone, Debug, PartialEq, Eq, Zeroize, ZeroizeOnDrop)]
pub struct Share {
    /// The share bits of the mask, the lowest bit of the word first.
    pub bits: Vec<bool>,
    /// The digest of the tags of the MACs of these bits.
    pub macs: [u8; 32],
}

impl KeptDeck {
    /// Shuffles and draws with this party's seeds, and keeps the data for opening the cards later.
    /// Both parties call this with the same circuit and the same `name`, for example the match, the
    /// hand and the attempt. Otherwise, the run fails. The name must be new for each deck: then a
    /// share of one deck does not open another deck.
    ///
    /// Nothing is opened yet, not even whether the seeds were in range: see
    /// [`check_seeds`](Self::check_seeds).
    ///
    /// # Errors
    /// [`Error::Usage`] if the circuit does not check the seeds; nothing has been sent in that
    /// case. Any error of the session.
    pub fn shuffle<S: Keep>(
        session: &mut S,
        shuffle: &ShuffleCircuit,
        seeds: &Randomness,
        name: &[u8],
    ) -> Result<Self> {
        Self::shuffle_live(session, shuffle, seeds, name).map(|(kept, _)| kept)
    }

    /// As [`shuffle`](Self::shuffle), but also returns the cards for further computations in the
    /// same session, which are possible once the seeds have been checked.
    ///
    /// # Errors
    /// Those of [`shuffle`](Self::shuffle).
    pub fn shuffle_live<S: Keep>(
        session: &mut S,
        shuffle: &ShuffleCircuit,
        seeds: &Randomness,
        name: &[u8],
    ) -> Result<(Self, UncheckedDeck<S::Shared>)> {
        check_circuit(Security::Malicious, shuffle)?;
        let run = Run::new(shuffle.circuit(), &Input::ONE_EACH, seeds.bits());
        let words = session.run(run.in_context(name))?;
        let pack = Pack::Cards(shuffle.spec().cards() as u32);
        let drawn = shuffle.spec().draw();
        let kept = Self::keep(session, pack, &words, drawn, shuffle.validity(), name)?;
        let words = words.iter().take(drawn).map(<[_]>::to_vec).collect();
        let unchecked = UncheckedDeck {
            live: LiveDeck { pack, words },
            validity: kept.validity.clone(),
        };
        Ok((kept, unchecked))
    }

    /// As [`shuffle`](Self::shuffle), for the hands of boards: position `4b + h` holds hand h of
    /// board b, as a set of cards. No hand can be opened before the words of both parties are known
    /// to be balanced: see [`check_seeds`](Self::check_seeds).
    ///
    /// # Errors
    /// Any error of the session.
    pub fn split<S: Keep>(
        session: &mut S,
        circuit: &SplitCircuit,
        entered: &Randomness,
        name: &[u8],
    ) -> Result<Self> {
        let run = Run::new(circuit.circuit(), &Input::ONE_EACH, entered.bits());
        let words = session.run(run.in_context(name))?;
        let split = circuit.split();
        let pack = Pack::Hands(split.ranks() as u32);
        let validity = Some(circuit.validity());
        Self::keep(session, pack, &words, split.hands(), validity, name)
    }

    /// Keeps the first `drawn` words of a run as cards or hands, and word number `validity` as the
    /// validity bits.
    pub(super) fn keep<S: Keep>(
        session: &S,
        pack: Pack,
        words: &Words<S::Shared>,
        drawn: usize,
        validity: Option<usize>,
        name: &[u8],
    ) -> Result<Self> {
        // The word's number comes first: it has a fixed length.
        let keep = |word: usize| {
            let name = [&(word as u64).to_le_bytes(), name].concat();
            session.keep(&words[word], &name)
        };
        let validity = (validity.map(keep).transpose()?).unwrap_or_default();
        Ok(KeptDeck {
            name: blake3::derive_key(NAME_CONTEXT, name),
            cards: (0..drawn).map(keep).collect::<mpc::Result<_>>()?,
            checked: validity.is_empty(),
            validity,
            faces: Faces::unseen(pack, drawn),
        })
    }

    /// This party's share of the validity bits (whether the seeds were in range), for the peer.
    pub fn validity(&self) -> Share {
        share(&self.validity)
    }

    /// The masked values of the validity bits, which both parties know.
    pub fn masked_validity(&self) -> Vec<bool> {
        self.validity.iter().map(|bit| bit.masked).collect()
    }

    /// Checks, with the peer's share of [`validity`](Self::validity), that the seeds of both
    /// parties were in range. Cards cannot be opened before this.
    ///
    /// # Errors
    /// [`Check::KeptMacs`] if `theirs` is not the share that was sealed;
    /// [`Check::SeedsOutOfRange`], with the party whose seeds were out of range.
    pub fn check_seeds(&mut self, theirs: &Share) -> Result<()> {
        check_validity(&self.validity, theirs)?;
        self.checked = true;
        Ok(())
    }

    /// The masked value of each bit of a card, which both parties know. Together with both shares,
    /// it determines the card.
    ///
    /// # Errors
    /// [`Error::Usage`] if the position was not drawn.
    pub fn masked(&self, position: usize) -> Result<Vec<bool>> {
        Ok(self.bits(position)?.iter().map(|bit| bit.masked).collect())
    }

    /// The number of cards drawn.
    pub fn len(&self) -> usize {
        self.cards.len()
    }

    /// Whether no card was drawn.
    pub fn is_empty(&self) -> bool {
        self.cards.is_empty()
    }

    /// The card at `position`, if it has been opened on this side.
    pub fn seen(&self, position: usize) -> Option<Card> {
        self.faces.at(position)
    }

    /// This party's share of a card, for the peer.
    ///
    /// # Errors
    /// [`Error::Usage`] if the position was not drawn.
    pub fn share(&self, position: usize) -> Result<Share> {
        Ok(share(self.bits(position)?))
    }

    /// Opens a card with the peer's share of it.
    ///
    /// # Errors
    /// [`Error::Usage`] if the position was not drawn, or if the [seeds](Self::check_seeds) have
    /// not been checked. [`Check::KeptMacs`] if `theirs` is not the share that was sealed;
    /// [`Check::NotInDeck`] or [`Check::OpenedTwice`] if the card is impossible.
    pub fn open(&mut self, position: usize, theirs: &Share) -> Result<Card> {
        if !self.checked {
            return Err(Error::usage("the seeds of this deck have not been checked"));
        }
        let values = values(self.bits(position)?, theirs)?;
        self.faces.open(position, values.iter().copied())
    }

    fn bits(&self, position: usize) -> Result<&[KeptBit]> {
        let count = self.cards.len();
        let card = self.cards.get(position);
        card.map(Vec::as_slice).ok_or_else(|| {
            Error::usage(format!(
                "card {position} was not drawn: the deck has {count} drawn cards, numbered from 0"
            ))
        })
    }

    /// Serializes the deck for a private file. The bytes do not include which cards have been
    /// opened, or whether the seeds have been checked: after loading the deck, apply the peer's
    /// shares again.
    ///
    /// Layout: 16 bytes that identify the format; the number of cards in the deck (0 if hands were
    /// dealt), the number of drawn cards or hands, the number of bits of each, and the number of
    /// validity bits, as u32 LE; for each bit, the validity bits last, a byte (1: masked value, 2:
    /// share) and three tags; and a digest of all these bytes and of the deck's name. Without the
    /// digest, a corrupt file would make an honest peer look like a cheat.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let (count, width) = (self.cards.len(), self.cards.first().map_or(0, Vec::len));
        let bits = count * width + self.validity.len();
        let size = MAGIC.len() + 16 + BIT_BYTES * bits + 32;
        let mut bytes = Zeroizing::new(Vec::with_capacity(size));
        bytes.extend_from_slice(MAGIC);
        let [count, width, validity] = [count, width, self.validity.len()].map(|len| len as u32);
        let cards = match self.faces.pack() {
            Pack::Cards(cards) => cards,
            Pack::Hands(_) => 0,
        };
        for number in [cards, count, width, validity] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for bit in self.cards.iter().flatten().chain(&self.validity) {
            bytes.push(u8::from(bit.masked) | u8::from(bit.share) << 1);
            bytes.extend_from_slice(&bit.tag);
            bytes.extend_from_slice(bit.accepted.as_flattened());
        }
        let digest = file_digest(&self.name, &bytes);
        bytes.extend_from_slice(&digest);
        bytes
    }

    /// Reads the bytes that [`to_bytes`](Self::to_bytes) has written for the deck with this name.
    /// `None` if they are invalid.
    pub fn from_bytes(bytes: &[u8], name: &[u8]) -> Option<Self> {
        let name = blake3::derive_key(NAME_CONTEXT, name);
        let (bytes, digest) = bytes.split_last_chunk::<32>()?;
        if file_digest(&name, bytes) != *digest {
            return None;
        }
        let (numbers, bits) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<16>()?;
        let [cards, drawn, width, validity] =
            bytemuck::pod_read_unaligned::<[[u8; 4]; 4]>(numbers).map(u32::from_le_bytes);
        let pack = read_pack(cards, drawn, width)?;
        let [drawn, width, validity] = [drawn, width, validity].map(|number| number as usize);
        // One validity bit for each party, or none.
        if ![0, Party::BOTH.len()].contains(&validity) {
            return None;
        }
        let of_cards = drawn * width * BIT_BYTES;
        let (cards_bits, validity_bits) = bits.split_at_checked(of_cards)?;
        if validity_bits.len() != validity * BIT_BYTES {
            return None;
        }
        let words = cards_bits.chunks(width * BIT_BYTES).map(read_bits);
        Some(KeptDeck {
            name,
            cards: words.collect::<Option<_>>()?,
            validity: read_bits(validity_bits)?,
            checked: validity == 0,
            faces: Faces::unseen(pack, drawn),
        })
    }
}

/// The pack that was dealt, if words of the given width can encode it.
fn read_pack(cards: u32, drawn: u32, width: u32) -> Option<Pack> {
    if cards > 0 {
        // The algorithm does not matter here.
        let spec = Spec::new(cards as usize, drawn as usize, Algorithm::FisherYates).ok()?;
        return (spec.word_bits() == width as usize).then_some(Pack::Cards(cards));
    }
    let (ranks, boards) = (width / HANDS, drawn / HANDS);
    let split = Split::new(ranks as usize, boards as usize).ok()?;
    let same = (split.cards(), split.hands()) == (width as usize, drawn as usize);
    same.then_some(Pack::Hands(ranks))
}

/// This party's share of a word.
fn share(bits: &[KeptBit]) -> Share {
    Share {
        bits: bits.iter().map(|bit| bit.share).collect(),
        macs: digest(bits.iter().map(|bit| &bit.tag)),
    }
}

/// Checks, with the peer's share of the validity bits, that the seeds of both parties were in
/// range.
///
/// # Errors
/// Those of [`KeptDeck::check_seeds`].
pub(super) fn check_validity(validity: &[KeptBit], theirs: &Share) -> Result<()> {
    let valid = values(validity, theirs)?;
    seeds_in_range(&valid).map_err(Error::Check)
}

/// The values of a word's bits, given the peer's share of the word.
fn values(bits: &[KeptBit], theirs: &Share) -> Result<Zeroizing<Vec<bool>>> {
    let both = || bits.iter().zip(&theirs.bits);
    let expected = digest(both().map(|(bit, theirs)| &bit.accepted[usize::from(*theirs)]));
    let same = expected.ct_eq(&theirs.macs);
    if theirs.bits.len() != bits.len() || !bool::from(same) {
        return Err(Error::Check(Check::KeptMacs));
    }
    Ok(Zeroizing::new(
        both()
            .map(|(bit, theirs)| bit.masked ^ bit.share ^ theirs)
            .collect(),
    ))
}

/// The digest that detects changes to a file.
fn file_digest(name: &[u8; 32], bytes: &[u8]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key(FILE_CONTEXT);
    hasher.update(name);
    hasher.update(bytes);
    *hasher.finalize().as_bytes()
}

fn read_bits(bytes: &[u8]) -> Option<Vec<KeptBit>> {
    // Allocate all bits at once: a growing vector leaves copies behind that nobody wipes.
    let mut bits = Vec::with_capacity(bytes.len() / BIT_BYTES);
    for bit in bytes.chunks(BIT_BYTES) {
        bits.push(read_bit(bit)?);
    }
    Some(bits)
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

/// The digest of the tags of a word.
fn digest<'a>(tags: impl Iterator<Item = &'a [u8; 32]>) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key(CONTEXT);
    for tag in tags {
        hasher.update(tag);
    }
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_is_valid_only_if_its_pack_fits_the_word_width() {
        assert_eq!(read_pack(7, 3, 3), Some(Pack::Cards(7)));
        assert_eq!(read_pack(0, 8, 52), Some(Pack::Hands(13)));
        assert_eq!(read_pack(0, 400, 8), Some(Pack::Hands(2)));
        for (cards, drawn, width) in [
            (7, 3, 4),
            (7, 8, 3),
            (0, 8, 53),
            (0, 9, 52),
            (0, 404, 52),
            (0, 0, 52),
            (0, 8, 56),
            (0, 8, 0),
        ] {
            assert_eq!(
                read_pack(cards, drawn, width),
                None,
                "{cards} {drawn} {width}"
            );
        }
    }
}
