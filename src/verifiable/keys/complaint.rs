//! Complaints about shares that do not fit.

use rand::CryptoRng;

use super::super::group::{ELEMENT, LogProof, Logarithm, Point, Reader, Transcript};
use super::{BadKeys, Contribution, Dealing, Keys, Pad, Seats};

/// A seat's third part, if a share does not fit: the key of the pad, with a proof. It reveals both
/// pads between the two seats, so all keys of the match are then discarded.
#[derive(Clone, Debug)]
pub struct Complaint {
    pub(super) dealer: usize,
    /// `D = e_j E_i`.
    pub(super) key: Point,
    pub(super) proof: LogProof,
}

impl Complaint {
    /// The length of the part, in bytes.
    pub const LEN: usize = 1 + ELEMENT + LogProof::LEN;

    pub(super) fn statement<'a>(
        match_id: &[u8; 32],
        seat: usize,
        keys: &'a [Keys],
        dealer: usize,
        key: &'a Point,
    ) -> Logarithm<'a> {
        Logarithm {
            context: Transcript::new("dkg dleq")
                .bytes(match_id)
                .number(seat as u64),
            image: &keys[seat].encryption,
            second: Some((&keys[dealer].encryption, key)),
        }
    }

    /// Judges a complaint of `seat`. Returns the seat at fault: the dealer if the share that the
    /// complaint reveals does not fit, otherwise the seat that complains.
    ///
    /// # Errors
    /// [`BadKeys`]; the seat that complains is at fault then, too.
    pub fn verify(
        match_id: &[u8; 32],
        seats: Seats,
        keys: &[Keys],
        dealings: &[Dealing],
        seat: usize,
        part: &[u8],
    ) -> Result<usize, BadKeys> {
        if seat >= seats.count || [keys.len(), dealings.len()] != [seats.count; 2] {
            return Err(BadKeys::Seats);
        }
        let read = || {
            let mut reader = Reader::new(part, Self::LEN)?;
            let [dealer] = reader.array();
            let key = reader.point()?;
            let proof = LogProof::read(&mut reader)?;
            Some((usize::from(dealer), key, proof))
        };
        let (dealer, key, proof) = read().ok_or(BadKeys::Encoding)?;
        if dealer >= seats.count || dealer == seat {
            return Err(BadKeys::Complaint);
        }
        if !Self::statement(match_id, seat, keys, dealer, &key).check(&proof) {
            return Err(BadKeys::Complaint);
        }
        let pad = Pad {
            match_id,
            dealer,
            receiver: seat,
        };
        Ok(match dealings[dealer].share(&pad, &key) {
            Some(_) => seat,
            None => dealer,
        })
    }

    /// The part as it is sent.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![self.dealer as u8];
        out.extend_from_slice(self.key.bytes());
        self.proof.write(&mut out);
        out
    }
}

impl Contribution {
    /// The complaint about the share of this dealer, with the key that only the two seats know.
    pub(in super::super) fn complain(
        &self,
        keys: &[Keys],
        dealer: usize,
        key: Point,
        rng: &mut impl CryptoRng,
    ) -> Complaint {
        let statement = Complaint::statement(&self.match_id, self.seat, keys, dealer, &key);
        let proof = statement.prove(&self.decryption, rng);
        Complaint { dealer, key, proof }
    }
}
