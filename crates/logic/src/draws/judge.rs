//! Whether all draws occurred equally often.

use std::collections::BTreeSet;

use super::tally::Key;

/// The maximum number of cards of a deck.
pub(super) const MAX_CARDS: usize = 4096;

/// The drawn cards, in order, and how often they occurred.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The cards, in the order of the outputs.
    pub cards: Vec<u64>,
    /// The number of valid inputs that lead to these cards.
    pub times: u64,
}

/// Why the draws of a fixed input are not uniform.
#[derive(Clone, Debug, PartialEq)]
pub enum Bias {
    /// Outcomes that are not draws, because a card occurs twice or is not in the deck.
    NoDraw {
        /// The first such outcome in lexicographic order.
        first: Outcome,
        /// The number of valid inputs that lead to such an outcome.
        times: u64,
    },
    /// Draws do not occur equally often.
    Unequal {
        /// The first of the draws that occur most often.
        most: Outcome,
        /// The first of the draws that occur least often, perhaps never.
        least: Outcome,
        /// The statistical distance from the uniform distribution.
        distance: Distance,
    },
}

/// A statistical distance: half the sum of the differences between probabilities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// The exact value as a reduced fraction; `None` if its terms exceed 128 bits.
    pub fraction: Option<(u128, u128)>,
    /// The approximate value.
    pub value: f64,
}

