//! The vocabulary, both ways: proto's enums and the decisions' own.

use turnwise_decisions as decisions;
use turnwise_proto::{
    exam::v1::{QuestionState, SupportKind},
    policy::v1::DrillVerdict,
    tutor::v1 as tutor,
};

/// A badge in a record; what is not known is none.
pub(super) fn badge(value: i32) -> decisions::Tier {
    match tutor::MasteryTier::try_from(value) {
        Ok(tutor::MasteryTier::Bronze) => decisions::Tier::Bronze,
        Ok(tutor::MasteryTier::Silver) => decisions::Tier::Silver,
        Ok(tutor::MasteryTier::Gold) => decisions::Tier::Gold,
        Ok(tutor::MasteryTier::None | tutor::MasteryTier::Unspecified) | Err(_) => {
            decisions::Tier::None
        }
    }
}

pub(super) fn tier_to_proto(tier: decisions::Tier) -> i32 {
    let tier = match tier {
        decisions::Tier::None => tutor::MasteryTier::None,
        decisions::Tier::Bronze => tutor::MasteryTier::Bronze,
        decisions::Tier::Silver => tutor::MasteryTier::Silver,
        decisions::Tier::Gold => tutor::MasteryTier::Gold,
    };
    tier.into()
}

pub(super) fn unit_status_to_proto(status: decisions::UnitStatus) -> i32 {
    let status = match status {
        decisions::UnitStatus::NotStarted => tutor::UnitStatus::NotStarted,
        decisions::UnitStatus::InProgress => tutor::UnitStatus::InProgress,
        decisions::UnitStatus::Mastered => tutor::UnitStatus::Mastered,
    };
    status.into()
}

/// An availability; what is not known is none.
pub(super) fn availability(value: i32) -> decisions::Availability {
    match tutor::ExamAvailability::try_from(value) {
        Ok(tutor::ExamAvailability::Available) => decisions::Availability::Available,
        Ok(tutor::ExamAvailability::Locked) => decisions::Availability::Locked,
        Ok(tutor::ExamAvailability::None | tutor::ExamAvailability::Unspecified) | Err(_) => {
            decisions::Availability::None
        }
    }
}

pub(super) fn availability_to_proto(availability: decisions::Availability) -> i32 {
    let availability = match availability {
        decisions::Availability::Available => tutor::ExamAvailability::Available,
        decisions::Availability::Locked => tutor::ExamAvailability::Locked,
        decisions::Availability::None => tutor::ExamAvailability::None,
    };
    availability.into()
}

/// A question's state; what is not known is locked, so that it is not offered.
pub(super) fn question_state(value: i32) -> decisions::QuestionState {
    match QuestionState::try_from(value) {
        Ok(QuestionState::Available) => decisions::QuestionState::Available,
        Ok(QuestionState::Passed) => decisions::QuestionState::Passed,
        Ok(QuestionState::Locked | QuestionState::Unspecified) | Err(_) => {
            decisions::QuestionState::Locked
        }
    }
}

pub(super) fn question_state_to_proto(state: decisions::QuestionState) -> i32 {
    let state = match state {
        decisions::QuestionState::Available => QuestionState::Available,
        decisions::QuestionState::Locked => QuestionState::Locked,
        decisions::QuestionState::Passed => QuestionState::Passed,
    };
    state.into()
}

/// An event's kind: `Some(None)` for no button, `None` for one that is not known.
pub(super) fn event_kind(value: i32) -> Option<Option<decisions::EventKind>> {
    Some(match tutor::ClientEventKind::try_from(value).ok()? {
        tutor::ClientEventKind::Unspecified => None,
        tutor::ClientEventKind::RequestDrill => Some(decisions::EventKind::RequestDrill),
        tutor::ClientEventKind::RequestExam => Some(decisions::EventKind::RequestExam),
        tutor::ClientEventKind::DrillContinue => Some(decisions::EventKind::DrillContinue),
        tutor::ClientEventKind::ExamContinue => Some(decisions::EventKind::ExamContinue),
        tutor::ClientEventKind::StuckHint => Some(decisions::EventKind::StuckHint),
        tutor::ClientEventKind::ChooseUnit => Some(decisions::EventKind::ChooseUnit),
        // They are about no unit; a turn that answers them plans without a button.
        tutor::ClientEventKind::ClarificationSkip
        | tutor::ClientEventKind::ClarificationCancel
        | tutor::ClientEventKind::ClarificationCorrect => return None,
    })
}

pub(super) fn event_kind_to_proto(kind: decisions::EventKind) -> i32 {
    let kind = match kind {
        decisions::EventKind::RequestDrill => tutor::ClientEventKind::RequestDrill,
        decisions::EventKind::RequestExam => tutor::ClientEventKind::RequestExam,
        decisions::EventKind::DrillContinue => tutor::ClientEventKind::DrillContinue,
        decisions::EventKind::ExamContinue => tutor::ClientEventKind::ExamContinue,
        decisions::EventKind::StuckHint => tutor::ClientEventKind::StuckHint,
        decisions::EventKind::ChooseUnit => tutor::ClientEventKind::ChooseUnit,
    };
    kind.into()
}

