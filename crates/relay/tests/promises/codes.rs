//! Codes: one guest each, an unpredictable number, and an end.

use std::time::Duration;

use dealerless_relay::{Limits, Settings};
use tungstenite::Message;

use super::clients::{Running, code_of, next};

const OPEN: &str = "please open a code\n";

fn using(number: u32) -> String {
    format!("please use code {number}\n")
}

#[test]
fn code_joins_one_guest_and_is_void_then() {
    let relay = Running::new();
    let [mut one, mut two] = [(); 2].map(|()| relay.says(OPEN));
    let numbers = [one.code(), two.code()];
    assert_ne!(numbers[0], numbers[1]);
    let mut guest = relay.says(&using(numbers[0]));
    guest.expect("ok\n");
    one.expect("ok\n");
    guest.send(b"hello");
    one.expect("hello");
    relay.says(&using(numbers[0])).expect_end("no such code\n");
    assert!(two.is_waiting());
    relay.says(&using(99)).expect_end("no such code\n");
}

#[test]
fn page_and_program_share_codes() {
    let relay = Running::new();
    let mut page = relay.opens(OPEN);
    let number = code_of(&mut page);
    let mut guest = relay.says(&using(number));
    guest.expect("ok\n");
    assert_eq!(next(&mut page), b"ok\n");
    let mut socket = relay.opens(&using(number));
    assert_eq!(next(&mut socket), b"no such code\n");
}

#[test]
fn numbers_have_five_digits_and_cannot_be_predicted() {
    let relay = Running::limited(Limits {
        codes: 1000,
        ..Limits::default()
    });
    let numbers: Vec<u32> = (0..50).map(|_| relay.says(OPEN).code()).collect();
    assert!(numbers.iter().all(|it| (10_000..100_000).contains(it)));
    // The probability that this fails is below 2^-100.
    let near = numbers.iter().filter(|it| it.abs_diff(numbers[0]) < 1000);
    assert!(near.count() < 25);
}

#[test]
fn code_ends_with_its_host() {
    let relay = Running::new();
    let mut host = relay.says(OPEN);
    let number = host.code();
    drop(host);
    relay.says(&using(number)).expect_end("no such code\n");
}

#[test]
fn code_expires() {
    let relay = Running::limited(Limits {
        waiting: Duration::from_millis(100),
        ..Limits::default()
    });
    let mut host = relay.says(OPEN);
    let number = host.code();
    host.expect_end("");
    relay.says(&using(number)).expect_end("no such code\n");
    let mut page = relay.opens(OPEN);
    code_of(&mut page);
    assert!(matches!(page.read(), Ok(Message::Close(_))));
}

#[test]
fn many_addresses_have_no_more_failed_codes_and_a_successful_one_is_not_counted() {
    let relay = Running::limited(Limits {
        codes: 100,
        failed_codes: 3,
        failed_codes_per_minute: 0,
        ..Limits::default()
    });
    for _ in 0..5 {
        let mut host = relay.says(OPEN);
        let mut guest = relay.says(&using(host.code()));
        host.expect("ok\n");
        guest.expect("ok\n");
        // An invite is longer.
        host.send(&[b'.'; 1024]);
        guest.expect(&".".repeat(1024));
    }
    // A room in which the guest was told that its code is wrong, and two unknown numbers.
    let mut host = relay.says(OPEN);
    let mut guest = relay.says(&using(host.code()));
    host.expect("ok\n");
    guest.expect("ok\n");
    host.send(&[b'.'; 49]);
    guest.expect(&".".repeat(49));
    for address in 2..4 {
        let mut stranger = relay.connect_from(address);
        stranger.send(using(9).as_bytes());
        stranger.expect_end("no such code\n");
    }
    let mut host = relay.says(OPEN);
    let number = host.code();
    let mut stranger = relay.connect_from(4);
    stranger.send(using(number).as_bytes());
    stranger.expect_end("too many codes\n");
    assert!(host.is_waiting());
}

#[test]
fn one_address_cannot_use_up_codes() {
    let relay = Running::with(Settings {
        limits: Limits {
            codes: 3,
            codes_per_minute: 0,
            ..Limits::default()
        },
        ..Settings::default()
    });
    for _ in 0..3 {
        relay.says(&using(1)).expect_end("no such code\n");
    }
    relay.says(&using(1)).expect_end("too many codes\n");
    // The end, without an answer.
    relay.says(OPEN).expect_end("");
    let mut other = relay.connect_from(2);
    other.send(OPEN.as_bytes());
    other.code();
}
