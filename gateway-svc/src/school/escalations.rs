//! Persons who were asked to step in: listed, and resolved.

use turnwise_kit::{CallContext, Fault};
use turnwise_proto::{
    classes::v1::Escalation,
    common::v1::ErrorReason,
    school::v1::{
        ListEscalationsRequest, ListEscalationsResponse, ResolveEscalationRequest,
        ResolveEscalationResponse,
    },
    session::v1 as session,
};

use super::School;
use crate::upstream::Step;

impl School {
    /// A page of escalations.
    pub(crate) async fn escalations(
        &self,
        context: &CallContext,
        request: ListEscalationsRequest,
    ) -> Result<ListEscalationsResponse, Fault> {
        let step = Step::Session.of(context);
        let mut admin = self.upstreams.session_admin.clone();
        let page = admin
            .list_alerts(step.request(session::ListAlertsRequest {
                class_id: request.class_id,
                filter: request.filter,
                page_size: request.page_size,
                page_token: request.page_token,
                handoffs: true,
            }))
            .await
            .map_err(|status| step.fault(&status))?
            .into_inner();
        Ok(ListEscalationsResponse {
            escalations: page.alerts.into_iter().map(Escalation::from).collect(),
            next_page_token: page.next_page_token,
        })
    }

    /// Notes who has stepped in, and makes the thread active.
    pub(crate) async fn resolve_escalation(
        &self,
        context: &CallContext,
        request: ResolveEscalationRequest,
    ) -> Result<ResolveEscalationResponse, Fault> {
        let step = Step::Session.of(context);
        let mut admin = self.upstreams.session_admin.clone();
        let resolved = admin
            .acknowledge_alert(step.request(session::AcknowledgeAlertRequest {
                class_id: request.class_id,
                alert_id: request.escalation_id,
                idempotency_key: request.idempotency_key,
                handoff: true,
            }))
            .await
            .map_err(|status| of_escalation(step.fault(&status)))?
            .into_inner();
        Ok(ResolveEscalationResponse {
            escalation: resolved.alert.map(Escalation::from),
        })
    }
}

/// An escalation is an alert inside.
fn of_escalation(fault: Fault) -> Fault {
    let names_alert = fault.fields().any(|field| field == "alert_id");
    if !names_alert {
        return fault;
    }
    let problem = "names no escalation of this class; name one that ListEscalations lists";
    let text = format!("`escalation_id` {problem}");
    let instead = match fault.reason() {
        ErrorReason::UnknownAlert => Fault::new(ErrorReason::UnknownAlert, text),
        _ => return Fault::invalid("escalation_id", "must be the id of an escalation"),
    };
    instead.field("escalation_id", problem)
}
