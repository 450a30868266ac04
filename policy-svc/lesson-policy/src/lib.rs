//! What a message to the homework helper is about, and what an answer may be: one pure function, [`decide`], from the
//! signed scope, the class's policy, the message and what was said before.
//!
//! | module | is about |
//! | --- | --- |
//! | [`decide`](mod@decide) | the decision |
//! | [`lesson`] | the lessons of a course |
//! | `judge` | whether a message is about the topics |
//! | `words` | how words are compared: endings, compounds, slips |
//! | `formulas` | what a formula is about |
//! | `lexicon` | words of concepts, of subjects and of chats |
//! | `text_language` | requests for a text language in a course with blocks |
//! | [`intent`] | what a student wants |
//! | `texts` | redirects, suggestions, check questions |
//!
//! The rules and what they reach are in docs/helper-topics.md.

pub mod decide;
mod formulas;
pub mod intent;
mod judge;
pub mod lesson;
mod lexicon;
mod text_language;
mod texts;
mod words;

pub use decide::{
    Decision, Defaults, Input, Memory, Redirect, Scope, ScopeMode, Strictness, TopicFilter, decide,
};
pub use intent::Intent;
pub use lesson::{Course, Lesson};
