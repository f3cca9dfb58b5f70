//! Two seats with the real engine, their disks, and lines between them that can break anywhere.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use dealerless::deck::{Card, Choice as Shuffle, circuit};
use dealerless::dice::Dice;
use dealerless::mpc::{Attempt, Attempts, Security};
use dealerless::net::{Channel, Deadlines, MemoryTransport, memory_pair};
use dealerless::shuffle::ShuffleCircuit;
use dealerless::testing::soak::soak;
use dealerless_table::{
    BettingRules, Binding, Choice, Clock, Command, Dealer, Done, End, Event, Header, Identity,
    Inputs, Journal, Legal, Limit, LogMessage, Match, News, OpenedInputs, Orders, Outbox, Phase,
    Play, PlayError, Player, Posts, Seat, Setting, SignedPart, Sitting, Stakes, SystemRng, Variety,
    Vault, Versions, system_rng,
};

use crate::disk::{Disk, Growing, Kill, Kind};

/// Nothing takes so long.
const STUCK: Duration = Duration::from_secs(60);

/// The line is cut with this message of a seat, counted from 0 over all lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    pub(crate) seat: usize,
    pub(crate) message: usize,
    /// Whether the message still arrives.
    pub(crate) arrives: bool,
}

/// What goes wrong in a match.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    pub(crate) game: Game,
    pub(crate) kills: [Vec<Kill>; 2],
    pub(crate) cuts: Vec<Cut>,
}

/// How a match went.
pub(crate) struct Went {
    pub(crate) ends: [End; 2],
    pub(crate) disks: [Disk; 2],
    /// The messages that each seat sent.
    pub(crate) sent: [usize; 2],
    pub(crate) lines: u64,
    /// The tries that were declared void.
    pub(crate) void: usize,
    /// A hand was sealed anew.
    pub(crate) stolen: bool,
}

/// What is played.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Game {
    /// Two hands of hold'em, in which all call and show.
    #[default]
    Holdem,
    /// A deck without rules: dice are rolled, cards drawn and revealed.
    Deck,
    /// The same, in which the host steals a card of the guest's.
    Steal,
    /// Many hands of hold'em.
    Long,
}

/// The hands of a long match; in a soak as many as it says.
pub(crate) fn long() -> u32 {
    soak().map_or(30, |hands| hands as u32)
}

type Terms = (Stakes, Arc<ShuffleCircuit>);

fn terms(variety: Variety, hands: u32) -> Terms {
    let stakes = Stakes::new(variety, 2, hands).unwrap();
    let (cards, drawn) = stakes.deck();
    let spec = Shuffle::Cheapest.spec(cards, drawn, Security::Malicious);
    let circuit = circuit(spec.unwrap(), Security::Malicious);
    (stakes, Arc::new(circuit))
}

fn holdem(stack: u64, hands: u32) -> Terms {
    let rules = BettingRules {
        stack,
        limit: Limit::NoLimit,
        posts: Posts::Blinds { small: 1, big: 2 },
    };
    terms(Variety::Holdem(rules), hands)
}

static HOLDEM: LazyLock<Terms> = LazyLock::new(|| holdem(200, 2));

/// Nobody who calls loses so many chips.
static LONG: LazyLock<Terms> = LazyLock::new(|| holdem(1_000_000, long()));

static DECK: LazyLock<Terms> = LazyLock::new(|| {
    let variety = Variety::Deck {
        cards: 20,
        drawn: 6,
    };
    terms(variety, 1)
});

/// How many cards are drawn where one is stolen.
const OF_A_STEAL: usize = 4;

static STEAL: LazyLock<Terms> = LazyLock::new(|| {
    let variety = Variety::Deck {
        cards: 20,
        drawn: OF_A_STEAL as u32,
    };
    terms(variety, 1)
});

impl Game {
    pub(crate) fn circuit(self) -> &'static ShuffleCircuit {
        &self.terms().1
    }

    fn terms(self) -> &'static Terms {
        match self {
            Game::Holdem => &HOLDEM,
            Game::Deck => &DECK,
            Game::Steal => &STEAL,
            Game::Long => &LONG,
        }
    }
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
type Lies = (usize, Option<(u64, usize)>);

