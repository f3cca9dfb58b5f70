//! Two players, one encrypted line: how they find each other, meet, and talk.

mod again;
mod engine_stream;
mod error;
mod first;
mod inbox;
mod invite;
mod invites;
mod live;
mod meeting;
mod noise;
mod outbox;
mod prelude;
mod socket;
mod streams;

pub use engine_stream::EngineStream;
pub use error::{LineError, MeetingError};
pub use invite::{BadInvite, Invite};
pub use live::{Line, Timing};
pub use meeting::MAX_HEADER;
pub use streams::{MAX_MESSAGE, Message, Priority, Stream};
