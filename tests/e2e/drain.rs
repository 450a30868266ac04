//! The end of a process: SIGTERM in the middle of calls loses none of them.

use std::time::Duration;

use tokio::{task::JoinHandle, time::Instant};
use tonic::{Code, Status};
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    llm::v1::{
        GetQueuesRequest, WatchQueuesRequest, llm_queue_service_client::LlmQueueServiceClient,
    },
    tutor::v1::{
        ClientEventKind, DegradedReason, DrillResult, GradeDrillRequest, StreamTurnResponse,
        StudentInput, TakeTurnRequest, TakeTurnResponse, stream_turn_response::News,
        tutor_card::Content,
    },
};
use turnwise_tests::{
    admin,
    answer::{check_model_answer, tutor},
    deployment::Deployment,
    eventually::eventually,
    options::{Kind, Options, Service},
    student::{DEMO_COURSE, Student, fresh_key, pressing, saying},
    token,
};

in_every_deployment!(a_running_turn_is_finished);
in_both_deployments!(a_model_slower_than_the_drain_costs_no_call);

async fn a_running_turn_is_finished(kind: Kind) {
    let options = Options::new()
        .model("mock:delay:8000")
        .env("ADMIN_LISTEN", "127.0.0.1:0");
    let mut suite = Deployment::start(kind, options).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;

    let mut health = HealthClient::new(suite.channel())
        .watch(HealthCheckRequest {
            service: "turnwise.tutor.v1.TutorService".to_owned(),
        })
        .await
        .unwrap()
        .into_inner();
    let status = health.message().await.unwrap().unwrap().status();
    assert_eq!(status, ServingStatus::Serving);

    let turn = {
        let (ada, turn) = (ada.clone(), saying(&thread, "what is -3 + 8?"));
        tokio::spawn(async move { ada.turn(turn).await })
    };
    // Once the policy has decided, the turn is with the model.
    let policy = suite.at(Service::Policy).admin.unwrap();
    eventually("the turn runs", Duration::from_secs(10), async || {
        let decided = admin::handled(
            policy,
            "/turnwise.policy.v1.PolicyService/PlanAndDecide",
            "OK",
        );
        (decided.await >= 1).then_some(())
    })
    .await;
    assert!(!turn.is_finished());

    let public = suite.public_service();
    suite.process(public).terminate();
    let status = health.message().await.unwrap().unwrap().status();
    assert_eq!(status, ServingStatus::NotServing);
    drop(health);

    let answer = turn.await.unwrap().unwrap();
    check_model_answer(&thread, &answer, &suite.decision(&answer.turn_id));
    let exit = suite.process(public).exit_status();
    assert!(exit.success(), "{exit}");

    // Nobody is there any more, and what was answered stays.
    let status = ada.thread(&thread.thread_id).await.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
    suite.restart(public);
    let messages = eventually("it answers again", Duration::from_secs(10), async || {
        ada.thread(&thread.thread_id).await.ok()?;
        Some(ada.messages(&thread.thread_id, 50).await)
    })
    .await;
    assert_eq!(messages, answer.messages);
    suite.stop();
}

/// How long the drain of these tests is, and what a machine with other things to do may take beyond it.
const BOUND: Duration = Duration::from_secs(3);
const SLACK: Duration = Duration::from_secs(5);
/// What callers allow for.
const PATIENT: Duration = Duration::from_secs(600);

/// A model that takes far longer than the drain, and works on fewer calls at once than the test makes.
fn slow() -> Options {
    Options::new()
        .model("mock:delay:40000")
        .env("HELPER_MAX_CONCURRENCY", "4")
        .env("HELPER_QUEUE_MAX_WAIT_SECONDS", "600")
        .env("DRAIN_TIMEOUT_SECONDS", BOUND.as_secs().to_string())
        .env("ADMIN_LISTEN", "127.0.0.1:0")
}

/// A student's turn, as it was asked for.
struct Asked {
    student: Student,
    turn: TakeTurnRequest,
    answer: JoinHandle<Result<TakeTurnResponse, Status>>,
}

/// Ten students, each with a turn of their own: half of them watch theirs.
async fn ten_turns(suite: &Deployment) -> Vec<Asked> {
    let mut all = Vec::new();
    for n in 0..10 {
        let student = suite.student(&format!("student-{n}"));
        let thread = student.open(DEMO_COURSE).await;
        let turn = saying(&thread, "what is -3 + 8?");
        let (asker, asked) = (student.clone(), turn.clone());
        let answer = tokio::spawn(async move {
            match n % 2 {
                0 => asker.turn_within(asked, PATIENT).await,
                _ => watched(&asker, asked).await,
            }
        });
        all.push(Asked {
            student,
            turn,
            answer,
        });
    }
    all
}

/// The answer at the end of a turn that is watched.
async fn watched(student: &Student, turn: TakeTurnRequest) -> Result<TakeTurnResponse, Status> {
    let mut news = student.stream_turn(turn).await?;
    while let Some(StreamTurnResponse { news: Some(news) }) = news.message().await? {
        if let News::Answer(answer) = news {
            return Ok(answer);
        }
    }
    panic!("the stream ended without an answer")
}

fn staff(suite: &Deployment) -> Student {
    let token = token::with_role(&suite.data_dir, "staff-1", Student::CLASS, "staff");
    Student::new("staff-1", &token, suite.channel())
}

