//! How connections end: with their peer, by silence, and by not reading.

use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::thread;
use std::time::Duration;

use dealerless_relay::{Limits, Relay, Settings};
use socket2::{Domain, Socket, Type};
use tungstenite::Message;

use super::clients::{Running, Tcp, line, next, until};

#[test]
fn everything_sent_before_the_end_arrives() {
    let relay = Running::new();
    let [mut one, mut two] = relay.pair();
    let sent = vec![5; 3 << 20];
    let all = sent.clone();
    // The other side sends as well, and reads only afterwards.
    two.send(&[6; 1000]);
    let writer = thread::spawn(move || {
        one.send(&all);
        one.0.shutdown(Shutdown::Write).unwrap();
        one
    });
    let mut received = Vec::new();
    two.0.read_to_end(&mut received).unwrap();
    assert!(received == sent);
    drop(writer.join().unwrap());
}

#[test]
fn slow_reader_gets_everything_after_its_peer_has_left() {
    let relay = Running::limited(Limits {
        closing: Duration::from_millis(20),
        ..Limits::default()
    });
    let [mut one, mut two] = relay.pair();
    two.shrink();
    let writer = thread::spawn(move || one.send(&[5; 1 << 20]));
    // It reads until the rest fits into the buffers of the relay, and the rest much later.
    let late = 60_000;
    let mut begin = vec![0; (1 << 20) - late];
    two.0.read_exact(&mut begin).unwrap();
    writer.join().unwrap();
    thread::sleep(Duration::from_millis(300));
    two.send(b"nobody reads this");
    let mut rest = Vec::new();
    two.0.read_to_end(&mut rest).unwrap();
    assert_eq!(rest.len(), late);
}

#[test]
fn peer_of_a_page_gets_a_close_frame() {
    let relay = Running::new();
    let mut program = relay.says(&line(1, 1));
    let mut page = relay.opens(&line(1, 2));
    program.expect("ok\n");
    program.send(b"last words");
    drop(program);
    assert_eq!(next(&mut page), b"ok\n");
    assert_eq!(next(&mut page), b"last words");
    assert!(matches!(page.read(), Ok(Message::Close(_))));
}

#[test]
fn silent_connection_ends_after_the_timeout() {
    let relay = Running::limited(Limits {
        handshake: Duration::from_secs(1),
        ..Limits::default()
    });
    // A connection that has said whom it waits for stays.
    let waiting = relay.says(&line(1, 1));
    let mut page = relay.open();
    let silent = [
        relay.connect(),
        relay.says("please rel"),
        relay.says("GET / HTT"),
    ];
    for mut connection in silent {
        connection.expect_end("");
    }
    assert!(page.read().is_err());
    assert!(waiting.is_waiting());
}

/// Sends until the socket takes no more, and returns how much it took.
fn fill(stream: &std::net::TcpStream) -> usize {
    stream.set_nonblocking(true).unwrap();
    let mut sent = 0;
    let mut quiet = 0;
    while quiet < 20 {
        match (&*stream).write(&[7; 10_000]) {
            Ok(len) => (sent, quiet) = (sent + len, 0),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                quiet += 1;
                thread::sleep(Duration::from_millis(5));
            }
            Err(error) => panic!("{error}"),
        }
    }
    stream.set_nonblocking(false).unwrap();
    sent
}

#[test]
fn slow_reader_slows_its_peer_and_nobody_else() {
    let relay = Running::new();
    let [slow, fast] = relay.pair();
    slow.shrink();
    fast.shrink();
    let mut others = [1, 2].map(|side| relay.says(&line(9, side)));
    others.iter_mut().for_each(|end| end.expect("ok\n"));
    let sent = fill(&fast.0);
    // Buffers of the kernel, at both ends and in the relay.
    assert!(sent < 1 << 19, "{sent} bytes are in transit");
    let [one, two] = &mut others;
    one.send(b"not blocked");
    two.expect("not blocked");
    // The other direction is not blocked either.
    { &slow.0 }.write_all(b"back").unwrap();
    let mut bytes = [0; 4];
    { &fast.0 }.read_exact(&mut bytes).unwrap();
    assert_eq!(&bytes, b"back");
    // Once it reads, all bytes arrive.
    let mut received = vec![0; sent];
    { &slow.0 }.read_exact(&mut received).unwrap();
    assert!(received.iter().all(|byte| *byte == 7));
}

