//! A day's worth of trouble with a model server in minutes: every way in which it fails, mixed over many requests of
//! which some are given up, and nothing of it stays in llm-gateway-svc.
//!
//! `MODEL_CHAOS_REQUESTS` says how many requests are made, `MODEL_CHAOS_SEED` repeats the choices of a run.

use std::{
    collections::BTreeMap,
    fs,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    task::JoinSet,
    time::{sleep, timeout},
};
use tonic::Status;
use tonic_types::StatusExt;
use turnwise_kit::{CallContext, Fault as Failure, client::GrpcClient};
use turnwise_proto::{
    common::v1::ErrorReason,
    llm::v1::{
        EmbedRequest, GetQueuesRequest, Purpose, Queue,
        llm_gateway_service_client::LlmGatewayServiceClient,
        llm_queue_service_client::LlmQueueServiceClient,
    },
};
use turnwise_testing::{
    choices::Choices,
    model_server::{Fault, Mix, ServiceTime, Settings},
};
use turnwise_tests::{
    eventually::eventually,
    help_request::HelpRequest,
    model_gateway::{ModelGateway, student_call},
    model_server::ModelServerProcess,
    procfs::resident_mb,
};

/// Requests of somebody who names no number.
const REQUESTS: usize = 5_000;
/// Callers with one request under way each.
const WORKERS: usize = 64;
/// The model's slots; more callers than slots, so that there is a queue.
const SLOTS: usize = 16;
/// The slots of embeddings.
const EMBED_SLOTS: usize = 4;
/// Requests until the process has the size that it keeps.
const SETTLED: usize = 1_000;
/// How much it may grow after that, MB.
const GROWTH_MB: f64 = 48.0;
/// How many descriptors it may have more at the end than after the start: connections that wait to be used again.
const DESCRIPTORS: usize = SLOTS + EMBED_SLOTS + 32;
/// No request takes longer than its deadline and this.
const SLACK: Duration = Duration::from_secs(15);
/// The longest deadline of a request.
const DEADLINE: Duration = Duration::from_secs(20);
/// Until all is as before.
const QUIET_BOUND: Duration = Duration::from_secs(20);

/// Every way to fail.
const FAULTS: [Fault; 15] = [
    Fault::Reset,
    Fault::ResetMidway,
    Fault::Stall,
    Fault::StallMidway,
    Fault::Trickle,
    Fault::Malformed,
    Fault::TooManyRequests(None),
    Fault::TooManyRequests(Some(0)),
    Fault::TooManyRequests(Some(1)),
    Fault::InternalError,
    Fault::EarlyClose,
    Fault::Large,
    Fault::EmbeddingsMissing,
    Fault::EmbeddingsUneven,
    Fault::EmbeddingsNull,
];

/// How a request may end, beside with an answer.
const REASONS: [ErrorReason; 9] = [
    ErrorReason::Busy,
    ErrorReason::QueueFull,
    ErrorReason::Superseded,
    ErrorReason::RateLimited,
    ErrorReason::CircuitOpen,
    ErrorReason::BackendUnavailable,
    ErrorReason::BackendError,
    ErrorReason::DeadlineExceeded,
    ErrorReason::BudgetExhausted,
];

fn number(name: &str) -> Option<usize> {
    let text = std::env::var(name).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{name} must be a number")),
    )
}

/// How requests ended, by reason.
type Ends = BTreeMap<&'static str, usize>;

