//! The instructions for one half of the work on a board, in words and in digits.

use crate::sheets::half_sheet::Work;
use crate::sheets::{FirstSheet, Half, HalfSheet, Pass};

/// The general rules for all boards: the title of each section, and its rules.
pub(super) const RULES: [(&str, &[&str]); 4] = [
    (
        "Before you begin",
        &[
            "Keep this sheet to yourself, and do not look at the other dealer's sheet.",
            "Boards come in blocks of four. In each block, do the first halves, exchange packs with \
             the other dealer, and do the second halves with the packs that you receive.",
            "Each letter or digit shows where the next card goes. Follow each line with a finger from \
             left to right.",
        ],
    ),
    (
        "The first half of a board",
        &[
            "Sort the pack by suits in the order given on the sheet, each suit from the ace down to \
             the two. When the pack lies face down, the ace of the first suit is the top card, and the \
             two of the last suit is the bottom card.",
            "Deal the cards face down, one by one from the top, each to the named pile.",
            "Count the cards in each pile.",
            "Put the first pile on the second, both on the third, and so on. The last pile is at the \
             bottom.",
            "If the sheet names piles a second time, deal this pack again from the top. Then count and \
             stack these piles in the same way.",
            "Put the pack into the board, face down, for the other dealer.",
        ],
    ),
    (
        "The second half of a board",
        &[
            "Take the pack that the other dealer has prepared. Keep it face down, and do not cut it.",
            "Deal the cards face down, one by one from the top, each to the named hand.",
            "Count the cards in each hand: there must be 13.",
            "Shuffle each hand separately, and put it into its pocket.",
        ],
    ),
    (
        "If a pile or a hand has the wrong number of cards",
        &[
            "A card went to the wrong place. Shuffle all 52 cards face down, and start this board \
             again with the same sheets.",
        ],
    ),
];

/// The instruction between the first and the second halves of a block.
pub(super) const CHANGE: &str = "Exchange packs with the other dealer.";

/// The instructions for one dealer on a block of boards.
pub(super) struct Leaf {
    pub(super) title: String,
    pub(super) halves: Vec<HalfBoard>,
}

impl Leaf {
    /// The instructions for `halves`, the halves of the block with the given number.
    pub(super) fn of(number: usize, halves: &[HalfSheet]) -> Leaf {
        let numbers = || halves.iter().map(HalfSheet::number);
        let (first, last) = (numbers().min(), numbers().max());
        let boards = match (first.unwrap_or_default(), last.unwrap_or_default()) {
            (first, last) if first == last => format!("board {first}"),
            (first, last) => format!("boards {first} to {last}"),
        };
        Leaf {
            title: format!("Block {number}: {boards}"),
            halves: halves.iter().map(steps).collect(),
        }
    }

    /// Whether the dealers exchange packs before the half with index `place`.
    pub(super) fn changes_before(&self, place: usize) -> bool {
        let half = |place: usize| self.halves.get(place).map(|board| board.half);
        place > 0 && half(place - 1) != half(place)
    }
}

/// The instructions for one half of the work on a board.
pub(super) struct HalfBoard {
    pub(super) title: String,
    pub(super) half: Half,
    pub(super) steps: Vec<Step>,
}

/// A part of the instructions.
pub(super) enum Step {
    /// A text.
    Text(String),
    /// The letter or digit of the pile or hand of each card, in groups of four.
    Places(Vec<String>),
}

fn steps(sheet: &HalfSheet) -> HalfBoard {
    let (name, steps) = match sheet.work() {
        Work::First(sheet) => ("first half", first(sheet)),
        Work::Second { hands, named } => ("second half", second(hands, *named)),
    };
    HalfBoard {
        title: format!("Board {}, {name}", sheet.number()),
        half: sheet.half(),
        steps,
    }
}

fn first(sheet: &FirstSheet) -> Vec<Step> {
    let suits = sheet.suits.map(|suit| format!("{suit:?}")).join(", ");
    let mut steps = vec![Step::Text(format!(
        "From the top: {suits}, each from the ace down."
    ))];
    for (number, pass) in sheet.passes.iter().enumerate() {
        let deal = if number > 0 { "Deal again" } else { "Deal" };
        steps.push(Step::Text(format!("{deal} {}", piles(pass))));
        let names = pass.places().iter();
        steps.push(groups(
            names.map(|pile| name(pass.piles(), *pile)).collect(),
        ));
    }
    if sheet.cut > 0 {
        steps.push(Step::Text(match sheet.cut {
            1 => "Put the top card at the bottom.".into(),
            cut => format!("Put the top {cut} cards at the bottom, in one packet."),
        }));
    }
    if let Some(hands) = sheet.hands {
        let hands: Vec<String> = hands
            .into_iter()
            .enumerate()
            .map(|(hand, seat)| format!("hand {} {seat:?}", hand + 1))
            .collect();
        steps.push(Step::Text(format!(
            "When the other dealer has dealt the hands, put them into the board: {}.",
            hands.join(", ")
        )));
    }
    steps
}

/// The name of a pile: a letter if there are more than nine piles, or else a digit.
fn name(piles: usize, pile: u8) -> char {
    let first = if piles > 9 { b'A' } else { b'1' };
    char::from(first + pile)
}

/// Describes the number, the layout and the sizes of the piles.
fn piles(pass: &Pass) -> String {
    let (piles, sizes) = (pass.piles(), pass.sizes());
    let name = |pile: usize| name(piles, pile as u8);
    let (first, last) = (name(0), name(piles - 1));
    let names = match piles.div_ceil(2) {
        half @ 5.. => format!(
            "{first} to {} in a row and {} to {last} below",
            name(half - 1),
            name(half)
        ),
        _ => format!("{first} to {last}"),
    };
    let sizes = if sizes.iter().all(|size| *size == sizes[0]) {
        format!("each has {} cards", sizes[0])
    } else {
        let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
        format!("they have {} cards", sizes.join(", "))
    };
    let every = if each_group_has_all(pass) {
        " Each group of four has each pile once."
    } else {
        ""
    };
    format!("to {piles} piles, {names}; at the end, {sizes}.{every}")
}

/// Whether there are four piles, and each group of four consecutive cards has a card for each pile.
fn each_group_has_all(pass: &Pass) -> bool {
    pass.piles() == 4
        && pass
            .places()
            .chunks(4)
            .all(|group| (0..4).all(|pile| group.contains(&pile)))
}

fn second(hands: &[u8; 52], named: bool) -> Vec<Step> {
    let to = if named {
        "Deal to four hands: 1 North, 2 East, 3 South, 4 West."
    } else {
        "Deal to four hands, 1 to 4, and shuffle each. The other dealer knows their seats."
    };
    let digits = hands.map(|hand| char::from(b'1' + hand));
    vec![Step::Text(to.into()), groups(digits.to_vec())]
}

fn groups(places: Vec<char>) -> Step {
    Step::Places(places.chunks(4).map(String::from_iter).collect())
}
