//! What a person sees on a terminal of 80x24: a model of it takes in what the program writes, and echoes what
//! the person types.

use dealerless_events::command::Complaint;

use super::*;

const ROWS: usize = 24;
const COLUMNS: usize = 80;

/// A terminal, as far as the screen uses it.
struct Terminal {
    rows: Vec<String>,
    row: usize,
    column: usize,
    saved: (usize, usize),
    /// What has left the screen at the top.
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

    /// Types, and perhaps Enter.
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
        match self.row + 1 == ROWS {
            true => {
                self.scrolled.push(self.rows.remove(0));
                self.rows.push(String::new());
            }
            false => self.row += 1,
        }
    }

    fn put(&mut self, character: char) {
        assert!(self.column < COLUMNS, "a row goes on below");
        let mut row: Vec<char> = self.rows[self.row].chars().collect();
        row.resize(row.len().max(self.column + 1), ' ');
        row[self.column] = character;
        self.rows[self.row] = row.into_iter().collect();
        self.column += 1;
    }

    /// All rows, from the first that was ever written to that of the cursor.
    fn all(&self) -> Vec<&str> {
        let rows = self.scrolled.iter().chain(&self.rows[..=self.row]);
        rows.map(String::as_str).collect()
    }

    /// The rows from the one that begins with this.
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
            self.look();
        }
    }

    fn look(&mut self) {
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
        let wish = self.screen.read(whole);
        self.look();
        wish
    }

    /// The time of the turn goes on.
    fn time(&mut self, each_move: u64, bank: u64) {
        let time = Some(Time { each_move, bank });
        self.screen.show_time(time).unwrap();
        self.look();
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
    }
}

/// All of a hand but one's own turn.
fn begun() -> Vec<Event> {
    let mut events = hand();
    events.pop();
    events
}

#[test]
fn the_clock_goes_on_above_what_is_typed() {
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
            "Only 7 s left: then the program folds your hand, and you sit out.",
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
fn what_passes_and_what_happens_leaves_what_is_typed_as_it_is() {
    // At the top of the terminal and at its bottom.
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
fn a_row_that_is_wider_than_the_terminal_is_written_in_place_of_the_prompt() {
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
fn nobody_is_asked_for_anything_once_the_match_is_over() {
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

/// A hand in which both are all in before the flop.
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
fn a_person_sees_an_all_in_street_by_street_and_the_match_goes_on_meanwhile() {
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
        // What passes is nothing to wait for.
        person.sees(&[waiting(1)]);
        assert!(person.screen.due().unwrap() <= STREET);
        person.screen.run_out.at = std::time::Instant::now();
        person.screen.show_due().unwrap();
        person.look();
        assert!(last(&person).starts_with(street), "{}", last(&person));
    }
    assert_eq!(person.screen.due(), None);
    let rows = person.terminal.from("River");
    assert_eq!(rows[1], "Bert: J♠ J♦, three of a kind, jacks.");
}

#[test]
fn a_new_hand_and_enter_show_the_streets_that_wait_at_once() {
    let mut person = Person::new();
    person.sees(&begun()[..5]);
    person.sees(&all_in());
    // The pause is not ended by the same key.
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
fn a_question_behind_the_streets_that_wait_is_not_answered_before_it_is_seen() {
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
fn streets_wait_neither_in_a_pipe_nor_for_a_bot_nor_where_hands_are_shown_one_by_one() {
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
fn all_that_waits_is_shown_when_the_match_ends() {
    let mut person = Person::new();
    person.sees(&begun()[..5]);
    let before = std::time::Instant::now();
    person.sees(&all_in()[..4]);
    person.screen.show_rest().unwrap();
    assert!(before.elapsed() >= STREET);
    person.look();
    assert_eq!(person.terminal.from("Flop"), ["Flop: 2♣ 7♦ J♥", "> "]);
}

#[test]
fn who_hesitates_asks_for_help_or_presses_enter_sees_its_turn_again() {
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
fn a_question_for_one_word_has_a_prompt_before_and_after_a_wrong_word() {
    let mut person = Person::new();
    let notice = |text: &str| Event::Notice { text: text.into() };
    person.sees(&[notice("Type one of two words.")]);
    person.screen.asks_for_a_word().unwrap();
    person.look();
    person.terminal.echo("zz\n");
    person.screen.typed();
    person.sees(&[notice("Type it.")]);
    let rows = ["Type one of two words.", "> zz", "Type it.", "> "];
    assert_eq!(person.terminal.from("Type one"), rows);
}

#[test]
fn a_free_check_is_folded_and_a_hand_that_may_win_is_mucked_only_if_one_says_it_twice() {
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
        // Something else came between.
        assert!(person.types("y", "y").is_err());
    }
    assert_eq!(person.types("f", "f"), Ok(None));
    assert_eq!(person.types("f", "f"), Ok(fold.clone()));
    // The time ran out meanwhile, and it is another turn.
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
