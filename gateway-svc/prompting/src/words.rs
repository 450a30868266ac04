//! How prompts spell the contract's enums.

use turnwise_proto::tutor::v1::{ClientEventKind, ExamAvailability, MasteryTier, TutorAction};

pub(crate) fn action(action: TutorAction) -> &'static str {
    strip(action.as_str_name(), "TUTOR_ACTION_")
}

pub(crate) fn event(kind: ClientEventKind) -> &'static str {
    match kind {
        ClientEventKind::Unspecified => "NONE",
        kind => strip(kind.as_str_name(), "CLIENT_EVENT_KIND_"),
    }
}

pub(crate) fn tier(tier: MasteryTier) -> &'static str {
    match tier {
        MasteryTier::Unspecified | MasteryTier::None => "none",
        MasteryTier::Bronze => "bronze",
        MasteryTier::Silver => "silver",
        MasteryTier::Gold => "gold",
    }
}

pub(crate) fn availability(availability: ExamAvailability) -> &'static str {
    match availability {
        ExamAvailability::Available => "available",
        ExamAvailability::Locked => "locked",
        ExamAvailability::None | ExamAvailability::Unspecified => "none",
    }
}

/// A text, or nothing where it is empty.
pub(crate) fn non_empty(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

fn strip(name: &'static str, prefix: &str) -> &'static str {
    name.strip_prefix(prefix).unwrap_or(name)
}
