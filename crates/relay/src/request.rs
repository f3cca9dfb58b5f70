//! The line by which a client says for whom it waits.

/// The token of two players, as sent: 64 hexadecimal digits.
pub(crate) type Token = [u8; 64];
/// The side of a player, as sent: 16 hexadecimal digits.
pub(crate) type Side = [u8; 16];
/// Proof that a client has opened a code before, as sent: 32 hexadecimal digits.
pub(crate) type Key = [u8; 32];

/// What a client asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// `please relay TOKEN`, or `please relay TOKEN for side SIDE`: the transit relay's.
    Relay { token: Token, side: Option<Side> },
    /// `please open a code as KEY`.
    OpenCode(Key),
    /// `please open code N as KEY`: again.
    OpenAgain(u32, Key),
    /// `please use code N`.
    UseCode(u32),
}

/// The line is malformed or too long.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

impl Request {
    /// The maximum length of the line, with its end.
    pub(crate) const MAX_LEN: usize = 256;

    /// Reads the line at the beginning of `bytes`, and returns its length with its end. `None` if
    /// the line is incomplete.
    ///
    /// # Errors
    /// [`Malformed`].
    pub(crate) fn read(bytes: &[u8]) -> Result<Option<(Self, usize)>, Malformed> {
        let most = bytes.len().min(Self::MAX_LEN);
        match bytes[..most].iter().position(|byte| *byte == b'\n') {
            Some(end) => Ok(Some((Self::parse(&bytes[..end])?, end + 1))),
            None if most == Self::MAX_LEN => Err(Malformed),
            None => Ok(None),
        }
    }

    fn parse(line: &[u8]) -> Result<Self, Malformed> {
        let words = line.strip_prefix(b"please ").ok_or(Malformed)?;
        if let Some(key) = words.strip_prefix(b"open a code as ") {
            return digits(key).map(Request::OpenCode).ok_or(Malformed);
        }
        if let Some(words) = words.strip_prefix(b"open code ") {
            let (number, key) = words.split_last_chunk::<32>().ok_or(Malformed)?;
            let number = number.strip_suffix(b" as ").and_then(code);
            let again = number.zip(digits(key));
            let again = again.map(|(number, key)| Request::OpenAgain(number, key));
            return again.ok_or(Malformed);
        }
        if let Some(number) = words.strip_prefix(b"use code ") {
            return code(number).map(Request::UseCode).ok_or(Malformed);
        }
        let rest = words.strip_prefix(b"relay ").ok_or(Malformed)?;
        let (token, rest) = rest.split_first_chunk::<64>().ok_or(Malformed)?;
        let token = digits(token).ok_or(Malformed)?;
        let side = match rest.strip_prefix(b" for side ") {
            Some(side) => Some(digits(side).ok_or(Malformed)?),
            None if rest.is_empty() => None,
            None => return Err(Malformed),
        };
        Ok(Request::Relay { token, side })
    }
}

/// This number of hexadecimal digits.
fn digits<const LEN: usize>(text: &[u8]) -> Option<[u8; LEN]> {
    let digits = <[u8; LEN]>::try_from(text).ok()?;
    digits.iter().all(u8::is_ascii_hexdigit).then_some(digits)
}

/// A decimal number without sign or leading zeros.
fn code(digits: &[u8]) -> Option<u32> {
    let number: u32 = str::from_utf8(digits).ok()?.parse().ok()?;
    (number.to_string().as_bytes() == digits).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Option<(Request, usize)>, Malformed> {
        Request::read(line.as_bytes())
    }

    #[test]
    fn complete_lines_are_read_to_their_end() {
        let token = "5f".repeat(32);
        let line = format!("please relay {token} for side 0123456789abcdef\nmore\n");
        let request = Request::Relay {
            token: token.as_bytes().try_into().unwrap(),
            side: Some(*b"0123456789abcdef"),
        };
        assert_eq!(read(&line), Ok(Some((request, line.len() - 5))));
        for end in 0..line.len() - 5 {
            assert_eq!(read(&line[..end]), Ok(None), "{end}");
        }
        let side = None;
        let token = token.as_bytes().try_into().unwrap();
        let line = format!("please relay {}\n", "5f".repeat(32));
        let request = Request::Relay { token, side };
        assert_eq!(read(&line), Ok(Some((request, line.len()))));
        let key = "0a".repeat(16);
        let digits = key.as_bytes().try_into().unwrap();
        assert_eq!(
            read(&format!("please open a code as {key}\n")),
            Ok(Some((Request::OpenCode(digits), 55)))
        );
        assert_eq!(
            read(&format!("please open code 70213 as {key}\n")),
            Ok(Some((Request::OpenAgain(70213, digits), 59)))
        );
        assert_eq!(
            read("please use code 7\n"),
            Ok(Some((Request::UseCode(7), 18)))
        );
    }

    #[test]
    fn malformed_and_long_lines_are_refused() {
        let token = "5f".repeat(32);
        for line in [
            "\n".to_owned(),
            "is this a relay\n".to_owned(),
            "please\n".to_owned(),
            "please relay \n".to_owned(),
            format!("please relay {token}\r\n"),
            format!("please relay {token} \n"),
            format!("please relay {token}5f\n"),
            format!("please relay {}xy\n", &token[2..]),
            format!("please relay {token} for side 0123456789abcde\n"),
            format!("please relay {token} for side 0123456789abcdeg\n"),
            format!("Please relay {token}\n"),
            "please use code \n".to_owned(),
            "please use code 07\n".to_owned(),
            "please use code +7\n".to_owned(),
            "please use code 4294967296\n".to_owned(),
            "please use code 7 \n".to_owned(),
            "please open a code\n".to_owned(),
            "please open a code as \n".to_owned(),
            format!("please open a code as {}\n", &token[..31]),
            format!("please open a code as {}\n", &token[..33]),
            format!("please open a code as {}x\n", &token[..31]),
            format!("please open code 7 {}\n", &token[..32]),
            format!("please open code 07 as {}\n", &token[..32]),
            format!("please open code  as {}\n", &token[..32]),
            format!("please open code 7 as {}x\n", &token[..31]),
            format!("please open code 7 as {}\n", &token[..31]),
            "a".repeat(256),
            format!("{}\n", "a".repeat(256)),
        ] {
            assert_eq!(read(&line), Err(Malformed), "{line}");
        }
        assert_eq!(read(&"a".repeat(255)), Ok(None));
    }
}
