//! Received data that has not been read. A peer that exceeds the window of a stream gets an error.

use std::collections::VecDeque;
use std::io::Read as _;

use super::error::ConnectionError;
use super::messages::Messages;
use super::streams::{
    ACK, BEGIN, BYE, BYTES, CONTROL, END, LOG, MESSAGE_WINDOW, Message, PING, PONG, POOL,
    POOL_FRAME, RUN, RUN_WINDOW, Stream,
};

/// The maximum number of stored engine sessions. The peer may start sessions before this side does.
const MAX_SESSIONS: usize = 8;

/// The bytes that the peer's engine has sent in one session.
struct Session {
    number: u64,
    bytes: VecDeque<u8>,
    ended: bool,
}

/// A request of the peer in a control frame.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// `(stream, read)`: the peer has read `read` bytes of `stream` in total.
    Acked(u8, u64),
    /// The ping with this number must be answered.
    Pong(u64),
    /// The peer closes the connection.
    Bye,
}

/// All received data.
#[derive(Default)]
pub(super) struct Inbox {
    control: Messages,
    log: Messages,
    sessions: VecDeque<Session>,
    last_session: u64,
    /// Sessions with a smaller number are discarded.
    wanted_from: u64,
    engine_read: u64,
    engine_acked: u64,
}

/// The result of reading engine bytes.
pub(super) enum Read {
    /// The number of bytes read.
    Bytes(usize),
    /// No more bytes will arrive in this session.
    Ended,
    /// No unread byte is there, but more may arrive.
    Nothing,
}

impl Inbox {
    /// Processes the plaintext of a frame. Appends the requests in the frame to `requests`.
    pub(super) fn frame(
        &mut self,
        frame: &[u8],
        requests: &mut Vec<Request>,
    ) -> Result<(), ConnectionError> {
        let (&stream, rest) = frame
            .split_first()
            .ok_or(ConnectionError::Broken("an empty frame"))?;
        match stream {
            CONTROL => self.items(rest, requests),
            LOG => self.log.take_in(rest),
            RUN => self.engine(rest),
            POOL if rest.len() <= POOL_FRAME => self.engine(rest),
            POOL => Err(ConnectionError::Broken("pool frame too long")),
            _ => Err(ConnectionError::Broken("unknown stream")),
        }
    }

    fn items(
        &mut self,
        mut rest: &[u8],
        requests: &mut Vec<Request>,
    ) -> Result<(), ConnectionError> {
        let truncated = ConnectionError::Broken("truncated control frame");
        while let Some((&kind, after)) = rest.split_first() {
            rest = after;
            let mut number = || {
                let (bytes, after) = rest.split_first_chunk().ok_or(truncated.clone())?;
                rest = after;
                Ok(u64::from_le_bytes(*bytes))
            };
            match kind {
                BYTES => return self.control.take_in(rest),
                ACK => {
                    let (&stream, after) = rest.split_first().ok_or(truncated.clone())?;
                    let (bytes, after) = after.split_first_chunk().ok_or(truncated.clone())?;
                    rest = after;
                    requests.push(Request::Acked(stream, u64::from_le_bytes(*bytes)));
                }
                PING => requests.push(Request::Pong(number()?)),
                PONG => drop(number()?),
                BEGIN => {
                    let number = number()?;
                    self.begin(number)?;
                }
                // The end of a discarded session is ignored.
                END => self.end_session(),
                BYE => {
                    requests.push(Request::Bye);
                    return Ok(());
                }
                _ => return Err(ConnectionError::Broken("unknown control item")),
            }
        }
        Ok(())
    }

    /// The number of received and unread bytes of the control stream, the log and the engine.
    #[cfg(feature = "internals")]
    pub(super) fn kept(&self) -> [usize; 3] {
        let sessions = self.sessions.iter().map(|session| session.bytes.len());
        [self.control.kept(), self.log.kept(), sessions.sum()]
    }

    fn begin(&mut self, number: u64) -> Result<(), ConnectionError> {
        if number <= self.last_session || self.sessions.len() >= MAX_SESSIONS {
            return Err(ConnectionError::Broken("engine session out of order"));
        }
        self.end_session();
        self.last_session = number;
        if number >= self.wanted_from {
            self.sessions.push_back(Session {
                number,
                bytes: VecDeque::new(),
                ended: false,
            });
        }
        Ok(())
    }

    fn end_session(&mut self) {
        if let Some(session) = self.sessions.back_mut() {
            session.ended = true;
        }
    }

