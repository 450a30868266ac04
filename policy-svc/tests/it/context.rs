//! What is asked for before a message is answered, and what of the supplied is taken.

use std::{fs, path::Path, sync::LazyLock};

use proptest::prelude::*;
use tempfile::TempDir;
use tonic::{Status, service::Routes};
use turnwise_kit::{Fault, Kit};
use turnwise_policy_svc::{Settings, artifacts::Context, routes};
use turnwise_proto::{
    policy::v1::{
        AnalyzeContextRequest, AnalyzeContextResponse, CheckArtifactRequest, PresentArtifact,
        policy_service_client::PolicyServiceClient,
    },
    session::v1::ContextSlot,
    tutor::v1::Project,
};

use crate::fixture::{COURSE, fault, plan_request, ready, write_pack};

const DEMO: &str = "algebra-foundations";
const BUDGET: &str = r#"{"students": 24, "costs": [{"name": "Bus", "amount": 480.5}]}"#;

/// A course that may ask outside of projects, too.
const CONTEXT: &str = "
phases:
  - {id: first, title: First, units: [ONE]}
artifacts:
  - {type: notes, title: Notes, description: What you wrote., format: text, size_limit: 60}
  - {type: program, title: The program, description: It., format: code}
  - {type: anything, title: Anything, description: It., format: json}
needs:
  - {id: any-notes, artifact: notes, intents: [review], urgency: nice_to_have, why: Show me.}
  - {id: first-program, artifact: program, phase: first, intents: [debug], urgency: must_have, why: {en: Why?, de: Warum?}}
  - {id: first-lines, artifact: program, phase: first, intents: [debug], key_path: 'lines:2-3', urgency: must_have, why: Why?}
";

static DEMO_CONTEXT: LazyLock<Context> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../courses")
        .join(DEMO);
    Context::new(turnwise_course_pack::load(&root).unwrap().context.unwrap())
});

type Client = PolicyServiceClient<Routes>;

async fn served(courses: &Path, on: bool) -> Client {
    let mut settings = Settings::new(courses.to_owned(), 0);
    settings.context_handoff_enabled = on;
    let routes = routes(&settings, &Kit::for_tests()).await.unwrap();
    PolicyServiceClient::new(routes.prepare())
}

async fn demo() -> Client {
    served(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../courses"),
        true,
    )
    .await
}

async fn small(on: bool) -> (Client, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    write_pack(folder.path(), COURSE);
    fs::write(folder.path().join("context.yaml"), CONTEXT).unwrap();
    (served(folder.path(), on).await, folder)
}

fn says(course: &str, phase: Option<&str>, message: &str) -> AnalyzeContextRequest {
    AnalyzeContextRequest {
        course_id: course.to_owned(),
        project: phase.map(|phase| Project {
            phase: phase.to_owned(),
            ..Project::default()
        }),
        message: message.to_owned(),
        ..AnalyzeContextRequest::default()
    }
}

fn there(artifact: &str, key_path: &str) -> PresentArtifact {
    PresentArtifact {
        artifact_type: artifact.to_owned(),
        key_path: key_path.to_owned(),
    }
}

async fn analyze(client: &Client, request: AnalyzeContextRequest) -> AnalyzeContextResponse {
    client
        .clone()
        .analyze_context(request)
        .await
        .unwrap()
        .into_inner()
}

#[tokio::test]
async fn a_slot_says_what_is_asked_for_and_why() {
    let client = demo().await;
    let asked = analyze(
        &client,
        says(DEMO, Some("budget"), "my total doesn't add up"),
    )
    .await;
    let expected = ContextSlot {
        phase: "budget".to_owned(),
        artifact_type: "trip-budget".to_owned(),
        key_path: "costs".to_owned(),
        size_limit: 8192,
        urgency: "must_have".to_owned(),
        optional: false,
        suppliers: vec!["student".to_owned(), "teacher".to_owned()],
        title: "The budget".to_owned(),
        description: "What the trip costs, one entry for each thing that is paid for, and how many students come along."
            .to_owned(),
        why: "I cannot see your list of costs yet. Attach it, and I can look at your numbers instead of guessing them."
            .to_owned(),
        format: "json".to_owned(),
    };
    assert_eq!(asked.slots, [expected]);
    assert!(asked.must_have);
    assert_eq!(asked.intent, "debug");
    assert_eq!(asked.missing, ["The budget"]);
    assert!(asked.relevant.is_empty());

    let with = AnalyzeContextRequest {
        present: vec![
            there("day-plan", ""),
            there("trip-budget", "students"),
            there("trip-budget", ""),
        ],
        ..says(DEMO, Some("budget"), "my total doesn't add up")
    };
    let asked = analyze(&client, with).await;
    assert!(asked.slots.is_empty() && !asked.must_have && asked.missing.is_empty());
    assert_eq!(asked.relevant, [there("trip-budget", "costs")]);
}

