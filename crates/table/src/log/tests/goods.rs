//! Board games with a verifiable deck: several decks, goods, trades, steals and dice.

mod many;

use dealerless::deck::Card;
use dealerless::dice::Dice;
use dealerless::verifiable::BadShuffle;
use zeroize::Zeroizing;

use super::super::*;
use super::many_seats::{Table, verifiable_with};
use crate::play::VerifiableSeat;
use crate::rules::{
    Choice, Gain, Game, GameDeck, Good, GoodsChoice, Learners, NamedKinds, Offer, Stakes,
};
use crate::seat::Seat;

const WOOD: u8 = 0;
const GRAIN: u8 = 1;
const ORE: u8 = 2;
/// The numbers of cards of the two boards together, and of all decks.
const BOARD: usize = 7;
pub(crate) const CARDS: usize = 12;

/// Two boards and a pile, and three kinds of goods.
fn game() -> Game {
    let deck = |name: &str, kinds: &[(&str, u32)], is_board| GameDeck {
        name: name.to_owned(),
        kinds: NamedKinds::new(kinds).unwrap(),
        is_board,
    };
    let decks = vec![
        deck("tiles", &[("forest", 2), ("field", 2)], true),
        deck("numbers", &[("six", 2), ("eight", 1)], true),
        deck("cards", &[("knight", 4), ("point", 1)], false),
    ];
    let goods = ["wood", "grain", "ore"].map(str::to_owned);
    Game::new(decks, goods.to_vec()).unwrap()
}

fn table(seats: u8, seed: u64) -> Table {
    table_of(seats, seats.into(), seed)
}

/// A table at which any `threshold` seats open a card.
fn table_of(seats: u8, threshold: usize, seed: u64) -> Table {
    let stakes = Stakes::of_game(game(), seats, 2).unwrap();
    let players: Vec<u8> = (0..seats).collect();
    let mut table = Table::new(verifiable_with(stakes, &players, threshold, None), seed);
    table.play();
    table
}

/// The seat at its turn chooses this, and all seats do what follows.
fn choose(table: &mut Table, choice: Choice) {
    table.script.push_back(choice);
    table.play();
    assert!(table.script.is_empty(), "nobody could make the choice");
}

fn of_goods(table: &mut Table, choice: GoodsChoice) {
    choose(table, Choice::Goods(choice));
}

fn gain(table: &mut Table, gains: &[(u8, u8, u8)]) {
    let gain = |&(seat, kind, count): &(u8, u8, u8)| Gain {
        seat: Seat::new(seat),
        kind,
        count,
    };
    of_goods(table, GoodsChoice::Gain(gains.iter().map(gain).collect()));
}

fn good(position: usize, kind: u8) -> Good {
    Good {
        position: position as u16,
        kind,
    }
}

/// The goods of a seat, as all seats see them.
fn goods(table: &Table, seat: u8) -> Vec<(usize, Option<u8>)> {
    let hands = table
        .seats
        .iter()
        .map(|own| own.log.game().unwrap().goods(Seat::new(seat)));
    let hands: Vec<_> = hands.collect();
    assert!(hands.iter().all(|hand| *hand == hands[0]));
    hands[0].clone()
}

/// The kinds of these goods, as far as a seat knows them.
fn known(table: &mut Table, seat: usize, positions: &[usize]) -> Vec<Option<u64>> {
    let own = &mut table.seats[seat];
    let kind = |position: &usize| own.own.card(&own.log, *position).map(|card| card.0);
    positions.iter().map(kind).collect()
}

fn phase_is_a_choice_of(table: &Table, seat: u8) {
    let phase = table.phase();
    assert!(
        matches!(phase, Phase::Choose { seat: turn, .. } if turn == Seat::new(seat)),
        "{phase:?}"
    );
}

