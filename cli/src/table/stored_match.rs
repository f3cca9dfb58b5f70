//! Runs a match that is stored in a file. A run begins when the two players sit down or resume the
//! match, and lasts until the match is over, closed or broken off on this side.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use dealerless::Blame;
use dealerless::net::Deadlines;
use dealerless_events::ending::{self, Breach, unsettled_at};
use dealerless_events::event::{Event, Refusal};
use dealerless_events::seated::Seated;
use dealerless_events::story::{Story, hands_with_a_result};
use dealerless_table::connection::Connection;
use dealerless_table::identity::{Name, PublicIdentity};
use dealerless_table::log::{DiskStorage, Inputs, Journal, MatchFolder, MatchLog, Sitting};
use dealerless_table::play::{
    Control, DealCircuit, FileVault, PlayError, Seating, Setting, Table, TableEvent,
};
use dealerless_table::{Seat, system_rng};

use super::banks::Banks;
use super::dial::Dialer;
use super::open::{MatchFile, deck_file, inputs_file};
use super::own::Own;
use super::player::Player;
use super::posts::{Post, Posts};
use super::seat::{SeatRunner, Stopped, Wait};
use super::session::Sessions;
use crate::failure::BrokenOff;

/// Timeout for the other side to reconnect and receive the end of a match.
const LAST_CALL: Duration = Duration::from_secs(30);

type OnDisk = Setting<DiskStorage, FileVault>;

/// A seat whose match is stored in a file.
pub(crate) struct StoredMatch<'a> {
    seat: SeatRunner<'a, DiskStorage, FileVault>,
    /// The number of hands played before this process resumed the match.
    before: u32,
    posts: Posts,
    log_file: String,
}

/// The parts of a seat that do not depend on the match.
pub(crate) struct SeatContext<'a> {
    pub(crate) own: &'a Own,
    pub(crate) player: Player,
    pub(crate) posts: &'a Posts,
    pub(crate) dialer: Option<Dialer>,
}

impl<'a> StoredMatch<'a> {
    /// Begins a match that both players have agreed to on this connection.
    ///
    /// # Errors
    /// If the file of the match cannot be created.
    pub(crate) fn begin(
        around: SeatContext<'a>,
        connection: Connection,
        Seating { sitting, circuit }: Seating,
    ) -> anyhow::Result<Self> {
        let own = around.own;
        let shelf = MatchFolder(own.home.matches());
        let (path, storage) = shelf
            .create(&sitting.match_info.id(), connection.peer_name.as_str())
            .context("cannot make the file of the match")?;
        let journal = Journal::create(storage, own.home.identity().file_key(), &sitting)?;
        let log = MatchLog::new(sitting.match_info.clone());
        let (peer, name) = (connection.peer.clone(), connection.peer_name.clone());
        let setting = setting(own, &path, &sitting, journal, log, circuit)?;
        let mut stored = StoredMatch::sit(around, &path, &sitting, false, setting, peer, name)?;
        let seat = &mut stored.seat;
        let attempts = seat.sessions.counted(own, &seat.peer)?;
        seat.table.begin(connection, attempts);
        Ok(stored)
    }

    /// Loads a match to resume. The match has no connection until [`meet_again`](Self::meet_again)
    /// is called.
    ///
    /// # Errors
    /// If the match cannot continue, for example because of a damaged deck or an unknown shuffle.
    pub(crate) fn resume(around: SeatContext<'a>, file: MatchFile) -> anyhow::Result<Self> {
        let own = around.own;
        let (peer, name) = (file.peer().clone(), file.peer_name());
        let MatchFile { path, opened } = file;
        let Seating { sitting, circuit } = Seating::of_file(opened.sitting)?;
        let setting = setting(own, &path, &sitting, opened.journal, opened.log, circuit)?;
        StoredMatch::sit(around, &path, &sitting, true, setting, peer, name)
    }

    fn sit(
        around: SeatContext<'a>,
        path: &Path,
        sitting: &Sitting,
        resumed: bool,
        setting: OnDisk,
        peer: PublicIdentity,
        peer_name: Name,
    ) -> anyhow::Result<Self> {
        let SeatContext {
            own,
            mut player,
            posts,
            dialer,
        } = around;
        let before = hands_with_a_result(&setting.log);
        let mut table = Table::new(setting, Deadlines::default())?;
        if player.pauses() {
            table.pause_after_showdowns();
        }
        let log_file = path.display().to_string();
        let Sitting {
            match_info: of,
            seat,
            names,
        } = sitting;
        // This comes before the event `seated`: an answer to that event belongs to the match.
        let early = posts.go_to(table.mailbox());
        player.sit(&Event::Seated(Box::new(Seated::of(
            of,
            *seat,
            names,
            Some(log_file.clone()),
            resumed,
        ))))?;
        let banks = Some(Banks::restore(path, &mut table));
        if early {
            let dropped = "input from before the match began was dropped";
            player.tell(&Event::refused(Refusal::NotAllowed, dropped))?;
        }
        player.listen(posts)?;
        let seat = SeatRunner {
            own,
            table,
            peer,
            peer_name,
            story: Story::new(*seat, &of.header().stakes, Some(log_file.clone())),
            player,
            dialer,
            sessions: Sessions::default(),
            banks,
            wait: Wait::default(),
            run_out: 0,
        };
        Ok(StoredMatch {
            seat,
            before,
            posts: posts.clone(),
            log_file,
        })
    }

    /// The file of the match.
    pub(crate) fn path(&self) -> PathBuf {
        PathBuf::from(&self.log_file)
    }

