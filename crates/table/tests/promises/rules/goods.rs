//! The parts of a board game: who may give, steal, show and answer what, and what happens to the goods.

use dealerless::deck::Card;
use dealerless::dice::Dice;
use dealerless_table::Seat;
use dealerless_table::rules::{
    BadCards, Choice, Foul, Gain, Game, GameDeck, Good, GoodsChoice, Hand, Learners, Next, Offer,
    Stakes, StakesError,
};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

/// The numbers of cards of the board and of the pile, and the position of the first good.
const BOARD: usize = 3;
const PILE: usize = 4;
const FIRST: usize = BOARD + PILE;

fn game() -> Game {
    let deck = |name: &str, kinds: &str, is_board| GameDeck {
        name: name.to_owned(),
        kinds: kinds.parse().unwrap(),
        is_board,
    };
    let decks = vec![
        deck("tiles", "forest=2,hill=1", true),
        deck("pile", "4", false),
    ];
    Game::new(decks, ["wood", "ore"].map(str::to_owned).to_vec()).unwrap()
}

/// A hand whose board is open. Cards lie in order.
fn hand(seats: u8) -> Hand {
    let stakes = Stakes::of_game(game(), seats, 1).unwrap();
    let stacks = vec![0; seats.into()];
    let mut hand = Hand::new(&stakes, &stacks, &[], Seat::HOST).unwrap();
    let board: Vec<_> = (0..BOARD).map(|at| (at, Learners::All)).collect();
    assert_eq!(hand.next(), Next::Open(board));
    let cards: Vec<_> = (0..BOARD).map(|at| (at, Card(at as u64))).collect();
    hand.opened(&cards).unwrap();
    hand
}

fn turn(hand: &Hand) -> Seat {
    match hand.next() {
        Next::Choose { seat, .. } => seat,
        next => panic!("{next:?}"),
    }
}

fn choose(hand: &mut Hand, choice: Choice) -> Result<(), Foul> {
    let before = hand.clone();
    let chosen = hand.choose(turn(hand), &choice);
    assert!(chosen.is_ok() || *hand == before);
    chosen
}

fn goods(hand: &mut Hand, choice: GoodsChoice) -> Result<(), Foul> {
    choose(hand, Choice::Goods(choice))
}

fn gain(hand: &mut Hand, seat: u8, kind: u8, count: u8) -> Result<(), Foul> {
    let seat = Seat::new(seat);
    goods(hand, GoodsChoice::Gain(vec![Gain { seat, kind, count }]))
}

fn good(number: usize, kind: u8) -> Good {
    Good {
        position: (FIRST + number) as u16,
        kind,
    }
}

fn offer(to: u8, give: &[Good], take: &[u8]) -> GoodsChoice {
    GoodsChoice::Offer(Offer {
        to: Seat::new(to),
        give: give.to_vec(),
        take: take.to_vec(),
    })
}

fn mix(hand: &mut Hand) {
    goods(hand, GoodsChoice::Mix).unwrap();
    hand.mixed().unwrap();
}

