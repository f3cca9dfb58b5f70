//! The requests of a page, as arguments of the program. Each value is a separate argument that
//! cannot become another option. The program itself reports invalid values.

use std::ffi::OsString;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::programs::{ProgramArgs, Start};
use crate::join::FROM_INPUT;

/// A request to host a match.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all(serialize = "kebab-case"))]
pub(super) struct Host {
    #[serde(skip_serializing)]
    name: Option<String>,
    /// The fingerprint of a known player who needs no invite.
    #[serde(rename = "for")]
    guest: Option<String>,
    game: String,
    seats: Option<u8>,
    #[serde(default)]
    open: bool,
    may_leave: Option<u8>,
    #[serde(default)]
    accept_two_tables: bool,
    hands: Option<u32>,
    stack: Option<u64>,
    blinds: Option<String>,
    ante: Option<String>,
    time: Option<String>,
    cards: Option<u32>,
    kinds: Option<String>,
    draw: Option<u32>,
    boards: Option<u32>,
    algorithm: Option<String>,
    listen: Option<String>,
    advertise: Option<String>,
    relay: Option<String>,
}

/// A request to join a host.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all(serialize = "kebab-case"))]
pub(super) struct Join {
    #[serde(skip_serializing)]
    name: Option<String>,
    #[serde(skip_serializing)]
    whom: String,
    at: Option<String>,
    relay: Option<String>,
}

/// A request to resume a match, or to close it here.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all(serialize = "kebab-case"))]
pub(super) struct Resume {
    #[serde(rename = "match", skip_serializing)]
    of: String,
    at: Option<String>,
    listen: Option<String>,
    relay: Option<String>,
    #[serde(default)]
    close: bool,
}

/// An option for each field of a request that has a value and is not an argument of its own.
fn options(request: &impl Serialize) -> Vec<OsString> {
    let fields = serde_json::to_value(request).expect("fields with names");
    let fields = fields.as_object().into_iter().flatten();
    let option = |(name, value): (&String, &Value)| match value {
        Value::Null | Value::Bool(false) => None,
        Value::Bool(true) => Some(format!("--{name}")),
        Value::String(text) => Some(format!("--{name}={text}")),
        number => Some(format!("--{name}={number}")),
    };
    fields.filter_map(option).map(OsString::from).collect()
}

/// A command that plays, under the name from the page if there is one.
fn playing(
    command: &str,
    own: &ProgramArgs,
    name: Option<&str>,
    options: Vec<OsString>,
) -> Vec<OsString> {
    let mut args: Vec<OsString> = vec![command.into(), "--json".into(), "--pause".into()];
    args.extend(own.player(name));
    args.extend(options);
    args
}

/// Adds a positional argument from a page, after `--`, so that it is not read as an option.
fn with_name(mut args: Vec<OsString>, name: String) -> Vec<OsString> {
    args.extend(["--".into(), name.into()]);
    args
}

impl Host {
    pub(super) fn start(self, own: &ProgramArgs) -> Start {
        Start {
            args: playing("host", own, self.name.as_deref(), options(&self)),
            first_line: None,
        }
    }
}

impl Join {
    pub(super) fn start(self, own: &ProgramArgs) -> Start {
        let playing = playing("join", own, self.name.as_deref(), options(&self));
        Start {
            args: with_name(playing, FROM_INPUT.into()),
            // A single line: the next one would be a command.
            first_line: Some(self.whom.replace(char::is_control, " ")),
        }
    }
}

