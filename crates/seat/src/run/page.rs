//! The terms, limits and hosts of a page.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use dealerless::deck::Choice;
use dealerless::shuffle::Algorithm;
use dealerless_connection::identity::{Address, Peer, PublicIdentity};
use dealerless_connection::{Invite, Place, PolledDoor};
use dealerless_table::Seat;
use dealerless_table::audit::Audit;
use dealerless_table::log::Header;
use dealerless_table::play::{DealCircuit, Proposal, Seating};
use dealerless_table::record::Record;
use dealerless_table::rules::Stakes;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::audit_exchange::AuditExchange;
use super::auditing::Auditor;
use super::door::door_at_relay;
use super::finding::Route;
use super::hosting::{Host, Hosted, HostedAt, host_again, host_table_again};
use super::joining::Requirements;
use super::matches::{self, Kept};
use super::other_guests::Ways;
use super::own::Own;
use super::program::Program;
use super::world::{Files, SeatWorld};
use crate::game_name::GameName;
use crate::records::decks::Decks;
use crate::seat::PlayerNeeds;
use crate::terms::{TableOptions, Terms, Time};

/// Timeout for the other player of an audit to connect.
const CONNECTS: Duration = Duration::from_secs(600);
/// The memory limit of a match, in bytes.
const MEMORY: u64 = 256 << 20;

/// The needs of the player.
pub(super) const NEEDS: PlayerNeeds = PlayerNeeds {
    pauses: true,
    each_second: false,
    never_asked: false,
    is_program: true,
    is_told_nothing: false,
};

/// A guest in a page, who reaches the other players of a table at this relay: a URL.
pub(super) struct InPage(pub(super) String);

impl<W: SeatWorld> Requirements<W> for InPage {
    fn asks(&self) -> bool {
        true
    }

    fn check(&self, own: &Own<W>, header: &Header) -> anyhow::Result<()> {
        if let Some(terms) = header.sealed() {
            check_memory(&header.stakes, terms.algorithm)?;
        }
        matches::check_free(&own.files)
    }

    fn ways(&self) -> Option<Arc<dyn Ways<W>>> {
        Some(Arc::new(AtRelay(self.0.clone())))
    }
}

/// The relay at which a page meets all other players. A page cannot listen.
struct AtRelay(String);

impl<W: SeatWorld> Ways<W> for AtRelay {
    fn listens_at(&self) -> &[String] {
        &[]
    }

    fn listen(
        &self,
        _own: &Own<W>,
        _door: &mut PolledDoor<W::Sockets>,
        _at: &[String],
    ) -> anyhow::Result<(Vec<String>, Vec<Address>)> {
        Ok((Vec::new(), Vec::new()))
    }

    fn route(&self, peer: &Peer) -> Option<Route> {
        Some(route_at(self.0.clone(), None, Some(peer.identity.clone())))
    }

    fn relay(&self) -> Option<Place> {
        Some(Place::Url(self.0.clone()))
    }
}

/// Checks the memory that a match takes, before a circuit is built.
///
/// # Errors
/// If it takes too much.
pub(super) fn check_memory(stakes: &Stakes, algorithm: Algorithm) -> anyhow::Result<()> {
    let memory = DealCircuit::estimate(stakes, algorithm)?.memory(1);
    ensure!(
        memory <= MEMORY,
        "the match takes {} MB of memory; this page takes at most {} MB",
        memory >> 20,
        MEMORY >> 20
    );
    Ok(())
}

/// The route of a page: through a relay with this URL.
pub(super) fn route_at(
    relay: String,
    invite: Option<Box<Invite>>,
    peer: Option<PublicIdentity>,
) -> Route {
    Route {
        invite,
        peer,
        addresses: Vec::new(),
        relay: Some(Place::Url(relay)),
    }
}

/// A request to host a match of two, or a table.
#[derive(Deserialize)]
pub(super) struct HostRequest {
    pub(super) name: Option<String>,
    /// The URL of the relay.
    relay: String,
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
    cards: Option<usize>,
    kinds: Option<String>,
    draw: Option<usize>,
    boards: Option<u32>,
}

impl HostRequest {
    /// The proposal of the host.
    ///
    /// # Errors
    /// If a term is invalid, or the match takes too much memory.
    pub(super) fn proposal(&self) -> anyhow::Result<Proposal> {
        let mut games = GameName::ALL.into_iter();
        let game = games.find(|game| game.as_str() == self.game);
        let game = game.ok_or_else(|| anyhow::anyhow!("unknown game {:?}", self.game))?;
        let terms = Terms {
            game,
            seats: self.seats,
            hands: self.hands,
            stack: self.stack,
            blinds: parsed(self.blinds.as_deref())?,
            ante: parsed(self.ante.as_deref())?,
            cards: self.cards,
            kinds: parsed(self.kinds.as_deref())?,
            draw: self.draw,
            boards: self.boards,
        };
        let time: Option<Time> = parsed(self.time.as_deref())?;
        if self.seats.is_some_and(|seats| seats > 2) {
            let options = TableOptions {
                may_leave: self.may_leave.unwrap_or(0),
                accepts_two_tables: self.accept_two_tables,
                is_open: self.open,
                rebuys: None,
            };
            return Ok(terms.table(options, time)?.into());
        }
        let stakes = terms.stakes()?;
        let time = time.unwrap_or_else(|| Time::default_of(game));
        let algorithm = DealCircuit::algorithm_for(Choice::Cheapest, &stakes)?;
        check_memory(&stakes, algorithm)?;
        Ok(Seating::propose(stakes, algorithm, time.0)?.0.into())
    }
}

fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(
    text: Option<&str>,
) -> anyhow::Result<Option<T>> {
    let value = text.filter(|text| !text.is_empty()).map(str::parse);
    value
        .transpose()
        .map_err(|error| anyhow::anyhow!("{error}"))
}

