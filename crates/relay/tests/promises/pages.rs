//! The files of a page, and hostile requests.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;

use dealerless_relay::{Page, Settings};

use super::clients::{OPEN, Running, line};

const INDEX: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'\">";

fn built(folder: &Path) {
    let version = folder.join("site/v-12/deep");
    fs::create_dir_all(&version).unwrap();
    fs::write(folder.join("secret.txt"), "a secret").unwrap();
    let site = folder.join("site");
    fs::write(site.join("index.html"), INDEX).unwrap();
    fs::write(site.join("_headers"), "/*\n  X: y\n").unwrap();
    fs::write(site.join(".hidden"), "hidden").unwrap();
    fs::write(site.join("v-12/seat.wasm"), vec![0; 100_000]).unwrap();
    fs::write(version.join("a.js"), "export {};").unwrap();
}

fn serving() -> (tempfile::TempDir, Running) {
    let folder = tempfile::tempdir().unwrap();
    built(folder.path());
    let page = Page::read(&folder.path().join("site")).unwrap();
    let relay = Running::with(Settings {
        page: Some(page),
        ..Settings::default()
    });
    (folder, relay)
}

/// The head and the body of the answer to a request.
fn ask(relay: &Running, request: &str) -> (String, Vec<u8>) {
    let mut connection = relay.connect();
    connection.send(format!("{request}\r\nHost: relay\r\n\r\n").as_bytes());
    let mut bytes = Vec::new();
    connection.0.read_to_end(&mut bytes).unwrap();
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
    let body = bytes.split_off(end.expect("a head") + 4);
    (String::from_utf8(bytes).unwrap(), body)
}

#[test]
fn files_have_their_types_and_headers() {
    let (_folder, relay) = serving();
    for path in ["/", "/index.html", "/?a=b"] {
        let (head, body) = ask(&relay, &format!("GET {path} HTTP/1.1"));
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        for header in [
            "Content-Type: text/html; charset=utf-8",
            "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options: nosniff",
            "Referrer-Policy: no-referrer",
            "Cross-Origin-Opener-Policy: same-origin",
            "Cross-Origin-Resource-Policy: same-origin",
            "Cache-Control: no-cache",
        ] {
            assert!(head.contains(&format!("\r\n{header}\r\n")), "{header}");
        }
        assert_eq!(body, INDEX.as_bytes());
    }
    let (head, body) = ask(&relay, "GET /v-12/deep/a.js HTTP/1.1");
    assert!(head.contains("Content-Type: text/javascript"));
    assert!(head.contains("Cache-Control: public, max-age=31536000, immutable\r\n"));
    assert_eq!(body, b"export {};");
    let (head, body) = ask(&relay, "HEAD /v-12/seat.wasm HTTP/1.1");
    assert!(head.contains("Content-Type: application/wasm\r\n"));
    assert!(head.contains("Content-Length: 100000\r\n"));
    assert!(body.is_empty());
}

#[test]
fn large_files_are_sent_compressed() {
    let (_folder, relay) = serving();
    let request = "GET /v-12/seat.wasm HTTP/1.1\r\nAccept-Encoding: br, gzip";
    let (head, body) = ask(&relay, request);
    assert!(head.contains("Content-Encoding: gzip\r\n"));
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(&*body)
        .read_to_end(&mut plain)
        .unwrap();
    assert!(plain == vec![0; 100_000]);
}

#[test]
fn only_files_of_the_page_are_served() {
    let (_folder, relay) = serving();
    for path in [
        "/../secret.txt",
        "/v-12/../../secret.txt",
        "/..%2fsecret.txt",
        "//secret.txt",
        "/_headers",
        "/.hidden",
        "/v-12",
        "/v-12/",
        "/missing",
        "index.html",
        "*",
    ] {
        let (head, _) = ask(&relay, &format!("GET {path} HTTP/1.1"));
        assert!(head.starts_with("HTTP/1.1 404 "), "{path}: {head}");
    }
    let (head, _) = ask(&relay, "DELETE / HTTP/1.1");
    assert!(head.starts_with("HTTP/1.1 405 "), "{head}");
    // Without a page there is none.
    let (head, _) = ask(&Running::new(), "GET / HTTP/1.1");
    assert!(head.starts_with("HTTP/1.1 404 "), "{head}");
}

#[cfg(unix)]
#[test]
fn links_out_of_the_folder_are_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    built(folder.path());
    let site = folder.path().join("site");
    std::os::unix::fs::symlink("../secret.txt", site.join("link.txt")).unwrap();
    std::os::unix::fs::symlink("..", site.join("up")).unwrap();
    let page = Page::read(&site).unwrap();
    let relay = Running::with(Settings {
        page: Some(page),
        ..Settings::default()
    });
    for path in ["/link.txt", "/up/secret.txt"] {
        let (head, _) = ask(&relay, &format!("GET {path} HTTP/1.1"));
        assert!(head.starts_with("HTTP/1.1 404 "), "{path}: {head}");
    }
}

#[test]
fn folder_that_is_not_a_page_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert!(Page::read(folder.path()).is_err());
    assert!(Page::read(&folder.path().join("missing")).is_err());
    fs::write(folder.path().join("index.html"), "<p>Hello").unwrap();
    assert!(Page::read(folder.path()).is_err());
}

#[test]
fn page_and_relay_share_the_port() {
    let (_folder, relay) = serving();
    let mut pair = [relay.says(&line(1, 1)), relay.says(&line(1, 2))];
    pair.iter_mut().for_each(|end| end.expect("ok\n"));
    let mut page = relay.opens(OPEN);
    super::clients::code_of(&mut page);
}

#[test]
fn malformed_and_large_requests_are_refused() {
    let relay = Running::new();
    let many = "A: b\r\n".repeat(100);
    let long = "b".repeat(9000);
    for (request, status) in [
        ("GET / HTTP/9.9\r\n\r\n", "400"),
        ("GET\0/ HTTP/1.1\r\n\r\n", "400"),
        ("NONSENSE\n\n", "400"),
        (&format!("GET / HTTP/1.1\r\nA: {long}"), "431"),
        (&format!("GET /{long}"), "431"),
        (&format!("GET / HTTP/1.1\r\n{many}\r\n"), "431"),
    ] {
        let mut connection = relay.connect();
        connection.0.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        connection.0.read_to_string(&mut answer).unwrap();
        let begin = format!("HTTP/1.1 {status} ");
        assert!(answer.starts_with(&begin), "{request:?}: {answer}");
    }
}
