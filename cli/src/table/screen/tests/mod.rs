//! What the screen shows of the events of a match.

mod boards;
mod free_deck;

use std::sync::{Arc, Mutex};

use super::super::cards::{Colours, Style};
use super::super::command::{Said, To};
use super::super::event::{
    Ask, Awaited, Chips, Ended, HandResult, Kind, Posts, Pot, Reveal, Shown, Winner,
};
use super::super::event::{OpenCard, Range, Refusal, Standing, Time};
use super::super::player::Wish;
use super::super::turn as turn_block;
use super::*;

#[derive(Clone, Default)]
struct Page(Arc<Mutex<Vec<u8>>>);

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Page {
    fn take(&self) -> String {
        String::from_utf8(std::mem::take(&mut *self.0.lock().unwrap())).unwrap()
    }
}

fn screen(style: Style, live: bool) -> (Screen, Page) {
    let page = Page::default();
    let ink = Ink {
        style,
        colours: Colours::None,
    };
    (Screen::new(Box::new(page.clone()), ink, live), page)
}

fn seated(game: &str) -> Event {
    let chips = Chips {
        stack: 200,
        posts: Posts::Blinds([1, 2]),
    };
    Event::Seated(Box::new(Seated {
        version: 1,
        seat: 0,
        names: vec!["Anna".into(), "Bert".into()],
        fingerprints: vec!["aaaa-bbbb".into(), "cccc-dddd".into()],
        game: game.into(),
        hands: 20,
        chips: (game != "deck").then_some(chips),
        cards: 52,
        drawn: 9,
        kinds: Vec::new(),
        of: "00".into(),
        log: Some("matches/00-Bert.log".into()),
        clock: None,
        resumed: false,
    }))
}

fn card(position: usize, card: &str, holder: Option<u8>) -> Event {
    Event::Card {
        hand: 3,
        position,
        card: card.into(),
        holder,
    }
}

fn chose(seat: u8, choice: Said) -> Event {
    let hand = 3;
    Event::Chose { hand, seat, choice }
}

fn names(cards: &[&str]) -> Vec<String> {
    cards.iter().map(|card| (*card).to_owned()).collect()
}

fn turn(ask: Ask, board: &[&str]) -> Event {
    Event::YourTurn(Box::new(YourTurn {
        hand: 3,
        turn: 17,
        button: 0,
        pot: 12,
        stacks: vec![194, 1_190],
        bets: vec![0, 4],
        cards: vec![Some("As".into()), Some("Kd".into())],
        positions: vec![0, 1],
        held: vec![vec![0, 1], vec![2, 3]],
        board: names(board),
        open: Vec::new(),
        time: None,
        ask,
    }))
}

fn to_call() -> Ask {
    Ask::Bet {
        call: Some(4),
        bet: None,
        raise: Some(Range { min: 8, max: 194 }),
    }
}

fn hand() -> Vec<Event> {
    let (hand, attempt) = (3, 0);
    vec![
        seated("holdem"),
        Event::Dealt {
            hand,
            attempt,
            button: 0,
            stacks: vec![199, 198],
            bets: vec![1, 2],
            pot: 3,
        },
        Event::Sealed {
            hand,
            seal: "5e".repeat(32),
            cost: None,
        },
        card(0, "As", Some(0)),
        card(1, "Kd", Some(0)),
        chose(0, Said::Call {}),
        chose(1, Said::Raise { to: 6 }),
        card(4, "2c", None),
        Event::Board {
            hand,
            cards: names(&["2c", "7d", "Jh"]),
        },
        Event::Board {
            hand,
            cards: names(&["2c", "7d", "Jh", "Qs"]),
        },
        turn(to_call(), &["2c", "7d", "Jh"]),
    ]
}

fn result() -> Event {
    Event::Result(Box::new(HandResult {
        hand: 3,
        stacks: vec![212, 188],
        pots: vec![Pot {
            chips: 24,
            winners: vec![Winner { seat: 0, chips: 24 }],
        }],
        shown: vec![Shown {
            seat: 1,
            cards: names(&["Js", "Jd"]),
            worth: "three of a kind, jacks".into(),
        }],
    }))
}

fn shown(style: Style, events: &[Event]) -> String {
    let (mut screen, page) = screen(style, false);
    for event in events {
        screen.tell(event, true).unwrap();
    }
    page.take()
}

#[test]
fn a_hand_reads_like_this() {
    let mut events = hand();
    events.extend([
        Event::Waiting {
            seats: vec![1],
            what: Awaited::Move,
            seconds: 15,
        },
        chose(1, Said::Show {}),
        result(),
        Event::Over {
            how: Ended::Played,
            hands: 20,
            stacks: vec![212, 188],
            log: Some("matches/00-Bert.log".into()),
            exit_code: 0,
            message: "The match was played to its end.".into(),
        },
    ]);
    let text = shown(Style::Symbols, &events);
    assert_eq!(text, include_str!("screens/hand.txt"));
    assert!(text.lines().all(|line| words::width(line) <= words::WIDTH));
}

