//! What to ask for before a message is answered: one pure function, [`analyze`], from what the course says, the message,
//! and what the thread knows.
//!
//! | module | is about |
//! | --- | --- |
//! | [`analyze`](mod@analyze) | which needs apply, and whether the student may be asked |
//! | [`artifact`] | whether what was supplied is what was asked for |
//! | [`intent`] | what a message wants, by its words |

pub mod analyze;
pub mod artifact;
pub mod intent;

pub use analyze::{
    Input, MOST_SLOTS, Present, Request, Slot, analyze, missing_must_have, relevant,
};