#[tokio::test(flavor = "multi_thread")]
async fn nothing_stays_of_requests_to_a_model_that_fails_in_every_way() {
    let requests = number("MODEL_CHAOS_REQUESTS").unwrap_or(REQUESTS);
    let random = || (uuid::Uuid::new_v4().as_u64_pair().0 >> 32) as usize;
    let seed = number("MODEL_CHAOS_SEED").unwrap_or_else(random) as u64;
    println!("MODEL_CHAOS_SEED={seed}");
    let home = tempfile::tempdir().unwrap();
    let usual = Settings {
        service_time: ServiceTime::Exponential { mean_ms: 4.0 },
        trickle_ms: 1,
        seed,
        ..Settings::default()
    };
    let model = ModelServerProcess::start(&usual, home.path());
    let settings = [
        ("HELPER_MAX_CONCURRENCY", SLOTS.to_string()),
        ("EMBED_MAX_CONCURRENCY", EMBED_SLOTS.to_string()),
        // Whoever is silent for a second is given up: the shortest that can be set.
        ("OPENAI_TIMEOUT_SECONDS", "1".to_owned()),
        ("HELPER_BACKOFF_SECONDS", "0.01".to_owned()),
        ("LLM_RETRY_AFTER_MAX_SECONDS", "1".to_owned()),
        // It opens, and soon tries again.
        ("HELPER_CIRCUIT_BREAKER_FAILURES", "3".to_owned()),
        ("HELPER_CIRCUIT_BREAKER_TTL_SECONDS", "1".to_owned()),
        ("QUEUE_EXPECTED_CALL_SECONDS", "0.05".to_owned()),
    ];
    let mut gateway = ModelGateway::start(&model.url(), &settings);
    let client = gateway.client();
    everything_answers(&client).await;
    let descriptors = descriptors(gateway.process.id());

    model
        .set(&Settings {
            mix: Some(Mix {
                share: 0.4,
                faults: FAULTS.into(),
            }),
            ..usual.clone()
        })
        .await;
    let mut ends = run(&gateway, SETTLED.min(requests), seed).await;
    let settled = resident_mb(gateway.process.id());
    for (end, count) in run(&gateway, requests.saturating_sub(SETTLED), seed + 1).await {
        *ends.entry(end).or_default() += count;
    }
    let resident = resident_mb(gateway.process.id());
    let seen = model.statistics().await;
    println!("{ends:?}\n{settled:.1} MB, then {resident:.1} MB");
    println!(
        "{} calls, at once {}; {:?}",
        seen.completions.begun, seen.completions.max_in_flight, seen.faults
    );
    assert_eq!(ends.values().sum::<usize>(), requests);
    // All that can go wrong did, and most went well.
    assert!(ends["answered"] > requests / 3, "{ends:?}");
    assert_eq!(seen.faults.len(), FAULTS.len());
    // What is given up is over here a moment before the model server sees it, so a slot can seem to be used twice.
    assert!(seen.completions.max_in_flight <= 2 * SLOTS);
    assert!(seen.embeddings.max_in_flight <= 2 * EMBED_SLOTS);

    // No slot is taken, nobody waits, no call runs on.
    model.set(&usual).await;
    eventually("the queues are empty", QUIET_BOUND, async || {
        let queues = queues(&client).await;
        let empty = queues.iter().all(|queue| {
            queue.waiting_total == 0 && queue.slots.iter().all(|slot| slot.call.is_none())
        });
        (empty && !queues.is_empty()).then_some(())
    })
    .await;
    eventually("the model is idle", QUIET_BOUND, async || {
        let seen = model.statistics().await;
        (seen.completions.in_flight + seen.embeddings.in_flight == 0).then_some(())
    })
    .await;
    // Every slot still works, at once.
    eventually("the breakers are closed", QUIET_BOUND, async || {
        let answer = help_request(0, 0).send(&client).await;
        let embedded = embed(&client, 0).await;
        (answer.result.is_ok() && embedded.is_ok()).then_some(())
    })
    .await;
    model.reset_statistics().await;
    let at_once = Settings {
        service_time: ServiceTime::constant(Duration::from_millis(300)),
        ..usual
    };
    model.set(&at_once).await;
    everything_answers(&client).await;
    let seen = model.statistics().await;
    assert_eq!(seen.completions.max_in_flight, SLOTS);
    assert_eq!(seen.embeddings.max_in_flight, EMBED_SLOTS);

    // Nothing has piled up.
    assert!(
        resident <= settled + GROWTH_MB,
        "it grew from {settled:.1} to {resident:.1} MB"
    );
    let now = self::descriptors(gateway.process.id());
    assert!(
        now <= descriptors + DESCRIPTORS,
        "{descriptors} descriptors, and now {now}"
    );
    gateway.process.stop();
    let panics = gateway.process.log().all();
    assert!(
        !panics.iter().any(|line| line.contains("panicked")),
        "{panics:?}"
    );
}

/// Makes so many requests, with all workers.
async fn run(gateway: &ModelGateway, requests: usize, seed: u64) -> Ends {
    let next = Arc::new(AtomicUsize::new(0));
    let mut workers = JoinSet::new();
    for worker in 0..WORKERS.min(requests) {
        let client = gateway.client();
        let next = Arc::clone(&next);
        workers.spawn(async move {
            let mut choices =
                Choices::new(seed.wrapping_mul(1_000_003).wrapping_add(worker as u64));
            let mut ends = Ends::new();
            while next.fetch_add(1, Ordering::Relaxed) < requests {
                let end = request(&client, worker, &mut choices).await;
                *ends.entry(end).or_default() += 1;
            }
            ends
        });
    }
    let mut all = Ends::new();
    while let Some(ends) = workers.join_next().await {
        for (end, count) in ends.unwrap() {
            *all.entry(end).or_default() += count;
        }
    }
    all
}

