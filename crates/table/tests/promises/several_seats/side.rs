//! One seat: its program, its disk, and the cards that it has seen.

use std::collections::HashMap;

use dealerless::deck::Card;
use dealerless_table::Seat;
use dealerless_table::log::{End, LogEvent, LogMessage, Phase, Signed, Statement};
use dealerless_table::play::{Command, DeckSetting, News, Play, PlayError};
use dealerless_table::rules::{Choice, Legal};
use dealerless_table::testing::disk::{Disk, Growing};
use dealerless_table::testing::test_match::setting;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

pub(crate) type Program = Play<Growing, Disk, StdRng>;

/// How the players choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Check, call and show.
    Passive,
    /// The same, but one seat folds.
    Folds(Seat),
    /// The same, but one seat leaves at its first turn.
    Leaves(Seat),
    /// The same, but one seat sits out the first hand, and leaves at its end.
    SitsOutAndLeaves(Seat),
    /// A random mix of all choices.
    Mixed,
}

pub(crate) struct Side {
    pub(crate) seat: Seat,
    pub(crate) disk: Disk,
    pub(crate) program: Option<Program>,
    /// Whether the program may have something to sign or to send.
    pub(crate) is_due: bool,
    /// The hand in play.
    hand: u32,
    /// The cards that this seat has seen, by hand and position.
    pub(crate) seen: HashMap<(u32, usize), Card>,
    pub(crate) end: Option<End>,
    /// Whether the seat is expected to have lost the secret of the match.
    pub(crate) draws_anew: bool,
    /// The error with which such a seat has stopped.
    pub(crate) stopped: Option<PlayError>,
}

/// The first bytes of parts that open cards or publish a share of the deck's key.
const PARTIALS: u8 = 19;
const SHOW: u8 = 20;
const KEY: u8 = 21;

/// What each seat has signed and sent, by step and by seat.
#[derive(Default)]
pub(crate) struct Said {
    histories: HashMap<(u64, Seat), [u8; 32]>,
    parts: HashMap<(u64, Seat), Vec<u8>>,
    /// The shuffles for the next hand, by hand and by seat, with their histories.
    shuffles: HashMap<(u32, Seat), Statement>,
}

impl Said {
    /// Records a message that a seat sends. What the seat has signed itself must be on its disk.
    pub(crate) fn send(&mut self, seat: Seat, disk: &Disk, message: LogMessage) {
        let LogMessage::Statement(statement) = message else {
            return;
        };
        if statement.signed.seat() != seat {
            return;
        }
        let signature = match &statement.signed {
            Signed::Part(part) => part.signature,
            Signed::Ack(ack) => ack.signature,
            Signed::Ahead(ahead) => ahead.part.signature,
            Signed::Vote(vote) => vote.signature,
        };
        assert!(
            disk.log_contains(&signature),
            "sent before it is on the disk"
        );
        self.record(&statement);
    }

    /// Records a statement that its own seat sends. Panics if the seat has sent another one that no
    /// log can contain together with it.
    fn record(&mut self, statement: &Statement) {
        if let Signed::Ahead(ahead) = &statement.signed {
            let at = (ahead.head.hand, ahead.part.seat);
            let known = self.shuffles.entry(at).or_insert_with(|| statement.clone());
            assert!(known == statement, "two shuffles of {at:?}");
            return;
        }
        let at = (statement.signed.step(), statement.signed.seat());
        let before = *self.histories.entry(at).or_insert(statement.before);
        assert!(before == statement.before, "two histories at {at:?}");
        if let Signed::Part(part) = &statement.signed {
            let known = self.parts.entry(at).or_insert_with(|| part.part.clone());
            assert!(*known == part.part, "two parts at {at:?}");
        }
    }

    /// The releases that `seat` has signed from a step on.
    pub(crate) fn releases(&self, seat: Seat, from: u64) -> usize {
        let parts = self.parts.iter();
        let releases =
            parts.filter(|((step, by), part)| *by == seat && *step >= from && is_release(part));
        releases.count()
    }

