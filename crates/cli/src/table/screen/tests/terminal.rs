//! Tests of the screen on a terminal of 80x24. A model of the terminal interprets the program's
//! output and echoes the person's input.

use dealerless_seat::command::Complaint;
use dealerless_seat::seat::STREET;

use super::*;

const ROWS: usize = 24;
const COLUMNS: usize = 80;

/// A model of a terminal with the control sequences that the screen uses.
struct Terminal {
    rows: Vec<String>,
    row: usize,
    column: usize,
    saved: (usize, usize),
    /// The rows that have scrolled off the top.
    scrolled: Vec<String>,
}

impl Terminal {
    fn new() -> Self {
        Terminal {
            rows: vec![String::new(); ROWS],
            row: 0,
            column: 0,
            saved: (0, 0),
            scrolled: Vec::new(),
        }
    }

    /// Echoes typed characters, including Enter.
    fn echo(&mut self, typed: &str) {
        self.take(typed);
    }

    fn take(&mut self, text: &str) {
        let mut rest = text;
        while let Some(character) = rest.chars().next() {
            if let Some(command) = rest.strip_prefix('\x1b') {
                let len = if command.starts_with('[') { 2 } else { 1 };
                self.command(&command[..len]);
                rest = &command[len..];
                continue;
            }
            rest = &rest[character.len_utf8()..];
            match character {
                '\r' => self.column = 0,
                '\n' => self.feed(),
                character => self.put(character),
            }
        }
    }

    fn command(&mut self, command: &str) {
        match command {
            "7" => self.saved = (self.row, self.column),
            "8" => (self.row, self.column) = self.saved,
            "[A" => self.row = self.row.saturating_sub(1),
            "[B" => self.row = (self.row + 1).min(ROWS - 1),
            "[K" => {
                let kept = self.rows[self.row].chars().take(self.column).collect();
                self.rows[self.row] = kept;
            }
            "[L" => {
                self.rows.pop();
                self.rows.insert(self.row, String::new());
            }
            other => panic!("the terminal does not know {other:?}"),
        }
    }

    fn feed(&mut self) {
        self.column = 0;
        if self.row + 1 == ROWS {
            self.scrolled.push(self.rows.remove(0));
            self.rows.push(String::new());
        } else {
            self.row += 1
        }
    }

    fn put(&mut self, character: char) {
        assert!(self.column < COLUMNS, "the row is too long");
        let mut row: Vec<char> = self.rows[self.row].chars().collect();
        row.resize(row.len().max(self.column + 1), ' ');
        row[self.column] = character;
        self.rows[self.row] = row.into_iter().collect();
        self.column += 1;
    }

    /// All rows from the first one written to the row of the cursor.
    fn all(&self) -> Vec<&str> {
        let rows = self.scrolled.iter().chain(&self.rows[..=self.row]);
        rows.map(String::as_str).collect()
    }

    /// The rows from the last one that begins with `first`.
    fn from(&self, first: &str) -> Vec<&str> {
        let all = self.all();
        let at = all.iter().rposition(|row| row.starts_with(first));
        all[at.unwrap_or_else(|| panic!("{first:?} is not in {all:#?}"))..].to_vec()
    }

    fn below_is_empty(&self) -> bool {
        self.rows[self.row + 1..].iter().all(String::is_empty)
    }
}

/// A person at a terminal.
struct Person {
    screen: Screen,
    page: Page,
    terminal: Terminal,
}

impl Person {
    fn new() -> Self {
        let (screen, page) = screen(Style::Symbols, true);
        let terminal = Terminal::new();
        Person {
            screen,
            page,
            terminal,
        }
    }

    fn sees(&mut self, events: &[Event]) {
        for event in events {
            self.screen.tell(event, true).unwrap();
            self.update();
        }
    }

    fn update(&mut self) {
        self.terminal.take(&self.page.take());
        assert!(self.terminal.below_is_empty(), "{:#?}", self.terminal.rows);
    }

