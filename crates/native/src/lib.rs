//! A seat of a match on this machine: its state machine on the thread of the sockets, its engine on a thread of
//! its own, and its player on any thread.
//!
//! | item | |
//! |---|---|
//! | [`begin`], [`RunningProgram`] | a [program](dealerless_seat::run::Program) that runs |
//! | [`host()`] | a host of two that listens on this machine |
//! | [`Player`] | its player, who is told the events of the match and may answer them |
//! | [`ProgramInput`], [`Input`] | its inputs, from any thread |
//! | [`in_memory`] | a player who keeps nothing after the end of the program |
//! | [`Native`], [`NativeFiles`] | the world of both: sockets, files and the engine |

#![forbid(unsafe_code)]

mod driver;
mod files;
mod host;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod testing;

pub use dealerless_seat::run::Input;
pub use driver::{Native, NativeProgram, Player, ProgramInput, RunningProgram, begin};
pub use files::{NativeFiles, in_memory};
pub use host::host;