#[test]
fn board_is_open_to_all_from_the_start_and_the_pile_is_closed() {
    for seats in [2, 4] {
        let table = table(seats, 1);
        phase_is_a_choice_of(&table, 0);
        let log = &table.seats[1].log;
        let mut cards: Vec<u64> = (0..BOARD)
            .map(|at| log.public_card(at).unwrap().0)
            .collect();
        cards[..4].sort_unstable();
        cards[4..].sort_unstable();
        assert_eq!(cards, (0..BOARD as u64).collect::<Vec<_>>());
        assert!((BOARD..CARDS).all(|at| log.public_card(at).is_none()));
        assert_eq!(game().face(Card(4)).unwrap(), "numbers:six#1");
        assert_eq!(log.step(), 4 + u64::from(seats) + 1);
    }
}

#[test]
fn dice_are_the_same_for_all_seats_and_new_in_each_roll() {
    let mut table = table(3, 2);
    let mut rolls = Vec::new();
    for _ in 0..6 {
        choose(&mut table, Choice::Roll(Dice::new(2, 6).unwrap()));
        let faces = table.seats.iter().map(|seat| {
            let rolled = seat.log.game().unwrap().last_roll().unwrap();
            assert_eq!(rolled.by, Seat::HOST);
            rolled.faces.clone()
        });
        let faces: Vec<_> = faces.collect();
        assert!(faces.iter().all(|other| *other == faces[0]));
        rolls.push(faces[0].clone());
        phase_is_a_choice_of(&table, 0);
    }
    rolls.sort_unstable();
    rolls.dedup();
    assert!(rolls.len() > 2, "{rolls:?}");
}

#[test]
fn goods_are_traded_in_the_step_of_the_agreement() {
    let mut table = table(3, 3);
    gain(&mut table, &[(0, WOOD, 2), (2, ORE, 1), (2, GRAIN, 1)]);
    let first = CARDS;
    let offer = |give: &[Good], take: &[u8]| {
        GoodsChoice::Offer(Offer {
            to: Seat::new(2),
            give: give.to_vec(),
            take: take.to_vec(),
        })
    };
    // A refusal changes nothing, and the turn continues.
    of_goods(&mut table, offer(&[good(first, WOOD)], &[ORE]));
    phase_is_a_choice_of(&table, 2);
    choose(&mut table, Choice::Refuse(0));
    phase_is_a_choice_of(&table, 0);
    assert_eq!(goods(&table, 2).len(), 2);
    let both = [good(first, WOOD), good(first + 1, WOOD)];
    of_goods(&mut table, offer(&both, &[ORE]));
    let step = table.seats[0].log.step();
    let give = vec![good(first + 2, ORE)];
    of_goods(&mut table, GoodsChoice::Agree { number: 1, give });
    assert_eq!(table.seats[0].log.step(), step + 1);
    assert_eq!(goods(&table, 0), [(first + 2, Some(ORE))]);
    let wood = Some(WOOD);
    let expected = [(first, wood), (first + 1, wood), (first + 3, Some(GRAIN))];
    assert_eq!(goods(&table, 2), expected);
    // Spent.
    of_goods(&mut table, GoodsChoice::Give(vec![good(first + 2, ORE)]));
    assert_eq!(goods(&table, 0), []);
}

