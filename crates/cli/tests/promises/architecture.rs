//! The module diagram in ARCHITECTURE.md is correct: it has an arrow for each use of a module by
//! another, and no other arrows. A module uses only modules above it in the list
//! of modules on that page.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

type Arrows = BTreeSet<(String, String)>;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn page() -> String {
    fs::read_to_string(Path::new(ROOT).join("ARCHITECTURE.md")).unwrap()
}

/// The names in the list of modules, in order.
fn modules(page: &str) -> Vec<&str> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `src/"));
    rows.map(|row| row.split_once("/`").expect("a folder").0)
        .collect()
}

/// The folders of the crates in the workspace, apart from the library.
fn crates() -> Vec<String> {
    let folders = fs::read_dir(Path::new(ROOT).join("crates")).unwrap();
    folders
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        // Workspaces of their own.
        .filter(|name| !["fuzz", "constant_time"].contains(&&name[..]))
        .collect()
}

/// The arrows of the diagram.
fn drawn(page: &str) -> Arrows {
    let arrows = page.lines().filter_map(|line| line.split_once(" --> "));
    arrows
        .map(|(user, used)| (user.trim().to_owned(), used.trim().to_owned()))
        .collect()
}

/// The code of a folder, without tests, test tools and comments.
fn code(folder: &Path) -> String {
    let mut code = String::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.starts_with("tests") || name == "testing" {
            continue;
        } else if path.is_dir() {
            code += &self::code(&path);
        } else if name.ends_with(".rs") {
            let text = fs::read_to_string(&path).unwrap();
            let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
            let lines = text.lines().filter(|line| !line.trim().starts_with("//"));
            lines.for_each(|line| code = format!("{code}{line}\n"));
        }
    }
    code
}

/// The names that follow each occurrence of `path` in the code: one name, or the names in the
/// braces of an import.
fn names_after<'a>(code: &'a str, path: &str) -> BTreeSet<&'a str> {
    let not_in_a_name = |c: char| !c.is_alphanumeric() && c != '_';
    let ends = |rest: &'a str| {
        if rest.starts_with('{') {
            rest.split_once(';').expect("an import").0
        } else {
            rest.split(not_in_a_name).next().unwrap()
        }
    };
    code.split(path)
        .skip(1)
        .flat_map(|rest| ends(rest).split(not_in_a_name))
        .collect()
}

#[test]
fn module_diagram_matches_the_code() {
    let page = page();
    let modules = modules(&page);
    let root = Path::new(ROOT);
    let mut uses = Arrows::new();
    for user in &modules {
        let code = code(&root.join("src").join(user));
        for used in names_after(&code, "crate::") {
            if used != *user && modules.contains(&used) {
                uses.insert((user.to_string(), used.to_owned()));
            }
        }
    }
    for user in crates() {
        let code = code(&root.join("crates").join(&user).join("src"));
        for used in crates() {
            if used != user && code.contains(&format!("dealerless_{}::", used.replace('-', "_"))) {
                uses.insert((user.clone(), used));
            }
        }
        if code.contains("dealerless::") {
            uses.insert((user, "library".to_owned()));
        }
    }
    assert_eq!(drawn(&page), uses);
}

#[test]
fn crate_of_a_seat_uses_no_thread_file_socket_or_terminal() {
    let code = code(&Path::new(ROOT).join("crates/seat/src"));
    let used = names_after(&code, "std::");
    for module in ["thread", "fs", "net", "process", "env"] {
        assert!(!used.contains(module), "std::{module}");
    }
    // `run` has shared handles, the errors of files, and a name for a file.
    for name in [
        "mpsc",
        "Condvar",
        "stdin",
        "stdout",
        "stderr",
        "Instant",
        "SystemTime",
        "PathBuf",
    ] {
        assert!(!code.contains(name), "{name}");
    }
    assert!(names_after(&code, "clap::").is_empty());
}

/// JSON from outside is read by `json::read`, which refuses an object that has a key twice. Its readers
/// are the settings and the requests of the page, the commands of players, and the requests and settings
/// of a guest's page.
#[test]
fn json_from_outside_is_read_by_one_function() {
    let mut others = Vec::new();
    for name in crates() {
        let folder = Path::new(ROOT).join("crates").join(&name).join("src");
        let code = code(&folder);
        let readers = [
            "from_str",
            "from_slice",
            "from_reader",
            "from_value",
            "Deserializer",
        ];
        let count = |reader: &str| code.matches(&format!("serde_json::{reader}")).count();
        let direct: usize = readers.into_iter().map(count).sum();
        assert!(!code.contains("use serde_json::from_"), "{name}");
        if direct > 0 {
            others.push((name, direct));
        }
    }
    others.sort_unstable();
    // `cli` reads the output of its own program. `seat` converts a command that was read before, and
    // the function itself calls the library twice.
    let expected = [("cli", 1), ("seat", 3)];
    assert_eq!(
        others,
        expected.map(|(name, count)| (name.to_owned(), count))
    );
}

#[test]
fn modules_use_only_modules_above_them() {
    let page = page();
    let modules = modules(&page);
    let place = |module: &str| modules.iter().position(|other| *other == module);
    for (user, used) in drawn(&page) {
        if let (Some(user_at), Some(used_at)) = (place(&user), place(&used)) {
            assert!(used_at < user_at, "{user} uses {used}");
        }
    }
}

#[test]
fn every_module_is_listed() {
    let page = page();
    let mut modules = modules(&page);
    let folders = fs::read_dir(Path::new(ROOT).join("src")).unwrap();
    let folders = folders.map(|entry| entry.unwrap().path());
    let mut found: Vec<String> = folders
        .filter(|path| path.is_dir() && !path.ends_with("testing"))
        .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    found.sort();
    modules.sort_unstable();
    assert_eq!(found, modules);
}
