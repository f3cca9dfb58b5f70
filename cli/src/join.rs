//! `join`: goes to another player's table.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use dealerless_events::command::Said;
use dealerless_events::event::{Event, VERSION};
use dealerless_events::seated::Seated;
use dealerless_table::connection::{Connection, Guest, Invite, Timing};
use dealerless_table::hex;
use dealerless_table::identity::{Address, Name};
use dealerless_table::log::Sitting;
use dealerless_table::play::{Control, Seating, Term};

use crate::failure::AnswerIsNo;
use crate::in_browser::InBrowser;
use crate::memory::{self, Limit};
use crate::table::open::{self, MatchFile};
use crate::table::sit::{BLOCKED, DECLINED};
use crate::table::whole::{self, Around, Whole};
use crate::table::{
    CONNECTION, Dialer, Differs, GAME, Own, OwnArgs, Player, Posts, Way, Wishes, sit, standing,
};

/// Joins a player who hosts.
///
/// The host proposes what is played; you are asked before you sit down. The options refuse everything else.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless join dealerless2-...\n  \
    dealerless join dealerless2-... --game holdem --time 30+120 --name Bert\n  \
    dealerless join Anna --at 192.0.2.1:5252\n\n\
    With --json it speaks JSON Lines, as docs/table-protocol.md says.")]
pub(crate) struct Args {
    /// The invite, as the host's screen says; or the name or fingerprint of a player whom you have
    /// met and who hosts.
    #[arg(value_name = "INVITE|NAME", required = true)]
    whom: Vec<String>,
    /// Sit down on the host's terms without being asked.
    #[arg(long, help_heading = GAME)]
    yes: bool,
    #[command(flatten)]
    wishes: Wishes,
    /// Refuse a match that takes more memory than this, by an estimate: 500M or 4G, for example.
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = memory::limit,
          help_heading = GAME)]
    memory: Limit,
    /// Where a known player is now, instead of where it was met last.
    #[arg(long, value_name = "HOST:PORT", help_heading = CONNECTION)]
    at: Vec<Address>,
    /// The relay at which a known player waits.
    #[arg(long, value_name = "HOST:PORT", help_heading = CONNECTION)]
    relay: Option<Address>,
    #[command(flatten)]
    own: OwnArgs,
    #[command(flatten)]
    browser: InBrowser,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    if let Some(played) = args.browser.instead(&args.own) {
        return played;
    }
    let whom = args.whom.join(" ");
    let found = Found::of(&whom)?;
    let own = args.own.open()?;
    let mut player = args.own.player(&own);
    player.tell(&Event::Hello { version: VERSION })?;
    let posts = Posts::default();
    posts.break_off_by_signal()?;
    // The host may name the match that is open between the two, or not go on with the one that is here.
    let mut said = None;
    for _ in 0..=CHANGES {
        let (connection, way) = found.go(args, &own)?;
        let relay = way.relay.as_ref();
        if let Some(text) = sit::recognise(&own, &connection, relay)? {
            player.tell(&Event::Notice { text })?;
        }
        ensure!(!sit::is_blocked(&own, &connection.peer), BLOCKED);
        let whom = (&connection.peer, &connection.peer_name);
        standing::ask(&own, whom, &mut player, &posts)?;
        let sits = Sits {
            own: &own,
            posts: &posts,
            args,
        };
        let Some((control, same)) = sits.play((connection, way), said, player)? else {
            return Ok(());
        };
        (said, player) = (Some(control), same);
    }
    bail!("the host names another match each time")
}

/// A host that is asked more often does not know what it wants.
const CHANGES: usize = 2;

/// A guest that has met its host.
struct Sits<'a> {
    own: &'a Own,
    posts: &'a Posts,
    args: &'a Args,
}