#[test]
fn stolen_good_is_known_to_owner_and_thief_alone_until_it_is_given() {
    for seed in [4, 5] {
        let mut table = table(4, seed);
        gain(&mut table, &[(2, WOOD, 2), (2, GRAIN, 1), (2, ORE, 1)]);
        choose(&mut table, Choice::Steal(Seat::new(2)));
        phase_is_a_choice_of(&table, 0);
        let hand: Vec<usize> = (CARDS..CARDS + 4).collect();
        let stolen = table.seats[3].log.game().unwrap().last_steal().unwrap();
        assert_eq!((stolen.thief, stolen.owner), (Seat::HOST, Seat::new(2)));
        assert_eq!(goods(&table, 0), [(stolen.position, None)]);
        assert_eq!(goods(&table, 2).len(), 3);
        // The owner knows all, the thief the one.
        let mut owner = known(&mut table, 2, &hand);
        let of_thief = known(&mut table, 0, &hand);
        for (at, kind) in hand.iter().zip(&of_thief) {
            let is_stolen = *at == stolen.position;
            assert_eq!(*kind, owner[at - CARDS].filter(|_| is_stolen));
        }
        assert_eq!(known(&mut table, 1, &hand), [None; 4]);
        // A program that starts again computes the same from the log.
        for seat in [0, 2] {
            let mut log = table.of.log_of(Seat::new(seat));
            for statement in table.seats[1].log.statements(0) {
                log.accept_statement(statement).unwrap();
            }
            let secret = Zeroizing::new([seat + 1; 32]);
            let mut own = VerifiableSeat::new(&log, Seat::new(seat), secret).unwrap();
            let again = hand.iter().map(|at| own.card(&log, *at).map(|card| card.0));
            let before = if seat == 0 { &of_thief } else { &owner };
            assert_eq!(again.collect::<Vec<_>>(), *before);
        }
        let kind = owner[stolen.position - CARDS].unwrap() as u8;
        owner.sort_unstable();
        assert_eq!(owner, [0, 0, 1, 2].map(Some));

        // The thief mixes it, which changes nothing for a single good, and gives it.
        of_goods(&mut table, GoodsChoice::Mix);
        assert_eq!(
            known(&mut table, 0, &[stolen.position]),
            [Some(kind.into())]
        );
        assert_eq!(known(&mut table, 2, &[stolen.position]), [None]);
        of_goods(
            &mut table,
            GoodsChoice::Give(vec![good(stolen.position, kind)]),
        );
        phase_is_a_choice_of(&table, 0);
        assert_eq!(goods(&table, 0), []);
        let log = &table.seats[1].log;
        assert_eq!(log.public_card(stolen.position), Some(Card(kind.into())));
    }
}

#[test]
fn single_good_is_stolen_without_a_mix_and_a_public_one_is_not_opened() {
    let mut table = table(3, 6);
    gain(&mut table, &[(1, ORE, 1)]);
    let step = table.seats[0].log.step();
    choose(&mut table, Choice::Steal(Seat::new(1)));
    assert_eq!(table.seats[0].log.step(), step + 1);
    assert_eq!(goods(&table, 0), [(CARDS, Some(ORE))]);
    // A hidden one: the thief mixes it, and the next seat steals it.
    of_goods(&mut table, GoodsChoice::Mix);
    choose(&mut table, Choice::Pass);
    let step = table.seats[0].log.step();
    choose(&mut table, Choice::Steal(Seat::HOST));
    assert_eq!(table.seats[0].log.step(), step + 2);
    assert_eq!(goods(&table, 1), [(CARDS, None)]);
    assert_eq!(known(&mut table, 1, &[CARDS]), [Some(ORE.into())]);
    assert_eq!(known(&mut table, 2, &[CARDS]), [None]);
}

#[test]
fn drawn_card_is_shown_to_one_seat_and_then_to_all() {
    let mut table = table(4, 7);
    of_goods(&mut table, GoodsChoice::Draw(2));
    let seen = |table: &mut Table| [0, 1, 2, 3].map(|seat| known(table, seat, &[BOARD])[0]);
    let [Some(card), None, None, None] = seen(&mut table) else {
        panic!("the card is for seat 0 alone");
    };
    assert!((BOARD as u64..CARDS as u64).contains(&card));
    let show = |to| GoodsChoice::Show {
        position: BOARD as u16,
        to,
    };
    of_goods(&mut table, show(Learners::Seat(Seat::new(2))));
    assert_eq!(seen(&mut table), [Some(card), None, Some(card), None]);
    of_goods(&mut table, show(Learners::All));
    assert_eq!(table.seats[3].log.public_card(BOARD), Some(Card(card)));
    // The next card of the pile.
    choose(&mut table, Choice::Pass);
    of_goods(&mut table, GoodsChoice::Draw(2));
    let drawn = known(&mut table, 1, &[BOARD + 1])[0].unwrap();
    assert!(drawn != card && known(&mut table, 0, &[BOARD + 1]) == [None]);
}

