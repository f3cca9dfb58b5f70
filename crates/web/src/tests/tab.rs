//! A tab of a browser: the page, its worker, its sockets and its player. Each tab is a thread, because
//! the state of a page is that of its thread.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::disk::Disk;
use crate::{engine, page};
use dealerless_connection::Happened;

/// The longest real time that a test waits, even on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

/// How a relay behaves on a socket of the page.
#[derive(Clone, Debug)]
pub(crate) enum Relay {
    /// It joins the page with the host at this address.
    Joins(SocketAddr, Fault),
    /// It is a relay at this address, over TCP.
    Passes(SocketAddr, Fault),
    /// It answers these bytes, and closes the connection if `true`.
    Answers(Vec<u8>, bool),
    /// It cannot be reached.
    Refuses,
}

/// What a relay does to the bytes that it forwards to the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    /// It flips a bit of the byte with this number.
    Flip(usize),
    /// It cuts the connection after this number of bytes.
    CutAfter(usize),
    /// It cuts the connection instead of forwarding this message of the page.
    CutInstead(usize),
}

/// What a player does.
pub(crate) enum Act {
    Command(String),
    Get(String),
    Post(String, Vec<u8>),
    /// From now on the clock goes forward to the next timer whenever the host has answered.
    Waits,
    /// All connections are cut.
    Cuts,
    /// The browser is killed.
    Dies,
}

pub(crate) fn command(line: &str) -> Act {
    Act::Command(line.into())
}

/// A player reacts to each event.
pub(crate) type Player = Box<dyn FnMut(&Value) -> Vec<Act> + Send>;

/// Chooses the relay for the call with this number, from 0.
pub(crate) type Relays = Box<dyn FnMut(usize, &str) -> Relay + Send>;

enum Happens {
    Opened,
    Received(Vec<u8>),
    Closed,
}

/// What happens to the socket with this number.
type OfSocket = (u32, Happens);

struct Wire {
    /// The bytes of the request to the relay, until its line is complete.
    request: Vec<u8>,
    relay: Relay,
    stream: Option<TcpStream>,
    sent: usize,
}

pub(crate) struct Tab {
    pub(crate) disk: Disk,
    pub(crate) lines: Vec<Value>,
    pub(crate) answers: HashMap<u32, (u32, Value)>,
    pub(crate) printed: Vec<String>,
    pub(crate) ended: Option<i32>,
    started: Instant,
    later: Duration,
    /// The time in seconds since 1970.
    pub(crate) unix: f64,
    /// Whether the clock goes forward to the next timer after each event.
    waits: bool,
    /// Whether something has happened since the clock went forward.
    has_answered: bool,
    sockets: HashMap<u32, Wire>,
    calls: usize,
    relays: Relays,
    happens: (Sender<OfSocket>, Receiver<OfSocket>),
    player: Option<Player>,
    /// What the test does besides the player.
    pub(crate) also: Option<Receiver<Act>>,
    /// The number of lines that the player has seen.
    seen: usize,
    requests: u32,
    pub(crate) received: usize,
}

thread_local! {
    static TAB: RefCell<Option<Tab>> = const { RefCell::new(None) };
}

pub(crate) fn with_tab<R>(work: impl FnOnce(&mut Tab) -> R) -> R {
    TAB.with_borrow_mut(|tab| work(tab.as_mut().expect("a tab")))
}

/// As [`with_tab`], also for the page's values that are dropped when the thread of a killed page ends.
pub(crate) fn if_open<R>(work: impl FnOnce(&mut Tab) -> R) -> Option<R> {
    TAB.try_with(|tab| tab.borrow_mut().as_mut().map(work))
        .ok()?
}

/// The payload of the panic that stops the code of a page.
struct Killed;

/// Kills the page.
pub(crate) fn kill() -> ! {
    panic::resume_unwind(Box::new(Killed))
}

impl Tab {
    pub(crate) fn now(&self) -> Duration {
        self.started.elapsed() + self.later
    }

