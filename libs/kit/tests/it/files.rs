//! Files with secrets: what is refused at the start, and what becomes of a change.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    sync::{Mutex, mpsc},
    time::Duration,
};

use tempfile::TempDir;
use turnwise_kit::{Kit, caller::InternalToken, files};
use turnwise_testing::{make_pipe, write_secret};

/// Within this time a file has been looked at again, and twice.
const LOOKED_AT: Duration = Duration::from_millis(1100);
const TWICE: Duration = Duration::from_millis(2100);
/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(20);
const SETTING: &str = "SECRET_FILE";

fn place(home: &TempDir) -> PathBuf {
    home.path().join("secret")
}

fn mode(file: &Path, mode: u32) {
    fs::set_permissions(file, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_file_that_is_no_secret_is_refused_with_a_remedy() {
    let home = TempDir::new().unwrap();
    let file = place(&home);
    let problem = || {
        let read = files::NamedFile::secret(SETTING, &file).read();
        read.map_err(|error| error.to_string()).unwrap_err()
    };
    let says = |problem: String, parts: &[&str]| {
        for part in [&[SETTING, file.to_str().unwrap()], parts].concat() {
            assert!(problem.contains(part), "{problem}");
        }
        assert!(!problem.contains("hunter"), "{problem}");
    };
    says(problem(), &["there is no such file; write it there"]);
    for empty in ["", "\n \n"] {
        write_secret(&file, empty).unwrap();
        says(problem(), &["it is empty; write"]);
    }
    write_secret(&file, "hunter2").unwrap();
    for open in [0o644, 0o604, 0o602, 0o666] {
        mode(&file, open);
        let shown = format!("(mode {open:04o})");
        says(
            problem(),
            &["everybody", &shown, "chmod 440", "defaultMode: 0440"],
        );
        // What is no secret may be read by all, and not written.
        let public = files::NamedFile::public(SETTING, &file).read();
        assert_eq!(public.is_ok(), open & 0o002 == 0, "{public:?}");
    }
    write_secret(&file, vec![b'x'; (1 << 20) + 1]).unwrap();
    says(problem(), &["more than 1048576 bytes"]);
}

#[test]
fn nothing_waits_for_a_pipe() {
    let home = TempDir::new().unwrap();
    let file = place(&home);
    make_pipe(&file);
    for named in [files::NamedFile::secret, files::NamedFile::public] {
        let problem = named(SETTING, &file).read().unwrap_err().to_string();
        assert!(problem.contains("it is no plain file"), "{problem}");
    }
}

#[test]
fn owner_and_group_may_read_a_secret() {
    let home = TempDir::new().unwrap();
    let file = place(&home);
    write_secret(&file, "hunter2").unwrap();
    for mounted in [0o400, 0o440, 0o600, 0o640, 0o660] {
        mode(&file, mounted);
        let read = files::NamedFile::secret(SETTING, &file).read();
        assert_eq!(read.unwrap(), b"hunter2");
    }
    // As Kubernetes mounts it: a link to a link to the file. The links' own rights mean nothing.
    let linked = home.path().join("mounted");
    std::os::unix::fs::symlink(&file, home.path().join("..data")).unwrap();
    std::os::unix::fs::symlink(home.path().join("..data"), &linked).unwrap();
    assert!(files::NamedFile::secret(SETTING, &linked).read().is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_text_is_asked_for_as_it_is_now() {
    let home = TempDir::new().unwrap();
    let (file, kit) = (place(&home), Kit::for_tests());
    write_secret(&file, "one\n").unwrap();
    let text = files::text(SETTING, Some(&file), &kit).unwrap().unwrap();
    assert_eq!(text(), "one");
    write_secret(&file, "two").unwrap();
    tokio::time::sleep(LOOKED_AT).await;
    assert_eq!(text(), "two");
    write_secret(&file, "three\nlines\nof it").unwrap();
    tokio::time::sleep(TWICE).await;
    assert_eq!(text(), "two");
    assert!(files::text(SETTING, None, &kit).unwrap().is_none());
    assert!(
        files::text(SETTING, Some(&PathBuf::new()), &kit)
            .unwrap()
            .is_none()
    );
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_used_is_counted_once_and_what_was_there_stays() {
    const ONE: &str = "the-first-token-of-at-least-thirty-two-characters";
    const TWO: &str = "the-second-token-of-at-least-thirty-two-characters";
    let home = TempDir::new().unwrap();
    let (file, kit) = (place(&home), Kit::for_tests());
    let counted = |name: &str| {
        let line = format!("{name}_total{{setting=\"{SETTING}\"}} ");
        let metrics = kit.metrics.encode();
        let found = metrics.lines().find_map(|it| it.strip_prefix(&line));
        found.map_or(0, |count| count.parse::<u32>().unwrap())
    };
    let opens =
        |token: &InternalToken, text: &str| token.opens(format!("Bearer {text}").as_bytes());
    write_secret(&file, ONE).unwrap();
    let token = InternalToken::load(SETTING, &file).unwrap();
    token.follow(&kit);
    // Twice is once.
    token.follow(&kit);

    write_secret(&file, format!("{TWO}\n{ONE}")).unwrap();
    tokio::time::sleep(LOOKED_AT).await;
    assert_eq!(
        token.bearer().as_bytes(),
        format!("Bearer {TWO}").as_bytes()
    );
    assert!(opens(&token, ONE) && opens(&token, TWO));
    assert_eq!(
        (counted("files_read_again"), counted("files_refused")),
        (1, 0)
    );

    let mut refused = 0;
    let world_readable = || {
        write_secret(&file, ONE).unwrap();
        mode(&file, 0o644);
    };
    let faults: [&dyn Fn(); 4] = [
        &|| write_secret(&file, "short").unwrap(),
        &|| write_secret(&file, "").unwrap(),
        &world_readable,
        &|| fs::remove_file(&file).unwrap(),
    ];
    for fault in faults {
        fault();
        tokio::time::sleep(LOOKED_AT).await;
        assert_eq!(counted("files_refused"), refused, "it may be half written");
        tokio::time::sleep(TWICE).await;
        refused += 1;
        assert_eq!(counted("files_refused"), refused);
        assert!(opens(&token, ONE) && opens(&token, TWO));
    }
    write_secret(&file, ONE).unwrap();
    tokio::time::sleep(LOOKED_AT).await;
    assert!(opens(&token, ONE) && !opens(&token, TWO));
    assert_eq!(counted("files_read_again"), 2);
}

/// A file that is being read again, for as long as a disk takes, keeps nobody waiting for what was read before.
#[tokio::test(start_paused = true)]
async fn nobody_waits_while_a_file_is_read_again() {
    let home = TempDir::new().unwrap();
    let file = place(&home);
    write_secret(&file, "old").unwrap();
    let (begun, reading) = mpsc::channel();
    let (end, ended) = mpsc::channel();
    let ended = Mutex::new(ended);
    let named = vec![files::NamedFile::secret(SETTING, &file)];
    let followed = files::Followed::load(named, move |contents| {
        let text = String::from_utf8(contents[0].clone()).unwrap();
        if text == "new" {
            begun.send(()).unwrap();
            ended.lock().unwrap().recv().unwrap();
        }
        Ok(text)
    })
    .unwrap();
    followed.follow(&Kit::for_tests());
    let mut changes = followed.changes();
    write_secret(&file, "new").unwrap();
    tokio::task::yield_now().await;
    tokio::time::advance(LOOKED_AT).await;
    tokio::task::yield_now().await;
    reading.recv_timeout(PATIENCE).unwrap();
    assert_eq!(*followed.get(), "old");
    end.send(()).unwrap();
    changes.changed().await.unwrap();
    assert_eq!(*followed.get(), "new");
}
