//! Explanations: the request of a decision in, reasons and paragraphs out.

use turnwise_decisions::{
    self as decisions,
    explain::{ActionExplanation, Reason, StuckFacts, UnitExplanation},
};
use turnwise_kit::time;
use turnwise_proto::policy::v1::{self as policy, DecideRequest, DecisionReason, StuckRule};

use super::{
    read::{self, Read},
    reply, words,
    write::{bound, count},
};
use crate::error::PolicyError;

/// What Decide would decide of, read as Decide reads it. A fault names the field as this request has it.
pub(super) fn input(request: DecideRequest) -> Read<decisions::DecideInput> {
    read::decide_input(request).map_err(|error| match error {
        PolicyError::Invalid { field, problem } => {
            PolicyError::invalid(format!("decide.{field}"), problem)
        }
        other => other,
    })
}

pub(super) fn explanation(explanation: decisions::Explanation) -> policy::Explanation {
    policy::Explanation {
        actions: explanation.actions.into_iter().map(action).collect(),
        target: Some(unit(explanation.target)),
        focus: Some(unit(explanation.focus)),
        next_unit: Some(unit(explanation.next_unit)),
        prereq_nudge: Some(unit(explanation.prereq_nudge)),
    }
}

fn action(said: ActionExplanation) -> policy::ActionExplanation {
    policy::ActionExplanation {
        action: reply::action_to_proto(said.action),
        allowed: said.allowed,
        reasons: said.reasons.into_iter().map(reason).collect(),
        text: said.text,
    }
}

fn unit(said: UnitExplanation) -> policy::UnitExplanation {
    policy::UnitExplanation {
        unit_id: said.unit_id.unwrap_or_default(),
        reasons: said.reasons.into_iter().map(reason).collect(),
        text: said.text,
    }
}

