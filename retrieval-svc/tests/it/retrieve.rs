//! Search: namespaces, filters, limits, order.

use turnwise_course_pack::Pack;
use turnwise_proto::{
    explain::v1::{FoundChunk, TurnFacts, TurnRecord, TurnTexts},
    retrieval::v1::{Anchor, Chunk, ExamCandidate, Namespace, RetrieveRequest, RetrieveResponse},
    tutor::v1::MasteryTier,
};
use turnwise_retrieval_svc::grpc::put_in_words;

use crate::fixture::{chunk, client, search, support, tiny_course};

async fn retrieve(request: RetrieveRequest) -> RetrieveResponse {
    retrieve_from(tiny_course(), request).await
}

async fn retrieve_from(pack: Pack, request: RetrieveRequest) -> RetrieveResponse {
    client([pack])
        .await
        .retrieve(request)
        .await
        .unwrap()
        .into_inner()
}

#[tokio::test]
async fn one_call_searches_all_namespaces_within_their_limits() {
    let found = retrieve(search("how steep is the slope of a line")).await;
    assert_eq!(found.anchors.len(), 2);
    assert_eq!(found.chunks.len(), 8);
    assert_eq!(found.exam_candidates.len(), 10);
    assert_eq!(found.exam_support.len(), 4);
    assert_eq!(found.index_id.len(), 64);
    assert_eq!(found.anchors[0].unit_id, "slope");
    assert!(found.chunks.iter().all(|chunk| chunk.unit_id == "slope"));
}

#[tokio::test]
async fn only_what_is_asked_for_comes_back() {
    for namespace in crate::fixture::ALL {
        let mut request = search("slope");
        request.namespaces = vec![namespace.into()];
        let found = retrieve(request).await;
        let counts = [
            (Namespace::UnitAnchors, found.anchors.len()),
            (Namespace::UnitContentChunks, found.chunks.len()),
            (Namespace::ExamCandidates, found.exam_candidates.len()),
            (Namespace::ExamSupportChunks, found.exam_support.len()),
        ];
        for (other, count) in counts {
            assert_eq!(count > 0, other == namespace, "{namespace:?}: {other:?}");
        }
    }
}

#[tokio::test]
async fn a_chunk_says_where_it_comes_from() {
    let found = retrieve(search("part 3")).await;
    let chunk = &found.chunks[0];
    assert_eq!(chunk.chunk_type, "text");
    assert_eq!(chunk.section_kind, "explanation");
    assert!(chunk.source_id.starts_with("lesson-"));
    assert!(chunk.url.ends_with(&chunk.chunk_id));
    assert!(chunk.text.ends_with("Part 3."));
}

#[tokio::test]
async fn an_anchor_describes_its_unit() {
    let found = retrieve(search("quadratics")).await;
    let anchor = &found.anchors[0];
    assert_eq!(anchor.unit_id, "factor");
    assert_eq!(anchor.title, "Factoring quadratics");
    assert_eq!(anchor.summary, "About Factoring quadratics.");
    assert_eq!(anchor.tags, ["Factoring quadratics"]);
    assert_eq!(anchor.misconceptions.len(), 1);
}

#[tokio::test]
async fn exam_candidates_are_of_the_focus_and_the_tier() {
    for (tier, letter) in [
        (MasteryTier::Bronze, 'b'),
        (MasteryTier::Silver, 's'),
        (MasteryTier::Gold, 'g'),
    ] {
        let mut request = search("");
        request.focus_unit_id = "fraction".to_owned();
        request.desired_exam_tier = tier.into();
        let found = retrieve(request).await;
        assert_eq!(found.exam_candidates.len(), 10);
        for candidate in &found.exam_candidates {
            assert_eq!(candidate.tier(), tier);
            assert!(candidate.unit_ids.contains(&"fraction".to_owned()));
            assert!(candidate.question_id.contains(letter));
        }
    }
}

#[tokio::test]
async fn a_question_of_two_units_is_found_under_both() {
    for focus in ["slope", "fraction"] {
        let mut request = search("a slope that is a fraction");
        request.focus_unit_id = focus.to_owned();
        let found = retrieve(request).await;
        assert_eq!(found.exam_candidates[0].question_id, "both-b01", "{focus}");
    }
}

#[tokio::test]
async fn support_belongs_to_questions_of_the_focus() {
    let found = retrieve(search("factoring quadratics")).await;
    for support in &found.exam_support {
        assert!(support.question_id.starts_with("slope-"));
        assert_eq!(support.support_kind, "memo");
    }
}

