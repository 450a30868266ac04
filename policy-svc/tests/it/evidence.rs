//! ApplyEvidence: each event, and what is kept as it came.

mod refused;

use prost::Message;
use prost_types::Timestamp;
use tonic::Status;
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    policy::v1::{
        ApplyEvidenceRequest, ApplyEvidenceResponse, DrillGraded, ExamResult, PrerequisiteMarked,
        SupportViewed, apply_evidence_request::Event,
    },
    session::v1::{
        ConfusionTag, DrillCounters, Evidence, PassedByTier, RevisitEntry, StudentSnapshot,
        UnitProgress,
    },
    tutor::v1::{MasteryTier, UnitStatus},
};

use crate::fixture::*;

const EARLIER: Timestamp = Timestamp {
    seconds: NOW.seconds - 3600,
    nanos: 5,
};

async fn ask(
    service: &Service,
    request: ApplyEvidenceRequest,
) -> Result<ApplyEvidenceResponse, Status> {
    let mut client = service.client.clone();
    Ok(client.apply_evidence(request).await?.into_inner())
}

fn request(evidence: Option<Evidence>, event: Event) -> ApplyEvidenceRequest {
    ApplyEvidenceRequest {
        course_id: COURSE.to_owned(),
        pack_hash: String::new(),
        snapshot: Some(StudentSnapshot {
            student_id: "ana".to_owned(),
            course_id: COURSE.to_owned(),
            evidence,
            ..StudentSnapshot::default()
        }),
        now: Some(NOW),
        event: Some(event),
    }
}

fn drill(unit: &str, correct: bool, mistake_tag: &str) -> Event {
    Event::DrillGraded(DrillGraded {
        unit_id: unit.to_owned(),
        correct,
        mistake_tag: mistake_tag.to_owned(),
        exercise: 0,
    })
}

fn exam(question: &str, unit: &str, tier: MasteryTier, passed: bool) -> Event {
    Event::ExamResult(ExamResult {
        question_id: question.to_owned(),
        unit_id: unit.to_owned(),
        tier: tier.into(),
        passed,
        locked_until: None,
    })
}

fn support(question: &str, unit: &str, tier: MasteryTier, locked: bool) -> Event {
    Event::SupportViewed(SupportViewed {
        question_id: question.to_owned(),
        unit_id: unit.to_owned(),
        tier: tier.into(),
        locked,
        locked_until: None,
    })
}

fn mark(unit: &str, met: bool) -> Event {
    Event::PrerequisiteMarked(PrerequisiteMarked {
        unit_id: unit.to_owned(),
        met,
    })
}

fn progress(unit: &str, tier: MasteryTier, drill: DrillCounters) -> UnitProgress {
    UnitProgress {
        unit_id: unit.to_owned(),
        mastery_tier: tier.into(),
        last_touched_at: Some(NOW),
        drill: Some(drill),
        passed_by_tier: Some(PassedByTier::default()),
        confusion_tags: Vec::new(),
        counted_exercises: Vec::new(),
    }
}

fn tag(tag: &str, count: i32) -> ConfusionTag {
    ConfusionTag {
        tag: tag.to_owned(),
        count,
    }
}

fn waiting(question: &str, unit: &str, tier: i32) -> RevisitEntry {
    RevisitEntry {
        question_id: question.to_owned(),
        unit_id: unit.to_owned(),
        tier,
    }
}

/// A record that is one bronze pass away from ONE's badge, with traces of a course that had more.
fn seasoned() -> Evidence {
    let one = UnitProgress {
        last_touched_at: Some(EARLIER),
        confusion_tags: vec![tag("dropped", 2), tag("slip", 1)],
        ..progress("ONE", MasteryTier::None, drills(2, 2))
    };
    // As an older or a newer version may have left it.
    let gone = UnitProgress {
        unit_id: "GONE".to_owned(),
        mastery_tier: 9,
        drill: Some(DrillCounters {
            attempts: -4,
            ..drills(0, 0)
        }),
        confusion_tags: vec![tag("b", -1), tag("a", 1), tag("b", 3)],
        ..UnitProgress::default()
    };
    Evidence {
        unit_progress: vec![gone, one],
        units_in_progress: vec!["ONE".to_owned(), "GONE".to_owned()],
        revisit_queue: vec![
            waiting("ONE-B2", "ONE", 9),
            waiting("ONE-B1", "ONE", MasteryTier::Bronze.into()),
            waiting("GONE-B1", "GONE", 0),
        ],
        exam_touched: vec!["ONE-B2".to_owned(), "ONE-B1".to_owned()],
        prerequisite_overrides: vec!["GONE".to_owned()],
        ..Evidence::default()
    }
}

