//! Runs a match that is stored in a file. A run begins when the two players sit down or resume the
//! match, and lasts until the match is over, closed or broken off on this side.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use dealerless::net::system_time;
use dealerless_connection::Connection;
use dealerless_connection::identity::PublicIdentity;
use dealerless_connection::storage::{DiskStorage, FileVault};
use dealerless_connection::system_rng;
use dealerless_native::{Native, NativeFile, NativeValue, Playing};
use dealerless_seat::run::{Caller, Finder, Route, SeatFiles, SeatInPlay, SeatSetting};
use dealerless_seat::seat::{LAST_CALL, PlayerNeeds, Stopped};
use dealerless_table::Seat;
use dealerless_table::log::{Inputs, Journal, MatchFolder, MatchLog, Opened, Phase, Sitting};
use dealerless_table::play::{
    Control, DealCircuit, DeckSetting, SealedSetting, Seating, Setting, TableCore,
};

use super::absence;
use super::guests::{self, OtherGuests};
use super::open::{self, MatchFile, clock_file, deck_file, inputs_file, keys_file};
use super::own::Own;
use super::player::Player;
use super::posts::Posts;
use super::waiting_room::WaitingRoom;
use crate::failure::BrokenOff;

/// A seat whose match is stored in a file.
pub(crate) struct StoredMatch {
    playing: Playing,
    player: Player,
    posts: Posts,
    log_file: PathBuf,
}

/// The parts of a seat that do not depend on the match.
pub(crate) struct SeatContext<'a> {
    pub(crate) own: &'a Own,
    pub(crate) player: Player,
    pub(crate) posts: &'a Posts,
    pub(crate) meets: Meets,
}

/// The means of a seat to make a lost connection again.
pub(crate) enum Meets {
    /// A host waits at its door.
    At(WaitingRoom),
    /// A guest calls its host, and finds the other guests, if there are any.
    Host(Route, Option<OtherGuests>),
}

impl Meets {
    fn finder(self, own: &Own, world: &Native, sitting: &Sitting) -> Finder<Native> {
        let of = sitting.match_info.id();
        let guests = guests::guests_of(sitting).into_iter();
        let players = guests.map(|other| other.identity).collect();
        let past = sitting.match_info.header().past.as_ref();
        let finder = Finder::new(world, own.credentials(), of, players).after(past);
        let finder = match self {
            Meets::At(room) => room.into_finder(world, finder),
            Meets::Host(route, guests) => {
                let host = sitting.match_info.players()[0].identity.clone();
                let finder = finder.calling(Caller::new(of, host, route));
                match guests {
                    Some(guests) => guests.into_finder(world, finder),
                    None => finder,
                }
            }
        };
        let now = system_time();
        match absence::tells_absent_host(own, past) {
            Some((host, caller)) => {
                let mut finder = finder.calling(caller);
                finder.look_for(&host, now);
                finder
            }
            None => finder,
        }
    }
}

/// The file of a new match without signatures.
///
/// A player of several agrees to a match only once its file is on the disk: the others may begin even if
/// this program ends before it hears of it, and it then resumes the match.
pub(crate) struct NewMatch {
    pub(crate) sitting: Sitting,
    pub(crate) path: PathBuf,
    journal: Journal<NativeFile>,
}

impl NewMatch {
    /// # Errors
    /// If the file cannot be created.
    pub(crate) fn create(own: &Own, sitting: Sitting) -> anyhow::Result<Self> {
        let shelf = MatchFolder(own.home.matches());
        let first_other = match sitting.seat {
            Seat::HOST => Seat::GUEST,
            _ => Seat::HOST,
        };
        let name = &sitting.names[first_other.index()];
        let (path, storage) = shelf
            .create(&sitting.match_info.id(), name.as_str())
            .context("cannot make the file of the match")?;
        let storage: NativeFile = Box::new(storage);
        let journal = Journal::create(storage, own.home.identity().file_key(), &sitting)?;
        Ok(NewMatch {
            sitting,
            path,
            journal,
        })
    }