pub(super) fn support_to_proto(kind: decisions::SupportKind) -> i32 {
    let kind = match kind {
        decisions::SupportKind::Memo => SupportKind::Memo,
        decisions::SupportKind::Video => SupportKind::Video,
    };
    kind.into()
}

/// A verdict on a drill; `None` if it is unspecified or not known.
pub(super) fn verdict(value: i32) -> Option<decisions::Verdict> {
    match DrillVerdict::try_from(value).ok()? {
        DrillVerdict::Right => Some(decisions::Verdict::Right),
        DrillVerdict::Wrong => Some(decisions::Verdict::Wrong),
        DrillVerdict::CannotTell => Some(decisions::Verdict::CannotTell),
        DrillVerdict::Unspecified => None,
    }
}

pub(super) fn verdict_to_proto(verdict: decisions::Verdict) -> i32 {
    let verdict = match verdict {
        decisions::Verdict::Right => DrillVerdict::Right,
        decisions::Verdict::Wrong => DrillVerdict::Wrong,
        decisions::Verdict::CannotTell => DrillVerdict::CannotTell,
    };
    verdict.into()
}

pub(super) fn graded_by_to_proto(graded_by: Option<decisions::GradedBy>) -> i32 {
    let graded_by = match graded_by {
        None => tutor::GradedBy::Unspecified,
        Some(decisions::GradedBy::Rules) => tutor::GradedBy::Rules,
        Some(decisions::GradedBy::Llm) => tutor::GradedBy::Llm,
    };
    graded_by.into()
}

pub(super) fn intent_to_proto(intent: decisions::StudentIntent) -> i32 {
    let intent = match intent {
        decisions::StudentIntent::Solve => tutor::StudentIntent::Solve,
        decisions::StudentIntent::Explain => tutor::StudentIntent::Explain,
        decisions::StudentIntent::Check => tutor::StudentIntent::Check,
        decisions::StudentIntent::Stuck => tutor::StudentIntent::Stuck,
        decisions::StudentIntent::Unknown => tutor::StudentIntent::Unknown,
    };
    intent.into()
}

pub(super) fn signal_to_proto(signal: decisions::UnderstandingSignal) -> i32 {
    let signal = match signal {
        decisions::UnderstandingSignal::Confident => tutor::UnderstandingSignal::Confident,
        decisions::UnderstandingSignal::Uncertain => tutor::UnderstandingSignal::Uncertain,
        decisions::UnderstandingSignal::Confused => tutor::UnderstandingSignal::Confused,
    };
    signal.into()
}

/// Each reason for a fallback, and its value in proto.
const REASONS: [(decisions::FallbackReason, tutor::DegradedReason); 24] = {
    use decisions::FallbackReason as Own;
    use tutor::DegradedReason as Proto;
    [
        (Own::LlmTimeout, Proto::LlmTimeout),
        (Own::LlmTransport, Proto::LlmTransport),
        (Own::LlmNonJson, Proto::LlmNonJson),
        (Own::SchemaViolation, Proto::SchemaViolation),
        (Own::ActionNotAllowed, Proto::ActionNotAllowed),
        (Own::TargetOutOfScope, Proto::TargetOutOfScope),
        (Own::ExamNotCandidate, Proto::ExamNotCandidate),
        (Own::ExamLocked, Proto::ExamLocked),
        (Own::TierMismatch, Proto::TierMismatch),
        (Own::ConceptNotStuck, Proto::ConceptNotStuck),
        (Own::LimitsExceeded, Proto::LimitsExceeded),
        (Own::EmptyMessage, Proto::EmptyMessage),
        (Own::UnsafeMessage, Proto::UnsafeMessage),
        (Own::AnswerGiven, Proto::AnswerGiven),
        (Own::FalseMathematics, Proto::FalseMathematics),
        (Own::OverlayNotAllowed, Proto::OverlayNotAllowed),
        (Own::Guardrail, Proto::Guardrail),
        (Own::QueueBusy, Proto::QueueBusy),
        (Own::CircuitOpen, Proto::CircuitOpen),
        (Own::LlmOff, Proto::LlmOff),
        (Own::RemoteNotAcknowledged, Proto::RemoteNotAcknowledged),
        (Own::LlmError, Proto::LlmError),
        (Own::PolicyUnavailable, Proto::PolicyUnavailable),
        (Own::Deadline, Proto::Deadline),
    ]
};

/// A reason for a fallback; `None` for those that degrade a turn without one.
pub(super) fn fallback_reason(value: i32) -> Option<decisions::FallbackReason> {
    let wanted = tutor::DegradedReason::try_from(value).ok()?;
    REASONS
        .iter()
        .find(|(_, proto)| *proto == wanted)
        .map(|(own, _)| *own)
}

pub(super) fn fallback_reason_to_proto(reason: Option<decisions::FallbackReason>) -> i32 {
    REASONS
        .iter()
        .find(|(own, _)| Some(*own) == reason)
        .map_or(tutor::DegradedReason::Unspecified, |(_, proto)| *proto)
        .into()
}
