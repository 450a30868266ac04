//! Course packs and uploads as documents to index.
//!
//! | namespace | its words come from | its vector comes from |
//! | --- | --- | --- |
//! | anchors | title, tags, anchors, summary, misconceptions of a unit | none: a scope holds few of them |
//! | chunks | heading and text | heading and text |
//! | exam candidates | what is asked and how it is tagged; never options or answers | none |
//! | exam support | the text | none |

use std::collections::{BTreeMap, HashMap};

use turnwise_course_pack::{Chunk, ChunkType, Pack, Question, Tier as PackTier};
use turnwise_retrieval_index::{Document, Namespace, Passage, SourceHead, Tier, UploadedChunk};
use turnwise_text::Analyser;

use crate::{embedded_text, terms};

/// Everything of a course pack that can be found, without vectors; by namespace, then in the pack's order.
pub fn documents_of_pack(pack: &Pack, analyser: &Analyser) -> Vec<Document> {
    let mut documents = anchors(pack, analyser);
    documents.extend(chunks(pack, analyser));
    documents.extend(self::documents(pack, analyser));
    documents.extend(exam_candidates(pack, analyser));
    documents.extend(exam_support(pack, analyser));
    documents
}

/// An uploaded chunk of a source, without its vector. Its id is the source's and its own, so that sources cannot hide
/// each other's chunks.
pub fn document_of_upload(
    source: &str,
    head: &SourceHead,
    chunk: &UploadedChunk,
    analyser: &Analyser,
) -> Document {
    let passage = Passage {
        source: source.into(),
        title: head.title.clone(),
        chunk_type: head.chunk_type.clone(),
        section_kind: chunk.section_kind.clone(),
        section: chunk.section.clone(),
        url: chunk.url.clone(),
        page: chunk.page,
        start_ms: chunk.start_ms,
        text: chunk.text.clone(),
    };
    let id = format!("{source}/{}", chunk.id);
    of_passage(&id, &chunk.unit, passage, analyser)
}

/// What a document's vector is made from: its [`Document::content`] is the hash of it. `None`: it needs no vector.
pub fn text_to_embed(document: &Document) -> Option<String> {
    let passage = document.passage.as_ref()?;
    (document.namespace == Namespace::Chunks)
        .then(|| embedded_text::of_passage(&passage.section, &passage.text))
}

/// What the vector of an uploaded chunk is made from.
pub fn text_of_upload(chunk: &UploadedChunk) -> String {
    embedded_text::of_passage(&chunk.section, &chunk.text)
}

fn anchors(pack: &Pack, analyser: &Analyser) -> Vec<Document> {
    let described = pack.units.iter().map(|unit| {
        let tags = unit.tags.join(", ");
        let mut parts = vec![unit.title.as_str(), &tags];
        parts.extend(unit.anchors.iter().map(String::as_str));
        parts.push(&unit.summary);
        parts.extend(unit.misconceptions.iter().map(|wrong| wrong.text.as_str()));
        let text = parts.join("\n");
        words_only(
            Namespace::Anchors,
            &unit.id,
            [unit.id.as_str()],
            &text,
            analyser,
        )
    });
    described.collect()
}

fn chunks(pack: &Pack, analyser: &Analyser) -> Vec<Document> {
    let titles = titles(pack);
    let chunks = pack
        .chunks
        .iter()
        .map(|chunk| of_passage(&chunk.id, &chunk.unit, passage_of(chunk, &titles), analyser));
    chunks.collect()
}

/// The titles of a pack's lessons, by unit and source.
pub type Titles = HashMap<(String, String), String>;

/// The titles of a pack's lessons.
pub fn titles(pack: &Pack) -> Titles {
    let lessons = pack.lessons.iter();
    lessons
        .map(|lesson| {
            let key = (lesson.unit.clone(), lesson.source.clone());
            (key, lesson.title.clone())
        })
        .collect()
}

/// What is shown of a chunk of a pack.
pub fn passage_of(chunk: &Chunk, titles: &Titles) -> Passage {
    let title = titles.get(&(chunk.unit.clone(), chunk.source.clone()));
    Passage {
        source: chunk.source.as_str().into(),
        title: title.map_or("", String::as_str).into(),
        chunk_type: chunk.chunk_type.as_str().into(),
        section_kind: chunk.section_kind.as_str().into(),
        section: chunk.section.as_str().into(),
        url: chunk.url.as_str().into(),
        page: 0,
        start_ms: None,
        text: chunk.text.as_str().into(),
    }
}

/// The section kind of the pieces of a pack's documents; their source is the document's id.
pub const DOCUMENT: &str = "document";

