//! A seat of a match for a page in a browser. One worker of the page runs one instance of this module.
//!
//! The worker calls the functions of [`exports`] when something happens: a request of the page, a command
//! of the player, bytes on a WebSocket, a timer. The module calls the functions of [`host`] for everything
//! that a browser has. No call waits, except that of the engine in [`exports::engine`], which waits in
//! [`host::engine_wait`]. Meanwhile the worker may make all other calls. Therefore no borrow of the
//! [page's state](page) lives across that wait.
//!
//! | module | contents |
//! |---|---|
//! | [`files`] | the files of the player: named files in the numbered files of the worker |
//! | [`own`] | the identity, the known peers and the settings |
//! | [`line`] | a meeting and a connection over a WebSocket to a relay |
//! | [`guest`] | a guest that meets its host and sits down |
//! | [`seat`] | a seat in play |
//! | [`engine`] | the shuffling engine of the seat |
//! | [`page`] | the requests of the page, and the program that plays |

#[cfg(target_family = "wasm")]
mod exports;
