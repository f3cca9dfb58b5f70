//! Relays that cut, change, refuse or hold back what they forward.

use super::disk::Disk;
use super::native_host::{NativeHost, deck};
use super::playing::{FILES, agree, error, faulty, join, passive, play};
use super::tab::{Fault, Relay, Relays, open, plays};

/// Plays a match with a fault on the first connection. The match ends anyway with equal records, or no
/// match has begun and the error is clear.
fn survives(fault: Fault) -> bool {
    let host = NativeHost::new(deck(1), Vec::new());
    let closed = open(
        Disk::new(FILES),
        faulty(&host, fault),
        passive(),
        plays("/join", join(&host)),
    );
    let code = closed.result.expect("not killed").expect("a valid request");
    if code == 0 {
        agree(&closed.disk, &host.end());
        return true;
    }
    assert!(
        [2, 3, 4].contains(&code),
        "{fault:?}: {code}, {}",
        error(&closed.lines)
    );
    assert!(error(&closed.lines).len() > 10, "{fault:?}");
    assert_eq!(
        closed.disk.named(".log"),
        None,
        "{fault:?}: {}",
        error(&closed.lines)
    );
    // The link is still good.
    let closed = open(
        closed.disk,
        faulty(&host, Fault::None),
        passive(),
        plays("/join", join(&host)),
    );
    assert_eq!(
        closed.result,
        Some(Ok(0)),
        "{fault:?}: {}",
        error(&closed.lines)
    );
    agree(&closed.disk, &host.end());
    false
}

/// The number of bytes that the page receives in a match without faults.
fn received() -> usize {
    let host = NativeHost::new(deck(1), Vec::new());
    let closed = play(&host);
    assert_eq!(closed.result, Some(Ok(0)));
    closed.received
}

#[test]
fn match_survives_a_cut_after_any_number_of_received_bytes() {
    let all = received();
    let early = (0..600).step_by(60);
    let late = (1..25).map(|part| all * part / 25);
    let survived = early
        .chain(late)
        .filter(|at| survives(Fault::CutAfter(*at)))
        .count();
    assert!(survived > 20, "{survived}");
}

#[test]
fn changed_byte_is_an_error_or_a_lost_connection_and_never_another_result() {
    let all = received();
    let early = (0..900).step_by(45);
    let late = (1..25).map(|part| all * part / 25);
    let survived = early
        .chain(late)
        .filter(|at| survives(Fault::Flip(*at)))
        .count();
    assert!(survived > 20, "{survived}");
}

fn joins_through(mut relay: impl FnMut(usize) -> Relay + Send + 'static) -> (i32, String, usize) {
    let host = NativeHost::new(deck(1), Vec::new());
    let (calls, counted) = std::sync::mpsc::channel();
    let relays: Relays = Box::new(move |call, _| {
        let _ = calls.send(());
        relay(call)
    });
    let closed = open(
        Disk::new(FILES),
        relays,
        passive(),
        plays("/join", join(&host)),
    );
    let code = closed.result.unwrap().unwrap();
    assert_eq!(closed.disk.named(".log"), None);
    (
        code,
        error(&closed.lines).to_owned(),
        counted.iter().count(),
    )
}

#[test]
fn relay_that_answers_nonsense_refuses_or_is_silent_is_a_clear_error() {
    let long = vec![b'x'; 1 << 20];
    for (answer, closes, said) in [
        (b"bad handshake\n".to_vec(), true, "bad handshake"),
        (b"impatient\n".to_vec(), true, "impatient"),
        (
            b"HTTP/1.1 200 OK\r\n".to_vec(),
            false,
            "not that of a transit relay",
        ),
        (b"\n".to_vec(), false, "not that of a transit relay"),
        (b"ok\r\n".to_vec(), false, "not that of a transit relay"),
        (long, false, "not that of a transit relay"),
        // It is silent for ever.
        (Vec::new(), false, ""),
        (b"ok".to_vec(), false, ""),
        (b"ok\n".to_vec(), false, ""),
        // It joins the page with something that is no host.
        (b"ok\nnonsense".to_vec(), true, ""),
        ([b"ok\n".to_vec(), vec![0; 4096]].concat(), false, ""),
        ([b"ok\n".to_vec(), vec![255; 1 << 20]].concat(), false, ""),
    ] {
        let start = String::from_utf8_lossy(&answer[..answer.len().min(20)]).into_owned();
        let (code, message, calls) = joins_through(move |_| Relay::Answers(answer.clone(), closes));
        assert!([2, 3, 4].contains(&code), "{start}: {code} {message}");
        assert!(
            message.contains(said) && message.len() > 10,
            "{start}: {message}"
        );
        assert!(calls <= 4, "{start}: {calls} calls");
    }
    let (code, message, calls) = joins_through(|_| Relay::Refuses);
    assert_eq!((code, calls), (3, 4), "{message}");
}

#[test]
fn relay_that_joins_the_page_with_another_host_is_an_error() {
    let other = NativeHost::new(deck(1), Vec::new());
    let address = other.address;
    let (code, message, _) = joins_through(move |_| Relay::Joins(address, Fault::None));
    assert!([2, 3, 4].contains(&code), "{code} {message}");
    assert!(other.end().is_empty());
}

#[test]
fn relay_that_fails_a_few_times_is_called_again() {
    let host = NativeHost::new(deck(1), Vec::new());
    let address = host.address;
    let relays: Relays = Box::new(move |call, _| match call {
        0 => Relay::Refuses,
        1 => Relay::Answers(Vec::new(), true),
        _ => Relay::Joins(address, Fault::None),
    });
    let closed = open(
        Disk::new(FILES),
        relays,
        passive(),
        plays("/join", join(&host)),
    );
    assert_eq!(closed.result, Some(Ok(0)), "{}", error(&closed.lines));
    agree(&closed.disk, &host.end());
}
