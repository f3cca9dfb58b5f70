//! Two have met: they sit down, play, and say goodbye.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use dealerless::net::{Channel, Deadlines};
use dealerless_table::{
    Address, Binding, Budget, CountedAttempts, Dealer, DiskStorage, FileVault, Journal, Line,
    LineError, Match, MatchLog, Name, Player as Sits, PublicIdentity, Recognised, Seat, Seating,
    Setting, Shelf, Sitting, Standing, Stream,
};

use super::connection::Connection;
use super::ending::{Breach, is_failed_check};
use super::event::{Event, Seated, VERSION};
use super::own::Own;
use super::player::Player;
use super::seat::{Ears, Seat as Place};
use super::stakes::{GameName, chips};
use super::story::{Story, hands_with_a_result};
use crate::session::system_rng;

/// What the guest says on the control stream when it accepts the match.
const SITS: &[u8] = b"sits";
/// How long it may take for that: it may have to build a circuit.
const SIT_TIME: Duration = Duration::from_secs(120);
/// How long the engines of both have for what they do when a match ends.
const ENGINE: Duration = Duration::from_secs(4);
/// How long the other may take to hang up.
const GOODBYE: Duration = Duration::from_secs(2);

/// The guest accepts.
///
/// # Errors
/// If the line has ended.
pub(crate) fn accept(line: &Line) -> Result<(), LineError> {
    line.send_control(SITS.to_vec())
}

/// Waits until the guest accepts.
///
/// # Errors
/// If it does not.
pub(crate) fn await_guest(line: &Line) -> Result<(), LineError> {
    let message = line.recv(SIT_TIME)?;
    match message.stream == Stream::Control && message.bytes == SITS {
        true => Ok(()),
        false => Err(LineError::Broken("something else than that it sits down")),
    }
}

/// Looks up whom one has met: whether to play with them, and what the user must know. Remembers
/// them, and the relay at which they can be met again.
///
/// # Errors
/// If one must not play with them, or not without the user's word.
pub(crate) fn recognise(
    own: &Own,
    line: &Line,
    relay: Option<&Address>,
) -> anyhow::Result<Option<String>> {
    let fingerprint = line.peer.fingerprint();
    let mut peers = own.peers.lock();
    let notice = match peers.recognise(&line.succession, &line.peer_name)? {
        Recognised::Successor { known, name } => {
            // Before the counts are looked at, which go along.
            peers.follow(&line.succession)?;
            Some(format!(
                "{name} has a new identity, which the old one has signed: another machine. What \
                 counted for the old keys counts for the new ones; the old ones are refused from now \
                 on.\n  old  {known}\n  now  {fingerprint}"
            ))
        }
        Recognised::OtherKeys { known } => Some(format!(
            "WARNING: {} IS KNOWN WITH OTHER KEYS. This may be another machine of the same person, \
             or somebody else who takes the name. Ask which fingerprint is theirs:\n  known  \
             {known}\n  now    {fingerprint}",
            line.peer_name
        )),
        Recognised::New => Some(format!(
            "{} is new here. To be sure who it is, compare fingerprints by another way:\n  theirs \
             {fingerprint}\n  yours  {}",
            line.peer_name,
            own.home.identity().public().fingerprint()
        )),
        _ => None,
    };
    let name = line.peer_name.as_str();
    match peers.standing(&line.peer, Budget::default()) {
        Standing::Fine => {}
        Standing::Ask {
            in_a_row,
            failed_checks,
        } => bail!(
            "{name} is not played with before you say so: {failed_checks} failed checks, {in_a_row} \
             attempts in a row that did not end well. To play on, run: dealerless peers forgive \
             {fingerprint}"
        ),
        Standing::Refuse { attempts } => bail!(
            "{name} is not played with: {attempts} attempts did not end well, which is all that may. \
             To allow as many again, which costs a bit of security, run: dealerless peers forgive \
             {fingerprint}"
        ),
        _ => bail!("{name} is not played with"),
    }
    let at: Vec<_> = line.at.iter().map(|at| (*at).into()).collect();
    // A host is found again where it was; where a guest came from nobody listens.
    let at = if line.seat == Seat::GUEST {
        &at[..]
    } else {
        &[]
    };
    peers.remember(&line.peer, &line.peer_name, at, relay)?;
    // Whom somebody new has succeeded is no other person.
    peers.follow(&line.succession)?;
    Ok(notice)
}

