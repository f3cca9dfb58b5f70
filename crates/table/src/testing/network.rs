//! Connections that are cut at planned messages.

use std::collections::HashMap;
use std::io;

use super::disk::{Disk, Kind};
use crate::log::LogMessage;
use crate::play::Outbox;
use crate::seat::Seat;

/// Cuts the connection at a message between two seats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    pub from: Seat,
    pub to: Seat,
    /// The number of the message, counted from 0 over all connections.
    pub message: usize,
    /// Whether the message still arrives.
    pub arrives: bool,
}

/// The number of messages from a seat to another one.
pub type Sent = HashMap<(Seat, Seat), usize>;

/// Collects the messages of a seat, and cuts its connections as planned.
pub struct CutOutbox<'a, W> {
    pub seat: Seat,
    pub disk: &'a Disk,
    pub sent: &'a mut Sent,
    pub cuts: &'a [Cut],
    /// Looks at each message: its receiver, its number and its content.
    pub watch: W,
    /// The messages that arrive, and their receivers.
    pub arriving: Vec<(Seat, Vec<u8>)>,
    /// The seats whose connections are cut.
    pub cut: Vec<Seat>,
}

impl<W: FnMut(Seat, usize, LogMessage)> Outbox for CutOutbox<'_, W> {
    fn send(&mut self, to: Seat, message: Vec<u8>) -> io::Result<()> {
        if self.cut.contains(&to) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let decoded = LogMessage::decode(&message).expect("a program sends valid messages");
        let count = self.sent.entry((self.seat, to)).or_default();
        let number = *count;
        *count += 1;
        (self.watch)(to, number, decoded);
        let cut = Cut {
            from: self.seat,
            to,
            message: number,
            arrives: false,
        };
        let cuts = |arrives| self.cuts.contains(&Cut { arrives, ..cut });
        if !cuts(false) {
            let arriving = &mut self.arriving;
            self.disk
                .action(Kind::Send, |_| {}, |_| arriving.push((to, message)))?;
        }
        if cuts(false) || cuts(true) {
            self.cut.push(to);
        }
        Ok(())
    }
}
