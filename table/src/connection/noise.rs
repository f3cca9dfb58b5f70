//! The two handshakes of Noise, by `snow`, and the frames after them.
//!
//! A handshake becomes a [`Sealer`] and an [`Opener`] by value. Each has a counter of its own, so
//! that one thread can send while another receives. The first frame that does not open ends the
//! opener: `snow` itself would go on.

use std::sync::Arc;

use snow::{Builder, HandshakeState, StatelessTransportState};

use super::invite::InviteSecret;
use crate::identity::{Identity, PublicIdentity, is_x25519_key};

const FIRST: &str = "Noise_XKpsk0_25519_ChaChaPoly_BLAKE2s";
const AGAIN: &str = "Noise_KK_25519_ChaChaPoly_BLAKE2s";

/// The length of what says that a frame is genuine.
pub(super) const TAG_LEN: usize = 16;
/// The length of a handshake message with an ephemeral key and no payload: the first and the second
/// of both handshakes.
pub(super) const SHORT_MESSAGE: usize = 32 + TAG_LEN;
/// The longest message of Noise.
const MAX_NOISE: usize = 65_535;

/// A message of Noise does not verify.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotGenuine;

/// A handshake under way.
pub(super) struct Handshake {
    state: HandshakeState,
    /// Messages that were read or written.
    messages: usize,
}

/// What a handshake ends with.
pub(super) struct Agreed {
    pub(super) sealer: Sealer,
    pub(super) opener: Opener,
    pub(super) handshake_hash: [u8; 32],
}

impl Handshake {
    /// The guest of an invite.
    pub(super) fn first_guest(
        own: &Identity,
        host_key: &[u8; 32],
        secret: &InviteSecret,
        prologue: &[u8],
    ) -> Self {
        Self::build(FIRST, own, Some(host_key), Some(secret), prologue, true)
    }

    /// The host of an invite.
    pub(super) fn first_host(own: &Identity, secret: &InviteSecret, prologue: &[u8]) -> Self {
        Self::build(FIRST, own, None, Some(secret), prologue, false)
    }

    /// Who meets a known peer.
    pub(super) fn again_guest(own: &Identity, peer: &PublicIdentity, prologue: &[u8]) -> Self {
        Self::build(AGAIN, own, Some(peer.x25519()), None, prologue, true)
    }

    /// Who is met by a known peer.
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
            match initiator {
                true => builder.build_initiator(),
                false => builder.build_responder(),
            }
        };
        let state = built().expect("all that the pattern needs is given, with its length");
        Handshake { state, messages: 0 }
    }

    /// Writes the next message.
    pub(super) fn write(&mut self, payload: &[u8]) -> Vec<u8> {
        let mut message = vec![0; payload.len() + 32 + 32 + 2 * TAG_LEN];
        let written = self.state.write_message(payload, &mut message);
        message.truncate(written.expect("it is our turn, and payloads are short"));
        self.messages += 1;
        message
    }

    /// Reads the next message and gives its payload.
    pub(super) fn read(&mut self, message: &[u8]) -> Result<Vec<u8>, NotGenuine> {
        // The first two begin with an ephemeral key. `snow` takes one of small order, whose
        // secret everybody knows.
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

    /// The X25519 key that the other has proved to hold, once it has.
    pub(super) fn peer_key(&self) -> Option<[u8; 32]> {
        self.state.get_remote_static()?.try_into().ok()
    }

    /// Ends the handshake after its last message.
    pub(super) fn finish(self) -> Agreed {
        let hash = self.state.get_handshake_hash();
        let handshake_hash = hash.try_into().expect("BLAKE2s gives 32 bytes");
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

/// Encrypts frames in their order.
pub(super) struct Sealer {
    state: Arc<StatelessTransportState>,
    nonce: u64,
}

impl Sealer {
    /// Appends the frame of these bytes, `u16 length | ciphertext`.
    pub(super) fn seal(&mut self, plain: &[u8], out: &mut Vec<u8>) {
        let len = plain.len() + TAG_LEN;
        let prefix = u16::try_from(len).expect("a frame has at most 65 535 bytes");
        out.extend_from_slice(&prefix.to_le_bytes());
        let start = out.len();
        out.resize(start + len, 0);
        let written = self
            .state
            .write_message(self.nonce, plain, &mut out[start..]);
        written.expect("the frame fits, and 2^64 are never sent");
        self.nonce += 1;
    }
}

/// Decrypts frames in their order, until one does not open.
pub(super) struct Opener {
    state: Option<Arc<StatelessTransportState>>,
    nonce: u64,
}

impl Opener {
    /// Opens the ciphertext of the next frame into `plain`, which is long enough for all.
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

    /// Opens one frame into bytes of its own.
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
    fn the_lengths_of_the_short_messages_are_what_they_are_said_to_be() {
        for (mut guest, mut host) in both([b"p"; 2], [9; 2]) {
            let first = guest.write(&[]);
            assert_eq!(host.read(&first), Ok(vec![]));
            let second = host.write(&[]);
            assert_eq!(guest.read(&second), Ok(vec![]));
            assert_eq!([first.len(), second.len()], [SHORT_MESSAGE; 2]);
        }
    }

    #[test]
    fn another_prologue_or_another_secret_does_not_verify() {
        for (mut guest, mut host) in both([b"p", b"q"], [9; 2]) {
            assert_eq!(host.read(&guest.write(&[])), Err(NotGenuine));
        }
        let [(mut guest, mut host), _] = both([b"p"; 2], [9, 8]);
        assert_eq!(host.read(&guest.write(&[])), Err(NotGenuine));
    }

    #[test]
    fn ephemeral_keys_of_small_order_or_not_canonical_are_refused() {
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
    fn a_frame_that_does_not_open_ends_the_opener() {
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
