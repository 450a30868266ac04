//! One exercise counts once: through the service, and for a pupil who never tires.

use std::{fs, path::Path};

use serde_json::json;
use tonic::service::Routes;
use turnwise_course_pack::{Pack, Unit, load};
use turnwise_decisions::exercise::MOST_REMEMBERED;
use turnwise_kit::Kit;
use turnwise_proto::{
    policy::v1::{
        ApplyEvidenceRequest, CheckDrillRequest, CountedExercises, DecideRequest, DrillGraded,
        DrillVerdict, PlanRequest, Policy, ResolveReplyRequest, ResolveReplyResponse,
        apply_evidence_request::Event, policy_service_client::PolicyServiceClient,
        resolve_reply_request::Outcome as Came,
    },
    session::v1::{Evidence, StudentSnapshot},
    tutor::v1::{ClientEventKind, DegradedReason, DrillCard, tutor_card::Content},
};

use crate::fixture::*;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../courses");
const DEMO: &str = "algebra-foundations";
const GERMAN: &str = "terme-und-gleichungen";

/// The hash of an exercise of ONE, as CheckDrill tells it.
async fn hash(service: &Service, prompt: &str, question_latex: &str) -> u64 {
    let request = CheckDrillRequest {
        course_id: COURSE.to_owned(),
        unit_id: "ONE".to_owned(),
        prompt: prompt.to_owned(),
        question_latex: question_latex.to_owned(),
        answer: "1".to_owned(),
        ..CheckDrillRequest::default()
    };
    let checked = service.client.clone().check_drill(request).await;
    checked.unwrap().into_inner().check.unwrap().exercise
}

#[tokio::test]
async fn a_repeat_is_told_and_leaves_the_evidence_as_it_was() {
    let service = service().await;
    let first = hash(&service, "Solve for x.", "x + 20 = 31").await;
    let again = hash(&service, "Solve the equation.", "31 = 20+x").await;
    let other = hash(&service, "Solve for x.", "x + 31 = 20").await;
    assert_eq!(first, again);
    assert!(first != other && first != 0);
    let graded = |snapshot: StudentSnapshot, exercise: u64| {
        let mut client = service.client.clone();
        let request = ApplyEvidenceRequest {
            course_id: COURSE.to_owned(),
            snapshot: Some(snapshot),
            now: Some(NOW),
            event: Some(Event::DrillGraded(DrillGraded {
                unit_id: "ONE".to_owned(),
                correct: true,
                exercise,
                ..DrillGraded::default()
            })),
            ..ApplyEvidenceRequest::default()
        };
        async move { client.apply_evidence(request).await.unwrap().into_inner() }
    };
    let once = graded(snapshot("ONE", &[]), first).await;
    assert!(!once.exercise_repeated);
    let with = |evidence| StudentSnapshot {
        evidence,
        ..snapshot("ONE", &[])
    };
    let twice = graded(with(once.evidence.clone()), again).await;
    assert!(twice.exercise_repeated);
    assert_eq!(twice.evidence, once.evidence);
    assert_eq!(twice.buttons, once.buttons);
    let then = graded(with(once.evidence), other).await;
    assert!(!then.exercise_repeated);
    let unit = then.evidence.unwrap().unit_progress.remove(0);
    assert_eq!(unit.counted_exercises, [first, other]);
    assert_eq!(unit.drill.unwrap().streak_correct, 2);
}

/// What becomes of a model's drill on ONE where these exercises counted.
async fn set(service: &Service, drill: (&str, &str), counted: Vec<u64>) -> ResolveReplyResponse {
    let mut request = plan_request(snapshot("ONE", &[]));
    request.event = Some(event(ClientEventKind::RequestDrill, "ONE"));
    let plan = service.plan(request).await.unwrap();
    let policy = service.decide(decide_request(plan)).await.unwrap().policy;
    let reply = json!({
        "action": "DRILL_CARD",
        "target_unit_id": "ONE",
        "tutor_text": "Try this.",
        "mapped_units": [],
        "turn_analysis": {
            "student_intent": "solve",
            "understanding_signal": "uncertain",
            "suggested_prereq_units": [],
        },
        "drill_card": {"prompt": drill.0, "question_latex": drill.1},
    });
    let request = ResolveReplyRequest {
        policy,
        outcome: Some(Came::Completion(reply.to_string().into_bytes().into())),
        counted: vec![CountedExercises {
            unit_id: "ONE".to_owned(),
            exercises: counted,
        }],
        ..ResolveReplyRequest::default()
    };
    let resolved = service.client.clone().resolve_reply(request).await;
    resolved.unwrap().into_inner()
}

