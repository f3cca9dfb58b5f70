//! Programs that are killed while they convict a seat and confirm the end of their logs.

use dealerless::testing::soak::soak;
use dealerless_table::Seat;
use dealerless_table::log::{End, Evidence, LogMessage, Phase, Signed, Statement};
use dealerless_table::testing::disk::{Disk, Kill, When};

use super::hostile::{ACCOMPLICE, VICTIMS, before_the_choice, continued};
use super::side::{Side, Style};
use super::world::World;

/// A match that a seat has interrupted with two choices, and the evidence of both.
struct Interrupted {
    world: World,
    evidence: Evidence,
}

impl Interrupted {
    fn new() -> Self {
        let world = before_the_choice();
        let log = world.sides[0].program.as_ref().unwrap().log();
        let (step, match_id) = (log.step(), log.match_info().id());
        let styles = [Style::Passive, Style::Folds(ACCOMPLICE)];
        let [world, other] = [0, 1].map(|at| continued(&world, styles[at], VICTIMS[at]));
        let statements = [&world, &other].map(|world| {
            let log = world.sides[0].program.as_ref().unwrap().log();
            let part = log.part(step, ACCOMPLICE).unwrap();
            Statement {
                before: log.hash_before(step).unwrap(),
                signed: Signed::Part(part.clone()),
            }
        });
        let evidence = Evidence {
            match_id,
            statements,
        };
        Interrupted { world, evidence }
    }

    /// All programs start again. The host receives the evidence on each connection to the cheat, and
    /// the program of one seat is killed.
    fn convicted(&self, killed: Option<(Seat, Kill)>) -> World {
        let side = |side: &Side| {
            let kills = killed.iter().filter(|(seat, _)| *seat == side.seat);
            let kills = kills.map(|(_, kill)| *kill).collect();
            Side::new(side.seat, Disk::of(side.disk.files()).then_with(kills))
        };
        let sides = self.world.sides.iter().map(side).collect();
        let mut world = World::of(self.world.plan.clone(), sides);
        let evidence = LogMessage::Evidence(Box::new(self.evidence.clone())).encode();
        world.meddle = Some(Box::new(move |by, to, message| {
            match (by, to) == (ACCOMPLICE, Seat::HOST) {
                true => vec![evidence.clone(), message],
                false => vec![message],
            }
        }));
        world.play();
        world
    }
}

/// Checks that all other seats have confirmed the end, and that they and their files state the same
/// chips. Returns the chips.
fn check(world: &World) -> Vec<u64> {
    let end = End::Fork { seat: ACCOMPLICE };
    let honest = world.sides.iter().filter(|side| side.seat != ACCOMPLICE);
    let chips = honest.map(|side| {
        let log = side.program.as_ref().unwrap().log();
        assert_eq!(log.phase(), Phase::Over(end.clone()));
        assert_eq!(log.unconfirmed(), [], "{}", side.seat);
        assert_eq!(side.end, Some(end.clone()));
        assert!(!side.disk.has_deck());
        let record = world.record(side.seat).log;
        assert_eq!(record.unconfirmed(), []);
        assert_eq!(record.final_stacks(), log.final_stacks());
        log.final_stacks()
    });
    let mut chips: Vec<_> = chips.collect();
    chips.dedup();
    assert_eq!(chips.len(), 1, "{chips:?}");
    chips.remove(0)
}

#[test]
fn program_is_killed_while_convictions_are_confirmed() {
    let interrupted = Interrupted::new();
    let undisturbed = interrupted.convicted(None);
    let chips = check(&undisturbed);
    assert_eq!(chips.iter().sum::<u64>(), 400);
    for seat in [Seat::HOST, VICTIMS[0]] {
        let actions = undisturbed.actions(seat);
        // With `DEALERLESS_SOAK`, in each of its actions.
        let stride = if soak().is_some() {
            1
        } else {
            actions.div_ceil(4)
        };
        for (number, action) in (0..actions).step_by(stride).enumerate() {
            for (place, when) in When::ALL.into_iter().enumerate() {
                if soak().is_none() && number % 3 != place {
                    continue;
                }
                let kill = Kill {
                    action,
                    when,
                    restore: None,
                };
                let world = interrupted.convicted(Some((seat, kill)));
                assert_eq!(check(&world), chips, "{seat} {action} {when:?}");
            }
        }
    }
}
