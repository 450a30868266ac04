//! Requests that are refused, each with its reason and field; and below, what is odd and still answered.

mod impossible;
mod plans;
mod records;
mod sizes;

use prost_types::Timestamp;
use turnwise_proto::{
    exam::v1::QuestionState,
    policy::v1::{
        ApplyEvidenceRequest, DecideRequest, DescribeStandingRequest, ExplainRequest,
        GetCourseRequest, ListCoursesRequest, Passage, Plan, PlanRequest, Policy,
        ResolveReplyRequest, resolve_reply_request::Outcome,
    },
    tutor::v1::{ClientEventKind, DegradedReason},
};

use crate::fixture::*;

const INVALID: &str = "INVALID_ARGUMENT";

type Row<T> = (&'static str, &'static str, fn(&mut T));

#[tokio::test]
async fn bad_decide_requests() {
    fn plan(request: &mut DecideRequest) -> &mut Plan {
        request.plan.as_mut().unwrap()
    }
    let rows: &[Row<DecideRequest>] = &[
        (INVALID, "plan", |r| r.plan = None),
        (INVALID, "turn_id", |r| r.turn_id = String::new()),
        (INVALID, "turn_id", |r| r.turn_id = "a b".into()),
        (INVALID, "turn_id", |r| r.turn_id = "a".repeat(129)),
        (INVALID, "plan.course_id", |r| plan(r).course_id.clear()),
        ("UNKNOWN_COURSE", "plan.course_id", |r| {
            plan(r).course_id = "algebra-9".into();
        }),
        (INVALID, "plan.pack_hash", |r| plan(r).pack_hash.clear()),
        ("UNKNOWN_PACK_VERSION", "plan.pack_hash", |r| {
            plan(r).pack_hash = "old".into();
        }),
        (INVALID, "plan.focus_unit_id", |r| {
            plan(r).focus_unit_id = "gone".into();
        }),
        (INVALID, "plan.primary_target_unit_id", |r| {
            plan(r).primary_target_unit_id.clear();
        }),
        (INVALID, "plan.prereq_blocking_unit_id", |r| {
            plan(r).prereq_blocking_unit_id = "TWO".into();
        }),
        (INVALID, "plan.scoped_unit_ids", |r| {
            plan(r).scoped_unit_ids.clear();
        }),
        (INVALID, "plan.desired_exam_tier", |r| {
            plan(r).desired_exam_tier = 0;
        }),
        (INVALID, "plan.standing", |r| plan(r).standing = None),
        (INVALID, "plan.standing.focus", |r| {
            plan(r).standing.as_mut().unwrap().focus = None;
        }),
        (INVALID, "plan.mapped_units[0].confidence", |r| {
            plan(r).mapped_units = vec![mapped("ONE", f64::NAN)];
        }),
        (INVALID, "plan.event.unit_id", |r| {
            plan(r).event = Some(event(ClientEventKind::RequestDrill, ""));
        }),
        (INVALID, "statuses[0].locked_until", |r| {
            r.statuses = vec![status("ONE-B1", QuestionState::Locked)];
            r.statuses[0].locked_until = Some(Timestamp {
                seconds: i64::MAX,
                nanos: 0,
            });
        }),
    ];
    let service = service().await;
    let plan = service.plan(plan_request(ready())).await.unwrap();
    for (reason, field, change) in rows {
        let mut request = decide_request(plan.clone());
        change(&mut request);
        let refused = service.decide(request).await.unwrap_err();
        assert_eq!(
            fault(refused),
            ((*reason).to_owned(), vec![(*field).to_owned()])
        );
    }
}

