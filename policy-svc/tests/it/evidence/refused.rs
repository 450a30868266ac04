//! ApplyEvidence: requests that are refused, each with its reason and field.

use super::*;

const INVALID: &str = "INVALID_ARGUMENT";

#[tokio::test]
async fn bad_requests() {
    type Row = (&'static str, &'static str, fn(&mut ApplyEvidenceRequest));
    fn one(request: &mut ApplyEvidenceRequest) -> &mut UnitProgress {
        let snapshot = request.snapshot.as_mut().unwrap();
        &mut snapshot.evidence.as_mut().unwrap().unit_progress[1]
    }
    const BRONZE: MasteryTier = MasteryTier::Bronze;
    let rows: &[Row] = &[
        (INVALID, "course_id", |r| r.course_id.clear()),
        ("UNKNOWN_COURSE", "course_id", |r| {
            r.course_id = "algebra-9".into();
        }),
        ("UNKNOWN_PACK_VERSION", "pack_hash", |r| {
            r.pack_hash = "00".repeat(32);
        }),
        (INVALID, "snapshot", |r| r.snapshot = None),
        (INVALID, "snapshot.course_id", |r| {
            r.snapshot.as_mut().unwrap().course_id = "other".into();
        }),
        (
            INVALID,
            "snapshot.evidence.unit_progress[1].mastery_tier",
            |r| {
                one(r).mastery_tier = 9;
            },
        ),
        (
            INVALID,
            "snapshot.evidence.unit_progress[1].last_touched_at",
            |r| {
                one(r).last_touched_at = Some(Timestamp {
                    seconds: i64::MAX,
                    nanos: 0,
                });
            },
        ),
        (INVALID, "snapshot.evidence.unit_progress[1].unit_id", |r| {
            one(r).unit_id = "GONE".into();
        }),
        (INVALID, "now", |r| r.now = None),
        (INVALID, "now", |r| {
            r.now = Some(Timestamp {
                seconds: 0,
                nanos: -1,
            });
        }),
        (INVALID, "event", |r| r.event = None),
        (INVALID, "drill_graded.unit_id", |r| {
            r.event = Some(drill("", true, ""));
        }),
        (INVALID, "drill_graded.unit_id", |r| {
            r.event = Some(drill("O NE", true, ""));
        }),
        ("UNKNOWN_UNIT", "drill_graded.unit_id", |r| {
            r.event = Some(drill("GONE", true, ""));
        }),
        (INVALID, "drill_graded.unit_id", |r| {
            r.event = Some(drill("START", true, ""));
        }),
        (INVALID, "exam_result.question_id", |r| {
            r.event = Some(exam("", "ONE", BRONZE, true));
        }),
        (INVALID, "exam_result.unit_id", |r| {
            r.event = Some(exam("ONE-B1", "", BRONZE, true));
        }),
        (INVALID, "exam_result.tier", |r| {
            r.event = Some(exam("ONE-B1", "ONE", MasteryTier::Unspecified, true));
        }),
        (INVALID, "exam_result.tier", |r| {
            r.event = Some(exam("ONE-B1", "ONE", MasteryTier::None, true));
        }),
        (INVALID, "exam_result.tier", |r| {
            let Event::ExamResult(mut result) = exam("ONE-B1", "ONE", BRONZE, true) else {
                panic!("no exam result");
            };
            result.tier = 9;
            r.event = Some(Event::ExamResult(result));
        }),
        (INVALID, "exam_result.tier", |r| {
            r.event = Some(exam("ONE-B1", "ONE", MasteryTier::Gold, true));
        }),
        ("UNKNOWN_UNIT", "exam_result.unit_id", |r| {
            r.event = Some(exam("GONE-B1", "GONE", BRONZE, true));
        }),
        ("UNKNOWN_QUESTION", "exam_result.question_id", |r| {
            r.event = Some(exam("ONE-B9", "ONE", BRONZE, true));
        }),
        (INVALID, "exam_result.unit_id", |r| {
            r.event = Some(exam("ONE-B1", "TWO", BRONZE, true));
        }),
        (INVALID, "exam_result.unit_id", |r| {
            r.event = Some(exam("ONE-B1", "START", BRONZE, true));
        }),
        (INVALID, "support_viewed.question_id", |r| {
            r.event = Some(support("", "ONE", BRONZE, true));
        }),
        (INVALID, "support_viewed.unit_id", |r| {
            r.event = Some(support("ONE-B1", "TWO", BRONZE, true));
        }),
        (INVALID, "support_viewed.tier", |r| {
            r.event = Some(support("ONE-B1", "ONE", MasteryTier::Silver, false));
        }),
        ("UNKNOWN_QUESTION", "support_viewed.question_id", |r| {
            r.event = Some(support("ONE-B9", "ONE", BRONZE, false));
        }),
        (INVALID, "prerequisite_marked.unit_id", |r| {
            r.event = Some(mark("", true));
        }),
        ("UNKNOWN_UNIT", "prerequisite_marked.unit_id", |r| {
            r.event = Some(mark("GONE", false));
        }),
    ];
    let service = service().await;
    for (reason, field, change) in rows {
        let mut asked = request(Some(seasoned()), drill("ONE", true, ""));
        change(&mut asked);
        let refused = ask(&service, asked).await.unwrap_err();
        assert_eq!(
            fault(refused),
            ((*reason).to_owned(), vec![(*field).to_owned()])
        );
    }
}

#[tokio::test]
async fn a_refusal_says_what_to_do() {
    let service = service().await;
    for (event, says) in [
        (drill("START", true, ""), "carries no evidence"),
        (
            exam("ONE-B1", "TWO", MasteryTier::Bronze, true),
            "that the question tests",
        ),
        (
            exam("ONE-B1", "ONE", MasteryTier::Gold, true),
            "the question's own: bronze",
        ),
        (
            exam("ONE-B9", "ONE", MasteryTier::Gold, true),
            "send the card's",
        ),
    ] {
        let refused = ask(&service, request(None, event)).await.unwrap_err();
        assert!(refused.message().contains(says), "{}", refused.message());
    }
}
