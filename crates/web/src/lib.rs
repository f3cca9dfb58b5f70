//! A seat of a match for a page in a browser. One worker of the page runs one instance of this module.
//!
//! The worker calls the exported functions when something happens: a request of the page, a command of the
//! player, bytes on a WebSocket, a timer. The module calls the functions of `host` for everything that a
//! browser has. No call waits, except that of the engine, which waits in `host::engine_wait`. Meanwhile the
//! worker may make all other calls. Therefore no borrow of the page's state lives across that wait.
//!
//! | module | contents |
//! |---|---|
//! | `exports`, `host` | the functions that the worker calls, and those that it provides |
//! | `files` | the files of the player: named files in the numbered files of the worker |
//! | `own`, `matches` | the identity, the known peers and the settings; the matches that were kept |
//! | `moving` | the identity moves away, or another one moves here |
//! | `line` | a meeting and a connection over a WebSocket to a relay |
//! | `guest`, `hosting` | a guest that meets its host and sits down; a host that invites a guest |
//! | `reception`, `finder` | where a host waits for its guest; how a seat finds its peer again |
//! | `seat` | a seat in play |
//! | `auditing` | an audit of a match that is over |
//! | `engine` | the shuffling engine of the seat |
//! | `program`, `page` | a program that plays; the requests of the page |

#![cfg(any(target_family = "wasm", test))]

mod auditing;
mod engine;
#[cfg(target_family = "wasm")]
mod exports;
mod failure;
mod files;
mod finder;
mod guest;
mod host;
mod hosting;
mod line;
mod matches;
mod moving;
mod own;
mod page;
mod program;
mod reception;
mod seat;
#[cfg(test)]
mod tests;
