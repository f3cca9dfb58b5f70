//! Tests of the screen with a deck without rules.

use super::*;

#[test]
fn a_deck_without_rules_matches_the_stored_screen() {
    let everybody = Reveal {
        position: 3,
        to: To::ALL,
    };
    let speak = Ask::Speak {
        proposals: vec![Standing {
            proposal: 2,
            by: 1,
            cards: vec![everybody],
            agreed: Vec::new(),
        }],
        may_propose: true,
        may_draw: true,
    };
    let mut ask = turn(speak, &[]);
    if let Event::YourTurn(turn) = &mut ask {
        turn.pot = 0;
        (turn.cards, turn.positions) = (vec![Some("7c".into())], vec![2]);
        turn.open = vec![OpenCard {
            position: 4,
            card: "8c".into(),
            holder: None,
        }];
    }
    let text = shown(
        Style::Letters,
        &[
            seated("deck"),
            chose(
                1,
                Said::Propose {
                    cards: vec![everybody],
                },
            ),
            card(2, "7c", Some(0)),
            card(4, "8c", None),
            chose(
                0,
                Said::Roll {
                    dice: "2d6".parse().unwrap(),
                },
            ),
            Event::Rolled {
                hand: 1,
                seat: 0,
                dice: "2d6".parse().unwrap(),
                faces: vec![3, 5],
                sum: 8,
            },
            chose(1, Said::Draw {}),
            chose(1, Said::Reveal { position: 6 }),
            ask,
        ],
    );
    assert_eq!(text, include_str!("screens/deck.txt"));
}

#[test]
fn a_pile_of_kinds_matches_the_stored_screen() {
    let speak = Ask::Speak {
        proposals: Vec::new(),
        may_propose: true,
        may_draw: false,
    };
    let mut ask = turn(speak, &[]);
    if let Event::YourTurn(turn) = &mut ask {
        turn.pot = 0;
        turn.cards = vec![Some("castle#5".into()), Some("knight#3".into())];
        turn.positions = vec![0, 2];
        let open = |position, card: &str, holder| OpenCard {
            position,
            card: card.into(),
            holder,
        };
        turn.open = vec![
            open(0, "castle#5", Some(0)),
            open(1, "knight#12", None),
            open(3, "road#1", Some(1)),
        ];
    }
    let mut sits = seated("deck");
    if let Event::Seated(seated) = &mut sits {
        let kind = |(name, count): (&str, u32)| Kind {
            name: name.into(),
            count,
        };
        (seated.cards, seated.drawn) = (21, 4);
        seated.kinds = [("knight", 14), ("castle", 5), ("road", 2)]
            .map(kind)
            .into();
    }
    let text = shown(
        Style::Words,
        &[
            sits,
            card(0, "castle#5", Some(0)),
            chose(0, Said::ShowCard { position: 0 }),
            chose(1, Said::ShowCard { position: 3 }),
            card(3, "road#1", None),
            ask,
        ],
    );
    assert_eq!(text, include_str!("screens/kinds.txt"));
}
