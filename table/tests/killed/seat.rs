//! One seat of a match, in a process of its own: it calls and shows. What it sees it says on the
//! standard error, a line at a time.

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
    Command, Control, FileVault, Mailbox, News, Seating, Setting, Table, TableEvent,
};
use dealerless_table::rules::{Choice, Legal};
use dealerless_table::{SystemRng, system_rng};

use crate::deeds::{Deeds, Growing, Kept, Tried};
use crate::points::Kind;

/// The variable with the folder of the player.
pub(crate) const FOLDER: &str = "DEALERLESS_TEST_FOLDER";
/// That with the deed in which it is killed, if it is.
pub(crate) const KILL: &str = "DEALERLESS_TEST_KILL";
/// That which is there if the match begins.
pub(crate) const FIRST: &str = "DEALERLESS_TEST_FIRST";
/// That with the address of the host, at the guest's seat.
pub(crate) const HOST: &str = "DEALERLESS_TEST_HOST";

/// The file of the match, in the folder of matches.
pub(crate) const LOG: &str = "played.log";

/// What its player sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// A host listens here.
    Listens(String),
    /// It sees this card of this try of a hand.
    Card {
        hand: u32,
        attempt: u32,
        position: usize,
        card: u64,
    },
    /// A try is void.
    Void,
    /// The match is over; whether it was played to its end.
    Over(bool),
    /// What it did to its disk, and in which step of the log.
    Did(Kind, u64),
}

impl Said {
    fn tell(&self) {
        let connection = match self {
            Said::Listens(at) => format!("@ listens {at}\n"),
            Said::Card {
                hand,
                attempt,
                position,
                card,
            } => format!("@ card {hand} {attempt} {position} {card}\n"),
            Said::Void => "@ void\n".into(),
            Said::Over(played) => format!("@ over {played}\n"),
            Said::Did(kind, step) => format!("@ did {kind} {step}\n"),
        };
        // In one piece, and at once.
        stderr().write_all(connection.as_bytes()).expect("a parent");
    }

    /// What a line means, if the seat and not the harness has written it, and all of it.
    pub(crate) fn read(connection: &str) -> Option<Self> {
        let words: Vec<&str> = connection.strip_prefix("@ ")?.split(' ').collect();
        Some(match words[..] {
            ["listens", at] => Said::Listens(at.into()),
            ["card", hand, attempt, position, card] => Said::Card {
                hand: hand.parse().ok()?,
                attempt: attempt.parse().ok()?,
                position: position.parse().ok()?,
                card: card.parse().ok()?,
            },
            ["void"] => Said::Void,
            ["over", played] => Said::Over(played.parse().ok()?),
            ["did", kind, step] => Said::Did(kind.parse().ok()?, step.parse().ok()?),
            _ => return None,
        })
    }
}

/// What wakes the table, beside line and engine.
enum Post {
    /// With what the guest says there, if this is the guest.
    Connection(Box<Connection>, Option<Control>),
    /// Both sides are done.
    End,
}

type OnDisk = Table<Growing, Kept, Post>;

struct Program {
    table: OnDisk,
    deeds: Deeds,
    peers: SharedPeers,
    peer: PublicIdentity,
    /// Asks for another line.
    dial: Sender<()>,
    /// The hand and the try.
    dealt: (u32, u32),
}

/// Plays a seat, as the environment says. Nothing if it says nothing.
pub(crate) fn play() {
    let Some(folder) = env::var_os(FOLDER).map(PathBuf::from) else {
        return;
    };
    let kill = env::var(KILL)
        .ok()
        .map(|text| text.parse().expect("a deed"));
    let deeds = Deeds::until(kill);
    let home = Arc::new(Home::open(&folder, None, &mut system_rng()).expect("a folder"));
    let peers = home.known_peers().expect("a list");
    let setting = setting(&home, &deeds);
    let of = setting.log.match_info().clone();
    let peer = of.players()[1 - setting.seat.index()].identity.clone();
    let table = Table::new(setting, Deadlines::default()).expect("what was kept");
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
                    let says = match std::mem::take(&mut first) {
                        true => Control::Sit,
                        false => Control::Resume(of.id()),
                    };
                    let connection = Box::new(connection(&home, &peer, &host, says));
                    mailbox.post(Post::Connection(connection, Some(says)));
                }
            });
        }
    }
    thread::spawn(move || {
        stdin().read_to_end(&mut Vec::new()).expect("a parent");
        mailbox.post(Post::End);
    });
    let program = Program {
        table,
        deeds,
        peers,
        peer,
        dial,
        dealt: (0, 0),
    };
    program.run();
}

