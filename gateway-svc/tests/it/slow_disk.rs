//! A file that is not read before a test says so, as on a network volume that hangs.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::mpsc::{Sender, channel},
    thread::{self, JoinHandle},
    time::Duration,
};

/// Longer than anything here takes. Then the file can be read, so that a test that waits for it ends and fails.
const PATIENCE: Duration = Duration::from_secs(20);

/// A pipe in the place of a file: whoever opens it waits for a writer.
pub struct SlowFile {
    path: PathBuf,
    text: Sender<String>,
    /// Says whether the test answered before the file had to.
    writer: JoinHandle<bool>,
}

impl SlowFile {
    pub fn in_place_of(path: &Path) -> Self {
        let pipe = path.with_extension("pipe");
        let made = Command::new("mkfifo")
            .args(["-m", "600"])
            .arg(&pipe)
            .status()
            .unwrap();
        assert!(made.success());
        fs::rename(&pipe, path).unwrap();
        let (text, told) = channel();
        let written = path.to_owned();
        let writer = thread::spawn(move || {
            let told: Result<String, _> = told.recv_timeout(PATIENCE);
            let in_time = told.is_ok();
            fs::write(written, told.unwrap_or_default()).unwrap();
            in_time
        });
        Self {
            path: path.to_owned(),
            text,
            writer,
        }
    }

    /// Lets the file be read at last, with this text in it; from then on it is a file like others.
    pub fn answer(self, text: &str) {
        let told = self.text.send(text.to_owned());
        assert!(self.writer.join().unwrap(), "somebody waited for the disk");
        told.unwrap();
        turnwise_testing::write_secret(&self.path, text).unwrap();
    }
}
