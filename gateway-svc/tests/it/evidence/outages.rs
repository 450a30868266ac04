//! Services that stall: an answer or an error comes before the student's deadline, and nothing counts twice.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{Barrier, Notify},
    time::Instant,
};
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    exam::v1::{BatchGetQuestionStatusRequest, BatchGetQuestionStatusResponse},
    llm::v1::{CompleteRequest, CompleteResponse},
    policy::v1::{
        ApplyEvidenceRequest, ApplyEvidenceResponse, CheckDrillRequest, CheckDrillResponse,
        FindPortQuestionsRequest, FindPortQuestionsResponse,
    },
    session::v1::{
        BeginEvidenceRequest, BeginEvidenceResponse, DrillCounters, GetClassRosterRequest,
        GetClassRosterResponse, RevisitEntry, UnitProgress,
    },
    tutor::v1::{DegradedReason, DrillResult, GradeDrillResponse, MasteryTier},
};

use super::{
    fake::stall,
    policy::{FIXED_WORDS, UNIT},
    session::Mishap,
    world::World,
};

/// What is left of a deadline when a call is answered, at the least.
const MARGIN: Duration = Duration::from_millis(250);
const DEADLINES: [Duration; 3] = [
    Duration::from_secs(1),
    Duration::from_secs(4),
    Duration::from_secs(75),
];

/// Grades a drill and says how long it took; it must be over before the deadline.
async fn graded(
    world: &World,
    answer: &str,
    within: Duration,
) -> Result<GradeDrillResponse, Fault> {
    let began = Instant::now();
    let key = format!("key-{}", within.as_millis());
    let graded = world.grade_within(world.drill(&key, answer), within).await;
    let took = began.elapsed();
    // Timers round up to a millisecond.
    let most = within - MARGIN + Duration::from_millis(5);
    assert!(took <= most, "{took:?} of {within:?}");
    graded
}

fn unavailable(fault: &Fault, service: &str) {
    assert_eq!(
        fault.reason(),
        ErrorReason::DependencyUnavailable,
        "{fault}"
    );
    assert_eq!(fault.metadata("service"), Some(service));
    assert!(fault.retry_delay().is_some());
}

/// A wrong answer is worded by a model, which takes longer than a right one: whoever leaves then has answered all the same.
#[tokio::test]
async fn a_caller_who_leaves_takes_no_wrong_answer_back() {
    let world = World::start().await;
    let asked = Arc::new(Notify::new());
    let model = Arc::clone(&asked);
    world.llm.on(
        "turnwise.llm.v1.LlmGatewayService/Complete",
        move |_: CompleteRequest| {
            model.notify_one();
            stall::<CompleteResponse>()
        },
    );
    let request = world.drill("key-1", "wrong");
    tokio::select! {
        answer = world.grade(request.clone()) => panic!("{answer:?}"),
        () = asked.notified() => {}
    }
    // What follows files ends with the process; the grade ends by itself.
    world.kit.shutdown.cancel();
    world.kit.tasks.close();
    world.kit.tasks.wait().await;
    assert_eq!(world.session.attempts(), 1);

    let answer = world.grade(request).await.unwrap();
    assert_eq!(answer.result(), DrillResult::Incorrect);
    assert_eq!(answer.feedback_text, FIXED_WORDS);
    assert!(answer.evidence_recorded);
    assert_eq!(world.session.attempts(), 1, "it counted once");
}