    /// Removes the file of a match that does not begin.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub(crate) fn remove(self) -> anyhow::Result<()> {
        // The folder takes the lock again.
        drop(self.journal);
        open::forget(&self.path)
    }
}

impl StoredMatch {
    /// Begins a match of two players, who have agreed to it on this connection.
    ///
    /// # Errors
    /// If the file of the match cannot be created.
    pub(crate) fn begin(
        around: SeatContext<'_>,
        connection: Connection,
        Seating { sitting, circuit }: Seating,
    ) -> anyhow::Result<Self> {
        let new = NewMatch::create(around.own, sitting)?;
        Self::begin_on(around, vec![connection], new, Some(circuit))
    }

    /// Begins a match that all players have agreed to. A host has a connection to each guest, and a
    /// guest one to the host.
    ///
    /// # Errors
    /// If a file of the match cannot be created.
    pub(crate) fn begin_with_several(
        around: SeatContext<'_>,
        connections: Vec<Connection>,
        new: NewMatch,
    ) -> anyhow::Result<Self> {
        Self::begin_on(around, connections, new, None)
    }

    fn begin_on(
        around: SeatContext<'_>,
        connections: Vec<Connection>,
        new: NewMatch,
        circuit: Option<Arc<DealCircuit>>,
    ) -> anyhow::Result<Self> {
        let own = around.own;
        let NewMatch {
            sitting,
            path,
            journal,
        } = new;
        let log = MatchLog::new(sitting.match_info.clone(), sitting.seat);
        let deck = match circuit {
            Some(circuit) => sealed(own, &path, &sitting, circuit)?,
            None => DeckSetting::Verifiable(value(keys_file(&path))),
        };
        let setting = setting(own, &sitting, journal, log, deck);
        let files = files(&path, (sitting, setting), false)?;
        Self::sit(around, path, files, |seat, now| {
            for line in connections.into_iter().filter_map(Connection::into_polled) {
                seat.begin(line, now)?;
            }
            Ok(())
        })
    }

    /// Resumes a match from its file: on this connection, on which the guest has just asked its host to, or
    /// without one. If a question to the player is necessary, the caller has asked it in the first case.
    ///
    /// # Errors
    /// If the file cannot be resumed here, or the files of the deck are damaged.
    pub(crate) fn resume(
        around: SeatContext<'_>,
        file: MatchFile,
        connection: Option<Connection>,
    ) -> anyhow::Result<Self> {
        let own = around.own;
        let MatchFile { path, opened } = file;
        let files = files(&path, resumed(own, &path, opened)?, true)?;
        Self::sit(around, path, files, |seat, now| {
            match connection.and_then(Connection::into_polled) {
                Some(line) => seat.resume(line, now),
                None => seat.reconnect(now),
            }
        })
    }

    /// Plays the match of these files. `first` does something with the seat before anything else happens.
    fn sit(
        around: SeatContext<'_>,
        path: PathBuf,
        files: SeatFiles<Native>,
        first: impl FnOnce(&mut SeatInPlay<Native>, Duration) -> anyhow::Result<()>,
    ) -> anyhow::Result<Self> {
        let SeatContext {
            own,
            mut player,
            posts,
            meets,
        } = around;
        if let Meets::Host(_, Some(guests)) = &meets {
            guests.keep(&path)?;
        }
        let needs = player.needs();
        let playing = dealerless_native::begin(needs.each_second, |world, now| {
            let finder = meets.finder(own, world, &files.sitting);
            let peers = own.peers.clone();
            let mut seat = SeatInPlay::new(world, files, peers, needs, finder, now)?;
            first(&mut seat, now)?;
            seat.look_for_guests(now);
            Ok(seat)
        })?;
        // The player has not seen the event `seated` yet: an answer to it belongs to the match.
        posts.go_to(playing.input());
        player.listen(posts)?;
        Ok(StoredMatch {
            playing,
            player,
            posts: posts.clone(),
            log_file: path,
        })
    }

