//! Sessions over a plain connection, as `circuit run` and `bench` use them, and what they do not protect.

use std::net::{SocketAddr, TcpListener};
use std::time::{Duration, Instant};

use anyhow::Context;
use dealerless::circuit::Party;
use dealerless::mpc::{self, Offer, STATISTICAL_SECURITY, Security};
use dealerless::net::{Channel, Transport};
use dealerless_program::arguments::TimeoutArgs;
use dealerless_program::system_rng;

/// What a session evaluates.
#[derive(Clone, Copy)]
pub enum Evaluates {
    /// A shuffle, from which cards are dealt.
    Deck,
    /// Any circuit.
    Circuit,
}

/// What every screen says where two machines talk over plain TCP.
pub const PLAIN_LINE: &str = "\
The line is neither encrypted nor authenticated: somebody in the middle can read
it, change it or pose as the peer. Use it on a network that you trust.";

/// The options of a session over a plain connection.
#[derive(clap::Args)]
pub struct SessionArgs {
    /// What to be protected against: malicious, or (for research) semi-honest.
    #[arg(long, value_name = "SECURITY", default_value = "malicious")]
    pub security: Security,
    /// The bits of statistical security, which only `bench` lets the user choose.
    #[arg(skip = STATISTICAL_SECURITY)]
    pub(crate) statistical_security: u8,
    /// Timeout for the peer.
    #[command(flatten)]
    pub timeout: TimeoutArgs,
}

/// What a session of this security protects, and what it does not.
pub fn notice(security: Security, evaluates: Evaluates) -> &'static str {
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
    /// What a session with this security protects, and what it does not.
    pub fn notice(&self, evaluates: Evaluates) -> &'static str {
        notice(self.security, evaluates)
    }

    /// As [`TimeoutArgs::patience`].
    pub fn patience(&self) -> Duration {
        self.timeout.patience()
    }

    /// As [`TimeoutArgs::message`].
    pub fn message(&self) -> Duration {
        self.timeout.message()
    }
}

/// Opens the door, and gives the address that it has.
///
/// # Errors
/// When the address cannot be used.
pub fn listen(address: &str) -> anyhow::Result<(TcpListener, SocketAddr)> {
    let listener =
        TcpListener::bind(address).with_context(|| format!("cannot listen on {address}"))?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// Both have said hello; nothing depends on it yet.
pub struct Greeting {
    greeting: mpc::Greeting,
    took: Duration,
}

/// A session that is ready to run circuits.
pub struct Session {
    /// This side of it.
    pub party: mpc::Session,
    /// How long hello and base OTs took, as seen from this side.
    pub setup: Duration,
}

impl Greeting {
    /// Says hello with `terms`.
    ///
    /// # Errors
    /// Those of [`mpc::Greeting::exchange`].
    pub fn exchange(
        transport: impl Transport + 'static,
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
    pub fn peer_terms(&self) -> &[u8] {
        self.greeting.peer_terms()
    }

    /// Leaves, and lets the peer know that it was on purpose.
    pub fn refuse(self) {
        self.greeting.refuse();
    }

    /// The channel, for messages that no session sends.
    pub(crate) fn into_channel(self) -> Channel {
        self.greeting.into_channel().0
    }

    /// Sets up the base OTs.
    ///
    /// # Errors
    /// Those of [`mpc::Session::setup`].
    pub fn set_up(self) -> mpc::Result<Session> {
        let begun = Instant::now();
        let party = mpc::Session::setup(self.greeting, &mut system_rng())?;
        Ok(Session {
            party,
            setup: self.took + begun.elapsed(),
        })
    }
}
