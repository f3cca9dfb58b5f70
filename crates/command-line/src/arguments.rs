//! Command-line values and options that several commands share.

use std::iter;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use dealerless::deck::Choice;
use dealerless::net::Deadlines;
use dealerless::shuffle::Algorithm;

/// Returns a parser for the name of an algorithm, or `auto`. The help lists all names.
pub fn algorithm() -> impl TypedValueParser<Value = Choice> {
    let names = iter::once("auto").chain(Algorithm::ALL.map(Algorithm::name));
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Choice>())
}

/// Checks that an address has the form HOST:PORT, since the system's own error does not mention
/// this form. Does not resolve the host.
///
/// # Errors
/// If the host is missing, or the port is missing or invalid.
pub fn address(text: &str) -> Result<String, String> {
    match text.rsplit_once(':') {
        Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok() => Ok(text.into()),
        _ => Err("expected an address HOST:PORT, for example 127.0.0.1:5252".into()),
    }
}

/// The default timeout for a message.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The timeout for a phase, which has many messages, as a multiple of the timeout for a message.
const PHASE_FACTOR: u32 = 4;

/// The timeout option for messages of the peer.
#[derive(clap::Args, Clone, Copy, Default)]
pub struct TimeoutArgs {
    /// Seconds to wait for a message; a phase has four times as long [default: 30].
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
}

impl TimeoutArgs {
    /// Returns the options with `default` instead of 30 seconds.
    pub fn or(self, default: Duration) -> Self {
        TimeoutArgs {
            timeout: self.timeout.or(Some(default)),
        }
    }

    /// Returns the time to wait for the peer to connect, which is unlimited without the option.
    pub fn patience(&self) -> Duration {
        self.timeout.unwrap_or(Duration::MAX)
    }

    /// Returns the timeout for a message.
    pub fn message(&self) -> Duration {
        self.timeout.unwrap_or(TIMEOUT)
    }

    /// Returns the timeouts for a message and for a phase.
    pub fn deadlines(&self) -> Deadlines {
        let message = self.message();
        Deadlines {
            message,
            phase: message.saturating_mul(PHASE_FACTOR),
        }
    }
}

/// Parses a finite number of seconds above 0.
pub fn seconds(text: &str) -> Result<Duration, String> {
    text.parse()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| "expected a number of seconds above 0".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_requires_host_and_port() {
        for text in ["127.0.0.1:5252", "localhost:0", "[::1]:65535"] {
            assert_eq!(address(text).as_deref(), Ok(text));
        }
        for text in [
            "",
            "5252",
            ":5252",
            "localhost",
            "localhost:",
            "a:65536",
            "a:b",
        ] {
            assert!(address(text).is_err(), "{text}");
        }
    }

    #[test]
    fn seconds_must_be_finite_and_above_zero() {
        assert_eq!(seconds("1.5"), Ok(Duration::from_millis(1500)));
        for text in ["0", "-1", "NaN", "inf", "1e300", "soon", ""] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
