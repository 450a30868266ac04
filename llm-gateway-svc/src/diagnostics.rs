//! Looks at what a start does not: whether the configured models answer, whether the settings know their server, and Redis.

use std::time::Duration;

use tokio::time::{Instant, timeout};
use turnwise_kit::Kit;
use turnwise_llm_backends::{
    BackendKind, BackendSettings, CompatibleServer, Message, Operation, Prompt, Role, Target,
    Targets, is_llama_cpp,
};
use turnwise_redis::cmd;

use crate::settings::Settings;

/// How long a model may take for a few words, and to be loaded before.
const PATIENCE: Duration = Duration::from_secs(60);

/// What was found out about one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The thing.
    pub about: String,
    /// Whether it is as it should be.
    pub kind: FindingKind,
    /// What was found, and what to do about it.
    pub text: String,
}

/// Whether something is as it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingKind {
    /// It is.
    Good,
    /// It works, and would work better otherwise.
    Hint,
    /// It is not.
    Bad,
}

impl Finding {
    /// All is well with it.
    pub fn good(about: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            about: about.into(),
            kind: FindingKind::Good,
            text: text.into(),
        }
    }

    /// It could be better.
    pub fn hint(about: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            about: about.into(),
            kind: FindingKind::Hint,
            text: text.into(),
        }
    }

    /// Something is wrong with it.
    pub fn bad(about: impl Into<String>, text: impl ToString) -> Self {
        Self {
            about: about.into(),
            kind: FindingKind::Bad,
            text: text.to_string(),
        }
    }
}

/// Calls each configured model once for a few words, the first one for an embedding, and Redis. A remote model that nobody
/// agreed to is not called, which is a fault; nor is one where none is configured, which is none. An OpenAI-compatible server
/// is asked whether it is llama.cpp's.
pub async fn diagnose(settings: &Settings) -> Vec<Finding> {
    if let Err(error) = settings.check() {
        return vec![Finding::bad("settings", error)];
    }
    let targets = match Targets::connect(&settings.backends) {
        Ok(targets) => targets,
        Err(error) => return vec![Finding::bad("settings", error)],
    };
    let mut findings = Vec::new();
    if settings.backends.helper_llm_backend == BackendKind::None {
        findings.push(Finding::good(
            "model",
            "none is called (HELPER_LLM_BACKEND=none): replies are the course's own",
        ));
    } else {
        for target in targets.in_order() {
            findings.push(completion(target).await);
        }
        if let Some(target) = targets.in_order().first() {
            findings.push(embedding(target).await);
        }
        findings.extend(compatible_server(&settings.backends).await);
    }
    if let Some(url) = settings.shared.url() {
        findings.push(redis(settings, url).await);
    }
    findings
}

async fn completion(target: &Target) -> Finding {
    let about = format!("model {}/{}", target.backend.name(), target.model);
    if let Err(refusal) = target.backend.admit(&target.model, Operation::Completion) {
        return Finding::bad(about, refusal);
    }
    let prompt = Prompt {
        messages: vec![Message {
            role: Role::User,
            content: "Say hello.".to_owned(),
        }],
        schema: None,
        max_output_tokens: Some(16),
    };
    let begun = Instant::now();
    match timeout(PATIENCE, target.backend.complete(&target.model, &prompt)).await {
        Ok(Ok(_)) => Finding::good(about, answered(begun)),
        Ok(Err(failure)) => Finding::bad(about, failure),
        Err(_) => Finding::bad(about, silent()),
    }
}

async fn embedding(target: &Target) -> Finding {
    let model = target.backend.default_model(Operation::Embedding);
    let about = format!("embeddings {}/{model}", target.backend.name());
    if let Err(refusal) = target.backend.admit(model, Operation::Embedding) {
        return Finding::bad(about, refusal);
    }
    let begun = Instant::now();
    match timeout(PATIENCE, target.backend.embed(model, &["hello".to_owned()])).await {
        Ok(Ok(vectors)) => {
            let length = vectors.vectors.first().map_or(0, Vec::len);
            Finding::good(about, format!("{}, {length} numbers", answered(begun)))
        }
        Ok(Err(failure)) => Finding::bad(about, failure),
        Err(_) => Finding::bad(about, silent()),
    }
}

/// Whether the settings know which OpenAI-compatible server it is; `None` where there is nothing to say.
async fn compatible_server(backends: &BackendSettings) -> Option<Finding> {
    if !backends.calls(BackendKind::OpenaiCompatible) {
        return None;
    }
    let about = "OPENAI_COMPATIBLE_SERVER";
    match (
        backends.openai_compatible_server,
        is_llama_cpp(backends).await,
    ) {
        (CompatibleServer::Any, false) => None,
        (CompatibleServer::LlamaCpp, true) => Some(Finding::good(about, "it is llama.cpp")),
        (CompatibleServer::Any, true) => Some(Finding::hint(
            about,
            "the server is llama.cpp, which keeps what it has read and writes no white space if it is told so: set \
             OPENAI_COMPATIBLE_SERVER=llama_cpp",
        )),
        (CompatibleServer::LlamaCpp, false) => Some(Finding::hint(
            about,
            "the server does not say that it is llama.cpp (GET /props); one that knows no grammar gets no schema either: \
             unless it is llama.cpp, set OPENAI_COMPATIBLE_SERVER=any",
        )),
    }
}

async fn redis(settings: &Settings, url: &str) -> Finding {
    let about = "Redis of LLM_REDIS_URL";
    let options = match settings.shared.options(url, &Kit::for_tests()) {
        Ok(options) => options,
        Err(error) => return Finding::bad(about, error),
    };
    let redis = match turnwise_redis::Redis::open(&options).await {
        Ok(redis) => redis,
        Err(error) => return Finding::bad(about, error),
    };
    match redis.send("", vec![cmd("PING")]).await {
        Ok(_) => Finding::good(about, "answers"),
        Err(failure) => Finding::bad(about, failure),
    }
}

fn answered(begun: Instant) -> String {
    format!("answers in {:.1} s", begun.elapsed().as_secs_f64())
}

fn silent() -> String {
    format!("gave no answer in {} s", PATIENCE.as_secs())
}
