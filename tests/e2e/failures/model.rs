//! The model fails: the student gets a fallback inside what is allowed, with the reason, and evidence is untouched.

use std::time::Duration;

use turnwise_kit::CallContext;
use turnwise_proto::{
    llm::v1::{GetQueuesRequest, llm_queue_service_client::LlmQueueServiceClient},
    tutor::v1::{ClientEventKind, DegradedReason as Why, DrillResult, tutor_card::Content},
};
use turnwise_testing::model_server::{Fault, Mix, ServiceTime, Settings};
use turnwise_tests::{
    answer::{check_fallback, tutor},
    deployment::Deployment,
    eventually::eventually,
    model_server::ModelServerProcess,
    options::{Options, Service},
    student::{DEMO_COURSE, Student, fresh_key, pressing},
};

use super::{
    BACK, OPEN, PATIENT,
    calls::{drill, grade, turn},
    counted, options, record,
};

/// A valid reply to a turn about [`OPEN`].
const REPLY: &str = r#"{"action":"SOCRATIC_QUESTION","target_unit_id":"ALG-01","tutor_text":"What could you do first?","mapped_units":[],"turn_analysis":{"student_intent":"solve","understanding_signal":"uncertain","suggested_prereq_units":[]}}"#;

fn well() -> Settings {
    Settings {
        text: REPLY.to_owned(),
        ..Settings::default()
    }
}

fn failing(fault: Fault) -> Settings {
    Settings {
        mix: Some(Mix {
            share: 1.0,
            faults: vec![fault],
        }),
        ..well()
    }
}

/// Five processes in front of a model server.
async fn with_model(home: &std::path::Path, options: Options) -> (Deployment, ModelServerProcess) {
    let model = ModelServerProcess::start(&well(), home);
    let options = options
        .env("HELPER_LLM_BACKEND", "openai_compatible")
        .env("OPENAI_BASE_URL", model.url())
        .env("OPENAI_MODEL", "model")
        .env("HELPER_BACKOFF_SECONDS", "0.05");
    (Deployment::five_processes(options).await, model)
}

/// Takes a turn, which must fall back for one of these reasons; and has a wrong answer to a drill graded, which counts.
async fn falls_back(suite: &Deployment, student: &Student, within: Duration, reasons: &[Why]) {
    let before = record(suite, student).await;
    let thread = student.open(DEMO_COURSE).await;
    let asked = pressing(&thread, ClientEventKind::DrillContinue, OPEN);
    let answer = turn(suite, student, &asked, within).await.unwrap();
    let reason = answer.degraded_reasons().next().expect("a reason");
    println!("  {reason:?}");
    assert!(reasons.contains(&reason), "{reason:?}");
    check_fallback(&thread, &answer, &suite.decision(&answer.turn_id), reason);
    assert_eq!(
        student.messages(&thread.thread_id, 50).await,
        answer.messages
    );
    assert_eq!(record(suite, student).await, before);

    // Another student each time: without a model the unit has few drills, and each counts once.
    let student = &suite.student(&fresh_key());
    let count = counted(suite, student, OPEN).await;
    let thread = student.open(DEMO_COURSE).await;
    let grading = drill(student, &thread, false).await;
    let graded = grade(suite, student, &grading, within).await.unwrap();
    // Mathematics can tell.
    assert_eq!(graded.result(), DrillResult::Incorrect);
    assert!(graded.evidence_recorded && !graded.feedback_text.is_empty());
    assert_eq!(
        counted(suite, student, OPEN).await,
        (count.0 + 1, count.1 + 1)
    );
}

