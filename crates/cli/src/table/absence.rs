//! A match that is continued without absent seats: what the program of each remaining player checks
//! itself, and how it tries to reach the absent players meanwhile.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail, ensure};
use dealerless::net::system_time;
use dealerless_connection::Door;
use dealerless_connection::identity::{Fingerprint, Name, PublicIdentity};
use dealerless_native::{Finding, Native};
use dealerless_seat::ending;
use dealerless_seat::event::Event;
use dealerless_seat::open_match::{self, answer_after};
use dealerless_seat::run::{Caller, Finder};
use dealerless_seat::seated::Seated;
use dealerless_seat::words::Names;
use dealerless_table::Seat;
use dealerless_table::log::{Disagreement, MatchId, Past, Settled};

use super::door::{kept_addresses, open_door};
use super::guests::OtherGuests;
use super::open::MatchFile;
use super::own::Own;
use super::player::Player;
use super::posts::Posts;
use super::route::route_to;
use super::standing;
use super::waiting_room::WaitingRoom;
use crate::failure::AnswerIsNo;

/// How long this side tries to reach the absent players before it asks its player.
const TRIES: Duration = Duration::from_secs(5);

/// The settlement of the open match of this file without the seats that are absent by the claims of
/// the own program.
///
/// # Errors
/// If the match can go on, or cannot be settled.
pub(crate) fn settled(file: &MatchFile) -> anyhow::Result<Settled> {
    let opened = &file.opened;
    let absent = opened.log.absent(&opened.claims);
    let of = file.id();
    ensure!(
        !absent.is_empty(),
        "match {of} is open ({}), and your program has not noted that each player for whom it waits is \
         out of time or away. To play on, run: dealerless resume {of}",
        file.state()
    );
    let settled = opened.log.settled_without(&absent);
    settled.with_context(|| {
        format!(
            "match {of} cannot be continued without {}: more than half of its players have to be there, \
             at least two, and the others must be too few to go on by themselves",
            file.names(&absent)
        )
    })
}

/// Checks the settlement that a host proposes against the open match of this file.
///
/// # Errors
/// If this player is one of the absent ones, or the own file does not lead to this settlement.
pub(crate) fn must_agree(file: &MatchFile, past: &Past) -> anyhow::Result<Settled> {
    let opened = &file.opened;
    let of = file.id();
    let settled = opened.log.agrees_to(past, file.seat(), &opened.claims);
    let named = file.names(&past.without);
    settled.map_err(|disagreement| match disagreement {
        Disagreement::Own => anyhow!(
            "the host continues match {of} without you, as if you were absent. Do not sit down. To play \
             on, run: dealerless resume {of}"
        ),
        Disagreement::Steps { own } => anyhow!(
            "the host continues match {of} after {} steps, and your file has {own}. All players who are \
             still there have to resume the match once, so that their files agree: dealerless resume {of}",
            past.steps
        ),
        Disagreement::Absent(own) if own.is_empty() => anyhow!(
            "the host continues match {of} without {named}, but your program has not noted that they are \
             out of time or away, or the match waits for another player. Do not sit down. To play on, run: \
             dealerless resume {of}"
        ),
        Disagreement::Absent(own) => anyhow!(
            "the host continues match {of} without {named}, but by your program these players are absent: \
             {}. Do not sit down. To play on, run: dealerless resume {of}",
            file.names(&own)
        ),
        Disagreement::TooFew => anyhow!(
            "the host continues match {of} without {named}, but too few players would be left. Do not sit \
             down"
        ),
        _ => anyhow!(
            "the host continues match {of} with other chips or another history than your file. Do not sit \
             down"
        ),
    })
}

/// Tells a player that the host does not resume the match of this file, but has continued it, or is
/// about to, without absent players. Returns whether this player stays at the table, by the claims of
/// the own program. All this is only the word of the host.
///
/// # Errors
/// If the file cannot be read, or the output is closed.
pub(crate) fn tell_went_on(
    own: &Own,
    path: PathBuf,
    of: &MatchId,
    chips: u64,
    player: &mut Player,
) -> anyhow::Result<bool> {
    let file = MatchFile::open(own, path)?;
    let settled = settled(&file).ok();
    let absent = settled.as_ref().map(|settled| file.names(&settled.absent));
    let text = open_match::went_on(of, chips, absent.as_deref());
    player.tell(&notice(&text))?;
    Ok(settled.is_some())
}