    fn engine(&mut self, bytes: &[u8]) -> Result<(), ConnectionError> {
        if self.last_session == 0 {
            return Err(ConnectionError::Broken("engine bytes before a session"));
        }
        let unread: usize = self
            .sessions
            .iter()
            .map(|session| session.bytes.len())
            .sum();
        if unread + bytes.len() > RUN_WINDOW as usize {
            return Err(ConnectionError::Broken("more bytes than the window allows"));
        }
        match self.sessions.back_mut() {
            Some(session) if session.ended => Err(ConnectionError::Broken(
                "engine bytes after the end of their session",
            )),
            Some(session) => {
                session.bytes.extend(bytes);
                Ok(())
            }
            None => {
                self.engine_read += bytes.len() as u64;
                Ok(())
            }
        }
    }

    /// Discards all sessions with a smaller number: the stored ones, and those that the peer starts
    /// later.
    pub(super) fn want_from(&mut self, number: u64) {
        self.wanted_from = self.wanted_from.max(number);
        let old = self
            .sessions
            .partition_point(|session| session.number < self.wanted_from);
        for session in self.sessions.drain(..old) {
            self.engine_read += session.bytes.len() as u64;
        }
    }

    /// Reads bytes of an engine session into the front of `buf`.
    pub(super) fn read_engine(&mut self, number: u64, buf: &mut [u8]) -> Read {
        let more = self.sessions.len() > 1;
        match self.sessions.front_mut() {
            None if self.last_session >= number => Read::Ended,
            None => Read::Nothing,
            Some(session) if session.number > number => Read::Ended,
            Some(session) if !session.bytes.is_empty() => {
                let count = session
                    .bytes
                    .read(buf)
                    .expect("reading from memory succeeds");
                self.engine_read += count as u64;
                Read::Bytes(count)
            }
            Some(session) if session.ended || more => Read::Ended,
            Some(_) => Read::Nothing,
        }
    }

    /// Whether [`read_engine`](Self::read_engine) has bytes, or the end of the session.
    pub(super) fn has_engine_bytes(&self, number: u64) -> bool {
        match self.sessions.front() {
            None => self.last_session >= number,
            Some(session) => {
                session.number > number
                    || !session.bytes.is_empty()
                    || session.ended
                    || self.sessions.len() > 1
            }
        }
    }

    /// The next message. Control messages come first.
    pub(super) fn next(&mut self) -> Result<Option<Message>, ConnectionError> {
        for (stream, messages) in [
            (Stream::Control, &mut self.control),
            (Stream::Log, &mut self.log),
        ] {
            if let Some(bytes) = messages.next()? {
                return Ok(Some(Message { stream, bytes }));
            }
        }
        Ok(None)
    }

    /// The acknowledgements that are due: each stream with the total number of bytes read from it.
    pub(super) fn acks(&mut self) -> impl Iterator<Item = (u8, u64)> {
        let control = due(
            self.control.read,
            &mut self.control.acked,
            MESSAGE_WINDOW / 4,
        );
        let log = due(self.log.read, &mut self.log.acked, MESSAGE_WINDOW / 4);
        // A quarter of `POOL_WINDOW`, the smaller window of the engine.
        let engine = due(self.engine_read, &mut self.engine_acked, 8 << 10);
        let all = [(CONTROL, control), (LOG, log), (RUN, engine)];
        all.into_iter()
            .filter_map(|(stream, read)| Some((stream, read?)))
    }
}

