//! One seat of a match in its own process. It calls and shows, and writes what it sees to the
//! standard error, one line for each report.

use std::env;
use std::io::{Read, Write, stderr, stdin};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use dealerless::net::system_time;
use dealerless_connection::identity::{Address, Home, KnownPeers, Name, SharedPeers};
use dealerless_connection::storage::{DiskStorage, FileVault};
use dealerless_connection::testing::{Connection, Door, Guest};
use dealerless_connection::time::unix;
use dealerless_connection::{Credentials, DoorEvent, Timing, system_rng};
use dealerless_native::testing::{passive, stored};
use dealerless_native::{Input, Native, NativeFiles, NativeProgram, Player};
use dealerless_seat::command::Said;
use dealerless_seat::event::{Ended, Event};
use dealerless_seat::run::{
    BrokenOff, Caller, FileOf, Finder, InPlay, Route, SeatFiles, SeatInPlay, ValueOf,
};
use dealerless_seat::seat::PlayerNeeds;
use dealerless_table::Seat;
use dealerless_table::log::{End, Inputs, Journal, Match, Phase};
use dealerless_table::play::{Control, DeckSetting, SealedSetting, Seating, Setting};

use crate::operations::{CountedStorage, CountedVault, Operations};
use crate::points::Kind;

/// The environment variable with the folder of the player.
pub(crate) const FOLDER: &str = "DEALERLESS_TEST_FOLDER";
/// The environment variable with the point at which the program is killed, if any.
pub(crate) const KILL: &str = "DEALERLESS_TEST_KILL";
/// The environment variable that is set at the first start of the program, when the match begins.
pub(crate) const FIRST: &str = "DEALERLESS_TEST_FIRST";
/// The environment variable with the addresses of all lower seats, in order.
pub(crate) const LOWER: &str = "DEALERLESS_TEST_LOWER";

/// The name of the match file in the folder of matches.
pub(crate) const LOG: &str = "played.log";
/// The endings of the files with the deck and with the secret of a match.
pub(crate) const SECRETS: [&str; 2] = ["deck", "keys"];

/// The name of an incomplete file of a killed program.
const UNFINISHED: &str = ".dealerless-unfinished-half";

/// The name of the player in a seat.
pub(crate) fn name(seat: usize) -> Name {
    Name::clean(["Anna", "Bob", "Carl"][seat])
}

/// A report of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Report {
    /// The program listens at this address.
    Listens(String),
    /// The player sees this card of this try of a hand.
    Card {
        hand: u32,
        attempt: u32,
        position: usize,
        card: String,
    },
    /// A try is void.
    Void,
    /// The match is over. True if all hands were played.
    Over(bool),
    /// A disk operation, and the length of the log.
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
            Report::Operation(kind, log) => format!("@ operation {kind} {log}\n"),
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
                card: card.into(),
            },
            ["void"] => Report::Void,
            ["over", played] => Report::Over(played.parse().ok()?),
            ["operation", kind, log] => Report::Operation(kind.parse().ok()?, log.parse().ok()?),
            _ => return None,
        })
    }
}

/// The longest pause between two calls of another program.
const PAUSE: Duration = Duration::from_millis(20);

