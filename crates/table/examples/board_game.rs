//! Four bots play a short board game without a dealer: tiles and numbers on a board, dice, goods, a
//! trade, a pile of cards and a steal. One of them leaves in the middle, and the others go on. Then
//! anybody verifies the record of the game.
//!
//! The library knows the parts of the game: it checks that a seat gives only what it has, and that
//! nobody chooses a card, a stolen good or a roll. The rules of the game are those of this program
//! ([`Island`]). Each bot judges the choices of the others with them, and so does whoever reads the
//! record.
//!
//! ```sh
//! cargo run -p dealerless-table --example board_game
//! ```
//!
//! The seats talk to each other in memory. A program with a connection of its own uses the same calls:
//! it passes on the bytes that a seat sends. These calls of a seat without a connection need the feature
//! `internals` of the crate, and any version may change them.

use std::collections::VecDeque;
use std::error::Error;
use std::sync::Arc;

use dealerless::deck::Card;
use dealerless::dice::Dice;
use dealerless_connection::identity::{Identity, Name};
use dealerless_connection::storage::{MemoryStorage, MemoryVault};
use dealerless_connection::{SystemRng, system_rng};
use dealerless_table::Seat;
use dealerless_table::log::{
    Clock, Header, Journal, LogEvent, Match, MatchLog, Player, Sitting, Stop, TableId,
};
use dealerless_table::play::{Command, DeckSetting, Event, News, NoEngine, Play, Setting};
use dealerless_table::record::Record;
use dealerless_table::rules::{
    Choice, Gain, Game, GameDeck, Good, GoodsChoice, Learners, Legal, Offer, Stakes,
};

const NAMES: [&str; 4] = ["Anna", "Bert", "Cleo", "Dora"];
/// The seat that leaves, and the number of turns that were taken before.
const LEAVER: (Seat, u32) = (Seat::new(3), 5);
/// The game ends after this number of turns.
const TURNS: u32 = 10;
/// The number of the pile of cards among the decks.
const PILE: u8 = 2;
/// The number of cards in the pile.
const CARDS: u32 = 5;
/// A card costs one good of each kind. At the start, each seat has two goods of its own tile and one of
/// the next kind.
const PRICE: [u8; 3] = [0, 1, 2];

/// The decks and goods. Tile `i` belongs to seat `i`; on the last two tiles there are robbers.
fn game() -> Result<Game, Box<dyn Error>> {
    let deck = |name: &str, kinds: &str, is_board| -> Result<GameDeck, Box<dyn Error>> {
        Ok(GameDeck {
            name: name.to_owned(),
            kinds: kinds.parse()?,
            is_board,
        })
    };
    let decks = vec![
        deck("tiles", "forest=2,field=2,hill=2", true)?,
        deck("numbers", "one=1,two=1,three=1,four=1,five=1,six=1", true)?,
        deck("cards", "knight=3,tower=2", false)?,
    ];
    let goods = ["wood", "grain", "brick"].map(str::to_owned);
    Ok(Game::new(decks, goods.to_vec())?)
}

/// The state of the game by its own rules, which everybody computes from the events of the log.
#[derive(Default)]
struct Island {
    /// The kind of good on each tile, and its number.
    tiles: Vec<(u8, u32)>,
    turns: u32,
    rolled: bool,
    /// What the last roll brings to the seats.
    gains: Vec<Gain>,
    /// How many goods the seat at its turn may steal.
    steals: u32,
    /// How many cards it has paid for and not drawn yet.
    paid: u32,
    /// The number of cards that all seats have paid for.
    sold: u32,
    /// Whether another seat has to answer an offer of the seat at its turn.
    offered: bool,
    gone: Vec<Seat>,
}

