//! The cost of the demo's match.

use std::time::Duration;

use dealerless_table::play::Spent;
use serde::Serialize;

use super::seats::{NAMES, Side};
use crate::output::{bytes, count, milliseconds};
use dealerless_lab::cost::line;

/// The cost of a match. Times are those of the slower side.
#[derive(Serialize)]
pub(super) struct Cost {
    /// Connecting, greeting and base OTs.
    setup_ms: f64,
    /// The first deal, with the preprocessing that it needs.
    first_deal_ms: f64,
    first_deal_bytes: u64,
    /// The preprocessing of a later deal, which is done ahead; null if there is one hand.
    preprocessing_ms: Option<f64>,
    preprocessing_bytes: Option<u64>,
    /// A later deal, from the seeds to the sealed deck: the median; null if there is one hand.
    shuffle_ms: Option<f64>,
    shuffle_bytes: Option<u64>,
    /// Bytes that each player sent over the encrypted connection, in total.
    garbler_bytes: u64,
    evaluator_bytes: u64,
    /// Flights of the first deal, in both directions.
    rounds: u64,
    /// The number of later deals.
    #[serde(skip)]
    later: usize,
}

impl Cost {
    /// The cost of a match as both sides measured it.
    pub(super) fn of(sides: &[Side; 2]) -> Self {
        let [host, guest] = sides;
        let mut deals = (host.deals.iter().zip(&guest.deals))
            .map(|(host, guest)| slower(host.shuffle, guest.shuffle));
        let first = deals.next().unwrap_or_default();
        let mut later: Vec<Spent> = deals.collect();
        later.sort_by_key(|spent| spent.time);
        let median = later.get(later.len() / 2);
        let ahead = |side: &Side| {
            let mut all = (0, Spent::default());
            for prepared in side.deals.iter().map(|deal| deal.prepared) {
                all.0 += prepared.hands;
                all.1.time += prepared.spent.time;
                all.1.bytes += prepared.spent.bytes;
            }
            all
        };
        let ((hands, one), (_, other)) = (ahead(host), ahead(guest));
        let ahead = Some(slower(one, other)).filter(|_| hands > 0);
        Cost {
            setup_ms: milliseconds(host.setup.max(guest.setup)),
            first_deal_ms: milliseconds(first.time),
            first_deal_bytes: first.bytes,
            preprocessing_ms: ahead.map(|ahead| milliseconds(ahead.time / hands)),
            preprocessing_bytes: ahead.map(|ahead| ahead.bytes / u64::from(hands)),
            shuffle_ms: median.map(|median| milliseconds(median.time)),
            shuffle_bytes: median.map(|median| median.bytes),
            garbler_bytes: host.sent,
            evaluator_bytes: guest.sent,
            rounds: first.flights,
            later: later.len(),
        }
    }

    /// The cost as text for people.
    pub(super) fn describe(&self) -> String {
        let spent = |ms: f64, sent: u64| format!("{ms:.1} ms, {}", bytes(sent));
        let mut lines = vec![
            line("setup", &format!("{:.1} ms", self.setup_ms)),
            line(
                if self.later == 0 {
                    "deal"
                } else {
                    "first deal"
                },
                &format!(
                    "{}, {} flights",
                    spent(self.first_deal_ms, self.first_deal_bytes),
                    count(self.rounds)
                ),
            ),
        ];
        if let (Some(ms), Some(sent)) = (self.preprocessing_ms, self.preprocessing_bytes) {
            let each = format!("{}, prepared ahead for each later deal", spent(ms, sent));
            lines.push(line("preprocessing", &each));
        }
        if let (Some(ms), Some(sent)) = (self.shuffle_ms, self.shuffle_bytes) {
            let median = match self.later {
                1 => String::new(),
                hands => format!(" (median of {} hands)", count(hands as u64)),
            };
            lines.push(line("later deal", &format!("{}{median}", spent(ms, sent))));
        }
        for (name, sent) in NAMES.iter().zip([self.garbler_bytes, self.evaluator_bytes]) {
            lines.push(line(&format!("{name} sent"), &bytes(sent)));
        }
        lines.join("\n")
    }
}

/// The work that both sides did, with the time of the slower side.
fn slower(one: Spent, other: Spent) -> Spent {
    Spent {
        time: Duration::max(one.time, other.time),
        ..one
    }
}
