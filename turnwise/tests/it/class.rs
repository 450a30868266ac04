//! `turnwise class` and `turnwise student`, run as a person runs them, against services in this process.

pub(crate) mod fake;

use std::process::Output;

use insta::assert_snapshot;
use tempfile::TempDir;
use tokio::process::Command;
use turnwise_proto::{classes::v1::*, school::v1::*, tutor::v1::DegradedReason};

use fake::{Fake, State};

struct Desk {
    dir: TempDir,
    fake: Fake,
}

impl Desk {
    async fn new(state: State) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("token"), "token-of-a-teacher").unwrap();
        Self {
            dir,
            fake: Fake::start(state).await,
        }
    }

    async fn run(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_turnwise"))
            .args(args)
            .args(["--endpoint", &self.fake.endpoint()])
            .arg("--token-file")
            .arg(self.dir.path().join("token"))
            .output()
            .await
            .unwrap()
    }

    /// What it prints where it succeeds.
    async fn told(&self, args: &[&str]) -> String {
        let output = self.run(args).await;
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{err}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// What it says where it fails.
    async fn refused(&self, args: &[&str]) -> String {
        let output = self.run(args).await;
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    }
}

fn time(text: &str) -> Option<prost_types::Timestamp> {
    Some(text.parse().unwrap())
}

fn alert(id: &str, student: &str, uncertain: bool) -> SafeguardingAlert {
    SafeguardingAlert {
        alert_id: id.to_owned(),
        class_id: "7b".to_owned(),
        student_id: student.to_owned(),
        thread_id: "t-1".to_owned(),
        turn_id: format!("turn-{id}"),
        kind: AlertKind::SelfHarm.into(),
        uncertain,
        create_time: time("2026-11-23T09:30:00Z"),
        ..SafeguardingAlert::default()
    }
}

