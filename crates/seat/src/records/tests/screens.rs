//! Tests of the output for people.

use std::time::Duration;

use dealerless_table::Seat;
use dealerless_table::log::{Claimed, Part};
use dealerless_table::record::{Compared, Record};
use dealerless_table::rules::{Choice, Learners, Legal, Limit, PokerKind, Stakes, Variety};

use serde_json::{Value, json};

use super::super::history::{self, Listed, RecordFile};
use super::super::verify::{Read, Verified, outcome, pairs, report};
use super::super::words;
use super::super::{listing, phh, pokerstars};
use super::made::{Made, passive, rules};

pub(super) fn holdem(hands: u32) -> Made {
    let variety = Variety::Poker(PokerKind::Holdem, rules(Limit::NoLimit, 200));
    Made::new(variety, 2, hands, [11, 15])
}

/// 2026-11-22 08:15:03 in UTC.
pub(super) const DATE: words::Moment = words::Moment {
    year: 2026,
    month: 11,
    day: 22,
    hour: 8,
    minute: 15,
    second: 3,
};

/// Plays these choices in order, and then stops.
fn script(choices: Vec<Choice>) -> impl FnMut(Seat, &Legal) -> Option<Choice> {
    let mut choices = choices.into_iter();
    move |_, _| choices.next()
}

/// A match of three hands: one with a showdown, one that ends on the flop, and an all-in.
pub(super) fn played() -> Made {
    let mut made = holdem(3);
    let (call, check) = (Choice::Call, Choice::Check);
    let mut choices = vec![Choice::Raise { to: 6 }, call.clone()];
    choices.extend([check.clone(), Choice::Bet { to: 8 }, call.clone()]);
    choices.extend([
        check.clone(),
        check.clone(),
        Choice::Bet { to: 20 },
        call.clone(),
    ]);
    choices.extend([Choice::Show, Choice::Show]);
    choices.extend([
        call.clone(),
        check.clone(),
        Choice::Bet { to: 2 },
        Choice::Fold,
    ]);
    choices.extend([Choice::Raise { to: 160 }, Choice::Raise { to: 164 }, call]);
    choices.extend([Choice::Show, Choice::Muck]);
    made.play(script(choices));
    made
}

pub(super) fn read(name: &str, bytes: &[u8]) -> Read {
    Read::of(name.to_owned(), bytes, None)
}

fn golden(text: &str, expected: &str) {
    assert_eq!(text, expected.trim_end());
}

pub(super) fn pages(record: &Record) -> String {
    let hands: Vec<_> = record.hands.iter().collect();
    pokerstars::write(record, &hands, Some(DATE))
}

#[test]
fn hands_match_the_format_of_pokerstars() {
    golden(
        &pages(&played().own(Seat::GUEST)),
        include_str!("screens/pokerstars.txt"),
    );
}

#[test]
fn without_the_keys_only_shown_cards_are_visible() {
    let made = played();
    let text = pages(&made.record(Seat::GUEST));
    assert!(!text.contains("Dealt to"), "{text}");
    assert!(text.contains("Anna: shows ["), "{text}");
}

#[test]
fn five_card_draw_matches_the_stored_page() {
    let variety = Variety::Poker(PokerKind::FiveCardDraw, rules(Limit::Fixed, 200));
    let mut made = Made::new(variety, 2, 1, [11, 15]);
    made.play(|_, legal| Some(passive(legal)));
    let record = made.own(Seat::HOST);
    golden(&pages(&record), include_str!("screens/draw.txt"));
    let hands: Vec<_> = record.hands.iter().collect();
    let refused = phh::write(&record, &hands, false, None)
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("does not support five-card draw"),
        "{refused}"
    );
}

#[test]
fn a_hand_in_phh_matches_the_stored_page() {
    let record = played().own(Seat::GUEST);
    let hands = [&record.hands[0]];
    golden(
        &phh::write(&record, &hands, true, Some(DATE)).unwrap(),
        include_str!("screens/phh.txt"),
    );
}

