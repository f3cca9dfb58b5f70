//! Two programs play a match. One or both are killed and started again.

use std::collections::HashMap;
use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use dealerless::deck::Choice as Shuffle;
use dealerless_table::identity::{Home, Name};
use dealerless_table::log::{
    Clock, DiskStorage, End, Header, Inputs, Journal, Match, Player, Sitting,
};
use dealerless_table::play::Seating;
use dealerless_table::record::{Compared, MatchState, Record, compare};
use dealerless_table::rules::{BettingRules, Limit, Posts, Stakes, Variety};
use dealerless_table::{Seat, system_rng};
use tempfile::TempDir;

use crate::points::{Kind, Plan};
use crate::proxy::Proxy;
use crate::seat::{self, LOG, Report};

/// Held while a program starts, and while this process has a folder locked. At its start, a process
/// briefly inherits all files that are open here, and their locks.
static FORK_LOCK: Mutex<()> = Mutex::new(());

/// The maximum duration of a match.
const MATCH_TIMEOUT: Duration = Duration::from_secs(60);
/// The number of hands in a match.
pub(crate) const HANDS: u32 = 2;
const STACK: u64 = 200;

static HEADER: LazyLock<Header> = LazyLock::new(|| {
    let rules = BettingRules {
        stack: STACK,
        limit: Limit::NoLimit,
        posts: Posts::Blinds { small: 1, big: 2 },
    };
    let stakes = Stakes::new(Variety::Holdem(rules), 2, HANDS).unwrap();
    let (cards, drawn) = stakes.deck();
    let spec = Shuffle::Cheapest.spec(cards, drawn);
    let clock = Clock {
        each_move: 0,
        bank: 0,
    };
    let proposed = Seating::propose(stakes, spec.unwrap().algorithm(), clock);
    proposed.unwrap().0
});

/// The outcome of a match.
pub(crate) struct Outcome {
    /// The disk operations of each program since its last start, with the steps of the log.
    pub(crate) operations: [Vec<(Kind, u64)>; 2],
    pub(crate) frames: [usize; 2],
    /// The number of times that a program was killed.
    pub(crate) kills: usize,
    /// The number of void tries.
    pub(crate) void: usize,
}

/// A line of text from the program of a seat; `None` at the end of its output.
type Line = (usize, Option<String>);

/// The running programs.
type Children = Arc<[Mutex<Option<Child>>; 2]>;

/// A seat, over all runs of its program.
struct Side {
    folder: TempDir,
    /// Whether its program has reported the end of the match.
    over: bool,
    ended: bool,
    kills: usize,
    void: usize,
    /// The cards that it saw, by hand, try and position.
    cards: HashMap<(u32, u32, usize), u64>,
    operations: Vec<(Kind, u64)>,
}

/// Two programs and the proxy between them.
pub(crate) struct Pair {
    plan: Plan,
    sides: [Side; 2],
    children: Children,
    proxy: Proxy,
    lines: (Sender<Line>, Receiver<Line>),
    /// The output of both programs, for error messages.
    transcript: String,
}

/// Makes both folders, each with an empty match file.
fn folders() -> [TempDir; 2] {
    // In memory if possible: written bytes survive a killed program there as well.
    let folder = || tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    let folders = [(); 2].map(|()| folder().unwrap());
    let _lock = lock();
    let names = ["Anna", "Bob"].map(Name::clean);
    let homes = folders.each_ref();
    let homes = homes.map(|folder| Home::open(folder.path(), None, &mut system_rng()).unwrap());
    let players = homes.each_ref().map(|home| Player {
        identity: home.identity().public().clone(),
        nonce: [7; 32],
    });
    let of = Match::new(HEADER.clone(), players.to_vec()).unwrap();
    for (seat, home) in Seat::all(2).zip(&homes) {
        let other = 1 - seat.index();
        let known = home.known_peers().unwrap();
        let peer = &players[other].identity;
        known
            .lock()
            .remember(peer, &names[other], &[], None)
            .unwrap();
        let sitting = Sitting {
            match_info: of.clone(),
            seat,
            names: names.to_vec(),
        };
        let file = DiskStorage::create(&home.matches().join(LOG)).unwrap();
        Journal::create(file, home.identity().file_key(), &sitting).unwrap();
    }
    folders
}

