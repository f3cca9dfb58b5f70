use proptest::prelude::*;

use super::*;

/// A deal's numbers in the orders of Big Deal, Andrews and Pavlicek, and the deal. The numbers of
/// Big Deal are from its own converter (BigDeal a980e7f), the others from an independent program.
const VECTORS: [(u128, u128, u128, &str); 16] = [
    (
        0,
        0,
        0,
        "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432",
    ),
    (
        1,
        1,
        1,
        "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT9876543.A ..2.KQJT98765432",
    ),
    (
        2,
        14,
        2,
        "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT9876543.K ..2.AQJT98765432",
    ),
    (
        13,
        5200300,
        13,
        "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT9876543.2 ..2.AKQJT9876543",
    ),
    (
        14,
        2,
        14,
        "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT9876542.A ..3.KQJT98765432",
    ),
    (
        13411184441372198209809359999,
        53644737762194147014395650399,
        13411184441372198209809359999,
        "N:A...KQJT98765432 ..KQJT98765432.A .KQJT98765432.A. KQJT98765432.A..",
    ),
    (
        13411184441372198209809360000,
        1098215274947263200,
        13411184441372198209809360000,
        "N:KQJT98765432.A.. A.KQJT98765432.. ..AKQJT98765432. ...AKQJT98765432",
    ),
    (
        10000000000000000000000000000,
        38075291186195028463112414397,
        9839510975069575997226404271,
        "N:A9.AQ5.AQ953.Q43 T54.J6.KT84.A962 K87632.3.J6.KJ85 QJ.KT98742.72.T7",
    ),
    (
        53644737765488792839237439998,
        53644737765488792839237439998,
        53644737765404314741164573599,
        "N:...AKQJT98765432 ..AKQJT98765432. 2.KQJT98765432.. AKQJT9876543.A..",
    ),
    (
        53644737765488792839237439999,
        53644737765488792839237439999,
        53644737765488792839237439999,
        "N:...AKQJT98765432 ..AKQJT98765432. .AKQJT98765432.. AKQJT98765432...",
    ),
    (
        36892843148362336617819499272,
        39821623690885960145906715859,
        51410303815515745124945918626,
        "N:J2.AQ.A7652.J543 QT87.T8.KJ843.A2 6543.J42.Q9.QT76 AK9.K97653.T.K98",
    ),
    (
        16075850015072357316001918959,
        13549032357997378793682975202,
        41983296811375797160817821157,
        "N:KJT73.97.J98.JT6 84.Q8.K63.KQ9875 Q6.KJ632.AQ42.A2 A952.AT54.T75.43",
    ),
    (
        32509522145603718247114771621,
        3267672525270076277864625543,
        48884330997714092160966750139,
        "N:JT52.JT3.QJ973.T 64.AKQ974.864.A6 KQ9873.8652.K2.4 A..AT5.KQJ987532",
    ),
    (
        22698935206101244742010741536,
        39108155455444653633666564624,
        42528111271622274186215760564,
        "N:K5.T97.42.QJT743 9863.J82.QJT95.K QJT72.4.A83.A865 A4.AKQ653.K76.92",
    ),
    (
        21141578906969720138031561136,
        11486943938621585616238451965,
        41465259788866713997665035602,
        "N:K8.KQ73.K97.QJ87 QJ.J9862.JT65.A5 9632.T54.AQ83.K9 AT754.A.42.T6432",
    ),
    (
        43926311013514274913126959090,
        31499578414598307184957862301,
        22020026490398708305442353728,
        "N:952.AT94.QJ3.KT3 AJ76.QJ87.K85.A4 KQT8.32.AT2.Q976 43.K65.9764.J852",
    ),
];