struct Side {
    seat: Seat,
    game: Game,
    disk: Disk,
    program: Option<Program>,
    engine: Option<MemoryTransport>,
    dealer: Option<Dealer>,
    /// What the other has sent and was not heard.
    inbox: VecDeque<Vec<u8>>,
    sent: usize,
    /// What it has signed in each step, as the other has seen it.
    signed: HashMap<u64, SignedPart>,
    /// The hand and the try, as it was told.
    dealt: (u32, u32),
    /// The cards that it has seen, by hand, try and position, and by what sealed them last.
    seen: HashMap<(u32, u32, Lies), Card>,
    end: Option<End>,
}

type EngineEvent = (usize, u64, Event);

/// Both seats, and what is between them.
pub(crate) struct World {
    sides: [Side; 2],
    plan: Plan,
    lines: u64,
    up: bool,
    engines: (Sender<EngineEvent>, Receiver<EngineEvent>),
    void: usize,
}

/// What a seat sends is put on the line, or breaks it.
struct Mouth<'a> {
    disk: &'a Disk,
    sent: &'a mut usize,
    signed: &'a mut HashMap<u64, SignedPart>,
    line: Vec<Vec<u8>>,
    seat: usize,
    cuts: &'a [Cut],
    cut: bool,
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
            let line = &mut self.line;
            let sends = |_: &mut Disk| line.push(message);
            self.disk.deed(Kind::Send, |_| {}, sends)?;
        }
        self.cut = cut.is_some();
        Ok(())
    }
}

struct Nobody;

impl Orders for Nobody {
    fn shuffle(&mut self, _: dealerless::shuffle::Randomness, _: Vec<u8>) {
        unreachable!("the engine is there when it is needed");
    }

