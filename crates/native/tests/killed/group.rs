//! The programs of a match. Some are killed and started again.

use std::collections::{BTreeMap, HashMap};
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use dealerless_connection::identity::{Home, Name};
use dealerless_connection::storage::DiskStorage;
use dealerless_connection::system_rng;
use dealerless_seat::cards::short;
use dealerless_table::Seat;
use dealerless_table::log::{End, Header, Inputs, Journal, Match, Player, Sitting, TableId};
use dealerless_table::record::{Compared, MatchState, Record, compare};
use dealerless_table::testing::test_match::{proposal, stakes_of};
use tempfile::TempDir;

use crate::points::{Deck, Kind, Plan};
use crate::proxy::{Kill, Proxy};
use crate::seat::{self, LOG, Report, SECRETS};

/// Held while a program starts, and while this process has a folder locked. At its start, a process
/// briefly inherits all files that are open here, and their locks.
static FORK_LOCK: Mutex<()> = Mutex::new(());

/// The maximum duration of a match.
const MATCH_TIMEOUT: Duration = Duration::from_secs(300);
/// The number of hands in a match.
pub(crate) const HANDS: u32 = 2;
const STACK: u64 = 200;

static SEALED: LazyLock<Header> = LazyLock::new(|| proposal(stakes_of(STACK, 2, HANDS)).0);

fn header(deck: Deck) -> Header {
    let Deck::Verifiable(threshold) = deck else {
        return SEALED.clone();
    };
    let stakes = stakes_of(STACK, deck.seats() as u8, HANDS);
    Header::at_table(TableId::NONE, stakes, threshold, SEALED.clock).unwrap()
}

/// The outcome of a match.
pub(crate) struct Outcome {
    /// The disk operations of each program since its last start, with the lengths of the log.
    pub(crate) operations: Vec<Vec<(Kind, u64)>>,
    /// The log of each program.
    pub(crate) logs: Vec<Vec<u8>>,
    /// The number of frames, by the seats of the sender and the receiver.
    pub(crate) frames: BTreeMap<(usize, usize), usize>,
    /// The number of times that a program was killed.
    pub(crate) kills: usize,
    /// The number of void tries.
    pub(crate) void: usize,
}

/// A line of text from the program of a seat; `None` at the end of its output.
type Line = (usize, Option<String>);

/// The running programs.
type Children = Arc<Vec<Mutex<Option<Child>>>>;

/// A seat, over all runs of its program.
struct Side {
    folder: TempDir,
    /// Whether its program has reported the end of the match.
    over: bool,
    ended: bool,
    kills: usize,
    void: usize,
    /// The cards that it saw, by hand, try and position.
    cards: HashMap<(u32, u32, usize), String>,
    operations: Vec<(Kind, u64)>,
}

/// The programs of a match, and the proxies between them.
pub(crate) struct Group {
    plan: Plan,
    sides: Vec<Side>,
    children: Children,
    proxies: Vec<Proxy>,
    lines: (Sender<Line>, Receiver<Line>),
    /// The output of all programs, for error messages.
    transcript: String,
}

