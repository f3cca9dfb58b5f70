//! Sessions over a plain TCP connection for `circuit run` and `bench`, and the notices that say
//! what a session protects against.

use std::net::{SocketAddr, TcpListener};
use std::time::{Duration, Instant};

use anyhow::Context;
use dealerless::circuit::Party;
use dealerless::mpc::{self, EngineKind, Offer, STATISTICAL_SECURITY, Security};
use dealerless::net::{self, Channel, Malformed, Transport};
use dealerless_command_line::arguments::TimeoutArgs;
use dealerless_command_line::system_rng;

/// The kind of circuit that a session evaluates.
#[derive(Clone, Copy)]
pub enum Evaluates {
    /// A shuffle that deals cards.
    Deck,
    /// Any circuit.
    Circuit,
}

/// The warning shown whenever two machines use plain TCP.
pub const PLAIN_TCP_WARNING: &str = "\
The connection is neither encrypted nor authenticated: an attacker in the middle
can read it, change it or pose as the peer. Use it only on a network you trust.";

/// The options of a session over a plain connection.
#[derive(clap::Args)]
pub struct SessionArgs {
    /// Kind of adversary to protect against: malicious, or (for research) semi-honest.
    #[arg(
        long = "security",
        value_name = "SECURITY",
        default_value = "malicious"
    )]
    pub engine: EngineKind,
    /// Bits of statistical security; only `bench` has an option for this number.
    #[arg(skip = STATISTICAL_SECURITY)]
    pub(crate) statistical_security: u8,
    /// Timeouts for the peer.
    #[command(flatten)]
    pub timeout: TimeoutArgs,
}

/// The notice about what a session of this security protects against.
pub fn notice(security: Security, evaluates: Evaluates) -> &'static str {
    match (security, evaluates) {
        (Security::Malicious, Evaluates::Deck) => {
            "\
Security: malicious. A peer that deviates from the protocol is caught before it
gains anything: it cannot stack the deck or peek. It can still leave."
        }
        (Security::Malicious, Evaluates::Circuit) => {
            "\
Security: malicious. A peer that deviates from the protocol is caught before it
gains anything: it cannot change an output, or learn more than the outputs.
It can still leave."
        }
        (Security::SemiHonest, Evaluates::Deck) => {
            "\
Security: semi-honest. It protects against a peer that follows the protocol but
inspects every message. It does NOT protect against a peer that deviates from the
protocol: such a peer can stack the deck, or peek at hidden cards and inputs."
        }
        (Security::SemiHonest, Evaluates::Circuit) => {
            "\
Security: semi-honest. It protects against a peer that follows the protocol but
inspects every message. It does NOT protect against a peer that deviates from the
protocol: such a peer can change an output, or learn the inputs."
        }
    }
}

impl SessionArgs {
    /// The notice about what a session with these options protects against.
    pub fn notice(&self, evaluates: Evaluates) -> &'static str {
        notice(self.engine.security(), evaluates)
    }

    /// Same as [`TimeoutArgs::patience`].
    pub fn patience(&self) -> Duration {
        self.timeout.patience()
    }

    /// Same as [`TimeoutArgs::message`].
    pub fn message(&self) -> Duration {
        self.timeout.message()
    }
}

/// The timeout for the first byte of a peer that has connected. A silent stranger is dropped after
/// this time instead of after the timeout of a message, so that the real peer does not give up.
pub(crate) const FIRST_BYTE: Duration = Duration::from_secs(5);

/// Whether a listener drops a connection that failed with this error, and waits for the other party. A
/// hello of another version, or one that cannot be decoded, comes from the program of the other party.
pub(crate) fn is_of_a_stranger(error: &net::Error) -> bool {
    match error {
        net::Error::Version { .. } => false,
        net::Error::Malformed(malformed) => *malformed == Malformed::Stranger,
        _ => true,
    }
}

/// Listens on `address`. Returns the listener and its actual address.
///
/// # Errors
/// If the address cannot be used.
pub fn listen(address: &str) -> anyhow::Result<(TcpListener, SocketAddr)> {
    let listener =
        TcpListener::bind(address).with_context(|| format!("cannot listen on {address}"))?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// A session after the hellos and before the setup.
pub struct Greeting {
    greeting: mpc::Greeting,
    took: Duration,
}

/// A session that is ready to run circuits.
pub struct Session {
    /// This party's engine.
    pub party: mpc::Session,
    /// Time that the hellos and the base OTs took, as measured by this side.
    pub setup: Duration,
}

impl Greeting {
    /// Exchanges hellos with the peer. This party's hello contains `terms`.
    ///
    /// # Errors
    /// Same as [`mpc::Greeting::exchange`].
    pub fn exchange(
        transport: impl Transport + 'static,
        role: Party,
        args: &SessionArgs,
        terms: &[u8],
    ) -> mpc::Result<Self> {
        let begun = Instant::now();
        let channel = Channel::new(transport, args.timeout.deadlines());
        let offer = Offer::new(role, args.engine)
            .statistical_security(args.statistical_security)
            .terms(terms);
        let greeting = mpc::Greeting::exchange(channel, offer, &mut system_rng())?;
        Ok(Greeting {
            greeting,
            took: begun.elapsed(),
        })
    }

    /// The terms in the peer's hello. The caller compares them with its own terms.
    pub fn peer_terms(&self) -> &[u8] {
        self.greeting.peer_terms()
    }

    /// Tells the peer that this party refuses the session, and disconnects.
    pub fn refuse(self) {
        self.greeting.refuse();
    }

    /// Returns the channel for messages that belong to no session.
    pub(crate) fn into_channel(self) -> Channel {
        self.greeting.into_channel().0
    }

    /// Sets up the session, by running the base OTs.
    ///
    /// # Errors
    /// Same as [`mpc::Session::setup`].
    pub fn set_up(self) -> mpc::Result<Session> {
        let begun = Instant::now();
        let party = mpc::Session::setup(self.greeting, &mut system_rng())?;
        Ok(Session {
            party,
            setup: self.took + begun.elapsed(),
        })
    }
}
