//! What the second sheet by itself tells about the deal: a Monte Carlo study.
//!
//! The first sheet is drawn independently of the deal, so by itself it tells nothing. The second sheet
//! says which hand gets the card at each place of the pack, and whoever knows where the cards tend to
//! be can guess. Half of the samples teach how to guess, the other half count how often the guess is
//! right. So chance in the first half is never taken for a leak.
//!
//! The guesses are those of somebody who knows the scheme and has the second sheet only, and has not
//! seen any card.

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

/// What is guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Who has this card.
    Owner,
    /// Which card lies at this place.
    Card,
    /// The suit of the card at this place.
    Suit,
    /// The rank of the card at this place.
    Rank,
    /// Whether the cards at these two places are of one suit. Here the rate is how often they are.
    SameSuit,
}

impl Question {
    /// All, as they are reported.
    pub const ALL: [Question; 5] = [
        Question::Owner,
        Question::Card,
        Question::Suit,
        Question::Rank,
        Question::SameSuit,
    ];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Question::Owner => "owner",
            Question::Card => "card",
            Question::Suit => "suit",
            Question::Rank => "rank",
            Question::SameSuit => "same-suit",
        }
    }

    /// How often a guess is right that knows nothing, or how often two cards are of one suit.
    pub fn chance(self) -> f64 {
        match self {
            Question::Owner | Question::Suit => 1.0 / 4.0,
            Question::Card => 1.0 / 52.0,
            Question::Rank => 1.0 / 13.0,
            Question::SameSuit => 12.0 / 51.0,
        }
    }
}

/// The answer to a question, for one card, place or pair of places.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What was guessed.
    pub question: Question,
    /// The card, the place in the second dealer's pack, from 1 on, or the two places.
    pub of: String,
    /// How often the guess was right.
    pub rate: Estimate,
}

/// What was found about a scheme.
#[derive(Clone, Debug)]
pub struct Findings {
    /// How the first sheets were drawn.
    pub scheme: Scheme,
    /// How many boards were drawn.
    pub samples: u32,
    /// How often the owner of a card was guessed, over all cards.
    pub owner: Estimate,
    /// For each question the card, place or pair that seemed to tell most before the guesses were
    /// counted, in the order of [`Question::ALL`].
    pub most: Vec<Answer>,
    /// Everything that was guessed.
    pub answers: Vec<Answer>,
}

/// How many pieces of work there are in each half of a study.
const PIECES: u32 = 50;

/// How often a study calls `step`.
pub const STEPS: usize = 2 * PIECES as usize;

/// Draws so many first sheets, which the seed decides, and counts right guesses. Calls `step` after
/// each piece of the work, on any thread.
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

/// The result of `work` for each piece, in order; on all cores with the feature `parallel`.
fn map<P: Send, R: Send>(pieces: Vec<P>, work: impl Fn(P) -> R + Send + Sync) -> Vec<R> {
    #[cfg(feature = "parallel")]
    return pieces.into_par_iter().map(work).collect();
    #[cfg(not(feature = "parallel"))]
    pieces.into_iter().map(work).collect()
}

/// The samples of each piece, and a generator for it.
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
