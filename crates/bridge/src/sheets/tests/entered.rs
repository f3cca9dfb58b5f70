//! Tests sheets for jointly dealt boards. Each is made from the entry of one dealer to the split.

use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::sheets::half_sheet::Work;
use crate::sheets::{Dealer, HalfSheet, Page, own_sheet};
use dealerless::circuit::Party;
use dealerless::shuffle::split::{Split, SplitCircuit};

/// The four hands, as sets of cards, that result from the work of both dealers.
fn followed(one: &HalfSheet, other: &HalfSheet) -> Vec<u64> {
    let (first, second) = match (one.work(), other.work()) {
        (Work::First(first), Work::Second { hands, .. })
        | (Work::Second { hands, .. }, Work::First(first)) => (first, hands),
        _ => panic!("both sheets are the same half of board {}", one.number()),
    };
    let mut hands = vec![0; 4];
    for (card, &hand) in first.pack().iter().zip(second) {
        hands[usize::from(hand)] |= 1 << card.number();
    }
    hands
}

#[test]
fn two_dealers_deal_the_hands_of_the_split() {
    let mut rng = StdRng::seed_from_u64(36);
    for boards in [1, 2, 3, 7, 36] {
        let circuit = SplitCircuit::build(Split::new(13, boards).unwrap());
        let entered = Party::BOTH.map(|party| circuit.sample(party, &mut rng));
        let bits = entered.each_ref().map(|entered| entered.bits().to_vec());
        let outputs = circuit.circuit().evaluate(&bits).unwrap();
        let sheets = [0, 1].map(|party: usize| -> Vec<HalfSheet> {
            let entries = circuit.entered(Party::BOTH[party], &bits[party]).unwrap();
            let sheets = (1..).zip(&entries);
            let sheets = sheets.map(|(number, entry)| HalfSheet::entered(number, entry));
            sheets.collect::<Option<_>>().unwrap()
        });
        let dealt: Vec<u64> = sheets[0]
            .iter()
            .zip(&sheets[1])
            .flat_map(|(one, other)| followed(one, other))
            .collect();
        assert_eq!(dealt, circuit.decode(&outputs));
        // Each sheet can be printed only for its own dealer.
        for (dealer, other, own) in [
            (Dealer::One, Dealer::Two, &sheets[0]),
            (Dealer::Two, Dealer::One, &sheets[1]),
        ] {
            let text = own_sheet(Page::Text, dealer, own).unwrap();
            assert_eq!(text.matches("half\n").count(), boards, "{text}");
            assert_eq!(own_sheet(Page::Text, other, own), None);
            // Both dealers know the seats of the hands.
            let seats = text.matches("1 North, 2 East, 3 South, 4 West").count();
            assert_eq!(seats, text.matches("second half\n").count(), "{text}");
        }
    }
}
