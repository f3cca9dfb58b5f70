//! The kinds of all frames that the parties send.

use std::fmt;

use crate::{dice, mpc, net, ot};

/// The kind of a frame of any layer. A `match` on it covers every frame of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Hello,
    Abort,
    Ot(ot::Tag),
    Mpc(mpc::Tag),
    Dice(dice::Tag),
}

impl Kind {
    pub fn all() -> impl Iterator<Item = Kind> {
        let layers = (ot::Tag::ALL.iter().map(|&tag| Kind::Ot(tag)))
            .chain(mpc::Tag::ALL.iter().map(|&tag| Kind::Mpc(tag)))
            .chain(dice::Tag::ALL.iter().map(|&tag| Kind::Dice(tag)));
        [Kind::Hello, Kind::Abort].into_iter().chain(layers)
    }

    pub fn from_byte(byte: u8) -> Option<Kind> {
        Kind::all().find(|kind| kind.byte() == byte)
    }

    pub fn byte(self) -> u8 {
        self.tag().byte()
    }

    pub fn tag(self) -> net::Tag {
        match self {
            Kind::Hello => net::Tag::HELLO,
            Kind::Abort => net::Tag::ABORT,
            Kind::Ot(tag) => tag.tag(),
            Kind::Mpc(tag) => tag.tag(),
            Kind::Dice(tag) => tag.tag(),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tag().fmt(f)
    }
}
