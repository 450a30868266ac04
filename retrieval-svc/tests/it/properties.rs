//! What holds for all texts: filters cannot be escaped, and equal questions get equal answers.

use proptest::prelude::*;
use turnwise_proto::tutor::v1::MasteryTier;

use crate::fixture::{Client, client, message, search, tiny_course};

/// Few words, so that documents are alike and ties are common.
const WORDS: [&str; 12] = [
    "slope",
    "line",
    "factor",
    "fraction",
    "the",
    "3",
    "12",
    "x",
    "x^2+3x",
    "2/3",
    "equations",
    "solve",
];

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(WORDS.as_slice()), 0..9)
        .prop_map(|words| words.join(" "))
}

fn call<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(work)
}

async fn everything(client: &mut Client, text: &str) -> String {
    let found = client.retrieve(search(text)).await.unwrap().into_inner();
    let mapped = client
        .map_message(message(text, &[text, "the slope of a line"]))
        .await
        .unwrap()
        .into_inner();
    format!("{found:?} {mapped:?}")
}

proptest! {
    #[test]
    fn no_text_escapes_the_filters(
        text in prop_oneof![any::<String>(), text(), "\\PC*", "(factor|unit:|OR|\\*|fraction| ){0,20}"],
        scope in prop::sample::subsequence(vec!["start", "slope", "factor", "fraction"], 1..=4),
        focus in prop::sample::select(["slope", "factor", "fraction"].as_slice()),
        tier in 2..=4_i32,
    ) {
        let mut other = tiny_course();
        other.course.id = "other".to_owned();
        for chunk in &mut other.chunks {
            chunk.id = format!("other-{}", chunk.id);
            chunk.text = text.clone();
        }
        let mut request = search(&text);
        request.scoped_unit_ids = scope.iter().map(|id| (*id).to_owned()).collect();
        request.focus_unit_id = focus.to_owned();
        request.desired_exam_tier = tier;
        let tier = MasteryTier::try_from(tier).unwrap();
        let found = call(async {
            client([tiny_course(), other]).await.retrieve(request).await.unwrap().into_inner()
        });
        prop_assert_eq!(found.anchors.len(), scope.len());
        prop_assert!(found.anchors.iter().all(|a| scope.contains(&a.unit_id.as_str())));
        prop_assert!(found.chunks.len() <= 8);
        for chunk in &found.chunks {
            prop_assert!(scope.contains(&chunk.unit_id.as_str()));
            prop_assert!(!chunk.chunk_id.starts_with("other-"));
        }
        prop_assert_eq!(found.exam_candidates.len(), 10);
        for candidate in &found.exam_candidates {
            prop_assert_eq!(candidate.tier(), tier);
            prop_assert!(candidate.unit_ids.iter().any(|unit| unit == focus));
        }
        prop_assert_eq!(found.exam_support.len(), 4);
        for support in &found.exam_support {
            prop_assert!(support.question_id.starts_with(focus));
        }
        let scores = found.chunks.iter().map(|chunk| chunk.score);
        prop_assert!(scores.into_iter().all(|score| score.is_finite() && score >= 0.0));
    }

    #[test]
    fn equal_questions_get_equal_answers(text in prop_oneof![any::<String>(), text()]) {
        call(async {
            let mut one = client([tiny_course()]).await;
            let mut two = client([tiny_course()]).await;
            let first = everything(&mut one, &text).await;
            assert_eq!(everything(&mut one, &text).await, first);
            assert_eq!(everything(&mut two, &text).await, first);
        });
    }
}
