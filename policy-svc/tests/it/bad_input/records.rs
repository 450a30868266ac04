//! Records that are odd and still answered: of another version of the course or of the schema, with odd times.

use prost_types::Timestamp;
use turnwise_proto::{
    exam::v1::{QuestionState, QuestionStatus},
    policy::v1::{DecideResponse, DescribeStandingRequest, Plan, PlanRequest},
    session::v1::{
        DrillCounters, Evidence, RevisitEntry, StudentSnapshot, TurnAnalysis, TurnState,
        UnitProgress,
    },
    tutor::v1::{ExamAvailability, MasteryTier, SnapshotLite},
};

use crate::fixture::*;

/// What a record comes to: the plan, the decision, and the standing between turns.
async fn outcome(
    service: &Service,
    snapshot: StudentSnapshot,
) -> (Plan, DecideResponse, SnapshotLite) {
    let plan = service.plan(plan_request(snapshot.clone())).await.unwrap();
    let decision = service.decide(decide_request(plan.clone())).await.unwrap();
    let request = DescribeStandingRequest {
        course_id: COURSE.to_owned(),
        snapshot: Some(snapshot),
        statuses: Vec::new(),
        now: Some(NOW),
    };
    let standing = service.client.clone().describe_standing(request).await;
    let standing = standing.unwrap().into_inner().standing.unwrap();
    (plan, decision, standing)
}

fn evidence(snapshot: &mut StudentSnapshot) -> &mut Evidence {
    snapshot.evidence.as_mut().unwrap()
}

fn turn(snapshot: &mut StudentSnapshot) -> &mut TurnState {
    snapshot.turn.as_mut().unwrap()
}

/// Some of everything on these units, under units and questions of the course that are called so.
fn crowded(units: &[&str], questions: &[&str]) -> StudentSnapshot {
    let mut snapshot = ready();
    turn(&mut snapshot).last_turn_analysis = Some(TurnAnalysis {
        mapped_units: units.iter().map(|unit| mapped(unit, 0.4)).collect(),
        suggested_prereq_units: units.iter().map(|unit| (*unit).to_owned()).collect(),
        ..TurnAnalysis::default()
    });
    let evidence = evidence(&mut snapshot);
    for unit in units.iter().filter(|unit| **unit != "ONE") {
        evidence.unit_progress.push(UnitProgress {
            unit_id: (*unit).to_owned(),
            mastery_tier: MasteryTier::Gold.into(),
            last_touched_at: Some(NOW),
            drill: Some(drills(9, 9)),
            ..UnitProgress::default()
        });
    }
    evidence.units_in_progress = units.iter().map(|unit| (*unit).to_owned()).collect();
    evidence.prerequisite_overrides = evidence.units_in_progress.clone();
    evidence.exam_touched = questions.iter().map(|q| (*q).to_owned()).collect();
    evidence.revisit_queue = questions
        .iter()
        .map(|question| RevisitEntry {
            question_id: (*question).to_owned(),
            unit_id: units[0].to_owned(),
            tier: MasteryTier::Bronze.into(),
        })
        .collect();
    snapshot
}

#[tokio::test]
async fn units_that_are_gone_change_nothing() {
    let service = service().await;
    let clean = crowded(&["ONE"], &["ONE-B1"]);
    let with_gone = crowded(
        &["ONE", "GONE", "", "a/b", "GONE-TOO"],
        &["ONE-B1", "GONE-B1", ""],
    );
    let expected = outcome(&service, clean).await;
    let found = outcome(&service, with_gone).await;
    assert_eq!(found, expected);
    assert_eq!(found.0.units_in_progress, ["ONE"]);
    assert_eq!(found.0.revisit_question_ids, ["ONE-B1"]);
    assert_eq!(found.2.progress.unwrap().gold, 0);
}

#[tokio::test]
async fn a_focus_that_is_gone_is_the_entry_unit() {
    let service = service().await;
    let mut gone = ready();
    turn(&mut gone).focus_unit_id = "GONE".to_owned();
    let mut none = ready();
    turn(&mut none).focus_unit_id = String::new();
    let mut entry = ready();
    turn(&mut entry).focus_unit_id = "START".to_owned();
    let expected = outcome(&service, entry).await;
    assert_eq!(expected.0.focus_unit_id, "START");
    assert_eq!(outcome(&service, gone).await, expected);
    assert_eq!(outcome(&service, none).await, expected);
}

#[tokio::test]
async fn mapped_units_that_are_gone_are_dropped() {
    let service = service().await;
    let mut request = plan_request(ready());
    let kept = service.plan(request.clone()).await.unwrap();
    request.mapped_units = vec![mapped("GONE", 1.0), mapped("", 0.9), mapped("a/b", 0.8)];
    assert_eq!(service.plan(request).await.unwrap(), kept);
}

