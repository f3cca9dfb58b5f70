//! Two have met: what they say before they play, and who sits where.

use dealerless_table::{
    Address, Control, Line, LineError, Match, Name, Player as Sits, Recognised, Seat,
};

use super::event::{Event, Kind, Seated, Time, VERSION};
use super::own::Own;
use super::stakes::{GameName, chips};

/// Says something of the match as a whole.
///
/// # Errors
/// If the line has ended.
pub(crate) fn say(line: &Line, control: Control) -> Result<(), LineError> {
    line.send_control(control.encode())
}

/// Looks up whom one has met: what the user must know. Remembers them, and the relay at which they
/// can be met again.
///
/// # Errors
/// If one must not play with them.
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

/// Who sits where.
pub(crate) fn seated(
    of: &Match,
    seat: Seat,
    names: &[Name],
    (log, resumed): (Option<String>, bool),
) -> Event {
    let stakes = &of.header().stakes;
    let (cards, drawn) = stakes.deck();
    let fingerprint = |player: &Sits| player.identity.fingerprint().to_string();
    let clock = of.header().clock;
    let limited = clock.each_move > 0 || clock.bank > 0;
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
        kinds: Kind::of(stakes),
        of: hex(&of.id()),
        log,
        clock: limited.then(|| Time {
            each_move: clock.each_move.into(),
            bank: clock.bank.into(),
        }),
        resumed,
    }))
}

pub(crate) fn hex(id: &[u8]) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}
