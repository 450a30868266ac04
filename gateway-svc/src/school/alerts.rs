//! Calls for help: listed, and taken on.

use turnwise_kit::{CallContext, Fault};
use turnwise_proto::{
    school::v1::{
        AcknowledgeAlertRequest, AcknowledgeAlertResponse, ListSafeguardingAlertsRequest,
        ListSafeguardingAlertsResponse,
    },
    session::v1 as session,
};

use super::School;
use crate::upstream::Step;

impl School {
    /// A page of alerts.
    pub(crate) async fn alerts(
        &self,
        context: &CallContext,
        request: ListSafeguardingAlertsRequest,
    ) -> Result<ListSafeguardingAlertsResponse, Fault> {
        let step = Step::Session.of(context);
        let page = self
            .upstreams
            .session_admin
            .clone()
            .list_alerts(step.request(session::ListAlertsRequest {
                class_id: request.class_id,
                filter: request.filter,
                page_size: request.page_size,
                page_token: request.page_token,
                handoffs: false,
            }))
            .await
            .map_err(|status| step.fault(&status))?
            .into_inner();
        Ok(ListSafeguardingAlertsResponse {
            alerts: page.alerts,
            next_page_token: page.next_page_token,
        })
    }

    /// Takes an alert on.
    pub(crate) async fn acknowledge(
        &self,
        context: &CallContext,
        request: AcknowledgeAlertRequest,
    ) -> Result<AcknowledgeAlertResponse, Fault> {
        let step = Step::Session.of(context);
        let taken = self
            .upstreams
            .session_admin
            .clone()
            .acknowledge_alert(step.request(session::AcknowledgeAlertRequest {
                class_id: request.class_id,
                alert_id: request.alert_id,
                idempotency_key: request.idempotency_key,
                handoff: false,
            }))
            .await
            .map_err(|status| step.fault(&status))?
            .into_inner();
        Ok(AcknowledgeAlertResponse { alert: taken.alert })
    }
}
