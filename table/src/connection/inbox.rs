//! What has come and was not read. It holds no more than the other was told that there is room for.

use std::collections::VecDeque;
use std::io::Read as _;

use super::error::ConnectionError;
use super::messages::Messages;
use super::streams::{
    ACK, BEGIN, BYE, BYTES, CONTROL, END, LOG, MESSAGE_WINDOW, PING, PONG, POOL, POOL_FRAME, RUN,
    RUN_WINDOW,
};

/// Sessions of the engine that have begun over there and not here.
const MAX_SESSIONS: usize = 8;

/// What the other's engine has sent in one session.
struct Session {
    number: u64,
    bytes: VecDeque<u8>,
    ended: bool,
}

/// What a frame asks of the side that receives it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// So much of a stream was read over there.
    Acked(u8, u64),
    /// A ping, to be answered.
    Pong(u64),
    /// The line is closed.
    Bye,
}

/// All that has come.
#[derive(Default)]
pub(super) struct Inbox {
    control: Messages,
    log: Messages,
    sessions: VecDeque<Session>,
    last_session: u64,
    /// The engine's bytes of sessions before this one are not wanted.
    wanted_from: u64,
    engine_read: u64,
    engine_acked: u64,
}

/// What there is of the engine's bytes.
pub(super) enum Read {
    /// So many were read.
    Bytes(usize),
    /// The other's engine sends no more in this session.
    Ended,
    /// Nothing has come yet.
    Nothing,
}

impl Inbox {
    /// Takes in the plaintext of a frame. What it asks for is added to `asked`.
    pub(super) fn frame(
        &mut self,
        frame: &[u8],
        asked: &mut Vec<Asked>,
    ) -> Result<(), ConnectionError> {
        let (&stream, rest) = frame
            .split_first()
            .ok_or(ConnectionError::Broken("an empty frame"))?;
        match stream {
            CONTROL => self.items(rest, asked),
            LOG => self.log.take_in(rest),
            RUN => self.engine(rest),
            POOL if rest.len() <= POOL_FRAME => self.engine(rest),
            POOL => Err(ConnectionError::Broken("a frame of the pool is too long")),
            _ => Err(ConnectionError::Broken("a stream that there is not")),
        }
    }

    fn items(&mut self, mut rest: &[u8], asked: &mut Vec<Asked>) -> Result<(), ConnectionError> {
        let cut = ConnectionError::Broken("a control frame is cut");
        while let Some((&kind, after)) = rest.split_first() {
            rest = after;
            let mut number = || {
                let (bytes, after) = rest.split_first_chunk().ok_or(cut.clone())?;
                rest = after;
                Ok(u64::from_le_bytes(*bytes))
            };
            match kind {
                BYTES => return self.control.take_in(rest),
                ACK => {
                    let (&stream, after) = rest.split_first().ok_or(cut.clone())?;
                    let (bytes, after) = after.split_first_chunk().ok_or(cut.clone())?;
                    rest = after;
                    asked.push(Asked::Acked(stream, u64::from_le_bytes(*bytes)));
                }
                PING => asked.push(Asked::Pong(number()?)),
                PONG => drop(number()?),
                BEGIN => {
                    let number = number()?;
                    self.begin(number)?;
                }
                // One that was not wanted is forgotten.
                END => self.end_session(),
                BYE => {
                    asked.push(Asked::Bye);
                    return Ok(());
                }
                _ => return Err(ConnectionError::Broken("a control item that there is not")),
            }
        }
        Ok(())
    }

    /// How many bytes of control, of the log and of the engine have come and were not read.
    #[cfg(feature = "internals")]
    pub(super) fn kept(&self) -> [usize; 3] {
        let sessions = self.sessions.iter().map(|session| session.bytes.len());
        [self.control.kept(), self.log.kept(), sessions.sum()]
    }

