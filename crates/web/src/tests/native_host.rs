//! The native host of a match, with threads and a TCP port.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use dealerless::mpc::Uncounted;
use dealerless::net::Deadlines;
use dealerless_connection::identity::{Home, Identity, Name, SharedPeers};
use dealerless_connection::storage::{MemoryStorage, MemoryVault};
use dealerless_connection::system_rng;
use dealerless_connection::{Connection, Door, DoorEvent, Timing};
use dealerless_table::log::{Header, Inputs, Journal, MatchId, MatchLog};
use dealerless_table::play::{
    Command, Control, DeckSetting, News, SealedSetting, Seating, Setting, Table, TableEvent,
};
use dealerless_table::rules::{Choice, Legal, Stakes, Variety};
use dealerless_table::testing::choices;
use dealerless_table::testing::test_match::{proposal, stakes_of};

use super::tab::PATIENCE;

/// The chips of each player of hold'em.
pub(crate) const STACK: u64 = 100;
const SHORT: Duration = Duration::from_millis(20);

/// What the host does with a guest that wants to sit down or to resume.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// It plays.
    Plays,
    /// It answers this, and plays with nobody on this connection.
    Says(Control),
    /// It answers these bytes on the control stream.
    SaysBytes(Vec<u8>),
    /// It answers nothing.
    Silence,
    /// It closes the connection.
    Closes,
}

/// Hold'em of this number of hands.
pub(crate) fn holdem(hands: u32) -> Stakes {
    stakes_of(STACK, 2, hands)
}

/// Hands of a small deck without rules: each player draws a card, then passes.
pub(crate) fn deck(hands: u32) -> Stakes {
    Stakes::new(Variety::Deck { cards: 3, drawn: 2 }, 2, hands).unwrap()
}

/// What a host has at the end.
pub(crate) struct Record {
    pub(crate) bytes: Vec<u8>,
    pub(crate) hash: [u8; 32],
    pub(crate) is_over: bool,
}

enum Post {
    Connection(Box<Connection>),
    End,
}

fn header(stakes: Stakes) -> Header {
    proposal(stakes).0
}

/// A host in its own threads.
pub(crate) struct NativeHost {
    pub(crate) address: SocketAddr,
    pub(crate) invite: String,
    posts: Sender<Post>,
    thread: Option<JoinHandle<Vec<Record>>>,
}

impl NativeHost {
    /// A host that proposes these stakes. It answers its guests in this order, and plays with all later
    /// ones.
    pub(crate) fn new(stakes: Stakes, answers: Vec<Answer>) -> Self {
        let header = header(stakes);
        let bytes = header.encode();
        Self::open(header, bytes, answers)
    }

    /// A host that sends its guests `bytes` as the header of the match.
    pub(crate) fn proposing(stakes: Stakes, bytes: Vec<u8>) -> Self {
        Self::open(header(stakes), bytes, Vec::new())
    }

    fn open(header: Header, bytes: Vec<u8>, answers: Vec<Answer>) -> Self {
        let memory = tempfile::tempdir_in("/dev/shm");
        let folder = memory.or_else(|_| tempfile::tempdir()).unwrap();
        let home = Arc::new(Home::open(folder.path(), None, &mut system_rng()).unwrap());
        let peers = home.known_peers().unwrap();
        let identity = Arc::clone(home.identity());
        let name = Name::clean("Anna");
        let listen = ["127.0.0.1:0".parse().unwrap()];
        let door = Door::open(
            home,
            peers.clone(),
            name.clone(),
            bytes,
            &listen,
            Timing::default(),
        );
        let door = door.unwrap();
        let address = door.addresses()[0];
        let invite = door.invite(vec![address.into()], None).unwrap().to_string();
        let (posts, queue) = channel();
        let mut hosting = Hosting {
            identity,
            name,
            header,
            answers: answers.into_iter().rev().collect(),
            matches: Vec::new(),
        };
        let own = posts.clone();
        let thread = thread::spawn(move || {
            let _folder = folder;
            let ended = &*Box::leak(Box::new(std::sync::atomic::AtomicBool::new(false)));
            let door = thread::spawn(move || {
                while !ended.load(std::sync::atomic::Ordering::Relaxed) {
                    if let Some(DoorEvent::Connection(connection)) = door.next(SHORT) {
                        remember(&peers, &connection);
                        if own.send(Post::Connection(connection)).is_err() {
                            return;
                        }
                    }
                }
            });
            hosting.run(&queue);
            ended.store(true, std::sync::atomic::Ordering::Relaxed);
            door.join().unwrap();
            hosting.matches.iter().map(Hosted::record).collect()
        });
        NativeHost {
            address,
            invite,
            posts,
            thread: Some(thread),
        }
    }

    /// Ends the host. Returns its matches in the order in which they began.
    pub(crate) fn end(mut self) -> Vec<Record> {
        let _ = self.posts.send(Post::End);
        let thread = self.thread.take().expect("it runs");
        match thread.join() {
            Ok(records) => records,
            Err(payload) => std::panic::resume_unwind(payload),
        }
    }
}

impl Drop for NativeHost {
    fn drop(&mut self) {
        let _ = self.posts.send(Post::End);
    }
}

fn remember(peers: &SharedPeers, connection: &Connection) {
    let met = &connection.met;
    let remembered = peers.lock().remember(&met.peer, &met.peer_name, &[], None);
    remembered.unwrap();
}

