//! What the gateway adds to a call: beside a direct call to the same model server, by the same process, in turns.

use std::time::Duration;

use hdrhistogram::Histogram;
use tokio::{task::JoinSet, time::Instant};
use turnwise_kit::{CallContext, client::GrpcClient};
use turnwise_proto::llm::v1::{
    ChatMessage, ChatRole, CompleteRequest, Purpose, StreamCompleteRequest,
    llm_gateway_service_client::LlmGatewayServiceClient, stream_complete_response::Piece,
};
use turnwise_testing::{
    figure::{Bound, figure},
    model_server::Settings,
    redis::RedisServer,
};
use turnwise_tests::{
    model_gateway::{ModelGateway, REDIS_SETTING, has_setting, student_call},
    model_server::ModelServerProcess,
    procfs::{cpu_ms, resident_mb},
};

use crate::{Args, direct::Direct, median};

/// The most CPU time of the gateway's for a call, milliseconds, and what it should come to.
const BOUND_CPU_MS: f64 = 0.20;
const AIM_CPU_MS: f64 = 0.13;
/// So many workers share one connection to the gateway.
const WORKERS_PER_CHANNEL: usize = 32;

const SYSTEM: &str = "You are a patient tutor of mathematics for students of twelve to sixteen years. Ask one question \
    at a time, never give the answer away, and build on what the student has said. Keep it short and plain.";
const USER: &str = "How do I solve x + 7 = 12? I tried to guess, but I want to know the way.";

/// How a call is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    Unary,
    Stream,
}

