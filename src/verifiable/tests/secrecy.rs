//! Seats fewer than the threshold read no card, whatever they have seen of the hand. [`Decks::open`]
//! refuses to open with too few partials, so these tests compute the card themselves.

use super::*;

const BOARD: usize = 0;
/// A card of the victim, which it has shown.
const SHOWN: usize = 1;
/// A card of the victim, which it has not shown.
const HOLE: usize = 2;
const CLOSED: usize = 3;

/// All sets of `size` of the numbers below `count`.
fn sets(count: usize, size: usize) -> impl Iterator<Item = Vec<usize>> {
    let members = move |set: usize| (0..count).filter(move |i| set >> i & 1 == 1);
    let sets = (0..1_usize << count).map(move |set| members(set).collect::<Vec<_>>());
    sets.filter(move |set| set.len() == size)
}

/// The card at a position, if these are the partials of these seats for it.
fn card(decks: &Decks, position: usize, partials: &[(usize, RistrettoPoint)]) -> Option<Card> {
    let seats: Vec<usize> = partials.iter().map(|(seat, _)| *seat).collect();
    let terms = partials.iter();
    let factor: RistrettoPoint = terms
        .map(|(seat, point)| point * lagrange(&seats, *seat))
        .sum();
    let deck = &decks.decks[0];
    deck.cards.card(&(deck.places[position].b.get() - factor))
}

/// What the seats outside a coalition have sent in a hand: partials of the board, partials for the
/// victim, and the victim's show. Each point with its seat.
fn seen(
    fixture: &Fixture,
    decks: &Decks,
    coalition: &[usize],
    victim: usize,
) -> Vec<(usize, RistrettoPoint)> {
    let slots = [to_all(BOARD), to_seat(SHOWN, victim), to_seat(HOLE, victim)];
    let opened = slots.map(|slot| {
        let openers = openers(fixture.roster.seats(), &slot, |_| true, |_| false);
        fixture.gather(decks, &openers, slot)
    });
    let context = fixture.context(victim, 60);
    let shown = [Shown {
        deck: 0,
        position: SHOWN,
        partials: opened[1].clone(),
    }];
    let (key, rng) = (&fixture.secrets[victim], &mut StdRng::seed_from_u64(3));
    let show = Show::make(&context, decks, Receiver::All, &shown, key, rng).unwrap();
    let shown = group::Reader::new(&show[..32], 32).unwrap().point();
    let points = |partial: &Partial| {
        let points = partial.mask.into_iter().chain([partial.value]);
        let seat = partial.seat;
        points.map(move |point| (seat, *point.get()))
    };
    (opened.iter().flatten().flat_map(points))
        .filter(|(seat, _)| !coalition.contains(seat))
        .chain([(victim, *shown.unwrap().get())])
        .collect()
}

#[test]
fn fewer_seats_than_the_threshold_read_no_card_with_all_that_they_have_seen() {
    for (count, threshold) in [(3, 3), (6, 6), (3, 2), (5, 3)] {
        let (fixture, decks) = Fixture::dealt(count, threshold);
        let all: Vec<usize> = (0..threshold).collect();
        let partial = |seat: usize, position: usize| {
            let a = decks.decks[0].places[position].a;
            (seat, a.get() * fixture.secrets[seat].secret)
        };
        for coalition in sets(count, threshold - 1) {
            for victim in (0..count).filter(|seat| !coalition.contains(seat)) {
                let seen = seen(&fixture, &decks, &coalition, victim);
                for position in [HOLE, CLOSED] {
                    let own: Vec<_> = (coalition.iter())
                        .map(|&seat| partial(seat, position))
                        .collect();
                    // One more partial opens the card.
                    let enough = [&own[..], &[partial(victim, position)]].concat();
                    let real = fixture.opens(&decks, &all, position);
                    assert!(real.is_some());
                    assert_eq!(card(&decks, position, &enough), real);
                    // Without it, no set of the coalition's partials does, nor with a point that
                    // another seat has sent.
                    for size in 0..=own.len() {
                        for set in sets(own.len(), size) {
                            let own: Vec<_> = set.iter().map(|&i| own[i]).collect();
                            assert_eq!(card(&decks, position, &own), None);
                            for &point in &seen {
                                let more = [&own[..], &[point]].concat();
                                assert_eq!(card(&decks, position, &more), None);
                            }
                        }
                    }
                }
            }
        }
    }
}