fn lock() -> MutexGuard<'static, ()> {
    FORK_LOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

fn child(children: &Children, seat: usize) -> MutexGuard<'_, Option<Child>> {
    children[seat].lock().unwrap()
}

impl Pair {
    fn new(plan: Plan) -> Self {
        let children = Children::default();
        let own = Arc::clone(&children);
        let kill = move |seat| {
            let mut child = child(&own, seat);
            let child = child.as_mut().expect("the program has sent a frame");
            child.kill().unwrap();
            child.wait().unwrap();
        };
        let side = |folder| Side {
            folder,
            over: false,
            ended: false,
            kills: 0,
            void: 0,
            cards: HashMap::new(),
            operations: Vec::new(),
        };
        Pair {
            plan,
            sides: folders().map(side),
            children,
            proxy: Proxy::new(plan.frame, Box::new(kill)),
            lines: channel(),
            transcript: String::new(),
        }
    }

    /// Starts the program of a seat. At its first start, the program gets its kill point.
    fn start(&self, seat: usize, first: bool) {
        let mut command = Command::new(env::current_exe().unwrap());
        command
            .args(["--exact", "--ignored", "--nocapture", crate::SEAT_PROCESS])
            .env(seat::FOLDER, self.sides[seat].folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        if first {
            command.env(seat::FIRST, "");
            if let Some(point) = self.plan.kill_at[seat] {
                command.env(seat::KILL, point.to_string());
            }
        }
        if seat == 1 {
            command.env(seat::HOST, self.proxy.address.to_string());
        }
        let mut started = {
            let _lock = lock();
            command.spawn().unwrap()
        };
        let output = BufReader::new(started.stderr.take().unwrap());
        let sender = self.lines.0.clone();
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let _ = sender.send((seat, Some(line)));
            }
            let _ = sender.send((seat, None));
        });
        *child(&self.children, seat) = Some(started);
    }

    /// Plays a match with these faults.
    pub(crate) fn play(plan: Plan) -> Outcome {
        let mut pair = Pair::new(plan);
        for seat in [0, 1] {
            pair.start(seat, true);
        }
        let begun = Instant::now();
        while !pair.sides.iter().all(|side| side.ended) {
            let left = MATCH_TIMEOUT.saturating_sub(begun.elapsed());
            let Ok((seat, line)) = pair.lines.1.recv_timeout(left) else {
                panic!("timeout: {plan:?} {}", pair.transcript)
            };
            let text = line.as_deref().unwrap_or("(ends)");
            pair.transcript.push_str(&format!("{seat}: {text}\n"));
            match line.as_deref().map(Report::parse) {
                None => pair.ended(seat),
                Some(Some(report)) => pair.receive(seat, report),
                // A line of the test harness, or an incomplete line.
                Some(None) => {}
            }
        }
        pair.check();
        Outcome {
            kills: pair.sides.iter().map(|side| side.kills).sum(),
            void: pair.sides.iter().map(|side| side.void).max().unwrap(),
            frames: pair.proxy.frames(),
            operations: pair.sides.map(|side| side.operations),
        }
    }

    /// Handles the end of a program. If the program was killed, starts it again.
    fn ended(&mut self, seat: usize) {
        let ended = child(&self.children, seat).take();
        let status = ended.expect("the program ran").wait().unwrap();
        let side = &mut self.sides[seat];
        if status.success() {
            side.ended = true;
            return;
        }
        let transcript = &self.transcript;
        assert_eq!(status.signal(), Some(9), "{:?} {transcript}", self.plan);
        (side.kills, side.over) = (side.kills + 1, false);
        if seat == 0 {
            self.proxy.set_host(None);
        }
        self.start(seat, false);
    }

    fn receive(&mut self, seat: usize, report: Report) {
        let side = &mut self.sides[seat];
        match report {
            Report::Listens(at) => self.proxy.set_host(Some(at.parse().unwrap())),
            Report::Card {
                hand,
                attempt,
                position,
                card,
            } => {
                let before = side.cards.insert((hand, attempt, position), card);
                let same = before.is_none_or(|before| before == card);
                assert!(
                    same,
                    "a different card: {:?} {}",
                    self.plan, self.transcript
                );
            }
            Report::Void => side.void += 1,
            Report::Over(played) => {
                assert!(played, "{:?} {}", self.plan, self.transcript);
                side.over = true;
            }
            Report::Operation(kind, step) => side.operations.push((kind, step)),
        }
        if self.sides.iter().all(|side| side.over || side.ended) {
            for seat in [0, 1] {
                // The end of its input tells a program that it may end.
                if let Some(child) = &mut *child(&self.children, seat) {
                    drop(child.stdin.take());
                }
            }
        }
    }

    /// Checks everything that has to hold after any match.
    fn check(&self) {
        let plan = self.plan;
        let _lock = lock();
        let records = self.sides.each_ref().map(|side| {
            let home = Home::open(side.folder.path(), None, &mut system_rng()).unwrap();
            let log = home.matches().join(LOG);
            let record = Record::read(&fs::read(&log).unwrap(), Some(home.identity())).unwrap();
            assert!(record.log.evidence().is_empty() && record.log.fouls().is_empty());
            assert_eq!(record.state(), MatchState::Over(End::Played), "{plan:?}");
            check_inputs(&record, &log, &home);
            // The deck is destroyed, and no temporary files are left.
            let mut files = fs::read_dir(home.matches()).unwrap();
            let known = |path: &Path| path.extension().is_some_and(|end| end != "deck");
            assert!(files.all(|file| known(&file.unwrap().path())), "{plan:?}");
            side.check(&record, plan);
            record
        });
        let [one, other] = &records;
        let same = Compared::Together {
            more: [0, 0],
            renamed: Vec::new(),
            same_owner: false,
        };
        assert_eq!(compare(one, other), same, "{plan:?}");
        // Both have seen the same cards.
        for (at, card) in &self.sides[0].cards {
            let other = self.sides[1].cards.get(at);
            assert!(other.is_none_or(|other| other == card), "{plan:?}");
        }
    }
}

