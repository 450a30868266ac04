//! Drills and checks that are refused, each with its reason and field.

use super::*;

const INVALID: &str = "INVALID_ARGUMENT";

type Row<T> = (&'static str, &'static str, fn(&mut T));

#[tokio::test]
async fn bad_drills() {
    let rows: &[Row<CheckDrillRequest>] = &[
        (INVALID, "course_id", |r| r.course_id.clear()),
        ("UNKNOWN_COURSE", "course_id", |r| {
            r.course_id = "algebra-9".into();
        }),
        ("UNKNOWN_PACK_VERSION", "pack_hash", |r| {
            r.pack_hash = "00".repeat(32);
        }),
        (INVALID, "unit_id", |r| r.unit_id.clear()),
        (INVALID, "unit_id", |r| r.unit_id = "O NE".into()),
        ("UNKNOWN_UNIT", "unit_id", |r| r.unit_id = "GONE".into()),
        (INVALID, "unit_id", |r| r.unit_id = "START".into()),
        (INVALID, "prompt", |r| r.prompt.clear()),
        (INVALID, "prompt", |r| r.prompt = " \n".into()),
        (INVALID, "prompt", |r| r.prompt = "ü".repeat(2001)),
        (INVALID, "question_latex", |r| {
            r.question_latex = "ü".repeat(2001);
        }),
        (INVALID, "answer", |r| r.answer.clear()),
        (INVALID, "answer", |r| r.answer = "ü".repeat(4001)),
    ];
    let service = service().await;
    for (reason, field, change) in rows {
        let mut request = answer("5");
        change(&mut request);
        let refused = check(&service, request).await.unwrap_err();
        assert_eq!(
            fault(refused),
            ((*reason).to_owned(), vec![(*field).to_owned()])
        );
    }
    // Just within the bounds.
    let request = CheckDrillRequest {
        prompt: "ü".repeat(2000),
        question_latex: "ü".repeat(2000),
        ..answer(&"ü".repeat(4000))
    };
    let checked = check(&service, request).await.unwrap().check.unwrap();
    assert_eq!(checked.verdict(), DrillVerdict::CannotTell);
}

#[tokio::test]
async fn bad_checks() {
    let rows: &[Row<DrillCheck>] = &[
        (INVALID, "check.course_id", |c| c.course_id.clear()),
        ("UNKNOWN_COURSE", "check.course_id", |c| {
            c.course_id = "algebra-9".into();
        }),
        (INVALID, "check.pack_hash", |c| c.pack_hash.clear()),
        ("UNKNOWN_PACK_VERSION", "check.pack_hash", |c| {
            c.pack_hash = "00".repeat(32);
        }),
        (INVALID, "check.unit_id", |c| c.unit_id.clear()),
        ("UNKNOWN_UNIT", "check.unit_id", |c| {
            c.unit_id = "GONE".into();
        }),
        (INVALID, "check.unit_id", |c| c.unit_id = "START".into()),
        (INVALID, "check.verdict", |c| c.verdict = 0),
        (INVALID, "check.verdict", |c| c.verdict = 9),
        (INVALID, "check.task", |c| c.task.clear()),
        (INVALID, "check.reason", |c| c.reason.clear()),
        (INVALID, "check.grader", |c| c.grader.clear()),
        (INVALID, "check.counts_llm", |c| c.counts_llm = true),
    ];
    let service = service().await;
    let good = check(&service, answer("5")).await.unwrap().check.unwrap();
    for (reason, field, change) in rows {
        let mut check = good.clone();
        change(&mut check);
        let refused = resolve(&service, Some(check), None).await.unwrap_err();
        assert_eq!(
            fault(refused),
            ((*reason).to_owned(), vec![(*field).to_owned()])
        );
    }
    let refused = resolve(&service, None, None).await.unwrap_err();
    assert_eq!(
        fault(refused),
        (INVALID.to_owned(), vec!["check".to_owned()])
    );
    // What degrades a grade without being a reason for a fallback is none.
    for reason in [
        DegradedReason::Unspecified,
        DegradedReason::RetrievalUnavailable,
    ] {
        let outcome = Some(Outcome::Failure(reason.into()));
        let refused = resolve(&service, Some(good.clone()), outcome).await;
        let expected = (INVALID.to_owned(), vec!["failure".to_owned()]);
        assert_eq!(fault(refused.unwrap_err()), expected);
    }
}