    /// The file of the match.
    pub(crate) fn path(&self) -> PathBuf {
        self.log_file.clone()
    }

    /// Plays until the match stops on this side. If the host declines to resume the match, returns
    /// the host's message and the player, so that the player can begin another match.
    ///
    /// # Errors
    /// If the match cannot continue, was broken by a player, or was broken off.
    pub(crate) fn play(self) -> anyhow::Result<Option<(Control, Player)>> {
        let StoredMatch {
            playing,
            mut player,
            posts,
            log_file,
        } = self;
        let (stopped, broken) = playing.play(&mut player);
        if !matches!(stopped, Ok(Stopped::BrokenOff)) {
            player.show_rest()?;
        }
        match stopped? {
            Stopped::Over(_) => {
                // Files that remain do no harm.
                let _ = std::fs::remove_file(clock_file(&log_file));
                guests::forget(&log_file);
                broken?;
            }
            Stopped::Closed | Stopped::Left => {}
            Stopped::BrokenOff => {
                // If the output is closed, the record still shows the state of the hand.
                player.ends();
                return Err(BrokenOff.into());
            }
            Stopped::Declined(control) => {
                posts.come_back();
                return Ok(Some((control, player)));
            }
        }
        Ok(None)
    }
}

/// The files of a match, for its seat.
fn files(
    path: &Path,
    (sitting, setting): (Sitting, SeatSetting<Native>),
    resumed: bool,
) -> anyhow::Result<SeatFiles<Native>> {
    Ok(SeatFiles {
        record: path.display().to_string(),
        resumed,
        setting,
        clock: opened_or_new(&clock_file(path)).context("cannot open the file of the clocks")?,
        sitting,
    })
}

fn setting(
    own: &Own,
    sitting: &Sitting,
    journal: Journal<NativeFile>,
    log: MatchLog,
    deck: DeckSetting<NativeFile, NativeValue>,
) -> SeatSetting<Native> {
    Setting {
        identity: Arc::clone(own.home.identity()),
        seat: sitting.seat,
        log,
        journal,
        deck,
        rng: system_rng(),
    }
}

/// What a seat needs for a sealed deck, from the files next to the log at `path`.
fn sealed(
    own: &Own,
    path: &Path,
    sitting: &Sitting,
    circuit: Arc<DealCircuit>,
) -> anyhow::Result<DeckSetting<NativeFile, NativeValue>> {
    let key = own.home.identity().file_key();
    let inputs = opened_or_new(&inputs_file(path))
        .and_then(|storage| Inputs::open(storage, key, sitting.match_info.id()))
        .context("cannot open the file of your inputs to the shuffles")?;
    Ok(DeckSetting::Sealed(SealedSetting {
        inputs: inputs.file,
        vault: value(deck_file(path)),
        circuit,
    }))
}

/// The match of an opened file, and what its seat needs.
///
/// # Errors
/// If this program cannot resume the match, or a file next to the log is lost.
fn resumed(
    own: &Own,
    path: &Path,
    opened: Opened<NativeFile>,
) -> anyhow::Result<(Sitting, SeatSetting<Native>)> {
    let header = opened.sitting.match_info.header();
    if header.sealed().is_none() && !matches!(opened.log.phase(), Phase::Over(_)) {
        open::must_not_be_settled(own, &opened.sitting.match_info.id())?;
        // Before its first hand, the players may have taken their chips to another match.
        let is_undealt = opened.log.attempt().hand == 1 && opened.log.game().is_none();
        let seat = opened.sitting.seat;
        let has_signed = opened.log.history(0).any(|part| part.seat == seat);
        match header.past.as_ref().filter(|_| is_undealt) {
            Some(past) if has_signed => open::must_not_be_continued(own, &past.match_id)?,
            // This player may have gone on in the match before.
            Some(past) => drop(open::must_agree(own, past).with_context(|| {
                let of = opened.sitting.match_info.id();
                format!(
                    "you have signed nothing in match {of}. To give it up, run: dealerless resume \
                     --close {of}"
                )
            })?),
            None => {}
        }
    }
    let (sitting, deck) = match header.sealed() {
        Some(_) => {
            let Seating { sitting, circuit } = Seating::of_file(opened.sitting)?;
            let deck = sealed(own, path, &sitting, circuit)?;
            (sitting, deck)
        }
        None => {
            let deck = DeckSetting::Verifiable(value(keys_file(path)));
            (opened.sitting, deck)
        }
    };
    let setting = setting(own, &sitting, opened.journal, opened.log, deck);
    Ok((sitting, setting))
}

