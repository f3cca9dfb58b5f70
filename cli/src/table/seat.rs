//! One seat of a match, played to its end, or until its player breaks it off: what the table has to
//! tell goes to the player, and what the player says to the table.

use std::time::{Duration, Instant};

use dealerless_table::{
    Command, Control, End, Happened, News, PlayError, PublicIdentity, Seat as Place, Storage,
    Table, Vault,
};

use super::banks::Banks;
use super::command::Order;
use super::dial::Dialer;
use super::event::{Awaited, Event, Refusal, Time};
use super::input::Line;
use super::own::Own;
use super::player::{Player, Wish};
use super::posts::Post;
use super::session::Sessions;
use super::standing;
use super::story::{Story, awaited};

/// Between two looks at nothing in particular.
const LONG: Duration = Duration::from_secs(3600);

/// How a seat has stopped.
#[derive(Debug)]
pub(crate) enum Stopped {
    /// The match is over.
    Over(End),
    /// Its player has closed it here.
    Closed,
    /// Its player has ended the program.
    BrokenOff,
    /// The host does not go on with this match: it says so.
    Declined(Control),
}

/// A seat, and all that it talks to.
pub(crate) struct Seat<'a, S, V> {
    pub(crate) own: &'a Own,
    pub(crate) table: Table<S, V, Post>,
    pub(crate) peer: PublicIdentity,
    pub(crate) peer_name: String,
    pub(crate) story: Story,
    pub(crate) player: Player,
    /// How a guest finds its host again; a host waits at its door.
    pub(crate) dialer: Option<Dialer>,
    pub(crate) sessions: Sessions,
    pub(crate) banks: Option<Banks>,
    pub(crate) wait: Wait,
}

/// Since when the same is waited for.
pub(crate) struct Wait {
    what: Option<(u64, bool)>,
    since: Instant,
    told: Duration,
}

impl Default for Wait {
    fn default() -> Self {
        Wait {
            what: None,
            since: Instant::now(),
            told: Duration::ZERO,
        }
    }
}

