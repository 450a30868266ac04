//! Golden files over the wire: whole turns of the demo course, and packs that are refused, in `snapshots/`.
//!
//! Read a change of these files line by line before taking it over, which `INSTA_UPDATE=always` does.

use std::{fmt::Write as _, fs, path::Path};

use turnwise_kit::Kit;
use turnwise_policy_svc::{Settings, routes};
use turnwise_proto::{
    exam::v1::{QuestionState, QuestionStatus},
    policy::v1::{DecideRequest, PlanRequest, ResolveReplyRequest, resolve_reply_request::Outcome},
    session::v1::{Evidence, RevisitEntry, StudentSnapshot, TurnState, UnitProgress},
    tutor::v1::{DegradedReason, MasteryTier},
};

use crate::fixture::{NOW, TURN, drills, mapped, start, write_pack};

const COURSES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../courses");
const DEMO: &str = "algebra-foundations";

/// Compares a text with the golden file that has the test's name.
macro_rules! golden {
    ($about:expr, $text:expr $(,)?) => {{
        let mut settings = insta::Settings::clone_current();
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.set_description($about);
        let text = $text;
        settings.bind(|| insta::assert_snapshot!(text));
    }};
}

fn unit(id: &str, tier: MasteryTier, attempts: i32, streak: i32) -> UnitProgress {
    UnitProgress {
        unit_id: id.to_owned(),
        mastery_tier: tier.into(),
        last_touched_at: Some(prost_types::Timestamp {
            seconds: NOW.seconds - 18 * 3600,
            nanos: 0,
        }),
        drill: Some(drills(attempts, streak)),
        ..UnitProgress::default()
    }
}

/// A student on the way to equations: all that one-step equations need is there, and two drills on them were right.
fn student() -> StudentSnapshot {
    StudentSnapshot {
        student_id: "ana".to_owned(),
        course_id: DEMO.to_owned(),
        turn: Some(TurnState {
            focus_unit_id: "ALG-09".to_owned(),
            last_turn_at: Some(NOW),
            ..TurnState::default()
        }),
        evidence: Some(Evidence {
            unit_progress: vec![
                unit("ALG-01", MasteryTier::Silver, 6, 2),
                unit("ALG-02", MasteryTier::Bronze, 4, 2),
                unit("ALG-03", MasteryTier::Bronze, 5, 1),
                unit("ALG-06", MasteryTier::Bronze, 3, 3),
                unit("ALG-09", MasteryTier::Bronze, 2, 2),
                unit("ALG-10", MasteryTier::None, 3, 2),
            ],
            units_in_progress: ["ALG-10", "ALG-09", "ALG-06"].map(str::to_owned).into(),
            revisit_queue: vec![RevisitEntry {
                question_id: "ALG-10-B2".to_owned(),
                unit_id: "ALG-10".to_owned(),
                tier: MasteryTier::Bronze.into(),
            }],
            ..Evidence::default()
        }),
        evidence_version: 9,
        class_placement: false,
        evidence_size: 0,
    }
}

/// A whole turn: the three answers, and the one without a model. The pack's hash changes with every word of the course
/// and the schema has golden files of its own, so both are left out.
async fn turn(snapshot: StudentSnapshot, about: &str, reply: Option<&str>) -> String {
    let mut client = start(Path::new(COURSES), &Kit::for_tests()).await;
    let plan = client.plan(PlanRequest {
        course_id: DEMO.to_owned(),
        snapshot: Some(snapshot),
        mapped_units: vec![mapped(about, 0.82)],
        now: Some(NOW),
        ..PlanRequest::default()
    });
    let plan = plan.await.unwrap().into_inner().plan.unwrap();
    let status = |id: &str, state: QuestionState| QuestionStatus {
        question_id: id.to_owned(),
        state: state.into(),
        locked_until: None,
    };
    let decision = client.decide(DecideRequest {
        plan: Some(plan.clone()),
        turn_id: TURN.to_owned(),
        candidate_question_ids: ["ALG-10-B1", "ALG-10-B2", "ALG-10-B3"]
            .map(str::to_owned)
            .into(),
        statuses: vec![
            status("ALG-10-B1", QuestionState::Available),
            status("ALG-10-B2", QuestionState::Available),
            QuestionStatus {
                locked_until: Some(NOW),
                ..status("ALG-10-B3", QuestionState::Locked)
            },
        ],
        ..DecideRequest::default()
    });
    let mut decision = decision.await.unwrap().into_inner();
    let policy = decision.policy.clone();
    let hash = plan.pack_hash.clone();
    decision.reply_schema = String::new();
    let mut text = format!("{plan:#?}\n\n{decision:#?}\n");
    let failure = Outcome::Failure(DegradedReason::LlmTimeout.into());
    let model = reply.map(|reply| Outcome::Completion(reply.as_bytes().to_vec().into()));
    for outcome in model.into_iter().chain([failure]) {
        let request = ResolveReplyRequest {
            policy: policy.clone(),
            outcome: Some(outcome),
            ..ResolveReplyRequest::default()
        };
        let resolved = client.resolve_reply(request).await.unwrap().into_inner();
        writeln!(text, "\n{resolved:#?}").unwrap();
    }
    text.replace(&hash, "(the pack's hash)")
}

