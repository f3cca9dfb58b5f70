//! A match goes on wherever its line is cut, and wherever a program is killed: with the same cards
//! and the same chips, and no try is void of which anybody has seen a card.
//!
//! The programs are the real ones, with the real engine; disk and line are in memory, so that each
//! moment can be hit. `DEALERLESS_SOAK=1000 cargo test --release -p dealerless-table --test promises resuming
//! -- --nocapture` kills both sides at all pairs of moments, puts back every older state, and breaks
//! off a match of 1 000 hands 200 times.

mod audit;
mod damaged;
mod disk;
mod games;
mod side;
mod world;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use dealerless::testing::soak::soak;
use dealerless_table::Seat;
use dealerless_table::log::{End, Stop, Storage};
use dealerless_table::record::{Compared, Record, compare};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use disk::{Kill, Kind, PutBack, When};
use games::{Game, long};
use side::Cut;
use world::{Plan, Went, World};

/// Plays matches with these plans, several at a time.
fn play_all(plans: &[Plan], check: impl Fn(&Plan, &Went) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(plan) = plans.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let went = World::play(plan);
                    check(plan, &went);
                }
            });
        }
    });
}

fn kills(seat: usize, deed: usize, when: When) -> Plan {
    let mut plan = Plan::default();
    let put_back = None;
    plan.kills[seat].push(Kill {
        deed,
        when,
        put_back,
    });
    plan
}

fn is_played(plan: &Plan, went: &Went) {
    assert_eq!(went.ends, [End::Played, End::Played], "{plan:?}");
}

/// A match in which nothing goes wrong: how many deeds and messages each side has.
fn undisturbed(game: Game) -> Went {
    let plan = Plan {
        game,
        ..Plan::default()
    };
    let went = World::play(&plan);
    is_played(&plan, &went);
    assert_eq!((went.lines, went.void), (1, 0));
    went
}

/// The moments at which a seat's program can be killed.
fn moments(went: &Went, seat: usize) -> Vec<(usize, When)> {
    let kinds = went.disks[seat].kinds();
    let moments = kinds.iter().enumerate().flat_map(|(deed, kind)| {
        // Only what is appended can be there in part.
        let whens = When::ALL.into_iter();
        whens.filter_map(move |when| {
            (when != When::Midway || *kind == Kind::Append).then_some((deed, when))
        })
    });
    moments.collect()
}

#[test]
fn a_program_is_killed_in_each_of_its_deeds() {
    let mut plans = Vec::new();
    for game in [Game::Holdem, Game::Deck, Game::Boards] {
        let went = undisturbed(game);
        for seat in [0, 1] {
            let kill = |(deed, when)| Plan {
                game,
                ..kills(seat, deed, when)
            };
            plans.extend(moments(&went, seat).into_iter().map(kill));
        }
    }
    let void = AtomicUsize::new(0);
    play_all(&plans, |plan, went| {
        is_played(plan, went);
        // Each side tells of it.
        assert!(went.lines == 2 && went.void <= 2, "{plan:?}");
        void.fetch_add(went.void / 2, Ordering::Relaxed);
    });
    let void = void.into_inner();
    println!("killed at {} moments; {void} tries were void", plans.len());
    assert!(plans.len() > 150 && void > 0 && void < plans.len() / 2);
}

/// Both are killed: at moments of the same step, each with a few of the other's; or, in a soak, at
/// all pairs of moments.
#[test]
fn both_programs_are_killed() {
    let went = undisturbed(Game::Holdem);
    let [steps, others] = went.disks.each_ref().map(disk::Disk::steps);
    let [of_host, of_guest] = [0, 1].map(|seat| moments(&went, seat));
    let mut plans = Vec::new();
    for &(deed, when) in &of_host {
        for &(other, other_when) in &of_guest {
            let same = steps[deed] == others[other] && when == other_when;
            if soak().is_some() || same && (deed + other) % 3 == 0 {
                let mut plan = kills(0, deed, when);
                plan.kills[1] = kills(1, other, other_when).kills[1].clone();
                plans.push(plan);
            }
        }
    }
    play_all(&plans, is_played);
    println!("killed at {} pairs of moments", plans.len());
    assert!(plans.len() > 20);
}

