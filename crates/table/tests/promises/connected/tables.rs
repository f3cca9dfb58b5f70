//! Whole tables over connections: how a dropped, slow or closed table affects the connection.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use dealerless::mpc::Uncounted;
use dealerless::net::{Deadlines, VERSION};
use dealerless_connection::storage::{DiskStorage, MemoryVault};
use dealerless_connection::system_rng;
use dealerless_connection::testing::players::{Player, SOON, connection};
use dealerless_connection::testing::proxy::{Fate, From, judge, proxy};
use dealerless_connection::{Connection, ConnectionError, Door};
use dealerless_table::log::{DeckTerms, Inputs, Journal, Match, MatchFolder, MatchLog};
use dealerless_table::play::{CannotBegin, DeckSetting, SealedSetting, Seating, Setting, Table};
use dealerless_table::testing::test_match::{proposal, stakes_of};

/// The open door of `host`, and the header of a match of hold'em.
fn waiting(host: &Player) -> (Door, dealerless_table::log::Header) {
    (host.door(), proposal(stakes_of(100, 2, 1)).0)
}

/// The host's table for a new match over `connection`.
fn table(
    host: &Player,
    header: dealerless_table::log::Header,
    connection: Connection,
) -> Table<DiskStorage, MemoryVault, ()> {
    let identity = Arc::clone(host.home.identity());
    let seating =
        Seating::of_meeting(&connection.met, header, (identity.public(), &host.name)).unwrap();
    let info = seating.sitting.match_info.clone();
    let (path, storage) = MatchFolder(host.home.matches())
        .create(&info.id(), "Bob")
        .unwrap();
    let inputs = DiskStorage::create(&path.with_extension("inputs")).unwrap();
    let setting = Setting {
        seat: seating.sitting.seat,
        journal: Journal::create(storage, identity.file_key(), &seating.sitting).unwrap(),
        deck: DeckSetting::Sealed(SealedSetting {
            inputs: Inputs::open(inputs, identity.file_key(), info.id())
                .unwrap()
                .file,
            vault: MemoryVault::default(),
            circuit: seating.circuit,
        }),
        identity,
        log: MatchLog::new(info, seating.sitting.seat),
        rng: system_rng(),
    };
    let mut table = Table::new(setting, Deadlines::default()).unwrap();
    let peer = table.play().seat().next(2);
    table.begin(peer, connection, Some(Box::new(Uncounted)));
    table
}

#[test]
fn dropped_table_ends_the_connection() {
    let [host, guest] = ["Anna", "Bob"].map(Player::new);
    let (door, header) = waiting(&host);
    let joined = guest
        .join(&dealerless_connection::testing::players::invite(&door))
        .unwrap();
    let mut seat = table(&host, header, connection(&door));
    seat.next(Duration::from_millis(10)).unwrap();
    // The host's program fails while its engine waits for the guest's engine, which sends nothing.
    drop(seat);
    let error = loop {
        if let Err(error) = joined.recv(SOON) {
            break error;
        }
    };
    assert!(
        matches!(error, ConnectionError::Closed | ConnectionError::Cut(_)),
        "{error:?}"
    );
}

#[test]
fn match_with_another_engine_version_is_refused() {
    let [host, guest] = ["Anna", "Bob"].map(Player::new);
    let (door, mut header) = waiting(&host);
    let _joined = guest
        .join(&dealerless_connection::testing::players::invite(&door))
        .unwrap();
    let connection = connection(&door);
    let identity = Arc::clone(host.home.identity());
    let own = (identity.public(), &host.name);
    let mut sitting = Seating::of_meeting(&connection.met, header.clone(), own)
        .unwrap()
        .sitting;
    for engine in [VERSION - 1, VERSION, VERSION + 1] {
        if let DeckTerms::Sealed(terms) = &mut header.deck {
            terms.engine_version = engine;
        }
        let players = sitting.match_info.players().to_vec();
        sitting.match_info = Match::new(header.clone(), players).unwrap();
        let refusals = [
            Seating::of_meeting(&connection.met, header.clone(), own).err(),
            Seating::of_file(sitting.clone()).err(),
            Seating::circuit_of(&header).err(),
        ];
        for refusal in refusals {
            match refusal {
                None => assert_eq!(engine, VERSION),
                Some(CannotBegin::Engine { theirs, ours }) => {
                    assert_eq!((theirs, ours), (engine, VERSION));
                    assert_ne!(theirs, ours);
                }
                Some(other) => panic!("{other}"),
            }
        }
    }
}

#[test]
fn unread_data_stays_with_the_sender() {
    let [host, guest] = ["Anna", "Bob"].map(Player::new);
    let (door, header) = waiting(&host);
    let sent = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&sent);
    let through = proxy(
        door.addresses()[0],
        judge(move |from, _, message| {
            if from == From::Guest {
                count.fetch_add(message.len(), Ordering::Relaxed);
            }
            Fate::Pass
        }),
    );
    let joined = guest
        .join(&door.invite(vec![through], None).unwrap())
        .unwrap();
    let mut seat = table(&host, header, connection(&door));
    let (message, count) = (vec![7; 128 << 10], 256);
    for _ in 0..count {
        joined.send_log(message.clone()).unwrap();
    }
    // Waits until the proxy forwards no more data of the guest.
    let (mut before, begun) = (0, Instant::now());
    loop {
        thread::sleep(Duration::from_millis(300));
        let now = sent.load(Ordering::Relaxed);
        if now == before && now > 0 || begun.elapsed() > SOON {
            break;
        }
        before = now;
    }
    assert!(before < count * message.len() / 4, "{before}");
    // `close` returns although unread data is pending.
    let (done, closed) = mpsc::channel();
    thread::spawn(move || {
        seat.close();
        done.send(()).unwrap();
    });
    drop(joined);
    closed.recv_timeout(SOON).unwrap();
}