#[test]
fn a_deck_without_rules_matches_the_stored_listing() {
    let variety = Variety::Deck {
        cards: 40,
        drawn: 7,
    };
    let mut made = Made::new(variety, 2, 1, [11, 7]);
    let all = |position| Choice::Propose(vec![(position, Learners::All)]);
    let own = Choice::Propose(vec![
        (1, Learners::Seat(Seat::HOST)),
        (2, Learners::Seat(Seat::GUEST)),
    ]);
    let mut choices = vec![own, Choice::Agree(0), all(4), Choice::Agree(1)];
    choices.extend([all(5), Choice::Refuse(2), Choice::Pass, Choice::Pass]);
    made.play(script(choices));
    let record = made.own(Seat::HOST);
    let hands: Vec<_> = record.hands.iter().collect();
    golden(
        &listing::write(&record, &hands),
        include_str!("screens/deck.txt"),
    );
}

#[test]
fn a_pile_of_kinds_matches_the_stored_listing() {
    let kinds = "knight=28,castle=10,road=2".parse().unwrap();
    let mut made = Made::of(Stakes::of_kinds(kinds, 7, 2, 1).unwrap(), [11, 7]);
    let mut choices = vec![Choice::Draw; 3];
    choices.extend([Choice::ShowCard(1), Choice::Reveal(2), Choice::Reveal(1)]);
    choices.extend([Choice::Pass, Choice::Pass]);
    made.play(script(choices));
    let record = made.own(Seat::HOST);
    let hands: Vec<_> = record.hands.iter().collect();
    golden(
        &listing::write(&record, &hands),
        include_str!("screens/kinds.txt"),
    );
    // A revealed card is no longer held, even if its holder had shown it before.
    assert_eq!(hands[0].held, [vec![0], vec![]]);
}

#[test]
fn verify_reports_what_two_valid_records_prove() {
    let made = played();
    let files = [
        read("anna.log", &made.file(Seat::HOST)),
        read("bert.log", &made.file(Seat::GUEST)),
    ];
    let pairs = pairs(&files);
    assert!(outcome(&files, &pairs).is_ok());
    golden(
        &report(&files, &pairs, true),
        include_str!("screens/verify.txt"),
    );
}

#[test]
fn verify_reports_claims_as_void_after_later_parts() {
    let mut made = holdem(1);
    made.play(|_, _| None);
    let late = made.log.waits_for()[0];
    let owner = Seat::GUEST;
    assert_ne!(late, owner);
    made.claim(owner, late, Claimed::OutOfTime);
    made.claim(owner, late, Claimed::Closed);
    let text = |made: &Made| report(&[read("bert.log", &made.file(owner))], &[], false);
    let out = "Bert's program noted on 2026-11-22 08:00 UTC that Anna was out of time in step 5.";
    let closed = "Bert closed the match here on 2026-11-22 08:00 UTC, in step 5.";
    let open = text(&made);
    assert!(
        open.contains(&format!("{out} It is only Bert's word.\n{closed}\n")),
        "{open}"
    );
    made.sign(late, &Part::Move(Choice::Call));
    let void = text(&made);
    let went_on = format!("{closed} It has continued since.\n");
    let expected = format!("{out} It is void: Anna has moved in that step.\n{went_on}");
    assert!(void.contains(&expected), "{void}");
    // The file of the other side has no claim.
    let other = report(&[read("anna.log", &made.file(late))], &[], false);
    assert!(
        !other.contains("noted") && !other.contains("closed"),
        "{other}"
    );
}

