//! A hand with a known deck. It tracks the opened shares of each card: a seat sees a card once all
//! other seats have opened their shares of the card.

use dealerless::deck::Card;
use dealerless_table::Seat;
use dealerless_table::rules::{
    Amounts, BettingRules, Choice, Foul, Hand, Learners, Legal, Limit, Next, Outcome, PokerKind,
    Posts, Stakes, Variety,
};

pub(crate) const SMALL_AND_BIG: Posts = Posts::Blinds { small: 5, big: 10 };

pub(crate) fn rules(limit: Limit, posts: Posts) -> BettingRules {
    BettingRules {
        stack: 1000,
        limit,
        posts,
    }
}

pub(crate) fn holdem(limit: Limit, seats: usize) -> Stakes {
    let variety = Variety::Poker(PokerKind::Holdem, rules(limit, SMALL_AND_BIG));
    Stakes::new(variety, seats as u8, 100).unwrap()
}

/// The cards with these names, such as `As` and `Td`.
pub(crate) fn cards(names: &str) -> Vec<Card> {
    let card = |name: &str| {
        let (rank, suit) = name.split_at(1);
        let rank = "23456789TJQKA".find(rank).unwrap();
        Card((13 * "cdhs".find(suit).unwrap() + rank) as u64)
    };
    names.split_whitespace().map(card).collect()
}

/// A hand in play, its deck, and the shares that were opened.
#[derive(Clone)]
pub(crate) struct Dealt {
    pub(crate) hand: Hand,
    pub(crate) seats: usize,
    deck: Vec<Card>,
    /// Whether each seat has opened its share, by position and seat.
    shares: Vec<Vec<bool>>,
    /// The cards of each opening so far, with the seats that learn them.
    pub(crate) opened: Vec<Vec<(usize, Learners)>>,
}

impl Dealt {
    pub(crate) fn new(stakes: &Stakes, stacks: &[u64], button: u8, deck: Vec<Card>) -> Self {
        let hand = Hand::new(stakes, stacks, &[], Seat::new(button)).unwrap();
        Dealt::from_hand(hand, deck)
    }

    /// A hand that the seats `out` sit out.
    pub(crate) fn without(
        out: &[u8],
        stakes: &Stakes,
        stacks: &[u64],
        button: u8,
        deck: Vec<Card>,
    ) -> Self {
        let out: Vec<Seat> = out.iter().map(|&seat| Seat::new(seat)).collect();
        let hand = Hand::new(stakes, stacks, &out, Seat::new(button));
        Dealt::from_hand(hand.unwrap(), deck)
    }

    fn from_hand(hand: Hand, deck: Vec<Card>) -> Self {
        let seats = hand.stacks().len();
        let mut dealt = Dealt {
            hand,
            seats,
            shares: vec![vec![false; seats]; deck.len()],
            deck,
            opened: Vec::new(),
        };
        dealt.open();
        dealt
    }

    /// Hold'em with blinds 5 and 10 and the deck in order.
    pub(crate) fn holdem(stacks: &[u64], button: u8) -> Self {
        let deck = (0..52).map(Card).collect();
        Dealt::new(&holdem(Limit::NoLimit, stacks.len()), stacks, button, deck)
    }

    /// Carries out all openings, rolls and reshuffles that are due. Only cards that all seats
    /// can compute are reported as public. All dice show their highest face.
    fn open(&mut self) {
        loop {
            let cards = match self.hand.next() {
                Next::Open(cards) => cards,
                Next::Roll(dice) => {
                    let faces = vec![dice.sides(); dice.count() as usize];
                    self.hand.rolled(&faces).unwrap();
                    continue;
                }
                Next::Steal(steal) => {
                    self.reshuffle(&steal.hand);
                    continue;
                }
                Next::Mix { .. } => unreachable!("only a board game has goods"),
                Next::Choose { .. } | Next::Over(_) => break,
            };
            assert!(cards.windows(2).all(|pair| pair[0].0 < pair[1].0));
            for &(position, to) in &cards {
                let is_open = match to {
                    Learners::All => self.is_public(position),
                    Learners::Seat(_) => {
                        Seat::all(self.seats).any(|seat| self.sees(seat, position))
                    }
                };
                assert!(!is_open, "card {position} is opened twice");
                for opener in Seat::all(self.seats).filter(|&seat| to != Learners::Seat(seat)) {
                    self.shares[position][opener.index()] = true;
                }
            }
            let public = (0..self.deck.len())
                .filter(|&position| self.is_public(position))
                .filter(|&position| self.hand.public(position).is_none());
            let public: Vec<_> = public
                .map(|position| (position, self.deck[position]))
                .collect();
            self.hand.opened(&public).unwrap();
            self.opened.push(cards);
        }
        self.check_visible_cards();
    }

