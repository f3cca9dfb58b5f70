//! The prelude: the plaintext that a guest sends before the first Noise message. It names the
//! program, the version, and the host that the guest wants to meet. Both sides use the prelude as
//! the Noise prologue, so the handshake fails if the prelude was modified.

use rand::CryptoRng;
use subtle::ConstantTimeEq;

use super::invite::InviteId;
use crate::identity::PairSecret;

const MAGIC: [u8; 4] = *b"dltb";
/// The protocol version of the connection, one digit. The text of an invite contains the same
/// digit.
pub(super) const VERSION: u8 = 2;
/// The length of magic, version and kind.
const HEAD: usize = 6;

/// The host that a guest wants to meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prelude {
    /// The host that created the invite with this id.
    First(InviteId),
    /// A host that knows the guest. Only these two players can compute `tag` from `random`.
    Again { random: [u8; 16], tag: [u8; 16] },
}

impl Prelude {
    /// Makes a prelude for a known peer. `random` is new each time, so an observer cannot link two
    /// preludes.
    pub(super) fn again(secret: &PairSecret, rng: &mut impl CryptoRng) -> Self {
        let mut random = [0; 16];
        rng.fill_bytes(&mut random);
        Prelude::Again {
            random,
            tag: tag(secret, &random),
        }
    }

    /// Whether the prelude was made by the peer with whom the host shares this secret.
    pub(super) fn is_by(&self, secret: &PairSecret) -> bool {
        match self {
            Prelude::First(_) => false,
            Prelude::Again { random, tag: shown } => tag(secret, random).ct_eq(shown).into(),
        }
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = [&MAGIC[..], &[VERSION]].concat();
        match self {
            Prelude::First(id) => {
                bytes.push(1);
                bytes.extend_from_slice(id);
            }
            Prelude::Again { random, tag } => {
                bytes.push(2);
                bytes.extend_from_slice(random);
                bytes.extend_from_slice(tag);
            }
        }
        bytes
    }

    /// The length of the prelude that begins with `bytes`, or [`HEAD`] if its kind is not there
    /// yet. `None` if the bytes do not begin a prelude of this version.
    pub(super) fn len(bytes: &[u8]) -> Option<usize> {
        let Some((head, _)) = bytes.split_first_chunk::<HEAD>() else {
            return Some(HEAD);
        };
        if head[..4] != MAGIC || head[4] != VERSION {
            return None;
        }
        match head[5] {
            1 => Some(HEAD + 8),
            2 => Some(HEAD + 16 + 16),
            _ => None,
        }
    }

    /// Decodes a complete prelude, whose length is [`len`](Self::len).
    pub(super) fn decode(bytes: &[u8]) -> Self {
        let rest = &bytes[HEAD..];
        let array = "the length was checked";
        match rest.try_into() {
            Ok(id) => Prelude::First(id),
            Err(_) => Prelude::Again {
                random: rest[..16].try_into().expect(array),
                tag: rest[16..].try_into().expect(array),
            },
        }
    }
}

fn tag(secret: &PairSecret, random: &[u8; 16]) -> [u8; 16] {
    *secret
        .hash("rendezvous", &[random])
        .first_chunk()
        .expect("the hash has 32 bytes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::Identity;

    #[test]
    fn preludes_round_trip_and_other_bytes_are_refused() {
        let preludes = [
            Prelude::First([3; 8]),
            Prelude::Again {
                random: [4; 16],
                tag: [5; 16],
            },
        ];
        for prelude in preludes {
            let bytes = prelude.encode();
            assert_eq!(Prelude::decode(&bytes), prelude);
            assert!(
                (HEAD..=bytes.len()).all(|end| Prelude::len(&bytes[..end]) == Some(bytes.len()))
            );
            for at in 0..HEAD {
                let mut changed = bytes.clone();
                changed[at] ^= 0x80;
                assert_eq!(Prelude::len(&changed), None);
            }
        }
    }

    #[test]
    fn only_the_two_players_can_make_the_tag_and_preludes_are_unlinkable() {
        let [a, b, c] = [1, 2, 3].map(|seed| Identity::from_seed([seed; 32]));
        let secret = |x: &Identity, y: &Identity| x.secret_with(y.public()).unwrap();
        let prelude = Prelude::again(&secret(&a, &b), &mut rand::rng());
        assert!(prelude.is_by(&secret(&b, &a)));
        assert!(!prelude.is_by(&secret(&b, &c)));
        assert_ne!(prelude, Prelude::again(&secret(&a, &b), &mut rand::rng()));
    }
}
