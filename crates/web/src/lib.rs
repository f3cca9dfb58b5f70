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
//! | `page` | the [session](dealerless_seat::run) of the page, and its world |
//! | `files` | the files of the player: named files in the numbered files of the worker |
//! | `engine` | the shuffling engine of the seat |

#![cfg(any(target_family = "wasm", test))]

mod engine;
#[cfg(target_family = "wasm")]
mod exports;
mod files;
mod host;
mod page;
#[cfg(test)]
mod tests;
