//! What holds for all texts and all courses: filters cannot be escaped, and the ranking is exactly BM25.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use proptest::prelude::*;
use turnwise_course_pack::{Pack, Tier};
use turnwise_proto::tutor::v1::MasteryTier;
use turnwise_retrieval_svc::{
    index::CourseIndex,
    text::{Analyser, Term, TermKind},
};

use crate::fixture::{
    Client, chunk, client, empty_pack, message, question, search, tiny_course, unit,
};

static TINY: LazyLock<CourseIndex> = LazyLock::new(|| CourseIndex::new(tiny_course()));

const UNITS: [&str; 4] = ["u3", "u1", "u4", "u2"];
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

/// A course of four units with arbitrary lessons and questions.
fn course() -> impl Strategy<Value = Pack> {
    let chunks = prop::collection::vec((0..UNITS.len(), text()), 1..40);
    let tiers = prop::sample::select([Tier::Bronze, Tier::Silver, Tier::Gold].as_slice());
    let units = prop::collection::btree_set(0..UNITS.len(), 1..3);
    let questions = prop::collection::vec((units, tiers, text()), 1..40);
    (chunks, questions).prop_map(|(chunks, questions)| {
        let mut pack = empty_pack();
        pack.units = UNITS.iter().map(|id| unit(id, id)).collect();
        for (number, (unit, text)) in chunks.into_iter().enumerate() {
            // Ids in another order than the file's.
            let id = format!("c{:03}", number * 37 % 101);
            pack.chunks.push(chunk(&id, UNITS[unit], &text));
        }
        for (number, (units, tier, text)) in questions.into_iter().enumerate() {
            let id = format!("q{:03}", number * 37 % 101);
            let units: Vec<&str> = units.into_iter().map(|unit| UNITS[unit]).collect();
            pack.questions.push(question(&id, &units, tier, &text));
        }
        pack
    })
}

fn counts(text: &str) -> BTreeMap<Term, f64> {
    let mut counts = BTreeMap::new();
    for term in Analyser::new("en").analyse(text).terms {
        *counts.entry(term).or_insert(0.0) += 1.0;
    }
    counts
}

/// BM25 as the paper writes it, over all documents, term by term.
fn reference(documents: &[String], query: &str) -> Vec<f64> {
    let documents: Vec<BTreeMap<Term, f64>> =
        documents.iter().map(|document| counts(document)).collect();
    let length = |document: &BTreeMap<Term, f64>| document.values().sum::<f64>();
    let n = documents.len() as f64;
    let average = (documents.iter().map(length).sum::<f64>() / n).max(f64::MIN_POSITIVE);
    let query = counts(query);
    documents
        .iter()
        .map(|document| {
            query
                .iter()
                .filter_map(|(term, times)| {
                    let tf = document.get(term)?;
                    let holders = documents.iter().filter(|d| d.contains_key(term)).count() as f64;
                    let idf = (1.0 + (n - holders + 0.5) / (holders + 0.5)).ln();
                    let weight = match term.kind {
                        TermKind::Word | TermKind::Variable => 1.0,
                        TermKind::Number | TermKind::Shape => 0.5,
                    } * (1.0 + times.ln());
                    let norm = 1.2 * (1.0 - 0.75 + 0.75 * length(document) / average);
                    Some(weight * idf * tf * 2.2 / (tf + norm))
                })
                .sum()
        })
        .collect()
}