    pub(crate) fn open_socket(&mut self, socket: u32, url: &str) {
        let relay = (self.relays)(self.calls, url);
        self.calls += 1;
        let happens = match relay {
            Relay::Refuses => Happens::Closed,
            _ => Happens::Opened,
        };
        let wire = Wire {
            request: Vec::new(),
            relay,
            stream: None,
            sent: 0,
        };
        self.sockets.insert(socket, wire);
        let _ = self.happens.0.send((socket, happens));
    }

    pub(crate) fn send(&mut self, socket: u32, bytes: &[u8]) {
        let Some(wire) = self.sockets.get_mut(&socket) else {
            return;
        };
        if let Some(stream) = &mut wire.stream {
            wire.sent += 1;
            if let Relay::Joins(_, fault) | Relay::Passes(_, fault) = wire.relay
                && let Fault::CutInstead(number) = fault
                && number == wire.sent
            {
                let _ = stream.shutdown(Shutdown::Both);
                return;
            }
            let _ = stream.write_all(bytes);
            return;
        }
        wire.request.extend_from_slice(bytes);
        if !wire.request.ends_with(b"\n") {
            return;
        }
        assert!(wire.request.starts_with(b"please relay "), "the request");
        let happens = self.happens.0.clone();
        match &wire.relay {
            Relay::Refuses => {}
            Relay::Answers(answer, closes) => {
                let _ = happens.send((socket, Happens::Received(answer.clone())));
                if *closes {
                    let _ = happens.send((socket, Happens::Closed));
                }
            }
            &(Relay::Joins(host, fault) | Relay::Passes(host, fault)) => {
                let Ok(mut stream) = TcpStream::connect(host) else {
                    let _ = happens.send((socket, Happens::Closed));
                    return;
                };
                let _ = stream.set_nodelay(true);
                let reader = stream.try_clone().expect("a second handle");
                if let Relay::Passes(..) = wire.relay {
                    let _ = stream.write_all(&wire.request);
                } else {
                    let _ = happens.send((socket, Happens::Received(b"ok\n".to_vec())));
                }
                wire.stream = Some(stream);
                thread::spawn(move || forward(reader, socket, fault, &happens));
            }
        }
    }

    /// Whether a socket may still receive something.
    fn is_connected(&self) -> bool {
        self.sockets.values().any(|wire| wire.stream.is_some())
    }
}

/// Forwards the bytes of the host to the page.
fn forward(mut host: TcpStream, socket: u32, fault: Fault, page: &Sender<OfSocket>) {
    let (mut buf, mut passed) = (vec![0; 16 << 10], 0);
    loop {
        let len = match host.read(&mut buf) {
            Ok(0) | Err(_) => break,
            Ok(len) => len,
        };
        let mut bytes = buf[..len].to_vec();
        let end = passed + len;
        match fault {
            Fault::Flip(at) if (passed..end).contains(&at) => bytes[at - passed] ^= 1 << (at % 8),
            Fault::CutAfter(at) if at < end => {
                bytes.truncate(at.saturating_sub(passed));
                let _ = page.send((socket, Happens::Received(bytes)));
                let _ = host.shutdown(Shutdown::Both);
                break;
            }
            _ => {}
        }
        passed = end;
        if page.send((socket, Happens::Received(bytes))).is_err() {
            return;
        }
    }
    let _ = page.send((socket, Happens::Closed));
}

/// The page closes a socket, also when it is killed.
pub(crate) fn close_socket(socket: u32) {
    let _ = TAB.try_with(|tab| {
        let Ok(mut tab) = tab.try_borrow_mut() else {
            return;
        };
        let wire = tab.as_mut().and_then(|tab| tab.sockets.remove(&socket));
        if let Some(stream) = wire.and_then(|wire| wire.stream) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    });
}

