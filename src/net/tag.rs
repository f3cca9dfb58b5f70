//! The kinds of frames.

use std::fmt;

/// What a frame carries: one byte on the wire, and what it is called in errors.
///
/// | bytes | whose |
/// |---|---|
/// | 0 to 15 | the channel's: [`Tag::HELLO`] and [`Tag::ABORT`], the same in every version of the protocol |
/// | 16 to 127 | this library's protocols |
/// | 128 to 255 | free: for engines and messages of others, made with [`Tag::new`] |
///
/// Numbers are never reused for another meaning.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tag {
    byte: u8,
    name: &'static str,
    /// All tags that were declared together with this one.
    layer: &'static [(u8, &'static str)],
}

impl Tag {
    /// The first message of a session, both ways.
    pub const HELLO: Tag = Tag::declared(1, "hello", &[]);
    /// The sender ends the session and does not say why. Empty; allowed at any time.
    pub const ABORT: Tag = Tag::declared(2, "abort", &[]);

    /// A tag of somebody else's protocol; `name` stands for it in errors.
    ///
    /// # Panics
    /// If `byte` is less than 128; a constant does not compile then.
    pub const fn new(byte: u8, name: &'static str) -> Self {
        assert!(byte >= 128, "the tags below 128 are not free");
        Tag::declared(byte, name, &[])
    }

    /// A tag of this library.
    pub(crate) const fn declared(
        byte: u8,
        name: &'static str,
        layer: &'static [(u8, &'static str)],
    ) -> Self {
        Tag { byte, name, layer }
    }

    /// The byte on the wire.
    pub const fn byte(self) -> u8 {
        self.byte
    }

    /// What the frame is called in errors.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// What `byte` is called, if it is the tag of a layer that this one knows: its own and the
    /// channel's.
    pub(super) fn name_beside(self, byte: u8) -> String {
        let channel = [Tag::HELLO, Tag::ABORT].map(|tag| (tag.byte, tag.name));
        let mut known = self.layer.iter().chain(&channel);
        match known.find(|(known, _)| *known == byte) {
            Some((_, name)) => (*name).into(),
            None => format!("tag {byte}"),
        }
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tag({}, {:?})", self.byte, self.name)
    }
}

/// Declares the tags of a layer: an enum, its numbers and its names as one table, so that none can
/// be forgotten.
macro_rules! tags {
    (
        $(#[$about:meta])*
        pub enum $layer:ident {
            $($(#[$doc:meta])* $tag:ident = $number:literal, $name:literal;)*
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum $layer {
            $($(#[$doc])* $tag = $number,)*
        }

        impl $layer {
            /// All of them, in the order of their numbers.
            pub const ALL: &[Self] = &[$(Self::$tag),*];

            /// As the channel takes it.
            pub const fn tag(self) -> $crate::net::Tag {
                const NAMES: &[(u8, &str)] = &[$(($number, $name)),*];
                let name = match self {
                    $(Self::$tag => $name,)*
                };
                $crate::net::Tag::declared(self as u8, name, NAMES)
            }

            /// The byte on the wire.
            pub const fn byte(self) -> u8 {
                self as u8
            }

            /// The tag of a byte from the wire, if this layer has it.
            pub const fn from_byte(byte: u8) -> Option<Self> {
                match byte {
                    $($number => Some(Self::$tag),)*
                    _ => None,
                }
            }
        }

        impl From<$layer> for $crate::net::Tag {
            fn from(tag: $layer) -> Self {
                tag.tag()
            }
        }
    };
}
pub(crate) use tags;
