//! Help with procedures under load: sessions that observe thirty times a second and ask for help now and then, without a
//! model, against five processes with Redis; and the time of one press in one process.
//!
//! `cargo bench -p turnwise-tests --bench procedures` builds what it needs and prints lines `figure NAME VALUE BOUND`. The
//! reference of a press is the same press again: a call that finds its answer stored.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::{process::Command, time::Duration};

use clap::Parser;
use tokio::{sync::mpsc, time::Instant};
use tokio_stream::wrappers::ReceiverStream;
use turnwise_proto::procedure::v1::{RecordObservationsRequest, variable::Value};
use turnwise_testing::figure::{Bound, figure};
use turnwise_tests::{
    deployment::Deployment,
    options::{Kind, Options, Service},
    procedure::{Run, client, on, variable},
    procfs::{cpu_ms_of, resident_mb},
    student::{Student, fresh_key},
};

#[derive(Parser)]
struct Args {
    /// Sessions that observe at once.
    #[arg(long, default_value = "200")]
    sessions: usize,
    /// Observations a second of each.
    #[arg(long, default_value = "30")]
    rate: u32,
    /// How long they do.
    #[arg(long, default_value = "20")]
    seconds: u32,
    /// Does not build the binaries first.
    #[arg(long)]
    no_build: bool,
    /// Cargo adds it.
    #[arg(long, hide = true)]
    bench: bool,
}

/// How often each session asks for help.
const HELP_EVERY: Duration = Duration::from_secs(5);
const PRESSES: usize = 300;

/// What one session saw.
struct Seen {
    sent: i64,
    /// How long it sent, in seconds.
    sending: f64,
    /// The last that was said to be stored.
    acknowledged: i64,
    /// What the session says afterwards.
    stored: i64,
    value: Option<Value>,
    helps: Vec<f64>,
}

#[tokio::main]
async fn main() {
    let args = Args::parse();
    if !args.no_build {
        let built = Command::new("cargo")
            .args(["build", "--release", "--bins"])
            .status();
        assert!(built.unwrap().success(), "the binaries could not be built");
    }
    let (p50, again) = presses().await;
    figure("help_p50_ms", p50, Bound::Below(5.0));
    figure("help_again_p50_ms", again, Bound::Report);
    load(&args).await;
}

fn options() -> Options {
    Options::new()
        .env("HELPER_LLM_BACKEND", "none")
        .env("HELPER_RATE_LIMIT_PER_MINUTE", "1000000")
        .env("HELPER_READ_LIMIT_PER_MINUTE", "1000000")
        .env("LOG_FILTER", "warn")
}

/// The middle of the times of presses in one process, one after another, and of presses whose answer is stored already;
/// milliseconds.
async fn presses() -> (f64, f64) {
    let mut suite = Deployment::start(Kind::OneProcess, options()).await;
    let ada = suite.student("ada");
    let mut run = Run::titration(&ada).await;
    run.observe(vec![on("PPE.GOGGLES")]).await;
    let (mut helps, mut again) = (Vec::new(), Vec::new());
    for _ in 0..PRESSES {
        let key = fresh_key();
        for times in [&mut helps, &mut again] {
            let began = Instant::now();
            run.try_help(&key).await.unwrap();
            times.push(ms(began));
        }
    }
    suite.stop();
    (quantile(&mut helps, 0.5), quantile(&mut again, 0.5))
}

