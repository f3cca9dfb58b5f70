//! Connections that wait for a peer, by the token of a transit relay or by the number of a code.

use std::collections::{HashMap, HashSet, VecDeque};
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

    /// Opens a code, and returns its number. `None` if too many numbers are taken.
    pub(crate) fn open_code(&mut self, id: Id) -> Option<u32> {
        let number = self.numbers.take()?;
        self.codes.insert(number, id);
        Some(number)
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

/// The numbers of codes: five digits, which cannot be predicted. So a client that tries numbers rarely
/// finds a code.
struct Numbers {
    rest: Duration,
    /// The numbers of codes that are open, and those that rest.
    taken: HashSet<u32>,
    /// The numbers of void codes, and when they were void.
    resting: VecDeque<(Instant, u32)>,
}

impl Numbers {
    const FIRST: u32 = 10_000;
    const COUNT: u32 = 90_000;
    /// The maximum count of taken numbers. A stranger may have taken all of them, and knows which they are. So
    /// it finds a given code more easily, by a factor of 8/7.
    const MOST: usize = Self::COUNT as usize / 8;

    fn new(rest: Duration) -> Self {
        Numbers {
            rest,
            taken: HashSet::new(),
            resting: VecDeque::new(),
        }
    }

    /// Draws a free number. `None` if too many are taken, or the operating system has no randomness.
    fn take(&mut self) -> Option<u32> {
        if self.taken.len() >= Self::MOST {
            return None;
        }
        loop {
            // 17 bits: uniform, because larger values are dropped.
            let drawn = getrandom::u32().ok()? >> 15;
            if drawn < Self::COUNT && self.taken.insert(Self::FIRST + drawn) {
                return Some(Self::FIRST + drawn);
            }
        }
    }

    fn rest(&mut self, number: u32, now: Instant) {
        self.resting.push_back((now, number));
    }

    fn free_rested(&mut self, now: Instant) {
        while let Some((since, number)) = self.resting.front()
            && now.saturating_duration_since(*since) >= self.rest
        {
            self.taken.remove(number);
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
    fn number_of_a_code_has_five_digits_and_rests_when_the_code_is_void() {
        let mut rooms = Rooms::new(REST);
        let begin = Instant::now();
        let [one, two] = [1, 2].map(|host| rooms.open_code(id(host)).unwrap());
        assert!(one != two && [one, two].iter().all(|it| (10_000..100_000).contains(it)));
        assert_eq!(rooms.use_code(two, begin), Some(id(2)));
        assert_eq!(rooms.use_code(two, begin), None);
        rooms.leave(&Place::Code(one), id(1), begin + REST / 2);
        assert_eq!(rooms.use_code(one, begin), None);
        let taken = |rooms: &mut Rooms, now| {
            rooms.tick(now);
            [one, two].map(|number| rooms.numbers.taken.contains(&number))
        };
        let second = Duration::from_secs(1);
        assert_eq!(taken(&mut rooms, begin + REST - second), [true, true]);
        assert_eq!(taken(&mut rooms, begin + REST), [true, false]);
        assert_eq!(taken(&mut rooms, begin + REST + REST), [false, false]);
    }

    #[test]
    fn numbers_are_spread_over_their_range_and_at_most_an_eighth_is_taken() {
        let mut rooms = Rooms::new(REST);
        let now = Instant::now();
        let mut tenths = [0; 9];
        for host in 0..Numbers::MOST as u64 {
            let number = rooms.open_code(id(host)).unwrap();
            tenths[number as usize / 10_000 - 1] += 1;
            // Resting numbers count, too.
            rooms.leave(&Place::Code(number), id(host), now);
        }
        assert_eq!(rooms.numbers.taken.len(), 11_250);
        // 1250 on average, with a standard deviation of 31: a failure has a probability below 2^-60.
        assert!(tenths.iter().all(|count| (950..1550).contains(count)));
        assert_eq!(rooms.open_code(id(0)), None);
        rooms.tick(now + REST);
        assert!(rooms.open_code(id(0)).is_some());
    }
}
