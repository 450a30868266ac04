//! What the command line prints: the public answers in JSON, spelled as the specification of the browser's edge spells
//! them, and cards for a terminal.

use std::time::Duration;

use serde::Serialize;
use turnwise_proto::tutor::v1::{
    Button, ClientEventKind, ConceptCard, DrillCard, MasteryTier, Role, SnapshotLite,
    TakeTurnResponse, TutorCard, TutorMessage,
    snapshot_lite::{RevisitEntry, Step},
    tutor_card,
};

/// A turn's answer.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnView<'a> {
    turn_id: &'a str,
    thread_id: &'a str,
    messages: Vec<MessageView<'a>>,
    snapshot_lite: Option<SnapshotLiteView<'a>>,
    degraded_reasons: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<&'static str>,
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place_ticket: Option<&'a str>,
    dialog_state: String,
    session_status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    clarification: Option<QuestionView<'a>>,
}

/// How far the questions are that an answer needs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct QuestionView<'a> {
    question_number: i32,
    question_count: i32,
    document_title: &'a str,
}

impl<'a> TurnView<'a> {
    /// The view of an answer.
    pub fn of(answer: &'a TakeTurnResponse) -> Self {
        Self {
            turn_id: &answer.turn_id,
            thread_id: &answer.thread_id,
            messages: answer.messages.iter().map(MessageView::of).collect(),
            snapshot_lite: answer.snapshot_lite.as_ref().map(SnapshotLiteView::of),
            degraded_reasons: answer
                .degraded_reasons()
                .map(|r| lower(r.as_str_name(), "DEGRADED_REASON_"))
                .collect(),
            notices: answer.notices().map(|reason| reason.wire_name()).collect(),
            model: &answer.model,
            retry_after_ms: retry_after(answer)
                .map(|after| u64::try_from(after.as_millis()).unwrap_or(u64::MAX)),
            place_ticket: non_empty(&answer.place_ticket),
            dialog_state: lower(answer.dialog_state().as_str_name(), "DIALOG_STATE_"),
            session_status: lower(answer.session_status().as_str_name(), "SESSION_STATUS_"),
            clarification: answer.clarification.as_ref().map(|progress| QuestionView {
                question_number: progress.question_number,
                question_count: progress.question_count,
                document_title: &progress.document_title,
            }),
        }
    }
}

/// When the same message may find a model; `None` if nothing is gained by trying again.
pub fn retry_after(answer: &TakeTurnResponse) -> Option<Duration> {
    answer.retry_after?.try_into().ok()
}

/// A wait as people say it, rounded up: nobody minds a shorter one.
pub(crate) fn span(wait: Duration) -> String {
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    match seconds {
        0..=90 => format!("{} s", seconds.max(1)),
        91..=5400 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h", seconds.div_ceil(3600)),
    }
}

/// A message of the timeline.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageView<'a> {
    id: i64,
    thread_id: &'a str,
    role: &'static str,
    text: &'a str,
    latex: Option<&'a str>,
    card: Option<CardView<'a>>,
    created_at: Option<String>,
    event: Option<EventView<'a>>,
    buttons: Vec<ButtonView<'a>>,
}

