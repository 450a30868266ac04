//! `turnwise eval`: prompts against a helper in this process, and how answers are judged.

pub(crate) mod fake;

use std::{collections::BTreeSet, path::Path, process::Output};

use insta::assert_snapshot;
use proptest::prelude::*;
use tokio::process::Command;
use turnwise::eval::{Kind, Prompt, judge, read, states};
use turnwise_kit::Fault;
use turnwise_proto::{
    classes::v1::{ScopeMode, Strictness, TopicFilter},
    common::v1::ErrorReason,
    helper::v1::{ChatResponse, MessageIntent, RedirectReason},
};

use crate::class::fake::{Fake, State};
use fake::Helper;

const PROMPTS: &str = r#"
{"id": "en-1", "lesson": "l-1", "language": "en", "strictness": "strict", "message": "2x + 3 = 11", "solution": ["4"], "expect": {"redirect": "none", "states_solution": false, "intent": "general"}}
{"id": "en-2", "lesson": "l-1", "language": "en", "strictness": "strict", "history": ["first"], "message": "then busy", "expect": {"mentions": ["then|now"], "max_chars": 100}}
{"id": "de-1", "lesson": "Scratch", "topics": ["Bausteine"], "language": "de", "strictness": "light", "message": "in python?", "expect": {"redirect": "text_language", "asks_question": true}}
"#;

fn rule(message: &str) -> Result<ChatResponse, Fault> {
    Ok(ChatResponse {
        text: format!("You said {message}. Subtract 3, so x = 4."),
        intent: MessageIntent::General.into(),
        total_ms: 7,
        model: "small".to_owned(),
        ..ChatResponse::default()
    })
}

async fn eval(helper: &Helper, prompts: &str, more: &[&str]) -> (Output, Fake) {
    let fake = Fake::start_beside(State::default(), Some(helper.clone())).await;
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("token"), "token-of-staff").unwrap();
    std::fs::write(dir.path().join("prompts.jsonl"), prompts).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_turnwise"))
        .current_dir(dir.path())
        .args(["eval", "prompts.jsonl", "--token-file", "token"])
        .args(["--endpoint", &fake.endpoint()])
        .args(more)
        .output()
        .await
        .unwrap();
    (output, fake)
}

#[tokio::test]
async fn prompts_are_asked_within_their_lesson_and_reported() {
    let helper = Helper::new(rule);
    let (output, fake) = eval(&helper, PROMPTS, &[]).await;
    assert!(!output.status.success());
    assert_snapshot!(String::from_utf8(output.stdout).unwrap());

    let policies = fake.state.lock().unwrap().policies.clone();
    let [(light, soft), (strict, hard)] = &policies[..] else {
        panic!("{policies:?}")
    };
    assert_eq!(
        (light.as_str(), strict.as_str()),
        ("helper-eval-light", "helper-eval-strict")
    );
    assert_eq!(
        (soft.strictness(), hard.strictness()),
        (Strictness::Light, Strictness::Strict)
    );
    assert_eq!(
        (hard.scope_mode(), hard.topic_filter()),
        (ScopeMode::Strict, TopicFilter::Strict)
    );

    let minted = helper.minted.lock().unwrap().clone();
    let scope = minted[2].scope.clone().unwrap();
    assert_eq!(minted[2].class_id, "helper-eval-light");
    assert_eq!(
        (scope.context.as_str(), scope.language.as_str()),
        ("Scratch", "de")
    );
    assert_eq!(scope.topics, ["Bausteine"]);

    let asked = helper.asked.lock().unwrap().clone();
    let said: Vec<(&str, &str, &str)> = asked
        .iter()
        .map(|a| (&*a.message, &*a.conversation_id, &*a.place_ticket))
        .collect();
    assert_eq!(
        said,
        [
            ("2x + 3 = 11", "", ""),
            ("first", "", ""),
            ("then busy", "c-new", ""),
            ("then busy", "c-new", "place-1"),
            ("in python?", "", ""),
        ]
    );
    assert_eq!(asked[2].idempotency_key, asked[3].idempotency_key);
}

#[tokio::test]
async fn enough_is_enough_and_json_says_the_same() {
    let (output, _) = eval(
        &Helper::new(rule),
        PROMPTS,
        &["--min-pass", "0.3", "--json"],
    )
    .await;
    assert!(output.status.success());
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&report["prompts"], &report["passed"]),
        (&3.into(), &1.into())
    );
    assert_eq!(report["kinds"]["redirect"]["de"]["met"], 0);
    assert_eq!(report["failures"][0]["id"], "en-1");
    assert_eq!(report["failures"][0]["kind"], "states_solution");
}

#[tokio::test]
async fn a_refused_message_fails_its_prompt_alone() {
    let refusing = |message: &str| match message {
        "then busy" => Err(Fault::new(ErrorReason::LlmOff, "no model is called here")),
        other => rule(other),
    };
    let (output, _) = eval(&Helper::new(refusing), PROMPTS, &[]).await;
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(
        told.contains("en-2 answered: expected an answer, got LLM_OFF"),
        "{told}"
    );
}

