//! Netlists of others in the picture.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, ensure};
use dealerless_program::output::shortened;

use super::curve::Y;
use super::plan::Plan;
use crate::circuit::netlist_file::FormatArgs;

/// A file of `--with`, and where it stands on the horizontal axis, if that is said.
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
                let at = at.parse().map_err(|_| "the number behind @ is too large")?;
                (path, Some(at))
            }
            _ => (text, None),
        };
        if path.is_empty() {
            Err("a file is needed, or FILE@NUMBER".into())
        } else {
            Ok(With {
                path: path.into(),
                at,
            })
        }
    }
}

impl With {
    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// A netlist of others: a point, or a line if it is not said where it stands.
pub(super) struct Guest {
    pub(super) name: String,
    pub(super) at: Option<usize>,
    pub(super) value: usize,
}

/// The longest name in the picture, in characters.
const NAME: usize = 24;

impl Guest {
    /// Reads and counts a netlist.
    ///
    /// # Errors
    /// When it cannot be read, stands outside of the axis, or what is asked for cannot be told of it.
    pub(super) fn read(with: &With, y: Y, plan: &Plan) -> anyhow::Result<Self> {
        let name = with.path.display();
        let netlist = FormatArgs::default().read(&with.path)?;
        let (first, last) = plan.ends();
        if let Some(at) = with.at {
            ensure!(
                (first..=last).contains(&at),
                "{name}@{at} is outside of the picture, which goes from {first} to {last}"
            );
        }
        let value = y.of_netlist(&netlist).with_context(|| {
            format!("{name} has more than two input values: nobody knows whose they are")
        })?;
        ensure!(
            value > 0,
            "{name} has 0 {}, which a logarithmic axis does not show",
            y.words().unit
        );
        Ok(Guest {
            name: shown(&with.path),
            at: with.at,
            value,
        })
    }
}

/// The name of a file as the picture shows it.
fn shown(path: &Path) -> String {
    let name = path
        .file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy();
    // The font of the pictures has these alone, and the dots of what is left out.
    let name: String = (name.chars())
        .map(|c| if c.is_ascii_graphic() { c } else { '-' })
        .collect();
    shortened(&name, NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_stands_where_the_number_behind_it_says() {
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
    fn a_long_name_keeps_its_ends() {
        assert_eq!(shown(Path::new("/tmp/aes.txt")), "aes.txt");
        let name = shown(Path::new("a-very-long-name-of-a-netlist-256.txt"));
        assert_eq!(name, "a-very-long-…list-256.txt");
    }
}
