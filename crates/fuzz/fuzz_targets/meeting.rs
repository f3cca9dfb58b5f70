//! A stranger connects to the door of an honest program, or waits for it at an address or a relay.
//! Whatever the stranger sends, the honest program disconnects. It makes a connection only with a
//! peer that holds the keys that the peer presents.
//!
//! The stranger has keys, an invite or an entry in the known peers. It sends the messages of an
//! honest program, up to the first message that is changed before or after its encryption.
//!
//! Input: the identity of the stranger, how it connects, and the changes to a message.

#![no_main]

mod edits;
mod moved;

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, LazyLock, Mutex};
use std::thread;
use std::time::Duration;

use dealerless_connection::{DoorEvent, Invite, MAX_HEADER, Timing};
use dealerless_connection::testing::{Connection, Door, Guest};
use dealerless_connection::identity::{Home, Identity, Name, PublicIdentity, Succession};
use dealerless_connection::testing::{Frames, Stranger, invite};
use dealerless_connection::system_rng;
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

/// A timeout that is reached only if the machine is busy with other work.
const SOON: Duration = Duration::from_secs(8);
const TIMING: Timing = Timing {
    ping: Duration::from_secs(1),
    dead: Duration::from_secs(4),
    meeting: Duration::from_secs(4),
};

struct Honest {
    home: Arc<Home>,
    name: Name,
    door: Mutex<Door>,
    _folder: TempDir,
}

static HONEST: LazyLock<Honest> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let home = Home::open(folder.path(), None, &mut system_rng());
    let home = home.expect("cannot create an identity");
    let peers = home.known_peers().expect("a missing file means no peers");
    let known = peers
        .lock()
        .remember(STRANGER.public(), &Name::clean("Bob"), &[], None);
    known.expect("the folder is writable");
    let (home, peers) = (Arc::new(home), peers);
    let (name, header) = (Name::clean("Anna"), b"header".to_vec());
    let door = Door::open(Arc::clone(&home), peers, name.clone(), header, &[], TIMING);
    let door = Mutex::new(door.expect("the folder is writable"));
    Honest {
        home,
        name,
        door,
        _folder: folder,
    }
});

static STRANGER: LazyLock<Identity> = LazyLock::new(|| Identity::from_seed([2; 32]));
/// The succession of a player who has moved twice.
static CHAIN: LazyLock<Succession> = LazyLock::new(|| moved::chain(2));
static OTHER: LazyLock<Identity> = LazyLock::new(|| Identity::from_seed([3; 32]));

/// A stranger's side of a connection, and the changes to its messages.
struct Sender<'a, 'b> {
    stream: TcpStream,
    input: &'a mut Unstructured<'b>,
    /// The number of the first message that is changed.
    from: usize,
    sent: usize,
}

impl Sender<'_, '_> {
    /// Returns the bytes that the stranger sends instead of `honest`.
    fn changed(&mut self, honest: Vec<u8>) -> Result<Vec<u8>> {
        let mut bytes = honest;
        if self.sent >= self.from {
            edits::edit(&mut bytes, self.input)?;
        }
        Ok(bytes)
    }

    /// Sends a message, preceded by its length. Returns whether the stranger can continue.
    fn message(&mut self, message: &[u8]) -> Result<bool> {
        let len = u16::try_from(message.len()).unwrap_or(u16::MAX);
        let honest = [&len.to_le_bytes(), message].concat();
        self.raw(honest)
    }

    /// Sends bytes, and closes the sending direction after changed bytes; otherwise both sides
    /// might wait for each other. Returns whether the stranger can continue.
    fn raw(&mut self, honest: Vec<u8>) -> Result<bool> {
        let bytes = self.changed(honest.clone())?;
        self.sent += 1;
        // This fails if the other side has disconnected.
        let sent = self.stream.write_all(&bytes).is_ok();
        Ok(if bytes == honest {
            sent
        } else {
            self.stream.shutdown(Shutdown::Write).is_err()
        })
    }

