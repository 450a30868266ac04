//! Prompt sheets: the files that order and word what a model is told.
//!
//! A sheet is a Markdown file with [minijinja](https://docs.rs/minijinja) expressions, named `MODE.ROLE.md` or
//! `MODE.ROLE.LOCALE.md`. Modes are `turn`, `grade`, `chat`, `translate` and `help`, roles `system` and `user`. A locale gets the sheet
//! that is made for it or for what it is a variant of: `de-CH`, then `de`, then the one without a locale. Some are built in; a folder may
//! replace and add to them, file by file: a folder that holds `turn.system.md` alone leaves German turns their built-in
//! `turn.system.de.md`.
//!
//! A sheet alone decides order and wording. It may use these variables and no others:
//!
//! | sheets | variable | what it is |
//! | --- | --- | --- |
//! | all | `locale` | the language tag of what the student reads |
//! | turn | `allowed_actions` | names of the actions that POLICY allows, a list |
//! | turn | `max_concept_words`, `max_key_ideas`, `max_worked_examples`, `drill_max_steps` | bounds, numbers |
//! | turn, system | `policy` | block `POLICY`; the sheet must use it |
//! | turn, user | `context` | block `CONTEXT`: `unitAnchors`, `unitContentChunks`, `examCandidates`, `snapshotLiteForLLM`, `clientEvent`; the sheet must use it |
//! | turn, system | `has_attachments` | whether the user message has attachments |
//! | turn, system | `has_blocker` | whether POLICY names a prerequisite that comes first |
//! | turn, system | `has_choices` | whether POLICY has `choiceUnitIds`: the message could not be placed, and is about one of them |
//! | turn, user | `earlier_turns` | block `EARLIER_TURNS`, oldest first; empty where there are none |
//! | turn, user | `external_context` | block `EXTERNAL_CONTEXT`: what was supplied for the message; empty where nothing was; the sheet must use it |
//! | turn, user | `not_supplied` | whether it names something that was asked for and is not there |
//! | turn, user | `student_input` | block `STUDENT_INPUT`; empty where a button alone was pressed; the sheet must use it |
//! | grade | `verdict` | `right` or `wrong` as mathematics decided, `unknown` where the model has to tell |
//! | grade, system | `mistake_tags` | block `MISTAKE_TAGS`: each tag with its meaning; empty where there are none |
//! | grade, user | `task` | block `TASK`: `unitTitle`, `prompt`, `questionLatex`, with a key `expectedAnswer`; the sheet must use it |
//! | grade, user | `student_answer` | block `STUDENT_ANSWER`; the sheet must use it |
//! | chat | `strictness` | `light` or `strict` |
//! | chat, system | `scope_mode`, `topic_filter` | `soft` or `strict` |
//! | chat, system | `off_topic`, `writes_programs` | whether the message is about none of the topics; whether the lesson asks for programs |
//! | chat, system | `lesson`, `reference` | blocks `LESSON` and `REFERENCE`; empty where there are none; the sheet must use them |
//! | chat, user | `sources`, `conversation` | blocks `SOURCES` and `CONVERSATION`; empty where there are none; the sheet must use them |
//! | chat, user | `student_input` | block `STUDENT_INPUT`; the sheet must use it |
//! | translate | `source_locale` | the language of the question; `locale` is the one to translate into |
//! | translate, user | `question` | block `QUESTION`; the sheet must use it |
//! | help, system | `step_id` | the inferred step; the sheet must use it |
//! | help, user | `situation` | block `SITUATION`: session, step, summaries, variables, changes, targets, course text; the sheet must use it |
//!
//! A block is data between tags that nothing inside can close. What students, documents and exercises say comes in blocks
//! of the user role and cannot reach the system role: a system sheet has no variable that holds it.
//!
//! # What is left out of a prompt that is too long
//!
//! In this order, until it fits:
//!
//! 1. chunks, the last-ranked first; the one at the border is cut if enough of it is left;
//! 2. earlier messages, the oldest first;
//! 3. anchors of other units than the focus, the last-ranked first;
//! 4. the focus's anchor: its misconceptions, its tags, its summary from the end, then all of it; units in progress, the
//!    least recent first;
//! 5. the last answer, which the record has;
//! 6. attachments, from the end of the last.
//!
//! Of a chat: sources, the last-ranked first; what was said before, the oldest first; the summary; the reference from its
//! end. Of a grade: the meanings of mistake tags, the last first, then the unit's title. Rules, POLICY, exam candidates, the
//! open card, a drill's task and what the student says are never left out; where they alone are too long, the prompt is over
//! its budget and says so.

mod attachments;
mod block;
mod budget;
mod built_in;
mod chat;
mod check;
mod clarification;
mod context;
mod conversation;
mod earlier;
mod fault;
mod grade;
mod help;
mod library;
mod name;
mod prompt;
mod sheets;
mod tokens;
mod translate;
mod turn;
mod unit;
mod words;

pub use chat::ChatPrompt;
pub use conversation::Conversation;
pub use earlier::EARLIER_MESSAGE_CHARS;
pub use fault::{RenderError, SheetError, SheetFault};
pub use grade::{GradePrompt, MistakeTag};
pub use help::{HELP_PROMPT_ID, HelpPrompt};
pub use library::{Refresh, SheetLibrary};
pub use prompt::{Prompt, Trimmed};
pub use sheets::Sheets;
pub use tokens::estimate;
pub use translate::TranslatePrompt;
pub use turn::TurnPrompt;