/// Waits until this many calls are with the model or in the queue before it.
async fn with_the_model(suite: &Deployment, calls: usize) {
    let staff = staff(suite);
    eventually("all wait for the model", SLACK * 4, async || {
        let request = staff.request(GetQueuesRequest { max_waiting: 100 });
        let mut client = LlmQueueServiceClient::new(suite.channel());
        let queues = client
            .get_queues(request)
            .await
            .unwrap()
            .into_inner()
            .queues;
        let there = queues.iter().map(|queue| {
            let taken = queue.slots.iter().filter(|slot| slot.call.is_some());
            taken.count() + queue.waiting.len()
        });
        (there.sum::<usize>() == calls).then_some(())
    })
    .await;
}

/// A drill that the course sets, and a wrong answer to it: for the words, a model is asked.
async fn wrong_answer(suite: &Deployment) -> (Student, GradeDrillRequest) {
    let student = suite.student("grace");
    let thread = student.open(DEMO_COURSE).await;
    let turn = pressing(&thread, ClientEventKind::RequestDrill, "ALG-01");
    // The model has no time for it: the drill is the course's.
    let set = student.turn_within(turn, BOUND).await;
    let card = tutor(&set.unwrap()).card.clone().unwrap();
    let Some(Content::Drill(drill)) = card.content else {
        panic!("no drill")
    };
    let request = GradeDrillRequest {
        thread_id: thread.thread_id,
        course_id: DEMO_COURSE.to_owned(),
        unit_id: card.unit_id,
        drill: Some(drill),
        answer: Some(StudentInput {
            text: "777".to_owned(),
            ..StudentInput::default()
        }),
        idempotency_key: fresh_key(),
    };
    (student, request)
}

/// Ten turns, some of them queued, and a grade: each gets its fallback before the process ends, and the same one from the
/// next process.
async fn a_model_slower_than_the_drain_costs_no_call(kind: Kind) {
    let mut suite = Deployment::start(kind, slow()).await;
    let (grace, wrong) = wrong_answer(&suite).await;
    let turns = ten_turns(&suite).await;
    let grade = {
        let (grace, wrong) = (grace.clone(), wrong.clone());
        tokio::spawn(async move { grace.grade_drill(wrong).await })
    };
    with_the_model(&suite, 11).await;
    let staff = staff(&suite);
    let mut view = LlmQueueServiceClient::new(suite.channel())
        .watch_queues(staff.request(WatchQueuesRequest::default()))
        .await
        .unwrap()
        .into_inner();
    view.message().await.unwrap().unwrap();

    let public = suite.public_service();
    let told = Instant::now();
    suite.process(public).terminate();
    // Who watches is told at once to watch somewhere else.
    let ended = loop {
        match view.message().await {
            Ok(next) => assert!(next.is_some(), "a watch ends with a reason"),
            Err(status) => break status,
        }
    };
    let fault = Fault::from_status(&ended);
    assert_eq!(fault.reason(), ErrorReason::Draining, "{fault}");
    assert!(fault.retry_delay().is_some());
    assert!(told.elapsed() < BOUND, "{:?}", told.elapsed());

    let mut answered = Vec::new();
    for asked in turns {
        let answer = asked.answer.await.unwrap().unwrap();
        check_handed_over(&answer, DegradedReason::Deadline);
        answered.push((asked.student, asked.turn, answer));
    }
    let graded = grade.await.unwrap().unwrap();
    assert_eq!(graded.result(), DrillResult::Incorrect);
    assert!(graded.evidence_recorded);
    assert!(told.elapsed() < BOUND + SLACK, "{:?}", told.elapsed());
    let exit = suite.process(public).exit_status();
    assert!(exit.success(), "{exit}");

    suite.restart(public);
    stored(answered).await;
    assert_eq!(grace.grade_drill(wrong).await.unwrap(), graded);
    suite.stop();
}

/// A fallback that says why, and when a model may be found.
fn check_handed_over(answer: &TakeTurnResponse, reason: DegradedReason) {
    let why: Vec<_> = answer.degraded_reasons().collect();
    assert_eq!(why, [reason]);
    assert!(answer.retry_after.is_some());
    assert!(!tutor(answer).text.is_empty());
}

/// Every turn was stored as it was answered, once.
async fn stored(answered: Vec<(Student, TakeTurnRequest, TakeTurnResponse)>) {
    for (student, turn, answer) in answered {
        let again = eventually("it answers again", SLACK * 4, async || {
            student.turn(turn.clone()).await.ok()
        });
        assert_eq!(again.await, answer);
        let messages = student.messages(&turn.thread_id, 50).await;
        assert_eq!(messages, answer.messages);
    }
}

/// In a cluster the model gateway ends by itself: its calls have its drain, and then are handed back to turns that can
/// still answer.
#[tokio::test(flavor = "multi_thread")]
async fn a_model_gateway_that_ends_costs_no_turn() {
    let mut suite = Deployment::five_processes(slow()).await;
    let turns = ten_turns(&suite).await;
    with_the_model(&suite, 10).await;
    let told = Instant::now();
    suite.process(Service::Llm).terminate();
    let mut answered = Vec::new();
    for asked in turns {
        let answer = asked.answer.await.unwrap().unwrap();
        check_handed_over(&answer, DegradedReason::LlmTransport);
        answered.push((asked.student, asked.turn, answer));
    }
    // Not before its own bound, either: until then a model may have answered.
    assert!(told.elapsed() >= BOUND, "{:?}", told.elapsed());
    assert!(told.elapsed() < BOUND + SLACK, "{:?}", told.elapsed());
    stored(answered).await;
    suite.stop();
}