    /// Types without Enter.
    fn begins_to_type(&mut self, text: &str) {
        self.terminal.echo(text);
    }

    /// Types the rest of a line, and Enter.
    fn types(&mut self, rest: &str, whole: &str) -> Result<Option<Said>, Complaint> {
        self.terminal.echo(&format!("{rest}\n"));
        let answer = self.screen.read(whole);
        self.update();
        answer
    }

    /// Advances the time of the turn.
    fn time(&mut self, each_move: u64, bank: u64) {
        let time = Some(Time { each_move, bank });
        self.screen.show_time(time).unwrap();
        self.update();
    }
}

fn timed(each_move: u64, bank: u64) -> Event {
    let Event::YourTurn(turn) = turn(to_call(), &["2c", "7d", "Jh"]) else {
        unreachable!();
    };
    let time = Some(Time { each_move, bank });
    Event::YourTurn(Box::new(YourTurn { time, ..*turn }))
}

fn waiting(seconds: u64) -> Event {
    Event::Waiting {
        seats: vec![1],
        what: Awaited::Move,
        seconds,
        left: None,
    }
}

/// The events of a hand up to the player's own turn.
fn begun() -> Vec<Event> {
    let mut events = hand();
    events.pop();
    events
}

#[test]
fn the_clock_is_updated_above_typed_text() {
    let mut person = Person::new();
    person.sees(&begun());
    person.sees(&[timed(30, 120)]);
    person.begins_to_type("r 1");
    for second in (1..30).rev() {
        person.time(second, 120);
    }
    person.begins_to_type("0");
    for second in (7..=120).rev() {
        person.time(0, second);
    }
    let rows = person.terminal.from("Your turn");
    assert_eq!(
        rows[1..],
        [
            "Only 7 s left. After that, the program folds your hand and you sit out.",
            "> r 10"
        ]
    );
    let said = person.types("", "r 10");
    assert_eq!(said, Ok(Some(Said::Raise { to: 10 })));
    person.sees(&[chose(0, Said::Raise { to: 10 }), waiting(1)]);
    let rows = person.terminal.from("> r 10");
    let after = [
        "> r 10",
        "You raise to 10.",
        "Waiting for Bert to choose: 1 s",
        "> ",
    ];
    assert_eq!(rows, after);
}

#[test]
fn output_leaves_typed_text_in_place() {
    // The prompt is first near the top of the terminal, and then at the bottom.
    for before in [0, 30] {
        let mut person = Person::new();
        person.sees(&begun());
        for _ in 0..before {
            person.sees(&[chose(1, Said::Check {})]);
        }
        person.sees(&[waiting(1)]);
        person.begins_to_type("ou");
        person.sees(&[waiting(2), waiting(3), chose(1, Said::Fold {}), waiting(4)]);
        person.sees(&[result(), waiting(5)]);
        let rows = person.terminal.from("Bert folds.");
        assert_eq!(rows[1], "Bert: J♠ J♦, three of a kind, jacks.");
        assert_eq!(
            rows[rows.len() - 2..],
            ["Waiting for Bert to choose: 5 s", "> ou"]
        );
        let waits = person
            .terminal
            .all()
            .iter()
            .filter(|row| row.starts_with("Waiting"))
            .count();
        assert_eq!(waits, 1, "{:#?}", person.terminal.all());
        assert_eq!(person.types("t", "out"), Ok(Some(Said::SitOut {})));
    }
}

#[test]
fn a_row_wider_than_the_terminal_replaces_the_prompt() {
    let mut person = Person::new();
    person.screen.output = Output::new(Box::new(person.page.clone()), Some(|| 40));
    person.sees(&[seated("holdem"), waiting(1)]);
    let status = "Waiting for Bert to choose: 1 s";
    assert_eq!(person.terminal.from(status), [status, "> "]);
    let long = format!("See {}", "x".repeat(70));
    person.sees(&[Event::Notice { text: long.clone() }]);
    assert_eq!(person.terminal.from("See"), [long.as_str(), "> "]);
    assert!(!person.terminal.all().contains(&status));
}