fn setting(home: &Home, deeds: &Deeds) -> Setting<Growing, Kept, SystemRng> {
    let path = home.matches().join(LOG);
    let growing = |file| Growing {
        file,
        deeds: deeds.clone(),
    };
    let identity = Arc::clone(home.identity());
    let log = DiskStorage::open(&path).expect("the file of the match");
    let opened = Journal::open(growing(log), identity.file_key()).expect("its own file");
    let seating = Seating::of_file(opened.sitting).expect("a known circuit");
    let path = path.with_extension("inputs");
    let inputs = match path.exists() {
        true => DiskStorage::open(&path),
        false => DiskStorage::create(&path),
    };
    let inputs = growing(inputs.expect("the file of the inputs"));
    let of = opened.log.match_info().id();
    let inputs = Inputs::open(inputs, identity.file_key(), of).expect("its own inputs");
    Setting {
        identity,
        seat: seating.sitting.seat,
        log: opened.log,
        journal: opened.journal,
        inputs: inputs.file,
        vault: Kept {
            file: FileVault(path.with_extension("deck")),
            unfinished: path.with_file_name(".dealerless-unfinished-half"),
            deeds: deeds.clone(),
        },
        circuit: seating.circuit,
        rng: system_rng(),
    }
}

/// Waits for the guest, again and again.
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
    Said::Listens(door.addresses()[0].to_string()).tell();
    thread::spawn(move || {
        loop {
            if let Some(DoorEvent::Connection(connection)) = door.next(Duration::from_secs(1)) {
                mailbox.post(Post::Connection(connection, None));
            }
        }
    });
}

/// A line to the host, whenever it is there.
fn connection(home: &Home, host: &PublicIdentity, at: &Address, says: Control) -> Connection {
    let name = Name::clean("Bob");
    let guest = Guest {
        identity: home.identity(),
        name: &name,
        timing: Timing::default(),
    };
    loop {
        if let Ok(connection) = guest.join_again(host, std::slice::from_ref(at), None)
            && connection.send_control(says.encode()).is_ok()
        {
            return connection;
        }
        thread::sleep(Duration::from_millis(10));
    }
}

impl Program {
    fn run(mut self) {
        if let Phase::Over(end) = self.table.play().log().phase() {
            Said::Over(end == End::Played).tell();
        }
        let _ = self.dial.send(());
        loop {
            self.deeds.at_step(self.log().step());
            match self
                .table
                .next(Duration::from_secs(1))
                .expect("an honest match")
            {
                Some(TableEvent::News(news)) => self.hear(&news),
                Some(TableEvent::ConnectionLost(_)) => drop(self.dial.send(())),
                Some(TableEvent::Posted(Post::Connection(connection, says))) => {
                    self.meet(*connection, says)
                }
                Some(TableEvent::Posted(Post::End)) => break,
                Some(TableEvent::Control(_) | TableEvent::Accepted(_)) | None => {}
            }
        }
        self.table.close();
        for (kind, step) in self.deeds.done() {
            Said::Did(kind, step).tell();
        }
    }

    fn log(&self) -> &MatchLog {
        self.table.play().log()
    }

    fn meet(&mut self, connection: Connection, says: Option<Control>) {
        let says = says.or_else(|| {
            let message = connection.recv(Duration::from_secs(10)).ok()?;
            Control::decode(&message.bytes)
        });
        // A line that ends before a word is none.
        let Some(says) = says else { return };
        let counted = self.peers.counted(&self.peer);
        let attempts = Box::new(Tried {
            counted: counted.expect("a known peer"),
            deeds: self.deeds.clone(),
        });
        match says {
            Control::Sit => self.table.begin(connection, attempts),
            _ => self.table.resume(connection, attempts).expect("a file"),
        }
    }

    fn hear(&mut self, news: &News) {
        match news {
            News::Log(LogEvent::Begun(begun)) => self.dealt = (begun.hand, begun.attempt),
            News::Log(LogEvent::Void { .. }) => Said::Void.tell(),
            News::Card { position, card } => Said::Card {
                hand: self.dealt.0,
                attempt: self.dealt.1,
                position: *position,
                card: card.0,
            }
            .tell(),
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
            News::Voided { .. } => self.table.command(Command::DealAgain).expect("it is asked"),
            News::Over(end) => Said::Over(*end == End::Played).tell(),
            _ => {}
        }
    }
}
