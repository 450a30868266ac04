//! `turnwise help-session`, run as a learner runs it, over a pipe, against a service in this process.

mod fake;

use std::process::{Output, Stdio};

use tokio::{io::AsyncWriteExt, process::Command};
use turnwise_proto::{
    procedure::v1::{
        Help, HelpMetadata, HelpStatus, Overlay, OverlayIntent, OverlayState, StepStatus,
        variable::Value,
    },
    tutor::v1::DegradedReason,
};

use fake::{Fake, Press, TOKEN};

const COURSES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../courses");
const COURSE: &str = "algebra-foundations";

async fn play(fake: &Fake, token: &str, more: &[&str], typed: &[&str]) -> Output {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("token");
    std::fs::write(&file, token).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_turnwise"))
        .args(["help-session", "--student", "ada", "--class", "7b"])
        .args(["--endpoint", &fake.endpoint])
        .arg("--token-file")
        .arg(file)
        .args(more)
        .env("HOME", home.path())
        .env_remove("COURSES_DIR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let typed: String = typed.iter().map(|line| format!("{line}\n")).collect();
    let mut input = child.stdin.take().unwrap();
    // A program that refuses to begin reads nothing.
    let _ = input.write_all(typed.as_bytes()).await;
    drop(input);
    child.wait_with_output().await.unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn overlay(number: u32, intent: OverlayIntent, element: &str, label: &str) -> Overlay {
    Overlay {
        overlay_id: format!("{}.{number}", fake::SESSION),
        intent: intent.into(),
        element_id: element.to_owned(),
        label: label.to_owned(),
        ..Overlay::default()
    }
}

/// A press that the author's words answer; the last overlay is its own.
fn press(step: &str, status: StepStatus, message: &str, overlays: &[Overlay]) -> Press {
    let metadata = HelpMetadata {
        fallback_reason: DegradedReason::LlmOff.into(),
        ..HelpMetadata::default()
    };
    let help = Help {
        status: HelpStatus::Fallback.into(),
        message: message.to_owned(),
        step_id: step.to_owned(),
        step_status: status.into(),
        explanations: vec!["What holds it?\u{1b}[2J".to_owned()],
        overlay: overlays.last().cloned(),
        metadata: Some(metadata),
        ..Help::default()
    };
    (help, overlays.to_vec())
}

#[tokio::test]
async fn a_procedure_is_played_with_highlights_on_its_controls() {
    let clear = OverlayIntent::Clear;
    let highlight = OverlayIntent::Highlight;
    let goggles = overlay(1, highlight, "lab-goggles", "The goggles on their hook");
    let gone = overlay(2, clear, "lab-goggles", "The goggles on their hook");
    let tap = overlay(3, highlight, "burette-tap", "The tap of the burette");
    let ink = overlay(4, highlight, "bottle-of-ink", "A bottle of ink");
    let (active, pending) = (StepStatus::Active, StepStatus::Pending);
    let fake = Fake::start([
        press("goggles", active, "The goggles come first.", &[goggles]),
        press("fill-burette", pending, "Close the tap.", &[gone, tap]),
        press("note-start", active, "Note the reading.", &[ink]),
        press("", StepStatus::Finished, "All is done.", &[]),
    ])
    .await;
    let typed = [
        "",
        "PPE.GOGGLES=true",
        " FLASK.PH = 4.5",
        "FLASK.INDICATOR=3",
        "BURETTE.TAP=open",
        "FLASK.PH=",
        "BURETTE.TAP=ajar",
        "FLASK.INDICATOR=3.5",
        "tap=open",
        "dance",
        "help",
        "help",
        "show",
        "help",
        "quit",
    ];
    let played = play(
        &fake,
        TOKEN,
        &["--course", COURSE, "--courses", COURSES],
        &typed,
    )
    .await;
    assert_eq!(text(&played.stderr), "");
    assert!(played.status.success());
    insta::assert_snapshot!("a_procedure_is_played", text(&played.stdout));

    let opened = fake.opened();
    assert_eq!(opened[0].procedure_id, "titration");
    assert_eq!(
        (&*opened[0].course_id, &*opened[0].class_id),
        (COURSE, "7b")
    );
    let observed = fake.observed();
    let sequences: Vec<_> = observed.iter().map(|one| one.sequence).collect();
    assert_eq!(sequences, [1, 2, 3, 4, 5]);
    assert!(observed.iter().all(|one| one.client_time.is_some()));
    let values: Vec<_> = observed
        .iter()
        .map(|one| {
            (
                one.variables[0].name.as_str(),
                one.variables[0].value.clone(),
            )
        })
        .collect();
    let expected = [
        ("PPE.GOGGLES", Some(Value::Truth(true))),
        ("FLASK.PH", Some(Value::Number(4.5))),
        ("FLASK.INDICATOR", Some(Value::Integer(3))),
        ("BURETTE.TAP", Some(Value::Word("open".to_owned()))),
        ("FLASK.PH", None),
    ];
    assert_eq!(values, expected);
    let acknowledged = fake.acknowledged();
    let outcomes: Vec<_> = acknowledged
        .iter()
        .map(|(id, outcome, problem)| (id.rsplit('.').next().unwrap(), *outcome, problem.as_str()))
        .collect();
    assert_eq!(
        outcomes,
        [
            ("1", OverlayState::Applied, ""),
            ("2", OverlayState::Applied, ""),
            ("3", OverlayState::Applied, ""),
            ("4", OverlayState::Failed, "no_such_element"),
        ]
    );
}

/// A highlight whose time is over is drawn no more.
#[tokio::test]
async fn a_highlight_ends_by_itself() {
    let past = Overlay {
        expire_time: Some(prost_types::Timestamp::default()),
        ..overlay(1, OverlayIntent::Highlight, "stage", "The stage")
    };
    let fake = Fake::start([press("hit", StepStatus::Active, "Hit it.", &[past])]).await;
    let ball = [
        "--course",
        COURSE,
        "--courses",
        COURSES,
        "--procedure",
        "bouncing-ball",
    ];
    let played = play(&fake, TOKEN, &ball, &["help"]).await;
    let shown = text(&played.stdout);
    assert!(played.status.success(), "{}", text(&played.stderr));
    assert!(shown.contains("highlighted: The stage"), "{shown}");
    assert!(shown.contains("[  The stage  ]"), "{shown}");
    assert!(!shown.contains("[*"), "{shown}");
}

#[tokio::test]
async fn what_is_refused_is_told_with_what_to_do() {
    let fake = Fake::start([]).await;
    let known = ["--course", COURSE, "--courses", COURSES];
    let nobody = play(&fake, "another", &known, &[]).await;
    assert_eq!(nobody.status.code(), Some(1));
    let said = text(&nobody.stderr);
    assert!(said.starts_with("refused: PERMISSION_DENIED"), "{said}");
    assert!(said.contains("check --class"), "{said}");

    for (args, why) in [
        (
            [&known[..], &["--procedure", "distillation"]].concat(),
            "name one with --procedure: bouncing-ball, titration",
        ),
        (
            vec!["--course", "chemistry", "--courses", COURSES],
            "name its folder with --courses",
        ),
        (
            vec!["--course", COURSE, "--courses", "/nowhere"],
            "/nowhere: this folder cannot be read",
        ),
    ] {
        let played = play(&fake, TOKEN, &args, &[]).await;
        let said = text(&played.stderr);
        assert_eq!(played.status.code(), Some(1), "{said}");
        assert!(said.contains(why), "{said}");
    }
    assert!(fake.opened().is_empty());

    // What is refused on the way is told, and it goes on; the same number is used again.
    fake.close();
    let typed = ["PPE.GOGGLES=true", "show"];
    let played = play(&fake, TOKEN, &known, &typed).await;
    let shown = text(&played.stdout);
    assert!(played.status.success(), "{shown}");
    assert!(shown.contains("refused: HELP_SESSION_CLOSED"), "{shown}");
    assert!(shown.contains("begin a new session"), "{shown}");
    assert!(!shown.contains("observation 1"), "{shown}");
    assert!(shown.contains("› show\n  [  The goggles"), "{shown}");
}