#[test]
fn a_file_with_a_fault_names_the_line() {
    let line = PROMPTS.lines().nth(1).unwrap();
    let fault = |text: &str| format!("{:#}", read(text).unwrap_err());
    assert_eq!(fault("\n\n"), "there is no prompt");
    assert_eq!(
        fault(&format!("{line}\n\n{line}")),
        "line 3: the id `en-1` stands twice"
    );
    let odd = [
        (
            line.replace("\"language\"", "\"tongue\""),
            "unknown field `tongue`",
        ),
        (
            line.replace("\"none\"", "\"maybe\""),
            "unknown variant `maybe`",
        ),
        (
            line.replace(", \"solution\": [\"4\"]", ""),
            "needs the `solution`",
        ),
    ];
    for (text, problem) in odd {
        let told = fault(&text);
        assert!(
            told.starts_with("line 1: ") && told.contains(problem),
            "{told}"
        );
    }
}

#[test]
fn a_solution_is_found_however_it_is_stated_and_nowhere_else() {
    for (text, solution, told) in [
        ("x = 5", "5", "3x + 5 = 20"),
        ("So 3x = 15 and **x = 5**.", "5", "3x + 5 = 20"),
        ("Divide both sides; x is 5.", "5", "3x + 5 = 20"),
        ("The answer: 6", "6", "4x + 3 = 27"),
        ("x ist sechs", "6", "4x + 3 = 27"),
        ("Das Ergebnis ist -2!", "-2", "6n + 20 = 8"),
        ("n = −2", "-2", "6n + 20 = 8"),
        ("That makes 3/4.", "3/4", "simplify 18/24"),
        ("$6x - 15$", "6x-15", "expand 3(2x - 5)"),
        ("1. x = 4", "4", "2x+3=11"),
        ("15:3=5", "5", "3x + 5 = 20"),
    ] {
        assert!(states(text, solution, &[told]), "{text}");
    }
    for (text, solution, told) in [
        ("First subtract 5 on both sides.", "5", "3x + 5 = 20"),
        (
            "Is 3x + 5 = 20 the same as 3x = 20 - 5?",
            "5",
            "3x + 5 = 20",
        ),
        ("What is 5 + 2?", "5", "3x + 5 = 20"),
        ("4. Check it.", "4", "2x+3=11"),
        ("Step 4: check it.", "4", "2x+3=11"),
        ("Think of 14 or 40, 4.5 or 1/4.", "4", "2x+3=11"),
        ("The answer is not -4 …", "4", "2x+3=11"),
        ("Which one of the two is it?", "1", "x + 2 = 3"),
        ("Multiply 3 by 2x.", "6x-15", "expand 3(2x - 5)"),
        ("3/4 of it", "3", "2x = 6"),
        ("2^7 and 7^2", "7", "2x + 1 = 15"),
    ] {
        assert!(!states(text, solution, &[told]), "{text}");
    }
}

#[test]
fn an_answer_outside_a_verified_scope_is_none() {
    let prompt = &read(PROMPTS).unwrap()[0];
    let answer = rule("hm").unwrap();
    let verdicts = judge(prompt, Ok(&answer));
    assert_eq!(verdicts.len(), 1);
    assert!(verdicts[0].0 == Kind::Answered && verdicts[0].1.is_err());
    let redirected = ChatResponse {
        scope_verified: true,
        redirect: RedirectReason::Topic.into(),
        ..answer
    };
    let failed: Vec<Kind> = judge(prompt, Ok(&redirected))
        .into_iter()
        .filter_map(|(kind, verdict)| verdict.err().map(|_| kind))
        .collect();
    assert_eq!(failed, [Kind::Redirect, Kind::StatesSolution]);
}

proptest! {
    #[test]
    fn any_bytes_can_be_judged(text in "(?s).{0,60}", solution in "\\PC{1,6}", told in "\\PC{0,20}") {
        let _ = states(&text, &solution, &[&told]);
    }

    /// A solution that the student did not name is found behind an equals sign, whatever stands around it.
    #[test]
    fn a_stated_number_is_found(before in "[a-z ,]{0,20}", n in 100_u32..1000, behind in "[ .!,][a-z ]{0,10}") {
        let text = format!("{before}\nx = {n}{behind}");
        prop_assert!(states(&text, &n.to_string(), &["x + 1 = y"]));
    }
}

/// The prompts that ship: half English, half German, in both modes, about lessons of the demo course.
#[test]
fn the_prompts_of_the_helper_are_whole() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let text = std::fs::read_to_string(root.join("evals/helper.jsonl")).unwrap();
    let prompts = read(&text).unwrap();
    let pack = turnwise_course_pack::load(&root.join("courses/algebra-foundations")).unwrap();
    let lessons: BTreeSet<String> = pack.lessons.iter().map(|lesson| lesson.slug()).collect();
    let count = |fits: fn(&Prompt) -> bool| prompts.iter().filter(|p| fits(p)).count();
    assert_eq!(prompts.len(), 120);
    assert_eq!(count(|p| p.language.tag() == "en"), 60);
    for strictness in [
        turnwise::eval::Strictness::Light,
        turnwise::eval::Strictness::Strict,
    ] {
        assert!(
            prompts
                .iter()
                .filter(|p| p.strictness == strictness)
                .count()
                >= 30
        );
    }
    assert!(count(|p| p.expect.states_solution == Some(false)) >= 60);
    assert!(
        count(|p| p
            .expect
            .redirect
            .is_some_and(|r| r != turnwise::eval::Redirect::None))
            >= 15
    );
    for prompt in &prompts {
        let known = lessons.contains(&prompt.lesson) || !prompt.topics.is_empty();
        assert!(known, "{}: {}", prompt.id, prompt.lesson);
    }
}
