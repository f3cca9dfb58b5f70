//! The cost of the demo's match.

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
            .map(|(host, guest)| (host.shuffle_ms.max(guest.shuffle_ms), host));
        let first = deals.next();
        let mut later: Vec<_> = deals.collect();
        later.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let median = later.get(later.len() / 2);
        let prepared_ms = |side: &Side| side.deals.iter().map(|deal| deal.prepared_ms).sum::<f64>();
        let prepared_bytes = host.deals.iter().map(|deal| deal.prepared_bytes);
        let hands = host.deals.iter().map(|deal| deal.prepared_hands);
        let hands = Some(hands.sum::<u32>()).filter(|hands| *hands > 0);
        let ahead_ms = prepared_ms(host).max(prepared_ms(guest));
        let ahead_bytes = prepared_bytes.sum::<u64>();
        Cost {
            setup_ms: milliseconds(host.setup.max(guest.setup)),
            first_deal_ms: first.map_or(0.0, |(ms, _)| ms),
            first_deal_bytes: first.map_or(0, |(_, deal)| deal.shuffle_bytes),
            preprocessing_ms: hands.map(|hands| ahead_ms / f64::from(hands)),
            preprocessing_bytes: hands.map(|hands| ahead_bytes / u64::from(hands)),
            shuffle_ms: median.map(|(ms, _)| *ms),
            shuffle_bytes: median.map(|(_, deal)| deal.shuffle_bytes),
            garbler_bytes: host.sent,
            evaluator_bytes: guest.sent,
            rounds: first.map_or(0, |(_, deal)| deal.shuffle_flights),
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