/// A reason's code, and those of the fields that the code sets.
fn reason(reason: Reason) -> DecisionReason {
    use policy::DecisionReasonCode as Code;
    let none = DecisionReason::default;
    let of_unit = |unit_id| DecisionReason { unit_id, ..none() };
    let drilled = |unit_id, have, needed| DecisionReason {
        streak_correct: bound(have),
        drills_needed: bound(needed),
        ..of_unit(unit_id)
    };
    let at_tier = |unit_id, tier| DecisionReason {
        tier: words::tier_to_proto(tier),
        ..of_unit(unit_id)
    };
    let questions = |unit_id, tier, number| DecisionReason {
        question_count: count(number),
        ..at_tier(unit_id, tier)
    };
    let of_target = |target_unit_id| DecisionReason {
        target_unit_id,
        ..none()
    };
    let of_event = |event| DecisionReason {
        event: words::event_kind_to_proto(event),
        ..none()
    };
    let sure = |confidence, confidence_needed| DecisionReason {
        confidence,
        confidence_needed,
        ..none()
    };
    let (code, facts) = match reason {
        Reason::NoEvidenceNeeded => (Code::NoEvidenceNeeded, none()),
        Reason::UnitToPractise { unit_id } => (Code::UnitToPractise, of_unit(unit_id)),
        Reason::Stuck(facts) => (Code::Stuck, stuck(facts)),
        Reason::Ready {
            unit_id,
            have,
            needed,
        } => (Code::Ready, drilled(unit_id, have, needed)),
        Reason::QuestionsOpen {
            unit_id,
            tier,
            count,
        } => (Code::QuestionsOpen, questions(unit_id, tier, count)),
        Reason::AskedFor { event } => (Code::AskedFor, of_event(event)),

        Reason::MessageNotPlaced => (Code::MessageNotPlaced, none()),
        Reason::EntryUnit { unit_id } => (Code::EntryUnit, of_unit(unit_id)),
        Reason::BlockedBy {
            unit_id,
            target_unit_id,
        } => {
            let facts = DecisionReason {
                target_unit_id,
                ..of_unit(unit_id)
            };
            (Code::BlockedBy, facts)
        }
        Reason::FocusBlockedBy {
            unit_id,
            missing_unit_ids,
        } => {
            let facts = DecisionReason {
                missing_unit_ids,
                ..of_unit(unit_id)
            };
            (Code::FocusBlockedBy, facts)
        }
        Reason::StreakShort {
            unit_id,
            have,
            needed,
        } => (Code::StreakShort, drilled(unit_id, have, needed)),
        Reason::NotStuck(facts) => (Code::NotStuck, stuck(facts)),
        Reason::NoQuestionAtTier { unit_id, tier } => {
            (Code::NoQuestionAtTier, at_tier(unit_id, tier))
        }
        Reason::ExamSystemUnavailable => (Code::ExamSystemUnavailable, none()),
        Reason::QuestionsLocked {
            unit_id,
            tier,
            count,
            until,
        } => {
            let facts = DecisionReason {
                locked_until: until.map(time::to_proto),
                ..questions(unit_id, tier, count)
            };
            (Code::QuestionsLocked, facts)
        }
        Reason::QuestionsPassed {
            unit_id,
            tier,
            count,
        } => (Code::QuestionsPassed, questions(unit_id, tier, count)),
        Reason::QuestionsUnknown {
            unit_id,
            tier,
            count,
        } => (Code::QuestionsUnknown, questions(unit_id, tier, count)),
        Reason::NarrowedByEvent { event, action } => {
            let facts = DecisionReason {
                wanted_action: reply::action_to_proto(action),
                ..of_event(event)
            };
            (Code::NarrowedByEvent, facts)
        }

        Reason::TargetOfEvent { event } => (Code::TargetOfEvent, of_event(event)),
        Reason::TargetMapped { confidence, needed } => {
            (Code::TargetMapped, sure(confidence, needed))
        }
        Reason::TargetKept { best, needed } => {
            let (unit_id, confidence) = best.unwrap_or_default();
            let facts = DecisionReason {
                unit_id,
                ..sure(confidence, needed)
            };
            (Code::TargetKept, facts)
        }
        Reason::FocusIsTarget => (Code::FocusIsTarget, none()),
        Reason::FocusIsPrerequisite { target_unit_id } => {
            (Code::FocusIsPrerequisite, of_target(target_unit_id))
        }

        Reason::LeadsToTarget { target_unit_id } => {
            (Code::LeadsToTarget, of_target(target_unit_id))
        }
        Reason::NoBadgeToEarn { unit_id } => (Code::NoBadgeToEarn, of_unit(unit_id)),
        Reason::LastBadgeEarned { unit_id } => (Code::LastBadgeEarned, of_unit(unit_id)),
        Reason::NextBadgeClosed { unit_id, tier } => {
            (Code::NextBadgeClosed, at_tier(unit_id, tier))
        }
        Reason::NoBadgeYet { unit_id } => (Code::NoBadgeYet, of_unit(unit_id)),
        Reason::NextBadgeAhead { unit_id, tier } => (Code::NextBadgeAhead, at_tier(unit_id, tier)),
        Reason::NoUnitLeft => (Code::NoUnitLeft, none()),

        Reason::CheckOpen {
            unit_id,
            have,
            needed,
        } => (Code::CheckOpen, drilled(unit_id, have, needed)),
        Reason::NoneMissing { target_unit_id } => (Code::NoneMissing, of_target(target_unit_id)),
    };
    DecisionReason {
        code: code.into(),
        ..facts
    }
}

fn stuck(facts: StuckFacts) -> DecisionReason {
    let rule = match facts.rule {
        decisions::StuckRule::AttemptsWithoutStreak => StuckRule::AttemptsWithoutStreak,
        decisions::StuckRule::ConsecutiveWrong => StuckRule::ConsecutiveWrong,
    };
    DecisionReason {
        unit_id: facts.unit_id,
        attempts: bound(facts.drills.attempts),
        streak_correct: bound(facts.drills.streak_correct),
        streak_wrong: bound(facts.drills.streak_wrong),
        drills_needed: bound(facts.needed),
        stuck_rule: rule.into(),
        ..DecisionReason::default()
    }
}
