//! What to ask for before a message is answered: pure functions, above all [`analyze`], of what the course says, the
//! message, and what the thread knows.
//!
//! | module | is about |
//! | --- | --- |
//! | [`analyze`](mod@analyze) | which needs apply, and whether the student may be asked |
//! | [`intent`] | what a message wants, by its words |

pub mod analyze;
pub mod intent;

pub use analyze::{
    Input, MOST_SLOTS, Present, Request, Slot, analyze, intent_of, missing_must_have, relevant,
};