#[test]
fn verify_reports_a_claim_that_a_player_was_away() {
    let mut made = holdem(1);
    made.play(|_, _| None);
    let owner = made.log.waits_for()[0];
    assert_eq!(owner, Seat::HOST);
    made.claim(owner, Seat::GUEST, Claimed::Away);
    let text = |made: &Made| report(&[read("anna.log", &made.file(owner))], &[], false);
    let away = "Anna's program noted on 2026-11-22 08:00 UTC that Bert was away in step 5: it waited \
                for a connection, and there was none.";
    let alone = text(&made);
    assert!(
        alone.contains(&format!("{away} It is only Anna's word.\n")),
        "{alone}"
    );
    // The match continues with the owner's own part.
    made.sign(owner, &Part::Move(Choice::Call));
    let void = text(&made);
    assert!(
        void.contains(&format!(
            "{away} It is void: the match has continued since.\n"
        )),
        "{void}"
    );
}

#[test]
fn verify_reports_the_first_error_of_a_record() {
    let mut bytes = played().file(Seat::HOST);
    // This byte belongs to the last part.
    let at = bytes.len() - 40;
    bytes[at] ^= 4;
    let files = [read("anna.log", &bytes)];
    assert!(outcome(&files, &[]).is_err());
    golden(
        &report(&files, &[], false),
        include_str!("screens/changed.txt"),
    );
}

#[test]
fn verify_names_the_seat_that_signed_two_parts_for_a_step() {
    let (mut one, mut other) = (holdem(1), holdem(1));
    one.play(script(vec![Choice::Call, Choice::Check]));
    other.play(script(vec![Choice::Call, Choice::Raise { to: 20 }]));
    let files = [
        read("anna.log", &one.file(Seat::HOST)),
        read("bert.log", &other.file(Seat::GUEST)),
    ];
    let pairs = pairs(&files);
    assert!(matches!(pairs[0].compared, Compared::Forked { .. }));
    assert!(outcome(&files, &pairs).is_err());
    golden(
        &report(&files, &pairs, false),
        include_str!("screens/fork.txt"),
    );
}