#[test]
fn seat_gives_only_its_own_goods_of_the_kinds_that_it_names() {
    let mut hand = hand(3);
    gain(&mut hand, 0, 0, 2).unwrap();
    gain(&mut hand, 1, 1, 1).unwrap();
    let give = |hand: &mut Hand, give: &[Good]| goods(hand, GoodsChoice::Give(give.to_vec()));
    let position = |number: usize| (FIRST + number) as u16;
    for (wrong, foul) in [
        (vec![], Foul::BadGoods),
        (vec![good(0, 0); 2], Foul::BadGoods),
        (vec![good(1, 0), good(0, 0)], Foul::BadGoods),
        (vec![good(0, 2)], Foul::BadGoods),
        (vec![good(0, 1)], Foul::OtherKind(position(0))),
        (vec![good(2, 1)], Foul::NotHeld(position(2))),
        (vec![good(9, 1)], Foul::NotHeld(position(9))),
        (
            vec![Good {
                position: 0,
                kind: 0,
            }],
            Foul::NotHeld(0),
        ),
    ] {
        assert_eq!(give(&mut hand, &wrong), Err(foul));
    }
    // A public good of the same kind comes first.
    mix(&mut hand);
    gain(&mut hand, 0, 0, 1).unwrap();
    assert_eq!(
        give(&mut hand, &[good(0, 0)]),
        Err(Foul::PublicFirst(position(0)))
    );
    give(&mut hand, &[good(1, 1)]).unwrap();
    let opened = vec![(FIRST + 1, Learners::All)];
    assert_eq!(hand.next(), Next::Open(opened));
    for (wrong, bad) in [
        (vec![], BadCards::NotDue),
        (vec![(FIRST, Card(1))], BadCards::NotDue),
        (vec![(FIRST + 1, Card(0))], BadCards::OtherKind(Seat::HOST)),
    ] {
        assert_eq!(hand.opened(&wrong), Err(bad));
    }
    hand.opened(&[(FIRST + 1, Card(1))]).unwrap();
    give(&mut hand, &[good(0, 0), good(3, 0)]).unwrap();
    hand.opened(&[(FIRST, Card(0))]).unwrap();
    assert_eq!(hand.goods(Seat::HOST), []);
    // Several goods are opened in any order.
    gain(&mut hand, 0, 0, 2).unwrap();
    mix(&mut hand);
    give(&mut hand, &[good(4, 0), good(5, 0)]).unwrap();
    let opened = [(FIRST + 5, Card(0)), (FIRST + 4, Card(0))];
    hand.opened(&opened).unwrap();
    assert_eq!(hand.goods(Seat::HOST), []);
}

#[test]
fn offer_is_answered_by_its_seat_and_changes_the_owners_of_exactly_these_goods() {
    let mut hand = hand(3);
    gain(&mut hand, 0, 0, 2).unwrap();
    gain(&mut hand, 2, 1, 1).unwrap();
    for wrong in [
        offer(0, &[good(0, 0)], &[1]),
        offer(3, &[good(0, 0)], &[1]),
        offer(2, &[good(0, 0)], &[2]),
        offer(2, &[good(0, 0)], &[1, 0]),
        offer(2, &[], &[]),
        offer(2, &[good(0, 0)], &[0; 33]),
    ] {
        assert_eq!(goods(&mut hand, wrong), Err(Foul::BadGoods));
    }
    let agree = |number, give: &[Good]| GoodsChoice::Agree {
        number,
        give: give.to_vec(),
    };
    assert_eq!(goods(&mut hand, agree(0, &[])), Err(Foul::NoSuchOffer(0)));
    goods(&mut hand, offer(2, &[good(0, 0), good(1, 0)], &[1])).unwrap();
    assert_eq!(turn(&hand), Seat::new(2));
    for (wrong, foul) in [
        (agree(1, &[good(2, 1)]), Foul::NoSuchOffer(1)),
        (agree(0, &[]), Foul::BadGoods),
        (agree(0, &[good(2, 1), good(3, 1)]), Foul::BadGoods),
        (agree(0, &[good(0, 1)]), Foul::NotHeld(FIRST as u16)),
        (GoodsChoice::Mix, Foul::WrongKind),
    ] {
        assert_eq!(goods(&mut hand, wrong), Err(foul));
    }
    assert_eq!(
        choose(&mut hand, Choice::Refuse(1)),
        Err(Foul::NoSuchOffer(1))
    );
    assert_eq!(choose(&mut hand, Choice::Pass), Err(Foul::WrongKind));
    goods(&mut hand, agree(0, &[good(2, 1)])).unwrap();
    assert_eq!(hand.goods(Seat::HOST), [(FIRST + 2, Some(1))]);
    let wood = [(FIRST, Some(0)), (FIRST + 1, Some(0))];
    assert_eq!(hand.goods(Seat::new(2)), wood);
    assert_eq!(turn(&hand), Seat::HOST);
    // A gift, in either direction, and an offer that is refused.
    goods(&mut hand, offer(1, &[good(2, 1)], &[])).unwrap();
    goods(&mut hand, agree(1, &[])).unwrap();
    assert_eq!(hand.goods(Seat::new(1)), [(FIRST + 2, Some(1))]);
    goods(&mut hand, offer(1, &[], &[1])).unwrap();
    choose(&mut hand, Choice::Refuse(2)).unwrap();
    assert_eq!(hand.goods(Seat::HOST), []);
}