#[test]
fn the_line_is_cut_at_each_message() {
    let went = undisturbed(Game::Holdem);
    let mut plans = Vec::new();
    for seat in [0, 1] {
        for message in 0..went.sent[seat] {
            plans.extend([false, true].map(|arrives| Plan {
                cuts: vec![Cut {
                    seat,
                    message,
                    arrives,
                }],
                ..Plan::default()
            }));
        }
    }
    // And again while the two meet again.
    for plan in plans.clone().iter().step_by(3) {
        let [cut] = plan.cuts[..] else { continue };
        for (seat, more) in [(0, 1), (1, 2), (1 - cut.seat, 3)] {
            let message = match seat == cut.seat {
                true => cut.message + more,
                false => cut.message.saturating_sub(more),
            };
            let mut plan = plan.clone();
            plan.cuts.push(Cut {
                seat,
                message,
                arrives: more % 2 == 0,
            });
            plans.push(plan);
        }
    }
    play_all(&plans, is_played);
    println!("cut at {} places", plans.len());
    assert!(plans.len() > 80);
}

/// A program starts again with older files. Where the other tells it what it has forgotten, it goes
/// on; without its deck it forfeits a hand of which it could have seen a card. It convicts nobody and
/// is not convicted.
#[test]
fn an_older_state_is_put_back() {
    let went = undisturbed(Game::Holdem);
    let mut plans = Vec::new();
    let step = if soak().is_some() { 1 } else { 5 };
    for seat in [0, 1] {
        let deeds = went.disks[seat].steps().len();
        for deed in (1..deeds).step_by(step) {
            for older in (0..deed).step_by(step) {
                for (log, deck) in [(true, false), (false, true), (true, true)] {
                    let mut plan = kills(seat, deed, When::After);
                    let put_back = PutBack {
                        deed: older,
                        log,
                        deck,
                    };
                    plan.kills[seat][0].put_back = Some(put_back);
                    plans.push(plan);
                }
            }
        }
    }
    let forfeits = AtomicUsize::new(0);
    play_all(&plans, |plan, went| {
        let seat = usize::from(plan.kills[0].is_empty());
        match &went.ends {
            [End::Played, End::Played] => {}
            [End::Stopped(stops), _] => {
                let due = [(Seat::new(seat as u8), Stop::Forfeit)];
                assert_eq!(stops[..], due, "{plan:?}");
                forfeits.fetch_add(1, Ordering::Relaxed);
            }
            ends => panic!("{plan:?} {ends:?}"),
        }
    });
    let forfeits = forfeits.into_inner();
    println!("{} states put back; {forfeits} forfeits", plans.len());
    assert!(forfeits > 0 && forfeits < plans.len());
}

/// A player who does not like its cards breaks off and says that it has lost its deck. Wherever it
/// does that once it could have seen a card, it forfeits the hand: there is no other deal.
#[test]
fn who_breaks_off_once_it_could_have_seen_its_cards_gets_no_other_deal() {
    let went = undisturbed(Game::Holdem);
    let mut plans = Vec::new();
    for seat in [0, 1] {
        let kinds = went.disks[seat].kinds();
        let kept = kinds.iter().position(|kind| *kind == Kind::Keep).unwrap();
        let hand = kinds
            .iter()
            .position(|kind| *kind == Kind::Destroy)
            .unwrap();
        for deed in kept + 1..hand {
            let mut plan = kills(seat, deed, When::After);
            plan.kills[seat][0].put_back = Some(PutBack {
                deed: kept,
                log: false,
                deck: true,
            });
            plans.push(plan);
        }
    }
    let counts = [(); 3].map(|()| AtomicUsize::new(0));
    play_all(&plans, |plan, went| {
        let seat = usize::from(plan.kills[0].is_empty());
        let outcome = match &went.ends[0] {
            End::Stopped(stops) => {
                assert_eq!(stops[..], [(Seat::new(seat as u8), Stop::Forfeit)]);
                0
            }
            // The world has checked that nobody had seen a card of the try that was void.
            _ if went.void > 0 => 1,
            // Nothing was to be opened any more.
            _ => 2,
        };
        counts[outcome].fetch_add(1, Ordering::Relaxed);
    });
    let [forfeits, void, over] = counts.map(AtomicUsize::into_inner);
    println!("{forfeits} forfeits, {void} void before any card was seen, {over} after the last");
    assert!(forfeits > 10 && void > 0);
}

