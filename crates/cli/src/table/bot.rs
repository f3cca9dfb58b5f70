//! A built-in bot: it plays at random within the rules, and never makes the other player wait.

use dealerless::dice::Dice;
use dealerless_bridge::Compass;
use dealerless_seat::command::{Said, To};
use dealerless_seat::event::{Ask, Event, Range, Reveal, Standing, YourTurn};
use dealerless_seat::hands;
use dealerless_seat::seated::Seated;
use rand::{Rng, RngExt};

/// A simple player that considers only the price of a call.
pub(crate) struct Bot<R> {
    rng: R,
    seat: u8,
    /// The number of drawn cards, or of hands in a game of boards.
    drawn: usize,
    /// Whether the game deals hands of boards instead of cards of a deck.
    boards: bool,
    /// The number of proposals, draws, reveals and rolls by the bot in this hand.
    proposed: usize,
}

/// The maximum of `Bot::proposed`, so that the other players can act too.
const MOST_PROPOSALS: usize = 3;

impl<R: Rng> Bot<R> {
    pub(crate) fn new(rng: R) -> Self {
        Bot {
            rng,
            seat: 0,
            drawn: 0,
            boards: false,
            proposed: 0,
        }
    }

    /// The bot's answer to an event, if the event asks for one.
    pub(crate) fn answer(&mut self, event: &Event) -> Option<Said> {
        match event {
            Event::Seated(seated) => self.sit(seated),
            Event::Dealt { .. } => self.proposed = 0,
            Event::AskRebuy { .. } => return Some(Said::Rebuy { agree: true }),
            Event::YourTurn(turn) => return Some(self.choose(turn)),
            _ => {}
        }
        None
    }

    fn sit(&mut self, seated: &Seated) {
        (self.seat, self.drawn) = (seated.seat, seated.drawn);
        self.boards = seated.boards().is_some();
    }

    fn choose(&mut self, turn: &YourTurn) -> Said {
        match &turn.ask {
            Ask::Bet { call, bet, raise } => self.bet(turn.pot, *call, *bet, *raise),
            Ask::Exchange {} => Said::Exchange {
                places: (0..5).filter(|_| self.rng.random_bool(0.4)).collect(),
            },
            Ask::ShowOrMuck { .. } if self.rng.random_bool(0.9) => Said::Show {},
            Ask::ShowOrMuck { .. } => Said::Muck {},
            Ask::Speak {
                proposals,
                may_propose,
                may_draw,
            } => self.speak(turn, proposals, *may_propose, *may_draw),
        }
    }

    fn bet(
        &mut self,
        pot: u64,
        call: Option<u64>,
        bet: Option<Range>,
        raise: Option<Range>,
    ) -> Said {
        let dear = call.is_some_and(|call| call > pot / 2);
        let weights = if dear { (6, 7) } else { (1, 4) };
        match (self.rng.random_range(0..20), call, bet, raise) {
            (luck, Some(_), ..) if luck < weights.0 => Said::Fold {},
            (luck, _, Some(range), _) if luck < 6 => Said::Bet {
                to: self.amount(range, pot),
            },
            (luck, _, _, Some(range)) if luck < weights.1 => Said::Raise {
                to: self.amount(range, pot),
            },
            (_, Some(_), ..) => Said::Call {},
            (_, None, ..) => Said::Check {},
        }
    }

    /// A random amount: usually at most `pot` above the minimum, sometimes up to the maximum.
    fn amount(&mut self, range: Range, pot: u64) -> u64 {
        let most = if self.rng.random_bool(0.05) {
            range.max
        } else {
            range.max.min(range.min.saturating_add(pot))
        };
        self.rng.random_range(range.min..=most.max(range.min))
    }

    /// Agrees to every proposal of the other player. With a deck, sometimes draws, reveals a card
    /// or rolls dice. Otherwise proposes to open the next closed card or board.
    fn speak(
        &mut self,
        turn: &YourTurn,
        proposals: &[Standing],
        may_propose: bool,
        may_draw: bool,
    ) -> Said {
        let new = |standing: &&Standing| {
            standing.by != self.seat && !standing.agreed.contains(&self.seat)
        };
        if let Some(standing) = proposals.iter().find(new) {
            return Said::Agree {
                proposal: standing.proposal,
            };
        }
        if !self.boards && self.proposed < MOST_PROPOSALS && self.rng.random_bool(0.5) {
            self.proposed += 1;
            let own = turn.positions.first();
            match (self.rng.random_range(0..3), own) {
                (0, _) if may_draw => return Said::Draw {},
                (1, Some(&position)) => {
                    let position = u16::try_from(position).unwrap_or(u16::MAX);
                    return Said::Reveal { position };
                }
                _ => {
                    let dice = Dice::new(2, 6).expect("dice");
                    return Said::Roll { dice };
                }
            }
        }
        if may_propose
            && self.proposed < MOST_PROPOSALS
            && let Some(cards) = self.proposal(turn, proposals)
        {
            self.proposed += 1;
            return Said::Propose { cards };
        }
        Said::Pass {}
    }

