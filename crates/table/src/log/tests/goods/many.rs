//! A hostile match: as many goods as possible, and many mixes.

use std::cell::Cell;

use rand::SeedableRng;
use rand::rngs::StdRng;

use super::*;

/// The resident memory of this process, if the system reports it.
fn resident_mib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let (_, rest) = status.split_once("VmRSS:")?;
    let kib: u64 = rest.split_whitespace().next()?.parse().ok()?;
    Some(kib / 1024)
}

/// All goods of the hand take 1.6 MB. A log that kept them for each mix of one good would need 640 MB
/// here, for the two seats.
#[test]
fn many_mixes_in_a_hand_of_many_goods_take_little_memory() {
    let mut table = table(2, 19);
    let (all, held) = (Game::MAX_GOODS, Game::MAX_HELD);
    for first in (0..all).step_by(held) {
        gain(&mut table, &[(0, WOOD, held as u8)]);
        // The last good is kept.
        let spent = first..(first + held).min(all - 1);
        let spent: Vec<Good> = spent.map(|number| good(CARDS + number, WOOD)).collect();
        for spent in spent.chunks(GoodsChoice::MAX_LISTED) {
            of_goods(&mut table, GoodsChoice::Give(spent.to_vec()));
        }
    }
    let before = resident_mib();
    for _ in 0..200 {
        of_goods(&mut table, GoodsChoice::Mix);
    }
    let grown = resident_mib()
        .zip(before)
        .map(|(after, before)| after.saturating_sub(before));
    assert!(grown.is_none_or(|mib| mib < 300), "{grown:?} MiB");
    let last = CARDS + all - 1;
    assert_eq!(known(&mut table, 0, &[last]), [Some(WOOD.into())]);
    assert_eq!(known(&mut table, 1, &[last]), [None]);

    // The owner follows each mix once.
    let (mut goods, followed) = (KnownGoods::default(), Cell::new(0));
    let mut follow = |table: &Table| {
        let own = &table.seats[0];
        let deck = own.log.deck_now(Seat::HOST).unwrap();
        let key = own.own.secret_key(&deck).unwrap();
        deck.follow_goods(&mut goods, &key, |_, _| {
            followed.set(followed.get() + 1);
            StdRng::seed_from_u64(0)
        });
        (followed.take(), goods.kind(last))
    };
    let wood = Some(Card(WOOD.into()));
    assert_eq!(follow(&table), (200, wood));
    assert_eq!(follow(&table), (0, wood));
    of_goods(&mut table, GoodsChoice::Mix);
    assert_eq!(follow(&table), (1, wood));
}
