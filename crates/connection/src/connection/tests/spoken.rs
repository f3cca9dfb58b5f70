//! The exchange of an invite by a code that can be spoken, of two sides in memory, with a relay that
//! the test plays.

use std::collections::HashSet;
use std::io::ErrorKind;
use std::time::Duration;

use super::super::code_call::CodeCall;
use super::super::invite::{Invite, InviteSecret};
use super::super::place::{Happened, Place};
use super::super::spoken::{CodeKey, Exchanged, SpokenError, SpokenExchange};
use super::super::spoken_code::{CodeWords, SpokenCode};
use super::dial::Network;
use crate::hash::Hash;
use crate::identity::{Address, Identity};
use crate::random::Derived;

const NOW: Duration = Duration::from_secs(1);
const ROOM: &[u8] = b"code 7\n";
const KEY: CodeKey = [0x0a; 16];
const OPEN: &[u8] = b"please open a code as 0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a\n";

type Outcome = Result<Option<Exchanged>, SpokenError>;

fn invite() -> Invite {
    let key = *Identity::from_seed([1; 32]).public().x25519();
    let relay = "relay.example:4001".parse().unwrap();
    Invite::new(
        key,
        InviteSecret::new(&mut rand::rng()),
        Vec::new(),
        Some(relay),
    )
}

fn pass(side: &mut SpokenExchange, bytes: &[u8]) -> Outcome {
    side.received(bytes, NOW, &mut rand::rng())
}

/// A host that waits in room 7, and its code.
fn waiting(invite: &Invite) -> (SpokenExchange, SpokenCode) {
    in_room(SpokenExchange::as_host(invite, CodeWords::Two, &KEY, NOW))
}

/// Puts a host into room 7. Its words are always the same.
fn in_room(mut host: SpokenExchange) -> (SpokenExchange, SpokenCode) {
    assert_eq!(host.outgoing(), OPEN);
    assert!(host.code().is_none());
    let mut words = Derived::new(Hash::new("words of a test"));
    assert!(matches!(host.received(ROOM, NOW, &mut words), Ok(None)));
    let code = host.code().unwrap().clone();
    (host, code)
}

/// A guest with a code. Also returns its request to the relay.
fn guest(code: &SpokenCode) -> (SpokenExchange, String) {
    let mut guest = SpokenExchange::as_guest(code.clone(), NOW);
    let request = String::from_utf8(guest.outgoing()).unwrap();
    (guest, request)
}

/// The same code, with another number or other words.
fn changed(code: &SpokenCode, change: impl Fn(&mut [&str; 3])) -> SpokenCode {
    let text = code.to_string();
    let mut parts: Vec<&str> = text.split('-').collect();
    change(parts.as_mut_slice().try_into().unwrap());
    parts.join("-").parse().unwrap()
}

/// Another word of the list.
fn other(word: &str) -> &'static str {
    if word == "crossbow" {
        "guitar"
    } else {
        "crossbow"
    }
}

/// Pairs both sides and passes bytes on. `alter` changes the messages: 0 from the host, 1 from the
/// guest, 2 from the host. Returns the results of the host and of the guest.
fn run(
    [host, guest]: [&mut SpokenExchange; 2],
    mut alter: impl FnMut(usize, Vec<u8>) -> Vec<u8>,
) -> [Outcome; 2] {
    let mut results = [pass(host, b"ok\n"), pass(guest, b"ok\n")];
    for number in 0..3 {
        let (from, to, result) = match number {
            1 => (&mut *guest, &mut *host, 0),
            _ => (&mut *host, &mut *guest, 1),
        };
        let message = alter(number, from.outgoing());
        if matches!(results[result], Ok(None)) {
            results[result] = pass(to, &message);
        }
    }
    results
}

fn is_received(outcome: &Outcome) -> bool {
    matches!(outcome, Ok(Some(Exchanged::Received(_))))
}

fn is_sent(outcome: &Outcome) -> bool {
    matches!(outcome, Ok(Some(Exchanged::Sent)))
}

