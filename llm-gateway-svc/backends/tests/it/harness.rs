//! Backends as the settings make them, and what is asked of them.

use std::sync::Arc;

use clap::Parser;
use futures_util::StreamExt;
use serde_json::{Value, json};
use turnwise_llm_backends::{
    Backend, BackendSettings, Completion, Embeddings, End, Failure, Message, Operation, Piece,
    Prompt, Role, Schema, StartError, Targets, backend::Pieces, failure::Problem,
};

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    settings: BackendSettings,
}

/// The mock is allowed unless they say something about it.
pub fn try_settings(args: &[&str]) -> Result<BackendSettings, clap::Error> {
    let said = args.iter().any(|arg| arg.starts_with("--llm-allow-mock"));
    let allowed = (!said).then_some("--llm-allow-mock=1");
    let args = std::iter::once("test")
        .chain(allowed)
        .chain(args.iter().copied());
    Cli::try_parse_from(args).map(|cli| cli.settings)
}

pub fn settings(args: &[&str]) -> BackendSettings {
    try_settings(args).unwrap()
}

pub fn refused(args: &[&str]) -> StartError {
    Targets::connect(&settings(args))
        .err()
        .expect("the start is refused")
}

/// What is asked of a model; an empty model is the configured one.
#[derive(Clone)]
pub struct Ask {
    pub model: String,
    pub prompt: Prompt,
}

/// The first backend of some settings.
#[derive(Clone)]
pub struct Model(pub Arc<dyn Backend>);

pub fn connect(args: &[&str]) -> Model {
    let targets = Targets::connect(&settings(args)).unwrap();
    Model(Arc::clone(&targets.in_order()[0].backend))
}

/// The mock with these further arguments.
pub fn mock(args: &[&str]) -> Model {
    connect(&[&["--helper-llm-backend", "mock"], args].concat())
}

impl Model {
    fn model<'a>(&'a self, ask: &'a Ask) -> &'a str {
        if ask.model.is_empty() {
            self.0.default_model(Operation::Completion)
        } else {
            &ask.model
        }
    }

    pub fn pieces(&self, ask: &Ask) -> Pieces {
        self.0.stream(self.model(ask), &ask.prompt)
    }

    /// All deltas of a stream, and its end.
    pub async fn stream(&self, ask: &Ask) -> Result<(Vec<String>, End), Failure> {
        let mut pieces = self.pieces(ask);
        let mut deltas = Vec::new();
        let mut end = None;
        while let Some(piece) = pieces.next().await {
            assert!(end.is_none(), "nothing comes after the end");
            match piece {
                Ok(Piece::Delta(text)) => {
                    assert!(!text.is_empty());
                    deltas.push(text);
                }
                Ok(Piece::End(piece)) => end = Some(piece),
                Err(failure) => {
                    assert!(
                        pieces.next().await.is_none(),
                        "nothing comes after a failure"
                    );
                    return Err(failure);
                }
            }
        }
        Ok((deltas, end.expect("a stream has an end")))
    }

    /// The text of a stream, and its end.
    pub async fn streamed(&self, ask: &Ask) -> Result<Completion, Failure> {
        let (deltas, end) = self.stream(ask).await?;
        let text = deltas.concat();
        Ok(Completion { text, end })
    }

    pub async fn complete(&self, ask: &Ask) -> Result<Completion, Failure> {
        self.0.complete(self.model(ask), &ask.prompt).await
    }

    /// From the configured model.
    pub async fn embed(&self, texts: &[&str]) -> Result<Embeddings, Failure> {
        self.embed_by(self.0.default_model(Operation::Embedding), texts)
            .await
    }

    pub async fn embed_by(&self, model: &str, texts: &[&str]) -> Result<Embeddings, Failure> {
        let texts: Vec<String> = texts.iter().map(|t| (*t).to_owned()).collect();
        self.0.embed(model, &texts).await
    }
}

pub fn message(role: Role, content: &str) -> Message {
    Message {
        role,
        content: content.to_owned(),
    }
}

/// A good prompt for the configured model.
pub fn ask() -> Ask {
    Ask {
        model: String::new(),
        prompt: Prompt {
            messages: vec![
                message(Role::System, "Answer in JSON."),
                message(Role::User, "How do I solve x + 7 = 12?"),
            ],
            schema: None,
            max_output_tokens: None,
        },
    }
}

/// The same with what a turn's policy allows and what its student says, as the gateway's turns have them.
pub fn ask_with_policy() -> Ask {
    let mut asked = ask();
    let more = [
        message(Role::System, "<POLICY>"),
        message(Role::User, "And now?"),
    ];
    asked.prompt.messages.extend(more);
    asked
}

/// LLM_ONE_SYSTEM_MESSAGE, and the messages of [`ask_with_policy`] with it.
pub fn one_system_message() -> [(&'static str, Value); 2] {
    let whole = json!([
        {"role": "system", "content": "Answer in JSON."},
        {"role": "user", "content": "How do I solve x + 7 = 12?"},
        {"role": "system", "content": "<POLICY>"},
        {"role": "user", "content": "And now?"}
    ]);
    let folded = json!([
        {"role": "system", "content": "Answer in JSON."},
        {"role": "user", "content": "How do I solve x + 7 = 12?\n\n<POLICY>\n\nAnd now?"}
    ]);
    [("0", whole), ("1", folded)]
}

pub fn ask_of(model: &str) -> Ask {
    Ask {
        model: model.to_owned(),
        ..ask()
    }
}

impl Ask {
    pub fn schema(mut self, schema: &Value) -> Self {
        self.prompt.schema = Some(Schema::parse(&schema.to_string()).unwrap());
        self
    }

    pub fn tokens(mut self, bound: u32) -> Self {
        self.prompt.max_output_tokens = Some(bound);
        self
    }
}

/// What is wrong with an answer; panics for every other failure, and for an answer of another status than 200.
#[track_caller]
pub fn problem(failure: &Failure) -> Problem {
    match failure {
        Failure::Answer {
            status: Some(200),
            problem,
            ..
        } => {
            assert!(!failure.may_retry(), "a body has arrived");
            *problem
        }
        other => panic!("{other:?}"),
    }
}
