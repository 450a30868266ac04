//! The course's words that the record of a turn names by their ids.

use turnwise_course_pack::Pack;
use turnwise_proto::{explain::v1::TurnRecord, retrieval::v1::Chunk};
use turnwise_retrieval_relevance::{passage_of, titles};

use super::convert;

/// Puts what a record names in words again, as they were found in this pack: that of the turn. What the record holds
/// itself stays as it is, and so does a name that the pack does not have.
pub fn put_in_words(record: &mut TurnRecord, pack: &Pack) {
    let (Some(facts), Some(texts)) = (&record.facts, &mut record.texts) else {
        return;
    };
    let titles = titles(pack);
    let chunk = |id: &str, score: f64| -> Option<Chunk> {
        let chunk = pack.chunks.iter().find(|chunk| chunk.id == id)?;
        let passage = passage_of(chunk, &titles);
        Some(convert::chunk(id, &chunk.unit, &passage, score))
    };
    for anchor in texts.anchors.iter_mut().filter(|a| a.title.is_empty()) {
        if let Some(unit) = pack.units.iter().find(|unit| unit.id == anchor.unit_id) {
            *anchor = convert::anchor(unit, anchor.score);
        }
    }
    for named in texts.unit_chunks.iter_mut().filter(|c| c.text.is_empty()) {
        if let Some(whole) = chunk(&named.chunk_id, 0.0) {
            *named = whole;
        }
    }
    for candidate in &mut texts.exam_candidates {
        let mut questions = pack.questions.iter();
        if candidate.unit_ids.is_empty()
            && let Some(question) = questions.find(|q| q.id == candidate.question_id)
        {
            *candidate = convert::exam_candidate(question, candidate.score);
        }
    }
    // The facts have the order of all, the texts those that are not the pack's.
    let mut held = std::mem::take(&mut texts.chunks);
    for found in &facts.chunks {
        match held.iter().position(|held| held.chunk_id == found.chunk_id) {
            Some(at) => texts.chunks.push(held.remove(at)),
            None => texts.chunks.extend(chunk(&found.chunk_id, found.score)),
        }
    }
    texts.chunks.append(&mut held);
}
