//! Tests with files that are too large to be records.

use std::fs::File;
use std::io;

use super::source::{MOST, at_most, read};

#[test]
fn an_oversized_file_is_refused_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.log");
    // A sparse file, which takes no space on the disk.
    File::create(&path).unwrap().set_len(1 << 40).unwrap();
    let error = read(&path).unwrap_err().to_string();
    assert!(
        error.contains("large.log is larger than 256 MiB"),
        "{error}"
    );
    File::create(&path).unwrap().set_len(1000).unwrap();
    assert_eq!(read(&path).unwrap(), [0; 1000]);
    assert_eq!(MOST, 268_435_456);
}

#[test]
fn an_endless_file_is_read_up_to_the_limit() {
    assert_eq!(at_most(io::repeat(7), 9).unwrap(), None);
    let nine = || io::Read::take(io::repeat(7), 9);
    assert_eq!(at_most(nine(), 9).unwrap(), Some(vec![7; 9]));
    assert_eq!(at_most(nine(), 8).unwrap(), None);
}