impl Side {
    /// Checks that the player saw the cards of the record, and one deck for each hand.
    fn check(&self, record: &Record, plan: Plan) {
        let hands = &record.hands;
        let numbers: Vec<u32> = hands.iter().map(|hand| hand.begun.hand).collect();
        assert_eq!(numbers, (1..=HANDS).collect::<Vec<_>>(), "{plan:?}");
        assert_eq!(record.played(), HANDS as usize);
        let chips: u64 = record.log.final_stacks().iter().sum();
        assert_eq!(chips, 2 * STACK, "{plan:?}");
        for (&(hand, attempt, position), &card) in &self.cards {
            let hand = &hands[hand as usize - 1];
            // Nobody has seen a card of a void try.
            assert_eq!(attempt as usize, hand.voided.len(), "{plan:?}");
            let recorded = hand.card(position).map(|card| card.0);
            assert_eq!(recorded, Some(card), "{plan:?}");
        }
    }
}

/// Checks that a seat can open all its input commitments.
fn check_inputs(record: &Record, log: &Path, home: &Home) {
    let file = DiskStorage::open(&log.with_extension("inputs")).unwrap();
    let (key, of) = (home.identity().file_key(), record.log.match_info().id());
    let inputs = Inputs::open(file, key, of).unwrap().inputs;
    let seat = record.owner;
    for deal in record.log.deals(seat) {
        let opens = inputs.iter().any(|input| {
            let commitment = input
                .attempt
                .input_commitment(seat, &input.bits, &input.nonce);
            Some(commitment) == deal.deck.sealed().map(|input| input.input)
        });
        assert!(opens, "hand {}, try {}", deal.hand, deal.attempt);
    }
}
