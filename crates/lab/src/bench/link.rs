//! The options for the shape of a link.

use std::num::NonZeroU64;
use std::time::Duration;

use dealerless_command_line::output::milliseconds;
use serde::Serialize;

use super::barrier::Timing;
use super::shaped::Shape;

/// The maximum of `--rtt`.
const MAX_RTT: Duration = Duration::from_secs(60);

/// The options that shape the link.
#[derive(clap::Args)]
pub(super) struct LinkArgs {
    /// Round trip time of the link, for example 50ms.
    #[arg(long, value_name = "TIME", value_parser = rtt)]
    rtt: Option<Duration>,
    /// Bandwidth of the link in each direction, for example 20mbit.
    #[arg(long, value_name = "RATE", value_parser = bandwidth)]
    bandwidth: Option<NonZeroU64>,
    /// Compute the times of the link without waiting, as if the parties' work took no time.
    #[arg(long, requires = "rtt", conflicts_with_all = ["listen", "connect"])]
    simulate: bool,
}

impl LinkArgs {
    /// The clock for the measurement.
    pub(super) fn timing(&self) -> Timing {
        if self.simulate {
            Timing::Simulated
        } else {
            Timing::Real
        }
    }

    /// The shape of the link; `None` if neither `--rtt` nor `--bandwidth` is given.
    pub(super) fn shape(&self) -> Option<Shape> {
        let shape = Shape {
            rtt: self.rtt.unwrap_or_default(),
            bandwidth: self.bandwidth,
        };
        (self.rtt.is_some() || self.bandwidth.is_some()).then_some(shape)
    }

    /// The shape of the link in JSON; `None` if the link has no shape.
    pub(super) fn report(&self) -> Option<LinkReport> {
        let shape = self.shape()?;
        Some(LinkReport::new(shape, self.timing()))
    }
}

/// The shape of the link in JSON.
#[derive(Serialize)]
pub(super) struct LinkReport {
    pub(super) rtt_ms: f64,
    /// The bandwidth in each direction; `null` if unlimited.
    pub(super) bits_per_second: Option<u64>,
    /// Whether the times are those of the virtual clock, on which computing takes no time.
    pub(super) simulated: bool,
}

impl LinkReport {
    fn new(shape: Shape, timing: Timing) -> Self {
        LinkReport {
            rtt_ms: milliseconds(shape.rtt),
            bits_per_second: shape.bandwidth.map(NonZeroU64::get),
            simulated: timing == Timing::Simulated,
        }
    }

    /// Describes the shape in words.
    pub(super) fn describe(&self) -> String {
        let link = if self.simulated {
            "simulated link"
        } else {
            "link"
        };
        let rtt = self.rtt_ms;
        match self.bits_per_second {
            None => format!("a {link} with {rtt} ms RTT"),
            Some(bits) => format!(
                "a {link} with {rtt} ms RTT and {} Mbit/s each way",
                bits as f64 / 1e6
            ),
        }
    }
}

/// Parses a number with one of the units, and multiplies it by the size of the unit.
fn number(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let (number, size) = units
        .iter()
        .find_map(|&(unit, size)| Some((text.strip_suffix(unit)?, size)))?;
    // Allow only digits and a point: the standard library also parses `inf` and `1e9`.
    let plain = number.chars().all(|c| c.is_ascii_digit() || c == '.');
    let number: f64 = number.parse().ok().filter(|_| plain)?;
    Some(number * size)
}

fn rtt(text: &str) -> Result<Duration, String> {
    number(text, &[("ms", 1e-3), ("us", 1e-6), ("s", 1.0)])
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .filter(|&rtt| rtt <= MAX_RTT)
        .ok_or_else(|| "expected a time of at most 60s, for example 50ms, 0.15s or 300us".into())
}

fn bandwidth(text: &str) -> Result<NonZeroU64, String> {
    number(text, &[("gbit", 1e9), ("mbit", 1e6), ("kbit", 1e3)])
        // At less than 1 kbit/s, the first message would take a minute.
        .filter(|bits| (1e3..=1e12).contains(bits))
        .and_then(|bits| NonZeroU64::new(bits as u64))
        .ok_or_else(|| "expected a rate from 1kbit to 1000gbit, for example 20mbit".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_trip_is_a_number_with_a_unit() {
        for (text, micros) in [
            ("50ms", 50_000),
            ("0.15s", 150_000),
            ("300us", 300),
            ("0ms", 0),
        ] {
            assert_eq!(rtt(text), Ok(Duration::from_micros(micros)), "{text}");
        }
        for text in [
            "", "50", "ms", "-1ms", "infs", "NaNms", "1e3ms", "61s", "5 ms", ".",
        ] {
            assert!(rtt(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_bandwidth_is_a_number_with_a_unit() {
        for (text, bits) in [
            ("20mbit", 20_000_000),
            ("1.5gbit", 1_500_000_000),
            ("1kbit", 1000),
        ] {
            assert_eq!(bandwidth(text).map(NonZeroU64::get), Ok(bits), "{text}");
        }
        for text in [
            "", "20", "mbit", "0mbit", "-1mbit", "infgbit", "1bit", "2000gbit", "20Mb",
        ] {
            assert!(bandwidth(text).is_err(), "{text}");
        }
    }
}