/// One request: a stream, a whole completion or an embedding; some are given up in the middle. It ends, and says how.
async fn request(client: &GrpcClient, worker: usize, choices: &mut Choices) -> &'static str {
    let kind = choices.below(10);
    // Students share a few threads, so that now and then a request takes over another one's place.
    let request = help_request(worker / 2, choices.below(6));
    let call = async {
        match kind {
            0 => embed(client, worker).await,
            1..=4 => {
                let context = student_call(&request.student, &request.class, request.timeout);
                let request = context.request(request.request());
                let answer = LlmGatewayServiceClient::new(client.clone())
                    .complete(request)
                    .await?;
                let answer = answer.into_inner();
                assert!(!answer.text.is_empty() && answer.end.is_some());
                Ok(())
            }
            _ => request.send(client).await.result.map(|_| ()),
        }
    };
    let given_up = choices.below(12) == 0;
    let patience = match given_up {
        true => Duration::from_millis(choices.below(40) as u64),
        false => DEADLINE + SLACK,
    };
    let ended = timeout(patience, call).await;
    let status = match ended {
        Err(_) if given_up => return "given up",
        Err(_) => panic!("a request has not ended after {patience:?}"),
        Ok(Ok(())) => return "answered",
        Ok(Err(status)) => status,
    };
    let reason = reason(&status);
    if reason == ErrorReason::CircuitOpen {
        // Otherwise most requests would come while the model is left alone.
        let delay = Failure::from_status(&status).retry_delay();
        sleep(delay.expect("it is said when the model is tried again")).await;
    }
    reason.wire_name()
}

/// The reason, which every failure has.
fn reason(status: &Status) -> ErrorReason {
    let details = status.get_error_details();
    assert!(details.error_info().is_some(), "no reason in {status:?}");
    let reason = Failure::from_status(status).reason();
    assert!(REASONS.contains(&reason), "{status:?}");
    reason
}

fn help_request(student: usize, thread: usize) -> HelpRequest {
    HelpRequest {
        class: format!("class-{}", student % 3),
        student: format!("student-{student}"),
        thread: format!("thread-{thread}"),
        max_wait: Some(DEADLINE / 2),
        timeout: DEADLINE,
        ticket: String::new(),
    }
}

async fn embed(client: &GrpcClient, worker: usize) -> Result<(), Status> {
    let class = format!("class-{}", worker % 3);
    let request = EmbedRequest {
        inputs: vec!["x + 7 = 12".to_owned(), "2x = 8".to_owned()],
        purpose: Purpose::Search.into(),
        max_wait: Some(prost_types::Duration::try_from(DEADLINE / 2).unwrap()),
        class_id: class.clone(),
        ..EmbedRequest::default()
    };
    let context = student_call(&format!("student-{worker}"), &class, DEADLINE);
    let answer = LlmGatewayServiceClient::new(client.clone())
        .embed(context.request(request))
        .await?
        .into_inner();
    let lengths: Vec<usize> = answer
        .embeddings
        .iter()
        .map(|one| one.values.len())
        .collect();
    assert_eq!(lengths, [8, 8], "a wrong answer was passed on");
    Ok(())
}

/// As many calls of both kinds as there are slots, twice, all at once and all answered.
async fn everything_answers(client: &GrpcClient) {
    let completions = (0..2 * SLOTS).map(|n| async move {
        let outcome = help_request(n, n).send(client).await;
        outcome.result.unwrap();
    });
    let embeddings = (0..2 * EMBED_SLOTS).map(|n| async move { embed(client, n).await.unwrap() });
    tokio::join!(
        futures_util::future::join_all(completions),
        futures_util::future::join_all(embeddings),
    );
}

async fn queues(client: &GrpcClient) -> Vec<Queue> {
    let context = CallContext::background(None, DEADLINE);
    let request = context.request(GetQueuesRequest::default());
    let answer = LlmQueueServiceClient::new(client.clone())
        .get_queues(request)
        .await;
    answer.unwrap().into_inner().queues
}

/// How many descriptors a process has open.
fn descriptors(pid: u32) -> usize {
    fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count()
}