    fn begin(&mut self, number: u64) -> Result<(), ConnectionError> {
        if number <= self.last_session || self.sessions.len() >= MAX_SESSIONS {
            return Err(ConnectionError::Broken(
                "a session of the engine out of its order",
            ));
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
            return Err(ConnectionError::Broken(
                "the engine's bytes before a session",
            ));
        }
        let unread: usize = self
            .sessions
            .iter()
            .map(|session| session.bytes.len())
            .sum();
        if unread + bytes.len() > RUN_WINDOW as usize {
            return Err(ConnectionError::Broken("more than there is room for"));
        }
        match self.sessions.back_mut() {
            Some(session) if session.ended => Err(ConnectionError::Broken("bytes after their end")),
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

    /// From now on only sessions from this number on are wanted.
    pub(super) fn want_from(&mut self, number: u64) {
        self.wanted_from = self.wanted_from.max(number);
        let old = self
            .sessions
            .partition_point(|session| session.number < self.wanted_from);
        for session in self.sessions.drain(..old) {
            self.engine_read += session.bytes.len() as u64;
        }
    }

    /// Reads bytes of a session of the engine into the front of `buf`.
    pub(super) fn read_engine(&mut self, number: u64, buf: &mut [u8]) -> Read {
        let more = self.sessions.len() > 1;
        match self.sessions.front_mut() {
            None if self.last_session >= number => Read::Ended,
            None => Read::Nothing,
            Some(session) if session.number > number => Read::Ended,
            Some(session) if session.bytes.is_empty() => match session.ended || more {
                true => Read::Ended,
                false => Read::Nothing,
            },
            Some(session) => {
                let count = session
                    .bytes
                    .read(buf)
                    .expect("bytes in memory can be read");
                self.engine_read += count as u64;
                Read::Bytes(count)
            }
        }
    }

    /// The next message of control.
    pub(super) fn control(&mut self) -> Result<Option<Vec<u8>>, ConnectionError> {
        self.control.next()
    }

    /// The next message of the log.
    pub(super) fn log(&mut self) -> Result<Option<Vec<u8>>, ConnectionError> {
        self.log.next()
    }

    /// The streams of which so much was read since it was told last that it is to be told.
    pub(super) fn acks(&mut self) -> impl Iterator<Item = (u8, u64)> {
        let control = due(
            self.control.read,
            &mut self.control.acked,
            MESSAGE_WINDOW / 4,
        );
        let log = due(self.log.read, &mut self.log.acked, MESSAGE_WINDOW / 4);
        // A quarter of the pool's window, which is the smaller one.
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

    fn take(inbox: &mut Inbox, frame: &[u8]) -> Result<Vec<Asked>, ConnectionError> {
        let mut asked = Vec::new();
        inbox.frame(frame, &mut asked)?;
        Ok(asked)
    }

    fn begin(inbox: &mut Inbox, number: u64) -> Result<Vec<Asked>, ConnectionError> {
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
    fn a_message_comes_whole_however_its_frames_are_cut() {
        let bytes = [&[3, 0, 0, 0][..], b"abc", &[1, 0, 0, 0], b"d"].concat();
        for cut in 0..bytes.len() {
            let mut inbox = Inbox::default();
            let mut got = Vec::new();
            for part in [&bytes[..cut], &bytes[cut..]] {
                take(&mut inbox, &[&[LOG][..], part].concat()).unwrap();
                while let Some(message) = inbox.log().unwrap() {
                    got.push(message);
                }
            }
            assert_eq!(got, [&b"abc"[..], b"d"]);
        }
    }

    #[test]
    fn a_sender_cannot_make_us_keep_more_than_the_windows() {
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
    fn frames_of_another_form_are_refused() {
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
            assert!(inbox.log().is_err());
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
        // The side here goes on first: what still comes of the old session is forgotten.
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
    fn what_was_read_is_told_in_large_steps() {
        let mut inbox = Inbox::default();
        begin(&mut inbox, 1).unwrap();
        for _ in 0..3 {
            take(&mut inbox, &[POOL; 1 + POOL_FRAME]).unwrap();
        }
        let mut buf = vec![0; POOL_FRAME];
        let mut told = Vec::new();
        for _ in 0..3 {
            inbox.read_engine(1, &mut buf);
            told.extend(inbox.acks());
        }
        assert_eq!(told, [(RUN, 8192)]);
    }

    proptest::proptest! {
        #[test]
        fn no_frames_make_it_panic_or_keep_too_much(frames: Vec<Vec<u8>>) {
            let mut inbox = Inbox::default();
            for mut frame in frames {
                if let Some(stream) = frame.first_mut() {
                    *stream %= 4;
                }
                let _ = take(&mut inbox, &frame);
                let _ = (inbox.log(), inbox.control(), read(&mut inbox, 1));
            }
        }
    }
}
