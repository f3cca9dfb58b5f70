//! Codes: one guest each, the smallest free number, and an end.

use std::thread;
use std::time::Duration;

use dealerless_relay::{Limits, Settings};
use tungstenite::Message;

use super::clients::{Running, next, until};

const OPEN: &str = "please open a code\n";

fn using(number: u32) -> String {
    format!("please use code {number}\n")
}

#[test]
fn code_joins_one_guest_and_is_void_then() {
    let relay = Running::new();
    let [mut one, mut two] = [(); 2].map(|()| relay.says(OPEN));
    let numbers = [one.code(), two.code()];
    assert_eq!(numbers.iter().sum::<u32>(), 3);
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
    assert_eq!(next(&mut page), b"code 1\n");
    let mut guest = relay.says(&using(1));
    guest.expect("ok\n");
    assert_eq!(next(&mut page), b"ok\n");
    let mut socket = relay.opens(&using(1));
    assert_eq!(next(&mut socket), b"no such code\n");
}

#[test]
fn smallest_number_is_free_again_after_its_rest() {
    let rest = Duration::from_secs(1);
    let relay = Running::limited(Limits {
        code_rest: rest,
        codes: 1000,
        ..Limits::default()
    });
    let mut host = relay.says(OPEN);
    assert_eq!(host.code(), 1);
    drop(host);
    let mut others = Vec::new();
    until(|| {
        let mut host = relay.says(OPEN);
        let number = host.code();
        others.push(host);
        thread::sleep(rest / 20);
        number == 1
    });
    // It was not free at once.
    assert!(others.len() > 1);
}

#[test]
fn code_ends_with_its_host() {
    let relay = Running::new();
    let mut host = relay.says(OPEN);
    assert_eq!(host.code(), 1);
    drop(host);
    relay.says(&using(1)).expect_end("no such code\n");
}

#[test]
fn code_expires() {
    let relay = Running::limited(Limits {
        waiting: Duration::from_millis(100),
        ..Limits::default()
    });
    let mut host = relay.says(OPEN);
    assert_eq!(host.code(), 1);
    host.expect_end("");
    relay.says(&using(1)).expect_end("no such code\n");
    let mut page = relay.opens(OPEN);
    assert_eq!(next(&mut page), b"code 2\n");
    assert!(matches!(page.read(), Ok(Message::Close(_))));
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
    // The end, without an answer.
    relay.says(&using(1)).expect_end("");
    relay.says(OPEN).expect_end("");
    let mut other = relay.connect_from(2);
    other.send(OPEN.as_bytes());
    assert_eq!(other.code(), 1);
}