/// The cards of a deck, in ascending order.
#[derive(Clone, Copy, Debug)]
pub enum Deck<'a> {
    /// These cards.
    Exactly(&'a [u64]),
    /// These cards, and those that occur.
    AtLeast(&'a [u64]),
}

/// The judgement of the outcomes of a fixed input.
pub(super) struct Judgement {
    /// The cards of the deck, in ascending order.
    pub(super) deck: Vec<u64>,
    /// The number of times that each draw occurred, if it is the same for all draws.
    pub(super) each: Result<u64, Box<Bias>>,
}

/// A deck of more than [`MAX_CARDS`] cards.
pub(super) struct TooManyCards;

/// The bits of the outcome that hold each card.
pub(super) struct Cards {
    /// The number of cards drawn.
    pub(super) draw: usize,
    /// The number of bits of a card, at most 64.
    pub(super) bits: usize,
}

impl Cards {
    /// The card at `place` of an outcome.
    fn card<const W: usize>(&self, key: &Key<W>, place: usize) -> u64 {
        let start = place * self.bits;
        let (word, shift) = (start / 64, start % 64);
        let low = key.0[word] >> shift;
        let high = match key.0.get(word + 1) {
            Some(next) if shift > 0 => next << (64 - shift),
            _ => 0,
        };
        (low | high) & (u64::MAX >> (64 - self.bits))
    }

    fn cards<const W: usize>(&self, key: &Key<W>) -> Vec<u64> {
        (0..self.draw).map(|place| self.card(key, place)).collect()
    }

    /// Judges the outcomes of a fixed input, of which there is at least one.
    pub(super) fn judge<const W: usize>(
        &self,
        counts: &[(Key<W>, u64)],
        deck: Deck,
    ) -> Result<Judgement, TooManyCards> {
        let deck = match deck {
            Deck::Exactly(deck) => deck.to_vec(),
            Deck::AtLeast(deck) => self.occurring(counts, deck)?,
        };
        let each = self.each(counts, &deck);
        Ok(Judgement { deck, each })
    }

    /// The number of times that each draw occurred.
    fn each<const W: usize>(
        &self,
        counts: &[(Key<W>, u64)],
        deck: &[u64],
    ) -> Result<u64, Box<Bias>> {
        let mut cards = vec![0; self.draw];
        let mut sorted = vec![0; self.draw];
        let mut no_draw: Option<Outcome> = None;
        let mut no_draws = 0;
        for (key, times) in counts {
            for (place, card) in cards.iter_mut().enumerate() {
                *card = self.card(key, place);
            }
            sorted.copy_from_slice(&cards);
            sorted.sort_unstable();
            let repeats = sorted.windows(2).any(|pair| pair[0] == pair[1]);
            if repeats || !cards.iter().all(|card| deck.binary_search(card).is_ok()) {
                no_draws += times;
                if no_draw.as_ref().is_none_or(|first| cards < first.cards) {
                    no_draw = Some(Outcome {
                        cards: cards.clone(),
                        times: *times,
                    });
                }
            }
        }
        if let Some(first) = no_draw {
            let times = no_draws;
            return Err(Box::new(Bias::NoDraw { first, times }));
        }
        let draws = number_of_draws(deck.len(), self.draw);
        let each = counts[0].1;
        if draws == Some(counts.len() as u128) && counts.iter().all(|&(_, times)| times == each) {
            return Ok(each);
        }
        Err(Box::new(self.unequal(counts, deck, draws)))
    }

    fn occurring<const W: usize>(
        &self,
        counts: &[(Key<W>, u64)],
        at_least: &[u64],
    ) -> Result<Vec<u64>, TooManyCards> {
        let mut deck: BTreeSet<u64> = at_least.iter().copied().collect();
        for (key, _) in counts {
            deck.extend((0..self.draw).map(|place| self.card(key, place)));
            if deck.len() > MAX_CARDS {
                return Err(TooManyCards);
            }
        }
        Ok(deck.into_iter().collect())
    }

    fn unequal<const W: usize>(
        &self,
        counts: &[(Key<W>, u64)],
        deck: &[u64],
        draws: Option<u128>,
    ) -> Bias {
        let outcome = |&(ref key, times): &(Key<W>, u64)| Outcome {
            cards: self.cards(key),
            times,
        };
        let extreme = |times: u64| {
            let equal = counts.iter().filter(|count| count.1 == times).map(outcome);
            equal.min_by(|a, b| a.cards.cmp(&b.cards))
        };
        let times = || counts.iter().map(|count| count.1);
        let most = times().max().and_then(extreme).expect("an outcome");
        let least = if draws == Some(counts.len() as u128) {
            times().min().and_then(extreme).expect("an outcome")
        } else {
            self.missing(counts, deck)
        };
        Bias::Unequal {
            most,
            least,
            distance: distance(counts.iter().map(|count| count.1), draws),
        }
    }

    /// The first draw in lexicographic order that did not occur.
    fn missing<const W: usize>(&self, counts: &[(Key<W>, u64)], deck: &[u64]) -> Outcome {
        let mut occurred: Vec<Vec<u64>> = counts.iter().map(|(key, _)| self.cards(key)).collect();
        occurred.sort_unstable();
        let mut places: Vec<usize> = (0..self.draw).collect();
        let draw = |places: &[usize]| -> Vec<u64> { places.iter().map(|&p| deck[p]).collect() };
        for cards in occurred {
            if cards != draw(&places) {
                break;
            }
            next_arrangement(&mut places, deck.len());
        }
        Outcome {
            cards: draw(&places),
            times: 0,
        }
    }
}

/// Changes a sequence of different numbers below `n` to the next one in lexicographic order, if
/// there is one.
fn next_arrangement(places: &mut [usize], n: usize) {
    for place in (0..places.len()).rev() {
        let (before, rest) = places.split_at_mut(place);
        let used = |card: &usize| before.contains(card);
        let Some(next) = (rest[0] + 1..n).find(|card| !used(card)) else {
            continue;
        };
        rest[0] = next;
        for place in place + 1..places.len() {
            let free = (0..n).find(|card| !places[..place].contains(card));
            places[place] = free.expect("not more cards are drawn than there are");
        }
        return;
    }
}

/// The number of draws: n (n - 1) … (n - m + 1), or `None` if it exceeds 128 bits. 0 if m > n.
pub fn number_of_draws(n: usize, m: usize) -> Option<u128> {
    let mut factors = (0..m).map(|drawn| n.saturating_sub(drawn) as u128);
    factors.try_fold(1u128, |product, factor| product.checked_mul(factor))
}

/// The distance of the distribution in which outcomes occur so many times from the uniform
/// distribution on `draws` draws.
fn distance(times: impl Iterator<Item = u64> + Clone, draws: Option<u128>) -> Distance {
    let total: u128 = times.clone().map(u128::from).sum();
    let exact = || {
        let draws = draws?;
        let mut above = 0u128;
        for times in times.clone() {
            above += u128::from(times).checked_mul(draws)?.saturating_sub(total);
        }
        let whole = total.checked_mul(draws)?;
        let divisor = gcd(above, whole);
        Some((above / divisor, whole / divisor))
    };
    let fraction = exact();
    let value = match (fraction, draws) {
        (Some((above, whole)), _) => above as f64 / whole as f64,
        (None, draws) => {
            let uniform = draws.map_or(0.0, |draws| 1.0 / draws as f64);
            let above = times.map(|times| (times as f64 / total as f64 - uniform).max(0.0));
            above.sum()
        }
    };
    Distance { fraction, value }
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
