//! The routes of the server.

use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderName, HeaderValue, SET_COOKIE};
use hyper::{Method, Request, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::answers::{self, Answer, Answered, Refusal};
use super::assets;
use super::gate::{Gate, Refused};
use super::page_lines::PageLines;
use super::programs::{Busy, NoPlace, NotTaken, Program, ProgramArgs, Programs, Start};
use super::server::Stranger;
use super::{qr, requests};
use crate::settings::PageSettings;
use crate::table::LONGEST_LINE;

/// The header with the number of a page.
const PAGE: HeaderName = HeaderName::from_static("dealerless-page");
/// The size limit of two records together, in bytes.
const RECORDS: usize = 32 << 20;
/// The size limit of other requests, in bytes.
const SHORT: usize = 8 << 10;
/// Timeout for the body of a request.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The state that the routes use.
pub(super) struct Routes {
    pub(super) gate: Arc<Gate>,
    pub(super) programs: Arc<Programs>,
}

impl Routes {
    /// Serves a request if its sender is allowed to make it.
    pub(super) async fn answer(&self, request: Request<Incoming>, guest: &Stranger) -> Answered {
        let (head, body) = request.into_parts();
        self.gate.check_host(&head.headers)?;
        let changes = match head.method {
            Method::GET => false,
            Method::POST => true,
            _ => {
                let message = "only GET and POST are supported";
                return Err(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, message));
            }
        };
        let path = head.uri.path();
        if let Some(asset) = assets::find(path).filter(|_| !changes) {
            self.gate.check_load(&head.headers)?;
            return Ok(answers::file(asset.kind, asset.bytes));
        }
        self.gate.check_origin(&head.headers, changes)?;
        if changes && path == "/session" {
            return self.let_in(&read(body, SHORT).await?);
        }
        self.gate.check_session(&head.headers)?;
        guest.logged_in();
        let query = head.uri.query().unwrap_or("");
        match (changes, path) {
            (false, "/state") => {
                let program = self.programs.last().map(|program| program.state());
                let version = env!("CARGO_PKG_VERSION");
                Ok(ok(&json!({ "version": version, "program": program })))
            }
            (false, "/identity") => {
                let programs = self.programs.clone();
                object_of(async move { programs.identity().await }).await
            }
            (false, "/settings") => {
                let kept = self.programs.own.kept();
                kept.map(|kept| ok(&kept)).map_err(|error| failed(&error))
            }
            (true, "/settings") => {
                let new = dealerless_seat::json::read(&read(body, SHORT).await?);
                let new: PageSettings = new.map_err(Refusal::bad_request)?;
                if !new.is_known() {
                    return Err(Refusal::bad_request("unknown settings"));
                }
                let own = self.programs.own.clone();
                // It may have to wait for another process.
                let kept = tokio::task::spawn_blocking(move || own.keep(new)).await;
                let kept = kept.unwrap_or_else(|error| Err(error.into()));
                kept.map(|()| answers::done())
                    .map_err(|error| failed(&error))
            }
            (false, "/peers") => self.of_folder(&["peers", "--json"]).await,
            (false, "/matches") => self.of_folder(&["resume", "--list", "--json"]).await,
            (false, "/history") => self.of_folder(&["history", "--json"]).await,
            (false, "/show") => {
                let of = query.strip_prefix("match=").unwrap_or("").to_owned();
                let programs = self.programs.clone();
                object_of(async move { programs.hands(&of).await }).await
            }
            (false, "/play") => self.lines(true, query == "take"),
            (false, "/watch") => self.lines(false, false),
            (true, "/verify") => self.verify(query, body).await,
            (true, "/qr") => {
                let text = read(body, qr::LONGEST).await?;
                let text = std::str::from_utf8(&text).map_err(Refusal::bad_request)?;
                let squares = qr::squares(text);
                let squares =
                    squares.ok_or_else(|| Refusal::bad_request("the text is too long"))?;
                Ok(ok(&squares))
            }
            (true, "/host") => self.start(body, requests::Host::start).await,
            (true, "/join") => self.start(body, requests::Join::start).await,
            (true, "/resume") => self.start(body, requests::Resume::start).await,
            (true, "/command") => {
                let page = head
                    .headers
                    .get(PAGE)
                    .and_then(|page| page.to_str().ok()?.parse().ok());
                let page = page.ok_or_else(|| {
                    Refusal::bad_request("the number of the page is missing or invalid")
                })?;
                let line = read(body, LONGEST_LINE).await?;
                self.command(page, &line).await
            }
            (true, "/end") => {
                self.programs.end().await;
                Ok(answers::done())
            }
            _ => Err(Refusal::new(StatusCode::NOT_FOUND, "not found")),
        }
    }

    fn let_in(&self, token: &[u8]) -> Answered {
        let session = self.gate.exchange(token)?;
        let mut answer = ok(&json!({ "key": session.key }));
        let cookie = HeaderValue::from_str(&session.cookie).map_err(Refusal::bad_request)?;
        answer.headers_mut().insert(SET_COOKIE, cookie);
        Ok(answer)
    }

    async fn of_folder(&self, command: &'static [&'static str]) -> Answered {
        let programs = self.programs.clone();
        object_of(async move { programs.of_folder(command).await }).await
    }

    /// Starts the program that a page requests.
    async fn start<W: DeserializeOwned>(
        &self,
        body: Incoming,
        to_start: fn(W, &ProgramArgs) -> Start,
    ) -> Answered {
        let body = read(body, SHORT).await?;
        let request: W = dealerless_seat::json::read(&body).map_err(Refusal::bad_request)?;
        let start = to_start(request, &self.programs.own);
        let number = self.programs.start(start).await;
        let number = number.map_err(|error| failed(&error))?;
        Ok(ok(&json!({ "number": number })))
    }

    fn program(&self) -> Result<Arc<Program>, Refusal> {
        let nothing = || Refusal::new(StatusCode::NOT_FOUND, "no match is being played");
        self.programs.last().ok_or_else(nothing)
    }

    /// Sends a page the output of the program.
    fn lines(&self, plays: bool, takes: bool) -> Answered {
        let seat = self.program()?.sit(plays, takes);
        let seat = seat.map_err(|error| match error {
            NoPlace::Played => Refusal::new(StatusCode::CONFLICT, error),
            NoPlace::Watched => Refusal::new(StatusCode::TOO_MANY_REQUESTS, error),
        })?;
        let page = HeaderValue::from(seat.page);
        let mut answer = answers::lines(PageLines::of(seat));
        answer.headers_mut().insert(PAGE, page);
        Ok(answer)
    }

    async fn command(&self, page: u64, line: &[u8]) -> Answered {
        if line.iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
            return Err(Refusal::bad_request("a command must be a single line"));
        }
        match self.program()?.send(page, line).await {
            Ok(()) => Ok(answers::done()),
            Err(error @ NotTaken::Watches) => Err(Refusal::new(StatusCode::CONFLICT, error)),
            Err(error @ NotTaken::Gone) => Err(Refusal::new(StatusCode::GONE, error)),
        }
    }

    /// Verifies one or two records. The body is their concatenation, and the query has their
    /// lengths.
    async fn verify(&self, query: &str, body: Incoming) -> Answered {
        let wrong = || Refusal::bad_request("give the lengths of one or two records");
        let lengths = query.strip_prefix("lengths=").ok_or_else(wrong)?;
        let lengths: Result<Vec<usize>, _> = lengths.split(',').map(str::parse).collect();
        let lengths = lengths.ok().filter(|lengths| lengths.len() <= 2);
        let body = read(body, RECORDS).await?;
        let records: &[&[u8]] = match lengths.as_deref() {
            Some(&[length]) if length == body.len() => &[&body],
            Some(&[a, b]) if a.checked_add(b) == Some(body.len()) => &[&body[..a], &body[a..]],
            _ => return Err(wrong()),
        };
        let verified = self.programs.verified(records).await;
        verified
            .map(|proved| ok(&proved))
            .map_err(|error| failed(&error))
    }
}

