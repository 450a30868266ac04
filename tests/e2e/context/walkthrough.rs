//! The walk through both systems in `docs/context-handoff.md`, typed as it stands there.

use std::{
    fs,
    io::{Read, Write},
    path::Path,
    process::{Child, Stdio},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use turnwise_tests::{
    deployment::Deployment,
    eventually::eventually,
    options::{Kind, Options},
    process::{binary, clean_command},
};

const SOON: Duration = Duration::from_secs(60);

/// What stands between two marks.
fn between<'t>(text: &'t str, from: &str, to: &str) -> &'t str {
    let rest = text.split_once(from).unwrap_or_else(|| panic!("no {from}"));
    rest.1.split_once(to).unwrap().0
}

/// `turnwise chat`, typed into and read from.
struct Terminal {
    child: Child,
    shown: Arc<Mutex<String>>,
}

impl Terminal {
    fn open(suite: &Deployment, folder: &Path, arguments: &str) -> Self {
        let mut child = clean_command(&binary("turnwise"), suite.home())
            .current_dir(folder)
            .arg("chat")
            .args(arguments.split_whitespace())
            .args(["--endpoint", &suite.endpoint()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let shown = Arc::new(Mutex::new(String::new()));
        let (mut out, seen) = (child.stdout.take().unwrap(), Arc::clone(&shown));
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = out.read(&mut bytes) {
                let text = String::from_utf8_lossy(&bytes[..count]);
                seen.lock().unwrap().push_str(&text);
            }
        });
        Self { child, shown }
    }

    fn say(&mut self, line: &str) {
        let input = self.child.stdin.as_mut().unwrap();
        writeln!(input, "{line}").unwrap();
    }

    async fn wait_for(&self, text: &str) {
        let is_shown = || async { self.shown.lock().unwrap().contains(text).then_some(()) };
        eventually(&format!("the terminal shows {text:?}"), SOON, is_shown).await;
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_walk_in_the_document_goes_as_it_says() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/context-handoff.md");
    let page = fs::read_to_string(page).unwrap();
    let suite = Deployment::start(Kind::OneProcess, Options::new()).await;
    let folder = tempfile::tempdir().unwrap();
    let budget = between(&page, "echo '", "' > budget.json");
    fs::write(folder.path().join("budget.json"), budget).unwrap();
    let arguments = between(&page, "turnwise chat ", "\n");
    let question = between(&page, "Ask `", "`");
    let attach = between(&page, "The terminal shows what is needed. `", "`");

    let mut terminal = Terminal::open(&suite, folder.path(), arguments);
    terminal.say(question);
    terminal.wait_for("Before I answer, I need:").await;
    terminal.say(attach);
    terminal.wait_for("Thanks, that is all.").await;
    terminal.wait_for("\u{7}").await;

    let mut terminal = Terminal::open(&suite, folder.path(), arguments);
    terminal.say(question);
    terminal.wait_for("Before I answer, I need:").await;
    terminal.say(between(&page, "in a new conversation and type `", "`"));
    terminal.wait_for("can't answer this well without").await;

    let mut terminal = Terminal::open(&suite, folder.path(), arguments);
    terminal.say(between(&page, "ask `", "`"));
    terminal.wait_for("question 1 of 3").await;
    suite.nothing_panicked();
}