fn shown(resolved: &ResolveReplyResponse) -> DrillCard {
    let card = resolved.reply.as_ref().unwrap().card.as_ref().unwrap();
    match &card.content {
        Some(Content::Drill(drill)) => drill.clone(),
        other => panic!("no drill, but {other:?}"),
    }
}

#[tokio::test]
async fn a_drill_that_may_not_be_set_gives_way_to_the_courses() {
    let service = service().await;
    let good = ("Solve for x.", "x + 20 = 31");
    let resolved = set(&service, good, Vec::new()).await;
    assert_eq!(shown(&resolved).question_latex, good.1);
    assert_eq!(resolved.observations, Vec::<String>::new());

    let counted = vec![hash(&service, good.0, good.1).await];
    let resolved = set(&service, good, counted).await;
    assert_eq!(shown(&resolved).question_latex, "2 + 3");
    assert_eq!(resolved.reply.as_ref().unwrap().drill_id, "ONE-D1");
    assert_eq!(resolved.observations, ["drill_repeated"]);

    let resolved = set(&service, ("Tell a story about it.", "x + 20 = 31"), vec![]).await;
    assert_eq!(shown(&resolved).question_latex, "2 + 3");
    assert_eq!(resolved.observations, ["drill_not_checkable"]);

    let metrics = service.kit.metrics.encode();
    for line in [
        r#"policy_drills_total{origin="model"} 1"#,
        r#"policy_drills_total{origin="repeated"} 1"#,
        r#"policy_drills_total{origin="not_checkable"} 1"#,
    ] {
        assert!(metrics.contains(line), "{line} is not in:\n{metrics}");
    }
}

#[tokio::test]
async fn in_a_german_course_the_courses_own_stands_for_what_cannot_be_checked() {
    let folder = tempfile::tempdir().unwrap();
    let pack = folder.path().join(COURSE);
    write_pack(&pack, COURSE);
    let file = pack.join("course.yaml");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("locale: en"));
    fs::write(&file, text.replace("locale: en", "locale: de")).unwrap();
    let service = service_of(folder).await;
    let good = ("Löse die Gleichung.", "x + 20 = 31");
    let resolved = set(&service, good, Vec::new()).await;
    assert_eq!(shown(&resolved).question_latex, good.1);

    let drill = ("Erzähle eine Geschichte dazu.", "x + 20 = 31");
    let resolved = set(&service, drill, Vec::new()).await;
    assert_eq!(resolved.reply.as_ref().unwrap().drill_id, "ONE-D1");
    assert_eq!(shown(&resolved).question_latex, "2 + 3");
    assert_eq!(resolved.observations, ["drill_not_checkable"]);
}

#[tokio::test]
async fn more_than_a_record_holds_is_refused() {
    let service = service().await;
    let plan = service.plan(plan_request(ready())).await.unwrap();
    let policy = service.decide(decide_request(plan)).await.unwrap().policy;
    let unit = |count: u64| CountedExercises {
        unit_id: "ONE".to_owned(),
        exercises: (1..=count).collect(),
    };
    for (counted, is_refused) in [
        (vec![unit(64); 6], false),
        (vec![unit(1); 7], true),
        (vec![unit(65)], true),
    ] {
        let request = ResolveReplyRequest {
            policy: policy.clone(),
            outcome: Some(Came::Completion("{}".into())),
            counted,
            ..ResolveReplyRequest::default()
        };
        let resolved = service.client.clone().resolve_reply(request).await;
        let fields = resolved.err().map(|status| fault(status).1);
        assert_eq!(fields, is_refused.then(|| vec!["counted".to_owned()]));
    }
}

/// A pupil who never tires takes a year of drills without a model in every unit of a course. Each is none of the last 64
/// that counted, and each counts.
async fn a_year_of_drills(course: &str) {
    let pack = load(&Path::new(FOLDER).join(course)).unwrap();
    let client = start(Path::new(FOLDER), &Kit::for_tests()).await;
    for unit in pack.units.iter().filter(|unit| unit.assessable) {
        let mut pupil = Pupil::in_unit(&client, &pack, unit).await;
        for day in 0..365 {
            pupil.take_a_drill(day).await;
        }
        let progress = &pupil.evidence.unit_progress[0];
        assert_eq!(progress.drill.unwrap().streak_correct, 365, "{}", unit.id);
    }
}