impl Resume {
    pub(super) fn start(self, own: &ProgramArgs) -> Start {
        Start {
            args: with_name(playing("resume", own, None, options(&self)), self.of),
            first_line: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json};

    use super::*;
    use crate::table::FolderArgs;

    fn own_of(home: Option<&str>, name: Option<&str>) -> ProgramArgs {
        let (home, identity) = (home.map(Into::into), None);
        ProgramArgs::new(&FolderArgs { home, identity }, name)
    }

    fn own() -> ProgramArgs {
        own_of(Some("/a b"), Some("--auto"))
    }

    fn words(line: &str) -> Vec<&str> {
        line.split_whitespace().collect()
    }

    #[test]
    fn values_from_a_page_are_never_options() {
        let host: Host = from_value(json!({
            "game": "deck --auto", "kinds": "--no-open", "hands": 3,
        }))
        .unwrap();
        let args = host.start(&own()).args;
        let expected = [
            "host",
            "--json",
            "--pause",
            "--home",
            "/a b",
            "--name=--auto",
            "--game=deck --auto",
            "--hands=3",
            "--kinds=--no-open",
        ];
        assert_eq!(args, expected);
        let join: Join = from_value(json!({ "whom": "--auto", "at": "a:1" })).unwrap();
        let expected = [
            "join",
            "--json",
            "--pause",
            "--home",
            "/a b",
            "--name=--auto",
            "--at=a:1",
            "--",
            "-",
        ];
        let start = join.start(&own());
        assert_eq!(start.args, expected);
        assert_eq!(start.first_line.as_deref(), Some("--auto"));
        let resume: Resume = from_value(json!({ "match": "ab", "close": true })).unwrap();
        let expected = [
            "resume",
            "--json",
            "--pause",
            "--home",
            "/a b",
            "--name=--auto",
            "--close",
            "--",
            "ab",
        ];
        assert_eq!(resume.start(&own()).args, expected);
    }

    #[test]
    fn each_field_becomes_the_option_of_the_same_name() {
        let own = own_of(None, None);
        let host: Host = from_value(json!({
            "name": "i", "for": "j", "game": "a", "seats": 6, "open": true, "may_leave": 7, "accept_two_tables": true, "hands": 1, "stack": 2, "blinds": "b", "ante": "c",
            "time": "d", "cards": 3, "kinds": "e", "draw": 4, "boards": 5, "algorithm": "k", "listen": "f",
            "advertise": "g", "relay": "h",
        }))
        .unwrap();
        let expected = "host --json --pause --name=i --accept-two-tables --advertise=g --algorithm=k --ante=c --blinds=b --boards=5 \
            --cards=3 --draw=4 --for=j --game=a --hands=1 --kinds=e --listen=f --may-leave=7 --open --relay=h --seats=6 --stack=2 --time=d";
        assert_eq!(host.start(&own).args, words(expected));
        let join = json!({ "name": "d", "whom": "a", "at": "b", "relay": "c" });
        let join: Join = from_value(join).unwrap();
        let expected = "join --json --pause --name=d --at=b --relay=c -- -";
        let start = join.start(&own);
        assert_eq!(start.args, words(expected));
        assert_eq!(start.first_line.as_deref(), Some("a"));
        let resume = json!({ "match": "a", "at": "b", "listen": "c", "relay": "d" });
        let resume: Resume = from_value(resume).unwrap();
        let expected = "resume --json --pause --at=b --listen=c --relay=d -- a";
        assert_eq!(resume.start(&own).args, words(expected));
    }

    #[test]
    fn a_name_from_the_page_replaces_the_name_from_the_command_line() {
        let own = own_of(None, Some("Anna"));
        let join = |join| from_value::<Join>(join).unwrap().start(&own).args;
        let named = join(json!({ "whom": "a", "name": "Bert" }));
        assert_eq!(named, words("join --json --pause --name=Bert -- -"));
        let unnamed = join(json!({ "whom": "a" }));
        assert_eq!(unnamed, words("join --json --pause --name=Anna -- -"));
    }

    #[test]
    fn the_invite_is_a_single_line() {
        let join = json!({ "whom": "a\r\n{\"command\":\"leave\"}\n" });
        let join: Join = from_value(join).unwrap();
        let line = join.start(&own()).first_line.unwrap();
        assert_eq!(line, "a  {\"command\":\"leave\"} ");
    }

    #[test]
    fn unknown_fields_are_refused() {
        assert!(from_value::<Host>(json!({ "game": "deck", "auto": true })).is_err());
        assert!(from_value::<Host>(json!({ "hands": 3 })).is_err());
        assert!(from_value::<Join>(json!({ "whom": ["a"] })).is_err());
        assert!(from_value::<Resume>(json!({ "match": "a", "forfeit": true })).is_err());
    }
}