impl Island {
    /// Judges an event. `public` gives the cards that all seats have seen.
    fn judge(
        &mut self,
        game: &Game,
        event: &LogEvent,
        public: impl Fn(usize) -> Option<Card>,
    ) -> Result<(), String> {
        match event {
            LogEvent::Chose(chosen) if !self.allows(&chosen.choice) => {
                return Err(format!("{} broke the rules: {chosen:?}", chosen.seat));
            }
            LogEvent::Rolled(rolled) => {
                for &face in &rolled.faces {
                    let tile = self.tiles.iter().position(|&(_, number)| number == face);
                    let owner = Seat::new(tile.ok_or("no tile has this number")? as u8);
                    let (kind, _) = self.tiles[owner.index()];
                    match owner.index() < NAMES.len() {
                        true if self.gone.contains(&owner) => {}
                        true => self.gains.push(Gain {
                            seat: owner,
                            kind,
                            count: 1,
                        }),
                        false => self.steals += 1,
                    }
                }
            }
            // The board, and a knight that is shown.
            &LogEvent::Opened {
                position,
                card: Some(card),
                ..
            } => {
                if self.tiles.is_empty() {
                    self.tiles = board(game, public);
                    self.gains = self.first_goods();
                }
                let face = game.face(card).unwrap_or_default();
                self.steals += u32::from(position < game.first_good() && face.contains("knight"));
            }
            LogEvent::Stopped {
                seat,
                stop: Stop::Leave,
            } => {
                self.gone.push(*seat);
                // A seat leaves in place of its choice. If this was an answer, the turn goes on.
                if !std::mem::take(&mut self.offered) {
                    self.begin_turn();
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn first_goods(&self) -> Vec<Gain> {
        let seats = Seat::all(NAMES.len()).zip(&self.tiles);
        let goods = seats.flat_map(|(seat, &(kind, _))| {
            let next = (kind + 1) % PRICE.len() as u8;
            [(kind, 2), (next, 1)].map(|(kind, count)| Gain { seat, kind, count })
        });
        goods.collect()
    }

    /// Whether the rules allow a choice, which then counts.
    fn allows(&mut self, choice: &Choice) -> bool {
        self.offered = matches!(choice, Choice::Goods(GoodsChoice::Offer(_)));
        match choice {
            Choice::Pass => {
                let may_pass = self.gains.is_empty() && (self.rolled || self.turns >= TURNS);
                self.turns += 1;
                self.begin_turn();
                may_pass
            }
            Choice::Roll(dice) => {
                let is_first = !std::mem::replace(&mut self.rolled, true);
                let is_due = self.gains.is_empty() && self.turns < TURNS;
                is_first && is_due && (dice.count(), dice.sides()) == (2, 6)
            }
            Choice::Steal(_) => take_one(&mut self.steals),
            Choice::Goods(GoodsChoice::Gain(gains)) => {
                let due = std::mem::take(&mut self.gains);
                *gains == due
            }
            Choice::Goods(GoodsChoice::Give(give)) => {
                let mut kinds: Vec<u8> = give.iter().map(|good| good.kind).collect();
                kinds.sort_unstable();
                self.paid += 1;
                self.sold += 1;
                kinds == PRICE && self.sold <= CARDS
            }
            Choice::Goods(GoodsChoice::Draw(deck)) => *deck == PILE && take_one(&mut self.paid),
            // The library checks the rest.
            _ => true,
        }
    }

    fn begin_turn(&mut self) {
        self.rolled = false;
        (self.steals, self.paid) = (0, 0);
    }
}

fn take_one(count: &mut u32) -> bool {
    let left = count.checked_sub(1);
    *count = left.unwrap_or(0);
    left.is_some()
}

/// The goods and numbers of the tiles.
fn board(game: &Game, public: impl Fn(usize) -> Option<Card>) -> Vec<(u8, u32)> {
    let number_at = |deck: usize, place: usize, kinds: u64| {
        let start = game.positions(deck)?.start;
        let card = public(start + place)?;
        Some((card.0 - start as u64) / kinds)
    };
    let tile = |place| {
        // Two tiles of each kind of goods, and one of each number.
        let (kind, number) = (number_at(0, place, 2)?, number_at(1, place, 1)?);
        Some((kind as u8, number as u32 + 1))
    };
    (0..6).filter_map(tile).collect()
}

type Program = Play<MemoryStorage, MemoryVault, SystemRng>;

/// A seat, and what its bot knows about the game.
struct Bot {
    seat: Seat,
    program: Program,
    file: MemoryStorage,
    island: Island,
    /// The turn in which it has made an offer.
    offered_in: Option<u32>,
}

impl Bot {
    /// The choice of the bot.
    fn choose(&mut self, legal: &Legal, game: &Game) -> Choice {
        let island = &self.island;
        if let Legal::Goods {
            offer: Some((number, _, offer)),
        } = legal
        {
            // It trades any good for another one.
            let give = self.known(&offer.take);
            return match give {
                Some(give) => Choice::Goods(GoodsChoice::Agree {
                    number: *number,
                    give,
                }),
                None => Choice::Refuse(*number),
            };
        }
        if island.turns >= TURNS {
            return Choice::Pass;
        }
        if !island.gains.is_empty() {
            return Choice::Goods(GoodsChoice::Gain(island.gains.clone()));
        }
        if !island.rolled {
            return Choice::Roll(Dice::new(2, 6).expect("two dice"));
        }
        if island.steals > 0
            && let Some(owner) = self.richest()
        {
            return Choice::Steal(owner);
        }
        if island.paid > 0 {
            return Choice::Goods(GoodsChoice::Draw(PILE));
        }
        if island.sold < CARDS
            && let Some(give) = self.known(&PRICE)
        {
            return Choice::Goods(GoodsChoice::Give(give));
        }
        if let Some(position) = self.knight(game) {
            let to = Learners::All;
            return Choice::Goods(GoodsChoice::Show { position, to });
        }
        if let Some(offer) = self.offer() {
            self.offered_in = Some(self.island.turns);
            return Choice::Goods(GoodsChoice::Offer(offer));
        }
        Choice::Pass
    }

    /// Its goods and their kinds, the public ones first.
    fn goods(&self) -> Vec<Good> {
        let held = self.program.log().game().map(|game| game.goods(self.seat));
        let mut held = held.unwrap_or_default();
        held.sort_by_key(|(_, kind)| kind.is_none());
        let kind = |(position, kind): (usize, Option<u8>)| {
            let seen = || self.program.card(position).map(|card| card.0 as u8);
            Some(Good {
                position: position as u16,
                kind: kind.or_else(seen)?,
            })
        };
        held.into_iter().filter_map(kind).collect()
    }

    /// Goods of these kinds, in ascending order of their positions, if it has them.
    fn known(&self, kinds: &[u8]) -> Option<Vec<Good>> {
        let mut own = self.goods();
        let mut found = Vec::new();
        for kind in kinds {
            let at = own.iter().position(|good| good.kind == *kind)?;
            found.push(own.remove(at));
        }
        found.sort_unstable_by_key(|good| good.position);
        Some(found)
    }

    /// The other seat with the most goods.
    fn richest(&self) -> Option<Seat> {
        let log = self.program.log();
        let goods = |seat: &Seat| log.game().map_or(0, |game| game.goods(*seat).len());
        let others = Seat::all(NAMES.len()).filter(|seat| *seat != self.seat);
        let others = others.filter(|seat| goods(seat) > 0 && !self.island.gone.contains(seat));
        others.max_by_key(goods)
    }

    /// A knight that it has drawn and not shown.
    fn knight(&self, game: &Game) -> Option<u16> {
        let log = self.program.log();
        let held = log.game()?.held(self.seat).into_iter();
        let mut cards = held.filter(|&position| position < game.first_good());
        let is_knight = |&position: &usize| {
            let card = self.program.card(position).and_then(|card| game.face(card));
            log.public_card(position).is_none() && card.is_some_and(|face| face.contains("knight"))
        };
        cards.find(is_knight).map(|position| position as u16)
    }

    /// A good that it has twice, for a public one that it lacks. It makes one offer in a turn.
    fn offer(&self) -> Option<Offer> {
        let (own, log) = (self.goods(), self.program.log());
        let count = |kind: u8| own.iter().filter(|good| good.kind == kind).count();
        let twice = own.iter().find(|good| count(good.kind) > 1)?;
        let lacks = PRICE.into_iter().find(|&kind| count(kind) == 0)?;
        let is_new = self.offered_in != Some(self.island.turns);
        let mut others = Seat::all(NAMES.len()).filter(|seat| {
            let goods = log.game().map(|game| game.goods(*seat)).unwrap_or_default();
            let has = goods.iter().any(|(_, kind)| *kind == Some(lacks));
            has && is_new && *seat != self.seat && !self.island.gone.contains(seat)
        });
        Some(Offer {
            to: others.next()?,
            give: vec![*twice],
            take: vec![lacks],
        })
    }
}

/// The messages that have not arrived yet, with sender and receiver.
type Queue = VecDeque<(Seat, Seat, Vec<u8>)>;

/// Lets a bot sign and send all that is due.
fn advance(bot: &mut Bot, game: &Game, queue: &mut Queue) -> Result<(), Box<dyn Error>> {
    loop {
        let mut sent = Vec::new();
        bot.program.advance(&mut sent, &mut NoEngine)?;
        queue.extend(
            sent.into_iter()
                .map(|(to, message)| (bot.seat, to, message)),
        );
        let mut turn = None;
        while let Some(news) = bot.program.news() {
            match news {
                News::Log(event) => {
                    let log = bot.program.log();
                    bot.island.judge(game, &event, |at| log.public_card(at))?;
                }
                News::YourTurn { legal } => turn = Some(legal),
                _ => {}
            }
        }
        let Some(legal) = turn else {
            return Ok(());
        };
        let (leaver, after) = LEAVER;
        let command = match bot.seat == leaver && bot.island.turns >= after {
            true => Command::Leave { anyhow: true },
            false => Command::Choose(bot.choose(&legal, game)),
        };
        bot.program.command(command)?;
    }
}

/// All seats with their programs.
fn sit_down(header: Header) -> Result<Vec<Bot>, Box<dyn Error>> {
    let identities: Vec<Arc<Identity>> = (0..NAMES.len() as u8)
        .map(|seat| Arc::new(Identity::from_seed([seat; 32])))
        .collect();
    let player = |identity: &Arc<Identity>| Player {
        identity: identity.public().clone(),
        nonce: [9; 32],
    };
    let players = identities.iter().map(player).collect();
    let match_info = Match::new(header, players)?;
    let mut bots = Vec::new();
    for (seat, identity) in Seat::all(NAMES.len()).zip(identities) {
        let sitting = Sitting {
            match_info: match_info.clone(),
            seat,
            names: NAMES.map(Name::clean).to_vec(),
        };
        let file = MemoryStorage::default();
        let program = Play::new(Setting {
            seat,
            log: MatchLog::new(match_info.clone(), seat),
            journal: Journal::create(file.clone(), identity.file_key(), &sitting)?,
            deck: DeckSetting::Verifiable(MemoryVault::default()),
            rng: system_rng(),
            identity,
        })?;
        bots.push(Bot {
            seat,
            program,
            file,
            island: Island::default(),
            offered_in: None,
        });
    }
    Ok(bots)
}

fn main() -> Result<(), Box<dyn Error>> {
    let game = game()?;
    let stakes = Stakes::of_game(game.clone(), NAMES.len() as u8, 1)?;
    let header = Header::at_table(TableId::NONE, stakes, NAMES.len(), Clock::default());
    let mut bots = sit_down(header.ok_or("no deck for these stakes")?)?;

    let mut queue = Queue::new();
    for guest in Seat::all(NAMES.len()).skip(1) {
        bots[0].program.begin(guest);
        bots[guest.index()].program.begin(Seat::HOST);
    }
    for bot in &mut bots {
        advance(bot, &game, &mut queue)?;
    }
    while let Some((from, to, message)) = queue.pop_front() {
        let bot = &mut bots[to.index()];
        bot.program.receive(Event::Received(from, message))?;
        advance(bot, &game, &mut queue)?;
    }

    // Anybody who has the file verifies it without a key, and judges it by the rules of the game.
    let file = bots[0].file.bytes();
    let record = Record::read(&file, None)?;
    report(&game, &record)?;
    let (size, steps) = (file.len(), record.log.step());
    println!("\n{size} bytes, {steps} steps. {:?}", record.state());
    Ok(())
}

/// Prints a record, and judges each choice in it.
fn report(game: &Game, record: &Record) -> Result<(), Box<dyn Error>> {
    let name = |seat: Seat| record.names[seat.index()].to_string();
    let mut island = Island::default();
    let hand = record.hands.first().ok_or("no hand was dealt")?;
    for event in &hand.events {
        island.judge(game, event, |at| hand.public.get(&at).copied())?;
        match event {
            LogEvent::Chose(chosen) => match &chosen.choice {
                Choice::Pass => {}
                Choice::Roll(dice) => println!("{} rolls {dice}", name(chosen.seat)),
                Choice::Steal(owner) => println!("{} robs {}", name(chosen.seat), name(*owner)),
                Choice::Goods(choice) => println!("  {} {choice}", name(chosen.seat)),
                other => println!("  {}: {other:?}", name(chosen.seat)),
            },
            LogEvent::Rolled(rolled) => println!("  the dice show {:?}", rolled.faces),
            LogEvent::Mixed { seat, positions } => {
                println!("  {} mixes {} goods", name(*seat), positions.len());
            }
            LogEvent::Stolen(stolen) => {
                let (thief, owner) = (name(stolen.thief), name(stolen.owner));
                println!("  good {} goes from {owner} to {thief}", stolen.position);
            }
            LogEvent::Opened {
                position,
                to,
                card: Some(card),
            } => {
                let good = game.goods().get(card.0 as usize).cloned();
                let is_good = *position >= game.first_good();
                let (place, face) = match is_good {
                    true => (format!("good {position}"), good),
                    false => (format!("card {}", position + 1), game.face(*card)),
                };
                println!("  {place} is {} ({to:?})", face.unwrap_or_default());
            }
            LogEvent::Stopped { seat, .. } => println!("{} leaves", name(*seat)),
            _ => {}
        }
    }
    Ok(())
}
