//! What must hold at the end of a match:
//! (a) no seat is removed that was connected and in time;
//! (b) no step takes longer than the bound, the match goes on while enough honest seats are there, and
//! otherwise it may be closed;
//! (c) the logs agree, or a seat is convicted or out, and no chip is lost;
//! (d) no honest seat is convicted;
//! (e) no program fails, and no clock runs out early.

use super::{World, kind, seat};
use crate::log::{End, Journal, MatchLog, Phase};

impl World {
    /// Checks what must hold at the end. No seat of `clean` may be removed.
    fn check(&mut self, clean: &[usize]) {
        let honest = self.honest();
        let logs: Vec<(usize, MatchLog)> = honest
            .iter()
            .filter_map(|&number| Some((number, self.log(number)?.clone())))
            .collect();
        let mut broken = std::mem::take(&mut self.broken);
        for &number in &honest {
            if let Some(error) = &self.sides[number].failed {
                broken.push(format!("(e) {number} fails: {error}"));
            }
            let longest = self.sides[number].longest;
            if longest > self.bound() {
                broken.push(format!("(b) a step of {number} took {longest:?}"));
            }
        }
        for (number, log) in &logs {
            let gone = log.gone().iter().map(|seat| seat.index());
            let gone = gone.chain(log.is_removed().then_some(*number));
            for gone in gone.filter(|gone| clean.contains(gone)) {
                broken.push(format!("(a) {gone} was removed in the log of {number}"));
            }
            let convicted = log
                .evidence()
                .iter()
                .map(|evidence| evidence.statements[0].signed.seat());
            let by_end = match log.phase() {
                Phase::Over(End::Foul { seat, .. } | End::Fork { seat }) => Some(seat),
                _ => None,
            };
            for seat in convicted.chain(by_end).map(|seat| seat.index()) {
                if honest.contains(&seat) {
                    broken.push(format!("(d) {seat} is convicted in the log of {number}"));
                }
            }
            let chips: u64 = log.final_stacks().iter().sum();
            if chips != 100 * self.sides.len() as u64 {
                broken.push(format!("(c) {number} has {chips} chips"));
            }
        }
        let convicted = logs.iter().any(|(_, log)| log.is_convicted());
        for (at, (one, first)) in logs.iter().enumerate() {
            for (other, second) in &logs[at + 1..] {
                let step = first.step().min(second.step());
                let out =
                    |log: &MatchLog, number| log.is_removed() || log.gone().contains(&seat(number));
                let is_out = out(first, *other) || out(second, *one);
                if !convicted && !is_out && first.hash_before(step) != second.hash_before(step) {
                    broken.push(format!("(c) the logs of {one} and {other} part"));
                }
            }
        }
        for (number, log) in &logs {
            let is_there = |(other, of): &&(usize, MatchLog)| {
                !log.gone().contains(&seat(*other)) && !of.is_removed()
            };
            let there = logs.iter().filter(is_there).count();
            let table = self.sides[*number].table.as_ref().unwrap();
            // Otherwise two sets of M seats need share no honest seat.
            let goes_on = 2 * self.threshold > self.sides.len() + self.sides.len() - honest.len();
            if convicted || matches!(log.phase(), Phase::Over(_)) {
            } else if goes_on && there >= self.threshold {
                broken.push(format!(
                    "(b) {number} does not go on with {there} honest seats"
                ));
            } else if table.may_close().is_none() {
                broken.push(format!("(b) {number} is stuck and may not close"));
            }
        }
        if !broken.is_empty() {
            for number in self.seats() {
                let Some(log) = self.log(number) else {
                    continue;
                };
                let refusal = log
                    .clone()
                    .sign_refusal(&self.of.identities[number])
                    .is_ok();
                let text = format!(
                    "{number}: step {}, {:?}, refuses {refusal}, removed {}, missing {:?}",
                    log.step(),
                    kind(&log.phase()),
                    log.is_removed(),
                    log.missing()
                );
                self.say(text);
            }
        }
        self.broken = broken;
    }

    /// Plays, checks, and returns what is broken.
    pub(in super::super) fn played(&mut self, clean: &[usize]) -> Vec<String> {
        self.play();
        self.check(clean);
        if !self.broken.is_empty() || std::env::var("DEALERLESS_TRACE").is_ok() {
            println!("{}\n{:?}", self.trace.join("\n"), self.broken);
        }
        std::mem::take(&mut self.broken)
    }

    pub(in super::super) fn plays_well(mut self, clean: &[usize]) -> Self {
        assert_eq!(self.played(clean), Vec::<String>::new());
        self
    }

    /// The seats that are absent by the file of a seat. Others have to agree to this settlement.
    pub(in super::super) fn settled(&self, number: usize, others: &[usize]) -> Vec<usize> {
        let open = |number: usize| {
            let key = self.of.identities[number].file_key();
            Journal::open(self.sides[number].file.clone(), key).unwrap()
        };
        let own = open(number);
        let absent = own.log.absent(&own.claims);
        let settled = own.log.settled_without(&absent).unwrap();
        for &other in others {
            let file = open(other);
            let agrees = file.log.agrees_to(&settled.past, seat(other), &file.claims);
            assert_eq!(agrees.as_ref(), Ok(&settled), "{other}");
        }
        absent.iter().map(|seat| seat.index()).collect()
    }

    pub(in super::super) fn ends(&self, number: usize) -> Option<End> {
        match self.log(number)?.phase() {
            Phase::Over(end) => Some(end),
            _ => None,
        }
    }
}
