//! Passes the compiler version and the build profile to the program; `bench` reports both.

use std::{env, process::Command};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let mut compiler = Command::new(env::var_os("RUSTC").unwrap_or("rustc".into()));
    let version = compiler
        .arg("--version")
        .output()
        .map(|output| output.stdout)
        .unwrap_or_default();
    println!(
        "cargo::rustc-env=DEALERLESS_COMPILER={}",
        String::from_utf8_lossy(&version).trim()
    );
    let profile = env::var("PROFILE").unwrap_or_default();
    println!("cargo::rustc-env=DEALERLESS_PROFILE={profile}");
}
