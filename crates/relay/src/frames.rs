//! The frames of a WebSocket (RFC 6455), on the side of the server. Payloads are passed on as they
//! arrive, so a frame of any size needs no buffer.

use std::io::Cursor;

use tungstenite::protocol::frame::FrameHeader;
use tungstenite::protocol::frame::coding::{CloseCode, Control, Data, OpCode};

/// The maximum length of a frame's head.
pub(crate) const MAX_HEAD: usize = 14;
/// The maximum length of the payload of a control frame.
const MAX_CONTROL: usize = 125;

/// The mean size, with its head, below which frames are small.
const SMALL: usize = 64;

/// What the bytes of a client held.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Decoded {
    /// The length of the payload, which is now at the beginning of the bytes.
    pub(crate) len: usize,
    /// The answer to the last ping.
    pub(crate) pong: Option<Vec<u8>>,
    /// The close frame for the client, if the connection is over.
    pub(crate) close: Option<Vec<u8>>,
}

/// The decoder of the frames of a client.
#[derive(Default)]
pub(crate) struct Frames {
    head: [u8; MAX_HEAD],
    /// The number of received bytes of the next head.
    head_len: usize,
    current: Option<Current>,
    /// Whether a message is incomplete, and the next data frame continues it.
    in_message: bool,
    /// The received payload of a control frame.
    control: Vec<u8>,
    closed: bool,
    /// Whether the last bytes held many small frames.
    are_small: bool,
}

/// The frame of which the payload arrives.
struct Current {
    opcode: OpCode,
    left: u64,
    mask: [u8; 4],
}

impl Frames {
    /// Decodes the next bytes, in place.
    pub(crate) fn decode(&mut self, bytes: &mut [u8]) -> Decoded {
        let mut decoded = Decoded::default();
        let mut at = 0;
        let mut begun = 0;
        while at < bytes.len() && !self.closed {
            if self.current.is_none() {
                self.head[self.head_len] = bytes[at];
                self.head_len += 1;
                at += 1;
                match self.begin() {
                    Ok(()) => begun += usize::from(self.current.is_some()),
                    Err(code) => self.close(code, &mut decoded),
                }
            } else {
                at += self.payload(bytes, at, &mut decoded);
            }
            // A frame without payload is complete with its head.
            if self.current.as_ref().is_some_and(|frame| frame.left == 0) {
                self.complete(&mut decoded);
            }
        }
        self.are_small = begun * SMALL > bytes.len();
        decoded
    }

    /// Whether decoding takes long for the number of bytes.
    pub(crate) fn are_small(&self) -> bool {
        self.are_small
    }

    /// Begins a frame if its head is complete.
    fn begin(&mut self) -> Result<(), CloseCode> {
        // RFC 6455, 5.1: the frames of a client are masked.
        let is_masked = |second: u8| second & 0x80 != 0;
        let len = match self.head[1] {
            _ if self.head_len < 2 => return Ok(()),
            second if !is_masked(second) => return Err(CloseCode::Protocol),
            0xfe => 8,
            0xff => MAX_HEAD,
            _ => 6,
        };
        if self.head_len < len {
            return Ok(());
        }
        let mut cursor = Cursor::new(&self.head[..len]);
        let parsed = FrameHeader::parse(&mut cursor).map_err(|_| CloseCode::Protocol)?;
        let (head, left) = parsed.ok_or(CloseCode::Protocol)?;
        self.head_len = 0;
        // 5.2: without extensions, the reserved bits are zero, and so is the first bit of a length.
        let mask = head.mask.ok_or(CloseCode::Protocol)?;
        if head.rsv1 || head.rsv2 || head.rsv3 || left >> 63 != 0 {
            return Err(CloseCode::Protocol);
        }
        match head.opcode {
            OpCode::Control(_) if !head.is_final || left > MAX_CONTROL as u64 => {
                return Err(CloseCode::Protocol);
            }
            OpCode::Control(_) => {}
            OpCode::Data(Data::Text) => return Err(CloseCode::Unsupported),
            // 5.4: a message is continued by frames of this kind, and only by them.
            OpCode::Data(kind) if (kind == Data::Continue) != self.in_message => {
                return Err(CloseCode::Protocol);
            }
            OpCode::Data(_) => self.in_message = !head.is_final,
        }
        let opcode = head.opcode;
        self.current = Some(Current { opcode, left, mask });
        Ok(())
    }

    /// Takes payload of the current frame from `bytes[at..]`, and returns how much.
    fn payload(&mut self, bytes: &mut [u8], at: usize, decoded: &mut Decoded) -> usize {
        let Some(frame) = &mut self.current else {
            return 0;
        };
        let available = bytes.len() - at;
        let len = usize::try_from(frame.left).map_or(available, |left| left.min(available));
        for (byte, mask) in bytes[at..at + len]
            .iter_mut()
            .zip(frame.mask.iter().cycle())
        {
            *byte ^= mask;
        }
        frame.mask.rotate_left(len % 4);
        frame.left -= len as u64;
        match frame.opcode {
            OpCode::Data(_) => {
                bytes.copy_within(at..at + len, decoded.len);
                decoded.len += len;
            }
            OpCode::Control(_) => self.control.extend_from_slice(&bytes[at..at + len]),
        }
        len
    }

    fn complete(&mut self, decoded: &mut Decoded) {
        let Some(frame) = self.current.take() else {
            return;
        };
        let OpCode::Control(kind) = frame.opcode else {
            return;
        };
        let payload = std::mem::take(&mut self.control);
        match kind {
            Control::Ping => decoded.pong = Some(control(Control::Pong, &payload)),
            Control::Close => self.close(CloseCode::Normal, decoded),
            // `begin` has refused the reserved kinds.
            Control::Pong | Control::Reserved(_) => {}
        }
    }

