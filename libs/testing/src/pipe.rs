//! A pipe in the place of a file: whoever opens it to read waits for a writer.

use std::{path::Path, process::Command};

/// Makes a pipe that its owner alone may read.
///
/// # Panics
///
/// If it cannot be made.
pub fn make_pipe(path: &Path) {
    let made = Command::new("mkfifo")
        .args(["-m", "600"])
        .arg(path)
        .status();
    let made = made.is_ok_and(|made| made.success());
    assert!(made, "no pipe at {}", path.display());
}
