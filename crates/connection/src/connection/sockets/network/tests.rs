//! Sockets on loopback, and what happens to them.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, Sender, channel};

use super::*;

const SOON: Duration = Duration::from_secs(60);

/// Something that happened to a socket.
#[derive(Debug, PartialEq)]
enum Noted {
    Opened,
    Received(Vec<u8>),
    Ready,
    Closed(ErrorKind),
    Accepted(u32),
}

/// A task that notes all that happens, to any socket of its own.
struct Notes {
    sockets: Mutex<Vec<u32>>,
    noted: Mutex<Sender<(u32, Noted)>>,
}

impl Notes {
    fn note(&self, socket: u32, noted: Noted) {
        // The test may have ended.
        let _ = self.noted.lock().unwrap().send((socket, noted));
    }
}

impl SocketTask for Notes {
    fn has(&self, socket: u32) -> bool {
        self.sockets.lock().unwrap().contains(&socket)
    }

    fn happened(&self, socket: u32, what: Happened<'_>, _: Duration) {
        let noted = match what {
            Happened::Accepted { socket, .. } => {
                self.sockets.lock().unwrap().push(socket);
                return self.note(0, Noted::Accepted(socket));
            }
            Happened::Opened => Noted::Opened,
            Happened::Received(bytes) => Noted::Received(bytes.to_vec()),
            Happened::Ready => Noted::Ready,
            Happened::Closed(error) => Noted::Closed(error.kind()),
        };
        self.note(socket, noted);
    }

    fn step(&self, _: Duration) {}

    fn timer(&self) -> Duration {
        Duration::MAX
    }
}

/// The sockets of this process, with a task for some of them.
struct Test {
    network: Arc<Network>,
    notes: Arc<Notes>,
    noted: Receiver<(u32, Noted)>,
}

impl Test {
    fn new() -> Self {
        let (sender, noted) = channel();
        let notes = Arc::new(Notes {
            sockets: Mutex::default(),
            noted: Mutex::new(sender),
        });
        let network = network().unwrap();
        network.add(Arc::clone(&notes) as _);
        Test {
            network,
            notes,
            noted,
        }
    }

    /// Opens a socket. Its events wait until the task has it.
    fn open(&self, place: &str) -> u32 {
        let mut sockets = self.notes.sockets.lock().unwrap();
        let number = self.network.open(&Place::Tcp(place.parse().unwrap()));
        sockets.push(number);
        number
    }

    fn next(&self) -> (u32, Noted) {
        self.noted.recv_timeout(SOON).unwrap()
    }
}

impl Drop for Test {
    fn drop(&mut self) {
        self.network.remove(&*self.notes);
    }
}

fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, format!("127.0.0.1:{port}"))
}

#[test]
fn socket_connects_by_address_and_by_name_exchanges_bytes_and_ends() {
    let test = Test::new();
    let (listener, address) = listener();
    let port = address.rsplit(':').next().unwrap();
    // The name may also have an IPv6 address, at which nobody listens.
    for place in [address.clone(), format!("localhost:{port}")] {
        let number = test.open(&place);
        let mut peer = listener.accept().unwrap().0;
        assert_eq!(test.next(), (number, Noted::Opened));
        assert_eq!(test.network.peer(number), listener.local_addr().ok());
        assert!(test.network.send(number, b"hello"));
        let mut received = [0; 5];
        peer.read_exact(&mut received).unwrap();
        assert_eq!(&received, b"hello");
        peer.write_all(b"answer").unwrap();
        assert_eq!(test.next(), (number, Noted::Received(b"answer".into())));
        drop(peer);
        let end = Noted::Closed(ErrorKind::UnexpectedEof);
        assert_eq!(test.next(), (number, end));
        // It is closed.
        assert!(!test.network.send(number, b"dropped"));
    }
}

#[test]
fn socket_that_cannot_be_opened_is_closed() {
    let test = Test::new();
    let (listener, address) = listener();
    drop(listener);
    let refused = test.open(&address);
    let end = Noted::Closed(ErrorKind::ConnectionRefused);
    assert_eq!(test.next(), (refused, end));
    let unknown = test.open("unknown.invalid:1");
    assert!(matches!(test.next(), (number, Noted::Closed(_)) if number == unknown));
}

