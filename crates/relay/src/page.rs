//! The files of a page, with their answers, in memory.

use std::collections::HashMap;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;

/// The files of a folder that `crates/web/build` has written. They are read once, and only they are
/// served, so no request reaches any other file.
pub struct Page {
    answers: HashMap<String, Answers>,
}

/// The answers for a file.
struct Answers {
    plain: Answer,
    /// Absent if the file does not get smaller.
    gzip: Option<Answer>,
}

/// A complete answer.
#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) bytes: Arc<[u8]>,
    /// The length of its head, which is the answer to `HEAD`.
    pub(crate) head: usize,
}

/// The file that is also served at `/`.
const INDEX: &str = "/index.html";
/// The maximum size of all files, in bytes.
const MAX_SIZE: usize = 64 << 20;

impl Page {
    /// Reads the files of a folder.
    ///
    /// # Errors
    /// If the folder cannot be read, is too large, or was not written by `crates/web/build`.
    pub fn read(folder: &Path) -> io::Result<Self> {
        let mut files = Vec::new();
        let mut left = MAX_SIZE;
        collect(folder, "/", &mut files, &mut left)?;
        let index = files.iter().find(|(path, _)| path == INDEX);
        let index = index.and_then(|(_, bytes)| str::from_utf8(bytes).ok());
        let policy = index.and_then(policy).ok_or_else(|| {
            let why = "index.html is missing or names no Content-Security-Policy";
            io::Error::new(ErrorKind::InvalidData, why)
        })?;
        let headers = headers(policy);
        let answers = files.iter().map(|(path, bytes)| {
            let answers = Answers::new(path, bytes, &headers);
            (path.clone(), answers)
        });
        let answers = answers.collect();
        Ok(Page { answers })
    }

    /// The answer to a request for this path.
    pub(crate) fn answer(&self, path: &str, gzip: bool) -> Option<Answer> {
        let path = if path == "/" { INDEX } else { path };
        let file = self.answers.get(path)?;
        let zipped = file.gzip.as_ref().filter(|_| gzip);
        Some(zipped.unwrap_or(&file.plain).clone())
    }
}

/// The policy of a page. `index.html` is the file that has it, because only `crates/web/build` knows
/// the relays that the page may reach.
fn policy(index: &str) -> Option<&str> {
    let (_, rest) = index.split_once("http-equiv=\"Content-Security-Policy\" content=\"")?;
    let (policy, _) = rest.split_once('"')?;
    let is_plain = policy.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    is_plain.then_some(policy)
}

/// The headers of all files, as in docs/browser-guest.md. Only a header can forbid frames.
fn headers(policy: &str) -> String {
    format!(
        "Content-Security-Policy: {policy}; frame-ancestors 'none'\r\n\
         X-Content-Type-Options: nosniff\r\n\
         Referrer-Policy: no-referrer\r\n\
         Cross-Origin-Opener-Policy: same-origin\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\n\
         Vary: Accept-Encoding\r\n\
         Connection: close\r\n"
    )
}

/// Reads the files of a folder and its folders. Files whose names begin with `_` or `.` are for
/// servers.
fn collect(
    folder: &Path,
    prefix: &str,
    files: &mut Vec<(String, Vec<u8>)>,
    left: &mut usize,
) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| !name.starts_with(['_', '.'])) else {
            continue;
        };
        let path = format!("{prefix}{name}");
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect(&entry.path(), &format!("{path}/"), files, left)?;
        } else if kind.is_file() {
            let size = usize::try_from(entry.metadata()?.len()).unwrap_or(usize::MAX);
            *left = left.checked_sub(size).ok_or_else(|| {
                let why = format!("the files have more than {} MiB", MAX_SIZE >> 20);
                io::Error::new(ErrorKind::InvalidData, why)
            })?;
            files.push((path, fs::read(entry.path())?));
        }
    }
    Ok(())
}

impl Answers {
    fn new(path: &str, bytes: &[u8], headers: &str) -> Self {
        // The names of folders `v-…` contain the digest of their files.
        let cache = if path.starts_with("/v-") {
            "public, max-age=31536000, immutable"
        } else {
            "no-cache"
        };
        let kind = content_type(path);
        let headers = format!("{headers}Content-Type: {kind}\r\nCache-Control: {cache}\r\n");
        let zipped = gzip(bytes);
        Answers {
            plain: Answer::new(&headers, bytes),
            gzip: (zipped.len() < bytes.len())
                .then(|| Answer::new(&format!("{headers}Content-Encoding: gzip\r\n"), &zipped)),
        }
    }
}

impl Answer {
    fn new(headers: &str, body: &[u8]) -> Self {
        let len = body.len();
        let head = format!("HTTP/1.1 200 OK\r\n{headers}Content-Length: {len}\r\n\r\n");
        Answer {
            bytes: [head.as_bytes(), body].concat().into(),
            head: head.len(),
        }
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(bytes);
    written
        .and_then(|()| encoder.finish())
        .expect("a vector accepts all bytes")
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("wasm") => "application/wasm",
        Some("webmanifest") => "application/manifest+json",
        _ => "application/octet-stream",
    }
}
