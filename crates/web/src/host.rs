//! What the worker does for this module: output, sockets, files, time and randomness. In native tests,
//! `tests::host` does it.

use std::time::Duration;

/// The time since a fixed moment. It never goes back.
pub(crate) fn now() -> Duration {
    Duration::from_secs_f64(imports::now().max(0.0) / 1000.0)
}

/// The seconds since 1970 began, in UTC.
pub(crate) fn unix() -> u64 {
    imports::unix() as u64
}

/// Prints a line on the console of the browser.
pub(crate) fn print(text: &str) {
    imports::print(text.as_bytes());
}

/// Answers the request of the page with this number.
pub(crate) fn respond(request: u32, status: u16, body: &str) {
    imports::respond(request, status.into(), body.as_bytes());
}

/// Sends the page an event of the program that plays: one line of JSON.
pub(crate) fn line(line: &str) {
    imports::line(line.as_bytes());
}

/// Reports that the program that plays has ended.
pub(crate) fn ended(exit_code: u8) {
    imports::ended(exit_code.into());
}

/// Opens a WebSocket with the number `socket`, which was never used before.
pub(crate) fn socket_open(socket: u32, url: &str) {
    imports::socket_open(socket, url.as_bytes());
}

/// Sends bytes. They are dropped if the socket is closed.
pub(crate) fn socket_send(socket: u32, bytes: &[u8]) {
    imports::socket_send(socket, bytes);
}

/// Closes a socket if it is open.
pub(crate) fn socket_close(socket: u32) {
    imports::socket_close(socket);
}

/// Waits until the worker wakes the engine, at most `within`.
pub(crate) fn engine_wait(within: Duration) {
    imports::engine_wait(within.as_secs_f64() * 1000.0);
}

/// The length of a file in bytes.
pub(crate) fn file_size(file: u32) -> std::io::Result<u64> {
    let size = imports::file_size(file);
    if size < 0.0 {
        Err(failed())
    } else {
        Ok(size as u64)
    }
}

/// Reads the bytes of a file from `at` on into `buf`. Returns their number.
pub(crate) fn file_read(file: u32, at: u64, buf: &mut [u8]) -> std::io::Result<usize> {
    let read = imports::file_read(file, at as f64, buf);
    usize::try_from(read).map_err(|_| failed())
}

/// Writes bytes into a file from `at` on. All of them are written, or none counts.
pub(crate) fn file_write(file: u32, at: u64, bytes: &[u8]) -> std::io::Result<()> {
    done(imports::file_write(file, at as f64, bytes))
}

/// Sets the length of a file.
pub(crate) fn file_truncate(file: u32, len: u64) -> std::io::Result<()> {
    done(imports::file_truncate(file, len as f64))
}

/// Writes what the browser still holds back to the disk.
pub(crate) fn file_flush(file: u32) -> std::io::Result<()> {
    done(imports::file_flush(file))
}

fn done(code: i32) -> std::io::Result<()> {
    match code {
        0 => Ok(()),
        _ => Err(failed()),
    }
}

/// The browser reports no reason. Most often, the site's share of the disk is used up.
fn failed() -> std::io::Error {
    std::io::Error::other(
        "the browser cannot use a file of this page: free disk space, and try again",
    )
}

#[cfg(target_family = "wasm")]
#[allow(unsafe_code, reason = "functions of the host are foreign functions")]
mod imports {
    mod host {
        #[link(wasm_import_module = "host")]
        unsafe extern "C" {
            pub(in crate::host) safe fn now() -> f64;
            pub(in crate::host) safe fn unix() -> f64;
            pub(in crate::host) safe fn ended(code: i32);
            pub(in crate::host) safe fn socket_close(socket: u32);
            pub(in crate::host) safe fn engine_wait(ms: f64);
            pub(in crate::host) safe fn file_size(file: u32) -> f64;
            pub(in crate::host) safe fn file_truncate(file: u32, len: f64) -> i32;
            pub(in crate::host) safe fn file_flush(file: u32) -> i32;
            pub(super) fn print(at: *const u8, len: usize);
            pub(super) fn respond(request: u32, status: u32, at: *const u8, len: usize);
            pub(super) fn line(at: *const u8, len: usize);
            pub(super) fn socket_open(socket: u32, at: *const u8, len: usize);
            pub(super) fn socket_send(socket: u32, at: *const u8, len: usize);
            pub(super) fn file_read(file: u32, from: f64, at: *mut u8, len: usize) -> i32;
            pub(super) fn file_write(file: u32, from: f64, at: *const u8, len: usize) -> i32;
            pub(super) fn random(at: *mut u8, len: usize);
        }
    }

    pub(super) use host::{
        ended, engine_wait, file_flush, file_size, file_truncate, now, socket_close, unix,
    };

    pub(super) fn print(text: &[u8]) {
        // SAFETY: the host reads `len` bytes at the pointer during the call. The same holds below.
        unsafe { host::print(text.as_ptr(), text.len()) }
    }

    pub(super) fn respond(request: u32, status: u32, body: &[u8]) {
        // SAFETY: as above.
        unsafe { host::respond(request, status, body.as_ptr(), body.len()) }
    }

    pub(super) fn line(line: &[u8]) {
        // SAFETY: as above.
        unsafe { host::line(line.as_ptr(), line.len()) }
    }

    pub(super) fn socket_open(socket: u32, url: &[u8]) {
        // SAFETY: as above.
        unsafe { host::socket_open(socket, url.as_ptr(), url.len()) }
    }

    pub(super) fn socket_send(socket: u32, bytes: &[u8]) {
        // SAFETY: as above.
        unsafe { host::socket_send(socket, bytes.as_ptr(), bytes.len()) }
    }

    pub(super) fn file_read(file: u32, from: f64, buf: &mut [u8]) -> i32 {
        // SAFETY: the host writes at most `len` bytes at the pointer during the call.
        unsafe { host::file_read(file, from, buf.as_mut_ptr(), buf.len()) }
    }

    pub(super) fn file_write(file: u32, from: f64, bytes: &[u8]) -> i32 {
        // SAFETY: as for `print`.
        unsafe { host::file_write(file, from, bytes.as_ptr(), bytes.len()) }
    }

    /// The source of randomness of all crates.
    #[unsafe(no_mangle)]
    unsafe extern "Rust" fn __getrandom_v03_custom(
        at: *mut u8,
        len: usize,
    ) -> Result<(), getrandom::Error> {
        // SAFETY: the host fills the `len` bytes that the caller passes. It fails by a trap.
        unsafe { host::random(at, len) };
        Ok(())
    }
}

#[cfg(not(target_family = "wasm"))]
pub(crate) use crate::tests::host as imports;
