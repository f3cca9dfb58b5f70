//! What a session sends, and lines of a list.

use dealerless::circuit::Party;
use dealerless::net::Traffic;
use dealerless_program::output::{bytes, count};
use serde::Serialize;

/// What passed between the parties in a whole session.
#[derive(Serialize)]
pub struct LineCost {
    /// Bytes that the garbler sent.
    garbler_bytes: u64,
    /// Bytes that the evaluator sent.
    evaluator_bytes: u64,
    /// Flights both ways, as this side counts them: a run of messages in one direction is one, and
    /// where both send at once the two sides may see another order.
    rounds: u64,
}

impl LineCost {
    /// From the counts of one side.
    pub fn seen_by(party: Party, traffic: Traffic) -> Self {
        let (garbler_bytes, evaluator_bytes) = match party {
            Party::Garbler => (traffic.bytes_sent, traffic.bytes_received),
            Party::Evaluator => (traffic.bytes_received, traffic.bytes_sent),
        };
        LineCost {
            garbler_bytes,
            evaluator_bytes,
            rounds: traffic.flights_sent + traffic.flights_received,
        }
    }

    /// Lines for people, with what each party is called.
    pub fn describe(&self, garbler: &str, evaluator: &str) -> String {
        format!(
            "{}\n{}\n{}",
            line(&format!("{garbler} sent"), &bytes(self.garbler_bytes)),
            line(&format!("{evaluator} sent"), &bytes(self.evaluator_bytes)),
            line("flights", &count(self.rounds)),
        )
    }
}

/// A name and its value, as a line of a list.
pub fn line(name: &str, value: &str) -> String {
    format!("  {name:<16} {value}")
}