/// The engine waits, and the worker goes on.
pub(crate) fn engine_waits(within: Duration) {
    let deadline = with_tab(|tab| tab.now()) + within;
    loop {
        turn(Some(deadline));
        if engine::wants() || with_tab(|tab| tab.now()) >= deadline {
            return;
        }
    }
}

/// Waits until something happens, at most until `deadline`, and lets the page do all that is due.
fn turn(deadline: Option<Duration>) {
    page::step();
    act();
    let due = page::step();
    if engine::wants() || with_tab(|tab| tab.ended.is_some() || !tab.answers.is_empty()) {
        return;
    }
    let happened = with_tab(|tab| {
        let now = tab.now();
        let wait = due.min(deadline.map_or(Duration::MAX, |deadline| deadline.saturating_sub(now)));
        if let Ok(happened) = tab.happens.1.try_recv() {
            tab.has_answered = true;
            return Some(happened);
        }
        if !tab.is_connected() && (tab.also.is_none() || wait < Duration::MAX) {
            // Nothing can happen before the timer.
            assert!(
                wait < Duration::MAX,
                "the page waits for ever: {:?}",
                tab.lines.last()
            );
            tab.later += wait;
            return None;
        }
        if std::mem::take(&mut tab.has_answered) && tab.waits {
            tab.later += wait;
            return None;
        }
        // A timer at which the page sends nothing has no answer.
        let wait = if tab.waits {
            wait.min(Duration::from_secs(1))
        } else {
            wait
        };
        // The test may send something to do.
        let wait = match &tab.also {
            Some(_) => wait.min(Duration::from_millis(20)),
            None => wait,
        };
        let happened = tab.happens.1.recv_timeout(wait.min(PATIENCE));
        if let Err(RecvTimeoutError::Timeout) = happened {
            tab.has_answered = tab.waits;
            assert!(
                wait < PATIENCE,
                "nothing happens after {:?}",
                tab.lines.last()
            );
        }
        tab.has_answered |= happened.is_ok();
        happened.ok()
    });
    if let Some((socket, happens)) = happened {
        if !with_tab(|tab| tab.sockets.contains_key(&socket)) {
            return;
        }
        match happens {
            Happens::Opened => page::happened(socket, Happened::Opened),
            Happens::Received(bytes) => {
                with_tab(|tab| tab.received += bytes.len());
                page::happened(socket, Happened::Received(&bytes));
            }
            Happens::Closed => {
                with_tab(|tab| tab.sockets.remove(&socket));
                page::happened(
                    socket,
                    Happened::Closed(std::io::ErrorKind::UnexpectedEof.into()),
                );
            }
        }
        page::step();
    }
}

/// Lets the player react to the new lines.
fn act() {
    while let Some(line) = with_tab(|tab| {
        let line = tab.lines.get(tab.seen).cloned();
        tab.seen += usize::from(line.is_some());
        line
    }) {
        let Some(mut player) = with_tab(|tab| tab.player.take()) else {
            return;
        };
        let acts = player(&line);
        with_tab(|tab| tab.player = Some(player));
        acts.into_iter().for_each(does);
    }
    while let Some(act) = with_tab(|tab| tab.also.as_ref()?.try_recv().ok()) {
        does(act);
    }
}

fn does(act: Act) {
    match act {
        Act::Command(line) => page::command(line.as_bytes()),
        Act::Get(path) => drop(request(false, &path, b"")),
        Act::Post(path, body) => drop(request(true, &path, &body)),
        Act::Waits => with_tab(|tab| tab.waits = true),
        Act::Cuts => {
            let sockets: Vec<u32> =
                with_tab(|tab| tab.sockets.drain().map(|(socket, _)| socket).collect());
            for socket in sockets {
                page::happened(
                    socket,
                    Happened::Closed(std::io::ErrorKind::UnexpectedEof.into()),
                );
            }
        }
        Act::Dies => kill(),
    }
    page::step();
}

