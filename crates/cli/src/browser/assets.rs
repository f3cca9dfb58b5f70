//! The files of the page, from `crates/cli/page`. `protocol.js` and `types.js` are not served, because they
//! contain only types.

/// A file of the page.
pub(super) struct Asset {
    /// The media type.
    pub(super) kind: &'static str,
    pub(super) bytes: &'static [u8],
}

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const PICTURE: &str = "image/svg+xml";

/// Embeds a file of `crates/cli/page`.
macro_rules! asset {
    ($kind:expr, $name:literal) => {
        Asset {
            kind: $kind,
            bytes: include_bytes!(concat!("../../page/", $name)),
        }
    };
}

/// The file at a path.
pub(super) fn find(path: &str) -> Option<Asset> {
    Some(match path {
        "/" => asset!(HTML, "index.html"),
        "/icon.svg" => asset!(PICTURE, "icon.svg"),
        "/style.css" => asset!(STYLE, "style.css"),
        "/lobby.css" => asset!(STYLE, "lobby.css"),
        "/actions.js" => asset!(SCRIPT, "actions.js"),
        "/after.js" => asset!(SCRIPT, "after.js"),
        "/answers.js" => asset!(SCRIPT, "answers.js"),
        "/between.js" => asset!(SCRIPT, "between.js"),
        "/boards.js" => asset!(SCRIPT, "boards.js"),
        "/cards.js" => asset!(SCRIPT, "cards.js"),
        "/cost.js" => asset!(SCRIPT, "cost.js"),
        "/deck.js" => asset!(SCRIPT, "deck.js"),
        "/dom.js" => asset!(SCRIPT, "dom.js"),
        "/invite.js" => asset!(SCRIPT, "invite.js"),
        "/lobby.js" => asset!(SCRIPT, "lobby.js"),
        "/log.js" => asset!(SCRIPT, "log.js"),
        "/main.js" => asset!(SCRIPT, "main.js"),
        "/match.js" => asset!(SCRIPT, "match.js"),
        "/places.js" => asset!(SCRIPT, "places.js"),
        "/rematch.js" => asset!(SCRIPT, "rematch.js"),
        "/server.js" => asset!(SCRIPT, "server.js"),
        "/settings.js" => asset!(SCRIPT, "settings.js"),
        "/table.js" => asset!(SCRIPT, "table.js"),
        "/trouble.js" => asset!(SCRIPT, "trouble.js"),
        "/verify.js" => asset!(SCRIPT, "verify.js"),
        "/words.js" => asset!(SCRIPT, "words.js"),
        _ => return None,
    })
}
