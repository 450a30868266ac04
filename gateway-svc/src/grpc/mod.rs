//! The services on the public port, one file each: who may call, a message in, a message out, a status. What they do is in
//! the domains' modules.

mod explain;
mod index;
mod queue;
mod tutor;

use tonic::Request;
use turnwise_kit::{CallContext, Fault};

pub(crate) use explain::Explain;
pub(crate) use index::Index;
pub(crate) use queue::Queues;
pub(crate) use tutor::Tutor;

/// Who may see what a student never sees.
const STAFF: &[&str] = &["staff", "service"];

/// The context of a call, if staff or a service made it.
fn admit_staff<T>(request: &Request<T>) -> Result<CallContext, Fault> {
    let context = CallContext::of(request);
    context.caller()?.require(STAFF)?;
    Ok(context)
}
