//! The native host of a match, with threads and a TCP port.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use dealerless_connection::identity::{Home, Name};
use dealerless_connection::testing::{Connection, Door};
use dealerless_connection::{
    Credentials, DoorEvent, Network, PolledConnection, Timing, system_rng,
};
use dealerless_native::testing::{passive, stored};
use dealerless_native::{Input, Native, NativeFiles, NativeProgram, Player, ProgramInput};
use dealerless_seat::command::Said;
use dealerless_seat::event::{Ask, Event};
use dealerless_seat::run::{
    self, BrokenOff, Finder, InPlay, NewMatch, SeatFiles, SeatInPlay, Stored, find, records,
};
use dealerless_seat::seat::PlayerNeeds;
use dealerless_table::log::{Header, MatchId};
use dealerless_table::play::{Control, Seating};
use dealerless_table::record::{MatchState, Record as Read};
use dealerless_table::rules::{Stakes, Variety};
use dealerless_table::testing::test_match::{proposal, stakes_of};

use super::tab::PATIENCE;

/// The chips of each player of hold'em.
pub(crate) const STACK: u64 = 100;
const SHORT: Duration = Duration::from_millis(20);
/// The longest wait for the last messages of a page that has ended.
const REST: Duration = Duration::from_secs(2);

type Polled = PolledConnection<Arc<Network>>;

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
        let credentials = Credentials {
            identity: Arc::clone(home.identity()),
            name: Name::clean("Anna"),
        };
        let files = NativeFiles::Folder(home.matches());
        let stored = stored(files, credentials, peers.clone());
        let listen = ["127.0.0.1:0".parse().unwrap()];
        let door = Door::open(
            home,
            peers.clone(),
            stored.name.clone(),
            bytes,
            &listen,
            Timing::default(),
        );
        let door = door.unwrap();
        let address = door.addresses()[0];
        let invite = door.invite(vec![address.into()], None).unwrap().to_string();
        let (posts, queue) = channel();
        let mut hosting = Hosting {
            stored,
            header,
            answers: answers.into_iter().rev().collect(),
            matches: Vec::new(),
        };
        let arrives = posts.clone();
        let thread = thread::spawn(move || {
            let _folder = folder;
            let ended = &*Box::leak(Box::new(std::sync::atomic::AtomicBool::new(false)));
            let door = thread::spawn(move || {
                while !ended.load(std::sync::atomic::Ordering::Relaxed) {
                    if let Some(DoorEvent::Connection(connection)) = door.next(SHORT)
                        && arrives.send(Post::Connection(connection)).is_err()
                    {
                        return;
                    }
                }
            });
            hosting.run(&queue);
            ended.store(true, std::sync::atomic::Ordering::Relaxed);
            door.join().unwrap();
            hosting.matches.into_iter().map(Hosted::record).collect()
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

/// A match of the host, or of a native guest.
pub(crate) struct Hosted {
    pub(crate) of: MatchId,
    stored: Stored<NativeFiles>,
    playing: Option<(ProgramInput, JoinHandle<()>)>,
}

struct Hosting {
    stored: Stored<NativeFiles>,
    header: Header,
    /// In reverse order.
    answers: Vec<Answer>,
    matches: Vec<Hosted>,
}

impl Hosting {
    fn run(&mut self, queue: &Receiver<Post>) {
        // Connections on which the host plays with nobody stay open.
        let mut idle = Vec::new();
        while let Ok(Post::Connection(connection)) = queue.recv() {
            idle.extend(self.meet(*connection));
        }
        // The last messages have arrived, and may not be processed yet.
        let asked = Instant::now();
        let last = self.matches.last();
        while last.is_some_and(|last| !last.is_over()) && asked.elapsed() < REST {
            thread::sleep(SHORT);
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
        Hosted::begin(self.stored.clone(), self.header.clone(), connection, true)
    }
}

impl Hosted {
    /// Begins a match on this connection. Until it is resumed, the player makes no choice unless it `chooses`.
    pub(crate) fn begin(
        stored: Stored<NativeFiles>,
        header: Header,
        connection: Connection,
        chooses: bool,
    ) -> Self {
        let met = &connection.met;
        let mut peers = stored.peers.lock();
        peers
            .remember(&met.peer, &met.peer_name, &[], None)
            .unwrap();
        drop(peers);
        let Seating { sitting, circuit } =
            Seating::of_meeting(met, header, stored.player()).unwrap();
        let new = NewMatch::create(&stored, sitting).unwrap();
        let mut hosted = Hosted {
            of: new.sitting.match_info.id(),
            playing: None,
            stored,
        };
        let files = new.begin(&hosted.stored, Some(circuit)).unwrap();
        hosted.play(files, connection, chooses, SeatInPlay::begin);
        hosted
    }

    /// Ends the program, and starts it again with the same files.
    pub(crate) fn resume(&mut self, connection: Connection) {
        self.stop();
        let kept = find(&self.stored, &self.of).unwrap();
        let files = run::resume(&self.stored, kept.unwrap()).unwrap();
        self.play(files, connection, true, SeatInPlay::resume);
    }

    fn play(
        &mut self,
        files: SeatFiles<Native>,
        connection: Connection,
        chooses: bool,
        first: impl FnOnce(&mut SeatInPlay<Native>, Polled, Duration) -> anyhow::Result<()>,
    ) {
        let playing = dealerless_native::begin(false, self.stored.clone(), |run_own, now| {
            let players = vec![connection.met.peer.clone()];
            let finder = Finder::new(run_own, self.of, players);
            let needs = PlayerNeeds::default();
            let mut seat = SeatInPlay::new(run_own, files, needs, finder, now)?;
            let polled = connection.into_polled().expect("nobody has taken it");
            first(&mut seat, polled, now)?;
            Ok(Box::new(InPlay(seat)) as NativeProgram)
        });
        let playing = playing.unwrap();
        let input = playing.input();
        let play = move || {
            let ended = playing.play(&mut Bot { chooses });
            let is_fine = ended
                .as_ref()
                .err()
                .is_none_or(|error| error.is::<BrokenOff>());
            assert!(is_fine, "{ended:?}");
        };
        self.playing = Some((input, thread::spawn(play)));
    }

    fn stop(&mut self) {
        if let Some((input, thread)) = self.playing.take() {
            input.put(Input::BreakOff);
            thread.join().unwrap();
        }
    }

    /// The bytes of the record.
    fn bytes(&self) -> Vec<u8> {
        let digits = self.of.to_string();
        let mut names = records(&self.stored).unwrap().into_iter();
        let name = names.find(|(name, _)| name.starts_with(&digits)).unwrap();
        std::fs::read(self.stored.files.path(&name.0)).unwrap()
    }

    /// Waits until both sides have signed something.
    pub(crate) fn until_begun(&self) {
        let asked = Instant::now();
        let is_begun = || Read::read(&self.bytes(), None).is_ok_and(|read| read.log.step() > 0);
        while !is_begun() {
            assert!(asked.elapsed() < PATIENCE, "the match does not begin");
            thread::sleep(SHORT);
        }
    }

    /// Plays until the match stops here.
    pub(crate) fn finish(&mut self) {
        if let Some((_, thread)) = self.playing.take() {
            thread.join().unwrap();
        }
    }

    fn is_over(&self) -> bool {
        let read = Read::read(&self.bytes(), None);
        read.is_ok_and(|record| matches!(record.state(), MatchState::Over(_)))
    }

    /// Ends the program.
    pub(crate) fn record(mut self) -> Record {
        self.stop();
        let bytes = self.bytes();
        let read = Read::read(&bytes, None);
        Record {
            is_over: self.is_over(),
            hash: read.map_or([0; 32], |record| record.log.hash()),
            bytes,
        }
    }
}

/// Checks, calls and shows. Draws a card of a deck without rules if there is one left, and passes.
struct Bot {
    chooses: bool,
}

impl Player for Bot {
    fn tell(&mut self, _: &Event) -> anyhow::Result<()> {
        Ok(())
    }

    fn answer(&mut self, event: &Event) -> Option<Said> {
        match event {
            Event::AskAgain { .. } => Some(Said::Again {}),
            Event::AskRebuy { .. } => Some(Said::Rebuy { agree: false }),
            Event::YourTurn(_) if !self.chooses => None,
            Event::YourTurn(turn) => match turn.ask {
                Ask::Speak { may_draw: true, .. } => Some(Said::Draw {}),
                _ => passive(event),
            },
            _ => None,
        }
    }
}
