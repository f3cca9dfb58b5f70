//! A relay in a thread, and clients over TCP and WebSocket.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use dealerless_relay::{Limits, Relay, Settings, Stop};
use socket2::{Domain, SockRef, Socket, Type};
use tungstenite::{Message, WebSocket};

/// Timeout for everything that should happen, even on a busy machine.
const SOON: Duration = Duration::from_secs(60);

/// The line of a host that opens a code.
pub(crate) const OPEN: &str = "please open a code as 00112233445566778899aabbccddeeff\n";

/// A running relay. It ends with the test.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) status: Option<SocketAddr>,
    pub(crate) stop: Stop,
    pub(crate) thread: Option<JoinHandle<io::Result<()>>>,
}

impl Running {
    pub(crate) fn new() -> Self {
        Self::with(Settings::default())
    }

    pub(crate) fn limited(limits: Limits) -> Self {
        Self::with(Settings {
            limits,
            ..Settings::default()
        })
    }

    pub(crate) fn with(settings: Settings) -> Self {
        let relay = Relay::listen(&["127.0.0.1:0".parse().unwrap()], settings).unwrap();
        Running {
            address: relay.addresses()[0],
            status: relay.status_address(),
            stop: relay.stopper(),
            thread: Some(thread::spawn(|| relay.run())),
        }
    }

    /// A connection from 127.0.0.1.
    pub(crate) fn connect(&self) -> Tcp {
        self.connect_from(1)
    }

    /// A connection from an address of this machine, 127.0.0.`last`.
    pub(crate) fn connect_from(&self, last: u8) -> Tcp {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        let from = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(127, 0, 0, last)), 0);
        socket.bind(&from.into()).unwrap();
        socket.connect(&self.address.into()).unwrap();
        let stream = TcpStream::from(socket);
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(SOON)).unwrap();
        stream.set_write_timeout(Some(SOON)).unwrap();
        Tcp(stream)
    }

    /// A connection that has sent this line.
    pub(crate) fn says(&self, line: &str) -> Tcp {
        let mut connection = self.connect();
        connection.send(line.as_bytes());
        connection
    }

    /// A WebSocket.
    pub(crate) fn open(&self) -> WebSocket<TcpStream> {
        let url = format!("ws://{}/any/path?at=all", self.address);
        tungstenite::client(url, self.connect().0).unwrap().0
    }

    /// A WebSocket that has sent this line.
    pub(crate) fn opens(&self, line: &str) -> WebSocket<TcpStream> {
        let mut socket = self.open();
        socket
            .send(Message::binary(line.as_bytes().to_vec()))
            .unwrap();
        socket
    }

    /// Two joined connections.
    pub(crate) fn pair(&self) -> [Tcp; 2] {
        let mut pair = [1, 2].map(|side| self.says(&line(7, side)));
        pair.iter_mut().for_each(|end| end.expect("ok\n"));
        pair
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.stop();
        let Some(thread) = self.thread.take() else {
            return;
        };
        let ended = thread.join();
        if !thread::panicking() {
            ended.expect("the relay did not panic").unwrap();
        }
    }
}

/// The line for a token and a side.
pub(crate) fn line(token: u8, side: u8) -> String {
    let token = format!("{token:064x}");
    format!("please relay {token} for side {side:016x}\n")
}

/// A client over TCP.
pub(crate) struct Tcp(pub(crate) TcpStream);

impl Tcp {
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).unwrap();
    }

    /// Gives the socket small buffers, so that little is in transit.
    pub(crate) fn shrink(&self) {
        let socket = SockRef::from(&self.0);
        socket.set_recv_buffer_size(32 << 10).unwrap();
        socket.set_send_buffer_size(32 << 10).unwrap();
    }

    /// Asserts the next bytes.
    pub(crate) fn expect(&mut self, text: &str) {
        let mut bytes = vec![0; text.len()];
        self.0.read_exact(&mut bytes).unwrap();
        assert_eq!(String::from_utf8_lossy(&bytes), text);
    }

    /// Asserts the last bytes before the end.
    pub(crate) fn expect_end(&mut self, text: &str) {
        let mut bytes = Vec::new();
        match self.0.read_to_end(&mut bytes) {
            Ok(_) => {}
            // A connection that is refused.
            Err(error) if error.kind() == ErrorKind::ConnectionReset && text.is_empty() => {}
            Err(error) => panic!("{error}"),
        }
        assert_eq!(String::from_utf8_lossy(&bytes), text);
    }

    /// The number of the code that this connection opened.
    pub(crate) fn code(&mut self) -> u32 {
        let mut line = Vec::new();
        while line.last() != Some(&b'\n') {
            let mut byte = [0];
            self.0.read_exact(&mut byte).unwrap();
            line.push(byte[0]);
        }
        number(&line)
    }

    /// Whether the connection is open, and nothing was received.
    pub(crate) fn is_waiting(&self) -> bool {
        self.0.set_nonblocking(true).unwrap();
        let read = self.0.peek(&mut [0]);
        self.0.set_nonblocking(false).unwrap();
        matches!(read, Err(error) if error.kind() == ErrorKind::WouldBlock)
    }
}

/// The number in the line of a code that was opened.
fn number(line: &[u8]) -> u32 {
    let line = str::from_utf8(line).unwrap();
    let number = line.strip_prefix("code ").unwrap().trim_end();
    number.parse().unwrap()
}

/// The number of the code that a page opened.
pub(crate) fn code_of(page: &mut WebSocket<TcpStream>) -> u32 {
    number(&next(page))
}

/// The next binary message.
pub(crate) fn next(socket: &mut WebSocket<TcpStream>) -> Vec<u8> {
    loop {
        match socket.read().unwrap() {
            Message::Binary(bytes) => return bytes.to_vec(),
            Message::Ping(_) | Message::Pong(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

/// Waits until a condition holds.
pub(crate) fn until(mut condition: impl FnMut() -> bool) {
    let begun = std::time::Instant::now();
    while !condition() {
        assert!(begun.elapsed() < SOON);
        thread::sleep(Duration::from_millis(2));
    }
}
