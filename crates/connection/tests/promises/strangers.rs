//! Connections of strangers cost the host little and keep no player out.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use dealerless_connection::testing::players::{Player, connection, invite};

#[test]
fn guest_gets_in_among_a_thousand_strangers() {
    let [host, guest] = ["Anna", "Bob"].map(Player::new);
    let door = host.door();
    let invite = invite(&door);
    let target = door.addresses()[0];
    let crowd = thread::spawn(move || {
        let mut silent = Vec::new();
        for number in 0..1000 {
            let mut stream = TcpStream::connect(target).unwrap();
            match number % 4 {
                0 => {}
                1 => drop(stream.write_all(b"GET / HTTP/1.1\r\n\r\n")),
                2 => drop(stream.write_all(b"dltb\x01\x01strangerxxxxxxxxxxxxxxxxxxxx")),
                _ => drop(stream.write_all(b"dltb\x01")),
            }
            if number % 4 != 1 && silent.len() < 200 {
                silent.push(stream);
            }
        }
        silent
    });
    let mut tries = 0;
    while guest.join(&invite).is_err() {
        tries += 1;
        assert!(tries < 20);
    }
    let silent = crowd.join().unwrap();
    assert_eq!(&connection(&door).met.peer, guest.home.identity().public());
    // With the strangers still connected, the guest gets in at the first attempt.
    guest.join(&invite).unwrap();
    drop(silent);
}

#[test]
fn guest_is_accepted_from_an_address_that_sent_garbage() {
    let [host, guest] = ["Anna", "Bob"].map(Player::new);
    let door = host.door();
    for _ in 0..8 {
        let mut stream = TcpStream::connect(door.addresses()[0]).unwrap();
        stream.write_all(b"something else").unwrap();
        let _ = stream.read(&mut [0]);
    }
    // After the garbage, the door closes a silent connection from this address after a second.
    let begun = Instant::now();
    let mut stream = TcpStream::connect(door.addresses()[0]).unwrap();
    let _ = stream.read(&mut [0]);
    // Other silent connections are closed after ten seconds.
    assert!(begun.elapsed() < Duration::from_secs(9));
    guest.join(&invite(&door)).unwrap();
}
