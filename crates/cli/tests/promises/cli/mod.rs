//! The promises of the command line: fields, exit codes, help, and refusals.

use crate::common;
mod compare;
mod demo;
mod export;
mod files;
mod formats;
mod hostile;
mod netlists;
mod usage;

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use common::processes::{Finished, start};

fn run(line: &str) -> Finished {
    run_args(line.split_whitespace())
}

fn run_args<'a>(args: impl IntoIterator<Item = &'a str>) -> Finished {
    start(args).finish()
}

fn numbers(list: &Value) -> Vec<u64> {
    let list = list.as_array().expect("a list");
    list.iter().map(|n| n.as_u64().expect("a number")).collect()
}

fn keys(object: &Value) -> HashSet<&str> {
    object
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect()
}

/// Writes a netlist of x AND y, and x XOR y, of two bits each.
fn small_netlist(folder: &Path) -> String {
    write(
        folder,
        "small.txt",
        "4 8\n2 2 2\n2 2 2\n\n\
         2 1 0 2 4 AND\n2 1 1 3 5 AND\n2 1 0 2 6 XOR\n2 1 1 3 7 XOR\n",
    )
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}
