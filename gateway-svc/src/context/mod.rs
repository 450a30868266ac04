//! What an answer needs and the tutor cannot see: asked for, supplied, and answered with later.
//!
//! | module | is about |
//! | --- | --- |
//! | `needs` | whether a turn's message waits, and what its answer is made with |
//! | `known` | earlier requests and artifacts of a thread |
//! | `requests`, `artifacts` | what people do about a request, and what is kept for requests to come |
//! | `convert` | requests as clients see them |
//! | `worker` | what is due: reminders, ends, and the answers of messages that waited |
//! | `watch` | a thread's news |
//! | `metrics` | how often is asked, who supplies, how it ends |

mod artifacts;
pub(crate) mod convert;
mod known;
mod metrics;
pub(crate) mod needs;
mod requests;
pub(crate) mod watch;
pub(crate) mod worker;

use std::sync::Arc;

use turnwise_kit::{Caller, Fault, ids};

use crate::{access::STUDENT, conversation::Core};

pub(crate) use metrics::ContextMetrics;

/// What people do about requests.
pub(crate) struct Context {
    pub(crate) core: Arc<Core>,
}

/// Whose thread a call is about: a student's own, or the one that somebody else names.
fn student_of(caller: &Caller, student_id: String) -> Result<String, Fault> {
    if caller.is(STUDENT) && student_id.is_empty() {
        return Ok(caller.subject.clone());
    }
    ids::check("student_id", &student_id)?;
    // That a student names another one is refused by the store.
    Ok(student_id)
}