    fn prepare(&mut self, _: u32) {
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
    let of = opened.log.of().id();
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
    /// The program starts. If it finds the deck of another hand, its user gives it up.
    fn start(&mut self) -> Result<(), PlayError> {
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
    fn check_inputs(&self) {
        let program = self.program.as_ref().expect("it runs");
        let of = program.log().of().id();
        let inputs = inputs(&self.disk, self.seat, of).unwrap().inputs;
        for deal in program.log().deals(self.seat) {
            let opens = inputs.iter().any(|input| {
                let (bits, nonce) = (&input.bits, &input.nonce);
                input.of.input_commitment(self.seat, bits, nonce) == deal.input
            });
            assert!(opens, "hand {}, try {}", deal.hand, deal.attempt);
        }
    }

    fn lose_line(&mut self) {
        self.inbox.clear();
        self.dealer = None;
        self.engine = None;
        if let Some(program) = &mut self.program {
            program.lose_line();
        }
    }

    fn start_engine(&mut self, line: u64, done: &Sender<EngineEvent>) {
        let Some(transport) = self.engine.take() else {
            return;
        };
        let binding = Binding {
            seat: self.seat,
            handshake: [line as u8; 32],
            circuit: Arc::clone(&self.game.terms().1),
            attempts: Box::new(Uncounted),
        };
        let (done, seat) = (done.clone(), self.seat.index());
        let report = move |report| done.send((seat, line, Event::Done(report))).is_ok();
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
    fn tell(&mut self, void: &mut usize) -> bool {
        let Some(program) = &mut self.program else {
            return false;
        };
        let mut told = false;
        while let Some(news) = program.news() {
            told = true;
            match &news {
                &News::Dealt { hand, attempt } => self.dealt = (hand, attempt),
                News::Again { .. } => *void += 1,
                &News::Card { position, card } => {
                    let sealed = program.log().resealed(position);
                    let at = (self.dealt.0, self.dealt.1, (position, sealed));
                    let before = self.seen.insert(at, card);
                    assert!(before.is_none_or(|before| before == card), "{at:?}");
                }
                News::Over(end) => self.end = Some(end.clone()),
                _ => {}
            }
            if let News::YourTurn { legal } = &news {
                let command = Command::Choose(choice(program, legal));
                program.command(command).expect("it may say that");
            }
        }
        told
    }
}

/// What a player says who calls and shows; or who rolls dice, draws a card and reveals it.
fn choice(program: &Program, legal: &Legal) -> Choice {
    let game = program.log().game().expect("a hand is played");
    let held = game.held(program.seat());
    let is_open = |&position: &usize| program.log().public_card(position).is_some();
    if program.log().of().header().stakes.deck().1 == OF_A_STEAL {
        let is_new = !(0..OF_A_STEAL).any(|position| is_open(&position));
        let closed = held.iter().find(|position| !is_open(position));
        // The host is the first to hold two.
        let thief = program.seat() == Seat::HOST && program.can_steal();
        return match closed {
            _ if held.len() < 2 && is_new => Choice::Draw,
            _ if thief && is_new => Choice::Steal(Seat::GUEST),
            Some(&position) => Choice::Reveal(position as u16),
            None => Choice::Pass,
        };
    }
    match legal {
        Legal::Bet { call: None, .. } => Choice::Check,
        Legal::Bet { .. } => Choice::Call,
        Legal::Speak { may_draw, .. } => match held.first() {
            _ if game.rolls() < 2 => Choice::Roll(Dice::new(2, 6).unwrap()),
            Some(&position) => Choice::Reveal(position as u16),
            None if *may_draw && (0..6).filter(is_open).count() < 2 => Choice::Draw,
            None => Choice::Pass,
        },
        _ => Choice::Show,
    }
}

impl World {
    fn new(plan: Plan) -> Self {
        let (stakes, circuit) = plan.game.terms();
        let header = Header {
            versions: Versions {
                log: Header::LOG_VERSION,
                engine: dealerless::net::VERSION,
            },
            stakes: stakes.clone(),
            algorithm: circuit.spec().algorithm(),
            circuit: circuit.circuit().digest(),
            validity: if circuit.validity().is_some() { 2 } else { 0 },
            clock: Clock {
                each_move: 0,
                bank: 0,
            },
        };
        let player = |seat: Seat| Player {
            identity: identity(seat).public().clone(),
            nonce: [7; 32],
        };
        let of = Match::new(header, Seat::all(2).map(player).collect()).unwrap();
        let side = |seat: Seat, kills: Vec<Kill>| {
            let sitting = Sitting {
                of: of.clone(),
                seat,
                names: Vec::new(),
            };
            // The files are there before the match begins.
            let disk = Disk::default();
            inputs(&disk, seat, of.id()).unwrap();
            Journal::create(disk.log(), identity(seat).file_key(), &sitting).unwrap();
            let disk = disk.then_with(kills);
            Side {
                seat,
                game: plan.game,
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
        };
        let [of_host, of_guest] = plan.kills.clone();
        World {
            sides: [side(Seat::HOST, of_host), side(Seat::GUEST, of_guest)],
            plan,
            lines: 0,
            up: false,
            engines: mpsc::channel(),
            void: 0,
        }
    }

    /// The two meet, and their programs run.
    fn meet(&mut self) {
        for side in &mut self.sides {
            while side.program.is_none() {
                match side.start() {
                    Ok(()) => {}
                    Err(error) => assert!(side.disk.was_killed(), "{error:?}"),
                }
            }
        }
        let first = self.lines == 0;
        self.lines += 1;
        let (one, other) = memory_pair();
        for (side, engine) in self.sides.iter_mut().zip([one, other]) {
            side.engine = Some(engine);
            let program = side.program.as_mut().expect("it was started");
            if first {
                program.begin();
            } else if let Err(error) = program.meet_again() {
                assert!(side.disk.was_killed(), "{error:?}");
                side.program = None;
            }
        }
        self.up = self.sides.iter().all(|side| side.program.is_some());
        if !self.up {
            self.lose_line();
        }
    }

    fn lose_line(&mut self) {
        self.up = false;
        for side in &mut self.sides {
            side.lose_line();
        }
    }

    /// A seat says what is due. Says whether the line still stands.
    fn go_on(&mut self, seat: usize) -> bool {
        let [host, guest] = &mut self.sides;
        let (side, other) = match seat {
            0 => (host, guest),
            _ => (guest, host),
        };
        let program = side.program.as_mut().expect("it runs");
        side.disk.at_step(program.log().step());
        if program.has_met() && !matches!(program.log().phase(), Phase::Over(_)) {
            side.start_engine(self.lines, &self.engines.0);
        }
        let mut mouth = Mouth {
            disk: &side.disk,
            sent: &mut side.sent,
            signed: &mut side.signed,
            line: Vec::new(),
            seat,
            cuts: &self.plan.cuts,
            cut: false,
        };
        let program = side.program.as_mut().expect("it runs");
        let went = match &mut side.dealer {
            Some(dealer) => program.go_on(&mut mouth, dealer),
            None => program.go_on(&mut mouth, &mut Nobody),
        };
        let (line, cut) = (mouth.line, mouth.cut);
        other.inbox.extend(line);
        self.came_of(seat, went, cut)
    }

    /// What came of what a seat did. Says whether the line still stands.
    fn came_of(&mut self, seat: usize, went: Result<(), PlayError>, cut: bool) -> bool {
        let killed = self.sides[seat].disk.was_killed();
        if !killed && !cut {
            went.expect("an honest seat goes on");
            return true;
        }
        // What has arrived is heard, and what comes of it is written.
        let other = 1 - seat;
        while let Some(message) = self.sides[other].inbox.pop_front() {
            let side = &mut self.sides[other];
            let program = side.program.as_mut().expect("it runs");
            let heard = program.hear(Event::Said(message));
            if side.disk.was_killed() {
                side.program = None;
                break;
            }
            heard.expect("what an honest seat says");
        }
        if killed {
            self.sides[seat].program = None;
        }
        self.lose_line();
        false
    }

    /// A seat hears something. Says whether the line still stands.
    fn hear(&mut self, seat: usize, event: Event) -> bool {
        let side = &mut self.sides[seat];
        if let Event::Done(Done::Failed(error)) = &event {
            panic!("the engine of an honest seat fails: {error}");
        }
        let program = side.program.as_mut().expect("it runs");
        let went = program.hear(event);
        self.came_of(seat, went, false)
    }

    /// One turn of everything. Says whether anything has happened.
    fn turn(&mut self) -> bool {
        if !self.up {
            self.meet();
            return true;
        }
        let mut happened = false;
        for seat in [0, 1] {
            if !self.go_on(seat) {
                return true;
            }
            let told = self.sides[seat].tell(&mut self.void);
            happened |= told;
            while let Some(message) = self.sides[seat].inbox.pop_front() {
                happened = true;
                if !self.hear(seat, Event::Said(message)) {
                    return true;
                }
            }
        }
        while let Ok((seat, line, event)) = self.engines.1.try_recv() {
            happened = true;
            if line == self.lines && !self.hear(seat, event) {
                return true;
            }
        }
        happened || self.sides.iter().any(|side| !side.inbox.is_empty())
    }

    fn is_over(&self) -> bool {
        let quiet = self.sides.iter().all(|side| side.inbox.is_empty());
        quiet && self.up && self.sides.iter().all(|side| side.end.is_some())
    }

    fn wait_for_engines(&mut self) {
        let heard = self.engines.1.recv_timeout(STUCK);
        let Ok((seat, line, event)) = heard else {
            let phases = self.sides.each_ref().map(|side| {
                let program = side.program.as_ref().expect("it runs");
                (program.log().phase(), program.has_met())
            });
            panic!("both wait: {phases:?} {:?}", self.plan);
        };
        if line == self.lines {
            self.hear(seat, event);
        }
    }

    /// Plays a match in which this goes wrong.
    pub(crate) fn play(plan: &Plan) -> Went {
        let mut world = World::new(plan.clone());
        while !world.is_over() {
            if !world.turn() && !world.is_over() {
                world.wait_for_engines();
            }
        }
        world.check();
        let [host, guest] = world.sides;
        Went {
            stolen: host.seen.keys().any(|(_, _, (_, sealed))| sealed.is_some()),
            sent: [host.sent, guest.sent],
            ends: [host.end.expect("over"), guest.end.expect("over")],
            disks: [host.disk, guest.disk],
            lines: world.lines,
            void: world.void,
        }
    }

    /// What must be so however a match went.
    fn check(&self) {
        let [host, guest] = &self.sides;
        let mut logs = Vec::new();
        for side in [host, guest] {
            let program = side.program.as_ref().expect("it runs");
            let log = program.log();
            logs.push((log.hash(), log.history(0).cloned().collect::<Vec<_>>()));
            assert!(log.evidence().is_none() && log.foul().is_none());
            let chips = 2 * log.of().header().stakes.stack();
            assert_eq!(log.final_stacks().iter().sum::<u64>(), chips);
            assert!(!side.disk.has_deck(), "the deck outlives the match");
            side.check_inputs();
            let key = identity(side.seat).file_key();
            let file = Journal::open(side.disk.log(), key).unwrap().log;
            assert_eq!((file.hash(), file.phase()), (log.hash(), log.phase()));
        }
        assert_eq!(logs[0].0, logs[1].0);
        assert_eq!(host.end, guest.end);
        // No try is void of which anybody has seen a card.
        let cards = || host.seen.keys().chain(guest.seen.keys());
        for &(hand, attempt, position) in cards() {
            let later = cards().any(|&(h, a, _)| h == hand && a > attempt);
            assert!(!later, "hand {hand}, try {attempt}, card {position:?}");
        }
        // What both have seen is the same.
        for (at, card) in &host.seen {
            assert!(guest.seen.get(at).is_none_or(|other| other == card));
        }
    }
}
