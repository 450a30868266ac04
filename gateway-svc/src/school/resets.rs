//! A class's conversations removed, and a class exported.

use std::time::Duration;

use turnwise_kit::{CallContext, Caller, Fault};
use turnwise_proto::{
    school::v1::{
        ExportClassRequest, ExportClassResponse, ResetClassConversationsRequest,
        ResetClassConversationsResponse,
    },
    session::v1 as session,
};

use super::School;
use crate::{
    access::{RESET_KEY, SERVICE},
    error::public,
    upstream::ANSWER_MARGIN,
};

impl School {
    /// Resets a class, and says how far that is after a while.
    pub(crate) async fn reset(
        &self,
        context: &CallContext,
        request: ResetClassConversationsRequest,
    ) -> Result<ResetClassConversationsResponse, Fault> {
        let context = inside(context.keeping_back(ANSWER_MARGIN))?;
        // The answer of the store has to be back before the caller stops waiting.
        let most = context
            .remaining()
            .map_or(Duration::MAX, |left| left.saturating_sub(ANSWER_MARGIN));
        let wait = self.reset_wait.min(most);
        let far = self
            .upstreams
            .session_admin
            .clone()
            .reset_class(context.request(session::ResetClassRequest {
                class_id: request.class_id,
                reason: request.reason,
                idempotency_key: request.idempotency_key,
                wait_ms: i32::try_from(wait.as_millis()).unwrap_or(i32::MAX),
            }))
            .await
            .map_err(|status| public(&status))?
            .into_inner();
        Ok(ResetClassConversationsResponse {
            state: far.state,
            conversations: far.conversations,
            threads: far.threads,
            students: far.students,
            archive_names: far.archive_names,
            audit_id: far.audit_id,
        })
    }

    /// Exports a class. An archive takes as long as it takes; a caller who leaves asks again with the same key.
    pub(crate) async fn export(
        &self,
        context: &CallContext,
        request: ExportClassRequest,
    ) -> Result<ExportClassResponse, Fault> {
        let written = self
            .upstreams
            .session_admin
            .clone()
            .export_class(context.request(session::ExportClassRequest {
                class_id: request.class_id,
                idempotency_key: request.idempotency_key,
            }))
            .await
            .map_err(|status| public(&status))?
            .into_inner();
        Ok(ExportClassResponse {
            archive_name: written.archive_name,
            conversations: written.conversations,
            audit_id: written.audit_id,
        })
    }
}

/// The context as the store knows its caller: whoever shows the reset key is a service of its tenant there.
fn inside(context: CallContext) -> Result<CallContext, Fault> {
    let caller = context.caller()?;
    if !caller.is(RESET_KEY) {
        return Ok(context);
    }
    let service = Caller {
        role: SERVICE.to_owned(),
        ..caller.clone()
    };
    Ok(context.on_behalf_of(service))
}
