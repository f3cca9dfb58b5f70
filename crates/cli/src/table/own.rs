//! The options of the player on this side: folder, keys, name, and screen.

use std::env;
use std::io::{self, IsTerminal};
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use anyhow::{Context, bail};
use clap::ArgAction;
use clap::builder::BoolishValueParser;
use dealerless_command_line::system_rng;
use dealerless_connection::Invites;
use dealerless_connection::identity::{Fingerprint, Home, HomeError, Name, OldIdentity, Peer};
use dealerless_connection::storage::{FileVault, Vault};
use dealerless_native::NativeFiles;
use dealerless_seat::run::{Stored, destroy_old_inputs};
use rand::SeedableRng;
use rand::rngs::StdRng;
use terminal_size::{Width, terminal_size};

use super::bot::Bot;
use super::cards::{Colours, Ink, Style};
use super::headings::{IDENTITY, PROGRAMS, SCREEN};
use super::player::{Face, Player};
use super::posts::Posts;
use super::relays::{RelayArgs, Relays};
use super::screen::{Columns, Screen};
use crate::output::{MAX_WIDTH, say};
use crate::settings::Settings;

/// The options of the player on this side.
#[derive(clap::Args)]
pub(crate) struct OwnArgs {
    #[command(flatten)]
    folder: FolderArgs,
    /// Your name, as the other player sees it. Later commands keep it [default: the last name
    /// given, or your user name].
    #[arg(long, value_name = "NAME", help_heading = IDENTITY)]
    name: Option<String>,
    /// Card notation.
    #[arg(long, value_name = "STYLE", default_value = "symbols", help_heading = SCREEN)]
    faces: Style,
    /// Use four colours for the suits, on a terminal.
    #[arg(long, help_heading = SCREEN)]
    four_colours: bool,
    /// On a terminal, ask again before you fold when checking is free, or muck a hand that may win.
    /// Later commands keep this [default: the last value given, or yes].
    #[arg(long, value_name = "yes|no", action = ArgAction::Set, value_parser = BoolishValueParser::new(),
        hide_possible_values = true, help_heading = SCREEN)]
    confirm: Option<bool>,
    /// Let a simple built-in bot play.
    #[arg(long, help_heading = PROGRAMS)]
    auto: bool,
    /// Print JSON Lines and read commands as JSON Lines; see docs/table-protocol.md.
    #[arg(long, help_heading = PROGRAMS)]
    pub(crate) json: bool,
    /// Pause after a showdown with --json too, as on a terminal.
    #[arg(long, requires = "json", help_heading = PROGRAMS)]
    pause: bool,
}

/// The folder with identity, known peers and matches.
#[derive(Clone, clap::Args)]
pub(crate) struct FolderArgs {
    /// The folder with your identity, known peers and matches [default: $DEALERLESS_HOME, or the
    /// system's data folder].
    #[arg(long, value_name = "DIR", global = true, help_heading = IDENTITY)]
    pub(crate) home: Option<PathBuf>,
    /// The file of your identity, if it is not in the folder of --home.
    #[arg(long, value_name = "FILE", global = true, help_heading = IDENTITY)]
    pub(crate) identity: Option<PathBuf>,
}

/// The player on this side.
#[derive(Clone)]
pub(crate) struct Own {
    /// Other processes cannot use the folder.
    _home: Arc<Home>,
    pub(crate) stored: Stored<NativeFiles>,
    /// Whether to ask on a terminal for confirmation before the player gives a hand away.
    pub(crate) confirms: bool,
    pub(crate) relays: Relays,
}

impl Deref for Own {
    type Target = Stored<NativeFiles>;

    fn deref(&self) -> &Stored<NativeFiles> {
        &self.stored
    }
}

