//! Chats of real student messages with a real model behind an OpenAI-compatible face, in a strict class: what became of
//! them, and how long they waited and took. Outside CI: it takes a model, and minutes.
//!
//! `cargo run -p turnwise-tests --example real-chats -- http://127.0.0.1:18090 [MESSAGES]`

use std::{collections::BTreeMap, process::ExitCode, time::Duration};

use futures_util::future::join_all;
use turnwise_kit::{Fault, run};
use turnwise_proto::{
    classes::v1::{ClassPolicy, ScopeMode, Strictness, TopicFilter},
    helper::v1::{ChatRequest, ChatResponse, RedirectReason},
    school::v1::SetClassPolicyRequest,
};
use turnwise_tests::{
    chat::{LESSON, asking, lesson, page},
    deployment::Deployment,
    options::{Kind, Options},
    shared_data,
    student::{Student, fresh_key},
    teacher::Teacher,
};

/// Messages of one conversation; then another student begins.
const MESSAGES_EACH: usize = 10;
/// The longest that an answer may take.
const TIMEOUT: Duration = Duration::from_secs(180);
/// The most characters of an answer.
const MOST_CHARS: usize = 2_200;

fn main() -> ExitCode {
    run::block_on(None, async {
        let mut args = std::env::args().skip(1);
        let model = args.next().ok_or(
            "the address of the model's server is missing, such as http://127.0.0.1:18090",
        )?;
        let count: usize = args.next().map_or(Ok(60), |n| n.parse())?;
        let data = shared_data::folder().ok_or("the real messages are missing")?;
        let messages = shared_data::student_messages(&data, count);
        let options = Options::new()
            .env("HELPER_LLM_BACKEND", "openai_compatible")
            .env("OPENAI_BASE_URL", format!("{model}/v1"))
            .env("OPENAI_MODEL", "smollm2")
            .env("OPENAI_TIMEOUT_SECONDS", TIMEOUT.as_secs().to_string())
            .env("OPENAI_MAX_OUTPUT_TOKENS", "120")
            .env("PROMPT_MAX_TOKENS", "1500")
            .env("HELPER_BACKEND_MAX_ATTEMPTS", "1")
            .env("HELPER_QUEUE_MAX_WAIT_SECONDS", "600")
            .env("TURN_DEADLINE_SECONDS", "600");
        let mut suite = Deployment::start(Kind::OneProcess, options).await;
        strict(&suite).await;
        let page = page(&suite, lesson(LESSON)).await;
        let talks = messages.chunks(MESSAGES_EACH).enumerate().map(|(n, said)| {
            let student = suite.student(&format!("student-{n}"));
            talk(student, &page, said)
        });
        let answers: Vec<_> = join_all(talks).await.into_iter().flatten().collect();
        suite.stop();
        report(&answers);
        Ok(ExitCode::SUCCESS)
    })
}

async fn strict(suite: &Deployment) {
    let teacher = Teacher::of(suite);
    let request = teacher.request(SetClassPolicyRequest {
        class_id: Student::CLASS.to_owned(),
        policy: Some(ClassPolicy {
            strictness: Strictness::Strict.into(),
            scope_mode: ScopeMode::Strict.into(),
            topic_filter: TopicFilter::Strict.into(),
            ..ClassPolicy::default()
        }),
        idempotency_key: fresh_key(),
    });
    if let Err(refused) = teacher.classes().set_class_policy(request).await {
        eprintln!("the class is not strict: {refused}");
    }
}

async fn talk(student: Student, page: &str, said: &[String]) -> Vec<Result<ChatResponse, String>> {
    let mut conversation_id = String::new();
    let mut answers = Vec::new();
    for text in said {
        let message = ChatRequest {
            conversation_id: conversation_id.clone(),
            ..asking(page, text)
        };
        let answer = student.chat(message).await;
        if let Ok(answer) = &answer {
            conversation_id.clone_from(&answer.conversation_id);
        }
        answers.push(
            answer.map_err(|status| Fault::from_status(&status).reason().wire_name().to_owned()),
        );
    }
    answers
}

fn report(answers: &[Result<ChatResponse, String>]) {
    let mut became: BTreeMap<String, usize> = BTreeMap::new();
    let (mut waited, mut took) = (Vec::new(), Vec::new());
    for answer in answers {
        let what = match answer {
            Err(reason) => reason.clone(),
            Ok(answer) => {
                assert!(answer.text.chars().count() <= MOST_CHARS && !answer.text.is_empty());
                let redirected = answer.redirect() != RedirectReason::Unspecified;
                assert_eq!(redirected, answer.attempts == 0);
                if !redirected {
                    waited.push(answer.queue_wait_ms);
                    took.push(answer.total_ms);
                }
                match answer.degraded_reasons().next() {
                    Some(reason) => reason.as_str_name().to_owned(),
                    None if redirected => "redirected".to_owned(),
                    None => "answered".to_owned(),
                }
            }
        };
        *became.entry(what).or_default() += 1;
    }
    let became: Vec<_> = became
        .iter()
        .map(|(what, n)| format!("{what} {n}"))
        .collect();
    println!("| messages | became | p50, p95 wait s | p50, p95 s |");
    println!("| --- | --- | --- | --- |");
    println!(
        "| {} | {} | {} | {} |",
        answers.len(),
        became.join(", "),
        quantiles(waited),
        quantiles(took)
    );
}

fn quantiles(mut ms: Vec<i32>) -> String {
    ms.sort_unstable();
    let at = |share: f64| {
        let index = (ms.len() as f64 * share) as usize;
        let index = index.min(ms.len().saturating_sub(1));
        ms.get(index).map_or(0.0, |ms| f64::from(*ms) / 1000.0)
    };
    format!("{:.1}, {:.1}", at(0.5), at(0.95))
}
