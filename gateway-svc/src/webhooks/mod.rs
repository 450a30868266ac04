//! What a platform is told without asking: audit entries and alerts, from session-svc's outbox, each at least once and in
//! order; and who talked to the tutor, best effort. [How a receiver sees it](../../../docs/webhooks.md).
//!
//! | module | is about |
//! | --- | --- |
//! | [`address`] | which addresses may be called |
//! | [`event`], [`sign`] | an event as CloudEvents 1.0; its signature as Standard Webhooks has it |
//! | `post` | one attempt |
//! | `deliver` | claims, attempts, what came of them |
//! | `access` | access events |

mod access;
pub mod address;
mod deliver;
pub mod event;
mod metrics;
mod post;
pub mod sign;

use std::sync::Arc;

use turnwise_kit::Kit;
use turnwise_proto::session::v1::EventDestination;

pub use access::AccessEvents;
use address::{Receiver, WebhookUrl};
use deliver::Deliverer;
use metrics::WebhookMetrics;
use post::Post;
use sign::Signer;

use crate::{Settings, StartError, Upstreams};

/// Starts to deliver to the receivers that are set; answers where access events go.
///
/// # Errors
///
/// If a receiver may not be called, or the keys cannot be used.
pub fn start(
    settings: &Settings,
    upstreams: &Upstreams,
    kit: &Kit,
) -> Result<AccessEvents, StartError> {
    let signer = settings
        .webhook_keys_file
        .as_ref()
        .map(|file| Signer::load(file.clone()))
        .transpose()?;
    if let Some(signer) = &signer {
        signer.follow(kit);
    }
    let metrics = WebhookMetrics::register(&kit.metrics);
    let to = |setting: &'static str, url: &Option<WebhookUrl>| {
        let Some(url) = url.as_ref().filter(|url| !url.is_empty()) else {
            return Ok(None);
        };
        let receiver = Receiver::new(setting, url, settings.webhook_allow_private)?;
        let signer = signer
            .clone()
            .ok_or(StartError::MissingWebhookKeys { setting })?;
        Post::new(receiver, signer, Arc::clone(&kit.clock)).map(Some)
    };
    let stored = [
        (
            EventDestination::Audit,
            to("AUDIT_EVENT_URL", &settings.audit_event_url)?,
        ),
        (
            EventDestination::Alert,
            to("ALERT_EVENT_URL", &settings.alert_event_url)?,
        ),
    ];
    let access = to("ACCESS_EVENT_URL", &settings.access_event_url)?;
    for (destination, post) in stored {
        if let Some(post) = post {
            Deliverer::start(destination, post, upstreams, metrics.clone(), kit);
        }
    }
    Ok(AccessEvents::start(access, metrics, kit))
}
