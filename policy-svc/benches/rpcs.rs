//! What the calls around the decisions cost: Plan, Decide and ResolveReply through the service's routes, in process, on a
//! course of 10,000 units with a record of 500 touched ones.
//!
//! `cargo bench -p turnwise-policy-svc --bench rpcs` prints lines of the form `figure NAME VALUE BOUND`. Beside them
//! stands GetCourse from the same run: a call that decides nothing, so what is above it is encoding, checking and
//! deciding. What the decisions themselves take is in the benchmark of turnwise-decisions.

// A benchmark that cannot run ends by panicking, and says why.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::{fmt::Write as _, fs, path::Path};

use prost::Message;
use prost_types::Timestamp;
use tokio::time::Instant;
use tonic::service::Routes;
use turnwise_kit::Kit;
use turnwise_policy_svc::{Settings, routes};
use turnwise_proto::{
    exam::v1::{QuestionState, QuestionStatus},
    policy::v1::{
        DecideRequest, GetCourseRequest, PlanRequest, ResolveReplyRequest,
        policy_service_client::PolicyServiceClient, resolve_reply_request::Outcome,
    },
    session::v1::{
        DrillCounters, Evidence, MappedUnit, PassedByTier, StudentSnapshot, TurnState, UnitProgress,
    },
    tutor::v1::MasteryTier,
};
use turnwise_testing::figure::{self, Bound};

const COURSE: &str = "large";
const UNITS: usize = 10_000;
const TOUCHED: usize = 500;
const NOW: Timestamp = Timestamp {
    seconds: 1_772_445_600,
    nanos: 0,
};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    // Cargo asks whether it holds tests; there are none.
    if std::env::args().any(|arg| arg == "--list") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    write_pack(folder.path());
    let kit = Kit::for_tests();
    let settings = Settings::new(folder.path().to_owned(), 0);
    let client = PolicyServiceClient::new(routes(&settings, &kit).await.unwrap().prepare());

    let plan_request = PlanRequest {
        course_id: COURSE.to_owned(),
        snapshot: Some(snapshot()),
        mapped_units: vec![
            mapped(TOUCHED - 5, 0.82),
            mapped(TOUCHED - 6, 0.4),
            mapped(TOUCHED - 7, 0.31),
        ],
        target_locked: true,
        now: Some(NOW),
        ..PlanRequest::default()
    };
    let plan = client.clone().plan(plan_request.clone()).await.unwrap();
    let plan = plan.into_inner().plan.unwrap();
    assert!(plan.exam_ready, "{plan:?}");
    let question = format!("{}-bronze", plan.focus_unit_id);
    let decide_request = DecideRequest {
        plan: Some(plan),
        turn_id: "0b5c6f2e-1d0f-4b52-9a43-0d6f5c6d7e8f".to_owned(),
        candidate_question_ids: vec![question.clone()],
        statuses: vec![QuestionStatus {
            question_id: question,
            state: QuestionState::Available.into(),
            locked_until: None,
        }],
        exam_system_unavailable: false,
        way_told: false,
        open_drill_unit_id: String::new(),
        matched_unit_id: String::new(),
        name_schema: true,
    };
    let decision = client.clone().decide(decide_request.clone()).await.unwrap();
    let policy = decision.into_inner().policy.unwrap();
    let completion = format!(
        r#"{{"action":"SOCRATIC_QUESTION","target_unit_id":"{unit}","tutor_text":"What undoes adding 2 on the left side?","mapped_units":[{{"unit_id":"{unit}","confidence":0.8}}],"turn_analysis":{{"student_intent":"solve","understanding_signal":"uncertain","suggested_prereq_units":[]}}}}"#,
        unit = policy.focus_unit_id
    );
    let resolve_request = ResolveReplyRequest {
        policy: Some(policy),
        outcome: Some(Outcome::Completion(completion.into_bytes().into())),
        ..ResolveReplyRequest::default()
    };
    let resolved = client.clone().resolve_reply(resolve_request.clone()).await;
    assert_eq!(resolved.unwrap().into_inner().violation, "");

    let get_course = GetCourseRequest {
        course_id: COURSE.to_owned(),
    };
    println!(
        "requests in bytes: Plan {}, Decide {}, ResolveReply {}",
        plan_request.encoded_len(),
        decide_request.encoded_len(),
        resolve_request.encoded_len(),
    );
    figure("get_course_rpc_us", &client, |mut client| {
        let request = get_course.clone();
        async move { drop(client.get_course(request).await.unwrap()) }
    })
    .await;
    figure("plan_rpc_us", &client, |mut client| {
        let request = plan_request.clone();
        async move { drop(client.plan(request).await.unwrap()) }
    })
    .await;
    figure("decide_rpc_us", &client, |mut client| {
        let request = decide_request.clone();
        async move { drop(client.decide(request).await.unwrap()) }
    })
    .await;
    figure("resolve_reply_rpc_us", &client, |mut client| {
        let request = resolve_request.clone();
        async move { drop(client.resolve_reply(request).await.unwrap()) }
    })
    .await;
}

