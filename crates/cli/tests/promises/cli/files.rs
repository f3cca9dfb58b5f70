//! File extensions choose the format, and no command overwrites its input.

use std::fs;

use crate::common::processes::run;

#[test]
fn wrong_file_extension_is_refused_before_any_work() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().display();
    // The input files are missing, so a command that began to work would report the
    // missing file.
    for (line, endings) in [
        (
            format!("bridge records missing.pbn -o {at}/a.pdf"),
            ".txt or .html or .htm",
        ),
        (
            format!("bridge boards missing -o {at}/a.lin --home {at}/home"),
            ".pbn",
        ),
        (format!("bridge leakage --csv {at}/a.pdf"), ".csv or .txt"),
        (
            format!("bridge leakage --picture {at}/a.txt"),
            ".svg or .png or .pdf",
        ),
    ] {
        run(&line).exits(1).says("cannot write").says(endings);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn commands_do_not_overwrite_their_input() {
    let folder = tempfile::tempdir().unwrap();
    let boards = folder.path().join("boards.txt");
    fs::write(&boards, "").unwrap();
    let boards = boards.display();
    run(&format!("bridge records {boards} --from pbn -o {boards}"))
        .exits(1)
        .says("it is an input of this command");
}