impl<'a> MessageView<'a> {
    /// The view of a message.
    pub fn of(message: &'a TutorMessage) -> Self {
        Self {
            id: message.id,
            thread_id: &message.thread_id,
            role: match message.role() {
                Role::Assistant => "assistant",
                _ => "user",
            },
            text: &message.text,
            latex: non_empty(&message.latex),
            card: message.card.as_ref().and_then(CardView::of),
            created_at: message.create_time.as_ref().and_then(iso),
            event: message.event.as_ref().map(EventView::of),
            buttons: message.buttons.iter().map(ButtonView::of).collect(),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EventView<'a> {
    kind: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    unit_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    question_index: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    drill_result: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    question_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exam_result: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    card_token: Option<&'a str>,
}

impl<'a> EventView<'a> {
    fn of(event: &'a turnwise_proto::tutor::v1::ClientEvent) -> Self {
        Self {
            kind: event
                .kind()
                .as_str_name()
                .trim_start_matches("CLIENT_EVENT_KIND_")
                .to_owned(),
            unit_id: &event.unit_id,
            question_index: (event.kind() == ClientEventKind::ClarificationCorrect)
                .then_some(event.question_index),
            drill_result: known(event.drill_result().as_str_name(), "DRILL_RESULT_"),
            question_id: non_empty(&event.question_id),
            exam_result: known(event.exam_result().as_str_name(), "EXAM_RESULT_"),
            card_token: non_empty(&event.card_token),
        }
    }
}

/// The last part of an enum's name, in lower case; `None` for the one that says nothing.
fn known(name: &str, prefix: &str) -> Option<String> {
    Some(lower(name, prefix)).filter(|name| name != "unspecified")
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ButtonView<'a> {
    label_key: &'a str,
    call: String,
    event: Option<EventView<'a>>,
    primary: bool,
    unit_title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    typed_answer: Option<InputView<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    card_token: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InputView<'a> {
    text: &'a str,
    latex: Option<&'a str>,
}

impl<'a> ButtonView<'a> {
    fn of(button: &'a Button) -> Self {
        Self {
            label_key: &button.label_key,
            call: lower(button.call().as_str_name(), "BUTTON_CALL_"),
            event: button.event.as_ref().map(EventView::of),
            primary: button.primary,
            unit_title: non_empty(&button.unit_title),
            typed_answer: button.typed_answer.as_ref().map(|typed| InputView {
                text: &typed.text,
                latex: non_empty(&typed.latex),
            }),
            card_token: non_empty(&button.card_token),
        }
    }
}

#[derive(Serialize)]
#[serde(tag = "type")]
enum CardView<'a> {
    #[serde(rename = "CONCEPT", rename_all = "camelCase")]
    Concept {
        unit_id: &'a str,
        #[serde(flatten)]
        card: &'a ConceptCard,
        buttons: Vec<ButtonView<'a>>,
    },
    #[serde(rename = "DRILL", rename_all = "camelCase")]
    Drill {
        unit_id: &'a str,
        #[serde(flatten)]
        card: &'a DrillCard,
        buttons: Vec<ButtonView<'a>>,
    },
    #[serde(rename = "EXAM", rename_all = "camelCase")]
    Exam {
        unit_id: &'a str,
        question_id: &'a str,
        difficulty_tier: &'static str,
        prompt: &'a str,
        question_latex: &'a str,
        options: Vec<OptionView<'a>>,
        state: String,
        locked_until: Option<String>,
        offer_token: &'a str,
        buttons: Vec<ButtonView<'a>>,
    },
}

#[derive(Serialize)]
struct OptionView<'a> {
    id: &'a str,
    text: &'a str,
}

impl<'a> CardView<'a> {
    fn of(card: &'a TutorCard) -> Option<Self> {
        let unit_id = card.unit_id.as_str();
        let buttons = card.buttons.iter().map(ButtonView::of).collect();
        Some(match card.content.as_ref()? {
            tutor_card::Content::Concept(card) => Self::Concept {
                unit_id,
                card,
                buttons,
            },
            tutor_card::Content::Drill(card) => Self::Drill {
                unit_id,
                card,
                buttons,
            },
            tutor_card::Content::Exam(e) => Self::Exam {
                unit_id,
                question_id: &e.question_id,
                difficulty_tier: tier(e.tier()),
                prompt: &e.prompt,
                question_latex: &e.question_latex,
                options: e
                    .options
                    .iter()
                    .map(|o| OptionView {
                        id: &o.option_id,
                        text: &o.text,
                    })
                    .collect(),
                state: lower(e.state().as_str_name(), "QUESTION_STATE_"),
                locked_until: e.locked_until.as_ref().and_then(iso),
                offer_token: &e.offer_token,
                buttons,
            },
        })
    }
}

