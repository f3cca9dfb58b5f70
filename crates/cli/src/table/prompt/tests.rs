//! Tests of the parser of typed text.

use dealerless_seat::event::OpenCard;

use super::*;

fn turn(ask: Ask) -> YourTurn {
    YourTurn {
        hand: 1,
        turn: 9,
        button: 0,
        pot: 6,
        stacks: vec![196, 198],
        bets: vec![4, 2],
        playing: Vec::new(),
        cards: Vec::new(),
        positions: Vec::new(),
        held: vec![Vec::new(); 2],
        board: Vec::new(),
        made: None,
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
        has_chips: false,
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
fn letters_and_words_are_parsed() {
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
        ("top-up 50", Said::TopUp { chips: 50 }),
        ("buy 0", Said::TopUp { chips: 0 }),
        ("sit", Said::Sit { agree: true }),
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
            has_chips: false,
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
fn open_hands_are_not_proposed_again() {
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
            has_chips: false,
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
        ("o 1 all", "these hands are already open"),
        ("o 2 e me", "these hands are already open"),
        ("s 1 n", "the North hand of board 1 is already open"),
        ("s 2 n", "you cannot see the North hand of board 2"),
    ] {
        assert_eq!(of_boards(text), Err(complaint(why)), "{text}");
    }
}

#[test]
fn invalid_input_is_refused() {
    for text in [
        "zz",
        "buy",
        "top-up -5",
        "buy 5 6",
        "sit 5",
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
fn all_in_is_refused_if_a_fixed_limit_is_lower() {
    let fixed = Ask::Bet {
        call: Some(2),
        bet: None,
        raise: Some(Range { min: 6, max: 6 }),
    };
    assert!(typed("a", fixed).unwrap_err().1.contains("the most is 6"));
}

/// Parses `text` at a turn of seat 1, which has 50 chips and has bet 2. Seat 0 has bet 4, and the
/// pot is 12.
fn sized(text: &str, ask: Ask) -> Result<Typed, Complaint> {
    let turn = YourTurn {
        pot: 12,
        stacks: vec![196, 50],
        ..turn(ask)
    };
    let asked = Asked {
        turn: Some(&turn),
        rebuy: false,
        seat: 1,
        seats: 2,
        has_chips: false,
        boards: None,
    };
    read(text, &asked)
}

#[test]
fn pot_sized_bets_include_the_call_and_stay_within_the_limits() {
    let raise = |min, max| Ask::Bet {
        call: Some(2),
        bet: None,
        raise: Some(Range { min, max }),
    };
    let bet = Ask::Bet {
        call: None,
        bet: Some(Range { min: 2, max: 50 }),
        raise: None,
    };
    let to = |to| Ok(Typed::Say(Said::Raise { to }));
    // Seat 1 calls 2, which makes its bet 4 and the pot 14.
    for (text, amount) in [("pot", 18), ("r pot", 18), ("half", 11), ("raise half", 11)] {
        assert_eq!(sized(text, raise(6, 52)), to(amount), "{text}");
    }
    assert_eq!(sized("pot", raise(6, 16)), to(16));
    assert_eq!(sized("half", raise(12, 52)), to(12));
    // There is nothing to call. The new bet is the present bet of 2 plus 12 or half of 12.
    assert_eq!(
        sized("pot", bet.clone()),
        Ok(Typed::Say(Said::Bet { to: 14 }))
    );
    assert_eq!(sized("b half", bet), Ok(Typed::Say(Said::Bet { to: 8 })));
    let only_call = Ask::Bet {
        call: Some(2),
        bet: None,
        raise: None,
    };
    assert!(sized("pot", only_call).is_err());
    assert!(sized("pot", Ask::Exchange {}).is_err());
    for text in ["half 3", "pot pot", "a 5", "r half 3"] {
        assert!(sized(text, raise(6, 52)).is_err(), "{text}");
    }
}

#[test]
fn amount_is_optional_with_a_fixed_limit() {
    let fixed = |bet, raise| Ask::Bet {
        call: None,
        bet,
        raise,
    };
    let only = Some(Range { min: 6, max: 6 });
    let raise = Ok(Typed::Say(Said::Raise { to: 6 }));
    assert_eq!(typed("r", fixed(None, only)), raise);
    assert_eq!(typed("r 6", fixed(None, only)), raise);
    let bet = Ok(Typed::Say(Said::Bet { to: 6 }));
    assert_eq!(typed("b", fixed(only, None)), bet);
    assert!(typed("r", to_call()).is_err());
    assert!(typed("b", fixed(None, None)).is_err());
}

#[test]
fn missing_amount_is_refused_with_the_allowed_amounts() {
    let raise = typed("r", to_call()).unwrap_err();
    assert_eq!(
        raise,
        complaint("give an amount from 6 to 200, such as r 6")
    );
    let may_bet = Ask::Bet {
        call: None,
        bet: Some(Range { min: 2, max: 50 }),
        raise: None,
    };
    let bet = typed("b x", may_bet).unwrap_err();
    assert_eq!(bet, complaint("give an amount from 2 to 50, such as b 2"));
    let fixed = Ask::Bet {
        call: None,
        bet: None,
        raise: Some(Range { min: 6, max: 6 }),
    };
    let raise = typed("r x", fixed).unwrap_err();
    assert_eq!(raise, complaint("the only amount is 6: r 6"));
}

#[test]
fn poker_refuses_bets_and_proposals_out_of_turn() {
    let asked = Asked {
        turn: None,
        rebuy: false,
        seat: 1,
        seats: 2,
        has_chips: true,
        boards: None,
    };
    for text in ["r", "b"] {
        let (code, text) = read(text, &asked).unwrap_err();
        assert_eq!(code, Refusal::NotYourTurn);
        assert_eq!(text, "it is not your turn");
    }
    for text in ["y", "n", "agree 0"] {
        let (_, text) = read(text, &asked).unwrap_err();
        assert!(text.contains("unknown input"), "{text}");
    }
}
