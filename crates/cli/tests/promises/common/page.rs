//! A client of the page's server, for requests of the page itself and for requests that must be
//! refused.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;

use serde_json::Value;

use super::processes::LIMIT;
use super::side::Side;

/// A program that serves a page, and the secrets of this page.
pub struct Page {
    pub program: Side,
    /// `127.0.0.1:PORT`.
    pub host: String,
    /// The token in the printed address.
    pub token: String,
    cookie: String,
    key: String,
}

/// A response.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// The headers, with names in lower case.
    pub head: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut of_name = self.head.iter().filter(|(header, _)| header == name);
        of_name.next().map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    /// The status and message of a refusal.
    pub fn refused(&self) -> (u16, String) {
        let message = self.json()["error"]["message"].clone();
        (self.status, message.as_str().expect("a message").to_owned())
    }
}

/// The response to `/play` or `/watch`. Its body is the events of a program, one per line.
pub struct Lines {
    lines: BufReader<TcpStream>,
    /// The number of the page, which its commands must carry.
    pub page: String,
}

/// A request that was sent and whose response was not read.
pub struct PendingRequest(TcpStream);

impl PendingRequest {
    /// Waits for the status of the response.
    pub fn status(self) -> u16 {
        head(&mut BufReader::new(self.0)).status
    }
}

impl Page {
    /// Starts a program with a page, and opens its address.
    pub fn start(folder: &Path, args: &[&str]) -> Self {
        let mut page = Page::closed(folder, args);
        page.open();
        page
    }

    /// Starts a program with a page, without opening its address.
    pub fn closed(folder: &Path, args: &[&str]) -> Self {
        let table = ["table", "--no-open", "--json"];
        let this = Path::new(env!("CARGO_BIN_EXE_dealerless"));
        Page::of_program(this, folder, &[&table, args].concat())
    }

    /// Starts a copy of the program with a page, without opening its address.
    pub fn of_program(program: &Path, folder: &Path, args: &[&str]) -> Self {
        let mut program = Side::start_program(program, folder, args);
        let address = program.event()["address"].as_str().unwrap().to_owned();
        let address = address.strip_prefix("http://").unwrap();
        let (host, token) = address.split_once("/#").unwrap();
        Page {
            host: host.into(),
            token: token.into(),
            program,
            cookie: String::new(),
            key: String::new(),
        }
    }

    pub fn open(&mut self) {
        let session = self.request("POST", "/session", &self.origin(), self.token.as_bytes());
        assert_eq!(session.status, 200, "{session:?}");
        let cookie = session.header("set-cookie").unwrap();
        self.cookie = cookie.split(';').next().unwrap().into();
        self.key = session.json()["key"].as_str().unwrap().into();
    }

    pub fn origin(&self) -> Vec<(&'static str, String)> {
        vec![
            ("host", self.host.clone()),
            ("origin", format!("http://{}", self.host)),
        ]
    }

    /// The headers of a request that the page itself sends.
    pub fn own(&self) -> Vec<(&'static str, String)> {
        let secrets = [("cookie", &self.cookie), ("dealerless-key", &self.key)];
        let secrets = secrets.map(|(name, value)| (name, value.clone()));
        [self.origin(), secrets.to_vec()].concat()
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).expect("cannot connect");
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        stream.set_write_timeout(Some(LIMIT)).unwrap();
        stream
    }

    /// Sends a request with these headers.
    pub fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, String)],
        body: &[u8],
    ) -> Answer {
        let mut stream = self.connect();
        send(&mut stream, method, path, headers, body);
        let mut lines = BufReader::new(stream);
        let mut answer = head(&mut lines);
        // The response may be cut off if the server did not read the whole request.
        let _ = lines.read_to_end(&mut answer.body);
        answer
    }

    /// Sends a GET request of the page.
    pub fn get(&self, path: &str) -> Answer {
        self.request("GET", path, &self.own(), b"")
    }

    /// Sends a request without waiting for the response.
    pub fn ask(&self, path: &str) -> PendingRequest {
        let mut stream = self.connect();
        send(&mut stream, "GET", path, &self.own(), b"");
        PendingRequest(stream)
    }

    /// Sends a GET request. Returns the status, and does not read the body, which may have no end.
    pub fn status(&self, path: &str) -> u16 {
        self.ask(path).status()
    }

    /// Sends a POST request of the page.
    pub fn post(&self, path: &str, body: &[u8]) -> Answer {
        self.request("POST", path, &self.own(), body)
    }

    /// Sends a command as the page with this number.
    pub fn command(&self, page: &str, command: &[u8]) -> Answer {
        let mut headers = self.own();
        headers.push(("dealerless-page", page.to_owned()));
        self.request("POST", "/command", &headers, command)
    }

    /// Reads the events at `/play`, `/play?take` or `/watch`.
    pub fn lines(&self, path: &str) -> Lines {
        let mut stream = self.connect();
        send(&mut stream, "GET", path, &self.own(), b"");
        let mut lines = BufReader::new(stream);
        let answer = head(&mut lines);
        assert_eq!(answer.status, 200, "{path}");
        let page = answer.header("dealerless-page").unwrap().to_owned();
        Lines { lines, page }
    }

    /// The state of the last program.
    pub fn state(&self) -> Value {
        self.get("/state").json()["program"].clone()
    }

    /// The id of the process that plays for the page.
    pub fn behind(&self) -> String {
        let id = self.program.child.id();
        let children = format!("/proc/{id}/task/{id}/children");
        let children = std::fs::read_to_string(children).expect("a system with /proc");
        children
            .split_whitespace()
            .next()
            .expect("a child")
            .to_owned()
    }
}

impl Lines {
    /// The next event; `None` at the end of the body.
    pub fn event(&mut self) -> Option<Value> {
        loop {
            // The body comes in chunks, each after its length. Lines of JSON begin with a brace.
            let mut line = String::new();
            let read = self.lines.read_line(&mut line).expect("in time");
            match line.trim() {
                _ if read == 0 => return None,
                "0" => return None,
                line if line.starts_with('{') => {
                    return Some(serde_json::from_str(line).expect("JSON"));
                }
                _ => {}
            }
        }
    }

    pub fn until(&mut self, kind: &str) -> Value {
        loop {
            let event = self
                .event()
                .unwrap_or_else(|| panic!("the events ended before {kind}"));
            if event["event"] == kind {
                return event;
            }
        }
    }

    /// All remaining events.
    pub fn rest(mut self) -> Vec<Value> {
        std::iter::from_fn(|| self.event()).collect()
    }
}

fn send(stream: &mut TcpStream, method: &str, path: &str, headers: &[(&str, String)], body: &[u8]) {
    let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    if method == "POST" {
        head += &format!("content-length: {}\r\n", body.len());
    }
    stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
    // The server may refuse the body without reading it.
    let _ = stream.write_all(body);
}

fn head(lines: &mut impl BufRead) -> Answer {
    let mut line = || {
        let mut line = String::new();
        lines.read_line(&mut line).expect("an answer in time");
        line.trim_end().to_owned()
    };
    let status = line();
    let status = status
        .split(' ')
        .nth(1)
        .unwrap_or_else(|| panic!("not a response: {status:?}"));
    let status = status.parse().expect("a status");
    let pair = |line: String| {
        let (name, value) = line.split_once(':').expect("a header");
        (name.to_ascii_lowercase(), value.trim().to_owned())
    };
    let lines = std::iter::from_fn(|| Some(line()).filter(|line| !line.is_empty()));
    Answer {
        status,
        head: lines.map(pair).collect(),
        body: Vec::new(),
    }
}
