//! What a course pack holds once it is loaded: plain data, in file order.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use crate::context::ContextCourse;
use crate::fault::PackFault;
use crate::procedure::Procedure;
use crate::teaching::{KeyIdea, Misconception, MistakeTag};

/// A loaded and checked course pack.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Pack {
    /// The pack's address: SHA-256, in hex, over the paths and bytes of its files.
    pub hash: String,
    /// What `course.yaml` says.
    pub course: Course,
    /// The units, in the order of their files' names and of their place in the file.
    pub units: Vec<Unit>,
    /// The lessons that the chunks were cut from, one a file, in file order.
    pub lessons: Vec<Lesson>,
    /// The lesson content, cut into chunks, in file order.
    pub chunks: Vec<Chunk>,
    /// The exam catalogue, in file order.
    pub questions: Vec<Question>,
    /// Memos and videos that belong to exam questions, in file order.
    pub support: Vec<Support>,
    /// Reference texts by key; the key is the file's stem.
    pub references: BTreeMap<String, String>,
    /// Documents that may have to be clarified with the student first, in file order.
    pub documents: Vec<ClarifyingDocument>,
    /// What may be missing from students' work, if the course says so.
    pub context: Option<ContextCourse>,
    /// The course's own wording of messages in its language, by key: each is one that a course may word, and has the
    /// placeholders of its message.
    pub texts: BTreeMap<String, String>,
    /// Procedures that students work through, in the order of their ids.
    pub procedures: Vec<Procedure>,
    /// What the checks could not decide: the pack is served all the same.
    #[serde(skip)]
    pub warnings: Vec<PackFault>,
    /// Where things stand that are checked later.
    #[serde(skip)]
    pub places: Places,
}

/// Where a pack's items stand: the file and the line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    /// The units' ids.
    pub units: BTreeMap<String, (PathBuf, usize)>,
    /// The ids of the drills that are written out.
    pub drills: BTreeMap<String, (PathBuf, usize)>,
    /// The course's own wording, by its key.
    pub texts: BTreeMap<String, (PathBuf, usize)>,
}

impl Pack {
    /// Which drills of a model's are set: what the course says, else those that mathematics can grade where the pack has
    /// mathematics (a drill or an exam question with a formula), in whatever language.
    #[must_use]
    pub fn drill_choice(&self) -> DrillChoice {
        let drills = self.units.iter().flat_map(Unit::all_drills);
        let mut formulas = drills
            .map(|drill| &drill.question_latex)
            .chain(self.questions.iter().map(|q| &q.question_latex));
        let has_formula = formulas.any(|formula| !formula.is_empty());
        let default = if has_formula {
            DrillChoice::Checkable
        } else {
            DrillChoice::Any
        };
        self.course.policy.drills.unwrap_or(default)
    }
}

/// Whether the grading crate reads the words of a drill's task in this language, and not only those that are usual: English
/// alone.
pub(crate) fn tasks_are_read(locale: &str) -> bool {
    let language = locale.split('-').next().unwrap_or_default();
    language.eq_ignore_ascii_case("en")
}

/// The course itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Course {
    /// The course's id.
    pub id: String,
    /// The title people read.
    pub title: String,
    /// A BCP 47 language tag, such as `en` or `de-CH`.
    pub locale: String,
    /// The unit where every student starts.
    pub entry_unit: String,
    /// What this course sets otherwise than the policy's defaults.
    pub policy: PolicyOverrides,
    /// The key of the reference of lessons that have none of their own; empty if there is none.
    pub reference: String,
}

/// What a course may set otherwise than the policy's defaults; `None` keeps the default.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PolicyOverrides {
    /// When a student counts as stuck.
    pub stuck_rule: StuckRule,
    /// How far the search for a missing prerequisite goes.
    pub prereq_walk: PrereqWalk,
    /// What a model's grade of a drill is worth where mathematics cannot tell.
    pub llm_grades: LlmGrades,
    /// Which drills of a model's are set; `None`: [`Pack::drill_choice`] says so.
    pub drills: Option<DrillChoice>,
    /// Confidence from which a mapped unit becomes the target, 0 to 1 (default 0.55).
    pub target_confidence: Option<f64>,
    /// Hours after which a unit's recency has fallen to 0, 1 to 8760 (default 72).
    pub recency_window_hours: Option<u32>,
    /// Units in a turn's scope, 3 to 6 (default 6): focus, blocker and target always fit.
    pub max_scoped_units: Option<u32>,
    /// Mapped units that become candidates, 0 to 50 (default 3).
    pub candidates_mapped: Option<u32>,
    /// Units in progress that become candidates, 0 to 50 (default 3).
    pub candidates_in_progress: Option<u32>,
    /// Mapped units that enter the scope, 0 to 50 (default 2).
    pub scope_mapped: Option<u32>,
    /// Units in progress that enter the scope, 0 to 50 (default 2).
    pub scope_in_progress: Option<u32>,
    /// Attempts from which a student may be stuck, 1 to 20 (default 2).
    pub stuck_attempts: Option<u32>,
    /// Correct drills in a row that make a student ready for an exam, 1 to 20 (default 2).
    pub ready_streak: Option<u32>,
    /// Words in a concept card, 20 to 1000 (default 170).
    pub max_concept_words: Option<u32>,
    /// Worked examples in a concept card, 0 or 1 (default 1).
    pub max_worked_examples: Option<u32>,
    /// Key ideas in a concept card, 1 to 10 (default 3).
    pub max_key_ideas: Option<u32>,
    /// Steps of a drill, 1 to 10 (default 2).
    pub drill_max_steps: Option<u32>,
    /// Anchors fetched for a turn, 1 to 100 (default 6).
    pub top_k_anchors: Option<u32>,
    /// Content chunks fetched for a turn, 1 to 100 (default 8).
    pub top_k_chunks: Option<u32>,
    /// Exam candidates fetched for a turn, 1 to 100 (default 10).
    pub top_k_exam_candidates: Option<u32>,
}

