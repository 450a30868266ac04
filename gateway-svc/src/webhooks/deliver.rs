//! Delivery of what session-svc's outbox holds for one receiver. Streams are claimed, and each is delivered event by event:
//! one that fails is tried again later, and what stands behind it in its stream waits for it; other streams do not.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use serde_json::value::RawValue;
use tracing::Instrument;
use turnwise_kit::{CancellationToken, Clock, Kit, client::GrpcClient, time};
use turnwise_proto::session::v1::{
    ClaimStreamsRequest, ClaimedStream, EventDestination, EventFailure, GetBacklogRequest,
    OutgoingEvent, SettleEventsRequest, delivery_service_client::DeliveryServiceClient,
};

use super::{
    event::Event,
    metrics::WebhookMetrics,
    post::{Failed, Post},
};
use crate::{
    Upstreams,
    background::{self, request_in},
};

/// How often the backlog is measured.
const MEASURE: Duration = Duration::from_secs(15);
/// The most streams that are delivered at a time.
const STREAMS: usize = 16;
/// The most events of a claim.
const EVENTS: i32 = 20;
/// The wait before the second attempt; it doubles with each.
const BACK_OFF: Duration = Duration::from_secs(5);
/// The longest wait between two attempts.
const BACK_OFF_MAX: Duration = Duration::from_secs(900);
/// How long an event is tried.
const GIVE_UP: Duration = Duration::from_secs(86_400);

/// Delivers to one receiver.
pub(super) struct Deliverer {
    destination: EventDestination,
    /// The receiver as metrics and logs call it.
    receiver: &'static str,
    post: Post,
    outbox: DeliveryServiceClient<GrpcClient>,
    metrics: WebhookMetrics,
    clock: Arc<dyn Clock>,
    end: CancellationToken,
}

impl Deliverer {
    /// Delivers until the process ends.
    pub(super) fn start(
        destination: EventDestination,
        post: Post,
        upstreams: &Upstreams,
        metrics: WebhookMetrics,
        kit: &Kit,
    ) {
        let deliverer = Arc::new(Self {
            destination,
            receiver: match destination {
                EventDestination::Alert => "alert",
                EventDestination::Audit | EventDestination::Unspecified => "audit",
            },
            post,
            outbox: upstreams.delivery.clone(),
            metrics,
            clock: Arc::clone(&kit.clock),
            end: kit.shutdown.clone(),
        });
        let measured = Arc::clone(&deliverer);
        kit.tasks.spawn(async move { measured.measure().await });
        kit.tasks.spawn(async move { deliverer.run().await });
    }

    async fn run(self: Arc<Self>) {
        let span = || tracing::info_span!("webhooks", receiver = self.receiver);
        let claim = |free| self.claim(free);
        let deliver = |stream| {
            let deliverer = Arc::clone(&self);
            async move { deliverer.deliver(stream).await }.instrument(span())
        };
        let running = background::work_until(&self.end, STREAMS, claim, deliver).await;
        // Each notices the end by itself and gives its claim back.
        running.join_all().await;
    }

    async fn claim(&self, limit: usize) -> Vec<ClaimedStream> {
        let request = request_in(
            None,
            ClaimStreamsRequest {
                destination: self.destination.into(),
                limit: i32::try_from(limit).unwrap_or(1),
                events: EVENTS,
            },
        );
        match self.outbox.clone().claim_streams(request).await {
            Ok(answer) => answer.into_inner().streams,
            Err(error) => {
                tracing::debug!(code = ?error.code(), "there is no telling what is to be delivered");
                Vec::new()
            }
        }
    }