#[tokio::test]
async fn without_a_phase_the_unit_says_it_and_without_a_project_nothing() {
    let client = demo().await;
    let of_unit = |phase| AnalyzeContextRequest {
        unit_id: "ALG-05".to_owned(),
        ..says(DEMO, phase, "my total doesn't add up")
    };
    let asked = analyze(&client, of_unit(Some(""))).await;
    assert_eq!(asked.slots[0].phase, "budget");
    let asked = analyze(&client, of_unit(None)).await;
    assert!(asked.slots.is_empty() && asked.missing.is_empty());
    assert_eq!(asked.intent, "debug");
}

#[tokio::test]
async fn who_is_not_asked_any_more_still_learns_what_is_missing() {
    let (client, _folder) = small(true).await;
    let refused = AnalyzeContextRequest {
        requests: 2,
        refusals: 2,
        messages_since_request: Some(9),
        ..says(COURSE, Some("first"), "this is wrong")
    };
    let asked = analyze(&client, refused.clone()).await;
    assert!(asked.slots.is_empty() && !asked.must_have);
    // Two needs of one artifact are one title.
    assert_eq!(asked.missing, ["The program"]);
    let again = AnalyzeContextRequest {
        refusals: 1,
        ..refused
    };
    assert_eq!(analyze(&client, again).await.slots.len(), 2);
}

#[tokio::test]
async fn the_goal_speaks_for_a_message_that_says_nothing() {
    let (client, _folder) = small(true).await;
    let mut request = says(COURSE, Some("first"), "ok, next");
    request.project.as_mut().unwrap().goal = "check my notes".to_owned();
    let asked = analyze(&client, request).await;
    assert_eq!((asked.intent.as_str(), asked.slots.len()), ("review", 1));
}

#[tokio::test]
async fn off_asks_for_nothing() {
    let (mut on, _folder) = small(true).await;
    let (mut off, _other) = small(false).await;
    let request = says(COURSE, Some("first"), "check my notes");
    assert_eq!(analyze(&on, request.clone()).await.slots.len(), 1);
    assert_eq!(
        analyze(&off, request).await,
        AnalyzeContextResponse::default()
    );
    for (client, asks) in [(&mut on, true), (&mut off, false)] {
        let plan = client
            .plan(plan_request(ready()))
            .await
            .unwrap()
            .into_inner();
        assert_eq!(plan.plan.unwrap().asks_for_context, asks);
    }
}

#[tokio::test]
async fn requests_out_of_bounds_are_refused() {
    let (client, _folder) = small(true).await;
    let project = |change: &dyn Fn(&mut Project)| {
        let mut request = says(COURSE, Some(""), "hi");
        change(request.project.as_mut().unwrap());
        request
    };
    let hi = || says(COURSE, None, "hi");
    for (field, request) in [
        ("project.phase", says(COURSE, Some("last"), "hi")),
        (
            "project.goal",
            project(&|project| project.goal = "x".repeat(501)),
        ),
        (
            "project.plan",
            project(&|project| project.plan = "x".repeat(501)),
        ),
        ("message", says(COURSE, None, &"x".repeat(16_001))),
        (
            "present",
            AnalyzeContextRequest {
                present: vec![there("notes", ""); 1001],
                ..hi()
            },
        ),
        (
            "requests",
            AnalyzeContextRequest {
                requests: -1,
                ..hi()
            },
        ),
        (
            "refusals",
            AnalyzeContextRequest {
                refusals: -1,
                ..hi()
            },
        ),
        (
            "messages_since_request",
            AnalyzeContextRequest {
                messages_since_request: Some(-1),
                ..hi()
            },
        ),
    ] {
        let refused = client.clone().analyze_context(request).await.unwrap_err();
        assert_eq!(
            fault(refused),
            ("INVALID_ARGUMENT".to_owned(), vec![field.to_owned()])
        );
    }
    let unknown = client
        .clone()
        .analyze_context(says("other", None, "hi"))
        .await;
    assert_eq!(fault(unknown.unwrap_err()).0, "UNKNOWN_COURSE");
}

async fn check(
    client: &Client,
    artifact: &str,
    key_path: &str,
    content: &str,
) -> Result<String, Status> {
    let course = if artifact.contains('-') { DEMO } else { COURSE };
    let request = CheckArtifactRequest {
        course_id: course.to_owned(),
        artifact_type: artifact.to_owned(),
        key_path: key_path.to_owned(),
        content: content.to_owned(),
    };
    let checked = client.clone().check_artifact(request).await?.into_inner();
    assert!(
        !checked.title.is_empty() && !checked.suppliers.is_empty() && !checked.format.is_empty()
    );
    Ok(checked.content)
}

