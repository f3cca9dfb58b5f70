//! The first message of a session, by which each side learns whom it talks to.
//!
//! It begins in the same way in every version. So two versions can tell that they differ, and a
//! peer that speaks something else is called a stranger:
//!
//! | bytes | content |
//! |---|---|
//! | 5 | the header of a frame: the length of all that follows as u32 LE, then [`Tag::HELLO`] |
//! | 10 | [`MAGIC`] |
//! | 2 | the version of the protocol, u16 LE |
//! | the rest | the body, which belongs to the version: here a message like any other |

use serde::{Serialize, de::DeserializeOwned};
use zeroize::Zeroizing;

use super::channel::Channel;
use super::codec;
use super::error::{Error, Malformed, Result};
use super::tag::Tag;

/// The version of the protocol that this program speaks.
pub const VERSION: u16 = 6;

/// How a hello of any version begins.
pub const MAGIC: &[u8; 10] = b"dealerless";

/// The most bytes of a hello's body in this version.
pub const MAX_BODY_BYTES: usize = 1024;

const PREFIX_BYTES: usize = MAGIC.len() + 2;

/// No version will need more; the first bytes of other protocols, read as a length, are more.
const MAX_BYTES_EVER: u32 = u16::MAX as u32;

/// Sends the hello. Both sides send theirs before they wait for the other's, so that both learn of
/// a difference.
///
/// # Errors
/// [`Error::Unsendable`] if the body takes more than [`MAX_BODY_BYTES`]; what
/// [`Transport::send`](crate::net::Transport::send) gives.
pub fn send_hello<B: Serialize>(channel: &mut Channel, body: &B) -> Result<()> {
    channel.guarded(|channel| {
        channel.put_frame(Tag::HELLO, PREFIX_BYTES + MAX_BODY_BYTES, |content| {
            content.extend_from_slice(MAGIC);
            content.extend_from_slice(&VERSION.to_le_bytes());
            codec::encode(body, Tag::HELLO, MAX_BODY_BYTES, content)
        })
    })
}

/// Receives the peer's hello.
///
/// # Errors
/// [`Error::Malformed`] if the peer does not speak dealerless, or the body is malformed;
/// [`Error::Version`] if it speaks another one, which the error names;
/// [`Error::Aborted`], [`Error::Lost`], [`Error::Timeout`].
pub fn recv_hello<B: DeserializeOwned>(channel: &mut Channel) -> Result<B> {
    channel.guarded(|channel| {
        let stranger = || Error::Malformed(Malformed::Stranger);
        let header = channel.recv_header()?;
        if header.tag != Tag::HELLO.byte() || header.len > MAX_BYTES_EVER {
            return Err(stranger());
        }
        let body_bytes = (header.len as usize)
            .checked_sub(PREFIX_BYTES)
            .ok_or_else(stranger)?;

        let mut magic = [0; MAGIC.len()];
        channel.recv_exact(&mut magic)?;
        if magic != *MAGIC {
            return Err(stranger());
        }
        let mut version = [0; 2];
        channel.recv_exact(&mut version)?;
        let version = u16::from_le_bytes(version);
        if version != VERSION {
            return Err(Error::Version {
                theirs: version,
                ours: VERSION,
            });
        }

        if body_bytes > MAX_BODY_BYTES {
            return Err(Error::Malformed(Malformed::TooLong {
                tag: Tag::HELLO,
                bytes: body_bytes,
                limit: MAX_BODY_BYTES,
            }));
        }
        let mut body = Zeroizing::new(vec![0; body_bytes]);
        channel.recv_exact(&mut body)?;
        codec::decode(&body, Tag::HELLO)
    })
}
