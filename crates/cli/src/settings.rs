//! Options that later commands keep: `settings.json` in the folder.

use std::path::Path;

use anyhow::{Context, ensure};
use dealerless_connection::identity::{Name, lock_settings};
use serde::{Deserialize, Serialize};

use crate::table::keep_private;
use crate::whole_file;

/// The settings of a folder.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Settings {
    /// The name that other players see.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) name: Option<String>,
    /// Whether to ask on a terminal for confirmation before the player gives a hand away.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) confirm: Option<bool>,
    /// The page to which a host's links lead.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) page: Option<String>,
    /// The relay of commands without another one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) relay: Option<String>,
    /// The settings of the page that the program serves.
    #[serde(skip_serializing_if = "PageSettings::is_empty", default)]
    pub(crate) table: PageSettings,
    /// Settings that this program does not know. They are kept in the file.
    #[serde(flatten)]
    unknown: serde_json::Map<String, serde_json::Value>,
}

/// The settings of the page that the program serves: its look and its signals, and the terms of the last
/// hosted match. The page checks the values.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct PageSettings {
    #[serde(skip_serializing_if = "Option::is_none", default)]
    settings: Option<serde_json::Map<String, serde_json::Value>>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    terms: Option<serde_json::Map<String, serde_json::Value>>,
    /// Settings that this program does not know. They are kept in the file.
    #[serde(flatten)]
    unknown: serde_json::Map<String, serde_json::Value>,
}

impl PageSettings {
    fn is_empty(&self) -> bool {
        *self == PageSettings::default()
    }

    /// Whether this program knows all of these settings.
    #[cfg(feature = "browser")]
    pub(crate) fn is_known(&self) -> bool {
        self.unknown.is_empty()
    }

    /// Replaces the settings that `new` contains.
    #[cfg(feature = "browser")]
    pub(crate) fn replace(&mut self, new: PageSettings) {
        self.settings = new.settings.or(self.settings.take());
        self.terms = new.terms.or(self.terms.take());
    }
}

/// The size limit of the file, in bytes.
const MOST: u64 = 64 << 10;

impl Settings {
    /// Reads the settings of a folder. If there is no file, returns empty settings.
    ///
    /// # Errors
    /// If the file cannot be read, is too large, or is not a JSON object with values of the right
    /// types.
    pub(crate) fn read(folder: &Path) -> anyhow::Result<Self> {
        let path = folder.join(NAME);
        let cannot = || format!("cannot read {}: correct or delete it", path.display());
        match whole_file::read_text(&path, MOST).with_context(cannot)? {
            Some(text) => dealerless_seat::json::read(text.as_bytes()).with_context(cannot),
            None => Ok(Settings::default()),
        }
    }

    /// Changes the settings of a folder, and stores them if `change` returns true. Other processes that
    /// change them wait. The folder's own lock is not needed: the page stores settings while a match is
    /// played.
    ///
    /// # Errors
    /// The error of `change`, and if the file cannot be read or written; the old file is kept.
    pub(crate) fn change(
        folder: &Path,
        change: impl FnOnce(&mut Settings) -> anyhow::Result<bool>,
    ) -> anyhow::Result<Self> {
        let _lock = lock_settings(folder)?;
        let mut settings = Settings::read(folder)?;
        if change(&mut settings)? {
            settings.write(folder)?;
        }
        Ok(settings)
    }

    fn write(&self, folder: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        ensure!(text.len() as u64 <= MOST, "the settings are too large");
        keep_private(folder.join(NAME), &text)
    }

    /// Replaces the given settings. Returns whether one of them has changed.
    pub(crate) fn replace(&mut self, name: Option<&Name>, confirm: Option<bool>) -> bool {
        let before = (self.name(), self.confirm);
        if let Some(name) = name.filter(|name| before.0.as_ref() != Some(name)) {
            self.name = Some(name.as_str().to_owned());
        }
        self.confirm = confirm.or(self.confirm);
        before != (self.name(), self.confirm)
    }

    /// The stored name.
    pub(crate) fn name(&self) -> Option<Name> {
        self.name.as_deref().map(Name::clean)
    }
}

const NAME: &str = "settings.json";

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn unknown_settings_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        assert_eq!(Settings::read(folder.path()).unwrap(), Settings::default());
        // A byte order mark, which some editors write, does not matter.
        let written = "\u{feff}{\"name\":\"Anna\",\"colour\":{\"of\":\"the future\"}}";
        fs::write(&path, written).unwrap();
        let mut settings = Settings::read(folder.path()).unwrap();
        assert_eq!(settings.name(), Some(Name::clean("Anna")));
        settings.name = Some("Bert".to_owned());
        settings.write(folder.path()).unwrap();
        assert_eq!(Settings::read(folder.path()).unwrap(), settings);
        let text = fs::read_to_string(&path).unwrap();
        assert!(
            text.contains("Bert") && text.contains("the future"),
            "{text}"
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn an_invalid_file_is_reported_and_not_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        let long = format!(r#"{{"name":"{}"}}"#, "a".repeat(MOST as usize));
        let deep = "[".repeat(50_000);
        for bytes in [
            r#"{"name":"Anna","name":"Bert"}"#,
            "",
            "[]",
            "{",
            "null",
            r#"{"name":1}"#,
            r#"{"confirm":"yes"}"#,
            r#"{"relay":[]}"#,
            r#"{"name":"a"} b"#,
            &long,
            &deep,
        ] {
            fs::write(&path, bytes).unwrap();
            let error = format!("{:#}", Settings::read(folder.path()).unwrap_err());
            let has_advice =
                error.contains("settings.json") && error.contains("correct or delete it");
            assert!(has_advice && error.len() < 400, "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), bytes);
        }
        fs::write(&path, b"{\"name\":\"\xff\"}").unwrap();
        assert!(Settings::read(folder.path()).is_err());
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        let error = format!("{:#}", Settings::read(folder.path()).unwrap_err());
        assert!(error.contains("not a regular file"), "{error}");
    }

    #[test]
    fn only_given_settings_are_replaced() {
        let mut settings = Settings::default();
        assert!(settings.replace(Some(&Name::clean("Anna")), Some(false)));
        assert!(!settings.replace(None, None));
        assert!(!settings.replace(Some(&Name::clean("Anna")), Some(false)));
        assert!(settings.replace(None, Some(true)));
        assert_eq!(settings.name(), Some(Name::clean("Anna")));
        assert!(settings.replace(Some(&Name::clean("Bert")), None));
        assert_eq!(settings.confirm, Some(true));
    }

    #[test]
    fn a_name_in_the_file_has_no_harmful_characters() {
        let settings: Settings =
            serde_json::from_str(r#"{"name":"An\u001b[31mna\u202e\n"}"#).unwrap();
        assert_eq!(settings.name().unwrap().as_str(), "An[31mna");
    }
}
