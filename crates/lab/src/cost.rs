//! The traffic of a session, and the formatting of name/value lists.

use dealerless::circuit::Party;
use dealerless::net::Traffic;
use dealerless_command_line::output::{bytes, count};
use serde::Serialize;

/// The traffic between the parties in a whole session.
#[derive(Serialize)]
pub struct TrafficCost {
    /// Bytes sent by the garbler.
    garbler_bytes: u64,
    /// Bytes sent by the evaluator.
    evaluator_bytes: u64,
    /// Flights in both directions, as counted by this side. A flight is a run of messages in one
    /// direction. If both sides send at the same time, each may see the messages in another order,
    /// and their counts may differ.
    rounds: u64,
}

impl TrafficCost {
    /// Splits the traffic that `party` counted into the bytes sent by each party.
    pub fn seen_by(party: Party, traffic: Traffic) -> Self {
        let (garbler_bytes, evaluator_bytes) = match party {
            Party::Garbler => (traffic.bytes_sent, traffic.bytes_received),
            Party::Evaluator => (traffic.bytes_received, traffic.bytes_sent),
        };
        TrafficCost {
            garbler_bytes,
            evaluator_bytes,
            rounds: traffic.flights_sent + traffic.flights_received,
        }
    }

    /// Formats the costs as lines of a list; `garbler` and `evaluator` are names of the parties.
    pub fn describe(&self, garbler: &str, evaluator: &str) -> String {
        format!(
            "{}\n{}\n{}",
            line(&format!("{garbler} sent"), &bytes(self.garbler_bytes)),
            line(&format!("{evaluator} sent"), &bytes(self.evaluator_bytes)),
            line("flights", &count(self.rounds)),
        )
    }
}

/// Formats a name and its value as a line of a list.
pub fn line(name: &str, value: &str) -> String {
    format!("  {name:<16} {value}")
}