/// A request to the page of this thread.
pub(crate) fn request(is_post: bool, path: &str, body: &[u8]) -> (u32, Value) {
    let number = with_tab(|tab| {
        tab.requests += 1;
        tab.requests
    });
    page::request(number, is_post, path, body);
    with_tab(|tab| tab.answers.remove(&number)).expect("an answer")
}

/// Makes a request that is answered later, and waits for the answer.
pub(crate) fn answered(path: &str, body: &Value) -> Result<Value, String> {
    let number = with_tab(|tab| {
        tab.requests += 1;
        tab.requests
    });
    page::request(number, true, path, body.to_string().as_bytes());
    let began = Instant::now();
    loop {
        let answer = with_tab(|tab| tab.answers.remove(&number));
        if let Some((status, answer)) = answer {
            let message = answer["error"]["message"].as_str().map(str::to_owned);
            return message
                .map_or(Ok(answer), Err)
                .inspect(|_| assert_eq!(status, 200));
        }
        assert!(began.elapsed() < PATIENCE, "{path} is not answered");
        turn(None);
    }
}

/// What is left of a tab.
pub(crate) struct Closed<R> {
    pub(crate) disk: Disk,
    pub(crate) lines: Vec<Value>,
    pub(crate) received: usize,
    /// The result of the test's code; `None` if the page was killed.
    pub(crate) result: Option<R>,
}

/// Opens the page in a new tab, and runs `work` in it.
pub(crate) fn open<R: Send + 'static>(
    disk: Disk,
    relays: Relays,
    player: Player,
    work: impl FnOnce() -> R + Send + 'static,
) -> Closed<R> {
    let tab = move || {
        TAB.set(Some(Tab {
            disk,
            lines: Vec::new(),
            answers: HashMap::new(),
            printed: Vec::new(),
            ended: None,
            started: Instant::now(),
            later: Duration::ZERO,
            unix: 1_790_000_000.0,
            waits: false,
            has_answered: true,
            sockets: HashMap::new(),
            calls: 0,
            relays,
            happens: channel(),
            player: Some(player),
            also: None,
            seen: 0,
            requests: 0,
            received: 0,
        }));
        let result = match panic::catch_unwind(AssertUnwindSafe(work)) {
            Ok(result) => Some(result),
            Err(payload) if payload.is::<Killed>() => None,
            Err(payload) => panic::resume_unwind(payload),
        };
        let tab = TAB.take().expect("the tab");
        for wire in tab.sockets.values() {
            if let Some(stream) = &wire.stream {
                let _ = stream.shutdown(Shutdown::Both);
            }
        }
        Closed {
            disk: tab.disk,
            lines: tab.lines,
            received: tab.received,
            result,
        }
    };
    match thread::spawn(tab).join() {
        Ok(closed) => closed,
        Err(payload) => panic::resume_unwind(payload),
    }
}

/// Starts the page, sends it a request, and plays until the program ends. Returns the exit code, or the
/// error of the start or of the request.
pub(crate) fn plays(
    path: &'static str,
    body: Value,
) -> impl FnOnce() -> Result<i32, String> + Send {
    move || {
        let files = with_tab(|tab| tab.disk.files.len());
        page::start(files as u32).map_err(|error| format!("{error:#}"))?;
        program(path, &body)
    }
}

/// As [`plays`], in a page that has started.
pub(crate) fn program(path: &str, body: &Value) -> Result<i32, String> {
    with_tab(|tab| tab.ended = None);
    let (status, answer) = request(true, path, body.to_string().as_bytes());
    if status != 200 {
        return Err(answer["error"]["message"]
            .as_str()
            .expect("a message")
            .into());
    }
    let began = Instant::now();
    loop {
        if let Some(code) = with_tab(|tab| tab.ended) {
            return Ok(code);
        }
        assert!(
            began.elapsed() < PATIENCE * 2,
            "it does not end: {:?}",
            with_tab(|tab| tab.lines.clone())
        );
        if engine::wants() {
            engine::run();
        }
        turn(None);
    }
}