#[test]
fn the_right_code_gives_the_invite_in_chunks_of_any_size() {
    let invite = invite();
    for chunk in [1, 3, 10_000] {
        let (mut host, code) = waiting(&invite);
        let (mut guest, request) = guest(&code);
        assert_eq!(request, "please use code 7\n");
        let mut bytes = [b"ok\n".to_vec(), b"ok\n".to_vec()];
        let mut results = [None, None];
        for _ in 0..3 {
            for (to, side) in [&mut host, &mut guest].into_iter().enumerate() {
                for part in std::mem::take(&mut bytes[to]).chunks(chunk) {
                    assert!(results[to].is_none());
                    results[to] = pass(side, part).unwrap();
                }
                bytes[1 - to].extend(side.outgoing());
            }
        }
        let [Some(Exchanged::Sent), Some(Exchanged::Received(got))] = results else {
            panic!("{results:?}");
        };
        assert_eq!(got.to_string(), invite.to_string());
    }
}

#[test]
fn the_longest_invite_fits_and_all_answers_have_the_same_length() {
    let label = "a".repeat(62);
    let address = format!("{label}.{label}.{label}.{label}.a:65535");
    let address: Address = address.parse().unwrap();
    let key = *Identity::from_seed([1; 32]).public().x25519();
    let secret = InviteSecret::new(&mut rand::rng());
    let long = Invite::new(key, secret, vec![address.clone(); 8], Some(address));
    let lengths = [invite(), long].map(|invite| {
        let (mut host, code) = waiting(&invite);
        let mut len = 0;
        let results = run([&mut host, &mut guest(&code).0], |number, message| {
            len = if number == 2 { message.len() } else { len };
            message
        });
        let [_, Ok(Some(Exchanged::Received(got)))] = results else {
            panic!("{results:?}");
        };
        assert_eq!(got.to_string(), invite.to_string());
        len
    });
    assert_eq!(lengths, [1 + 2560 + 16; 2]);
}

#[test]
fn a_wrong_word_or_number_is_refused_and_both_sides_report_it() {
    let changes: [fn(&mut [&str; 3]); 4] = [
        |parts| parts[1] = other(parts[1]),
        |parts| parts[2] = other(parts[2]),
        |parts| parts[1..].reverse(),
        // A relay that pairs the guest of one room with the host of another.
        |parts| parts[0] = "8",
    ];
    for change in changes {
        let (mut host, code) = waiting(&invite());
        let wrong = changed(&code, change);
        assert_ne!(wrong, code);
        let mut answer = Vec::new();
        let results = run([&mut host, &mut guest(&wrong).0], |_, message| {
            answer.clone_from(&message);
            message
        });
        let [Err(SpokenError::Guessed), Err(SpokenError::Wrong)] = results else {
            panic!("{results:?}");
        };
        assert_eq!(answer, [0]);
    }
}

#[test]
fn a_bit_changed_in_any_byte_of_any_message_is_noticed() {
    for (number, len) in [(0, 16 + 32), (1, 32 + 32), (2, 1 + 2560 + 16)] {
        for at in 0..len {
            let (mut host, code) = waiting(&invite());
            let results = run([&mut host, &mut guest(&code).0], |this, mut message| {
                if this == number {
                    assert_eq!(message.len(), len);
                    message[at] ^= 1 << (at % 8);
                }
                message
            });
            assert!(!is_received(&results[1]), "byte {at} of message {number}");
            assert_eq!(
                is_sent(&results[0]),
                number == 2,
                "byte {at} of message {number}"
            );
        }
    }
}

#[test]
fn a_man_in_the_middle_who_forwards_everything_sees_no_invite() {
    let invite = invite();
    let (mut host, code) = waiting(&invite);
    let mut seen = Vec::new();
    let results = run([&mut host, &mut guest(&code).0], |_, message| {
        seen.extend_from_slice(&message);
        message
    });
    assert!(is_received(&results[1]));
    let secret = &*invite.secret.0;
    assert!(!seen.windows(secret.len()).any(|window| window == secret));
}

