//! What two players say on a new line before their match begins or goes on.

use crate::wire::{Malformed, Reader, Writer};

/// What is said on the control stream. The guest begins, with one of the first three; the host
/// answers only if it does not agree, with one of the last two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// The guest sits down to the match that the host proposes.
    Sit,
    /// The guest goes on with the match of this id.
    Resume([u8; 32]),
    /// The guest [audits](crate::Auditing) the match of this id, which is over. What both open
    /// follows.
    Audit([u8; 32]),
    /// There is an open match of this id between the two. It is resumed; none is begun beside it.
    Open([u8; 32]),
    /// The host has no match of this id with the guest.
    Unknown([u8; 32]),
}

/// The bytes are nothing that is said on the control stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bytes are nothing that is said before a match")]
pub struct BadControl;

impl From<Malformed> for BadControl {
    fn from(Malformed: Malformed) -> Self {
        BadControl
    }
}

const SIT: u8 = 0;
const RESUME: u8 = 1;
const OPEN: u8 = 2;
const UNKNOWN: u8 = 3;
const AUDIT: u8 = 4;

impl Control {
    /// The bytes that stand for it.
    pub fn encode(self) -> Vec<u8> {
        let mut writer = Writer::default();
        match self {
            Control::Sit => writer.u8(SIT),
            Control::Resume(of) => writer.u8(RESUME).raw(&of),
            Control::Audit(of) => writer.u8(AUDIT).raw(&of),
            Control::Open(of) => writer.u8(OPEN).raw(&of),
            Control::Unknown(of) => writer.u8(UNKNOWN).raw(&of),
        };
        writer.finish()
    }

    /// What these bytes stand for.
    ///
    /// # Errors
    /// If they are not what [`encode`](Self::encode) writes.
    pub fn decode(bytes: &[u8]) -> Result<Self, BadControl> {
        let mut reader = Reader::new(bytes);
        let control = match reader.u8()? {
            SIT => Control::Sit,
            RESUME => Control::Resume(reader.array()?),
            OPEN => Control::Open(reader.array()?),
            UNKNOWN => Control::Unknown(reader.array()?),
            AUDIT => Control::Audit(reader.array()?),
            _ => return Err(BadControl),
        };
        reader.finish()?;
        Ok(control)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_encoding_and_nothing_else_is_read() {
        let of = [7; 32];
        for control in [
            Control::Sit,
            Control::Resume(of),
            Control::Open(of),
            Control::Unknown(of),
            Control::Audit(of),
        ] {
            let bytes = control.encode();
            assert_eq!(Control::decode(&bytes), Ok(control));
            let more = [&bytes[..], &[0]].concat();
            assert_eq!(Control::decode(&more), Err(BadControl));
            assert_eq!(Control::decode(&bytes[..bytes.len() - 1]), Err(BadControl));
        }
        assert_eq!(Control::decode(&[5]), Err(BadControl));
    }
}
