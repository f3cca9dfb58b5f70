//! The server: one port on 127.0.0.1, a few connections, and a deadline for what comes on them.

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Context;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;
use tokio::time::sleep;

use super::answers::whatever;
use super::gate::Gate;
use super::programs::Programs;
use super::routes::{Guest, Routes};

/// So many connections at once of those who were not let in.
const STRANGERS: usize = 64;
/// How long the head of a request may take to come.
const HEAD: Duration = Duration::from_secs(10);
/// The longest head. A browser sends the cookies of every port of this machine along: other servers may have
/// set many.
const HEAD_BYTES: usize = 128 << 10;

/// A port of this machine.
pub(super) struct Server(TcpListener);

impl Server {
    /// Takes a port on 127.0.0.1; 0 is a free one. Gives its address.
    ///
    /// # Errors
    /// If another program has it.
    pub(super) async fn bind(port: u16) -> anyhow::Result<(Self, SocketAddr)> {
        let at = (Ipv4Addr::LOCALHOST, port);
        let listener = TcpListener::bind(at).await;
        let listener = listener.with_context(|| format!("cannot serve the page at port {port}"))?;
        let address = listener.local_addr().context("the page has no address")?;
        Ok((Server(listener), address))
    }

    /// Serves whoever comes. It does not end by itself.
    pub(super) async fn serve(self, gate: Arc<Gate>, programs: Arc<Programs>) {
        let routes = Arc::new(Routes { gate, programs });
        let strangers = Strangers::default();
        loop {
            match self.0.accept().await {
                Ok((stream, _)) => strangers.add(stream, routes.clone()),
                // Too many files are open, or a guest has gone: that passes.
                Err(_) => sleep(Duration::from_millis(50)).await,
            }
        }
    }
}

/// The connections of those who were not let in, the oldest first. Who opens many of them and says nothing
/// keeps nobody out: if there are too many, the oldest ends.
#[derive(Clone, Default)]
struct Strangers(Arc<Mutex<Waiting>>);

#[derive(Default)]
struct Waiting {
    last: u64,
    tasks: VecDeque<(u64, AbortHandle)>,
}

/// One of them. It is forgotten when it ends, or is let in.
struct Stranger {
    number: u64,
    all: Strangers,
}

impl Strangers {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // Each change leaves them whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, stream: TcpStream, routes: Arc<Routes>) {
        let mut waiting = self.lock();
        waiting.last += 1;
        let number = waiting.last;
        let all = self.clone();
        // It runs when this one waits, not before.
        let task = tokio::spawn(connection(stream, routes, Stranger { number, all }));
        waiting.tasks.push_back((number, task.abort_handle()));
        let oldest = (waiting.tasks.len() > STRANGERS).then(|| waiting.tasks.pop_front());
        drop(waiting);
        if let Some((_, oldest)) = oldest.flatten() {
            oldest.abort();
        }
    }
}

impl Guest for Stranger {
    fn stays(&self) {
        self.all
            .lock()
            .tasks
            .retain(|(number, _)| *number != self.number);
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        self.stays();
    }
}

async fn connection(stream: TcpStream, routes: Arc<Routes>, stranger: Stranger) {
    // An event is told at once.
    let _ = stream.set_nodelay(true);
    let guest = Arc::new(stranger);
    let answer = service_fn(move |request| {
        let (routes, guest) = (routes.clone(), guest.clone());
        async move { whatever(routes.answer(request, &*guest).await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), answer);
    // Whoever breaks off is answered no more.
    let _ = served.await;
}