#[test]
fn giver_of_a_hidden_good_that_is_of_another_kind_is_convicted_by_all_seats() {
    let mut table = table(3, 8);
    gain(&mut table, &[(0, WOOD, 1)]);
    of_goods(&mut table, GoodsChoice::Mix);
    of_goods(&mut table, GoodsChoice::Give(vec![good(CARDS, ORE)]));
    let (seat, foul) = (Seat::HOST, PartFoul::OtherKind);
    assert_eq!(table.phase(), Phase::Over(End::Foul { seat, foul }));
    // In a trade, the seat at fault is the one that gave it.
    let mut table = self::table(3, 9);
    gain(&mut table, &[(0, WOOD, 1), (1, GRAIN, 2)]);
    choose(&mut table, Choice::Pass);
    of_goods(&mut table, GoodsChoice::Mix);
    for _ in 0..2 {
        choose(&mut table, Choice::Pass);
    }
    let offer = Offer {
        to: Seat::new(1),
        give: vec![good(CARDS, WOOD)],
        take: vec![ORE],
    };
    of_goods(&mut table, GoodsChoice::Offer(offer));
    let give = vec![good(CARDS + 1, ORE)];
    of_goods(&mut table, GoodsChoice::Agree { number: 0, give });
    let (seat, foul) = (Seat::new(1), PartFoul::OtherKind);
    assert_eq!(table.phase(), Phase::Over(End::Foul { seat, foul }));
}

#[test]
fn second_hand_has_the_decks_that_were_shuffled_ahead_and_coins_of_its_own() {
    let mut table = table(3, 18);
    let mut hands = Vec::new();
    for _ in 0..2 {
        choose(&mut table, Choice::Roll(Dice::new(4, 20).unwrap()));
        let log = &table.seats[0].log;
        let board: Vec<_> = (0..BOARD)
            .map(|at| log.public_card(at).unwrap().0)
            .collect();
        let rolled = log.game().unwrap().last_roll().unwrap().faces.clone();
        hands.push((board, rolled));
        for _ in 0..3 {
            choose(&mut table, Choice::Pass);
        }
    }
    assert_eq!(table.phase(), Phase::Over(End::Played));
    assert!(table.seats.iter().all(|seat| seat.refused.is_none()));
    assert!(hands[0].0 != hands[1].0 && hands[0].1 != hands[1].1);
    // All shuffles but those of the first hand were made ahead.
    let shuffles = table.seats[0]
        .log
        .history(0)
        .filter(|part| part.part[0] == 18);
    assert_eq!(shuffles.count(), 3);
}

/// Plays all kinds of choices with four seats. The last seat leaves in the middle.
pub(crate) fn played(threshold: usize, seed: u64) -> Table {
    let mut table = table_of(4, threshold, seed);
    gain(
        &mut table,
        &[(0, WOOD, 2), (1, ORE, 3), (2, GRAIN, 1), (3, GRAIN, 2)],
    );
    choose(&mut table, Choice::Roll(Dice::new(2, 6).unwrap()));
    choose(&mut table, Choice::Steal(Seat::new(1)));
    of_goods(&mut table, GoodsChoice::Draw(2));
    let show = |to| GoodsChoice::Show {
        position: BOARD as u16,
        to,
    };
    of_goods(&mut table, show(Learners::Seat(Seat::new(1))));
    of_goods(&mut table, show(Learners::All));
    choose(&mut table, Choice::Pass);
    of_goods(&mut table, GoodsChoice::Mix);
    choose(&mut table, Choice::Pass);
    let offer = Offer {
        to: Seat::HOST,
        give: vec![good(CARDS + 5, GRAIN)],
        take: vec![WOOD],
    };
    of_goods(&mut table, GoodsChoice::Offer(offer));
    let give = vec![good(CARDS, WOOD)];
    of_goods(&mut table, GoodsChoice::Agree { number: 0, give });
    choose(&mut table, Choice::Pass);
    table.seats[3].leaves = true;
    table.play();
    phase_is_a_choice_of(&table, 0);
    let hidden = goods(&table, 0)
        .into_iter()
        .find(|(_, kind)| kind.is_none());
    let (position, _) = hidden.unwrap();
    let kind = known(&mut table, 0, &[position])[0].unwrap() as u8;
    of_goods(&mut table, GoodsChoice::Give(vec![good(position, kind)]));
    of_goods(&mut table, GoodsChoice::Mix);
    choose(&mut table, Choice::Roll(Dice::new(1, 20).unwrap()));
    of_goods(&mut table, GoodsChoice::Draw(2));
    for _ in 0..3 {
        choose(&mut table, Choice::Pass);
    }
    table
}

