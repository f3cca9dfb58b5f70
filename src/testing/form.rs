//! Defects in the form of a message, independent of its content.

use rand::RngExt;

use super::kind::Kind;
use super::session::system_rng;
use super::tap::{Fate, Fates, Frame, FrameIndex, frame};

/// A change to the form of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The connection is closed before the message.
    CutBefore,
    /// The connection is closed in the middle of the message.
    CutWithin,
    /// Neither the message nor anything after it is sent.
    StalledBefore,
    /// Neither the second half of the message nor anything after it is sent.
    StalledWithin,
    Repeated,
    Dropped,
    /// The message is swapped with the next one.
    AfterTheNext,
    /// The last byte is missing, and the header has the shorter length.
    Shorter,
    /// The last byte is missing, and the header has the original length.
    ShorterThanItSays,
    /// The message has an additional byte, and the header has the longer length.
    Longer,
    /// The header has the maximum length.
    Endless,
    /// The header has a different tag.
    OtherTag,
    /// The message is replaced by an abort.
    Aborted,
}

impl Form {
    /// Returns fates that give the message at `place` this form, and send all other messages
    /// unchanged.
    pub fn fates(self, place: FrameIndex) -> Fates {
        let mut kept_back = Vec::new();
        Box::new(move |frame| {
            let bytes = frame.to_bytes();
            if frame.place() != place {
                return Fate::Sent([bytes, std::mem::take(&mut kept_back)].concat());
            }
            if self == Form::AfterTheNext {
                kept_back = bytes;
                return Fate::Sent(Vec::new());
            }
            self.fate(&frame)
        })
    }

    fn fate(self, original: &Frame) -> Fate {
        let Frame { tag, payload, .. } = original;
        let (bytes, length) = (original.to_bytes(), payload.len() as u32);
        let half = bytes[..bytes.len() - payload.len().div_ceil(2)].to_vec();
        Fate::Sent(match self {
            Form::CutBefore => return Fate::Cut(Vec::new()),
            Form::CutWithin => return Fate::Cut(half),
            Form::StalledBefore => return Fate::Stalled(Vec::new()),
            Form::StalledWithin => return Fate::Stalled(half),
            Form::Repeated => bytes.repeat(2),
            Form::Dropped | Form::AfterTheNext => Vec::new(),
            Form::Shorter => frame(length - 1, *tag, &payload[..payload.len() - 1]),
            Form::ShorterThanItSays => frame(length, *tag, &payload[..payload.len() - 1]),
            Form::Longer => frame(length + 1, *tag, &[payload, &[0][..]].concat()),
            Form::Endless => frame(u32::MAX, *tag, payload),
            Form::OtherTag => {
                let known = [original.kind(), Kind::Abort];
                let others: Vec<Kind> = Kind::all().filter(|kind| !known.contains(kind)).collect();
                let other = others[system_rng().random_range(0..others.len())];
                frame(length, other.byte(), payload)
            }
            Form::Aborted => frame(0, Kind::Abort.byte(), &[]),
        })
    }

    /// Whether the receiver may have to wait for data that is never sent.
    pub fn may_keep_waiting(self) -> bool {
        match self {
            Form::StalledBefore
            | Form::StalledWithin
            | Form::Dropped
            | Form::AfterTheNext
            | Form::ShorterThanItSays => true,
            Form::CutBefore
            | Form::CutWithin
            | Form::Repeated
            | Form::Shorter
            | Form::Longer
            | Form::Endless
            | Form::OtherTag
            | Form::Aborted => false,
        }
    }
}
