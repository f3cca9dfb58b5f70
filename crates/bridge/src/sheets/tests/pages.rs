//! Tests of the printed pages.

use super::*;

fn boards(count: u32, scheme: Scheme) -> (Vec<Board>, Vec<BoardSheets>) {
    let rng = &mut random(3);
    let boards: Vec<Board> = (1..=count)
        .map(|number| Board {
            number,
            deal: uniform_deal(rng),
        })
        .collect();
    let sheets = boards
        .iter()
        .map(|board| BoardSheets::draw(board, scheme, rng));
    let sheets = sheets.collect();
    (boards, sheets)
}

/// Finds the groups of four letters or digits in a text, and joins them.
fn groups(text: &str) -> String {
    let groups = text.split_whitespace().filter(|word| {
        word.len() == 4
            && word
                .chars()
                .all(|c| ('1'..='4').contains(&c) || ('A'..='M').contains(&c))
    });
    groups.collect()
}

#[test]
fn printed_places_match_the_sheets() {
    let (_, sheets) = boards(7, Scheme::Thirteen);
    for dealer in [Dealer::One, Dealer::Two] {
        let text = sheet(Page::Text, dealer, &sheets);
        let printed: Vec<&str> = text.split("\nBoard ").skip(1).collect();
        let halves = halves(7, dealer);
        assert_eq!(printed.len(), halves.len());
        for (printed, (board, half)) in printed.into_iter().zip(halves) {
            let board = &sheets[board];
            assert!(printed.starts_with(&board.number().to_string()));
            let letters = |pass: &Pass, first: u8| -> String {
                pass.places()
                    .iter()
                    .map(|place| char::from(first + place))
                    .collect()
            };
            let expected: String = match half {
                Half::First => {
                    let passes = &board.first().passes;
                    letters(&passes[0], b'A') + &letters(&passes[1], b'1')
                }
                Half::Second => board
                    .second()
                    .iter()
                    .map(|hand| char::from(b'1' + hand))
                    .collect(),
            };
            assert_eq!(groups(printed), expected);
        }
    }
}

#[test]
fn text_pages_fit_80_columns() {
    for scheme in Scheme::ALL {
        let (boards, sheets) = boards(5, scheme);
        for text in [
            sheet(Page::Text, Dealer::One, &sheets),
            curtain_cards(Page::Text, &boards),
            records(Page::Text, &boards),
        ] {
            assert!(
                text.lines().all(|line| line.chars().count() <= 80),
                "{text}"
            );
        }
    }
}

#[test]
fn hand_record_and_curtain_cards_show_the_deal() {
    let deal: Deal = EXAMPLE.parse().unwrap();
    let board = Board { number: 1, deal };
    let record = records(Page::Text, &[board]);
    assert_eq!(record, include_str!("record.txt"));
    let cards = curtain_cards(Page::Text, &[board]);
    let east = "Board 1 East\n  ♠ Q 10 8 7\n  ♥ 10 8\n  ♦ K J 8 4 3\n  ♣ A 2\n";
    assert!(cards.contains(east), "{cards}");
    for html in [
        records(Page::Html, &[board]),
        curtain_cards(Page::Html, &[board]),
    ] {
        assert!(html.contains("</span> K J 8 4 3</div>"), "{html}");
    }
}

#[test]
fn only_the_first_sheet_names_hidden_seats() {
    let (_, sheets) = boards(1, Scheme::HiddenSeats);
    let [one, two] = [Dealer::One, Dealer::Two].map(|dealer| sheet(Page::Text, dealer, &sheets));
    for seat in ["North", "East", "South", "West"] {
        assert!(one.contains(seat) && !two.contains(seat), "{two}");
    }
    let words: Vec<&str> = two.split_whitespace().collect();
    assert!(
        words
            .join(" ")
            .contains("The other dealer knows their seats")
    );
}

