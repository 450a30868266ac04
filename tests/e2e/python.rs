//! A client that is not ours: a short Python script over grpcio, with stubs made from the protos.

use std::{path::PathBuf, process::Command};

use turnwise_tests::{
    deployment::Deployment,
    options::{Kind, Options},
    process::repository,
    student::{DEMO_COURSE, Student},
    token,
};

in_both_deployments!(a_first_turn_from_python, the_helper_from_python);

/// A Python with grpcio-tools: TURNWISE_PYTHON, or the one in `.venv`. Without it the test says so and passes, but not
/// in CI.
pub(crate) fn python() -> Option<PathBuf> {
    let named = std::env::var_os("TURNWISE_PYTHON").map(PathBuf::from);
    let python = named.unwrap_or_else(|| repository().join(".venv/bin/python"));
    if python.is_file() {
        return Some(python);
    }
    let what = format!(
        "no Python at {}; make one: python3 -m venv .venv && .venv/bin/pip install grpcio grpcio-tools googleapis-common-protos",
        python.display()
    );
    assert!(std::env::var_os("CI").is_none(), "{what}");
    println!("SKIPPED: {what}");
    None
}

async fn a_first_turn_from_python(kind: Kind) {
    let Some(python) = python() else {
        return;
    };
    let mut suite = Deployment::start(kind, Options::new()).await;
    let ada = suite.student("ada");
    let output = Command::new(python)
        .arg(repository().join("tests/python/first_turn.py"))
        .args([suite.address().to_string(), ada.token.clone()])
        .args([Student::CLASS, DEMO_COURSE])
        .current_dir(repository())
        .output()
        .unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{shown}\n{said}");

    let threads = ada.threads(20).await;
    assert_eq!(threads.len(), 1);
    let messages = ada.messages(&threads[0].thread_id, 50).await;
    assert_eq!(messages.len(), 2);
    assert!(shown.contains(&messages[1].text), "{shown}");
    suite.stop();
}

/// The script of docs/helper.md: a staff token mints the page's token, a student's asks with it.
async fn the_helper_from_python(kind: Kind) {
    let Some(python) = python() else {
        return;
    };
    let mut suite = Deployment::start(kind, Options::new()).await;
    let staff = token::with_role(&suite.data_dir, "berta", Student::CLASS, "staff");
    let ada = suite.student("ada");
    let run = |class: &str| {
        Command::new(&python)
            .arg(repository().join("tests/python/helper_chat.py"))
            .args([&suite.address().to_string(), &staff, &ada.token, class])
            .args([
                DEMO_COURSE,
                "lesson-alg-11",
                "How do I begin with 3x + 5 = 20?",
            ])
            .current_dir(repository())
            .output()
            .unwrap()
    };
    let output = run(Student::CLASS);
    let shown = String::from_utf8(output.stdout).unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{shown}\n{said}");
    assert!(shown.contains("\nnext: "), "{shown}");
    let said = String::from_utf8(run("8c").stderr).unwrap();
    assert!(said.starts_with("INVALID_SCOPE_TOKEN: "), "{said}");
    suite.stop();
}

#[test]
fn the_readme_quotes_the_script_as_it_is() {
    let read = |file: &str| std::fs::read_to_string(repository().join(file)).unwrap();
    let script = read("tests/python/first_turn.py");
    assert!(read("README.md").contains(&format!("```python\n{script}```")));
}