/// The longest pause between two tries to tell an absent host that the table goes on.
const HOST_RETURNS: Duration = Duration::from_secs(60);

/// If this player has continued the match before without its host: this host, and a caller that tells it so.
/// Nobody else would: its guests do not resume the match any more.
pub(crate) fn tells_absent_host(
    own: &Own,
    past: Option<&Past>,
) -> Option<(PublicIdentity, Caller<Native>)> {
    let past = past.filter(|past| past.without.contains(&Seat::HOST))?;
    let mut players = past.remaining().filter_map(|seat| past.player(seat));
    let this = own.home.identity().public().fingerprint();
    players.find(|(player, _)| *player == this)?;
    let (host, _) = past.player(Seat::HOST)?;
    let host = own.peers.lock().find(&host.to_string()).ok()?.clone();
    let route = route_to(own, &host, &[]).ok().filter(|_| !host.blocked)?;
    let told = answer_after(past, &host.identity)?;
    let caller = Caller::new(past.match_id, host.identity.clone(), route);
    let caller = caller.pausing(0, HOST_RETURNS).beginning_with(told);
    Some((host.identity, caller))
}

/// The settlement in words, with the names of this file.
pub(crate) fn in_words(file: &MatchFile, settled: &Settled) -> String {
    let names = Names::of(&Seated::of(&file.opened.sitting, None, false));
    ending::settled(settled, |seat| names.name(seat.number()).to_string())
}

/// An open match that the host continues without absent players.
pub(crate) struct Settling {
    pub(crate) past: Past,
    absent: Vec<Seat>,
    /// The settlement in words.
    text: String,
    file: PathBuf,
}

impl Settling {
    /// The end of the match before, and if it is open, its settlement.
    pub(crate) fn of(before: &MatchFile) -> anyhow::Result<(Past, Option<Self>)> {
        if before.is_over() {
            let past = Past::of(&before.opened.log).context("the match cannot be continued")?;
            return Ok((past, None));
        }
        let end = settled(before)?;
        let settling = Settling {
            text: in_words(before, &end),
            past: end.past,
            absent: end.absent,
            file: before.path.clone(),
        };
        Ok((settling.past.clone(), Some(settling)))
    }

    /// Tries to reach the absent players.
    pub(crate) fn try_to_reach(&self, own: &Own) -> anyhow::Result<Absentees> {
        let file = MatchFile::open(own, self.file.clone())?;
        Absentees::try_to_reach(own, &file, &self.absent)
    }

    /// Shows the settlement. Asks a person whether to continue with it; a program has named the match.
    ///
    /// # Errors
    /// If the answer is no.
    pub(crate) fn confirm(&self, player: &mut Player, posts: &Posts) -> anyhow::Result<()> {
        let text = format!(
            "{} From the first signature in the next match on, this match cannot be resumed.",
            self.text
        );
        player.tell(&notice(&text))?;
        if !player.is_person() {
            return Ok(());
        }
        player.tell(&notice(
            "Type `continue` to continue without them, or `stop` to leave the match open.",
        ))?;
        match standing::choose("stop", "continue", player, posts, || false)? {
            Some(false) => Ok(()),
            _ => Err(AnswerIsNo("The match stays open.").into()),
        }
    }
}

/// The keys of the players who may continue the match `before` without an invite: those who sat there
/// and are not missing, and the known players who were away and have chips.
pub(crate) fn returning(own: &Own, before: &MatchFile, past: &Past) -> Vec<PublicIdentity> {
    let missing = past.without.iter().filter_map(|seat| past.player(*seat));
    let missing: Vec<Fingerprint> = missing.map(|(player, _)| player).collect();
    let away = |peer: &PublicIdentity| {
        let mut away = past.players.iter().skip(past.seats);
        away.any(|(player, chips)| *player == peer.fingerprint() && *chips > 0)
    };
    let peers = own.peers.lock();
    let known = peers.peers().iter().filter(|peer| !peer.blocked);
    let known = known.map(|peer| peer.identity.clone()).filter(away);
    let seated = before.peers().into_iter();
    let seated = seated.filter(|peer| !missing.contains(&peer.fingerprint()));
    seated.chain(known).collect()
}