#[test]
fn each_block_has_a_page_and_an_exchange_of_packs() {
    let (_, sheets) = boards(7, Scheme::Thirteen);
    let html = sheet(Page::Html, Dealer::Two, &sheets);
    let leaves: Vec<&str> = html.split("class=\"leaf\"").skip(1).collect();
    assert_eq!(leaves.len(), 2);
    for (leaf, title) in leaves
        .into_iter()
        .zip(["Block 1: boards 1 to 4", "Block 2: boards 5 to 7"])
    {
        assert!(
            leaf.contains(&format!("Dealer 2<span>{title}</span>")),
            "{leaf}"
        );
        let [before, after] = leaf.split("Exchange packs").collect::<Vec<_>>()[..] else {
            panic!("packs are not exchanged exactly once: {leaf}");
        };
        assert!(before.contains("first half</h2>") && !before.contains("second half</h2>"));
        assert!(after.contains("second half</h2>") && !after.contains("first half</h2>"));
    }
    // Each line begins with the position of its first card in the pack.
    assert_eq!(html.matches("<tr><th>41</th>").count(), 3 + 2 + 2 + 3);
    let (_, single) = boards(1, Scheme::Thirteen);
    assert!(!sheet(Page::Text, Dealer::One, &single).contains("\nExchange packs"));
}

#[test]
fn back_of_curtain_cards_is_mirrored_and_shows_no_card() {
    let (boards, _) = boards(8, Scheme::Thirteen);
    let html = curtain_cards(Page::Html, &boards);
    let sides: Vec<&str> = html.split("class=\"leaf\"").skip(1).collect();
    assert_eq!(sides.len(), 4, "two sheets of paper, printed on both sides");
    let row = |side: &str, number: u32| -> Vec<&str> {
        let mut rows = side.split("<tr>");
        let row = rows.find(|row| row.contains(&format!("Board {number}")));
        let seats = ["North", "East", "South", "West"];
        let cards = row.unwrap().split("<td").skip(1);
        cards
            .map(|card| *seats.iter().find(|seat| card.contains(**seat)).unwrap())
            .collect()
    };
    for (side, number) in [(0, 1), (0, 6), (2, 7), (2, 8)] {
        let front = row(sides[side], number);
        let mut back = row(sides[side + 1], number);
        assert_eq!(front, ["North", "East", "South", "West"]);
        back.reverse();
        assert_eq!(front, back);
        assert!(!sides[side + 1].contains(['♠', '♥', '♦', '♣']));
    }
}

#[test]
fn screen_hides_the_deals_at_first() {
    let (boards, sheets) = boards(4, Scheme::Published);
    for html in [
        sheet(Page::Html, Dealer::One, &sheets),
        curtain_cards(Page::Html, &boards),
        records(Page::Html, &boards),
    ] {
        assert!(html.contains("#show:not(:checked) ~ main { display: none }"));
        let (open, hidden) = html.split_once("<main>").unwrap();
        let open = open.split_once("<body>").unwrap().1;
        for secret in ["class=\"places\"", "class=\"hand\"", "Board 1"] {
            assert!(!open.contains(secret), "{open}");
        }
        assert!(hidden.contains("Board 1"));
    }
}

#[test]
fn every_element_of_a_page_is_closed() {
    let (boards, sheets) = boards(6, Scheme::TwoPasses);
    for html in [
        sheet(Page::Html, Dealer::Two, &sheets),
        curtain_cards(Page::Html, &boards),
        records(Page::Html, &boards),
    ] {
        for element in [
            "html", "body", "main", "h1", "h2", "p", "ol", "li", "section", "div", "table", "tr",
            "th", "td", "span", "b", "label",
        ] {
            let begun = [">", " "].map(|end| html.matches(&format!("<{element}{end}")).count());
            let ended = html.matches(&format!("</{element}>")).count();
            assert_eq!(begun[0] + begun[1], ended, "{element}");
        }
    }
}