/// The most bytes of a piece of a document, unless one paragraph alone is longer.
const PIECE_BYTES: usize = 1_200;

/// A pack's documents in pieces of whole paragraphs, so that the part that fits is found and shown.
fn documents(pack: &Pack, analyser: &Analyser) -> Vec<Document> {
    let mut pieces = Vec::new();
    for document in &pack.documents {
        for (at, text) in paragraphs(&document.content).into_iter().enumerate() {
            let passage = Passage {
                source: document.id.as_str().into(),
                title: document.title.as_str().into(),
                chunk_type: ChunkType::Text.as_str().into(),
                section_kind: DOCUMENT.into(),
                section: document.title.as_str().into(),
                text: text.into(),
                ..Passage::default()
            };
            // No chunk of a pack has a slash in its id.
            let id = format!("{DOCUMENT}/{}/{at}", document.id);
            pieces.push(of_passage(&id, &document.unit, passage, analyser));
        }
    }
    pieces
}

/// Neighbouring paragraphs together, up to [`PIECE_BYTES`].
fn paragraphs(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for paragraph in text.split("\n\n").map(str::trim).filter(|p| !p.is_empty()) {
        match pieces.last_mut() {
            Some(piece) if piece.len() + paragraph.len() <= PIECE_BYTES => {
                piece.push_str("\n\n");
                piece.push_str(paragraph);
            }
            _ => pieces.push(paragraph.to_owned()),
        }
    }
    pieces
}

/// A question that the exam system words is found by its units.
fn exam_candidates(pack: &Pack, analyser: &Analyser) -> Vec<Document> {
    let titles: HashMap<&str, &str> = pack
        .units
        .iter()
        .map(|unit| (unit.id.as_str(), unit.title.as_str()))
        .collect();
    let candidates = pack.questions.iter().map(|question| {
        let units = question.units.iter().map(String::as_str);
        let prompt = match question.prompt.as_str() {
            "" => units
                .filter_map(|unit| titles.get(unit).copied())
                .collect::<Vec<_>>()
                .join(", "),
            prompt => prompt.to_owned(),
        };
        let text = [
            prompt.as_str(),
            &question.question_latex,
            &question.tags.join(", "),
        ]
        .join("\n");
        let units = question.units.iter().map(String::as_str);
        let mut document = words_only(
            Namespace::ExamCandidates,
            &question.id,
            units,
            &text,
            analyser,
        );
        document.tier = Some(match question.tier {
            PackTier::Bronze => Tier::Bronze,
            PackTier::Silver => Tier::Silver,
            PackTier::Gold => Tier::Gold,
        });
        document
    });
    candidates.collect()
}

/// Under the units of its question.
fn exam_support(pack: &Pack, analyser: &Analyser) -> Vec<Document> {
    let questions: HashMap<&str, &Question> = pack
        .questions
        .iter()
        .map(|question| (question.id.as_str(), question))
        .collect();
    let support = pack.support.iter().filter_map(|support| {
        // A pack that was checked has the question.
        let question = questions.get(support.question.as_str())?;
        let units = question.units.iter().map(String::as_str);
        Some(words_only(
            Namespace::ExamSupport,
            &support.id,
            units,
            &support.text,
            analyser,
        ))
    });
    support.collect()
}

fn of_passage(id: &str, unit: &str, passage: Passage, analyser: &Analyser) -> Document {
    let text = format!("{}\n{}", passage.section, passage.text);
    let mut document = words_only(Namespace::Chunks, id, [unit], &text, analyser);
    document.content =
        embedded_text::hash(&embedded_text::of_passage(&passage.section, &passage.text));
    document.passage = Some(passage);
    document
}

fn words_only<'a>(
    namespace: Namespace,
    id: &str,
    units: impl IntoIterator<Item = &'a str>,
    text: &str,
    analyser: &Analyser,
) -> Document {
    let analysis = terms::analyse(analyser, text);
    // By spelling: a letter can be a word here and a variable there.
    let mut terms: BTreeMap<&str, u32> = BTreeMap::new();
    for (term, times) in terms::counts(&analysis) {
        *terms.entry(term.text.as_str()).or_default() += times;
    }
    let mut units: Vec<Box<str>> = units.into_iter().map(Into::into).collect();
    units.sort_unstable();
    units.dedup();
    Document {
        namespace,
        id: id.into(),
        units,
        tier: None,
        terms: terms
            .into_iter()
            .map(|(term, times)| (term.into(), times))
            .collect(),
        vector: None,
        content: embedded_text::hash(&embedded_text::of_passage("", text)),
        passage: None,
    }
}
