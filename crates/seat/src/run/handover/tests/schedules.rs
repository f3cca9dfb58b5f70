//! Whole handovers: one match begins, nobody that was there is left out, and nobody is in two matches.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::world::{Plan, Strategy, World};

/// Whether the honest members that run and never crash can go on by themselves.
fn can_go_on(plan: &Plan) -> bool {
    let is_cheat = plan.cheat.is_some_and(|cheat| cheat < plan.members);
    2 * (plan.members - usize::from(is_cheat) - plan.away.len()) > plan.members
}

/// Runs these seeds. Returns the number of events.
fn runs(seeds: std::ops::Range<u64>, plan: impl Fn(&mut StdRng) -> Plan) -> u64 {
    let mut events = 0;
    for seed in seeds {
        let mut plan = plan(&mut StdRng::seed_from_u64(seed));
        plan.has_delays = true;
        let (end, world) = World::new(plan.clone(), seed).run(1_200_000);
        let told = || format!("seed {seed}, {plan:?}: {end:?}\n{}", world.log.join("\n"));
        assert!(end.broken.is_none(), "{}", told());
        let is_hard = plan.cheat.is_some() && !plan.crashes.is_empty();
        if can_go_on(&plan) && !is_hard {
            assert!(end.begun.is_some() && !end.is_stuck, "{}", told());
        }
        events += world.events;
    }
    events
}

/// 2 to 4 members, and newcomers: 4 players at most.
fn some_players(rng: &mut StdRng) -> Plan {
    let members = rng.random_range(2..=4);
    let newcomers = rng.random_range(0..=(4 - members).min(2));
    Plan {
        members,
        newcomers,
        ..Plan::default()
    }
}

#[test]
fn one_match_begins_with_all_that_are_there_whatever_one_player_states() {
    let events = runs(0..250, |rng| {
        let plan = some_players(rng);
        let cheat = rng.random_range(0..plan.members + plan.newcomers);
        Plan {
            cheat: Some(cheat),
            ..plan
        }
    });
    assert!(events > 10_000);
}

#[test]
fn one_match_begins_when_members_crash_before_or_after_a_write() {
    runs(0..600, |rng| {
        let plan = some_players(rng);
        Plan {
            crashes: vec![rng.random_range(0..plan.members)],
            ..plan
        }
    });
}

#[test]
fn nobody_is_in_two_matches_or_left_out_when_one_player_cheats_and_another_one_crashes() {
    runs(0..100, |rng| {
        let plan = some_players(rng);
        let crashes = vec![rng.random_range(0..plan.members)];
        Plan {
            cheat: Some(rng.random_range(0..plan.members + plan.newcomers)),
            crashes,
            ..plan
        }
    });
}

#[test]
fn two_members_that_are_cut_off_from_each_other_play_through_the_others() {
    runs(0..200, |rng| {
        let members = rng.random_range(3..=4);
        let first = rng.random_range(1..members);
        Plan {
            members,
            cuts: vec![(0, first)],
            ..Plan::default()
        }
    });
}

#[test]
fn of_two_groups_that_are_cut_off_from_each_other_none_goes_on() {
    for seed in 0..20 {
        let cuts = vec![(0, 2), (0, 3), (1, 2), (1, 3)];
        let plan = Plan {
            members: 4,
            cuts,
            has_delays: true,
            ..Plan::default()
        };
        let (end, _) = World::new(plan, seed).run(600_000);
        assert!(end.begun.is_none() && end.broken.is_none());
    }
}

/// The number with which a match begins without delays, its time in milliseconds, and its players.
fn begins(members: usize, away: &[usize]) -> (u16, u64, Vec<usize>) {
    let plan = Plan {
        members,
        away: away.to_vec(),
        ..Plan::default()
    };
    let (end, world) = World::new(plan, 1).run(600_000);
    let (number, players) = end.begun.unwrap();
    (number, world.begun_at.unwrap(), players)
}

#[test]
fn an_absent_host_costs_20_seconds_and_an_absent_member_10() {
    assert_eq!(begins(4, &[]), (1, 0, vec![0, 1, 2, 3]));
    assert_eq!(begins(4, &[2]), (1, 10_000, vec![0, 1, 3]));
    assert_eq!(begins(4, &[0]), (3, 20_000, vec![1, 2, 3]));
    assert_eq!(begins(3, &[0]), (3, 20_000, vec![1, 2]));
    let plan = Plan {
        members: 4,
        away: vec![0, 2],
        ..Plan::default()
    };
    assert!(
        World::new(plan, 1).run(600_000).0.begun.is_none(),
        "two of four are too few"
    );
}

#[test]
fn all_strategies_of_a_cheating_host_against_two_others() {
    let mut strategies = Vec::new();
    for ready in [None, Some(0)] {
        for list in [
            None,
            Some((0, true)),
            Some((0, false)),
            Some((29_900, true)),
        ] {
            for parts in [None, Some(0), Some(9_000)] {
                strategies.push(Strategy { ready, list, parts });
            }
        }
    }
    for first in &strategies {
        for second in &strategies {
            let strategies = vec![Strategy::default(), *first, *second];
            let plan = Plan {
                members: 3,
                cheat: Some(0),
                strategies,
                ..Plan::default()
            };
            let (end, world) = World::new(plan, 1).run(600_000);
            let told = || format!("{first:?} {second:?}: {end:?}\n{}", world.log.join("\n"));
            assert!(
                end.broken.is_none() && end.begun.is_some() && !end.is_stuck,
                "{}",
                told()
            );
        }
    }
}
