//! Requests for a plan that are refused, each with its reason and field.

use prost_types::Timestamp;
use turnwise_proto::{
    policy::v1::{Plan, PlanRequest},
    session::v1::TurnAnalysis,
    tutor::v1::{ClientEvent, ClientEventKind, DrillResult, ExamResult},
};

use super::{INVALID, Row};
use crate::fixture::*;

const LAST_CONFIDENCE: &str = "snapshot.turn.last_turn_analysis.mapped_units[0].confidence";

/// The model saw a unit in the latest turn, with this confidence.
fn last_mapped(request: &mut PlanRequest, confidence: f64) {
    let turn = request.snapshot.as_mut().unwrap().turn.as_mut().unwrap();
    turn.last_turn_analysis = Some(TurnAnalysis {
        mapped_units: vec![mapped("GONE", confidence)],
        ..TurnAnalysis::default()
    });
}

#[tokio::test]
async fn bad_plan_requests() {
    let rows: &[Row<PlanRequest>] = &[
        (INVALID, "course_id", |r| r.course_id = String::new()),
        (INVALID, "course_id", |r| r.course_id = "a/b".into()),
        ("UNKNOWN_COURSE", "course_id", |r| {
            r.course_id = "algebra-9".into();
        }),
        (INVALID, "course_id", |r| r.course_id = "a".repeat(129)),
        ("UNKNOWN_COURSE", "course_id", |r| {
            r.course_id = "a".repeat(128);
        }),
        ("UNKNOWN_PACK_VERSION", "pack_hash", |r| {
            r.pack_hash = "00".repeat(32);
        }),
        (INVALID, "pack_hash", |r| r.pack_hash = "0".repeat(129)),
        (INVALID, "pack_hash", |r| r.pack_hash = "a hash".into()),
        (INVALID, "snapshot", |r| r.snapshot = None),
        (INVALID, "snapshot.course_id", |r| {
            r.snapshot.as_mut().unwrap().course_id = "other".into();
        }),
        (INVALID, "before", |r| r.before = vec![String::new(); 101]),
        (INVALID, "before", |r| r.before = vec!["a".repeat(16_001)]),
        (INVALID, "said", |r| r.said = "a".repeat(8_001)),
        (INVALID, "now", |r| r.now = None),
        (INVALID, "now", |r| {
            r.now = Some(Timestamp {
                seconds: i64::MAX,
                nanos: 0,
            });
        }),
        (INVALID, "now", |r| {
            r.now = Some(Timestamp {
                seconds: i64::MIN,
                nanos: 0,
            });
        }),
        (INVALID, "now", |r| {
            r.now = Some(Timestamp {
                seconds: 0,
                nanos: -1,
            });
        }),
        (INVALID, "now", |r| {
            r.now = Some(Timestamp {
                seconds: 0,
                nanos: 1_000_000_000,
            });
        }),
        (INVALID, "now", |r| {
            r.now = Some(Timestamp {
                seconds: -1,
                nanos: i32::MIN,
            });
        }),
        (INVALID, "mapped_units[1].confidence", |r| {
            r.mapped_units = vec![mapped("ONE", 1.0), mapped("TWO", f64::NAN)];
        }),
        (INVALID, "mapped_units[0].confidence", |r| {
            r.mapped_units = vec![mapped("ONE", f64::INFINITY)];
        }),
        (INVALID, "mapped_units[0].confidence", |r| {
            r.mapped_units = vec![mapped("ONE", f64::NEG_INFINITY)];
        }),
        (INVALID, "mapped_units[0].confidence", |r| {
            r.mapped_units = vec![mapped("ONE", 1.1)];
        }),
        (INVALID, "mapped_units[0].confidence", |r| {
            r.mapped_units = vec![mapped("ONE", 1.000_001)];
        }),
        (INVALID, "mapped_units[0].confidence", |r| {
            r.mapped_units = vec![mapped("gone", -0.1)];
        }),
        (INVALID, LAST_CONFIDENCE, |r| last_mapped(r, f64::NAN)),
        (INVALID, LAST_CONFIDENCE, |r| last_mapped(r, f64::INFINITY)),
        (INVALID, LAST_CONFIDENCE, |r| {
            last_mapped(r, f64::NEG_INFINITY);
        }),
        (INVALID, LAST_CONFIDENCE, |r| last_mapped(r, -0.1)),
        (INVALID, LAST_CONFIDENCE, |r| last_mapped(r, 1.1)),
        (INVALID, "snapshot.turn.last_turn_at", |r| {
            let turn = r.snapshot.as_mut().unwrap().turn.as_mut().unwrap();
            turn.last_turn_at = Some(Timestamp {
                seconds: i64::MIN,
                nanos: 0,
            });
        }),
        (
            INVALID,
            "snapshot.evidence.unit_progress[0].last_touched_at",
            |r| {
                let snapshot = r.snapshot.as_mut().unwrap();
                let progress = &mut snapshot.evidence.as_mut().unwrap().unit_progress;
                progress[0].last_touched_at = Some(Timestamp {
                    seconds: 0,
                    nanos: 1_000_000_000,
                });
            },
        ),
        (INVALID, "snapshot.evidence.unit_progress[1].unit_id", |r| {
            let snapshot = r.snapshot.as_mut().unwrap();
            let progress = &mut snapshot.evidence.as_mut().unwrap().unit_progress;
            progress.push(progress[0].clone());
        }),
        ("UNKNOWN_UNIT", "event.unit_id", |r| {
            r.event = Some(event(ClientEventKind::RequestDrill, "ALG-99"));
        }),
        (INVALID, "event.unit_id", |r| {
            r.event = Some(event(ClientEventKind::StuckHint, ""));
        }),
        (INVALID, "event.unit_id", |r| {
            r.event = Some(event(ClientEventKind::StuckHint, &"a".repeat(129)));
        }),
        (INVALID, "event.unit_id", |r| {
            r.event = Some(event(ClientEventKind::StuckHint, "ONE\n"));
        }),
        (INVALID, "event.unit_id", |r| {
            r.event = Some(event(ClientEventKind::Unspecified, "ONE"));
        }),
        (INVALID, "event.kind", |r| {
            r.event = Some(ClientEvent {
                kind: 99,
                unit_id: "ONE".into(),
                ..ClientEvent::default()
            });
        }),
        (INVALID, "event.drill_result", |r| {
            r.event = Some(ClientEvent {
                drill_result: 9,
                ..event(ClientEventKind::DrillContinue, "ONE")
            });
        }),
        (INVALID, "event.drill_result", |r| {
            r.event = Some(ClientEvent {
                drill_result: 1,
                ..event(ClientEventKind::ExamContinue, "ONE")
            });
        }),
        (INVALID, "event.exam_result", |r| {
            r.event = Some(ClientEvent {
                exam_result: -1,
                ..event(ClientEventKind::ExamContinue, "ONE")
            });
        }),
        (INVALID, "event.exam_result", |r| {
            r.event = Some(ClientEvent {
                exam_result: 2,
                ..event(ClientEventKind::DrillContinue, "ONE")
            });
        }),
        (INVALID, "event.question_id", |r| {
            r.event = Some(ClientEvent {
                question_id: "ONE-B1".into(),
                ..event(ClientEventKind::StuckHint, "ONE")
            });
        }),
        (INVALID, "event.question_id", |r| {
            r.event = Some(ClientEvent {
                question_id: "ONE B1".into(),
                ..event(ClientEventKind::ExamContinue, "ONE")
            });
        }),
        (INVALID, "event.drill_result", |r| {
            r.event = Some(ClientEvent {
                drill_result: 1,
                ..ClientEvent::default()
            });
        }),
    ];
    let service = service().await;
    for (reason, field, change) in rows {
        let mut request = plan_request(ready());
        change(&mut request);
        let refused = service.plan(request).await.unwrap_err();
        assert_eq!(
            fault(refused),
            ((*reason).to_owned(), vec![(*field).to_owned()])
        );
    }
}