#[tokio::test]
async fn a_question_that_is_named_gets_its_own_support_alone() {
    let mut pack = tiny_course();
    for name in ["b06-hint", "b06-again"] {
        let id = format!("slope-{name}");
        pack.support.push(support(&id, "slope-b06", "Draw it."));
    }
    let of = async |question: &str, text: &str| {
        let mut request = search(text);
        request.question_id = question.to_owned();
        let found = retrieve_from(pack.clone(), request).await;
        assert_eq!(found.exam_candidates.len(), 10);
        let support = found.exam_support.into_iter();
        support.map(|s| s.chunk_id).collect::<Vec<_>>()
    };
    // Of six memos in the unit this is the last, whether nothing ranks them or all match alike.
    for text in ["", "think of the slope of a line"] {
        assert_eq!(
            of("slope-b06", text).await,
            ["slope-b06-memo", "slope-b06-hint", "slope-b06-again"]
        );
        assert_eq!(of("slope-b02", text).await, ["slope-b02-memo"]);
        for without in ["slope-b07", "factor-b01", "slope-b99"] {
            assert!(of(without, text).await.is_empty(), "{without}");
        }
    }
}

#[tokio::test]
async fn support_of_a_question_is_bounded() {
    let mut pack = tiny_course();
    for number in 1..=5 {
        let id = format!("slope-b06-more{number}");
        pack.support.push(support(&id, "slope-b06", "Draw it."));
    }
    let mut request = search("");
    request.question_id = "slope-b06".to_owned();
    let found = retrieve_from(pack, request).await;
    assert_eq!(found.exam_support.len(), 4);
    assert_eq!(found.exam_support[0].chunk_id, "slope-b06-memo");
}

#[tokio::test]
async fn an_empty_text_gives_the_units_own_order() {
    for empty in ["", "  \n"] {
        let found = retrieve(search(empty)).await;
        let units: Vec<_> = found.anchors.iter().map(|a| a.unit_id.as_str()).collect();
        assert_eq!(units, ["slope", "factor"]);
        let chunks: Vec<_> = found.chunks.iter().map(|c| c.chunk_id.as_str()).collect();
        assert_eq!(chunks[..3], ["slope-c19", "slope-c18", "slope-c17"]);
        assert!(found.chunks.iter().all(|chunk| chunk.score == 0.0));
    }
}

#[tokio::test]
async fn the_first_texts_of_the_focus_are_the_same_whatever_is_asked() {
    let first = ["slope-c19", "slope-c18", "slope-c17", "slope-c16"];
    for text in [
        "",
        "how steep is the slope of a line",
        "factoring",
        "part 9",
    ] {
        let found = retrieve(search(text)).await;
        let ids: Vec<_> = found.unit_chunks.iter().map(|c| &*c.chunk_id).collect();
        assert_eq!(ids, first, "{text}");
        assert!(found.unit_chunks.iter().all(|chunk| chunk.score == 0.0));
    }
    // They come with the chunks, and only of a unit that there is.
    let mut anchors = search("slope");
    anchors.namespaces = vec![Namespace::UnitAnchors.into()];
    assert!(retrieve(anchors).await.unit_chunks.is_empty());
    let mut nowhere = search("slope");
    nowhere.namespaces = vec![Namespace::UnitContentChunks.into()];
    nowhere.focus_unit_id.clear();
    assert!(retrieve(nowhere).await.unit_chunks.is_empty());
}

#[tokio::test]
async fn the_order_of_the_scope_changes_nothing() {
    let mut turned = search("slope or quadratic");
    turned.scoped_unit_ids.reverse();
    turned.scoped_unit_ids.push("slope".to_owned());
    assert_eq!(
        retrieve(turned).await,
        retrieve(search("slope or quadratic")).await
    );
}

#[tokio::test]
async fn equal_scores_go_by_id() {
    let mut pack = tiny_course();
    pack.chunks.retain(|chunk| chunk.unit != "slope");
    for id in ["z", "m", "a", "q"] {
        pack.chunks.push(chunk(id, "slope", "The very same text."));
    }
    let mut request = search("the very same text");
    request.scoped_unit_ids = vec!["slope".to_owned()];
    let found = retrieve_from(pack, request).await;
    let ids: Vec<_> = found.chunks.iter().map(|c| c.chunk_id.as_str()).collect();
    assert_eq!(ids, ["a", "m", "q", "z"]);
    assert!(
        found
            .chunks
            .iter()
            .all(|c| c.score == found.chunks[0].score)
    );
}

