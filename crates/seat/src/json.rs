//! Reads JSON from players, pages and files.

use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeOwned, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// Reads a value. Every reader of JSON from outside uses this function: if an object has a key twice,
/// it is not clear which of the two is meant (RFC 8259, section 4), and two readers could choose
/// differently.
///
/// # Errors
/// If the text is not JSON, if an object has a key twice, or if the value is not a `T`.
pub fn read<T: DeserializeOwned>(text: &[u8]) -> serde_json::Result<T> {
    serde_json::from_slice::<UniqueKeys>(text)?;
    serde_json::from_slice(text)
}

/// A value whose objects have no duplicate keys.
struct UniqueKeys;

impl<'de> serde::Deserialize<'de> for UniqueKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueKeys)
    }
}

impl<'de> Visitor<'de> for UniqueKeys {
    type Value = UniqueKeys;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        let mut keys = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            map.next_value::<UniqueKeys>()?;
            if let Some(key) = keys.replace(key) {
                return Err(A::Error::custom(format_args!(
                    "the key {key:?} occurs twice"
                )));
            }
        }
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self, A::Error> {
        while list.next_element::<UniqueKeys>()?.is_some() {}
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::read;

    #[test]
    fn a_key_that_occurs_twice_is_an_error_at_any_depth() {
        for text in [
            r#"{"to":4,"to":50}"#,
            r#"{"a":1,"b":{"c":[{"d":0,"e":1,"d":0}]}}"#,
            r#"[{"a":null,"\u0061":null}]"#,
        ] {
            let error = read::<Value>(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains("occurs twice"), "{text}: {error}");
        }
        for text in [
            r#"{"a":{"a":[true,-1,1.5,"x",null]},"b":18446744073709551615}"#,
            r#"[{"a":1},{"a":2}]"#,
            "7",
        ] {
            let expected: Value = serde_json::from_str(text).unwrap();
            assert_eq!(read::<Value>(text.as_bytes()).unwrap(), expected);
        }
        assert!(read::<Value>(b"{\"a\":1} x").is_err());
        assert!(read::<Value>("[".repeat(1000).as_bytes()).is_err());
    }
}