/// Takes turns until the model answers one.
async fn until_answered(suite: &Deployment, student: &Student) {
    let thread = student.open(DEMO_COURSE).await;
    eventually("the model answers", BACK, async || {
        let asked = pressing(&thread, ClientEventKind::DrillContinue, OPEN);
        let answer = turn(suite, student, &asked, PATIENT).await.unwrap();
        (answer.degraded_reasons().count() == 0).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn silent_broken_or_talking_nonsense() {
    let home = tempfile::tempdir().unwrap();
    let options = options().env("HELPER_CIRCUIT_BREAKER_FAILURES", "1000");
    let (mut suite, mut model) = with_model(home.path(), options).await;
    let ada = suite.student("ada");
    until_answered(&suite, &ada).await;
    let [three, five, eight] = [3, 5, 8].map(Duration::from_secs);
    let nonsense = Settings {
        text: "Take 7 from both sides.".to_owned(),
        ..Settings::default()
    };
    for (settings, within, reasons) in [
        (
            failing(Fault::Stall),
            three,
            &[Why::LlmTimeout, Why::Deadline][..],
        ),
        (failing(Fault::Stall), five, &[Why::LlmTimeout]),
        (failing(Fault::Stall), eight, &[Why::LlmTimeout]),
        (failing(Fault::StallMidway), five, &[Why::LlmTimeout]),
        (failing(Fault::Reset), five, &[Why::LlmTransport]),
        (
            failing(Fault::ResetMidway),
            five,
            &[Why::LlmTransport, Why::LlmError],
        ),
        (
            failing(Fault::EarlyClose),
            five,
            &[Why::LlmTransport, Why::LlmError],
        ),
        (failing(Fault::Malformed), five, &[Why::LlmError]),
        (failing(Fault::InternalError), five, &[Why::LlmError]),
        (
            failing(Fault::TooManyRequests(None)),
            five,
            &[Why::LlmError, Why::QueueBusy],
        ),
        (
            failing(Fault::Large),
            five,
            &[Why::LlmNonJson, Why::LlmError],
        ),
        (nonsense, five, &[Why::LlmNonJson]),
    ] {
        println!("the model: {:?}", settings.mix);
        model.set(&settings).await;
        falls_back(&suite, &ada, within, reasons).await;
        model.set(&well()).await;
        until_answered(&suite, &ada).await;
    }
    println!("the model is Stalled");
    model.process().pause();
    falls_back(&suite, &ada, five, &[Why::LlmTimeout]).await;
    model.process().go_on();
    until_answered(&suite, &ada).await;
    println!("the model is Killed");
    model.process().kill();
    falls_back(&suite, &ada, five, &[Why::LlmTransport]).await;
    suite.stop();
}

/// A server that is taken for llama.cpp's and knows no grammar says what it likes; what the student reads teaches.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_grammars_answers_in_prose() {
    const IDEA: &str = "Every integer is a place on the number line.";
    let home = tempfile::tempdir().unwrap();
    let options = options().env("OPENAI_COMPATIBLE_SERVER", "llama_cpp");
    let (mut suite, model) = with_model(home.path(), options).await;
    let prose = Settings {
        text: "Well: a minus and a minus make a plus.".to_owned(),
        ..Settings::default()
    };
    model.set(&prose).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let answer = ada.press(&thread, ClientEventKind::StuckHint, OPEN).await;
    let decision = suite.decision(&answer.turn_id);
    check_fallback(&thread, &answer, &decision, Why::LlmNonJson);
    assert!(
        model.statistics().await.completions.begun > 0,
        "it was asked"
    );
    let message = tutor(&answer);
    let card = message.card.as_ref().and_then(|card| card.content.as_ref());
    let ideas = match card {
        Some(Content::Concept(concept)) => concept.key_ideas.concat(),
        _ => String::new(),
    };
    let said = format!("{} {ideas}", message.text);
    assert!(said.contains(IDEA), "{said}");
    assert!(!said.contains("make a plus"), "{said}");
    suite.nothing_panicked();
    suite.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn left_alone_for_a_while_or_busy_with_others() {
    let home = tempfile::tempdir().unwrap();
    let options = options()
        .env("HELPER_CIRCUIT_BREAKER_FAILURES", "2")
        .env("HELPER_CIRCUIT_BREAKER_TTL_SECONDS", "3")
        .env("HELPER_MAX_CONCURRENCY", "1")
        .env("QUEUE_MAX_ENTRIES", "1")
        .env("HELPER_QUEUE_MAX_WAIT_SECONDS", "100");
    let (mut suite, model) = with_model(home.path(), options).await;
    let ada = suite.student("ada");
    until_answered(&suite, &ada).await;
    println!("the model's breaker is open");
    model.set(&failing(Fault::InternalError)).await;
    eventually("the breaker opens", BACK, async || {
        let thread = ada.open(DEMO_COURSE).await;
        let asked = pressing(&thread, ClientEventKind::DrillContinue, OPEN);
        let answer = turn(&suite, &ada, &asked, PATIENT).await.unwrap();
        let open = answer
            .degraded_reasons()
            .any(|reason| reason == Why::CircuitOpen);
        open.then(|| assert!(answer.retry_after.is_some()))
    })
    .await;
    falls_back(&suite, &ada, PATIENT, &[Why::CircuitOpen, Why::LlmError]).await;
    model.set(&well()).await;
    until_answered(&suite, &ada).await;

    println!("the model's queue is full");
    model
        .set(&Settings {
            service_time: ServiceTime::constant(Duration::from_secs(600)),
            ..well()
        })
        .await;
    let works = |id: &str| {
        let student = suite.student(id);
        tokio::spawn(async move {
            let thread = student.open(DEMO_COURSE).await;
            let asked = pressing(&thread, ClientEventKind::DrillContinue, OPEN);
            student.turn_within(asked, PATIENT * 6).await
        })
    };
    let first = works("bo");
    eventually("the model works", BACK, async || {
        let seen = model.statistics().await.completions;
        (seen.in_flight == 1).then_some(())
    })
    .await;
    let second = works("cy");
    eventually("the queue is full", BACK, async || {
        let context = CallContext::background(None, PATIENT);
        let request = context.request(GetQueuesRequest::default());
        let mut client = LlmQueueServiceClient::new(suite.internal(Service::Llm));
        let queues = client
            .get_queues(request)
            .await
            .unwrap()
            .into_inner()
            .queues;
        queues
            .iter()
            .any(|queue| queue.waiting_total == 1)
            .then_some(())
    })
    .await;
    falls_back(&suite, &ada, Duration::from_secs(5), &[Why::QueueBusy]).await;
    first.abort();
    second.abort();
    model.set(&well()).await;
    until_answered(&suite, &ada).await;
    suite.stop();
}
