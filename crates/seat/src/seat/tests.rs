//! Tests of a seat in simulated time.

use std::path::Path;

use dealerless::deck::Card;
use dealerless::mpc::Attempt;
use dealerless::shuffle::Algorithm;
use dealerless_connection::identity::{Identity, KnownPeers};
use dealerless_connection::storage::MemoryVault;
use dealerless_table::log::{Clock, DeckTerms, Header, Match, MatchId, Part, Player, SealedTerms};
use dealerless_table::rules::{
    BettingRules, HandRank, Legal, Limit, Outcome, PokerKind, Posts, Shown, Stakes, Variety,
};

use super::*;
use crate::event::Awaited;
use crate::open_match;

/// The table of a guest, in the state that a test chooses.
struct TestTable {
    log: MatchLog,
    is_synced: bool,
    is_connected: bool,
    time: Option<TimeLeft>,
    late: Option<Seat>,
    /// The time until the host is out of time.
    until_out: Option<Duration>,
}

impl SeatView for TestTable {
    fn seat(&self) -> Seat {
        Seat::GUEST
    }

    fn log(&self) -> &MatchLog {
        &self.log
    }

    fn card(&self, _: usize) -> Option<Card> {
        None
    }

    fn is_beaten(&self) -> bool {
        false
    }

    fn is_synced(&self) -> bool {
        self.is_synced
    }

    fn waits_for_histories(&self) -> (Vec<Seat>, bool) {
        (vec![Seat::HOST], false)
    }

    fn leaves_now(&self) -> bool {
        false
    }
}

impl TableView for TestTable {
    fn play(&self) -> &impl SeatView {
        self
    }

    fn is_connected(&self) -> bool {
        self.is_connected
    }

    fn time_left(&self, _: Seat) -> Option<TimeLeft> {
        self.time
    }

    fn until_out(&self, seat: Seat) -> Option<Duration> {
        self.until_out.filter(|_| seat == Seat::HOST)
    }

    fn bank_to_store(&self, _: Seat) -> Option<Duration> {
        None
    }

    fn own_turn(&self) -> Option<(u64, u64)> {
        None
    }

    fn may_close(&self) -> Option<Seat> {
        self.late
    }
}

fn identity(seat: Seat) -> Identity {
    Identity::from_seed([seat.number(); 32])
}

fn sitting() -> Sitting {
    let posts = Posts::Blinds { small: 1, big: 2 };
    let rules = BettingRules {
        stack: 100,
        limit: Limit::NoLimit,
        posts,
    };
    let header = Header {
        stakes: Stakes::new(Variety::Poker(PokerKind::Holdem, rules), 2, 3).unwrap(),
        deck: DeckTerms::Sealed(SealedTerms {
            engine_version: 3,
            algorithm: Algorithm::Waksman,
            circuit: [7; 32],
            validity: 2,
        }),
        clock: Clock {
            each_move: 30,
            bank: 60,
        },
        table: None,
    };
    let player = |seat| Player {
        identity: identity(seat).public().clone(),
        nonce: [9; 32],
    };
    Sitting {
        match_info: Match::new(header, [Seat::HOST, Seat::GUEST].map(player).into()).unwrap(),
        seat: Seat::GUEST,
        names: ["Anna", "Bert"].map(Name::clean).into(),
    }
}

/// The known peers of the guest: the host.
fn peers() -> SharedPeers {
    let own = identity(Seat::GUEST).public().clone();
    let vault = Box::new(MemoryVault::default());
    let mut peers = KnownPeers::open(vault, Path::new("peers"), own.into(), || 1).unwrap();
    let host = identity(Seat::HOST);
    peers
        .remember(host.public(), &Name::clean("Anna"), &[], None)
        .unwrap();
    SharedPeers::new(peers)
}

fn seat(needs: PlayerNeeds) -> (SeatStory, TestTable) {
    let sitting = sitting();
    let seated = Seated::of(&sitting, Some("a.log".into()), false);
    let log = MatchLog::new(sitting.match_info.clone(), sitting.seat);
    let story = SeatStory::new(&sitting, &seated, &log, peers(), needs);
    let table = TestTable {
        log,
        is_synced: true,
        is_connected: true,
        time: None,
        late: None,
        until_out: None,
    };
    (story, table)
}