#[test]
fn verify_compares_each_pair_of_more_than_two_records() {
    let (mut one, mut other) = (holdem(1), holdem(1));
    one.play(script(vec![Choice::Call, Choice::Check]));
    other.play(script(vec![Choice::Call, Choice::Raise { to: 20 }]));
    let sides = [Seat::HOST, Seat::GUEST].map(|seat| one.file(seat));
    let agree = [
        read("anna.log", &sides[0]),
        read("bert.log", &sides[1]),
        read("copy.log", &sides[0]),
    ];
    let found = pairs(&agree);
    assert!(outcome(&agree, &found).is_ok());
    let text = report(&agree, &found, false);
    let expected = "\n\nAll 3 records agree.\n\
                    anna.log and copy.log name the same seat as their owner; that is unproven.";
    assert!(text.ends_with(expected), "{text}");

    let files = [
        read("anna.log", &sides[0]),
        read("bert.log", &sides[1]),
        read("other.log", &other.file(Seat::GUEST)),
    ];
    let found = pairs(&files);
    assert!(outcome(&files, &found).is_err());
    let text = report(&files, &found, false);
    for pair in ["anna.log and other.log:", "bert.log and other.log:"] {
        let fork = format!("\n\n{pair}\nThe records diverge in hand 1, step 6: Bert signed");
        assert!(text.contains(&fork), "{text}");
    }
    assert!(!text.contains("records agree") && !text.contains("anna.log and bert.log"));
    let json = json!(Verified::of(&files, &found));
    assert_eq!(
        [&json["good"], &json["compared"]],
        [&json!(false), &Value::Null]
    );
    let how: Vec<_> = json["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| &pair["how"])
        .collect();
    assert_eq!(how, ["together", "forked", "forked"]);
    assert_eq!(json["pairs"][2]["files"], json!([1, 2]));
    assert_eq!(json["pairs"][2]["cheat"], 1);
}

#[test]
fn every_ending_has_its_sentence_and_exit_code() {
    let after = |part: Part| {
        let mut made = holdem(1);
        made.play(|_, _| None);
        let seat = made.log.waits_for()[0];
        made.sign(seat, &part);
        made
    };
    let mut foul = holdem(1);
    foul.play(|_, _| None);
    foul.foul(Seat::HOST);
    let cases = [
        (played(), "The match was played to its end.", true),
        (
            holdem(1),
            "Open before the first step, in hand 1: Anna and Bert must deal.",
            true,
        ),
        (
            after(Part::Move(Choice::Call)),
            "Open after step 5, in hand 1. The pot of 4 is undecided: Bert must choose.\n\
             Before this hand: Anna has 200 chips, Bert has 200 chips.",
            true,
        ),
        (after(Part::Leave), "Anna left the match.", true),
        (
            after(Part::Forfeit),
            "Anna could not continue and forfeits the hand.",
            true,
        ),
        (
            after(Part::Dispute { step: 4 }),
            "Anna disputes what Bert opened in step 4, with 3 chips in the pot. One of the players \
             cheated, and the record cannot tell which; the hand is undecided.",
            false,
        ),
        (
            foul,
            "Anna broke the rules: the signed part is malformed or has a non-canonical encoding.",
            false,
        ),
    ];
    for (made, words, good) in cases {
        let files = [read("a", &made.file(Seat::HOST))];
        let text = report(&files, &[], true);
        assert!(text.contains(words), "{text}");
        assert_eq!(outcome(&files, &[]).is_ok(), good, "{text}");
    }
}

/// A file that was last changed this many seconds after 1970.
pub(super) fn file(match_id: &str, peer: &str, changed: u64) -> RecordFile {
    RecordFile {
        match_id: match_id.to_owned(),
        file: "matches/x.log".to_owned(),
        peer: peer.to_owned(),
        bytes: 1,
        changed,
    }
}

fn listed(made: &Made, seat: Seat, of: &str) -> Listed {
    Listed::of(file(of, "Bert", 1_795_334_400), Ok(Ok(made.own(seat))))
}

#[test]
fn the_history_matches_the_stored_list() {
    let mut open = holdem(1);
    open.play(script(vec![Choice::Call]));
    let played = played();
    let id = played.log.match_info().id().to_string();
    let mut all = vec![
        listed(&open, Seat::HOST, &id),
        listed(&played, Seat::HOST, &id),
        listed(&played, Seat::GUEST, &id),
    ];
    let file = file(&id, "Bert", 0);
    let mut bytes = played.file(Seat::HOST);
    let at = bytes.len() - 40;
    bytes[at] ^= 4;
    all.push(Listed::of(file.clone(), Ok(Record::read(&bytes, None))));
    all.push(Listed::of(file, Err("it is too large".to_owned())));
    golden(&history::lines(&all), include_str!("screens/history.txt"));
}

/// A file without its last record.
fn without_the_last(mut bytes: Vec<u8>) -> Vec<u8> {
    let mut at = 0;
    loop {
        let len = u32::from_le_bytes(*bytes[at..].first_chunk().unwrap());
        let next = at + 20 + len as usize + 32;
        if next == bytes.len() {
            bytes.truncate(at);
            return bytes;
        }
        at = next;
    }
}

#[test]
fn a_decided_hand_mentions_that_its_last_opening_can_be_disputed() {
    let mut made = holdem(1);
    made.play(script(vec![Choice::Raise { to: 200 }, Choice::Call]));
    let bytes = without_the_last(made.file(Seat::HOST));
    let text = report(&[read("anna.log", &bytes)], &[], true);
    let state = "Bert has not signed the result and may still dispute the last opening.";
    assert!(text.contains(state), "{text}");
}

#[test]
fn a_hand_not_signed_by_the_loser_is_reported_as_decided() {
    let mut made = holdem(1);
    made.play(script(vec![Choice::Raise { to: 16 }, Choice::Fold]));
    let bytes = without_the_last(made.file(Seat::HOST));
    let files = [read("anna.log", &bytes)];
    let text = report(&files, &[], true);
    let state = "Open after step 6, in hand 1. Hand 1 is decided: Anna wins 4; Bert has not signed the result.";
    assert!(
        text.contains(&format!(
            "{state}\nAnna has 202 chips, Bert has 198 chips.\n"
        )),
        "{text}"
    );
    assert!(
        text.contains("\n  Hand 1: decided, not signed by Bert.\n"),
        "{text}"
    );
    let file = file("6c49bb6dfa0acd46", "Bert", 0);
    let listed = Listed::of(file, Ok(Record::read(&bytes, None)));
    let line = format!("no-limit Texas hold'em, 0 hands, won 2. {state}");
    let lines = history::lines(&[listed]);
    assert!(lines.ends_with(&line), "{lines}");
    let record = Record::read(&bytes, None).unwrap();
    assert!(pages(&record).contains(&format!("\n{state}\n")));
    assert!(!pages(&record).contains("not played to its end"));
}

#[test]
fn an_undecided_pot_is_reported_with_the_seat_to_act() {
    let (call, check) = (Choice::Call, Choice::Check);
    let mut made = holdem(1);
    let mut choices = vec![call, check.clone()];
    choices.extend(vec![check; 6]);
    made.play(script(choices));
    let state = |made: &Made| {
        let record = made.record(Seat::HOST);
        words::state(&words::Who::of(&record), &record)
    };
    let asked = state(&made);
    let pot = "The pot of 4 is undecided";
    assert!(
        asked.ends_with(&format!("{pot}: Bert must show or muck.")),
        "{asked}"
    );
    made.sign(Seat::GUEST, &Part::Move(Choice::Show));
    let shown = state(&made);
    assert!(
        shown.ends_with(&format!("{pot}: Bert must open its cards.")),
        "{shown}"
    );
}

#[test]
fn dates_follow_the_calendar() {
    for (seconds, day) in [
        (0, "1970-01-01 00:00"),
        (951_782_400 + 3_599, "2000-02-29 00:59"),
        (1_709_251_199, "2024-02-29 23:59"),
        (1_709_251_200, "2024-03-01 00:00"),
        (4_102_444_799, "2099-12-31 23:59"),
    ] {
        assert_eq!(words::date(seconds), day);
    }
    assert_eq!(words::Moment::of(1_795_335_303), DATE);
}

#[test]
fn hands_of_a_file_without_a_date_are_dated_1970_or_undated() {
    let at = Duration::from_secs;
    assert_eq!(words::Moment::of_file(at(1_795_335_303)), Some(DATE));
    let year_10000 = 253_402_300_800;
    assert!(words::Moment::of_file(at(year_10000 - 1)).is_some());
    for changed in [at(0), at(year_10000)] {
        assert_eq!(words::Moment::of_file(changed), None);
    }
    let record = played().own(Seat::GUEST);
    let hands: Vec<_> = record.hands.iter().collect();
    let text = pokerstars::write(&record, &hands, None);
    assert_eq!(text.matches(" - 1970/01/01 0:00:00 UTC\n").count(), 3);
    let text = phh::write(&record, &hands, false, None).unwrap();
    assert!(
        !text.contains("year") && !text.contains("unproven"),
        "{text}"
    );
}

#[test]
fn verify_names_the_seat_that_declared_a_try_void() {
    let mut made = holdem(1);
    for (seat, void) in [
        (Seat::GUEST, "1 try before was declared void by Bert"),
        (Seat::GUEST, "2 tries before were declared void by Bert"),
        (
            Seat::HOST,
            "3 tries before were declared void by Anna (1) and Bert (2)",
        ),
    ] {
        made.void(seat);
        made.deal();
        let text = report(&[read("anna.log", &made.file(Seat::HOST))], &[], true);
        let line = format!("  Hand 1 ({void}): not played to its end, not sealed.");
        assert!(text.lines().any(|found| found == line), "{text}");
    }
}
