//! Two players deal boards that nobody knows, keep them sealed over a restart, open them, and later
//! prove what was dealt. With the two players' own sheets the same boards can be dealt by hand.
#![cfg(unix)]

use dealerless_connection::identity::Home;
use dealerless_connection::storage::DiskStorage;
use dealerless_connection::system_rng;

use crate::common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use common::matches::{file, host_at, resume, run};
use common::processes::free_address;
use common::side::{Side, folders, of_kind};
use dealerless_bridge::formats::Format;
use dealerless_bridge::{Board, Card, Compass, Deal};
use dealerless_table::log::Inputs;
use dealerless_table::record::Record;
use serde_json::{Value, json};

const BOARDS: usize = 6;

fn open(positions: impl Iterator<Item = (usize, Value)>, turn: &Value) -> Value {
    let hand = |(position, to): (usize, Value)| json!({ "position": position, "to": to });
    let cards: Vec<Value> = positions.map(hand).collect();
    json!({ "do": "propose", "cards": cards, "turn": turn["turn"] })
}

/// One side proposes to open hands, and the other agrees.
fn agree(one: &mut Side, other: &mut Side, hands: &[(usize, Value)]) {
    let turn = one.until("your-turn");
    one.say(&open(hands.iter().cloned(), &turn));
    let turn = other.until("your-turn");
    let proposal = &turn["proposals"][0]["proposal"];
    other.say(&json!({ "do": "agree", "proposal": proposal, "turn": turn["turn"] }));
}

/// The path of a player's record.
fn record(home: &Path) -> PathBuf {
    file(home, "log").unwrap()
}

