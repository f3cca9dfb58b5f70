//! The first message of a session, which identifies each side to the other.
//!
//! A hello starts with the same fields in every version. So each side can detect that the peer
//! speaks a different version or a different protocol:
//!
//! | bytes | content |
//! |---|---|
//! | 5 | the header of a frame: the length of the following bytes as u32 LE, then [`Tag::HELLO`] |
//! | 10 | [`MAGIC`] |
//! | 2 | the version of the protocol, u16 LE |
//! | the rest | the body, whose format depends on the version; here it is encoded by the codec |

use serde::{Serialize, de::DeserializeOwned};
use zeroize::Zeroizing;

use super::channel::Channel;
use super::codec;
use super::error::{Error, Malformed, Result};
use super::tag::Tag;

/// The version of the protocol spoken by this program.
pub const VERSION: u16 = 6;

/// The first bytes of a hello of any version.
pub const MAGIC: &[u8; 10] = b"dealerless";

/// The maximum size of the hello's body in bytes in this version.
pub const MAX_BODY_BYTES: usize = 1024;

const PREFIX_BYTES: usize = MAGIC.len() + 2;

/// The maximum size of a hello in any version. The first bytes of other protocols, read as a
/// length, exceed this maximum.
const MAX_BYTES_OF_ANY_VERSION: u32 = u16::MAX as u32;

/// Sends this side's hello. Each side must send its hello before it waits for the peer's hello, so
/// that both sides detect a mismatch.
///
/// # Errors
/// [`Error::Unsendable`] if the body takes more than [`MAX_BODY_BYTES`]; any error of
/// [`Transport::send`](crate::net::Transport::send).
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
/// [`Error::Malformed`] if the peer does not speak dealerless or the body is malformed;
/// [`Error::Version`], with both versions, if the peer speaks a different version;
/// [`Error::Aborted`], [`Error::Lost`], [`Error::Timeout`].
pub fn recv_hello<B: DeserializeOwned>(channel: &mut Channel) -> Result<B> {
    channel.guarded(|channel| {
        let stranger = || Error::Malformed(Malformed::Stranger);
        let header = channel.recv_header()?;
        if header.tag != Tag::HELLO.byte() || header.len > MAX_BYTES_OF_ANY_VERSION {
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
