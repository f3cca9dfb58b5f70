//! One seat of a match, from the first event to the last: what its player is told and when, and what the
//! seat does when something happens at its table. It starts no threads and reads no clock: the time,
//! since any fixed moment, is an argument.

use std::time::Duration;

use dealerless_connection::identity::{Name, PeersError, PublicIdentity, SharedPeers};
use dealerless_connection::storage::{Storage, Vault};
use dealerless_table::Seat;
use dealerless_table::log::{End, LogEvent, MatchLog, Phase, Sitting};
use dealerless_table::play::{Command, Control, News, PlayError, TableCore, TimeLeft};
use rand::{CryptoRng, Rng};

use crate::ending::{self, counts_against_peer, unconfirmed_at, unsettled_at};
use crate::event::Event;
use crate::leaving::{self, leaves};
use crate::peers::{self, MOST_VOID, NotAllowed, question_of_tries};
use crate::retry::{HOST_PAUSE, pause};
use crate::seated::Seated;
use crate::story::{SeatView, Story, awaited, hands_with_a_result};
use crate::words::{Names, tables, with_sources};

/// How long a person may look at a showdown before the next hand is dealt.
const SHOWDOWN: Duration = Duration::from_millis(2500);
/// The pause before each street of a hand in which all cards are face up, and before the result that
/// follows the last street.
pub const STREET: Duration = Duration::from_millis(800);
/// Timeout for the other side to reconnect and receive the end of a match.
pub const LAST_CALL: Duration = Duration::from_secs(30);

/// The reason why a seat has stopped.
#[derive(Debug)]
pub enum Stopped {
    /// The match is over.
    Over(End),
    /// The player has closed the match on this side.
    Closed,
    /// The player has left the match, and the others play on.
    Left,
    /// The player has ended the program.
    BrokenOff,
    /// The host does not resume this match, for the reason in the message.
    Declined(Control),
}

impl Stopped {
    /// Returns whether a guest stops after this message of its host.
    pub fn by_host(control: Control) -> Option<Self> {
        match control {
            Control::Open(_) | Control::Unknown(_) | Control::Declined | Control::WentOn(..) => {
                Some(Stopped::Declined(control))
            }
            _ => None,
        }
    }
}

/// Another player of the match.
pub struct Other {
    /// The seat of the player.
    pub seat: Seat,
    /// The keys of the player.
    pub identity: PublicIdentity,
    /// The name that the player gave.
    pub name: Name,
}

impl Other {
    /// All players of a match but the one whose file this is.
    pub fn all_of(sitting: &Sitting) -> Vec<Self> {
        let seats = Seat::all(sitting.match_info.seats());
        let players = seats.zip(sitting.match_info.players()).zip(&sitting.names);
        let others = players.filter(|((seat, _), _)| *seat != sitting.seat);
        others
            .map(|((seat, player), name)| Other {
                seat,
                identity: player.identity.clone(),
                name: name.clone(),
            })
            .collect()
    }
}

/// The state of a table that a seat needs.
pub trait TableView {
    /// Returns the seat at the table.
    fn play(&self) -> &impl SeatView;
    /// Whether the host is connected to a guest, or a guest to the host.
    fn is_connected(&self) -> bool;
    /// Returns the time that a seat has left, in a match with a clock.
    fn time_left(&self, seat: Seat) -> Option<TimeLeft>;
    /// Returns the time until another seat is out of time, if this side waits for it.
    fn until_out(&self, seat: Seat) -> Option<Duration>;
    /// Returns the time in the bank of a seat, as it has to be stored, in a match with a clock.
    fn bank_to_store(&self, seat: Seat) -> Option<Duration>;
    /// Returns the step of the own turn, and the Unix time in seconds at which it was first shown. `None`
    /// if the clock of a turn begins again after a restart, or if it is not this seat's turn.
    fn own_turn(&self) -> Option<(u64, u64)>;
    /// Returns the seat that has run out of time, so that the player may close the match.
    fn may_close(&self) -> Option<Seat>;
}

impl<S: Storage, V: Vault, R: CryptoRng> TableView for TableCore<S, V, R> {
    fn play(&self) -> &impl SeatView {
        self.play()
    }

    fn is_connected(&self) -> bool {
        self.is_connected()
    }

