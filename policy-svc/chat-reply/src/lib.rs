//! What the homework helper says: whatever came of a model, made an answer that the decision allows. Pure; the same input
//! gives the same answer.
//!
//! | module | what it does |
//! | --- | --- |
//! | `problem` | the problem that the student works on, from what was said |
//! | `strict` | what a strict answer must not hold: a solution, a program, an answer that is handed over |
//! | `hint` | what the policy says instead |
//! | `citations` | the numbers of sources |
//! | `cut` | an answer within its length |
//!
//! [`resolve`] puts them in order. Whatever it does to a model's words, the last thing that it looks at is the text that the
//! student reads. `docs/helper-strictness.md` has the figures.

mod citations;
mod cut;
mod hint;
mod problem;
mod resolve;
mod strict;

pub use problem::{Conversation, Kind, OwnProblems, Problem};
pub use resolve::{Answer, Limits, Outcome, Withheld, resolve};
pub use strict::{code_given, handed_over};
