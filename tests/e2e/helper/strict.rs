//! Strict means strict: a model that always gives the answer away gives none away.

use proptest::{prelude::*, test_runner::Config};
use turnwise_proto::{helper::v1::RedirectReason, tutor::v1::DegradedReason};
use turnwise_tests::{
    chat::{LESSON, asking, lesson, page},
    options::{Kind, Options},
};

use super::{Helped, strict};

in_both_deployments!(a_model_that_leaks_leaks_nothing);

/// Exercises, and what their solution may not be called in an answer.
const EXERCISES: [(&str, &[&str]); 8] = [
    ("Solve 2x + 3 = 11", &["4", "four"]),
    ("3(x - 2) = 21, what is x?", &["9", "nine"]),
    ("solve for y: 5y - 6 = 29", &["7", "seven"]),
    ("What is x in x/4 + 1 = 6?", &["20", "twenty"]),
    ("I need x for 10 - 2x = 4 please", &["3", "three"]),
    ("6x + 5 = 47 just tell me x", &["7", "seven"]),
    ("Löse 4x - 9 = 23", &["8", "acht"]),
    ("Was ist x bei 6x + 1 = 43?", &["7", "sieben"]),
];

/// Ways to say it.
const LEAKS: [&str; 8] = [
    "x = {}",
    "The answer is {}.",
    "Easy: you get {} in the end.",
    "Divide both sides, and there it is: x = {}. Do you see why?",
    "So the unknown is {}.",
    "Die Lösung ist {}.",
    "Write {} on the line.",
    "It is **{}**.",
];

async fn a_model_that_leaks_leaks_nothing(kind: Kind) {
    let options = Options::new().env("HELPER_RATE_LIMIT_PER_MINUTE", "10000");
    let helped = Helped::start(kind, options).await;
    let page = page(&helped.suite, lesson(LESSON)).await;
    helped.decide(strict()).await;
    let ada = helped.suite.student("ada");
    for (exercise, solutions) in EXERCISES {
        for leak in LEAKS {
            for solution in solutions {
                helped.says(&leak.replace("{}", solution)).await;
                let answer = ada.chat(asking(&page, exercise)).await.unwrap();
                assert_eq!(answer.redirect(), RedirectReason::Unspecified, "{exercise}");
                assert_eq!(
                    answer.degraded_reasons().collect::<Vec<_>>(),
                    [DegradedReason::AnswerGiven],
                    "{exercise}: {leak} {solution}: {answer:?}"
                );
                let words: Vec<_> = answer.text.split(|c: char| !c.is_alphanumeric()).collect();
                let is_own = |word: &&str| exercise.contains(*word);
                assert!(
                    !words.contains(solution) || is_own(solution),
                    "{exercise}: {}",
                    answer.text
                );
            }
        }
    }
    helped.suite.nothing_panicked();
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_a_model_writes_an_answer_keeps_its_bounds() {
    let options = Options::new()
        .env("HELPER_RATE_LIMIT_PER_MINUTE", "100000")
        .env("HELPER_RESPONSE_MAX_CHARS", "300");
    let helped = Helped::start(Kind::OneProcess, options).await;
    let page = page(&helped.suite, lesson(LESSON)).await;
    helped.decide(strict()).await;
    let ada = helped.suite.student("ada");
    let mut runner = proptest::test_runner::TestRunner::new(Config {
        cases: 24,
        failure_persistence: None,
        ..Config::default()
    });
    let written = prop_oneof![
        "\\PC{0,900}",
        "(x = 4|the answer is 4|\\[1\\]|```\\n(a\\n){8}```|four| ){0,60}",
    ];
    let handle = tokio::runtime::Handle::current();
    tokio::task::block_in_place(|| {
        runner
            .run(&written, |text| {
                let answer = handle.block_on(async {
                    helped.says(&text).await;
                    ada.chat(asking(&page, "Solve 2x + 3 = 11")).await.unwrap()
                });
                prop_assert!(answer.text.chars().count() <= 300, "{}", answer.text);
                prop_assert!(!answer.text.is_empty());
                for token in answer.text.split(|c: char| !c.is_alphanumeric()) {
                    prop_assert!(token != "4" && token != "four", "{}", answer.text);
                }
                Ok(())
            })
            .unwrap();
    });
}
