//! A pack while it is being read: the items, and where each of them stands.

use std::collections::BTreeMap;
use std::path::Path;

use crate::context::ContextCourse;
use crate::fields::Located;
use crate::model::{
    Chunk, ClarifyingDocument, Course, Lesson, Question, QuestionOption, Support, Tier, Unit,
};
use crate::procedure::{ProcedurePhase, TelemetryVar, UiTarget};

/// Everything read so far. An item with a fault is kept as far as it can be named, so that others
/// that refer to it are not blamed.
#[derive(Default)]
pub(crate) struct Draft<'a> {
    pub(crate) course: Option<CourseDraft<'a>>,
    pub(crate) units: Vec<UnitDraft<'a>>,
    pub(crate) lessons: Vec<LessonDraft<'a>>,
    pub(crate) chunks: Vec<ChunkDraft<'a>>,
    pub(crate) questions: Vec<QuestionDraft<'a>>,
    pub(crate) support: Vec<SupportDraft<'a>>,
    pub(crate) references: BTreeMap<String, String>,
    pub(crate) documents: Vec<DocumentDraft<'a>>,
    pub(crate) context: Option<ContextDraft<'a>>,
    pub(crate) texts: Option<TextsDraft<'a>>,
    /// By id.
    pub(crate) procedures: BTreeMap<String, ProcedureDraft<'a>>,
    /// Whether some unit could not be read, so that an unknown one proves nothing.
    pub(crate) units_incomplete: bool,
    /// Whether some question could not be read, so that a missing one proves nothing.
    pub(crate) questions_incomplete: bool,
    /// Whether some reference could not be read.
    pub(crate) references_incomplete: bool,
}

/// The course, and where its entry unit and its reference are named.
pub(crate) struct CourseDraft<'a> {
    pub(crate) course: Course,
    pub(crate) file: &'a Path,
    pub(crate) entry_line: Option<usize>,
    pub(crate) reference_line: Option<usize>,
}

/// A unit and its lines.
pub(crate) struct UnitDraft<'a> {
    pub(crate) unit: Unit,
    pub(crate) file: &'a Path,
    /// The line of its id.
    pub(crate) line: usize,
    /// Whether some prerequisite could not be read.
    pub(crate) prerequisites_incomplete: bool,
    /// A line for each prerequisite.
    pub(crate) prerequisite_lines: Vec<usize>,
    /// A line for each drill's id.
    pub(crate) drill_lines: Vec<usize>,
    /// The line that names the key idea's chunk.
    pub(crate) key_idea_line: Option<usize>,
}

/// A lesson and its lines.
pub(crate) struct LessonDraft<'a> {
    pub(crate) lesson: Lesson,
    pub(crate) file: &'a Path,
    pub(crate) unit_line: usize,
    pub(crate) reference_line: Option<usize>,
    /// The topics that have synonyms.
    pub(crate) synonym_topics: Vec<Located<String>>,
}

/// A chunk and the line of its heading.
pub(crate) struct ChunkDraft<'a> {
    pub(crate) chunk: Chunk,
    pub(crate) file: &'a Path,
    pub(crate) line: usize,
}

/// A question and its lines.
pub(crate) struct QuestionDraft<'a> {
    pub(crate) id: Located<String>,
    pub(crate) units: Vec<Located<String>>,
    /// `None` if the file's word for it was a fault.
    pub(crate) tier: Option<Tier>,
    pub(crate) tags: Vec<String>,
    pub(crate) prompt: String,
    pub(crate) question_latex: String,
    pub(crate) options: Vec<QuestionOption>,
    pub(crate) answer: String,
    /// Whether it leaves its words to the exam system.
    pub(crate) is_of_port: bool,
    pub(crate) file: &'a Path,
}

impl QuestionDraft<'_> {
    /// The question itself; call it when there are no faults.
    pub(crate) fn finish(self) -> Question {
        Question {
            id: self.id.value,
            units: self.units.into_iter().map(|u| u.value).collect(),
            tier: self.tier.unwrap_or(Tier::Bronze),
            tags: self.tags,
            prompt: self.prompt,
            question_latex: self.question_latex,
            options: self.options,
            answer: self.answer,
        }
    }
}

/// A support and the line that names its question.
pub(crate) struct SupportDraft<'a> {
    pub(crate) support: Support,
    pub(crate) file: &'a Path,
    pub(crate) line: usize,
}

/// A document and the line that names its unit.
pub(crate) struct DocumentDraft<'a> {
    pub(crate) document: ClarifyingDocument,
    pub(crate) file: &'a Path,
    pub(crate) line: usize,
}

/// The course's own wording of messages, by key, each with its line.
pub(crate) struct TextsDraft<'a> {
    pub(crate) file: &'a Path,
    pub(crate) texts: BTreeMap<String, Located<String>>,
}

/// What may be missing, and the units that it names.
pub(crate) struct ContextDraft<'a> {
    pub(crate) context: ContextCourse,
    pub(crate) file: &'a Path,
    pub(crate) units: Vec<Located<String>>,
}

/// What could be read of a procedure's files.
#[derive(Default)]
pub(crate) struct ProcedureDraft<'a> {
    pub(crate) script: Option<ScriptDraft<'a>>,
    /// The variables, unless a fault keeps an unknown one from proving anything.
    pub(crate) telemetry: Option<Vec<TelemetryVar>>,
    /// The targets, likewise.
    pub(crate) targets: Option<Vec<UiTarget>>,
}

/// A procedure without its variables and targets.
pub(crate) struct ScriptDraft<'a> {
    pub(crate) file: &'a Path,
    pub(crate) title: String,
    /// If it is not the course's.
    pub(crate) locale: Option<String>,
    pub(crate) contract_version: String,
    pub(crate) units: Vec<Located<String>>,
    pub(crate) phases: Vec<ProcedurePhase>,
    pub(crate) steps: Vec<StepDraft>,
}

/// A step with the texts of its gates.
pub(crate) struct StepDraft {
    pub(crate) id: Located<String>,
    pub(crate) phase: String,
    pub(crate) official_step: String,
    pub(crate) short_explanation: String,
    pub(crate) tutor_prompts: Vec<String>,
    pub(crate) entry: Option<Located<String>>,
    /// `None` if it could not be read.
    pub(crate) completion: Option<Located<String>>,
    pub(crate) target: Option<Located<String>>,
    /// `None`: the default.
    pub(crate) allowed_targets: Option<Vec<Located<String>>>,
    pub(crate) settle_ms: u32,
}
