//! Access events: who talked to the tutor. They are told after the answer and never hold it up: they wait in memory, and
//! where there are too many, or the receiver does not take one, it is gone.

use serde_json::json;
use tokio::sync::mpsc;
use turnwise_kit::Kit;
use uuid::Uuid;

use super::{event::Event, metrics::WebhookMetrics, post::Post};
use crate::conversation::Request;

/// The most events that wait.
const BUFFER: usize = 1000;
const RECEIVER: &str = "access";

/// Where access events go.
pub struct AccessEvents {
    sender: Option<mpsc::Sender<Event>>,
    metrics: WebhookMetrics,
    kit: Kit,
}

impl AccessEvents {
    /// Starts to send; without a receiver nothing is made.
    pub(super) fn start(post: Option<Post>, metrics: WebhookMetrics, kit: &Kit) -> Self {
        let sender = post.map(|post| {
            let (sender, mut events) = mpsc::channel::<Event>(BUFFER);
            let (end, counted) = (kit.shutdown.clone(), metrics.clone());
            kit.tasks.spawn(async move {
                let sending = async {
                    while let Some(event) = events.recv().await {
                        let outcome = match post.send(&event).await {
                            Ok(()) => "delivered",
                            Err(failed) => {
                                tracing::debug!(
                                    code = failed.code,
                                    "an access event was not taken"
                                );
                                "failed"
                            }
                        };
                        counted.attempt(RECEIVER, outcome);
                    }
                };
                end.run_until_cancelled(sending).await;
                events.close();
                while events.try_recv().is_ok() {
                    counted.dropped(RECEIVER);
                }
            });
            sender
        });
        Self {
            sender,
            metrics,
            kit: kit.clone(),
        }
    }

    /// Tells of a call that was answered: ids alone.
    pub(crate) fn tell(&self, call: &str, request: &Request<'_>, class_id: &str, turn_id: &str) {
        let Some(sender) = &self.sender else {
            return;
        };
        let caller = request.caller;
        let data = json!({
            "call": call,
            "studentId": caller.subject,
            "role": caller.role,
            "classId": class_id,
            "courseId": request.course_id,
            "threadId": request.thread_id,
            "turnId": turn_id,
        });
        let Ok(data) = serde_json::value::to_raw_value(&data) else {
            return;
        };
        let event = Event {
            id: Uuid::new_v4().to_string(),
            kind: "helper-chat-access".to_owned(),
            time: self.kit.clock.now(),
            tenant: caller.tenant.clone(),
            subject: format!("student/{}", caller.subject),
            partition_key: String::new(),
            data,
        };
        if sender.try_send(event).is_err() {
            self.metrics.dropped(RECEIVER);
        }
    }
}
