//! The prompt of a turn, from prompt sheets: rules and POLICY in the system role, everything else as delimited data in
//! the user role.

use jiff::Timestamp;
use minijinja::{Environment, context};
use serde::Serialize;
use turnwise_proto::{
    llm::v1::{ChatMessage, ChatRole},
    policy::v1::{Policy, SnapshotSummary},
    retrieval::v1::{Anchor, Chunk},
    tutor::v1::{ClientEventKind, ExamAvailability, MasteryTier, Role, TutorAction, TutorMessage},
};

use crate::input::Input;

const SYSTEM_SHEET: &str = include_str!("../prompts/tutor.system.md");
const USER_SHEET: &str = include_str!("../prompts/tutor.user.md");

/// How many key ideas a concept card may have.
const MAX_KEY_IDEAS: u8 = 3;
/// How much of an earlier message the prompt repeats, in characters.
const EARLIER_CHARS: usize = 400;

/// The prompt sheets, read once.
pub struct PromptSheets {
    environment: Environment<'static>,
}

/// What a prompt is made from.
pub struct PromptInput<'a> {
    /// The turn's policy.
    pub policy: &'a Policy,
    /// What the model sees of the record.
    pub summary: &'a SnapshotSummary,
    /// Descriptions of the scoped units.
    pub anchors: &'a [Anchor],
    /// Lesson text.
    pub chunks: &'a [Chunk],
    /// The latest messages, oldest first.
    pub recent: &'a [TutorMessage],
    /// The student's input, redacted.
    pub input: &'a Input,
}

impl PromptSheets {
    /// Reads the sheets.
    pub fn load() -> Result<Self, minijinja::Error> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(minijinja::UndefinedBehavior::Strict);
        // The sheets are Markdown and hold JSON that is escaped before it gets there.
        environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        environment.add_template("system", SYSTEM_SHEET)?;
        environment.add_template("user", USER_SHEET)?;
        Ok(Self { environment })
    }

    /// The messages to send to the model.
    pub fn render(&self, input: &PromptInput<'_>) -> Result<Vec<ChatMessage>, minijinja::Error> {
        let policy = PolicyView::of(input.policy);
        let system = self.environment.get_template("system")?.render(context! {
            drill_max_steps => policy.constraints.drill_max_steps,
            max_worked_examples => policy.constraints.max_worked_examples,
            max_concept_words => policy.constraints.max_concept_words,
            policy_json => data(&policy),
            max_key_ideas => MAX_KEY_IDEAS,
        })?;
        let recent: Vec<EarlierTurn> = input.recent.iter().map(EarlierTurn::of).collect();
        let user = self.environment.get_template("user")?.render(context! {
            context_json => data(&ContextView::of(input)),
            recent_json => if recent.is_empty() { String::new() } else { data(&recent) },
            input_json => data(&StudentInputView::of(input.input)),
        })?;
        let message = |role: ChatRole, content: String| ChatMessage {
            role: role.into(),
            content,
        };
        Ok(vec![
            message(ChatRole::System, system),
            message(ChatRole::User, user),
        ])
    }
}

/// JSON in which nothing can look like the end of its block: no line starts with a mark, no tag can close.
fn data<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value)
        .unwrap_or_else(|_| "null".to_owned())
        .replace('<', "\\u003c")
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PolicyView<'a> {
    turn_id: &'a str,
    focus_unit_id: &'a str,
    primary_target_unit_id: &'a str,
    prereq_blocking_unit_id: Option<&'a str>,
    scoped_unit_ids: &'a [String],
    allowed_actions: Vec<&'static str>,
    stuck: bool,
    exam_ready: bool,
    desired_exam_tier: &'static str,
    exam_availability: &'static str,
    constraints: ConstraintsView,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ConstraintsView {
    max_concept_words: i32,
    max_worked_examples: i32,
    drill_max_steps: i32,
}

