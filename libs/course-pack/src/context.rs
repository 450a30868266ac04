//! What a course says may be missing from a student's work: what `context.yaml` holds.

use serde::Serialize;

/// The phases of a project, what students work on in it, and what is needed of that for which messages.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ContextCourse {
    /// The project's steps, in order: at most 50.
    pub phases: Vec<ContextPhase>,
    /// What there is to supply, in file order: at most 50.
    pub artifacts: Vec<ArtifactType>,
    /// What is needed when, in file order: at most 200.
    pub needs: Vec<ContextNeed>,
    /// How often a student is asked.
    pub friction: Friction,
}

impl ContextCourse {
    /// The artifact type of this id.
    #[must_use]
    pub fn artifact(&self, id: &str) -> Option<&ArtifactType> {
        self.artifacts.iter().find(|artifact| artifact.id == id)
    }
}

/// A step of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ContextPhase {
    /// The phase's id.
    pub id: String,
    /// The title people read.
    pub title: String,
    /// The units that it uses; may be empty.
    pub units: Vec<String>,
}

/// Something that a student, a teacher or a service may supply.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArtifactType {
    /// The type's id.
    pub id: String,
    /// The title people read, at most 200 characters.
    pub title: String,
    /// What it is, at most 500 characters.
    pub description: String,
    /// What its content is.
    pub format: ArtifactFormat,
    /// The most bytes of its content, 1 to 262,144 (default 16,384).
    pub size_limit: u32,
    /// A JSON Schema that its content keeps to, only where the format is JSON. It compiles.
    pub schema: Option<serde_json::Value>,
    /// Who may supply it, at least one (default all).
    pub suppliers: Vec<Supplier>,
}

/// What an artifact's content is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ArtifactFormat {
    /// JSON; its parts are named by JSON Pointers or in the dotted form.
    Json,
    /// Text; its parts are lines.
    Text,
    /// A program; its parts are lines.
    Code,
    /// A log; its parts are lines.
    Log,
}

impl ArtifactFormat {
    /// Every format.
    pub const ALL: [Self; 4] = [Self::Json, Self::Text, Self::Code, Self::Log];

    /// The format as files and contracts spell it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Text => "text",
            Self::Code => "code",
            Self::Log => "log",
        }
    }
}

/// Who may supply an artifact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Supplier {
    /// The student whose work it is.
    Student,
    /// A teacher of the class.
    Teacher,
    /// The school's staff.
    Staff,
    /// A program of the platform.
    Service,
}

impl Supplier {
    /// Everybody who may be named.
    pub const ALL: [Self; 4] = [Self::Student, Self::Teacher, Self::Staff, Self::Service];

    /// The supplier as files and contracts spell it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Student => "student",
            Self::Teacher => "teacher",
            Self::Staff => "staff",
            Self::Service => "service",
        }
    }
}

/// When an artifact, or a part of it, is needed. The phase, the units and the intents must all agree with a message; there
/// is at least one of the three, and what is left out agrees with every message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ContextNeed {
    /// The need's id.
    pub id: String,
    /// The id of the artifact type.
    pub artifact: String,
    /// The phase that it belongs to.
    pub phase: Option<String>,
    /// What a message wants that needs it.
    pub intents: Vec<MessageIntent>,
    /// The units that need it.
    pub units: Vec<String>,
    /// The part that is needed, as retrieval's ExtractArtifact takes it, at most 1,024 bytes; without it, the whole.
    pub key_path: Option<String>,
    /// Whether an answer is worth giving without it.
    pub urgency: Urgency,
    /// What the student reads: why it is asked for.
    pub why: LocalText,
}

/// What a message wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageIntent {
    /// An explanation.
    Question,
    /// Something to be done or made.
    Action,
    /// To find out why something is wrong.
    Debug,
    /// A judgement of what was done.
    Review,
    /// The next steps.
    Plan,
}

impl MessageIntent {
    /// Every intent.
    pub const ALL: [Self; 5] = [
        Self::Question,
        Self::Action,
        Self::Debug,
        Self::Review,
        Self::Plan,
    ];

    /// The intent as files and contracts spell it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Question => "question",
            Self::Action => "action",
            Self::Debug => "debug",
            Self::Review => "review",
            Self::Plan => "plan",
        }
    }
}

/// Whether an answer is worth giving without what is missing. The more urgent comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Urgency {
    /// Without it there is no answer.
    MustHave,
    /// Without it the answer is less good.
    NiceToHave,
}

impl Urgency {
    /// Both urgencies.
    pub const ALL: [Self; 2] = [Self::MustHave, Self::NiceToHave];

    /// The urgency as files and contracts spell it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MustHave => "must_have",
            Self::NiceToHave => "nice_to_have",
        }
    }
}

/// A text in both languages, each of at most 500 characters. A text that the file has once stands in both.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct LocalText {
    /// In English, and for every other language.
    pub en: String,
    /// In German.
    pub de: String,
}

impl LocalText {
    /// The text for a BCP 47 language tag.
    #[must_use]
    pub fn in_locale(&self, locale: &str) -> &str {
        let language = locale.split(['-', '_']).next().unwrap_or_default();
        if language.eq_ignore_ascii_case("de") {
            &self.de
        } else {
            &self.en
        }
    }
}

/// How often a student is asked for what is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Friction {
    /// The most requests in a thread, 1 to 20 (default 3).
    pub max_requests_per_thread: u32,
    /// Messages without a request between two with one, 0 to 100 (default 4).
    pub min_messages_between: u32,
    /// Requests skipped or expired after which no more are made, 1 to 20 (default 2).
    pub max_refusals: u32,
}

impl Default for Friction {
    fn default() -> Self {
        Self {
            max_requests_per_thread: 3,
            min_messages_between: 4,
            max_refusals: 2,
        }
    }
}
