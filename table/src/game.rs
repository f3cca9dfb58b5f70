//! The games and their rules.

use crate::step::{Owner, Reveal, Step};
use dealerless::circuit::Party;
use dealerless::mpc::Audience;

/// How many of its five cards each player of [`Game::Draw`] exchanges. They are the first ones:
/// the rules hold no decisions.
const EXCHANGED: usize = 3;

/// What is played.
///
/// Its name on the command line and on the wire, which [`Display`](std::fmt::Display) writes, is that
/// of the variant in lower case.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display, strum::EnumString, strum::IntoStaticStr,
)]
#[strum(serialize_all = "lowercase")]
#[strum(parse_err_ty = UnknownGame, parse_err_fn = UnknownGame::named)]
pub enum Game {
    /// Heads-up Texas hold'em, without bets: two hole cards each, then the flop, the turn and the
    /// river for both, and the showdown. 9 of 52 cards.
    Holdem,
    /// Five-card draw, without bets: five cards each, of which each exchanges three, then the
    /// showdown; what was thrown away stays hidden. 20 of 52 cards, enough to exchange all five.
    Draw,
    /// No rules: every drawn card is opened to both at once. Any deck, any number of cards.
    Deck,
}

impl Game {
    /// Every game.
    pub const ALL: [Self; 3] = [Self::Holdem, Self::Draw, Self::Deck];

    /// The name, as on the command line.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The cards of the deck and how many of them are drawn, if the rules say so.
    pub fn deck(self) -> Option<(usize, usize)> {
        match self {
            Self::Holdem => Some((52, 9)),
            Self::Draw => Some((52, 20)),
            Self::Deck => None,
        }
    }

    /// The steps of a hand, given the number of drawn cards (which only [`Game::Deck`] looks at).
    pub fn steps(self, draw: usize) -> Vec<Step> {
        match self {
            Self::Holdem => holdem(),
            Self::Draw => five_card_draw(),
            Self::Deck => vec![Step {
                name: "cards",
                reveals: vec![board(0..draw)],
            }],
        }
    }
}

fn holdem() -> Vec<Step> {
    let hands = Hands::dealt_in_turn(0, 2);
    let on_the_board = |name, positions| Step {
        name,
        reveals: vec![board(positions)],
    };
    vec![
        hands.dealt("hole cards"),
        on_the_board("flop", 4..7),
        on_the_board("turn", 7..8),
        on_the_board("river", 8..9),
        hands.shown("showdown"),
    ]
}

fn five_card_draw() -> Vec<Step> {
    let dealt = Hands::dealt_in_turn(0, 5);
    let drawn = Hands::dealt_in_turn(10, EXCHANGED);
    let kept = |dealt: &[usize], drawn: &[usize]| [&dealt[EXCHANGED..], drawn].concat();
    let held = Hands {
        garbler: kept(&dealt.garbler, &drawn.garbler),
        evaluator: kept(&dealt.evaluator, &drawn.evaluator),
    };
    vec![
        dealt.dealt("deal"),
        drawn.dealt("exchange"),
        held.shown("showdown"),
    ]
}

fn board(positions: std::ops::Range<usize>) -> Reveal {
    Reveal {
        owner: Owner::Board,
        positions: positions.collect(),
        to: Audience::Both,
    }
}

/// Cards of the two players, by position.
struct Hands {
    garbler: Vec<usize>,
    evaluator: Vec<usize>,
}

impl Hands {
    /// `count` cards each from `first` on, the garbler's first.
    fn dealt_in_turn(first: usize, count: usize) -> Self {
        let every_other = |first| (first..).step_by(2).take(count).collect();
        Hands {
            garbler: every_other(first),
            evaluator: every_other(first + 1),
        }
    }

    /// Each player looks at its own.
    fn dealt(&self, name: &'static str) -> Step {
        self.opened(name, |owner| owner)
    }

    /// Each player shows its own to the other.
    fn shown(&self, name: &'static str) -> Step {
        self.opened(name, Party::other)
    }

    fn opened(&self, name: &'static str, learner: fn(Party) -> Party) -> Step {
        let reveal = |owner, positions: &[usize]| Reveal {
            owner: Owner::Hand(owner),
            positions: positions.to_vec(),
            to: Audience::Only(learner(owner)),
        };
        Step {
            name,
            reveals: vec![
                reveal(Party::Garbler, &self.garbler),
                reveal(Party::Evaluator, &self.evaluator),
            ],
        }
    }
}

/// A name that belongs to no [`Game`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no game {0:?}; there are {known}", known = Game::ALL.map(Game::name).join(", "))]
pub struct UnknownGame(String);

impl UnknownGame {
    fn named(name: &str) -> Self {
        Self(name.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// The positions of a game that a party has seen when it is over.
    fn seen_by(game: Game, draw: usize, party: Party) -> HashSet<usize> {
        game.steps(draw)
            .iter()
            .flat_map(|step| &step.reveals)
            .filter(|reveal| reveal.to.includes(party))
            .flat_map(|reveal| reveal.positions.clone())
            .collect()
    }

    #[test]
    fn every_game_is_found_by_its_name() {
        for game in Game::ALL {
            assert_eq!(game.to_string().parse(), Ok(game));
        }
        let error = "bridge".parse::<Game>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no game \"bridge\"; there are holdem, draw, deck"
        );
    }

    #[test]
    fn no_card_is_opened_twice_to_the_same_party_nor_beyond_the_draw() {
        for game in Game::ALL {
            let draw = game.deck().map_or(30, |(_, draw)| draw);
            for party in [Party::Garbler, Party::Evaluator] {
                let mut seen = HashSet::new();
                for step in game.steps(draw) {
                    for reveal in step.reveals.iter().filter(|r| r.to.includes(party)) {
                        for &position in &reveal.positions {
                            assert!(position < draw, "{game}: {position}");
                            assert!(seen.insert(position), "{game}: {position} twice");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_player_sees_its_own_cards_before_the_other_does() {
        for game in [Game::Holdem, Game::Draw] {
            let mut known = HashSet::new();
            for step in game.steps(20) {
                for reveal in &step.reveals {
                    let Owner::Hand(owner) = reveal.owner else {
                        continue;
                    };
                    if reveal.to == Audience::Only(owner) {
                        known.extend(reveal.positions.clone());
                    } else {
                        assert_eq!(step.name, "showdown");
                        assert!(reveal.positions.iter().all(|p| known.contains(p)));
                    }
                }
            }
        }
    }

    #[test]
    fn after_a_holdem_hand_both_have_seen_all_nine_cards() {
        for party in [Party::Garbler, Party::Evaluator] {
            assert_eq!(seen_by(Game::Holdem, 9, party), (0..9).collect());
        }
    }

    #[test]
    fn the_cards_that_are_thrown_away_in_five_card_draw_stay_hidden() {
        let garbler = seen_by(Game::Draw, 20, Party::Garbler);
        let evaluator = seen_by(Game::Draw, 20, Party::Evaluator);
        let hidden = |from: &HashSet<usize>, to: &HashSet<usize>| {
            let mut hidden: Vec<usize> = from.difference(to).copied().collect();
            hidden.sort_unstable();
            hidden
        };
        assert_eq!(hidden(&garbler, &evaluator), [0, 2, 4]);
        assert_eq!(hidden(&evaluator, &garbler), [1, 3, 5]);
        let showdown = &Game::Draw.steps(20)[2];
        assert!(showdown.reveals.iter().all(|r| r.positions.len() == 5));
    }
}