/// Checks that a match can be resumed here.
///
/// # Errors
/// The errors of [`StoredMatch::resume`].
pub(crate) fn check(own: &Own, file: MatchFile) -> anyhow::Result<()> {
    let MatchFile { path, opened } = file;
    let (_, setting) = resumed(own, &path, opened)?;
    TableCore::<_, _, _, ()>::new(setting, system_time())?;
    Ok(())
}

/// Sends the end of a match that is over here to another player, who does not know it. Nobody is told.
///
/// # Errors
/// If its file is damaged.
fn sending_end(own: &Own, file: MatchFile, connection: Connection) -> anyhow::Result<Playing> {
    let MatchFile { path, opened } = file;
    let files = files(&path, resumed(own, &path, opened)?, true)?;
    let players = vec![connection.met.peer.clone()];
    dealerless_native::begin(false, |world, now| {
        let of = files.sitting.match_info.id();
        let finder = Finder::new(world, own.credentials(), of, players);
        let (peers, needs) = (own.peers.clone(), PlayerNeeds::default());
        let mut seat = SeatInPlay::new(world, files, peers, needs, finder, now)?;
        match connection.into_polled() {
            Some(line) => seat.resume(line, now)?,
            None => seat.break_off(now),
        }
        Ok(seat)
    })
}

/// Sends the end of a match that is over here to the host, who does not know it.
///
/// # Errors
/// If its file is damaged.
pub(crate) fn send_end(own: &Own, file: MatchFile, connection: Connection) -> anyhow::Result<()> {
    sending_end(own, file, connection)?.wait(LAST_CALL);
    Ok(())
}

/// The peers at a host's door that are being sent the end of a match.
#[derive(Default)]
pub(crate) struct Farewells(Vec<(PublicIdentity, Instant, Playing)>);

impl Farewells {
    /// The maximum number of peers at a time.
    const MOST: usize = 16;

    /// Sends the end of a match to the peer of `connection`, in the background. A peer that does not receive
    /// it connects again.
    ///
    /// # Errors
    /// If this peer or [`MOST`](Self::MOST) peers are being sent it, or the file is damaged.
    pub(crate) fn send_end(
        &mut self,
        own: &Own,
        file: MatchFile,
        connection: Connection,
    ) -> anyhow::Result<()> {
        let is_late = |begun: &Instant| begun.elapsed() >= LAST_CALL;
        (self.0).retain(|(_, begun, sending)| !sending.is_over() && !is_late(begun));
        let peer = connection.met.peer.clone();
        let is_sending = self.0.iter().any(|(other, ..)| *other == peer);
        ensure!(
            !is_sending && self.0.len() < Self::MOST,
            "the end of the last match is already being sent"
        );
        let sending = sending_end(own, file, connection)?;
        self.0.push((peer, Instant::now(), sending));
        Ok(())
    }
}

fn value(path: PathBuf) -> NativeValue {
    Box::new(FileVault(path))
}

fn opened_or_new(path: &Path) -> std::io::Result<NativeFile> {
    let file = match DiskStorage::open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => DiskStorage::create(path),
        opened => opened,
    };
    Ok(Box::new(file?))
}
