//! The files of a match that was continued without an absent player, among the files of one who remained.

use dealerless::verifiable::{Contribution, Seats};
use dealerless_connection::identity::{Identity, Name};
use dealerless_table::Seat;
use dealerless_table::log::{
    AtTable, Claim, Claimed, Clock, DealInput, Header, Journal, Match, MatchId, MatchLog, Part,
    Past, Phase, Player, Sitting, TableId,
};
use dealerless_table::rules::{BettingRules, Limit, PokerKind, Posts, Stakes, Variety};

use super::Memory;
use crate::run::Files as _;
use crate::run::continued::{
    is_settled, must_be_own, must_be_resumable, must_not_be_continued, went_on,
};
use crate::run::matches::{Kept, all_open, find, open_with};
use crate::run::own::{Own, Stored};

/// The files of the host, with the identities of two guests.
struct Three {
    own: Stored<Memory>,
    guests: [Identity; 2],
}

impl Three {
    fn identity(&self, seat: usize) -> &Identity {
        match seat {
            0 => &self.own.identity,
            seat => &self.guests[seat - 1],
        }
    }

    /// A match of the host and the first guests.
    fn new_match(&self, seats: u8, past: Option<Past>) -> Match {
        let rules = BettingRules {
            stack: 100,
            limit: Limit::NoLimit,
            posts: Posts::Blinds { small: 1, big: 2 },
        };
        let stakes = Stakes::new(Variety::Poker(PokerKind::Holdem, rules), seats, 1).unwrap();
        let (id, clock) = (TableId::NONE, Clock::default());
        let mut header = Header::at_table(id, stakes, seats.into(), clock).unwrap();
        let table = header.table.as_mut().unwrap();
        if past.is_some() {
            table.buys = vec![0; seats.into()];
        }
        table.past = past;
        let player = |seat| Player {
            identity: self.identity(seat).public().clone(),
            nonce: [seats; 32],
        };
        Match::new(header, (0..usize::from(seats)).map(player).collect()).unwrap()
    }

    /// Signs the parts of all seats until this phase is over, or in the first step only that of the
    /// host. Writes the match to the files.
    fn file(&self, of: &Match, until: fn(&MatchLog) -> bool) -> MatchLog {
        let sitting = Sitting {
            match_info: of.clone(),
            seat: Seat::HOST,
            names: vec![Name::clean("Bert"); of.seats()],
        };
        let name = self.own.files.record_name(&of.id(), &Name::clean("Bert"));
        let storage = self.own.files.open_or_create_file(&name).unwrap();
        let key = self.own.identity.file_key();
        let mut journal = Journal::create(storage, key, &sitting).unwrap();
        let mut log = MatchLog::new(of.clone(), Seat::HOST);
        let seats = Seats::new(of.seats(), of.seats()).unwrap();
        let mut rng = rand::rng();
        let contribute = |seat| Contribution::generate(*of.id().as_bytes(), seats, seat, &mut rng);
        let all: Vec<Contribution> = (0..of.seats()).map(contribute).collect();
        let keys: Vec<_> = all.iter().map(|one| one.keys().clone()).collect();
        while !until(&log) {
            let seat = log.waits_for()[0];
            let contribution = &all[seat.index()];
            let part = match log.phase() {
                Phase::Keys => Part::Keys(contribution.keys().to_bytes()),
                Phase::KeyDealing => Part::KeyDealing(contribution.dealing(&keys).to_bytes()),
                Phase::Complaints => Part::Fine,
                _ => {
                    let end = [0; 32];
                    let input = DealInput::Verifiable { out: false, end };
                    Part::Deal(log.deal(input, vec![false; of.seats()]))
                }
            };
            let signed = log.sign(self.identity(seat.index()), seat, &part).unwrap();
            journal.append([signed.0]).unwrap();
        }
        log
    }

    fn open(&self) -> Vec<MatchId> {
        let (open, _) = all_open(&self.own).unwrap();
        open.iter().map(Kept::id).collect()
    }

    fn kept(&self, of: MatchId) -> Kept<Memory> {
        find(&self.own, &of).unwrap().unwrap()
    }

    fn is_resumable(&self, of: MatchId) -> bool {
        must_be_resumable(&self.own, &self.kept(of)).is_ok()
    }

    fn settled_in(&self, of: MatchId) -> Option<MatchId> {
        is_settled(&self.own, &of).unwrap().map(|next| next.id)
    }

    fn peer(&self, seat: usize) -> &dealerless_connection::identity::PublicIdentity {
        self.identity(seat).public()
    }
}

fn at_once(_: &MatchLog) -> bool {
    true
}

/// Whether the keys are exchanged, so that the first step is complete.
fn is_dealing_keys(log: &MatchLog) -> bool {
    log.phase() == Phase::KeyDealing
}

/// Whether only the last of three seats has not dealt its keys.
fn waits_for_the_last(log: &MatchLog) -> bool {
    is_dealing_keys(log) && log.waits_for() == [Seat::new(2)]
}

fn is_dealt(log: &MatchLog) -> bool {
    matches!(log.phase(), Phase::Shuffle(_))
}

/// A match of three after its first step, and its end without the last seat.
fn three() -> (Three, MatchId, Past) {
    three_until(is_dealing_keys)
}

fn three_until(until: fn(&MatchLog) -> bool) -> (Three, MatchId, Past) {
    let own = (*Own::open(Memory::default()).unwrap()).clone();
    let guests = [[1; 32], [2; 32]].map(Identity::from_seed);
    let three = Three { own, guests };
    let first = three.new_match(3, None);
    let log = three.file(&first, until);
    let settled = log.settled_without(&[Seat::new(2)]).unwrap();
    (three, first.id(), settled.past)
}