/// Prints the median time of a call over rounds, in microseconds. All of it runs on one thread, so it is the CPU's time.
async fn figure<F: Future<Output = ()>>(
    name: &str,
    client: &PolicyServiceClient<Routes>,
    call: impl Fn(PolicyServiceClient<Routes>) -> F,
) {
    const CALLS: u32 = 200;
    let mut rounds = Vec::new();
    for _ in 0..25 {
        let started = Instant::now();
        for _ in 0..CALLS {
            call(client.clone()).await;
        }
        rounds.push(started.elapsed().as_secs_f64() * 1e6 / f64::from(CALLS));
    }
    rounds.sort_by(f64::total_cmp);
    figure::figure(name, rounds[rounds.len() / 2], Bound::Report);
}

fn id(n: usize) -> String {
    format!("U{n:05}")
}

fn mapped(n: usize, confidence: f64) -> MappedUnit {
    MappedUnit {
        unit_id: id(n),
        confidence,
    }
}

/// A record of the first units, all but the last six of them at bronze, and these drilled.
fn snapshot() -> StudentSnapshot {
    StudentSnapshot {
        student_id: "student".to_owned(),
        course_id: COURSE.to_owned(),
        turn: Some(TurnState {
            focus_unit_id: id(TOUCHED - 5),
            ..TurnState::default()
        }),
        evidence: Some(Evidence {
            unit_progress: (1..=TOUCHED)
                .map(|n| {
                    let done = n <= TOUCHED - 6;
                    UnitProgress {
                        unit_id: id(n),
                        mastery_tier: if done {
                            MasteryTier::Bronze.into()
                        } else {
                            MasteryTier::None.into()
                        },
                        last_touched_at: Some(NOW),
                        drill: Some(DrillCounters {
                            attempts: 4,
                            correct: 3,
                            streak_correct: 2,
                            streak_wrong: 0,
                        }),
                        passed_by_tier: Some(PassedByTier {
                            bronze: i32::from(done),
                            ..PassedByTier::default()
                        }),
                        confusion_tags: Vec::new(),
                        counted_exercises: (1..=4).collect(),
                    }
                })
                .collect(),
            units_in_progress: (TOUCHED - 5..=TOUCHED).map(id).collect(),
            ..Evidence::default()
        }),
        evidence_version: 1,
        class_placement: false,
        evidence_size: 0,
    }
}

/// A course of a line of units, each with a drill and a bronze question.
fn write_pack(folder: &Path) {
    for sub in ["units", "exams"] {
        fs::create_dir_all(folder.join(sub)).unwrap();
    }
    let entry = id(0);
    fs::write(
        folder.join("course.yaml"),
        format!(
            "format: 1\nid: {COURSE}\ntitle: A large course\nlocale: en\nentry_unit: {entry}\n"
        ),
    )
    .unwrap();
    let mut units = String::from("units:\n");
    let mut questions = String::from("questions:\n");
    for n in 0..UNITS {
        let unit = id(n);
        let needs = n.checked_sub(1).map_or_else(String::new, id);
        writeln!(
            units,
            "  - id: {unit}\n    title: Unit {n}\n    summary: About {n}.\n    prerequisites: [{needs}]\n    \
             anchors: [all about {n}]"
        )
        .unwrap();
        if n == 0 {
            units += "    assessable: false\n";
            continue;
        }
        writeln!(
            units,
            "    misconceptions: [A wrong idea.]\n    mistake_tags:\n      - id: slip\n        meaning: A slip.\n    \
             drills:\n      - id: {unit}-D1\n        prompt: Work out the value.\n        question_latex: '2 - 3'\n        \
             answer: '-1'"
        )
        .unwrap();
        writeln!(
            questions,
            "  - id: {unit}-bronze\n    units: [{unit}]\n    tier: bronze\n    prompt: Work out the value.\n    \
             question_latex: '2 + {n}'\n    answer: '{}'",
            n + 2
        )
        .unwrap();
    }
    fs::write(folder.join("units/units.yaml"), units).unwrap();
    fs::write(folder.join("exams/exams.yaml"), questions).unwrap();
}
