//! WebSockets of hostile and of unusual clients.

use std::io::{Read, Write};

use tungstenite::protocol::frame::FrameHeader;
use tungstenite::protocol::frame::coding::{Data, OpCode};
use tungstenite::{Message, client::IntoClientRequest};

use super::clients::{OPEN, Running, Tcp, code_of, line, next};
use dealerless_relay::Settings;

/// A connection on which the handshake of a WebSocket is complete.
fn raw(relay: &Running) -> Tcp {
    let mut connection = relay.connect();
    connection.send(
        b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
          Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    );
    connection.expect(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
    );
    connection
}

/// The head of a binary frame with this length, and a mask of zeros.
fn head(len: u64) -> Vec<u8> {
    let head = FrameHeader {
        opcode: OpCode::Data(Data::Binary),
        mask: Some([0; 4]),
        ..FrameHeader::default()
    };
    let mut bytes = Vec::new();
    head.format(len, &mut bytes).unwrap();
    bytes
}

#[test]
fn frame_of_any_size_is_forwarded_as_it_arrives() {
    let relay = Running::new();
    let mut program = relay.says(&line(1, 1));
    let mut page = raw(&relay);
    let request = line(1, 2);
    page.send(&[head(request.len() as u64), request.into()].concat());
    let mut answer = [0; 5];
    page.0.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"\x82\x03ok\n");
    program.expect("ok\n");
    // Nobody can have this much memory, and the frame never ends.
    page.send(&head(1 << 62));
    for number in 0..100_u8 {
        page.send(&[number; 10_000]);
        let mut piece = [0; 10_000];
        program.0.read_exact(&mut piece).unwrap();
        assert!(piece.iter().all(|byte| *byte == number));
    }
}

#[test]
fn large_messages_are_forwarded() {
    let relay = Running::new();
    let mut pages = [1, 2].map(|side| relay.opens(&line(1, side)));
    for page in &mut pages {
        assert_eq!(next(page), b"ok\n");
    }
    let [one, two] = &mut pages;
    let sent: Vec<u8> = (0..3 << 20).map(|at: u32| (at % 253) as u8).collect();
    std::thread::scope(|scope| {
        scope.spawn(|| one.send(Message::binary(sent.clone())).unwrap());
        let mut received = Vec::new();
        while received.len() < sent.len() {
            received.extend(next(two));
        }
        assert!(received == sent);
    });
}

#[test]
fn text_is_refused() {
    let relay = Running::new();
    let mut page = relay.open();
    page.send(Message::text(line(1, 1))).unwrap();
    match page.read() {
        Ok(Message::Close(Some(close))) => assert_eq!(u16::from(close.code), 1003),
        other => panic!("{other:?}"),
    }
}

#[test]
fn unmasked_frame_ends_the_connection() {
    let relay = Running::new();
    let mut page = raw(&relay);
    page.send(b"\x82\x02hi");
    let mut answer = Vec::new();
    page.0.read_to_end(&mut answer).unwrap();
    assert_eq!(answer, b"\x88\x02\x03\xea");
}

#[test]
fn ping_of_a_waiting_page_is_answered() {
    let relay = Running::new();
    let mut page = relay.opens(&line(1, 1));
    page.send(Message::Ping(b"there?".to_vec().into())).unwrap();
    assert_eq!(
        page.read().unwrap(),
        Message::Pong(b"there?".to_vec().into())
    );
    page.close(None).unwrap();
    assert!(matches!(page.read(), Ok(Message::Close(_))));
}

#[test]
fn pings_without_end_cost_no_memory() {
    let relay = Running::new();
    let mut program = relay.says(&line(1, 1));
    let mut page = raw(&relay);
    page.shrink();
    let request = line(1, 2);
    page.send(&[head(request.len() as u64), request.into()].concat());
    program.expect("ok\n");
    let ping: Vec<u8> = [&[0x89, 0xfd, 0, 0, 0, 0][..], &[1; 125]].concat();
    let pings = ping.repeat(1000);
    // Nobody reads the answers. The relay still takes all pings.
    for _ in 0..30 {
        page.send(&pings);
    }
    page.send(&[&head(4)[..], b"done"].concat());
    program.expect("done");
    // Only the answers that were in the kernel were kept, and the last one.
    drop(program);
    let mut answers = Vec::new();
    page.0.read_to_end(&mut answers).unwrap();
    let all = 30 * 1000 * (2 + 125);
    assert!(answers.len() < all / 3, "{} bytes", answers.len());
}

#[test]
fn any_origin_may_connect() {
    let relay = Running::new();
    let mut request = format!("ws://{}/", relay.address)
        .into_client_request()
        .unwrap();
    let headers = request.headers_mut();
    headers.insert("Origin", "https://elsewhere.example".parse().unwrap());
    let (mut page, _) = tungstenite::client(request, relay.connect().0).unwrap();
    page.send(Message::binary(OPEN.as_bytes().to_vec()))
        .unwrap();
    code_of(&mut page);
}

#[test]
fn only_allowed_pages_may_connect_if_some_are_named() {
    let page = "https://page.example".to_owned();
    let relay = Running::with(Settings {
        allowed_pages: vec![page, "http://127.0.0.1:8000".to_owned()],
        ..Settings::default()
    });
    let asks = |origins: &[u8]| {
        let mut connection = relay.connect();
        connection.send(
            b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
              Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
        );
        connection.send(&[origins, b"\r\n"].concat());
        let mut status = [0; 12];
        connection.0.read_exact(&mut status).unwrap();
        String::from_utf8_lossy(&status[9..]).into_owned()
    };
    for allowed in [
        &b"Origin: https://page.example\r\n"[..],
        b"origin:http://127.0.0.1:8000 \r\n",
        // A program.
        b"",
    ] {
        assert_eq!(asks(allowed), "101", "{}", String::from_utf8_lossy(allowed));
    }
    for refused in [
        &b"Origin: https://elsewhere.example\r\n"[..],
        b"Origin: https://page.example.elsewhere.example\r\n",
        b"Origin: http://page.example\r\n",
        b"Origin: null\r\n",
        b"Origin:\r\n",
        b"Origin: \xff\r\n",
        b"Origin: https://page.example\r\nOrigin: https://elsewhere.example\r\n",
        b"Origin: \xff\r\nOrigin: https://page.example\r\n",
    ] {
        assert_eq!(asks(refused), "403", "{}", String::from_utf8_lossy(refused));
    }
    // Programs over TCP have no origin.
    relay.pair();
    // Also files.
    let mut file = relay.says("GET / HTTP/1.1\r\nOrigin: https://elsewhere.example\r\n\r\n");
    file.expect("HTTP/1.1 403 Forbidden\r\n");
}

#[test]
fn first_frame_may_follow_the_head_at_once() {
    let relay = Running::new();
    let mut page = relay.connect();
    let mut bytes = b"GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        .to_vec();
    bytes.extend(head(OPEN.len() as u64));
    bytes.extend(OPEN.as_bytes());
    page.0.write_all(&bytes).unwrap();
    let mut answer = [0; 200];
    let mut len = 0;
    // The line has 11 bytes.
    let is_code = |answer: &[u8]| {
        let frame = answer.last_chunk::<13>();
        frame.is_some_and(|frame| frame.starts_with(b"\x82\x0bcode ") && frame.ends_with(b"\n"))
    };
    while !is_code(&answer[..len]) {
        let more = page.0.read(&mut answer[len..]).unwrap();
        assert!(more > 0, "{:?}", String::from_utf8_lossy(&answer[..len]));
        len += more;
    }
}
