//! The reply guard: whether a student may read what a model says. Pure; the same words get the same verdict everywhere.
//!
//! | module | what it looks for |
//! | --- | --- |
//! | `invisible`, `markup`, `latex`, `address` | [`form_fault`]: what is wrong whatever it means |
//! | `prompt` | the prompt's sentences, keys and marks, in any spelling or code |
//! | `exam` | exam questions: their words, expressions and ids |
//! | `profile`, and a model of words and parts of words | claims of mastery, insults, personal data and secrecy, harm; in English and German, whatever the course's language |
//! | `mathematics` | equalities, inequalities, identities and worked examples that are false |
//! | `verdicts` | [`Guard::contradicts`]: words that say of a graded answer what its verdict is not |
//! | [`formula`], `written`, `numbers`, `respelled`, `signs`, `answer` | the open exercise's solution |
//!
//! [`plain_text`] takes Markdown out of a text before it is judged and shown.
//!
//! [`Guard::judge`] is for everything that a model says to a student: a reply with its card, feedback on an answer.
//! What it compares with and does not know itself comes as hashes ([`Context`]). `docs/reply-guard.md` has the figures.

mod address;
mod answer;
mod ascii;
mod exam;
mod fold;
pub mod formula;
mod guard;
mod invisible;
mod latex;
mod markdown;
mod markup;
mod mathematics;
mod numbers;
mod profile;
mod prompt;
mod reason;
mod respelled;
mod signs;
mod solution;
mod surroundings;
mod value;
mod verdicts;
mod written;

pub use answer::{OpenDrill, states_solution};
pub use exam::{ExamQuestions, ExamText, QuestionHashes, expressions};
pub use fold::plain_words;
pub use guard::{Context, Form, Guard, GuardError, Met, Spoken, Text, Verdict, form_fault};
pub use markdown::plain_text;
pub use mathematics::Statements;
pub use profile::ProfileError;
pub use reason::Reason;
pub use respelled::respelled;
pub use verdicts::Graded;