    /// Checks that each of these seats has opened cards only in a history that the others have
    /// confirmed.
    pub(crate) fn check_releases(&self, seats: &[Seat]) {
        for ((step, seat), _) in self.parts.iter().filter(|(_, part)| part[0] == PARTIALS) {
            if !seats.contains(seat) {
                continue;
            }
            for other in seats {
                let [own, theirs] = [seat, other].map(|by| self.histories.get(&(*step, *by)));
                // A seat that has signed the last part need not sign an ack.
                let is_last = theirs.is_none() && self.parts.contains_key(&(*step - 1, *other));
                let text = format!("{seat:?} opens cards without {other:?} in step {step}");
                assert!(own == theirs || is_last, "{text}");
            }
        }
    }
}

fn is_release(part: &[u8]) -> bool {
    [PARTIALS, SHOW, KEY].contains(&part[0])
}

/// Starts the program of a seat from its disk. `seed` determines its random values.
pub(crate) fn start(disk: &Disk, seat: Seat, seed: u64) -> Result<Program, PlayError> {
    let deck = DeckSetting::Verifiable(disk.clone());
    let rng = StdRng::seed_from_u64(seed);
    Play::new(setting(seat, disk.log(), deck, rng)?)
}

impl Side {
    /// A seat whose files are on `disk` and whose program does not run yet.
    pub(crate) fn new(seat: Seat, disk: Disk) -> Self {
        Side {
            seat,
            disk,
            program: None,
            is_due: false,
            hand: 0,
            seen: HashMap::new(),
            end: None,
            draws_anew: false,
            stopped: None,
        }
    }

    /// The player does not wait for the connections, but chooses at once if the file of the match
    /// shows that it is its turn. The file may be old.
    pub(crate) fn choose_early(&mut self, style: Style, rng: &mut StdRng) {
        let Some(program) = &mut self.program else {
            return;
        };
        if style == Style::SitsOutAndLeaves(self.seat) {
            for command in [Command::SitOut(true), Command::Leave { anyhow: true }] {
                program.command(command).expect("an allowed command");
            }
        }
        if let Phase::Choose { seat, legal } = program.log().phase()
            && seat == self.seat
        {
            let command = answer(&legal, (seat, style), rng);
            program.command(command).expect("an allowed command");
        }
    }

    /// Handles all news. The player answers all questions.
    pub(crate) fn handle_news(&mut self, style: Style, rng: &mut StdRng) {
        let Some(program) = &mut self.program else {
            return;
        };
        while let Some(news) = program.news() {
            match &news {
                News::Log(LogEvent::Begun(begun)) => self.hand = begun.hand,
                &News::Card { position, card } => {
                    let before = self.seen.insert((self.hand, position), card);
                    assert!(before.is_none_or(|before| before == card), "{position}");
                }
                News::Over(end) => self.end = Some(end.clone()),
                _ => {}
            }
            let command = match news {
                News::YourTurn { legal } => answer(&legal, (self.seat, style), rng),
                _ => continue,
            };
            program.command(command).expect("an allowed command");
            self.is_due = true;
        }
    }
}

/// What the player does at its turn.
fn answer(legal: &Legal, (seat, style): (Seat, Style), rng: &mut StdRng) -> Command {
    match style {
        Style::Leaves(leaving) if leaving == seat => Command::Leave { anyhow: true },
        _ => Command::Choose(choice(legal, (seat, style), rng)),
    }
}

fn choice(legal: &Legal, (seat, style): (Seat, Style), rng: &mut StdRng) -> Choice {
    let roll = match style {
        Style::Folds(folding) if folding == seat => return Choice::Fold,
        Style::Passive | Style::Folds(_) | Style::Leaves(_) | Style::SitsOutAndLeaves(_) => 9,
        Style::Mixed => rng.random_range(0..10),
    };
    match legal {
        Legal::Bet { bet: Some(bet), .. } if roll < 2 => Choice::Bet { to: bet.min },
        Legal::Bet {
            raise: Some(raise), ..
        } if roll < 2 => Choice::Raise { to: raise.min },
        Legal::Bet { call: None, .. } => Choice::Check,
        Legal::Bet { .. } if roll < 4 => Choice::Fold,
        Legal::Bet { .. } => Choice::Call,
        Legal::Exchange => Choice::Exchange(vec![0, 2]),
        _ if roll < 3 => Choice::Muck,
        _ => Choice::Show,
    }
}
