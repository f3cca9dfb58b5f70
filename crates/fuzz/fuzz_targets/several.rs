//! Matches with a verifiable deck, played by honest seats. An input starts at one of their moments.

// Not every target uses all of this module.
#![allow(dead_code)]

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, LazyLock, Mutex};

use dealerless_connection::identity::{Identity, Name};
use dealerless_connection::storage::{MemoryStorage, MemoryVault, Vault};
use dealerless::dice::Dice;
use dealerless_table::Seat;
use dealerless_table::log::{
    Clock, DeckTerms, Header, Journal, LogMessage, Match, MatchLog, Player, Sitting,
};
use dealerless_table::play::{
    Command, DeckSetting, Event, News, NoEngine, Play, PlayError, Setting,
};
use dealerless_table::rules::{
    BettingRules, Choice, Gain, Game, GameDeck, Good, GoodsChoice, Learners, Legal, Limit,
    Offer, PokerKind, Posts, Stakes, Variety,
};
use rand::SeedableRng;
use rand::rngs::StdRng;
use zeroize::Zeroizing;

const STACK: u64 = 100;

/// A finished match of honest seats.
pub struct Played {
    pub identities: Vec<Arc<Identity>>,
    pub of: Match,
    /// The log of a seat after each message that the seat has received.
    pub moments: Vec<MatchLog>,
    /// The log of the host and its file, after each message that the host has received.
    pub host: Vec<(MatchLog, Vec<u8>)>,
    /// The secret of the host.
    pub secret: SharedVault,
    /// All messages, in sending order.
    pub messages: Vec<LogMessage>,
}

/// A vault that outlives the program.
#[derive(Clone, Default)]
pub struct SharedVault(Arc<Mutex<MemoryVault>>);

impl Vault for SharedVault {
    fn keep(&mut self, deck: &[u8]) -> io::Result<()> {
        self.0.lock().expect("no thread panics").keep(deck)
    }

    fn kept(&mut self) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
        self.0.lock().expect("no thread panics").kept()
    }

    /// The secret is needed by the next input.
    fn destroy(&mut self) -> io::Result<()> {
        Ok(())
    }
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
    let rules = BettingRules {
        stack: STACK,
        limit: Limit::NoLimit,
        posts: Posts::Blinds { small: 1, big: 2 },
    };
    Stakes::new(Variety::Poker(PokerKind::Holdem, rules), seats, 2).expect("the stakes are valid")
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

pub type Program = Play<MemoryStorage, SharedVault, StdRng>;

impl Played {
    /// A match in which all seats call and show, and `leaver` leaves at its first choice.
    fn new(stakes: Stakes, leaver: Option<Seat>) -> Self {
        let seats = stakes.seats() as u8;
        let header = Header {
            deck: DeckTerms::verifiable(&stakes, stakes.seats())
                .expect("a game with a verifiable deck"),
            stakes,
            clock: Clock::default(),
            past: None,
        };
        let identity = |seat| Arc::new(Identity::from_seed([seat; 32]));
        let identities: Vec<_> = (0..seats).map(identity).collect();
        let player = |identity: &Arc<Identity>| Player {
            identity: identity.public().clone(),
            nonce: [9; 32],
        };
        let players = identities.iter().map(player).collect();
        let of = Match::new(header, players).expect("the players have different keys");
        let mut played = Played {
            identities,
            of,
            moments: Vec::new(),
            host: Vec::new(),
            secret: SharedVault::default(),
            messages: Vec::new(),
        };
        played.play(leaver);
        played
    }

    pub fn sitting(&self, seat: Seat) -> Sitting {
        Sitting {
            match_info: self.of.clone(),
            seat,
            names: Seat::all(self.of.seats())
                .map(|seat| Name::clean(&seat.to_string()))
                .collect(),
        }
    }

    /// The program of a seat with this log, file and vault.
    pub fn program(
        &self,
        seat: Seat,
        log: MatchLog,
        journal: Journal<MemoryStorage>,
        vault: SharedVault,
    ) -> std::result::Result<Program, PlayError> {
        Play::new(Setting {
            seat,
            log,
            journal,
            deck: DeckSetting::Verifiable(vault),
            rng: StdRng::seed_from_u64(seat.number().into()),
            identity: Arc::clone(&self.identities[seat.index()]),
        })
    }

    fn new_program(&self, seat: Seat, file: &MemoryStorage) -> Program {
        let vault = match seat {
            Seat::HOST => self.secret.clone(),
            _ => SharedVault::default(),
        };
        let key = self.identities[seat.index()].file_key();
        let journal = Journal::create(file.clone(), key, &self.sitting(seat));
        let journal = journal.expect("the file is empty");
        let log = MatchLog::new(self.of.clone(), seat);
        self.program(seat, log, journal, vault).expect("a new seat")
    }

    fn play(&mut self, leaver: Option<Seat>) {
        let seats = self.of.seats();
        let files: Vec<MemoryStorage> = (0..seats).map(|_| MemoryStorage::default()).collect();
        let mut programs: Vec<Program> = Seat::all(seats)
            .map(|seat| self.new_program(seat, &files[seat.index()]))
            .collect();
        let mut queue = VecDeque::new();
        let mut script = VecDeque::from(script());
        for guest in Seat::all(seats).skip(1) {
            programs[0].begin(guest);
            programs[guest.index()].begin(Seat::HOST);
        }
        for seat in Seat::all(seats) {
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
                    Legal::Bet { call: Some(_), .. } => Choice::Call,
                    Legal::Bet { .. } => Choice::Check,
                    Legal::Goods { .. } => script.pop_front().unwrap_or(Choice::Pass),
                    _ => Choice::Show,
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
