//! Matches with a verifiable deck, played by honest seats. An input starts at one of their moments.

// Not every target uses all of this module.
#![allow(dead_code)]

use std::collections::VecDeque;
use std::sync::LazyLock;

use dealerless::dice::Dice;
use dealerless_connection::storage::{MemoryStorage, MemoryVault, Vault};
use dealerless_table::Seat;
use dealerless_table::log::{LogMessage, MatchLog};
use dealerless_table::play::{Command, DeckSetting, Event, News, NoEngine, Play, PlayError};
use dealerless_table::rules::{
    Choice, Gain, Game, GameDeck, Good, GoodsChoice, Learners, Legal, Limit, Offer, PokerKind,
    Stakes, Variety,
};
use dealerless_table::testing::choices;
use dealerless_table::testing::test_match::{TestMatch, rules, setting};
use rand::SeedableRng;
use rand::rngs::StdRng;

/// A finished match of honest seats.
pub struct Played {
    pub of: TestMatch,
    /// The log of a seat after each message that the seat has received.
    pub moments: Vec<MatchLog>,
    /// The log of the host and its file, after each message that the host has received.
    pub host: Vec<(MatchLog, Vec<u8>)>,
    /// All messages, in sending order.
    pub messages: Vec<LogMessage>,
}

pub static MATCHES: LazyLock<[Played; 5]> = LazyLock::new(|| {
    [
        Played::new(poker(2), None),
        Played::new(poker(3), None),
        Played::new(poker(3), Some(Seat::GUEST)),
        Played::new(board_game(), None),
        Played::new(board_game(), Some(Seat::new(2))),
    ]
});

fn poker(seats: u8) -> Stakes {
    let variety = Variety::Poker(PokerKind::Holdem, rules(Limit::NoLimit));
    Stakes::new(variety, seats, 2).expect("the stakes are valid")
}

/// A board game for three seats.
fn board_game() -> Stakes {
    let deck = |name: &str, is_board| GameDeck {
        name: name.to_owned(),
        kinds: "2,1".parse().expect("kinds of cards"),
        is_board,
    };
    let decks = vec![deck("tiles", true), deck("cards", false)];
    let game = Game::new(decks, vec!["wood".to_owned(), "ore".to_owned()]);
    Stakes::of_game(game.expect("a game"), 3, 2).expect("the stakes are valid")
}

/// The choices of a hand of the board game, in order. Afterwards all seats pass.
fn script() -> Vec<Choice> {
    let seat = Seat::GUEST;
    let gain = |seat, kind, count| Gain { seat, kind, count };
    let good = |position, kind| Good { position, kind };
    let of_goods = [
        GoodsChoice::Gain(vec![gain(Seat::HOST, 0, 2), gain(seat, 1, 3)]),
        GoodsChoice::Draw(1),
        GoodsChoice::Show {
            position: 3,
            to: Learners::Seat(seat),
        },
        GoodsChoice::Show {
            position: 3,
            to: Learners::All,
        },
        GoodsChoice::Offer(Offer {
            to: seat,
            give: vec![good(6, 0)],
            take: vec![1],
        }),
        GoodsChoice::Agree {
            number: 0,
            give: vec![good(8, 1)],
        },
        GoodsChoice::Give(vec![good(7, 0)]),
        GoodsChoice::Mix,
    ];
    let mut choices: Vec<Choice> = of_goods.into_iter().map(Choice::Goods).collect();
    choices.push(Choice::Roll(Dice::new(2, 6).expect("dice")));
    choices.push(Choice::Steal(seat));
    choices
}

pub type Program = Play<MemoryStorage, MemoryVault, StdRng>;

/// The program of a seat with this match file. It always has the same secret.
pub fn program(seat: Seat, file: MemoryStorage) -> Result<Program, PlayError> {
    let mut vault = MemoryVault::default();
    vault.keep(&[seat.number(); 32]).expect("memory");
    let rng = StdRng::seed_from_u64(seat.number().into());
    Play::new(setting(seat, file, DeckSetting::Verifiable(vault), rng)?)
}

impl Played {
    /// A match in which all seats call and show, and `leaver` leaves at its first choice.
    fn new(stakes: Stakes, leaver: Option<Seat>) -> Self {
        let seats = stakes.seats();
        let mut played = Played {
            of: TestMatch::verifiable(stakes, seats),
            moments: Vec::new(),
            host: Vec::new(),
            messages: Vec::new(),
        };
        played.play(leaver);
        played
    }

    fn play(&mut self, leaver: Option<Seat>) {
        let files: Vec<_> = self.of.seats().map(|_| MemoryStorage::default()).collect();
        let new = |seat: Seat| {
            let file = &files[seat.index()];
            self.of.journal(seat, file.clone());
            program(seat, file.clone()).expect("a new seat")
        };
        let mut programs: Vec<Program> = self.of.seats().map(new).collect();
        let mut queue = VecDeque::new();
        let mut script = VecDeque::from(script());
        for guest in self.of.seats().skip(1) {
            programs[0].begin(guest);
            programs[guest.index()].begin(Seat::HOST);
        }
        for seat in self.of.seats() {
            let program = &mut programs[seat.index()];
            if leaver == Some(seat) {
                let leave = program.command(Command::Leave { anyhow: true });
                leave.expect("a seat may always leave");
            }
            advance(program, seat, &mut script, &mut queue);
        }
        while let Some((from, to, message)) = queue.pop_front() {
            self.messages
                .push(LogMessage::decode(&message).expect("a sent message can be decoded"));
            let program = &mut programs[to.index()];
            program
                .receive(Event::Received(from, message))
                .expect("honest seats");
            advance(program, to, &mut script, &mut queue);
            self.moments.push(program.log().clone());
            if to == Seat::HOST {
                self.host.push((program.log().clone(), files[0].bytes()));
            }
        }
    }
}

/// Lets the seat sign all that is due. It checks or calls, and shows. In a board game, it follows the
/// script.
pub fn advance(
    program: &mut Program,
    seat: Seat,
    script: &mut VecDeque<Choice>,
    queue: &mut VecDeque<(Seat, Seat, Vec<u8>)>,
) {
    loop {
        let mut sent = Vec::new();
        let advanced = program.advance(&mut sent, &mut NoEngine);
        advanced.expect("honest seats");
        queue.extend(sent.into_iter().map(|(to, message)| (seat, to, message)));
        let mut choice = None;
        while let Some(news) = program.news() {
            if let News::YourTurn { legal } = news {
                choice = Some(match legal {
                    Legal::Goods { .. } => script.pop_front().unwrap_or(Choice::Pass),
                    legal => choices::passive(&legal),
                });
            }
        }
        let Some(choice) = choice else {
            if program.shuffle_ahead().expect("honest seats") {
                continue;
            }
            return;
        };
        let chosen = program.command(Command::Choose(choice));
        chosen.expect("the rules allow the choice");
    }
}
