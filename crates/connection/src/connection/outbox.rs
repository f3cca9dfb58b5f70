//! Data to be sent, and the order in which it is sent. Uses no threads and no clock.

use std::collections::VecDeque;
use std::io::Read;

use super::error::ConnectionError;
use super::streams::{
    ACK, BEGIN, BYE, BYTES, CONTROL, END, FRAME, LOG, MAX_MESSAGE, MESSAGE_WINDOW, PING, PONG,
    POOL, POOL_FRAME, POOL_WINDOW, Priority, RUN, RUN_WINDOW, Stream,
};

/// The bytes waiting to be sent on one stream.
#[derive(Default)]
struct Lane {
    queue: VecDeque<u8>,
    /// The total number of bytes taken from `queue` and put into frames.
    taken: u64,
    /// The total number of bytes that the peer has acknowledged.
    acked: u64,
}

impl Lane {
    /// The number of bytes that may be sent now, with at most `window` unacknowledged bytes.
    fn ready(&self, window: u64) -> usize {
        let room = window.saturating_sub(self.taken - self.acked);
        self.queue
            .len()
            .min(usize::try_from(room).unwrap_or(usize::MAX))
    }

    fn take(&mut self, count: usize, frame: &mut Vec<u8>) {
        let start = frame.len();
        frame.resize(start + count, 0);
        let read = self.queue.read_exact(&mut frame[start..]);
        read.expect("the bytes are in the queue");
        self.taken += count as u64;
    }

    /// The position after the last queued byte: the total number of bytes queued so far.
    fn end(&self) -> u64 {
        self.taken + self.queue.len() as u64
    }
}

/// All data to be sent.
#[derive(Default)]
pub(super) struct Outbox {
    control: Lane,
    log: Lane,
    engine: Lane,
    priority: Priority,
    /// Engine bytes before this position are sent with the priority of a run.
    urgent_to: u64,
    /// `(position, session)`, sorted by position: before the engine byte at `position`, the session
    /// with the given number starts, or the current session ends (`None`).
    marks: VecDeque<(u64, Option<u64>)>,
    acks: [Option<u64>; 3],
    ping: Option<u64>,
    pong: Option<u64>,
    bye: bool,
}

impl Outbox {
    /// Queues a message.
    pub(super) fn message(&mut self, stream: Stream, bytes: &[u8]) -> Result<(), ConnectionError> {
        if bytes.is_empty() || bytes.len() > MAX_MESSAGE {
            return Err(ConnectionError::MessageSize(bytes.len()));
        }
        let lane = match stream {
            Stream::Control => &mut self.control,
            Stream::Log => &mut self.log,
        };
        lane.queue.extend((bytes.len() as u32).to_le_bytes());
        lane.queue.extend(bytes);
        Ok(())
    }

    /// Queues bytes of the engine.
    pub(super) fn engine(&mut self, bytes: &[u8]) {
        self.engine.queue.extend(bytes);
        self.promote();
    }

    /// Sets the priority of the engine bytes that are queued later. [`Priority::Run`] also applies
    /// to all engine bytes that are still unsent, because the order of engine bytes never changes.
    pub(super) fn set_priority(&mut self, priority: Priority) {
        self.priority = priority;
        self.promote();
    }

    fn promote(&mut self) {
        if self.priority == Priority::Run {
            self.urgent_to = self.engine.end();
        }
    }

    /// Queues the start of a session of the engine.
    pub(super) fn begin_engine(&mut self, number: u64) {
        self.marks.push_back((self.engine.end(), Some(number)));
    }

    /// Queues the end of the engine's session, and drops the unsent bytes of the session.
    pub(super) fn end_engine(&mut self) {
        self.engine.queue.clear();
        let end = self.engine.end();
        self.urgent_to = self.urgent_to.min(end);
        for (position, _) in &mut self.marks {
            *position = end.min(*position);
        }
        self.marks.push_back((end, None));
    }

    /// The number of unsent bytes of messages.
    pub(super) fn messages_unsent(&self) -> usize {
        self.control.queue.len() + self.log.queue.len()
    }

    /// The number of unsent engine bytes.
    pub(super) fn engine_unsent(&self) -> usize {
        self.engine.queue.len()
    }

    /// Queues an acknowledgement: this side has read `read` bytes of a stream in total.
    pub(super) fn ack(&mut self, stream: u8, read: u64) {
        self.acks[usize::from(stream)] = Some(read);
    }

    pub(super) fn ping(&mut self, number: u64) {
        self.ping = Some(number);
    }

    /// Queues the answer to a ping. Only the last ping is answered, so that many pings cost no more
    /// than one.
    pub(super) fn pong(&mut self, number: u64) {
        self.pong = Some(number);
    }

    /// Queues the goodbye ([`BYE`]). It is sent after all queued control and log messages, and
    /// before unsent engine bytes.
    pub(super) fn bye(&mut self) {
        self.bye = true;
    }

    /// Whether the goodbye is queued and not yet sent.
    pub(super) fn bye_pending(&self) -> bool {
        self.bye
    }

