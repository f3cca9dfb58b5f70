//! Who plays here: the folder, the keys and the name of this side, and how it wants to be talked to.

use std::env;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use dealerless_table::{Home, Name, SharedPeers};
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::bot::Bot;
use super::cards::{Colours, Ink, Style};
use super::open::inputs_file;
use super::player::{Face, Player};
use super::screen::Screen;
use crate::session::system_rng;

/// The options of who plays.
#[derive(clap::Args)]
pub(crate) struct OwnArgs {
    #[command(flatten)]
    folder: FolderArgs,
    /// What the other player sees as your name [default: the name of the user].
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Let a simple bot play, which asks nobody.
    #[arg(long)]
    auto: bool,
    /// Print JSON Lines and read commands as JSON Lines; see docs/table-protocol.md.
    #[arg(long)]
    pub(crate) json: bool,
    /// How cards are written.
    #[arg(long, value_name = "STYLE", default_value = "symbols")]
    faces: Style,
    /// Four colours for the suits, on a terminal.
    #[arg(long)]
    four_colours: bool,
}

/// The folder with identity, known peers and matches.
#[derive(clap::Args)]
pub(crate) struct FolderArgs {
    /// The folder with your identity, known peers and matches [default: the data folder of the
    /// system; or DEALERLESS_HOME].
    #[arg(long, value_name = "DIR", global = true)]
    home: Option<PathBuf>,
    /// The file of your identity, if it is not in that folder.
    #[arg(long, value_name = "FILE", global = true)]
    identity: Option<PathBuf>,
}

/// One side of a table.
#[derive(Clone)]
pub(crate) struct Own {
    pub(crate) home: Arc<Home>,
    pub(crate) peers: SharedPeers,
    pub(crate) name: Name,
}

impl FolderArgs {
    /// The same options, for another process.
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

    /// Opens the folder, which is made if it is not there.
    ///
    /// # Errors
    /// If it cannot be used, or another process uses it.
    pub(crate) fn open(&self) -> anyhow::Result<Home> {
        let folder = self.folder()?;
        let home = match &self.identity {
            None => Home::open(&folder, &mut system_rng()),
            Some(file) => Home::with_identity(&folder, file, &mut system_rng()),
        };
        Ok(home?)
    }

    /// Opens the folder, for somebody who plays under no name.
    ///
    /// # Errors
    /// Those of [`open`](Self::open), and if the known peers cannot be read.
    pub(crate) fn own(&self) -> anyhow::Result<Own> {
        let home = self.open()?;
        forget_old_inputs(&home.matches()).context("cannot remove old files of inputs")?;
        let peers = home.known_peers().context("cannot read the known peers")?;
        Ok(Own {
            home: Arc::new(home),
            peers: SharedPeers::new(peers),
            name: Name::clean(""),
        })
    }

    pub(crate) fn folder(&self) -> anyhow::Result<PathBuf> {
        let set = |name| env::var_os(name).filter(|value| !value.is_empty());
        let given = self.home.clone();
        let given = given.or_else(|| set("DEALERLESS_HOME").map(PathBuf::from));
        match given.or_else(|| data_folder(set)) {
            Some(folder) => Ok(folder),
            None => bail!("no folder for your identity is known: say --home DIR"),
        }
    }
}

/// What was entered into the shuffles of a match is kept for an audit, but no longer than this.
const INPUTS_KEPT: Duration = Duration::from_secs(30 * 86_400);

/// Removes the inputs of matches that were played so long ago.
fn forget_old_inputs(matches: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(matches)? {
        let path = entry?.path();
        let old = || -> io::Result<bool> {
            let age = path.metadata()?.modified()?.elapsed();
            Ok(age.is_ok_and(|age| age > INPUTS_KEPT))
        };
        if path == inputs_file(&path) && old()? {
            std::fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// The place of the system for what a program keeps for a user.
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

impl OwnArgs {
    /// Whose folder it is, and the name, for another process.
    #[cfg(feature = "browser")]
    pub(crate) fn again(&self) -> (Vec<std::ffi::OsString>, Option<&str>) {
        (self.folder.again(), self.name.as_deref())
    }

    /// Opens the folder.
    ///
    /// # Errors
    /// Those of [`FolderArgs::own`].
    pub(crate) fn open(&self) -> anyhow::Result<Own> {
        let own = self.folder.own()?;
        let name = self.name();
        Ok(Own { name, ..own })
    }

    fn name(&self) -> Name {
        let user = || env::var("USER").or_else(|_| env::var("USERNAME")).ok();
        Name::clean(&self.name.clone().or_else(user).unwrap_or_default())
    }

    /// Who plays.
    pub(crate) fn player(&self) -> Player {
        let face = match self.json {
            true => Face::Json(Box::new(io::stdout())),
            false => Face::Screen(Box::new(self.screen())),
        };
        let bot = self
            .auto
            .then(|| Bot::new(StdRng::from_rng(&mut rand::rng())));
        Player::new(face, bot, Box::new(io::BufReader::new(io::stdin())))
    }

    fn screen(&self) -> Screen {
        let terminal = io::stdout().is_terminal();
        let set = |name| env::var_os(name).filter(|value| !value.is_empty());
        let dumb = set("TERM").is_some_and(|term| term == "dumb");
        let colours = match terminal && !dumb && set("NO_COLOR").is_none() {
            false => Colours::None,
            true if self.four_colours => Colours::Four,
            true => Colours::Two,
        };
        let ink = Ink {
            style: self.faces,
            colours,
        };
        Screen::new(Box::new(io::stdout()), ink, terminal && !dumb)
    }
}