#[tokio::test]
async fn a_year_of_drills_on_the_demo_course() {
    a_year_of_drills(DEMO).await;
}

#[tokio::test]
async fn a_year_of_drills_on_the_german_course() {
    a_year_of_drills(GERMAN).await;
}

/// Somebody to whom every unit is open, and who knows every answer.
struct Pupil<'a> {
    client: PolicyServiceClient<Routes>,
    course: &'a str,
    unit: &'a Unit,
    policy: Policy,
    evidence: Evidence,
    /// The exercises that counted, the latest last.
    counted: Vec<u64>,
}

impl<'a> Pupil<'a> {
    /// A pupil who asks for a drill in a unit.
    async fn in_unit(
        client: &PolicyServiceClient<Routes>,
        pack: &'a Pack,
        unit: &'a Unit,
    ) -> Pupil<'a> {
        let mut client = client.clone();
        let course = pack.course.id.as_str();
        let ids = pack.units.iter().map(|unit| unit.id.clone());
        let evidence = Evidence {
            prerequisite_overrides: ids.collect(),
            ..Evidence::default()
        };
        let request = PlanRequest {
            course_id: course.to_owned(),
            event: Some(event(ClientEventKind::RequestDrill, &unit.id)),
            ..plan_request(record(course, &evidence))
        };
        let plan = client.plan(request).await.unwrap().into_inner().plan;
        let request = DecideRequest {
            plan,
            turn_id: TURN.to_owned(),
            ..DecideRequest::default()
        };
        let decided = client.decide(request).await.unwrap().into_inner();
        let policy = decided.policy.unwrap();
        assert_eq!(policy.focus_unit_id, unit.id);
        Self {
            client,
            course,
            unit,
            policy,
            evidence,
            counted: Vec::new(),
        }
    }

    /// Is set a drill, answers it and has it counted.
    async fn take_a_drill(&mut self, day: i32) {
        self.policy.turn_id = format!("{}-day-{day}", self.unit.id);
        let progress = self.evidence.unit_progress.iter();
        let counted = progress.map(|progress| CountedExercises {
            unit_id: progress.unit_id.clone(),
            exercises: progress.counted_exercises.clone(),
        });
        let request = ResolveReplyRequest {
            policy: Some(self.policy.clone()),
            outcome: Some(Came::Failure(DegradedReason::LlmTimeout.into())),
            counted: counted.collect(),
            ..ResolveReplyRequest::default()
        };
        let resolved = self.client.resolve_reply(request).await.unwrap();
        let resolved = resolved.into_inner();
        let card = shown(&resolved);
        let drill_id = resolved.reply.unwrap().drill_id;
        let mut drills = self.unit.all_drills();
        let drill = drills.find(|drill| drill.id == drill_id).unwrap();

        let request = CheckDrillRequest {
            course_id: self.course.to_owned(),
            unit_id: self.unit.id.clone(),
            prompt: card.prompt,
            question_latex: card.question_latex,
            answer: drill.answer.clone(),
            drill_id: drill_id.clone(),
            ..CheckDrillRequest::default()
        };
        let checked = self.client.check_drill(request).await.unwrap();
        let check = checked.into_inner().check.unwrap();
        assert_eq!(check.verdict(), DrillVerdict::Right, "{drill_id}");
        let mut latest = self.counted.iter().rev().take(MOST_REMEMBERED);
        let is_repeat = latest.any(|known| *known == check.exercise);
        assert!(!is_repeat, "{drill_id} on day {day}");

        let request = ApplyEvidenceRequest {
            course_id: self.course.to_owned(),
            snapshot: Some(record(self.course, &self.evidence)),
            now: Some(NOW),
            event: Some(Event::DrillGraded(DrillGraded {
                unit_id: self.unit.id.clone(),
                correct: true,
                exercise: check.exercise,
                ..DrillGraded::default()
            })),
            ..ApplyEvidenceRequest::default()
        };
        let applied = self.client.apply_evidence(request).await.unwrap();
        let applied = applied.into_inner();
        assert!(!applied.exercise_repeated, "{drill_id} on day {day}");
        self.evidence = applied.evidence.unwrap();
        self.counted.push(check.exercise);
    }
}

fn record(course: &str, evidence: &Evidence) -> StudentSnapshot {
    StudentSnapshot {
        student_id: "ana".to_owned(),
        course_id: course.to_owned(),
        evidence: Some(evidence.clone()),
        ..StudentSnapshot::default()
    }
}