/// When a student counts as stuck.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StuckRule {
    /// Enough attempts and a streak of none: the default.
    #[default]
    AttemptsWithoutStreak,
    /// Enough wrong answers in a row.
    ConsecutiveWrong,
}

/// How far the search for a missing prerequisite goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PrereqWalk {
    /// On to a unit whose own prerequisites are all met: the default.
    #[default]
    Transitive,
    /// The first missing prerequisite of the target, and no further.
    First,
}

/// What a model's grade of a drill is worth where mathematics cannot tell whether the answer is right.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LlmGrades {
    /// It counts, marked as a model's, where the course gives no answer.
    Count,
    /// The student reads it, and nothing is counted: the default.
    #[default]
    FeedbackOnly,
}

/// Which drills of a model's are set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DrillChoice {
    /// Those that mathematics can grade; one of the course's own stands for any other.
    Checkable,
    /// All.
    Any,
}

/// One unit of the course.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Unit {
    /// The unit's id.
    pub id: String,
    /// The title people read.
    pub title: String,
    /// What the unit is about, in a sentence or two.
    pub summary: String,
    /// Units to be met first; the order is the file's and carries meaning.
    pub prerequisites: Vec<String>,
    /// Whether mastery can be shown by an exam. A unit that is not assessable counts as met.
    pub assessable: bool,
    /// Free tags.
    pub tags: Vec<String>,
    /// Short texts that a student's message is matched with.
    pub anchors: Vec<String>,
    /// What students commonly get wrong.
    pub misconceptions: Vec<Misconception>,
    /// Mistakes that a grader may name.
    pub mistake_tags: Vec<MistakeTag>,
    /// What the unit is about, as the tutor explains it without a model.
    pub key_idea: Option<KeyIdea>,
    /// Ready-made drills that are written out.
    pub drills: Vec<Drill>,
    /// Drills with parameters.
    pub templates: Vec<DrillTemplate>,
}

impl Unit {
    /// The ready-made drills: those that are written out, then the instances of those with parameters.
    pub fn all_drills(&self) -> impl Iterator<Item = &Drill> {
        let instances = self.templates.iter().flat_map(|drill| &drill.instances);
        self.drills
            .iter()
            .chain(instances.map(|instance| &instance.drill))
    }
}

/// A ready-made drill.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Drill {
    /// The drill's id, unique in the pack.
    pub id: String,
    /// What to do.
    pub prompt: String,
    /// What to do it with, as LaTeX; empty if the prompt says it all.
    pub question_latex: String,
    /// The right answer.
    pub answer: String,
    /// What helps a student on, without giving the answer: at most 3, each of which helps more than the one before.
    pub hints: Vec<String>,
    /// The exercise worked out, a step a line, the answer in the last; empty if nothing is written.
    pub solution: Vec<String>,
}

/// A drill with parameters: what it is made of has become its instances.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DrillTemplate {
    /// The drill's id, unique in the pack.
    pub id: String,
    /// The file that it stands in.
    pub file: PathBuf,
    /// The line of its id.
    pub line: usize,
    /// What its seeds make, in their order: no two read the same, and none is solved in a lesson of the unit.
    pub instances: Vec<DrillInstance>,
}

/// What one seed makes of a drill with parameters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DrillInstance {
    /// The seed.
    pub seed: u32,
    /// The parameters, as in `a = 3, b = -4`.
    pub values: String,
    /// The exercise. Its id is the template's, `#` (which no id in a pack can have) and the seed.
    pub drill: Drill,
}

