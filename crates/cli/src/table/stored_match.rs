//! Runs a match that is stored in a file. A run begins when the two players sit down or resume the
//! match, and lasts until the match is over, closed or broken off on this side.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use dealerless::net::Deadlines;
use dealerless_connection::Connection;
use dealerless_connection::identity::PublicIdentity;
use dealerless_connection::storage::{DiskStorage, FileVault};
use dealerless_connection::system_rng;
use dealerless_seat::ending::Breach;
use dealerless_seat::event::{Event, Refusal};
use dealerless_seat::seat::{LAST_CALL, SeatStory, Stopped};
use dealerless_seat::seated::Seated;
use dealerless_table::Seat;
use dealerless_table::log::{End, Inputs, Journal, MatchFolder, MatchLog, Opened, Phase, Sitting};
use dealerless_table::play::{
    Control, DealCircuit, DeckSetting, PlayError, SealedSetting, Seating, Setting, Table,
    TableEvent,
};

use super::absence;
use super::banks::Banks;
use super::dial::Dialer;
use super::guests::{self, OtherGuests};
use super::open::{self, MatchFile, deck_file, inputs_file, keys_file};
use super::own::Own;
use super::player::Player;
use super::posts::{Post, Posts};
use super::seat::SeatRunner;
use super::session::Sessions;
use crate::failure::BrokenOff;

type OnDisk = Setting<DiskStorage, FileVault>;

/// A seat whose match is stored in a file.
pub(crate) struct StoredMatch<'a> {
    seat: SeatRunner<'a, DiskStorage, FileVault>,
    posts: Posts,
    log_file: String,
}

/// The parts of a seat that do not depend on the match.
pub(crate) struct SeatContext<'a> {
    pub(crate) own: &'a Own,
    pub(crate) player: Player,
    pub(crate) posts: &'a Posts,
    pub(crate) dialer: Option<Dialer>,
    /// The connections of a guest to the other guests.
    pub(crate) guests: Option<OtherGuests>,
}

/// The file of a new match without signatures.
///
/// A player of several agrees to a match only once its file is on the disk: the others may begin even if
/// this program ends before it hears of it, and it then resumes the match.
pub(crate) struct NewMatch {
    pub(crate) sitting: Sitting,
    pub(crate) path: PathBuf,
    journal: Journal<DiskStorage>,
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

impl<'a> StoredMatch<'a> {
    /// Begins a match of two players, who have agreed to it on this connection.
    ///
    /// # Errors
    /// If the file of the match cannot be created.
    pub(crate) fn begin(
        around: SeatContext<'a>,
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
        around: SeatContext<'a>,
        connections: Vec<Connection>,
        new: NewMatch,
    ) -> anyhow::Result<Self> {
        Self::begin_on(around, connections, new, None)
    }

    fn begin_on(
        around: SeatContext<'a>,
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
            None => DeckSetting::Verifiable(FileVault(keys_file(&path))),
        };
        let setting = setting(own, &sitting, journal, log, deck);
        let mut stored = StoredMatch::sit(around, &path, &sitting, false, setting)?;
        for connection in connections {
            stored.seat.connected(connection, true)?;
        }
        Ok(stored)
    }

    /// A seat whose match is resumed from its file. The seat has no connection yet.
    ///
    /// # Errors
    /// If the file cannot be resumed here, or the files of the deck are damaged.
    pub(crate) fn resume(around: SeatContext<'a>, file: MatchFile) -> anyhow::Result<Self> {
        let own = around.own;
        let MatchFile { path, opened } = file;
        let (sitting, setting) = resumed(own, &path, opened)?;
        StoredMatch::sit(around, &path, &sitting, true, setting)
    }