/// For each deal of [`VECTORS`], Big Deal's number in hexadecimal, and the owners of the cards from
/// the ace of spades to the two of clubs.
const HEX_AND_OWNERS: [(&str, &str); 16] = [
    (
        "000000000000000000000000",
        "NNNNNNNNNNNNNEEEEEEEEEEEEESSSSSSSSSSSSSWWWWWWWWWWWWW",
    ),
    (
        "000000000000000000000001",
        "NNNNNNNNNNNNNEEEEEEEEEEEEESSSSSSSSSSSSWSWWWWWWWWWWWW",
    ),
    (
        "000000000000000000000002",
        "NNNNNNNNNNNNNEEEEEEEEEEEEESSSSSSSSSSSSWWSWWWWWWWWWWW",
    ),
    (
        "00000000000000000000000d",
        "NNNNNNNNNNNNNEEEEEEEEEEEEESSSSSSSSSSSSWWWWWWWWWWWWWS",
    ),
    (
        "00000000000000000000000e",
        "NNNNNNNNNNNNNEEEEEEEEEEEEESSSSSSSSSSSWSSWWWWWWWWWWWW",
    ),
    (
        "2b5578c558d3769962fd247f",
        "NWWWWWWWWWWWWWSSSSSSSSSSSSSEEEEEEEEEEEEENNNNNNNNNNNN",
    ),
    (
        "2b5578c558d3769962fd2480",
        "ENNNNNNNNNNNNNEEEEEEEEEEEESSSSSSSSSSSSSWWWWWWWWWWWWW",
    ),
    (
        "204fce5e3e25026110000000",
        "NSWWENSSSEESSNWNEWWWWENWSWNENSENEWSNENWESNSWESWESNNE",
    ),
    (
        "ad55e315634dda658bf491fe",
        "WWWWWWWWWWWWSWSSSSSSSSSSSSEEEEEEEEEEEEENNNNNNNNNNNNN",
    ),
    (
        "ad55e315634dda658bf491ff",
        "WWWWWWWWWWWWWSSSSSSSSSSSSSEEEEEEEEEEEEENNNNNNNNNNNNN",
    ),
    (
        "77350b6a87f4363a6cef6b08",
        "WWENEWEESSSSNNWNSEWEWWWSWSNESEWSENNNEENEWSNSWWSSNNNE",
    ),
    (
        "33f1a1a78b6ccd891e4defef",
        "WNSNNWENSWENWWSESWNENSWWSSSESNWNNWEWSESSEENNEEENEWWS",
    ),
    (
        "690b3f16d62223dbee968ca5",
        "WSSNNSSSENESNEEENNESESSENSWSNNWNENEWENSEWWWNWWWEWSWW",
    ),
    (
        "49581e7f2d9a28f429c52320",
        "WNSSSEESENWESWWWENNENWWSWESWEEEESWWENSNSENNNWSNSSNNW",
    ),
    (
        "444fe779091777c3a911f9b0",
        "WNEEWSNWSWWSSWNNESEENESSNESNSEENSNEEWSWESNNWSNNWEWWW",
    ),
    (
        "8deefe2b819d42975447c7f2",
        "ESSESNSEENWWNNWEENNEEWWNSSSENNSWEWWEWNSENSWNSWSSWENW",
    ),
];

/// For each card of North, East and South in the deal 77350b6a…, its index among the cards that are
/// not in earlier hands, minus its index in its hand. Big Deal's own converter printed the numbers.
const SEQUENCE: [[u64; 13]; 3] = [
    [3, 11, 11, 12, 22, 28, 28, 28, 30, 33, 38, 38, 38],
    [2, 2, 3, 3, 9, 10, 16, 17, 19, 19, 19, 19, 26],
    [3, 3, 3, 3, 4, 8, 9, 9, 10, 11, 11, 13, 13],
];

/// The number of deals.
const D: u128 = 53_644_737_765_488_792_839_237_440_000;

fn number(number: u128) -> DealNumber {
    DealNumber::new(number).unwrap()
}

