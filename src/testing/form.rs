//! What may be wrong with the form of a message, whatever it says.

use rand::RngExt;

use super::kind::Kind;
use super::session::system_rng;
use super::tap::{Fate, Fates, Frame, FrameIndex, frame};

/// What is done to the form of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The connection is closed before it.
    CutBefore,
    /// The connection is closed in the middle of it.
    CutWithin,
    /// Nothing comes any more, from it on.
    StalledBefore,
    /// Nothing comes any more, from its middle on.
    StalledWithin,
    Repeated,
    Dropped,
    /// It changes places with the next one.
    AfterTheNext,
    /// Its last byte is missing, and its header says so.
    Shorter,
    /// Its last byte is missing, and its header does not say so.
    ShorterThanItSays,
    /// It has a byte more, and its header says so.
    Longer,
    /// Its header says that it is as long as can be.
    Endless,
    /// It is called something else.
    OtherTag,
    /// There is an abort in its place.
    Aborted,
}

impl Form {
    /// What becomes of all that is sent if the message at this place has this form.
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

    /// Whether the receiver may have to wait for what does not come.
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
