//! Prompt sheets: the files that order and word what a model is told.
//!
//! A sheet is a Markdown file with [minijinja](https://docs.rs/minijinja) expressions, named `MODE.ROLE.md` or
//! `MODE.ROLE.LOCALE.md`. Modes are `turn`, `grade`, `chat`, `translate` and `help`, roles `system` and `user`; of turns also
//! `policy`, the second message of the system role, and `input`, the last of the user role. A locale gets the sheet that is
//! made for it or for what it is a variant of: `de-CH`, then `de`, then the one without a locale. Some are built in; a
//! folder may replace and add to them, file by file: a folder that holds `turn.system.md` alone leaves German turns their
//! built-in `turn.system.de.md`.
//!
//! A sheet alone decides order and wording. It may use these variables and no others:
//!
//! | sheets | variable | what it is |
//! | --- | --- | --- |
//! | all | `locale` | the language tag of what the student reads |
//! | turn, system | `max_concept_words`, `max_key_ideas`, `max_worked_examples`, `drill_max_steps` | bounds, numbers; the course's |
//! | turn, user | `unit_context` | block `UNIT_CONTEXT`: `unitAnchors` with the focus, `unitContentChunks` with its first texts; empty where nothing was found; the sheet must use it |
//! | turn, user | `context` | block `CONTEXT`: `unitAnchors`, `unitContentChunks`, `examCandidates`, `snapshotLiteForLLM`, `clientEvent`, `conversation`, each where it says something; the sheet must use it |
//! | turn, user | `earlier_turns` | block `EARLIER_TURNS`, oldest first; empty where there are none |
//! | turn, user | `external_context` | block `EXTERNAL_CONTEXT`: what was supplied for the message; empty where nothing was; the sheet must use it |
//! | turn, user | `not_supplied` | whether it names something that was asked for and is not there |
//! | turn, user | `student_input` | block `STUDENT_INPUT` of a message with a project, which stands first; else empty; the sheet must use it |
//! | turn, policy | `policy` | block `POLICY`; the sheet must use it |
//! | turn, policy, input | `allowed_actions` | names of the actions that POLICY allows, a list |
//! | turn, input | `student_input` | block `STUDENT_INPUT`; empty of a message with a project, and where a button alone was pressed; the sheet must use it |
//! | turn, input | `is_pressed`, `has_clarification` | whether nothing was said; whether there is a document to answer with |
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
//! | help, user | `situation` | block `SITUATION`: session, step, summaries, variables, changes, targets, course text; the sheet must use it |
//!
//! A block is data between tags that nothing inside can close. What students, documents and exercises say comes in blocks
//! of the user role and cannot reach the system role: a system or policy sheet has no variable that holds it.
//!
//! # What is left out of a prompt that is too long
//!
//! In this order, until it fits:
//!
//! 1. chunks that were found for the message, the last-ranked first; the one at the border is cut if enough of it is left;
//! 2. earlier messages, the oldest first;
//! 3. the names of other units than the focus, the last-ranked first;
//! 4. what belongs to the focus: its texts, the last first, its misconceptions, its summary, then all of it; units in
//!    progress, the least recent first;
//! 5. the last answer, which the record has;
//! 6. attachments, from the end of the last.
//!
//! The focus's first texts have a bound of their own, a thousand tokens, so that what is in a prompt besides does not
//! change them: they are the same bytes for everybody who works on the unit.
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