#[test]
fn numbers_match_big_deal_andrews_and_pavlicek() {
    for (big_deal, andrews, pavlicek, deal) in VECTORS {
        let deal: Deal = deal.parse().unwrap();
        for (order, known) in Order::ALL.into_iter().zip([big_deal, andrews, pavlicek]) {
            assert_eq!(DealNumber::of(&deal, order).get(), known, "{order} {deal}");
            assert_eq!(number(known).deal(order), deal, "{order} {known}");
        }
    }
}

#[test]
fn hexadecimal_numbers_match_the_owners() {
    for ((big_deal, ..), (hex, owners)) in VECTORS.into_iter().zip(HEX_AND_OWNERS) {
        let read: DealNumber = format!("0x{hex}").parse().unwrap();
        assert_eq!(read, number(big_deal));
        let deal = read.deal(Order::BigDeal);
        let found: String = deal.owners().iter().map(|owner| owner.letter()).collect();
        assert_eq!(found, owners);
    }
}

#[test]
fn number_of_deals_matches_big_deal() {
    assert_eq!(CHOICES, [635_013_559_600, 8_122_425_444, 10_400_600]);
    let north_weight = u128::from(CHOICES[1]) * u128::from(CHOICES[2]);
    assert_eq!(north_weight, 84_478_098_072_866_400);
    assert_eq!(DealNumber::COUNT, 0xad55_e315_634d_da65_8bf4_9200);
}

/// The rank of a hand is the sum of C(n - a' - j, 13 - j) - C(n - a - j, 13 - j) over its cards. n
/// is the number of cards that are not in earlier hands, j the index of the card in its hand, a its
/// term of the sequence, and a' the previous term.
#[test]
fn rank_of_a_hand_is_the_sum_over_its_sequence() {
    let deal: Deal = VECTORS[10].3.parse().unwrap();
    let mut left = deal.owners().to_vec();
    let mut ranks = [0; 3];
    for (seat, rank) in Compass::ALL.into_iter().zip(&mut ranks) {
        let places = (0..left.len()).filter(|place| left[*place] == seat);
        let sequence: Vec<u64> = (0..)
            .zip(places)
            .map(|(j, place)| place as u64 - j)
            .collect();
        assert_eq!(sequence, SEQUENCE[seat as usize]);
        let mut before = 0;
        for (j, a) in sequence.into_iter().enumerate() {
            let choose = |a: u64| CHOOSE[left.len() - a as usize - j][13 - j];
            *rank += choose(before) - choose(a);
            before = a;
        }
        left.retain(|owner| *owner != seat);
    }
    // West gets the remaining cards.
    assert_eq!(left, [Compass::West; 13]);
    assert_eq!(join(ranks), VECTORS[10].0);
}

/// In Pavlicek's order, each seat holds the ace of spades in one contiguous quarter of all deals.
/// In Big Deal's order, North holds the ace in the first quarter. The last three quarters are not
/// divided by seat.
#[test]
fn ace_of_spades_changes_owner_by_quarters_only_in_pavliceks_order() {
    let owner = |at: u128, order| number(at).deal(order).owners()[0];
    for (quarter, seat) in (0..).zip(Compass::ALL) {
        for at in [0, 1, D / 8, D / 4 - 1] {
            assert_eq!(owner(quarter * (D / 4) + at, Order::Pavlicek), seat);
        }
    }
    for at in [0, 1, D / 8, D / 4 - 1] {
        assert_eq!(owner(at, Order::BigDeal), Compass::North);
    }
    let spread = (0..64).map(|step| owner(D / 4 + step * (D / 256), Order::BigDeal));
    let mut seen: Vec<Compass> = spread.collect();
    seen.sort();
    seen.dedup();
    assert_eq!(seen, [Compass::East, Compass::South, Compass::West]);
}

