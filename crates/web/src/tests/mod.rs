//! A page plays with a native host, in one process. A test is the browser: it has the files, the
//! sockets, the clock and the player.

mod answers;
mod auditing;
mod disk;
pub(crate) mod host;
mod hosting;
mod kills;
mod moving;
mod native_host;
mod page_text;
mod playing;
mod relay;
mod relays;
mod storage;
mod tab;