#[test]
fn cards_can_be_read_aloud_and_fit_the_screen() {
    let mut events = hand();
    let exchange = Ask::Exchange {};
    events.push(seated("draw"));
    events.push(Event::YourTurn(Box::new(YourTurn {
        cards: ["Qd", "Qh", "8s", "8d", "7c"]
            .map(|c| Some(c.into()))
            .into(),
        positions: (0..5).collect(),
        ..match turn(exchange, &[]) {
            Event::YourTurn(turn) => *turn,
            _ => unreachable!(),
        }
    })));
    let text = shown(Style::Words, &events);
    assert!(
        text.contains("Your cards: ace of spades, king of diamonds\n"),
        "{text}"
    );
    assert!(
        text.contains("1 queen of diamonds   2 queen of hearts"),
        "{text}"
    );
    assert!(text.is_ascii(), "{text}");
    assert!(
        text.lines().all(|line| words::width(line) <= words::WIDTH),
        "{text}"
    );
}

#[test]
fn on_a_terminal_a_prompt_waits_and_what_passes_is_written_over() {
    let (mut screen, page) = screen(Style::Symbols, true);
    for event in hand() {
        screen.tell(&event, true).unwrap();
    }
    assert!(page.take().ends_with("? help\n> "));
    let error = Event::refused(Refusal::NotAllowed, "too little");
    assert_eq!(screen.read("nonsense").unwrap_err().0, Refusal::NoCommand);
    screen.tell(&error, true).unwrap();
    assert_eq!(page.take(), "Too little.\n> ");
    assert_eq!(screen.read("c"), Ok(Wish::Say(Said::Call {}, None)));
    let waiting = |seconds| Event::Waiting {
        seats: vec![1],
        what: Awaited::Move,
        seconds,
    };
    screen.tell(&chose(0, Said::Call {}), true).unwrap();
    screen.tell(&waiting(1), true).unwrap();
    screen.tell(&waiting(2), true).unwrap();
    screen.tell(&chose(1, Said::Fold {}), true).unwrap();
    let expected = "You call.\n\r\x1b[KWaiting for Bert to choose: 1 s\
                    \r\x1b[KWaiting for Bert to choose: 2 s\r\x1b[KBert folds.\n";
    assert_eq!(page.take(), expected);
}

#[test]
fn nobody_leaves_by_one_letter() {
    let (mut screen, page) = screen(Style::Symbols, false);
    for event in hand() {
        screen.tell(&event, true).unwrap();
    }
    page.take();
    assert_eq!(screen.read("q"), Ok(Wish::Nothing));
    assert!(page.take().contains("Leave the match for good?"));
    assert_eq!(screen.read("c"), Ok(Wish::Say(Said::Call {}, None)));
    assert_eq!(screen.read("q"), Ok(Wish::Nothing));
    assert_eq!(screen.read("q"), Ok(Wish::Say(Said::Leave {}, None)));
}

#[test]
fn an_invite_is_one_line() {
    let invite = "dealerless2-".to_owned() + &"x".repeat(200);
    let text = shown(
        Style::Symbols,
        &[Event::Invite {
            version: 1,
            invite: invite.clone(),
        }],
    );
    assert!(text.contains(&format!("\ndealerless join {invite}\n")));
}

#[test]
fn help_fits_the_screen() {
    assert!(
        turn_block::HELP
            .lines()
            .all(|line| words::width(line) <= words::WIDTH)
    );
}

#[test]
fn the_screen_says_when_a_match_may_be_closed_because_the_other_is_away() {
    let lost = Event::LineLost {
        message: "cut".into(),
    };
    let away = Event::OutOfTime {
        seat: 1,
        away: true,
    };
    let timed = |clock: Option<Time>| match seated("holdem") {
        Event::Seated(seated) => Event::Seated(Box::new(Seated { clock, ..*seated })),
        other => other,
    };
    let clock = Time {
        each_move: 30,
        bank: 120,
    };
    for (seated, closes) in [(timed(None), true), (timed(Some(clock)), false)] {
        let (mut screen, page) = screen(Style::Letters, false);
        screen.tell(&seated, false).unwrap();
        page.take();
        screen.tell(&lost, false).unwrap();
        let text = page.take().replace('\n', " ");
        assert_eq!(text.contains("Type `close`"), closes, "{text}");
        screen.tell(&away, false).unwrap();
        let text = page.take().replace('\n', " ");
        let expected = "Bert has been away for as long as it has for a move. Wait, or type `close`";
        assert!(text.contains(expected), "{text}");
    }
}