    fn close(&mut self, code: CloseCode, decoded: &mut Decoded) {
        self.closed = true;
        decoded.close = Some(close(code));
    }
}

/// Writes the head of a binary frame with this length to the end of `room`, and returns the length
/// of the head.
pub(crate) fn binary_head(len: usize, room: &mut [u8; MAX_HEAD]) -> usize {
    let opcode = OpCode::Data(Data::Binary);
    let head = frame_head(opcode, len);
    room[MAX_HEAD - head.len()..].copy_from_slice(&head);
    head.len()
}

/// A ping.
pub(crate) fn ping() -> Vec<u8> {
    control(Control::Ping, &[])
}

/// A close frame.
pub(crate) fn close(code: CloseCode) -> Vec<u8> {
    control(Control::Close, &u16::from(code).to_be_bytes())
}

fn control(kind: Control, payload: &[u8]) -> Vec<u8> {
    let mut frame = frame_head(OpCode::Control(kind), payload.len());
    frame.extend_from_slice(payload);
    frame
}

fn frame_head(opcode: OpCode, len: usize) -> Vec<u8> {
    let head = FrameHeader {
        opcode,
        ..FrameHeader::default()
    };
    let mut bytes = Vec::with_capacity(MAX_HEAD);
    head.format(len as u64, &mut bytes)
        .expect("a vector accepts all bytes");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A masked frame.
    fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
        let mask = [7, 0, 200, 31];
        let head = FrameHeader {
            mask: Some(mask),
            ..FrameHeader::default()
        };
        let mut bytes = Vec::new();
        head.format(payload.len() as u64, &mut bytes).unwrap();
        bytes[0] = first;
        bytes.extend(payload.iter().zip(mask.iter().cycle()).map(|(a, b)| a ^ b));
        bytes
    }

    /// Decodes these bytes in pieces of this length.
    fn decode(bytes: &[u8], piece: usize) -> (Vec<u8>, Vec<Decoded>) {
        let mut frames = Frames::default();
        let mut payload = Vec::new();
        let decoded = bytes.chunks(piece).map(|bytes| {
            let mut bytes = bytes.to_vec();
            let decoded = frames.decode(&mut bytes);
            payload.extend_from_slice(&bytes[..decoded.len]);
            decoded
        });
        let decoded = decoded.collect();
        (payload, decoded)
    }

    #[test]
    fn payloads_of_all_lengths_and_pieces_are_unmasked() {
        let mut sent = Vec::new();
        let mut wire = Vec::new();
        for len in [0, 1, 2, 3, 125, 126, 127, 65_535, 65_536, 100_001] {
            let payload: Vec<u8> = (0..len).map(|i| (i * 7 + len) as u8).collect();
            wire.extend(frame(0x82, &payload));
            sent.extend(payload);
        }
        for piece in [1, 2, 3, 5, 1000, 16_384, wire.len()] {
            let (received, decoded) = decode(&wire, piece);
            assert!(received == sent, "{piece}");
            assert!(
                decoded
                    .iter()
                    .all(|it| it.pong.is_none() && it.close.is_none())
            );
        }
    }

    #[test]
    fn small_frames_are_noticed() {
        let mut frames = Frames::default();
        frames.decode(&mut frame(0x82, &[1; 20]).repeat(100));
        assert!(frames.are_small());
        frames.decode(&mut frame(0x82, &[1; 1000]));
        assert!(!frames.are_small());
    }

    #[test]
    fn control_frames_between_fragments_are_answered() {
        let wire = [
            frame(0x02, b"one "),
            frame(0x89, b"ping"),
            frame(0x00, b"two "),
            frame(0x8a, b"pong"),
            frame(0x80, b"three"),
            frame(0x88, b""),
            frame(0x82, b"after"),
        ];
        for piece in [1, 4, 1000] {
            let (payload, decoded) = decode(&wire.concat(), piece);
            assert_eq!(payload, b"one two three");
            let pongs: Vec<_> = decoded.iter().filter_map(|it| it.pong.as_ref()).collect();
            assert_eq!(pongs, [b"\x8a\x04ping"]);
            let closes: Vec<_> = decoded.iter().filter_map(|it| it.close.as_ref()).collect();
            assert_eq!(closes, [b"\x88\x02\x03\xe8"]);
        }
    }

    #[test]
    fn frames_that_rfc_6455_forbids_close_the_connection() {
        let unmasked = b"\x82\x02hi".to_vec();
        let mut long = vec![0x82, 0xff];
        long.extend([0xff; 12]);
        for (wire, code) in [
            (unmasked, CloseCode::Protocol),
            (long, CloseCode::Protocol),
            (frame(0x81, b"text"), CloseCode::Unsupported),
            (frame(0x80, b"continues nothing"), CloseCode::Protocol),
            (frame(0x83, b"reserved"), CloseCode::Protocol),
            (frame(0x8b, b"reserved"), CloseCode::Protocol),
            (frame(0xc2, b"an extension"), CloseCode::Protocol),
            (frame(0x09, b"fragment"), CloseCode::Protocol),
            (frame(0x89, &[0; 126]), CloseCode::Protocol),
            (
                [frame(0x02, b""), frame(0x82, b"")].concat(),
                CloseCode::Protocol,
            ),
        ] {
            let (payload, decoded) = decode(&wire, 1);
            assert!(payload.is_empty());
            let closes: Vec<_> = decoded.into_iter().filter_map(|it| it.close).collect();
            assert_eq!(closes, [close(code)], "{wire:?}");
        }
    }
}
