//! A stranger at a door, and a stranger behind an address or at a relay: whatever it sends, the
//! honest side lets go of it, and has a line only to somebody who holds the keys that it shows.
//!
//! The stranger has keys, an invite or an acquaintance, and sends what an honest program sends, up
//! to a message that is changed: before its encryption or after.
//!
//! Input: who the stranger is, how it comes, and what is changed in which message.

#![no_main]

mod edits;
mod moved;

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, LazyLock, Mutex};
use std::thread;
use std::time::Duration;

use dealerless_table::internals::{Frames, Stranger, comes, invite};
use dealerless_table::system_rng;
use dealerless_table::identity::{Home, Identity, Name, PublicIdentity, Succession};
use dealerless_table::connection::{Door, DoorEvent, Guest, Invite, Connection, MAX_HEADER, Timing};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

/// Nothing here takes so long, but on a machine that does other things.
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
    let folder = tempfile::tempdir().expect("a folder");
    let home = Home::open(folder.path(), None, &mut system_rng());
    let home = home.expect("a new identity");
    let peers = home.known_peers().expect("no file is no peers");
    let known = peers.lock().remember(STRANGER.public(), &Name::clean("Bob"), &[], None);
    known.expect("a folder of our own");
    let (home, peers) = (Arc::new(home), peers);
    let (name, header) = (Name::clean("Anna"), b"header".to_vec());
    let door = Door::open(Arc::clone(&home), peers, name.clone(), header, &[], TIMING);
    let door = Mutex::new(door.expect("a folder of our own"));
    Honest {
        home,
        name,
        door,
        _folder: folder,
    }
});

static STRANGER: LazyLock<Identity> = LazyLock::new(|| Identity::from_seed([2; 32]));
/// Somebody who has moved twice.
static CHAIN: LazyLock<Succession> = LazyLock::new(|| moved::chain(2));
static OTHER: LazyLock<Identity> = LazyLock::new(|| Identity::from_seed([3; 32]));

/// A stranger's side of a connection, and what it changes of what it sends.
struct Sender<'a, 'b> {
    stream: TcpStream,
    input: &'a mut Unstructured<'b>,
    /// In which message it begins to change something.
    from: usize,
    sent: usize,
}

impl Sender<'_, '_> {
    /// What the stranger makes of what an honest program sends.
    fn changed(&mut self, honest: Vec<u8>) -> Result<Vec<u8>> {
        let mut bytes = honest;
        if self.sent >= self.from {
            edits::edit(&mut bytes, self.input)?;
        }
        Ok(bytes)
    }

    /// Sends a message, with its length before it.
    fn message(&mut self, message: &[u8]) -> Result<bool> {
        let len = u16::try_from(message.len()).unwrap_or(u16::MAX);
        let honest = [&len.to_le_bytes(), message].concat();
        self.raw(honest)
    }

    /// Sends bytes. When they were changed nothing follows: else both might wait.
    fn raw(&mut self, honest: Vec<u8>) -> Result<bool> {
        let bytes = self.changed(honest.clone())?;
        self.sent += 1;
        // It fails if the other has let go.
        let sent = self.stream.write_all(&bytes).is_ok();
        Ok(match bytes == honest {
            true => sent,
            false => self.stream.shutdown(Shutdown::Write).is_err(),
        })
    }

    fn read_message(&mut self) -> io::Result<Vec<u8>> {
        let mut len = [0; 2];
        self.stream.read_exact(&mut len)?;
        let mut bytes = vec![0; u16::from_le_bytes(len).into()];
        self.stream.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Sends a few frames of a line, and no more. The other must then let go.
    fn end(mut self, frames: Option<Frames>) -> Result<()> {
        if let Some(mut frames) = frames {
            for _ in 0..self.input.int_in_range(0..=3)? {
                let plain = self.input.bytes(self.input.len().min(40))?;
                let frame = frames.seal(plain);
                self.raw(frame)?;
            }
        }
        // It fails if the other was faster.
        let _ = self.stream.shutdown(Shutdown::Write);
        let mut rest = Vec::new();
        match (&mut self.stream).take(1 << 20).read_to_end(&mut rest) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => panic!("it is kept waiting"),
            _ => Ok(()),
        }
    }
}

/// Text after its length.
fn string(text: &[u8]) -> Vec<u8> {
    [&(text.len() as u16).to_le_bytes()[..], text].concat()
}