#[tokio::test]
async fn a_first_drill() {
    let service = service().await;
    let asked = request(None, drill("ONE", false, "slip"));
    let answer = ask(&service, asked).await.unwrap();
    let one = UnitProgress {
        confusion_tags: vec![tag("slip", 1)],
        ..progress("ONE", MasteryTier::None, drills(1, 0))
    };
    let expected = ApplyEvidenceResponse {
        evidence: Some(Evidence {
            unit_progress: vec![one],
            units_in_progress: vec!["ONE".to_owned()],
            ..Evidence::default()
        }),
        unit_id: "ONE".to_owned(),
        tier_before: MasteryTier::None.into(),
        tier_after: MasteryTier::None.into(),
        status_before: UnitStatus::NotStarted.into(),
        status_after: UnitStatus::InProgress.into(),
        standing: answer.standing.clone(),
        buttons: answer.buttons.clone(),
        ..ApplyEvidenceResponse::default()
    };
    assert_eq!(answer, expected);
}

#[tokio::test]
async fn a_mistake_that_the_unit_does_not_list_is_observed() {
    let service = service().await;
    let asked = request(None, drill("ONE", false, "blunder"));
    let answer = ask(&service, asked).await.unwrap();
    assert_eq!(answer.observations, ["unknown_tag"]);
    let one = &answer.evidence.unwrap().unit_progress[0];
    assert_eq!(one.confusion_tags, []);
    assert_eq!(one.drill, Some(drills(1, 0)));
}

#[tokio::test]
async fn a_pass_brings_the_badge_and_leaves_the_rest_as_it_came() {
    let service = service().await;
    let before = seasoned();
    let mut asked = request(
        Some(before.clone()),
        exam("ONE-B1", "ONE", MasteryTier::Bronze, true),
    );
    asked.pack_hash.clone_from(&service.hash);
    let answer = ask(&service, asked).await.unwrap();
    assert_eq!(answer.tier_before(), MasteryTier::None);
    assert_eq!(answer.tier_after(), MasteryTier::Bronze);
    assert_eq!(answer.status_before(), UnitStatus::InProgress);
    assert_eq!(answer.status_after(), UnitStatus::InProgress);
    let one = UnitProgress {
        mastery_tier: MasteryTier::Bronze.into(),
        last_touched_at: Some(NOW),
        passed_by_tier: Some(PassedByTier {
            bronze: 1,
            ..PassedByTier::default()
        }),
        ..before.unit_progress[1].clone()
    };
    let mut expected = before;
    expected.unit_progress[1] = one;
    expected.revisit_queue.remove(1);
    assert_eq!(answer.evidence, Some(expected));
}

#[tokio::test]
async fn a_failure_and_a_locking_look_at_support_put_the_question_in_the_queue() {
    let service = service().await;
    for event in [
        exam("ONE-S1", "ONE", MasteryTier::Silver, false),
        support("ONE-S1", "ONE", MasteryTier::Silver, true),
    ] {
        let mut expected = seasoned();
        let answer = ask(&service, request(Some(expected.clone()), event)).await;
        expected.unit_progress[1].last_touched_at = Some(NOW);
        let entry = waiting("ONE-S1", "ONE", MasteryTier::Silver.into());
        expected.revisit_queue.push(entry);
        expected.exam_touched.push("ONE-S1".to_owned());
        assert_eq!(answer.unwrap().evidence, Some(expected));
    }
    // One that waits already keeps its place and all that was known of it.
    let again = exam("ONE-B2", "ONE", MasteryTier::Bronze, false);
    let answer = ask(&service, request(Some(seasoned()), again))
        .await
        .unwrap();
    let queue = answer.evidence.unwrap().revisit_queue;
    assert_eq!(queue, seasoned().revisit_queue);
}

#[tokio::test]
async fn a_look_at_support_that_locks_nothing_touches_only_the_unit() {
    let service = service().await;
    let mut expected = seasoned();
    let event = support("ONE-S1", "ONE", MasteryTier::Silver, false);
    let answer = ask(&service, request(Some(expected.clone()), event)).await;
    expected.unit_progress[1].last_touched_at = Some(NOW);
    assert_eq!(answer.unwrap().evidence, Some(expected));
}