#[tokio::test]
async fn bad_resolve_requests() {
    fn policy(request: &mut ResolveReplyRequest) -> &mut Policy {
        request.policy.as_mut().unwrap()
    }
    let rows: &[Row<ResolveReplyRequest>] = &[
        (INVALID, "policy", |r| r.policy = None),
        (INVALID, "outcome", |r| r.outcome = None),
        (INVALID, "failure", |r| {
            r.outcome = Some(Outcome::Failure(0));
        }),
        (INVALID, "failure", |r| {
            r.outcome = Some(Outcome::Failure(99));
        }),
        (INVALID, "failure", |r| {
            r.outcome = Some(Outcome::Failure(
                DegradedReason::RetrievalUnavailable.into(),
            ));
        }),
        (INVALID, "no_model", |r| r.no_model = true),
        (INVALID, "policy.course_id", |r| policy(r).course_id.clear()),
        ("UNKNOWN_COURSE", "policy.course_id", |r| {
            policy(r).course_id = "algebra-9".into();
        }),
        (INVALID, "policy.pack_hash", |r| policy(r).pack_hash.clear()),
        ("UNKNOWN_PACK_VERSION", "policy.pack_hash", |r| {
            policy(r).pack_hash = "old".into();
        }),
        (INVALID, "policy.pack_hash", |r| {
            policy(r).pack_hash = "a".repeat(129);
        }),
        (INVALID, "policy.turn_id", |r| policy(r).turn_id.clear()),
        (INVALID, "policy.turn_id", |r| {
            policy(r).turn_id = "a\nb".into();
        }),
        (INVALID, "policy.turn_id", |r| {
            policy(r).turn_id = "a".repeat(129);
        }),
        (INVALID, "policy.exam_next_eligible_at", |r| {
            policy(r).exam_next_eligible_at = Some(Timestamp {
                seconds: i64::MAX,
                nanos: 0,
            });
        }),
        (INVALID, "policy.allowed_actions[3]", |r| {
            policy(r).allowed_actions.push(99);
        }),
        (INVALID, "policy.constraints", |r| {
            policy(r).constraints = None;
        }),
        (INVALID, "policy.constraints.max_concept_words", |r| {
            policy(r).constraints.as_mut().unwrap().max_concept_words = -1;
        }),
        (INVALID, "policy.allowed_actions[0]", |r| {
            policy(r).allowed_actions = vec![0];
        }),
        (INVALID, "policy.allowed_actions", |r| {
            policy(r).allowed_actions.clear();
        }),
        (INVALID, "policy.allowed_actions", |r| {
            policy(r).exam_ready = false;
        }),
        (INVALID, "policy.exam_candidate_ids", |r| {
            policy(r).exam_candidate_ids = vec!["ONE-S1".into()];
        }),
        (INVALID, "policy.focus_unit_id", |r| {
            policy(r).focus_unit_id = "gone".into();
        }),
        (INVALID, "policy.scoped_unit_ids", |r| {
            policy(r).scoped_unit_ids.push("gone".into());
        }),
        (INVALID, "said", |r| r.said = vec!["Well?".into(); 17]),
        (INVALID, "said", |r| r.said = vec!["x".repeat(8_001)]),
        (INVALID, "typed", |r| {
            r.typed.get_or_insert_default().text = "x".repeat(8_001);
        }),
        (INVALID, "passage.text", |r| {
            r.passage.get_or_insert_default().text = "x".repeat(20_001);
        }),
        (INVALID, "passage", |r| {
            r.more_passages = vec![Passage::default(); 17];
        }),
        (INVALID, "passage_elsewhere.section", |r| {
            r.passage_elsewhere.get_or_insert_default().section = "x".repeat(8_001);
        }),
        (INVALID, "question", |r| r.question = "x".repeat(8_001)),
    ];
    let service = service().await;
    let good = service.exam_policy().await;
    for (reason, field, change) in rows {
        let mut request = ResolveReplyRequest {
            policy: Some(good.clone()),
            outcome: Some(Outcome::Completion("{}".into())),
            ..ResolveReplyRequest::default()
        };
        change(&mut request);
        let refused = service.client.clone().resolve_reply(request).await;
        assert_eq!(
            fault(refused.unwrap_err()),
            ((*reason).to_owned(), vec![(*field).to_owned()])
        );
    }
}

#[tokio::test]
async fn bad_requests_for_standing() {
    let rows: &[Row<DescribeStandingRequest>] = &[
        (INVALID, "course_id", |r| r.course_id.clear()),
        ("UNKNOWN_COURSE", "course_id", |r| {
            r.course_id = "algebra-9".into();
        }),
        (INVALID, "snapshot", |r| r.snapshot = None),
        (INVALID, "now", |r| r.now = None),
    ];
    let service = service().await;
    for (reason, field, change) in rows {
        let mut request = DescribeStandingRequest {
            course_id: COURSE.to_owned(),
            snapshot: Some(ready()),
            statuses: Vec::new(),
            now: Some(NOW),
        };
        change(&mut request);
        let refused = service.client.clone().describe_standing(request).await;
        assert_eq!(
            fault(refused.unwrap_err()),
            ((*reason).to_owned(), vec![(*field).to_owned()])
        );
    }
}

#[tokio::test]
async fn bad_requests_for_courses() {
    let service = service().await;
    let mut client = service.client.clone();
    let long = "a".repeat(129);
    for (id, reason) in [
        ("", INVALID),
        ("a b", INVALID),
        (long.as_str(), INVALID),
        ("nope", "UNKNOWN_COURSE"),
    ] {
        let request = GetCourseRequest {
            course_id: id.to_owned(),
        };
        let refused = client.get_course(request).await.unwrap_err();
        assert_eq!(
            fault(refused),
            (reason.to_owned(), vec!["course_id".to_owned()])
        );
    }
    for (page_size, token, reason, field) in [
        (-1, "", INVALID, "page_size"),
        (101, "", INVALID, "page_size"),
        (0, "no token", "INVALID_PAGE_TOKEN", "page_token"),
    ] {
        let request = ListCoursesRequest {
            page_size,
            page_token: token.to_owned(),
        };
        let refused = client.list_courses(request).await.unwrap_err();
        assert_eq!(fault(refused), (reason.to_owned(), vec![field.to_owned()]));
    }
}

#[tokio::test]
async fn empty_requests() {
    let service = service().await;
    let mut client = service.client.clone();
    let mut found = Vec::new();
    found.push(client.get_course(GetCourseRequest::default()).await.err());
    found.push(client.plan(PlanRequest::default()).await.err());
    found.push(client.decide(DecideRequest::default()).await.err());
    found.push(client.explain(ExplainRequest::default()).await.err());
    let resolve = ResolveReplyRequest::default();
    found.push(client.resolve_reply(resolve).await.err());
    let standing = DescribeStandingRequest::default();
    found.push(client.describe_standing(standing).await.err());
    let evidence = ApplyEvidenceRequest::default();
    found.push(client.apply_evidence(evidence).await.err());
    let fields = [
        "course_id",
        "course_id",
        "plan",
        "decide",
        "policy",
        "course_id",
        "course_id",
    ];
    for (refused, field) in found.into_iter().zip(fields) {
        let refused = refused.unwrap();
        assert_eq!(refused.message(), format!("`{field}` is required"));
        assert_eq!(fault(refused), (INVALID.to_owned(), vec![field.to_owned()]));
    }
    let listed = client.list_courses(ListCoursesRequest::default()).await;
    assert_eq!(listed.unwrap().into_inner().courses.len(), 1);
}
