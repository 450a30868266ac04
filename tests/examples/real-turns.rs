//! Turns of real student messages with a real model behind an OpenAI-compatible face, once with the schema that
//! constrains its output and once without: how often its replies are valid, what the fallbacks were for, that nothing was
//! out of policy, and that nothing false was shown. Outside CI: it takes a model, and minutes. It fails if mathematics knows
//! something to be false that a student read.
//!
//! `cargo run --release -p turnwise-tests --example real-turns -- http://127.0.0.1:18090 [TURNS]`, with llama.cpp's server
//! there, whose window for each slot is 4,096.

use std::{
    collections::BTreeMap, error::Error, net::SocketAddr, process::ExitCode, time::Duration,
};

use axum::{Router, body::Bytes, extract::State, response::IntoResponse, routing::post};
use serde_json::Value;
use tokio::{net::TcpListener, time::Instant};
use turnwise_grading::{Findings, WorkedExample, check_example, check_text};
use turnwise_kit::run;
use turnwise_proto::tutor::v1::{
    ClientEventKind, DegradedReason, DialogState, TutorMessage, tutor_card::Content,
};
use turnwise_testing::figure::{Bound, figure};
use turnwise_tests::{
    answer::{check_allowed, tutor},
    deployment::Deployment,
    options::{Kind, Options},
    shared_data,
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
        let mut runs = Vec::new();
        for constrained in [true, false] {
            let seen = run_turns(&model, constrained, &messages).await?;
            println!("{}", seen.row(if constrained { "schema" } else { "free" }));
            runs.push(seen);
        }
        let sum = |of: fn(&Seen) -> usize| runs.iter().map(of).sum::<usize>();
        println!(
            "\nstatements shown: {} decided, {} undecided; replies withheld for false mathematics: {} of {}\n",
            sum(|seen| seen.decided),
            sum(|seen| seen.undecided),
            sum(|seen| seen.withheld),
            sum(|seen| seen.took.len()),
        );
        let shown = sum(|seen| seen.shown_false);
        figure("false_equalities_shown", shown as f64, Bound::AtMost(0.0));
        Ok(if shown == 0 {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    })
}

async fn run_turns(
    model: &str,
    constrained: bool,
    messages: &[String],
) -> Result<Seen, Box<dyn Error + Send + Sync>> {
    let url = if constrained {
        model.to_owned()
    } else {
        format!("http://{}", without_schema(model).await?)
    };
    let options = Options::new()
        .env("HELPER_LLM_BACKEND", "openai_compatible")
        .env("OPENAI_BASE_URL", format!("{url}/v1"))
        .env("OPENAI_COMPATIBLE_SERVER", "llama_cpp")
        .env("OPENAI_MODEL", "smollm2")
        .env("OPENAI_TIMEOUT_SECONDS", TIMEOUT.as_secs().to_string())
        .env("HELPER_BACKEND_MAX_ATTEMPTS", "1")
        .env("TURN_DEADLINE_SECONDS", "200");
    let mut suite = Deployment::start(Kind::OneProcess, options).await;
    let mut seen = Seen::default();
    for (i, said) in messages.chunks(TURNS_EACH).enumerate() {
        let student = suite.student(&format!("student-{i}"));
        talk(&suite, &student, said, &mut seen).await;
    }
    suite.stop();
    Ok(seen)
}

async fn talk(suite: &Deployment, student: &Student, said: &[String], seen: &mut Seen) {
    let thread = student.open(DEMO_COURSE).await;
    for (place, text) in said.iter().enumerate() {
        let began = Instant::now();
        let mut answer = student.say(&thread, text).await;
        // Where a document asks before it answers, the student would rather have the answer at once.
        if answer.dialog_state() == DialogState::NeedsClarification {
            let skip = ClientEventKind::ClarificationSkip;
            answer = student.press(&thread, skip, "").await;
        }
        seen.took.push(began.elapsed());
        let decision = suite.decision(&answer.turn_id);
        // Whatever the model wrote, what was shown was allowed.
        check_allowed(&answer, &decision);
        let written: Vec<&str> = said[..=place].iter().rev().map(String::as_str).collect();
        seen.read(tutor(&answer), &written);
        if answer
            .degraded_reasons()
            .any(|reason| reason == DegradedReason::FalseMathematics)
        {
            seen.withheld += 1;
        }
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
    /// Statements of mathematics that were shown: true or false for certain, and neither.
    decided: usize,
    undecided: usize,
    /// Those that are false.
    shown_false: usize,
    /// Replies that were withheld for one.
    withheld: usize,
}

impl Seen {
    /// Reads what is shown as the student does, who wrote this, the latest first. An exercise is posed and claims nothing.
    fn read(&mut self, message: &TutorMessage, written: &[&str]) {
        let mut texts = vec![message.text.as_str()];
        let content = message.card.as_ref().and_then(|card| card.content.as_ref());
        if let Some(Content::Concept(concept)) = content {
            texts.extend(concept.key_ideas.iter().map(String::as_str));
            if let Some(example) = &concept.worked_example {
                let steps: Vec<&str> = example.steps_latex.iter().map(String::as_str).collect();
                texts.extend(&steps);
                texts.push(&example.final_answer_latex);
                let findings = check_example(&WorkedExample {
                    prompt: "",
                    problem: &example.problem_latex,
                    steps: &steps,
                    answer: &example.final_answer_latex,
                });
                self.add(&findings, &format!("{example:?}"));
            }
        }
        for text in texts {
            self.add(&check_text(text, written), text);
        }
    }

    fn add(&mut self, findings: &Findings, text: &str) {
        self.decided += findings.decided;
        self.undecided += findings.undecided;
        self.shown_false += findings.false_statements.len();
        if !findings.holds() {
            eprintln!("     FALSE: {text}");
        }
    }

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

/// A server that hands calls on to the model without the schema and the grammar.
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
        fields.remove("grammar");
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
