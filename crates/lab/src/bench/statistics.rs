//! Summary statistics of the figures of all rounds.
//!
//! The quartiles and the median are those of R (type 7) and NumPy (`linear`): the quantile `p` of
//! `n` figures in ascending order, counted from 0, is the figure at `p (n - 1)`, interpolated
//! linearly between two figures. Bytes are summarised by a mean, since they often alternate between
//! two values. Flights hardly vary. They are summarised by the upper median, which is always one of
//! the values.

use std::time::Duration;

use dealerless::circuit::{ByParty, Party};
use serde::Serialize;

use super::side::{Phase, Record, Round};

/// The cost of a phase for one shuffle, or for one run of a netlist.
#[derive(Serialize, Clone)]
pub(super) struct PhaseReport {
    /// The median time, in ms.
    pub(super) ms: f64,
    /// The shortest time, in ms.
    pub(super) min: f64,
    /// The lower quartile, in ms.
    pub(super) q1: f64,
    /// The upper quartile, in ms.
    pub(super) q3: f64,
    /// The longest time, in ms.
    pub(super) max: f64,
    /// The mean of the bytes.
    pub(super) bytes: u64,
    pub(super) bytes_min: u64,
    pub(super) bytes_max: u64,
    pub(super) flights: u64,
    /// Flights in a row: the longest chain in which each flight waited for the previous one.
    pub(super) flights_in_a_row: u64,
    /// The median of the CPU time of each party, in ms.
    pub(super) garbler_cpu_ms: f64,
    pub(super) evaluator_cpu_ms: f64,
    /// AND gates per second at the median time; `None` if the phase has no AND gates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) and_per_second: Option<u64>,
}

/// The costs of all phases.
#[derive(Serialize)]
pub(super) struct Phases {
    pub(super) setup: PhaseReport,
    /// The cost of filling the pool. Time and bytes are divided by the number of shuffles that the
    /// pool serves; flights are not.
    pub(super) pool: PhaseReport,
    /// From the inputs to the sealed deck, or to the opened outputs.
    pub(super) online: PhaseReport,
    /// Pool and online phase together, round by round: the median of sums, not the sum of medians.
    pub(super) total: PhaseReport,
}

/// One measurement of a phase, for one shuffle.
#[derive(Clone, Copy)]
pub(super) struct Figure {
    pub(super) ms: f64,
    pub(super) bytes: u64,
    pub(super) flights: u64,
    pub(super) in_a_row: u64,
    pub(super) cpu_ms: ByParty<f64>,
}

impl Figure {
    /// The share of one shuffle in a phase that served `shuffles` shuffles.
    pub(super) fn of(phase: &Phase, shuffles: u32) -> Self {
        let share = |time: Duration| time.as_secs_f64() * 1e3 / f64::from(shuffles);
        Figure {
            ms: share(phase.time),
            cpu_ms: ByParty::from_fn(|party| share(phase.cpu[party])),
            bytes: phase.bytes / u64::from(shuffles),
            flights: phase.flights,
            in_a_row: phase.in_a_row,
        }
    }

    /// The share of one shuffle in a whole round: its share of the pool plus the mean of the online
    /// phases.
    pub(super) fn of_round(round: &Round) -> Self {
        let shuffles = round.online.len() as u32;
        let pool = Figure::of(&round.pool, shuffles);
        let online = round.online.iter().map(|phase| Figure::of(phase, 1));
        let sum = |value: fn(&Figure) -> u64| online.clone().map(|f| value(&f)).sum::<u64>();
        Figure {
            ms: pool.ms + online.clone().map(|f| f.ms).sum::<f64>() / f64::from(shuffles),
            bytes: pool.bytes + sum(|f| f.bytes) / u64::from(shuffles),
            flights: pool.flights + sum(|f| f.flights) / u64::from(shuffles),
            in_a_row: pool.in_a_row + sum(|f| f.in_a_row) / u64::from(shuffles),
            cpu_ms: ByParty::from_fn(|party| {
                let online: f64 = online.clone().map(|f| f.cpu_ms[party]).sum();
                pool.cpu_ms[party] + online / f64::from(shuffles)
            }),
        }
    }
}