#[test]
fn steal_needs_a_live_owner_with_goods_and_its_coin_picks_one_of_them() {
    let mut hand = hand(3);
    let steal = |hand: &mut Hand, owner| choose(hand, Choice::Steal(Seat::new(owner)));
    for owner in [0, 1, 3] {
        let foul = Foul::NothingToSteal(Seat::new(owner));
        assert_eq!(steal(&mut hand, owner), Err(foul));
    }
    gain(&mut hand, 1, 0, 3).unwrap();
    steal(&mut hand, 1).unwrap();
    let positions = vec![FIRST, FIRST + 1, FIRST + 2];
    let seat = Seat::new(1);
    assert_eq!(hand.next(), Next::Mix { seat, positions });
    assert!(hand.rolled(&[1]).is_err() && hand.opened(&[]).is_err());
    hand.mixed().unwrap();
    assert_eq!(hand.next(), Next::Roll(Dice::new(1, 3).unwrap()));
    for wrong in [&[0][..], &[4], &[1, 1], &[]] {
        assert!(hand.rolled(wrong).is_err());
    }
    hand.rolled(&[2]).unwrap();
    let to = Learners::Seat(Seat::HOST);
    assert_eq!(hand.next(), Next::Open(vec![(FIRST + 1, to)]));
    assert!(hand.opened(&[(FIRST + 1, Card(0))]).is_err());
    hand.opened(&[]).unwrap();
    assert_eq!(hand.goods(Seat::HOST), [(FIRST + 1, None)]);
    assert_eq!(hand.goods(seat), [(FIRST, None), (FIRST + 2, None)]);
    hand.gone(seat);
    assert_eq!(steal(&mut hand, 1), Err(Foul::NothingToSteal(seat)));
}

#[test]
fn only_the_seat_that_drew_a_card_shows_it_and_piles_run_out() {
    let mut hand = hand(2);
    let draw = |hand: &mut Hand, deck| goods(hand, GoodsChoice::Draw(deck));
    for deck in [0, 2, 255] {
        assert_eq!(draw(&mut hand, deck), Err(Foul::NothingToDraw));
    }
    let show = |position, to| GoodsChoice::Show { position, to };
    for at in BOARD..FIRST {
        draw(&mut hand, 1).unwrap();
        let to = Learners::Seat(Seat::HOST);
        assert_eq!(hand.next(), Next::Open(vec![(at, to)]));
        hand.opened(&[]).unwrap();
    }
    assert_eq!(draw(&mut hand, 1), Err(Foul::NothingToDraw));
    let first = BOARD as u16;
    assert_eq!(
        goods(&mut hand, show(0, Learners::All)),
        Err(Foul::NotHeld(0))
    );
    for to in [0, 2] {
        let to = Learners::Seat(Seat::new(to));
        assert_eq!(
            goods(&mut hand, show(first, to)),
            Err(Foul::AlreadyOpen(first))
        );
    }
    goods(&mut hand, show(first, Learners::Seat(Seat::GUEST))).unwrap();
    hand.opened(&[]).unwrap();
    goods(&mut hand, show(first, Learners::All)).unwrap();
    hand.opened(&[(BOARD, Card(3))]).unwrap();
    assert_eq!(hand.public(BOARD), Some(Card(3)));
    assert_eq!(
        goods(&mut hand, show(first, Learners::All)),
        Err(Foul::AlreadyOpen(first))
    );
    choose(&mut hand, Choice::Pass).unwrap();
    let other = show(first + 1, Learners::All);
    assert_eq!(goods(&mut hand, other), Err(Foul::NotHeld(first + 1)));
}

