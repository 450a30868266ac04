//! How the tutor teaches without a model: what the course's author wrote, in the order in which a teacher would say it.
//!
//! | module | is about |
//! | --- | --- |
//! | `authored` | what the author wrote for a unit and its drills |
//! | `situation` | what is known of the turn, beside the policy |
//! | `lesson` | the moves that a reply may make, and which of them comes next |
//! | `elsewhere` | a lesson's words on another unit than the focus |
//! | `hints` | the ladder of hints on an open drill, or on the student's own exercise: authored, else derived from the algebra |
//! | `passage` | a lesson's own words, with their source |
//! | `worked` | worked examples, and worked siblings of an open drill |
//! | `set` | a drill or an exam question, with the sentence before it |
//! | `said` | what was said a moment ago is not said again |

mod authored;
mod elsewhere;
mod hints;
pub(crate) mod lesson;
mod passage;
mod said;
pub(crate) mod set;
mod situation;
mod worked;

pub use authored::{DrillHelp, KeyIdea, Teaching};
pub use elsewhere::answer_elsewhere;
pub use hints::derived_hints;
pub use passage::{Choice, Found, Passage};
pub use said::shares;
pub use situation::{Asks, Open, Situation};
