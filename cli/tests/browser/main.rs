//! The page in a real browser: Chromium, driven by Python's selenium. Each test here runs one of the
//! scripts beside this file, which starts its own programs and browsers.
//!
//! Python, the browser and its driver are found in the path, or by DEALERLESS_PYTHON,
//! DEALERLESS_CHROMIUM and DEALERLESS_CHROMEDRIVER. Where one of them is missing nothing is tested, and
//! the test says so. DEALERLESS_AXE is the file `axe.min.js` of axe-core, without which nothing is
//! tested for accessibility; DEALERLESS_PICTURES is a folder for a picture of each page.
#![cfg(unix)]

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, PoisonError, RwLock};

/// Who measures is alone.
static QUIET: RwLock<()> = RwLock::new(());

/// What the scripts are run with, or what is missing.
static TOOLS: LazyLock<Result<Tools, &'static str>> = LazyLock::new(Tools::find);

struct Tools {
    python: OsString,
    chromium: PathBuf,
    driver: PathBuf,
}

impl Tools {
    fn find() -> Result<Self, &'static str> {
        let python = env::var_os("DEALERLESS_PYTHON").unwrap_or_else(|| "python3".into());
        let found = Command::new(&python)
            .args(["-c", "import selenium"])
            .output();
        if !found.is_ok_and(|found| found.status.success()) {
            return Err("Python's selenium is not installed");
        }
        Ok(Tools {
            python,
            chromium: executable("DEALERLESS_CHROMIUM", "chromium").ok_or("there is no chromium")?,
            driver: executable("DEALERLESS_CHROMEDRIVER", "chromedriver")
                .ok_or("there is no chromedriver")?,
        })
    }
}

/// The program that a variable names, or the first of this name in the path.
fn executable(variable: &str, name: &str) -> Option<PathBuf> {
    if let Some(named) = env::var_os(variable) {
        return Some(named.into());
    }
    let path = env::var_os("PATH")?;
    let mut places = env::split_paths(&path).map(|folder| folder.join(name));
    places.find(|place| place.is_file())
}

/// Runs one test of a script: `module.Class.test`.
fn runs(test: &str) {
    let tools = match &*TOOLS {
        Ok(tools) => tools,
        Err(missing) => {
            println!("{missing}: no page was opened in a browser");
            return;
        }
    };
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser");
    let run = Command::new(&tools.python)
        .args(["-B", "-m", "unittest", test])
        .current_dir(scripts)
        .env("DEALERLESS", env!("CARGO_BIN_EXE_dealerless"))
        .env("DEALERLESS_CHROMIUM", &tools.chromium)
        .env("DEALERLESS_CHROMEDRIVER", &tools.driver)
        .output()
        .expect("Python runs");
    // What was measured.
    print!("{}", String::from_utf8_lossy(&run.stdout));
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
}

fn beside_others(test: &str) {
    let _beside = QUIET.read().unwrap_or_else(PoisonError::into_inner);
    runs(test);
}

fn alone(test: &str) {
    let _alone = QUIET.write().unwrap_or_else(PoisonError::into_inner);
    runs(test);
}