/// A match of the host, or of a native guest.
pub(crate) struct Hosted {
    pub(crate) of: MatchId,
    table: Table<MemoryStorage, MemoryVault, ()>,
    file: MemoryStorage,
    pub(crate) is_over: bool,
}

struct Hosting {
    identity: Arc<Identity>,
    name: Name,
    header: Header,
    /// In reverse order.
    answers: Vec<Answer>,
    matches: Vec<Hosted>,
}

impl Hosting {
    fn run(&mut self, queue: &Receiver<Post>) {
        // Connections on which the host plays with nobody stay open.
        let mut idle = Vec::new();
        loop {
            let wait = if self.matches.is_empty() {
                SHORT
            } else {
                Duration::ZERO
            };
            match queue.recv_timeout(wait) {
                Ok(Post::End) => {
                    // The last messages have arrived, and may not be processed yet.
                    let unread = self.matches.last_mut().into_iter();
                    return unread.for_each(Hosted::read_rest);
                }
                Ok(Post::Connection(connection)) => idle.extend(self.meet(*connection)),
                Err(_) => {}
            }
            if let Some(hosted) = self.matches.last_mut() {
                hosted.play();
            }
        }
    }

    fn meet(&mut self, connection: Connection) -> Option<Connection> {
        let message = connection.recv(PATIENCE).ok()?;
        let control = Control::decode(&message.bytes)?;
        match self.answers.pop().unwrap_or(Answer::Plays) {
            Answer::Plays => {}
            Answer::Says(answer) => {
                let _ = connection.send_control(answer.encode());
                return Some(connection);
            }
            Answer::SaysBytes(bytes) => {
                let _ = connection.send_control(bytes);
                return Some(connection);
            }
            Answer::Silence => return Some(connection),
            Answer::Closes => return None,
        }
        match control {
            Control::Sit => {
                let hosted = self.begin(connection);
                self.matches.push(hosted);
            }
            Control::Resume(of) => match self.matches.iter_mut().find(|hosted| hosted.of == of) {
                Some(hosted) => hosted.resume(connection),
                None => {
                    let _ = connection.send_control(Control::Unknown(of).encode());
                    return Some(connection);
                }
            },
            _ => return None,
        }
        None
    }

    fn begin(&self, connection: Connection) -> Hosted {
        connection.send_control(Control::Sit.encode()).ok();
        Hosted::begin(&self.identity, &self.name, self.header.clone(), connection)
    }
}

impl Hosted {
    /// Begins a match on this connection.
    pub(crate) fn begin(
        identity: &Arc<Identity>,
        name: &Name,
        header: Header,
        connection: Connection,
    ) -> Self {
        let own = (identity.public(), name);
        let seating = Seating::of_meeting(&connection.met, header, own).unwrap();
        let (of, file) = (seating.sitting.match_info.id(), MemoryStorage::default());
        let key = identity.file_key();
        let inputs = Inputs::open(MemoryStorage::default(), key.clone(), of).unwrap();
        let setting = Setting {
            seat: seating.sitting.seat,
            journal: Journal::create(file.clone(), key, &seating.sitting).unwrap(),
            deck: DeckSetting::Sealed(SealedSetting {
                inputs: inputs.file,
                vault: MemoryVault::default(),
                circuit: seating.circuit,
            }),
            identity: Arc::clone(identity),
            log: MatchLog::new(seating.sitting.match_info.clone(), seating.sitting.seat),
            rng: system_rng(),
        };
        let mut table = Table::new(setting, Deadlines::default()).unwrap();
        let peer = table.play().seat().next(2);
        table.begin(peer, connection, Some(Box::new(Uncounted)));
        Hosted {
            of,
            table,
            file,
            is_over: false,
        }
    }

    pub(crate) fn resume(&mut self, connection: Connection) {
        let peer = self.table.play().seat().next(2);
        self.table
            .resume(peer, connection, Some(Box::new(Uncounted)))
            .unwrap();
    }

    pub(crate) fn play(&mut self) {
        match self.table.next(SHORT).expect("an honest host") {
            Some(TableEvent::News(news)) => self.news(&news),
            Some(_) => {}
            // The peer has sent its history, and may not know the end.
            None if self.is_over && self.has_heard() => {
                self.table.close();
            }
            None => {}
        }
    }

    fn has_heard(&self) -> bool {
        let play = self.table.play();
        play.has_heard(play.seat().next(2))
    }

    fn read_rest(&mut self) {
        for _ in 0..100 {
            if self.is_over {
                return;
            }
            self.play();
        }
    }

    fn news(&mut self, news: &News) {
        let command = match news {
            News::YourTurn { legal } => Command::Choose(choice(legal)),
            News::Voided { .. } => Command::DealAgain,
            News::AskRebuy { .. } => Command::Rebuy(false),
            News::Over(_) => {
                self.is_over = true;
                self.table.close();
                return;
            }
            _ => return,
        };
        self.table.command(command).expect("the program has asked");
    }

    pub(crate) fn record(&self) -> Record {
        Record {
            bytes: self.file.bytes(),
            hash: self.table.play().log().hash(),
            is_over: self.is_over,
        }
    }
}

/// Checks, calls and shows. Draws a card of a deck without rules if there is one left, and passes.
fn choice(legal: &Legal) -> Choice {
    match legal {
        Legal::Speak { may_draw: true, .. } => Choice::Draw,
        _ => choices::passive(legal),
    }
}
