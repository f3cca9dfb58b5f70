//! Sessions over a plain connection, as `circuit run` and `bench` use them, and what they do not protect.

use std::net::{SocketAddr, TcpListener};
use std::time::{Duration, Instant};

use anyhow::Context;
use dealerless::circuit::Party;
use dealerless::mpc::{self, Offer, STATISTICAL_SECURITY, Security};
use dealerless::net::{Channel, Deadlines, TcpTransport, Transport};
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;

/// What a session evaluates.
#[derive(Clone, Copy)]
pub(crate) enum Evaluates {
    /// A shuffle, from which cards are dealt.
    Deck,
    /// Any circuit.
    Circuit,
}

/// What every screen says where two machines talk over plain TCP.
pub(crate) const PLAIN_LINE: &str = "\
The line is neither encrypted nor authenticated: somebody in the middle can read
it, change it or pose as the peer. Use it on a network that you trust.";

/// The deadline of a message, in seconds, unless the user sets it.
const TIMEOUT: f64 = 30.0;

/// A phase, which is many messages, may last so many times as long as one message.
const MESSAGES_A_PHASE: u32 = 4;

/// The options of a session over a plain connection.
#[derive(clap::Args)]
pub(crate) struct SessionArgs {
    /// What to be protected against: malicious, or (for research) semi-honest.
    #[arg(long, value_name = "SECURITY", default_value = "malicious")]
    pub(crate) security: Security,
    /// The bits of statistical security, which only `bench` lets the user choose.
    #[arg(skip = STATISTICAL_SECURITY)]
    pub(crate) statistical_security: u8,
    #[command(flatten)]
    pub(crate) timeout: TimeoutArgs,
}

/// How long the other side has.
#[derive(clap::Args, Clone, Copy, Default)]
pub(crate) struct TimeoutArgs {
    /// Seconds for a message; four times that for a phase [default: 30].
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
}

/// What a session of this security protects, and what it does not.
pub(crate) fn notice(security: Security, evaluates: Evaluates) -> &'static str {
    match (security, evaluates) {
        (Security::Malicious, Evaluates::Deck) => {
            "\
Security: malicious. A peer that does anything but follow the protocol is caught
before it gains: it cannot stack the deck or peek. It can still walk away."
        }
        (Security::Malicious, Evaluates::Circuit) => {
            "\
Security: malicious. A peer that does anything but follow the protocol is caught
before it gains: it cannot change an output, or learn more than the outputs tell.
It can still walk away."
        }
        (Security::SemiHonest, Evaluates::Deck) => {
            "\
Security: semi-honest. It protects against a peer that follows the protocol and
looks at all it gets. It does NOT protect against a peer that deviates from the
protocol: such a peer can stack the deck, or peek at hidden cards and inputs."
        }
        (Security::SemiHonest, Evaluates::Circuit) => {
            "\
Security: semi-honest. It protects against a peer that follows the protocol and
looks at all it gets. It does NOT protect against a peer that deviates from the
protocol: such a peer can change an output, or learn the inputs."
        }
    }
}

impl SessionArgs {
    /// As [`notice()`].
    pub(crate) fn notice(&self, evaluates: Evaluates) -> &'static str {
        notice(self.security, evaluates)
    }

    /// As [`TimeoutArgs::patience`].
    pub(crate) fn patience(&self) -> Duration {
        self.timeout.patience()
    }

    /// As [`TimeoutArgs::message`].
    pub(crate) fn message(&self) -> Duration {
        self.timeout.message()
    }
}

impl TimeoutArgs {
    /// With another default.
    pub(crate) fn or(self, default: Duration) -> Self {
        TimeoutArgs {
            timeout: self.timeout.or(Some(default)),
        }
    }

    /// How long to wait for somebody to connect: for ever, unless the user says otherwise.
    pub(crate) fn patience(&self) -> Duration {
        self.timeout.unwrap_or(Duration::MAX)
    }

    /// How long the peer has for a message.
    pub(crate) fn message(&self) -> Duration {
        self.timeout.unwrap_or(Duration::from_secs_f64(TIMEOUT))
    }

    /// How long the peer has for a message, and for a phase.
    pub(crate) fn deadlines(&self) -> Deadlines {
        let message = self.message();
        Deadlines {
            message,
            phase: message.saturating_mul(MESSAGES_A_PHASE),
        }
    }
}

/// Reads a finite number of seconds above 0.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    text.parse()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| "a number of seconds above 0 is needed".into())
}

/// Checks that an address of the command line has a host and a port; both may be wrong.
///
/// # Errors
/// When it has not: what the system says about that helps nobody.
pub(crate) fn address(text: &str) -> Result<String, String> {
    match text.rsplit_once(':') {
        Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok() => Ok(text.into()),
        _ => Err("an address is HOST:PORT, for example 127.0.0.1:5252".into()),
    }
}

/// The operating system's generator.
pub(crate) fn system_rng() -> UnwrapErr<SysRng> {
    UnwrapErr(SysRng)
}

/// Opens the door, and gives the address that it has.
///
/// # Errors
/// When the address cannot be used.
pub(crate) fn listen(address: &str) -> anyhow::Result<(TcpListener, SocketAddr)> {
    let listener =
        TcpListener::bind(address).with_context(|| format!("cannot listen on {address}"))?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// Both have said hello; nothing depends on it yet.
pub(crate) struct Greeting<T: Transport = TcpTransport> {
    greeting: mpc::Greeting<T>,
    took: Duration,
}

/// A session that is ready to run circuits.
pub(crate) struct Session<T: Transport = TcpTransport> {
    /// This side of it.
    pub(crate) party: mpc::Session<T>,
    /// How long hello and base OTs took, as seen from this side.
    pub(crate) setup: Duration,
}

impl<T: Transport> Greeting<T> {
    /// Says hello with `terms`.
    ///
    /// # Errors
    /// Those of [`mpc::Greeting::exchange`].
    pub(crate) fn exchange(
        transport: T,
        role: Party,
        args: &SessionArgs,
        terms: &[u8],
    ) -> mpc::Result<Self> {
        let begun = Instant::now();
        let channel = Channel::new(transport, args.timeout.deadlines());
        let offer = Offer::new(role, args.security)
            .statistical_security(args.statistical_security)
            .terms(terms);
        let greeting = mpc::Greeting::exchange(channel, offer, &mut system_rng())?;
        Ok(Greeting {
            greeting,
            took: begun.elapsed(),
        })
    }

    /// What the peer's hello says on the layer above.
    pub(crate) fn peer_terms(&self) -> &[u8] {
        self.greeting.peer_terms()
    }

    /// Leaves, and lets the peer know that it was on purpose.
    pub(crate) fn refuse(self) {
        self.greeting.refuse();
    }

    /// The channel, for messages that no session sends.
    pub(crate) fn into_channel(self) -> Channel<T> {
        self.greeting.into_channel().0
    }

    /// Sets up the base OTs.
    ///
    /// # Errors
    /// Those of [`mpc::Session::setup`].
    pub(crate) fn set_up(self) -> mpc::Result<Session<T>> {
        let begun = Instant::now();
        let party = mpc::Session::setup(self.greeting, &mut system_rng())?;
        Ok(Session {
            party,
            setup: self.took + begun.elapsed(),
        })
    }
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
