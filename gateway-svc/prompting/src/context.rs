//! CONTEXT: what a turn's model may know beside the unit. What is empty is left out: a key costs tokens in every turn.

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
    /// The other units of the scope, by name; what the focus is about stands in UNIT_CONTEXT.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) unit_anchors: Vec<AnchorView<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) unit_content_chunks: Vec<ChunkView<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    exam_candidates: Vec<CandidateView<'a>>,
    #[serde(
        rename = "snapshotLiteForLLM",
        skip_serializing_if = "SnapshotView::is_empty"
    )]
    pub(crate) snapshot_lite_for_llm: SnapshotView<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_event: Option<EventView<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) conversation: Option<ConversationView<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AnchorView<'a> {
    unit_id: &'a str,
    title: &'a str,
}

/// A piece of lesson text. Addresses and pages are left out: a tutor gives no links.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChunkView<'a> {
    #[serde(skip)]
    pub(crate) chunk_id: &'a str,
    /// Empty for a text of the unit that it stands in.
    #[serde(skip_serializing_if = "str::is_empty")]
    unit_id: &'a str,
    /// What kind of text it is; empty for an explanation in a written lesson.
    #[serde(rename = "type", skip_serializing_if = "str::is_empty")]
    kind: &'a str,
    /// The title of the document that it stands in; empty for a text of the unit that it stands in, and where it is its
    /// unit's or its section's title.
    #[serde(skip_serializing_if = "str::is_empty")]
    source: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    section: &'a str,
    pub(crate) text: Cow<'a, str>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct CandidateView<'a> {
    question_id: &'a str,
    /// Its units; empty where it is about the focus alone.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    unit_ids: &'a [String],
    difficulty_tier: &'static str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    tags: &'a [String],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SnapshotView<'a> {
    /// The record's focus; none where it is POLICY's.
    #[serde(skip_serializing_if = "Option::is_none")]
    focus_unit_id: Option<&'a str>,
    /// The focus' badge; none where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    focus_mastery_tier: Option<&'static str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub(crate) units_in_progress: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    revisit: Option<RevisitView>,
}

impl SnapshotView<'_> {
    fn is_empty(&self) -> bool {
        self.focus_unit_id.is_none()
            && self.focus_mastery_tier.is_none()
            && self.units_in_progress.is_empty()
            && self.revisit.is_none()
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct RevisitView {
    locked_count: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
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
    /// All of it, before anything is left out, with these of the chunks that were found.
    pub(crate) fn of(input: &TurnPrompt<'a>, found: impl Iterator<Item = &'a Chunk>) -> Self {
        let policy = input.policy;
        let difficulty_tier = tier(policy.desired_exam_tier());
        let summary = input.summary;
        let focus = policy.focus_unit_id.as_str();
        let others = input.anchors.iter().filter(|a| a.unit_id != focus);
        Self {
            unit_anchors: others.map(AnchorView::of).collect(),
            unit_content_chunks: found
                .map(|chunk| ChunkView::of(chunk, input.anchors))
                .collect(),
            exam_candidates: policy
                .exam_candidate_ids
                .iter()
                .map(|question_id| CandidateView::of(question_id, difficulty_tier, input))
                .collect(),
            snapshot_lite_for_llm: SnapshotView {
                focus_unit_id: non_empty(&summary.focus_unit_id).filter(|id| *id != focus),
                focus_mastery_tier: Some(tier(summary.focus_mastery_tier()))
                    .filter(|tier| *tier != "none"),
                units_in_progress: &summary.units_in_progress,
                revisit: (summary.revisit_locked_count > 0).then(|| RevisitView {
                    locked_count: summary.revisit_locked_count,
                    next_eligible_at: summary
                        .revisit_next_eligible_at
                        .as_ref()
                        .and_then(|t| Timestamp::new(t.seconds, t.nanos).ok()),
                }),
            },
            client_event: EventView::of(input),
            conversation: ConversationView::of(&input.conversation),
        }
    }
}

impl<'a> CandidateView<'a> {
    /// A question that was not found by this search, such as one to come back to, has neither units nor tags.
    fn of(question_id: &'a str, difficulty_tier: &'static str, input: &TurnPrompt<'a>) -> Self {
        let mut candidates = input.candidates.iter();
        let found = candidates.find(|candidate| candidate.question_id == question_id);
        let unit_ids: &[String] = found.map_or(&[][..], |found| &found.unit_ids);
        let is_of_focus = matches!(unit_ids, [unit_id] if *unit_id == input.policy.focus_unit_id);
        Self {
            question_id,
            unit_ids: if is_of_focus { &[] } else { unit_ids },
            difficulty_tier,
            tags: found.map_or(&[][..], |found| &found.tags),
        }
    }
}

impl<'a> AnchorView<'a> {
    fn of(anchor: &'a Anchor) -> Self {
        Self {
            unit_id: &anchor.unit_id,
            title: &anchor.title,
        }
    }
}

impl<'a> ChunkView<'a> {
    /// A text that was found. These units' titles are said elsewhere.
    fn of(chunk: &'a Chunk, anchors: &[Anchor]) -> Self {
        let view = Self::of_unit(chunk);
        let citation = chunk.citation.as_ref();
        let title = citation.map_or("", |citation| &citation.title);
        let mut units = anchors.iter();
        let is_said = title == view.section
            || units.any(|unit| unit.unit_id == chunk.unit_id && unit.title == title);
        Self {
            unit_id: &chunk.unit_id,
            source: if is_said { "" } else { title },
            ..view
        }
    }

    /// A text of the unit that it stands in.
    pub(crate) fn of_unit(chunk: &'a Chunk) -> Self {
        let citation = chunk.citation.as_ref();
        Self {
            chunk_id: &chunk.chunk_id,
            unit_id: "",
            kind: kind(chunk),
            source: "",
            section: citation
                .and_then(|citation| non_empty(&citation.section))
                .unwrap_or(&chunk.section),
            text: Cow::Borrowed(&chunk.text),
        }
    }
}

/// What kind of text a chunk is: that of its source, of a written one that of its section. Empty for an explanation.
fn kind(chunk: &Chunk) -> &str {
    match (chunk.chunk_type.as_str(), chunk.section_kind.as_str()) {
        ("" | "text", "explanation") => "",
        ("" | "text", of_section) => of_section,
        (of_source, _) => of_source,
    }
}

impl<'a> EventView<'a> {
    /// None where no button was pressed.
    fn of(input: &TurnPrompt<'a>) -> Option<Self> {
        let pressed = input.event?;
        let question_id = non_empty(&pressed.question_id);
        let exam_result = exam_result(input.conversation.exam_state);
        Some(Self {
            kind: event(pressed.kind()),
            unit_id: non_empty(&pressed.unit_id),
            exam: question_id
                .zip(exam_result)
                .map(|(question_id, exam_result)| ExamView {
                    question_id,
                    exam_result,
                }),
        })
    }
}