/// Checks found rows, best first, against the reference scores of all rows in scope.
fn assert_exact(found: &[(&str, f64)], scope: &BTreeMap<&str, f64>, top: usize) {
    assert_eq!(found.len(), scope.len().min(top));
    for (id, score) in found {
        assert!(
            (scope[id] - score).abs() < 1e-9,
            "{id}: {} is not {score}",
            scope[id]
        );
    }
    for pair in found.windows(2) {
        let ordered = pair[0].1 > pair[1].1 || (pair[0].1 == pair[1].1 && pair[0].0 < pair[1].0);
        assert!(ordered, "{pair:?}");
    }
    let ids: BTreeSet<&str> = found.iter().map(|(id, _)| *id).collect();
    assert_eq!(ids.len(), found.len());
    if let Some((last_id, last)) = found.last() {
        for (id, score) in scope.iter().filter(|(id, _)| !ids.contains(*id)) {
            let behind = *score < last + 1e-9;
            // Rows with the very same terms tie to the last bit.
            let tied = (score - last).abs() < 1e-9;
            assert!(
                behind && (!tied || id > last_id || scope[last_id] != *score),
                "{id} is missing"
            );
        }
    }
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
    fn a_ranking_of_chunks_is_exactly_bm25(
        pack in course(),
        query in text().prop_filter("an empty text is not ranked", |text| !text.is_empty()),
        scope in prop::sample::subsequence(UNITS.to_vec(), 1..=4),
    ) {
        let documents: Vec<String> = pack.chunks.iter().map(|c| c.text.clone()).collect();
        let scores = reference(&documents, &query);
        let in_scope: BTreeMap<&str, f64> = pack
            .chunks
            .iter()
            .zip(scores)
            .filter(|(chunk, _)| scope.contains(&chunk.unit.as_str()))
            .map(|(chunk, score)| (chunk.id.as_str(), score))
            .collect();
        let index = CourseIndex::new(pack.clone());
        let units: Vec<_> = scope.iter().filter_map(|id| index.unit(id)).collect();
        let found = index.chunks(&index.query(&query), &units);
        let found: Vec<_> = found.iter().map(|hit| (hit.item.id.as_str(), hit.score)).collect();
        assert_exact(&found, &in_scope, 8);
    }

    #[test]
    fn a_ranking_of_exam_candidates_is_exactly_bm25(
        pack in course(),
        query in text().prop_filter("an empty text is not ranked", |text| !text.is_empty()),
        focus in prop::sample::select(UNITS.as_slice()),
        tier in prop::sample::select([Tier::Bronze, Tier::Silver, Tier::Gold].as_slice()),
    ) {
        let documents: Vec<String> = pack
            .questions
            .iter()
            .map(|q| format!("{} {}", q.prompt, q.tags.join(" ")))
            .collect();
        let scores = reference(&documents, &query);
        let in_scope: BTreeMap<&str, f64> = pack
            .questions
            .iter()
            .zip(scores)
            .filter(|(q, _)| q.tier == tier && q.units.iter().any(|unit| unit == focus))
            .map(|(q, score)| (q.id.as_str(), score))
            .collect();
        let index = CourseIndex::new(pack.clone());
        let unit = index.unit(focus).unwrap();
        let found = index.exam_candidates(&index.query(&query), unit, tier);
        let found: Vec<_> = found.iter().map(|hit| (hit.item.id.as_str(), hit.score)).collect();
        assert_exact(&found, &in_scope, 10);
    }

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
            client([tiny_course(), other]).retrieve(request).await.unwrap().into_inner()
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
    fn any_message_maps_to_known_units_in_a_total_order(
        text in prop_oneof![any::<String>(), text()],
        recent in prop::collection::vec(prop_oneof![any::<String>(), text()], 0..10),
    ) {
        let index = &*TINY;
        let mapped = index.map_message(&text, &recent);
        prop_assert!(mapped.len() <= 6);
        for m in &mapped {
            prop_assert!((0.0..=1.0).contains(&m.confidence));
            prop_assert!(index.unit(&m.unit.id).is_some());
        }
        for pair in mapped.windows(2) {
            let ordered = pair[0].confidence > pair[1].confidence
                || (pair[0].confidence == pair[1].confidence && pair[0].unit.id < pair[1].unit.id);
            prop_assert!(ordered, "{:?}", mapped);
        }
    }

    #[test]
    fn equal_questions_get_equal_answers(text in prop_oneof![any::<String>(), text()]) {
        call(async {
            let mut one = client([tiny_course()]);
            let mut two = client([tiny_course()]);
            let first = everything(&mut one, &text).await;
            assert_eq!(everything(&mut one, &text).await, first);
            assert_eq!(everything(&mut two, &text).await, first);
        });
    }
}
