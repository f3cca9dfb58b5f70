//! Statements that arrive before the log can accept them, and the order in which it accepts them.
//!
//! If guests are connected to each other, two statements can take two paths. A statement for step
//! `k` then arrives before the last part of step `k - 1`, whose path is slower. It is kept until the
//! log has reached step `k`. The same holds for the steps of an ahead chain, and for the deals before
//! such a chain.
//!
//! A seat that starts again in a match with roll calls keeps all statements for the current step and
//! later ones in this way, until enough other seats have sent their histories. A history that lacks the
//! seat's own votes would otherwise complete a step by parts, and a step is never undone.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::ahead_chain::Head;
use super::foul::Refused;
use super::match_log::MatchLog;
use super::phase::Phase;
use super::signed::{Signed, Statement, StatementPlace};
use crate::seat::{Seat, SeatSet};

/// The order in which a log accepts statements: the shuffles for the next hand as soon as they fit, then
/// the log step by step. The votes of the log's owner come first in their step.
type Order = (Option<Head>, u64, bool, StatementPlace);

/// The early statements that one connected seat has sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Early {
    /// The shuffles for later hands, in order.
    ahead: VecDeque<(Order, Statement)>,
    /// The statements of the log, in order.
    log: VecDeque<(Order, Statement)>,
    /// The total length of the encoded statements.
    bytes: usize,
}

impl Early {
    /// The maximum total length of the encoded statements. While a seat waits for a part, another
    /// one can sign a shuffle and some hundred moves, but opens no cards without its statement.
    pub(crate) const MAX_BYTES: usize = 1 << 16;

    /// The same for a seat that has started again. Another seat can have signed most of a hand since
    /// the last statement of the seat: at most 20 shuffles, and some hundred moves.
    pub(crate) const MAX_BYTES_AT_START: usize = 1 << 20;

    /// Keeps a statement that `log` does not accept yet. One that is kept already is ignored.
    ///
    /// # Errors
    /// [`Refused::Signature`] if the statement is not signed by its seat; [`Refused::TooEarly`] if
    /// the statements would have more than `max` bytes.
    pub(crate) fn keep(
        &mut self,
        log: &MatchLog,
        statement: Statement,
        max: usize,
    ) -> Result<(), Refused> {
        let (step, seat) = (statement.signed.step(), statement.signed.seat());
        let order = order(log, &statement);
        let all = match order.0 {
            Some(_) => &mut self.ahead,
            None => &mut self.log,
        };
        let place = all.partition_point(|(other, _)| *other <= order);
        let same = (all.range(..place).rev()).take_while(|(other, _)| *other == order);
        if same.into_iter().any(|(_, other)| *other == statement) {
            return Ok(());
        }
        let bytes = self.bytes + statement.encode().len();
        // A vote can be requested again, and many of them are no offence of the seat that passes them on.
        let is_vote = matches!(statement.signed, Signed::Vote(_)) && seat != log.owner();
        if bytes > max && is_vote {
            return Ok(());
        }
        if bytes > max {
            let now = log.step();
            return Err(Refused::TooEarly { step, now });
        }
        if !statement.is_valid(log.match_info()) {
            return Err(Refused::Signature(seat));
        }
        self.bytes = bytes;
        all.insert(place, (order, statement));
        Ok(())
    }

    /// Removes the next statement of all seats that `log` can accept, with the seat that has sent it.
    /// Statements of the log for step `end` and later ones stay.
    pub(crate) fn take(
        all: &mut BTreeMap<Seat, Early>,
        log: &MatchLog,
        end: u64,
    ) -> Option<(Seat, Statement)> {
        let ahead = all.iter().filter_map(|(from, early)| {
            let mut ahead = early.ahead.iter();
            let place = ahead.position(|(_, statement)| log.has_reached(&statement.signed))?;
            Some((early.ahead[place].0, *from, place))
        });
        let next_of_log = || {
            let next = all.iter().filter_map(|(from, early)| {
                let (order, statement) = early.log.front()?;
                let fits = statement.signed.step() < end && log.has_reached(&statement.signed);
                fits.then_some((*order, *from, 0))
            });
            next.min()
        };
        let (order, from, place) = ahead.min().or_else(next_of_log)?;
        let early = all.get_mut(&from)?;
        let statements = match order.0 {
            Some(_) => &mut early.ahead,
            None => &mut early.log,
        };
        let (_, statement) = statements.remove(place)?;
        early.bytes -= statement.encode().len();
        Some((from, statement))
    }
}

fn order(log: &MatchLog, statement: &Statement) -> Order {
    let signed = &statement.signed;
    let is_own_vote = matches!(signed, Signed::Vote(_)) && signed.seat() == log.owner();
    (
        signed.head(),
        signed.step(),
        !is_own_vote,
        statement.place(),
    )
}

impl MatchLog {
    /// Whether the log has reached the step of this statement, in the log or in the ahead chain.
    pub(crate) fn has_reached(&self, signed: &Signed) -> bool {
        match signed.head() {
            None => signed.step() <= self.step(),
            // Only the histories that a seat receives after its start contain the chains of later hands.
            Some(head) if head.hand > self.attempt().hand + 1 => false,
            Some(head) => self.early_ahead(head, signed.step()).is_none(),
        }
    }

    /// This log with the statements in `early`, as far as it accepts them, and the first step in which
    /// the owner has signed another history, of those that the log reaches.
    pub(crate) fn with_early(&self, early: &BTreeMap<Seat, Early>) -> (MatchLog, Option<u64>) {
        let (mut log, mut early) = (self.clone(), early.clone());
        let mut parted = None;
        while let Some((_, statement)) = Early::take(&mut early, &log, u64::MAX) {
            let is_own =
                statement.signed.head().is_none() && statement.signed.seat() == log.owner();
            match log.accept_statement(statement) {
                Err(Refused::OtherHistory { step, .. }) if is_own => {
                    parted = parted.or(Some(step));
                }
                // What else the log refuses is judged when the owner accepts it.
                _ => {}
            }
        }
        (log, parted)
    }

    /// Whether the owner, which has started again, may sign once it has this log. `heard` are the seats
    /// that have sent their histories. All seats that are left must be among them, or, if the owner no
    /// longer `waits`, so many that a card could be opened. The owner also learns that it is gone, or
    /// that the match is over, from fewer seats: then it signs nothing.
    pub(crate) fn has_heard_enough(&self, heard: &BTreeSet<Seat>, waits: bool) -> bool {
        let live = self.live_at(self.step());
        let is_over = matches!(self.phase(), Phase::Over(_)) && !self.is_convicted();
        let is_heard = |seat: &Seat| *seat == self.owner() || heard.contains(seat);
        let present = live.iter().filter(is_heard).count();
        is_over
            || !live.contains(self.owner())
            || present == live.len()
            || !waits && present >= self.threshold()
    }

    /// The seats without whose histories an owner that has started again can never sign: all that are
    /// left and not in `heard`, if too few are.
    pub(crate) fn unheard(&self, heard: &BTreeSet<Seat>) -> SeatSet {
        let live = self.live_at(self.step()).iter();
        let is_missing = |seat: &Seat| *seat != self.owner() && !heard.contains(seat);
        match self.has_heard_enough(heard, false) {
            true => SeatSet::default(),
            false => live.filter(is_missing).collect(),
        }
    }
}
