//! A session and its events, as clients see them.

use turnwise_kit::{CallContext, Caller, Fault, ids, page, time};
use turnwise_proto::{
    procedure::v1::{
        GetHelpSessionRequest, GetHelpSessionResponse, HelpEvent, HelpSession, Overlay,
        OverlayIntent, OverlayState,
    },
    session::v1::{Event, HelpState, ListEventsRequest, ReadHelpSessionRequest},
    tutor::v1::Thread,
};

use super::{Kept, ProcedureHelp, of_session};
use crate::upstream::Step;

/// The events that a timeline shows.
const KINDS: [&str; 6] = [
    "observation",
    "tutor_request",
    "tutor_response",
    super::overlays::REQUESTED,
    "overlay_applied",
    "overlay_failed",
];
/// Pages of events: the usual and the largest size.
const PAGE: (usize, usize) = (50, 200);

impl ProcedureHelp {
    pub(super) async fn read(
        &self,
        context: &CallContext,
        learner: &Caller,
        session_id: &str,
    ) -> Result<Kept, Fault> {
        let step = Step::Session.of(context);
        let mut session = self.core.upstreams.session.clone();
        let read = session
            .read_help_session(step.request(ReadHelpSessionRequest {
                student_id: learner.subject.clone(),
                thread_id: session_id.to_owned(),
            }))
            .await
            .map_err(|status| of_session(step.fault(&status)))?
            .into_inner();
        match (read.thread, read.state) {
            (Some(thread), Some(state)) => Ok((thread, state)),
            _ => Err(Step::Session.malformed()),
        }
    }

    /// A session and a page of its timeline.
    pub(crate) async fn session(
        &self,
        context: &CallContext,
        learner: &Caller,
        request: GetHelpSessionRequest,
    ) -> Result<GetHelpSessionResponse, Fault> {
        ids::check("session_id", &request.session_id)?;
        let limit = page::size(request.page_size, PAGE.0, PAGE.1)?;
        let filter = [&*learner.subject, &request.session_id];
        let pages = &self.core.kit.pages;
        let pages = pages.list("GetHelpSession", Some(context.caller()?), &filter);
        let after_id: i64 = pages.start(&request.page_token)?.unwrap_or_default();
        let context = &context.on_behalf_of(learner.clone());
        let (thread, state) = self.read(context, learner, &request.session_id).await?;
        let step = Step::Session.of(context);
        let mut store = self.core.upstreams.session.clone();
        let listed = store
            .list_events(step.request(ListEventsRequest {
                student_id: learner.subject.clone(),
                thread_id: request.session_id.clone(),
                page_size: i32::try_from(limit).unwrap_or(i32::MAX),
                after_id,
                ..ListEventsRequest::default()
            }))
            .await
            .map_err(|status| of_session(step.fault(&status)))?
            .into_inner();
        let last = listed.events.last().map(|event| event.id);
        let events = listed.events.into_iter();
        Ok(GetHelpSessionResponse {
            session: Some(session(&learner.subject, &thread, &state)),
            events: events
                .filter(|event| KINDS.contains(&event.kind.as_str()))
                .map(event)
                .collect(),
            next_page_token: pages.next(last.filter(|_| listed.more)),
        })
    }
}

/// A session as clients see it.
pub(super) fn session(student_id: &str, thread: &Thread, state: &HelpState) -> HelpSession {
    let procedure = state.procedure.clone().unwrap_or_default();
    let run = state.run.clone().unwrap_or_default();
    HelpSession {
        session_id: thread.thread_id.clone(),
        student_id: student_id.to_owned(),
        course_id: thread.course_id.clone(),
        class_id: thread.class_id.clone(),
        procedure_id: procedure.procedure_id,
        title: procedure.title,
        locale: procedure.locale,
        pack_hash: procedure.pack_hash,
        contract_version: procedure.contract_version,
        text_only: procedure.text_only,
        create_time: thread.create_time,
        stored_sequence: run.stored_sequence,
        observed_time: run.observed_time,
        receive_time: run.receive_time,
        variables: run
            .variables
            .into_iter()
            .filter_map(|known| known.variable)
            .collect(),
        recent_deltas: run.recent_deltas,
        step_id: run.step_id,
        overlay: state.overlay.clone(),
    }
}

/// An event as clients see it.
pub(super) fn event(event: Event) -> HelpEvent {
    let fact = |name: &str| event.facts.get(name).cloned().unwrap_or_default();
    let time_of = |name: &str| fact(name).parse().ok().map(time::to_proto);
    let overlay = event.facts.contains_key("overlay_id").then(|| Overlay {
        overlay_id: fact("overlay_id"),
        intent: match fact("intent").as_str() {
            "clear" => OverlayIntent::Clear,
            _ => OverlayIntent::Highlight,
        }
        .into(),
        target: fact("target"),
        element_id: fact("element_id"),
        label: fact("label"),
        step_id: fact("step_id"),
        attempt: fact("attempt").parse().unwrap_or_default(),
        expire_time: time_of("expire_time"),
        state: match event.kind.as_str() {
            "overlay_applied" => OverlayState::Applied,
            "overlay_failed" => OverlayState::Failed,
            _ => OverlayState::Requested,
        }
        .into(),
        help_id: event.related_id.clone(),
    });
    HelpEvent {
        client_time: time_of("client_time"),
        step_id: fact("step_id"),
        observed_sequence: fact("observed_sequence").parse().unwrap_or_default(),
        detail: fact("detail"),
        overlay,
        event_id: event.id,
        kind: event.kind,
        contract_version: event.contract_version,
        session_id: event.session_id,
        id: event.event_id,
        server_time: event.create_time,
        related_id: event.related_id,
        in_reply_to: event.in_reply_to,
        message: event.text,
    }
}
