//! The two Noise handshakes, implemented with the crate `snow`, and the encrypted frames that
//! follow them.
//!
//! A completed handshake returns a [`Sealer`] and an [`Opener`]. Each has its own nonce counter, so
//! that one thread can send while another receives. After a frame that is not genuine, an
//! [`Opener`] decrypts no more frames; `snow` alone would continue.

use std::sync::Arc;

use snow::{Builder, HandshakeState, StatelessTransportState};

use super::invite::InviteSecret;
use crate::identity::{Identity, PublicIdentity, is_x25519_key};

const FIRST: &str = "Noise_XKpsk0_25519_ChaChaPoly_BLAKE2s";
const AGAIN: &str = "Noise_KK_25519_ChaChaPoly_BLAKE2s";

/// The length of an authentication tag in bytes.
pub(super) const TAG_LEN: usize = 16;
/// The length of the first two messages of both handshakes: an ephemeral key, a tag and no payload.
pub(super) const SHORT_MESSAGE: usize = 32 + TAG_LEN;
/// The maximum length of a Noise message in bytes.
const MAX_NOISE: usize = 65_535;

/// A Noise message was not made by the expected peer, or was modified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotGenuine;

/// A handshake in progress.
pub(super) struct Handshake {
    state: HandshakeState,
    /// The number of messages read or written.
    messages: usize,
}

/// The result of a handshake.
pub(super) struct Agreed {
    pub(super) sealer: Sealer,
    pub(super) opener: Opener,
    pub(super) handshake_hash: [u8; 32],
}

impl Handshake {
    /// Starts the handshake of a guest with the host of an invite.
    pub(super) fn first_guest(
        own: &Identity,
        host_key: &[u8; 32],
        secret: &InviteSecret,
        prologue: &[u8],
    ) -> Self {
        Self::build(FIRST, own, Some(host_key), Some(secret), prologue, true)
    }

    /// Starts the handshake of a host with the guest of an invite.
    pub(super) fn first_host(own: &Identity, secret: &InviteSecret, prologue: &[u8]) -> Self {
        Self::build(FIRST, own, None, Some(secret), prologue, false)
    }

    /// Starts the handshake of a guest with a known peer.
    pub(super) fn again_guest(own: &Identity, peer: &PublicIdentity, prologue: &[u8]) -> Self {
        Self::build(AGAIN, own, Some(peer.x25519()), None, prologue, true)
    }

    /// Starts the handshake of a host with a known peer.
    pub(super) fn again_host(own: &Identity, peer: &PublicIdentity, prologue: &[u8]) -> Self {
        Self::build(AGAIN, own, Some(peer.x25519()), None, prologue, false)
    }

    fn build(
        pattern: &str,
        own: &Identity,
        peer: Option<&[u8; 32]>,
        secret: Option<&InviteSecret>,
        prologue: &[u8],
        initiator: bool,
    ) -> Self {
        let key = own.noise_key();
        let built = || {
            let params = pattern.parse()?;
            let mut builder = Builder::new(params)
                .prologue(prologue)?
                .local_private_key(&key[..])?;
            if let Some(peer) = peer {
                builder = builder.remote_public_key(peer)?;
            }
            if let Some(secret) = secret {
                builder = builder.psk(0, &secret.0)?;
            }
            if initiator {
                builder.build_initiator()
            } else {
                builder.build_responder()
            }
        };
        let state = built().expect("all keys of the pattern are given with valid lengths");
        Handshake { state, messages: 0 }
    }

    /// Writes the next message.
    pub(super) fn write(&mut self, payload: &[u8]) -> Vec<u8> {
        let mut message = vec![0; payload.len() + 32 + 32 + 2 * TAG_LEN];
        let written = self.state.write_message(payload, &mut message);
        message.truncate(written.expect("messages alternate and payloads are short"));
        self.messages += 1;
        message
    }

    /// Reads the next message and returns its payload.
    pub(super) fn read(&mut self, message: &[u8]) -> Result<Vec<u8>, NotGenuine> {
        // The first two messages start with an ephemeral key. `snow` accepts a key of small order,
        // whose shared secrets are publicly known.
        if self.messages < 2 {
            let ephemeral = message.first_chunk().ok_or(NotGenuine)?;
            if !is_x25519_key(ephemeral) {
                return Err(NotGenuine);
            }
        }
        let mut payload = vec![0; message.len()];
        let read = self.state.read_message(message, &mut payload);
        payload.truncate(read.map_err(|_| NotGenuine)?);
        self.messages += 1;
        Ok(payload)
    }

    /// The X25519 key of the peer, once the peer has proved that it holds the private key.
    pub(super) fn peer_key(&self) -> Option<[u8; 32]> {
        self.state.get_remote_static()?.try_into().ok()
    }

    /// Ends the handshake after its last message.
    pub(super) fn finish(self) -> Agreed {
        let hash = self.state.get_handshake_hash();
        let handshake_hash = hash.try_into().expect("a BLAKE2s hash has 32 bytes");
        let state = self.state.into_stateless_transport_mode();
        let state = Arc::new(state.expect("all messages were exchanged"));
        Agreed {
            sealer: Sealer {
                state: Arc::clone(&state),
                nonce: 0,
            },
            opener: Opener {
                state: Some(state),
                nonce: 0,
            },
            handshake_hash,
        }
    }
}

/// Encrypts frames in order.
pub(super) struct Sealer {
    state: Arc<StatelessTransportState>,
    nonce: u64,
}