#[test]
fn game_goes_on_without_a_seat_that_leaves_and_anybody_can_replay_it() {
    for (threshold, seed) in [(4, 10), (4, 11), (3, 12)] {
        let table = played(threshold, seed);
        // With roll calls, the others go on to the next hand.
        match threshold {
            4 => {
                let left = vec![Seat::new(3)];
                assert_eq!(table.phase(), Phase::Over(End::Left(left)));
            }
            _ => assert_eq!(table.seats[0].log.attempt().hand, 2),
        }
        assert!(table.seats.iter().all(|seat| seat.refused.is_none()));
        let mut other = table.of.log();
        for statement in table.seats[0].log.statements(0) {
            other.accept_statement(statement).unwrap();
        }
        assert_eq!(other.hash(), table.seats[0].log.hash());
    }
}

/// The seat at its turn chooses this, and the others go on without these seats.
fn choose_without(table: &mut Table, choice: Choice, silent: &[Seat]) {
    table.script.push_back(choice);
    table.play_without(silent);
    assert!(table.script.is_empty(), "nobody could make the choice");
}

#[test]
fn dice_do_not_depend_on_the_seats_that_fall_silent_while_they_are_rolled() {
    let dice = Choice::Roll(Dice::new(3, 20).unwrap());
    let roll = |silent: &[Seat]| {
        let mut table = table_of(4, 3, 14);
        choose_without(&mut table, dice.clone(), silent);
        let log = &table.seats[0].log;
        assert_eq!(log.hash(), table.seats[1].log.hash());
        let rolled = log.game().unwrap().last_roll().unwrap().faces.clone();
        // The next coin is another one.
        choose_without(&mut table, dice.clone(), silent);
        let next = table.seats[0].log.game().unwrap();
        assert_eq!(next.coin(), 1);
        (rolled, next.last_roll().unwrap().faces.clone())
    };
    // Seats 0 to 2 open the first coin, and seats 1 to 3 the second one.
    let (first, second) = roll(&[]);
    assert_ne!(first, second);
    for silent in [2, 3] {
        assert_eq!(roll(&[Seat::new(silent)]), (first.clone(), second.clone()));
    }
}

#[test]
fn steal_is_void_if_the_owner_falls_silent_before_its_mix() {
    let mut table = table_of(4, 3, 15);
    gain(&mut table, &[(2, WOOD, 2), (2, GRAIN, 1)]);
    let hand = goods(&table, 2);
    let owner = Seat::new(2);
    choose_without(&mut table, Choice::Steal(owner), &[owner]);
    for seat in [0, 1, 3] {
        let log = &table.seats[seat].log;
        assert!(matches!(log.phase(), Phase::Choose { seat, .. } if seat == Seat::HOST));
        let game = log.game().unwrap();
        assert_eq!(
            (game.goods(owner), game.goods(Seat::HOST)),
            (hand.clone(), vec![])
        );
    }
    // Nobody can steal from it any more.
    let log = &table.seats[0].log;
    let stolen = log.may_choose(Seat::HOST, &Choice::Steal(owner));
    assert_eq!(stolen, Err(crate::rules::Foul::NothingToSteal(owner)));
}