#[tokio::test]
async fn turn_of_a_student_who_may_take_an_exam() {
    let reply = r#"{
        "action": "EXAM_BLOCK",
        "target_unit_id": "ALG-10",
        "tutor_text": "You are ready. Try this one.",
        "mapped_units": [{"unit_id": "ALG-10", "confidence": 0.9}],
        "turn_analysis": {
            "student_intent": "solve",
            "understanding_signal": "confident",
            "suggested_prereq_units": []
        },
        "exam_suggestion": {"question_id": "ALG-10-B2", "difficultyTier": "bronze"}
    }"#;
    golden!(
        "A student asks about one-step equations, with all prerequisites and two right drills: plan, decision, the \
         model's exam question, and the reply without a model. The question to revisit comes first, the locked one is \
         left out.",
        turn(student(), "ALG-10", Some(reply)).await,
    );
}

#[tokio::test]
async fn turn_of_a_new_student_who_asks_for_too_much() {
    let mut snapshot = student();
    snapshot.turn = None;
    snapshot.evidence = None;
    golden!(
        "A new student asks about straight-line equations. Of the prerequisites, slope is named first, and of these the \
         coordinate plane, and of these integers, which have none missing. The reply is about integers.",
        turn(snapshot, "ALG-15", None).await,
    );
}

#[tokio::test]
async fn packs_that_are_refused() {
    let mut text = String::new();
    for (what, file, from, to) in [
        (
            "a circle",
            "units/units.yaml",
            "prerequisites: [START]",
            "prerequisites: [START, TWO]",
        ),
        (
            "a unit that needs itself",
            "units/units.yaml",
            "prerequisites: [ONE]",
            "prerequisites: [ONE, TWO]",
        ),
        (
            "a prerequisite twice",
            "units/units.yaml",
            "prerequisites: [ONE]",
            "prerequisites: [ONE, ONE]",
        ),
        (
            "a prerequisite that is no unit",
            "units/units.yaml",
            "prerequisites: [ONE]",
            "prerequisites: [ONE, THREE]",
        ),
        ("a unit twice", "units/units.yaml", "id: TWO\n", "id: ONE\n"),
        (
            "a unit without a bronze question",
            "exams/exams.yaml",
            "units: [TWO]",
            "units: [ONE]",
        ),
        (
            "an entry unit that is not there",
            "course.yaml",
            "entry_unit: START",
            "entry_unit: BEGIN",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        write_pack(folder.path(), "small");
        let path = folder.path().join(file);
        let before = fs::read_to_string(&path).unwrap();
        let after = before.replacen(from, to, 1);
        assert_ne!(after, before, "{what}");
        fs::write(&path, after).unwrap();
        let settings = Settings::new(folder.path().to_owned(), 0);
        let Err(error) = routes(&settings, &Kit::for_tests()).await else {
            panic!("{what} is served");
        };
        let folder = folder.path().display().to_string();
        writeln!(
            text,
            "{what}:\n{}\n",
            error.to_string().replace(&folder, "(pack)")
        )
        .unwrap();
    }
    golden!(
        "Courses that could block a student for ever, or mean two things, do not load. A circle is printed as a path.",
        text,
    );
}

#[tokio::test]
async fn unit_without_exams_is_served_where_it_says_so() {
    let folder = tempfile::tempdir().unwrap();
    write_pack(folder.path(), "small");
    let units = folder.path().join("units/units.yaml");
    let before = fs::read_to_string(&units).unwrap();
    let after = before.replace(
        "    title: Unit TWO\n",
        "    title: Unit TWO\n    assessable: false\n",
    );
    assert_ne!(after, before);
    fs::write(&units, after).unwrap();
    let exams = folder.path().join("exams/exams.yaml");
    let questions = fs::read_to_string(&exams).unwrap();
    fs::write(&exams, questions.replace("units: [TWO]", "units: [ONE]")).unwrap();
    start(folder.path(), &Kit::for_tests()).await;
}
