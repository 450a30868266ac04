//! The names of the mock's models.

use std::{str::FromStr, time::Duration};

/// The longest pause that a name may ask for, in milliseconds.
const MAX_PAUSE_MS: u64 = 600_000;

/// A model of the mock; the table in the module above says what each answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Model {
    /// `mock`
    Well,
    /// `mock:invalid_json`
    InvalidJson,
    /// `mock:empty`
    Empty,
    /// `mock:truncated`
    Truncated,
    /// `mock:extra_key`
    ExtraKey,
    /// `mock:break:<rule>`
    Break(Rule),
    /// `mock:obey`
    Obey,
    /// `mock:echo`
    Echo,
    /// `mock:stall`
    Stall,
    /// `mock:status:<status>`
    Fail(Failing),
    /// `mock:slow:<ms>`
    Slow(Duration),
    /// `mock:delay:<ms>`
    Delay(Duration),
}

/// A rule of the policy that a reply can break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// The action is not allowed.
    ActionNotAllowed,
    /// The target is no unit of the scope.
    TargetOutOfScope,
    /// The exam question is no candidate.
    ExamNotCandidate,
    /// The exam question's tier is not the desired one.
    TierMismatch,
    /// A concept card for a student who is not stuck.
    ConceptNotStuck,
    /// A card beyond its bounds.
    LimitsExceeded,
    /// Two cards.
    TwoCards,
    /// A card below a question.
    SocraticWithCard,
    /// No card where the action needs one.
    MissingCard,
    /// More than two questions.
    ManyQuestions,
    /// No text.
    EmptyMessage,
    /// A word outside of its enum.
    SchemaViolation,
    /// A text that says what mathematics knows to be false.
    FalseMathematics,
}

impl Rule {
    /// All rules and their names.
    pub const ALL: [(&'static str, Self); 13] = [
        ("action_not_allowed", Self::ActionNotAllowed),
        ("target_out_of_scope", Self::TargetOutOfScope),
        ("exam_not_candidate", Self::ExamNotCandidate),
        ("tier_mismatch", Self::TierMismatch),
        ("concept_not_stuck", Self::ConceptNotStuck),
        ("limits_exceeded", Self::LimitsExceeded),
        ("two_cards", Self::TwoCards),
        ("socratic_with_card", Self::SocraticWithCard),
        ("missing_card", Self::MissingCard),
        ("many_questions", Self::ManyQuestions),
        ("empty_message", Self::EmptyMessage),
        ("schema_violation", Self::SchemaViolation),
        ("false_mathematics", Self::FalseMathematics),
    ];
}

/// How `mock:status` fails; a status means the same as from a real server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failing {
    /// The server is out of reach.
    Unreachable,
    /// The server does not know the model.
    UnknownModel,
    /// The server answered with a status.
    Status {
        /// The status.
        status: u16,
        /// How long it asks to be left alone.
        retry_after: Option<Duration>,
    },
}

/// No mock model has this name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownMock;

impl FromStr for Model {
    type Err = UnknownMock;

    fn from_str(name: &str) -> Result<Self, UnknownMock> {
        let mut parts = name.splitn(3, ':');
        let (head, kind, argument) = (parts.next(), parts.next(), parts.next());
        if head != Some("mock") {
            return Err(UnknownMock);
        }
        match (kind, argument) {
            (None, None) => Ok(Self::Well),
            (Some("invalid_json"), None) => Ok(Self::InvalidJson),
            (Some("empty"), None) => Ok(Self::Empty),
            (Some("truncated"), None) => Ok(Self::Truncated),
            (Some("extra_key"), None) => Ok(Self::ExtraKey),
            (Some("obey"), None) => Ok(Self::Obey),
            (Some("echo"), None) => Ok(Self::Echo),
            (Some("stall"), None) => Ok(Self::Stall),
            (Some("break"), Some(rule)) => Rule::ALL
                .iter()
                .find(|(name, _)| *name == rule)
                .map(|(_, rule)| Self::Break(*rule))
                .ok_or(UnknownMock),
            (Some("status"), Some(status)) => failing(status).map(Self::Fail),
            (Some("slow"), Some(ms)) => pause(ms).map(Self::Slow),
            (Some("delay"), Some(ms)) => pause(ms).map(Self::Delay),
            _ => Err(UnknownMock),
        }
    }
}

pub(super) fn pause(ms: &str) -> Result<Duration, UnknownMock> {
    ms.parse()
        .ok()
        .filter(|ms| *ms <= MAX_PAUSE_MS)
        .map(Duration::from_millis)
        .ok_or(UnknownMock)
}

pub(super) fn failing(argument: &str) -> Result<Failing, UnknownMock> {
    let (status, retry_after) = match argument.split_once(':') {
        Some((status, seconds)) => {
            let seconds: u16 = seconds.parse().map_err(|_| UnknownMock)?;
            (status, Some(Duration::from_secs(seconds.into())))
        }
        None => (argument, None),
    };
    // As <https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto> maps codes to HTTP.
    let status = match status {
        "UNAVAILABLE" | "DEADLINE_EXCEEDED" => return Ok(Failing::Unreachable),
        "NOT_FOUND" | "404" => return Ok(Failing::UnknownModel),
        "CANCELLED" => 499,
        "UNKNOWN" | "INTERNAL" | "DATA_LOSS" => 500,
        "INVALID_ARGUMENT" | "FAILED_PRECONDITION" | "OUT_OF_RANGE" => 400,
        "ALREADY_EXISTS" | "ABORTED" => 409,
        "PERMISSION_DENIED" => 403,
        "UNAUTHENTICATED" => 401,
        "RESOURCE_EXHAUSTED" => 429,
        "UNIMPLEMENTED" => 501,
        _ => match status.parse::<u16>() {
            Ok(status @ 300..=599) => status,
            _ => return Err(UnknownMock),
        },
    };
    Ok(Failing::Status {
        status,
        retry_after,
    })
}
