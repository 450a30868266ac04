//! The life of an overlay, pure: asked for, asked for once more, applied or failed, cleared.

use jiff::Timestamp;
use turnwise_kit::time;
use turnwise_proto::{
    procedure::v1::{Overlay, OverlayIntent, OverlayState},
    session::v1::OverlayChange,
};

/// How often an overlay is asked for.
const MOST_ATTEMPTS: i32 = 2;

/// What a step makes of an overlay.
#[derive(Debug, Clone, PartialEq)]
pub struct Stepped {
    /// The session's latest overlay now.
    pub overlay: Overlay,
    /// The event that tells it.
    pub kind: &'static str,
    /// A word about it.
    pub detail: String,
}

/// Asks for an overlay: the thread's, under a number that no earlier one has.
#[must_use]
pub fn requested(overlay: Overlay, thread_id: &str, number: i64) -> Stepped {
    let overlay = Overlay {
        overlay_id: format!("{thread_id}.{number}"),
        attempt: 1,
        state: OverlayState::Requested.into(),
        ..overlay
    };
    asked(overlay, "")
}

/// Takes a step; none if the overlay's state does not allow it. `attempt` is the one that is overdue.
#[must_use]
pub fn step(
    overlay: &Overlay,
    change: OverlayChange,
    attempt: i32,
    problem: &str,
    now: Timestamp,
) -> Option<Stepped> {
    let is_requested = overlay.state() == OverlayState::Requested;
    let ended = |state: OverlayState, kind, detail: &str| Stepped {
        overlay: Overlay {
            state: state.into(),
            ..overlay.clone()
        },
        kind,
        detail: detail.to_owned(),
    };
    match change {
        OverlayChange::Applied if is_requested => {
            Some(ended(OverlayState::Applied, "overlay_applied", ""))
        }
        OverlayChange::Failed if is_requested => {
            Some(ended(OverlayState::Failed, "overlay_failed", problem))
        }
        OverlayChange::Overdue if is_requested && overlay.attempt == attempt => {
            // One that would be removed again at once is not asked for.
            if attempt < MOST_ATTEMPTS && !is_over(overlay, now) {
                let again = Overlay {
                    attempt: attempt + 1,
                    ..overlay.clone()
                };
                return Some(asked(again, "again"));
            }
            Some(ended(OverlayState::Failed, "overlay_failed", "no_ack"))
        }
        OverlayChange::Clear if is_shown(overlay, now) => {
            let clear = Overlay {
                overlay_id: format!("{}.clear", overlay.overlay_id),
                intent: OverlayIntent::Clear.into(),
                attempt: 1,
                state: OverlayState::Requested.into(),
                expire_time: None,
                ..overlay.clone()
            };
            Some(asked(clear, "step_over"))
        }
        _ => None,
    }
}

/// Whether an id is that of the session's latest overlay or of an earlier one.
#[must_use]
pub fn was_asked_for(overlay_id: &str, thread_id: &str, latest: &Overlay) -> bool {
    let number = |id: &str| {
        let rest = id.strip_prefix(thread_id)?.strip_prefix('.')?;
        let number = rest.strip_suffix(".clear").unwrap_or(rest);
        let parsed: i64 = number.parse().ok()?;
        // As it is written here, and no other way.
        (parsed > 0 && parsed.to_string() == number).then_some(parsed)
    };
    match (number(overlay_id), number(&latest.overlay_id)) {
        (Some(asked), Some(latest)) => asked <= latest,
        _ => false,
    }
}

fn asked(overlay: Overlay, detail: &str) -> Stepped {
    Stepped {
        overlay,
        kind: "overlay_requested",
        detail: detail.to_owned(),
    }
}

fn is_shown(overlay: &Overlay, now: Timestamp) -> bool {
    overlay.intent() == OverlayIntent::Highlight
        && overlay.state() != OverlayState::Failed
        && !is_over(overlay, now)
}

fn is_over(overlay: &Overlay, now: Timestamp) -> bool {
    let end = overlay.expire_time.as_ref().and_then(time::from_proto);
    end.is_some_and(|end| end <= now)
}
