//! A message through both decisions, whatever the scope's claims, the class's policy, the deployment's settings and a
//! model's bytes are.

use proptest::prelude::*;
use turnwise_proto::{
    classes::v1::{ClassPolicy, Strictness},
    helper::v1::LessonScope,
    policy::v1::{
        DecideChatRequest, ResolveChatRequest, policy_service_client::PolicyServiceClient,
        resolve_chat_request::Outcome,
    },
    tutor::v1::DegradedReason,
};

use crate::{
    chat::client,
    fixture::{COURSE, fault},
};

/// An equation with a whole solution that is none of its numbers, in a student's words.
#[derive(Debug, Clone)]
struct Problem {
    message: String,
    solution: i64,
}

fn problem() -> impl Strategy<Value = Problem> {
    let words = prop::sample::select(vec![
        ("Solve ", ""),
        ("what is x in ", " ?"),
        ("Wie löse ich ", "? Ich will nur das Ergebnis"),
        ("adding: ", " is my homework, carrying on"),
        ("", ""),
    ]);
    let numbers = (2..10i64, 1..30i64, 31..60i64);
    (numbers, any::<bool>(), words).prop_map(|((a, b, x), minus, (before, after))| {
        let (sign, c) = match minus {
            true => ('-', a * x - b),
            false => ('+', a * x + b),
        };
        Problem {
            message: format!("{before}{a}x {sign} {b} = {c}{after}"),
            solution: x,
        }
    })
}

/// What a model that hands over the solution may say around it, without a number of its own.
fn pieces() -> impl Strategy<Value = Vec<String>> {
    let told = [
        "x = {}",
        "x={}",
        "{}",
        "**{}**",
        "$x = {}$",
        "x ist {}",
        "So x is {}!",
        "It is {}.",
        "\\boxed{{}}",
        "Die Lösung lautet {}.",
        "What do you undo first?",
        "Warum?",
        "Great. ",
        "\n\n",
        " ",
        "[1]",
        "\u{200b}",
    ];
    prop::collection::vec(prop::sample::select(told.map(str::to_owned).to_vec()), 1..8)
}

/// The numbers of a text in digits, those of other scripts as well.
fn numbers(text: &str) -> Vec<i64> {
    let digits = |c: char| c.is_ascii_digit();
    let words = text.split(|c| !digits(c));
    words.filter_map(|word| word.parse().ok()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.div_ceil(4)))]

    #[test]
    fn strictness_and_scope_hold_whatever_is_claimed_and_written(
        problem in problem(),
        (context, topics, allowed_topics, reference, language) in (
            prop::sample::select(vec!["sums-1", "no such lesson", "SUMS.1", "../x"]),
            prop::collection::vec("[a-zäß ]{1,12}", 0..4),
            prop::collection::vec(prop::sample::select(vec!["adding", "equations", "Gleichungen", "pirates"]), 0..3),
            prop::sample::select(vec!["", "sums", "../etc/passwd"]),
            prop::sample::select(vec!["", "en", "de", "fr"]),
        ),
        (strictness, scope_mode, topic_filter) in (0..3i32, 0..3i32, 0..3i32),
        (by_default, scope_default, topic_default) in any::<(bool, bool, bool)>(),
        pieces in pieces(),
        bytes in prop::collection::vec(any::<u8>(), 0..24),
        source_count in 0..4i32,
        max_chars in 200..900i32,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let solution = problem.solution.to_string();
        let said: Vec<String> = pieces.iter().map(|piece| piece.replace("{}", &solution)).collect();
        // Apart, so that a number stays one: 31 and 5 glued by a point are another.
        let mut completion = (said.join(" ") + "\n").into_bytes();
        completion.extend(bytes);
        let word = |strict: bool, strict_word, soft| if strict { strict_word } else { soft };
        let settings = [
            format!("--helper-strictness={}", word(by_default, "strict", "light")),
            format!("--helper-scope-mode={}", word(scope_default, "strict", "soft")),
            format!("--helper-topic-filter-mode={}", word(topic_default, "strict", "soft")),
        ];
        runtime.block_on(async {
            let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
            let (mut service, _folder): (PolicyServiceClient<_>, _) = client(&settings).await;
            let asked = DecideChatRequest {
                course_id: COURSE.to_owned(),
                scope: Some(LessonScope {
                    context: context.to_owned(),
                    topics,
                    allowed_topics: allowed_topics.into_iter().map(str::to_owned).collect(),
                    reference: reference.to_owned(),
                    language: language.to_owned(),
                }),
                class_policy: Some(ClassPolicy {
                    strictness,
                    scope_mode,
                    topic_filter,
                    ..ClassPolicy::default()
                }),
                message: problem.message.clone(),
                ..DecideChatRequest::default()
            };
            let decision = service.decide_chat(asked).await;
            let Ok(decision) = decision else {
                // A claim that no signer may make, such as a topic of blanks.
                return Ok(());
            };
            let decision = decision.into_inner().decision.unwrap();
            let expected = match strictness {
                0 if by_default => Strictness::Strict,
                0 => Strictness::Light,
                given => Strictness::try_from(given).unwrap(),
            };
            prop_assert_eq!(decision.strictness(), expected);
            let resolved = service.resolve_chat(ResolveChatRequest {
                decision: Some(decision.clone()),
                message: problem.message.clone(),
                outcome: Some(Outcome::Completion(completion.into())),
                source_count,
                max_chars,
                ..ResolveChatRequest::default()
            }).await;
            if decision.redirect != 0 {
                prop_assert!(!decision.redirect_text.is_empty());
                prop_assert!(fault(resolved.unwrap_err()).1.contains(&"decision.redirect".to_owned()));
                return Ok(());
            }
            let answer = resolved.unwrap().into_inner();
            prop_assert!(answer.text.chars().count() <= usize::try_from(max_chars).unwrap());
            prop_assert!(answer.cited.iter().all(|number| (1..=source_count).contains(number)));
            if expected == Strictness::Strict {
                prop_assert!(!numbers(&answer.text).contains(&problem.solution), "{}: {}", problem.message, answer.text);
            } else {
                prop_assert_ne!(answer.degraded_reason(), DegradedReason::AnswerGiven);
            }
            Ok(())
        })?;
    }
}
