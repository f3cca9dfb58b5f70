//! Random play with seats that sit out and seats that leave at any moment: chips are conserved,
//! every hand ends, and no card is opened to a seat that is not there.

use super::random_play::{TOO_MANY, any_game, legal_choices};
use dealerless::deck::Card;
use dealerless_table::Seat;
use dealerless_table::rules::{Choice, Hand, Learners, Legal, Next, Outcome, Stakes};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A hand in play, as an observer sees it.
struct Watched {
    hand: Hand,
    /// The chips at the start.
    start: Vec<u64>,
    out: Vec<Seat>,
    /// The seats that have left.
    gone: Vec<Seat>,
    folded: BTreeSet<Seat>,
    /// Whether a seat has been asked to show or muck.
    at_showdown: bool,
    opened: BTreeSet<(usize, Learners)>,
}

impl Watched {
    fn seats(&self) -> impl Iterator<Item = Seat> + use<> {
        Seat::all(self.start.len())
    }

    /// All seats, starting left of the button.
    fn around(&self) -> Vec<Seat> {
        let mut seats: Vec<Seat> = self.seats().collect();
        seats.rotate_left((self.hand.button().index() + 1) % self.start.len());
        seats
    }

    fn paid(&self, seat: Seat) -> u64 {
        self.start[seat.index()] - self.hand.stacks()[seat.index()]
    }

    fn plays(&self, seat: Seat) -> bool {
        self.start[seat.index()] > 0 && !self.out.contains(&seat) && !self.folded.contains(&seat)
    }

    fn leaves(&mut self, seat: Seat) {
        self.hand.gone(seat);
        self.gone.push(seat);
        if !self.at_showdown {
            self.folded.insert(seat);
        }
    }

    /// Opens the cards that are due.
    fn open(&mut self, due: &[(usize, Learners)], deck: &[Card]) {
        for &(position, to) in due {
            assert!(self.opened.insert((position, to)), "opened twice");
            let holder = self
                .seats()
                .find(|&seat| self.hand.held(seat).contains(&position));
            if let (Some(holder), false) = (holder, self.at_showdown) {
                assert!(self.plays(holder), "a card of {holder} is opened to {to:?}");
            }
            match to {
                Learners::Seat(seat) => assert_eq!(holder, Some(seat)),
                Learners::All => assert!(holder.is_none_or(|seat| !self.gone.contains(&seat))),
            }
        }
        let to_all = due.iter().filter(|(_, to)| *to == Learners::All);
        let public: Vec<(usize, Card)> = to_all.map(|&(at, _)| (at, deck[at])).collect();
        self.hand.opened(&public).unwrap();
    }

    fn choose(&mut self, seat: Seat, legal: &Legal, number: u64) {
        assert!(self.plays(seat) && !self.gone.contains(&seat));
        let choices = legal_choices(legal, number / 64);
        // Most bets are checks and calls, so that hands reach the showdown with chips left.
        let choice = match (legal, number % 64) {
            (Legal::Bet { .. }, 0 | 1) => &choices[0],
            (Legal::Bet { .. }, 2..58) => &choices[1],
            (_, number) => &choices[number as usize % choices.len()],
        };
        if *choice == Choice::Fold {
            self.folded.insert(seat);
        }
        self.hand.choose(seat, choice).unwrap();
    }

    /// Checks the settlement if the seats that have left, and those that are set in `number`, are
    /// lost.
    fn check_settlement(&self, number: u64) {
        let is_set = |seat: &Seat| number >> seat.index() & 1 == 1;
        let convicted: Vec<Seat> = self.seats().filter(is_set).collect();
        let missing = &self.gone;
        let before = self.hand.settled(&convicted, missing, false);
        let settled = self.hand.settled(&convicted, missing, true);
        assert_eq!(settled.iter().sum::<u64>(), self.start.iter().sum());
        if matches!(self.hand.next(), Next::Over(_)) {
            return assert_eq!(settled, before);
        }
        assert_eq!(before, self.start);
        if self.at_showdown {
            let mut chips = settled.iter().zip(self.hand.stacks());
            return assert!(chips.all(|(settled, kept)| *settled >= kept));
        }
        let is_lost = |seat: &Seat| convicted.contains(seat) || missing.contains(seat);
        let (lost, stay): (Vec<Seat>, Vec<Seat>) = self.around().into_iter().partition(is_lost);
        let playing: Vec<Seat> = stay.iter().copied().filter(|&s| self.plays(s)).collect();
        let mut expected = self.hand.stacks();
        let mut give = |seat: Seat, chips: u64| expected[seat.index()] += chips;
        match (&playing[..], &stay[..]) {
            ([winner], _) => give(*winner, self.hand.pot()),
            (_, []) => lost.iter().for_each(|&seat| give(seat, self.paid(seat))),
            _ => {
                stay.iter().for_each(|&seat| give(seat, self.paid(seat)));
                let of_lost: u64 = lost.iter().map(|&seat| self.paid(seat)).sum();
                let sharing = if playing.is_empty() { &stay } else { &playing };
                let in_turn = sharing.iter().cycle().take(of_lost as usize);
                in_turn.for_each(|&seat| give(seat, 1));
            }
        }
        assert_eq!(settled, expected);
    }

