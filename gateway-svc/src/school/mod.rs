//! What teachers and staff do with their classes.
//!
//! | module | is about |
//! | --- | --- |
//! | `settings` | rosters and policies |
//! | `prerequisites` | units that count as met; placements begun and taken back |
//! | `students` | the students of a class, read in pages, with how they stand |
//! | `report`, `tally` | how a class stands, and the counts of which that is made |
//! | `stuck` | who does not get on |
//! | `alerts` | calls for help |
//! | `watch`, `waiting` | what happens in a class now, and who waits for a model |
//! | `resets` | conversations removed, classes exported |
//!
//! session-svc keeps all of it, policy-svc knows the courses.

mod alerts;
mod escalations;
mod prerequisites;
mod report;
mod resets;
mod settings;
mod stuck;
mod students;
mod tally;
mod waiting;
mod watch;

use std::{sync::Arc, time::Duration};

use turnwise_kit::{Clock, PageTokens};

use crate::upstream::Upstreams;

/// What teachers and staff do with their classes.
pub(crate) struct School {
    pub(crate) upstreams: Upstreams,
    pub(crate) pages: PageTokens,
    pub(crate) clock: Arc<dyn Clock>,
    /// How long a reset is waited for.
    pub(crate) reset_wait: Duration,
}
