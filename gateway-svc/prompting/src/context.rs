//! CONTEXT: what a turn's model may know.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::Serialize;
use turnwise_proto::retrieval::v1::{Anchor, Chunk};

use crate::{
    conversation::{ConversationView, exam_result},
    turn::TurnPrompt,
    words::{event, non_empty, tier},
};

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Context<'a> {
    pub(crate) unit_anchors: Vec<AnchorView<'a>>,
    pub(crate) unit_content_chunks: Vec<ChunkView<'a>>,
    exam_candidates: Vec<CandidateView<'a>>,
    #[serde(rename = "snapshotLiteForLLM")]
    pub(crate) snapshot_lite_for_llm: SnapshotView<'a>,
    client_event: EventView<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) conversation: Option<ConversationView<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AnchorView<'a> {
    pub(crate) unit_id: &'a str,
    title: &'a str,
    pub(crate) summary: Cow<'a, str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub(crate) tags: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub(crate) misconceptions: &'a [String],
    #[serde(skip)]
    pub(crate) cut: bool,
}

/// A piece of lesson text and where it comes from. Addresses are left out: a tutor gives no links.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChunkView<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    unit_id: &'a str,
    /// `text`, `pdf` or `transcript`.
    #[serde(rename = "type", skip_serializing_if = "str::is_empty")]
    chunk_type: &'a str,
    /// A word of the course's, such as `explanation` or `example`.
    #[serde(skip_serializing_if = "str::is_empty")]
    section_kind: &'a str,
    source: SourceView<'a>,
    pub(crate) text: Cow<'a, str>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SourceView<'a> {
    /// The document's title, or its id where it has none.
    #[serde(skip_serializing_if = "str::is_empty")]
    title: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    section: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<i32>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct CandidateView<'a> {
    question_id: &'a str,
    difficulty_tier: &'static str,
    unit_ids: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    tags: &'a [String],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SnapshotView<'a> {
    focus_unit_id: &'a str,
    focus_mastery_tier: &'static str,
    pub(crate) units_in_progress: &'a [String],
    revisit: RevisitView,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct RevisitView {
    locked_count: i32,
    next_eligible_at: Option<Timestamp>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct EventView<'a> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit_id: Option<&'a str>,
    /// The exam question that the student comes from, and its result by the exam system.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    exam: Option<ExamView<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ExamView<'a> {
    question_id: &'a str,
    exam_result: &'static str,
}

impl<'a> Context<'a> {
    /// All of it, before anything is left out.
    pub(crate) fn of(input: &TurnPrompt<'a>) -> Self {
        let policy = input.policy;
        let difficulty_tier = tier(policy.desired_exam_tier());
        let summary = input.summary;
        Self {
            unit_anchors: input.anchors.iter().map(AnchorView::of).collect(),
            unit_content_chunks: input.chunks.iter().map(ChunkView::of).collect(),
            exam_candidates: policy
                .exam_candidate_ids
                .iter()
                .map(|question_id| CandidateView::of(question_id, difficulty_tier, input))
                .collect(),
            snapshot_lite_for_llm: SnapshotView {
                focus_unit_id: &summary.focus_unit_id,
                focus_mastery_tier: tier(summary.focus_mastery_tier()),
                units_in_progress: &summary.units_in_progress,
                revisit: RevisitView {
                    locked_count: summary.revisit_locked_count,
                    next_eligible_at: summary
                        .revisit_next_eligible_at
                        .as_ref()
                        .and_then(|t| Timestamp::new(t.seconds, t.nanos).ok()),
                },
            },
            client_event: EventView::of(input),
            conversation: ConversationView::of(&input.conversation),
        }
    }
}

impl<'a> CandidateView<'a> {
    /// A question that was not found by this search, such as one to come back to, belongs to the focus at the least.
    fn of(question_id: &'a str, difficulty_tier: &'static str, input: &TurnPrompt<'a>) -> Self {
        let mut candidates = input.candidates.iter();
        let found = candidates.find(|candidate| candidate.question_id == question_id);
        let focus = std::slice::from_ref(&input.policy.focus_unit_id);
        Self {
            question_id,
            difficulty_tier,
            unit_ids: found.map_or(focus, |found| &found.unit_ids),
            tags: found.map_or(&[][..], |found| &found.tags),
        }
    }
}

impl<'a> AnchorView<'a> {
    fn of(anchor: &'a Anchor) -> Self {
        Self {
            unit_id: &anchor.unit_id,
            title: &anchor.title,
            summary: Cow::Borrowed(&anchor.summary),
            tags: &anchor.tags,
            misconceptions: &anchor.misconceptions,
            cut: false,
        }
    }
}

impl<'a> ChunkView<'a> {
    fn of(chunk: &'a Chunk) -> Self {
        let citation = chunk.citation.as_ref();
        let cited = |of: fn(&turnwise_proto::retrieval::v1::Citation) -> &String| {
            citation.map(of).and_then(|text| non_empty(text))
        };
        Self {
            unit_id: &chunk.unit_id,
            chunk_type: &chunk.chunk_type,
            section_kind: &chunk.section_kind,
            source: SourceView {
                title: cited(|c| &c.title)
                    .or(cited(|c| &c.source_id))
                    .unwrap_or(&chunk.source_id),
                section: cited(|c| &c.section).unwrap_or(&chunk.section),
                page: citation.map(|c| c.page).filter(|page| *page > 0),
            },
            text: Cow::Borrowed(&chunk.text),
        }
    }
}

impl<'a> EventView<'a> {
    fn of(input: &TurnPrompt<'a>) -> Self {
        let pressed = input.event;
        let question_id = pressed.and_then(|e| non_empty(&e.question_id));
        let exam_result = exam_result(input.conversation.exam_state);
        Self {
            kind: pressed.map_or("NONE", |e| event(e.kind())),
            unit_id: pressed.and_then(|e| non_empty(&e.unit_id)),
            exam: question_id
                .zip(exam_result)
                .map(|(question_id, exam_result)| ExamView {
                    question_id,
                    exam_result,
                }),
        }
    }
}