#[test]
fn there_is_no_prompt_after_the_end_of_the_match() {
    let mut person = Person::new();
    person.sees(&[seated("holdem"), waiting(1)]);
    person.begins_to_type("q");
    let message = "The match was played to its end.".to_owned();
    person.sees(&[Event::Over {
        how: Ended::Played,
        hands: 20,
        stacks: vec![212, 188],
        log: None,
        exit_code: 0,
        message,
    }]);
    person.sees(&[Event::Notice {
        text: "Bye.".into(),
    }]);
    let rows = person.terminal.from("The match is over");
    assert_eq!(rows[rows.len() - 2..], ["Bye.", ""]);
}

/// The events of a hand in which both players are all in before the flop.
fn all_in() -> Vec<Event> {
    let board = |cards: &[&str]| Event::Board {
        hand: 3,
        cards: names(cards),
    };
    vec![
        card(2, "Js", Some(1)),
        card(3, "Jd", Some(1)),
        card(4, "2c", None),
        board(&["2c", "7d", "Jh"]),
        board(&["2c", "7d", "Jh", "Qs"]),
        board(&["2c", "7d", "Jh", "Qs", "3s"]),
        result(),
        Event::Pause { milliseconds: 5700 },
    ]
}

#[test]
fn an_all_in_is_shown_street_by_street() {
    let mut person = Person::new();
    person.sees(&begun()[..5]);
    person.sees(&all_in());
    let last = |person: &Person| {
        (person.terminal.all().iter().rev())
            .find(|row| !row.starts_with('>') && !row.starts_with("Waiting"))
            .unwrap()
            .to_string()
    };
    assert_eq!(last(&person), "Bert shows J♠ J♦.");
    for street in ["Flop", "Turn", "River", "The next hand"] {
        // A wait report is not queued behind the streets.
        person.sees(&[waiting(1)]);
        assert!(person.screen.due().unwrap() <= STREET);
        person.screen.run_out.at = std::time::Instant::now();
        person.screen.show_due().unwrap();
        person.update();
        assert!(last(&person).starts_with(street), "{}", last(&person));
    }
    assert_eq!(person.screen.due(), None);
    let rows = person.terminal.from("River");
    assert_eq!(rows[1], "Bert: J♠ J♦, three of a kind, jacks.");
}

#[test]
fn a_new_hand_or_enter_shows_the_pending_streets_at_once() {
    let mut person = Person::new();
    person.sees(&begun()[..5]);
    person.sees(&all_in());
    // The first Enter shows the streets and does not also end the pause.
    assert_eq!(person.types("", ""), Ok(None));
    assert_eq!(person.screen.due(), None);
    assert!(person.terminal.all().contains(&"You win 24."));
    let next = Ok(Some(Said::Next {}));
    assert_eq!(person.types("", ""), next);

    person.sees(&[begun().remove(1)]);
    person.sees(&all_in());
    person.sees(&[begun().remove(1)]);
    let rows = person.terminal.from("You win 24.");
    assert!(rows.contains(&"Blinds: You 1, Bert 2."), "{rows:?}");
}

#[test]
fn a_question_behind_pending_streets_is_not_answered_early() {
    let mut person = Person::new();
    person.sees(&begun()[..5]);
    person.sees(&all_in());
    person.sees(&[Event::AskRebuy {
        seats: vec![0],
        chips: 200,
    }]);
    assert_eq!(person.types("y", "y"), Ok(None));
    let agree = Some(Said::Rebuy { agree: true });
    assert_eq!(person.types("y", "y"), Ok(agree));
}