    fn sit(
        around: SeatContext<'a>,
        path: &Path,
        sitting: &Sitting,
        resumed: bool,
        setting: OnDisk,
    ) -> anyhow::Result<Self> {
        let SeatContext {
            own,
            mut player,
            posts,
            dialer,
            guests,
        } = around;
        if let Some(guests) = &guests {
            guests.keep(path)?;
        }
        let log_file = path.display().to_string();
        let seated = Seated::of(sitting, Some(log_file.clone()), resumed);
        let needs = player.needs();
        let story = SeatStory::new(sitting, &seated, &setting.log, own.peers.clone(), needs);
        let mut table = Table::new(setting, Deadlines::default())?;
        if needs.pauses {
            table.pause_after_showdowns();
        }
        // This comes before the event `seated`: an answer to that event belongs to the match.
        let early = posts.go_to(table.mailbox());
        player.sit(&Event::Seated(Box::new(seated)))?;
        let banks = Some(Banks::restore(path, &mut table));
        if early {
            let dropped = "input from before the match began was dropped";
            player.tell(&Event::refused(Refusal::NotAllowed, dropped))?;
        }
        player.listen(posts)?;
        let seat = SeatRunner {
            own,
            table,
            story,
            player,
            dialer,
            guests,
            sessions: Sessions::default(),
            banks,
            asks_until: None,
            told_declined: false,
        };
        Ok(StoredMatch {
            seat,
            posts: posts.clone(),
            log_file,
        })
    }

    /// The file of the match.
    pub(crate) fn path(&self) -> PathBuf {
        PathBuf::from(&self.log_file)
    }

    /// Resumes the match on this connection, on which the host was just asked to. If a question to the
    /// player is necessary, the caller has asked it.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(crate) fn meet_again(&mut self, connection: Connection) -> anyhow::Result<()> {
        self.seat.has_asked(connection)
    }

    /// Looks for a new connection.
    ///
    /// # Errors
    /// If no further session is allowed.
    pub(crate) fn reconnect(&mut self) -> anyhow::Result<()> {
        self.seat.reconnect()
    }

    /// Plays until the match stops on this side. If the host declines to resume the match, returns
    /// the host's message and the player, so that the player can begin another match.
    ///
    /// # Errors
    /// If the match cannot continue, was broken by a player, or was broken off.
    pub(crate) fn play(mut self) -> anyhow::Result<Option<(Control, Player)>> {
        self.seat.guests.iter_mut().for_each(OtherGuests::dial_all);
        let header = self.seat.table.play().log().match_info().header();
        let _telling = absence::tell_absent_host(self.seat.own, header.past.as_ref());
        let stopped = self.seat.play();
        // Whether the peer has received the end of the match.
        let received = match stopped {
            Ok(Stopped::BrokenOff) => {
                // The match stays open even if this fails, and the peer resends its parts.
                let _ = self.seat.table.write_received();
                self.seat.table.lose_connections();
                true
            }
            _ => self.seat.table.close(),
        };
        self.seat.sessions.until_settled();
        // This comes before the last call: a later message of the peer must not undo the count.
        self.settle(&stopped)?;
        if !matches!(stopped, Ok(Stopped::BrokenOff)) {
            self.seat.player.show_rest()?;
        }
        let called = match (&stopped, received) {
            // The others play on, and wait for nothing from this seat.
            (Ok(Stopped::Over(End::Removed)), _) => Ok(()),
            (Ok(Stopped::Over(_)), false) => self.last_call(),
            _ => Ok(()),
        };
        let (mut seat, stopped) = (self.seat, stopped?);
        let play = seat.table.play();
        let event = seat.story.last_event(&stopped, play.log(), play.seat());
        let told = event.map_or(Ok(()), |event| seat.player.tell(&event));
        match stopped {
            Stopped::Over(end) => {
                seat.banks.iter().for_each(Banks::remove);
                guests::forget(Path::new(&self.log_file));
                told?;
                Breach::check(&end, seat.table.play().seat(), seat.story.names())?;
                called?;
            }
            Stopped::Closed | Stopped::Left => told?,
            Stopped::BrokenOff => {
                // If the output is closed, the record still shows the state of the hand.
                seat.player.ends();
                return Err(BrokenOff.into());
            }
            Stopped::Declined(control) => {
                self.posts.come_back();
                return Ok(Some((control, seat.player)));
            }
        }
        Ok(None)
    }

    /// Waits for the other side to reconnect and receive the end of the match.
    fn last_call(&mut self) -> anyhow::Result<()> {
        let seat = &mut self.seat;
        seat.player.tell(&seat.story.last_call())?;
        if let Some(dialer) = &mut seat.dialer {
            dialer.dial()?;
        }
        let deadline = Instant::now() + LAST_CALL;
        while Instant::now() < deadline {
            match seat.table.next(Duration::from_millis(200))? {
                Some(TableEvent::Posted(Post::Connection(connection))) => {
                    seat.connected(*connection, false)?;
                }
                Some(TableEvent::Posted(Post::BreakOff)) => break,
                _ => {}
            }
            if seat.table.close_synced() {
                break;
            }
        }
        Ok(())
    }

    /// Counts the hands played with the peer, and a failed check of the peer.
    fn settle(&self, stopped: &anyhow::Result<Stopped>) -> anyhow::Result<()> {
        let outcome = match stopped {
            Ok(stopped) => Ok(stopped),
            Err(error) => Err(error.downcast_ref::<PlayError>()),
        };
        let play = self.seat.table.play();
        Ok(self.seat.story.settle(play.log(), play.seat(), outcome)?)
    }
}

