//! The news of each deal and each turn, with the real engine.

use dealerless_table::Seat;
use dealerless_table::log::End;
use dealerless_table::play::{Command, DealCost, News, Prepared};
use dealerless_table::testing::threads::both;

use super::sides;
use super::{holdem, random_player, shuffle_for};

#[test]
fn deals_report_their_cost_and_preprocessing_once() {
    let (stakes, hands) = (holdem(5), 5);
    let circuit = shuffle_for(&stakes);
    let sides = both(sides(&stakes, &circuit), |mut side| {
        let mut costs = Vec::new();
        let mut player = random_player(side.play.seat().number().into());
        let end = side.run(|play, news| {
            if let News::Sealed { cost } = news {
                costs.push(cost.expect("the cost of a deal of this program"));
            }
            player(play, news)
        });
        assert_eq!(end.unwrap(), End::Played);
        costs
    });
    for costs in &sides {
        assert_eq!(costs.len(), hands);
        let ahead: Vec<u32> = costs.iter().map(|cost| cost.prepared.hands).collect();
        assert_eq!(ahead, [0, 4, 0, 0, 0]);
        for (cost, ahead) in costs.iter().zip(ahead) {
            let DealCost {
                shuffle,
                prepared,
                ands,
            } = cost;
            assert!(shuffle.bytes > 0 && !shuffle.time.is_zero(), "{cost:?}");
            assert_eq!(*ands, circuit.joint_ands());
            match ahead {
                0 => assert_eq!(*prepared, Prepared::default()),
                _ => assert!(prepared.spent.bytes > 0 && !prepared.spent.time.is_zero()),
            }
        }
        // The first shuffle includes its own preprocessing.
        let [first, later @ ..] = &costs[..] else {
            panic!("no deal");
        };
        let same = |cost: &DealCost| cost.shuffle.bytes == later[0].shuffle.bytes;
        assert!(later.iter().all(same));
        assert!(first.shuffle.bytes > 5 * later[0].shuffle.bytes);
    }
    // Both sides count the same bytes.
    let bytes = |costs: &[DealCost]| -> Vec<[u64; 2]> {
        let bytes = |cost: &DealCost| [cost.shuffle.bytes, cost.prepared.spent.bytes];
        costs.iter().map(bytes).collect()
    };
    assert_eq!(bytes(&sides[0]), bytes(&sides[1]));
}

#[test]
fn each_turn_is_reported_once_to_both_seats() {
    let stakes = holdem(4);
    let sides = both(sides(&stakes, &shuffle_for(&stakes)), |mut side| {
        let own = side.play.seat();
        let (mut turns, mut player) = (Vec::new(), random_player(own.number().into()));
        let end = side.run(|play, news| {
            let step = play.log().step();
            match news {
                News::YourTurn { .. } => turns.push((step, own)),
                // This command changes nothing, and causes no second report.
                &News::TheirTurn { seat } => {
                    turns.push((step, seat));
                    return Some(Command::SitOut(false));
                }
                _ => {}
            }
            player(play, news)
        });
        assert_eq!(end.unwrap(), End::Played);
        turns
    });
    let [host, guest] = sides;
    assert_eq!(host, guest);
    assert!(host.windows(2).all(|turns| turns[0].0 < turns[1].0));
    for seat in [Seat::HOST, Seat::GUEST] {
        assert!(host.iter().any(|(_, of)| *of == seat));
    }
}