    /// Reshuffles a hand for a steal: its cards move by one place, and all their shares are closed
    /// again.
    fn reshuffle(&mut self, hand: &[usize]) {
        let cards: Vec<Card> = hand.iter().map(|&position| self.deck[position]).collect();
        for (place, &position) in hand.iter().enumerate() {
            self.deck[position] = cards[(place + 1) % hand.len()];
            self.shares[position] = vec![false; self.seats];
            for cards in &mut self.opened {
                cards.retain(|&(at, _)| at != position);
            }
        }
        self.hand.reshuffled(true).unwrap();
    }

    /// Checks that each seat sees exactly the cards that were opened to it.
    fn check_visible_cards(&self) {
        for position in 0..self.deck.len() {
            for seat in Seat::all(self.seats) {
                let is_learner = |&(card, to): &(usize, Learners)| {
                    card == position && [Learners::All, Learners::Seat(seat)].contains(&to)
                };
                let learns = self.opened.iter().flatten().any(is_learner);
                assert_eq!(self.sees(seat, position), learns, "{seat}, card {position}");
            }
        }
    }

    /// Whether the seat can compute the card: all other seats have opened their shares.
    pub(crate) fn sees(&self, seat: Seat, position: usize) -> bool {
        let others = Seat::all(self.seats).filter(|&other| other != seat);
        others
            .into_iter()
            .all(|other| self.shares[position][other.index()])
    }

    pub(crate) fn is_public(&self, position: usize) -> bool {
        self.shares[position].iter().all(|&opened| opened)
    }

    /// The seat whose turn it is, and its legal choices.
    pub(crate) fn asked(&self) -> (u8, Legal) {
        match self.hand.next() {
            Next::Choose { seat, legal } => (seat.number(), legal),
            next => panic!("not a turn: {next:?}"),
        }
    }

    pub(crate) fn try_to(&mut self, choice: &Choice) -> Result<(), Foul> {
        let (seat, _) = self.asked();
        self.hand.choose(Seat::new(seat), choice)?;
        self.open();
        Ok(())
    }

    /// A seat leaves the table.
    pub(crate) fn gone(&mut self, seat: u8) -> &mut Self {
        self.hand.gone(Seat::new(seat));
        self.open();
        self
    }

    /// Makes choices at the next turns, separated by commas: `f`, `k` (check), `c`, `b 20`, `r 60`,
    /// `show`, `muck`, `x 0 3` (exchange). With `gone 2`, seat 2 leaves the table.
    pub(crate) fn play(&mut self, choices: &str) -> &mut Self {
        for words in choices.split(',') {
            if let Some(seat) = words.trim().strip_prefix("gone ") {
                self.gone(seat.parse().unwrap());
                continue;
            }
            let choice = choice(words);
            let (seat, legal) = self.asked();
            if let Err(foul) = self.try_to(&choice) {
                panic!("seat {seat}: {choice:?} of {legal:?}: {foul}");
            }
        }
        self
    }

    pub(crate) fn outcome(&self) -> Outcome {
        match self.hand.next() {
            Next::Over(outcome) => outcome,
            next => panic!("the hand is not over: {next:?}"),
        }
    }
}

fn choice(words: &str) -> Choice {
    let mut words = words.split_whitespace();
    let name = words.next().unwrap();
    let numbers: Vec<u64> = words.map(|word| word.parse().unwrap()).collect();
    match name {
        "f" => Choice::Fold,
        "k" => Choice::Check,
        "c" => Choice::Call,
        "b" => Choice::Bet { to: numbers[0] },
        "r" => Choice::Raise { to: numbers[0] },
        "x" => Choice::Exchange(numbers.iter().map(|&place| place as u8).collect()),
        "show" => Choice::Show,
        "muck" => Choice::Muck,
        name => panic!("unknown choice {name}"),
    }
}

/// Legal bets: the cost of a call, and the bounds of a bet or a raise.
pub(crate) fn bets(call: u64, bet: Option<(u64, u64)>, raise: Option<(u64, u64)>) -> Legal {
    let amounts = |(min, max)| Amounts { min, max };
    Legal::Bet {
        call: (call > 0).then_some(call),
        bet: bet.map(amounts),
        raise: raise.map(amounts),
    }
}