fn setting(
    own: &Own,
    sitting: &Sitting,
    journal: Journal<DiskStorage>,
    log: MatchLog,
    deck: DeckSetting<DiskStorage, FileVault>,
) -> OnDisk {
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
) -> anyhow::Result<DeckSetting<DiskStorage, FileVault>> {
    let key = own.home.identity().file_key();
    let inputs = opened_or_new(&inputs_file(path))
        .and_then(|storage| Inputs::open(storage, key, sitting.match_info.id()))
        .context("cannot open the file of your inputs to the shuffles")?;
    Ok(DeckSetting::Sealed(SealedSetting {
        inputs: inputs.file,
        vault: FileVault(deck_file(path)),
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
    opened: Opened<DiskStorage>,
) -> anyhow::Result<(Sitting, OnDisk)> {
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
            let deck = DeckSetting::Verifiable(FileVault(keys_file(path)));
            (opened.sitting, deck)
        }
    };
    let setting = setting(own, &sitting, opened.journal, opened.log, deck);
    Ok((sitting, setting))
}

/// The table of a match to resume, without a player.
///
/// # Errors
/// The errors of [`StoredMatch::resume`].
pub(crate) fn unattended(
    own: &Own,
    file: MatchFile,
) -> anyhow::Result<Table<DiskStorage, FileVault, Post>> {
    let MatchFile { path, opened } = file;
    let (_, setting) = resumed(own, &path, opened)?;
    Ok(Table::new(setting, Deadlines::default())?)
}

/// Resumes a match that is over here, only to send its end to the other side.
///
/// # Errors
/// If its file is damaged, or the other side breaks the protocol.
pub(crate) fn send_end(own: &Own, file: MatchFile, connection: Connection) -> anyhow::Result<()> {
    let (is_sealed, peer) = (file.is_sealed(), file.seat_of(&connection.met.peer));
    let Some(peer) = peer else {
        return Ok(());
    };
    let mut table = unattended(own, file)?;
    let mut sessions = Sessions::default();
    let attempts = match is_sealed {
        true => Some(sessions.counted(own, &connection.met.peer)?),
        false => None,
    };
    table.resume(peer, connection, attempts)?;
    let deadline = Instant::now() + LAST_CALL;
    while Instant::now() < deadline {
        if let Some(TableEvent::ConnectionLost(..)) = table.next(Duration::from_millis(200))? {
            return Ok(());
        }
    }
    Ok(())
}

/// The peers at a host's door that are being sent the end of a match. Each has its own thread, so a
/// slow peer does not keep the other peers waiting.
#[derive(Default)]
pub(crate) struct Farewells(Vec<(PublicIdentity, JoinHandle<()>)>);

impl Farewells {
    /// The maximum number of threads. Each peer has at most one.
    const MOST: usize = 16;

    /// Sends the end of a match to the peer of `connection`, in the background.
    ///
    /// # Errors
    /// If a thread for this peer or [`MOST`](Self::MOST) threads are running, or the thread cannot
    /// be started.
    pub(crate) fn send_end(
        &mut self,
        own: &Own,
        file: MatchFile,
        connection: Connection,
    ) -> anyhow::Result<()> {
        self.0.retain(|(_, thread)| !thread.is_finished());
        let sending = self.0.iter().any(|(peer, _)| *peer == connection.met.peer);
        ensure!(
            !sending && self.0.len() < Self::MOST,
            "the end of the last match is already being sent"
        );
        let (own, peer) = (own.clone(), connection.met.peer.clone());
        let thread = thread::Builder::new().name("farewell".into());
        // A peer that does not receive the end connects again.
        let thread = thread.spawn(move || _ = send_end(&own, file, connection))?;
        self.0.push((peer, thread));
        Ok(())
    }
}

fn opened_or_new(path: &Path) -> std::io::Result<DiskStorage> {
    match DiskStorage::open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => DiskStorage::create(path),
        opened => opened,
    }
}