#[test]
fn coin_of_a_steal_whose_thief_falls_silent_is_never_used_again() {
    let mut table = table_of(4, 3, 16);
    gain(&mut table, &[(2, WOOD, 2), (2, GRAIN, 1)]);
    let (thief, owner) = (Seat::HOST, Seat::new(2));
    table.script.push_back(Choice::Steal(owner));
    table.play_until(|log| matches!(log.phase(), Phase::Open(_)));
    table.play_without(&[thief]);
    for seat in [1, 2, 3] {
        let log = &table.seats[seat].log;
        assert!(matches!(log.phase(), Phase::Choose { seat, .. } if seat == Seat::GUEST));
        let game = log.game().unwrap();
        let kinds: Vec<_> = game.goods(owner).iter().map(|(_, kind)| *kind).collect();
        assert_eq!((kinds, game.goods(thief)), (vec![None; 3], vec![]));
    }
    choose_without(&mut table, Choice::Roll(Dice::new(2, 6).unwrap()), &[thief]);
    let game = table.seats[1].log.game().unwrap();
    assert!(game.coin() == 1 && game.last_roll().is_some());
}

/// The foul for which a log refuses a part of a seat with these bytes.
fn foul(table: &Table, log: &MatchLog, seat: Seat, bytes: Vec<u8>) -> PartFoul {
    match log.clone().accept(table.of.sign_bytes(log, seat, bytes)) {
        Err(Refused::Foul(proof)) => {
            assert_eq!(proof.part.seat, seat);
            proof.foul
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_changed_part_is_a_foul_of_its_signer() {
    let table = played(4, 12);
    let mut log = table.of.log();
    let mut mixes = 0;
    for statement in table.seats[0].log.statements(0) {
        if let Signed::Part(part) = &statement.signed {
            let kind = part.part[0];
            let places: &[usize] = match kind {
                18..=20 | 22 => &[1, 40, part.part.len() - 40, part.part.len() - 1],
                _ => &[],
            };
            for &at in places {
                let mut bytes = part.part.clone();
                bytes[at] ^= 1;
                let foul = foul(&table, &log, part.seat, bytes);
                let fits = match kind {
                    18 => matches!(foul, PartFoul::Shuffle(_)),
                    19 => matches!(foul, PartFoul::Partials(_)),
                    20 => matches!(foul, PartFoul::Show(_)),
                    _ => matches!(foul, PartFoul::Mix(_)),
                };
                assert!(fits, "{foul:?}");
            }
            if kind == 22 {
                mixes += 1;
                // A mix of one good less, and one of one good more.
                let shorter = part.part[..part.part.len() - 224].to_vec();
                let longer = [&part.part[..], &[0; 224]].concat();
                for bytes in [shorter, longer, vec![22]] {
                    let foul = foul(&table, &log, part.seat, bytes);
                    assert_eq!(foul, PartFoul::Mix(BadShuffle::Encoding));
                }
                // A mix when another part is due, and another part in place of the mix.
                let other = Part::Partials(vec![0; 96]).encode(log.shape(), 0);
                let other = foul(&table, &log, part.seat, other);
                assert_eq!(other, PartFoul::Kind(PartKind::Partials));
            }
            if kind == 5 {
                let mix = Part::Mix(vec![0; 512]).encode(log.shape(), 0);
                let early = foul(&table, &log, part.seat, mix);
                assert_eq!(early, PartFoul::Kind(PartKind::Mix));
            }
        }
        log.accept_statement(statement).unwrap();
    }
    assert_eq!(mixes, 3);
}

/// A mix is bound to the goods of its owner in this step: a valid one of another seat, for another
/// step, or of other goods is a foul.
#[test]
fn mix_from_elsewhere_is_a_foul() {
    let (one, other) = (played(4, 13), played(4, 13));
    let mixes = |table: &Table| {
        let parts = table.seats[0]
            .log
            .history(0)
            .filter(|part| part.part[0] == 22);
        parts.cloned().collect::<Vec<_>>()
    };
    let all = mixes(&one);
    assert_eq!(all, mixes(&other));
    let mut log = one.of.log();
    for statement in one.seats[0].log.statements(0) {
        if let Signed::Part(part) = &statement.signed
            && part.part[0] == 22
        {
            for elsewhere in all.iter().filter(|elsewhere| elsewhere.step != part.step) {
                let foul = foul(&one, &log, part.seat, elsewhere.part.clone());
                assert!(matches!(foul, PartFoul::Mix(_)), "{foul:?}");
            }
        }
        log.accept_statement(statement).unwrap();
    }
}
