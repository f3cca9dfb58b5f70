//! Two seats play whole matches, with the real engine, and both logs come to the same.

mod seats;

use std::sync::Arc;

use dealerless::deck::{Choice as Shuffle, circuit};
use dealerless::mpc::Security;
use dealerless_table::{
    BettingRules, Choice, Command, End, Legal, Limit, News, Posts, Stakes, Variety,
};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use seats::{Seated, both, sides};

fn holdem(hands: u32) -> Stakes {
    let rules = BettingRules {
        stack: 200,
        limit: Limit::NoLimit,
        posts: Posts::Blinds { small: 1, big: 2 },
    };
    Stakes::new(Variety::Holdem(rules), 2, hands).unwrap()
}

/// Chooses at random among what is legal.
fn random_choice(legal: &Legal, rng: &mut StdRng) -> Choice {
    match legal {
        Legal::Bet { call, bet, raise } => match (rng.random_range(0..10), bet, raise) {
            (0, ..) if call.is_some() => Choice::Fold,
            (1..4, Some(bet), _) => Choice::Bet {
                to: rng.random_range(bet.min..=bet.max),
            },
            (1..3, _, Some(raise)) => Choice::Raise {
                to: rng.random_range(raise.min..=raise.max),
            },
            _ if call.is_some() => Choice::Call,
            _ => Choice::Check,
        },
        Legal::Exchange => Choice::Exchange((0..5).filter(|_| rng.random()).collect()),
        Legal::ShowOrMuck if rng.random() => Choice::Muck,
        Legal::ShowOrMuck => Choice::Show,
        _ => Choice::Pass,
    }
}

fn random_player(seed: u64) -> impl FnMut(&Seated, &News) -> Option<Command> {
    let mut rng = StdRng::seed_from_u64(seed);
    move |_, news| match news {
        News::YourTurn { legal } => Some(Command::Choose(random_choice(legal, &mut rng))),
        News::AskRebuy { .. } => Some(Command::Rebuy(true)),
        _ => None,
    }
}

#[test]
fn a_match_of_holdem_is_played_to_its_end_and_both_logs_are_the_same() {
    let stakes = holdem(20);
    let spec = Shuffle::Cheapest.spec(52, 9, Security::Malicious).unwrap();
    let shuffle = circuit(spec, Security::Malicious);
    let ends = both(sides(&stakes, &Arc::new(shuffle)), |mut side| {
        let seed = u64::from(side.play.seat().number());
        let end = side.run(random_player(seed)).unwrap();
        (
            end,
            side.play.log().hash(),
            side.play.log().stacks().to_vec(),
        )
    });
    assert_eq!(ends[0], ends[1]);
    assert_eq!(ends[0].0, End::Played);
}
