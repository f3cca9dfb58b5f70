//! Runs commands that print and end, and returns their output for the page.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::timeout;

use super::programs::{CANNOT_START, Programs};

/// The size limit of a command's output: hand histories of about ten thousand hands.
const MOST: u64 = 32 << 20;
/// Timeout for a command.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The output of a command.
struct Printed {
    exit_code: Option<i32>,
    output: Vec<u8>,
}

impl Programs {
    /// Runs a command until it exits.
    async fn run(&self, args: Vec<OsString>, folder: Option<&Path>) -> anyhow::Result<Printed> {
        let mut command = self.process(args);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        // Errors are in the object on standard output.
        command.stderr(Stdio::null());
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        let mut child = command.spawn().context(CANNOT_START)?;
        let printed = child.stdout.take().context("the program has no output")?;
        let to_the_end = async {
            let output = at_most(printed, MOST).await?;
            let status = child.wait().await?;
            Ok::<_, io::Error>((output, status.code()))
        };
        let ended = timeout(TIMEOUT, to_the_end).await;
        let (output, exit_code) = ended.context("the program did not finish in time")??;
        match output {
            Some(output) => Ok(Printed { exit_code, output }),
            None => bail!("the output is too large for a page: run the command in a terminal"),
        }
    }

    /// The object that a command prints, with its exit code.
    async fn object(
        &self,
        args: Vec<OsString>,
        folder: Option<&Path>,
    ) -> anyhow::Result<(Value, i32)> {
        let printed = self.run(args, folder).await?;
        let object = serde_json::from_slice(&printed.output);
        let object: Value = object.context("the output of the program is not JSON")?;
        let exit_code = printed.exit_code.context("the program was killed")?;
        if let Some(message) = object.pointer("/error/message").and_then(Value::as_str) {
            bail!("{message}");
        }
        Ok((object, exit_code))
    }

    /// The text that a command prints for people, and whether it succeeded.
    async fn text(
        &self,
        args: Vec<OsString>,
        folder: Option<&Path>,
    ) -> anyhow::Result<(String, bool)> {
        let printed = self.run(args, folder).await?;
        let text =
            String::from_utf8(printed.output).context("the output of the program is not text")?;
        Ok((text, printed.exit_code == Some(0)))
    }

    /// The object that a command prints about this player's folder.
    ///
    /// # Errors
    /// [`Busy`](super::programs::Busy), the error of the command, or that it cannot be run.
    pub(super) async fn of_folder(&self, command: &[&str]) -> anyhow::Result<Value> {
        let mut args = words(command);
        args.extend(self.own.folder());
        let _turn = self.turn().await?;
        Ok(self.object(args, None).await?.0)
    }

    /// The identity of this folder. The field `player` is the name from the command line, if one
    /// was given.
    ///
    /// # Errors
    /// The errors of [`of_folder`](Self::of_folder).
    pub(super) async fn identity(&self) -> anyhow::Result<Value> {
        let mut identity = self.of_folder(&["identity", "--json"]).await?;
        if let Some(name) = self.own.name() {
            identity["player"] = name.into();
        }
        Ok(identity)
    }

    /// The hands of a match that was played in this folder.
    ///
    /// # Errors
    /// The errors of [`of_folder`](Self::of_folder).
    pub(super) async fn hands(&self, of: &str) -> anyhow::Result<Value> {
        let is_id = !of.is_empty() && of.bytes().all(|byte| byte.is_ascii_hexdigit());
        ensure!(is_id, "this is not the id of a match");
        let mut args = words(&["show", of]);
        args.extend(self.own.folder());
        let _turn = self.turn().await?;
        let (text, _) = self.text(args.clone(), None).await?;
        args.push("--json".into());
        let (show, _) = self.object(args, None).await?;
        Ok(json!({ "text": text, "show": show }))
    }

    /// The verification of one or two records.
    ///
    /// # Errors
    /// The errors of [`of_folder`](Self::of_folder), and if the records cannot be stored.
    pub(super) async fn verified(&self, records: &[&[u8]]) -> anyhow::Result<Value> {
        const NAMES: [&str; 2] = ["first", "second"];
        let folder = tempfile::tempdir().context("cannot create a folder for the records")?;
        let at = Some(folder.path());
        let names = &NAMES[..records.len().min(NAMES.len())];
        for (name, record) in names.iter().zip(records) {
            std::fs::write(folder.path().join(name), record).context("cannot write the records")?;
        }
        // The folder `nobody` is empty. Without keys, the commands print what anybody can read.
        let nobody = ["--home", "nobody"];
        let mut args = words(&["verify"]);
        args.extend(words(&[names, &nobody].concat()));
        let (text, _) = self
            .text([&args[..], &words(&["--verbose"])].concat(), at)
            .await?;
        args.push("--json".into());
        let (verify, exit_code) = self.object(args, at).await?;
        let mut shown = Vec::new();
        for name in names {
            let args = words(&[&["show", name], &nobody[..]].concat());
            let (text, good) = self.text(args, at).await?;
            shown.push(good.then_some(text));
        }
        Ok(json!({ "exit_code": exit_code, "verify": verify, "text": text, "shown": shown }))
    }
}

fn words(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

/// Reads `from` to its end. Returns `None` if there are more than `most` bytes.
async fn at_most(from: impl AsyncRead + Unpin, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes).await?;
    Ok(Some(bytes).filter(|bytes| bytes.len() as u64 <= most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn output_over_the_limit_is_dropped() {
        let all = b"abcd";
        assert_eq!(at_most(&all[..], 4).await.unwrap().unwrap(), all);
        assert_eq!(at_most(&all[..], 3).await.unwrap(), None);
    }
}
