//! The functions that the worker calls.

#![allow(unsafe_code, reason = "the worker passes memory by its address")]

use std::io::ErrorKind;
use std::panic;

use dealerless_connection::Happened;

use crate::{engine, files, host, page};

/// Memory for `len` bytes, for one later call of a function with this address and this length.
#[unsafe(no_mangle)]
extern "C" fn alloc(len: usize) -> *mut u8 {
    Box::into_raw(vec![0_u8; len].into_boxed_slice()).cast()
}

/// # Safety
/// `at` is the result of `alloc(len)`, and is passed only once.
unsafe fn passed(at: *mut u8, len: usize) -> Box<[u8]> {
    // SAFETY: `alloc` has made this slice.
    unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(at, len)) }
}

/// Starts with the files 0 to `files`. Returns 0, or 1 after printing why it cannot start.
#[unsafe(no_mangle)]
extern "C" fn start(files: u32) -> i32 {
    panic::set_hook(Box::new(|info| host::print(&info.to_string())));
    match page::start(files) {
        Ok(()) => 0,
        Err(error) => {
            host::print(&format!("{error:#}"));
            1
        }
    }
}

/// The number of free files. The worker opens more files before this is 0.
#[unsafe(no_mangle)]
extern "C" fn free_files() -> u32 {
    files::free() as u32
}

/// The worker has opened more files: those up to `files`. The new ones are empty.
#[unsafe(no_mangle)]
extern "C" fn add_files(files: u32) {
    files::add(files);
}

/// A request of the page.
///
/// # Safety
/// As for [`passed`], twice.
#[unsafe(no_mangle)]
unsafe extern "C" fn request(
    number: u32,
    is_post: u32,
    path: *mut u8,
    path_len: usize,
    body: *mut u8,
    body_len: usize,
) {
    // SAFETY: as the worker promises.
    let (path, body) = unsafe { (passed(path, path_len), passed(body, body_len)) };
    page::request(number, is_post != 0, &String::from_utf8_lossy(&path), &body);
}

/// A command of the player.
///
/// # Safety
/// As for [`passed`].
#[unsafe(no_mangle)]
unsafe extern "C" fn command(at: *mut u8, len: usize) {
    // SAFETY: as the worker promises.
    page::command(&unsafe { passed(at, len) });
}

#[unsafe(no_mangle)]
extern "C" fn socket_opened(socket: u32) {
    page::happened(socket, Happened::Opened);
}

/// # Safety
/// As for [`passed`].
#[unsafe(no_mangle)]
unsafe extern "C" fn socket_received(socket: u32, at: *mut u8, len: usize) {
    // SAFETY: as the worker promises.
    page::happened(socket, Happened::Received(&unsafe { passed(at, len) }));
}

#[unsafe(no_mangle)]
extern "C" fn socket_closed(socket: u32) {
    page::happened(socket, Happened::Closed(ErrorKind::UnexpectedEof.into()));
}

/// Does all that is due. Returns the milliseconds until it must be called again.
#[unsafe(no_mangle)]
extern "C" fn step() -> f64 {
    page::step().as_secs_f64() * 1000.0
}

#[unsafe(no_mangle)]
extern "C" fn engine_wants() -> u32 {
    engine::wants().into()
}

#[unsafe(no_mangle)]
extern "C" fn engine() {
    engine::run();
}
