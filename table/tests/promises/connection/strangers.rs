//! Strangers cost little and end nothing.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use super::players::{Player, connection, invite};

#[test]
fn a_thousand_strangers_come_while_a_guest_waits_and_the_guest_comes_in() {
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
    assert_eq!(&connection(&door).peer, guest.home.identity().public());
    // With all of them still connected, it comes in at its first try.
    guest.join(&invite).unwrap();
    drop(silent);
}

#[test]
fn somebody_who_comes_from_a_bad_neighbourhood_with_the_right_prelude_is_let_in() {
    let [host, guest] = ["Anna", "Bob"].map(Player::new);
    let door = host.door();
    for _ in 0..8 {
        let mut stream = TcpStream::connect(door.addresses()[0]).unwrap();
        stream.write_all(b"something else").unwrap();
        let _ = stream.read(&mut [0]);
    }
    // From here on a silent one is closed after a second.
    let begun = Instant::now();
    let mut stream = TcpStream::connect(door.addresses()[0]).unwrap();
    let _ = stream.read(&mut [0]);
    assert!(begun.elapsed() < Duration::from_secs(5));
    guest.join(&invite(&door)).unwrap();
}
