//! What it takes to deal.

use std::time::{Duration, Instant};

use dealerless::deck;
use dealerless::mpc::TwoParty;
use dealerless::net::Traffic;

/// What a piece of work of an engine took. The two sides work at the same time: each waits for the
/// other, and that is part of the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// From its begin to its end.
    pub time: Duration,
    /// Bytes between the two engines, both ways. What the line adds to them is not counted.
    pub bytes: u64,
    /// Flights both ways, as this side counts them: see [`Traffic`].
    pub flights: u64,
}

impl Spent {
    /// Does a piece of work in a session, and measures it.
    ///
    /// # Errors
    /// Those of the work.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn measure<S: TwoParty, R>(
        session: &mut S,
        work: impl FnOnce(&mut S) -> deck::Result<R>,
    ) -> deck::Result<(R, Self)> {
        let (begun, before) = (Instant::now(), session.traffic());
        let done = work(session)?;
        let after = session.traffic();
        let bytes = |traffic: Traffic| traffic.bytes_sent + traffic.bytes_received;
        let flights = |traffic: Traffic| traffic.flights_sent + traffic.flights_received;
        let spent = Spent {
            time: begun.elapsed(),
            bytes: bytes(after) - bytes(before),
            flights: flights(after) - flights(before),
        };
        Ok((done, spent))
    }
}

/// What was made ahead for hands that come later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prepared {
    /// For so many hands.
    pub hands: u32,
    /// All together.
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

/// What a deal cost this side. What a line takes once, before its first deal, is no part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DealCost {
    /// The shuffle. If nothing was made ahead for it, that is part of it: so it is with the first one on
    /// a line.
    pub shuffle: Spent,
    /// What was made ahead, for this hand and later ones, since the cost of a deal was told last.
    pub prepared: Prepared,
    /// The AND gates of the circuit that both sides compute together.
    pub ands: usize,
}