    /// Checks the outcome of a hand that is over against a division of the pot chip by chip.
    fn check_outcome(&self, outcome: &Outcome) {
        let shown = |seat: Seat| outcome.shown.iter().find(|shown| shown.seat == seat);
        let won = |seat: &Seat| outcome.stacks[seat.index()] > self.hand.stacks()[seat.index()];
        let claims = |seat: &Seat| match outcome.shown[..] {
            [] => won(seat),
            _ => shown(*seat).is_some(),
        };
        let around = self.around();
        let claiming: Vec<Seat> = around.iter().copied().filter(claims).collect();
        assert!(claiming.iter().all(|&seat| self.plays(seat)));
        assert!(!outcome.shown.is_empty() || claiming.len() <= 1);
        if claiming.is_empty() {
            return assert_eq!((&outcome.stacks, self.hand.pot()), (&self.start, 0));
        }
        // The claiming seats of each pot, and its chips. The last seat may win without having paid.
        let mut pots = vec![(claiming.clone(), 0)];
        for level in 1..=self.seats().map(|seat| self.paid(seat)).max().unwrap() {
            let reaches = |seat: &&Seat| self.paid(**seat) >= level;
            let seats: Vec<Seat> = claiming.iter().filter(reaches).copied().collect();
            let chips = around.iter().filter(reaches).count() as u64;
            let (below, sum) = pots.last_mut().unwrap();
            if seats.is_empty() || *below == seats {
                *sum += chips;
            } else {
                pots.push((seats, chips));
            }
        }
        let mut expected = self.hand.stacks();
        for (seats, chips) in pots {
            let rank = |seat: &&Seat| shown(**seat).map(|shown| shown.rank);
            let best = seats.iter().map(|seat| rank(&seat)).max().unwrap();
            let winners = seats.iter().filter(|seat| rank(seat) == best);
            for seat in winners.cycle().take(chips as usize) {
                expected[seat.index()] += 1;
            }
        }
        assert_eq!(outcome.stacks, expected);
    }
}

fn play(stakes: &Stakes, start: &[u64], out: &[Seat], button: u8, deck: &[Card], numbers: &[u64]) {
    let button = Seat::new(button);
    let mut watched = Watched {
        hand: Hand::new(stakes, start, out, button).unwrap(),
        start: start.to_vec(),
        out: out.to_vec(),
        gone: Vec::new(),
        folded: BTreeSet::new(),
        at_showdown: false,
        opened: BTreeSet::new(),
    };
    for turn in 0..TOO_MANY {
        let number = numbers[turn % numbers.len()].rotate_left(turn as u32);
        let chips = watched.hand.stacks().iter().sum::<u64>() + watched.hand.pot();
        assert_eq!(chips, start.iter().sum::<u64>());
        let next = watched.hand.next();
        watched.at_showdown |= matches!(
            next,
            Next::Choose {
                legal: Legal::ShowOrMuck,
                ..
            }
        );
        watched.check_settlement(number);
        if number.is_multiple_of(19) && !matches!(next, Next::Over(_)) {
            watched.leaves(Seat::new((number / 19 % start.len() as u64) as u8));
            continue;
        }
        match next {
            Next::Open(due) => watched.open(&due, deck),
            Next::Choose { seat, legal } => watched.choose(seat, &legal, number),
            Next::Over(outcome) => return watched.check_outcome(&outcome),
            next => panic!("{next:?}"),
        }
    }
    panic!("the hand does not end");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn two_to_ten_seats_with_departures(
        (stakes, stacks, button, deck) in (2_usize..=10).prop_flat_map(any_game),
        out in prop::collection::vec(prop::bool::weighted(0.15), 10),
        numbers in prop::collection::vec(any::<u64>(), 1..60),
    ) {
        let seats = Seat::all(stacks.len());
        let out: Vec<Seat> = seats.filter(|seat| out[seat.index()]).collect();
        play(&stakes, &stacks, &out, button, &deck, &numbers);
    }
}
