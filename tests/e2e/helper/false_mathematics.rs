//! What mathematics knows to be false is not said: a hint stands for it, in a light class and in a strict one.

use turnwise_proto::{
    helper::v1::RedirectReason,
    tutor::v1::DegradedReason::{self, FalseMathematics},
};
use turnwise_tests::{
    chat::{LESSON, asking, lesson, page},
    options::{Kind, Options},
};

use super::{Helped, strict};

in_both_deployments!(a_false_sum_gives_way_to_a_hint);

const FALSE: &str = "So 1/4 + 1/3 = 2/9.";
const TRUE: &str = "So 1/4 + 1/3 = 7/12. What comes next?";

async fn a_false_sum_gives_way_to_a_hint(kind: Kind) {
    let helped = Helped::start(kind, Options::new()).await;
    let page = page(&helped.suite, lesson(LESSON)).await;
    let ada = helped.suite.student("ada");
    let ask = async |says: &str, message: &str, reasons: &[DegradedReason]| {
        helped.says(says).await;
        let answer = ada.chat(asking(&page, message)).await.unwrap();
        assert_eq!(answer.redirect(), RedirectReason::Unspecified, "{answer:?}");
        let degraded: Vec<_> = answer.degraded_reasons().collect();
        assert_eq!(degraded, reasons, "{says}: {answer:?}");
        assert!(!answer.text.is_empty());
        assert_eq!(answer.text.contains(says), reasons.is_empty(), "{answer:?}");
        assert!(
            reasons.is_empty() || !answer.text.contains("2/9"),
            "{answer:?}"
        );
    };
    let question = "I need x for 4x - 9 = 23 please";
    ask(FALSE, question, &[FalseMathematics]).await;
    ask(TRUE, question, &[]).await;
    // What the student wrote may be repeated.
    ask(FALSE, "What is an equation? Is 1/4 + 1/3 = 2/9 one?", &[]).await;
    helped.decide(strict()).await;
    ask(FALSE, question, &[FalseMathematics]).await;
    ask(TRUE, question, &[]).await;
    helped.suite.nothing_panicked();
}