fn sender<'a, 'b>(stream: TcpStream, input: &'a mut Unstructured<'b>) -> Result<Sender<'a, 'b>> {
    stream
        .set_read_timeout(Some(SOON))
        .expect("a time that is not zero");
    let from = input.int_in_range(0..=5)?;
    let sent = 0;
    Ok(Sender {
        stream,
        input,
        from,
        sent,
    })
}

/// Whom the stranger says it has succeeded: nobody, or somebody who has not signed that.
fn past(input: &mut Unstructured) -> Result<Vec<u8>> {
    let mut past = vec![0; 1 + Succession::MAX_LINKS * 256];
    if input.ratio(1, 4)? {
        // The chain of another, with its number of links before it.
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
    let identity = match sender.input.ratio(1, 8)? {
        true => &*OTHER,
        false => &*STRANGER,
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
    let (mut noise, prelude) = Stranger::guest_again(&STRANGER, host).expect("two identities");
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

fn verifies(sender: &mut Sender, noise: &mut Stranger) -> bool {
    let message = sender.read_message();
    message.is_ok_and(|message| noise.read(&message))
}

/// The stranger as a host, by an invite of its own or as a known peer.
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

/// A line is to whom the stranger has shown to be.
fn check(line: &Connection) {
    assert_eq!(line.peer, *STRANGER.public());
    assert_eq!(line.succession.current(), &line.peer);
    assert_eq!(line.succession.past().len(), 0);
    assert_eq!(Name::clean(line.peer_name.as_str()), line.peer_name);
    assert!(line.header.len() <= MAX_HEADER);
}

fn door(input: &mut Unstructured) -> Result<()> {
    let door = HONEST.door.lock().expect("nothing here panics and goes on");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let address = listener.local_addr().expect("it is bound");
    let stream = TcpStream::connect(address).expect("somebody listens");
    comes(&door, listener.accept().expect("somebody comes").0);
    let invite = door.invite(Vec::new(), None).expect("a folder of our own");
    // The stranger waits for the host to let go, and the host's program takes the line.
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
            if let Some(DoorEvent::Connection(line)) = door.next(Duration::from_millis(1)) {
                check(&line);
                listen(&line);
            }
        }
        stranger.join()
    });
    door.end_invite(&invite).expect("a folder of our own");
    ended.expect("the stranger does not panic")
}

/// Takes what comes until the line ends.
fn listen(line: &Connection) {
    while let Ok(message) = line.recv(SOON) {
        assert!(!message.bytes.is_empty());
    }
}

fn address(input: &mut Unstructured) -> Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let address = listener.local_addr().expect("it is bound").into();
    let (by_invite, by_relay): (bool, bool) = (input.arbitrary()?, input.ratio(1, 4)?);
    let (addresses, relay) = match by_relay {
        true => (Vec::new(), Some(address)),
        false => (vec![address], None),
    };
    let invite = invite(&STRANGER, [9; 32], addresses.clone(), relay.clone());
    let guest = Guest {
        identity: HONEST.home.identity(),
        name: &HONEST.name,
        timing: TIMING,
    };
    let ended = thread::scope(|scope| {
        let stranger = scope.spawn(|| {
            let (stream, _) = listener.accept().expect("somebody comes");
            // A relay is tried again, and nobody is there.
            drop(listener);
            let mut sender = sender(stream, input)?;
            if by_relay {
                // `please relay TOKEN for side SIDE\n`, with 64 and 16 digits.
                let asked = sender.stream.read_exact(&mut [0; 13 + 64 + 10 + 16 + 1]);
                asked.expect("a guest asks first");
                sender.raw(b"ok\n".to_vec())?;
            }
            host(sender, by_invite.then_some(&invite))
        });
        let joined = match by_invite {
            true => guest.join(&invite),
            false => guest.join_again(STRANGER.public(), &addresses, relay.as_ref()),
        };
        if let Ok(line) = joined {
            check(&line);
            listen(&line);
        }
        stranger.join()
    });
    ended.expect("the stranger does not panic")
}

fn run(input: &mut Unstructured) -> Result<()> {
    match input.arbitrary()? {
        true => door(input),
        false => address(input),
    }
}

fuzz_target!(|input: &[u8]| {
    // An input that is too short does nothing.
    let _ = run(&mut Unstructured::new(input));
});