impl Phases {
    /// All phases with their names.
    pub(super) fn all(&self) -> [(&'static str, &PhaseReport); 4] {
        [
            ("setup", &self.setup),
            ("pool", &self.pool),
            ("online", &self.online),
            ("total", &self.total),
        ]
    }

    /// Computes the costs of a circuit with `ands` ANDs, excluding the warm-up.
    pub(super) fn of(record: &Record, ands: usize) -> Self {
        let measured = || record.rounds.iter().skip(1);
        let pool = measured().map(|round| Figure::of(&round.pool, round.online.len() as u32));
        let online = measured().flat_map(|round| round.online.iter().map(|p| Figure::of(p, 1)));
        let setups = record.setups.iter().skip(1);
        Phases {
            setup: PhaseReport::of(setups.map(|phase| Figure::of(phase, 1)), 0),
            pool: PhaseReport::of(pool, ands),
            online: PhaseReport::of(online, ands),
            total: PhaseReport::of(measured().map(Figure::of_round), ands),
        }
    }
}

impl PhaseReport {
    fn of(figures: impl IntoIterator<Item = Figure>, ands: usize) -> Self {
        let figures: Vec<Figure> = figures.into_iter().collect();
        let sorted = |value: &dyn Fn(&Figure) -> f64| {
            let mut values: Vec<f64> = figures.iter().map(value).collect();
            values.sort_by(f64::total_cmp);
            values
        };
        let times = sorted(&|figure| figure.ms);
        let time = |p| to_the_microsecond(quantile(&times, p));
        let cpu = |party: Party| {
            to_the_microsecond(quantile(&sorted(&|figure| figure.cpu_ms[party]), 0.5))
        };
        let middle = |value: fn(&Figure) -> u64| {
            let mut values: Vec<u64> = figures.iter().map(value).collect();
            values.sort_unstable();
            values.get(values.len() / 2).copied().unwrap_or_default()
        };
        let bytes = figures.iter().map(|figure| figure.bytes);
        let ms = time(0.5);
        // The pool of a semi-honest session is empty: its phase has no ANDs.
        let ands = if bytes.clone().any(|bytes| bytes > 0) {
            ands
        } else {
            0
        };
        PhaseReport {
            ms,
            min: time(0.0),
            q1: time(0.25),
            q3: time(0.75),
            max: time(1.0),
            bytes: mean(bytes.clone()),
            bytes_min: bytes.clone().min().unwrap_or_default(),
            bytes_max: bytes.max().unwrap_or_default(),
            flights: middle(|figure| figure.flights),
            flights_in_a_row: middle(|figure| figure.in_a_row),
            garbler_cpu_ms: cpu(Party::Garbler),
            evaluator_cpu_ms: cpu(Party::Evaluator),
            and_per_second: (ands > 0 && ms > 0.0).then(|| (ands as f64 / ms * 1e3) as u64),
        }
    }
}

/// The rounded mean; 0 if there are no values.
fn mean(values: impl ExactSizeIterator<Item = u64>) -> u64 {
    let count = values.len().max(1) as u128;
    let sum: u128 = values.map(u128::from).sum();
    ((sum + count / 2) / count).try_into().unwrap_or(u64::MAX)
}

/// The quantile `p` of figures in ascending order; 0 if there are no figures.
fn quantile(ascending: &[f64], p: f64) -> f64 {
    let Some(last) = ascending.len().checked_sub(1) else {
        return 0.0;
    };
    let place = p * last as f64;
    let below = ascending[place.floor() as usize];
    let above = ascending[place.ceil() as usize];
    below + (above - below) * place.fract()
}

pub(super) fn to_the_microsecond(ms: f64) -> f64 {
    (ms * 1e3).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phase(ms: u64, bytes: u64, flights: u64) -> Phase {
        Phase {
            time: Duration::from_millis(ms),
            bytes,
            flights,
            in_a_row: flights / 2,
            cpu: ByParty {
                garbler: Duration::from_millis(2 * ms),
                evaluator: Duration::from_millis(ms),
            },
        }
    }

    #[test]
    fn quantiles_match_numpy() {
        let figures = [1.0, 2.0, 4.0, 8.0];
        for (p, expected) in [
            (0.0, 1.0),
            (0.25, 1.75),
            (0.5, 3.0),
            (0.75, 5.0),
            (1.0, 8.0),
        ] {
            assert_eq!(quantile(&figures, p), expected, "{p}");
        }
        assert_eq!(quantile(&[7.0], 0.25), 7.0);
        assert_eq!(quantile(&[], 0.5), 0.0);
    }

    #[test]
    fn bytes_report_mean_and_both_ends() {
        let figures = [478_068, 578_808, 478_068, 578_809].map(|bytes| Figure {
            ms: 1.0,
            bytes,
            flights: 12,
            in_a_row: 10,
            cpu_ms: ByParty::default(),
        });
        let report = PhaseReport::of(figures, 0);
        let bytes = [report.bytes_min, report.bytes, report.bytes_max];
        assert_eq!(bytes, [478_068, 528_438, 578_809]);
        assert_eq!(mean([u64::MAX, u64::MAX].into_iter()), u64::MAX);
        assert_eq!(PhaseReport::of([], 0).bytes, 0);
    }

    #[test]
    fn phase_without_traffic_has_no_rate() {
        let figure = |bytes| Figure {
            ms: 0.001,
            bytes,
            flights: 0,
            in_a_row: 0,
            cpu_ms: ByParty::default(),
        };
        assert_eq!(PhaseReport::of([figure(0)], 7799).and_per_second, None);
        let rate = PhaseReport::of([figure(1)], 7799).and_per_second;
        assert_eq!(rate, Some(7_799_000_000));
    }

    #[test]
    fn round_costs_a_shuffle_its_pool_share_and_its_online_phase() {
        let round = Round {
            pool: phase(40, 1000, 8),
            online: vec![phase(2, 100, 6), phase(4, 100, 4)],
        };
        let figure = Figure::of_round(&round);
        assert_eq!(
            (figure.bytes, figure.flights, figure.in_a_row),
            (600, 13, 6)
        );
        assert!((figure.ms - 23.0).abs() < 1e-9);
        assert!((figure.cpu_ms.garbler - 46.0).abs() < 1e-9);
        assert!((figure.cpu_ms.evaluator - 23.0).abs() < 1e-9);
    }

    #[test]
    fn total_is_the_median_of_rounds_without_the_warm_up() {
        let round = |pool, online| Round {
            pool: phase(pool, 300, 8),
            online: vec![phase(online, 30, 6)],
        };
        let record = Record {
            setups: vec![phase(99, 90, 10), phase(20, 90, 10), phase(22, 90, 10)],
            // The medians of the phases are 2 and 2, but no round took 4.
            rounds: vec![round(500, 500), round(1, 9), round(2, 1), round(9, 2)],
            peak: ByParty::default(),
        };
        let phases = Phases::of(&record, 20);
        assert_eq!((phases.pool.ms, phases.online.ms), (2.0, 2.0));
        assert_eq!((phases.total.ms, phases.total.bytes), (10.0, 330));
        let cpu = |phase: &PhaseReport| (phase.garbler_cpu_ms, phase.evaluator_cpu_ms);
        assert_eq!(
            (cpu(&phases.pool), cpu(&phases.total)),
            ((4.0, 2.0), (20.0, 10.0))
        );
        assert_eq!((phases.total.min, phases.total.q1), (3.0, 6.5));
        assert_eq!((phases.total.q3, phases.total.max), (10.5, 11.0));
        assert_eq!(phases.total.and_per_second, Some(2000));
        let setup = (phases.setup.ms, phases.setup.max);
        assert_eq!((setup, phases.setup.and_per_second), ((21.0, 22.0), None));
    }
}
