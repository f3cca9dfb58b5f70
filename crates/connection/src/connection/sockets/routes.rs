//! The routes to a host that a guest tries at the same time, each in a thread of its own, up to the
//! host's first answer.
//!
//! A thread holds no key: it gets the first message of a meeting, and returns the answer. The meeting
//! continues on the thread of the [`Guest`](super::join::Guest). These threads may outlive the
//! meeting, because nothing can interrupt the look-up of a name or an attempt to connect. Their sockets
//! are shut down when the meeting is over.

use std::io::{self, ErrorKind};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use dealerless::net::system_time;

use super::super::noise::SHORT_MESSAGE;
use super::relay;
use super::socket::{self, read_by, write_by};
use crate::identity::Address;

/// The time limit for connecting to one IP address.
const CONNECT_TIME: Duration = Duration::from_secs(4);

/// A route to a host: an address of the host, or a relay.
#[derive(Clone)]
pub(super) struct Route {
    pub(super) address: Address,
    /// The request to the relay. `None` if the address is the host's.
    pub(super) request: Option<String>,
}

/// A host has answered the first message of a meeting.
pub(super) struct Answer {
    pub(super) stream: TcpStream,
    /// The bytes of the answer. Nothing after them has been read.
    pub(super) bytes: Vec<u8>,
    /// The deadline of the meeting.
    pub(super) deadline: Duration,
}

/// A route has failed, with the cause.
pub(super) enum NoAnswer {
    /// The address or the relay cannot be reached.
    Unreachable(io::Error),
    /// The relay has not paired the guest with a host.
    NotPaired(io::Error),
    /// The first message was not answered.
    Silent(io::Error),
}

/// The routes that were started. When this value is dropped, the sockets of those that have not
/// answered yet are shut down.
pub(super) struct Routes {
    open: Arc<Mutex<Open>>,
    sender: Sender<(usize, Result<Answer, NoAnswer>)>,
    outcomes: Receiver<(usize, Result<Answer, NoAnswer>)>,
}

/// The sockets of the routes that have not answered yet, with the numbers of their routes.
#[derive(Default)]
struct Open {
    is_over: bool,
    streams: Vec<(usize, TcpStream)>,
}

impl Default for Routes {
    fn default() -> Self {
        let (sender, outcomes) = channel();
        Routes {
            open: Arc::default(),
            sender,
            outcomes,
        }
    }
}

impl Routes {
    /// Starts a route. Sends `first` as soon as the route leads to a host. `time` is the limit for the
    /// answer of a relay, and for a meeting.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub(super) fn start(
        &self,
        number: usize,
        route: Route,
        first: Vec<u8>,
        time: Duration,
    ) -> io::Result<()> {
        let (open, sender) = (Arc::clone(&self.open), self.sender.clone());
        let work = move || {
            let outcome = greet(number, &route, &first, time, &open);
            // The meeting may be over. The socket is then closed here.
            let _ = sender.send((number, outcome));
        };
        let thread = thread::Builder::new().name("route".into());
        thread.spawn(work).map(drop)
    }

    /// Waits for the outcome of the next route, with its number. `None` if there is none in time.
    pub(super) fn next(&self, within: Duration) -> Option<(usize, Result<Answer, NoAnswer>)> {
        self.outcomes.recv_timeout(within).ok()
    }
}

impl Drop for Routes {
    fn drop(&mut self) {
        let mut open = lock(&self.open);
        open.is_over = true;
        for (_, stream) in open.streams.drain(..) {
            // This fails if the other side has already closed the connection.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

fn lock(open: &Mutex<Open>) -> MutexGuard<'_, Open> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Follows a route to a host, sends the first message and waits for the answer.
fn greet(
    number: usize,
    route: &Route,
    first: &[u8],
    time: Duration,
    open: &Mutex<Open>,
) -> Result<Answer, NoAnswer> {
    let connected = connect_unless(&route.address, || lock(open).is_over);
    let stream = connected.map_err(NoAnswer::Unreachable)?;
    let entered = stream.try_clone().map(|stream| {
        let mut open = lock(open);
        if !open.is_over {
            open.streams.push((number, stream));
        }
        open.is_over
    });
    match entered {
        Ok(false) => {}
        Ok(true) => return Err(NoAnswer::Silent(ErrorKind::ConnectionAborted.into())),
        Err(error) => return Err(NoAnswer::Silent(error)),
    }
    let answer = ask(stream, route, first, time);
    lock(open).streams.retain(|(other, _)| *other != number);
    answer
}

fn ask(
    mut stream: TcpStream,
    route: &Route,
    first: &[u8],
    time: Duration,
) -> Result<Answer, NoAnswer> {
    if let Some(request) = &route.request {
        let paired = relay::pair(stream, request, system_time() + time);
        stream = paired.map_err(NoAnswer::NotPaired)?;
    }
    let deadline = system_time() + time;
    let bytes = exchange(&stream, first, deadline).map_err(NoAnswer::Silent)?;
    Ok(Answer {
        stream,
        bytes,
        deadline,
    })
}

/// Sends the first message, and reads the answer: `u16 length | bytes`. Of an answer that is too long,
/// only the length is read.
fn exchange(stream: &TcpStream, first: &[u8], deadline: Duration) -> io::Result<Vec<u8>> {
    socket::prepare(stream)?;
    write_by(stream, first, deadline)?;
    let mut answer = vec![0; 2];
    read_all(stream, &mut answer, deadline)?;
    let len = usize::from(u16::from_le_bytes([answer[0], answer[1]]));
    if len <= SHORT_MESSAGE {
        answer.resize(2 + len, 0);
        read_all(stream, &mut answer[2..], deadline)?;
    }
    Ok(answer)
}

fn read_all(stream: &TcpStream, mut buf: &mut [u8], deadline: Duration) -> io::Result<()> {
    while !buf.is_empty() {
        let count = read_by(stream, buf, deadline)?;
        buf = &mut buf[count..];
    }
    Ok(())
}

/// Connects to the first IP address of `address` that accepts a connection.
pub(super) fn connect(address: &Address) -> io::Result<TcpStream> {
    connect_unless(address, || false)
}

pub(super) fn connect_unless(
    address: &Address,
    is_over: impl Fn() -> bool,
) -> io::Result<TcpStream> {
    let mut outcome = Err(ErrorKind::NotFound.into());
    for address in address.to_string().to_socket_addrs()? {
        if is_over() {
            return Err(ErrorKind::ConnectionAborted.into());
        }
        outcome = TcpStream::connect_timeout(&address, CONNECT_TIME);
        if outcome.is_ok() {
            break;
        }
    }
    outcome
}
