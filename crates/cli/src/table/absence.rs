//! A match that the host continues without absent seats, and how it tries to reach the absent players meanwhile.

use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use dealerless::net::system_time;
use dealerless_connection::Door;
use dealerless_connection::identity::{Fingerprint, Name, PublicIdentity};
use dealerless_native::Finding;
use dealerless_seat::event::Event;
use dealerless_seat::run::{Finder, in_words, settled};
use dealerless_table::Seat;
use dealerless_table::log::{MatchId, Past};

use super::door::{kept_addresses, open_door};
use super::open::MatchFile;
use super::own::Own;
use super::player::Player;
use super::posts::Posts;
use super::standing;
use super::waiting_room::WaitingRoom;
use crate::failure::AnswerIsNo;

/// How long this side tries to reach the absent players before it asks its player.
const TRIES: Duration = Duration::from_secs(5);

/// An open match that the host continues without absent players.
pub(crate) struct Settling {
    pub(crate) past: Past,
    absent: Vec<Seat>,
    /// The settlement in words.
    text: String,
    file: String,
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
            file: before.name.clone(),
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
    /// Tries to reach these seats: listens where the open match was hosted.
    ///
    /// # Errors
    /// If the system cannot wait for events of sockets, or no port is free.
    pub(crate) fn try_to_reach(
        own: &Own,
        file: &MatchFile,
        absent: &[Seat],
    ) -> anyhow::Result<Self> {
        let of = file.id();
        let player = |&seat| (file.identity(seat).clone(), file.player_name(seat));
        let absent: Vec<_> = absent.iter().map(player).collect();
        let players: Vec<_> = absent.iter().map(|(player, _)| player.clone()).collect();
        let room = old_door(own, file).map(WaitingRoom::new);
        let finding = Finding::begin(|world| {
            let finder = Finder::new(world, own.credentials(), of, players.clone());
            let finder = match room {
                Some(room) => room.into_finder(world, finder),
                None => finder,
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
}

/// The door of the open match, if its address is still free.
fn old_door(own: &Own, file: &MatchFile) -> Option<Door> {
    let kept = kept_addresses(own, &file.name).ok().flatten()?;
    let kept: Vec<String> = kept.iter().map(ToString::to_string).collect();
    open_door(own, file.opened.sitting.match_info.header(), &kept).ok()
}

fn notice(text: &str) -> Event {
    Event::Notice { text: text.into() }
}