/// A student's standing.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SnapshotLiteView<'a> {
    focus: Option<FocusView<'a>>,
    target: Option<TargetView<'a>>,
    prereq_nudge: Option<NudgeView<'a>>,
    revisit: RevisitView<'a>,
    progress: ProgressView,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    placed: Vec<NudgeView<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FocusView<'a> {
    unit_id: &'a str,
    title: &'a str,
    mastery_tier: &'static str,
    needs_review: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TargetView<'a> {
    unit_id: &'a str,
    title: &'a str,
    path: Vec<NudgeView<'a>>,
    steps_to_go: i32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NudgeView<'a> {
    unit_id: &'a str,
    title: &'a str,
}

impl<'a> NudgeView<'a> {
    fn of_all(steps: &'a [Step]) -> Vec<Self> {
        let view = |step: &'a Step| Self {
            unit_id: &step.unit_id,
            title: &step.title,
        };
        steps.iter().map(view).collect()
    }
}

#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct RevisitView<'a> {
    locked_count: i32,
    next_eligible_at: Option<String>,
    next_question_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    entries: Vec<RevisitEntryView<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RevisitEntryView<'a> {
    question_id: &'a str,
    unit_id: &'a str,
    unit_title: &'a str,
    difficulty_tier: &'static str,
    state: String,
    locked_until: Option<String>,
    button: Option<ButtonView<'a>>,
}

impl<'a> RevisitEntryView<'a> {
    fn of(entry: &'a RevisitEntry) -> Self {
        Self {
            question_id: &entry.question_id,
            unit_id: &entry.unit_id,
            unit_title: &entry.unit_title,
            difficulty_tier: tier(entry.tier()),
            state: lower(entry.state().as_str_name(), "QUESTION_STATE_"),
            locked_until: entry.locked_until.as_ref().and_then(iso),
            button: entry.button.as_ref().map(ButtonView::of),
        }
    }
}

#[derive(Serialize, Default)]
struct ProgressView {
    bronze: i32,
    silver: i32,
    gold: i32,
    total: i32,
}

impl<'a> SnapshotLiteView<'a> {
    /// The view of a standing.
    pub fn of(standing: &'a SnapshotLite) -> Self {
        Self {
            focus: standing.focus.as_ref().map(|f| FocusView {
                unit_id: &f.unit_id,
                title: &f.title,
                mastery_tier: tier(f.mastery_tier()),
                needs_review: f.needs_review,
            }),
            target: standing.target.as_ref().map(|t| TargetView {
                unit_id: &t.unit_id,
                title: &t.title,
                path: NudgeView::of_all(&t.path),
                steps_to_go: t.steps_to_go,
            }),
            prereq_nudge: standing.prereq_nudge.as_ref().map(|n| NudgeView {
                unit_id: &n.unit_id,
                title: &n.title,
            }),
            revisit: standing
                .revisit
                .as_ref()
                .map_or_else(RevisitView::default, |r| RevisitView {
                    locked_count: r.locked_count,
                    next_eligible_at: r.next_eligible_at.as_ref().and_then(iso),
                    next_question_id: non_empty(&r.next_question_id),
                    entries: r.entries.iter().map(RevisitEntryView::of).collect(),
                }),
            progress: standing
                .progress
                .as_ref()
                .map_or_else(ProgressView::default, |p| ProgressView {
                    bronze: p.bronze,
                    silver: p.silver,
                    gold: p.gold,
                    total: p.total,
                }),
            placed: NudgeView::of_all(&standing.placed),
        }
    }
}

/// A tier as clients spell it.
pub fn tier(tier: MasteryTier) -> &'static str {
    match tier {
        MasteryTier::Unspecified | MasteryTier::None => "none",
        MasteryTier::Bronze => "bronze",
        MasteryTier::Silver => "silver",
        MasteryTier::Gold => "gold",
    }
}

/// The last part of an enum's name, in lower case.
pub fn lower(name: &str, prefix: &str) -> String {
    name.trim_start_matches(prefix).to_ascii_lowercase()
}

pub(crate) fn iso(time: &prost_types::Timestamp) -> Option<String> {
    turnwise_kit::time::from_proto(time).map(|t| t.to_string())
}

fn non_empty(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}