    fn time_left(&self, seat: Seat) -> Option<TimeLeft> {
        self.time_left(seat)
    }

    fn until_out(&self, seat: Seat) -> Option<Duration> {
        self.until_out(seat)
    }

    fn bank_to_store(&self, seat: Seat) -> Option<Duration> {
        self.bank_to_store(seat)
    }

    fn own_turn(&self) -> Option<(u64, u64)> {
        self.own_turn()
    }

    fn may_close(&self) -> Option<Seat> {
        self.may_close()
    }
}

/// What the player of a seat needs.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlayerNeeds {
    /// Time to look at a showdown.
    pub pauses: bool,
    /// A report of each second of a wait.
    pub each_second: bool,
    /// The player is a bot, which is never asked whether to play on after failures: the match stops.
    pub never_asked: bool,
    /// The player is a program. A guest that waits does not outlive the input of a program.
    pub is_program: bool,
    /// The player is told nothing: the seat only sends the end of its match to a player who does not know it.
    pub is_told_nothing: bool,
}

/// A seat of a match, as its player sees it.
pub struct SeatStory {
    story: Story,
    /// The other players, in order of their seats. With a sealed deck there is only one.
    others: Vec<Other>,
    peers: SharedPeers,
    /// The number of hands that were completed before this seat began or resumed the match.
    before: u32,
    needs: PlayerNeeds,
    wait: Wait,
    /// The streets dealt to the board since the last choice of a seat.
    run_out: u32,
    /// At a table: whether the player was told that it has no chips left.
    is_told_broke: bool,
    /// The end of the current pause before a deal, and the command that then deals. A pause follows
    /// a showdown, or a deal that the peer declared void.
    after_pause: Option<(Duration, Command)>,
    /// Whether the player has agreed to another session despite earlier failures.
    allowed: bool,
    /// Whether the peer has said that it plays in a page.
    is_in_page: bool,
}

/// The current wait for a seat or for the connection.
#[derive(Default)]
struct Wait {
    /// The step of the log, and whether the play is synced with the peer.
    what: Option<(u64, bool)>,
    since: Duration,
    /// The length of the wait at its last report.
    reported: Duration,
}

/// What a lost connection means for a seat.
#[derive(Debug)]
pub enum ConnectionLost {
    /// Nobody waits for the player at the other end.
    Ignored,
    /// The match goes on without this connection. The seat tells its player, and looks for a new one.
    GoesOn(Event),
    /// The match waits for a new connection. The seat tells its player, and
    /// [looks](SeatStory::question) for one.
    Waits(Event),
}

/// What a seat does after its table has accepted a command.
#[derive(Debug)]
pub enum Accepted {
    /// It tells the player this.
    Tells(Vec<Event>),
    /// It [looks](SeatStory::question) for a new connection.
    Reconnects,
    /// It closes the match on this side.
    Closes,
}

impl SeatStory {
    /// The seat of a match that begins, or is resumed with this `log`.
    pub fn new(
        sitting: &Sitting,
        seated: &Seated,
        log: &MatchLog,
        peers: SharedPeers,
        needs: PlayerNeeds,
    ) -> Self {
        SeatStory {
            story: Story::new(seated, &sitting.match_info.header().stakes),
            others: Other::all_of(sitting),
            peers,
            before: hands_with_a_result(log),
            needs,
            wait: Wait::default(),
            run_out: 0,
            is_told_broke: false,
            after_pause: None,
            allowed: false,
            is_in_page: false,
        }
    }

    /// The names of the players.
    pub fn names(&self) -> &Names {
        self.story.names()
    }

    /// The other players, in order of their seats. With a sealed deck there is only one.
    pub fn others(&self) -> &[Other] {
        &self.others
    }

    /// Returns the seat of the other player with these keys.
    pub fn seat_of(&self, peer: &PublicIdentity) -> Option<Seat> {
        let mut others = self.others.iter();
        let other = others.find(|other| other.identity == *peer)?;
        Some(other.seat)
    }

