//! Tests of what the screen shows for the events of a match.

mod boards;
mod free_deck;
mod several;
mod terminal;

use std::sync::{Arc, Mutex};

use dealerless_seat::command::{Said, To};
use dealerless_seat::event::{Ask, Awaited, Ended, HandResult, Pot, Reveal, Shown, Winner};
use dealerless_seat::event::{OpenCard, Range, Refusal, Standing};
use dealerless_seat::seated::Time;
use dealerless_seat::seated::{Chips, Kind, Posts, Seated};

use super::super::cards::{Colours, Style};
use super::super::turn as turn_block;
use super::*;
use crate::output::{MAX_WIDTH, columns_of};

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
    let columns: Columns = || 80;
    let screen = Screen::new(Box::new(page.clone()), ink, live.then_some(columns));
    (screen.confirming(true), page)
}

fn seated(game: &str) -> Event {
    let chips = Chips {
        stack: 200,
        fixed_limit: game == "fixed-holdem",
        posts: Posts::Blinds([1, 2]),
    };
    Event::Seated(Box::new(Seated {
        version: 1,
        seat: 0,
        names: vec!["Anna".into(), "Bert".into()],
        fingerprints: vec!["aaaa-bbbb".into(), "cccc-dddd".into()],
        opens: None,
        game: serde_json::from_value(game.into()).unwrap(),
        hands: 20,
        chips: (!["deck", "bridge"].contains(&game)).then_some(chips),
        cards: 52,
        drawn: 9,
        kinds: Vec::new(),
        of: "00".into(),
        log: Some("matches/00-Bert.log".into()),
        clock: None,
        shuffle: None,
        continues: None,
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
    Event::Chose {
        hand: 3,
        seat,
        all_in: false,
        choice,
    }
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
        playing: Vec::new(),
        cards: vec![Some("As".into()), Some("Kd".into())],
        positions: vec![0, 1],
        held: vec![vec![0, 1], vec![2, 3]],
        board: names(board),
        made: (!board.is_empty()).then(|| "high card, ace".into()),
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
            posted: vec![1, 2],
            playing: Vec::new(),
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
            best: Vec::new(),
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
fn a_hand_of_poker_matches_the_stored_screen() {
    let mut events = hand();
    events.extend([
        Event::Waiting {
            seats: vec![1],
            what: Awaited::Move,
            seconds: 15,
            left: Some(55),
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
    assert!(text.lines().all(|line| columns_of(line) <= MAX_WIDTH));
}

#[test]
fn cards_in_words_fit_the_screen() {
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
        text.lines().all(|line| columns_of(line) <= MAX_WIDTH),
        "{text}"
    );
}

#[test]
fn a_terminal_shows_a_prompt() {
    let (mut screen, page) = screen(Style::Symbols, true);
    for event in hand() {
        screen.tell(&event, true).unwrap();
    }
    page.take();
    let error = Event::refused(Refusal::NotAllowed, "too little");
    assert_eq!(screen.read("nonsense").unwrap_err().0, Refusal::NoCommand);
    screen.tell(&error, true).unwrap();
    assert_eq!(page.take(), "Too little.\n> ");
    assert_eq!(screen.read("c"), Ok(Some(Said::Call {})));
    assert_eq!(page.take(), "", "the answer comes first");
    screen.tell(&chose(0, Said::Call {}), true).unwrap();
    assert_eq!(page.take(), "You call.\n> ");
}

#[test]
fn a_bot_at_a_terminal_has_no_prompt_and_overwrites_passing_lines() {
    let (mut screen, page) = screen(Style::Symbols, true);
    let waiting = |seconds| Event::Waiting {
        seats: vec![1],
        what: Awaited::Move,
        seconds,
        left: None,
    };
    screen.tell(&seated("holdem"), false).unwrap();
    page.take();
    for event in [waiting(1), waiting(2), chose(1, Said::Fold {})] {
        screen.tell(&event, false).unwrap();
    }
    let expected = "\r\x1b[KWaiting for Bert to choose: 1 s\
                    \r\x1b[KWaiting for Bert to choose: 2 s\r\x1b[KBert folds.\n";
    assert_eq!(page.take(), expected);
}

#[test]
fn leaving_needs_confirmation() {
    let (mut screen, page) = screen(Style::Symbols, false);
    for event in hand() {
        screen.tell(&event, true).unwrap();
    }
    page.take();
    let leave = Ok(Some(Said::Leave { anyhow: true }));
    assert_eq!(screen.read("q"), Ok(Some(Said::Leave { anyhow: false })));
    assert_eq!(screen.read("c"), Ok(Some(Said::Call {})));
    assert_eq!(screen.read("q"), Ok(Some(Said::Leave { anyhow: false })));
    assert_eq!(screen.read("q"), leave);
    let leaving = Event::Leaving {
        costs: 6,
        pot: 12,
        message: "You leave at your next turn.".into(),
    };
    screen.tell(&leaving, true).unwrap();
    assert_eq!(page.take(), "You leave at your next turn.\n");
    assert_eq!(screen.read("stay"), Ok(Some(Said::Stay {})));
    screen.tell(&Event::Stays {}, true).unwrap();
    assert_eq!(page.take(), "You stay.\n");
}

#[test]
fn an_invite_its_link_and_its_code_are_one_line_each() {
    let invite = "dealerless2-".to_owned() + &"x".repeat(200);
    let text = shown(
        Style::Symbols,
        &[Event::Invite {
            version: 1,
            invite: invite.clone(),
            link: Some(format!("https://cards.example.org/#{invite}")),
            code: Some("70213-crossbow-guitar".into()),
            seats: None,
        }],
    );
    assert!(text.contains(&format!("\ndealerless join {invite}\n")));
    assert!(text.contains(&format!("\nhttps://cards.example.org/#{invite}\n")));
    assert!(text.contains("\ndealerless join 70213-crossbow-guitar\n"));
}

fn help(game: &str) -> String {
    let Event::Seated(seated) = seated(game) else {
        unreachable!();
    };
    turn_block::help(Some(&seated))
}

#[test]
fn help_fits_the_screen_and_lists_the_inputs_of_the_game() {
    let cases = [
        (
            "holdem",
            ["b 20", "r 60", "half, pot"],
            ["x 1", "o 3", "steal"],
        ),
        (
            "fixed-holdem",
            ["b, r", "s, m", "  c "],
            ["half", "r 60", "all in"],
        ),
        ("draw", ["b 20", "x 1 3 5", "s, m"], ["o 3", "2d6", "steal"]),
        (
            "deck",
            ["o 4 5 all", "steal", "2d6"],
            ["fold", "muck", "chips"],
        ),
        (
            "bridge",
            ["o 1-4 ns me ew them", "s 3 n", "  - "],
            ["fold", "2d6", "chips"],
        ),
    ];
    for (game, has, lacks) in cases {
        let help = help(game);
        assert!(help.lines().all(|line| columns_of(line) <= MAX_WIDTH));
        // Leaves room for the prompt below.
        assert!(help.lines().count() < 24, "{help}");
        for text in has
            .into_iter()
            .chain(["out, back", "close", "Ctrl-C", "q, leave"])
        {
            assert!(help.contains(text), "{game}: {text}");
        }
        for text in lacks {
            assert!(!help.contains(text), "{game}: {text}");
        }
    }
}

#[test]
fn the_terms_and_the_help_of_draw_name_its_limit() {
    for (fixed_limit, title, raise) in [
        (false, "No-limit five-card draw, 200 chips each", "r 60"),
        (true, "Fixed-limit five-card draw, 200 chips each", "b, r"),
    ] {
        let Event::Seated(mut seated) = seated("draw") else {
            unreachable!();
        };
        seated.chips.as_mut().unwrap().fixed_limit = fixed_limit;
        let terms = said(Event::AskSit(seated.clone()));
        assert!(terms.contains(title), "{terms}");
        assert!(turn_block::help(Some(&seated)).contains(raise));
    }
}

#[test]
fn hands_of_equal_rank_are_shown_with_their_five_cards() {
    let hands = |winners: &[u8]| {
        let shown = |seat, cards: &[&str], best: &[&str]| Shown {
            seat,
            cards: names(cards),
            best: names(best),
            worth: "three of a kind, twos".into(),
        };
        let won = |&seat: &u8| Winner {
            seat,
            chips: 24 / winners.len() as u64,
        };
        said(Event::Result(Box::new(HandResult {
            hand: 3,
            stacks: vec![212, 188],
            pots: vec![Pot {
                chips: 24,
                winners: winners.iter().map(won).collect(),
            }],
            shown: vec![
                shown(0, &["2s", "Jd"], &["2s", "2c", "2h", "Ad", "Jd"]),
                shown(1, &["2d", "Tc"], &["2d", "2c", "2h", "Ad", "Tc"]),
            ],
        })))
    };
    let decided = hands(&[0]);
    for best in ["twos (2s 2c 2h Ad Jd).", "twos (2d 2c 2h Ad Tc)."] {
        assert!(decided.contains(best), "{decided}");
    }
    let split = hands(&[0, 1]);
    assert!(split.contains("three of a kind, twos.\n"), "{split}");
}

#[test]
fn the_help_describes_three_ways_to_stop_like_the_page() {
    let help = help("holdem");
    let words: Vec<&str> = help.split_whitespace().collect();
    let told = words.join(" ");
    let ways = [
        "Close here: your program stops waiting, no chips move, and the match can be resumed.",
        "Stop for now: your program ends now, and the match stays open.",
        "Leave for good: the match ends at your next turn, and the other player gets the pot of the hand in play.",
    ];
    assert!(ways.iter().all(|way| told.contains(way)), "{told}");
}

/// The screen's output for an event in the middle of a hand.
fn said(event: Event) -> String {
    let (mut screen, page) = screen(Style::Letters, false);
    screen.tell(&seated("holdem"), true).unwrap();
    page.take();
    screen.tell(&event, true).unwrap();
    page.take()
}

#[test]
fn bets_before_a_resume_are_not_shown_as_blinds() {
    let dealt = |posted: Vec<u64>| Event::Dealt {
        hand: 3,
        attempt: 0,
        button: 0,
        stacks: vec![194, 188],
        bets: vec![6, 12],
        pot: 18,
        posted,
        playing: Vec::new(),
    };
    let text = said(dealt(vec![1, 2]));
    assert!(
        text.ends_with("\nBlinds: You 1, Bert 2.\nIn the pot: 18.\n"),
        "{text}"
    );
}

#[test]
fn a_seat_that_bets_its_last_chips_is_all_in() {
    let all_in = |seat, choice| Event::Chose {
        hand: 3,
        seat,
        all_in: true,
        choice,
    };
    let cases = [
        (
            all_in(1, Said::Raise { to: 1_200 }),
            "Bert raises to 1,200, all in.\n",
        ),
        (all_in(1, Said::Bet { to: 20 }), "Bert bets 20, all in.\n"),
        (all_in(0, Said::Call {}), "You call, all in.\n"),
        (chose(0, Said::Call {}), "You call.\n"),
    ];
    for (event, text) in cases {
        assert_eq!(said(event), text);
    }
}

#[test]
fn a_player_out_of_time_sees_the_choice_of_the_program() {
    let cases = [
        (Said::Check {}, "checked for you"),
        (Said::Fold {}, "folded your hand"),
        (Said::Exchange { places: Vec::new() }, "kept all your cards"),
        (Said::Show {}, "shown your hand"),
        (Said::Muck {}, "mucked your hand, which was beaten"),
        (Said::Pass {}, "passed for you"),
    ];
    for (choice, done) in cases {
        let (mut screen, page) = screen(Style::Letters, false);
        screen.tell(&seated("holdem"), true).unwrap();
        page.take();
        let out = Event::OutOfTime {
            seat: 0,
            away: false,
            asks: false,
        };
        screen.tell(&out, true).unwrap();
        screen.tell(&chose(1, Said::Check {}), true).unwrap();
        screen.tell(&chose(0, choice), true).unwrap();
        let text = format!(
            "Bert checks.\nYour time is up: the program has {done}.\n\
             You sit out from the next hand on. Type `back` to sit in again.\n"
        );
        assert_eq!(page.take(), text);
        screen.tell(&chose(0, Said::Check {}), true).unwrap();
        assert_eq!(page.take(), "You check.\n");
    }
}

#[test]
fn the_screen_offers_to_close_a_match_with_the_reason() {
    let lost = Event::LineLost {
        message: "cut".into(),
    };
    let out = |away| Event::OutOfTime {
        seat: 1,
        away,
        asks: false,
    };
    let timed = |clock: Option<Time>| match seated("holdem") {
        Event::Seated(seated) => Event::Seated(Box::new(Seated { clock, ..*seated })),
        other => other,
    };
    let clock = Time {
        each_move: 30,
        bank: 120,
    };
    let with_clock = [
        "Bert has been away for longer than the clock allows.",
        "Bert has run out of time.",
    ];
    let without = [
        "Bert has been away for ten minutes.",
        "Bert has sent nothing for ten minutes.",
    ];
    for (seated, reasons) in [(timed(None), without), (timed(Some(clock)), with_clock)] {
        let (mut screen, page) = screen(Style::Letters, false);
        screen.tell(&seated, false).unwrap();
        page.take();
        screen.tell(&lost, false).unwrap();
        let text = page.take().replace('\n', " ");
        assert!(!text.contains("close"), "{text}");
        for (away, reason) in [true, false].into_iter().zip(reasons) {
            screen.tell(&out(away), false).unwrap();
            let text = page.take();
            let words: Vec<&str> = text.split_whitespace().collect();
            let expected = format!("{reason} Wait, or type `close` to close the match here:");
            assert!(words.join(" ").starts_with(&expected), "{text}");
        }
    }
}