/// Whom the calls go to.
struct Subject {
    name: &'static str,
    how: How,
    /// The gateway, or none: straight to the model server.
    gateway: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
struct Sample {
    p50_us: f64,
    p99_us: f64,
    gateway_cpu_ms: f64,
    model_cpu_ms: f64,
    load_cpu_ms: f64,
    per_second: f64,
}

/// Measures and reports.
pub async fn run(args: &Args) {
    let home = tempfile::tempdir().unwrap();
    let model = ModelServerProcess::start(&Settings::default(), home.path());
    let mut gateways = vec![ModelGateway::start(&model.url(), &features())];
    let mut subjects = vec![
        subject("direct", How::Unary, None),
        subject("direct, stream", How::Stream, None),
        subject("gateway", How::Unary, Some(0)),
        subject("gateway, stream", How::Stream, Some(0)),
    ];
    let mut redis = None;
    if has_setting(REDIS_SETTING) {
        let server = redis.insert(RedisServer::start().unwrap());
        let mut settings = features().to_vec();
        settings.push((REDIS_SETTING, server.url()));
        settings.push(("QUEUE_REPLICAS", "1".to_owned()));
        gateways.push(ModelGateway::start(&model.url(), &settings));
        subjects.push(subject("gateway, Redis", How::Unary, Some(1)));
        subjects.push(subject("gateway, Redis, stream", How::Stream, Some(1)));
    } else {
        println!("skipped: the queue in Redis, because llm-gateway-svc has no {REDIS_SETTING}");
    }

    println!(
        "\nReference points on a machine like this, CPU ms a request of the process alone: mock 0.013-0.019, \
         vllm-router 0.13-0.17, TensorZero 0.38-0.49, LiteLLM 33-50. Ours: aim {AIM_CPU_MS}, bound {BOUND_CPU_MS} at \
         16 and 64 with the local queue.\n"
    );
    println!(
        "| what | c | p50 µs | p99 µs | gateway CPU ms | model CPU ms | load CPU ms | calls/s |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    let mut figures = Vec::new();
    for concurrency in &args.concurrency {
        let mut samples = vec![Vec::new(); subjects.len()];
        for round in 1..=args.rounds() {
            for (subject, samples) in subjects.iter().zip(&mut samples) {
                let calls = if args.quick {
                    4 * concurrency
                } else {
                    (500 * concurrency).clamp(4000, 20_000)
                };
                let sample = measure(subject, &gateways, &model, *concurrency, calls, round).await;
                samples.push(sample);
            }
        }
        let medians: Vec<Sample> = samples.iter().map(|rounds| middle(rounds)).collect();
        for (subject, s) in subjects.iter().zip(&medians) {
            println!(
                "| {} | {concurrency} | {:.0} | {:.0} | {:.4} | {:.4} | {:.4} | {:.0} |",
                subject.name,
                s.p50_us,
                s.p99_us,
                s.gateway_cpu_ms,
                s.model_cpu_ms,
                s.load_cpu_ms,
                s.per_second
            );
        }
        for (subject, s) in subjects.iter().zip(&medians) {
            let direct = &medians[usize::from(subject.how == How::Stream)];
            figures.push((subject.name, subject.gateway, *concurrency, *s, *direct));
        }
    }
    println!();
    for (name, gateway, concurrency, s, direct) in figures {
        let Some(gateway) = gateway else { continue };
        let name = name.replace(", ", "_").to_lowercase();
        let bounded = gateway == 0 && concurrency > 1;
        let bound = if bounded {
            Bound::AtMost(BOUND_CPU_MS)
        } else {
            Bound::Report
        };
        let tell = |what: &str, value, bound| {
            figure(&format!("{name}_{what}_c{concurrency}"), value, bound)
        };
        tell("cpu_ms", s.gateway_cpu_ms, bound);
        tell("p50_added_us", s.p50_us - direct.p50_us, Bound::Report);
        tell("p99_added_us", s.p99_us - direct.p99_us, Bound::Report);
    }
    let direct_model = model.statistics().await;
    assert_eq!(
        direct_model.completions.in_flight, 0,
        "all calls have ended"
    );
    for (n, gateway) in gateways.iter().enumerate() {
        let kind = if n == 0 { "local" } else { "redis" };
        let memory = resident_mb(gateway.process.id());
        figure(
            &format!("gateway_{kind}_resident_mb"),
            memory,
            Bound::Report,
        );
    }
}

/// Everything on that can be, and every limit above the load.
fn features() -> [(&'static str, String); 9] {
    [
        ("HELPER_MAX_CONCURRENCY", "1000"),
        ("LLM_COALESCE", "1"),
        ("LLM_ACTOR_REQUESTS_PER_MINUTE", "1000000"),
        ("LLM_ACTOR_TOKENS_PER_MINUTE", "60000000"),
        ("LLM_CLASS_REQUESTS_PER_MINUTE", "1000000"),
        ("LLM_CLASS_TOKENS_PER_MINUTE", "60000000"),
        ("LLM_ADDRESS_REQUESTS_PER_MINUTE", "1000000"),
        ("LLM_ADDRESS_TOKENS_PER_MINUTE", "60000000"),
        ("LLM_CLASS_TOKENS_PER_DAY", "4000000000"),
    ]
    .map(|(name, value)| (name, value.to_owned()))
}

fn subject(name: &'static str, how: How, gateway: Option<usize>) -> Subject {
    Subject { name, how, gateway }
}

fn middle(rounds: &[Sample]) -> Sample {
    let middle = |part: fn(&Sample) -> f64| median(rounds.iter().map(part).collect());
    Sample {
        p50_us: middle(|s| s.p50_us),
        p99_us: middle(|s| s.p99_us),
        gateway_cpu_ms: middle(|s| s.gateway_cpu_ms),
        model_cpu_ms: middle(|s| s.model_cpu_ms),
        load_cpu_ms: middle(|s| s.load_cpu_ms),
        per_second: middle(|s| s.per_second),
    }
}

/// A worker, with one call under way at a time.
enum Worker {
    Direct(Direct, How),
    Gateway(
        LlmGatewayServiceClient<GrpcClient>,
        Box<CompleteRequest>,
        CallContext,
        How,
    ),
}

impl Worker {
    async fn call(&mut self) {
        match self {
            Self::Direct(direct, how) => direct.chat(SYSTEM, USER, *how == How::Stream).await,
            Self::Gateway(client, request, context, How::Unary) => {
                let request = context.request((**request).clone());
                let answer = client.complete(request).await.unwrap().into_inner();
                assert!(!answer.text.is_empty());
            }
            Self::Gateway(client, request, context, How::Stream) => {
                let request = StreamCompleteRequest {
                    request: Some((**request).clone()),
                };
                let answer = client.stream_complete(context.request(request)).await;
                let mut pieces = answer.unwrap().into_inner();
                let mut ended = false;
                while let Some(piece) = pieces.message().await.unwrap() {
                    ended = matches!(piece.piece, Some(Piece::End(_)));
                }
                assert!(ended);
            }
        }
    }
}

/// Medians over so many calls with so many workers, after a short warm-up.
async fn measure(
    subject: &Subject,
    gateways: &[ModelGateway],
    model: &ModelServerProcess,
    concurrency: usize,
    calls: usize,
    round: usize,
) -> Sample {
    let mut workers = Vec::new();
    let mut channel = None;
    for n in 0..concurrency {
        workers.push(match subject.gateway {
            None => Worker::Direct(Direct::connect(model.address()).await, subject.how),
            Some(gateway) => {
                if n % WORKERS_PER_CHANNEL == 0 {
                    channel = Some(gateways[gateway].client());
                }
                let class = format!("class-{}", n % 10);
                let name = format!("student-{round}-{n}");
                Worker::Gateway(
                    LlmGatewayServiceClient::new(channel.clone().unwrap()),
                    Box::new(request(
                        &class,
                        &format!("thread-{n}"),
                        format!("192.0.2.{}", n % 250),
                    )),
                    student_call(&name, &class, Duration::from_secs(600)),
                    subject.how,
                )
            }
        });
    }
    let (workers, _, _) = share(workers, concurrency * 20).await;
    let pid = subject.gateway.map(|n| gateways[n].process.id());
    let read = || {
        (
            pid.map_or(0.0, cpu_ms),
            cpu_ms(model.id()),
            cpu_ms(std::process::id()),
        )
    };
    let before = read();
    let (_, latencies, took) = share(workers, calls).await;
    let after = read();
    let made = latencies.len() as f64;
    Sample {
        p50_us: latencies.value_at_quantile(0.50) as f64,
        p99_us: latencies.value_at_quantile(0.99) as f64,
        gateway_cpu_ms: (after.0 - before.0) / made,
        model_cpu_ms: (after.1 - before.1) / made,
        load_cpu_ms: (after.2 - before.2) / made,
        per_second: made / took.as_secs_f64(),
    }
}

/// Every worker makes its share of the calls. Latencies are in microseconds.
async fn share(workers: Vec<Worker>, calls: usize) -> (Vec<Worker>, Histogram<u64>, Duration) {
    let share = calls.div_ceil(workers.len());
    let mut tasks = JoinSet::new();
    let begun = Instant::now();
    for mut worker in workers {
        tasks.spawn(async move {
            let mut latencies = Histogram::<u64>::new(3).unwrap();
            for _ in 0..share {
                let begun = Instant::now();
                worker.call().await;
                let took = u64::try_from(begun.elapsed().as_micros()).unwrap();
                latencies.record(took).unwrap();
            }
            (worker, latencies)
        });
    }
    let mut workers = Vec::new();
    let mut all = Histogram::<u64>::new(3).unwrap();
    while let Some(done) = tasks.join_next().await {
        let (worker, latencies) = done.unwrap();
        workers.push(worker);
        all.add(latencies).unwrap();
    }
    (workers, all, begun.elapsed())
}

/// No two workers send the same words: no answer is shared.
fn request(class: &str, thread: &str, address: String) -> CompleteRequest {
    let message = |role: ChatRole, content: &str| ChatMessage {
        role: role.into(),
        content: content.to_owned(),
    };
    CompleteRequest {
        messages: vec![
            message(ChatRole::System, SYSTEM),
            message(ChatRole::User, &format!("{USER} ({thread})")),
        ],
        purpose: Purpose::Turn.into(),
        class_id: class.to_owned(),
        thread_id: thread.to_owned(),
        client_address: address,
        ..CompleteRequest::default()
    }
}
