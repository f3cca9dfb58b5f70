//! Netlists in a plot, from `--with`.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, ensure};
use dealerless_command_line::output::shortened;

use super::curve::Y;
use super::plan::Plan;
use crate::circuit::netlist_file::FormatArgs;

/// A file of `--with`, and its position on the horizontal axis, if given.
#[derive(Clone)]
pub(super) struct With {
    path: PathBuf,
    at: Option<usize>,
}

impl FromStr for With {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (path, at) = match text.rsplit_once('@') {
            Some((path, at)) if !at.is_empty() && at.bytes().all(|c| c.is_ascii_digit()) => {
                let at = at.parse().map_err(|_| "the number after @ is too large")?;
                (path, Some(at))
            }
            _ => (text, None),
        };
        if path.is_empty() {
            Err("expected FILE or FILE@NUMBER".into())
        } else {
            Ok(With {
                path: path.into(),
                at,
            })
        }
    }
}

impl With {
    /// The path of the file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// A netlist in the plot: a point, or a horizontal line if it has no position.
pub(super) struct Guest {
    pub(super) name: String,
    pub(super) at: Option<usize>,
    pub(super) value: usize,
}

/// The maximum length of a name in the plot, in characters.
const NAME: usize = 24;

impl Guest {
    /// Reads and counts a netlist.
    ///
    /// # Errors
    /// If the netlist cannot be read, its position is outside the axis, or the quantity cannot be
    /// counted or is 0.
    pub(super) fn read(with: &With, y: Y, plan: &Plan) -> anyhow::Result<Self> {
        let name = with.path.display();
        let netlist = FormatArgs::default().read(&with.path)?;
        let (first, last) = plan.ends();
        if let Some(at) = with.at {
            ensure!(
                (first..=last).contains(&at),
                "{name}@{at} is outside the plot, which shows {first} to {last}"
            );
        }
        let value = y.of_netlist(&netlist).with_context(|| {
            format!("{name} has more than two input values, so their owners are unknown")
        })?;
        ensure!(
            value > 0,
            "{name} has 0 {}, which a logarithmic axis cannot show",
            y.words().unit
        );
        Ok(Guest {
            name: shown(&with.path),
            at: with.at,
            value,
        })
    }
}

/// Formats the name of a file for the plot.
fn shown(path: &Path) -> String {
    let name = path
        .file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy();
    // The font has only the printable ASCII characters, and the ellipsis of a shortened name.
    let name: String = (name.chars())
        .map(|c| if c.is_ascii_graphic() { c } else { '-' })
        .collect();
    shortened(&name, NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_parses_a_file_and_an_optional_number() {
        for (text, path, at) in [
            ("a.txt", "a.txt", None),
            ("a.txt@9", "a.txt", Some(9)),
            ("me@home", "me@home", None),
            ("me@home@52", "me@home", Some(52)),
        ] {
            let with: With = text.parse().unwrap();
            assert_eq!((with.path.to_str(), with.at), (Some(path), at), "{text}");
        }
        assert!("".parse::<With>().is_err());
        assert!("@9".parse::<With>().is_err());
        assert!("a@99999999999999999999".parse::<With>().is_err());
    }

    #[test]
    fn long_name_keeps_its_ends() {
        assert_eq!(shown(Path::new("/tmp/aes.txt")), "aes.txt");
        let name = shown(Path::new("a-very-long-name-of-a-netlist-256.txt"));
        assert_eq!(name, "a-very-long-…list-256.txt");
    }
}
