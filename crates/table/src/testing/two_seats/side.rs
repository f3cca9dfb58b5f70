//! One seat: its program, its disk, its engine, and the cards that it has seen.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::mpsc::Sender;

use dealerless::deck::Card;
use dealerless::net::MemoryTransport;
use dealerless_connection::storage::Vault;
use dealerless_connection::{SystemRng, system_rng};

use super::games::{Game, choice};
use crate::log::{End, Inputs, Journal, LogEvent, MatchId, OpenedInputs, SignedPart};
use crate::play::{Command, Dealer, Event, News, Play, PlayError, Setting};
use crate::seat::Seat;
use crate::testing::disk::{Disk, Growing};
use crate::testing::engine;
use crate::testing::test_match::{identity, sealed_deck};

pub type Program = Play<Growing, Disk, SystemRng>;

/// The place of a card: its position, and the last reseal of this position.
pub type Place = (usize, Option<(u64, usize)>);

pub struct Side {
    pub seat: Seat,
    pub game: Game,
    pub disk: Disk,
    pub program: Option<Program>,
    pub engine: Option<MemoryTransport>,
    pub dealer: Option<Dealer>,
    /// The peer's messages that were not processed yet.
    pub inbox: VecDeque<Vec<u8>>,
    /// The part that this seat has sent for each step, even if it did not arrive.
    pub signed: HashMap<u64, SignedPart>,
    /// The hand and the try, from the last `Begun` event.
    pub dealt: (u32, u32),
    /// The cards that this seat has seen, by hand, try and place.
    pub seen: HashMap<(u32, u32, Place), Card>,
    pub end: Option<End>,
}

/// A report of an engine: the seat, the number of the connection, and the event.
pub type EngineEvent = (usize, u64, Event);

/// Opens the file with a seat's inputs to the shuffles of a match.
pub fn inputs(disk: &Disk, seat: Seat, match_id: MatchId) -> io::Result<OpenedInputs<Growing>> {
    Inputs::open(disk.inputs(), identity(seat).file_key(), match_id)
}

/// Starts the program of a seat from its disk.
pub fn start(disk: &Disk, seat: Seat, game: Game) -> Result<Program, PlayError> {
    let identity = identity(seat);
    let opened = Journal::open(disk.log(), identity.file_key())?;
    let place = (seat, opened.log.match_info().id());
    let deck = sealed_deck(place, (disk.inputs(), disk.clone()), &game.terms().1);
    Play::new(Setting {
        seat,
        log: opened.log,
        journal: opened.journal,
        deck: deck.map_err(PlayError::Inputs)?,
        rng: system_rng(),
        identity,
    })
}

impl Side {
    /// A seat whose files are on `disk` and whose program does not run yet.
    pub fn new(seat: Seat, game: Game, disk: Disk) -> Self {
        Side {
            seat,
            game,
            disk,
            program: None,
            engine: None,
            dealer: None,
            inbox: VecDeque::new(),
            signed: HashMap::new(),
            dealt: (0, 0),
            seen: HashMap::new(),
            end: None,
        }
    }

    /// Starts the program. If the program refuses the deck because it belongs to another hand,
    /// deletes the deck, as a user would, and starts again.
    pub fn start(&mut self) -> Result<(), PlayError> {
        let program = match start(&self.disk, self.seat, self.game) {
            Err(PlayError::Deck) => {
                self.disk.clone().destroy().map_err(PlayError::Vault)?;
                start(&self.disk, self.seat, self.game)
            }
            program => program,
        };
        self.program = Some(program?);
        Ok(())
    }

    /// Checks that the file of inputs can open each of this seat's input commitments.
    pub fn check_inputs(&self) {
        let program = self.program.as_ref().expect("a running program");
        let id = program.log().match_info().id();
        let inputs = inputs(&self.disk, self.seat, id).unwrap().inputs;
        for deal in program.log().deals(self.seat) {
            let opens = inputs.iter().any(|input| {
                let (bits, nonce) = (&input.bits, &input.nonce);
                let commitment = input.attempt.input_commitment(self.seat, bits, nonce);
                Some(commitment) == deal.deck.sealed().map(|input| input.input)
            });
            assert!(opens, "hand {}, try {}", deal.hand, deal.attempt);
        }
    }

    pub fn lose_connection(&mut self) {
        self.inbox.clear();
        self.dealer = None;
        self.engine = None;
        if let Some(program) = &mut self.program {
            program.lose_connection(self.seat.next(2));
        }
    }

    pub fn start_engine(&mut self, connection: u64, done: &Sender<EngineEvent>) {
        let Some(transport) = self.engine.take() else {
            return;
        };
        let (done, seat) = (done.clone(), self.seat.index());
        self.dealer = Some(engine::start(
            (self.seat, [connection as u8; 32]),
            &self.game.terms().1,
            transport,
            move |report| done.send((seat, connection, Event::Done(report))).is_ok(),
        ));
    }

    /// Handles all news. The player's answers are those of [`choice`]. Returns whether there was
    /// any news.
    pub fn handle_news(&mut self, void: &mut usize) -> bool {
        let Some(program) = &mut self.program else {
            return false;
        };
        let mut any = false;
        while let Some(news) = program.news() {
            any = true;
            match &news {
                News::Log(LogEvent::Begun(begun)) => self.dealt = (begun.hand, begun.attempt),
                News::Log(LogEvent::Void { .. }) => *void += 1,
                &News::Card { position, card } => {
                    let sealed = program.log().resealed(position);
                    let at = (self.dealt.0, self.dealt.1, (position, sealed));
                    let before = self.seen.insert(at, card);
                    assert!(before.is_none_or(|before| before == card), "{at:?}");
                }
                News::Over(end) => self.end = Some(end.clone()),
                _ => {}
            }
            let command = match &news {
                News::YourTurn { legal } => Command::Choose(choice(program, legal)),
                News::Voided { .. } => Command::DealAgain,
                _ => continue,
            };
            program.command(command).expect("an allowed command");
        }
        any
    }
}