impl Sits<'_> {
    /// Goes on with the match that is open, or sits down to a new one. `said` is the host's answer to the
    /// last try. Gives what the host says that does not agree.
    fn play(
        &self,
        (connection, way): (Connection, Way),
        said: Option<Control>,
        mut player: Player,
    ) -> anyhow::Result<Option<(Control, Player)>> {
        let own = self.own;
        let (named, refused) = match said {
            Some(Control::Open(of)) => (Some(of), None),
            Some(Control::Unknown(of)) => (None, Some(of)),
            _ => (None, None),
        };
        let mut file = match named {
            Some(of) => open::find(own, &of, &connection.peer)?,
            None => open::with(own, &connection.peer)?,
        };
        if let Some(file) = &file {
            file.must_be_with(&connection.peer)?;
        }
        let around = |player, of| Around {
            own,
            player,
            posts: self.posts,
            dialer: Some(Dialer::new(
                (own.home.identity().clone(), own.name.clone()),
                (connection.peer.clone(), of),
                way.clone(),
                self.posts.clone(),
            )),
        };
        let given_up = file.take_if(|file| Some(file.of()) == refused);
        let (of, path, whole) = match (file, named) {
            (None, Some(of)) => bail!(
                "the host has an open match with you ({}), which is not in this folder. Play from the \
                 folder in which it was begun; or the host closes it: dealerless resume --close",
                hex(&of[..8])
            ),
            (Some(file), _) => {
                let (of, path) = (file.of(), file.path.clone());
                sit::say(&connection, Control::Resume(of))?;
                if file.is_over() {
                    whole::tell_the_end(own, file, connection)?;
                    let text =
                        "The host did not know that your last match is over; it does now. To \
                                begin another, join again."
                            .into();
                    player.tell(&Event::Notice { text })?;
                    return Ok(None);
                }
                let mut whole = Whole::take_up(around(player, of), file)?;
                whole.meet_again(connection)?;
                (of, path, whole)
            }
            (None, None) => {
                let seating = match agree(self.args, own, &connection) {
                    Ok(seating) => seating,
                    Err(error) => return Err(decline(connection, error)),
                };
                if let Some(file) = &given_up {
                    player.tell(&Event::Notice {
                        text: instead_of(file),
                    })?;
                }
                if let Err(error) = self.confirm(&connection, &seating, &mut player) {
                    return Err(decline(connection, error));
                }
                match sit::sit_down(&connection, &mut player)? {
                    Control::Sit => {}
                    control => return Ok(Some((control, player))),
                }
                given_up.map(MatchFile::close).transpose()?;
                let of = seating.sitting.match_info.id();
                let whole = Whole::begin(around(player, of), connection, seating)?;
                (of, whole.path(), whole)
            }
        };
        let declined = whole.play()?;
        if let Some((Control::Declined, _)) = declined {
            bail!(AnswerIsNo(DECLINED));
        }
        if let Some((control, player)) = &declined {
            let asks = matches!(control, Control::Unknown(_)) && self.asks(player);
            forget_unless_begun(own, (&of, path), asks)?;
        }
        Ok(declined)
    }

    /// Whether the player is asked before it sits down.
    fn asks(&self, player: &Player) -> bool {
        !self.args.yes && !player.is_bot()
    }
}

impl Sits<'_> {
    /// Shows the player the terms, and asks whether it sits down. A bot sits down, and so does a player with `--yes`.
    ///
    /// # Errors
    /// If it does not.
    fn confirm(
        &self,
        connection: &Connection,
        seating: &Seating,
        player: &mut Player,
    ) -> anyhow::Result<()> {
        if !self.asks(player) {
            return Ok(());
        }
        let Sitting {
            match_info: of,
            seat,
            names,
        } = &seating.sitting;
        let terms = Seated::of(of, *seat, names, None, false);
        let sits = |said: &Said| match said {
            Said::Sit { agree } => Some(*agree),
            _ => None,
        };
        let question = Event::AskSit(Box::new(terms));
        // A host that has hung up may have said why.
        let lapsed = || connection.ended().is_some();
        match standing::answer(&question, sits, (player, self.posts), lapsed)? {
            Some(true) => Ok(()),
            None if lapsed() => Ok(()),
            _ => Err(
                AnswerIsNo("You did not sit down, and the host was told. Nothing has begun.")
                    .into(),
            ),
        }
    }
}