    /// Records an acknowledgement of the peer: it has read `read` bytes of a stream in total.
    pub(super) fn acked(&mut self, stream: u8, read: u64) -> Result<(), ConnectionError> {
        let lane = match stream {
            CONTROL => &mut self.control,
            LOG => &mut self.log,
            RUN => &mut self.engine,
            _ => {
                return Err(ConnectionError::Broken(
                    "acknowledgement for an unknown stream",
                ));
            }
        };
        if read < lane.acked || read > lane.taken {
            return Err(ConnectionError::Broken("acknowledgement of unsent bytes"));
        }
        lane.acked = read;
        Ok(())
    }

    /// Writes the plaintext of the next frame into `frame`, which must be empty. Returns `false` if
    /// no frame may be sent now.
    pub(super) fn next_frame(&mut self, frame: &mut Vec<u8>) -> bool {
        self.items(frame)
            || self.messages(frame)
            || self.goodbye(frame)
            || self.engine_mark(frame)
            || self.engine_bytes(frame)
    }

    fn items(&mut self, frame: &mut Vec<u8>) -> bool {
        for (stream, ack) in (0..).zip(&mut self.acks) {
            if let Some(read) = ack.take() {
                item(frame, ACK).extend_from_slice(&[stream]);
                frame.extend_from_slice(&read.to_le_bytes());
            }
        }
        for (kind, number) in [(PING, &mut self.ping), (PONG, &mut self.pong)] {
            if let Some(number) = number.take() {
                item(frame, kind).extend_from_slice(&number.to_le_bytes());
            }
        }
        !frame.is_empty()
    }

    fn messages(&mut self, frame: &mut Vec<u8>) -> bool {
        let ready = self.control.ready(MESSAGE_WINDOW).min(FRAME);
        if ready > 0 {
            self.control.take(ready, item(frame, BYTES));
            return true;
        }
        let ready = self.log.ready(MESSAGE_WINDOW).min(FRAME);
        if ready > 0 {
            frame.push(LOG);
            self.log.take(ready, frame);
        }
        ready > 0
    }

    fn engine_mark(&mut self, frame: &mut Vec<u8>) -> bool {
        let due = self
            .marks
            .partition_point(|(position, _)| *position <= self.engine.taken);
        for (_, mark) in self.marks.drain(..due) {
            match mark {
                Some(number) => item(frame, BEGIN).extend_from_slice(&number.to_le_bytes()),
                None => drop(item(frame, END)),
            }
        }
        !frame.is_empty()
    }

    fn engine_bytes(&mut self, frame: &mut Vec<u8>) -> bool {
        let urgent = self.urgent_to.saturating_sub(self.engine.taken);
        let (stream, most, window) = match urgent {
            0 => (POOL, POOL_FRAME as u64, POOL_WINDOW),
            _ => (RUN, urgent.min(FRAME as u64), RUN_WINDOW),
        };
        let mark = self.marks.front();
        let to_mark = mark.map_or(u64::MAX, |(position, _)| position - self.engine.taken);
        let ready = self.engine.ready(window).min(most.min(to_mark) as usize);
        if ready > 0 {
            frame.push(stream);
            self.engine.take(ready, frame);
        }
        ready > 0
    }

    fn goodbye(&mut self, frame: &mut Vec<u8>) -> bool {
        let waits = !self.control.queue.is_empty() || !self.log.queue.is_empty();
        !waits && self.answer(frame)
    }

    /// Writes the goodbye into `frame`, even if other data is queued. Returns `false` if no goodbye is
    /// queued.
    pub(super) fn answer(&mut self, frame: &mut Vec<u8>) -> bool {
        let is_due = std::mem::take(&mut self.bye);
        if is_due {
            item(frame, BYE);
        }
        is_due
    }
}