/// Makes the folders of the seats, each with an empty match file.
fn folders(deck: Deck) -> Vec<TempDir> {
    // In memory if possible: written bytes survive a killed program there as well.
    let folder = || tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    let folders: Vec<TempDir> = (0..deck.seats()).map(|_| folder().unwrap()).collect();
    let _lock = lock();
    let names: Vec<Name> = (0..deck.seats()).map(seat::name).collect();
    let homes = folders.iter();
    let homes = homes.map(|folder| Home::open(folder.path(), None, &mut system_rng()).unwrap());
    let homes: Vec<Home> = homes.collect();
    let player = |home: &Home| Player {
        identity: home.identity().public().clone(),
        nonce: [7; 32],
    };
    let players: Vec<Player> = homes.iter().map(player).collect();
    let of = Match::new(header(deck), players.clone()).unwrap();
    for (seat, home) in Seat::all(deck.seats()).zip(&homes) {
        let known = home.known_peers().unwrap();
        for other in (0..deck.seats()).filter(|other| *other != seat.index()) {
            let peer = &players[other].identity;
            let remembered = known.lock().remember(peer, &names[other], &[], None);
            remembered.unwrap();
        }
        let sitting = Sitting {
            match_info: of.clone(),
            seat,
            names: names.clone(),
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

impl Group {
    fn new(plan: Plan) -> Self {
        let seats = plan.deck.seats();
        let children: Children = Arc::new((0..seats).map(|_| Mutex::default()).collect());
        let own = Arc::clone(&children);
        let kill: Kill = Arc::new(move |seat| {
            let mut child = child(&own, seat);
            let child = child.as_mut().expect("the program has sent a frame");
            child.kill().unwrap();
            child.wait().unwrap();
        });
        let side = |folder| Side {
            folder,
            over: false,
            ended: false,
            kills: 0,
            void: 0,
            cards: HashMap::new(),
            operations: Vec::new(),
        };
        // Each program connects to those of all lower seats.
        let ends = (0..seats).flat_map(|higher| (0..higher).map(move |lower| [lower, higher]));
        let proxy = |ends| Proxy::new(ends, plan.frame, Arc::clone(&kill));
        Group {
            plan,
            sides: folders(plan.deck).into_iter().map(side).collect(),
            children,
            proxies: ends.map(proxy).collect(),
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
        let lower = self.proxies.iter().filter(|proxy| proxy.dials(seat));
        let addresses: Vec<String> = lower.map(|proxy| proxy.address.to_string()).collect();
        if !addresses.is_empty() {
            command.env(seat::LOWER, addresses.join(","));
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

    fn set_address(&self, seat: usize, at: Option<SocketAddr>) {
        for proxy in &self.proxies {
            proxy.set_address(seat, at);
        }
    }

    /// Plays a match with these faults.
    pub(crate) fn play(plan: Plan) -> Outcome {
        let mut group = Group::new(plan);
        for seat in 0..plan.deck.seats() {
            group.start(seat, true);
        }
        let begun = Instant::now();
        while !group.sides.iter().all(|side| side.ended) {
            let left = MATCH_TIMEOUT.saturating_sub(begun.elapsed());
            let Ok((seat, line)) = group.lines.1.recv_timeout(left) else {
                panic!("timeout: {plan:?} {}", group.transcript)
            };
            let text = line.as_deref().unwrap_or("(ends)");
            group.transcript.push_str(&format!("{seat}: {text}\n"));
            match line.as_deref().map(Report::parse) {
                None => group.ended(seat),
                Some(Some(report)) => group.receive(seat, report),
                // A line of the test harness, or an incomplete line.
                Some(None) => {}
            }
        }
        group.check();
        Outcome {
            kills: group.sides.iter().map(|side| side.kills).sum(),
            void: group.sides.iter().map(|side| side.void).max().unwrap(),
            frames: group.proxies.iter().flat_map(Proxy::frames).collect(),
            logs: group.sides.iter().map(Side::log).collect(),
            operations: (group.sides.into_iter())
                .map(|side| side.operations)
                .collect(),
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
        self.set_address(seat, None);
        self.start(seat, false);
    }

    fn receive(&mut self, seat: usize, report: Report) {
        if let Report::Listens(at) = &report {
            self.set_address(seat, Some(at.parse().unwrap()));
        }
        let side = &mut self.sides[seat];
        match report {
            Report::Listens(_) => {}
            Report::Card {
                hand,
                attempt,
                position,
                card,
            } => {
                let before = side.cards.insert((hand, attempt, position), card.clone());
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
            Report::Operation(kind, log) => side.operations.push((kind, log)),
        }
        if self.sides.iter().all(|side| side.over || side.ended) {
            for seat in 0..self.sides.len() {
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
        let records = self.sides.iter().map(|side| {
            let home = Home::open(side.folder.path(), None, &mut system_rng()).unwrap();
            let log = home.matches().join(LOG);
            let record = Record::read(&side.log(), Some(home.identity())).unwrap();
            assert!(record.log.evidence().is_empty() && record.log.fouls().is_empty());
            assert_eq!(record.state(), MatchState::Over(End::Played), "{plan:?}");
            if plan.deck == Deck::Sealed {
                check_inputs(&record, &log, &home);
            }
            // The secrets are destroyed, and no temporary files are left.
            let mut files = fs::read_dir(home.matches()).unwrap();
            let is_secret = |end: &OsStr| SECRETS.iter().any(|secret| end == *secret);
            let known = |path: &Path| path.extension().is_some_and(|end| !is_secret(end));
            assert!(files.all(|file| known(&file.unwrap().path())), "{plan:?}");
            side.check(&record, plan);
            record
        });
        let records: Vec<Record> = records.collect();
        let same = Compared::Together {
            more: [0, 0],
            renamed: Vec::new(),
            same_owner: false,
        };
        for (number, one) in records.iter().enumerate() {
            for other in &records[number + 1..] {
                assert_eq!(compare(one, other), same, "{plan:?}");
            }
        }
        // All have seen the same cards.
        for (at, card) in self.sides.iter().flat_map(|side| &side.cards) {
            let mut others = self.sides.iter().filter_map(|side| side.cards.get(at));
            assert!(others.all(|other| other == card), "{plan:?}");
        }
    }
}

impl Side {
    fn log(&self) -> Vec<u8> {
        fs::read(self.folder.path().join("matches").join(LOG)).unwrap()
    }

    /// Checks that the player saw the cards of the record, and one deck for each hand.
    fn check(&self, record: &Record, plan: Plan) {
        let hands = &record.hands;
        let numbers: Vec<u32> = hands.iter().map(|hand| hand.begun.hand).collect();
        assert_eq!(numbers, (1..=HANDS).collect::<Vec<_>>(), "{plan:?}");
        assert_eq!(record.played(), HANDS as usize);
        let chips: u64 = record.log.final_stacks().iter().sum();
        assert_eq!(chips, plan.deck.seats() as u64 * STACK, "{plan:?}");
        for (&(hand, attempt, position), card) in &self.cards {
            let hand = &hands[hand as usize - 1];
            // Nobody has seen a card of a void try.
            assert_eq!(attempt as usize, hand.voided.len(), "{plan:?}");
            let recorded = hand.card(position).map(|card| short(card, 52));
            assert_eq!(recorded.as_ref(), Some(card), "{plan:?}");
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
