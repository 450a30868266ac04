//! Turns of real student messages with a real model behind an OpenAI-compatible face, once with the schema that
//! constrains its output and once without: how often its replies are valid, what the fallbacks were for, and that nothing
//! was out of policy. Outside CI: it takes a model, and minutes.
//!
//! `cargo run --release -p turnwise-tests --example real-turns -- http://127.0.0.1:18090 [TURNS]`

use std::{
    collections::BTreeMap, error::Error, net::SocketAddr, process::ExitCode, time::Duration,
};

use axum::{Router, body::Bytes, extract::State, response::IntoResponse, routing::post};
use serde_json::Value;
use tokio::{net::TcpListener, time::Instant};
use turnwise_kit::run;
use turnwise_tests::{
    answer::check_allowed,
    deployment::Deployment,
    options::{Kind, Options},
    shared,
    student::{DEMO_COURSE, Student},
};

/// Turns of one thread; then another student begins.
const TURNS_EACH: usize = 5;
/// The longest that a turn may take.
const TIMEOUT: Duration = Duration::from_secs(180);

fn main() -> ExitCode {
    run::block_on(None, async {
        let mut args = std::env::args().skip(1);
        let model = args.next().ok_or(
            "the address of the model's server is missing, such as http://127.0.0.1:18090",
        )?;
        let turns: usize = args.next().map_or(Ok(100), |n| n.parse())?;
        let data = shared_data::folder().ok_or("the real messages are missing")?;
        let messages = shared_data::student_messages(&data, turns);
        println!("| output | turns | valid | p50 s | p95 s | fallbacks |");
        println!("| --- | --- | --- | --- | --- | --- |");
        for constrained in [true, false] {
            let row = run_turns(&model, constrained, &messages).await?;
            println!("{row}");
        }
        Ok(ExitCode::SUCCESS)
    })
}

async fn run_turns(
    model: &str,
    constrained: bool,
    messages: &[String],
) -> Result<String, Box<dyn Error + Send + Sync>> {
    let url = if constrained {
        model.to_owned()
    } else {
        format!("http://{}", without_schema(model).await?)
    };
    let options = Options::new()
        .env("HELPER_LLM_BACKEND", "openai_compatible")
        .env("OPENAI_BASE_URL", format!("{url}/v1"))
        .env("OPENAI_MODEL", "smollm2")
        .env("OPENAI_TIMEOUT_SECONDS", TIMEOUT.as_secs().to_string())
        .env("OPENAI_MAX_OUTPUT_TOKENS", "200")
        .env("PROMPT_MAX_TOKENS", "2500")
        .env("HELPER_BACKEND_MAX_ATTEMPTS", "1")
        .env("TURN_DEADLINE_SECONDS", "200");
    let mut suite = Deployment::start(Kind::OneProcess, options).await;
    let mut seen = Seen::default();
    for (i, said) in messages.chunks(TURNS_EACH).enumerate() {
        let student = suite.student(&format!("student-{i}"));
        talk(&suite, &student, said, &mut seen).await;
    }
    suite.stop();
    Ok(seen.row(if constrained { "schema" } else { "free" }))
}

async fn talk(suite: &Deployment, student: &Student, said: &[String], seen: &mut Seen) {
    let thread = student.open(DEMO_COURSE).await;
    for text in said {
        let began = Instant::now();
        let answer = student.say(&thread, text).await;
        seen.took.push(began.elapsed());
        let decision = suite.decision(&answer.turn_id);
        // Whatever the model wrote, what was shown was allowed.
        check_allowed(&answer, &decision);
        let reasons: Vec<&str> = answer
            .degraded_reasons()
            .map(|reason| reason.as_str_name())
            .collect();
        if reasons.is_empty() {
            seen.valid += 1;
        } else {
            *seen.fallbacks.entry(reasons.join(" ")).or_default() += 1;
        }
        eprintln!(
            "{:>4} {:>5.1} s {} {}",
            seen.took.len(),
            began.elapsed().as_secs_f64(),
            reasons.join(" "),
            decision.violation
        );
    }
}

/// What was seen of the turns.
#[derive(Default)]
struct Seen {
    took: Vec<Duration>,
    valid: usize,
    fallbacks: BTreeMap<String, usize>,
}

impl Seen {
    fn row(&self, output: &str) -> String {
        let mut took = self.took.clone();
        took.sort_unstable();
        let at = |share: f64| {
            let index = (took.len() as f64 * share) as usize;
            took.get(index.min(took.len() - 1))
                .map_or(0.0, Duration::as_secs_f64)
        };
        let fallbacks: Vec<String> = self
            .fallbacks
            .iter()
            .map(|(reason, count)| format!("{reason} {count}"))
            .collect();
        format!(
            "| {output} | {} | {} ({:.0} %) | {:.1} | {:.1} | {} |",
            took.len(),
            self.valid,
            100.0 * self.valid as f64 / took.len() as f64,
            at(0.5),
            at(0.95),
            fallbacks.join(", ")
        )
    }
}

/// A server that hands calls on to the model without the schema.
async fn without_schema(model: &str) -> Result<SocketAddr, Box<dyn Error + Send + Sync>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let target = format!("{model}/v1/chat/completions");
    let router = Router::new()
        .route("/v1/chat/completions", post(pass_on))
        .with_state((reqwest::Client::new(), target));
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(address)
}

async fn pass_on(
    State((client, target)): State<(reqwest::Client, String)>,
    body: Bytes,
) -> Result<impl IntoResponse, String> {
    let mut request: Value = serde_json::from_slice(&body).map_err(|error| error.to_string())?;
    if let Some(fields) = request.as_object_mut() {
        fields.remove("response_format");
    }
    let answer = client
        .post(target)
        .json(&request)
        .send()
        .await
        .map_err(|error| error.to_string())?;
    let kind = answer
        .headers()
        .get("content-type")
        .and_then(|kind| kind.to_str().ok())
        .unwrap_or("application/json")
        .to_owned();
    let body = answer.bytes().await.map_err(|error| error.to_string())?;
    Ok(([("content-type", kind)], body))
}
