//! What a dealer does for half a board, in words and in digits.

use crate::bridge::Seat;
use crate::bridge::sheets::{BoardSheets, FirstSheet, Half, Pass};

/// What a dealer does before the first board.
pub(super) const RULES: [&str; 5] = [
    "Keep this sheet to yourself, and do not look at the other dealer's.",
    "First half: sort the pack as the lines say, and turn it face down. Deal the cards from the top, \
     one by one and face down, each on the pile that is named. Count the piles. Put the first pile on \
     the second, both on the third, and so on. Do the same again if the lines say so. Give the pack \
     to the other dealer.",
    "Second half: take the pack of this board from the other dealer. Deal the cards from the top, one \
     by one and face down, each to the hand that is named. Count the hands: each has 13 cards.",
    "Shuffle each hand by itself before it goes into the board.",
    "A pile or a hand that does not count right means that a card went to the wrong place: shuffle all \
     52 cards, face down, and begin the board anew with the same sheets.",
];

/// Half a board.
pub(super) struct Block {
    pub(super) title: String,
    pub(super) steps: Vec<Step>,
}

/// What comes in half a board.
pub(super) enum Step {
    /// Words.
    Say(String),
    /// A place for each card, in groups of four.
    Places(Vec<String>),
}

/// What is to be done for this half of a board.
pub(super) fn steps(board: &BoardSheets, half: Half) -> Block {
    let number = board.number();
    match half {
        Half::First => Block {
            title: format!("Board {number}, first half"),
            steps: first(board.first()),
        },
        Half::Second => Block {
            title: format!("Board {number}, second half"),
            steps: second(board),
        },
    }
}

fn first(sheet: &FirstSheet) -> Vec<Step> {
    let suits = sheet.suits.map(|suit| format!("{suit:?}")).join(", ");
    let mut steps = vec![Step::Say(format!(
        "From the top: {suits}. Each from the ace down to the two."
    ))];
    for pass in &sheet.passes {
        steps.push(Step::Say(piles(pass)));
        let letters = pass.piles() > 9;
        let place = |place: &u8| match letters {
            true => char::from(b'A' + place),
            false => char::from(b'1' + place),
        };
        steps.push(groups(pass.places().iter().map(place).collect()));
    }
    if sheet.cut > 0 {
        steps.push(Step::Say(match sheet.cut {
            1 => "Put the top card at the bottom.".into(),
            cut => format!("Put the top {cut} cards at the bottom, in one packet."),
        }));
    }
    if let Some(hands) = sheet.hands {
        let hand = |(hand, seat): (usize, Seat)| format!("hand {} {seat:?}", hand + 1);
        let hands: Vec<String> = hands.into_iter().enumerate().map(hand).collect();
        steps.push(Step::Say(format!(
            "When the other dealer has dealt the hands, put them into the board: {}.",
            hands.join(", ")
        )));
    }
    steps
}

/// How many piles there are, and what is in each at the end.
fn piles(pass: &Pass) -> String {
    let (piles, sizes) = (pass.piles(), pass.sizes());
    let last = match piles {
        10.. => char::from(b'A' + piles as u8 - 1),
        _ => char::from(b'0' + piles as u8),
    };
    let first = if piles > 9 { 'A' } else { '1' };
    let sizes = match sizes.iter().all(|size| *size == sizes[0]) {
        true => format!("{} cards each", sizes[0]),
        false => {
            let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
            format!("{} cards", sizes.join(", "))
        }
    };
    format!("To {piles} piles, {first} to {last}; at the end {sizes}.")
}

fn second(board: &BoardSheets) -> Vec<Step> {
    let hands = match board.first().hands {
        None => "1 North, 2 East, 3 South, 4 West.",
        Some(_) => "1 to 4; the other dealer knows whose they are.",
    };
    let digits = board.second().map(|hand| char::from(b'1' + hand));
    vec![
        Step::Say(format!("To four hands: {hands}")),
        groups(digits.to_vec()),
    ]
}

fn groups(places: Vec<char>) -> Step {
    Step::Places(places.chunks(4).map(String::from_iter).collect())
}
