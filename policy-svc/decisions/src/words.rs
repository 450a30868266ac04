//! The words that every decision uses, and their spelling at the edge that faces a model.

use serde::{Deserialize, Serialize};

pub use crate::action::Action;

/// How well a unit is known, and how hard an exam question is. The order is part of the contract.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// No badge yet.
    #[default]
    None,
    /// The first badge.
    Bronze,
    /// The second badge.
    Silver,
    /// The third and last badge.
    Gold,
}

impl Tier {
    /// The tier to reach next; gold stays gold.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::None => Self::Bronze,
            Self::Bronze => Self::Silver,
            Self::Silver | Self::Gold => Self::Gold,
        }
    }

    /// The spelling that a model and a file see.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Bronze => "bronze",
            Self::Silver => "silver",
            Self::Gold => "gold",
        }
    }
}

/// Whether a question at the desired tier can be attempted now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Availability {
    /// At least one question may be attempted.
    Available,
    /// There are questions, and all of them are locked for a while.
    Locked,
    /// There is no question, the student is not ready, or the exam system is out of reach.
    #[default]
    None,
}

/// Whether one question may be attempted, as the exam system says. The order is from least to most restrictive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QuestionState {
    /// May be attempted.
    Available,
    /// May not be attempted for a while.
    Locked,
    /// Was answered rightly and is done.
    Passed,
}

/// A kind of help that belongs to an exam question. Looking at it locks the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SupportKind {
    /// A text.
    Memo,
    /// A video.
    Video,
}

/// A button that the student pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// Asks for a drill.
    RequestDrill,
    /// Asks for the exam question.
    RequestExam,
    /// Goes on after a drill.
    DrillContinue,
    /// Goes on after an exam question.
    ExamContinue,
    /// Asks for a hint.
    StuckHint,
    /// Says which unit it is about.
    ChooseUnit,
}

/// A pressed button and the unit that it stands on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Event {
    /// The button.
    pub kind: EventKind,
    /// The unit.
    pub unit_id: String,
    /// The exam question that the student comes from, or wants to come back to; empty: none.
    pub question_id: String,
}

/// What the student wants, as a model reads it. It decides nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StudentIntent {
    /// Work on an exercise.
    Solve,
    /// An explanation is asked for.
    Explain,
    /// An answer should be checked.
    Check,
    /// The student says that nothing works.
    Stuck,
    /// None of these.
    Unknown,
}

impl StudentIntent {
    /// Every value, in the order in which the schema lists them.
    pub const ALL: [&'static str; 5] = ["solve", "explain", "check", "stuck", "unknown"];
}

/// How sure the student sounds, as a model reads it. It decides nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnderstandingSignal {
    /// Sounds sure.
    Confident,
    /// Sounds unsure.
    Uncertain,
    /// Sounds lost.
    Confused,
}

impl UnderstandingSignal {
    /// Every value, in the order in which the schema lists them.
    pub const ALL: [&'static str; 3] = ["confident", "uncertain", "confused"];
}

/// Why a fallback was sent instead of a model's reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FallbackReason {
    /// The model did not answer in time.
    LlmTimeout,
    /// The model, or the gateway in front of it, could not be reached.
    LlmTransport,
    /// The reply is not one JSON object.
    LlmNonJson,
    /// The reply has missing, wrong or foreign keys.
    SchemaViolation,
    /// The action is not allowed in this turn.
    ActionNotAllowed,
    /// The target is no unit that this reply may be about.
    TargetOutOfScope,
    /// The exam question is not one of this turn's candidates.
    ExamNotCandidate,
    /// The exam question is locked now.
    ExamLocked,
    /// The exam question's tier is not the desired one.
    TierMismatch,
    /// A concept card for a student who is not stuck by evidence.
    ConceptNotStuck,
    /// Too many words, ideas, steps or questions.
    LimitsExceeded,
    /// The reply says nothing.
    EmptyMessage,
    /// The reply holds what must not be said to a student.
    UnsafeMessage,
    /// The reply gives the answer of the drill that the student works on.
    AnswerGiven,
    /// The reply says what mathematics knows to be false.
    FalseMathematics,
    /// Help with a procedure would do what it may not to the simulator or page.
    OverlayNotAllowed,
    /// The student's message met a guardrail, so the model was not called.
    Guardrail,
    /// No model slot became free in time.
    QueueBusy,
    /// The model failed so often in a row that it is left alone for a while.
    CircuitOpen,
    /// The model may not be called: the class has used its tokens for the day.
    LlmOff,
    /// The configured model is remote and nobody has agreed to that.
    RemoteNotAcknowledged,
    /// The model's server answered with an error.
    LlmError,
    /// The policy could not be asked.
    PolicyUnavailable,
    /// The caller's deadline left no time for the model.
    Deadline,
}

impl FallbackReason {
    /// Every reason.
    pub const ALL: [Self; 24] = [
        Self::LlmTimeout,
        Self::LlmTransport,
        Self::LlmNonJson,
        Self::SchemaViolation,
        Self::ActionNotAllowed,
        Self::TargetOutOfScope,
        Self::ExamNotCandidate,
        Self::ExamLocked,
        Self::TierMismatch,
        Self::ConceptNotStuck,
        Self::LimitsExceeded,
        Self::EmptyMessage,
        Self::UnsafeMessage,
        Self::AnswerGiven,
        Self::FalseMathematics,
        Self::OverlayNotAllowed,
        Self::Guardrail,
        Self::QueueBusy,
        Self::CircuitOpen,
        Self::LlmOff,
        Self::RemoteNotAcknowledged,
        Self::LlmError,
        Self::PolicyUnavailable,
        Self::Deadline,
    ];

    /// The name that logs and metrics use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::LlmTimeout => "llm_timeout",
            Self::LlmTransport => "llm_transport",
            Self::LlmNonJson => "llm_non_json",
            Self::SchemaViolation => "schema_violation",
            Self::ActionNotAllowed => "action_not_allowed",
            Self::TargetOutOfScope => "target_out_of_scope",
            Self::ExamNotCandidate => "exam_not_candidate",
            Self::ExamLocked => "exam_locked",
            Self::TierMismatch => "tier_mismatch",
            Self::ConceptNotStuck => "concept_not_stuck",
            Self::LimitsExceeded => "limits_exceeded",
            Self::EmptyMessage => "empty_message",
            Self::UnsafeMessage => "unsafe_message",
            Self::AnswerGiven => "answer_given",
            Self::FalseMathematics => "false_mathematics",
            Self::OverlayNotAllowed => "overlay_not_allowed",
            Self::Guardrail => "guardrail",
            Self::QueueBusy => "queue_busy",
            Self::CircuitOpen => "circuit_open",
            Self::LlmOff => "llm_off",
            Self::RemoteNotAcknowledged => "remote_not_acknowledged",
            Self::LlmError => "llm_error",
            Self::PolicyUnavailable => "policy_unavailable",
            Self::Deadline => "deadline",
        }
    }
}
