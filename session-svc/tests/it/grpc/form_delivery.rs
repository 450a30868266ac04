//! What a request about webhooks must look like.

use super::*;
use crate::out_of_form;
use turnwise_proto::school::v1::ListDeadLettersRequest;
use turnwise_proto::session::v1::{
    ClaimStreamsRequest, EventDestination, EventFailure, GetBacklogRequest, SettleEventsRequest,
};

fn failure(request: &mut SettleEventsRequest, change: fn(&mut EventFailure)) {
    change(request.failure.as_mut().unwrap());
}

#[tokio::test]
async fn a_request_about_webhooks_out_of_form_names_its_field() {
    let service = service().await;
    let (gateway, staff) = (&caller("service", "gateway"), &caller("staff", "tess"));
    let mut delivery = service.delivery();
    let destination = EventDestination::Alert.into();
    let claim = ClaimStreamsRequest {
        destination,
        limit: 1,
        events: 1,
    };
    out_of_form!(delivery, claim_streams, gateway, claim,
        "destination": |r| r.destination = 0,
        "destination": |r| r.destination = 3,
        "limit": |r| r.limit = 0,
        "limit": |r| r.limit = 101,
        "events": |r| r.events = 0,
        "events": |r| r.events = 101,
    );
    let backlog = GetBacklogRequest { destination };
    out_of_form!(delivery, get_backlog, gateway, backlog, "destination": |r| r.destination = -1);
    let settle = SettleEventsRequest {
        stream_id: "alert/default/7b/student:0".to_owned(),
        failure: Some(EventFailure {
            code: "timeout".to_owned(),
            position: 1,
            ..EventFailure::default()
        }),
        ..SettleEventsRequest::default()
    };
    out_of_form!(delivery, settle_events, gateway, settle.clone(),
        "delivered": |r| r.delivered = -1,
        "failure.code": |r| failure(r, |f| f.code.clear()),
        "failure.code": |r| failure(r, |f| f.code = "a b".to_owned()),
        "failure.position": |r| failure(r, |f| f.position = 0),
        "failure.retry_after": |r| failure(r, |f| f.retry_after = Some(prost_types::Duration {
            seconds: 86_401,
            nanos: 0,
        })),
    );
    let letters = ListDeadLettersRequest::default();
    out_of_form!(service.records(), list_dead_letters, staff, letters.clone(),
        "page_size": |r| r.page_size = 201,
        "page_token": |r| r.page_token = "x".to_owned(),
    );
}