#[test]
fn a_man_in_the_middle_who_guesses_has_one_guess_with_each_side() {
    let (mut host, code) = waiting(&invite());
    let guess = changed(&code, |parts| parts[2] = other(parts[2]));
    // To the guest, the man in the middle is a host; to the host, a guest.
    let mut false_guest = guest(&guess).0;
    assert!(matches!(
        run([&mut host, &mut false_guest], |_, message| message),
        [Err(SpokenError::Guessed), Err(SpokenError::Wrong)]
    ));
    let (mut false_host, _) = waiting(&invite());
    assert!(matches!(
        run([&mut false_host, &mut guest(&guess).0], |_, message| {
            message
        }),
        [Err(SpokenError::Guessed), Err(SpokenError::Wrong)]
    ));
    // Both exchanges are over, whatever arrives then.
    for side in [&mut host, &mut false_guest] {
        assert!(matches!(pass(side, &[b'A'; 5000]), Ok(None)));
        assert!(side.outgoing().is_empty());
    }
}

#[test]
fn a_replayed_message_is_refused() {
    let (mut host, code) = waiting(&invite());
    let mut recorded = Vec::new();
    let results = run([&mut host, &mut guest(&code).0], |_, message| {
        recorded.push(message.clone());
        message
    });
    assert!(is_sent(&results[0]) && is_received(&results[1]));

    // A guest without the words, at a host with the same code.
    let (mut host, _) = waiting(&invite());
    assert!(matches!(pass(&mut host, b"ok\n"), Ok(None)));
    assert!(matches!(
        pass(&mut host, &recorded[1]),
        Err(SpokenError::Guessed)
    ));
    // A host without the words.
    let mut guest = guest(&code).0;
    assert!(matches!(pass(&mut guest, b"ok\n"), Ok(None)));
    assert!(matches!(pass(&mut guest, &recorded[0]), Ok(None)));
    assert!(matches!(
        pass(&mut guest, &recorded[2]),
        Err(SpokenError::WrongHost)
    ));
}

#[test]
fn a_message_sent_back_to_its_sender_is_refused() {
    let (mut host, code) = waiting(&invite());
    assert!(matches!(pass(&mut host, b"ok\n"), Ok(None)));
    let own = [&host.outgoing()[16..], &[0; 32]].concat();
    assert!(matches!(pass(&mut host, &own), Err(SpokenError::Guessed)));
    let (mut first, mut second) = (guest(&code).0, guest(&code).0);
    for side in [&mut first, &mut second] {
        assert!(matches!(pass(side, b"ok\n"), Ok(None)));
    }
    let (mut host, _) = waiting(&invite());
    assert!(matches!(pass(&mut host, b"ok\n"), Ok(None)));
    assert!(matches!(pass(&mut first, &host.outgoing()), Ok(None)));
    let guests = first.outgoing();
    // The guest answers: a share is not a proof. It refuses what is not encrypted under its key.
    let as_host = [&[0; 16], &guests[..32]].concat();
    assert!(matches!(pass(&mut second, &as_host), Ok(None)));
    let answer = [&[1][..], &[0; 2560 + 16]].concat();
    assert!(matches!(
        pass(&mut second, &answer),
        Err(SpokenError::WrongHost)
    ));
}

#[test]
fn invalid_shares_are_refused() {
    let (_, code) = waiting(&invite());
    let at_guest = |share: &dyn Fn(&[u8]) -> Vec<u8>| {
        let (mut host, _) = waiting(&invite());
        let mut guest = guest(&code).0;
        assert!(matches!(pass(&mut host, b"ok\n"), Ok(None)));
        assert!(matches!(pass(&mut guest, b"ok\n"), Ok(None)));
        let honest = host.outgoing();
        let (session, honest) = honest.split_at(16);
        pass(&mut guest, &[session, &share(honest)].concat())
    };
    assert!(matches!(at_guest(&<[u8]>::to_vec), Ok(None)));
    // The identity, a negative element, and the field element 0 as p.
    let negative = |honest: &[u8]| [&[honest[0] | 1], &honest[1..]].concat();
    let p = [&[0xed][..], &[0xff; 30], &[0x7f]].concat();
    for share in [&|_: &[u8]| vec![0; 32], &negative, &|_: &[u8]| p.clone()]
        as [&dyn Fn(&[u8]) -> Vec<u8>; 3]
    {
        assert!(matches!(at_guest(share), Err(SpokenError::WrongHost)));
    }
}