#[tokio::test]
async fn a_roster_is_replaced_shown_and_removed() {
    let desk = Desk::new(State::default()).await;
    let file = desk.dir.path().join("names");
    std::fs::write(&file, "Ada Lovelace\n\n  Will \n").unwrap();
    let set = desk
        .told(&["class", "roster", "7b", "--set", file.to_str().unwrap()])
        .await;
    assert_snapshot!(set, @r#"
    7b: 2 names are redacted from now on
    only after a cue such as "my name is", because they are words, too: Will
    "#);
    assert_eq!(
        desk.told(&["class", "roster", "7b"]).await,
        "Ada Lovelace\nWill\n"
    );
    desk.told(&["class", "roster", "7b", "--clear"]).await;
    assert!(desk.fake.state.lock().unwrap().names.is_empty());

    std::fs::write(&file, "Ada\n".repeat(10_000)).unwrap();
    let refused = desk
        .refused(&["class", "roster", "7b", "--set", file.to_str().unwrap()])
        .await;
    assert!(refused.contains("INVALID_ARGUMENT"), "{refused}");
    assert!(refused.ends_with("  at names\n"), "{refused}");
}

#[tokio::test]
async fn a_policy_changes_in_what_is_named_alone() {
    let desk = Desk::new(State::default()).await;
    desk.told(&["class", "policy", "7b", "--exams", "closed"])
        .await;
    let told = desk
        .told(&[
            "class",
            "policy",
            "7b",
            "--model",
            "off",
            "--strictness",
            "strict",
        ])
        .await;
    assert_snapshot!(told);
    let policy = desk.fake.state.lock().unwrap().policy;
    assert_eq!(policy.exam_use(), ExamUse::Closed);
    let json = desk.told(&["class", "policy", "7b", "--json"]).await;
    let _: serde_json::Value = serde_json::from_str(&json).unwrap();
    desk.told(&["class", "policy", "7b", "--exams", "default"])
        .await;
    let policy = desk.fake.state.lock().unwrap().policy;
    assert_eq!(
        (policy.exam_use(), policy.model_use()),
        (ExamUse::Unspecified, ModelUse::Off)
    );
    let refused = desk
        .refused(&["class", "policy", "7b", "--model", "maybe"])
        .await;
    assert!(
        refused.contains("must be one of default, on, off"),
        "{refused}"
    );
}

#[tokio::test]
async fn a_report_has_units_and_every_pupil_of_every_page() {
    let mistake = |tag: &str, recent, earlier| MistakeCount {
        tag: tag.to_owned(),
        count: recent + earlier,
        recent,
        earlier,
    };
    let students = ["ada", "bob", "cyd"].map(|id| StudentReport {
        student_id: id.to_owned(),
        focus_unit_id: "ALG-02".to_owned(),
        badges: Some(BadgeCounts {
            bronze: 1,
            silver: 0,
            gold: 2,
        }),
        stuck_unit_ids: vec!["ALG-02".to_owned()],
        blocked_unit_id: "ALG-04".to_owned(),
        blocking_unit_id: "ALG-02".to_owned(),
        turns: 12,
        drills: 7,
        wrong_drills: 3,
        mistakes: vec![mistake("sign", 3, 0)],
        hints: 4,
        ..StudentReport::default()
    });
    let report = Report {
        class_id: "7b".to_owned(),
        course_id: "algebra".to_owned(),
        student_count: 3,
        totals: Some(Activity {
            days: vec![DayCount {
                date: "2026-11-23".to_owned(),
                turns: 36,
                drills: 21,
            }],
            stuck_presses: 2,
            hints: 12,
            fallbacks: vec![FallbackCount {
                reason: DegradedReason::QueueBusy.into(),
                count: 5,
            }],
        }),
        units: vec![
            UnitReport {
                unit_id: "ALG-01".to_owned(),
                title: "Untouched".to_owned(),
                ..UnitReport::default()
            },
            UnitReport {
                unit_id: "ALG-02".to_owned(),
                title: "Linear equations".to_owned(),
                none: 1,
                bronze: 2,
                stuck: 3,
                blocked: vec![BlockedCount {
                    prerequisite_unit_id: "ALG-01".to_owned(),
                    count: 1,
                }],
                mistakes: vec![
                    mistake("sign", 9, 2),
                    mistake("order", 2, 2),
                    mistake("unit", 0, 4),
                ],
                ..UnitReport::default()
            },
        ],
        students: students.to_vec(),
        ..Report::default()
    };
    let desk = Desk::new(State {
        report,
        ..State::default()
    })
    .await;
    assert_snapshot!(desk.told(&["class", "report", "7b", "algebra"]).await);
    let json = desk
        .told(&["class", "report", "7b", "algebra", "--json"])
        .await;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["students"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn escalations_are_listed_and_resolved() {
    let escalation = |id: &str, student: &str| Escalation {
        escalation_id: id.to_owned(),
        student_id: student.to_owned(),
        document_id: "measurements".to_owned(),
        ..Escalation::default()
    };
    let desk = Desk::new(State {
        escalations: vec![escalation("e-1", "ada"), escalation("e-2", "bob")],
        ..State::default()
    })
    .await;
    let resolved = desk
        .told(&["class", "escalations", "7b", "--resolve", "e-1"])
        .await;
    assert!(resolved.contains("resolved by berta"), "{resolved}");
    let open = desk.told(&["class", "escalations", "7b"]).await;
    assert!(!open.contains("e-1") && open.contains("bob"), "{open}");
    let all = desk
        .told(&["class", "escalations", "7b", "--all", "--json"])
        .await;
    let all: serde_json::Value = serde_json::from_str(&all).unwrap();
    assert_eq!(all["escalations"].as_array().unwrap().len(), 2);
    let board = desk.told(&["class", "watch", "7b", "--once"]).await;
    assert!(board.contains("wait for a person: 1"), "{board}");
    let refused = desk
        .refused(&["class", "escalations", "7b", "--resolve", "e-9"])
        .await;
    assert!(refused.contains("UNKNOWN_ALERT"), "{refused}");
}

#[tokio::test]
async fn calls_for_help_are_listed_and_taken_on() {
    let alerts = vec![alert("a-1", "ada", false), alert("a-2", "bob", true)];
    let desk = Desk::new(State {
        alerts,
        ..State::default()
    })
    .await;
    assert_snapshot!(desk.told(&["class", "alerts", "7b"]).await);
    desk.told(&["class", "alerts", "7b", "--acknowledge", "a-1"])
        .await;
    let open = desk.told(&["class", "alerts", "7b"]).await;
    assert!(!open.contains("a-1") && open.contains("a-2"), "{open}");
    assert!(
        desk.told(&["class", "alerts", "7b", "--all"])
            .await
            .contains("taken on by berta")
    );
    let refused = desk
        .refused(&["class", "alerts", "7b", "--acknowledge", "a-9"])
        .await;
    assert!(refused.contains("UNKNOWN_ALERT"), "{refused}");
}

#[tokio::test]
async fn a_reset_needs_a_yes_and_is_followed_under_one_key_until_it_is_done() {
    let running = ResetClassConversationsResponse {
        state: ResetState::Running.into(),
        conversations: 3,
        ..ResetClassConversationsResponse::default()
    };
    let done = ResetClassConversationsResponse {
        state: ResetState::Done.into(),
        conversations: 30,
        threads: 31,
        students: 28,
        archive_names: vec!["reset-7b.jsonl".to_owned()],
        audit_id: 7,
    };
    let resets = vec![running, done];
    let desk = Desk::new(State {
        resets,
        ..State::default()
    })
    .await;
    assert!(
        desk.refused(&["class", "reset", "7b"])
            .await
            .contains("--yes")
    );
    assert_snapshot!(desk.told(&["class", "reset", "7b", "--yes", "--reason", "a new year"]).await, @r"
    7b: 30 conversations removed, 31 threads without their text, of 28 students
    archive reset-7b.jsonl
    audit entry 7
    ");
    let keys = desk.fake.state.lock().unwrap().reset_keys.clone();
    assert_eq!(keys.len(), 2);
    assert_eq!(keys[0], keys[1]);
}

#[tokio::test]
async fn a_board_shows_alerts_first_then_who_waits_and_who_is_stuck() {
    let waiting = Waiting {
        students: vec![WaitingStudent {
            student_id: "cyd".to_owned(),
            position: 1,
            ..WaitingStudent::default()
        }],
    };
    let stuck = vec![StuckStudent {
        student_id: "dan".to_owned(),
        unit_ids: vec!["ALG-02".to_owned()],
        wrong_in_a_row: 3,
        ..StuckStudent::default()
    }];
    let alerts = vec![alert("a-1", "ada", false)];
    let desk = Desk::new(State {
        alerts,
        waiting,
        stuck,
        ..State::default()
    })
    .await;
    assert_snapshot!(
        desk.told(&["class", "watch", "7b", "--course", "algebra"])
            .await
    );
}

#[tokio::test]
async fn an_export_that_breaks_off_leaves_no_file() {
    let desk = Desk::new(State::default()).await;
    let file = desk.dir.path().join("ada.json");
    let path = file.to_str().unwrap();
    desk.fake.state.lock().unwrap().export = vec![Ok(b"{\"stu".to_vec()), Err(())];
    let refused = desk
        .refused(&["student", "export", "ada", "--out", path])
        .await;
    assert!(refused.contains("STORAGE_UNAVAILABLE"), "{refused}");
    assert!(!file.exists());
    desk.fake.state.lock().unwrap().export =
        vec![Ok(b"{\"stu".to_vec()), Ok(b"dent\":1}".to_vec())];
    desk.told(&["student", "export", "ada", "--out", path])
        .await;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "{\"student\":1}");
    assert!(
        desk.refused(&["student", "export", "ada", "--out", path])
            .await
            .contains("cannot write")
    );
}

#[tokio::test]
async fn an_erasure_needs_a_yes_and_says_what_it_removed() {
    let desk = Desk::new(State::default()).await;
    assert!(
        desk.refused(&["student", "erase", "ada"])
            .await
            .contains("--yes")
    );
    assert!(desk.fake.state.lock().unwrap().erased.is_empty());
    let told = desk
        .told(&["student", "erase", "ada", "--yes", "--reason", "left"])
        .await;
    assert_eq!(
        told,
        "ada: 4 threads removed, 2 records of archives erased (audit entry 9)\n"
    );
    assert_eq!(desk.fake.state.lock().unwrap().erased[0].reason, "left");
}
