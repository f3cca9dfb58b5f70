//! Two programs play a match, in which one or both are killed and started again.

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
use crate::seat::{self, LOG, Said};
use crate::way::Way;

/// Held while a program starts, and while this process has locked a folder. A process that starts
/// has for a moment all files that are open here, and with them their locks.
static ALONE: Mutex<()> = Mutex::new(());

/// No match lasts longer.
const STUCK: Duration = Duration::from_secs(60);
/// How many hands are played.
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

/// How a match went.
pub(crate) struct Went {
    /// What each program did in its last life, with the step of the log.
    pub(crate) did: [Vec<(Kind, u64)>; 2],
    pub(crate) frames: [usize; 2],
    /// How often a program was killed.
    pub(crate) kills: usize,
    /// The tries that were declared void.
    pub(crate) void: usize,
}

/// What a program has said; or nothing more comes of it.
type Word = (usize, Option<String>);

/// The programs that run.
type Children = Arc<[Mutex<Option<Child>>; 2]>;

/// A seat, over all lives of its program.
struct Side {
    folder: TempDir,
    /// It has told that the match is over, and may end.
    over: bool,
    ended: bool,
    kills: usize,
    void: usize,
    /// What it saw, by hand, try and position.
    cards: HashMap<(u32, u32, usize), u64>,
    did: Vec<(Kind, u64)>,
}

/// Two programs, and what is between them.
pub(crate) struct Pair {
    plan: Plan,
    sides: [Side; 2],
    children: Children,
    way: Way,
    words: (Sender<Word>, Receiver<Word>),
    /// What both have said, for whoever looks for a fault.
    story: String,
}

/// Both folders, each with a file of the match in which nothing was said.
fn folders() -> [TempDir; 2] {
    // In memory where that can be: what is written outlives a killed program there as well.
    let folder = || tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    let folders = [(); 2].map(|()| folder().unwrap());
    let _alone = alone();
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

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
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
            let child = child.as_mut().expect("it has sent something");
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
            did: Vec::new(),
        };
        Pair {
            plan,
            sides: folders().map(side),
            children,
            way: Way::new(plan.frame, Box::new(kill)),
            words: channel(),
            story: String::new(),
        }
    }

    /// Starts the program of a seat. The first one is told in which deed it is killed.
    fn start(&self, seat: usize, first: bool) {
        let mut command = Command::new(env::current_exe().unwrap());
        command
            .args(["--exact", "--ignored", "--nocapture", crate::A_SEAT])
            .env(seat::FOLDER, self.sides[seat].folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        if first {
            command.env(seat::FIRST, "");
            if let Some(deed) = self.plan.deeds[seat] {
                command.env(seat::KILL, deed.to_string());
            }
        }
        if seat == 1 {
            command.env(seat::HOST, self.way.address.to_string());
        }
        let mut started = {
            let _alone = alone();
            command.spawn().unwrap()
        };
        let said = BufReader::new(started.stderr.take().unwrap());
        let words = self.words.0.clone();
        thread::spawn(move || {
            for connection in said.lines().map_while(Result::ok) {
                let _ = words.send((seat, Some(connection)));
            }
            let _ = words.send((seat, None));
        });
        *child(&self.children, seat) = Some(started);
    }

    /// Plays a match in which this goes wrong.
    pub(crate) fn play(plan: Plan) -> Went {
        let mut pair = Pair::new(plan);
        for seat in [0, 1] {
            pair.start(seat, true);
        }
        let begun = Instant::now();
        while !pair.sides.iter().all(|side| side.ended) {
            let left = STUCK.saturating_sub(begun.elapsed());
            let Ok((seat, word)) = pair.words.1.recv_timeout(left) else {
                panic!("it hangs: {plan:?} {}", pair.story)
            };
            let heard = word.as_deref().unwrap_or("(ends)");
            pair.story.push_str(&format!("{seat}: {heard}\n"));
            match word.as_deref().map(Said::read) {
                None => pair.ended(seat),
                Some(Some(said)) => pair.hear(seat, said),
                // Of the harness; or cut.
                Some(None) => {}
            }
        }
        pair.check();
        Went {
            kills: pair.sides.iter().map(|side| side.kills).sum(),
            void: pair.sides.iter().map(|side| side.void).max().unwrap(),
            frames: pair.way.frames(),
            did: pair.sides.map(|side| side.did),
        }
    }

    /// A program has ended: well, or it was killed and starts again.
    fn ended(&mut self, seat: usize) {
        let ended = child(&self.children, seat).take();
        let status = ended.expect("it ran").wait().unwrap();
        let side = &mut self.sides[seat];
        if status.success() {
            side.ended = true;
            return;
        }
        let story = &self.story;
        assert_eq!(status.signal(), Some(9), "{:?} {story}", self.plan);
        (side.kills, side.over) = (side.kills + 1, false);
        if seat == 0 {
            self.way.host_is(None);
        }
        self.start(seat, false);
    }

    fn hear(&mut self, seat: usize, said: Said) {
        let side = &mut self.sides[seat];
        match said {
            Said::Listens(at) => self.way.host_is(Some(at.parse().unwrap())),
            Said::Card {
                hand,
                attempt,
                position,
                card,
            } => {
                let before = side.cards.insert((hand, attempt, position), card);
                let same = before.is_none_or(|before| before == card);
                assert!(same, "another card: {:?} {}", self.plan, self.story);
            }
            Said::Void => side.void += 1,
            Said::Over(played) => {
                assert!(played, "{:?} {}", self.plan, self.story);
                side.over = true;
            }
            Said::Did(kind, step) => side.did.push((kind, step)),
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

    /// What must be so however a match went.
    fn check(&self) {
        let plan = self.plan;
        let _alone = alone();
        let records = self.sides.each_ref().map(|side| {
            let home = Home::open(side.folder.path(), None, &mut system_rng()).unwrap();
            let log = home.matches().join(LOG);
            let record = Record::read(&fs::read(&log).unwrap(), Some(home.identity())).unwrap();
            assert!(record.log.evidence().is_none() && record.log.foul().is_none());
            assert_eq!(record.state(), MatchState::Over(End::Played), "{plan:?}");
            check_inputs(&record, &log, &home);
            // The deck is destroyed, and nothing lies about.
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
        // What both have seen is the same.
        for (at, card) in &self.sides[0].cards {
            let other = self.sides[1].cards.get(at);
            assert!(other.is_none_or(|other| other == card), "{plan:?}");
        }
    }
}

impl Side {
    /// What its player saw is what the record says: of each hand one deck.
    fn check(&self, record: &Record, plan: Plan) {
        let hands = &record.hands;
        let numbers: Vec<u32> = hands.iter().map(|hand| hand.begun.hand).collect();
        assert_eq!(numbers, (1..=HANDS).collect::<Vec<_>>(), "{plan:?}");
        assert_eq!(record.played(), HANDS as usize);
        let chips: u64 = record.log.final_stacks().iter().sum();
        assert_eq!(chips, 2 * STACK, "{plan:?}");
        for (&(hand, attempt, position), &card) in &self.cards {
            let hand = &hands[hand as usize - 1];
            // No try is void of which anybody has seen a card.
            assert_eq!(attempt as usize, hand.voided.len(), "{plan:?}");
            let recorded = hand.card(position).map(|card| card.0);
            assert_eq!(recorded, Some(card), "{plan:?}");
        }
    }
}

/// All that a seat has committed itself to can be opened.
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
            commitment == deal.deck.input
        });
        assert!(opens, "hand {}, try {}", deal.hand, deal.attempt);
    }
}