    /// Resumes the match on this connection. If a question to the player is necessary, the caller
    /// has asked it.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(crate) fn meet_again(&mut self, connection: Connection) -> anyhow::Result<()> {
        let seat = &mut self.seat;
        let attempts = seat.sessions.counted(seat.own, &seat.peer)?;
        Ok(seat.table.resume(connection, attempts)?)
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
        let stopped = self.seat.play();
        // Whether the peer has received the end of the match.
        let received = match stopped {
            Ok(Stopped::BrokenOff) => {
                // The match stays open even if this fails, and the peer resends its parts.
                let _ = self.seat.table.write_received();
                self.seat.table.lose_connection();
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
            (Ok(Stopped::Over(_)), false) => self.last_call(),
            _ => Ok(()),
        };
        let mut seat = self.seat;
        match stopped? {
            Stopped::Over(end) => {
                seat.banks.iter().for_each(Banks::remove);
                Breach::check(&end, seat.table.play().seat())?;
                called?;
            }
            Stopped::Closed => {
                let play = seat.table.play();
                closed(&mut seat.player, self.log_file, play.log(), play.seat())?;
            }
            Stopped::BrokenOff => {
                let play = seat.table.play();
                if let Some(text) = unsettled_at(play.log(), play.seat()) {
                    // If the output is closed, the record still shows the state of the hand.
                    let _ = seat.player.tell(&Event::Notice { text });
                }
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
        seat.player.tell(&Event::Notice {
            text: format!(
                "The match is over here, but the other side may not know yet. Waiting up to {} s for \
                 it to reconnect; Ctrl-C does no harm.",
                LAST_CALL.as_secs()
            ),
        })?;
        if let Some(dialer) = &mut seat.dialer {
            dialer.dial()?;
        }
        let deadline = Instant::now() + LAST_CALL;
        while Instant::now() < deadline {
            match seat.table.next(Duration::from_millis(200))? {
                Some(TableEvent::Posted(Post::Connection(connection))) => {
                    let attempts = seat.sessions.counted(seat.own, &seat.peer)?;
                    seat.table.resume(*connection, attempts)?;
                }
                Some(TableEvent::Posted(Post::BreakOff)) => break,
                _ => {}
            }
            if seat.table.play().is_synced() && seat.table.close() {
                break;
            }
        }
        Ok(())
    }

    /// Counts the hands played with the peer, and a failed check of the peer.
    fn settle(&self, stopped: &anyhow::Result<Stopped>) -> anyhow::Result<()> {
        let mut peers = self.seat.own.peers.lock();
        let hands = hands_with_a_result(self.seat.table.play().log());
        let new = hands.saturating_sub(self.before);
        if new > 0 {
            peers.count_hands(&self.seat.peer, new.into())?;
        }
        let failed = match stopped {
            Ok(Stopped::Over(end)) => {
                ending::counts_against_peer(end, self.seat.table.play().seat())
            }
            Ok(_) => false,
            Err(error) => error
                .downcast_ref::<PlayError>()
                // An honest peer on an encrypted connection does not cause this error.
                .is_some_and(|error| error.blame() == Blame::CheatOrConnection),
        };
        if failed {
            peers.count_failed_check(&self.seat.peer)?;
        }
        Ok(())
    }
}

/// Reports that a match was closed here, and the state of the hand in play.
///
/// # Errors
/// If the output is closed.
pub(crate) fn closed(
    player: &mut Player,
    file: String,
    log: &MatchLog,
    seat: Seat,
) -> anyhow::Result<()> {
    let closed = "The match is closed here, but it is not over: `dealerless resume` continues it if you \
                  name it.";
    player.tell(&Event::Closed {
        log: Some(file),
        message: match unsettled_at(log, seat) {
            None => closed.into(),
            Some(unsettled) => format!("{closed} {unsettled}"),
        },
    })
}

fn setting(
    own: &Own,
    path: &Path,
    sitting: &Sitting,
    journal: Journal<DiskStorage>,
    log: MatchLog,
    circuit: Arc<DealCircuit>,
) -> anyhow::Result<OnDisk> {
    let identity = Arc::clone(own.home.identity());
    let inputs = opened_or_new(&inputs_file(path))
        .and_then(|storage| Inputs::open(storage, identity.file_key(), sitting.match_info.id()))
        .context("cannot open the file of your inputs to the shuffles")?;
    Ok(Setting {
        identity,
        inputs: inputs.file,
        seat: sitting.seat,
        log,
        journal,
        vault: FileVault(deck_file(path)),
        circuit,
        rng: system_rng(),
    })
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
    let Seating { sitting, circuit } = Seating::of_file(opened.sitting)?;
    let setting = setting(own, &path, &sitting, opened.journal, opened.log, circuit)?;
    Ok(Table::new(setting, Deadlines::default())?)
}

/// Resumes a match that is over here, only to send its end to the other side.
///
/// # Errors
/// If its file is damaged, or the other side breaks the protocol.
pub(crate) fn send_end(own: &Own, file: MatchFile, connection: Connection) -> anyhow::Result<()> {
    let peer = connection.peer.clone();
    let mut table = unattended(own, file)?;
    let mut sessions = Sessions::default();
    table.resume(connection, sessions.counted(own, &peer)?)?;
    let deadline = Instant::now() + LAST_CALL;
    while Instant::now() < deadline {
        if let Some(TableEvent::ConnectionLost(_)) = table.next(Duration::from_millis(200))? {
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
        let sending = self.0.iter().any(|(peer, _)| *peer == connection.peer);
        ensure!(
            !sending && self.0.len() < Self::MOST,
            "the end of the last match is already being sent"
        );
        let (own, peer) = (own.clone(), connection.peer.clone());
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