#[test]
fn numbers_of_goods_and_dice_are_limited() {
    let mut hand = hand(2);
    for (seat, kind, count) in [(2, 0, 1), (0, 2, 1), (0, 0, 0)] {
        assert_eq!(gain(&mut hand, seat, kind, count), Err(Foul::BadGoods));
    }
    assert_eq!(gain(&mut hand, 0, 0, 129), Err(Foul::TooManyGoods));
    gain(&mut hand, 0, 0, 128).unwrap();
    gain(&mut hand, 1, 0, 128).unwrap();
    assert_eq!(gain(&mut hand, 0, 0, 1), Err(Foul::TooManyGoods));
    let stolen = choose(&mut hand, Choice::Steal(Seat::GUEST));
    assert_eq!(stolen, Err(Foul::TooManyGoods));
    goods(&mut hand, offer(1, &[good(0, 0)], &[])).unwrap();
    let agree = GoodsChoice::Agree {
        number: 0,
        give: vec![],
    };
    assert_eq!(goods(&mut hand, agree), Err(Foul::TooManyGoods));
    choose(&mut hand, Choice::Refuse(0)).unwrap();
    let dice = Choice::Roll(Dice::new(101, 6).unwrap());
    assert_eq!(choose(&mut hand, dice), Err(Foul::TooManyDice));
    for _ in 0..30 {
        let spent: Vec<Good> = hand
            .goods(Seat::HOST)
            .iter()
            .take(32)
            .map(|&(at, _)| good(at - FIRST, 0))
            .collect();
        goods(&mut hand, GoodsChoice::Give(spent)).unwrap();
        gain(&mut hand, 0, 0, 32).unwrap();
    }
    let spent: Vec<Good> = hand
        .goods(Seat::HOST)
        .iter()
        .take(32)
        .map(|&(at, _)| good(at - FIRST, 0))
        .collect();
    goods(&mut hand, GoodsChoice::Give(spent)).unwrap();
    gain(&mut hand, 0, 0, 32).unwrap();
}

#[test]
fn names_and_numbers_of_a_game_are_checked() {
    let deck = |name: &str, kinds: &str| GameDeck {
        name: name.to_owned(),
        kinds: kinds.parse().unwrap(),
        is_board: false,
    };
    let names = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>()
    };
    let is_valid = |decks: Vec<GameDeck>, goods: &[&str]| Game::new(decks, names(goods)).is_ok();
    assert!(is_valid(vec![deck("a", "1024")], &[]));
    assert!(!is_valid(vec![], &[]));
    assert!(!is_valid(vec![deck("a", "1025")], &[]));
    assert!(!is_valid(vec![deck("a", "1000"), deck("b", "25")], &[]));
    assert!(!is_valid(vec![deck("a", "2"), deck("A", "2")], &[]));
    assert!(!is_valid(vec![deck("Goods", "2")], &[]));
    assert!(!is_valid(vec![deck("a b", "2")], &[]));
    assert!(!is_valid(vec![deck("a", "2")], &["wood", "WOOD"]));
    assert!(!is_valid(vec![deck("a", "2")], &[""]));
    let nine = (0..9).map(|number| deck(&format!("d{number}"), "2"));
    assert!(!is_valid(nine.collect(), &[]));
    let kinds = vec!["1"; 64].join(",");
    assert!(!is_valid(vec![deck("a", &kinds), deck("b", "2")], &[]));
    let many: Vec<String> = (0..33).map(|number| format!("g{number}")).collect();
    assert!(Game::new(vec![deck("a", "2")], many).is_err());
    for seats in [0, 1, 11] {
        let refused = Stakes::of_game(game(), seats, 1);
        assert_eq!(refused, Err(StakesError::Seats { seats, most: 10 }));
    }
}