async fn load(args: &Args) {
    let mut suite = Deployment::start(Kind::FiveProcesses, options()).await;
    let students: Vec<Student> = (0..args.sessions)
        .map(|number| suite.student(&format!("s{number}")))
        .collect();
    let mut runs = Vec::new();
    for student in &students {
        runs.push(Run::titration(student).await);
    }
    let gateway = suite.process_id(Service::Gateway);
    let (before, began) = (cpu_ms_of(&suite.process_ids()), Instant::now());
    let memory = resident_mb(gateway);
    let tasks: Vec<_> = runs
        .into_iter()
        .enumerate()
        .map(|(number, run)| {
            let (rate, seconds) = (args.rate, args.seconds);
            tokio::spawn(Box::pin(observe(run, rate, seconds, number)))
        })
        .collect();
    let mut seen = Vec::new();
    for task in tasks {
        seen.push(task.await.unwrap());
    }
    let took = began.elapsed().as_secs_f64();
    let cpu = cpu_ms_of(&suite.process_ids()) - before;
    let grown = resident_mb(gateway) - memory;
    let sent: i64 = seen.iter().map(|seen| seen.sent).sum();
    let lost = seen
        .iter()
        .filter(|seen| {
            let value = Value::Number(seen.stored as f64 / 1000.0);
            seen.stored < seen.acknowledged || seen.value != Some(value)
        })
        .count();
    let unacknowledged = seen
        .iter()
        .filter(|seen| seen.acknowledged < seen.sent)
        .count();
    let rate: f64 = seen
        .iter()
        .map(|seen| seen.sent as f64 / seen.sending)
        .sum();
    let mut helps: Vec<f64> = seen.into_iter().flat_map(|seen| seen.helps).collect();
    println!(
        "{} sessions, {sent} observations in {took:.1} s, {} presses",
        args.sessions,
        helps.len()
    );
    let wanted = args.sessions as f64 * f64::from(args.rate);
    figure(
        "observations_per_second",
        rate,
        Bound::AtLeast(0.9 * wanted),
    );
    figure(
        "observation_sessions_with_loss",
        lost as f64,
        Bound::AtMost(0.0),
    );
    figure(
        "observation_sessions_unacknowledged",
        unacknowledged as f64,
        Bound::AtMost(0.0),
    );
    figure(
        "help_p99_under_load_ms",
        quantile(&mut helps, 0.99),
        Bound::Below(50.0),
    );
    figure(
        "help_p50_under_load_ms",
        quantile(&mut helps, 0.5),
        Bound::Report,
    );
    figure(
        "cpu_us_per_observation",
        cpu * 1000.0 / sent as f64,
        Bound::Report,
    );
    figure("cores_used", cpu / 1000.0 / took, Bound::Report);
    let each = grown * 1000.0 / args.sessions as f64;
    figure("gateway_kb_per_session", each, Bound::Below(256.0));
    suite.stop();
}

/// Observes at a rate and asks for help now and then.
async fn observe(mut run: Run, rate: u32, seconds: u32, number: usize) -> Seen {
    let (sender, requests) = mpsc::channel(8);
    let first = RecordObservationsRequest {
        session_id: run.id(),
        ..RecordObservationsRequest::default()
    };
    sender.send(first).await.unwrap();
    let requests = run.caller.request(ReceiverStream::new(requests));
    let opened = client(&run.caller).record_observations(requests).await;
    let mut receipts = opened.unwrap().into_inner();
    let receiving = tokio::spawn(async move {
        let mut acknowledged = 0;
        while let Some(next) = receipts.message().await.unwrap() {
            acknowledged = next.receipt.unwrap().stored_sequence;
        }
        acknowledged
    });
    let asking = tokio::spawn({
        let asked = run.seen_by(&run.caller);
        let presses = Duration::from_secs(seconds.into()).div_duration_f64(HELP_EVERY) as usize;
        async move {
            let mut helps = Vec::new();
            // Not all in the same moment.
            tokio::time::sleep(HELP_EVERY.mul_f64((number % 97) as f64 / 97.0)).await;
            for _ in 0..presses {
                let began = Instant::now();
                asked.help().await;
                helps.push(ms(began));
                tokio::time::sleep(HELP_EVERY).await;
            }
            helps
        }
    });
    // Simulators share no clock.
    let period = Duration::from_secs(1) / rate;
    let began = Instant::now() + period.mul_f64((number % 97) as f64 / 97.0);
    let mut ticks = tokio::time::interval_at(began, period);
    let mut sent = 0;
    for _ in 0..rate * seconds {
        ticks.tick().await;
        sent += 1;
        let value = Value::Number(sent as f64 / 1000.0);
        let mut observation = run.next(vec![variable("BURETTE.POURED", value)]);
        observation.sequence = sent;
        let request = RecordObservationsRequest {
            observation: Some(observation),
            ..RecordObservationsRequest::default()
        };
        sender.send(request).await.unwrap();
    }
    let sending = began.elapsed().as_secs_f64();
    let helps = asking.await.unwrap();
    drop(sender);
    let acknowledged = receiving.await.unwrap();
    let session = run.read().await.session.unwrap();
    Seen {
        sent,
        sending,
        acknowledged,
        stored: session.stored_sequence,
        value: session.variables.into_iter().find_map(|known| known.value),
        helps,
    }
}

fn ms(began: Instant) -> f64 {
    began.elapsed().as_secs_f64() * 1000.0
}

fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * share) as usize]
}
