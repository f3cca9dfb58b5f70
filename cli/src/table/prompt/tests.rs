//! What people type, and what it means.

use super::super::event::OpenCard;
use super::*;

fn turn(ask: Ask) -> YourTurn {
    YourTurn {
        hand: 1,
        turn: 9,
        button: 0,
        pot: 6,
        stacks: vec![196, 198],
        bets: vec![4, 2],
        cards: Vec::new(),
        positions: Vec::new(),
        held: vec![Vec::new(); 2],
        board: Vec::new(),
        open: Vec::new(),
        time: None,
        ask,
    }
}

fn typed(text: &str, ask: Ask) -> Result<Typed, Complaint> {
    let turn = turn(ask);
    let asked = Asked {
        turn: Some(&turn),
        rebuy: false,
        seat: 1,
        seats: 2,
        boards: None,
    };
    read(text, &asked)
}

fn to_call() -> Ask {
    Ask::Bet {
        call: Some(2),
        bet: None,
        raise: Some(Range { min: 6, max: 200 }),
    }
}

#[test]
fn a_letter_or_a_word_says_what_one_does() {
    let check = Ask::Bet {
        call: None,
        bet: None,
        raise: None,
    };
    let reveal = |position, to| Reveal { position, to };
    let dice = |count| Dice::new(count, 6).unwrap();
    let cases = [
        ("c", Said::Call {}),
        (" CALL ", Said::Call {}),
        ("f", Said::Fold {}),
        ("r 60", Said::Raise { to: 60 }),
        ("raise to 60", Said::Raise { to: 60 }),
        ("b 20", Said::Bet { to: 20 }),
        ("a", Said::Raise { to: 200 }),
        (
            "x 5 1,3",
            Said::Exchange {
                places: vec![0, 2, 4],
            },
        ),
        ("x", Said::Exchange { places: vec![] }),
        ("s", Said::Show {}),
        ("m", Said::Muck {}),
        ("y 3", Said::Agree { proposal: 3 }),
        ("n 3", Said::Refuse { proposal: 3 }),
        ("pass", Said::Pass {}),
        ("out", Said::SitOut {}),
        ("back", Said::Back {}),
        ("again", Said::Again {}),
        ("roll 2d6", Said::Roll { dice: dice(2) }),
        ("2d6", Said::Roll { dice: dice(2) }),
        ("D6", Said::Roll { dice: dice(1) }),
        ("d", Said::Draw {}),
        ("v 3", Said::Reveal { position: 2 }),
        ("s 3", Said::ShowCard { position: 2 }),
        ("steal", Said::Steal { from: 0 }),
        (
            "o 3 me, 1 2 all 7 to them",
            Said::Propose {
                cards: vec![
                    reveal(0, To::ALL),
                    reveal(1, To::ALL),
                    reveal(2, To::Seat(1)),
                    reveal(6, To::Seat(0)),
                ],
            },
        ),
    ];
    for (text, said) in cases {
        assert_eq!(typed(text, to_call()), Ok(Typed::Say(said)), "{text}");
    }
    assert_eq!(typed("c", check), Ok(Typed::Say(Said::Check {})));
    assert_eq!(typed("?", to_call()), Ok(Typed::Help));
    assert_eq!(typed("", to_call()), Ok(Typed::Nothing));
    assert_eq!(typed("q", to_call()), Ok(Typed::Leave));
}

#[test]
fn hands_of_boards_are_proposed_and_shown() {
    let of_boards = |text| {
        let asked = Asked {
            turn: None,
            rebuy: false,
            seat: 1,
            seats: 2,
            boards: Some(3),
        };
        read(text, &asked)
    };
    let reveal = |(position, to)| Reveal { position, to };
    let propose = |hands: &[(u16, To)]| {
        let cards = hands.iter().copied().map(reveal).collect();
        Ok(Typed::Say(Said::Propose { cards }))
    };
    let all: Vec<(u16, To)> = (0..12).map(|hand| (hand, To::ALL)).collect();
    assert_eq!(of_boards("o all"), propose(&all));
    let (me, them) = (To::Seat(1), To::Seat(0));
    let preset = [(4, them), (5, me), (6, them), (7, me)];
    assert_eq!(of_boards("O 2 EW me, NS them"), propose(&preset));
    let show = Typed::Say(Said::ShowCard { position: 10 });
    assert_eq!(of_boards("s 3 s"), Ok(show));
    for text in [
        "o", "o 4 all", "o 1", "s 3", "s 1-2 n", "s 3 ns", "s 3 n me",
    ] {
        assert!(of_boards(text).is_err(), "{text}");
    }
}

#[test]
fn hands_that_are_open_already_are_not_proposed_again() {
    let mut turn = turn(Ask::Exchange {});
    let open = |position| OpenCard {
        position,
        card: "J2.AQ.A7652.J543".into(),
        holder: None,
    };
    (turn.open, turn.positions) = ((0..4).map(open).collect(), vec![5]);
    let of_boards = |text| {
        let asked = Asked {
            turn: Some(&turn),
            rebuy: false,
            seat: 0,
            seats: 2,
            boards: Some(2),
        };
        read(text, &asked)
    };
    let propose = |hands: &[u16], to| {
        let cards = hands.iter().map(|&position| Reveal { position, to });
        let cards = cards.collect();
        Ok(Typed::Say(Said::Propose { cards }))
    };
    assert_eq!(of_boards("o all"), propose(&[4, 5, 6, 7], To::ALL));
    assert_eq!(of_boards("o 2 me"), propose(&[4, 6, 7], To::Seat(0)));
    assert_eq!(
        of_boards("s 2 e"),
        Ok(Typed::Say(Said::ShowCard { position: 5 }))
    );
    for (text, why) in [
        ("o 1 all", "these hands are open already"),
        ("o 2 e me", "these hands are open already"),
        ("s 1 n", "the North hand of board 1 is open already"),
        ("s 2 n", "you have not been shown the North hand of board 2"),
    ] {
        assert_eq!(of_boards(text), Err(complaint(why)), "{text}");
    }
}

#[test]
fn what_means_nothing_is_told_and_said_by_nobody() {
    for text in [
        "zz",
        "r",
        "r x",
        "r -1",
        "r 1 2",
        "b 99999999999999999999",
        "f 3",
        "x 0",
        "x 6",
        "y",
        "o",
        "o me",
        "o 3",
        "o 0 me",
        "o 3 nobody",
        "roll",
        "roll 2",
        "roll 0d6",
        "2d6 2d6",
        "2d",
        "d 3",
        "v",
        "v 0",
        "s 0",
        "show 1 2",
        "\u{1b}[A",
    ] {
        assert!(typed(text, to_call()).is_err(), "{text}");
    }
    let exchange = typed("a", Ask::Exchange {});
    assert!(exchange.is_err());
}

#[test]
fn with_a_fixed_limit_nobody_goes_all_in_by_mistake() {
    let fixed = Ask::Bet {
        call: Some(2),
        bet: None,
        raise: Some(Range { min: 6, max: 6 }),
    };
    assert!(typed("a", fixed).unwrap_err().1.contains("the most is 6"));
}
