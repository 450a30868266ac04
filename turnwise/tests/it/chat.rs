//! `turnwise chat`, run as a pupil runs it, over a pipe, against a tutor in this process.

mod fake;
mod rote;

use std::process::{ExitStatus, Stdio};

use tempfile::TempDir;
use tokio::{
    io::AsyncWriteExt,
    process::{Child, Command},
};

use fake::{Fake, STAFF_TOKEN, TOKEN, Trouble};

/// A folder with tokens, and a tutor to talk to.
struct Room {
    dir: TempDir,
    fake: Fake,
}

struct Told {
    status: ExitStatus,
    out: String,
    err: String,
}

impl Room {
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("token"), TOKEN).unwrap();
        std::fs::write(dir.path().join("staff-token"), STAFF_TOKEN).unwrap();
        Self {
            dir,
            fake: Fake::start().await,
        }
    }

    fn start(&self, more: &[&str]) -> Child {
        Command::new(env!("CARGO_BIN_EXE_turnwise"))
            .args(["chat", "--student", "ada", "--class", "7b", "--course", "algebra"])
            .args(["--endpoint", &self.fake.endpoint()])
            .arg("--token-file")
            .arg(self.dir.path().join("token"))
            .args(more)
            .env("HOME", self.dir.path())
            .env_remove("XDG_DATA_HOME")
            .env_remove("XDG_STATE_HOME")
            .env_remove("TURNWISE_DATA_DIR")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap()
    }

    /// Types these lines, one after the other, and ends.
    async fn chat(&self, more: &[&str], typed: &[&str]) -> Told {
        let mut child = self.start(more);
        let mut input = child.stdin.take().unwrap();
        let mut typed = typed.join("\n");
        typed.push('\n');
        input.write_all(typed.as_bytes()).await.unwrap();
        drop(input);
        let output = child.wait_with_output().await.unwrap();
        Told {
            status: output.status,
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

#[tokio::test]
async fn scratch_session() {
    let room = Room::new().await;
    let staff = room.dir.path().join("staff-token");
    let told = room.chat(&["--staff-token-file", staff.to_str().unwrap()], &[
        "how do I solve two-step equations?", "/1", "/2", "take 6 away", "check hm", "7", "2", "4", "", "what now?", "/1", "x = 4", "", "/2", "n", "e", "a", "c", "", "", "/standing", "/why", "/quit"]).await;
    println!("{}{}", told.out, told.err);
    assert!(told.status.success());
}