#[test]
fn streets_are_not_delayed_in_a_pipe_for_a_bot_or_after_a_show() {
    let shows = vec![chose(1, Said::Show {})];
    for (live, asks, before) in [
        (false, true, vec![]),
        (true, false, vec![]),
        (true, true, shows),
    ] {
        let (mut screen, page) = screen(Style::Symbols, live);
        for event in begun()[..5].iter().chain(&before).chain(&all_in()) {
            screen.tell(event, asks).unwrap();
        }
        assert_eq!(screen.due(), None);
        assert!(page.take().contains("You win 24."));
    }
}

#[test]
fn pending_streets_are_shown_when_the_match_ends() {
    let mut person = Person::new();
    person.sees(&begun()[..5]);
    let before = std::time::Instant::now();
    person.sees(&all_in()[..4]);
    person.screen.show_rest().unwrap();
    assert!(before.elapsed() >= STREET);
    person.update();
    assert_eq!(person.terminal.from("Flop"), ["Flop: 2♣ 7♦ J♥", "> "]);
}

#[test]
fn help_enter_and_a_declined_confirmation_show_the_turn_again() {
    let check = Ask::Bet {
        call: None,
        bet: None,
        raise: None,
    };
    let mut person = Person::new();
    person.sees(&[seated("holdem"), turn(check, &[])]);
    assert_eq!(person.types("f", "f"), Ok(None));
    for typed in ["n", "", "?"] {
        assert_eq!(person.types(typed, typed), Ok(None));
        let rows = person.terminal.all();
        let [.., before, last] = rows.as_slice() else {
            panic!("{rows:?}");
        };
        assert!(before.starts_with("Your turn: "), "{typed:?}: {rows:#?}");
        assert_eq!(*last, "> ");
    }
    person.sees(&[chose(0, Said::Check {})]);
    assert_eq!(person.types("", ""), Ok(None));
    assert_eq!(
        person.terminal.from("You check"),
        ["You check.", "> ", "> "]
    );
}

#[test]
fn folding_a_free_check_and_mucking_a_winner_need_confirmation() {
    let check = Ask::Bet {
        call: None,
        bet: None,
        raise: None,
    };
    let show = |wins| Ask::ShowOrMuck { wins };
    let fold = Some(Said::Fold {});
    let muck = Some(Said::Muck {});
    let mut person = Person::new();
    person.sees(&[seated("holdem"), turn(check.clone(), &[])]);
    assert_eq!(person.types("f", "f"), Ok(None));
    let asked = person.terminal.from("> f");
    assert_eq!(
        asked,
        ["> f", "You can check for free. Fold anyway? y or n", "> "]
    );
    assert_eq!(person.types("n", "n"), Ok(None));
    assert_eq!(person.types("fold", "fold"), Ok(None));
    assert_eq!(person.types("y", "y"), Ok(fold.clone()));
    for answers in [["f", "c"], ["f", "zz"]] {
        let _ = answers.map(|text| person.types(text, text));
        // The other input has cancelled the question.
        assert!(person.types("y", "y").is_err());
    }
    assert_eq!(person.types("f", "f"), Ok(None));
    assert_eq!(person.types("f", "f"), Ok(fold.clone()));
    // The time runs out before the answer, and there is a new turn.
    assert_eq!(person.types("f", "f"), Ok(None));
    person.sees(&[chose(0, Said::Check {}), turn(to_call(), &[])]);
    assert!(person.types("y", "y").is_err());
    assert_eq!(person.types("f", "f"), Ok(fold.clone()));
    person.sees(&[turn(show(true), &[])]);
    assert_eq!(person.types("m", "m"), Ok(None));
    assert_eq!(person.types("m", "m"), Ok(muck.clone()));
    person.sees(&[turn(show(false), &[])]);
    assert_eq!(person.types("m", "m"), Ok(muck.clone()));
    person.screen = person.screen.confirming(false);
    person.sees(&[turn(show(true), &[])]);
    assert_eq!(person.types("m", "m"), Ok(muck));
    person.sees(&[turn(check, &[])]);
    assert_eq!(person.types("f", "f"), Ok(fold));
}