/// Timeout for a message of the other program before the match.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

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
    let peers = known_peers(&home, &folder, &operations);
    let files = files(&home, &operations);
    let (of, own) = (files.sitting.match_info.clone(), files.sitting.seat);
    let phase = files.setting.log.phase();
    let names = &files.sitting.names;
    let credentials = Credentials {
        identity: Arc::clone(home.identity()),
        name: names[own.index()].clone(),
    };
    let addresses = env::var(LOWER).unwrap_or_default();
    let addresses = addresses.split(',').filter(|address| !address.is_empty());
    let addresses: Vec<Address> = addresses
        .map(|address| address.parse().expect("an address"))
        .collect();
    let is_last = own.index() + 1 == of.seats();
    let door = (!is_last).then(|| door(&home, &peers, &of, &credentials.name));
    // The two programs begin a match together. Several programs resume it from nothing.
    let begins = env::var_os(FIRST).is_some() && of.seats() == 2;
    let first = begins.then(|| match &door {
        Some(door) => came(door),
        None => called(&credentials, &of, &addresses[0]),
    });
    let folder = NativeFiles::Folder(home.matches());
    let kept = stored(folder, credentials, peers);
    let playing = dealerless_native::begin(false, kept, |run_own, now| {
        let players = of.players().iter().map(|player| player.identity.clone());
        let mut others: Vec<_> = players.clone().collect();
        others.remove(own.index());
        let finder = Finder::new(run_own, of.id(), others);
        let finder = players
            .zip(addresses)
            .fold(finder, |finder, (peer, address)| {
                let route = Route {
                    invite: None,
                    peer: Some(peer.clone()),
                    addresses: vec![address],
                    relay: None,
                };
                finder.calling(Caller::new(of.id(), peer, route).pausing(0, PAUSE))
            });
        let door = door.and_then(|door| door.into_polled().0);
        let finder = match door {
            Some(door) => finder.waiting(door),
            None => finder,
        };
        let needs = PlayerNeeds::default();
        let mut seat = SeatInPlay::new(run_own, files, needs, finder, now)?;
        let polled =
            |connection: Connection| connection.into_polled().expect("nobody has taken it");
        match first.flatten() {
            Some((connection, Control::Sit)) => seat.begin(polled(connection), now)?,
            Some((connection, _)) => seat.resume(polled(connection), now)?,
            None => seat.reconnect(now)?,
        }
        seat.look_for_guests(now);
        if let Phase::Over(end) = phase {
            // Destroys the secrets.
            assert!(seat.step(now).is_none());
            Report::Over(end == End::Played).send();
        }
        Ok(Box::new(InPlay(seat)) as NativeProgram)
    });
    let playing = playing.expect("a valid deck");
    let input = playing.input();
    thread::spawn(move || {
        stdin()
            .read_to_end(&mut Vec::new())
            .expect("the parent closes it");
        input.put(Input::BreakOff);
    });
    let ended = playing.play(&mut Bot { dealt: (0, 0) });
    let is_fine = ended
        .as_ref()
        .err()
        .is_none_or(|error| error.is::<BrokenOff>());
    assert!(is_fine, "{ended:?}");
    for (kind, log) in operations.done() {
        Report::Operation(kind, log).send();
    }
}

/// The known peers, whose file counts as the others do.
fn known_peers(home: &Home, folder: &Path, operations: &Operations) -> SharedPeers {
    let path = folder.join("known_peers");
    let file = CountedVault {
        file: FileVault(path.clone()),
        unfinished: folder.join(UNFINISHED),
        operations: operations.clone(),
    };
    let own = home.identity().succession().clone();
    let peers = KnownPeers::open(Box::new(file), &path, own, unix);
    SharedPeers::new(peers.expect("a list"))
}

fn files(home: &Home, operations: &Operations) -> SeatFiles<Native> {
    let path = home.matches().join(LOG);
    let counted = |ending: &str| -> FileOf<Native> {
        let path = path.with_extension(ending);
        let file = match path.exists() {
            true => DiskStorage::open(&path),
            false => DiskStorage::create(&path),
        };
        Box::new(CountedStorage {
            file: file.expect("a file"),
            is_log: ending == "log",
            operations: operations.clone(),
        })
    };
    let identity = Arc::clone(home.identity());
    let opened = Journal::open(counted("log"), identity.file_key()).expect("its own file");
    let sitting = opened.sitting.clone();
    let [deck, keys] = SECRETS.map(|ending| -> ValueOf<Native> {
        Box::new(CountedVault {
            file: FileVault(path.with_extension(ending)),
            unfinished: path.with_file_name(UNFINISHED),
            operations: operations.clone(),
        })
    });
    let deck = if sitting.match_info.header().sealed().is_some() {
        let seating = Seating::of_file(opened.sitting).expect("a known circuit");
        let id = sitting.match_info.id();
        let inputs = Inputs::open(counted("inputs"), identity.file_key(), id);
        DeckSetting::Sealed(SealedSetting {
            inputs: inputs.expect("its own inputs").file,
            vault: deck,
            circuit: seating.circuit,
        })
    } else {
        DeckSetting::Verifiable(keys)
    };
    SeatFiles {
        record: LOG.into(),
        shown: LOG.into(),
        resumed: env::var_os(FIRST).is_none(),
        setting: Setting {
            deck,
            identity,
            seat: sitting.seat,
            log: opened.log,
            journal: opened.journal,
            rng: system_rng(),
        },
        clock: counted("clock"),
        sitting,
    }
}

