//! The body of an answer that does not end: lines, as a program says them.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::programs::PageSeat;

/// What a page has not read yet is at most so many pieces behind.
const PIECES: usize = 4;

/// The lines for a page. Its seat is free when the page is gone.
pub(super) struct PageLines(Receiver<Bytes>);

impl PageLines {
    /// Begins to give a page its lines.
    pub(super) fn of(mut seat: PageSeat) -> Self {
        let (sender, receiver) = channel(PIECES);
        tokio::spawn(async move {
            tokio::select! {
                () = give(&mut seat, &sender) => {}
                () = sender.closed() => {}
            }
        });
        PageLines(receiver)
    }
}

/// Gives lines until there are no more for this page.
async fn give(seat: &mut PageSeat, to: &Sender<Bytes>) {
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
