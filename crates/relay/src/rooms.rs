//! Connections that wait for a peer, by the token of a transit relay or by the number of a code.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::{Duration, Instant};

use crate::networks::{Id, Network};
use crate::request::{Key, Side, Token};

/// The place of a waiting connection.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Token(Token),
    /// The host of a code.
    Code(u32),
    /// A guest of a code that is held for its host.
    Guest(u32),
}

/// A code that was opened.
struct Code {
    key: Key,
    /// The address that it counts for, as a waiting connection or while it is held.
    network: Network,
    host: Host,
    /// The guests that wait for the host, the oldest first.
    guests: VecDeque<Id>,
}

/// The host of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Host {
    Waits(Id),
    /// The code was used, or the host has lost its connection. Until this time, the host may wait again.
    IsAway(Instant),
}

impl Code {
    /// Whether this is its key. The time that this takes does not depend on how much of the key is right.
    fn is_of(&self, key: &Key) -> bool {
        let pairs = self.key.iter().zip(key);
        pairs.fold(0, |differences, (a, b)| differences | (a ^ b)) == 0
    }
}

/// All waiting connections. The map hashes with a random key, so a client cannot choose tokens that
/// collide, or measure how much of a token is right.
pub(crate) struct Rooms {
    tokens: HashMap<Token, Vec<(Option<Side>, Id)>>,
    codes: HashMap<u32, Code>,
    hold: Duration,
    numbers: Numbers,
}

