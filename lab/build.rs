//! Tells the program which compiler builds it and how: `bench` reports both.

use std::{env, process::Command};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let mut compiler = Command::new(env::var_os("RUSTC").unwrap_or("rustc".into()));
    let said = compiler
        .arg("--version")
        .output()
        .map(|output| output.stdout)
        .unwrap_or_default();
    println!(
        "cargo::rustc-env=DEALERLESS_COMPILER={}",
        String::from_utf8_lossy(&said).trim()
    );
    let profile = env::var("PROFILE").unwrap_or_default();
    println!("cargo::rustc-env=DEALERLESS_PROFILE={profile}");
}