#[tokio::test]
async fn a_mark_changes_nothing_but_the_marks() {
    let service = service().await;
    let mut expected = seasoned();
    let answer = ask(&service, request(Some(seasoned()), mark("TWO", true))).await;
    expected.prerequisite_overrides.push("TWO".to_owned());
    let answer = answer.unwrap();
    assert_eq!(answer.evidence.as_ref(), Some(&expected));
    assert_eq!(answer.unit_id, "TWO");
    assert_eq!(answer.status_after(), UnitStatus::NotStarted);
    let answer = ask(&service, request(answer.evidence, mark("TWO", false))).await;
    assert_eq!(answer.unwrap().evidence, Some(seasoned()));
}

#[tokio::test]
async fn counters_below_zero_are_read_as_zero_and_full_ones_stay_full() {
    let service = service().await;
    let one = UnitProgress {
        confusion_tags: vec![tag("slip", i32::MAX), tag("slip", 7), tag("other", -2)],
        passed_by_tier: None,
        last_touched_at: Some(EARLIER),
        ..progress(
            "ONE",
            MasteryTier::Unspecified,
            DrillCounters {
                attempts: i32::MAX,
                correct: -7,
                streak_correct: i32::MIN,
                streak_wrong: i32::MAX,
            },
        )
    };
    let before = Evidence {
        unit_progress: vec![one],
        ..Evidence::default()
    };
    let asked = request(Some(before), drill("ONE", false, "slip"));
    let answer = ask(&service, asked).await.unwrap();
    let one = &answer.evidence.unwrap().unit_progress[0];
    let full = DrillCounters {
        attempts: i32::MAX,
        correct: 0,
        streak_correct: 0,
        streak_wrong: i32::MAX,
    };
    assert_eq!(one.drill, Some(full));
    assert_eq!(one.confusion_tags, [tag("other", 0), tag("slip", i32::MAX)]);
    assert_eq!(one.mastery_tier(), MasteryTier::None);
}

#[tokio::test]
async fn the_order_of_units_mistakes_and_marks_does_not_matter() {
    let service = service().await;
    let mut record = seasoned();
    record.prerequisite_overrides.push("ONE".to_owned());
    let mut turned = record.clone();
    turned.unit_progress.reverse();
    turned.unit_progress[0].confusion_tags.reverse();
    turned.prerequisite_overrides.reverse();
    let event = drill("ONE", false, "slip");
    let once = ask(&service, request(Some(record), event.clone())).await;
    let again = ask(&service, request(Some(turned), event)).await;
    assert_eq!(once.unwrap(), again.unwrap());
}

/// The evidence of one turn's answer is what the next call takes, up to gold and past it.
#[tokio::test]
async fn evidence_goes_round() {
    let service = service().await;
    let mut evidence = None;
    for (event, tier, status) in [
        (
            drill("ONE", true, ""),
            MasteryTier::None,
            UnitStatus::InProgress,
        ),
        (
            exam("ONE-S1", "ONE", MasteryTier::Silver, true),
            MasteryTier::None,
            UnitStatus::InProgress,
        ),
        (
            drill("ONE", true, ""),
            MasteryTier::None,
            UnitStatus::InProgress,
        ),
        (
            exam("ONE-B1", "ONE", MasteryTier::Bronze, true),
            MasteryTier::Silver,
            UnitStatus::InProgress,
        ),
        (
            exam("ONE-G1", "ONE", MasteryTier::Gold, true),
            MasteryTier::Gold,
            UnitStatus::Mastered,
        ),
        (
            drill("ONE", false, "slip"),
            MasteryTier::Gold,
            UnitStatus::Mastered,
        ),
    ] {
        let answer = ask(&service, request(evidence, event)).await.unwrap();
        assert_eq!((answer.tier_after(), answer.status_after()), (tier, status));
        evidence = answer.evidence;
    }
    assert_eq!(evidence.unwrap().units_in_progress, Vec::<String>::new());
}

/// An older gateway, or an older policy, does not know a field that stands in the store: it would be lost.
#[tokio::test]
async fn evidence_of_which_something_was_lost_on_the_way_is_not_changed() {
    let service = service().await;
    let before = Evidence {
        units_in_progress: vec!["ONE".to_owned()],
        ..Evidence::default()
    };
    let whole = i64::try_from(before.encoded_len()).unwrap();
    let mut asked = request(Some(before), drill("ONE", true, ""));
    for (size, is_applied) in [(0, true), (whole, true), (whole + 3, false)] {
        asked.snapshot.as_mut().unwrap().evidence_size = size;
        let answer = ask(&service, asked.clone()).await;
        let reason = answer
            .map(drop)
            .map_err(|status| Fault::from_status(&status).reason());
        let expected = match is_applied {
            true => Ok(()),
            false => Err(ErrorReason::SchemaTooNew),
        };
        assert_eq!(reason, expected, "{size} of {whole}");
    }
}
