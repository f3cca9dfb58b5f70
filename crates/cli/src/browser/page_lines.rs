//! A response body that does not end: the lines of a program.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::programs::PageSeat;

/// The maximum number of chunks that wait for a slow page.
const QUEUED: usize = 4;

/// The lines for a page. The [`PageSeat`] is released when the page disconnects.
pub(super) struct PageLines(Receiver<Bytes>);

impl PageLines {
    /// Starts to send a page its lines.
    pub(super) fn of(mut seat: PageSeat) -> Self {
        let (sender, receiver) = channel(QUEUED);
        tokio::spawn(async move {
            tokio::select! {
                () = send(&mut seat, &sender) => {}
                () = sender.closed() => {}
            }
        });
        PageLines(receiver)
    }
}

/// Sends lines until `seat` has no more lines or the page disconnects.
async fn send(seat: &mut PageSeat, to: &Sender<Bytes>) {
    while let Some(chunk) = seat.next().await {
        if to.send(chunk).await.is_err() {
            return;
        }
    }
}

impl Body for PageLines {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let next = self.0.poll_recv(context);
        next.map(|chunk| chunk.map(|chunk| Ok(Frame::data(chunk))))
    }
}