#[test]
fn socket_is_ready_again_when_the_peer_has_read() {
    let test = Test::new();
    let (listener, address) = listener();
    let number = test.open(&address);
    let mut peer = listener.accept().unwrap().0;
    assert_eq!(test.next(), (number, Noted::Opened));
    let count = test.network.sent(number);
    let chunk = vec![7; 1 << 20];
    let mut sent = 1;
    while test.network.send(number, &chunk) {
        sent += 1;
        assert!(sent < 1000, "the system accepts everything");
    }
    let reader = thread::spawn(move || {
        let mut all = vec![0; sent << 20];
        peer.read_exact(&mut all).unwrap();
        all.iter().all(|byte| *byte == 7)
    });
    assert_eq!(test.next(), (number, Noted::Ready));
    assert!(reader.join().unwrap());
    assert_eq!(count.load(Ordering::Relaxed), (sent as u64) << 20);
}

#[test]
fn what_has_arrived_is_read_after_a_failed_write() {
    let (listener, address) = listener();
    let stream = TcpStream::connect(address.parse().unwrap()).unwrap();
    let mut peer = listener.accept().unwrap().0;
    peer.write_all(b"last words").unwrap();
    drop(peer);
    let mut stream = Stream::new(stream, None);
    let until = system_time() + SOON;
    // The system of the peer answers these bytes with a reset.
    while !stream.is_broken {
        assert!(system_time() < until);
        stream.send(b"x");
        thread::yield_now();
    }
    assert!(stream.unsent.is_empty());
    let mut seen = [0; 20];
    assert_eq!(stream.stream.read(&mut seen).unwrap(), 10);
    assert_eq!(&seen[..10], b"last words");
}

#[test]
fn listener_accepts_until_it_is_closed() {
    let test = Test::new();
    let (listener, address) = {
        let mut sockets = test.notes.sockets.lock().unwrap();
        let made = test.network.listen_on("127.0.0.1:0".parse().unwrap());
        let (listener, address) = made.unwrap();
        sockets.push(listener);
        (listener, address)
    };
    let mut first = std::net::TcpStream::connect(address).unwrap();
    let (_, Noted::Accepted(number)) = test.next() else {
        panic!("nothing was accepted");
    };
    first.write_all(b"hello").unwrap();
    assert_eq!(test.next(), (number, Noted::Received(b"hello".into())));
    test.network.close(listener);
    assert!(std::net::TcpStream::connect(address).is_err());
    // The accepted socket is still open.
    assert!(test.network.send(number, b"still here"));
    let mut received = [0; 10];
    first.read_exact(&mut received).unwrap();
    assert_eq!(&received, b"still here");
    test.network.close(number);
    assert_eq!(first.read(&mut received).unwrap(), 0);
}

/// Gives its socket to another task while it is asked for it.
struct Gives {
    network: Arc<Network>,
    taker: Mutex<Option<Arc<Notes>>>,
    socket: u32,
}

impl SocketTask for Gives {
    fn has(&self, socket: u32) -> bool {
        if socket == self.socket
            && let Some(taker) = self.taker.lock().unwrap().take()
        {
            taker.sockets.lock().unwrap().push(socket);
            self.network.add(taker);
        }
        false
    }

    fn happened(&self, _: u32, _: Happened<'_>, _: Duration) {
        panic!("it has no socket");
    }

    fn step(&self, _: Duration) {}

    fn timer(&self) -> Duration {
        Duration::MAX
    }
}

#[test]
fn task_that_takes_over_a_socket_while_bytes_arrive_gets_them() {
    let test = Test::new();
    let (listener, address) = listener();
    let socket = test.open(&address);
    let mut peer = listener.accept().unwrap().0;
    assert_eq!(test.next(), (socket, Noted::Opened));
    test.notes.sockets.lock().unwrap().clear();
    let (sender, noted) = channel();
    let taker = Arc::new(Notes {
        sockets: Mutex::default(),
        noted: Mutex::new(sender),
    });
    let gives: Arc<dyn SocketTask> = Arc::new(Gives {
        network: Arc::clone(&test.network),
        taker: Mutex::new(Some(Arc::clone(&taker))),
        socket,
    });
    test.network.add(Arc::clone(&gives));
    peer.write_all(b"first").unwrap();
    let received = noted.recv_timeout(SOON).unwrap();
    assert_eq!(received, (socket, Noted::Received(b"first".into())));
    test.network.remove(&*gives);
    test.network.remove(&*taker);
}
