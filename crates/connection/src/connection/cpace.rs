//! CPace, a balanced password-authenticated key exchange: *CPace, a balanced composable PAKE*,
//! draft-irtf-cfrg-cpace-21, with the suite CPACE-RISTR255-SHA512 in the initiator-responder setting.
//!
//! | step | section |
//! |---|---|
//! | the generator `g`, from the password, the channel identifier and the session identifier | 8.1, 8.3, A.1 |
//! | a share `Y = y * g`, with a uniform scalar `y` | 7, 8.3 |
//! | the secret point `K = y * Y'`; a share that does not decode, or whose `K` is the identity, ends the exchange | 7, 8.3 |
//! | the intermediate session key, from `K` and the transcript | 7, A.1 |
//!
//! All values that depend on the password or on a scalar are wiped.

use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::IsIdentity;
use rand::CryptoRng;
use sha2::{Digest, Sha512};
use zeroize::Zeroizing;

/// The domain separation identifier of the group.
const DSI: &[u8] = b"CPaceRistretto255";
/// The input block size of SHA-512, in bytes.
const BLOCK: usize = 128;
/// The length of a share, in bytes.
pub(super) const SHARE: usize = 32;

/// The inputs that both parties must share.
pub(super) struct Context<'a> {
    pub(super) password: &'a [u8],
    /// The channel identifier.
    pub(super) channel: &'a [u8],
    /// The session identifier.
    pub(super) session: &'a [u8],
}

/// The party that sends the first message, or the other one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Party {
    Initiator,
    Responder,
}

/// One party that has made its share.
pub(super) struct Started {
    scalar: Zeroizing<Scalar>,
    /// The share to send.
    pub(super) share: [u8; SHARE],
}

impl Started {
    pub(super) fn new(context: &Context<'_>, rng: &mut impl CryptoRng) -> Self {
        let mut uniform = Zeroizing::new([0; 64]);
        rng.fill_bytes(&mut *uniform);
        let scalar = Zeroizing::new(Scalar::from_bytes_mod_order_wide(&uniform));
        Started::with_scalar(context, scalar)
    }

    fn with_scalar(context: &Context<'_>, scalar: Zeroizing<Scalar>) -> Self {
        let generator = generator(context);
        let share = multiply(&generator, &scalar).compress().to_bytes();
        Started { scalar, share }
    }

    /// Derives the intermediate session key. `data` is the associated data of the initiator and of the
    /// responder. `None` if the other share is invalid.
    pub(super) fn finish(
        self,
        party: Party,
        session: &[u8],
        theirs: &[u8; SHARE],
        data: [&[u8]; 2],
    ) -> Option<Zeroizing<[u8; 64]>> {
        let point = CompressedRistretto(*theirs).decompress()?;
        let secret = Zeroizing::new(multiply(&point, &self.scalar));
        if secret.is_identity() {
            return None;
        }
        let shares = match party {
            Party::Initiator => [&self.share, theirs],
            Party::Responder => [theirs, &self.share],
        };
        let secret = Zeroizing::new(secret.compress().to_bytes());
        let dsi = [DSI, b"_ISK"].concat();
        let mut input = Zeroizing::new(Vec::with_capacity(4 * BLOCK));
        for field in [
            &dsi, session, &*secret, shares[0], data[0], shares[1], data[1],
        ] {
            push(&mut input, field);
        }
        Some(hash(&input))
    }
}

/// By reference, so that no copy of the scalar is left.
fn multiply(point: &RistrettoPoint, scalar: &Scalar) -> RistrettoPoint {
    point * scalar
}

/// The generator of a password in a session.
fn generator(context: &Context<'_>) -> Zeroizing<RistrettoPoint> {
    let hash = hash(&generator_string(context));
    Zeroizing::new(RistrettoPoint::from_uniform_bytes(&hash))
}

fn hash(bytes: &[u8]) -> Zeroizing<[u8; 64]> {
    let mut hash = Zeroizing::new([0; 64]);
    Sha512::new_with_prefix(bytes).finalize_into((&mut *hash).into());
    hash
}

/// The password fills the first block with zeros, so that the number of blocks after it is public.
fn generator_string(context: &Context<'_>) -> Zeroizing<Vec<u8>> {
    let mut string = Zeroizing::new(Vec::with_capacity(4 * BLOCK));
    push(&mut string, DSI);
    push(&mut string, context.password);
    let zeros = [0; BLOCK];
    let padding = (BLOCK - 1).saturating_sub(string.len());
    push(&mut string, &zeros[..padding]);
    push(&mut string, context.channel);
    push(&mut string, context.session);
    string
}

