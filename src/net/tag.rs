//! The types of frames.

use std::fmt;

/// The type of a frame: one byte on the wire, and a name for errors.
///
/// | bytes | used by |
/// |---|---|
/// | 0 to 15 | the channel: [`Tag::HELLO`] and [`Tag::ABORT`], fixed for all versions |
/// | 16 to 127 | the protocols of this library |
/// | 128 to 255 | engines and messages of other crates, which create tags with [`Tag::new`] |
///
/// A byte is never reused for another meaning.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tag {
    byte: u8,
    name: &'static str,
    /// The byte and name of every tag of the same layer; empty for a tag that stands alone.
    layer: &'static [(u8, &'static str)],
}

impl Tag {
    /// The first message of a session, in both directions.
    pub const HELLO: Tag = Tag::declared(1, "hello", &[]);
    /// The sender ends the session without giving a reason. The payload is empty. Allowed at any
    /// time.
    pub const ABORT: Tag = Tag::declared(2, "abort", &[]);

    /// Creates a tag for a protocol of another crate; `name` is used in errors.
    ///
    /// # Panics
    /// If `byte` is less than 128; in a constant this is a compile error.
    pub const fn new(byte: u8, name: &'static str) -> Self {
        assert!(byte >= 128, "tags below 128 are reserved");
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

    /// The name of the frame in errors.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// The name of the tag with the given byte, if it is a tag of the same layer or of the channel.
    /// Otherwise the number of the byte.
    pub(super) fn name_of(self, byte: u8) -> String {
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

/// Declares the tags of a layer: an enum with the number and the name of each variant in one table,
/// so that no number or name can be forgotten.
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
            /// All tags of the layer, in the order of their numbers.
            pub const ALL: &[Self] = &[$(Self::$tag),*];

            /// The tag as the type that the channel uses.
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

            /// The tag with the given byte, if this layer declares it.
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
