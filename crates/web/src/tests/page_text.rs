//! Requests and commands that no good page sends.

use serde_json::json;

use super::disk::Disk;
use super::native_host::{NativeHost, deck};
use super::playing::{FILES, agree, error, join, joins, passive, react};
use super::tab::{Act, Player, command, open, plays, request};
use crate::page;

/// Runs `work` in a page that nobody calls.
fn in_page<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> R {
    let relays = Box::new(|_: usize, _: &str| unreachable!());
    let closed = open(Disk::new(FILES), relays, passive(), move || {
        page::start(FILES as u32).unwrap();
        work()
    });
    closed.result.unwrap()
}

const PATHS: [(bool, &str); 13] = [
    (false, "/state"),
    (false, "/identity"),
    (false, "/peers"),
    (false, "/matches"),
    (false, "/history"),
    (false, "/show?match=abcd"),
    (false, "/record?match=abcd"),
    (true, "/verify?lengths=3"),
    (true, "/verify?lengths=1,2"),
    (true, "/join"),
    (true, "/resume"),
    (true, "/end"),
    (true, "/nothing"),
];

#[test]
fn request_with_any_body_has_an_answer_and_starts_nothing() {
    in_page(|| {
        let deep = "[".repeat(100_000);
        let whom = "dealerless2-".to_owned() + &"a".repeat(100_000);
        for body in [
            "",
            "{}",
            "null",
            "[]",
            "\u{0}",
            "{\"whom\":1}",
            "{\"match\":\"\"}",
            "{\"match\":\"é\"}",
            "{\"whom\":\"dealerless2-x\",\"relay\":\"wss://r\"}",
            &deep,
            &json!({ "whom": whom, "relay": "wss://r" }).to_string(),
            &json!({ "whom": "", "relay": "wss://r", "name": "n".repeat(100_000) }).to_string(),
        ] {
            for (is_post, path) in PATHS {
                let (status, answer) = request(is_post, path, body.as_bytes());
                assert!([200, 404, 500].contains(&status), "{path}: {status}");
                assert_eq!(
                    status == 200,
                    answer.get("error").is_none(),
                    "{path}: {answer}"
                );
            }
            assert!(
                super::tab::with_tab(|tab| tab.lines.is_empty()),
                "a program has started"
            );
        }
    });
}

#[test]
fn lengths_of_records_that_do_not_fit_the_body_are_an_error() {
    in_page(|| {
        for lengths in [
            "",
            "lengths=",
            "lengths=4",
            "lengths=1,1",
            "lengths=2,2",
            "lengths=18446744073709551615,4",
            "lengths=3,0,0",
            "lengths=-1,4",
            "lengths=x",
        ] {
            let (status, answer) = request(true, &format!("/verify?{lengths}"), b"abc");
            assert_eq!(status, 500, "{lengths}: {answer}");
        }
        let (status, answer) = request(true, "/verify?lengths=3,0", b"abc");
        assert_eq!((status, &answer["exit_code"]), (200, &json!(4)));
    });
}

#[test]
fn commands_that_make_no_sense_are_refused_at_every_stage() {
    let host = NativeHost::new(deck(1), Vec::new());
    let odd: Player = Box::new(|event| {
        let mut acts: Vec<Act> = Vec::new();
        // The answer to a refusal would have no end.
        if event["event"] != "error" {
            let long = "x".repeat(9 << 10);
            for line in [
                "",
                "{}",
                "null",
                "{\"do\":\"nothing\"}",
                "{\"do\":\"call\",\"turn\":-1}",
                "{\"do\":\"fold\",\"turn\":99}",
                "{\"do\":\"goods\",\"what\":\"x\"}",
                "{\"do\":\"accept\",\"fingerprint\":\"x\"}",
                "{\"do\":\"again\"}",
                "{\"do\":\"stay\"}",
                "{\"do\":\"close\"}",
                "{\"do\":\"rebuy\",\"agree\":true}",
                "{\"do\":\"bet\",\"to\":18446744073709551615}",
                "{\"do\":\"steal\",\"from\":255}",
                "{\"do\":\"reveal\",\"position\":65535}",
                "{\"do\":\"agree\",\"proposal\":4294967295}",
                "{\"do\":\"roll\",\"dice\":\"99999999d99999999\"}",
                &long,
            ] {
                acts.push(command(line));
            }
            acts.push(Act::Post(
                "/join".into(),
                br#"{"whom":"x","relay":"wss://r"}"#.to_vec(),
            ));
            acts.push(Act::Post(
                "/resume".into(),
                br#"{"match":"0000","close":true}"#.to_vec(),
            ));
            acts.push(Act::Get("/matches".into()));
            acts.push(Act::Get("/history".into()));
        }
        acts.extend(react(event));
        acts
    });
    let closed = open(
        Disk::new(FILES),
        joins(&host),
        odd,
        plays("/join", join(&host)),
    );
    assert_eq!(closed.result, Some(Ok(0)), "{}", error(&closed.lines));
    let refused = closed.lines.iter().filter(|line| line["event"] == "error");
    assert!(refused.count() > 40);
    agree(&closed.disk, &host.end());
}