#[test]
fn of_all_guesses_at_one_word_one_gets_in() {
    let words = include_str!("../words.txt");
    // Every code has a password of its own.
    let passwords: HashSet<String> = words
        .lines()
        .flat_map(|first| words.lines().map(move |second| format!("{first}-{second}")))
        .collect();
    assert_eq!(passwords.len(), 65_536);

    for place in [1, 2] {
        let mut right = 0;
        for word in words.lines() {
            let (mut host, code) = waiting(&invite());
            let guess = changed(&code, |parts| parts[place] = word);
            let results = run([&mut host, &mut guest(&guess).0], |_, message| message);
            assert_eq!(is_sent(&results[0]), guess == code);
            assert_eq!(is_received(&results[1]), guess == code);
            right += usize::from(is_sent(&results[0]));
        }
        assert_eq!(right, 1);
    }
}

#[test]
fn a_second_guess_at_the_same_code_is_not_answered() {
    let (mut host, code) = waiting(&invite());
    let wrong = changed(&code, |parts| parts[1] = other(parts[1]));
    let results = run([&mut host, &mut guest(&wrong).0], |_, message| message);
    assert!(matches!(results[0], Err(SpokenError::Guessed)));
    // The right code comes too late, also if a relay passes it to the same host.
    assert!(host.code().is_none());
    let results = run([&mut host, &mut guest(&code).0], |_, message| message);
    assert!(matches!(results, [Ok(None), Ok(None)]), "{results:?}");
    assert!(host.outgoing().is_empty());
}

#[test]
fn a_host_that_knows_the_code_and_sends_no_invite_is_reported() {
    let valid = invite().encode().to_vec();
    let with_len = |len: u16, bytes: &[u8]| {
        let mut padded = [&len.to_le_bytes()[..], bytes].concat();
        padded.resize(2560, 0);
        padded
    };
    let len = valid.len() as u16;
    let mut not_padding = with_len(len, &valid);
    *not_padding.last_mut().unwrap() = 1;
    for (contents, is_valid) in [
        (with_len(len, &valid), true),
        (with_len(len - 1, &valid), false),
        (with_len(len + 1, &valid), false),
        (with_len(u16::MAX, &valid), false),
        (vec![0; 2560], false),
        (vec![0xff; 2560], false),
        (not_padding, false),
    ] {
        let (mut host, code) = in_room(SpokenExchange::as_host_with(
            contents.into(),
            CodeWords::Two,
            &KEY,
            NOW,
        ));
        let results = run([&mut host, &mut guest(&code).0], |_, message| message);
        assert!(is_sent(&results[0]));
        assert_eq!(is_received(&results[1]), is_valid);
        if !is_valid {
            assert!(
                matches!(results[1], Err(SpokenError::Invite)),
                "{results:?}"
            );
        }
    }
}

#[test]
fn an_answer_of_another_kind_or_length_is_refused() {
    for answer in [vec![2], vec![0xff; 10_000], vec![1; 10_000]] {
        let (mut host, code) = waiting(&invite());
        let results = run([&mut host, &mut guest(&code).0], |number, message| {
            if number == 2 { answer.clone() } else { message }
        });
        assert!(
            matches!(results[1], Err(SpokenError::WrongHost)),
            "{results:?}"
        );
    }
    // The guest waits for the rest of a short answer.
    let (mut host, code) = waiting(&invite());
    let mut guest = guest(&code).0;
    let results = run([&mut host, &mut guest], |number, mut message| {
        message.truncate(if number == 2 { 2000 } else { 100 });
        message
    });
    assert!(matches!(results[1], Ok(None)));
    let cut = guest.failed(ErrorKind::UnexpectedEof.into());
    assert!(matches!(cut, SpokenError::Relay(_)));
}

