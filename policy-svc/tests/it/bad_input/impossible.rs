//! Plans and policies that could not have been made, each check of them.

use turnwise_proto::{
    policy::v1::{
        DecideRequest, Plan, Policy, ResolveReplyRequest, resolve_reply_request::Outcome,
    },
    tutor::v1::{ExamAvailability, MasteryTier, TutorAction},
};

use crate::fixture::*;

type Row<T> = (&'static str, &'static str, fn(&mut T));

/// The checks that a plan and a policy share: the field, what it must be, and a change that breaks it.
macro_rules! shared_rows {
    () => {
        [
            ("focus_unit_id", "must be a unit of the course", |it| {
                it.focus_unit_id = "GONE".into();
            }),
            ("focus_unit_id", "must be a unit of the course", |it| {
                it.focus_unit_id.clear();
            }),
            (
                "primary_target_unit_id",
                "must be a unit of the course",
                |it| {
                    it.primary_target_unit_id = "GONE".into();
                },
            ),
            (
                "prereq_blocking_unit_id",
                "must be the focus, or empty",
                |it| {
                    it.prereq_blocking_unit_id = "START".into();
                },
            ),
            ("scoped_unit_ids", "must not name a unit twice", |it| {
                it.scoped_unit_ids.push("ONE".into());
            }),
            ("scoped_unit_ids", "must hold at most 6 units", |it| {
                it.scoped_unit_ids.extend((0..5).map(|n| format!("U{n}")));
            }),
            ("scoped_unit_ids", "must be units of the course", |it| {
                it.scoped_unit_ids.push("GONE".into());
            }),
            (
                "scoped_unit_ids",
                "must hold the focus and the target",
                |it| {
                    it.scoped_unit_ids = vec!["START".into()];
                },
            ),
            (
                "scoped_unit_ids",
                "must hold the focus and the target",
                |it| {
                    it.primary_target_unit_id = "TWO".into();
                },
            ),
            (
                "scoped_unit_ids",
                "must hold the focus and the target",
                |it| {
                    it.scoped_unit_ids.clear();
                },
            ),
            (
                "desired_exam_tier",
                "must be bronze, silver or gold",
                |it| {
                    it.desired_exam_tier = MasteryTier::None.into();
                },
            ),
            (
                "desired_exam_tier",
                "must be bronze, silver or gold",
                |it| {
                    it.desired_exam_tier = MasteryTier::Unspecified.into();
                },
            ),
            (
                "desired_exam_tier",
                "must be bronze, silver or gold",
                |it| {
                    it.desired_exam_tier = 99;
                },
            ),
        ]
    };
}

#[tokio::test]
async fn an_impossible_plan_is_refused_by_its_field() {
    let rows: &[Row<Plan>] = &shared_rows!();
    let service = service().await;
    let good = service.plan(plan_request(ready())).await.unwrap();
    for (field, problem, change) in rows {
        let mut plan = good.clone();
        change(&mut plan);
        let refused = service.decide(decide_request(plan)).await.unwrap_err();
        assert_eq!(refused.message(), format!("`plan.{field}` {problem}"));
        assert_eq!(
            fault(refused),
            ("INVALID_ARGUMENT".to_owned(), vec![format!("plan.{field}")])
        );
    }
}

#[tokio::test]
async fn an_impossible_policy_is_refused_by_its_field() {
    let own: &[Row<Policy>] = &[
        (
            "allowed_actions",
            "must hold a question, a drill or an exam question",
            |p| p.allowed_actions.clear(),
        ),
        (
            "allowed_actions",
            "must hold a question, a drill or an exam question",
            |p| {
                p.stuck = true;
                p.allowed_actions = vec![TutorAction::ConceptCard.into()];
            },
        ),
        (
            "allowed_actions",
            "must not hold a drill on the entry unit",
            |p| {
                p.focus_unit_id = "START".into();
                p.allowed_actions = vec![TutorAction::DrillCard.into()];
            },
        ),
        (
            "allowed_actions",
            "must not hold a concept card for a student who is not stuck",
            |p| p.allowed_actions.push(TutorAction::ConceptCard.into()),
        ),
        (
            "allowed_actions",
            "must not hold an exam question unless the student is ready and one is available",
            |p| p.exam_ready = false,
        ),
        (
            "allowed_actions",
            "must not hold an exam question unless the student is ready and one is available",
            |p| p.exam_availability = ExamAvailability::Locked.into(),
        ),
        (
            "allowed_actions",
            "must not hold an exam question unless the student is ready and one is available",
            |p| p.exam_availability = 99,
        ),
        (
            "allowed_actions",
            "must not hold an exam question unless the student is ready and one is available",
            |p| p.exam_candidate_ids.clear(),
        ),
        (
            "exam_candidate_ids",
            "must be exam questions of the focus at the desired tier",
            |p| p.exam_candidate_ids.push("GONE".into()),
        ),
        (
            "exam_candidate_ids",
            "must be exam questions of the focus at the desired tier",
            |p| p.exam_candidate_ids.push("TWO-B1".into()),
        ),
        (
            "exam_candidate_ids",
            "must be exam questions of the focus at the desired tier",
            |p| p.exam_candidate_ids.push("ONE-S1".into()),
        ),
    ];
    let shared: &[Row<Policy>] = &shared_rows!();
    let service = service().await;
    let good = service.exam_policy().await;
    for (field, problem, change) in own.iter().chain(shared) {
        let mut policy = good.clone();
        change(&mut policy);
        let request = ResolveReplyRequest {
            policy: Some(policy),
            outcome: Some(Outcome::Completion("{}".into())),
            ..ResolveReplyRequest::default()
        };
        let refused = service.client.clone().resolve_reply(request).await;
        let refused = refused.unwrap_err();
        assert_eq!(refused.message(), format!("`policy.{field}` {problem}"));
        assert_eq!(
            fault(refused),
            (
                "INVALID_ARGUMENT".to_owned(),
                vec![format!("policy.{field}")]
            )
        );
    }
}

/// What the decision copies from a plan is left as it is: it can only be wrong for whoever made the plan up.
#[tokio::test]
async fn parts_of_a_plan_that_decide_nothing_are_not_checked() {
    let service = service().await;
    let good = service.plan(plan_request(ready())).await.unwrap();
    let expected = service.decide(decide_request(good.clone())).await.unwrap();
    let mut odd = good;
    odd.candidates.iter_mut().for_each(|unit| {
        unit.score = f64::NAN;
        unit.intent = f64::INFINITY;
    });
    odd.mapped_units.clear();
    let request = DecideRequest {
        candidate_question_ids: vec![
            "GONE".to_owned(),
            "ONE-B2".to_owned(),
            String::new(),
            "ONE-B2".to_owned(),
            "ONE-B1".to_owned(),
        ],
        ..decide_request(odd)
    };
    assert_eq!(service.decide(request).await.unwrap(), expected);
}