    /// Delivers a stream's events in their order, up to the first that is not taken.
    async fn deliver(&self, stream: ClaimedStream) {
        let count = stream.events.len();
        for (place, event) in stream.events.iter().enumerate() {
            let sending = async {
                match outgoing(event) {
                    Some(event) => self.post.send(&event).await,
                    None => Err(Failed {
                        code: "unreadable".to_owned(),
                        gone: true,
                    }),
                }
            };
            let Some(sent) = self.end.run_until_cancelled(sending).await else {
                self.settle(&stream, 0, None, true).await;
                return;
            };
            match sent {
                Ok(()) => {
                    self.metrics.attempt(self.receiver, "delivered");
                    if !self
                        .settle(&stream, event.position, None, place + 1 == count)
                        .await
                    {
                        return;
                    }
                }
                Err(failed) => {
                    self.metrics.attempt(self.receiver, "failed");
                    let (attempts, first) = match place {
                        0 => (stream.attempts, stream.first_attempt_time),
                        _ => (0, None),
                    };
                    let first = first.as_ref().and_then(time::from_proto);
                    self.failed(&stream, event, failed, attempts, first).await;
                    return;
                }
            }
        }
    }

    /// Notes that an event was not taken: it is tried again, for a day.
    async fn failed(
        &self,
        stream: &ClaimedStream,
        event: &OutgoingEvent,
        failed: Failed,
        attempts: i32,
        first: Option<Timestamp>,
    ) {
        let now = self.clock.now();
        let tried = first.map_or(Duration::ZERO, |first| {
            Duration::try_from(now.duration_since(first)).unwrap_or_default()
        });
        let give_up = failed.gone || tried >= GIVE_UP;
        let wait = back_off(attempts);
        let (event_id, kind, code) = (&event.event_id, &event.kind, &failed.code);
        if give_up {
            self.metrics.dead(self.receiver);
            tracing::error!(
                event_id,
                kind,
                code,
                attempts,
                "a webhook event was given up"
            );
        } else {
            tracing::warn!(
                event_id,
                kind,
                code,
                attempts,
                ?wait,
                "a webhook event was not taken; it is sent again"
            );
        }
        let failure = EventFailure {
            code: failed.code,
            retry_after: prost_types::Duration::try_from(wait).ok(),
            give_up,
            position: event.position,
        };
        self.settle(stream, 0, Some(failure), true).await;
    }

    /// Says what came of it, twice if it must be; false if the claim is lost or session-svc is away: then the events are
    /// handed out again when the claim runs out.
    async fn settle(
        &self,
        stream: &ClaimedStream,
        delivered: i64,
        failure: Option<EventFailure>,
        release: bool,
    ) -> bool {
        let message = SettleEventsRequest {
            stream_id: stream.stream_id.clone(),
            fencing_token: stream.fencing_token,
            delivered,
            failure,
            release,
        };
        for _ in 0..2 {
            let request = request_in(None, message.clone());
            match self.outbox.clone().settle_events(request).await {
                Ok(_) => return true,
                Err(error) => {
                    tracing::warn!(code = ?error.code(), "what came of a webhook event is not noted");
                }
            }
        }
        false
    }

    async fn measure(&self) {
        loop {
            let request = request_in(
                None,
                GetBacklogRequest {
                    destination: self.destination.into(),
                },
            );
            if let Ok(backlog) = self.outbox.clone().get_backlog(request).await {
                let backlog = backlog.into_inner();
                let oldest = backlog.oldest_time.as_ref().and_then(time::from_proto);
                let age = oldest.map_or(0, |oldest| {
                    self.clock.now().duration_since(oldest).as_secs().max(0)
                });
                self.metrics.backlog(self.receiver, backlog.streams, age);
            }
            let pause = tokio::time::sleep(MEASURE);
            if self.end.run_until_cancelled(pause).await.is_none() {
                return;
            }
        }
    }
}

/// The wait before an event is sent again that was sent so often before; by a quarter more or less, so that events which
/// failed together do not come back together.
fn back_off(attempts: i32) -> Duration {
    let doubled = BACK_OFF.saturating_mul(1 << attempts.clamp(0, 10));
    doubled
        .min(BACK_OFF_MAX)
        .mul_f64(0.75 + fastrand::f64() / 2.0)
}

fn outgoing(event: &OutgoingEvent) -> Option<Event> {
    Some(Event {
        id: event.event_id.clone(),
        kind: event.kind.clone(),
        time: event.create_time.as_ref().and_then(time::from_proto)?,
        tenant: event.tenant.clone(),
        subject: event.subject.clone(),
        partition_key: event.partition_key.clone(),
        data: RawValue::from_string(event.data.clone()).ok()?,
    })
}
