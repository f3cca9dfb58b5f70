//! Counts how often each card is at each position, derives the best guesses from these counts, and
//! counts how often the guesses are right.

use rand::Rng;

use super::{Mean, Question};
use crate::Compass;
use crate::sheets::Scheme;
use crate::uniform;

const CARDS: usize = 52;
const PAIRS: usize = CARDS * (CARDS - 1) / 2;

/// All pairs of positions, counted from 0, in lexicographic order.
pub(super) fn pairs() -> impl Iterator<Item = (usize, usize)> {
    (0..CARDS).flat_map(|a| (a + 1..CARDS).map(move |b| (a, b)))
}

/// The results of a randomly drawn first sheet.
struct Drawn {
    /// The numbers of the cards in the second dealer's pack, from the top.
    pack: [u8; CARDS],
    /// The seats of the four hands.
    hands: [Compass; 4],
}

fn draw(scheme: Scheme, rng: &mut impl Rng) -> Drawn {
    let first = scheme.first_sheet(rng);
    let mut pack = [0; CARDS];
    for (place, card) in pack.iter_mut().zip(first.pack()) {
        *place = card.number() as u8;
    }
    Drawn {
        pack,
        hands: first.hands.unwrap_or(Compass::ALL),
    }
}

/// Adds 1 to the count of each pair of positions with cards of the same suit.
fn count_pairs(counts: &mut [u32], pack: &[u8; CARDS]) {
    let suits = pack.map(|card| card / 13);
    let mut counts = counts;
    for (place, suit) in suits.iter().enumerate() {
        let others = &suits[place + 1..];
        let (these, rest) = counts.split_at_mut(others.len());
        for (count, other) in these.iter_mut().zip(others) {
            *count += u32::from(suit == other);
        }
        counts = rest;
    }
}

fn add(to: &mut [u32], other: &[u32]) {
    for (to, other) in to.iter_mut().zip(other) {
        *to += other;
    }
}

/// Counts of the cards at each position, and of the pairs of positions with equal suits.
pub(super) struct Tally {
    samples: u32,
    /// For each position, how often it had each card.
    cards: Vec<[u32; CARDS]>,
    /// For each pair of positions, how often their cards had the same suit.
    pairs: Vec<u32>,
}

impl Default for Tally {
    fn default() -> Self {
        Tally {
            samples: 0,
            cards: vec![[0; CARDS]; CARDS],
            pairs: vec![0; PAIRS],
        }
    }
}

impl Tally {
    pub(super) fn count(scheme: Scheme, samples: u32, rng: &mut impl Rng) -> Tally {
        let mut tally = Tally {
            samples,
            ..Tally::default()
        };
        for _ in 0..samples {
            let pack = draw(scheme, rng).pack;
            for (counts, card) in tally.cards.iter_mut().zip(pack) {
                counts[usize::from(card)] += 1;
            }
            count_pairs(&mut tally.pairs, &pack);
        }
        tally
    }

    pub(super) fn and(mut self, other: Tally) -> Tally {
        self.samples += other.samples;
        for (own, other) in self.cards.iter_mut().zip(&other.cards) {
            add(own, other);
        }
        add(&mut self.pairs, &other.pairs);
        self
    }
}

/// A best guess, and in how many of the counted samples the guess is right.
#[derive(Clone, Copy)]
struct Best {
    guess: usize,
    count: u32,
}

impl Best {
    /// The index of the largest count. If several counts are the largest, the first of them.
    fn of(counts: &[u32]) -> Best {
        let mut best = Best { guess: 0, count: 0 };
        for (guess, &count) in counts.iter().enumerate() {
            if count > best.count {
                best = Best { guess, count };
            }
        }
        best
    }
}

/// The best guesses according to a [`Tally`].
pub(super) struct Guesses {
    /// For each position, how often it had each card. The guesses of owners depend on these counts.
    cards: Vec<[u32; CARDS]>,
    /// The best guess of the card at each position.
    card: Vec<Best>,
    /// The best guess of the suit at each position.
    suit: Vec<Best>,
    /// The best guess of the rank at each position.
    rank: Vec<Best>,
    /// The pair of positions whose rate of equal suits deviates most from chance.
    pair: usize,
    /// The card whose position is the most predictable.
    owner: usize,
}