impl<'a> PolicyView<'a> {
    fn of(policy: &'a Policy) -> Self {
        let constraints = policy.constraints.unwrap_or_default();
        Self {
            turn_id: &policy.turn_id,
            focus_unit_id: &policy.focus_unit_id,
            primary_target_unit_id: &policy.primary_target_unit_id,
            prereq_blocking_unit_id: non_empty(&policy.prereq_blocking_unit_id),
            scoped_unit_ids: &policy.scoped_unit_ids,
            allowed_actions: policy.allowed_actions().map(action_name).collect(),
            stuck: policy.stuck,
            exam_ready: policy.exam_ready,
            desired_exam_tier: tier_name(policy.desired_exam_tier()),
            exam_availability: availability_name(policy.exam_availability()),
            constraints: ConstraintsView {
                max_concept_words: constraints.max_concept_words,
                max_worked_examples: constraints.max_worked_examples,
                drill_max_steps: constraints.drill_max_steps,
            },
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ContextView<'a> {
    unit_anchors: Vec<AnchorView<'a>>,
    unit_content_chunks: Vec<ChunkView<'a>>,
    exam_candidates: Vec<CandidateView<'a>>,
    #[serde(rename = "snapshotLiteForLLM")]
    snapshot_lite_for_llm: SnapshotView<'a>,
    client_event: EventView<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AnchorView<'a> {
    unit_id: &'a str,
    title: &'a str,
    summary: &'a str,
    tags: &'a [String],
    misconceptions: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ChunkView<'a> {
    unit_id: &'a str,
    section: &'a str,
    source_id: &'a str,
    text: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CandidateView<'a> {
    question_id: &'a str,
    difficulty_tier: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SnapshotView<'a> {
    focus_unit_id: &'a str,
    focus_mastery_tier: &'static str,
    units_in_progress: &'a [String],
    revisit: RevisitView,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RevisitView {
    locked_count: i32,
    next_eligible_at: Option<Timestamp>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EventView<'a> {
    kind: &'static str,
    unit_id: Option<&'a str>,
}

impl<'a> ContextView<'a> {
    fn of(input: &PromptInput<'a>) -> Self {
        let tier = tier_name(input.policy.desired_exam_tier());
        Self {
            unit_anchors: input
                .anchors
                .iter()
                .map(|a| AnchorView {
                    unit_id: &a.unit_id,
                    title: &a.title,
                    summary: &a.summary,
                    tags: &a.tags,
                    misconceptions: &a.misconceptions,
                })
                .collect(),
            unit_content_chunks: input
                .chunks
                .iter()
                .map(|c| ChunkView {
                    unit_id: &c.unit_id,
                    section: &c.section,
                    source_id: &c.source_id,
                    text: &c.text,
                })
                .collect(),
            exam_candidates: input
                .policy
                .exam_candidate_ids
                .iter()
                .map(|id| CandidateView {
                    question_id: id,
                    difficulty_tier: tier,
                })
                .collect(),
            snapshot_lite_for_llm: SnapshotView {
                focus_unit_id: &input.summary.focus_unit_id,
                focus_mastery_tier: tier_name(input.summary.focus_mastery_tier()),
                units_in_progress: &input.summary.units_in_progress,
                revisit: RevisitView {
                    locked_count: input.summary.revisit_locked_count,
                    next_eligible_at: input
                        .summary
                        .revisit_next_eligible_at
                        .as_ref()
                        .and_then(turnwise_kit::time::from_proto),
                },
            },
            client_event: EventView {
                kind: input
                    .input
                    .event
                    .as_ref()
                    .map_or("NONE", |e| event_name(e.kind())),
                unit_id: input.input.event.as_ref().map(|e| e.unit_id.as_str()),
            },
        }
    }
}

#[derive(Serialize)]
struct EarlierTurn {
    role: &'static str,
    text: String,
}

impl EarlierTurn {
    fn of(message: &TutorMessage) -> Self {
        let said = if message.text.is_empty() {
            &message.latex
        } else {
            &message.text
        };
        Self {
            role: match message.role() {
                Role::Assistant => "assistant",
                _ => "user",
            },
            text: said.chars().take(EARLIER_CHARS).collect(),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StudentInputView<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    message_text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_latex: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    voice_transcript: Option<&'a str>,
}

impl<'a> StudentInputView<'a> {
    fn of(input: &'a Input) -> Self {
        Self {
            message_text: non_empty(&input.text),
            message_latex: non_empty(&input.latex),
            voice_transcript: non_empty(&input.voice_transcript),
        }
    }
}

fn non_empty(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

fn action_name(action: TutorAction) -> &'static str {
    strip(action.as_str_name(), "TUTOR_ACTION_")
}

fn event_name(kind: ClientEventKind) -> &'static str {
    match kind {
        ClientEventKind::Unspecified => "NONE",
        kind => strip(kind.as_str_name(), "CLIENT_EVENT_KIND_"),
    }
}

fn tier_name(tier: MasteryTier) -> &'static str {
    match tier {
        MasteryTier::Unspecified | MasteryTier::None => "none",
        MasteryTier::Bronze => "bronze",
        MasteryTier::Silver => "silver",
        MasteryTier::Gold => "gold",
    }
}

fn availability_name(availability: ExamAvailability) -> &'static str {
    match availability {
        ExamAvailability::Available => "available",
        ExamAvailability::Locked => "locked",
        ExamAvailability::None | ExamAvailability::Unspecified => "none",
    }
}

fn strip(name: &'static str, prefix: &str) -> &'static str {
    name.strip_prefix(prefix).unwrap_or(name)
}
