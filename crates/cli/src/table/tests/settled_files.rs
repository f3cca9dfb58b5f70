//! The files of a match that was continued without an absent player, in the folder of one who remained.

use dealerless::verifiable::{Contribution, Seats};
use dealerless_connection::identity::{Identity, Name};
use dealerless_table::Seat;
use dealerless_table::log::{
    Claim, Claimed, Clock, DealInput, DeckTerms, Header, Journal, Match, MatchFolder, MatchId,
    MatchLog, Part, Past, Phase, Player, Sitting,
};
use dealerless_table::play::Control;
use dealerless_table::rules::{BettingRules, Limit, PokerKind, Posts, Stakes, Variety};

use super::super::open::{self, MatchFile};
use super::super::own::Own;
use super::super::stored_match::check;
use super::seats::own;

/// The folder of the host, with the identities of two guests.
struct Three {
    own: Own,
    guests: [Identity; 2],
}

impl Three {
    fn identity(&self, seat: usize) -> &Identity {
        match seat {
            0 => self.own.home.identity(),
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
        let header = Header {
            deck: DeckTerms::verifiable(&stakes, usize::from(seats)).unwrap(),
            stakes,
            clock: Clock::default(),
            past,
        };
        let player = |seat| Player {
            identity: self.identity(seat).public().clone(),
            nonce: [seats; 32],
        };
        Match::new(header, (0..usize::from(seats)).map(player).collect()).unwrap()
    }

    /// Signs the parts of all seats until this phase is over, or in the first step only that of the
    /// host. Writes the match to the folder.
    fn file(&self, of: &Match, until: fn(&MatchLog) -> bool) -> MatchLog {
        let sitting = Sitting {
            match_info: of.clone(),
            seat: Seat::HOST,
            names: vec![Name::clean("Bert"); of.seats()],
        };
        let folder = MatchFolder(self.own.home.matches());
        let (_, storage) = folder.create(&of.id(), "Bert").unwrap();
        let key = self.own.home.identity().file_key();
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
        let files = open::all(&self.own).unwrap();
        files.open.iter().map(MatchFile::id).collect()
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
fn three() -> (tempfile::TempDir, Three, MatchId, Past) {
    three_until(is_dealing_keys)
}

fn three_until(until: fn(&MatchLog) -> bool) -> (tempfile::TempDir, Three, MatchId, Past) {
    let (folder, own) = own("Anna");
    let guests = [[1; 32], [2; 32]].map(Identity::from_seed);
    let three = Three { own, guests };
    let first = three.new_match(3, None);
    let log = three.file(&first, until);
    let settled = log.settled_without(&[Seat::new(2)]).unwrap();
    (folder, three, first.id(), settled.past)
}

#[test]
fn settled_match_is_closed_to_its_players_from_the_first_signed_part_of_the_next_one_on() {
    let (_folder, three, first, past) = three();
    let next = three.new_match(2, Some(past));
    three.file(&next, at_once);
    let own = &three.own;
    // Nothing is signed in the next match.
    assert_eq!(open::is_settled(own, &first).unwrap(), None);
    assert!(open::must_not_be_settled(own, &first).is_ok());
    assert_eq!(open::went_on(own, &first, three.peer(2)).unwrap(), None);
    let mut both = three.open();
    both.sort_unstable();
    let mut expected = [first, next.id()];
    expected.sort_unstable();
    assert_eq!(both, expected);
    let file = open::find(own, &next.id(), three.peer(1)).unwrap();
    file.unwrap().forget().unwrap();
    assert_eq!(three.open(), [first]);
    // From the first part on, the other one is closed.
    three.file(&next, is_dealing_keys);
    assert_eq!(open::is_settled(own, &first).unwrap(), Some(next.id()));
    assert!(open::must_not_be_settled(own, &first).is_err());
    assert_eq!(three.open(), [next.id()]);
    // The players of the settled match are told their own chips, and nobody else.
    for seat in [1, 2] {
        let told = open::went_on(own, &first, three.peer(seat)).unwrap();
        assert_eq!(told, Some(Control::WentOn(first, 100)));
    }
    let stranger = Identity::from_seed([9; 32]);
    let told = open::went_on(own, &first, stranger.public()).unwrap();
    assert_eq!(told, None);
    let told = open::went_on(own, &next.id(), three.peer(1)).unwrap();
    assert_eq!(told, None);
}

/// A player has agreed to a settlement, and its program was killed before it signed anything in the next
/// match. Meanwhile the player may have gone on in the first one.
#[test]
fn match_without_a_signature_is_resumed_only_if_its_player_still_agrees() {
    let (_folder, three, first, past) = three_until(waits_for_the_last);
    let next = three.new_match(2, Some(past));
    three.file(&next, at_once);
    let own = &three.own;
    let file = |of: MatchId| open::find(own, &of, three.peer(1)).unwrap().unwrap();
    let resumes = || check(own, file(next.id()));
    // The own program has not claimed that the last seat is absent.
    let error = format!("{:#}", resumes().unwrap_err());
    assert!(
        error.contains("you have signed nothing") && error.contains("out of time or away"),
        "{error}"
    );
    let mut settled = file(first);
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
fn mark_of_a_settled_match_outlives_the_next_match() {
    let (_folder, three, first, past) = three();
    let next = three.new_match(2, Some(past));
    three.file(&next, is_dealing_keys);
    let file = open::find(&three.own, &next.id(), three.peer(1)).unwrap();
    file.unwrap().forget().unwrap();
    let file = open::find(&three.own, &next.id(), three.peer(1)).unwrap();
    assert!(file.unwrap().opened.is_closed());
    assert!(open::must_not_be_settled(&three.own, &first).is_err());
    // No hand was dealt in it, so another match can continue the first one.
    assert!(open::must_not_be_continued(&three.own, &first).is_ok());
}

#[test]
fn chips_are_not_taken_twice_through_a_match_without_a_hand() {
    let (_folder, three, first, past) = three();
    let second = three.new_match(2, Some(past.clone()));
    three.file(&second, is_dealing_keys);
    assert!(open::must_not_be_continued(&three.own, &first).is_ok());
    let mut end = past;
    (end.match_id, end.seats, end.without) = (second.id(), 2, Vec::new());
    let third = three.new_match(2, Some(end));
    three.file(&third, is_dealt);
    for of in [first, second.id()] {
        assert!(open::must_not_be_continued(&three.own, &of).is_err());
    }
}