/// The door for higher seats.
fn door(home: &Arc<Home>, peers: &SharedPeers, of: &Match, name: &Name) -> Door {
    let listen = ["127.0.0.1:0".parse().expect("an address")];
    let (players, home, name) = (of.players().iter(), Arc::clone(home), name.clone());
    let own = home.identity().public();
    let door = if of.players()[0].identity == *own {
        let header = b"played".to_vec();
        let peers = peers.clone();
        Door::open(home, peers, name, header, &listen, Timing::default())
    } else {
        let players = players.map(|player| player.identity.clone()).collect();
        Door::for_players(players, home, name, &listen, Timing::default())
    };
    let door = door.expect("a free port");
    Report::Listens(door.addresses()[0].to_string()).send();
    door
}

/// The first connection at the door, and the request on it, to which a host that begins the match agrees. `None` if
/// the connection has ended before the request.
fn came(door: &Door) -> Option<(Connection, Control)> {
    let Some(DoorEvent::Connection(connection)) = door.next(Duration::from_secs(60)) else {
        return None;
    };
    let received = connection.recv(ANSWER_TIMEOUT).ok()?;
    let request = Control::decode(&received.bytes)?;
    if request == Control::Sit {
        connection.send_control(request.encode()).ok()?;
    }
    Some((*connection, request))
}

/// A connection to the host on which the host has agreed to begin the match. `None` if the host was killed before.
fn called(own: &Credentials, of: &Match, address: &Address) -> Option<(Connection, Control)> {
    let guest = Guest {
        identity: &own.identity,
        name: &own.name,
        timing: Timing::default(),
    };
    let deadline = system_time() + Duration::from_secs(60);
    while system_time() < deadline {
        let host = &of.players()[Seat::HOST.index()].identity;
        if let Ok(connection) = guest.join_again(host, std::slice::from_ref(address), None)
            && connection.send_control(Control::Sit.encode()).is_ok()
        {
            let answer = connection.recv(ANSWER_TIMEOUT).ok()?;
            let answer = Control::decode(&answer.bytes)?;
            return (answer == Control::Sit).then_some((connection, answer));
        }
        thread::sleep(PAUSE);
    }
    panic!("the host cannot be reached");
}

/// A player who calls and shows.
struct Bot {
    /// The numbers of the current hand and try.
    dealt: (u32, u32),
}

impl Player for Bot {
    fn tell(&mut self, event: &Event) -> anyhow::Result<()> {
        match event {
            Event::Dealt { hand, attempt, .. } => self.dealt = (*hand, *attempt),
            Event::Again { .. } => Report::Void.send(),
            Event::Card { position, card, .. } => Report::Card {
                hand: self.dealt.0,
                attempt: self.dealt.1,
                position: *position,
                card: card.clone(),
            }
            .send(),
            Event::Over { how, .. } => Report::Over(*how == Ended::Played).send(),
            _ => {}
        }
        Ok(())
    }

    fn answer(&mut self, event: &Event) -> Option<Said> {
        match event {
            Event::AskAgain { .. } => Some(Said::Again {}),
            event => passive(event),
        }
    }
}
