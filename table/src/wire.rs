//! The one encoding of what travels, is signed and is kept: little-endian numbers, and strings of
//! bytes after their length. There is one way to write a value, and a reader takes no other.

/// Writes values, one after the other.
#[derive(Default)]
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    pub(crate) fn u8(&mut self, value: u8) -> &mut Self {
        self.raw(&[value])
    }

    pub(crate) fn u16(&mut self, value: u16) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    pub(crate) fn u32(&mut self, value: u32) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    pub(crate) fn u64(&mut self, value: u64) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    /// Bytes whose number the reader knows.
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }

    /// A string of at most 65 535 bytes, after its length.
    ///
    /// # Panics
    /// If it is longer.
    pub(crate) fn string(&mut self, bytes: &[u8]) -> &mut Self {
        let len = u16::try_from(bytes.len()).expect("a string of at most 65 535 bytes");
        self.u16(len).raw(bytes)
    }

    pub(crate) fn finish(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.0)
    }
}

/// Reads values, one after the other. Nothing is allocated before the bytes are there.
pub(crate) struct Reader<'a>(&'a [u8]);

/// The bytes are not what [`Writer`] writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bytes are not in the one encoding of these values")]
pub(crate) struct Malformed;

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Reader(bytes)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (array, rest) = self.0.split_first_chunk().ok_or(Malformed)?;
        self.0 = rest;
        Ok(*array)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Malformed> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    pub(crate) fn u16(&mut self) -> Result<u16, Malformed> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Malformed> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Malformed> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// So many bytes.
    pub(crate) fn raw(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or(Malformed)?;
        self.0 = rest;
        Ok(bytes)
    }

    /// A string, after its length, of at most `most` bytes.
    pub(crate) fn string(&mut self, most: usize) -> Result<&'a [u8], Malformed> {
        let len = usize::from(self.u16()?);
        if len > most {
            return Err(Malformed);
        }
        self.raw(len)
    }

    /// Nothing may be left.
    pub(crate) fn finish(self) -> Result<(), Malformed> {
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
    fn what_is_written_is_read() {
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
    fn what_is_cut_too_long_or_left_over_is_refused() {
        let bytes = Writer::default().string(b"cde").finish();
        for end in 0..bytes.len() {
            assert_eq!(Reader::new(&bytes[..end]).string(3), Err(Malformed));
        }
        assert_eq!(Reader::new(&bytes).string(2), Err(Malformed));
        assert_eq!(Reader::new(&bytes).finish(), Err(Malformed));
    }
}