/// A long match whose line is cut and whose programs are killed at random, again and again.
#[test]
fn a_long_match_is_broken_off_at_random_again_and_again() {
    let mut rng = StdRng::seed_from_u64(soak().unwrap_or(1) as u64);
    let breaks = (long() / 5) as usize;
    // A hand has some thirty deeds of each side, and a dozen messages.
    let (deeds, messages) = (30 * long() as usize, 12 * long() as usize);
    let mut plan = Plan {
        game: Game::Long,
        ..Plan::default()
    };
    for number in 0..breaks {
        let seat = rng.random_range(0..2);
        if number % 2 == 0 {
            let when = When::ALL[rng.random_range(0..3)];
            let kill = kills(seat, rng.random_range(0..deeds), when).kills[seat][0];
            plan.kills[seat].push(kill);
        } else {
            let (message, arrives) = (rng.random_range(0..messages), rng.random());
            plan.cuts.push(Cut {
                seat,
                message,
                arrives,
            });
        }
    }
    let went = World::play(&plan);
    is_played(&plan, &went);
    let [one, other] = went.disks.each_ref().map(|disk| {
        let bytes = disk.log().read().unwrap();
        Record::read(&bytes, None).unwrap()
    });
    assert_eq!(
        (one.played(), other.played()),
        (long() as usize, long() as usize)
    );
    assert!(matches!(
        compare(&one, &other),
        Compared::Together { more: [0, 0], .. }
    ));
    println!(
        "{} hands on {} lines; {} tries were void",
        one.played(),
        went.lines,
        went.void / 2
    );
    assert!(went.lines as usize > breaks / 2);
}

/// Dice that were forgotten after their commitment was said are a forfeit: never others.
#[test]
fn who_has_lost_its_dice_forfeits() {
    let went = undisturbed(Game::Deck);
    let kinds = went.disks[0].kinds();
    let kept: Vec<usize> = (0..kinds.len())
        .filter(|&deed| kinds[deed] == Kind::Keep)
        .collect();
    // The second deed of this kind keeps the first dice; the append after it says the commitment.
    let put_back = PutBack {
        deed: kept[1],
        log: false,
        deck: true,
    };
    let mut plan = Plan {
        game: Game::Deck,
        ..Plan::default()
    };
    plan.kills[0].push(Kill {
        deed: kept[1] + 1,
        when: When::After,
        put_back: Some(put_back),
    });
    let went = World::play(&plan);
    let forfeit = End::Stopped(vec![(Seat::HOST, Stop::Forfeit)]);
    assert_eq!(went.ends, [forfeit.clone(), forfeit]);
}

/// A hand from which a card is stolen: the card is stolen once, or, where the engine was lost before
/// both had sealed the hand anew, the hand lies there as before.
#[test]
fn a_program_is_killed_or_its_line_is_cut_in_the_midst_of_a_steal() {
    let game = Game::Steal;
    let went = undisturbed(game);
    let mut plans = Vec::new();
    for seat in [0, 1] {
        for (deed, when) in moments(&went, seat) {
            plans.push(Plan {
                game,
                ..kills(seat, deed, when)
            });
        }
        for message in 0..went.sent[seat] {
            plans.extend([false, true].map(|arrives| Plan {
                game,
                cuts: vec![Cut {
                    seat,
                    message,
                    arrives,
                }],
                ..Plan::default()
            }));
        }
    }
    let stolen = AtomicUsize::new(0);
    play_all(&plans, |plan, went| {
        is_played(plan, went);
        stolen.fetch_add(usize::from(went.stolen), Ordering::Relaxed);
    });
    let stolen = stolen.into_inner();
    println!(
        "killed or cut at {} moments, stolen in {stolen}",
        plans.len()
    );
    assert!(plans.len() > 150 && stolen > 50 && stolen < plans.len());
}
