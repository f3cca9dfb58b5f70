//! A Monte Carlo study of how much the second of two [sheets](super::sheets) alone reveals about
//! the deal.
//!
//! The first sheet is drawn independently of the deal, so it reveals nothing by itself. The second
//! sheet assigns the card at each position of the pack to a hand, so an attacker who knows the
//! likely positions of the cards can guess their owners. A study draws many first sheets. One half
//! of these samples determines the best guesses. The other half counts how often the guesses are
//! right. So random fluctuation in the first half is never mistaken for a leak.
//!
//! The attacker knows the [`Scheme`], has only the second sheet, and has not seen any card.

mod estimate;
mod tally;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
#[cfg(feature = "parallel")]
use rayon::prelude::*;

use super::Card;
use super::sheets::Scheme;

pub use self::estimate::Estimate;
use self::estimate::Mean;
use self::tally::{Guesses, Score, Tally, pairs};

/// A fact that the attacker guesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// The seat that holds a card.
    Owner,
    /// The card at a position of the pack.
    Card,
    /// The suit of the card at a position.
    Suit,
    /// The rank of the card at a position.
    Rank,
    /// Whether the cards at two positions have the same suit. The rate of this question is how
    /// often they have the same suit, not how often a guess is right.
    SameSuit,
}

impl Question {
    /// All questions, in the order in which reports list them.
    pub const ALL: [Question; 5] = [
        Question::Owner,
        Question::Card,
        Question::Suit,
        Question::Rank,
        Question::SameSuit,
    ];

    /// The name of the question in reports.
    pub fn name(self) -> &'static str {
        match self {
            Question::Owner => "owner",
            Question::Card => "card",
            Question::Suit => "suit",
            Question::Rank => "rank",
            Question::SameSuit => "same-suit",
        }
    }

    /// The probability that a guess without any information is right. For
    /// [`SameSuit`](Self::SameSuit), the probability that two random cards have the same suit.
    pub fn chance(self) -> f64 {
        match self {
            Question::Owner | Question::Suit => 1.0 / 4.0,
            Question::Card => 1.0 / 52.0,
            Question::Rank => 1.0 / 13.0,
            Question::SameSuit => 12.0 / 51.0,
        }
    }
}

/// The answer to a question for one card, position or pair of positions.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The question.
    pub question: Question,
    /// The subject of the question: a card such as `SA`, a position in the second dealer's pack,
    /// counted from 1, or two such positions.
    pub of: String,
    /// The rate of right guesses. For [`Question::SameSuit`], the rate of equal suits.
    pub rate: Estimate,
}

/// The results of a study of a scheme.
#[derive(Clone, Debug)]
pub struct Findings {
    /// The scheme of the first sheets.
    pub scheme: Scheme,
    /// The number of boards drawn.
    pub samples: u32,
    /// The rate at which the owner of a card was guessed right, over all cards.
    pub owner: Estimate,
    /// For each question, the answer for the card, position or pair that leaked most in the first
    /// half of the samples; in the order of [`Question::ALL`].
    pub most: Vec<Answer>,
    /// The answers to all questions.
    pub answers: Vec<Answer>,
}

/// The number of work units in each half of a study.
const PIECES: u32 = 50;

/// The number of times that a study calls `step`.
pub const STEPS: usize = 2 * PIECES as usize;

/// Runs a study with `samples` first sheets from a generator with the given seed. Calls `step`
/// after each work unit, on any thread.
pub fn study(scheme: Scheme, samples: u32, seed: u64, step: &(dyn Fn() + Sync)) -> Findings {
    let mut seeds = StdRng::seed_from_u64(seed);
    let learning = pieces(samples / 2, &mut seeds);
    let testing = pieces(samples - samples / 2, &mut seeds);
    let tallies = map(learning, |(samples, mut rng)| {
        let tally = Tally::count(scheme, samples, &mut rng);
        step();
        tally
    });
    let tally = tallies.into_iter().fold(Tally::default(), Tally::and);
    let guesses = Guesses::from(&tally);
    let scores = map(testing, |(samples, mut rng)| {
        let score = Score::count(scheme, &guesses, samples, &mut rng);
        step();
        score
    });
    let score = scores.into_iter().fold(Score::default(), Score::and);
    findings(scheme, samples, &guesses, &score)
}

/// Runs `work` on each piece, and returns the results in order. With the feature `parallel`, the
/// pieces are distributed to all cores.
fn map<P: Send, R: Send>(pieces: Vec<P>, work: impl Fn(P) -> R + Send + Sync) -> Vec<R> {
    #[cfg(feature = "parallel")]
    return pieces.into_par_iter().map(work).collect();
    #[cfg(not(feature = "parallel"))]
    pieces.into_iter().map(work).collect()
}

/// Divides `samples` among the work units. Returns the number of samples of each unit, and its own
/// generator.
fn pieces(samples: u32, seeds: &mut StdRng) -> Vec<(u32, StdRng)> {
    (0..PIECES)
        .map(|piece| {
            let size = samples / PIECES + u32::from(piece < samples % PIECES);
            (size, StdRng::seed_from_u64(seeds.next_u64()))
        })
        .collect()
}

fn findings(scheme: Scheme, samples: u32, guesses: &Guesses, score: &Score) -> Findings {
    let (mut most, mut answers) = (Vec::new(), Vec::new());
    for question in Question::ALL {
        let names: Vec<String> = match question {
            Question::Owner => Card::all()
                .map(|card| format!("{}{}", card.suit().letter(), card.rank()))
                .collect(),
            Question::SameSuit => pairs()
                .map(|(a, b)| format!("{} {}", a + 1, b + 1))
                .collect(),
            _ => (1..=52).map(|place| format!("{place}")).collect(),
        };
        let start = answers.len();
        for (of, hits) in names.into_iter().zip(score.hits(question)) {
            answers.push(Answer {
                question,
                of,
                rate: Estimate::of(*hits, score.samples()),
            });
        }
        let chosen = guesses.most(question);
        most.extend(answers.get(start + chosen).cloned());
    }
    Findings {
        scheme,
        samples,
        owner: score.owner().estimate(52.0),
        most,
        answers,
    }
}

#[cfg(test)]
mod tests;
