//! Packs and uploads as documents.

use turnwise_retrieval_index::{Document, Namespace, SourceHead, Tier, UploadedChunk};
use turnwise_retrieval_relevance::{document_of_upload, documents_of_pack, text_to_embed};

use crate::fixture::{analyser, chunk, course};

fn documents() -> Vec<Document> {
    documents_of_pack(&course(), &analyser())
}

fn find<'a>(documents: &'a [Document], namespace: Namespace, id: &str) -> &'a Document {
    let mut found = documents
        .iter()
        .filter(|document| document.namespace == namespace && &*document.id == id);
    let document = found.next().unwrap();
    assert!(found.next().is_none());
    document
}

fn holds(document: &Document, term: &str) -> bool {
    document.terms.iter().any(|(held, _)| &**held == term)
}

#[test]
fn every_namespace_is_there() {
    let documents = documents();
    for (namespace, count) in [
        (Namespace::Anchors, 4),
        (Namespace::Chunks, 30),
        (Namespace::ExamCandidates, 3),
        (Namespace::ExamSupport, 3),
    ] {
        let found = documents
            .iter()
            .filter(|document| document.namespace == namespace);
        assert_eq!(found.count(), count, "{namespace:?}");
    }
    let question = find(&documents, Namespace::ExamCandidates, "slope-q");
    assert_eq!(question.tier, Some(Tier::Silver));
    let support = find(&documents, Namespace::ExamSupport, "slope-memo");
    assert_eq!(*support.units, ["slope".into()]);
}

#[test]
fn options_and_answers_cannot_be_searched_for() {
    for document in documents() {
        assert!(
            !holds(&document, "eleph") && !holds(&document, "giraff"),
            "{document:?}"
        );
    }
    assert!(holds(
        find(&documents(), Namespace::ExamCandidates, "slope-q"),
        "practic"
    ));
}

#[test]
fn a_chunk_says_where_it_comes_from_and_what_its_vector_is_made_of() {
    let documents = documents();
    let document = find(&documents, Namespace::Chunks, "slope-c0");
    let passage = document.passage.as_ref().unwrap();
    assert_eq!(&*passage.title, "The book of slope");
    assert_eq!(&*passage.section, "Slope of a line");
    assert_eq!(
        text_to_embed(document).unwrap(),
        "Slope of a line. The slope of a line is rise over run. Part 0."
    );
    for other in documents
        .iter()
        .filter(|document| document.namespace != Namespace::Chunks)
    {
        assert_eq!(text_to_embed(other), None);
    }
}

#[test]
fn equal_texts_have_equal_contents_whatever_their_signs() {
    let of = |text: &str| {
        let mut pack = course();
        pack.chunks = vec![chunk("c", "slope", "Signs", text)];
        let documents = documents_of_pack(&pack, &analyser());
        find(&documents, Namespace::Chunks, "c").content
    };
    assert_eq!(of("5 − 3"), of("5 - 3"));
    assert_ne!(of("5 - 3"), of("5 - 4"));
}

#[test]
fn uploads_of_two_sources_never_share_an_id() {
    let head = SourceHead {
        revision: "r1".into(),
        title: "Lecture".into(),
        chunk_type: "transcript".into(),
        chunks: 1,
    };
    let chunk = UploadedChunk {
        id: "1".into(),
        unit: "slope".into(),
        section: "Start".into(),
        section_kind: "speech".into(),
        url: "".into(),
        page: 0,
        start_ms: Some(1_500),
        text: "Rise over run.".into(),
    };
    let one = document_of_upload("one", &head, &chunk, &analyser());
    let two = document_of_upload("two", &head, &chunk, &analyser());
    assert_ne!(one.id, two.id);
    assert_eq!(one.content, two.content);
    let passage = one.passage.as_ref().unwrap();
    assert_eq!((&*passage.source, passage.start_ms), ("one", Some(1_500)));
    assert_eq!(text_to_embed(&one).unwrap(), "Start. Rise over run.");
}
