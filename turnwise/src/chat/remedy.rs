//! What to do about a refusal.

use turnwise_kit::Fault;
use turnwise_proto::common::v1::ErrorReason;

use crate::edge::span;

/// One sentence with what to do next.
pub fn remedy(fault: &Fault) -> String {
    let later = fault.retry_delay().map_or_else(
        || "in a moment".to_owned(),
        |delay| format!("in {}", span(delay)),
    );
    match fault.reason() {
        ErrorReason::Unauthenticated => match fault.metadata("cause") {
            Some("expired") => "The token is too old: give a fresh one with --token-file.".to_owned(),
            _ => "The suite does not take this token: give one with --token-file, or the data directory of your \
                  `turnwise up` with --data-dir."
                .to_owned(),
        },
        ErrorReason::PermissionDenied => match fault.metadata("need") {
            Some("class of the thread") => {
                "You are no longer in this conversation's class: /history shows what was said; leave out --thread to \
                 begin a new one."
                    .to_owned()
            }
            Some(need) => format!("The token does not allow this; it takes {need}."),
            None => "The token does not allow this; check --class and the token's role.".to_owned(),
        },
        ErrorReason::MissingScopeToken | ErrorReason::InvalidScopeToken => {
            "Load the lesson's page again and give its token with --scope-token-file, or leave that out.".to_owned()
        }
        ErrorReason::LlmOff => {
            "No model is called here: ask about an exercise, or about the lesson.".to_owned()
        }
        ErrorReason::MessageTooLong => {
            match (fault.metadata("chars"), fault.metadata("max_chars")) {
                (Some(chars), Some(most)) => {
                    format!("Say it in at most {most} characters; this has {chars}.")
                }
                _ => "Say it in fewer words.".to_owned(),
            }
        }
        ErrorReason::InvalidText | ErrorReason::MissingMessage => {
            "Type it again with letters, digits and signs that can be seen.".to_owned()
        }
        ErrorReason::InvalidArgument => "Write it in another way and send it again.".to_owned(),
        ErrorReason::RateLimited => format!("That was quick. Go on {later}."),
        ErrorReason::UnknownThread => {
            "Leave out --thread to begin a new conversation.".to_owned()
        }
        ErrorReason::UnknownCourse | ErrorReason::CourseGraphInvalid => {
            "Name a course that the suite serves with --course.".to_owned()
        }
        ErrorReason::UnknownUnit | ErrorReason::UnknownQuestion => {
            "The course has changed since; ask the tutor for a new one.".to_owned()
        }
        ErrorReason::HelpSessionClosed => {
            "The course has changed since; begin a new session.".to_owned()
        }
        ErrorReason::PlacementClosed => {
            "Begin it again; it then says how it stands.".to_owned()
        }
        ErrorReason::DrillTokenInvalid => match fault.metadata("cause") {
            Some("expired") => "Its time is over; ask the tutor for it again.".to_owned(),
            _ => "This card can no longer be used; ask the tutor for a new one.".to_owned(),
        },
        ErrorReason::IdempotencyConflict => "Type it again.".to_owned(),
        ErrorReason::Superseded => {
            "A newer message of yours in this conversation gets the answer; /history shows it."
                .to_owned()
        }
        ErrorReason::TurnErased => {
            "What was said here has been erased; begin a new conversation without --thread."
                .to_owned()
        }
        ErrorReason::UnknownTurn => {
            "The log of this turn is not kept any more, or the turn is another student's.".to_owned()
        }
        ErrorReason::UnknownMethod => {
            "The suite is older than this program; bring both to the same version.".to_owned()
        }
        ErrorReason::DeadlineExceeded => {
            "It took too long; --timeout allows for more.".to_owned()
        }
        ErrorReason::DependencyUnavailable
        | ErrorReason::StorageUnavailable
        | ErrorReason::Draining => {
            format!("The suite, or a part of it, does not answer; try {later}.")
        }
        ErrorReason::Busy | ErrorReason::QueueFull | ErrorReason::BudgetExhausted => {
            format!("There is too much to do just now; try {later}.")
        }
        ErrorReason::VersionConflict | ErrorReason::TurnInProgress => {
            format!("Something else of yours is being worked on; try {later}.")
        }
        ErrorReason::RecordCorrupted
        | ErrorReason::SchemaTooNew
        | ErrorReason::UnknownPackVersion => {
            "Whoever runs the suite has to see to this; tell them the line above.".to_owned()
        }
        _ => match fault.retry_delay() {
            Some(_) => format!("Try {later}."),
            None => "If it stays so, tell whoever runs the suite the line above.".to_owned(),
        },
    }
}
