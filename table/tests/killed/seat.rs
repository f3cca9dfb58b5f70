//! One seat of a match in its own process. It calls and shows, and writes what it sees to the
//! standard error, one line for each report.

use std::env;
use std::io::{Read, Write, stderr, stdin};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use dealerless::net::Deadlines;
use dealerless_table::connection::{Connection, Door, DoorEvent, Guest, Timing};
use dealerless_table::identity::{Address, Home, Name, PublicIdentity, SharedPeers};
use dealerless_table::log::{DiskStorage, End, Inputs, Journal, LogEvent, MatchLog, Phase};
use dealerless_table::play::{
    Command, Control, DeckSetting, FileVault, Mailbox, News, SealedSetting, Seating, Setting,
    Table, TableEvent,
};
use dealerless_table::rules::{Choice, Legal};
use dealerless_table::{SystemRng, system_rng};

use crate::operations::{CountedAttempts, CountedStorage, CountedVault, Operations};
use crate::points::Kind;

/// The environment variable with the folder of the player.
pub(crate) const FOLDER: &str = "DEALERLESS_TEST_FOLDER";
/// The environment variable with the point at which the program is killed, if any.
pub(crate) const KILL: &str = "DEALERLESS_TEST_KILL";
/// The environment variable that is set at the first start of the program, when the match begins.
pub(crate) const FIRST: &str = "DEALERLESS_TEST_FIRST";
/// The environment variable with the address of the host, set for the guest.
pub(crate) const HOST: &str = "DEALERLESS_TEST_HOST";

/// The name of the match file in the folder of matches.
pub(crate) const LOG: &str = "played.log";

/// A report of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Report {
    /// The host listens at this address.
    Listens(String),
    /// The player sees this card of this try of a hand.
    Card {
        hand: u32,
        attempt: u32,
        position: usize,
        card: u64,
    },
    /// A try is void.
    Void,
    /// The match is over. True if all hands were played.
    Over(bool),
    /// A disk operation, and the step of the log.
    Operation(Kind, u64),
}

impl Report {
    fn send(&self) {
        let line = match self {
            Report::Listens(at) => format!("@ listens {at}\n"),
            Report::Card {
                hand,
                attempt,
                position,
                card,
            } => format!("@ card {hand} {attempt} {position} {card}\n"),
            Report::Void => "@ void\n".into(),
            Report::Over(played) => format!("@ over {played}\n"),
            Report::Operation(kind, step) => format!("@ operation {kind} {step}\n"),
        };
        // In one piece, without buffering.
        stderr()
            .write_all(line.as_bytes())
            .expect("the parent reads it");
    }

    /// Parses a line of output. `None` if it is incomplete or was written by the test harness.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.strip_prefix("@ ")?.split(' ').collect();
        Some(match words[..] {
            ["listens", at] => Report::Listens(at.into()),
            ["card", hand, attempt, position, card] => Report::Card {
                hand: hand.parse().ok()?,
                attempt: attempt.parse().ok()?,
                position: position.parse().ok()?,
                card: card.parse().ok()?,
            },
            ["void"] => Report::Void,
            ["over", played] => Report::Over(played.parse().ok()?),
            ["operation", kind, step] => Report::Operation(kind.parse().ok()?, step.parse().ok()?),
            _ => return None,
        })
    }
}

/// An item posted to the table.
enum Post {
    /// A new connection. At the guest's seat, also the control message that the guest has sent on
    /// it.
    Connection(Box<Connection>, Option<Control>),
    /// Both sides are done.
    End,
}

type OnDisk = Table<CountedStorage, CountedVault, Post>;

struct Program {
    table: OnDisk,
    operations: Operations,
    peers: SharedPeers,
    peer: PublicIdentity,
    /// Requests a new connection.
    dial: Sender<()>,
    /// The numbers of the current hand and try.
    dealt: (u32, u32),
}

/// Plays a seat as the environment variables specify. Does nothing without them.
pub(crate) fn play() {
    let Some(folder) = env::var_os(FOLDER).map(PathBuf::from) else {
        return;
    };
    let kill_at = env::var(KILL)
        .ok()
        .map(|text| text.parse().expect("a kill point"));
    let operations = Operations::new(kill_at);
    let home = Arc::new(Home::open(&folder, None, &mut system_rng()).expect("a folder"));
    let peers = home.known_peers().expect("a list");
    let setting = setting(&home, &operations);
    let of = setting.log.match_info().clone();
    let peer = of.players()[1 - setting.seat.index()].identity.clone();
    let table = Table::new(setting, Deadlines::default()).expect("a valid deck");
    let mailbox = table.mailbox();
    let (dial, dialled) = channel();
    match env::var(HOST) {
        Err(_) => listen(&home, &peers, mailbox.clone()),
        Ok(host) => {
            let (home, peer, mailbox) = (Arc::clone(&home), peer.clone(), mailbox.clone());
            let host = host.parse().expect("an address");
            thread::spawn(move || {
                let mut first = env::var_os(FIRST).is_some();
                while dialled.recv().is_ok() {
                    let message = match std::mem::take(&mut first) {
                        true => Control::Sit,
                        false => Control::Resume(of.id()),
                    };
                    let connection = Box::new(connection(&home, &peer, &host, message.clone()));
                    mailbox.post(Post::Connection(connection, Some(message)));
                }
            });
        }
    }
    thread::spawn(move || {
        stdin()
            .read_to_end(&mut Vec::new())
            .expect("the parent closes it");
        mailbox.post(Post::End);
    });
    let program = Program {
        table,
        operations,
        peers,
        peer,
        dial,
        dealt: (0, 0),
    };
    program.run();
}

