//! Both parties in this process, over a TCP connection to itself.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::num::NonZero;
use std::panic::resume_unwind;
use std::thread;

use anyhow::Context;
use dealerless::net::{self, TcpTransport};
use dealerless::{deck, mpc};
use rayon::ThreadPoolBuilder;

/// Runs both sides at once, each in a thread with its end of a connection.
///
/// # Errors
/// If the system gives no connection or no threads; else the error of the side that failed first, as far
/// as one can tell.
pub(crate) fn run_both<A: Send, B: Send>(
    garbler: impl FnOnce(TcpTransport) -> anyhow::Result<A> + Send,
    evaluator: impl FnOnce(TcpTransport) -> anyhow::Result<B> + Send,
) -> anyhow::Result<(A, B)> {
    let (near, far) = connect()?;
    both(|| garbler(near), || evaluator(far))
}

/// The two ends of a connection.
///
/// # Errors
/// When the system gives none.
pub(crate) fn connect() -> anyhow::Result<(TcpTransport, TcpTransport)> {
    let (near, far) = connection().context("cannot connect to this machine itself")?;
    Ok((
        TcpTransport::from_stream(near)?,
        TcpTransport::from_stream(far)?,
    ))
}

/// Runs both sides at once, each in a thread. Each has half of the cores, as two machines would not share
/// theirs.
///
/// # Errors
/// The error of the side that failed first, as far as one can tell; when the system gives no threads.
pub(crate) fn both<A: Send, B: Send>(
    garbler: impl FnOnce() -> anyhow::Result<A> + Send,
    evaluator: impl FnOnce() -> anyhow::Result<B> + Send,
) -> anyhow::Result<(A, B)> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let half = || {
        ThreadPoolBuilder::new()
            .num_threads((cores / 2).max(1))
            .build()
    };
    let (of_garbler, of_evaluator) = (half()?, half()?);
    let (a, b) = thread::scope(|scope| {
        let evaluator = scope.spawn(|| of_evaluator.install(evaluator));
        let a = of_garbler.install(garbler);
        (
            a,
            evaluator
                .join()
                .unwrap_or_else(|panic| resume_unwind(panic)),
        )
    });
    match (a, b) {
        (Ok(a), Ok(b)) => Ok((a, b)),
        (Err(a), Err(b)) => Err(if is_echo(&a) { b } else { a }),
        (Err(error), _) | (_, Err(error)) => Err(error),
    }
}

/// Whether the error only says that the other side has failed.
fn is_echo(error: &anyhow::Error) -> bool {
    matches!(
        of_channel(error),
        Some(net::Error::Aborted | net::Error::Lost { .. })
    )
}

/// The error of the channel, if it is one.
fn of_channel(error: &anyhow::Error) -> Option<&net::Error> {
    let session = match error.downcast_ref() {
        Some(deck::Error::Session(session)) => Some(session),
        _ => error.downcast_ref(),
    };
    match session {
        Some(mpc::Error::Channel(channel)) => Some(channel),
        _ => error.downcast_ref(),
    }
}

/// The connection is made before it is accepted: the system keeps it waiting.
fn connection() -> std::io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let near = TcpStream::connect(listener.local_addr()?)?;
    loop {
        let (far, from) = listener.accept()?;
        // Any program of this machine could have been faster.
        if from == near.local_addr()? {
            return Ok((near, far));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_side_has_half_of_the_cores() {
        let threads = || Ok(rayon::current_num_threads());
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let half = (cores / 2).max(1);
        assert_eq!(both(threads, threads).unwrap(), (half, half));
    }
}
