//! A roll of two parties, as states that send nothing: [`Roll`] has committed and waits for the
//! peer's commitment; [`Revealed`] has revealed and waits for the peer's reveal.

use std::fmt;

use rand::CryptoRng;
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::error::Check;
use super::terms::{Dice, Terms};
use crate::circuit::Party;
use crate::uniform;

const CONTEXT: &str = "dealerless 2026-11 commitment to dice v1";

/// The commitment of one party to the values it has drawn. It reveals nothing about the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commitment(pub [u8; 32]);

/// The values that one party has drawn, and the nonce of its commitment. Secret until both
/// commitments are known; wiped on drop.
#[derive(Clone, PartialEq, Eq, Zeroize, ZeroizeOnDrop)]
pub struct Reveal {
    /// One value for each die, below the number of sides.
    pub values: Vec<u32>,
    /// 256 random bits, fresh for each roll.
    pub nonce: [u8; 32],
}

impl Reveal {
    /// Draws a value for each die, exactly uniform, and a nonce. `rng` must be the operating
    /// system's generator or equally good.
    pub fn draw(dice: Dice, rng: &mut impl CryptoRng) -> Self {
        // Allocate all values at once: a growing vector leaves copies behind that nobody wipes.
        let mut values = Vec::with_capacity(dice.count() as usize);
        let sides = u64::from(dice.sides());
        values.extend((0..dice.count()).map(|_| uniform::below(sides, || rng.next_u64()) as u32));
        let mut nonce = [0; 32];
        rng.fill_bytes(&mut nonce);
        Reveal { values, nonce }
    }

    /// The commitment of party number `party` to these values. The garbler or the host is party 0.
    pub fn commitment(&self, terms: &Terms<'_>, party: u8) -> Commitment {
        let mut hasher = blake3::Hasher::new_derive_key(CONTEXT);
        let mut field = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        field(terms.context);
        field(&terms.number.to_le_bytes());
        field(&[party]);
        field(&terms.dice.count().to_le_bytes());
        field(&terms.dice.sides().to_le_bytes());
        field(&(self.values.len() as u64).to_le_bytes());
        for value in &self.values {
            field(&value.to_le_bytes());
        }
        field(&self.nonce);
        let commitment = Commitment(*hasher.finalize().as_bytes());
        hasher.zeroize();
        commitment
    }

    /// Checks that a party has committed to these values, and that each value is in range.
    ///
    /// # Errors
    /// [`Check::NotCommitted`], [`Check::OutOfRange`].
    pub fn check(
        &self,
        terms: &Terms<'_>,
        party: u8,
        commitment: &Commitment,
    ) -> Result<(), Check> {
        let all = self.values.len() == terms.dice.count() as usize;
        if !all || self.commitment(terms, party) != *commitment {
            return Err(Check::NotCommitted);
        }
        let mut values = self.values.iter();
        match values.position(|&value| value >= terms.dice.sides()) {
            Some(die) => Err(Check::OutOfRange { die }),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Reveal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reveal({} secret values)", self.values.len())
    }
}

/// A roll in which this party has committed.
#[derive(Debug)]
pub struct Roll<'a> {
    terms: Terms<'a>,
    me: Party,
    mine: Reveal,
    commitment: Commitment,
}

impl<'a> Roll<'a> {
    /// Draws this party's values and commits to them. The commitment must be sent to the peer.
    pub fn commit(terms: Terms<'a>, me: Party, rng: &mut impl CryptoRng) -> (Self, Commitment) {
        let mine = Reveal::draw(terms.dice, rng);
        let commitment = mine.commitment(&terms, me as u8);
        let roll = Roll {
            terms,
            me,
            mine,
            commitment,
        };
        (roll, commitment)
    }

    /// Takes the peer's commitment, and only then returns this party's values, to be sent to the
    /// peer.
    ///
    /// # Errors
    /// [`Check::Reflected`] if `theirs` is this party's own commitment; nothing is revealed in that
    /// case.
    pub fn reveal(self, theirs: Commitment) -> Result<(Revealed<'a>, Reveal), Check> {
        if theirs == self.commitment {
            return Err(Check::Reflected);
        }
        let reveal = self.mine.clone();
        Ok((Revealed { roll: self, theirs }, reveal))
    }
}

/// A roll in which both parties have committed and this party has revealed.
#[derive(Debug)]
pub struct Revealed<'a> {
    roll: Roll<'a>,
    theirs: Commitment,
}

impl Revealed<'_> {
    /// The faces, from 1, given the peer's values.
    ///
    /// # Errors
    /// [`Check::NotCommitted`], [`Check::OutOfRange`]: the peer forfeits, as if it had revealed
    /// nothing.
    pub fn finish(self, theirs: &Reveal) -> Result<Vec<u32>, Check> {
        let Roll {
            terms, me, mine, ..
        } = &self.roll;
        theirs.check(terms, me.other() as u8, &self.theirs)?;
        Ok(terms.dice.faces(&[mine, theirs]))
    }
}