/// Carries out what is due, with a random result.
fn carry_out(hand: &mut Hand, rng: &mut StdRng, kinds: &[u8]) {
    loop {
        match hand.next() {
            Next::Open(cards) => {
                let public = cards.iter().filter(|(_, to)| *to == Learners::All);
                let card = |&(at, _): &(usize, Learners)| match at < FIRST {
                    true => (at, Card(at as u64)),
                    false => (at, Card(kinds[at - FIRST].into())),
                };
                let public: Vec<_> = public.map(card).collect();
                hand.opened(&public).unwrap();
            }
            Next::Roll(dice) => {
                let faces = (0..dice.count()).map(|_| rng.random_range(1..=dice.sides()));
                hand.rolled(&faces.collect::<Vec<_>>()).unwrap();
            }
            Next::Mix { .. } => hand.mixed().unwrap(),
            _ => return,
        }
    }
}

/// Random choices and departures. No good is lost or has two owners, only spent ones leave, and a seat
/// that is gone is never asked.
#[test]
fn goods_are_conserved_in_random_play_with_departures() {
    for seed in 0..200 {
        let rng = &mut StdRng::seed_from_u64(seed);
        let seats = rng.random_range(2..=5_u8);
        let (mut hand, mut gone, mut spent) = (hand(seats), Vec::new(), 0);
        // The kinds stay the same: a mix in this test does not move them.
        let mut kinds: Vec<u8> = Vec::new();
        let all: Vec<Seat> = Seat::all(seats.into()).collect();
        for _ in 0..120 {
            carry_out(&mut hand, rng, &kinds);
            let Next::Choose { seat, .. } = hand.next() else {
                break;
            };
            assert!(!gone.contains(&seat));
            let random: Vec<Good> = (0..rng.random_range(1..=3))
                .map(|_| rng.random_range(0..=kinds.len()))
                .map(|number| good(number, kinds.get(number).copied().unwrap_or(0)))
                .collect();
            let own = hand.goods(seat);
            let mine = own
                .iter()
                .map(|&(at, _)| good(at - FIRST, kinds[at - FIRST]));
            let mine: Vec<Good> = mine.collect();
            let give = match rng.random() {
                true => mine.choose(rng).map_or(random, |good| vec![*good]),
                false => random,
            };
            let (other, count) = (*all.choose(rng).unwrap(), rng.random_range(1..=2));
            let choice = match rng.random_range(0..10) {
                0 => Choice::Pass,
                1 => Choice::Roll(Dice::new(2, 6).unwrap()),
                2 => Choice::Steal(other),
                3 => Choice::Goods(GoodsChoice::Gain(vec![Gain {
                    seat: other,
                    kind: (count - 1) % 2,
                    count,
                }])),
                4 => Choice::Goods(GoodsChoice::Give(give.clone())),
                5 => Choice::Goods(offer(other.number(), &give, &[count - 1])),
                6 => Choice::Goods(GoodsChoice::Mix),
                7 => Choice::Goods(GoodsChoice::Agree {
                    number: rng.random_range(0..4),
                    give: give.clone(),
                }),
                8 => Choice::Goods(GoodsChoice::Draw(1)),
                _ => Choice::Refuse(rng.random_range(0..4)),
            };
            if hand.choose(seat, &choice).is_ok() {
                match choice {
                    Choice::Goods(GoodsChoice::Gain(gains)) => {
                        kinds.extend(vec![gains[0].kind; gains[0].count.into()]);
                    }
                    Choice::Goods(GoodsChoice::Give(give)) => spent += give.len(),
                    _ => {}
                }
            }
            if rng.random_ratio(1, 40) {
                let leaver = *all.choose(rng).unwrap();
                hand.gone(leaver);
                gone.push(leaver);
            }
            let held: Vec<usize> = all
                .iter()
                .flat_map(|seat| hand.goods(*seat))
                .map(|(at, _)| at)
                .collect();
            let mut sorted = held.clone();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(
                (sorted.len(), held.len() + spent),
                (held.len(), kinds.len())
            );
        }
    }
}
