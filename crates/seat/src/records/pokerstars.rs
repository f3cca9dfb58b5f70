//! Hands in the text format of PokerStars, which analysis programs read.

use std::fmt::Write as _;

use dealerless::deck::Card;
use dealerless_table::Seat;
use dealerless_table::log::{Chosen, Face, LogEvent, Post, PostKind};
use dealerless_table::record::{Record, RecordedHand};
use dealerless_table::rules::{Choice, Limit, Outcome, PokerKind, Posts};

use super::playing;
use super::words::{Moment, Who, without_result};
use crate::cards::short;

/// A hand that is being written, with its text so far.
struct Page<'a> {
    record: &'a Record,
    hand: &'a RecordedHand,
    names: Vec<String>,
    text: String,
    /// The current street, and the street on which each seat folded.
    street: usize,
    folded: Vec<Option<usize>>,
    /// The cards that each seat holds now, by position.
    held: Vec<Vec<usize>>,
    board: Vec<Card>,
    /// Whether the line that begins the showdown is written.
    showdown: bool,
}

const STREETS: [&str; 4] = ["", "FLOP", "TURN", "RIVER"];

/// Formats hands with two empty lines in between, as other programs expect.
///
/// The format requires a date. If `date` is `None`, it is the first second of 1970.
pub(super) fn write(record: &Record, hands: &[&RecordedHand], date: Option<Moment>) -> String {
    let date = date.unwrap_or(Moment::of(0));
    let page = |hand: &&RecordedHand| Page::of(record, hand, date);
    let pages: Vec<String> = hands.iter().map(page).collect();
    pages.join("\n\n\n")
}

/// `2026/11/22 8:15:03 UTC`.
fn dated(date: Moment) -> String {
    format!(
        "{}/{:02}/{:02} {}:{:02}:{:02} UTC",
        date.year, date.month, date.day, date.hour, date.minute, date.second
    )
}

/// Player names without characters that would break the syntax of a line.
fn names(record: &Record) -> Vec<String> {
    let fit = |c: char| if "[]():'".contains(c) { '_' } else { c };
    let names = Who::of(record);
    let plain = |name: &String| name.chars().map(fit).collect();
    names.all().iter().map(plain).collect()
}

fn known(cards: &[Face]) -> Vec<Card> {
    cards.iter().map(|face| face.card).collect()
}

fn row(cards: &[Card]) -> String {
    let cards: Vec<String> = cards.iter().map(|&card| short(card, 52)).collect();
    cards.join(" ")
}