fn setting(
    home: &Home,
    operations: &Operations,
) -> Setting<CountedStorage, CountedVault, SystemRng> {
    let path = home.matches().join(LOG);
    let counted = |file| CountedStorage {
        file,
        operations: operations.clone(),
    };
    let identity = Arc::clone(home.identity());
    let log = DiskStorage::open(&path).expect("the file of the match");
    let opened = Journal::open(counted(log), identity.file_key()).expect("its own file");
    let seating = Seating::of_file(opened.sitting).expect("a known circuit");
    let path = path.with_extension("inputs");
    let inputs = match path.exists() {
        true => DiskStorage::open(&path),
        false => DiskStorage::create(&path),
    };
    let inputs = counted(inputs.expect("the file of the inputs"));
    let of = opened.log.match_info().id();
    let inputs = Inputs::open(inputs, identity.file_key(), of).expect("its own inputs");
    Setting {
        deck: DeckSetting::Sealed(SealedSetting {
            inputs: inputs.file,
            vault: CountedVault {
                file: FileVault(path.with_extension("deck")),
                unfinished: path.with_file_name(".dealerless-unfinished-half"),
                operations: operations.clone(),
            },
            circuit: seating.circuit,
        }),
        identity,
        seat: seating.sitting.seat,
        log: opened.log,
        journal: opened.journal,
        rng: system_rng(),
    }
}

/// Waits for connections of the guest.
fn listen(home: &Arc<Home>, peers: &SharedPeers, mailbox: Mailbox<Post>) {
    let door = Door::open(
        Arc::clone(home),
        peers.clone(),
        Name::clean("Anna"),
        b"played".to_vec(),
        &["127.0.0.1:0".parse().expect("an address")],
        Timing::default(),
    );
    let door = door.expect("a free port");
    Report::Listens(door.addresses()[0].to_string()).send();
    thread::spawn(move || {
        loop {
            if let Some(DoorEvent::Connection(connection)) = door.next(Duration::from_secs(1)) {
                mailbox.post(Post::Connection(connection, None));
            }
        }
    });
}

/// Connects to the host as soon as it is reachable.
fn connection(home: &Home, host: &PublicIdentity, at: &Address, message: Control) -> Connection {
    let name = Name::clean("Bob");
    let guest = Guest {
        identity: home.identity(),
        name: &name,
        timing: Timing::default(),
    };
    loop {
        if let Ok(connection) = guest.join_again(host, std::slice::from_ref(at), None)
            && connection.send_control(message.encode()).is_ok()
        {
            return connection;
        }
        thread::sleep(Duration::from_millis(10));
    }
}

impl Program {
    fn run(mut self) {
        if let Phase::Over(end) = self.table.play().log().phase() {
            Report::Over(end == End::Played).send();
        }
        let _ = self.dial.send(());
        loop {
            self.operations.set_step(self.log().step());
            match self
                .table
                .next(Duration::from_secs(1))
                .expect("an honest match")
            {
                Some(TableEvent::News(news)) => self.handle_news(&news),
                Some(TableEvent::ConnectionLost(..)) => drop(self.dial.send(())),
                Some(TableEvent::Posted(Post::Connection(connection, message))) => {
                    self.start_connection(*connection, message)
                }
                Some(TableEvent::Posted(Post::End)) => break,
                Some(TableEvent::Control(_) | TableEvent::Accepted(_)) | None => {}
            }
        }
        self.table.close();
        for (kind, step) in self.operations.done() {
            Report::Operation(kind, step).send();
        }
    }

    fn log(&self) -> &MatchLog {
        self.table.play().log()
    }

    fn start_connection(&mut self, connection: Connection, message: Option<Control>) {
        let message = message.or_else(|| {
            let received = connection.recv(Duration::from_secs(10)).ok()?;
            Control::decode(&received.bytes)
        });
        // A connection that ends before the first message is ignored.
        let Some(message) = message else { return };
        let counted = self.peers.counted(&self.peer);
        let attempts = Box::new(CountedAttempts {
            counted: counted.expect("a known peer"),
            operations: self.operations.clone(),
        });
        let peer = self.table.play().seat().next(2);
        match message {
            Control::Sit => self.table.begin(peer, connection, Some(attempts)),
            _ => self
                .table
                .resume(peer, connection, Some(attempts))
                .expect("a file"),
        }
    }

    fn handle_news(&mut self, news: &News) {
        match news {
            News::Log(LogEvent::Begun(begun)) => self.dealt = (begun.hand, begun.attempt),
            News::Log(LogEvent::Void { .. }) => Report::Void.send(),
            News::Card { position, card } => Report::Card {
                hand: self.dealt.0,
                attempt: self.dealt.1,
                position: *position,
                card: card.0,
            }
            .send(),
            News::YourTurn { legal } => {
                let choice = match legal {
                    Legal::Bet { call: None, .. } => Choice::Check,
                    Legal::Bet { .. } => Choice::Call,
                    _ => Choice::Show,
                };
                self.table
                    .command(Command::Choose(choice))
                    .expect("its turn");
            }
            News::Voided { .. } => self
                .table
                .command(Command::DealAgain)
                .expect("the program has asked"),
            News::Over(end) => Report::Over(*end == End::Played).send(),
            _ => {}
        }
    }
}
