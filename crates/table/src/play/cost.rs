//! The cost of dealing.

use std::time::Duration;

use dealerless::deck;
use dealerless::mpc::TwoParty;
use dealerless::net::Traffic;

/// The cost of a piece of work of an engine. The two sides work at the same time, and the time
/// includes waiting for the other side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// The time from the start to the end of the work.
    pub time: Duration,
    /// The bytes between the two engines in both directions, without the overhead of the
    /// connection.
    pub bytes: u64,
    /// The flights in both directions, as this side counts them; see [`Traffic`].
    pub flights: u64,
}

impl Spent {
    /// Does a piece of work in a session and measures its cost. `now` is the clock: the time since
    /// any fixed moment.
    ///
    /// # Errors
    /// The error of `work`.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn measure<S: TwoParty, R>(
        session: &mut S,
        now: fn() -> Duration,
        work: impl FnOnce(&mut S) -> deck::Result<R>,
    ) -> deck::Result<(R, Self)> {
        let (begun, before) = (now(), session.traffic());
        let done = work(session)?;
        let after = session.traffic();
        let bytes = |traffic: Traffic| traffic.bytes_sent + traffic.bytes_received;
        let flights = |traffic: Traffic| traffic.flights_sent + traffic.flights_received;
        let spent = Spent {
            time: now().saturating_sub(begun),
            bytes: bytes(after) - bytes(before),
            flights: flights(after) - flights(before),
        };
        Ok((done, spent))
    }
}

/// The finished preprocessing for later hands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prepared {
    /// The number of hands.
    pub hands: u32,
    /// The cost for all these hands.
    pub spent: Spent,
}

impl Prepared {
    pub(super) fn add(&mut self, more: Self) {
        self.hands = self.hands.saturating_add(more.hands);
        self.spent.time += more.spent.time;
        self.spent.bytes += more.spent.bytes;
        self.spent.flights += more.spent.flights;
    }
}

/// The cost of a deal for this side, without the setup of the connection before its first deal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DealCost {
    /// The cost of the shuffle. It includes the preprocessing if none was done ahead, as for the
    /// first shuffle on a connection.
    pub shuffle: Spent,
    /// The preprocessing since the last reported cost, for this hand and later hands.
    pub prepared: Prepared,
    /// The number of AND gates of the circuit that both sides compute jointly.
    pub ands: usize,
}