#[tokio::test]
async fn a_part_is_cut_out_or_taken_alone() {
    let client = demo().await;
    let costs = r#"[{"name":"Bus","amount":480.5}]"#;
    let spaced = r#"[ {"name": "Bus", "amount": 480.5} ]"#;
    for (key_path, content, kept) in [
        ("", BUDGET, BUDGET),
        ("costs", BUDGET, costs),
        ("/costs", BUDGET, costs),
        ("costs[0].name", BUDGET, "\"Bus\""),
        ("/costs/0/amount", BUDGET, "480.5"),
        ("costs", spaced, spaced),
        ("students", "24", "24"),
        ("costs[3].name", "\"Bus\"", "\"Bus\""),
        ("unheard.of", "7", "7"),
    ] {
        assert_eq!(
            check(&client, "trip-budget", key_path, content)
                .await
                .unwrap(),
            kept,
            "{key_path}"
        );
    }
    let (client, _folder) = small(true).await;
    for (artifact, key_path, content, kept) in [
        ("notes", "", "a\tb\r\nc", "a\tb\r\nc"),
        ("program", "", "#!/bin/sh\necho", "#!/bin/sh\necho"),
        ("program", "lines:2-3", "a\nb\nc\nd\n", "b\nc\n"),
        ("program", "lines:2-3", "b\nc", "b\nc"),
        ("anything", "a.b[0]", r#"{"a": {"b": [7]}}"#, "7"),
        ("anything", "a", "[1, 2]", "[1, 2]"),
    ] {
        assert_eq!(
            check(&client, artifact, key_path, content).await.unwrap(),
            kept,
            "{artifact}"
        );
    }
}

#[tokio::test]
async fn what_is_not_asked_for_is_refused_with_its_cause_and_not_quoted() {
    let (demo, (small, _folder)) = (demo().await, small(true).await);
    let deep = "[".repeat(33) + &"]".repeat(33);
    let in_text = format!("\"{}\\\"[\"", "[".repeat(100));
    for (artifact, key_path, content, cause) in [
        ("trip-budget", "", "secret", "json"),
        ("trip-budget", "", "<script>secret</script>", "json"),
        ("trip-budget", "", r#"{"students": "secret"}"#, "schema"),
        ("trip-budget", "students", r#""secret""#, "schema"),
        ("trip-budget", "costs", r#"[{"name": "secret"}]"#, "schema"),
        ("trip-budget", "", deep.as_str(), "depth"),
        ("anything", "", &"[".repeat(200_000), "depth"),
        ("anything", "", "{} secret", "json"),
        ("notes", "", "a <SCRIPT src=secret>", "script"),
        ("notes", "", "JavaScript:secret()", "script"),
        ("notes", "", " \n#!/bin/secret", "script"),
        ("notes", "", "secret\0", "control"),
        ("program", "", "secret\u{1b}[0m", "control"),
        ("program", "lines:7-8", "a\nb\nc", "schema"),
    ] {
        let client = if artifact.contains('-') {
            &demo
        } else {
            &small
        };
        let refused = check(client, artifact, key_path, content)
            .await
            .unwrap_err();
        let fault = Fault::from_status(&refused);
        assert_eq!(
            fault.reason().wire_name(),
            "UNSUPPORTED_PAYLOAD",
            "{artifact}"
        );
        assert_eq!(fault.metadata("cause"), Some(cause), "{artifact}");
        assert!(fault.metadata("expected").is_some());
        assert!(fault.fields().eq(["content"]));
        assert!(
            !refused.message().contains("secret"),
            "{}",
            refused.message()
        );
    }
    assert!(check(&small, "anything", "", &in_text).await.is_ok());
    for (artifact, content) in [
        ("notes", "x".repeat(61)),
        ("anything", "x".repeat(262_145)),
        ("anything", format!("\"{}\"", "x".repeat(16_384))),
    ] {
        let refused = check(&small, artifact, "", &content).await.unwrap_err();
        assert_eq!(fault(refused).0, "PAYLOAD_TOO_LARGE", "{artifact}");
    }
    // The whole may be longer than a part may be.
    let long = format!(r#"{{"pad": "{}", "part": 7}}"#, "x".repeat(20_000));
    assert_eq!(check(&small, "anything", "part", &long).await.unwrap(), "7");
    for (artifact, key_path, content, field) in [
        ("film", "", "x", "artifact_type"),
        ("notes", "", "", "content"),
        ("notes", "costs", "x", "key_path"),
        ("anything", "a..b", "7", "key_path"),
    ] {
        let refused = check(&small, artifact, key_path, content)
            .await
            .unwrap_err();
        assert_eq!(
            fault(refused),
            ("INVALID_ARGUMENT".to_owned(), vec![field.to_owned()])
        );
    }
}

proptest! {
    #[test]
    fn any_bytes_are_taken_within_bounds_or_refused(
        bytes in prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..300),
            "[\\[\\]{}\",:0-9a-e\\\\ \n]{0,80}".prop_map(String::into_bytes),
        ],
        path in prop_oneof!["", "costs", "/costs/0", "lines:[0-9]{1,20}-[0-9]{1,20}", "\\PC{0,20}"],
    ) {
        let context = &*DEMO_CONTEXT;
        let content = String::from_utf8_lossy(&bytes);
        for artifact in &context.course.artifacts {
            let checked = context.check(artifact, &path, &content);
            if let Ok(kept) = checked {
                prop_assert!(kept.len() <= artifact.size_limit as usize);
            }
        }
    }
}
