//! `turnwise turn`: one turn from the command line.

use std::process::ExitCode;

use anyhow::Result;
use turnwise_kit::Fault;
use turnwise_proto::tutor::v1::{ClientEvent, ClientEventKind, StudentInput, TakeTurnRequest};

use crate::{
    client::{ConnectArgs, Student},
    edge::TurnView,
    render::{self, Ink},
};

/// Arguments of `turnwise turn`.
#[derive(clap::Args, Debug, Clone)]
#[group(skip)]
pub struct TurnArgs {
    /// Who speaks, about what, and where to.
    #[command(flatten)]
    pub connect: ConnectArgs,
    /// What the student says
    #[arg(long, default_value = "", hide_default_value = true)]
    pub text: String,
    /// What the student says, as LaTeX
    #[arg(long, default_value = "", hide_default_value = true)]
    pub latex: String,
    /// The button that the student presses, with --unit unless it is one of a clarification
    #[arg(long, value_parser = parse_event)]
    pub event: Option<ClientEventKind>,
    /// The unit of the button
    #[arg(long)]
    pub unit: Option<String>,
    /// The question to go back to, from 0, with clarification_correct
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    pub question: i32,
    /// The thread; a new one without it
    #[arg(long)]
    pub thread: Option<String>,
    /// Idempotency key, to try the same turn again; a fresh one without it
    #[arg(long, default_value = "", hide_default_value = true)]
    pub key: String,
    /// The place ticket of an earlier answer in this thread, to keep its place in line for the model
    #[arg(long, default_value = "", hide_default_value = true)]
    pub place_ticket: String,
    /// Print the answer as JSON
    #[arg(long)]
    pub json: bool,
}

/// A button by its name, such as `request_drill`.
fn parse_event(name: &str) -> Result<ClientEventKind, String> {
    let full = format!("CLIENT_EVENT_KIND_{}", name.to_ascii_uppercase());
    ClientEventKind::from_str_name(&full)
        .filter(|kind| *kind != ClientEventKind::Unspecified)
        .ok_or_else(|| {
            "use request_drill, request_exam, drill_continue, exam_continue, stuck_hint, clarification_skip, clarification_cancel \
             or clarification_correct"
                .to_owned()
        })
}

/// Takes the turn and prints the answer.
pub async fn run(args: TurnArgs) -> Result<ExitCode> {
    let mut student = Student::connect(args.connect)?;
    let result = async {
        let thread_id = match args.thread {
            Some(thread) => thread,
            None => student.create_thread().await?,
        };
        let event = args.event.map(|kind| ClientEvent {
            kind: kind.into(),
            unit_id: args.unit.unwrap_or_default(),
            question_index: args.question,
            ..ClientEvent::default()
        });
        student
            .take_turn(TakeTurnRequest {
                thread_id,
                input: Some(StudentInput {
                    text: args.text,
                    latex: args.latex,
                    voice_transcript: String::new(),
                }),
                event,
                idempotency_key: args.key,
                place_ticket: args.place_ticket,
                ..TakeTurnRequest::default()
            })
            .await
    };
    match result.await {
        Ok(answer) if args.json => {
            println!("{}", serde_json::to_string_pretty(&TurnView::of(&answer))?);
            Ok(ExitCode::SUCCESS)
        }
        Ok(answer) => {
            println!("thread {}", answer.thread_id);
            let now = jiff::Timestamp::now();
            print!("{}", render::answer(&answer, now, Ink::of_stdout()));
            Ok(ExitCode::SUCCESS)
        }
        Err(fault) => {
            eprintln!("{}", refusal(&fault, args.json)?);
            Ok(ExitCode::FAILURE)
        }
    }
}

/// A refusal, for people or for a program.
fn refusal(fault: &Fault, json: bool) -> Result<String> {
    if !json {
        return Ok(format!("refused: {fault}"));
    }
    Ok(serde_json::to_string_pretty(
        &serde_json::json!({"error": {
            "code": turnwise_kit::metrics::code_name(fault.reason().code()),
            "reason": fault.reason().wire_name(),
            "message": fault.message(),
            "fields": fault.fields().collect::<Vec<_>>(),
            "retryAfterMs": fault.retry_delay().map(|d| u64::try_from(d.as_millis()).unwrap_or(u64::MAX)),
        }}),
    )?)
}
