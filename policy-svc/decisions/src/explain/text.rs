//! Reasons as a paragraph for people. It is made of the reasons alone, so that it cannot say anything else.

use super::reason::{Reason, StuckFacts};
use crate::{
    course::Course,
    quote::unit_name,
    rules::StuckRule,
    words::{Action, EventKind},
};

/// The most units that a sentence lists.
const MOST_NAMES: usize = 3;

/// What a paragraph is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject<'a> {
    /// An action that is allowed, or is not.
    Action(Action, bool),
    /// The unit that the student probably asks about.
    Target(&'a str),
    /// The unit to work on now.
    Focus(&'a str),
    /// The unit to go on with, if one is suggested.
    NextUnit(Option<&'a str>),
    /// The prerequisite that should come first, if one is missing.
    PrereqNudge(Option<&'a str>),
}

/// A subject and its reasons as one paragraph of plain English. The titles in it are the course's, cleaned and cut.
#[must_use]
pub fn paragraph(course: &Course, subject: Subject<'_>, reasons: &[Reason]) -> String {
    let clauses: Vec<_> = reasons
        .iter()
        .map(|reason| clause(course, reason))
        .collect();
    let mut text = lead(course, subject);
    if !clauses.is_empty() {
        text += ": ";
        text += &list(&clauses, ", and ");
    }
    if !text.ends_with(['.', '…']) {
        text.push('.');
    }
    text
}

fn lead(course: &Course, subject: Subject<'_>) -> String {
    let name = |id| unit_name(course, id);
    match subject {
        Subject::Action(action, true) => action.facts().allowed.to_owned(),
        Subject::Action(action, false) => action.facts().refused.to_owned(),
        Subject::Target(unit) => format!("The turn is about {}", name(unit)),
        Subject::Focus(unit) => format!("The unit to work on is {}", name(unit)),
        Subject::NextUnit(Some(unit)) => format!("The unit to go on with is {}", name(unit)),
        Subject::NextUnit(None) => "No other unit is suggested".to_owned(),
        Subject::PrereqNudge(Some(unit)) => format!("{} should come first", name(unit)),
        Subject::PrereqNudge(None) => "Nothing has to come first".to_owned(),
    }
}

fn clause(course: &Course, reason: &Reason) -> String {
    let name = |id: &str| unit_name(course, id);
    match reason {
        Reason::NoEvidenceNeeded => "it takes no evidence".to_owned(),
        Reason::UnitToPractise { unit_id } => format!("{} can be practised", name(unit_id)),
        Reason::Stuck(facts) => format!(
            "the drills on {} show that the student is stuck ({})",
            name(&facts.unit_id),
            stuck(facts)
        ),
        Reason::NotStuck(facts) => format!(
            "the drills on {} do not show that the student is stuck ({})",
            name(&facts.unit_id),
            stuck(facts)
        ),
        Reason::Ready {
            unit_id,
            have,
            needed,
        } => format!(
            "no prerequisite of {} is missing, {}",
            name(unit_id),
            streak(*have, *needed)
        ),
        Reason::QuestionsOpen {
            unit_id,
            tier,
            count,
        } => format!(
            "{} on {} can be taken",
            counted(*count, &format!("{} question", tier.as_str())),
            name(unit_id)
        ),
        Reason::AskedFor { .. } => "the button that was pressed asks for it".to_owned(),

        Reason::MessageNotPlaced => "the message could not be placed in the course".to_owned(),
        Reason::EntryUnit { unit_id } => {
            format!("{} is only where the course begins", name(unit_id))
        }
        Reason::BlockedBy {
            unit_id,
            target_unit_id,
        } => format!("{} comes before {}", name(unit_id), name(target_unit_id)),
        Reason::FocusBlockedBy {
            unit_id,
            missing_unit_ids,
        } => format!(
            "{} itself needs {} first",
            name(unit_id),
            names(course, missing_unit_ids)
        ),
        Reason::StreakShort {
            unit_id,
            have,
            needed,
        } => format!("{} on {}", streak(*have, *needed), name(unit_id)),
        Reason::NoQuestionAtTier { unit_id, tier } => {
            format!(
                "no {} question on {} was found",
                tier.as_str(),
                name(unit_id)
            )
        }
        Reason::ExamSystemUnavailable => "the exam system did not answer".to_owned(),
        Reason::QuestionsLocked {
            unit_id,
            tier,
            count,
            until,
        } => {
            let end = match until {
                // UTC, to the second.
                Some(until) => format!("until {}", until.strftime("%Y-%m-%d %H:%M:%S UTC")),
                None => "for a time that the exam system does not name".to_owned(),
            };
            let first = if *count > 1 && until.is_some() {
                ", the first"
            } else {
                ""
            };
            format!(
                "{} on {} {} locked{first} {end}",
                counted(*count, &format!("{} question", tier.as_str())),
                name(unit_id),
                are(*count)
            )
        }
        Reason::QuestionsPassed {
            unit_id,
            tier,
            count,
        } => format!(
            "{} on {} {} passed already",
            counted(*count, &format!("{} question", tier.as_str())),
            name(unit_id),
            are(*count)
        ),
        Reason::QuestionsUnknown {
            unit_id,
            tier,
            count,
        } => format!(
            "the exam system said nothing of {} on {}",
            counted(*count, &format!("{} question", tier.as_str())),
            name(unit_id)
        ),
        Reason::NarrowedByEvent { action, .. } => {
            let wanted = action.facts().wanted;
            format!("the button that was pressed asks for {wanted} and nothing else")
        }

        Reason::TargetOfEvent { event } => {
            let button = match event {
                EventKind::RequestDrill => "the button for a drill",
                EventKind::RequestExam => "the button for an exam question",
                EventKind::DrillContinue => "the button to go on after a drill",
                EventKind::ExamContinue => "the button to go on after an exam question",
                EventKind::StuckHint => "the button for a hint",
                EventKind::ChooseUnit => "the button to choose a unit",
            };
            format!("{button} was pressed on it")
        }
        Reason::TargetMapped { confidence, needed } => {
            let (confidence, needed) = shares(*confidence, *needed);
            format!("the message fits it with a confidence of {confidence}, and {needed} is enough")
        }
        Reason::TargetKept {
            best: Some((unit_id, confidence)),
            needed,
        } => {
            let (confidence, needed) = shares(*confidence, *needed);
            format!(
                "the student stands there, and no unit is certain from the message (the best guess is {} with a \
                 confidence of {confidence}, and {needed} is needed)",
                name(unit_id)
            )
        }
        Reason::TargetKept { best: None, .. } => {
            "the student stands there, and no unit is certain from the message".to_owned()
        }
        Reason::FocusIsTarget => "the turn is about it, and nothing comes before it".to_owned(),
        Reason::FocusIsPrerequisite { target_unit_id } => {
            format!("{} needs it first", name(target_unit_id))
        }

        Reason::LeadsToTarget { target_unit_id } => {
            format!("it leads to {}, which was asked for", name(target_unit_id))
        }
        Reason::NoBadgeToEarn { unit_id } => format!("{} has no badge to earn", name(unit_id)),
        Reason::LastBadgeEarned { unit_id } => format!("{} has its gold badge", name(unit_id)),
        Reason::NextBadgeClosed { unit_id, tier } => format!(
            "no {} question on {} can be taken now",
            tier.as_str(),
            name(unit_id)
        ),
        Reason::NoBadgeYet { unit_id } => format!("{} has no badge yet", name(unit_id)),
        Reason::NextBadgeAhead { unit_id, tier } => {
            format!("{} comes next on {}", tier.as_str(), name(unit_id))
        }
        Reason::NoUnitLeft => "none is left".to_owned(),

        Reason::CheckOpen {
            unit_id,
            have,
            needed,
        } => format!(
            "an exam question on {} can be asked for, as {}",
            name(unit_id),
            streak(*have, *needed)
        ),
        Reason::NoneMissing { target_unit_id } => {
            format!("no prerequisite of {} is missing", name(target_unit_id))
        }
    }
}

/// The facts that decide whether a student is stuck, and what the rule asks for.
fn stuck(facts: &StuckFacts) -> String {
    let drills = facts.drills;
    match facts.rule {
        StuckRule::AttemptsWithoutStreak => format!(
            "{} graded, {} right in a row; stuck is at least {} graded and none right in a row",
            drills.attempts, drills.streak_correct, facts.needed
        ),
        StuckRule::ConsecutiveWrong => format!(
            "{} wrong in a row; stuck is at least {}",
            drills.streak_wrong, facts.needed
        ),
    }
}

fn streak(have: u32, needed: u32) -> String {
    let count = usize::try_from(have).unwrap_or(usize::MAX);
    let of = if have < needed { "of" } else { "with" };
    format!(
        "there {} {} in a row {of} {needed} needed",
        are(count),
        counted(count, "right drill")
    )
}

fn are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

fn counted(count: usize, what: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {what}{end}")
}

/// Two confidences side by side: with two decimals, and with all of them where two would hide that they differ.
fn shares(one: f64, other: f64) -> (String, String) {
    let short = (format!("{one:.2}"), format!("{other:.2}"));
    if short.0 == short.1 && one != other {
        (one.to_string(), other.to_string())
    } else {
        short
    }
}

fn names(course: &Course, unit_ids: &[String]) -> String {
    let mut listed: Vec<_> = unit_ids
        .iter()
        .take(MOST_NAMES)
        .map(|id| unit_name(course, id))
        .collect();
    if unit_ids.len() > MOST_NAMES {
        listed.push(format!("{} more", unit_ids.len() - MOST_NAMES));
    }
    list(&listed, " and ")
}

fn list(parts: &[String], last: &str) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [head @ .., end] => format!("{}{last}{end}", head.join(", ")),
    }
}