/// The end of the process is a deadline, too, however patient the caller is.
#[tokio::test(start_paused = true)]
async fn a_drain_leaves_the_verdict_of_the_rules() {
    const BOUND: Duration = Duration::from_secs(20);
    let world = World::start().await;
    let asked = Arc::new(Notify::new());
    let model = Arc::clone(&asked);
    world.llm.on(
        "turnwise.llm.v1.LlmGatewayService/Complete",
        move |_: CompleteRequest| {
            model.notify_one();
            stall::<CompleteResponse>()
        },
    );
    let began = Instant::now();
    let request = world.drill("key-1", "wrong");
    let (answer, ()) = tokio::join!(world.grade_within(request, BOUND * 30), async {
        asked.notified().await;
        world.kit.drain.begin(BOUND);
    });
    let answer = answer.unwrap();
    assert_eq!(answer.result(), DrillResult::Incorrect);
    assert!(answer.evidence_recorded);
    let why: Vec<_> = answer.degraded_reasons().collect();
    assert_eq!(why, [DegradedReason::Deadline]);
    let took = began.elapsed();
    assert!((BOUND / 2..BOUND).contains(&took), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_stalled_model_leaves_the_verdict_of_the_rules() {
    let world = World::start().await;
    world.llm.on(
        "turnwise.llm.v1.LlmGatewayService/Complete",
        |_: CompleteRequest| stall::<CompleteResponse>(),
    );
    for within in DEADLINES {
        let answer = graded(&world, "wrong", within).await.unwrap();
        assert_eq!(answer.result(), DrillResult::Incorrect);
        assert_eq!(answer.feedback_text, FIXED_WORDS);
        assert!(answer.evidence_recorded);
        // What is kept back of a second leaves a model no time.
        let why = if within <= Duration::from_secs(1) {
            DegradedReason::Deadline
        } else {
            DegradedReason::LlmTimeout
        };
        assert_eq!(answer.degraded_reasons().collect::<Vec<_>>(), [why]);
    }
    assert_eq!(world.session.attempts(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_stalled_store_is_an_error_in_time() {
    let world = World::start().await;
    world.session.fake.on(
        "turnwise.session.v1.SessionService/BeginEvidence",
        |_: BeginEvidenceRequest| stall::<BeginEvidenceResponse>(),
    );
    for within in DEADLINES {
        unavailable(
            &graded(&world, "right", within).await.unwrap_err(),
            "session-svc",
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_stalled_policy_is_an_error_in_time() {
    let world = World::start().await;
    world.policy.fake.on(
        "turnwise.policy.v1.PolicyService/ApplyEvidence",
        |_: ApplyEvidenceRequest| stall::<ApplyEvidenceResponse>(),
    );
    for within in DEADLINES {
        unavailable(
            &graded(&world, "right", within).await.unwrap_err(),
            "policy-svc",
        );
    }
    world.policy.fake.on(
        "turnwise.policy.v1.PolicyService/CheckDrill",
        |_: CheckDrillRequest| stall::<CheckDrillResponse>(),
    );
    for within in DEADLINES {
        unavailable(
            &graded(&world, "right", within).await.unwrap_err(),
            "policy-svc",
        );
    }
    assert_eq!(world.session.kept().commits, 0);
}

#[tokio::test(start_paused = true)]
async fn a_stalled_commit_is_sent_again_and_counts_once() {
    let world = World::start().await;
    world.session.next_commit(Mishap::Stalled);
    let answer = graded(&world, "right", Duration::from_secs(75))
        .await
        .unwrap();
    assert!(answer.evidence_recorded);
    assert_eq!(world.session.kept().commits, 2);
    assert_eq!(world.session.attempts(), 1);

    // With no time for a second one, the student's next try gets the answer.
    let world = World::start().await;
    world.session.next_commit(Mishap::Stalled);
    world.session.next_commit(Mishap::Stalled);
    let within = Duration::from_secs(3);
    let request = world.drill("key-1", "right");
    let began = Instant::now();
    let fault = world
        .grade_within(request.clone(), within)
        .await
        .unwrap_err();
    assert!(began.elapsed() <= within - MARGIN + Duration::from_millis(5));
    unavailable(&fault, "session-svc");
    assert!(world.grade(request).await.unwrap().evidence_recorded);
    assert_eq!(world.session.attempts(), 1);
}

/// The exam system is asked beside the grading: while it stalls, the grade goes on.
#[tokio::test(start_paused = true)]
async fn a_stalled_exam_system_costs_the_locks_alone() {
    let world = World::with_platform().await;
    {
        let mut kept = world.session.kept();
        kept.version = 1;
        kept.evidence.revisit_queue.push(RevisitEntry {
            question_id: "ALG-02-B7".to_owned(),
            unit_id: UNIT.to_owned(),
            tier: 2,
        });
    }
    world.platform.on(
        "turnwise.exam.v1.ExamService/BatchGetQuestionStatus",
        |_: BatchGetQuestionStatusRequest| stall::<BatchGetQuestionStatusResponse>(),
    );
    for within in DEADLINES {
        let began = Instant::now();
        let answer = graded(&world, "right", within).await.unwrap();
        assert!(began.elapsed() <= Duration::from_millis(2_005));
        assert!(answer.evidence_recorded);
        assert_eq!(
            answer.degraded_reasons().collect::<Vec<_>>(),
            [DegradedReason::ExamApiUnavailable]
        );
    }
}

/// Nobody comes back to a question at or below the badge: the exam system is not asked about it, and may be away.
#[tokio::test]
async fn the_exam_system_is_asked_of_questions_above_the_badge_alone() {
    for (tier, is_asked) in [
        (MasteryTier::Bronze, false),
        (MasteryTier::Silver, false),
        (MasteryTier::Gold, true),
    ] {
        let world = World::with_platform().await;
        {
            let mut kept = world.session.kept();
            kept.version = 1;
            kept.evidence.unit_progress.push(UnitProgress {
                unit_id: UNIT.to_owned(),
                mastery_tier: MasteryTier::Silver.into(),
                drill: Some(DrillCounters::default()),
                ..UnitProgress::default()
            });
            kept.evidence.revisit_queue.push(RevisitEntry {
                question_id: "ALG-02-B7".to_owned(),
                unit_id: UNIT.to_owned(),
                tier: tier.into(),
            });
        }
        let answer = world.grade(world.drill("key-1", "right")).await.unwrap();
        assert!(answer.evidence_recorded);
        assert_eq!(!answer.degraded_reasons.is_empty(), is_asked, "{tier:?}");
    }
}

/// Each answers only once both are asked.
#[tokio::test(start_paused = true)]
async fn a_platforms_questions_are_read_beside_the_roster() {
    let world = World::with_platform().await;
    let both = Arc::new(Barrier::new(2));
    let one = Arc::clone(&both);
    world.policy.fake.on(
        "turnwise.policy.v1.PolicyService/FindPortQuestions",
        move |_: FindPortQuestionsRequest| {
            let one = Arc::clone(&one);
            async move {
                one.wait().await;
                Ok(FindPortQuestionsResponse::default())
            }
        },
    );
    world.session.fake.on(
        "turnwise.session.v1.SessionAdminService/GetClassRoster",
        move |_: GetClassRosterRequest| {
            let both = Arc::clone(&both);
            async move {
                both.wait().await;
                Ok(GetClassRosterResponse::default())
            }
        },
    );
    let answer = graded(&world, "right", Duration::from_secs(4)).await;
    assert!(answer.unwrap().evidence_recorded);
}