/// Notice to the player before it sits down to a new match.
fn instead_of(file: &MatchFile) -> String {
    let of = hex(&file.of()[..8]);
    format!(
        "The host does not go on with your open match {of} ({}): it has closed it, or plays from another \
         folder. It proposes a new match. If you sit down, the open match is closed here; `dealerless \
         resume {of}` goes on with it.",
        file.state()
    )
}

/// The host does not go on with this match. If it has never said a word in it, the match is forgotten.
/// Otherwise it stays open, and a player that is asked may begin another.
fn forget_unless_begun(
    own: &Own,
    (of, path): (&[u8; 32], PathBuf),
    asks: bool,
) -> anyhow::Result<()> {
    let file = MatchFile::open(own, path)?;
    if !file.has_heard() {
        return file.forget();
    }
    ensure!(
        asks,
        "the host does not have your open match ({}) any more, or plays from another folder. To give \
         it up, run: dealerless resume --close {}",
        hex(&of[..8]),
        hex(&of[..8])
    );
    Ok(())
}

/// How the host is found.
enum Found {
    Invite(Box<Invite>),
    Known(String),
}

impl Found {
    /// # Errors
    /// If it looks like an invite and is none.
    fn of(whom: &str) -> anyhow::Result<Self> {
        match whom.parse::<Invite>() {
            Ok(invite) => Ok(Found::Invite(Box::new(invite))),
            Err(error) if looks_like_an_invite(whom) => Err(error.into()),
            Err(_) => Ok(Found::Known(whom.into())),
        }
    }

    /// A line to the host, and how another is got.
    fn go(&self, args: &Args, own: &Own) -> anyhow::Result<(Connection, Way)> {
        let guest = Guest {
            identity: own.home.identity(),
            name: &own.name,
            timing: Timing::default(),
        };
        let whom = match self {
            Found::Invite(invite) => {
                let connection = guest.join(invite)?;
                let way = Way {
                    addresses: invite.addresses().to_vec(),
                    relay: invite.relay().or(args.relay.as_ref()).cloned(),
                    invite: Some(invite.clone()),
                };
                return Ok((connection, way));
            }
            Found::Known(whom) => whom,
        };
        let peer = {
            let peers = own.peers.lock();
            let found = peers.find(whom).with_context(|| {
                format!(
                    "{:?} is neither an invite, which begins with dealerless2-, nor the name of somebody you \
                     have met, as `dealerless peers` lists them. Where a player is, --at says: \
                     HOST:PORT, for example 192.0.2.1:5252",
                    Name::clean(whom).as_str()
                )
            });
            found?.clone()
        };
        ensure!(!peer.blocked, BLOCKED);
        let way = Way::to(&peer, &args.at, args.relay.as_ref())?;
        let connection = guest.join_again(&peer.identity, &way.addresses, way.relay.as_ref())?;
        Ok((connection, way))
    }
}

/// An invite is long, and begins with the name of the program; no name of a person is.
fn looks_like_an_invite(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
    text.to_ascii_lowercase().starts_with("dealerless") || text.len() > 100
}

/// Tells the host on what this side insists, or that its player declines, if that is why it does not sit down.
fn decline(connection: Connection, error: anyhow::Error) -> anyhow::Error {
    let differs = error.downcast_ref().map(|differs: &Differs| differs.term);
    let term = differs.or(error.is::<AnswerIsNo>().then_some(Term::All));
    if let Some(term) = term {
        // The reason itself matters more than that the host hears it.
        let _ = sit::say(&connection, Control::Declines(term));
        connection.close(GOODBYE);
    }
    error
}

/// How long the host may take to hear it.
const GOODBYE: Duration = Duration::from_secs(2);

/// Whether to play what the host proposes. Nothing of the match has begun.
fn agree(args: &Args, own: &Own, connection: &Connection) -> anyhow::Result<Seating> {
    let header = Seating::proposal(&connection.header)?;
    args.wishes.check(&header.stakes)?;
    args.wishes.check_clock_and_shuffle(&header, args.memory)?;
    let own = (own.home.identity().public(), &own.name);
    Ok(Seating::of_connection(connection, header, own)?)
}