/// The absent players of a match, whom this side tries to reach until the next match begins. If one of
/// them answers, it is not absent.
pub(crate) struct Absentees {
    of: MatchId,
    absent: Vec<(PublicIdentity, Name)>,
    since: Instant,
    finding: Finding,
    returned: Option<Name>,
}

impl Absentees {
    /// Tries to reach these seats in the ways of the open match: a guest listens for the other guests
    /// and calls all, the host listens.
    ///
    /// # Errors
    /// If the system cannot wait for events of sockets, or no port is free.
    pub(crate) fn try_to_reach(
        own: &Own,
        file: &MatchFile,
        absent: &[Seat],
    ) -> anyhow::Result<Self> {
        let of = file.id();
        let absent: Vec<_> = absent.iter().map(|&seat| file.player(seat)).collect();
        let players: Vec<_> = absent.iter().map(|(player, _)| player.clone()).collect();
        let (mut room, mut guests, mut caller) = (None, None, None);
        if file.seat() == Seat::HOST {
            room = old_door(own, file).map(WaitingRoom::new);
        } else {
            let relay = own.relays.own().map(|relay| &relay.tcp);
            guests = OtherGuests::again(own, file, &[], relay)?;
            let host = file.peer();
            let known = own.peers.lock().get(host).cloned();
            let known = known.filter(|_| players.contains(host));
            let route = known.and_then(|known| route_to(own, &known, &[]).ok());
            caller = route.map(|route| Caller::new(of, host.clone(), route));
        }
        let finding = Finding::begin(|world| {
            let finder = Finder::new(world, own.credentials(), of, players.clone());
            let finder = caller.into_iter().fold(finder, Finder::calling);
            let finder = match (room, guests) {
                (Some(room), _) => room.into_finder(world, finder),
                (None, Some(guests)) => guests.into_finder(world, finder),
                (None, None) => finder,
            };
            let now = system_time();
            players.iter().fold(finder, |mut finder, player| {
                finder.look_for(player, now);
                finder
            })
        });
        Ok(Absentees {
            of,
            absent,
            since: Instant::now(),
            finding: finding?,
            returned: None,
        })
    }

    /// Notes that this side has a connection to a peer.
    pub(crate) fn is_here(&mut self, peer: &PublicIdentity) {
        let mut absent = self.absent.iter();
        if let Some((_, name)) = absent.find(|(absent, _)| absent == peer) {
            self.returned = Some(name.clone());
        }
    }

    /// Checks that none of the absent players has answered so far.
    ///
    /// # Errors
    /// If one has.
    pub(crate) fn must_be_absent(&mut self) -> anyhow::Result<()> {
        while let Some(found) = self.finding.with(Finder::take_found).flatten() {
            self.is_here(&found.met.peer);
        }
        let of = self.of;
        match &self.returned {
            None => Ok(()),
            Some(name) => bail!(
                "{name} is not absent: this side has a connection. Match {of} is not continued without \
                 {name}; to play on, run: dealerless resume {of}"
            ),
        }
    }

    /// Checks, after this side has tried long enough, that none of the absent players has answered.
    ///
    /// # Errors
    /// If one has.
    pub(crate) fn must_stay_absent(&mut self) -> anyhow::Result<()> {
        loop {
            self.must_be_absent()?;
            if self.since.elapsed() >= TRIES {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Stops listening, so that the next match can use the same port. This side still calls.
    pub(crate) fn stop_listening(&mut self) {
        self.finding.with(Finder::close_door);
    }
}

/// The door of the open match, if its address is still free.
fn old_door(own: &Own, file: &MatchFile) -> Option<Door> {
    let kept = kept_addresses(&file.path).ok().flatten()?;
    let kept: Vec<String> = kept.iter().map(ToString::to_string).collect();
    open_door(own, file.opened.sitting.match_info.header(), &kept).ok()
}

fn notice(text: &str) -> Event {
    Event::Notice { text: text.into() }
}
