//! What people do about an open request.

use std::collections::HashSet;

use turnwise_kit::{CallContext, Caller, Fault, ids};
use turnwise_proto::{
    common::v1::ErrorReason,
    context::v1::{
        ContextPayload, ContextRequest, ListContextRequestsRequest, ListContextRequestsResponse,
        SupplyContextRequest,
    },
    policy::v1::CheckArtifactRequest,
    session::v1::{self as session, ContextRequestChange},
};

use super::{Context, convert, known::slot_at, student_of};
use crate::{conversation::Core, upstream::Step};

/// The most payloads of a call: one for each slot of the largest request.
const MOST_PAYLOADS: usize = 20;
/// The largest page of requests.
const PAGE: i32 = 50;

impl Context {
    /// Supplies artifacts: each is checked by the course, cut to the part that was asked for, and stored.
    pub(crate) async fn supply(
        &self,
        context: &CallContext,
        caller: &Caller,
        request: SupplyContextRequest,
    ) -> Result<ContextRequest, Fault> {
        let student_id = student_of(caller, request.student_id)?;
        let (thread_id, request_id) = (request.thread_id, request.request_id);
        ids::check("thread_id", &thread_id)?;
        ids::check("request_id", &request_id)?;
        if !(1..=MOST_PAYLOADS).contains(&request.payloads.len()) {
            let problem = format!("must be 1 to {MOST_PAYLOADS}");
            return Err(Fault::invalid("payloads", problem));
        }
        let mut open = self
            .core
            .context_request(context, &student_id, &thread_id, &request_id)
            .await?;
        let mut payloads = request.payloads;
        let mut slots = HashSet::new();
        for payload in &payloads {
            if slot_at(&open, payload.slot).is_none() || !slots.insert(payload.slot) {
                let problem = "must be the place of a slot of the request, each once";
                return Err(Fault::invalid("payloads.slot", problem));
            }
        }
        // The last one that is required ends the request: the others come before.
        payloads.sort_by_key(|payload| slot_at(&open, payload.slot).map(|slot| !slot.optional));
        for payload in payloads {
            let slot = payload.slot.to_string();
            open = self
                .supply_one(context, caller, (&student_id, &thread_id), &open, payload)
                .await
                .map_err(|fault| fault.meta("slot", slot))?;
        }
        Ok(convert::request(&thread_id, &open))
    }

    async fn supply_one(
        &self,
        context: &CallContext,
        caller: &Caller,
        (student_id, thread_id): (&str, &str),
        open: &session::ContextRequest,
        payload: ContextPayload,
    ) -> Result<session::ContextRequest, Fault> {
        let slot = slot_at(open, payload.slot).ok_or_else(|| Step::Session.malformed())?;
        let checked = CheckArtifactRequest {
            course_id: open.course_id.clone(),
            artifact_type: slot.artifact_type.clone(),
            key_path: slot.key_path.clone(),
            content: payload.content,
        };
        let checked = self.core.check_artifact(context, checked).await?;
        let step = Step::Session.of(context);
        let supplied = self
            .core
            .upstreams
            .session
            .clone()
            .supply_context(step.request(session::SupplyContextRequest {
                student_id: student_id.to_owned(),
                thread_id: thread_id.to_owned(),
                request_id: open.request_id.clone(),
                slot: payload.slot,
                artifact_type: slot.artifact_type.clone(),
                content: checked.content,
            }))
            .await
            .map_err(|status| step.fault(&status))?
            .into_inner()
            .context_request
            .ok_or_else(|| Step::Session.malformed())?;
        let place = payload.slot;
        if let Some(source) = supplied.sources.iter().find(|source| source.slot == place) {
            // What is to be indexed later is found by this line; the content stays in the store.
            tracing::info!(
                request_id = supplied.request_id,
                slot = place,
                artifact_type = source.artifact_type,
                key_path = slot.key_path,
                size_bytes = source.size_bytes,
                sha256 = hex::encode(&source.sha256),
                supplier_role = source.supplier_role,
                "an artifact was supplied"
            );
        }
        self.core.context_metrics.supplied(&caller.role);
        Ok(supplied)
    }

    /// Ends a request: skipped, cancelled or forced.
    pub(crate) async fn change(
        &self,
        context: &CallContext,
        student_id: String,
        thread_id: String,
        request_id: String,
        change: ContextRequestChange,
    ) -> Result<ContextRequest, Fault> {
        let student_id = student_of(context.caller()?, student_id)?;
        let step = Step::Session.of(context);
        let changed = self
            .core
            .upstreams
            .session
            .clone()
            .change_context_request(step.request(session::ChangeContextRequestRequest {
                student_id,
                thread_id: thread_id.clone(),
                request_id,
                change: change.into(),
            }))
            .await
            .map_err(|status| step.fault(&status))?
            .into_inner()
            .context_request
            .ok_or_else(|| Step::Session.malformed())?;
        Ok(convert::request(&thread_id, &changed))
    }

    /// A page of a thread's requests.
    pub(crate) async fn list(
        &self,
        context: &CallContext,
        request: ListContextRequestsRequest,
    ) -> Result<ListContextRequestsResponse, Fault> {
        let wanted = session::ListContextRequestsRequest {
            student_id: student_of(context.caller()?, request.student_id)?,
            thread_id: request.thread_id.clone(),
            page_size: request.page_size,
            page_token: request.page_token,
        };
        let page = self.core.context_requests(context, wanted).await?;
        Ok(ListContextRequestsResponse {
            context_requests: page
                .context_requests
                .iter()
                // Nobody was asked for anything by a message that waits for its turn alone.
                .filter(|found| !found.slots.is_empty())
                .map(|found| convert::request(&request.thread_id, found))
                .collect(),
            next_page_token: page.next_page_token,
        })
    }
}

impl Core {
    /// A thread's request; a thread has few, and the latest is on the last page.
    pub(super) async fn context_request(
        &self,
        context: &CallContext,
        student_id: &str,
        thread_id: &str,
        request_id: &str,
    ) -> Result<session::ContextRequest, Fault> {
        let mut page_token = String::new();
        loop {
            let wanted = session::ListContextRequestsRequest {
                student_id: student_id.to_owned(),
                thread_id: thread_id.to_owned(),
                page_size: PAGE,
                page_token,
            };
            let page = self.context_requests(context, wanted).await?;
            let mut found = page.context_requests.into_iter();
            if let Some(found) = found.find(|found| found.request_id == request_id) {
                return Ok(found);
            }
            if page.next_page_token.is_empty() {
                return Err(Fault::new(
                    ErrorReason::ContextRequestClosed,
                    "the thread has no such request; ListContextRequests lists those it has",
                )
                .meta("request_id", request_id.to_owned())
                .field("request_id", "is no request of this thread"));
            }
            page_token = page.next_page_token;
        }
    }
}
