//! Runs both parties in this process, over a loopback TCP connection.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::num::NonZero;
use std::panic::resume_unwind;
use std::thread;

use anyhow::Context;
use dealerless::net::{self, TcpTransport};
use dealerless::{deck, mpc};
use rayon::ThreadPoolBuilder;

/// Runs both sides concurrently, each in its own thread and with its own end of a connection.
///
/// # Errors
/// If the connection or the threads cannot be created. Otherwise the error of the side that failed;
/// if both failed, an error that is more than a report of the other side's failure.
pub(crate) fn run_both<A: Send, B: Send>(
    garbler: impl FnOnce(TcpTransport) -> anyhow::Result<A> + Send,
    evaluator: impl FnOnce(TcpTransport) -> anyhow::Result<B> + Send,
) -> anyhow::Result<(A, B)> {
    let (near, far) = connect()?;
    both(|| garbler(near), || evaluator(far))
}

/// Opens a loopback connection and returns its two ends.
///
/// # Errors
/// If the system refuses the connection.
pub(crate) fn connect() -> anyhow::Result<(TcpTransport, TcpTransport)> {
    let (near, far) = connection().context("cannot open a loopback connection")?;
    Ok((
        TcpTransport::from_stream(near)?,
        TcpTransport::from_stream(far)?,
    ))
}

/// Runs both sides concurrently, each in its own thread and with half of the cores, since two
/// machines would not share cores.
///
/// # Errors
/// If the threads cannot be created. Otherwise the error of the side that failed; if both failed,
/// an error that is more than a report of the other side's failure.
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
    let (garbler_pool, evaluator_pool) = (half()?, half()?);
    let (a, b) = thread::scope(|scope| {
        let evaluator = scope.spawn(|| evaluator_pool.install(evaluator));
        let a = garbler_pool.install(garbler);
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

/// Whether the error only reports that the other side failed.
fn is_echo(error: &anyhow::Error) -> bool {
    matches!(
        channel_error(error),
        Some(net::Error::Aborted | net::Error::Lost { .. })
    )
}

/// The channel error that caused `error`, if there is one.
fn channel_error(error: &anyhow::Error) -> Option<&net::Error> {
    let session = match error.downcast_ref() {
        Some(deck::Error::Session(session)) => Some(session),
        _ => error.downcast_ref(),
    };
    match session {
        Some(mpc::Error::Channel(channel)) => Some(channel),
        _ => error.downcast_ref(),
    }
}

/// The two ends of a new loopback connection. One thread opens both: it can connect before it accepts, because the system
/// queues pending connections.
pub(crate) fn connection() -> std::io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let near = TcpStream::connect(listener.local_addr()?)?;
    loop {
        let (far, from) = listener.accept()?;
        // Another program on this machine may have connected first.
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