/// Appends a field after its length. Its length is less than 128, so it is one byte.
fn push(string: &mut Vec<u8>, field: &[u8]) {
    assert!(field.len() < 128 && string.len() + 1 + field.len() <= string.capacity());
    string.push(field.len() as u8);
    string.extend_from_slice(field);
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: &str = "7e4b4791d6a8ef019b936c79fb7f2c57";
    const CHANNEL: &str = "6f630b425f726573706f6e6465720b415f696e69746961746f72";
    /// The scalars and shares of both parties.
    const PARTIES: [[&str; 2]; 2] = [
        [
            "da3d23700a9e5699258aef94dc060dfda5ebb61f02a5ea77fad53f4ff0976d08",
            "d40fb265a7abeaee7939d91a585fe59f7053f982c296ec413c624c669308f87a",
        ],
        [
            "d2316b454718c35362d83d69df6320f38578ed5984651435e2949762d900b80d",
            "08bcf6e9777a9c313a3db6daa510f2d398403319c2341bd506a92e672eb7e307",
        ],
    ];
    const KEY: &str = "4c5469a16b2364c4b944ebc1a79e51d1674ad47db26e8718154f59faebfaa52d\
                       8346f30aa58377117eb20d527f2cbc5c76381f7fd372e89df8239f87f2e02ed1";

    fn bytes<const N: usize>(text: &str) -> [u8; N] {
        std::array::from_fn(|at| u8::from_str_radix(&text[2 * at..][..2], 16).unwrap())
    }

    fn started(context: &Context<'_>) -> [Started; 2] {
        PARTIES.map(|[scalar, _]| {
            let scalar = Scalar::from_canonical_bytes(bytes(scalar)).unwrap();
            Started::with_scalar(context, Zeroizing::new(scalar))
        })
    }

    /// The test vectors of the draft, appendix B.3.
    #[test]
    fn vectors_of_the_draft() {
        let (channel, session) = (bytes::<26>(CHANNEL), bytes::<16>(SESSION));
        let context = Context {
            password: b"Password",
            channel: &channel,
            session: &session,
        };
        let string = generator_string(&context);
        assert_eq!(string.len(), 172);
        assert_eq!(string[..28], *b"\x11CPaceRistretto255\x08Password\x64");
        assert_eq!(
            generator(&context).compress().to_bytes(),
            bytes("a6fc82c3b8968fbb2e06fee81ca858586dea50d248f0c7ca6a18b0902a30b36b")
        );
        let parties = started(&context);
        let shares = PARTIES.map(|[_, share]| bytes::<SHARE>(share));
        assert_eq!(parties.each_ref().map(|party| party.share), shares);
        let roles = [Party::Initiator, Party::Responder].into_iter();
        for ((party, role), theirs) in parties.into_iter().zip(roles).zip([shares[1], shares[0]]) {
            let key = party.finish(role, &session, &theirs, [b"ADa", b"ADb"]);
            assert_eq!(*key.unwrap(), bytes(KEY));
        }
    }

    /// The invalid shares of the draft, appendix B.3: no canonical encoding, and the identity.
    #[test]
    fn invalid_shares_are_refused() {
        let context = Context {
            password: b"Password",
            channel: b"",
            session: b"",
        };
        let invalid = "2b3c6b8c4f3800e7aef6864025b4ed79bd599117e427c41bd47d93d654b4a51c";
        for share in [bytes(invalid), [0; SHARE], [0xff; SHARE]] {
            for party in started(&context) {
                let key = party.finish(Party::Initiator, b"", &share, [b"", b""]);
                assert!(key.is_none());
            }
        }
    }

    #[test]
    fn every_value_changes_the_key() {
        let keys = |[password, channel, session, data]: [&str; 4], swapped: bool| {
            let context = Context {
                password: password.as_bytes(),
                channel: channel.as_bytes(),
                session: session.as_bytes(),
            };
            let [one, other] = started(&context);
            let role = if swapped {
                Party::Responder
            } else {
                Party::Initiator
            };
            let data = [data.as_bytes(), b"guest"];
            *one.finish(role, session.as_bytes(), &other.share, data)
                .unwrap()
        };
        let values = ["word", "room 7", "session", "host"];
        let mut all = vec![keys(values, false), keys(values, true)];
        for at in 0..4 {
            let mut changed = values;
            changed[at] = "other";
            all.push(keys(changed, false));
        }
        for (at, key) in all.iter().enumerate() {
            assert!(!all[..at].contains(key), "{at}");
        }
    }
}