#[test]
fn each_wait_has_a_deadline() {
    let late = |side: &mut SpokenExchange| {
        let deadline = side.deadline();
        let early = side.received(&[], deadline - Duration::from_nanos(1), &mut rand::rng());
        assert!(matches!(early, Ok(None)));
        side.received(&[], deadline, &mut rand::rng()).unwrap_err()
    };
    let (mut host, code) = waiting(&invite());
    assert_eq!(host.deadline(), NOW + SpokenExchange::LIFETIME);
    assert!(matches!(late(&mut host), SpokenError::Expired));
    let mut silent = SpokenExchange::as_host(&invite(), CodeWords::Two, &KEY, NOW);
    assert!(matches!(late(&mut silent), SpokenError::Relay(_)));

    // Without a complete share, the guest has made no guess.
    for (len, is_guess) in [(0, false), (31, false), (32, true), (63, true)] {
        let (mut host, _) = waiting(&invite());
        assert!(matches!(pass(&mut host, b"ok\n"), Ok(None)));
        assert_eq!(host.deadline(), NOW + SpokenExchange::WITHIN);
        assert!(matches!(pass(&mut host, &vec![0; len]), Ok(None)));
        let gone = host.failed(ErrorKind::UnexpectedEof.into());
        for error in [late(&mut host), gone] {
            assert_eq!(matches!(error, SpokenError::Guessed), is_guess);
            assert_eq!(matches!(error, SpokenError::Left), !is_guess);
        }
    }

    let mut guest = guest(&code).0;
    // The relay lets a guest wait for 20 s.
    assert!(SpokenExchange::UNTIL_PAIRED > Duration::from_secs(25));
    let limits = [SpokenExchange::UNTIL_PAIRED, SpokenExchange::WITHIN];
    for (answer, limit) in [&b"ok\n"[..], &b"A"[..]].into_iter().zip(limits) {
        assert_eq!(guest.deadline(), NOW + limit);
        assert!(matches!(late(&mut guest), SpokenError::Relay(_)));
        assert!(matches!(pass(&mut guest, answer), Ok(None)));
    }
}

#[test]
fn the_answers_of_relays_are_distinguished_and_bounded() {
    let (_, code) = waiting(&invite());
    let answers = |answer: &[u8]| {
        let mut host = SpokenExchange::as_host(&invite(), CodeWords::Two, &KEY, NOW);
        let host = pass(&mut host, answer).unwrap_err();
        (host, pass(&mut guest(&code).0, answer).unwrap_err())
    };
    assert!(matches!(
        answers(b"bad handshake\n"),
        (SpokenError::NotOffered, SpokenError::NotOffered)
    ));
    assert!(matches!(
        answers(b"no such code\n"),
        (SpokenError::Relay(_), SpokenError::NoSuchCode)
    ));
    assert!(matches!(
        answers(b"too many codes\n"),
        (SpokenError::Relay(_), SpokenError::TooMany)
    ));
    let endless = [b'1'; 64];
    for other in [
        &b"\n"[..],
        b"impatient\n",
        b"HTTP/1.1 400 Bad Request\r\n",
        b"code\n",
        b"code 0\n",
        b"code 07\n",
        b"code -7\n",
        b"code +7\n",
        b"code 7 \n",
        b"code 9999999999\n",
        b"code \xff\n",
        &endless,
    ] {
        assert!(matches!(
            answers(other),
            (SpokenError::Relay(_), SpokenError::Relay(_))
        ));
    }
}

