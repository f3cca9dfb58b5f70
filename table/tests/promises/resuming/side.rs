//! One seat: its program, its disk, its engine, and what it has seen.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use dealerless::deck::Card;
use dealerless::mpc::{Attempt, Attempts};
use dealerless::net::{Channel, Deadlines, MemoryTransport};
use dealerless_table::identity::Identity;
use dealerless_table::log::{End, Inputs, Journal, LogEvent, LogMessage, OpenedInputs, SignedPart};
use dealerless_table::play::{
    Binding, Command, Dealer, Event, News, Order, Orders, Outbox, Play, PlayError, Setting, Vault,
};
use dealerless_table::{Seat, SystemRng, system_rng};

use super::disk::{Disk, Growing, Kind};
use super::games::{Game, choice};

/// The line is cut with this message of a seat, counted from 0 over all lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    pub(crate) seat: usize,
    pub(crate) message: usize,
    /// Whether the message still arrives.
    pub(crate) arrives: bool,
}

struct Uncounted;

impl Attempts for Uncounted {
    fn begins(&mut self, _: Attempt) -> io::Result<()> {
        Ok(())
    }

    fn ends_well(&mut self, _: Attempt) {}
}

pub(crate) type Program = Play<Growing, Disk, SystemRng>;

/// Where a card lies: its position, and what has sealed it last.
pub(crate) type Lies = (usize, Option<(u64, usize)>);

pub(crate) struct Side {
    pub(crate) seat: Seat,
    pub(crate) game: Game,
    pub(crate) disk: Disk,
    pub(crate) program: Option<Program>,
    pub(crate) engine: Option<MemoryTransport>,
    pub(crate) dealer: Option<Dealer>,
    /// What the other has sent and was not heard.
    pub(crate) inbox: VecDeque<Vec<u8>>,
    pub(crate) sent: usize,
    /// What it has signed in each step, as the other has seen it.
    pub(crate) signed: HashMap<u64, SignedPart>,
    /// The hand and the try, as it was told.
    pub(crate) dealt: (u32, u32),
    /// The cards that it has seen, by hand, try and position, and by what sealed them last.
    pub(crate) seen: HashMap<(u32, u32, Lies), Card>,
    pub(crate) end: Option<End>,
}

/// What the engine of a seat says, on which line.
pub(crate) type EngineEvent = (usize, u64, Event);

/// What a seat sends is put on the line, or breaks it.
pub(crate) struct Mouth<'a> {
    pub(crate) disk: &'a Disk,
    pub(crate) sent: &'a mut usize,
    pub(crate) signed: &'a mut HashMap<u64, SignedPart>,
    pub(crate) connection: Vec<Vec<u8>>,
    pub(crate) seat: usize,
    pub(crate) cuts: &'a [Cut],
    pub(crate) cut: bool,
}

impl Outbox for Mouth<'_> {
    fn send(&mut self, message: Vec<u8>) -> io::Result<()> {
        if self.cut {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        if let Ok(LogMessage::Part(part)) = LogMessage::decode(&message)
            && part.seat.index() == self.seat
        {
            let before = self.signed.insert(part.step, part.clone());
            assert!(before.is_none_or(|before| before == part), "two parts");
        }
        let number = *self.sent;
        *self.sent += 1;
        let mut cuts = self.cuts.iter();
        let cut = cuts.find(|cut| cut.seat == self.seat && cut.message == number);
        if cut.is_none_or(|cut| cut.arrives) {
            let connection = &mut self.connection;
            let sends = |_: &mut Disk| connection.push(message);
            self.disk.deed(Kind::Send, |_| {}, sends)?;
        }
        self.cut = cut.is_some();
        Ok(())
    }
}

/// There is no engine.
pub(crate) struct Nobody;

impl Orders for Nobody {
    fn order(&mut self, _: Order) {
        unreachable!("the engine is there when it is needed");
    }
}

/// The keys of a seat.
pub(crate) fn identity(seat: Seat) -> Arc<Identity> {
    Arc::new(Identity::from_seed([seat.number() + 1; 32]))
}

/// What a seat has entered into the shuffles of a match.
pub(crate) fn inputs(disk: &Disk, seat: Seat, of: [u8; 32]) -> io::Result<OpenedInputs<Growing>> {
    Inputs::open(disk.inputs(), identity(seat).file_key(), of)
}

/// The program of a seat starts, with what is on its disk.
pub(crate) fn start(disk: &Disk, seat: Seat, game: Game) -> Result<Program, PlayError> {
    let identity = identity(seat);
    let opened = Journal::open(disk.log(), identity.file_key())?;
    let of = opened.log.match_info().id();
    Play::new(Setting {
        seat,
        log: opened.log,
        journal: opened.journal,
        inputs: inputs(disk, seat, of).map_err(PlayError::Inputs)?.file,
        vault: disk.clone(),
        circuit: Arc::clone(&game.terms().1),
        rng: system_rng(),
        identity,
    })
}

impl Side {
    /// A seat whose files are there, and whose program does not run yet.
    pub(crate) fn new(seat: Seat, game: Game, disk: Disk) -> Self {
        Side {
            seat,
            game,
            disk,
            program: None,
            engine: None,
            dealer: None,
            inbox: VecDeque::new(),
            sent: 0,
            signed: HashMap::new(),
            dealt: (0, 0),
            seen: HashMap::new(),
            end: None,
        }
    }

    /// The program starts. If it finds the deck of another hand, its user gives it up.
    pub(crate) fn start(&mut self) -> Result<(), PlayError> {
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

    /// All that it has committed itself to can be opened, if nothing was put back.
    pub(crate) fn check_inputs(&self) {
        let program = self.program.as_ref().expect("it runs");
        let of = program.log().match_info().id();
        let inputs = inputs(&self.disk, self.seat, of).unwrap().inputs;
        for deal in program.log().deals(self.seat) {
            let opens = inputs.iter().any(|input| {
                let (bits, nonce) = (&input.bits, &input.nonce);
                input.attempt.input_commitment(self.seat, bits, nonce) == deal.deck.input
            });
            assert!(opens, "hand {}, try {}", deal.hand, deal.attempt);
        }
    }

    pub(crate) fn lose_connection(&mut self) {
        self.inbox.clear();
        self.dealer = None;
        self.engine = None;
        if let Some(program) = &mut self.program {
            program.lose_connection();
        }
    }

    pub(crate) fn start_engine(&mut self, connection: u64, done: &Sender<EngineEvent>) {
        let Some(transport) = self.engine.take() else {
            return;
        };
        let binding = Binding {
            seat: self.seat,
            handshake: [connection as u8; 32],
            circuit: Arc::clone(&self.game.terms().1),
            attempts: Box::new(Uncounted),
        };
        let (done, seat) = (done.clone(), self.seat.index());
        let report = move |report| done.send((seat, connection, Event::Done(report))).is_ok();
        let channel = Channel::new(transport, Deadlines::default());
        self.dealer = Some(Dealer::start(
            channel,
            binding,
            system_rng(),
            |_| {},
            report,
        ));
    }

    /// Tells its player, who calls and shows. Says whether there was anything to tell.
    pub(crate) fn tell(&mut self, void: &mut usize) -> bool {
        let Some(program) = &mut self.program else {
            return false;
        };
        let mut told = false;
        while let Some(news) = program.news() {
            told = true;
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
            program.command(command).expect("it may say that");
        }
        told
    }
}
