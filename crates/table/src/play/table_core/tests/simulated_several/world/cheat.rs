//! Honest programs whose messages pass through the hands of a cheat.

use std::collections::HashMap;

use dealerless_connection::hash::Hash;
use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};

use super::{FIRST_STEP, Happening, Kind, World, pair, seat};
use crate::log::{LogMessage, MatchLog, Part, Phase, Signed, Statement};
use crate::rules::Choice;

/// A statement that a cheat sends: the kind and the number of its step, how long ago the cheat came to
/// this step, and the receiver.
pub(in super::super) struct Sending<'a> {
    pub(in super::super) signed: &'a Signed,
    pub(in super::super) kind: Kind,
    /// The number of earlier steps of this kind.
    pub(in super::super) nth: usize,
    pub(in super::super) since: f64,
    pub(in super::super) to: usize,
}

/// Returns the delay of a statement, or `None` if the cheat does not send it.
type Rule = Box<dyn FnMut(&Sending<'_>) -> Option<f64>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Style {
    /// Statements of cheats come late.
    Late,
    /// The victim receives few statements.
    Starve,
    /// Sends nothing for some time.
    Silent,
    /// Some statements come late, others never.
    Mixed,
    /// Never votes.
    Obstruct,
}

/// An honest program whose messages pass through the hands of a cheat.
pub(in super::super) struct Cheat {
    pub(in super::super) style: Style,
    pub(in super::super) victim: usize,
    /// The seconds between which the cheat sends nothing.
    pub(in super::super) window: (f64, f64),
    /// Whether the histories that the cheat sends are not complete.
    pub(in super::super) withholds: bool,
    /// The decisions on what was sent, by statement and receiver.
    delays: HashMap<([u8; 32], usize), Option<f64>>,
    pub(super) rule: Option<Rule>,
    /// The log at the beginning of the current step.
    pub(super) before: Option<MatchLog>,
}

impl World {
    pub(in super::super) fn cheat(
        &mut self,
        number: usize,
        style: Style,
        window: (f64, f64),
    ) -> &mut Cheat {
        let honest: Vec<usize> = self
            .honest()
            .into_iter()
            .filter(|of| *of != number)
            .collect();
        let victim = *honest.choose(&mut self.rng).unwrap();
        self.sides[number].cheat.insert(Cheat {
            style,
            victim,
            window,
            withholds: false,
            delays: HashMap::new(),
            rule: None,
            before: None,
        })
    }

    /// A cheat that sends its own statements by this rule, and those of others at once.
    pub(in super::super) fn cheat_by(
        &mut self,
        number: usize,
        mut rule: impl FnMut(&Sending<'_>) -> Option<f64> + 'static,
    ) {
        let own = seat(number);
        let rule: Rule = Box::new(move |sending| match sending.signed.seat() == own {
            true => rule(sending),
            false => Some(0.0),
        });
        self.cheat(number, Style::Late, (0.0, 0.0)).rule = Some(rule);
    }

    /// The delay of a message. `None` if it is not sent.
    pub(super) fn delay(&mut self, from: usize, to: usize, message: &[u8]) -> Option<f64> {
        let now = self.now.as_secs_f64();
        let is_cheat: Vec<bool> = self.sides.iter().map(|side| side.cheat.is_some()).collect();
        let side = &mut self.sides[from];
        let Some(cheat) = side.cheat.as_mut().filter(|_| !is_cheat[to]) else {
            return Some(0.0);
        };
        if (cheat.window.0..cheat.window.1).contains(&now) {
            return None;
        }
        let Ok(LogMessage::Statement(Statement { signed, .. })) = LogMessage::decode(message)
        else {
            return Some(0.0);
        };
        // Without the keys, nobody can go on.
        if signed.step() < FIRST_STEP {
            return Some(0.0);
        }
        if let Some(rule) = &mut cheat.rule {
            let step = side.steps.get(&signed.step()).copied();
            let (kind, began) = step.unwrap_or((Kind::Other, self.now));
            let earlier = side.steps.range(..signed.step());
            let sending = Sending {
                signed: &signed,
                kind,
                nth: earlier.filter(|(_, (of, _))| *of == kind).count(),
                since: now - began.as_secs_f64(),
                to,
            };
            return rule(&sending);
        }
        let key = (Hash::new("statement").field(message).finish(), to);
        let is_own = is_cheat[signed.seat().index()];
        let rng = &mut self.rng;
        let style = cheat.style;
        let victim = cheat.victim == to;
        *cheat.delays.entry(key).or_insert_with(|| {
            let late = |rng: &mut StdRng| {
                *[0.0, 0.0, 5.0, 12.0, 19.6, 20.4, 29.0, 33.0, 41.0]
                    .choose(rng)
                    .unwrap()
            };
            let x: f64 = rng.random();
            match style {
                Style::Starve => (!victim || x > 0.7).then_some(0.0),
                Style::Late if is_own => Some(late(rng)),
                Style::Obstruct if is_own => (!matches!(signed, Signed::Vote(_))).then_some(0.0),
                Style::Mixed if is_own && x < 0.55 => Some(0.0),
                Style::Mixed if is_own => (x > 0.75).then(|| late(rng)),
                Style::Mixed => (x < 0.7).then_some(0.0),
                _ => Some(0.0),
            }
        })
    }

    /// Sends a premature vote or a second choice to some seats. The vote claims what the cheat lacks now, or
    /// lacked at the beginning of the step.
    pub(super) fn cheats(&mut self, number: usize) {
        self.plan(1.0, Happening::Cheats(number));
        let side = &self.sides[number];
        let cheat = side.cheat.as_ref().unwrap();
        if [Style::Late, Style::Starve].contains(&cheat.style) || self.rng.random_range(0..16) > 0 {
            return;
        }
        let is_now: bool = self.rng.random();
        let side = &self.sides[number];
        let before = side.cheat.as_ref().and_then(|cheat| cheat.before.as_ref());
        let (Some(now), Some(before)) = (self.log(number), before) else {
            return;
        };
        let mut log = if is_now { now } else { before }.clone();
        let (before, own) = (log.hash(), seat(number));
        let is_choice = matches!(log.phase(), Phase::Choose { seat, .. } if seat == own);
        let statement = if is_choice && self.rng.random_range(0..30) == 0 {
            let Ok((part, _)) =
                log.sign(&self.of.identities[number], own, &Part::Move(Choice::Fold))
            else {
                return;
            };
            let signed = Signed::Part(part);
            Statement { before, signed }
        } else {
            let mut missing: Vec<_> = log.missing().into_iter().collect();
            missing.shuffle(&mut self.rng);
            missing.truncate(self.rng.random_range(1..=2));
            let Ok((vote, _)) =
                log.sign_call(&self.of.identities[number], &missing.into_iter().collect())
            else {
                return;
            };
            vote
        };
        let message = LogMessage::Statement(statement).encode();
        self.say(format_args!("cheat {number} sends a statement"));
        for to in self.seats().filter(|to| *to != number) {
            if self.rng.random_range(0..10) < 7
                && let Some((link, _)) = self.links.get(&pair(number, to))
            {
                let arrives = Happening::Arrives(number, to, *link, message.clone());
                let after = self.flight();
                self.plan(after, arrives);
            }
        }
    }
}