impl<'a> Page<'a> {
    fn of(record: &'a Record, hand: &'a RecordedHand, date: Moment) -> String {
        let seats = record.log.match_info().seats();
        let mut page = Page {
            record,
            hand,
            names: names(record),
            text: String::new(),
            street: 0,
            folded: vec![None; seats],
            held: vec![Vec::new(); seats],
            board: Vec::new(),
            showdown: false,
        };
        page.head(date);
        in_page_order(&hand.events).for_each(|event| page.event(event));
        match &hand.outcome {
            Some(outcome) => page.collected(outcome),
            None => page.unfinished(),
        }
        page.summary();
        page.text.trim_end().to_owned()
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn name(&self, seat: Seat) -> &str {
        &self.names[seat.index()]
    }

    /// The players that were dealt in.
    fn players(&self) -> Vec<Seat> {
        playing::players(self.hand)
    }

    fn head(&mut self, date: Moment) {
        let of = self.record.log.match_info().id();
        // This number is unique unless two matches agree in the first 36 bits of their ids.
        let number = u64::from_be_bytes(*of.as_bytes().first_chunk().expect("32 bytes")) >> 28;
        let number = number * 10_000_000 + u64::from(self.hand.begun.hand);
        let stakes = &self.record.log.match_info().header().stakes;
        let Some((kind, rules)) = stakes.variety().poker() else {
            return;
        };
        let smallest = rules.smallest_bet();
        let amounts = match (rules.limit, rules.posts) {
            (Limit::Fixed, _) => format!("{smallest}/{}", 2 * smallest),
            (_, Posts::Blinds { small, big }) => format!("{small}/{big}"),
            (_, Posts::Antes { bet, .. }) => format!("0/{bet}"),
        };
        let (game, dealing) = match kind {
            PokerKind::Holdem => ("Hold'em", "HOLE CARDS"),
            PokerKind::FiveCardDraw => ("5 Card Draw", "DEALING HANDS"),
        };
        let limit = if rules.limit == Limit::Fixed {
            "Limit"
        } else {
            "No Limit"
        };
        self.line(&format!(
            "PokerStars Hand #{number}: {game} {limit} ({amounts}) - {}",
            dated(date)
        ));
        self.line(&format!(
            "Table '{of}' {}-max (Play Money) Seat #{} is the button",
            self.record.log.match_info().seats(),
            self.hand.begun.button.index() + 1
        ));
        for seat in self.players() {
            let chips = self.hand.begun.stacks[seat.index()];
            let line = format!(
                "Seat {}: {} ({chips} in chips)",
                seat.index() + 1,
                self.name(seat)
            );
            self.line(&line);
        }
        for post in self.hand.begun.posts.clone() {
            self.post(&post);
        }
        self.line(&format!("*** {dealing} ***"));
    }

    fn post(&mut self, post: &Post) {
        let what = match post.kind {
            PostKind::Ante => "the ante",
            PostKind::Small => "small blind",
            PostKind::Big => "big blind",
        };
        let all_in = if post.all_in { " and is all-in" } else { "" };
        let name = self.name(post.seat);
        self.line(&format!("{name}: posts {what} {}{all_in}", post.chips));
    }

    fn event(&mut self, event: &LogEvent) {
        match event {
            LogEvent::Dealt { seat, positions } => self.dealt(*seat, positions),
            LogEvent::Board(cards) => self.laid(&known(cards)),
            LogEvent::Chose(chosen) => self.chose(chosen),
            LogEvent::Shown { seat, cards } => self.shown(*seat, &known(cards)),
            LogEvent::Returned { seat, chips } => {
                let line = format!("Uncalled bet ({chips}) returned to {}", self.name(*seat));
                self.line(&line);
            }
            LogEvent::Stopped { seat, .. } => self.leaves(*seat),
            LogEvent::Removed { seats } => seats.iter().for_each(|seat| self.removed(*seat)),
            _ => {}
        }
    }

    /// A seat leaves. Of more than two seats, it gives up its hand, and the others go on.
    fn leaves(&mut self, seat: Seat) {
        let name = self.name(seat).to_owned();
        if self.names.len() > 2 {
            let (draw, mut events) = (self.is_draw(), self.hand.events.iter());
            let is_this = |event: &LogEvent| matches!(event, LogEvent::Stopped { seat: by, .. } if *by == seat);
            let at = events.position(is_this).unwrap_or(0);
            let rounds = if draw { 2 } else { 4 };
            if playing::mucks_when_leaving(&self.hand.events[..at], seat, rounds) {
                self.show_down();
                self.line(&format!("{name}: mucks hand"));
            } else {
                self.folded[seat.index()] = Some(self.street);
                self.line(&format!("{name}: folds"));
            }
        }
        self.line(&format!("{name} leaves the table"));
    }

    /// The others have removed a silent seat.
    fn removed(&mut self, seat: Seat) {
        let name = self.name(seat).to_owned();
        let is_folded = self.folded[seat.index()].is_some();
        if !is_folded && !self.held[seat.index()].is_empty() {
            self.folded[seat.index()] = Some(self.street);
            self.line(&format!("{name}: folds"));
        }
        self.line(&format!("{name} leaves the table"));
    }

    /// Writes the dealt cards if the record's owner has seen them. Other cards are written when
    /// they are shown.
    fn dealt(&mut self, seat: Seat, positions: &[usize]) {
        let seen = |positions: &[usize]| -> Option<Vec<Card>> {
            let seen = |position| self.hand.seen.get(position).copied();
            positions.iter().map(seen).collect()
        };
        let before = std::mem::take(&mut self.held[seat.index()]);
        let line = match (seen(&before), seen(positions)) {
            (Some(kept), Some(new)) if kept.is_empty() => {
                Some(format!("Dealt to {} [{}]", self.name(seat), row(&new)))
            }
            (Some(kept), Some(new)) => {
                let (kept, new) = (row(&kept), row(&new));
                Some(format!("Dealt to {} [{kept}] [{new}]", self.name(seat)))
            }
            _ => None,
        };
        line.iter().for_each(|line| self.line(line));
        self.held[seat.index()] = [before, positions.to_vec()].concat();
    }

    fn laid(&mut self, cards: &[Card]) {
        self.street += 1;
        let street = STREETS[self.street.min(3)];
        let line = if self.board.is_empty() {
            format!("*** {street} *** [{}]", row(cards))
        } else {
            format!("*** {street} *** [{}] [{}]", row(&self.board), row(cards))
        };
        self.line(&line);
        self.board.extend_from_slice(cards);
    }

    fn chose(&mut self, chosen: &Chosen) {
        let Chosen {
            seat, paid, level, ..
        } = *chosen;
        let all_in = if chosen.all_in { " and is all-in" } else { "" };
        let what = match &chosen.choice {
            Choice::Fold => {
                self.folded[seat.index()] = Some(self.street);
                "folds".to_owned()
            }
            Choice::Check => "checks".to_owned(),
            Choice::Call => format!("calls {paid}{all_in}"),
            Choice::Bet { to } => format!("bets {to}{all_in}"),
            Choice::Raise { to } => {
                format!("raises {} to {to}{all_in}", to.saturating_sub(level))
            }
            Choice::Exchange(places) => self.exchanged(chosen, places),
            Choice::Muck => {
                self.show_down();
                "mucks hand".to_owned()
            }
            // The cards come with the next event.
            _ => return,
        };
        let line = format!("{}: {what}", self.name(seat));
        self.line(&line);
    }

    fn exchanged(&mut self, chosen: &Chosen, places: &[u8]) -> String {
        self.street = 1;
        let gone: Vec<usize> = (places.iter())
            .filter_map(|&place| chosen.held.get(usize::from(place)).copied())
            .collect();
        let held = &mut self.held[chosen.seat.index()];
        *held = (chosen.held.iter().copied())
            .filter(|p| !gone.contains(p))
            .collect();
        let seen = |position| self.hand.seen.get(position).copied();
        let cards: Vec<Card> = gone.iter().filter_map(seen).collect();
        let cards = if cards.is_empty() {
            String::new()
        } else {
            format!(" [{}]", row(&cards))
        };
        match gone.len() {
            0 => "stands pat".to_owned(),
            1 => format!("discards 1 card{cards}"),
            number => format!("discards {number} cards{cards}"),
        }
    }

    fn show_down(&mut self) {
        if !std::mem::replace(&mut self.showdown, true) {
            self.line("*** SHOW DOWN ***");
        }
    }

    fn shown(&mut self, seat: Seat, cards: &[Card]) {
        self.show_down();
        let worth = self.worth(seat).map(|worth| format!(" ({worth})"));
        let line = format!(
            "{}: shows [{}]{}",
            self.name(seat),
            row(cards),
            worth.unwrap_or_default()
        );
        self.line(&line);
    }

    /// The rank of a seat's cards in words, if they were shown and the hand is over.
    fn worth(&self, seat: Seat) -> Option<String> {
        let outcome = self.hand.outcome.as_ref()?;
        let shown = outcome.shown.iter().find(|shown| shown.seat == seat)?;
        Some(shown.rank.to_string())
    }

    fn collected(&mut self, outcome: &Outcome) {
        let pots = outcome.pots.len();
        for (number, pot) in outcome.pots.iter().enumerate() {
            let which = match (pots, number) {
                (1, _) => "pot".to_owned(),
                (_, 0) => "main pot".to_owned(),
                (2, _) => "side pot".to_owned(),
                (_, number) => format!("side pot-{number}"),
            };
            for (seat, chips) in &pot.winners {
                let line = format!("{} collected {chips} from {which}", self.name(*seat));
                self.line(&line);
            }
        }
        for (seat, _) in outcome.pots.iter().flat_map(|pot| &pot.winners).take(1) {
            if !self.showdown {
                let line = format!("{}: doesn't show hand", self.name(*seat));
                self.line(&line);
            }
        }
    }

    /// Writes why the hand has no signed result.
    fn unfinished(&mut self) {
        let who = Who::of(self.record);
        self.line(&without_result(&who, self.record));
    }

    fn summary(&mut self) {
        self.line("*** SUMMARY ***");
        if let Some(outcome) = &self.hand.outcome {
            let total: u64 = outcome.pots.iter().map(|pot| pot.chips).sum();
            let mut line = format!("Total pot {total}");
            if outcome.pots.len() > 1 {
                for (number, pot) in outcome.pots.iter().enumerate() {
                    let which = match (outcome.pots.len(), number) {
                        (_, 0) => "Main pot".to_owned(),
                        (2, _) => "Side pot".to_owned(),
                        (_, number) => format!("Side pot-{number}"),
                    };
                    let _ = write!(line, " {which} {}.", pot.chips);
                }
            }
            self.line(&format!("{line} | Rake 0"));
        }
        if !self.board.is_empty() {
            let board = row(&self.board);
            self.line(&format!("Board [{board}]"));
        }
        for seat in self.players() {
            let line = self.summary_of(seat);
            self.line(&line);
        }
    }

    fn summary_of(&self, seat: Seat) -> String {
        let mut line = format!("Seat {}: {}", seat.index() + 1, self.name(seat));
        if seat == self.hand.begun.button {
            line.push_str(" (button)");
        }
        for post in self
            .hand
            .begun
            .posts
            .iter()
            .filter(|post| post.seat == seat)
        {
            match post.kind {
                PostKind::Small => line.push_str(" (small blind)"),
                PostKind::Big => line.push_str(" (big blind)"),
                PostKind::Ante => {}
            }
        }
        line + &self.fate(seat)
    }

    /// The outcome for a seat, as the end of its line in the summary.
    fn fate(&self, seat: Seat) -> String {
        let Some(outcome) = &self.hand.outcome else {
            return String::new();
        };
        let winners = outcome.pots.iter().flat_map(|pot| &pot.winners);
        let won: u64 = winners.filter(|won| won.0 == seat).map(|won| won.1).sum();
        let shown = outcome.shown.iter().find(|shown| shown.seat == seat);
        match (self.folded[seat.index()], shown, won) {
            (Some(street), ..) => self.folded_on(street),
            (_, Some(shown), 0) => {
                format!(
                    " showed [{}] and lost with {}",
                    row(&shown.cards),
                    shown.rank
                )
            }
            (_, Some(shown), won) => format!(
                " showed [{}] and won ({won}) with {}",
                row(&shown.cards),
                shown.rank
            ),
            (_, None, 0) => " mucked".to_owned(),
            (_, None, won) => format!(" collected ({won})"),
        }
    }

    fn is_draw(&self) -> bool {
        let variety = self.record.log.match_info().header().stakes.variety();
        variety.poker().is_some_and(|(kind, _)| kind.exchanges())
    }

    fn folded_on(&self, street: usize) -> String {
        match (self.is_draw(), street) {
            (true, 0) => " folded before the Draw".to_owned(),
            (true, _) => " folded after the Draw".to_owned(),
            (false, 0) => " folded before Flop".to_owned(),
            (false, street) => {
                let name = ["", "Flop", "Turn", "River"][street.min(3)];
                format!(" folded on the {name}")
            }
        }
    }
}

/// The events in the order of this format, which has shown cards after the board. In an all-in, the
/// cards are shown before the board is complete.
fn in_page_order(events: &[LogEvent]) -> impl Iterator<Item = &LogEvent> {
    let is_board = |event: &LogEvent| matches!(event, LogEvent::Board(_));
    let is_shown = |event: &&LogEvent| matches!(event, LogEvent::Shown { .. });
    let (before, after) = events.split_at(events.iter().rposition(is_board).map_or(0, |at| at + 1));
    let turned_up = before.iter().filter(is_shown);
    let others = before.iter().filter(move |event| !is_shown(event));
    others.chain(turned_up).chain(after)
}