    fn read_message(&mut self) -> io::Result<Vec<u8>> {
        let mut len = [0; 2];
        self.stream.read_exact(&mut len)?;
        let mut bytes = vec![0; u16::from_le_bytes(len).into()];
        self.stream.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Sends a few frames and closes the sending direction. The other side must then disconnect.
    fn end(mut self, frames: Option<Frames>) -> Result<()> {
        if let Some(mut frames) = frames {
            for _ in 0..self.input.int_in_range(0..=3)? {
                let plain = self.input.bytes(self.input.len().min(40))?;
                let frame = frames.seal(plain);
                self.raw(frame)?;
            }
        }
        // This fails if the other side has already disconnected.
        let _ = self.stream.shutdown(Shutdown::Write);
        let mut rest = Vec::new();
        match (&mut self.stream).take(1 << 20).read_to_end(&mut rest) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                panic!("the honest side keeps the stranger waiting")
            }
            _ => Ok(()),
        }
    }
}

/// A text preceded by its length.
fn string(text: &[u8]) -> Vec<u8> {
    [&(text.len() as u16).to_le_bytes()[..], text].concat()
}

fn sender<'a, 'b>(stream: TcpStream, input: &'a mut Unstructured<'b>) -> Result<Sender<'a, 'b>> {
    stream
        .set_read_timeout(Some(SOON))
        .expect("the timeout is not zero");
    let from = input.int_in_range(0..=5)?;
    let sent = 0;
    Ok(Sender {
        stream,
        input,
        from,
        sent,
    })
}

/// The claimed past identities of the stranger: none, or those of another player without signatures
/// for them.
fn past(input: &mut Unstructured) -> Result<Vec<u8>> {
    let mut past = vec![0; 1 + Succession::MAX_LINKS * 256];
    if input.ratio(1, 4)? {
        // The chain of another player, preceded by its number of links.
        let links = &CHAIN.encode()[PublicIdentity::LEN..];
        past[..links.len()].copy_from_slice(links);
    }
    Ok(past)
}

/// The stranger as the guest of an invite.
fn guest(mut sender: Sender, invite: &Invite) -> Result<()> {
    let (mut noise, prelude) = Stranger::guest(&STRANGER, invite);
    sender.raw(prelude)?;
    let first = noise.write(&[]);
    if !sender.message(&first)? || !verifies(&mut sender, &mut noise) {
        return sender.end(None);
    }
    let identity = if sender.input.ratio(1, 8)? {
        &*OTHER
    } else {
        &*STRANGER
    };
    let past = past(sender.input)?;
    let introduction = [&identity.public().encode()[..], &string(b"Bob"), &past].concat();
    let introduction = sender.changed(introduction)?;
    let third = noise.write(&introduction);
    sender.message(&third)?;
    let mut frames = noise.finish();
    if sender.read_message().is_err() {
        return sender.end(None);
    }
    let nonce = sender.changed(vec![5; 32])?;
    let frame = frames.seal(&nonce);
    sender.raw(frame)?;
    sender.end(Some(frames))
}

/// The stranger as a known peer.
fn guest_again(mut sender: Sender) -> Result<()> {
    let host = HONEST.home.identity().public();
    let (mut noise, prelude) =
        Stranger::guest_again(&STRANGER, host).expect("the identities differ");
    sender.raw(prelude)?;
    let first = noise.write(&[]);
    if !sender.message(&first)? || !verifies(&mut sender, &mut noise) {
        return sender.end(None);
    }
    let mut frames = noise.finish();
    let hello = sender.changed([string(b"Bob"), vec![5; 32]].concat())?;
    let frame = frames.seal(&hello);
    sender.raw(frame)?;
    sender.end(Some(frames))
}

/// Receives a handshake message. Returns whether it is valid.
fn verifies(sender: &mut Sender, noise: &mut Stranger) -> bool {
    let message = sender.read_message();
    message.is_ok_and(|message| noise.read(&message))
}

/// The stranger as a host, with an invite of its own or as a known peer.
fn host(mut sender: Sender, invite: Option<&Invite>) -> Result<()> {
    let mut prelude = vec![0; if invite.is_some() { 14 } else { 38 }];
    if sender.stream.read_exact(&mut prelude).is_err() {
        return sender.end(None);
    }
    let guest = HONEST.home.identity().public();
    let mut noise = match invite {
        Some(invite) => Stranger::host(&STRANGER, invite, &prelude),
        None => Stranger::host_again(&STRANGER, guest, &prelude),
    };
    if !verifies(&mut sender, &mut noise) {
        return sender.end(None);
    }
    let payload = sender.changed(Vec::new())?;
    let second = noise.write(&payload);
    sender.message(&second)?;
    if invite.is_some() && !verifies(&mut sender, &mut noise) {
        return sender.end(None);
    }
    let mut frames = noise.finish();
    if invite.is_none() && sender.read_message().is_err() {
        return sender.end(None);
    }
    let header = vec![6; sender.input.int_in_range(0..=MAX_HEADER)?];
    let rest = [string(&header), vec![5; 32]].concat();
    let answer = match invite {
        Some(_) => {
            let past = past(sender.input)?;
            let keys = STRANGER.public().encode();
            [&[1][..], &keys, &string(b"Bob"), &past, &rest].concat()
        }
        None => [string(b"Bob"), rest].concat(),
    };
    let answer = sender.changed(answer)?;
    let frame = frames.seal(&answer);
    sender.raw(frame)?;
    sender.end(Some(frames))
}

