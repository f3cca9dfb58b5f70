//! The HTTP server: one port of a loopback address, with limits for connections and deadlines for requests.

use std::collections::VecDeque;
use std::net::{SocketAddr, SocketAddrV4};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Context;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;
use tokio::time::sleep;

use super::answers::into_answer;
use super::gate::Gate;
use super::programs::Programs;
use super::routes::Routes;

/// The maximum number of connections of clients that have not logged in.
const STRANGERS: usize = 64;
/// Timeout for the head of a request.
const HEAD: Duration = Duration::from_secs(10);
/// The size limit of a head. A browser sends the cookies of all ports of this machine, and other
/// servers may have set many.
const HEAD_BYTES: usize = 128 << 10;

/// A server on a port of this machine.
pub(super) struct Server(TcpListener);

impl Server {
    /// Binds an address; port 0 takes a free one. Returns the address.
    ///
    /// # Errors
    /// If the address is in use or unknown.
    pub(super) async fn bind(at: SocketAddrV4) -> anyhow::Result<(Self, SocketAddr)> {
        let listener = TcpListener::bind(at).await;
        let listener = listener.with_context(|| format!("cannot serve the page at {at}"))?;
        let address = listener
            .local_addr()
            .context("cannot read the address of the page")?;
        Ok((Server(listener), address))
    }

    /// Serves all connections. Never returns.
    pub(super) async fn serve(self, gate: Arc<Gate>, programs: Arc<Programs>) {
        let routes = Arc::new(Routes { gate, programs });
        let strangers = Strangers::default();
        loop {
            match self.0.accept().await {
                Ok((stream, _)) => strangers.add(stream, routes.clone()),
                // There are too many open files, or the client has disconnected: try again.
                Err(_) => sleep(Duration::from_millis(50)).await,
            }
        }
    }
}

/// The connections of clients that have not logged in, the oldest first. A connection beyond the
/// limit closes the oldest one, so silent connections cannot lock anybody out.
#[derive(Clone, Default)]
struct Strangers(Arc<Mutex<Waiting>>);

#[derive(Default)]
struct Waiting {
    last: u64,
    tasks: VecDeque<(u64, AbortHandle)>,
}

/// An entry of [`Strangers`]. It is removed when the connection ends or the client logs in.
pub(super) struct Stranger {
    number: u64,
    all: Strangers,
}

impl Strangers {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // Every change leaves the value consistent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, stream: TcpStream, routes: Arc<Routes>) {
        let mut waiting = self.lock();
        waiting.last += 1;
        let number = waiting.last;
        let all = self.clone();
        // The runtime has a single thread, so the new task is in the list before it runs.
        let task = tokio::spawn(connection(stream, routes, Stranger { number, all }));
        waiting.tasks.push_back((number, task.abort_handle()));
        let oldest = (waiting.tasks.len() > STRANGERS).then(|| waiting.tasks.pop_front());
        drop(waiting);
        if let Some((_, oldest)) = oldest.flatten() {
            oldest.abort();
        }
    }
}

impl Stranger {
    /// Notes that the client has logged in, so that its connection is kept even if many other
    /// clients connect.
    pub(super) fn logged_in(&self) {
        self.all
            .lock()
            .tasks
            .retain(|(number, _)| *number != self.number);
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        self.logged_in();
    }
}

async fn connection(stream: TcpStream, routes: Arc<Routes>, stranger: Stranger) {
    // Events are sent without delay.
    let _ = stream.set_nodelay(true);
    let guest = Arc::new(stranger);
    let answer = service_fn(move |request| {
        let (routes, guest) = (routes.clone(), guest.clone());
        async move { into_answer(routes.answer(request, &guest).await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), answer);
    // An error ends only this connection.
    let _ = served.await;
}