    /// Proposes the first card that the bot does not see and that is not proposed yet. In a game of
    /// boards, proposes all closed hands of the first board with such a hand.
    fn proposal(&mut self, turn: &YourTurn, proposals: &[Standing]) -> Option<Vec<Reveal>> {
        let is_open = |position: &usize| turn.open.iter().any(|open| open.position == *position);
        let closed = |position: &usize| {
            let proposed = |standing: &Standing| {
                let mut cards = standing.cards.iter();
                cards.any(|card| usize::from(card.position) == *position)
            };
            !turn.positions.contains(position)
                && !is_open(position)
                && !proposals.iter().any(proposed)
        };
        let is_held = |position| turn.held.iter().any(|held| held.contains(&position));
        let first = (0..self.drawn).find(closed)?;
        let (positions, to) = if self.boards {
            let (board, _) = hands::place(first);
            let of_board = Compass::ALL.map(|seat| hands::position(board, seat));
            (of_board.to_vec(), To::ALL)
        } else if is_held(first) || self.rng.random() {
            // A card that another player holds can only be opened to all.
            (vec![first], To::ALL)
        } else {
            (vec![first], To::Seat(self.seat))
        };
        let positions = positions.iter().filter(|position| !is_open(position));
        let reveal = |&position: &usize| {
            let position = u16::try_from(position).ok()?;
            Some(Reveal { position, to })
        };
        positions.map(reveal).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use serde_json::json;

    /// The bot's turn, where the other player and the bot hold these positions and `open` are open.
    fn turn(held: [&[usize]; 2], open: &[usize]) -> Event {
        let open = open.iter().map(|at| json!({ "position": at, "card": "" }));
        let turn = json!({
            "hand": 1, "turn": 1, "button": 0, "pot": 0, "stacks": [], "bets": [], "board": [],
            "cards": [], "positions": held[1], "held": held, "open": open.collect::<Vec<_>>(),
            "ask": "speak", "proposals": [], "may_propose": true, "may_draw": false,
        });
        Event::YourTurn(Box::new(serde_json::from_value(turn).unwrap()))
    }

    /// The bot's proposal in a game of two boards, if it holds `held` and `open` are open.
    fn proposed(held: &[usize], open: &[usize]) -> Option<Vec<u16>> {
        let mut bot = Bot {
            seat: 1,
            drawn: 8,
            boards: true,
            ..Bot::new(rand::rngs::StdRng::seed_from_u64(1))
        };
        match bot.answer(&turn([&[], held], open))? {
            Said::Propose { cards } => {
                assert!(cards.iter().all(|reveal| reveal.to == To::ALL));
                Some(cards.iter().map(|reveal| reveal.position).collect())
            }
            said => {
                assert_eq!(said, Said::Pass {});
                None
            }
        }
    }

    #[test]
    fn a_card_held_by_the_other_player_is_proposed_to_all() {
        let mut asked = 0;
        for seed in 0..100 {
            let mut bot = Bot {
                seat: 1,
                drawn: 2,
                ..Bot::new(rand::rngs::StdRng::seed_from_u64(seed))
            };
            if let Some(Said::Propose { cards }) = bot.answer(&turn([&[0], &[1]], &[])) {
                let [card] = cards[..] else {
                    panic!("{cards:?}");
                };
                assert_eq!((card.position, card.to), (0, To::ALL));
                asked += 1;
            }
        }
        assert!(asked > 20);
    }

    #[test]
    fn boards_are_proposed_in_order_without_the_open_hands() {
        assert_eq!(proposed(&[], &[]), Some(vec![0, 1, 2, 3]));
        assert_eq!(proposed(&[0, 2], &[]), Some(vec![0, 1, 2, 3]));
        assert_eq!(proposed(&[1], &[0, 2]), Some(vec![1, 3]));
        assert_eq!(proposed(&[], &[0, 1, 2, 3]), Some(vec![4, 5, 6, 7]));
        assert_eq!(proposed(&[], &[0, 1, 2, 3, 4, 5, 6, 7]), None);
    }
}
