//! What a simulator or page is to show: watched, and acknowledged.

use async_stream::try_stream;
use futures_util::StreamExt;
use turnwise_kit::{CallContext, Caller, Fault, ids, time};
use turnwise_proto::{
    procedure::v1::{
        Overlay, OverlayState, RecordOverlayAckRequest, WatchOverlaysRequest, WatchOverlaysResponse,
    },
    session::v1::{ChangeOverlayRequest, OverlayChange, WatchEventsRequest},
};

use super::{ProcedureHelp, of_session, timeline};
use crate::{
    error::{public, public_of_watch},
    grpc::Answers,
    upstream::Step,
};

/// The event that asks for an overlay.
pub(super) const REQUESTED: &str = "overlay_requested";
/// The most characters of a word about a failure.
const MOST_PROBLEM_CHARS: usize = 64;

impl ProcedureHelp {
    /// What is to be shown from an event on. What has expired is left out.
    pub(crate) async fn watch_overlays(
        &self,
        context: &CallContext,
        learner: &Caller,
        request: WatchOverlaysRequest,
    ) -> Result<Answers<WatchOverlaysResponse>, Fault> {
        ids::check("session_id", &request.session_id)?;
        if request.after_event_id < 0 {
            return Err(Fault::invalid("after_event_id", "must be 0 or more"));
        }
        let context = context.on_behalf_of(learner.clone());
        self.read(&context, learner, &request.session_id).await?;
        let mut session = self.core.upstreams.session.clone();
        let mut events = session
            .watch_events(context.request(WatchEventsRequest {
                student_id: learner.subject.clone(),
                thread_id: request.session_id,
                after_id: request.after_event_id,
            }))
            .await
            .map_err(|status| of_session(public_of_watch(&status)))?
            .into_inner();
        let clock = std::sync::Arc::clone(&self.core.kit.clock);
        let news = try_stream! {
            while let Some(next) = events.message().await.map_err(|status| of_session(public(&status)))? {
                let Some(event) = next.event.filter(|event| event.kind == REQUESTED) else {
                    continue;
                };
                let event = timeline::event(event);
                let end = event.overlay.as_ref().and_then(|overlay| overlay.expire_time);
                let end = end.as_ref().and_then(time::from_proto);
                if end.is_none_or(|end| end > clock.now()) {
                    yield WatchOverlaysResponse { event: Some(event) };
                }
            }
        };
        Ok(Box::pin(
            news.map(|next: Result<_, Fault>| next.map_err(Into::into)),
        ))
    }

    /// Notes what became of an overlay; answers the session's latest.
    pub(crate) async fn acknowledge(
        &self,
        context: &CallContext,
        learner: &Caller,
        request: RecordOverlayAckRequest,
    ) -> Result<Overlay, Fault> {
        ids::check("session_id", &request.session_id)?;
        let change = match request.outcome() {
            OverlayState::Applied => OverlayChange::Applied,
            OverlayState::Failed => OverlayChange::Failed,
            OverlayState::Requested | OverlayState::Unspecified => {
                return Err(Fault::invalid("outcome", "must be APPLIED or FAILED"));
            }
        };
        if let Some(at) = &request.client_time
            && time::from_proto(at).is_none()
        {
            return Err(Fault::invalid("client_time", "must be a time"));
        }
        let problem = &request.problem;
        let is_word = problem
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
            && problem
                .bytes()
                .next()
                .is_none_or(|b| b.is_ascii_lowercase());
        if !is_word || problem.len() > MOST_PROBLEM_CHARS {
            let problem =
                "must be a word of a-z, 0-9 and _ that begins with a letter, at most 64 characters";
            return Err(Fault::invalid("problem", problem));
        }
        let context = context.on_behalf_of(learner.clone());
        let step = Step::Session.of(&context);
        let mut session = self.core.upstreams.session.clone();
        let changed = session
            .change_overlay(step.request(ChangeOverlayRequest {
                student_id: learner.subject.clone(),
                thread_id: request.session_id,
                overlay_id: request.overlay_id,
                change: change.into(),
                client_time: request.client_time,
                problem: request.problem,
                ack_wait: self.settings.ack_wait.try_into().ok(),
                ..ChangeOverlayRequest::default()
            }))
            .await
            .map_err(|status| of_session(step.fault(&status)))?;
        let overlay = changed.into_inner().overlay;
        let overlay = overlay.ok_or_else(|| Step::Session.malformed())?;
        self.metrics.acknowledged(change);
        Ok(overlay)
    }
}
