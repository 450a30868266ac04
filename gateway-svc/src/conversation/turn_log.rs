//! A turn's chain as the store keeps it: what the course's pack holds is named there, and no more.

use std::time::Duration;

use bytes::Bytes;
use prost::Message;
use turnwise_proto::{
    explain::v1::{FoundChunk, PhaseTime, TurnFacts, TurnTexts},
    retrieval::v1::{Anchor, Chunk, ExamCandidate},
    session::v1::TurnLog,
};

/// The most bytes of either part of a turn's log.
const LOG_PART_BYTES: usize = 262_144;

/// Writes the chunks that were found to the record: the words for the prompt, and which they were.
pub(crate) fn keep_chunks(
    facts: &mut TurnFacts,
    texts: &mut TurnTexts,
    index_id: String,
    chunks: Vec<Chunk>,
) {
    facts.index_id = index_id;
    facts.chunks = chunks
        .iter()
        .map(|chunk| FoundChunk {
            chunk_id: chunk.chunk_id.clone(),
            score: chunk.score,
        })
        .collect();
    texts.chunks = chunks;
}

/// Writes to the record how long a phase took; one that comes again, after a schema that was only named, all its times.
pub(crate) fn note_time(facts: &mut TurnFacts, phase: &str, took: Duration) {
    let times = &mut facts.times;
    let before = times.iter().position(|time| time.phase == phase);
    let before: Option<Duration> = before.and_then(|at| times.remove(at).took?.try_into().ok());
    let took = took.saturating_add(before.unwrap_or_default());
    times.push(PhaseTime {
        phase: phase.to_owned(),
        took: took.try_into().ok(),
    });
}

/// The texts without the words that the course's pack holds. What was uploaded may be replaced at any time, so it
/// stays.
fn named(texts: TurnTexts) -> TurnTexts {
    let anchors = texts.anchors.into_iter().map(|anchor| Anchor {
        unit_id: anchor.unit_id,
        ..Anchor::default()
    });
    let mut chunks = texts.chunks;
    // No other chunk of a pack has a slash in its id than a piece of a document.
    chunks.retain(|chunk| chunk.chunk_id.contains('/'));
    let unit_chunks = texts.unit_chunks.into_iter().map(|chunk| Chunk {
        chunk_id: chunk.chunk_id,
        ..Chunk::default()
    });
    let candidates = texts
        .exam_candidates
        .into_iter()
        .map(|found| ExamCandidate {
            question_id: found.question_id,
            ..ExamCandidate::default()
        });
    TurnTexts {
        anchors: anchors.collect(),
        chunks,
        unit_chunks: unit_chunks.collect(),
        exam_candidates: candidates.collect(),
        ..texts
    }
}

/// The turn's chain for its log. One that is too large is kept without its texts and as far as it fits, and says so.
pub(crate) fn turn_log(facts: &TurnFacts, texts: TurnTexts) -> TurnLog {
    let whole = (facts.encode_to_vec(), named(texts).encode_to_vec());
    let turn_id = facts.turn_id.clone();
    let (facts, text) = if whole.0.len() <= LOG_PART_BYTES && whole.1.len() <= LOG_PART_BYTES {
        whole
    } else {
        let head = TurnFacts {
            format: facts.format,
            turn_id: facts.turn_id.clone(),
            thread_id: facts.thread_id.clone(),
            student_id: facts.student_id.clone(),
            class_id: facts.class_id.clone(),
            course_id: facts.course_id.clone(),
            planned_at: facts.planned_at,
            plan: facts.plan.clone(),
            candidate_question_ids: facts.candidate_question_ids.clone(),
            statuses: facts.statuses.clone(),
            exam_system_unavailable: facts.exam_system_unavailable,
            matched_unit_id: facts.matched_unit_id.clone(),
            policy: facts.policy.clone(),
            prompt: facts.prompt.clone(),
            model_call: facts.model_call.clone(),
            no_model: facts.no_model,
            verdict: facts.verdict.clone(),
            turn_state: facts.turn_state.clone(),
            degraded_reasons: facts.degraded_reasons.clone(),
            guardrail: facts.guardrail.clone(),
            guardrail_finding: facts.guardrail_finding.clone(),
            class_policy: facts.class_policy,
            chat: facts.chat.clone(),
            help: facts.help.clone(),
            incomplete: true,
            times: facts.times.clone(),
            ..TurnFacts::default()
        };
        (head.encode_to_vec(), Vec::new())
    };
    TurnLog {
        turn_id,
        facts: Bytes::from(facts),
        text: Bytes::from(text),
        ..TurnLog::default()
    }
}
