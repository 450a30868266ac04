//! Events for webhooks: handed out, and what came of them.

use std::time::Duration;

use tonic::{Request, Response, Status};
use turnwise_kit::{Fault, time};
use turnwise_proto::session::v1::{
    ClaimStreamsRequest, ClaimStreamsResponse, EventDestination, EventFailure, GetBacklogRequest,
    GetBacklogResponse, SettleEventsRequest, SettleEventsResponse,
    delivery_service_server::DeliveryService,
};

use super::session::open;
use crate::sessions::{
    Sessions,
    outbox::{Failure, Settlement},
};

const SERVICES: &[&str] = &["service"];
/// The most streams of a claim, and the most events of a stream.
const MOST: usize = 100;
/// The most characters of what an attempt came to.
const CODE_MAX_CHARS: usize = 64;
/// The longest time until an event is sent again.
const RETRY_MAX: Duration = Duration::from_secs(86_400);

/// Serves `turnwise.session.v1.DeliveryService`.
pub struct DeliveryGrpc {
    sessions: Sessions,
}

impl DeliveryGrpc {
    /// The service over all operations.
    pub fn new(sessions: Sessions) -> Self {
        Self { sessions }
    }
}

fn destination(number: i32) -> Result<EventDestination, Fault> {
    EventDestination::try_from(number)
        .ok()
        .filter(|destination| *destination != EventDestination::Unspecified)
        .ok_or_else(|| Fault::invalid("destination", "must be AUDIT or ALERT"))
}

fn count(field: &str, number: i32) -> Result<usize, Fault> {
    usize::try_from(number)
        .ok()
        .filter(|count| (1..=MOST).contains(count))
        .ok_or_else(|| Fault::invalid(field, "must be 1 to 100"))
}

fn failure(failure: EventFailure) -> Result<Failure, Fault> {
    let is_code = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
    if failure.code.is_empty()
        || failure.code.len() > CODE_MAX_CHARS
        || !failure.code.bytes().all(is_code)
    {
        return Err(Fault::invalid("failure.code", "must match [a-z0-9_]{1,64}"));
    }
    if failure.position < 1 {
        return Err(Fault::invalid("failure.position", "must be 1 or more"));
    }
    let retry_after = failure
        .retry_after
        .map_or(Ok(Duration::ZERO), Duration::try_from)
        .ok()
        .filter(|wait| *wait <= RETRY_MAX)
        .ok_or_else(|| Fault::invalid("failure.retry_after", "must be 0 s to 86400 s"))?;
    Ok(Failure {
        code: failure.code,
        retry_after,
        give_up: failure.give_up,
        position: failure.position,
    })
}

#[tonic::async_trait]
impl DeliveryService for DeliveryGrpc {
    async fn claim_streams(
        &self,
        request: Request<ClaimStreamsRequest>,
    ) -> Result<Response<ClaimStreamsResponse>, Status> {
        let (caller, message) = open(request)?;
        caller.require(SERVICES)?;
        let destination = destination(message.destination)?;
        let limit = count("limit", message.limit)?;
        let events = count("events", message.events)?;
        let claims = self
            .sessions
            .claim_streams(destination, limit, events)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(ClaimStreamsResponse {
            streams: claims.streams,
            lease_ttl: prost_types::Duration::try_from(claims.lease_ttl).ok(),
        }))
    }

    async fn settle_events(
        &self,
        request: Request<SettleEventsRequest>,
    ) -> Result<Response<SettleEventsResponse>, Status> {
        let (caller, message) = open(request)?;
        caller.require(SERVICES)?;
        if message.delivered < 0 {
            return Err(Fault::invalid("delivered", "must be 0 or more").into());
        }
        let settlement = Settlement {
            delivered: message.delivered,
            failure: message.failure.map(failure).transpose()?,
            release: message.release,
        };
        self.sessions
            .settle_events(&message.stream_id, message.fencing_token, settlement)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(SettleEventsResponse {}))
    }

    async fn get_backlog(
        &self,
        request: Request<GetBacklogRequest>,
    ) -> Result<Response<GetBacklogResponse>, Status> {
        let (caller, message) = open(request)?;
        caller.require(SERVICES)?;
        let backlog = self
            .sessions
            .backlog(destination(message.destination)?)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(GetBacklogResponse {
            streams: i64::try_from(backlog.streams).unwrap_or(i64::MAX),
            oldest_time: backlog.oldest.map(time::to_proto),
        }))
    }
}