#[test]
fn host_opens_its_code_again_and_each_exchange_has_keys_of_its_own() {
    let invite = invite();
    let (mut host, code) = waiting(&invite);
    let mut seen = HashSet::new();
    for _ in 0..3 {
        let (mut right, _) = guest(&code);
        let mut messages = Vec::new();
        let [sent, received] = run([&mut host, &mut right], |_, message| {
            messages.push(message.clone());
            message
        });
        assert!(is_sent(&sent) && is_received(&received));
        assert!(messages.into_iter().all(|message| seen.insert(message)));
        // The same words, in the same room.
        host = SpokenExchange::as_host_again(&invite, code.clone(), &KEY, NOW);
        let request = "please open code 7 as 0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a\n";
        assert_eq!(host.outgoing(), request.as_bytes());
        assert!(host.code().is_none() && !host.is_open());
        assert!(matches!(pass(&mut host, ROOM), Ok(None)));
        assert_eq!(host.code(), Some(&code));
        assert!(host.is_open());
    }
    // A guest may wait already.
    let again = || SpokenExchange::as_host_again(&invite, code.clone(), &KEY, NOW);
    let mut host = again();
    host.outgoing();
    assert!(matches!(pass(&mut host, b"code 7\nok\n"), Ok(None)));
    assert!(host.is_open() && !host.outgoing().is_empty());
    // Another room, or none.
    for answer in [&b"code 8\n"[..], b"no such code\n", b"ok\n"] {
        assert!(matches!(
            pass(&mut again(), answer),
            Err(SpokenError::Relay(_))
        ));
    }
}

#[test]
fn a_code_of_four_words_gives_the_invite_and_each_of_them_counts() {
    let invite = invite();
    let four = || in_room(SpokenExchange::as_host(&invite, CodeWords::Four, &KEY, NOW));
    let (mut host, code) = four();
    assert_eq!(code.to_string().split('-').count(), 5);
    let (mut right, _) = guest(&code);
    let [sent, received] = run([&mut host, &mut right], |_, message| message);
    assert!(is_sent(&sent) && is_received(&received));
    for place in 1..5 {
        let (mut host, code) = four();
        let text = code.to_string();
        let mut parts: Vec<&str> = text.split('-').collect();
        parts[place] = other(parts[place]);
        let (mut wrong, _) = guest(&parts.join("-").parse().unwrap());
        let [sent, received] = run([&mut host, &mut wrong], |_, message| message);
        assert!(matches!(sent, Err(SpokenError::Guessed)));
        assert!(matches!(received, Err(SpokenError::Wrong)));
    }
}

#[test]
fn guest_gets_the_invite_on_its_socket_or_an_error_that_names_the_cause() {
    let relay = Place::Url("wss://relay".into());
    let (expected, network) = (invite(), Network::default());
    let (mut host, code) = waiting(&expected);
    let mut call = CodeCall::new(&network, &relay, code.clone(), NOW);
    assert!(call.has(1) && !call.has(2));
    let mut happens = |what: Happened<'_>| call.happened(what, NOW).unwrap();
    assert!(happens(Happened::Opened).is_none());
    assert_eq!(network.sent(1), b"please use code 7\n");
    assert!(happens(Happened::Received(b"ok\n")).is_none());
    pass(&mut host, b"ok\n").unwrap();
    assert!(happens(Happened::Received(&host.outgoing())).is_none());
    pass(&mut host, &network.sent(1)).unwrap();
    let invite = happens(Happened::Received(&host.outgoing())).unwrap();
    assert_eq!(invite.to_string(), expected.to_string());
    drop(call);
    assert!(network.open_sockets().is_empty());

    let mut call = CodeCall::new(&network, &relay, code, NOW);
    let late = NOW + SpokenExchange::UNTIL_PAIRED;
    assert_eq!(call.timer(), late);
    call.step(late - Duration::from_millis(1)).unwrap();
    let kind = |error| match error {
        SpokenError::Relay(error) => error.kind(),
        error => panic!("{error}"),
    };
    assert_eq!(kind(call.step(late).unwrap_err()), ErrorKind::TimedOut);
    // A browser reports the end of a socket also if it was not opened.
    for cause in [ErrorKind::ConnectionRefused, ErrorKind::UnexpectedEof] {
        let closed = call.happened(Happened::Closed(ErrorKind::UnexpectedEof.into()), NOW);
        assert_eq!(kind(closed.unwrap_err()), cause);
        call.happened(Happened::Opened, NOW).unwrap();
    }
}
