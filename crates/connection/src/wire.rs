//! The canonical encoding of everything that is sent, signed or stored: little-endian numbers, and
//! byte strings prefixed with their length. Each value has exactly one encoding, and [`Reader`]
//! accepts no other.

/// Writes values one after another.
#[derive(Default)]
pub struct Writer(Vec<u8>);

impl Writer {
    /// Writes a number.
    pub fn u8(&mut self, value: u8) -> &mut Self {
        self.raw(&[value])
    }

    /// Writes a number.
    pub fn u16(&mut self, value: u16) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    /// Writes a number.
    pub fn u32(&mut self, value: u32) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    /// Writes a number.
    pub fn u64(&mut self, value: u64) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    /// Writes bytes without a length prefix. The reader must know their number.
    pub fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }

    /// Writes a byte string of at most 65 535 bytes, prefixed with its length.
    ///
    /// # Panics
    /// If the string is longer.
    pub fn string(&mut self, bytes: &[u8]) -> &mut Self {
        let len = u16::try_from(bytes.len()).expect("at most 65 535 bytes");
        self.u16(len).raw(bytes)
    }

    /// Writes 1 for `true` and 0 for `false`.
    pub fn bools(&mut self, values: &[bool]) -> &mut Self {
        self.0.extend(values.iter().copied().map(u8::from));
        self
    }

    /// The written bytes.
    pub fn finish(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.0)
    }
}

/// Reads values one after another. Never allocates memory for a length that exceeds the input.
pub struct Reader<'a>(&'a [u8]);

/// The bytes are not an output of [`Writer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("non-canonical encoding")]
pub struct Malformed;

impl<'a> Reader<'a> {
    /// Reads from the first of these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader(bytes)
    }

    /// Reads `N` bytes.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (array, rest) = self.0.split_first_chunk().ok_or(Malformed)?;
        self.0 = rest;
        Ok(*array)
    }

    /// Reads a number.
    pub fn u8(&mut self) -> Result<u8, Malformed> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    /// Reads a number.
    pub fn u16(&mut self) -> Result<u16, Malformed> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    /// Reads a number.
    pub fn u32(&mut self) -> Result<u32, Malformed> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// Reads a number.
    pub fn u64(&mut self) -> Result<u64, Malformed> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// Reads `count` bytes.
    pub fn raw(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or(Malformed)?;
        self.0 = rest;
        Ok(bytes)
    }

    /// Reads all remaining bytes.
    pub fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }

    /// Reads a length-prefixed byte string of at most `max` bytes.
    pub fn string(&mut self, max: usize) -> Result<&'a [u8], Malformed> {
        let len = usize::from(self.u16()?);
        if len > max {
            return Err(Malformed);
        }
        self.raw(len)
    }

    /// Reads a length-prefixed text of at most `max` bytes.
    pub fn text(&mut self, max: usize) -> Result<&'a str, Malformed> {
        str::from_utf8(self.string(max)?).map_err(|_| Malformed)
    }

    /// Reads 1 as `true` and 0 as `false`.
    pub fn bool(&mut self) -> Result<bool, Malformed> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Malformed),
        }
    }

    /// Fails if bytes are left over.
    pub fn finish(self) -> Result<(), Malformed> {
        match self.0 {
            [] => Ok(()),
            _ => Err(Malformed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_round_trip() {
        let mut writer = Writer::default();
        let bytes = writer
            .u8(1)
            .u16(2)
            .u32(3)
            .u64(4)
            .raw(b"ab")
            .string(b"cde")
            .finish();
        let mut reader = Reader::new(&bytes);
        assert_eq!(
            (reader.u8(), reader.u16(), reader.u32(), reader.u64()),
            (Ok(1), Ok(2), Ok(3), Ok(4))
        );
        assert_eq!(
            (reader.raw(2), reader.string(3)),
            (Ok(&b"ab"[..]), Ok(&b"cde"[..]))
        );
        assert_eq!(reader.finish(), Ok(()));
    }

    #[test]
    fn truncated_oversized_and_trailing_bytes_are_refused() {
        let bytes = Writer::default().string(b"cde").finish();
        for end in 0..bytes.len() {
            assert_eq!(Reader::new(&bytes[..end]).string(3), Err(Malformed));
        }
        assert_eq!(Reader::new(&bytes).string(2), Err(Malformed));
        assert_eq!(Reader::new(&bytes).finish(), Err(Malformed));
    }
}
