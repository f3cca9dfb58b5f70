//! Connections that wait for a peer, by the token of a transit relay or by the number of a code.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::time::{Duration, Instant};

use crate::networks::Id;
use crate::request::{Side, Token};

/// The place of a waiting connection.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Token(Token),
    Code(u32),
}

/// All waiting connections. The map hashes with a random key, so a client cannot choose tokens that
/// collide, or measure how much of a token is right.
pub(crate) struct Rooms {
    tokens: HashMap<Token, Vec<(Option<Side>, Id)>>,
    codes: HashMap<u32, Id>,
    numbers: Numbers,
}

impl Rooms {
    /// `rest` is the time until the number of a code is used again.
    pub(crate) fn new(rest: Duration) -> Self {
        Rooms {
            tokens: HashMap::new(),
            codes: HashMap::new(),
            numbers: Numbers::new(rest),
        }
    }

    /// Removes and returns a connection with this token that is not of the same side: the newest,
    /// because older ones may be dead.
    pub(crate) fn meet(&mut self, token: &Token, side: Option<Side>) -> Option<Id> {
        let waiting = self.tokens.get_mut(token)?;
        let differs = |other: Option<Side>| side.is_none() || other.is_none() || other != side;
        let place = waiting.iter().rposition(|(other, _)| differs(*other))?;
        let (_, id) = waiting.remove(place);
        if waiting.is_empty() {
            self.tokens.remove(token);
        }
        Some(id)
    }

    /// A connection that still waits with this token. The transit relay closes all of them when two
    /// others have met.
    pub(crate) fn waits(&self, token: &Token) -> Option<Id> {
        self.tokens.get(token)?.first().map(|(_, id)| *id)
    }

    pub(crate) fn wait(&mut self, token: Token, side: Option<Side>, id: Id) {
        self.tokens.entry(token).or_default().push((side, id));
    }

    /// Opens a code with the smallest free number.
    pub(crate) fn open_code(&mut self, id: Id) -> u32 {
        let number = self.numbers.take();
        self.codes.insert(number, id);
        number
    }

    /// Removes and returns the connection that opened this code. The code is void from now on.
    pub(crate) fn use_code(&mut self, number: u32, now: Instant) -> Option<Id> {
        let host = self.codes.remove(&number)?;
        self.numbers.rest(number, now);
        Some(host)
    }

    /// Removes a waiting connection.
    pub(crate) fn leave(&mut self, place: &Place, id: Id, now: Instant) {
        match place {
            Place::Code(number) => _ = self.use_code(*number, now),
            Place::Token(token) => {
                if let Some(waiting) = self.tokens.get_mut(token) {
                    waiting.retain(|(_, other)| *other != id);
                    if waiting.is_empty() {
                        self.tokens.remove(token);
                    }
                }
            }
        }
    }

    /// Frees the numbers that have rested.
    pub(crate) fn tick(&mut self, now: Instant) {
        self.numbers.free_rested(now);
    }
}

/// The numbers of codes, from 1.
struct Numbers {
    rest: Duration,
    /// The free numbers below `next`.
    free: BTreeSet<u32>,
    next: u32,
    /// The numbers of void codes, and when they were void.
    resting: VecDeque<(Instant, u32)>,
}

impl Numbers {
    /// The maximum count of resting numbers. Beyond it, the number that has rested longest is free.
    const MAX_RESTING: usize = 1 << 16;

    fn new(rest: Duration) -> Self {
        Numbers {
            rest,
            free: BTreeSet::new(),
            next: 1,
            resting: VecDeque::new(),
        }
    }

    /// The smallest free number.
    fn take(&mut self) -> u32 {
        self.free.pop_first().unwrap_or_else(|| {
            self.next += 1;
            self.next - 1
        })
    }

    fn rest(&mut self, number: u32, now: Instant) {
        self.resting.push_back((now, number));
        if self.resting.len() > Self::MAX_RESTING
            && let Some((_, number)) = self.resting.pop_front()
        {
            self.free.insert(number);
        }
    }

    fn free_rested(&mut self, now: Instant) {
        while let Some((since, number)) = self.resting.front()
            && now.saturating_duration_since(*since) >= self.rest
        {
            self.free.insert(*number);
            self.resting.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REST: Duration = Duration::from_secs(600);

    fn id(number: u64) -> Id {
        Id { number, slot: 0 }
    }

    #[test]
    fn two_sides_of_a_token_meet_and_one_side_does_not_meet_itself() {
        let mut rooms = Rooms::new(REST);
        let [here, there, token] = [Some([1; 16]), Some([2; 16]), None];
        rooms.wait([0; 64], here, id(1));
        assert_eq!(rooms.meet(&[0; 64], here), None);
        assert_eq!(rooms.meet(&[1; 64], there), None);
        rooms.wait([0; 64], here, id(2));
        // The newest is taken, because the older one may be dead.
        assert_eq!(rooms.meet(&[0; 64], there), Some(id(2)));
        assert_eq!(rooms.waits(&[0; 64]), Some(id(1)));
        assert_eq!(rooms.meet(&[0; 64], token), Some(id(1)));
        assert_eq!(rooms.waits(&[0; 64]), None);
        assert!(rooms.tokens.is_empty());
    }

    #[test]
    fn codes_get_the_smallest_number_that_has_rested() {
        let mut rooms = Rooms::new(REST);
        let begin = Instant::now();
        assert_eq!([1, 2, 3].map(|host| rooms.open_code(id(host))), [1, 2, 3]);
        assert_eq!(rooms.use_code(2, begin), Some(id(2)));
        assert_eq!(rooms.use_code(2, begin), None);
        rooms.leave(&Place::Code(1), id(1), begin + REST / 2);
        assert_eq!(rooms.use_code(1, begin), None);
        rooms.tick(begin + REST - Duration::from_secs(1));
        assert_eq!(rooms.open_code(id(4)), 4);
        rooms.tick(begin + REST);
        assert_eq!(rooms.open_code(id(5)), 2);
        assert_eq!(rooms.open_code(id(6)), 5);
        rooms.tick(begin + REST + REST);
        assert_eq!(rooms.open_code(id(7)), 1);
    }

    #[test]
    fn resting_numbers_are_bounded() {
        let mut rooms = Rooms::new(REST);
        let now = Instant::now();
        for host in 0..Numbers::MAX_RESTING as u64 + 1 {
            let number = rooms.open_code(id(host));
            rooms.leave(&Place::Code(number), id(host), now);
        }
        assert_eq!(rooms.open_code(id(0)), 1);
    }
}
