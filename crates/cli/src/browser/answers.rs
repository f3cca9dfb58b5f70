//! HTTP responses. Each has headers that keep other pages from using it.

use std::convert::Infallible;

use http_body_util::{Either, Full};
use hyper::body::Bytes;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use serde::Serialize;
use serde_json::json;

use super::page_lines::PageLines;

/// A response with a complete body or a stream of lines.
pub(super) type Answer = Response<Either<Full<Bytes>, PageLines>>;

/// The page may load files of this server, cannot run text as a script, and cannot be in a frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/// The headers of every response.
const HEADERS: [(HeaderName, &str); 7] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (header::CACHE_CONTROL, "no-store"),
];

const JSON: &str = "application/json";
/// A stream of lines of the table protocol.
const JSON_LINES: &str = "application/jsonl";

fn answer(status: StatusCode, kind: &'static str, body: Either<Full<Bytes>, PageLines>) -> Answer {
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    let headers: &mut HeaderMap = answer.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    answer
}

/// A file of the page.
pub(super) fn file(kind: &'static str, bytes: &'static [u8]) -> Answer {
    answer(
        StatusCode::OK,
        kind,
        Either::Left(Full::new(Bytes::from_static(bytes))),
    )
}

/// A JSON object.
pub(super) fn object(status: StatusCode, object: &impl Serialize) -> Answer {
    let body = serde_json::to_vec(object).unwrap_or_default();
    answer(status, JSON, Either::Left(Full::new(body.into())))
}

/// Success without content.
pub(super) fn done() -> Answer {
    answer(StatusCode::NO_CONTENT, JSON, Either::Left(Full::default()))
}

/// A stream of lines.
pub(super) fn lines(lines: PageLines) -> Answer {
    answer(StatusCode::OK, JSON_LINES, Either::Right(lines))
}

/// The reason why a request was refused.
pub(super) struct Refusal {
    status: StatusCode,
    message: String,
}

/// The result of a route.
pub(super) type Answered = Result<Answer, Refusal>;

impl Refusal {
    pub(super) fn new(status: StatusCode, message: impl ToString) -> Self {
        Refusal {
            status,
            message: message.to_string(),
        }
    }

    /// A refusal because the request is invalid.
    pub(super) fn bad_request(message: impl ToString) -> Self {
        Refusal::new(StatusCode::BAD_REQUEST, message)
    }

    fn answer(self) -> Answer {
        object(
            self.status,
            &json!({ "error": { "message": self.message } }),
        )
    }
}

/// The response for any result of a route.
pub(super) fn into_answer(answered: Answered) -> Result<Answer, Infallible> {
    Ok(answered.unwrap_or_else(Refusal::answer))
}