#[test]
fn last_number_is_valid_and_the_next_is_too_large() {
    assert_eq!(DealNumber::COUNT, D);
    assert_eq!(number(D - 1).get(), D - 1);
    for too_large in [D, D + 1, u128::MAX] {
        assert_eq!(DealNumber::new(too_large), Err(NumberError::TooLarge));
        let text = too_large.to_string();
        assert_eq!(text.parse::<DealNumber>(), Err(NumberError::TooLarge));
    }
    let message = NumberError::TooLarge.to_string();
    assert!(message.ends_with(&(D - 1).to_string()), "{message}");
}

#[test]
fn numbers_parse_in_decimal_and_hexadecimal() {
    let read = |text: &str| text.parse::<DealNumber>();
    let known = Ok(number(36_892_843_148_362_336_617_819_499_272));
    assert_eq!(read("36892843148362336617819499272"), known);
    assert_eq!(read("36,892,843,148,362,336,617,819,499,272"), known);
    assert_eq!(read("0x77350b6a87f4363a6cef6b08"), known);
    assert_eq!(read("0X1"), Err(NumberError::Digits));
    for invalid in [
        "",
        "0x",
        "+1",
        "-1",
        "0x+1",
        "1,00",
        "1000,000",
        ",100",
        "1,,000",
        "1,000,",
        "1 000",
        "0x1,000",
        "ten",
        "1e9",
        "\u{661}",
        "1,\u{e9}0",
    ] {
        assert_eq!(read(invalid), Err(NumberError::Digits), "{invalid}");
    }
    let longer = format!("0x1{}", "0".repeat(40));
    assert_eq!(read(&longer), Err(NumberError::TooLarge));
    assert_eq!(read(&"9".repeat(100)), Err(NumberError::TooLarge));
}

#[test]
fn names_of_orders_are_printed_and_parsed() {
    let names = Order::ALL.map(|order| order.to_string());
    assert_eq!(names, ["bigdeal", "andrews", "pavlicek"]);
    for (name, order) in names.iter().zip(Order::ALL) {
        assert_eq!(name.parse(), Ok(order));
    }
}

#[test]
fn next_number_is_the_next_deal_in_the_order() {
    let low = 1 << 40;
    for start in [0, low, D / 4 - 50, D / 2, D - 101] {
        for order in Order::ALL {
            let words: Vec<_> = (start..start + 100)
                .map(|at| key(&number(at).deal(order), order))
                .collect();
            assert!(words.is_sorted_by(|a, b| a < b), "{order} {start}");
        }
    }
}

/// The sort key that defines an order: in Pavlicek's order the owners of all cards, in other orders
/// the indices of each hand's cards among the cards that are not in earlier hands.
fn key(deal: &Deal, order: Order) -> Vec<usize> {
    if order == Order::Pavlicek {
        return deal.owners().iter().map(|owner| *owner as usize).collect();
    }
    let mut left: Vec<Compass> = deal.owners().to_vec();
    let mut key = Vec::new();
    for seat in [Compass::North, Compass::East, Compass::South] {
        let places = (0..left.len()).filter(|place| left[*place] == seat);
        match order {
            Order::Andrews => key.extend(places.rev()),
            _ => key.extend(places),
        }
        left.retain(|owner| *owner != seat);
    }
    key
}

proptest! {
    #[test]
    fn number_to_deal_and_back_is_the_identity(at in 0..D) {
        for order in Order::ALL {
            let deal = number(at).deal(order);
            prop_assert_eq!(DealNumber::of(&deal, order).get(), at);
        }
    }

    #[test]
    fn deal_to_number_and_back_is_the_identity(
        owners in Just(std::array::from_fn::<_, 52, _>(|card| Compass::ALL[card % 4]).to_vec()).prop_shuffle()
    ) {
        let deal = Deal::new(owners.try_into().unwrap()).unwrap();
        for order in Order::ALL {
            prop_assert_eq!(DealNumber::of(&deal, order).deal(order), deal);
        }
    }
}
