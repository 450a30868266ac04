//! What happens in a class, as it happens: calls for help, and who waits for a model.

use async_stream::try_stream;
use futures_util::{Stream, StreamExt, stream};
use turnwise_kit::{CallContext, Fault};
use turnwise_proto::{
    classes::v1::AlertKind,
    common::v1::ErrorReason,
    school::v1::{WatchClassRequest, WatchClassResponse, watch_class_response::Event},
    session::v1::{WatchAlertsRequest, WatchAlertsResponse},
};

use super::School;
use crate::error::public;

/// What comes from one of the two services.
enum News {
    Alert(Result<WatchAlertsResponse, Fault>),
    Event(Event),
    /// The stream of alerts has ended; the reader takes it up again.
    End,
}

impl School {
    /// Watches a class.
    pub(crate) async fn watch(
        &self,
        context: &CallContext,
        request: WatchClassRequest,
    ) -> Result<impl Stream<Item = Result<WatchClassResponse, Fault>> + Send + use<>, Fault> {
        let caller = context.caller()?;
        let filter = [caller.tenant.as_str(), &request.class_id];
        // Whoever may watch the class may take it up where somebody else left it.
        let cursors = self.pages.list("WatchClass", None, &filter);
        let after: Option<i64> = cursors.start(&request.cursor).map_err(|_| {
            Fault::new(
                ErrorReason::InvalidPageToken,
                "`cursor` is none of this class's; watch without one",
            )
            .field("cursor", "must be the last cursor of a watch of this class")
        })?;
        let alerts = self
            .upstreams
            .session_admin
            .clone()
            .watch_alerts(context.request(WatchAlertsRequest {
                class_id: request.class_id.clone(),
                after_id: after.unwrap_or(0),
            }))
            .await
            .map_err(|status| public(&status))?
            .into_inner()
            .map(|next| News::Alert(next.map_err(|status| ended(&public(&status)))))
            .chain(stream::once(async { News::End }));
        let waiting = self
            .waiting(context.clone(), request.class_id)
            .map(|waiting| News::Event(Event::Waiting(waiting)));
        let mut cursor = request.cursor;
        Ok(try_stream! {
            let mut news = std::pin::pin!(stream::select(alerts, waiting));
            while let Some(next) = news.next().await {
                let event = match next {
                    News::End => break,
                    News::Event(event) => event,
                    News::Alert(next) => {
                        let next = next?;
                        // Of no change yet there is nothing to take up.
                        cursor = cursors.next((next.id > 0).then_some(next.id));
                        let Some(alert) = next.alert else { continue };
                        match alert.kind() {
                            AlertKind::Handoff => Event::Escalation(alert.into()),
                            _ => Event::Alert(alert),
                        }
                    }
                };
                yield WatchClassResponse { cursor: cursor.clone(), event: Some(event) };
            }
        })
    }
}

/// Why a watch ended, in words of its own cursor.
fn ended(fault: &Fault) -> Fault {
    if fault.reason() != ErrorReason::ResumeRequired {
        return fault.clone();
    }
    let again = Fault::new(
        ErrorReason::ResumeRequired,
        "this reader is too slow; watch again with the last cursor",
    );
    match fault.retry_delay() {
        Some(delay) => again.retry_after(delay),
        None => again,
    }
}