/// A host that waits with an invite or a link. A session that is opened again continues to wait.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct KeptHost {
    /// The URL of the relay.
    pub(super) relay: String,
    invite: String,
    /// The encoded proposal.
    proposal: Vec<u8>,
}

/// A host of a new match, or of a new table.
///
/// # Errors
/// If a term is invalid, or the invite cannot be kept.
pub(super) fn inviting<W: SeatWorld>(
    own: &mut Own<W>,
    request: HostRequest,
    now: Duration,
) -> anyhow::Result<Host<W>> {
    let proposal = request.proposal()?.opened_by(own.identity.public());
    matches::check_free(&own.files)?;
    let invite = match &proposal {
        Proposal::Match(_) => own.invite(Vec::new(), None)?,
        Proposal::Table(terms) => own.table_link(terms, Vec::new(), None)?,
    };
    let kept = KeptHost {
        relay: request.relay,
        invite: invite.to_string(),
        proposal: proposal.encode(),
    };
    own.keep_hosting(Some(kept.clone()))?;
    Ok(waiting(own, kept.relay, invite, proposal, now))
}

/// A host that waits again in a new session.
///
/// # Errors
/// If what was kept is damaged.
pub(super) fn waiting_again<W: SeatWorld>(
    own: &Own<W>,
    kept: KeptHost,
    now: Duration,
) -> anyhow::Result<Host<W>> {
    let proposal = Proposal::decode(&kept.proposal)?;
    let invite = match &proposal {
        Proposal::Match(_) => kept.invite.parse()?,
        // Its link may have been replaced.
        Proposal::Table(terms) => own.table_link(terms, Vec::new(), None)?,
    };
    Ok(waiting(own, kept.relay, invite, proposal, now))
}

fn waiting<W: SeatWorld>(
    own: &Own<W>,
    relay: String,
    invite: Invite,
    proposal: Proposal,
    now: Duration,
) -> Host<W> {
    let mut door = door_at_relay(own, &relay, &proposal, Some(&invite), None, now);
    let place = Place::Url(relay.clone());
    // One for all guests of a table. The guest of a match of two gets the link.
    let offers_code = matches!(proposal, Proposal::Table(_));
    if offers_code {
        door.offer_code(place.clone(), &invite, now);
    }
    let hosted = Hosted {
        ways: Some(Arc::new(AtRelay(relay))),
        relay: Some(place),
        offers_code,
        ..Hosted::new(proposal, invite)
    };
    Host::new(own, door, hosted, NEEDS, now)
}

/// A host that resumes a match, or a table.
///
/// # Errors
/// If the match cannot be resumed here.
pub(super) fn resuming<W: SeatWorld>(
    own: &Own<W>,
    relay: String,
    kept: Kept<W::Files>,
    now: Duration,
) -> anyhow::Result<Box<dyn Program<W>>> {
    let header = kept.opened.sitting.match_info.header();
    let proposal = header.clone().into();
    if !kept.has_table(own) {
        let mut door = door_at_relay(own, &relay, &proposal, None, Some(kept.peer()), now);
        for peer in kept.peers().iter().skip(1) {
            door.wait_for_known(Place::Url(relay.clone()), peer, now);
        }
        return Ok(Box::new(host_again(own, door, None, kept, NEEDS, now)?));
    }
    let door = door_at_relay(own, &relay, &proposal, None, None, now);
    let at = HostedAt {
        ways: Arc::new(AtRelay(relay.clone())),
        addresses: Vec::new(),
        relay: Some(Place::Url(relay)),
    };
    Ok(Box::new(host_table_again(own, door, at, kept, NEEDS, now)?))
}

/// The audit of a match at this relay.
///
/// # Errors
/// If the match cannot be audited.
pub(super) fn auditing<W: SeatWorld>(
    own: &Own<W>,
    kept: &Kept<W::Files>,
    relay: String,
    now: Duration,
) -> anyhow::Result<Auditor<W>> {
    let (peer, seat, until) = (kept.peer(), kept.seat(), now + CONNECTS);
    let inputs = matches::inputs(own, kept)?;
    let inputs = inputs.context("your inputs to the shuffles of this match are destroyed")?;
    let header = kept.opened.sitting.match_info.header();
    if let Some(terms) = header.sealed() {
        check_memory(&header.stakes, terms.algorithm)?;
    }
    let exchange = AuditExchange::new(&kept.opened.log, seat, &inputs)?;
    let exchange = if seat == Seat::HOST {
        let door = door_at_relay(own, &relay, &header.clone().into(), None, Some(peer), now);
        exchange.waiting(door, until)
    } else {
        let route = route_at(relay, None, Some(peer.clone()));
        exchange.calling(own.world.sockets(), own.credentials(), route, until)
    };
    Ok(Auditor::new(kept.name.clone(), exchange))
}

/// An audit that was made: the decks as a text, whether they agree with the record, and the file.
///
/// # Errors
/// If the match was not audited here, or a file cannot be read.
pub(super) fn audited(files: &impl Files, record: &str) -> anyhow::Result<Value> {
    let bytes = matches::audit(files, record)?;
    let record = Record::read(&matches::read(files, record)?, None)?;
    let header = record.log.match_info().header();
    if let Some(terms) = header.sealed() {
        check_memory(&header.stakes, terms.algorithm)?;
    }
    let decks = Decks::of(
        &record,
        &Audit::decode(&bytes)?,
        &Seating::circuit_of(header)?,
    );
    Ok(json!({
        "text": decks.to_string(),
        "agrees": decks.agrees(),
        "hex": dealerless_connection::hex(&bytes),
    }))
}