impl Own {
    /// The player of a folder, still without a name.
    ///
    /// # Errors
    /// If the known peers or the invites cannot be read.
    pub(crate) fn of(home: Arc<Home>) -> anyhow::Result<Self> {
        let peers = home.known_peers().context("cannot read the known peers")?;
        let invites = Invites::open(home.invites()).context("cannot read the invites")?;
        Ok(Own {
            stored: Stored {
                files: NativeFiles::Folder(home.matches()),
                identity: Arc::clone(home.identity()),
                peers,
                invites: Arc::new(Mutex::new(invites)),
                name: Name::clean(""),
            },
            _home: home,
            confirms: true,
            relays: Relays::default(),
        })
    }
}

impl FolderArgs {
    /// The same options, as arguments for another process.
    #[cfg(feature = "browser")]
    pub(crate) fn again(&self) -> Vec<std::ffi::OsString> {
        let options = [("--home", &self.home), ("--identity", &self.identity)];
        let given = options
            .into_iter()
            .filter_map(|(option, path)| Some((option, path.as_ref()?)));
        given
            .flat_map(|(option, path)| [option.into(), path.into()])
            .collect()
    }

    /// Opens the folder, and creates it if it does not exist.
    ///
    /// # Errors
    /// If the folder cannot be used, or another process uses it.
    pub(crate) fn open(&self) -> anyhow::Result<Home> {
        let folder = self.folder()?;
        let file = self.identity.as_deref();
        let home = Home::open(&folder, file, &mut system_rng())?;
        if home.was_group_writable() {
            let folder = folder.display();
            say(&format!(
                "{folder} could be changed by other users of its group. They cannot write to it any more."
            ));
        }
        Ok(home)
    }

    /// Opens the folder's identity, which is to be moved away, even if it can no longer be used to play.
    ///
    /// # Errors
    /// If the folder cannot be used, or another process uses it.
    pub(crate) fn old(&self) -> anyhow::Result<OldIdentity> {
        let folder = self.folder()?;
        Ok(OldIdentity::of_folder(&folder, self.identity.as_deref())?)
    }

    /// Reads the folder's fingerprint and known peers, even while another process uses the folder.
    ///
    /// # Errors
    /// If the folder cannot be used, or its files cannot be read.
    pub(crate) fn look(&self) -> anyhow::Result<(Fingerprint, Vec<Peer>)> {
        // `open` creates the folder if it does not exist.
        if let Err(error) = self.open()
            && !is_in_use(&error)
        {
            return Err(error);
        }
        Ok(Home::look(&self.folder()?, &self.identity_file()?)?)
    }

    /// Returns the path of the identity. The file need not exist.
    ///
    /// # Errors
    /// If no folder is known.
    pub(crate) fn identity_file(&self) -> anyhow::Result<PathBuf> {
        match &self.identity {
            None => Ok(self.folder()?.join("identity")),
            Some(file) => Ok(file.clone()),
        }
    }

    /// Opens the folder without a name for the player.
    ///
    /// # Errors
    /// The errors of [`open`](Self::open), and if the known peers cannot be read.
    pub(crate) fn own(&self) -> anyhow::Result<Own> {
        let own = Own::of(Arc::new(self.open()?))?;
        destroy_old_inputs(&own).context("cannot remove old files of inputs")?;
        Ok(own)
    }

    pub(crate) fn folder(&self) -> anyhow::Result<PathBuf> {
        let set = |name| env::var_os(name).filter(|value| !value.is_empty());
        let given = self.home.clone();
        let given = given.or_else(|| set("DEALERLESS_HOME").map(PathBuf::from));
        match given.or_else(|| data_folder(set)) {
            Some(folder) => Ok(folder),
            None => bail!("no folder for your identity is known; give one with --home DIR"),
        }
    }
}

/// Replaces a file of the folder, which only its owner may read, by this text.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn keep_private(path: PathBuf, text: &str) -> anyhow::Result<()> {
    let cannot = format!("cannot write {}", path.display());
    FileVault(path).keep(text.as_bytes()).context(cannot)
}

/// Whether the error is that another process uses the folder.
pub(crate) fn is_in_use(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(HomeError::InUse(_)))
}

