//! Tests of the screen of a table with several players.

use dealerless_seat::event::How;
use dealerless_seat::seated::Time;

use super::*;

fn seated_with_several() -> Seated {
    let Event::Seated(seated) = seated("holdem") else {
        unreachable!();
    };
    Seated {
        names: names(&["Anna", "Bert", "Cleo"]),
        fingerprints: names(&["aaaa-bbbb", "cccc-dddd", "eeee-ffff"]),
        opens: Some(3),
        ..*seated
    }
}

/// The output of a screen of Anna for these events after the event `seated`.
fn told(events: &[Event]) -> String {
    let (mut screen, page) = screen(Style::Letters, false);
    let seated = Event::Seated(Box::new(seated_with_several()));
    screen.tell(&seated, true).unwrap();
    page.take();
    for event in events {
        screen.tell(event, true).unwrap();
    }
    page.take()
}

#[test]
fn the_screen_tells_whether_the_others_can_go_on_without_a_silent_player() {
    let told = |asks| {
        let (mut screen, page) = screen(Style::Letters, false);
        let seated = Seated {
            opens: Some(2),
            clock: Some(Time {
                each_move: 30,
                bank: 120,
            }),
            ..seated_with_several()
        };
        screen.tell(&Event::Seated(Box::new(seated)), true).unwrap();
        page.take();
        let out = Event::OutOfTime {
            seat: 1,
            away: false,
            asks,
        };
        screen.tell(&out, true).unwrap();
        let text = page.take();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let asks = "Bert has run out of time. Your program asks the others.";
    assert_eq!(told(true), asks);
    let waits = "Bert has run out of time, and too few players would be left without Bert. Wait, or type \
                 `close` to close the match here:";
    assert!(told(false).starts_with(waits), "{}", told(false));
}

#[test]
fn the_link_of_a_table_is_for_all_guests() {
    let invite = Event::Invite {
        version: 1,
        invite: "dealerless2-x".into(),
        link: None,
        code: None,
        seats: Some(6),
    };
    let text = shown(Style::Letters, &[invite]);
    assert!(text.starts_with("Send this line to your friends, who run it:\n"));
    assert!(text.contains("The first match begins when 6 players are here"));
}

#[test]
fn a_seat_that_sits_out_is_named_at_the_deal_and_at_a_turn() {
    let dealt = |playing: &[u8]| Event::Dealt {
        hand: 3,
        attempt: 0,
        button: 1,
        stacks: vec![199, 198, 200],
        bets: vec![1, 2, 0],
        pot: 3,
        posted: vec![1, 2, 0],
        playing: playing.to_vec(),
    };
    let text = told(&[dealt(&[0, 1])]);
    assert!(
        text.contains("You have 199 chips, Bert 198, Cleo 200."),
        "{text}"
    );
    assert!(text.ends_with("Cleo is not in this hand.\n"), "{text}");
    let text = told(&[dealt(&[1, 2])]);
    assert!(
        text.ends_with("You are not in this hand. Type `back` to sit in again.\n"),
        "{text}"
    );
    assert!(!told(&[dealt(&[0, 1, 2])]).contains("not in this hand"));

    let Event::YourTurn(turn) = turn(to_call(), &[]) else {
        unreachable!();
    };
    let turn = YourTurn {
        stacks: vec![199, 198, 200],
        bets: vec![1, 2, 0],
        playing: vec![0, 1],
        ..*turn
    };
    let text = told(&[Event::YourTurn(Box::new(turn))]);
    assert!(
        text.contains("(You 199 + 1 bet, Bert 198 + 2 bet, out: Cleo)"),
        "{text}"
    );
}

#[test]
fn a_player_who_leaves_is_named_and_the_hand_goes_on() {
    let text = told(&[Event::Stopped {
        seat: 2,
        how: How::Leave,
        step: None,
    }]);
    assert_eq!(text, "Cleo leaves the table and gives up this hand.\n");
}

#[test]
fn the_help_says_what_the_others_can_read_after_leaving() {
    let help = turn_block::help(Some(&seated_with_several()));
    let words: Vec<&str> = help.split_whitespace().collect();
    let told = words.join(" ");
    for part in [
        "Only while another player is out of time or away.",
        "Leave the table: your hand is folded at your next turn. The others play on.",
        "in the list of the table, and can come back by the link.",
        "buy 50 chips after this hand",
        "the other players together can then read all your cards of this match",
    ] {
        assert!(told.contains(part), "{told}");
    }
    assert!(!told.contains("the other player gets"), "{told}");
}

#[test]
fn a_rebuy_needs_all_players() {
    let ask = |seats: &[u8]| Event::AskRebuy {
        seats: seats.to_vec(),
        chips: 200,
    };
    let text = told(&[ask(&[0, 2])]);
    assert_eq!(
        text,
        "You and Cleo have no chips. Buy in again for 200? All must agree: y or n\n"
    );
    assert!(told(&[ask(&[1])]).starts_with("Bert has no chips."));
}
