//! What the worker does for the module, by the [`Tab`](super::tab::Tab) of this thread.

use super::disk::Disk;
use super::tab::{if_open, kill, with_tab};

pub(crate) fn now() -> f64 {
    if_open(|tab| tab.now().as_secs_f64() * 1000.0).unwrap_or_default()
}

pub(crate) fn unix() -> f64 {
    with_tab(|tab| tab.unix)
}

pub(crate) fn print(text: &[u8]) {
    with_tab(|tab| tab.printed.push(String::from_utf8_lossy(text).into_owned()));
}

pub(crate) fn respond(request: u32, status: u32, body: &[u8]) {
    let body = serde_json::from_slice(body).expect("an answer is JSON");
    with_tab(|tab| tab.answers.insert(request, (status, body)));
}

pub(crate) fn line(line: &[u8]) {
    let line = line.strip_suffix(b"\n").expect("a complete line");
    let event = serde_json::from_slice(line).expect("a line is JSON");
    with_tab(|tab| tab.lines.push(event));
}

pub(crate) fn ended(exit_code: i32) {
    with_tab(|tab| {
        assert_eq!(tab.ended, None, "the program has ended twice");
        tab.ended = Some(exit_code);
    });
}

pub(crate) fn socket_open(socket: u32, url: &[u8]) {
    with_tab(|tab| tab.open_socket(socket, &String::from_utf8_lossy(url)));
}

pub(crate) fn socket_send(socket: u32, bytes: &[u8]) {
    with_tab(|tab| tab.send(socket, bytes));
}

pub(crate) fn socket_close(socket: u32) {
    super::tab::close_socket(socket);
}

pub(crate) fn engine_wait(ms: f64) {
    super::tab::engine_waits(std::time::Duration::from_secs_f64(ms / 1000.0));
}

pub(crate) fn file_size(file: u32) -> f64 {
    if_open(|tab| tab.disk.files[file as usize].bytes.len() as f64).unwrap_or_default()
}

pub(crate) fn file_read(file: u32, from: f64, buf: &mut [u8]) -> i32 {
    if_open(|tab| tab.disk.read(file, from as usize, buf)).unwrap_or(-1)
}

pub(crate) fn file_write(file: u32, from: f64, bytes: &[u8]) -> i32 {
    changed(|disk| disk.write(file, from as usize, bytes))
}

pub(crate) fn file_truncate(file: u32, len: f64) -> i32 {
    changed(|disk| disk.truncate(file, len as usize))
}

pub(crate) fn file_flush(file: u32) -> i32 {
    changed(|disk| disk.flush(file))
}

/// The result of an operation; kills the page if it dies at this one.
fn changed(operation: impl FnOnce(&mut Disk) -> Option<i32>) -> i32 {
    match if_open(|tab| operation(&mut tab.disk)) {
        Some(Some(code)) => code,
        Some(None) => kill(),
        None => -1,
    }
}