#[tokio::test]
async fn a_record_of_an_older_schema_is_read_as_far_as_it_goes() {
    let service = service().await;
    let mut bare = ready();
    bare.turn = None;
    bare.evidence = None;
    let (plan, _, standing) = outcome(&service, bare.clone()).await;
    assert_eq!(plan.focus_unit_id, "START");
    assert!(!plan.stuck && !plan.exam_ready);
    assert_eq!(standing.progress.unwrap().total, 2);

    // Parts without their own parts, badges and counts that nobody wrote, on the unit that the record stands on.
    bare.turn = Some(TurnState {
        focus_unit_id: "ONE".to_owned(),
        ..TurnState::default()
    });
    let mut odd = bare.clone();
    odd.turn = Some(TurnState {
        focus_unit_id: "ONE".to_owned(),
        last_turn_analysis: Some(TurnAnalysis {
            student_intent: 99,
            understanding_signal: -1,
            ..TurnAnalysis::default()
        }),
        ..TurnState::default()
    });
    odd.evidence = Some(Evidence {
        unit_progress: vec![
            UnitProgress {
                unit_id: "ONE".to_owned(),
                mastery_tier: 99,
                drill: Some(DrillCounters {
                    attempts: -3,
                    correct: i32::MIN,
                    streak_correct: -1,
                    streak_wrong: -2,
                }),
                ..UnitProgress::default()
            },
            UnitProgress {
                unit_id: "TWO".to_owned(),
                ..UnitProgress::default()
            },
        ],
        revisit_queue: vec![RevisitEntry::default()],
        ..Evidence::default()
    });
    assert_eq!(outcome(&service, odd).await, outcome(&service, bare).await);
}

#[tokio::test]
async fn the_largest_counts_are_read() {
    let service = service().await;
    let most = DrillCounters {
        attempts: i32::MAX,
        correct: i32::MAX,
        streak_correct: i32::MAX,
        streak_wrong: i32::MAX,
    };
    let plan = service.plan(plan_request(snapshot("ONE", &[("ONE", most)])));
    let plan = plan.await.unwrap();
    assert!(plan.exam_ready);
    assert_eq!(plan.focus_drills.unwrap().attempts, i32::MAX);
}

fn at(seconds: i64, nanos: i32) -> Option<Timestamp> {
    Some(Timestamp { seconds, nanos })
}

/// The recency of ONE, touched and asked for at these times.
async fn recency(service: &Service, touched: Option<Timestamp>, now: Option<Timestamp>) -> f64 {
    let mut snapshot = ready();
    evidence(&mut snapshot).unit_progress[0].last_touched_at = touched;
    let request = PlanRequest {
        now,
        ..plan_request(snapshot)
    };
    let plan = service.plan(request).await.unwrap();
    let one = plan.candidates.iter().find(|unit| unit.unit_id == "ONE");
    one.unwrap().recency
}

#[tokio::test]
async fn odd_times_that_exist_are_answered() {
    const YEAR_ONE: i64 = -62_135_596_800;
    const YEAR_9999: i64 = 253_402_207_200;
    let service = service().await;
    let (now, day) = (NOW.seconds, 86_400);
    for (touched, asked, expected) in [
        (at(now + day, 0), at(now, 0), 1.0),
        (at(YEAR_9999, 0), at(now, 0), 1.0),
        (at(now, 999_999_999), at(now, 0), 1.0),
        (at(-1, 999_999_999), at(now, 0), 0.0),
        (at(YEAR_ONE, 0), at(now, 0), 0.0),
        (at(YEAR_ONE, 0), at(YEAR_9999, 0), 0.0),
        (at(now, 0), at(-5, 0), 1.0),
        (at(-5 - 36 * 3600, 0), at(-5, 0), 0.5),
        (None, at(now, 0), 0.0),
    ] {
        let found = recency(&service, touched, asked).await;
        assert!(
            (found - expected).abs() < 1e-9,
            "{touched:?} {asked:?}: {found}"
        );
    }
}

#[tokio::test]
async fn a_lock_that_should_have_ended_is_still_the_exam_systems_word() {
    let service = service().await;
    let plan = service.plan(plan_request(ready())).await.unwrap();
    let mut request = decide_request(plan);
    let ended = at(-1, 1);
    request.statuses = ["ONE-B1", "ONE-B2"]
        .map(|question| QuestionStatus {
            question_id: question.to_owned(),
            state: QuestionState::Locked.into(),
            locked_until: ended,
        })
        .into();
    let policy = service.decide(request).await.unwrap().policy.unwrap();
    assert_eq!(policy.exam_availability(), ExamAvailability::Locked);
    assert_eq!(policy.exam_next_eligible_at, ended);
}