impl<S: Storage, V: Vault> Seat<'_, S, V> {
    /// Plays until the match stops here.
    ///
    /// # Errors
    /// Why it cannot go on.
    pub(crate) fn play(&mut self) -> anyhow::Result<Stopped> {
        loop {
            let within = self.due();
            let happened = self.table.next(within)?;
            if let Some(banks) = &mut self.banks {
                // What is not kept is only time.
                let _ = banks.keep(&self.table);
            }
            let stopped = match happened {
                None => self.tell_waiting()?,
                Some(Happened::News(news)) => self.news(&news)?,
                Some(Happened::LineLost(error)) => self.line_lost(&error)?,
                Some(Happened::Control(control @ (Control::Open(_) | Control::Unknown(_))))
                    if self.dialer.is_some() =>
                {
                    Some(Stopped::Declined(control))
                }
                // A host is told nothing more on a line on which it plays.
                Some(Happened::Control(_)) => None,
                Some(Happened::Posted(post)) => self.posted(post)?,
            };
            if let Some(stopped) = stopped {
                return Ok(stopped);
            }
        }
    }

    fn news(&mut self, news: &News) -> anyhow::Result<Option<Stopped>> {
        if *news == News::Resumed {
            // The line may be lost again, and another is looked for by now.
            if self.table.line().is_none() {
                return Ok(None);
            }
            self.dialer.iter_mut().for_each(Dialer::succeeds);
        }
        for mut event in self.story.tell(news, self.table.play()) {
            match &mut event {
                Event::YourTurn(turn) => turn.time = self.time_left(self.table.play().seat()),
                Event::TheirTurn(turn) => turn.time = self.time_left(Place::new(turn.seat)),
                _ => {}
            }
            self.player.tell(&event)?;
            if let Some(answer) = self.player.answer(&event)
                && let Order::Seat(command) = answer.order()
            {
                self.table.command(command)?;
            }
        }
        Ok(match news {
            News::Over(end) => Some(Stopped::Over(end.clone())),
            _ => None,
        })
    }

    fn time_left(&self, seat: Place) -> Option<Time> {
        let left = self.table.time_left(seat)?;
        Some(Time {
            each_move: left.each_move.as_secs(),
            bank: left.bank.as_secs(),
        })
    }

    fn line_lost(&mut self, error: &PlayError) -> anyhow::Result<Option<Stopped>> {
        self.player.tell(&Event::LineLost {
            message: with_sources(error),
        })?;
        self.reconnect()?;
        Ok(None)
    }

    /// Looks for another line, unless the player has to be asked first.
    ///
    /// # Errors
    /// If there must be none.
    pub(crate) fn reconnect(&mut self) -> anyhow::Result<()> {
        self.sessions.until_settled();
        let whom = (&self.peer, self.peer_name.as_str());
        let question = standing::question(self.own, whom)?;
        if let Some(question) = question.filter(|_| !self.sessions.allowed) {
            standing::refuse_for_bots(&self.player, &question)?;
            self.table.hold(true);
            return self.player.tell(&question);
        }
        self.table.hold(false);
        if let Some(dialer) = &mut self.dialer {
            dialer.dial()?;
        }
        Ok(())
    }

    fn posted(&mut self, post: Post) -> anyhow::Result<Option<Stopped>> {
        match post {
            Post::Line(line) => {
                // The other has lost the old one, which this side may not have noticed.
                self.table.lose_line();
                self.sessions.until_settled();
                let whom = (&self.peer, self.peer_name.as_str());
                let asks = standing::question(self.own, whom)?.is_some();
                // Dropped, it is closed; the player was asked when the last line was lost.
                if !asks || std::mem::take(&mut self.sessions.allowed) {
                    let attempts = self.sessions.counted(self.own, &self.peer)?;
                    self.table.meet_again(*line, attempts)?;
                }
            }
            Post::Typed(line) => return self.obey(line),
            Post::Notice(text) => self.player.tell(&Event::Notice { text })?,
            Post::BreakOff => return Ok(Some(Stopped::BrokenOff)),
        }
        Ok(None)
    }

    /// Does what the player says. What cannot be done is said, and changes nothing.
    fn obey(&mut self, line: Line) -> anyhow::Result<Option<Stopped>> {
        let refused = match self.player.read(line) {
            Ok(Wish::Nothing) => return Ok(None),
            Ok(Wish::BreakOff) => return Ok(Some(Stopped::BrokenOff)),
            Ok(Wish::Say(said, turn)) => {
                match turn.filter(|turn| *turn != self.table.play().log().step()) {
                    Some(turn) => Some((Refusal::NotYourTurn, format!("turn {turn} is not now"))),
                    None => match said.order() {
                        Order::Seat(command) => return self.command(command),
                        Order::Close => return self.close(),
                        Order::Again => return self.again(),
                    },
                }
            }
            Err(complaint) => Some(complaint),
        };
        if let Some((code, message)) = refused {
            self.player.tell(&Event::refused(code, message))?;
        }
        Ok(None)
    }

    fn command(&mut self, command: Command) -> anyhow::Result<Option<Stopped>> {
        let leaves = command == Command::Leave;
        if let Err(refused) = self.table.command(command) {
            return self.news(&News::NotNow(refused));
        }
        if leaves {
            self.player.leaves();
        }
        if !self.table.play().has_met() {
            let text = "There is no line: this is said as soon as it is back.".into();
            self.player.tell(&Event::Notice { text })?;
        }
        Ok(None)
    }

    /// The player may close the match when the other's time is out; without a clock, while there is
    /// no line.
    fn close(&mut self) -> anyhow::Result<Option<Stopped>> {
        let play = self.table.play();
        let is_out = |seat| match self.table.time_left(seat) {
            Some(_) => self.table.is_out(seat),
            None => !play.has_met(),
        };
        let mut others = Place::all(play.log().of().seats()).filter(|seat| *seat != play.seat());
        if !others.any(is_out) {
            let text = match self.table.time_left(play.seat()) {
                Some(_) => "nobody else's time is out; `leave` ends the match for good",
                None => "there is a line; `leave` ends the match for good",
            };
            self.player
                .tell(&Event::refused(Refusal::NotAllowed, text))?;
            return Ok(None);
        }
        self.table.close_here()?;
        Ok(Some(Stopped::Closed))
    }

    /// The player lets the program connect once more.
    fn again(&mut self) -> anyhow::Result<Option<Stopped>> {
        if self.table.line().is_some() {
            let text = "there is a line";
            self.player
                .tell(&Event::refused(Refusal::NobodyAsked, text))?;
            return Ok(None);
        }
        self.sessions.allowed = true;
        self.reconnect()?;
        Ok(None)
    }

    /// How long nothing is to be said of a wait.
    fn due(&mut self) -> Duration {
        let log = self.table.play().log();
        let now = Some((log.step(), self.table.play().has_met()));
        if self.wait.what != now {
            self.wait = Wait {
                what: now,
                ..Wait::default()
            };
        }
        match self.awaited() {
            None => LONG,
            Some(_) => {
                let due = self.player.tells_waiting_after(self.wait.told);
                due.saturating_sub(self.wait.since.elapsed())
            }
        }
    }

    fn awaited(&self) -> Option<(Vec<u8>, Awaited)> {
        let play = self.table.play();
        if play.has_met() {
            return awaited(play.log(), play.seat());
        }
        let seats = Place::all(play.log().of().seats());
        let others = seats.filter(|seat| *seat != play.seat());
        Some((others.map(Place::number).collect(), Awaited::Line))
    }

    fn tell_waiting(&mut self) -> anyhow::Result<Option<Stopped>> {
        let due = self.player.tells_waiting_after(self.wait.told);
        let Some((seats, what)) = self.awaited().filter(|_| self.wait.since.elapsed() >= due)
        else {
            return Ok(None);
        };
        self.wait.told = due;
        let seconds = due.as_secs();
        self.player.tell(&Event::Waiting {
            seats,
            what,
            seconds,
        })?;
        Ok(None)
    }
}

/// An error with what lies behind it, in one line.
fn with_sources(error: &PlayError) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        let more = error.to_string();
        if !text.ends_with(&more) {
            text = format!("{text}: {more}");
        }
        source = error.source();
    }
    text
}