impl Guesses {
    pub(super) fn from(tally: &Tally) -> Guesses {
        let grouped = |counts: &[u32; CARDS], groups: usize, of: fn(usize) -> usize| {
            let mut sums = vec![0; groups];
            for (card, count) in counts.iter().enumerate() {
                sums[of(card)] += count;
            }
            Best::of(&sums)
        };
        let each = |best: &dyn Fn(&[u32; CARDS]) -> Best| tally.cards.iter().map(best).collect();
        let expected = Question::SameSuit.chance() * f64::from(tally.samples);
        // If the position of a card is easy to guess, the sum of its squared counts is large.
        let squares = |&card: &usize| -> f64 {
            let counts = tally.cards.iter().map(|counts| f64::from(counts[card]));
            counts.map(|count| count * count).sum()
        };
        Guesses {
            cards: tally.cards.clone(),
            card: each(&|counts| Best::of(counts)),
            suit: each(&|counts| grouped(counts, 4, |card| card / 13)),
            rank: each(&|counts| grouped(counts, 13, |card| card % 13)),
            pair: largest(PAIRS, |&pair| {
                (f64::from(tally.pairs[pair]) - expected).abs()
            }),
            owner: largest(CARDS, squares),
        }
    }

    /// The index of the card, position or pair that leaks most according to the counts.
    pub(super) fn most(&self, question: Question) -> usize {
        let most = |best: &[Best]| largest(CARDS, |&place| f64::from(best[place].count));
        match question {
            Question::Owner => self.owner,
            Question::Card => most(&self.card),
            Question::Suit => most(&self.suit),
            Question::Rank => most(&self.rank),
            Question::SameSuit => self.pair,
        }
    }

    /// The most probable owner of each card, given a second sheet. The guess assumes that the hands
    /// are those of North, East, South and West, in this order.
    fn owners(&self, second: &[u8; CARDS]) -> [u8; CARDS] {
        let mut weights = [[0u32; CARDS]; 4];
        for (counts, hand) in self.cards.iter().zip(second) {
            add(&mut weights[usize::from(*hand)], counts);
        }
        std::array::from_fn(|card| {
            let weights = weights.each_ref().map(|weights| weights[card]);
            Best::of(&weights).guess as u8
        })
    }
}

/// The number below `count` for which `value` is the largest.
fn largest(count: usize, value: impl Fn(&usize) -> f64) -> usize {
    (0..count)
        .max_by(|a, b| value(a).total_cmp(&value(b)))
        .unwrap_or_default()
}

/// Counts of right guesses.
pub(super) struct Score {
    samples: u32,
    /// The mean number of owners that were guessed right on a board.
    mean: Mean,
    /// For each question, in the order of [`Question::ALL`], the number of right guesses for each
    /// card, position or pair.
    hits: [Vec<u32>; 5],
}

impl Default for Score {
    fn default() -> Self {
        Score {
            samples: 0,
            mean: Mean::default(),
            hits: Question::ALL.map(|question| match question {
                Question::SameSuit => vec![0; PAIRS],
                _ => vec![0; CARDS],
            }),
        }
    }
}

impl Score {
    pub(super) fn count(
        scheme: Scheme,
        guesses: &Guesses,
        samples: u32,
        rng: &mut impl Rng,
    ) -> Score {
        let mut score = Score {
            samples,
            ..Score::default()
        };
        for _ in 0..samples {
            // The deal is uniform and independent of the first sheet, so the second sheet is too.
            let mut second = std::array::from_fn(|card| (card % 4) as u8);
            uniform::shuffle(&mut second, || rng.next_u64());
            score.add(guesses, &draw(scheme, rng), &second);
        }
        score
    }

    fn add(&mut self, guesses: &Guesses, drawn: &Drawn, second: &[u8; CARDS]) {
        let [owner, card, suit, rank, pairs] = &mut self.hits;
        let guessed = guesses.owners(second);
        let mut right = 0;
        for (place, (&number, &hand)) in drawn.pack.iter().zip(second).enumerate() {
            let number = usize::from(number);
            let owned = drawn.hands[usize::from(hand)] as u8 == guessed[number];
            owner[number] += u32::from(owned);
            right += u32::from(owned);
            card[place] += u32::from(guesses.card[place].guess == number);
            suit[place] += u32::from(guesses.suit[place].guess == number / 13);
            rank[place] += u32::from(guesses.rank[place].guess == number % 13);
        }
        self.mean.add(right);
        count_pairs(pairs, &drawn.pack);
    }

    pub(super) fn and(mut self, other: Score) -> Score {
        self.samples += other.samples;
        self.mean = self.mean.and(other.mean);
        for (own, other) in self.hits.iter_mut().zip(&other.hits) {
            add(own, other);
        }
        self
    }

    pub(super) fn samples(&self) -> u32 {
        self.samples
    }

    pub(super) fn owner(&self) -> Mean {
        self.mean
    }

    pub(super) fn hits(&self, question: Question) -> &[u32] {
        &self.hits[question as usize]
    }
}