impl Sealer {
    /// Appends the encrypted frame, `u16 length | ciphertext`.
    pub(super) fn seal(&mut self, plain: &[u8], out: &mut Vec<u8>) {
        let len = plain.len() + TAG_LEN;
        let prefix = u16::try_from(len).expect("a frame has at most 65 535 bytes");
        out.extend_from_slice(&prefix.to_le_bytes());
        let start = out.len();
        out.resize(start + len, 0);
        let written = self
            .state
            .write_message(self.nonce, plain, &mut out[start..]);
        written.expect("the frame fits, and 2^64 frames are never sent");
        self.nonce += 1;
    }
}

/// Decrypts frames in order. Stops for good at the first frame that is not genuine.
pub(super) struct Opener {
    state: Option<Arc<StatelessTransportState>>,
    nonce: u64,
}

impl Opener {
    /// Decrypts the next frame into `plain`, which must be long enough. Returns the plaintext's
    /// length.
    pub(super) fn open(
        &mut self,
        ciphertext: &[u8],
        plain: &mut [u8],
    ) -> Result<usize, NotGenuine> {
        let state = self.state.as_ref().ok_or(NotGenuine)?;
        match state.read_message(self.nonce, ciphertext, plain) {
            Ok(len) => {
                self.nonce += 1;
                Ok(len)
            }
            Err(_) => {
                self.state = None;
                Err(NotGenuine)
            }
        }
    }

    /// Decrypts one frame into a new vector.
    pub(super) fn open_alone(&mut self, ciphertext: &[u8]) -> Result<Vec<u8>, NotGenuine> {
        let mut plain = vec![0; ciphertext.len().min(MAX_NOISE)];
        let len = self.open(ciphertext, &mut plain)?;
        plain.truncate(len);
        Ok(plain)
    }
}

#[cfg(test)]
mod tests {
    use zeroize::Zeroizing;

    use super::*;

    fn players() -> [Identity; 2] {
        [1, 2].map(|seed| Identity::from_seed([seed; 32]))
    }

    /// The guest and the host of both handshakes.
    fn both(prologues: [&[u8]; 2], secrets: [u8; 2]) -> [(Handshake, Handshake); 2] {
        let [host, guest] = players();
        let [one, two] = secrets.map(|secret| InviteSecret(Zeroizing::new([secret; 32])));
        let [a, b] = prologues;
        let key = host.public().x25519();
        let first = Handshake::first_guest(&guest, key, &one, a);
        let again = Handshake::again_guest(&guest, host.public(), a);
        [
            (first, Handshake::first_host(&host, &two, b)),
            (again, Handshake::again_host(&host, guest.public(), b)),
        ]
    }

    #[test]
    fn short_messages_have_the_expected_length() {
        for (mut guest, mut host) in both([b"p"; 2], [9; 2]) {
            let first = guest.write(&[]);
            assert_eq!(host.read(&first), Ok(vec![]));
            let second = host.write(&[]);
            assert_eq!(guest.read(&second), Ok(vec![]));
            assert_eq!([first.len(), second.len()], [SHORT_MESSAGE; 2]);
        }
    }

    #[test]
    fn a_wrong_prologue_or_secret_is_refused() {
        for (mut guest, mut host) in both([b"p", b"q"], [9; 2]) {
            assert_eq!(host.read(&guest.write(&[])), Err(NotGenuine));
        }
        let [(mut guest, mut host), _] = both([b"p"; 2], [9, 8]);
        assert_eq!(host.read(&guest.write(&[])), Err(NotGenuine));
    }

    #[test]
    fn weak_and_non_canonical_ephemeral_keys_are_refused() {
        let mut high = [0; 32];
        (high[0], high[31]) = (9, 0x80);
        for key in [[0; 32], high] {
            for (mut guest, mut host) in both([b"p"; 2], [9; 2]) {
                let first = guest.write(&[]);
                let mut changed = first.clone();
                changed[..32].copy_from_slice(&key);
                assert_eq!(host.read(&changed), Err(NotGenuine));
                assert!(!is_x25519_key(&key));
                host.read(&first).unwrap();
                let mut second = host.write(&[]);
                second[..32].copy_from_slice(&key);
                assert_eq!(guest.read(&second), Err(NotGenuine));
            }
        }
        let [(mut guest, _), _] = both([b"p"; 2], [9; 2]);
        guest.write(&[]);
        assert_eq!(guest.read(&[1; 31]), Err(NotGenuine));
    }

    #[test]
    fn a_forged_frame_ends_the_opener() {
        for (mut guest, mut host) in both([b"p"; 2], [9; 2]) {
            host.read(&guest.write(&[])).unwrap();
            guest.read(&host.write(&[])).unwrap();
            if !guest.state.is_handshake_finished() {
                host.read(&guest.write(b"payload")).unwrap();
            }
            let (mut guest, mut host) = (guest.finish(), host.finish());
            assert_eq!(guest.handshake_hash, host.handshake_hash);
            let mut frames = [Vec::new(), Vec::new(), Vec::new()];
            for frame in &mut frames {
                guest.sealer.seal(b"frame", frame);
            }
            assert_eq!(
                host.opener.open_alone(&frames[0][2..]),
                Ok(b"frame".to_vec())
            );
            assert_eq!(host.opener.open_alone(&frames[2][2..]), Err(NotGenuine));
            assert_eq!(host.opener.open_alone(&frames[1][2..]), Err(NotGenuine));
        }
    }
}