impl Rooms {
    /// `hold` is the time for which a code is kept for its host, and `rest` the time after it until its number
    /// is used again.
    pub(crate) fn new(hold: Duration, rest: Duration) -> Self {
        Rooms {
            tokens: HashMap::new(),
            codes: HashMap::new(),
            hold,
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
    pub(crate) fn open_code(&mut self, key: Key, id: Id, network: Network) -> Option<u32> {
        let number = self.numbers.take()?;
        let code = Code {
            key,
            network,
            host: Host::Waits(id),
            guests: VecDeque::new(),
        };
        self.codes.insert(number, code);
        Some(number)
    }

    /// The connection that waits with this code and this key.
    pub(crate) fn host(&self, number: u32, key: &Key) -> Option<Id> {
        match self.codes.get(&number).filter(|code| code.is_of(key))?.host {
            Host::Waits(id) => Some(id),
            Host::IsAway(_) => None,
        }
    }

    /// Waits again with a code that is held for this key. Returns the address that it counted for.
    pub(crate) fn open_again(
        &mut self,
        number: u32,
        key: &Key,
        id: Id,
        network: Network,
    ) -> Option<Network> {
        let code = self.codes.get_mut(&number)?;
        if !code.is_of(key) {
            return None;
        }
        code.host = Host::Waits(id);
        Some(std::mem::replace(&mut code.network, network))
    }

    /// Uses a code. If its host waits, the code is held for it from now on.
    pub(crate) fn use_code(&mut self, number: u32, now: Instant) -> Option<Host> {
        let code = self.codes.get_mut(&number)?;
        let host = code.host;
        if let Host::Waits(_) = host {
            code.host = Host::IsAway(now + self.hold);
        }
        Some(host)
    }

    /// A guest waits for the host of a code.
    pub(crate) fn wait_for_host(&mut self, number: u32, guest: Id) {
        if let Some(code) = self.codes.get_mut(&number) {
            code.guests.push_back(guest);
        }
    }

    /// Removes the guest of a code that has waited for the longest time.
    pub(crate) fn next_guest(&mut self, number: u32) -> Option<Id> {
        self.codes.get_mut(&number)?.guests.pop_front()
    }

    /// Ends a code. Its number rests.
    pub(crate) fn end_code(&mut self, number: u32, now: Instant) {
        self.codes.remove(&number);
        self.numbers.rest(number, now);
    }

    /// Removes a waiting connection. Returns whether its code is held, and counts for its address.
    pub(crate) fn leave(&mut self, place: &Place, id: Id, now: Instant) -> bool {
        match place {
            Place::Code(number) => return self.use_code(*number, now).is_some(),
            Place::Guest(number) => {
                if let Some(code) = self.codes.get_mut(number) {
                    code.guests.retain(|guest| *guest != id);
                }
            }
            Place::Token(token) => {
                if let Some(waiting) = self.tokens.get_mut(token) {
                    waiting.retain(|(_, other)| *other != id);
                    if waiting.is_empty() {
                        self.tokens.remove(token);
                    }
                }
            }
        }
        false
    }

    /// Frees the numbers that have rested, and ends the codes that were held long enough. Returns the addresses
    /// that these counted for.
    pub(crate) fn tick(&mut self, now: Instant) -> Vec<Network> {
        self.numbers.free_rested(now);
        let is_over = |code: &Code| matches!(code.host, Host::IsAway(until) if now >= until);
        let over = self.codes.iter().filter(|(_, code)| is_over(code));
        let over: Vec<_> = over.map(|(number, code)| (*number, code.network)).collect();
        for (number, _) in &over {
            self.end_code(*number, now);
        }
        over.into_iter().map(|(_, network)| network).collect()
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

    const HOLD: Duration = Duration::from_secs(30);
    const REST: Duration = Duration::from_secs(600);
    const KEY: Key = [b'a'; 32];

    fn id(number: u64) -> Id {
        Id { number, slot: 0 }
    }

    #[test]
    fn two_sides_of_a_token_meet_and_one_side_does_not_meet_itself() {
        let mut rooms = Rooms::new(HOLD, REST);
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

    fn network(last: u8) -> Network {
        Network::of([192, 0, 2, last].into())
    }

    #[test]
    fn number_of_a_code_has_five_digits_and_rests_when_the_code_was_held_long_enough() {
        let mut rooms = Rooms::new(HOLD, REST);
        let begin = Instant::now();
        let open = |host| rooms.open_code(KEY, id(host), network(1)).unwrap();
        let [one, two] = [1, 2].map(open);
        assert!(one != two && [one, two].iter().all(|it| (10_000..100_000).contains(it)));
        assert_eq!(rooms.use_code(two, begin), Some(Host::Waits(id(2))));
        let held = Some(Host::IsAway(begin + HOLD));
        assert_eq!(rooms.use_code(two, begin + HOLD / 2), held);
        let half = begin + REST / 2;
        assert!(rooms.leave(&Place::Code(one), id(1), half - HOLD));
        let second = Duration::from_secs(1);
        assert!(rooms.tick(begin + HOLD - second).is_empty());
        assert_eq!(rooms.tick(begin + HOLD), [network(1)]);
        assert_eq!(rooms.use_code(two, begin + HOLD), None);
        assert_eq!(rooms.tick(half), [network(1)]);
        assert_eq!(rooms.use_code(one, half), None);
        let taken = |rooms: &mut Rooms, now| {
            assert!(rooms.tick(now).is_empty());
            [one, two].map(|number| rooms.numbers.taken.contains(&number))
        };
        let last = begin + HOLD + REST - second;
        assert_eq!(taken(&mut rooms, last), [true, true]);
        assert_eq!(taken(&mut rooms, last + second), [true, false]);
        assert_eq!(taken(&mut rooms, half + REST), [false, false]);
    }

    #[test]
    fn code_is_opened_again_with_its_key_only() {
        let mut rooms = Rooms::new(HOLD, REST);
        let now = Instant::now();
        let number = rooms.open_code(KEY, id(1), network(1)).unwrap();
        for place in 0..32 {
            let mut wrong = KEY;
            wrong[place] = b'b';
            assert_eq!(rooms.host(number, &wrong), None);
            assert_eq!(rooms.open_again(number, &wrong, id(9), network(9)), None);
        }
        assert_eq!(rooms.host(number, &KEY), Some(id(1)));
        rooms.use_code(number, now);
        assert_eq!(rooms.host(number, &KEY), None);
        for guest in [2, 3, 4] {
            rooms.wait_for_host(number, id(guest));
        }
        assert!(!rooms.leave(&Place::Guest(number), id(3), now));
        let counted = rooms.open_again(number, &KEY, id(5), network(2));
        assert_eq!(counted, Some(network(1)));
        assert_eq!(rooms.use_code(number, now), Some(Host::Waits(id(5))));
        let guests = [(); 3].map(|()| rooms.next_guest(number));
        assert_eq!(guests, [Some(id(2)), Some(id(4)), None]);
        assert_eq!(rooms.tick(now + HOLD), [network(2)]);
        assert_eq!(rooms.open_again(number, &KEY, id(6), network(1)), None);
    }

    #[test]
    fn numbers_are_spread_over_their_range_and_at_most_an_eighth_is_taken() {
        let mut rooms = Rooms::new(HOLD, REST);
        let now = Instant::now();
        let mut tenths = [0; 9];
        for host in 0..Numbers::MOST as u64 {
            let number = rooms.open_code(KEY, id(host), network(1)).unwrap();
            tenths[number as usize / 10_000 - 1] += 1;
            // Held and resting numbers count, too.
            rooms.leave(&Place::Code(number), id(host), now);
            if host % 2 == 0 {
                rooms.end_code(number, now);
            }
        }
        assert_eq!(rooms.numbers.taken.len(), 11_250);
        // 1250 on average, with a standard deviation of 31: a failure has a probability below 2^-60.
        assert!(tenths.iter().all(|count| (950..1550).contains(count)));
        assert_eq!(rooms.open_code(KEY, id(0), network(1)), None);
        rooms.tick(now + REST);
        assert!(rooms.open_code(KEY, id(0), network(1)).is_some());
    }
}
