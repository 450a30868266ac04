//! What was found, as messages.

use prost_types::Duration;
use turnwise_course_pack as pack;
use turnwise_proto::{
    retrieval::v1::{
        Anchor, Chunk, Citation, ClarificationTask, DenseUse, ExamCandidate, ExamSupportChunk,
        LocalQuestions,
    },
    tutor::v1::MasteryTier,
};
use turnwise_retrieval_index::Passage;

use crate::course::Dense;

pub(super) fn anchor(unit: &pack::Unit, score: f64) -> Anchor {
    Anchor {
        unit_id: unit.id.clone(),
        title: unit.title.clone(),
        summary: unit.summary.clone(),
        tags: unit.tags.clone(),
        misconceptions: (unit.misconceptions.iter())
            .map(|wrong| wrong.text.clone())
            .collect(),
        score,
    }
}

pub(super) fn chunk(id: &str, unit: &str, passage: &Passage, score: f64) -> Chunk {
    Chunk {
        chunk_id: id.to_owned(),
        unit_id: unit.to_owned(),
        chunk_type: passage.chunk_type.to_string(),
        section_kind: passage.section_kind.to_string(),
        source_id: passage.source.to_string(),
        section: passage.section.to_string(),
        url: passage.url.to_string(),
        text: passage.text.to_string(),
        score,
        citation: Some(citation(passage)),
    }
}

pub(super) fn citation(passage: &Passage) -> Citation {
    Citation {
        source_id: passage.source.to_string(),
        title: passage.title.to_string(),
        section: passage.section.to_string(),
        url: passage.url.to_string(),
        page: i32::try_from(passage.page).unwrap_or(0),
        start_time: passage.start_ms.map(|ms| Duration {
            seconds: i64::try_from(ms / 1000).unwrap_or(i64::MAX),
            nanos: i32::try_from(ms % 1000).unwrap_or(0) * 1_000_000,
        }),
    }
}

pub(super) fn exam_candidate(question: &pack::Question, score: f64) -> ExamCandidate {
    ExamCandidate {
        question_id: question.id.clone(),
        unit_ids: question.units.clone(),
        tier: tier(question.tier).into(),
        tags: question.tags.clone(),
        score,
    }
}

fn tier(tier: pack::Tier) -> MasteryTier {
    match tier {
        pack::Tier::Bronze => MasteryTier::Bronze,
        pack::Tier::Silver => MasteryTier::Silver,
        pack::Tier::Gold => MasteryTier::Gold,
    }
}

pub(super) fn exam_support(support: &pack::Support, score: f64) -> ExamSupportChunk {
    ExamSupportChunk {
        chunk_id: support.id.clone(),
        question_id: support.question.clone(),
        support_kind: support.kind.as_str().to_owned(),
        text: support.text.clone(),
        score,
        citation: Some(Citation {
            source_id: support.id.clone(),
            ..Citation::default()
        }),
    }
}

/// `locale` is the course's.
pub(super) fn clarification(
    document: &pack::ClarifyingDocument,
    locale: &str,
) -> ClarificationTask {
    let translations = document.questions_by_locale.iter();
    ClarificationTask {
        document_id: document.id.clone(),
        title: document.title.clone(),
        original_doc_content: document.content.clone(),
        questions: document.questions.clone(),
        requires_handoff: document.requires_handoff,
        unit_id: document.unit.clone(),
        locale: locale.to_owned(),
        translations: translations
            .map(|(locale, questions)| LocalQuestions {
                locale: locale.clone(),
                questions: questions.clone(),
            })
            .collect(),
    }
}

pub(super) fn dense(dense: Dense) -> DenseUse {
    match dense {
        Dense::NoModel => DenseUse::NoModel,
        Dense::Pending => DenseUse::Unavailable,
        Dense::Complete => DenseUse::Used,
    }
}