/// What the front matter of a content file says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lesson {
    /// The unit it teaches.
    pub unit: String,
    /// The source's key; several lessons may come from one source.
    pub source: String,
    /// What kind of source it is.
    pub chunk_type: ChunkType,
    /// The title people read.
    pub title: String,
    /// The topics that a chat about this lesson may touch.
    pub allowed_topics: Vec<String>,
    /// The key of the reference that belongs to it; empty if none does.
    pub reference: String,
    /// Where to read it; empty if nowhere. A chunk without an address of its own has this one.
    pub url: String,
    /// What it says to the homework helper.
    pub help: LessonHelp,
}

/// What the front matter of a content file says to the homework helper.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct LessonHelp {
    /// What students call the topics, by topic: at most 200 words or phrases, each of at most 100 characters.
    pub topic_synonyms: BTreeMap<String, Vec<String>>,
    /// The author's answer to a message about something else, at most 500 characters; empty: the catalogue's.
    pub redirect: String,
    /// The author's question that checks understanding, at most 300 characters, with one question mark, which ends it;
    /// empty: the catalogue's.
    pub check_question: String,
}

impl Lesson {
    /// The lesson's name as a reference's key is spelled: its source in lower case, and `-` for what a key cannot hold.
    #[must_use]
    pub fn slug(&self) -> String {
        let spelled = |c: char| match c.to_ascii_lowercase() {
            c if c.is_ascii_alphanumeric() || c == '_' => c,
            _ => '-',
        };
        self.source.chars().map(spelled).collect()
    }
}

/// One piece of lesson content, the unit of retrieval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Chunk {
    /// The chunk's id, unique in the pack.
    pub id: String,
    /// The unit it belongs to.
    pub unit: String,
    /// What kind of source it was taken from.
    pub chunk_type: ChunkType,
    /// A free word for the section's kind, such as `example`; may be empty.
    pub section_kind: String,
    /// The source's key.
    pub source: String,
    /// The section's heading.
    pub section: String,
    /// Where to read it; empty if nowhere.
    pub url: String,
    /// The text itself.
    pub text: String,
}

/// What kind of source a chunk was taken from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChunkType {
    /// Written text: the default.
    #[default]
    Text,
    /// A PDF document.
    Pdf,
    /// The transcript of a recording.
    Transcript,
}

impl ChunkType {
    /// The type as files and contracts spell it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Pdf => "pdf",
            Self::Transcript => "transcript",
        }
    }
}

/// One question of the exam catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Question {
    /// The question's id, unique in the pack.
    pub id: String,
    /// The units it tests, at least one.
    pub units: Vec<String>,
    /// Its tier.
    pub tier: Tier,
    /// Free tags.
    pub tags: Vec<String>,
    /// What to do; empty if the platform's exam system words the question. Then options and answer are empty, too.
    pub prompt: String,
    /// What to do it with, as LaTeX; empty if the prompt says it all.
    pub question_latex: String,
    /// The options of a multiple-choice question; empty for a typed answer.
    pub options: Vec<QuestionOption>,
    /// The right option's id, or the right answer as it would be typed. Never in a student's context.
    pub answer: String,
}

impl Question {
    /// Whether the student picks an option rather than types an answer.
    #[must_use]
    pub fn is_multiple_choice(&self) -> bool {
        !self.options.is_empty()
    }
}

/// An exam question's tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// The first tier.
    Bronze,
    /// The second tier.
    Silver,
    /// The third tier.
    Gold,
}

impl Tier {
    /// The tier as files and contracts spell it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bronze => "bronze",
            Self::Silver => "silver",
            Self::Gold => "gold",
        }
    }
}

/// One option of a multiple-choice question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct QuestionOption {
    /// The option's id, unique in its question.
    pub id: String,
    /// What the student reads.
    pub text: String,
}

/// A memo or video that belongs to an exam question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Support {
    /// The support's id: its file's stem.
    pub id: String,
    /// The question it belongs to.
    pub question: String,
    /// Memo or video.
    pub kind: SupportKind,
    /// The memo's text, or the video's description and address.
    pub text: String,
}

/// What kind of support it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SupportKind {
    /// A text.
    Memo,
    /// A video.
    Video,
}

impl SupportKind {
    /// The kind as files and contracts spell it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Memo => "memo",
            Self::Video => "video",
        }
    }
}

/// A document about a unit. With questions, the student has to answer them before it can be used; without, it is
/// ordinary text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClarifyingDocument {
    /// The document's id: its file's stem.
    pub id: String,
    /// The title people read.
    pub title: String,
    /// The unit it belongs to.
    pub unit: String,
    /// The text, 1 to 16,384 bytes.
    pub content: String,
    /// What to ask, in order, in the course's language: at most 20, each of at most 500 characters.
    pub questions: Vec<String>,
    /// The same in other languages, by language tag: as many, in the same order.
    pub questions_by_locale: BTreeMap<String, Vec<String>>,
    /// Whether a person has to take over after the answers; never without questions.
    pub requires_handoff: bool,
}