#[test]
fn room_of_a_client_that_does_not_read_ends() {
    let relay = Running::limited(Limits {
        unread: Duration::from_millis(200),
        ..Limits::default()
    });
    let [_slow, mut fast] = relay.pair();
    let writer = fast.0.try_clone().unwrap();
    let writer = thread::spawn(move || while { &writer }.write_all(&[0; 10_000]).is_ok() {});
    // The relay closes both ends.
    fast.expect_end("");
    fast.0.shutdown(Shutdown::Both).ok();
    writer.join().unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn room_of_a_client_that_does_not_read_ends_even_if_the_kernel_holds_all_bytes() {
    let relay = Running::limited(Limits {
        unread: Duration::from_millis(200),
        ..Limits::default()
    });
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.set_recv_buffer_size(8 << 10).unwrap();
    socket.connect(&relay.address.into()).unwrap();
    let mut pair = [Tcp(socket.into()), relay.connect()];
    for (side, end) in (1..).zip(&mut pair) {
        end.send(line(1, side).as_bytes());
    }
    let [slow, fast] = &mut pair;
    slow.expect("ok\n");
    fast.expect("ok\n");
    // More than the window of the client, and less than that with what the relay's socket takes.
    fast.send(&[7; 20_000]);
    fast.expect_end("");
}

#[test]
fn room_that_has_waited_longest_for_its_reader_makes_way_for_others() {
    let relay = Running::limited(Limits {
        blocked: 2,
        ..Limits::default()
    });
    let pair = |token| {
        let mut pair = [1, 2].map(|side| relay.says(&line(token, side)));
        pair.iter_mut().for_each(|end| end.expect("ok\n"));
        pair.iter().for_each(Tcp::shrink);
        pair
    };
    let [mut quiet, mut other] = pair(9);
    let mut blocked = [1, 2, 3].map(pair);
    for [_slow, fast] in &blocked {
        fill(&fast.0);
    }
    let [[slow, fast], later @ ..] = &mut blocked;
    // Both lose bytes, so their connections do not end like complete ones.
    for end in [slow, fast] {
        let error = end.0.read_to_end(&mut Vec::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    }
    assert!(later.iter().all(|[_, fast]| fast.is_waiting()));
    quiet.send(b"not blocked");
    other.expect("not blocked");
}

#[test]
fn address_with_the_most_clients_that_do_not_read_makes_way_first() {
    let relay = Running::limited(Limits {
        blocked: 2,
        ..Limits::default()
    });
    let pair = |address, token| {
        let mut pair = [1, 2].map(|side| {
            let mut end = relay.connect_from(address);
            end.send(line(token, side).as_bytes());
            end
        });
        pair.iter_mut().for_each(|end| end.expect("ok\n"));
        pair.iter().for_each(Tcp::shrink);
        fill(&pair[1].0);
        pair
    };
    let [_slow, honest] = pair(2, 1);
    let [[_one, mut first], [_two, second]] = [pair(3, 2), pair(3, 3)];
    let error = first.0.read_to_end(&mut Vec::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    assert!(honest.is_waiting() && second.is_waiting());
}

#[test]
fn rooms_end_before_a_relay_that_finishes_and_its_address_is_free_at_once() {
    let mut relay = Running::new();
    let [mut one, mut two] = relay.pair();
    let mut waiting = relay.says(&line(1, 1));
    let mut silent = relay.connect();
    until(|| waiting.is_waiting() && silent.is_waiting());
    relay.stop.finish();
    waiting.expect_end("");
    silent.expect_end("");
    until(|| std::net::TcpStream::connect(relay.address).is_err());
    let next = Relay::listen(&[relay.address], Settings::default());
    assert_eq!(next.unwrap().addresses(), [relay.address]);
    one.send(b"still here");
    two.expect("still here");
    drop(one);
    two.expect_end("");
    drop(two);
    relay.thread.take().unwrap().join().unwrap().unwrap();
}

#[test]
fn page_that_answers_no_ping_ends() {
    let relay = Running::limited(Limits {
        ping: Duration::from_secs(1),
        ..Limits::default()
    });
    // This client answers pings whenever it reads.
    let mut alive = relay.opens(&line(1, 1));
    let dead = relay.opens(&line(2, 1));
    alive
        .get_ref()
        .set_read_timeout(Some(Duration::from_millis(20)))
        .unwrap();
    let mut pings = 0;
    until(|| {
        pings += u32::from(matches!(alive.read(), Ok(Message::Ping(_))));
        pings == 4
    });
    assert!(alive.can_read());
    let mut bytes = Vec::new();
    { dead.get_ref() }.read_to_end(&mut bytes).unwrap();
    // One ping, and the end.
    assert_eq!(bytes, [0x89, 0]);
}
