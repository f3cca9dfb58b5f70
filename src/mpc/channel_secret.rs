//! A secret of the two parties that an eavesdropper does not know: an ephemeral Diffie-Hellman
//! secret on ristretto255. The public keys are in the hellos.
//!
//! The secret does not protect against a man in the middle: such an attacker agrees on one secret
//! with each party. The secret serves two purposes: it generates pads for data that an eavesdropper
//! must not see, and it is hashed into digests that an attacker who flips bits must not be able to
//! compute.

use curve25519_dalek::ristretto::RistrettoPoint;
use curve25519_dalek::scalar::Scalar;
use rand::CryptoRng;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::error::Check;
use crate::circuit::Party;
use crate::crypto::{Generator, Oracle, SecretBit, SessionId, Step, decode_point, random_scalar};

/// This party's secret key, used once.
pub(super) struct EphemeralKey(Zeroizing<Scalar>);

impl EphemeralKey {
    pub(super) fn random(rng: &mut impl CryptoRng) -> Self {
        EphemeralKey(Zeroizing::new(random_scalar(rng)))
    }

    /// The public key, sent in the hello.
    pub(super) fn public(&self) -> [u8; 32] {
        RistrettoPoint::mul_base(&self.0).compress().to_bytes()
    }

    /// The secret shared with the party whose public key is `theirs`.
    ///
    /// # Errors
    /// [`Check::HelloKey`] if `theirs` is not a canonical point, or is the identity.
    pub(super) fn agree(
        self,
        theirs: &[u8; 32],
        session: &SessionId,
    ) -> Result<ChannelSecret, Check> {
        let point = decode_point(theirs).ok_or(Check::HelloKey)?;
        let shared = Zeroizing::new((point * *self.0).compress().to_bytes());
        let oracle = Oracle::new(session, Step::ChannelSecret, 0).absorb(&*shared);
        Ok(ChannelSecret(oracle.digest()))
    }
}

/// The secret shared by the two parties of a channel.
#[derive(Zeroize, ZeroizeOnDrop)]
pub(super) struct ChannelSecret([u8; 32]);

impl ChannelSecret {
    /// A secret for tests.
    #[cfg(test)]
    pub(super) fn of_bytes(bytes: [u8; 32]) -> Self {
        ChannelSecret(bytes)
    }

    /// The one-time pad for bits that `sender` sends in a step of run `number`, as an endless
    /// iterator.
    pub(super) fn pad(
        &self,
        session: &SessionId,
        (step, number): (Step, u64),
        sender: Party,
    ) -> impl Iterator<Item = SecretBit> + use<> {
        let direction = u64::from(sender == Party::Evaluator);
        let oracle = Oracle::new(session, step, (direction << 63) | number);
        let mut stream = Generator::new(oracle.absorb(&self.0).block());
        std::iter::repeat_with(move || stream.block())
            .flat_map(|block| (0..128).map(move |i| block.bit(i)))
    }

    /// Absorbs the secret into an oracle.
    pub(super) fn absorbed_by(&self, oracle: Oracle) -> Oracle {
        oracle.absorb(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand::rngs::ChaCha20Rng;

    const SESSION: SessionId = SessionId([3; 32]);

    fn keys() -> [EphemeralKey; 2] {
        [1, 2].map(|seed| EphemeralKey::random(&mut ChaCha20Rng::from_seed([seed; 32])))
    }

    #[test]
    fn both_parties_agree_and_the_secret_depends_on_keys_and_session() {
        let [a, b] = keys();
        let (public_a, public_b) = (a.public(), b.public());
        let secret = a.agree(&public_b, &SESSION).unwrap();
        assert_eq!(b.agree(&public_a, &SESSION).unwrap().0, secret.0);
        let [a, _] = keys();
        assert_ne!(a.agree(&public_a, &SESSION).unwrap().0, secret.0);
        let [a, _] = keys();
        assert_ne!(a.agree(&public_b, &SessionId([4; 32])).unwrap().0, secret.0);
    }

    #[test]
    fn invalid_keys_and_the_identity_are_rejected() {
        // Zero encodes the identity. The second value is above the field's prime, the third is
        // negative.
        let mut negative = [0; 32];
        negative[0] = 1;
        for bytes in [[0; 32], [0xff; 32], negative] {
            let [a, _] = keys();
            assert!(matches!(a.agree(&bytes, &SESSION), Err(Check::HelloKey)));
        }
    }

    #[test]
    fn pads_differ_for_each_secret_session_step_run_and_sender() {
        let pad = |secret, session, step, sender| -> Vec<bool> {
            (ChannelSecret([secret; 32]).pad(&SessionId([session; 32]), step, sender))
                .map(SecretBit::reveal)
                .take(200)
                .collect()
        };
        let step = (Step::OutputPad, 7);
        let (garbler, evaluator) = (Party::Garbler, Party::Evaluator);
        let pads = [
            pad(1, 1, step, garbler),
            pad(2, 1, step, garbler),
            pad(1, 2, step, garbler),
            pad(1, 1, (Step::OutputPad, 8), garbler),
            pad(1, 1, (Step::CheckMacs, 7), garbler),
            pad(1, 1, step, evaluator),
        ];
        for (i, pad) in pads.iter().enumerate() {
            assert!(!pads[..i].contains(pad), "{i}");
        }
    }
}
