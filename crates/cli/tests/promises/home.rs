//! Only its owner can read or change the folder of a player, whatever the umask of the program.
#![cfg(unix)]

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::common::matches::run;
use crate::common::side::Side;

/// Starts the program, which by its umask would let everybody change its files.
fn without_umask(folder: &Path, args: &[&str]) -> Side {
    let shell = [
        "-c",
        "umask 000; exec \"$0\" \"$@\"",
        env!("CARGO_BIN_EXE_dealerless"),
    ];
    Side::start_program(Path::new("/bin/sh"), folder, &[&shell, args].concat())
}

/// Asserts that nobody else can use the files in a folder. Returns the extensions of the files.
fn endings_of_private_files(folder: &Path) -> Vec<String> {
    let mut endings = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", path.display());
        if path.is_dir() {
            endings.extend(endings_of_private_files(&path));
        } else {
            let ending = path.extension().unwrap_or_default();
            endings.push(ending.to_string_lossy().into_owned());
        }
    }
    endings
}

#[test]
fn files_of_a_match_and_settings_are_private_whatever_the_umask() {
    let [a, b] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let homes = [a.path().join("home"), b.path().join("home")];
    let host = [
        "host",
        "--json",
        "--auto",
        "--listen",
        "127.0.0.1:0",
        "--name",
        "Anna",
    ];
    let terms = ["--game", "holdem", "--hands", "100", "--time", "30+120"];
    let mut host = without_umask(&homes[0], &[&host[..], &terms].concat());
    let invite = host.until("invite")["invite"].clone();
    let join = [
        "join",
        invite.as_str().unwrap(),
        "--json",
        "--auto",
        "--name",
        "Bert",
    ];
    let mut guest = without_umask(&homes[1], &join);
    host.up_to("sealed");
    guest.until("sealed");
    host.kill();
    guest.kill();
    for home in &homes {
        let endings = endings_of_private_files(home);
        for ending in ["json", "log"] {
            assert!(endings.iter().any(|found| found == ending), "{endings:?}");
        }
    }
    assert!(endings_of_private_files(&homes[0]).contains(&"listen".to_owned()));
    without_umask(&homes[0], &["doctor", "--json", "--listen", "127.0.0.1:0"]).finish();
    endings_of_private_files(&homes[0]);
}

#[test]
fn a_home_that_all_can_change_is_refused_and_that_of_a_group_is_corrected() {
    let home = tempfile::tempdir().unwrap();
    let set = |mode| fs::set_permissions(home.path(), Permissions::from_mode(mode)).unwrap();
    set(0o777);
    for command in [
        &["identity"][..],
        &["identity", "move", "moved"],
        &["peers"],
        &["config", "name", "Anna"],
        &["host", "--listen", "127.0.0.1:0"],
        &["resume"],
    ] {
        let refused = run(home.path(), command);
        let message = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(1), "{message}");
        assert!(message.contains("chmod go-w"), "{message}");
    }
    set(0o770);
    let opened = run(home.path(), &["identity"]);
    let message = String::from_utf8(opened.stderr).unwrap();
    assert!(
        opened.status.success() && message.contains("of its group"),
        "{message}"
    );
    let mode = fs::metadata(home.path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o750);
    assert!(run(home.path(), &["identity"]).stderr.is_empty());
}