/// Checks that a connection belongs to the peer that the stranger has proved to be.
fn check(connection: &Connection) {
    assert_eq!(connection.met.peer, *STRANGER.public());
    assert_eq!(connection.met.succession.current(), &connection.met.peer);
    assert_eq!(connection.met.succession.past().len(), 0);
    assert_eq!(
        Name::clean(connection.met.peer_name.as_str()),
        connection.met.peer_name
    );
    assert!(connection.met.header.len() <= MAX_HEADER);
}

fn door(input: &mut Unstructured) -> Result<()> {
    let door = HONEST
        .door
        .lock()
        .expect("no thread panics while it holds the lock");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let address = listener.local_addr().expect("the listener is bound");
    let stream = TcpStream::connect(address).expect("the listener is open");
    door.greet(listener.accept().expect("the stranger has connected").0);
    let invite = door
        .invite(Vec::new(), None)
        .expect("the folder is writable");
    // The stranger waits until the host disconnects, and the host's program accepts the connection.
    let ended = thread::scope(|scope| {
        let stranger = scope.spawn(|| match input.int_in_range(0..=7)? {
            0 => {
                let mut sender = sender(stream, input)?;
                let bytes = sender.input.bytes(sender.input.len())?.to_vec();
                sender.raw(bytes)?;
                sender.end(None)
            }
            1..=4 => guest(sender(stream, input)?, &invite),
            _ => guest_again(sender(stream, input)?),
        });
        while !stranger.is_finished() {
            if let Some(DoorEvent::Connection(connection)) = door.next(Duration::from_millis(1)) {
                check(&connection);
                receive_all(&connection);
            }
        }
        stranger.join()
    });
    door.end_invite(&invite).expect("the folder is writable");
    ended.expect("the stranger panicked")
}

/// Receives messages until the connection ends.
fn receive_all(connection: &Connection) {
    while let Ok(message) = connection.recv(SOON) {
        assert!(!message.bytes.is_empty());
    }
}

fn address(input: &mut Unstructured) -> Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let address = listener.local_addr().expect("the listener is bound").into();
    let (by_invite, by_relay): (bool, bool) = (input.arbitrary()?, input.ratio(1, 4)?);
    let (addresses, relay) = if by_relay {
        (Vec::new(), Some(address))
    } else {
        (vec![address], None)
    };
    let invite = invite(&STRANGER, [9; 32], addresses.clone(), relay.clone());
    let guest = Guest {
        identity: HONEST.home.identity(),
        name: &HONEST.name,
        timing: TIMING,
    };
    let ended = thread::scope(|scope| {
        let stranger = scope.spawn(|| {
            let (stream, _) = listener.accept().expect("the guest connects");
            // The guest tries a relay again. This second attempt must find the listener closed.
            drop(listener);
            let mut sender = sender(stream, input)?;
            if by_relay {
                // `please relay TOKEN for side SIDE\n`, with 64 and 16 digits.
                let asked = sender.stream.read_exact(&mut [0; 13 + 64 + 10 + 16 + 1]);
                asked.expect("a guest sends its request first");
                sender.raw(b"ok\n".to_vec())?;
            }
            host(sender, by_invite.then_some(&invite))
        });
        let joined = if by_invite {
            guest.join(&invite)
        } else {
            guest.join_again(STRANGER.public(), &addresses, relay.as_ref())
        };
        if let Ok(connection) = joined {
            check(&connection);
            receive_all(&connection);
        }
        stranger.join()
    });
    ended.expect("the stranger panicked")
}

fn run(input: &mut Unstructured) -> Result<()> {
    if input.arbitrary()? {
        door(input)
    } else {
        address(input)
    }
}

fuzz_target!(|input: &[u8]| {
    // An input that is too short has no effect.
    let _ = run(&mut Unstructured::new(input));
});