/// Starts an item in a control frame.
fn item(frame: &mut Vec<u8>, kind: u8) -> &mut Vec<u8> {
    if frame.is_empty() {
        frame.push(CONTROL);
    }
    frame.push(kind);
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(outbox: &mut Outbox) -> Option<Vec<u8>> {
        let mut frame = Vec::new();
        outbox.next_frame(&mut frame).then_some(frame)
    }

    /// The frames that are sent while nothing is acknowledged.
    fn all(outbox: &mut Outbox) -> Vec<Vec<u8>> {
        std::iter::from_fn(|| next(outbox)).collect()
    }

    #[test]
    fn frames_are_sent_in_order_of_priority() {
        let mut outbox = Outbox::default();
        outbox.set_priority(Priority::Pool);
        outbox.engine(&[7; 10_000]);
        outbox.message(Stream::Log, b"log").unwrap();
        outbox.message(Stream::Control, b"control").unwrap();
        outbox.ack(RUN, 0);
        let streams: Vec<u8> = all(&mut outbox).iter().map(|frame| frame[0]).collect();
        assert_eq!(streams, [CONTROL, CONTROL, LOG, POOL, POOL, POOL]);
    }

    #[test]
    fn a_move_waits_for_at_most_32_kilobytes_of_a_pool() {
        // At 10 Mbit/s a byte takes 0.8 us; 50 ms are 62 500 bytes.
        let mut outbox = Outbox::default();
        outbox.set_priority(Priority::Pool);
        outbox.engine(&vec![7; 10 << 20]);
        let (mut left, mut acked) = (0u64, 0u64);
        // The peer reads slowly. Unread bytes are still in the connection.
        for round in 0..1000 {
            let mut ahead = 0;
            while let Some(frame) = next(&mut outbox) {
                assert!(frame.len() <= 1 + POOL_FRAME && frame[0] == POOL);
                left += frame.len() as u64 - 1;
                ahead += frame.len() + 2 + 16;
            }
            let unread = left - acked;
            assert!(unread <= POOL_WINDOW, "{unread}");
            assert!(ahead < 62_500);
            outbox.message(Stream::Log, &[1; 300]).unwrap();
            assert_eq!(next(&mut outbox).unwrap()[0], LOG, "{round}");
            acked += unread.min(1 + round % 9_000);
            outbox.acked(RUN, acked).unwrap();
            // The peer reads the log at once.
            let read = outbox.log.taken;
            outbox.acked(LOG, read).unwrap();
        }
    }

    #[test]
    fn a_run_promotes_queued_pool_bytes_and_keeps_the_order() {
        let mut outbox = Outbox::default();
        outbox.set_priority(Priority::Pool);
        outbox.engine(&[1; 5]);
        outbox.set_priority(Priority::Run);
        outbox.engine(&[2; 5]);
        outbox.set_priority(Priority::Pool);
        outbox.engine(&[3; 5]);
        let frames = all(&mut outbox);
        assert_eq!(frames[0], [&[RUN][..], &[1; 5], &[2; 5]].concat());
        assert_eq!(frames[1], [&[POOL][..], &[3; 5]].concat());
    }

    #[test]
    fn windows_limit_each_stream_independently() {
        let mut outbox = Outbox::default();
        for _ in 0..8 {
            outbox.message(Stream::Log, &vec![1; MAX_MESSAGE]).unwrap();
        }
        outbox.engine(&vec![2; 1 << 20]);
        let count = |frames: &[Vec<u8>], stream| -> u64 {
            let of = frames.iter().filter(|frame| frame[0] == stream);
            of.map(|frame| frame.len() as u64 - 1).sum()
        };
        let frames = all(&mut outbox);
        assert_eq!(count(&frames, LOG), MESSAGE_WINDOW);
        assert_eq!(count(&frames, RUN), RUN_WINDOW);
        outbox.message(Stream::Control, b"c").unwrap();
        assert_eq!(next(&mut outbox).unwrap()[..2], [CONTROL, BYTES]);
        outbox.acked(RUN, 1000).unwrap();
        assert_eq!(count(&all(&mut outbox), RUN), 1000);
        outbox.acked(LOG, 1).unwrap();
        assert_eq!(count(&all(&mut outbox), LOG), 1);
    }

    #[test]
    fn small_messages_share_a_frame() {
        let mut outbox = Outbox::default();
        for _ in 0..100 {
            outbox.message(Stream::Log, b"small").unwrap();
        }
        assert_eq!(all(&mut outbox).len(), 1);
    }

    #[test]
    fn invalid_acknowledgements_are_refused() {
        let mut outbox = Outbox::default();
        outbox.engine(&[0; 100]);
        all(&mut outbox);
        assert!(outbox.acked(RUN, 101).is_err());
        outbox.acked(RUN, 100).unwrap();
        assert!(outbox.acked(RUN, 99).is_err());
        assert!(outbox.acked(POOL, 0).is_err());
    }

    #[test]
    fn ending_a_session_drops_its_unsent_bytes() {
        let mut outbox = Outbox::default();
        outbox.begin_engine(1);
        outbox.engine(&vec![1; RUN_WINDOW as usize + 5]);
        all(&mut outbox);
        outbox.end_engine();
        outbox.begin_engine(2);
        outbox.engine(&[2]);
        let mark = [&[CONTROL, END, BEGIN][..], &2u64.to_le_bytes()].concat();
        assert_eq!(all(&mut outbox), [mark]);
        outbox.acked(RUN, RUN_WINDOW).unwrap();
        assert_eq!(all(&mut outbox), [[RUN, 2]]);
    }

    #[test]
    fn empty_and_oversized_messages_are_refused() {
        let mut outbox = Outbox::default();
        assert!(outbox.message(Stream::Log, &[]).is_err());
        assert!(
            outbox
                .message(Stream::Log, &vec![0; MAX_MESSAGE + 1])
                .is_err()
        );
        outbox.bye();
        outbox.message(Stream::Log, b"last").unwrap();
        let frames = all(&mut outbox);
        assert_eq!((frames[0][0], &frames[1][..]), (LOG, &[CONTROL, BYE][..]));
    }
}
