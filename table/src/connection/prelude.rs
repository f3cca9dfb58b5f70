//! The prelude: the plaintext that a guest sends before the first Noise message. It names the
//! program, the version, and the host that the guest wants to meet. Both sides use the prelude as
//! the Noise prologue, so the handshake fails if the prelude was modified.

use std::io;

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

    /// Reads a prelude with `fill`, which fills the given buffer. `None` if the bytes are not a
    /// prelude of this version.
    pub(super) fn read(
        mut fill: impl FnMut(&mut [u8]) -> io::Result<()>,
    ) -> io::Result<Option<Self>> {
        let mut head = [0; HEAD];
        fill(&mut head)?;
        if head[..4] != MAGIC || head[4] != VERSION {
            return Ok(None);
        }
        Ok(match head[5] {
            1 => {
                let mut id = [0; 8];
                fill(&mut id)?;
                Some(Prelude::First(id))
            }
            2 => {
                let (mut random, mut tag) = ([0; 16], [0; 16]);
                fill(&mut random)?;
                fill(&mut tag)?;
                Some(Prelude::Again { random, tag })
            }
            _ => None,
        })
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
    use std::io::Read;

    use super::*;
    use crate::identity::Identity;

    fn read(mut bytes: &[u8]) -> io::Result<Option<Prelude>> {
        Prelude::read(|buf| bytes.read_exact(buf))
    }

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
            assert_eq!(read(&bytes).unwrap(), Some(prelude));
            assert!((0..bytes.len()).all(|end| read(&bytes[..end]).is_err()));
            for at in 0..HEAD {
                let mut changed = bytes.clone();
                changed[at] ^= 0x80;
                assert_eq!(read(&changed).unwrap(), None);
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