fn ok(object: &impl serde::Serialize) -> Answer {
    answers::object(StatusCode::OK, object)
}

/// The object that a command prints. The command runs to its end even if the page disconnects, so
/// that the folder stays locked while the command uses it.
async fn object_of(
    command: impl Future<Output = anyhow::Result<Value>> + Send + 'static,
) -> Answered {
    let object = tokio::spawn(command).await;
    let object = object.unwrap_or_else(|error| Err(error.into()));
    object
        .map(|object| ok(&object))
        .map_err(|error| failed(&error))
}

fn failed(error: &anyhow::Error) -> Refusal {
    let status = if error.is::<Busy>() {
        StatusCode::CONFLICT
    } else {
        StatusCode::INTERNAL_SERVER_ERROR
    };
    Refusal::new(status, format!("{error:#}"))
}

/// Reads a whole body, with a size limit and a timeout.
async fn read(body: Incoming, most: usize) -> Result<Bytes, Refusal> {
    let body = timeout(TIMEOUT, Limited::new(body, most).collect()).await;
    let late = |_| {
        Refusal::new(
            StatusCode::REQUEST_TIMEOUT,
            "the request did not arrive in time",
        )
    };
    match body.map_err(late)? {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => {
            let message = format!("the limit is {most} bytes");
            Err(Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message))
        }
        Err(error) => Err(Refusal::bad_request(error)),
    }
}

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Self {
        let status = match refused {
            Refused::Used => StatusCode::GONE,
            _ => StatusCode::FORBIDDEN,
        };
        Refusal::new(status, refused)
    }
}