    /// Returns the events for `news`, at the time `now`. `rng` shortens pauses at random.
    pub fn news(
        &mut self,
        news: &News,
        table: &impl TableView,
        now: Duration,
        rng: &mut impl Rng,
    ) -> Vec<Event> {
        let play = table.play();
        // The connection may be lost again by now.
        if *news == News::Resumed && !play.is_synced() {
            return Vec::new();
        }
        let mut events = Vec::new();
        if let News::Voided { tries } = news {
            events.extend(self.voided(*tries, now, rng));
        }
        for mut event in self.story.tell(news, play) {
            match &mut event {
                Event::Chose { .. } => self.run_out = 0,
                Event::Board { .. } => self.run_out += 1,
                Event::YourTurn(turn) => turn.time = time_left(table, play.seat()),
                Event::TheirTurn(turn) => turn.time = time_left(table, Seat::new(turn.seat)),
                _ => {}
            }
            events.push(event);
        }
        if let News::Log(LogEvent::HandOver { outcome, .. }) = news
            && self.needs.pauses
            && !outcome.shown.is_empty()
            && play.log().phase() == Phase::Deal
        {
            events.push(self.shown_down(now));
        }
        if let News::Log(LogEvent::HandOver { outcome, .. }) = news {
            events.extend(self.broke(&outcome.stacks, play.log(), play.seat()));
        }
        events
    }

    /// Tells a player at a table who has no chips left, while the match goes on without it, how it buys in again. The next
    /// match begins after its wish.
    fn broke(&mut self, stacks: &[u64], log: &MatchLog, own: Seat) -> Option<Event> {
        let header = log.match_info().header();
        let is_broke = stacks.get(own.index()) == Some(&0);
        let was_told = std::mem::replace(&mut self.is_told_broke, is_broke);
        let goes_on = log.phase() == Phase::Deal;
        let is_due = header.table.is_some() && is_broke && !was_told && goes_on;
        is_due.then(|| Event::notice(tables::broke(header.stakes.stack())))
    }

    /// Handles the news that the peer has declared `tries` tries of this hand void. The next try
    /// begins after a pause, which doubles each time. From [`MOST_VOID`] void tries on, the next try
    /// begins only when the player agrees to the returned question.
    fn voided(&mut self, tries: u32, now: Duration, rng: &mut impl Rng) -> Option<Event> {
        if tries < MOST_VOID {
            let end = now + pause(tries.saturating_sub(1), HOST_PAUSE, rng);
            self.after_pause = Some((end, Command::DealAgain));
            return None;
        }
        let Other { identity, name, .. } = self.others.first()?;
        Some(question_of_tries(&self.peers.lock(), identity, name, tries))
    }

    /// Pauses after a showdown before the next hand is dealt, so that a person can look at the
    /// cards. The pause includes the time to show each street that came after the last choice.
    fn shown_down(&mut self, now: Duration) -> Event {
        let pause = match self.run_out {
            0 => SHOWDOWN,
            streets => SHOWDOWN + STREET * (streets + 1),
        };
        self.after_pause = Some((now + pause, Command::Next));
        Event::Pause {
            milliseconds: pause.as_millis() as u64,
        }
    }

    /// Returns the time until the pause before a deal is over, if there is a pause.
    pub fn until_deal(&self, now: Duration) -> Option<Duration> {
        let (end, _) = self.after_pause.as_ref()?;
        Some(end.saturating_sub(now))
    }

    /// Returns the command that deals, once when the pause before a deal is over. The table refuses it
    /// if the match is over or the player has already dealt the hand.
    pub fn deals(&mut self, now: Duration) -> Option<Command> {
        let (_, command) = self.after_pause.take_if(|(end, _)| *end <= now)?;
        Some(command)
    }

    /// Returns the question that the player must answer before this seat looks for a new connection.
    /// `None` if no answer is needed, or the player has agreed.
    ///
    /// # Errors
    /// If no further session is allowed.
    pub fn question(&self, log: &MatchLog) -> Result<Option<Event>, NotAllowed> {
        Ok(self.asks(log)?.filter(|_| !self.allowed))
    }

    /// Whether the match may continue on a new connection. Otherwise the player was asked when the last
    /// connection was lost, and has not agreed yet. The agreement is for one connection.
    ///
    /// # Errors
    /// If no further session is allowed.
    pub fn may_connect(&mut self, log: &MatchLog) -> Result<bool, NotAllowed> {
        let asks = self.asks(log)?.is_some();
        Ok(!asks || std::mem::take(&mut self.allowed))
    }

