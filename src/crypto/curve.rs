//! Points and scalars of ristretto255.

use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::IsIdentity;
use rand::CryptoRng;
use zeroize::Zeroizing;

/// Returns a uniform scalar.
pub(crate) fn random_scalar(rng: &mut impl CryptoRng) -> Scalar {
    let mut wide = Zeroizing::new([0; 64]);
    rng.fill_bytes(&mut *wide);
    Scalar::from_bytes_mod_order_wide(&wide)
}

/// Decodes a point sent by the peer. Returns `None` if the encoding is not canonical or the point
/// is the identity.
pub(crate) fn decode_point(bytes: &[u8; 32]) -> Option<RistrettoPoint> {
    CompressedRistretto(*bytes)
        .decompress()
        .filter(|point| !point.is_identity())
}
