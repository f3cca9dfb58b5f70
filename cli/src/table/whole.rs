//! A match from the moment at which two sit down to it, or at which it is taken up again, to its
//! end here.

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

/// How long the other may take to come back for the end of a match.
const LAST_CALL: Duration = Duration::from_secs(30);

type OnDisk = Setting<DiskStorage, FileVault>;

/// A seat whose match is in a file.
pub(crate) struct Whole<'a> {
    seat: SeatRunner<'a, DiskStorage, FileVault>,
    /// The hands that were played before.
    before: u32,
    posts: Posts,
    log_file: String,
}

/// What a seat needs beside the match.
pub(crate) struct Around<'a> {
    pub(crate) own: &'a Own,
    pub(crate) player: Player,
    pub(crate) posts: &'a Posts,
    pub(crate) dialer: Option<Dialer>,
}

impl<'a> Whole<'a> {
    /// The match that begins on this line, on which both have agreed to it.
    ///
    /// # Errors
    /// If its file cannot be made.
    pub(crate) fn begin(
        around: Around<'a>,
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
        let whom = (connection.peer.clone(), connection.peer_name.clone());
        let setting = setting(own, (&path, &sitting), (journal, log), circuit)?;
        let mut whole = Whole::sit(around, (&path, &sitting, false), setting, whom)?;
        let seat = &mut whole.seat;
        let attempts = seat.sessions.counted(own, &seat.peer)?;
        seat.table.begin(connection, attempts);
        Ok(whole)
    }

    /// A match that is taken up again. It has no line yet.
    ///
    /// # Errors
    /// If it cannot go on: a deck that is damaged, a shuffle that this program does not know.
    pub(crate) fn take_up(around: Around<'a>, file: MatchFile) -> anyhow::Result<Self> {
        let own = around.own;
        let whom = (file.peer().clone(), file.peer_name());
        let MatchFile { path, opened } = file;
        let Seating { sitting, circuit } = Seating::of_file(opened.sitting)?;
        let from_file = (opened.journal, opened.log);
        let setting = setting(own, (&path, &sitting), from_file, circuit)?;
        Whole::sit(around, (&path, &sitting, true), setting, whom)
    }