    fn asks(&self, log: &MatchLog) -> Result<Option<Event>, NotAllowed> {
        match self.others.first() {
            Some(Other { identity, name, .. }) if is_sealed(log) => {
                peers::question(&self.peers.lock(), identity, name)
            }
            _ => Ok(None),
        }
    }

    /// Handles the loss of the connection to `peer`.
    pub fn connection_lost(
        &self,
        peer: Seat,
        error: &PlayError,
        play: &impl SeatView,
    ) -> ConnectionLost {
        let mut others = self.others.iter();
        let other = others.find(|other| other.seat == peer);
        match other.filter(|_| !is_gone(play.log(), peer)) {
            None => ConnectionLost::Ignored,
            // With several seats, the others go on.
            Some(other) if play.is_synced() => ConnectionLost::GoesOn(Event::Notice {
                text: format!("{} is not connected ({}).", other.name, with_sources(error)),
            }),
            Some(_) => ConnectionLost::Waits(Event::LineLost {
                message: with_sources(error),
            }),
        }
    }

    /// Returns the notice for a control message of the peer: once, that its player plays in a page.
    pub fn says(&mut self, control: &Control) -> Option<Event> {
        let [other] = &self.others[..] else {
            return None;
        };
        if *control != Control::InPage || std::mem::replace(&mut self.is_in_page, true) {
            return None;
        }
        let text = format!(
            "{} says that they play in a page in a browser. Whoever serves such a page could see their cards \
             and choose for them. Your side is not affected.",
            other.name
        );
        Some(Event::notice(text))
    }

    /// Handles a command that the table has accepted.
    pub fn accepted(&mut self, command: &Command, table: &impl TableView) -> Accepted {
        let play = table.play();
        let mut events = Vec::new();
        match command {
            Command::Close => return Accepted::Closes,
            Command::Again if !table.is_connected() => {
                self.allowed = true;
                return Accepted::Reconnects;
            }
            Command::Again => return Accepted::Tells(events),
            Command::Stay => return Accepted::Tells(vec![Event::Stays {}]),
            Command::Buy(chips) => events.push(Event::Buys { chips: *chips }),
            Command::Leave { .. } => {
                let now = play.is_synced() && play.leaves_now();
                events.push(leaves(play.log(), play.seat(), now));
            }
            _ => {}
        }
        if !play.is_synced() {
            let text =
                "There is no connection now. Your input is sent when the connection is back.";
            events.push(Event::Notice { text: text.into() });
        }
        Accepted::Tells(events)
    }

    /// Returns the question to a person who wants to leave: what leaving costs, and whether to do it.
    pub fn ask_leave(&self, table: &impl TableView) -> Event {
        let (play, may_close) = (table.play(), table.may_close().is_some());
        Event::Notice {
            text: leaving::question(play.log(), play.seat(), self.names(), may_close),
        }
    }

    /// Returns the time until the next report of the current wait. `None` while the match waits for the
    /// player of this seat.
    pub fn until_report(&mut self, play: &impl SeatView, now: Duration) -> Option<Duration> {
        self.begin_wait(play, now);
        awaited(play)?;
        let waited = now.saturating_sub(self.wait.since);
        Some(self.next_report().saturating_sub(waited))
    }

    /// Begins another wait if the match has continued since the last one began.
    fn begin_wait(&mut self, play: &impl SeatView, now: Duration) {
        let what = Some((play.log().step(), play.is_synced()));
        if self.wait.what != what {
            self.wait = Wait {
                what,
                since: now,
                reported: Duration::ZERO,
            };
        }
    }

    /// Returns the report of the current wait if it is due.
    pub fn report(&mut self, table: &impl TableView, now: Duration) -> Option<Event> {
        let play = table.play();
        self.begin_wait(play, now);
        let (seats, what) = awaited(play)?;
        let due = self.next_report();
        if now.saturating_sub(self.wait.since) < due {
            return None;
        }
        self.wait.reported = due;
        let until_out = |seat: &u8| table.until_out(Seat::new(*seat));
        let left = seats.iter().filter_map(until_out).min();
        Some(Event::Waiting {
            seats,
            what,
            seconds: due.as_secs(),
            left: left.map(|left| left.as_secs()),
        })
    }

