//! The loop of questions.

use turnwise_kit::time;
use turnwise_proto::session::v1::{PendingChange, pending_change::Step};
use turnwise_session_svc::pending::{Interactions, PendingError, step};

use super::{
    SETTINGS, THREAD, answer, at, cancel, clarification, correct, request, skip, start, take,
};

const VERSION: &str = "Version?";
const ERROR: &str = "Can you describe the error?";

fn go(state: &Interactions, change: Step) -> Interactions {
    take(state, change, at(0), "").unwrap().unwrap().after
}

fn begun() -> Interactions {
    go(&Interactions::default(), start("doc-1", &[VERSION, ERROR]))
}

#[test]
fn it_asks_one_question_after_another_and_ends_after_the_last_answer() {
    let state = begun();
    let open = clarification(&state).unwrap();
    assert_eq!((open.questions.len(), open.answers.len()), (2, 0));
    assert_eq!(open.original_query, "my program stops");
    assert_eq!(open.original_message_id, 1);
    assert_eq!(open.original_doc_content, "ask for the version");
    assert!(open.requires_handoff);
    assert_eq!(open.expire_time, Some(time::to_proto(at(3600))));

    let state = go(&state, answer("12"));
    let open = clarification(&state).unwrap();
    assert_eq!(open.answers.len(), 1);
    assert_eq!(open.answers[0].index, 0);
    assert_eq!(open.answers[0].question, VERSION);
    assert_eq!(open.answers[0].answer, "12");
    assert_eq!(open.expire_time, Some(time::to_proto(at(3600))));

    let state = go(&state, answer("it stops"));
    assert_eq!(state.pending, None);
    assert_eq!(state.clarified_documents, ["doc-1"]);
    assert_eq!(state.version, 3);
}

#[test]
fn the_version_stands_with_what_is_pending() {
    let state = begun();
    assert_eq!((state.version, state.pending.unwrap().version), (1, 1));
}

#[test]
fn skipping_counts_and_cancelling_does_not() {
    let state = go(&begun(), answer("12"));
    let skipped = go(&state, skip());
    assert_eq!((skipped.pending, skipped.version), (None, 3));
    assert_eq!(skipped.clarified_documents, ["doc-1"]);
    let cancelled = go(&state, cancel());
    assert_eq!((cancelled.pending, cancelled.version), (None, 3));
    assert!(cancelled.clarified_documents.is_empty());
}

#[test]
fn an_answer_is_corrected_with_all_that_follow() {
    let state = go(&begun(), answer("12"));
    let back = go(&state, correct(0));
    assert_eq!(clarification(&back).unwrap().answers, []);
    assert_eq!(back.version, 3);
    let again = go(&back, answer("13"));
    assert_eq!(clarification(&again).unwrap().answers[0].answer, "13");
    for wrong in [1, 2, -1] {
        let refused = take(&state, correct(wrong), at(0), "");
        assert!(matches!(refused, Err(PendingError::Invalid { .. })));
    }
    let idle = take(&Interactions::default(), correct(0), at(0), "");
    assert_eq!(idle, Err(PendingError::NothingPending));
}

#[test]
fn without_questions_or_a_second_time_it_does_not_begin() {
    let idle = Interactions::default();
    assert_eq!(take(&idle, start("doc-1", &[]), at(0), ""), Ok(None));
    let done = go(&begun(), skip());
    assert_eq!(take(&done, start("doc-1", &[VERSION]), at(0), ""), Ok(None));
    assert!(
        take(&done, start("doc-2", &[VERSION]), at(0), "")
            .unwrap()
            .is_some()
    );
    let again = go(&go(&begun(), cancel()), start("doc-1", &[VERSION]));
    assert!(clarification(&again).is_some());
}

#[test]
fn it_ends_with_its_time() {
    let state = begun();
    assert!(state.clone().at(at(3599)).pending.is_some());
    let over = state.clone().at(at(3600));
    assert_eq!((over.pending, over.version), (None, 1));
    for late in [answer("12"), skip(), cancel()] {
        assert!(take(&state, late.clone(), at(3599), "").is_ok());
        assert_eq!(
            take(&state, late, at(3600), ""),
            Err(PendingError::NothingPending)
        );
    }
    let next = take(&state, start("doc-1", &[ERROR]), at(3600), "")
        .unwrap()
        .unwrap()
        .after;
    assert_eq!(next.version, 2);
    assert_eq!(clarification(&next).unwrap().questions, [ERROR]);
}

#[test]
fn one_thing_at_a_time() {
    let state = begun();
    let asked = Step::RequestContext(request(&[("log", false)]));
    assert_eq!(
        take(&state, asked.clone(), at(0), "r1"),
        Err(PendingError::Busy)
    );
    let second = start("doc-2", &[VERSION]);
    assert_eq!(
        take(&state, second.clone(), at(0), ""),
        Err(PendingError::Busy)
    );
    let waiting = take(&Interactions::default(), asked, at(0), "r1")
        .unwrap()
        .unwrap()
        .after;
    assert_eq!(take(&waiting, second, at(0), ""), Err(PendingError::Busy));
    for wrong in [answer("12"), skip(), cancel()] {
        assert_eq!(
            take(&waiting, wrong.clone(), at(0), ""),
            Err(PendingError::NothingPending)
        );
        let idle = Interactions::default();
        assert_eq!(
            take(&idle, wrong, at(0), ""),
            Err(PendingError::NothingPending)
        );
    }
}

#[test]
fn fields_have_bounds() {
    let idle = Interactions::default();
    let fails = |change: &dyn Fn(&mut turnwise_proto::session::v1::StartClarification)| {
        let Step::StartClarification(mut given) = start("doc-1", &[VERSION]) else {
            unreachable!();
        };
        change(&mut given);
        match take(&idle, Step::StartClarification(given), at(0), "") {
            Ok(_) => None,
            Err(PendingError::Invalid { field, .. }) => field.strip_prefix("start_clarification."),
            Err(other) => panic!("{other}"),
        }
    };
    assert_eq!(fails(&|s| s.document_id.clear()), Some("document_id"));
    assert_eq!(
        fails(&|s| s.original_message_id = 0),
        Some("original_message_id")
    );
    assert_eq!(
        fails(&|s| s.original_doc_content = "x".repeat(16_384)),
        None
    );
    let long = "x".repeat(16_385);
    assert_eq!(
        fails(&|s| s.original_doc_content = long.clone()),
        Some("original_doc_content")
    );
    assert_eq!(fails(&|s| s.questions = vec![VERSION.into(); 20]), None);
    assert_eq!(
        fails(&|s| s.questions = vec![VERSION.into(); 21]),
        Some("questions")
    );
    assert_eq!(fails(&|s| s.questions[0] = "é".repeat(500)), None);
    assert_eq!(
        fails(&|s| s.questions[0] = "é".repeat(501)),
        Some("questions")
    );

    let state = begun();
    assert!(take(&state, answer(&"é".repeat(4000)), at(0), "").is_ok());
    let long = take(&state, answer(&"é".repeat(4001)), at(0), "");
    assert!(matches!(
        long,
        Err(PendingError::Invalid {
            field: "answer_clarification.answer",
            ..
        })
    ));
    let none = PendingChange { step: None };
    assert!(matches!(
        step(&idle, &none, at(0), SETTINGS, THREAD, ""),
        Err(PendingError::Invalid { .. })
    ));
}