    fn sit(
        around: Around<'a>,
        (path, sitting, resumed): (&Path, &Sitting, bool),
        setting: OnDisk,
        (peer, peer_name): (PublicIdentity, Name),
    ) -> anyhow::Result<Self> {
        let Around {
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
        // Before the player is told: an answer to `seated` belongs to the match.
        let early = posts.go_to(table.mailbox());
        player.sit(&Event::Seated(Box::new(Seated::of(
            of,
            *seat,
            names,
            Some(log_file.clone()),
            resumed,
        ))))?;
        let banks = Some(Banks::take_up(path, &mut table));
        if early {
            let dropped = "what was typed before the match began was dropped";
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
        Ok(Whole {
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

    /// The match goes on on this line. The player was asked whether it may.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn meet_again(&mut self, connection: Connection) -> anyhow::Result<()> {
        let seat = &mut self.seat;
        let attempts = seat.sessions.counted(seat.own, &seat.peer)?;
        Ok(seat.table.resume(connection, attempts)?)
    }

    /// Looks for a line.
    ///
    /// # Errors
    /// If there must be none.
    pub(crate) fn reconnect(&mut self) -> anyhow::Result<()> {
        self.seat.reconnect()
    }

    /// Plays to the end, here. What the host said that does not go on with the match is given back,
    /// with the player, who may go on with another.
    ///
    /// # Errors
    /// Why it could not go on, how it was broken, or that it was broken off.
    pub(crate) fn play(mut self) -> anyhow::Result<Option<(Control, Player)>> {
        let stopped = self.seat.play();
        // A goodbye is for good.
        let taken = match stopped {
            Ok(Stopped::BrokenOff) => {
                // The peer resends what could not be written. The match is open either way.
                let _ = self.seat.table.write_received();
                self.seat.table.lose_connection();
                true
            }
            _ => self.seat.table.close(),
        };
        self.seat.sessions.until_settled();
        // Before the other is heard once more: what it says then is no reason to forget anything.
        self.settle(&stopped)?;
        if !matches!(stopped, Ok(Stopped::BrokenOff)) {
            self.seat.player.show_rest()?;
        }
        let called = match (&stopped, taken) {
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
                closed(&mut seat.player, self.log_file, (play.log(), play.seat()))?;
            }
            Stopped::BrokenOff => {
                let play = seat.table.play();
                if let Some(text) = unsettled_at(play.log(), play.seat()) {
                    // A player who is gone reads it in the record.
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

    /// The other side may not have the end of the match, and is given time to come back for it.
    fn last_call(&mut self) -> anyhow::Result<()> {
        let seat = &mut self.seat;
        seat.player.tell(&Event::Notice {
            text: format!(
                "The match is over here, and the other side may not know. It has {} s to come back \
                 for the last words; Ctrl-C does no harm.",
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

    /// Counts what was played with a peer, and what it failed in.
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
                // An honest peer on an encrypted line does not bring it about.
                .is_some_and(|error| error.blame() == Blame::CheatOrConnection),
        };
        if failed {
            peers.count_failed_check(&self.seat.peer)?;
        }
        Ok(())
    }
}

/// Says that a match was closed here, and where that leaves the hand in play.
///
/// # Errors
/// If nobody reads it any more.
pub(crate) fn closed(
    player: &mut Player,
    file: String,
    (log, seat): (&MatchLog, Seat),
) -> anyhow::Result<()> {
    let closed = "The match is closed here, and not over: `dealerless resume` goes on with it if it \
                  is named.";
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
    (path, sitting): (&Path, &Sitting),
    (journal, log): (Journal<DiskStorage>, MatchLog),
    circuit: Arc<DealCircuit>,
) -> anyhow::Result<OnDisk> {
    let identity = Arc::clone(own.home.identity());
    let inputs = opened_or_new(&inputs_file(path))
        .and_then(|storage| Inputs::open(storage, identity.file_key(), sitting.match_info.id()))
        .context("cannot use the file of what this side enters into the shuffles")?;
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

/// A table for a match that is taken up, at which nobody sits.
///
/// # Errors
/// As [`Whole::take_up`].
pub(crate) fn unattended(
    own: &Own,
    file: MatchFile,
) -> anyhow::Result<Table<DiskStorage, FileVault, Post>> {
    let MatchFile { path, opened } = file;
    let Seating { sitting, circuit } = Seating::of_file(opened.sitting)?;
    let from_file = (opened.journal, opened.log);
    let setting = setting(own, (&path, &sitting), from_file, circuit)?;
    Ok(Table::new(setting, Deadlines::default())?)
}

/// Tells the other side, which has said or is told that it goes on with it, how a match ended that is
/// over here.
///
/// # Errors
/// If its file is damaged, or the other side breaks the protocol.
pub(crate) fn tell_the_end(
    own: &Own,
    file: MatchFile,
    connection: Connection,
) -> anyhow::Result<()> {
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

/// Those who are told at a host's door how a match ended that is over, each on a thread of its own:
/// nobody who is slow with it keeps another waiting.
#[derive(Default)]
pub(crate) struct Farewells(Vec<(PublicIdentity, JoinHandle<()>)>);

impl Farewells {
    /// So many are told at once, each peer once.
    const MOST: usize = 16;

    /// Tells one more, in the background.
    ///
    /// # Errors
    /// If it or too many others are told already, or there is no thread for it.
    pub(crate) fn tell_the_end(
        &mut self,
        own: &Own,
        file: MatchFile,
        connection: Connection,
    ) -> anyhow::Result<()> {
        self.0.retain(|(_, thread)| !thread.is_finished());
        let told = self.0.iter().any(|(peer, _)| *peer == connection.peer);
        ensure!(
            !told && self.0.len() < Self::MOST,
            "the end of the last match is being told"
        );
        let (own, peer) = (own.clone(), connection.peer.clone());
        let thread = thread::Builder::new().name("farewell".into());
        // Who could not be told comes again.
        let thread = thread.spawn(move || _ = tell_the_end(&own, file, connection))?;
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