/// Runs a command that must succeed. Returns standard output and standard error.
fn run_ok(home: &Path, args: &[&str]) -> (String, String) {
    let done = run(home, args);
    let [out, err] = [done.stdout, done.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(done.status.success(), "{args:?}: {out}{err}");
    (out, err)
}

/// Adds an unused entry to the inputs, as if the program had been killed after it wrote the entry
/// of a try and before it sent the deal.
fn add_unused_entry(home: &Path) {
    let own = Home::open(home, None, &mut system_rng()).unwrap();
    let log = record(home);
    let id = Record::read(&fs::read(&log).unwrap(), None)
        .unwrap()
        .log
        .match_info()
        .id();
    let path = log.with_extension("inputs");
    let open = || {
        let storage = DiskStorage::open(&path).unwrap();
        Inputs::open(storage, own.identity().file_key(), id).unwrap()
    };
    let used = open().inputs;
    fs::write(&path, "").unwrap();
    let mut file = open().file;
    let mut unused = used[0].clone();
    unused.bits[0] ^= true;
    unused.nonce[0] ^= 1;
    for input in [unused].iter().chain(&used) {
        file.append(input).unwrap();
    }
}

fn boards(pbn: &str) -> Vec<Board> {
    Format::Pbn.read(pbn.as_bytes()).unwrap().boards
}

#[test]
fn sealed_boards_survive_a_restart_and_are_proved_by_the_record() {
    let [a, b] = folders();
    let at = free_address();
    let number = BOARDS.to_string();
    let options = ["--game", "bridge", "--boards", &number];
    let (mut host, invite) = host_at(a.path(), &at, &options);
    let mut guest = Side::join(b.path(), &invite, &options);
    let seals = [&mut host, &mut guest].map(|side| side.until("sealed")["seal"].clone());
    assert_eq!(seals[0], seals[1]);
    preset(&mut host, &mut guest);
    host.signal("INT");
    guest.signal("INT");
    assert_eq!((host.finish().1, guest.finish().1), (130, 130));

    // While the boards are sealed, each player writes its own sheet.
    add_unused_entry(a.path());
    let folder = a.path().join("evening");
    sheets_of_sealed_boards([a.path(), b.path()], &folder);

    let mut host = resume(a.path(), &["--listen", &at]);
    let mut guest = resume(b.path(), &["--at", &at]);
    let all: Vec<(usize, Value)> = (0..4 * BOARDS).map(|hand| (hand, json!("all"))).collect();
    agree(&mut host, &mut guest, &all);
    for side in [&mut host, &mut guest] {
        let turn = side.until("your-turn");
        side.say(&json!({ "do": "pass", "turn": turn["turn"] }));
    }
    let (by_host, code) = host.finish();
    assert_eq!((code, guest.finish().1), (0, 0), "{by_host:?}");

    sheet_of_the_last_set(a.path());
    let boards = recorded([a.path(), b.path()], seals[0].as_str().unwrap());
    assert_eq!(boards.len(), BOARDS);
    dealt_by_hand(&folder, &boards);
}

/// Opens North and South of the first board to the host, East and West to the guest.
fn preset(host: &mut Side, guest: &mut Side) {
    let hands: Vec<(usize, Value)> = (0..4).map(|hand| (hand, json!(hand % 2))).collect();
    agree(host, guest, &hands);
    for (side, seat) in [(host, 0), (guest, 1)] {
        for position in [seat, seat + 2] {
            let card = side.until("card");
            assert_eq!(
                (&card["position"], &card["holder"]),
                (&json!(position), &json!(seat))
            );
        }
    }
}

/// Each player writes its own sheet of the sealed boards into this folder.
fn sheets_of_sealed_boards(homes: [&Path; 2], folder: &Path) {
    let evening = folder.to_str().unwrap();
    for (home, dealer) in homes.into_iter().zip(["dealer-1", "dealer-2"]) {
        let (_, message) = run_ok(home, &["bridge", "own-sheet", "-o", evening]);
        assert!(message.contains(&format!("{dealer}.txt")), "{message}");
        let sheet = fs::metadata(folder.join(dealer).with_extension("txt")).unwrap();
        assert_eq!(sheet.permissions().mode() & 0o777, 0o600);
    }
    let (mine, later) = (record(homes[0]), homes[0].join("later"));
    let later = later.to_str().unwrap();
    for refused in [
        // The reasons: the files exist, the set was not dealt, the boards are not open.
        &["bridge", "own-sheet", "-o", evening][..],
        &["bridge", "own-sheet", "-o", later, "--set", "2"],
        &["bridge", "boards", mine.to_str().unwrap()],
    ] {
        let done = run(homes[0], refused);
        assert_eq!(done.status.code(), Some(1), "{refused:?}");
    }
}

/// The last set can be dealt by hand even after its result.
fn sheet_of_the_last_set(home: &Path) {
    let later = home.join("later");
    let args = ["bridge", "own-sheet", "--first", "101", "-o"];
    run_ok(home, &[&args[..], &[later.to_str().unwrap()]].concat());
    let text = fs::read_to_string(later.join("dealer-1.txt")).unwrap();
    assert!(text.contains("Board 101, "), "{text}");
    assert!(!text.contains("Board 1, "), "{text}");
}

/// The boards in both records, as anybody can read them. Checks that the records name the seal.
fn recorded(homes: [&Path; 2], seal: &str) -> Vec<Board> {
    let records = homes.map(|home| record(home).to_str().unwrap().to_owned());
    let (verified, _) = run_ok(homes[1], &["verify", &records[0], &records[1]]);
    for part in [
        seal,
        "Both records agree.",
        &format!("{BOARDS} boards are open to all"),
    ] {
        assert!(verified.contains(part), "{part}: {verified}");
    }
    let [pbn, other] = [0, 1].map(|at| {
        let args = ["bridge", "boards", &records[at], "--public"];
        run_ok(homes[at], &args).0
    });
    assert_eq!(pbn, other);
    let first = ["bridge", "boards", &records[0], "--first", "9"];
    assert_eq!(boards(&run_ok(homes[0], &first).0)[0].number, 9);
    let other_set = ["bridge", "boards", &records[0], "--set", "2"];
    assert_eq!(run(homes[0], &other_set).status.code(), Some(1));
    boards(&pbn)
}

/// Asserts that the two sheets deal the sealed boards by hand.
fn dealt_by_hand(folder: &Path, boards: &[Board]) {
    let sheets = ["dealer-1.txt", "dealer-2.txt"].map(|name| fs::read_to_string(folder.join(name)));
    let sheets = sheets.map(Result::unwrap);
    for board in boards {
        let half = |which: &str| -> Vec<Vec<u8>> {
            let title = format!("Board {}, {which} half", board.number);
            let mut found = sheets.iter().filter(|sheet| sheet.contains(&title));
            let (sheet, None) = (found.next().expect("a sheet"), found.next()) else {
                panic!("{title} is on both sheets");
            };
            places(sheet.split(&title).nth(1).unwrap())
        };
        let mut pack: Vec<Card> = Card::all().collect();
        for pass in half("first") {
            let piles = usize::from(pass.iter().max().unwrap() + 1);
            let mut dealt = vec![Vec::new(); piles];
            for (card, pile) in pack.iter().zip(&pass) {
                dealt[usize::from(*pile)].push(*card);
            }
            pack = dealt
                .into_iter()
                .flat_map(|pile| pile.into_iter().rev())
                .collect();
        }
        let hands = half("second");
        assert_eq!(hands.len(), 1);
        let mut owners = [Compass::North; 52];
        for (card, hand) in pack.iter().zip(&hands[0]) {
            owners[card.number()] = Compass::ALL[usize::from(*hand)];
        }
        assert_eq!(
            Deal::new(owners).unwrap(),
            board.deal,
            "board {}",
            board.number
        );
    }
}

/// The rows of piles below a title, up to the next title. Piles A to M or 1 to 4 are numbered from
/// 0.
fn places(text: &str) -> Vec<Vec<u8>> {
    let (mut passes, mut pass) = (Vec::new(), Vec::new());
    for line in text
        .lines()
        .skip(1)
        .take_while(|line| !line.starts_with("Board "))
    {
        let groups: Vec<&str> = line.split_whitespace().collect();
        let is_place = |c: char| c.is_ascii_digit() || ('A'..='M').contains(&c);
        let row = !groups.is_empty()
            && groups
                .iter()
                .all(|group| group.len() == 4 && group.chars().all(is_place));
        if row {
            let pile = |c: u8| {
                if c.is_ascii_digit() {
                    c - b'1'
                } else {
                    c - b'A'
                }
            };
            pass.extend(groups.concat().bytes().map(pile));
        }
        if pass.len() == 52 {
            passes.push(std::mem::take(&mut pass));
        }
    }
    assert!(pass.is_empty());
    passes
}

#[test]
fn leaving_keeps_sealed_boards_closed() {
    let [a, b] = folders();
    let at = free_address();
    let (mut host, invite) = host_at(a.path(), &at, &["--game", "bridge", "--boards", "1"]);
    let mut guest = Side::join(b.path(), &invite, &[]);
    let turn = host.until("your-turn");
    assert_eq!(turn["may_draw"], json!(false));
    host.say(&json!({ "do": "draw", "turn": turn["turn"] }));
    assert_eq!(host.until("error")["code"], json!("not-allowed"));
    host.say(&json!({ "do": "leave" }));
    guest.until("sealed");
    let (events, code) = guest.finish();
    assert_eq!(
        (code, &of_kind(&events, "over")[0]["how"]),
        (0, &json!("left"))
    );
    assert!(of_kind(&events, "card").is_empty());
    assert_eq!(host.finish().1, 0);
}

#[test]
fn conflicting_options_are_refused() {
    let [a, _] = folders();
    for args in [
        &["host", "--boards", "4"][..],
        &["host", "--game", "bridge", "--boards", "0"],
        &["host", "--game", "bridge", "--boards", "101"],
        &["host", "--game", "bridge", "--algorithm", "lehmer"],
        &["host", "--game", "bridge", "--cards", "52"],
    ] {
        let done = run(a.path(), args);
        assert_eq!(done.status.code(), Some(1), "{args:?}");
    }
}
