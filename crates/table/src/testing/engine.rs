//! The engine of a seat.

use std::sync::Arc;

use dealerless::mpc::Uncounted;
use dealerless::net::{Channel, Deadlines, MemoryTransport, system_time};
use dealerless_connection::system_rng;

use crate::play::{Binding, DealCircuit, Dealer, Done};
use crate::seat::Seat;

/// Starts the engine of a seat on a connection with this handshake.
pub(super) fn start(
    (seat, handshake): (Seat, [u8; 32]),
    circuit: &Arc<DealCircuit>,
    connection: MemoryTransport,
    report: impl Fn(Done) -> bool + Send + 'static,
) -> Dealer {
    let binding = Binding {
        seat,
        handshake,
        circuit: Arc::clone(circuit),
        attempts: Box::new(Uncounted),
        now: system_time,
    };
    let channel = Channel::new(connection, Deadlines::default());
    Dealer::start(channel, binding, system_rng(), |_| {}, report)
}
