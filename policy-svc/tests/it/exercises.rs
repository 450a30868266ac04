//! One exercise counts once: through the service, and for a pupil who never tires.

use std::{collections::BTreeSet, path::Path};

use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use turnwise_decisions::{
    Action, Availability, Constraints, DrillTerms, Evidence, EvidenceEvent, FallbackReason,
    Outcome, Policy, Tier, evidence::apply, exercise, exercise::MOST_REMEMBERED, resolve,
    resolve::Card, with_drill_on_terms,
};
use turnwise_kit::Kit;
use turnwise_policy_svc::courses;
use turnwise_proto::{
    policy::v1::{
        ApplyEvidenceRequest, CheckDrillRequest, CountedExercises, DrillGraded,
        ResolveReplyRequest, ResolveReplyResponse, apply_evidence_request::Event,
        resolve_reply_request::Outcome as Came,
    },
    session::v1::StudentSnapshot,
    tutor::v1::{DrillCard, tutor_card::Content},
};

use crate::fixture::*;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../courses");

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
    request.event = Some(event(
        turnwise_proto::tutor::v1::ClientEventKind::RequestDrill,
        "ONE",
    ));
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

/// A year of drills without a model, one a day in each unit. As far as the course has drills, each day's is one that did not
/// count yet; then they repeat, and no repeat counts.
#[test]
fn a_year_of_drills_on_the_demo_course() {
    let library = courses::open(Path::new(FOLDER), &Kit::for_tests()).unwrap();
    let demo = library.catalog().get("algebra-foundations").unwrap();
    let course = &demo.course;
    let mut now: Timestamp = "2026-01-01T08:00:00Z".parse().unwrap();
    for &at in course.path() {
        let unit = course.unit(at);
        let different: BTreeSet<_> = unit
            .drills
            .iter()
            .map(|drill| exercise(&drill.prompt, &drill.question_latex))
            .collect();
        assert_eq!(different.len(), unit.drills.len(), "{} repeats", unit.id);
        let mut evidence = Evidence::default();
        let mut counted: Vec<u64> = Vec::new();
        for day in 0..365 {
            let remembered = evidence
                .progress
                .get(&unit.id)
                .map_or_else(Vec::new, |p| p.counted_exercises.clone());
            let terms = DrillTerms {
                checkable: true,
                counted: [(unit.id.clone(), remembered)].into(),
                ..DrillTerms::default()
            };
            let policy = only_a_drill(&unit.id, day, course.rules());
            let failure = Outcome::Failure(FallbackReason::LlmTimeout);
            let resolution = resolve(course, &policy, failure).unwrap();
            let set = with_drill_on_terms(course, &policy, &terms, resolution);
            let Some(Card::Drill(card)) = set.card else {
                panic!("{}: no drill on day {day}", unit.id)
            };
            let number = exercise(&card.prompt, &card.question_latex);
            let event = EvidenceEvent::DrillGraded {
                unit_id: unit.id.clone(),
                correct: true,
                mistake_tag: None,
                exercise: Some(number),
            };
            let applied = apply(course, &evidence, &event, now).unwrap();
            let latest = &counted[counted.len().saturating_sub(MOST_REMEMBERED)..];
            assert_eq!(applied.exercise_repeated, latest.contains(&number));
            if !applied.exercise_repeated {
                counted.push(number);
            }
            evidence = applied.evidence;
            now += SignedDuration::from_hours(24);
        }
        assert!(counted.len() >= different.len(), "{}: {counted:?}", unit.id);
        let progress = &evidence.progress[&unit.id];
        assert_eq!(usize::try_from(progress.attempts).unwrap(), counted.len());
    }
}

fn only_a_drill(unit_id: &str, day: usize, rules: &turnwise_decisions::Rules) -> Policy {
    Policy {
        turn_id: format!("day-{day}"),
        focus_unit_id: unit_id.to_owned(),
        primary_target_unit_id: unit_id.to_owned(),
        prereq_blocking_unit_id: None,
        scoped_unit_ids: vec![unit_id.to_owned()],
        allowed_actions: vec![Action::DrillCard],
        stuck: false,
        exam_ready: false,
        desired_exam_tier: Tier::Bronze,
        exam_availability: Availability::None,
        exam_candidate_ids: Vec::new(),
        exam_next_eligible_at: None,
        constraints: Constraints::of(rules),
        choice_unit_ids: Vec::new(),
    }
}