#[tokio::test]
async fn an_empty_event_is_no_event() {
    let service = service().await;
    let mut request = plan_request(ready());
    request.event = Some(ClientEvent::default());
    assert_eq!(service.plan(request).await.unwrap().event, None);
}

#[tokio::test]
async fn what_a_client_says_of_a_result_goes_back_and_decides_nothing() {
    let service = service().await;
    for (plain, said) in [
        (
            event(ClientEventKind::DrillContinue, "ONE"),
            ClientEvent {
                drill_result: DrillResult::Incorrect.into(),
                ..event(ClientEventKind::DrillContinue, "ONE")
            },
        ),
        (
            event(ClientEventKind::ExamContinue, "ONE"),
            ClientEvent {
                question_id: "ONE-B9".to_owned(),
                exam_result: ExamResult::Locked.into(),
                ..event(ClientEventKind::ExamContinue, "ONE")
            },
        ),
    ] {
        let ask = |event: &ClientEvent| {
            let mut request = plan_request(ready());
            request.event = Some(event.clone());
            service.plan(request)
        };
        let with = ask(&said).await.unwrap();
        assert_eq!(with.event.as_ref(), Some(&said));
        let without = ask(&plain).await.unwrap();
        let expected = Plan {
            event: Some(said),
            ..without.clone()
        };
        assert_eq!(with, expected);
        let with = service.decide(decide_request(with)).await.unwrap();
        let without = service.decide(decide_request(without)).await.unwrap();
        assert_eq!(with, without);
    }
}
