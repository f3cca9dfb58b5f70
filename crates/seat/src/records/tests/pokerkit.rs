//! Reads hand histories with another program: `pokerkit` from PyPI, which plays each hand by its
//! own rules. Each player must end with the same chips as here.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use dealerless_table::Seat;
use dealerless_table::log::LogEvent;
use dealerless_table::record::RecordedHand;
use dealerless_table::rules::{
    Amounts, BettingRules, Choice, Legal, Limit, PokerKind, Posts, Variety,
};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::super::words::Moment;
use super::super::{phh, pokerstars};
use super::made::{Made, rules};

/// 2026-11-22 08:15:03 in UTC.
const DATE: u64 = 1_795_335_303;

/// A script that plays each hand of a file.
const READ: &str = include_str!("read_phh.py");

fn random(legal: &Legal, rng: &mut StdRng) -> Choice {
    let pick = |Amounts { min, max }, rng: &mut StdRng| match rng.random_range(0..4) {
        0 => max,
        1 => rng.random_range(min..=max),
        _ => min,
    };
    match legal {
        Legal::Bet { call, bet, raise } => match (rng.random_range(0..8), call, bet, raise) {
            (0..=2, _, Some(bet), _) => Choice::Bet {
                to: pick(*bet, rng),
            },
            (0..=2, _, _, Some(raise)) => Choice::Raise {
                to: pick(*raise, rng),
            },
            (3, Some(_), ..) => Choice::Fold,
            (_, Some(_), ..) => Choice::Call,
            _ => Choice::Check,
        },
        Legal::ShowOrMuck if rng.random_ratio(1, 4) => Choice::Muck,
        _ => Choice::Show,
    }
}

fn mucks(hand: &RecordedHand) -> bool {
    let muck = |event: &LogEvent| match event {
        LogEvent::Chose(chosen) => chosen.choice == Choice::Muck,
        _ => false,
    };
    hand.events.iter().any(muck)
}

/// Writes random matches, each as its host reads it and as anybody reads it.
fn write_games(folder: &Path) {
    let antes = BettingRules {
        posts: Posts::Antes { ante: 1, bet: 2 },
        ..rules(Limit::NoLimit, 40)
    };
    let games = [
        (rules(Limit::NoLimit, 40), 2),
        (rules(Limit::NoLimit, 40), 3),
        (rules(Limit::Fixed, 40), 2),
        (antes, 2),
    ];
    for (number, (rules, seats)) in games.into_iter().enumerate() {
        let mut rng = StdRng::seed_from_u64(number as u64);
        let mut made = Made::new(
            Variety::Poker(PokerKind::Holdem, rules),
            seats,
            100,
            [5, 15],
        );
        made.play(|_, legal| {
            let choice = random(legal, &mut rng);
            // pokerkit does not support a side pot that all but one player have given up.
            let gives_up = choice == Choice::Muck && seats > 2;
            Some(if gives_up { Choice::Show } else { choice })
        });
        for (whose, record) in [made.own(Seat::HOST), made.record(Seat::HOST)]
            .iter()
            .enumerate()
        {
            let hands: Vec<_> = record.hands.iter().collect();
            assert_eq!(hands.len(), 100);
            let date = Some(Moment::of(DATE));
            let file = folder.join(format!("{number}-{whose}"));
            let phh = phh::write(record, &hands, false, date).unwrap();
            fs::write(file.with_extension("phhs"), phh).unwrap();
            // pokerkit also reads the text format, for no-limit games of two players with blinds in
            // which the first player at a showdown does not muck.
            if number == 0 {
                let hands: Vec<_> = hands.into_iter().filter(|hand| !mucks(hand)).collect();
                let text = pokerstars::write(record, &hands, date) + "\n\n\n";
                fs::write(file.with_extension("txt"), text).unwrap();
            }
        }
    }
}

#[test]
fn pokerkit_computes_the_same_chips_for_each_hand() {
    let python = env::var_os("DEALERLESS_PYTHON").unwrap_or_else(|| "python3".into());
    let found = Command::new(&python)
        .args(["-c", "import pokerkit"])
        .output();
    if !found.is_ok_and(|found| found.status.success()) {
        println!("pokerkit is not installed: no hand history was read back");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    write_games(folder.path());
    let read = Command::new(&python)
        .args(["-c", READ])
        .arg(folder.path())
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&read.stdout);
    assert!(
        read.status.success(),
        "{output}\n{}",
        String::from_utf8_lossy(&read.stderr)
    );
    assert!(output.contains("800 hands"), "{output}");
}