    /// The length of a wait at which its next report is due.
    fn next_report(&self) -> Duration {
        let reported = self.wait.reported;
        if self.needs.each_second {
            return reported + Duration::from_secs(1);
        }
        match reported.as_secs() {
            0 => Duration::from_secs(5),
            5 => Duration::from_secs(15),
            15 => Duration::from_secs(60),
            _ => reported + Duration::from_secs(60),
        }
    }

    /// Counts the hands completed with the other players, and a failed check of the peer. `outcome` is
    /// why the seat has stopped, or its error, if it is one of the table.
    ///
    /// # Errors
    /// If the list of known peers cannot be written.
    pub fn settle(
        &self,
        log: &MatchLog,
        own: Seat,
        outcome: Result<&Stopped, Option<&PlayError>>,
    ) -> Result<(), PeersError> {
        let hands = hands_with_a_result(log).saturating_sub(self.before);
        let failed = match outcome {
            Ok(Stopped::Over(end)) => counts_against_peer(end, own),
            Ok(_) => false,
            Err(error) => error.is_some_and(peers::is_failed_check),
        };
        let others: Vec<_> = self.others.iter().map(|other| &other.identity).collect();
        peers::count(&mut self.peers.lock(), &others, hands, failed)
    }

    /// Returns the notice to a player whose match is over, while the other side may not know it yet.
    pub fn last_call(&self) -> Event {
        let [who, them] = match self.others.len() {
            1 => ["the other side", "it"],
            _ => ["another player", "all"],
        };
        Event::Notice {
            text: format!(
                "The match is over here, but {who} may not know yet. Waiting up to {} s for {them} to \
                 reconnect; Ctrl-C does no harm.",
                LAST_CALL.as_secs()
            ),
        }
    }

    /// Returns the last event for the player of a seat that has stopped.
    pub fn last_event(&self, stopped: &Stopped, log: &MatchLog, own: Seat) -> Option<Event> {
        let unsettled = || unsettled_at(log, own, self.names());
        let notice = |text| Event::notice(text);
        let file = || self.story.log_file().map(str::to_owned);
        match stopped {
            Stopped::Over(_) => unconfirmed_at(log, own, self.names()).map(notice),
            Stopped::Closed => Some(ending::closed(file(), unsettled())),
            Stopped::Left => Some(ending::left(file())),
            // The record still shows the state of the hand.
            Stopped::BrokenOff => unsettled().map(notice),
            Stopped::Declined(_) => None,
        }
    }
}

/// Returns the notice that a player has connected again, in a match that goes on without it.
pub fn connected_again(name: &Name) -> Event {
    Event::Notice {
        text: format!("{name} is connected again."),
    }
}

/// Returns the seats for which the program stops looking after `news`: they are gone. It goes on looking for
/// a host that the others have removed, because the host cannot dial its guests to learn this.
pub fn gone_after(news: &News, log: &MatchLog) -> Vec<Seat> {
    match news {
        News::Log(LogEvent::Removed { seats }) => {
            let guests = seats.iter().filter(|seat| **seat != Seat::HOST);
            guests.copied().collect()
        }
        News::Log(LogEvent::Stopped { seat, .. }) if is_gone(log, *seat) => vec![*seat],
        _ => Vec::new(),
    }
}

/// Returns whether the seat `own` stops after `news`.
pub fn stopped_after(news: &News, log: &MatchLog, own: Seat) -> Option<Stopped> {
    let has_left = log.match_info().has_roll_calls() && is_gone(log, own);
    match news {
        News::Over(end) => Some(Stopped::Over(end.clone())),
        // The others play on.
        News::Log(LogEvent::Stopped { seat, .. }) if has_left && *seat == own => {
            Some(Stopped::Left)
        }
        _ => None,
    }
}

/// Whether the deck of the match is sealed. Then there is only one other player.
pub fn is_sealed(log: &MatchLog) -> bool {
    log.match_info().header().sealed().is_some()
}

fn is_gone(log: &MatchLog, seat: Seat) -> bool {
    log.gone().contains(&seat)
}

fn time_left(table: &impl TableView, seat: Seat) -> Option<crate::seated::Time> {
    table.time_left(seat).map(Into::into)
}

/// Whether the match waits for the player of this seat.
pub fn is_own_turn(play: &impl SeatView) -> bool {
    awaited(play).is_none()
}

#[cfg(test)]
mod tests;
