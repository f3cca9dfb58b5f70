//! Codes: one guest at a time, an unpredictable number, a host that may wait again, and an end.

use std::time::Duration;

use dealerless_relay::{Limits, Settings};
use tungstenite::Message;

use super::clients::{OPEN, Running, Tcp, code_of, line, next, until};

fn using(number: u32) -> String {
    format!("please use code {number}\n")
}

/// The line of the host of [`OPEN`] that waits again.
fn again(number: u32) -> String {
    OPEN.replace("a code", &format!("code {number}"))
}

/// The host waits again, on a new connection.
fn waits_again(relay: &Running, number: u32) -> Tcp {
    let mut host = relay.says(&again(number));
    assert_eq!(host.code(), number);
    host
}

#[test]
fn code_joins_one_guest_at_a_time_and_its_host_waits_again() {
    let relay = Running::limited(Limits {
        codes: 100,
        ..Limits::default()
    });
    let [mut host, mut two] = [(); 2].map(|()| relay.says(OPEN));
    let number = host.code();
    assert_ne!(number, two.code());
    for _ in 0..3 {
        let mut guest = relay.says(&using(number));
        guest.expect("ok\n");
        host.expect("ok\n");
        guest.send(b"hello");
        host.expect("hello");
        // Two guests come before the host waits again.
        let early = [(); 2].map(|()| relay.says(&using(number)));
        let mut rooms = [(); 2].map(|()| waits_again(&relay, number));
        rooms.iter_mut().for_each(|room| room.expect("ok\n"));
        for mut guest in early {
            guest.expect("ok\n");
        }
        // The room of the guest before lives on.
        guest.send(b"more");
        host.expect("more");
        host = waits_again(&relay, number);
    }
    assert!(host.is_waiting() && two.is_waiting());
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
    let mut other = relay.opens(&using(number));
    let mut page = relay.opens(&again(number));
    assert_eq!(code_of(&mut page), number);
    assert_eq!(next(&mut page), b"ok\n");
    assert_eq!(next(&mut other), b"ok\n");
    let mut socket = relay.opens(&using(9));
    assert_eq!(next(&mut socket), b"no such code\n");
    let mut socket = relay.opens(&again(9));
    assert_eq!(next(&mut socket), b"no such code\n");
}

#[test]
fn nobody_else_waits_with_the_code_of_a_host() {
    let relay = Running::new();
    let mut host = relay.says(OPEN);
    let number = host.code();
    let other = again(number).replace("00112233", "00112234");
    // While the host waits, and while the code is held for it.
    relay.says(&other).expect_end("no such code\n");
    assert!(host.is_waiting());
    let mut guest = relay.says(&using(number));
    guest.expect("ok\n");
    host.expect("ok\n");
    let mut guest = relay.says(&using(number));
    relay.says(&other).expect_end("no such code\n");
    assert!(guest.is_waiting());
    let mut host = waits_again(&relay, number);
    host.expect("ok\n");
    guest.expect("ok\n");
}

#[test]
fn host_waits_again_after_a_lost_connection_and_in_place_of_a_dead_one() {
    let relay = Running::new();
    let mut host = relay.says(OPEN);
    let number = host.code();
    drop(host);
    let mut guest = relay.says(&using(number));
    until(|| guest.is_waiting());
    let mut host = waits_again(&relay, number);
    host.expect("ok\n");
    guest.expect("ok\n");
    let mut dead = waits_again(&relay, number);
    let mut host = waits_again(&relay, number);
    dead.expect_end("");
    let mut guest = relay.says(&using(number));
    guest.expect("ok\n");
    host.expect("ok\n");
}

#[test]
fn held_code_expires_and_a_guest_waits_for_its_host_for_a_limited_time() {
    let relay = Running::limited(Limits {
        code_hold: Duration::from_millis(400),
        code_wait: Duration::from_millis(50),
        ..Limits::default()
    });
    let mut host = relay.says(OPEN);
    let number = host.code();
    relay.says(&using(number)).expect("ok\n");
    host.expect("ok\n");
    relay.says(&using(number)).expect_end("no such code\n");
    let mut page = relay.opens(&using(number));
    assert_eq!(next(&mut page), b"no such code\n");
    let _host = waits_again(&relay, number);
    relay.says(&using(number)).expect("ok\n");
    std::thread::sleep(Duration::from_millis(800));
    relay.says(&again(number)).expect_end("no such code\n");
    relay.says(&using(number)).expect_end("no such code\n");
}

#[test]
fn held_code_counts_as_a_waiting_connection_and_waiting_again_is_no_further_code() {
    let relay = Running::limited(Limits {
        waiting_per_address: 2,
        codes: 1,
        codes_per_minute: 0,
        code_hold: Duration::from_secs(2),
        ..Limits::default()
    });
    let mut host = relay.says(OPEN);
    let number = host.code();
    for address in 2..6 {
        let mut guest = relay.connect_from(address);
        guest.send(using(number).as_bytes());
        guest.expect("ok\n");
        host.expect("ok\n");
        // The held code and one connection.
        let other = relay.says(&line(1, 1));
        relay.says(&line(2, 1)).expect_end("");
        assert!(other.is_waiting());
        host = waits_again(&relay, number);
        relay.says(&line(2, 1)).expect_end("");
        drop(other);
    }
    drop(host);
    let mut waiting = relay.says(&line(1, 1));
    relay.says(&line(2, 1)).expect_end("");
    std::thread::sleep(Duration::from_secs(4));
    let other = relay.says(&line(2, 1));
    relay.says(&line(3, 1)).expect_end("");
    assert!(waiting.is_waiting() && other.is_waiting());
    relay.says(&line(1, 2)).expect("ok\n");
    waiting.expect("ok\n");
}

#[test]
fn guest_that_waits_for_a_host_is_counted_as_waiting() {
    let relay = Running::limited(Limits {
        waiting_per_address: 1,
        ..Limits::default()
    });
    let mut host = relay.says(OPEN);
    let number = host.code();
    relay.says(&using(number)).expect("ok\n");
    host.expect("ok\n");
    let come = |address| {
        let mut guest = relay.connect_from(address);
        guest.send(using(number).as_bytes());
        guest
    };
    let mut guest = come(2);
    come(2).expect_end("");
    let mut other = come(3);
    for guest in [&mut guest, &mut other] {
        waits_again(&relay, number).expect("ok\n");
        guest.expect("ok\n");
    }
    let guest = come(2);
    come(2).expect_end("");
    assert!(guest.is_waiting());
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
    let relay = Running::limited(Limits {
        code_hold: Duration::from_millis(50),
        code_wait: Duration::from_millis(50),
        ..Limits::default()
    });
    let mut host = relay.says(OPEN);
    let number = host.code();
    drop(host);
    std::thread::sleep(Duration::from_millis(200));
    relay.says(&again(number)).expect_end("no such code\n");
    relay.says(&using(number)).expect_end("no such code\n");
}

#[test]
fn code_expires() {
    let relay = Running::limited(Limits {
        waiting: Duration::from_millis(100),
        code_hold: Duration::from_millis(50),
        code_wait: Duration::from_millis(50),
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
