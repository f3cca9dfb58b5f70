//! The memory that shuffles need, estimated before a circuit is built or anything is sent.

use super::choice::checks_seeds;
use crate::mpc::EngineKind;
use crate::shuffle::Spec;

/// Bytes that every process needs.
const BASE: u64 = 10_000_000;

/// Bytes for each AND while a circuit is built. The builder stores each wire in two tables.
const BUILDING: u64 = 270;

/// Bytes for each AND of a circuit, with the free gates between them.
const CIRCUIT: u64 = 110;

/// Bytes for each AND that one party of a session needs to prepare and run circuits.
const fn session(engine: EngineKind) -> u64 {
    match engine {
        // Labels, and temporary tables.
        EngineKind::SemiHonest => 80,
        // Leaky triples, several for each AND.
        EngineKind::Malicious => 800,
    }
}

/// The number of ANDs of shuffles, and the memory that they need.
///
/// The estimate was compared with measurements from 20 MB to 1.4 GB, on Linux on x86-64. The memory
/// of a session is within 10 % of the estimate. Building a circuit without a session needs 45 to
/// 100 % of the estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    ands: usize,
    session: u64,
}

impl Estimate {
    /// The estimate for shuffles by `spec`, in a session of this engine that prepares `at_once`
    /// shuffles together.
    pub fn of(spec: Spec, engine: EngineKind, at_once: u32) -> Self {
        Self::of_ands(
            spec.estimated_ands(checks_seeds(engine.security())),
            engine,
            at_once,
        )
    }

    /// As [`of`](Self::of), for a circuit with a known number of ANDs.
    pub fn of_ands(ands: usize, engine: EngineKind, at_once: u32) -> Self {
        let session = (session(engine).saturating_mul(ands as u64)).saturating_mul(at_once.into());
        Self { ands, session }
    }

    /// The number of AND gates of one shuffle.
    pub fn ands(&self) -> usize {
        self.ands
    }

    /// The maximum number of bytes that a process holds at a time if it builds the circuit and runs
    /// `parties` parties of the session (0, 1 or 2).
    pub fn memory(&self, parties: u64) -> u64 {
        let ands = self.ands as u64;
        let sessions = self.session.saturating_mul(parties);
        let running = (CIRCUIT * ands).saturating_add(sessions);
        BASE.saturating_add(running.max(BUILDING * ands))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shuffle::Algorithm;

    #[test]
    fn memory_grows_with_parties_engine_and_shuffles_at_once() {
        let spec = Spec::new(52, 52, Algorithm::Waksman).unwrap();
        let memory = |engine, at_once, parties| Estimate::of(spec, engine, at_once).memory(parties);
        let ladder = [
            memory(EngineKind::Malicious, 1, 0),
            memory(EngineKind::Malicious, 1, 1),
            memory(EngineKind::Malicious, 1, 2),
            memory(EngineKind::Malicious, 10, 2),
            memory(EngineKind::Malicious, u32::MAX, 2),
        ];
        assert!(ladder.is_sorted_by(|a, b| a < b), "{ladder:?}");
        assert!(memory(EngineKind::SemiHonest, 10, 1) < memory(EngineKind::Malicious, 10, 1));
        assert_eq!(Estimate::of(spec, EngineKind::Malicious, 1).ands(), 2226);
    }

    #[test]
    fn memory_is_the_maximum_of_building_and_running() {
        let estimate = Estimate::of_ands(1000, EngineKind::Malicious, 3);
        let of_sessions = 2 * 3 * session(EngineKind::Malicious);
        assert!(CIRCUIT + of_sessions > BUILDING && BUILDING > CIRCUIT);
        assert_eq!(estimate.memory(2), BASE + 1000 * (CIRCUIT + of_sessions));
        assert_eq!(estimate.memory(0), BASE + 1000 * BUILDING);
    }

    #[test]
    fn largest_estimate_does_not_overflow() {
        let estimate = Estimate::of_ands(1 << 40, EngineKind::Malicious, u32::MAX);
        assert_eq!(estimate.memory(2), u64::MAX);
    }
}
