//! Values and options of several commands.

use std::iter;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use dealerless::deck::Choice;
use dealerless::net::Deadlines;
use dealerless::shuffle::Algorithm;

/// Parses the name of an algorithm, or `auto`, and lists them in the help.
pub fn algorithm() -> impl TypedValueParser<Value = Choice> {
    let names = iter::once("auto").chain(Algorithm::ALL.map(Algorithm::name));
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Choice>())
}

/// Checks that an address of the command line has a host and a port; both may be wrong.
///
/// # Errors
/// If the host or the port is missing. The system's own message would not name the format.
pub fn address(text: &str) -> Result<String, String> {
    match text.rsplit_once(':') {
        Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok() => Ok(text.into()),
        _ => Err("an address is HOST:PORT, for example 127.0.0.1:5252".into()),
    }
}

/// The deadline of a message, in seconds, unless the user sets it.
const TIMEOUT: f64 = 30.0;

/// Deadline of a phase, which is many messages, as a multiple of that of a message.
const MESSAGES_A_PHASE: u32 = 4;

/// Timeout for the peer.
#[derive(clap::Args, Clone, Copy, Default)]
pub struct TimeoutArgs {
    /// Seconds for a message; four times that for a phase [default: 30].
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
}

impl TimeoutArgs {
    /// The same options with another default.
    pub fn or(self, default: Duration) -> Self {
        TimeoutArgs {
            timeout: self.timeout.or(Some(default)),
        }
    }

    /// Timeout for a connection: none, unless the user sets one.
    pub fn patience(&self) -> Duration {
        self.timeout.unwrap_or(Duration::MAX)
    }

    /// Timeout for a message.
    pub fn message(&self) -> Duration {
        self.timeout.unwrap_or(Duration::from_secs_f64(TIMEOUT))
    }

    /// Timeouts for a message and for a phase.
    pub fn deadlines(&self) -> Deadlines {
        let message = self.message();
        Deadlines {
            message,
            phase: message.saturating_mul(MESSAGES_A_PHASE),
        }
    }
}

/// Parses a finite number of seconds above 0.
pub fn seconds(text: &str) -> Result<Duration, String> {
    text.parse()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| "a number of seconds above 0 is needed".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_host_and_a_port() {
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
    fn a_timeout_is_a_finite_number_of_seconds_above_zero() {
        assert_eq!(seconds("1.5"), Ok(Duration::from_millis(1500)));
        for text in ["0", "-1", "NaN", "inf", "1e300", "soon", ""] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