/// Lets sessions with the host fail.
fn fail(story: &SeatStory, sessions: u32) {
    let host = identity(Seat::HOST);
    for _ in 0..sessions {
        let mut counted = story.peers.counted(host.public()).unwrap();
        counted.begins(Attempt::Setup).unwrap();
    }
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn lost() -> PlayError {
    PlayError::Connection(std::io::ErrorKind::ConnectionReset.into())
}

fn news(story: &mut SeatStory, table: &TestTable, news: &News, now: u64) -> Vec<Event> {
    story.news(news, table, seconds(now), &mut rand::rng())
}

#[test]
fn wait_is_reported_after_growing_intervals_and_counts_from_its_beginning() {
    let (mut story, mut table) = seat(PlayerNeeds::default());
    table.is_synced = false;
    assert!(story.report(&table, seconds(100)).is_none());
    assert_eq!(story.until_report(&table, seconds(100)), Some(seconds(5)));
    let mut reports = Vec::new();
    for now in 100..400 {
        if let Some(Event::Waiting {
            seats,
            what,
            seconds,
            left,
        }) = story.report(&table, seconds(now))
        {
            assert_eq!((seats, what), (vec![0], Awaited::Line));
            assert_eq!(left, table.until_out.map(|left| left.as_secs()));
            reports.push((now - 100, seconds));
            table.until_out = Some(self::seconds(90));
        }
    }
    assert_eq!(
        reports,
        [5, 15, 60, 120, 180, 240].map(|second| (second, second))
    );
    // The wait for the connection is over, and another one begins.
    table.is_synced = true;
    assert_eq!(story.until_report(&table, seconds(400)), None);
    assert!(is_own_turn(&table) && story.report(&table, seconds(900)).is_none());
    table.is_synced = false;
    assert_eq!(story.until_report(&table, seconds(900)), Some(seconds(5)));
}

#[test]
fn wait_is_reported_each_second_if_the_player_needs_it() {
    let (mut story, mut table) = seat(PlayerNeeds {
        each_second: true,
        ..PlayerNeeds::default()
    });
    table.is_synced = false;
    for now in 0..4 {
        assert_eq!(story.until_report(&table, seconds(now)), Some(seconds(1)));
        assert!(story.report(&table, seconds(now)).is_none());
        assert!(story.report(&table, seconds(now + 1)).is_some());
    }
}

fn showdown() -> News {
    let cards: Vec<Card> = [0, 13, 26, 1, 2].map(Card).into();
    let shown = Shown {
        seat: Seat::HOST,
        cards: cards[..2].into(),
        rank: HandRank::of(&cards).unwrap(),
        best: cards,
    };
    let outcome = Outcome {
        shown: vec![shown],
        ..Outcome::default()
    };
    News::Log(LogEvent::HandOver { hand: 1, outcome })
}

#[test]
fn next_hand_waits_after_a_showdown_and_longer_after_streets_without_a_choice() {
    for (streets, pause) in [(0, 2500), (3, 2500 + 4 * 800)] {
        let (mut story, table) = seat(PlayerNeeds {
            pauses: true,
            ..PlayerNeeds::default()
        });
        for position in 0..if streets > 0 { 2 + streets } else { 0 } {
            let card = Card(position as u64);
            let news = News::Card { position, card };
            story.news(&news, &table, seconds(5), &mut rand::rng());
        }
        let events = news(&mut story, &table, &showdown(), 10);
        assert!(matches!(events[..], [
            Event::Result(_),
            Event::Pause { milliseconds }
        ] if milliseconds == pause));
        let end = seconds(10) + Duration::from_millis(pause);
        assert_eq!(
            story.until_deal(seconds(10)),
            Some(Duration::from_millis(pause))
        );
        let before = end.checked_sub(Duration::from_millis(1)).unwrap();
        assert_eq!(story.deals(before), None);
        assert_eq!(story.deals(end), Some(Command::Next));
        assert_eq!((story.deals(end), story.until_deal(end)), (None, None));
    }
    let (mut story, table) = seat(PlayerNeeds::default());
    assert_eq!(news(&mut story, &table, &showdown(), 10).len(), 1);
    assert_eq!(story.until_deal(seconds(10)), None);
}

#[test]
fn pause_before_each_further_try_doubles_until_the_player_is_asked() {
    let (mut story, table) = seat(PlayerNeeds::default());
    for tries in 1..MOST_VOID {
        assert!(news(&mut story, &table, &News::Voided { tries }, 50).is_empty());
        let pause = story.until_deal(seconds(50)).unwrap();
        let full = Duration::from_millis(100 << tries).min(HOST_PAUSE);
        assert!((full.mul_f64(0.79)..=full).contains(&pause), "{pause:?}");
        assert_eq!(story.deals(seconds(70)), Some(Command::DealAgain));
    }
    let asked = news(&mut story, &table, &News::Voided { tries: MOST_VOID }, 50);
    assert!(matches!(
        asked[..],
        [Event::AskAgain {
            in_a_row: MOST_VOID,
            failed_checks: 0,
            ..
        }]
    ));
    assert_eq!(story.until_deal(seconds(70)), None);
}

#[test]
fn player_is_asked_after_eight_failed_sessions_and_agrees_to_one_connection() {
    let (mut story, mut table) = seat(PlayerNeeds::default());
    table.is_connected = false;
    fail(&story, 7);
    assert!(story.question(&table.log).unwrap().is_none());
    assert!(story.may_connect(&table.log).unwrap());
    fail(&story, 1);
    let question = story.question(&table.log).unwrap();
    assert!(matches!(
        question,
        Some(Event::AskAgain { in_a_row: 8, .. })
    ));
    assert!(!story.may_connect(&table.log).unwrap());
    // A connected seat needs no connection.
    table.is_connected = true;
    let nothing = story.accepted(&Command::Again, &table);
    assert!(matches!(nothing, Accepted::Tells(events) if events.is_empty()));
    assert!(!story.may_connect(&table.log).unwrap());
    table.is_connected = false;
    let agreed = story.accepted(&Command::Again, &table);
    assert!(matches!(agreed, Accepted::Reconnects));
    assert!(story.question(&table.log).unwrap().is_none());
    let connects = [(); 2].map(|()| story.may_connect(&table.log).unwrap());
    assert_eq!(connects, [true, false]);
}

#[test]
fn no_session_is_allowed_after_all_attempts() {
    let (mut story, table) = seat(PlayerNeeds::default());
    let host = identity(Seat::HOST);
    let mut counted = story.peers.counted(host.public()).unwrap();
    while counted.begins(Attempt::Run).is_ok() {}
    drop(counted);
    story.allowed = true;
    let refused = story.question(&table.log).unwrap_err().to_string();
    assert!(
        refused.contains("limit of failed attempts with Anna"),
        "{refused}"
    );
    assert!(story.may_connect(&table.log).is_err());
}

#[test]
fn lost_connection_stops_only_a_match_that_waits_for_it() {
    let (story, mut table) = seat(PlayerNeeds::default());
    let text = |lost| match lost {
        ConnectionLost::Ignored => "ignored".to_owned(),
        ConnectionLost::GoesOn(event) | ConnectionLost::Waits(event) => {
            serde_json::to_string(&event).unwrap()
        }
    };
    let host = |table: &TestTable| story.connection_lost(Seat::HOST, &lost(), table);
    assert!(text(host(&table)).contains("Anna is not connected (the connection was lost: "));
    table.is_synced = false;
    assert!(text(host(&table)).contains(r#""event":"line-lost""#));
    let nobody = story.connection_lost(Seat::new(5), &lost(), &table);
    assert!(matches!(nobody, ConnectionLost::Ignored));
}

#[test]
fn player_learns_that_a_command_waits_for_the_connection() {
    let (mut story, mut table) = seat(PlayerNeeds::default());
    for is_synced in [true, false] {
        table.is_synced = is_synced;
        for (command, events) in [
            (Command::Next, 0),
            (Command::Leave { anyhow: true }, 1),
            (Command::Buy(50), 1),
        ] {
            let Accepted::Tells(told) = story.accepted(&command, &table) else {
                panic!("{command:?}");
            };
            assert_eq!(told.len(), events + usize::from(!is_synced));
        }
        let stays = story.accepted(&Command::Stay, &table);
        assert!(matches!(stays, Accepted::Tells(told) if matches!(told[..], [Event::Stays {}])));
        assert!(matches!(
            story.accepted(&Command::Close, &table),
            Accepted::Closes
        ));
    }
}

#[test]
fn turns_have_the_time_that_is_left() {
    let (mut story, mut table) = seat(PlayerNeeds::default());
    table.time = Some(TimeLeft {
        each_move: Duration::from_millis(29_900),
        bank: seconds(60),
    });
    deal(&mut table.log);
    let legal = Legal::Exchange;
    for news_ in [
        News::YourTurn { legal },
        News::TheirTurn { seat: Seat::HOST },
    ] {
        let events = news(&mut story, &table, &news_, 0);
        let time = match &events[..] {
            [Event::YourTurn(turn)] => turn.time,
            [Event::TheirTurn(turn)] => turn.time,
            other => panic!("{other:?}"),
        };
        let time = time.map(|time| (time.each_move, time.bank));
        assert_eq!(time, Some((29, 60)));
    }
}

/// Both seats deal, and the hand begins.
fn deal(log: &mut MatchLog) {
    for seat in [Seat::HOST, Seat::GUEST] {
        let part = log.deal(log.sealed_input([1; 32], 0).unwrap(), vec![false; 2]);
        log.sign(&identity(seat), seat, &Part::Deal(part)).unwrap();
    }
}

#[test]
fn resumed_match_is_reported_only_while_it_is_connected() {
    let (mut story, mut table) = seat(PlayerNeeds::default());
    assert_eq!(news(&mut story, &table, &News::Resumed, 0).len(), 1);
    table.is_synced = false;
    assert!(news(&mut story, &table, &News::Resumed, 0).is_empty());
}

#[test]
fn answers_of_the_host_that_refuse_the_match_stop_its_guest() {
    let of = MatchId::new([1; 32]);
    for control in [
        Control::Open(of),
        Control::Unknown(of),
        Control::Declined,
        Control::WentOn(of, 3),
    ] {
        let stopped = Stopped::by_host(control.clone());
        assert!(matches!(stopped, Some(Stopped::Declined(why)) if why == control));
    }
    assert!(Stopped::by_host(Control::Sit).is_none());
}

#[test]
fn failed_check_is_counted_once_against_the_only_other_player() {
    let (story, table) = seat(PlayerNeeds::default());
    let host = identity(Seat::HOST).public().clone();
    let checks = || story.peers.lock().get(&host).unwrap().failed_checks;
    let settle = |outcome| story.settle(&table.log, Seat::GUEST, outcome).unwrap();
    let cheated = Stopped::Over(End::Fork { seat: Seat::HOST });
    settle(Ok(&Stopped::BrokenOff));
    settle(Ok(&Stopped::Closed));
    let error = lost();
    settle(Err(Some(&error)));
    settle(Err(None));
    assert_eq!(checks(), 0);
    settle(Ok(&cheated));
    assert_eq!(checks(), 1);
    let others = [identity(Seat::HOST), Identity::from_seed([7; 32])];
    let others = [others[0].public(), others[1].public()];
    peers::count(&mut story.peers.lock(), &others, 4, true).unwrap();
    let known = story.peers.lock().get(&host).unwrap().clone();
    assert_eq!((known.hands, known.failed_checks), (4, 1));
}

#[test]
fn last_event_names_the_file_of_a_closed_match() {
    let (story, table) = seat(PlayerNeeds::default());
    for (stopped, text) in [
        (Stopped::Closed, "The match is closed here"),
        (Stopped::Left, "You have left the match"),
    ] {
        match story.last_event(&stopped, &table.log, Seat::GUEST) {
            Some(Event::Closed { log, message }) => {
                assert_eq!(log.as_deref(), Some("a.log"));
                assert!(message.starts_with(text), "{message}");
            }
            other => panic!("{other:?}"),
        }
    }
    let nothing = story.last_event(&Stopped::BrokenOff, &table.log, Seat::GUEST);
    assert!(nothing.is_none());
}

#[test]
fn person_who_wants_to_leave_learns_that_the_match_may_be_closed_instead() {
    let (story, mut table) = seat(PlayerNeeds::default());
    let asked = |table: &TestTable| serde_json::to_string(&story.ask_leave(table)).unwrap();
    assert!(asked(&table).contains("Leave the match for good? It costs no chips."));
    assert!(!asked(&table).contains("close"));
    table.late = Some(Seat::HOST);
    assert!(asked(&table).contains("`close` closes the match here"));
}

#[test]
fn guest_removes_a_match_that_the_host_does_not_know_unless_the_host_has_signed_in_it() {
    let mut log = seat(PlayerNeeds::default()).1.log;
    let unknown = Control::Unknown(log.match_info().id());
    let other = Control::Open(MatchId::new([1; 32]));
    let removes =
        |log: &MatchLog, control, asks| open_match::removes(log, Seat::GUEST, control, asks).ok();
    for asks in [true, false] {
        assert_eq!(removes(&log, &unknown, asks), Some(true));
        assert_eq!(removes(&log, &other, asks), Some(true));
    }
    deal(&mut log);
    assert_eq!(removes(&log, &unknown, true), Some(false));
    assert_eq!(removes(&log, &unknown, false), None);
    assert_eq!(removes(&log, &other, true), None);
}

#[test]
fn peer_that_says_that_it_plays_in_a_page_is_reported_once() {
    let (mut story, _) = seat(PlayerNeeds::default());
    assert_eq!(story.says(&Control::Taken), None);
    let said = story.says(&Control::InPage);
    assert!(matches!(said, Some(Event::Notice { text }) if text.starts_with("Anna says")));
    assert_eq!(story.says(&Control::InPage), None);
}
