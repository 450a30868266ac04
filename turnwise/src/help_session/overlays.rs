//! What is to be shown: watched, shown, acknowledged.

use std::time::Duration;

use anyhow::Result;
use jiff::Timestamp;
use tokio::sync::mpsc;
use turnwise_kit::time;
use turnwise_proto::procedure::v1::{
    HelpEvent, Overlay, OverlayIntent, OverlayState, RecordOverlayAckRequest, WatchOverlaysRequest,
};

use super::Play;
use crate::{client::Student, render::ink::line, school::answered};

/// What is to be shown, in order.
pub(super) type Overlays = mpsc::Receiver<Overlay>;

/// Overlays that may wait until they are shown.
const AHEAD: usize = 16;
/// How long a watch lasts before it is taken up again.
const WATCH: Duration = Duration::from_secs(60);
/// How long to wait before a watch is taken up again.
const AGAIN: Duration = Duration::from_millis(500);

/// Follows what is to be shown until this program ends, and takes it up again where it breaks off.
pub(super) fn watch(mut student: Student, session_id: &str) -> Overlays {
    let (sender, overlays) = mpsc::channel(AHEAD);
    let session_id = session_id.to_owned();
    tokio::spawn(async move {
        let mut after_event_id = 0;
        while !sender.is_closed() {
            // A token that cannot be had now may be there the next time.
            let _ = student.renew();
            let request = WatchOverlaysRequest {
                session_id: session_id.clone(),
                after_event_id,
                ..WatchOverlaysRequest::default()
            };
            let request = student.request(request, WATCH);
            if let Ok(mut events) = answered(student.procedures.watch_overlays(request).await) {
                while let Ok(Some(next)) = events.message().await {
                    let HelpEvent {
                        event_id, overlay, ..
                    } = next.event.unwrap_or_default();
                    after_event_id = event_id;
                    if let Some(overlay) = overlay
                        && sender.send(overlay).await.is_err()
                    {
                        return;
                    }
                }
            }
            tokio::time::sleep(AGAIN).await;
        }
    });
    overlays
}

impl Play<'_> {
    /// The element that is highlighted now.
    pub(super) fn highlighted(&self) -> Option<&str> {
        let highlight = self.highlight.as_ref()?;
        let end = highlight.expire_time.as_ref().and_then(time::from_proto);
        let lasts = end.is_none_or(|end| end > Timestamp::now());
        lasts.then_some(highlight.element_id.as_str())
    }

    /// Shows what comes, up to the overlay with this id.
    pub(super) async fn show_until(&mut self, overlay_id: &str) -> Result<()> {
        while let Some(overlay) = self.overlays.recv().await {
            let is_it = overlay.overlay_id == overlay_id;
            self.show(overlay).await?;
            if is_it {
                break;
            }
        }
        Ok(())
    }

    /// Shows an overlay, and says whether that could be done.
    pub(super) async fn show(&mut self, overlay: Overlay) -> Result<()> {
        let targets = &self.procedure.targets;
        let is_here = targets.iter().any(|one| one.element == overlay.element_id);
        let mut request = RecordOverlayAckRequest {
            session_id: self.session.session_id.clone(),
            overlay_id: overlay.overlay_id.clone(),
            outcome: OverlayState::Applied.into(),
            client_time: Some(time::to_proto(Timestamp::now())),
            ..RecordOverlayAckRequest::default()
        };
        let label = line(&overlay.label);
        self.highlight = None;
        match overlay.intent() {
            OverlayIntent::Highlight if is_here => {
                self.say(&format!("  highlighted: {label}"))?;
                self.highlight = Some(overlay);
            }
            OverlayIntent::Highlight | OverlayIntent::Unspecified => {
                self.say(&format!(
                    "  cannot be highlighted, since it is not here: {label}"
                ))?;
                request.set_outcome(OverlayState::Failed);
                request.problem = "no_such_element".to_owned();
            }
            OverlayIntent::Clear => self.say("  the highlight is removed")?,
        }
        self.student.renew()?;
        let request = self.student.request(request, self.student.timeout());
        match answered(self.student.procedures.record_overlay_ack(request).await) {
            Ok(_) => Ok(()),
            Err(fault) => self.refused(&fault),
        }
    }
}