/// Plays a match over a line on which both have accepted it.
///
/// # Errors
/// Why it could not go on, or how it was broken.
pub(crate) fn play(
    own: &Own,
    line: Arc<Line>,
    seating: Seating,
    mut player: Player,
    mut ears: Ears,
) -> anyhow::Result<()> {
    let Seating { sitting, circuit } = seating;
    let Sitting { of, seat, names } = sitting.clone();
    let deck = of.header().stakes.deck();
    let shelf = Shelf::new(own.home.matches());
    let (path, storage) = shelf
        .create(&of.id(), line.peer_name.as_str())
        .context("cannot make the file of the match")?;
    let identity = own.home.shared_identity();
    let journal = Journal::create(storage, identity.file_key(), &sitting)?;
    let log_file = path.display().to_string();
    player.sit(&seated(&of, seat, &names, Some(log_file.clone())))?;

    let budget = Budget::default();
    let binding = Binding {
        seat,
        handshake: line.handshake_hash,
        circuit: Arc::clone(&circuit),
        attempts: Box::new(CountedAttempts::new(&own.peers, &line.peer, budget)?),
    };
    let channel = Channel::new(Connection::engine(&*line)?, Deadlines::default());
    let gives_way = Arc::clone(&line);
    let give_way = move |whether| gives_way.give_way(whether);
    let engine = Dealer::start(channel, binding, system_rng(), give_way, ears.report());
    ears.listen(Arc::clone(&line))?;
    if !player.is_bot() {
        ears.read(std::io::BufReader::new(std::io::stdin()))?;
    }
    let setting: Setting<DiskStorage, FileVault, _> = Setting {
        identity,
        seat,
        log: MatchLog::new(of),
        journal,
        vault: FileVault::new(deck_file(path)),
        circuit,
        rng: system_rng(),
    };
    let mut place = Place {
        play: dealerless_table::Play::new(setting),
        connection: Arc::clone(&line),
        engine,
        ears,
        story: Story::new(seat, deck, Some(log_file)),
        player,
    };
    let outcome = place.play();
    let Place {
        play, engine, ears, ..
    } = place;
    drop(engine);
    if outcome.is_ok() {
        ears.until_engine_gone(ENGINE);
    }
    close(&line, &ears);
    settle(own, &line.peer, &outcome, hands_with_a_result(play.log()))?;
    Breach::check(&outcome?, seat)?;
    Ok(())
}

/// What was said last is taken in by the other before this process ends.
fn close(line: &Line, ears: &Ears) {
    Connection::close(line);
    ears.until_ended(GOODBYE);
}

/// Counts what was played with a peer, and what it failed in.
fn settle(
    own: &Own,
    peer: &PublicIdentity,
    outcome: &anyhow::Result<dealerless_table::End>,
    hands: u32,
) -> anyhow::Result<()> {
    let mut peers = own.peers.lock();
    if hands > 0 {
        peers.count_hands(peer, hands.into())?;
    }
    let failed = match outcome {
        Ok(end) => super::ending::is_dispute(end),
        Err(error) => is_failed_check(error),
    };
    if failed {
        peers.count_failed_check(peer)?;
    }
    Ok(())
}

fn deck_file(log: PathBuf) -> PathBuf {
    log.with_extension("deck")
}

/// Who sits where.
pub(crate) fn seated(of: &Match, seat: Seat, names: &[Name], log: Option<String>) -> Event {
    let stakes = &of.header().stakes;
    let (cards, drawn) = stakes.deck();
    let fingerprint = |player: &Sits| player.identity.fingerprint().to_string();
    Event::Seated(Box::new(Seated {
        version: VERSION,
        seat: seat.number(),
        names: names.iter().map(Name::to_string).collect(),
        fingerprints: of.players().iter().map(fingerprint).collect(),
        game: GameName::of(stakes).name().into(),
        hands: stakes.hands(),
        chips: chips(stakes),
        cards,
        drawn,
        of: of.id().iter().map(|byte| format!("{byte:02x}")).collect(),
        log,
    }))
}