#[test]
fn settled_match_stays_open_until_this_player_opens_a_card_in_the_next_one() {
    let (three, first, past) = three();
    let next = three.new_match(2, Some(past));
    three.file(&next, at_once);
    let own = &three.own;
    // Nothing is signed in the next match.
    assert_eq!(three.settled_in(first), None);
    assert!(three.is_resumable(first));
    assert_eq!(went_on(own, &first, three.peer(2)).unwrap(), None);
    let mut both = three.open();
    both.sort_unstable();
    let mut expected = [first, next.id()];
    expected.sort_unstable();
    assert_eq!(both, expected);
    three.kept(next.id()).forget(own).unwrap();
    assert_eq!(three.open(), [first]);
    // The first part does not bind this player.
    three.file(&next, is_dealing_keys);
    assert_eq!(three.settled_in(first), None);
    assert!(three.is_resumable(first));
    assert_eq!(went_on(own, &first, three.peer(1)).unwrap(), None);
}

#[test]
fn resume_of_an_unknown_match_reads_no_record() {
    let (three, first, past) = three();
    three.file(&three.new_match(2, Some(past)), is_dealt);
    let asks = |of| {
        let before = three.own.files.0.borrow().reads;
        went_on(&three.own, &of, three.peer(2)).unwrap();
        three.own.files.0.borrow().reads - before
    };
    assert_eq!(asks(MatchId::new([7; 32])), 0);
    assert!(asks(first) > 0);
}

/// A player has agreed to a settlement, and its program was killed before it signed anything in the next
/// match. Meanwhile the player may have gone on in the first one.
#[test]
fn match_without_a_signature_is_resumed_only_if_its_player_still_agrees() {
    let (three, first, past) = three_until(waits_for_the_last);
    let next = three.new_match(2, Some(past));
    three.file(&next, at_once);
    let own = &three.own;
    let resumes = || must_be_resumable(own, &three.kept(next.id()));
    // The own program has not claimed that the last seat is absent.
    let error = format!("{:#}", resumes().unwrap_err());
    assert!(
        error.contains("you have signed nothing") && error.contains("out of time or away"),
        "{error}"
    );
    let mut settled = three.kept(first);
    let claim = Claim {
        step: settled.opened.log.step(),
        seat: Seat::new(2),
        time: 1,
        what: Claimed::OutOfTime,
    };
    settled.opened.journal.append_claim(&claim).unwrap();
    drop(settled);
    resumes().unwrap();
}

#[test]
fn next_match_without_an_opened_card_leaves_no_mark() {
    let (three, first, past) = three();
    let next = three.new_match(2, Some(past));
    three.file(&next, is_dealing_keys);
    three.kept(next.id()).forget(&three.own).unwrap();
    assert_eq!(three.open(), [first]);
    assert!(three.is_resumable(first));
    // No hand was dealt in it, so another match can continue the first one.
    assert!(must_not_be_continued(&three.own, &first).is_ok());
}

#[test]
fn chips_are_not_taken_twice_through_a_match_without_a_hand() {
    let (three, first, past) = three();
    let second = three.new_match(2, Some(past.clone()));
    three.file(&second, is_dealing_keys);
    assert!(must_not_be_continued(&three.own, &first).is_ok());
    let mut end = past;
    (end.match_id, end.seats, end.is_open) = (second.id(), 2, false);
    (end.blinds.last, end.without) = (Seat::HOST, Vec::new());
    let third = three.new_match(2, Some(end));
    three.file(&third, is_dealt);
    for of in [first, second.id()] {
        assert!(must_not_be_continued(&three.own, &of).is_err());
    }
}

#[test]
fn player_with_a_record_of_a_table_refuses_a_list_that_begins_it_anew_or_has_other_chips() {
    let (three, _, past) = three();
    let error = |past: Option<Past>| {
        let at = AtTable {
            id: TableId::NONE,
            number: 1,
            past,
            buys: vec![0; 3],
        };
        let buy = if at.past.is_some() { 0 } else { 100 };
        let checked = must_be_own(&three.own, &at, buy, 100);
        checked.err().map(|error| error.to_string())
    };
    assert_eq!(error(Some(past.clone())), None);
    let anew = error(None).expect("an error");
    assert!(anew.contains("begins this table anew"), "{anew}");
    let mut other = past.clone();
    other.players[0].bought += 1;
    let other = error(Some(other)).expect("an error");
    assert!(other.contains("with other chips"), "{other}");
    let mut without = past;
    without.players.remove(0);
    assert!(error(Some(without)).is_some());
}

/// Another part of this program may be sending the end of a match, or another program may play it.
#[test]
fn matches_whose_records_are_in_use_count() {
    let (three, first, _) = three();
    let own = &three.own;
    let record = |of: &MatchId| own.files.record_name(of, &Name::clean("Bert"));
    let uses = |of: &MatchId| own.files.0.borrow_mut().in_use.insert(record(of));
    let peer = three.peer(1);
    assert_eq!(
        open_with(own, peer).unwrap().map(|kept| kept.id()),
        Some(first)
    );
    uses(&first);
    assert!(open_with(own, peer).is_err());
    let stranger = Identity::from_seed([9; 32]);
    assert!(open_with(own, stranger.public()).unwrap().is_none());
}
