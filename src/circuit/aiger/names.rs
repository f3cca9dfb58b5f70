//! The names of inputs or outputs, and the values that their indices form.

use std::collections::HashMap;

use super::AigerErrorKind as Kind;

/// The names of the input bits, or of the output bits.
pub(in crate::circuit) struct Names {
    /// `input` or `output`.
    what: &'static str,
    bits: usize,
    /// The name of each bit, or `None`. Empty if no bit has a name.
    names: Vec<Option<Box<[u8]>>>,
}

impl Names {
    pub(in crate::circuit) fn new(what: &'static str, bits: usize) -> Self {
        let names = Vec::new();
        Names { what, bits, names }
    }

    pub(in crate::circuit) fn set(&mut self, place: u32, name: &[u8]) -> Result<(), Kind> {
        let (what, count) = (self.what, self.bits);
        if place as usize >= count {
            return Err(Kind::NoSuchBit { what, place, count });
        }
        self.names.resize(count, None);
        let entry = &mut self.names[place as usize];
        if entry.is_some() {
            return Err(Kind::NamedTwice { what, place });
        }
        *entry = Some(name.into());
        Ok(())
    }

    /// The values that the names form. `a[0]` and `a[1]` are bits of one value, and a name without
    /// an index is a value of one bit. Values come in the order of their first bits, and the bits
    /// of a value in the order of their indices. If a bit has no name, or if two bits have the same
    /// name, all bits are one value.
    pub(super) fn values(&self) -> Values {
        self.named_values()
            .unwrap_or_else(|| Values::one(self.bits))
    }

    fn named_values(&self) -> Option<Values> {
        let mut numbers = HashMap::new();
        let mut bits = Vec::with_capacity(self.names.len());
        for (place, name) in (0..).zip(&self.names) {
            let (value, index) = match split(name.as_deref()?) {
                (value, Some(index)) => ((value, true), index),
                (value, None) => ((value, false), 0),
            };
            let next = numbers.len();
            bits.push((*numbers.entry(value).or_insert(next), index, place));
        }
        bits.sort_unstable();
        let mut widths = vec![0; numbers.len()];
        bits.iter().for_each(|&(value, ..)| widths[value] += 1);
        let repeated =
            (bits.windows(2)).any(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1));
        let order = bits.into_iter().map(|(_, _, place)| place).collect();
        (!repeated && !self.names.is_empty()).then_some(Values { widths, order })
    }
}

/// Bits, grouped into values.
pub(super) struct Values {
    /// The number of bits of each value.
    pub(super) widths: Vec<usize>,
    /// The places of the bits in the file: those of the first value, those of the second, and so
    /// on.
    pub(super) order: Vec<u32>,
}

impl Values {
    /// All bits as one value, in the order of the file. There is no value if there are no bits.
    pub(super) fn one(bits: usize) -> Self {
        Values {
            widths: if bits > 0 { vec![bits] } else { Vec::new() },
            order: (0..bits as u32).collect(),
        }
    }
}

/// Splits `a[7]` into `a` and 7. The index is `None` in any other name.
fn split(name: &[u8]) -> (&[u8], Option<u64>) {
    let index = || {
        let open = name.iter().rposition(|&byte| byte == b'[')?;
        let digits = name[open + 1..].strip_suffix(b"]")?;
        let digits = str::from_utf8(digits).ok()?;
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let index = digits.parse().ok().filter(|_| is_number)?;
        Some((&name[..open], Some(index)))
    };
    index().unwrap_or((name, None))
}
