//! Files of board games.

use dealerless::deck::Card;

use super::files::begun;
use crate::log::tests::goods::{CARDS, played};
use crate::log::{LogEvent, Signed};
use crate::record::Record;
use crate::rules::{Choice, GoodsChoice, Learners};
use crate::seat::Seat;

#[test]
fn record_of_a_board_game_verifies_and_has_its_choices_rolls_and_steals() {
    let table = played(4, 17);
    let log = &table.seats[0].log;
    let (mut journal, memory) = begun(&table.of, Seat::GUEST);
    let signed = log.statements(0).into_iter().map(|one| one.signed);
    let signed: Vec<Signed> = signed.collect();
    journal.append(&signed).unwrap();
    let record = Record::read(&memory.bytes(), None).unwrap();
    assert_eq!(record.log.hash(), log.hash());
    let [hand] = &record.hands[..] else {
        panic!("one hand was dealt");
    };
    let count =
        |is: &dyn Fn(&LogEvent) -> bool| hand.events.iter().filter(|event| is(event)).count();
    assert_eq!(count(&|event| matches!(event, LogEvent::Rolled(_))), 2);
    assert_eq!(count(&|event| matches!(event, LogEvent::Mixed { .. })), 3);
    let agreed = |event: &LogEvent| match event {
        LogEvent::Chose(chosen) => {
            matches!(chosen.choice, Choice::Goods(GoodsChoice::Agree { .. }))
        }
        _ => false,
    };
    assert_eq!(count(&agreed), 1);
    // The stolen good was opened to the thief, and to all when the thief spent it.
    let stolen = hand.events.iter().find_map(|event| match event {
        LogEvent::Stolen(stolen) => Some(*stolen),
        _ => None,
    });
    let position = stolen.unwrap().position;
    let opened = hand.events.iter().filter_map(|event| match event {
        LogEvent::Opened {
            position: at,
            to,
            card,
        } if *at == position => Some((*to, *card)),
        _ => None,
    });
    let opened: Vec<_> = opened.collect();
    let [
        (Learners::Seat(Seat::HOST), None),
        (Learners::All, Some(kind)),
    ] = opened[..]
    else {
        panic!("{opened:?}");
    };
    assert!(position >= CARDS && kind == Card(2));
    // Each byte of each statement counts.
    let bytes = memory.bytes();
    for at in (bytes.len() / 3..bytes.len() - 40).step_by(4001) {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        let owner = &table.of.identities[1];
        assert!(Record::read(&changed, Some(owner)).is_err(), "byte {at}");
    }
}