#[tokio::test]
async fn the_texts_of_a_unit_that_only_greets_come_behind() {
    let mut request = search("I am lost, which line begins here?");
    request.scoped_unit_ids = vec!["start".to_owned(), "slope".to_owned()];
    let found = retrieve(request).await;
    let place = |unit: &str| {
        let mut chunks = found.chunks.iter();
        chunks.position(|chunk| chunk.unit_id == unit).unwrap()
    };
    assert!(place("slope") < place("start"), "{:?}", found.chunks);
    assert!(found.chunks[place("start")].score > 0.0);
}

#[tokio::test]
async fn a_text_that_matches_nothing_still_finds_the_scope() {
    let found = retrieve(search("zzz qqq 🙂")).await;
    assert_eq!(found.chunks.len(), 8);
    let mut ids: Vec<_> = found.chunks.iter().map(|c| c.chunk_id.clone()).collect();
    let order = ids.clone();
    ids.sort();
    assert_eq!(order, ids);
}

#[tokio::test]
async fn a_course_may_set_its_own_limits() {
    let mut pack = tiny_course();
    pack.course.policy.top_k_anchors = Some(1);
    pack.course.policy.top_k_chunks = Some(12);
    pack.course.policy.top_k_exam_candidates = Some(3);
    let found = retrieve_from(pack, search("slope")).await;
    assert_eq!(found.anchors.len(), 1);
    assert_eq!(found.chunks.len(), 12);
    assert_eq!(found.exam_candidates.len(), 3);
}

#[tokio::test]
async fn the_index_is_named_by_the_pack() {
    let of = |hash: &str| {
        let mut pack = tiny_course();
        pack.hash = hash.to_owned();
        let mut request = search("slope");
        request.pack_hash = String::new();
        retrieve_from(pack, request)
    };
    let first = of("one").await;
    assert_eq!(first.index_id, of("one").await.index_id);
    assert_ne!(first.index_id, of("two").await.index_id);
}

/// The record of a turn names what was found; its pack makes the same of the names, in the same order. What the record
/// holds itself stays.
#[tokio::test]
async fn names_become_the_words_that_were_found() {
    let found = retrieve(search("how steep is the slope of a line")).await;
    assert_eq!(found.unit_chunks.len(), 4);
    let uploaded = Chunk {
        chunk_id: "film/c1".to_owned(),
        unit_id: "slope".to_owned(),
        text: "Rise over run.".to_owned(),
        ..Chunk::default()
    };
    let mut chunks = found.chunks.clone();
    chunks.insert(1, uploaded.clone());
    let named = |chunk: &Chunk| FoundChunk {
        chunk_id: chunk.chunk_id.clone(),
        score: chunk.score,
    };
    let mut anchors: Vec<Anchor> = found.anchors.clone();
    anchors.iter_mut().for_each(|anchor| anchor.score = 0.0);
    let mut candidates: Vec<ExamCandidate> = found.exam_candidates.clone();
    candidates.iter_mut().for_each(|one| one.score = 0.0);
    let unknown = Anchor {
        unit_id: "nowhere".to_owned(),
        ..Anchor::default()
    };
    let mut record = TurnRecord {
        facts: Some(TurnFacts {
            chunks: chunks.iter().map(named).collect(),
            ..TurnFacts::default()
        }),
        texts: Some(TurnTexts {
            anchors: anchors
                .iter()
                .map(|anchor| Anchor {
                    unit_id: anchor.unit_id.clone(),
                    ..Anchor::default()
                })
                .chain([unknown.clone()])
                .collect(),
            chunks: vec![uploaded],
            unit_chunks: found
                .unit_chunks
                .iter()
                .map(|chunk| Chunk {
                    chunk_id: chunk.chunk_id.clone(),
                    ..Chunk::default()
                })
                .collect(),
            exam_candidates: candidates
                .iter()
                .map(|one| ExamCandidate {
                    question_id: one.question_id.clone(),
                    ..ExamCandidate::default()
                })
                .collect(),
            ..TurnTexts::default()
        }),
        ..TurnRecord::default()
    };
    anchors.push(unknown);
    for _ in 0..2 {
        put_in_words(&mut record, &tiny_course());
        let texts = record.texts.as_ref().unwrap();
        assert_eq!(texts.anchors, anchors);
        assert_eq!(texts.chunks, chunks);
        assert_eq!(texts.unit_chunks, found.unit_chunks);
        assert_eq!(texts.exam_candidates, candidates);
    }
}