fn due(read: u64, acked: &mut u64, step: u64) -> Option<u64> {
    let due = read - *acked >= step;
    if due {
        *acked = read;
    }
    due.then_some(read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::streams::MAX_MESSAGE;

    fn take(inbox: &mut Inbox, frame: &[u8]) -> Result<Vec<Request>, ConnectionError> {
        let mut requests = Vec::new();
        inbox.frame(frame, &mut requests)?;
        Ok(requests)
    }

    fn begin(inbox: &mut Inbox, number: u64) -> Result<Vec<Request>, ConnectionError> {
        take(
            inbox,
            &[&[CONTROL, BEGIN][..], &number.to_le_bytes()].concat(),
        )
    }

    fn read(inbox: &mut Inbox, number: u64) -> Option<Vec<u8>> {
        let mut buf = [0; 64];
        match inbox.read_engine(number, &mut buf) {
            Read::Bytes(count) => Some(buf[..count].to_vec()),
            Read::Ended => Some(Vec::new()),
            Read::Nothing => None,
        }
    }

    #[test]
    fn a_message_is_reassembled_from_any_frames() {
        let bytes = [&[3, 0, 0, 0][..], b"abc", &[1, 0, 0, 0], b"d"].concat();
        for cut in 0..bytes.len() {
            let mut inbox = Inbox::default();
            let mut got = Vec::new();
            for part in [&bytes[..cut], &bytes[cut..]] {
                take(&mut inbox, &[&[LOG][..], part].concat()).unwrap();
                while let Some(message) = inbox.next().unwrap() {
                    got.push(message.bytes);
                }
            }
            assert_eq!(got, [&b"abc"[..], b"d"]);
        }
    }

    #[test]
    fn a_sender_cannot_exceed_the_windows() {
        for (frame, window) in [
            (vec![LOG; 1 + 16_384], MESSAGE_WINDOW),
            (
                [vec![CONTROL, BYTES], vec![9; 16_384]].concat(),
                MESSAGE_WINDOW,
            ),
            (vec![RUN; 1 + 16_384], RUN_WINDOW),
            (vec![POOL; 1 + 4_096], RUN_WINDOW),
        ] {
            let mut inbox = Inbox::default();
            begin(&mut inbox, 1).unwrap();
            let per_frame = if frame.len() > 8_000 { 16_384 } else { 4_096 };
            for _ in 0..window / per_frame {
                take(&mut inbox, &frame).unwrap();
            }
            assert!(matches!(
                take(&mut inbox, &frame),
                Err(ConnectionError::Broken(_))
            ));
        }
        let mut inbox = Inbox::default();
        for number in 1..=MAX_SESSIONS as u64 {
            begin(&mut inbox, number).unwrap();
        }
        assert!(begin(&mut inbox, 100).is_err());
    }

    #[test]
    fn malformed_frames_are_refused() {
        let mut wrong: Vec<Vec<u8>> = vec![
            vec![],
            vec![4],
            vec![RUN, 1],
            vec![CONTROL, 7],
            vec![CONTROL, ACK],
            vec![CONTROL, PING, 0, 0],
            vec![POOL; POOL_FRAME + 2],
        ];
        wrong.push([&[CONTROL, BEGIN][..], &[0; 8]].concat());
        for frame in wrong {
            assert!(take(&mut Inbox::default(), &frame).is_err(), "{frame:?}");
        }
        for len in [0, MAX_MESSAGE as u32 + 1, u32::MAX] {
            let mut inbox = Inbox::default();
            take(&mut inbox, &[&[LOG][..], &len.to_le_bytes()].concat()).unwrap();
            assert!(inbox.next().is_err());
        }
    }

    #[test]
    fn sessions_of_the_engine_do_not_mix() {
        let mut inbox = Inbox::default();
        begin(&mut inbox, 1).unwrap();
        take(&mut inbox, &[RUN, 1, 1]).unwrap();
        take(&mut inbox, &[CONTROL, END]).unwrap();
        assert!(take(&mut inbox, &[RUN, 1]).is_err());
        begin(&mut inbox, 2).unwrap();
        take(&mut inbox, &[POOL, 2]).unwrap();
        assert_eq!(read(&mut inbox, 1), Some(vec![1, 1]));
        assert_eq!(read(&mut inbox, 1), Some(vec![]));
        inbox.want_from(2);
        assert_eq!(read(&mut inbox, 2), Some(vec![2]));
        take(&mut inbox, &[RUN, 2]).unwrap();
        assert_eq!(read(&mut inbox, 2), Some(vec![2]));
        assert_eq!(read(&mut inbox, 2), None);
        // This side starts session 3 before the peer does. Further bytes of session 2 are
        // discarded.
        inbox.want_from(3);
        take(&mut inbox, &[RUN, 2]).unwrap();
        assert_eq!(read(&mut inbox, 3), None);
        take(&mut inbox, &[CONTROL, END]).unwrap();
        begin(&mut inbox, 3).unwrap();
        take(&mut inbox, &[RUN, 3]).unwrap();
        assert_eq!(read(&mut inbox, 3), Some(vec![3]));
        assert_eq!(inbox.engine_read, 6);
    }

    #[test]
    fn reads_are_acknowledged_in_large_steps() {
        let mut inbox = Inbox::default();
        begin(&mut inbox, 1).unwrap();
        for _ in 0..3 {
            take(&mut inbox, &[POOL; 1 + POOL_FRAME]).unwrap();
        }
        let mut buf = vec![0; POOL_FRAME];
        let mut acks = Vec::new();
        for _ in 0..3 {
            inbox.read_engine(1, &mut buf);
            acks.extend(inbox.acks());
        }
        assert_eq!(acks, [(RUN, 8192)]);
    }
}
