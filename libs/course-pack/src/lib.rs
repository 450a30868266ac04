//! The file format of course packs: the types, the loader and the checks; and what every service needs that serves
//! packs.
//!
//! A pack is a folder that a teacher can read and write: the contract on disk, as the protobuf files
//! are the contract on the wire. Whoever reads packs reads them through this crate. Reading is pure: no network, no
//! clock.
//!
//! | path | holds |
//! | --- | --- |
//! | `course.yaml` | `format: 1`, `id`, `title`, `locale`, `entry_unit`; where wanted a `reference` for lessons without one, and a `policy:` map for what differs from the defaults |
//! | `units/*.yaml` | `units:` with prerequisites, anchors, misconceptions, mistake tags, a key idea, drills |
//! | `content/**/*.md` | front matter `unit`, `source`, `type`, `title`, …; each `## Heading {#id .kind url="…" section="…"}` starts a chunk |
//! | `exams/*.yaml` | `questions:`; with `options` the answer is an option's id, without them it is typed; one without prompt, options and answer is worded by the platform's exam system |
//! | `support/*.md` | front matter `question`, `kind`, and a text |
//! | `references/*.md` | a reference text; the file's stem is its key |
//! | `documents/*.md` | front matter `title`, `unit`, `clarifying_questions`, `requires_handoff`, and a text; the file's stem is its id |
//! | `texts.yaml` | may be left out: the course's own wording of what its students read, by key of the message catalogue |
//! | `context.yaml` | may be left out: what may be missing from students' work on a project, and when it is asked for |
//! | `procedures/ID/` | a procedure that students work through ([`Procedure`]): `procedure.yaml` has its steps, `telemetry.yaml` the variables of its gates, `ui.yaml` what may be highlighted |
//!
//! A misconception is a text, or a `text` with the `question` that makes a student doubt it. A mistake tag has `id`, `meaning`,
//! and where wanted `feedback`. A `key_idea` has `text`, and the `chunk` of the unit's lesson that it stands in.
//!
//! A drill has `id`, `prompt`, `answer`, and where wanted `question_latex`, `hints` and `solution`. With `parameters` (`a in 2..9`,
//! `c = a*b`) and where wanted conditions below `where` (`a != b`), its texts show values, as in `[[a]]x [[b : plus]]`, and
//! it becomes the instances of the seeds from 0 to 199 ([`DrillTemplate`]); `turnwise_drill_templates` has the language.
//!
//! `clarifying_questions` is a list in the course's language, or a map of language tags to lists (`en: [...]`,
//! `de: [...]`): the course's own language among them, all with the same questions in the same order.
//!
//! A `reference` may also be spelled with its full name, `helper_reference`, and so may the `allowed_topics` of a lesson:
//! `helper_allowed_topics`. Lessons also have `helper_topic_synonyms`, `helper_redirect` and `helper_check_question`
//! ([`LessonHelp`]).
//!
//! `texts.yaml` has one text for a key, or one by language (`en: …`, `de: …`), with the placeholders of the catalogue's message
//! (`{ $unit }`); `turnwise_messages::course_keys` lists the keys.
//!
//! `context.yaml` ([`ContextCourse`]) has `phases:` with `id`, `title` and `units`; `artifacts:` with `type`, `title`,
//! `description`, `format`, and where wanted `size_limit`, `schema`, `suppliers`; `needs:` with `id`, `artifact`, at least
//! one of `phase`, `intents`, `units`, where wanted a `key_path`, then `urgency` and `why`, one text or one by language;
//! and `friction:` for what differs from the defaults.
//!
//! Where what is: [`model`](Pack) the types, `files` the folder and its hash, `yaml` and `fields` the
//! syntax with its lines, `read` one module a kind of file, `check` and `graph` what spans files. A [`Catalog`] holds
//! the versions that are served, a [`Library`] keeps one up to date with a folder of packs, and a [`PackArchive`] what
//! was served, and what came in bundles, which `turnwise-course-bundles` packs, fetches and unpacks.
//!
//! Loading goes on after a fault, so that one run shows them all. A file that cannot be read at all
//! hides only the checks that rest on it.

mod archive;
mod catalog;
mod check;
mod context;
mod draft;
mod fault;
mod fields;
mod files;
mod graph;
mod ids;
pub mod key_path;
mod library;
mod load;
mod model;
mod procedure;
mod read;
mod repeats;
mod settings;
mod teaching;
mod yaml;

pub use archive::{ArchiveError, PackArchive};
pub use catalog::{Catalog, HELD_VERSIONS, Version};
pub use context::{
    ArtifactFormat, ArtifactType, ContextCourse, ContextNeed, ContextPhase, Friction, LocalText,
    MessageIntent, Supplier, Urgency,
};
pub use fault::PackFault;
pub use files::{pack_files, pack_hash};
pub use ids::{is_id, is_reference_key};
pub use library::{BundleError, Library, LibraryError};
pub use load::{LoadedPack, is_bundle, load, load_all, places_of_packs};
pub use model::{
    Chunk, ChunkType, ClarifyingDocument, Course, Drill, DrillChoice, DrillInstance, DrillTemplate,
    Lesson, LessonHelp, LlmGrades, Pack, Places, PolicyOverrides, PrereqWalk, Question,
    QuestionOption, StuckRule, Support, SupportKind, Tier, Unit,
};
pub use procedure::{
    CONTRACT_VERSION, Procedure, ProcedurePhase, ProcedureStep, TelemetryVar, UiTarget,
};
pub use settings::LibrarySettings;
pub use teaching::{KeyIdea, Misconception, MistakeTag};
pub use turnwise_gates as gates;