/// The system's folder for the data of programs.
fn data_folder(set: impl Fn(&'static str) -> Option<std::ffi::OsString>) -> Option<PathBuf> {
    let in_home = |path: &str| Some(PathBuf::from(set("HOME")?).join(path));
    let folder = if cfg!(windows) {
        set("APPDATA").map(PathBuf::from)
    } else if cfg!(target_os = "macos") {
        in_home("Library/Application Support")
    } else {
        let absolute = set("XDG_DATA_HOME").map(PathBuf::from);
        let absolute = absolute.filter(|folder| folder.is_absolute());
        absolute.or_else(|| in_home(".local/share"))
    };
    Some(folder?.join("dealerless"))
}

/// The width of the terminal, in columns.
fn columns() -> usize {
    terminal_size().map_or(MAX_WIDTH, |(Width(columns), _)| columns.into())
}

impl OwnArgs {
    /// Serves a page for the match of this process's command line.
    #[cfg(feature = "browser")]
    pub(crate) fn in_browser(&self, first_line: Option<String>, opens: bool) -> anyhow::Result<()> {
        crate::browser::play(&self.folder, self.name.as_deref(), first_line, opens)
    }

    /// Opens the folder, and stores the options that later commands keep.
    ///
    /// # Errors
    /// The errors of [`FolderArgs::own`], and if the settings cannot be read or written.
    pub(crate) fn open(&self, relay: &RelayArgs) -> anyhow::Result<Own> {
        let own = self.folder.own()?;
        let name = self.name.as_deref().map(Name::clean);
        let settings = self.keep(|settings| Ok(settings.replace(name.as_ref(), self.confirm)))?;
        let user = || env::var("USER").or_else(|_| env::var("USERNAME")).ok();
        let name = (settings.name()).unwrap_or_else(|| Name::clean(&user().unwrap_or_default()));
        let confirms = settings.confirm.unwrap_or(true);
        Ok(Own {
            stored: Stored { name, ..own.stored },
            confirms,
            relays: relay.relays(&settings)?,
            ..own
        })
    }

    /// Changes the settings of the folder, and stores them if `change` returns true. The caller has
    /// opened the folder.
    ///
    /// # Errors
    /// The error of `change`, and if the settings cannot be read or written.
    pub(crate) fn keep(
        &self,
        change: impl FnOnce(&mut Settings) -> anyhow::Result<bool>,
    ) -> anyhow::Result<Settings> {
        Settings::change(&self.folder.folder()?, change)
    }

    /// The player of this side, with the settings that [`open`](Self::open) has read.
    pub(crate) fn player(&self, own: &Own, posts: &Posts) -> Player {
        let (face, pauses) = if self.json {
            (
                Face::Json(Box::new(io::stdout()), Box::default()),
                self.pause,
            )
        } else {
            let screen = self.screen(own.confirms);
            let pauses = screen.is_live();
            (Face::Screen(Arc::new(Mutex::new(screen))), pauses)
        };
        let bot = self
            .auto
            .then(|| Bot::new(StdRng::from_rng(&mut rand::rng())));
        let input = Box::new(io::BufReader::new(io::stdin()));
        Player::new(face, bot, input)
            .pausing(pauses)
            .writing_to(posts)
    }

    fn screen(&self, confirms: bool) -> Screen {
        let terminal = io::stdout().is_terminal();
        let set = |name| env::var_os(name).filter(|value| !value.is_empty());
        let dumb = set("TERM").is_some_and(|term| term == "dumb");
        let colours = if !terminal || dumb || set("NO_COLOR").is_some() {
            Colours::None
        } else if self.four_colours {
            Colours::Four
        } else {
            Colours::Two
        };
        let ink = Ink {
            style: self.faces,
            colours,
        };
        let columns = (terminal && !dumb).then_some(columns as Columns);
        Screen::new(Box::new(io::stdout()), ink, columns).confirming(terminal && confirms)
    }
}
