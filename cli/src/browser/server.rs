//! The server: one port on 127.0.0.1, a few connections, and a deadline for what comes on them.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::sleep;

use super::answers::whatever;
use super::gate::Gate;
use super::programs::Programs;
use super::routes::Routes;

/// So many connections at once: a browser has 6 to a server, and others may have some.
const CONNECTIONS: usize = 64;
/// How long the head of a request may take to come.
const HEAD: Duration = Duration::from_secs(10);
/// The longest head.
const HEAD_BYTES: usize = 16 << 10;

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

    /// Serves whoever comes.
    ///
    /// # Errors
    /// If nobody can come any more.
    pub(super) async fn serve(
        self,
        gate: Arc<Gate>,
        programs: Arc<Programs>,
    ) -> anyhow::Result<()> {
        let routes = Arc::new(Routes { gate, programs });
        let places = Arc::new(Semaphore::new(CONNECTIONS));
        loop {
            let stream = match self.0.accept().await {
                Ok((stream, _)) => stream,
                // Too many files are open, or a guest has gone: that passes.
                Err(_) => {
                    sleep(Duration::from_millis(50)).await;
                    continue;
                }
            };
            let Ok(place) = places.clone().try_acquire_owned() else {
                continue;
            };
            let routes = routes.clone();
            tokio::spawn(async move {
                connection(stream, routes).await;
                drop(place);
            });
        }
    }
}

async fn connection(stream: TcpStream, routes: Arc<Routes>) {
    // An event is told at once.
    let _ = stream.set_nodelay(true);
    let answer = service_fn(move |request| {
        let routes = routes.clone();
        async move { whatever(routes.answer(request).await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), answer);
    // Whoever breaks off is answered no more.
    let _ = served.await;
}
