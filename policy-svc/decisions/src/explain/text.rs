//! Reasons as a paragraph for people. It is made of the reasons alone, so that it cannot say anything else.

use turnwise_messages::{Argument, Key, keys};

use super::reason::{Reason, StuckFacts};
use crate::{
    course::Course,
    quote::{tier_name, unit_name},
    rules::StuckRule,
    words::{Action, EventKind, Tier},
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

/// A subject and its reasons as one paragraph in the course's language. The titles in it are the course's, cleaned and cut.
#[must_use]
pub fn paragraph(course: &Course, subject: Subject<'_>, reasons: &[Reason]) -> String {
    let words = Words { course };
    let clauses: Vec<_> = reasons.iter().map(|reason| words.clause(reason)).collect();
    let mut text = words.lead(subject);
    if !clauses.is_empty() {
        let reasons = words.list(clauses, "reasons", keys::EXPLAIN_REASONS);
        text = words.say(
            keys::EXPLAIN_BECAUSE,
            &[("what", text.into()), ("reasons", reasons.into())],
        );
    }
    if !text.ends_with(['.', '…']) {
        text.push('.');
    }
    text
}

/// The words for one course.
struct Words<'c> {
    course: &'c Course,
}

impl Words<'_> {
    fn say(&self, key: Key, arguments: &[Argument]) -> String {
        self.course.texts().text(key, arguments)
    }

    fn lead(&self, subject: Subject<'_>) -> String {
        match subject {
            Subject::Action(action, true) => self.say(action.facts().allowed, &[]),
            Subject::Action(action, false) => self.say(action.facts().refused, &[]),
            Subject::Target(unit) => self.on(keys::EXPLAIN_TARGET, unit),
            Subject::Focus(unit) => self.on(keys::EXPLAIN_FOCUS, unit),
            Subject::NextUnit(Some(unit)) => self.on(keys::EXPLAIN_NEXT_UNIT, unit),
            Subject::NextUnit(None) => self.say(keys::EXPLAIN_NO_NEXT_UNIT, &[]),
            Subject::PrereqNudge(Some(unit)) => self.on(keys::EXPLAIN_NUDGE, unit),
            Subject::PrereqNudge(None) => self.say(keys::EXPLAIN_NO_NUDGE, &[]),
        }
    }

    fn clause(&self, reason: &Reason) -> String {
        match reason {
            Reason::NoEvidenceNeeded => self.say(keys::EXPLAIN_NO_EVIDENCE_NEEDED, &[]),
            Reason::UnitToPractise { unit_id } => self.on(keys::EXPLAIN_UNIT_TO_PRACTISE, unit_id),
            Reason::Stuck(facts) => self.stuck(keys::EXPLAIN_STUCK, facts),
            Reason::NotStuck(facts) => self.stuck(keys::EXPLAIN_NOT_STUCK, facts),
            Reason::Ready {
                unit_id,
                have,
                needed,
            } => self.with_streak(keys::EXPLAIN_READY, unit_id, (*have, *needed)),
            Reason::QuestionsOpen {
                unit_id,
                tier,
                count,
            } => self.questions(keys::EXPLAIN_QUESTIONS_OPEN, unit_id, *tier, *count),
            Reason::AskedFor { .. } => self.say(keys::EXPLAIN_ASKED_FOR, &[]),

            Reason::MessageNotPlaced => self.say(keys::EXPLAIN_NOT_PLACED, &[]),
            Reason::EntryUnit { unit_id } => self.on(keys::EXPLAIN_ENTRY_UNIT, unit_id),
            Reason::BlockedBy {
                unit_id,
                target_unit_id,
            } => self.say(
                keys::EXPLAIN_BLOCKED_BY,
                &[self.unit(unit_id), self.target(target_unit_id)],
            ),
            Reason::FocusBlockedBy {
                unit_id,
                missing_unit_ids,
            } => {
                let units = ("units", self.names(missing_unit_ids).into());
                self.say(keys::EXPLAIN_FOCUS_BLOCKED_BY, &[self.unit(unit_id), units])
            }
            Reason::StreakShort {
                unit_id,
                have,
                needed,
            } => self.with_streak(keys::EXPLAIN_STREAK_SHORT, unit_id, (*have, *needed)),
            Reason::NoQuestionAtTier { unit_id, tier } => {
                self.at_tier(keys::EXPLAIN_NO_QUESTION, unit_id, *tier)
            }
            Reason::ExamSystemUnavailable => self.say(keys::EXPLAIN_EXAM_SYSTEM_AWAY, &[]),
            Reason::QuestionsLocked {
                unit_id,
                tier,
                count,
                until: Some(until),
            } => {
                // UTC, to the second.
                let until = until.strftime("%Y-%m-%d %H:%M:%S UTC").to_string();
                self.say(
                    keys::EXPLAIN_LOCKED_UNTIL,
                    &[
                        ("count", (*count).into()),
                        self.tier(*tier),
                        self.unit(unit_id),
                        ("until", until.into()),
                    ],
                )
            }
            Reason::QuestionsLocked {
                unit_id,
                tier,
                count,
                until: None,
            } => self.questions(keys::EXPLAIN_LOCKED, unit_id, *tier, *count),
            Reason::QuestionsPassed {
                unit_id,
                tier,
                count,
            } => self.questions(keys::EXPLAIN_PASSED, unit_id, *tier, *count),
            Reason::QuestionsUnknown {
                unit_id,
                tier,
                count,
            } => self.questions(keys::EXPLAIN_UNKNOWN, unit_id, *tier, *count),
            Reason::NarrowedByEvent { action, .. } => {
                let wanted = self.say(action.facts().wanted, &[]);
                self.say(keys::EXPLAIN_NARROWED, &[("wanted", wanted.into())])
            }

            Reason::TargetOfEvent { event } => {
                let key = match event {
                    EventKind::RequestDrill => keys::EXPLAIN_PRESSED_DRILL,
                    EventKind::RequestExam => keys::EXPLAIN_PRESSED_EXAM,
                    EventKind::DrillContinue => keys::EXPLAIN_PRESSED_DRILL_CONTINUE,
                    EventKind::ExamContinue => keys::EXPLAIN_PRESSED_EXAM_CONTINUE,
                    EventKind::StuckHint => keys::EXPLAIN_PRESSED_HINT,
                    EventKind::ChooseUnit => keys::EXPLAIN_PRESSED_CHOOSE,
                };
                self.say(key, &[])
            }
            Reason::TargetMapped { confidence, needed } => {
                self.say(keys::EXPLAIN_TARGET_MAPPED, &shares(*confidence, *needed))
            }
            Reason::TargetKept {
                best: Some((unit_id, confidence)),
                needed,
            } => {
                let [confidence, needed] = shares(*confidence, *needed);
                self.say(
                    keys::EXPLAIN_TARGET_GUESSED,
                    &[self.unit(unit_id), confidence, needed],
                )
            }
            Reason::TargetKept { best: None, .. } => self.say(keys::EXPLAIN_TARGET_KEPT, &[]),
            Reason::FocusIsTarget => self.say(keys::EXPLAIN_FOCUS_IS_TARGET, &[]),
            Reason::FocusIsPrerequisite { target_unit_id } => self.say(
                keys::EXPLAIN_FOCUS_IS_PREREQUISITE,
                &[self.target(target_unit_id)],
            ),

            Reason::LeadsToTarget { target_unit_id } => self.say(
                keys::EXPLAIN_LEADS_TO_TARGET,
                &[self.target(target_unit_id)],
            ),
            Reason::NoBadgeToEarn { unit_id } => self.on(keys::EXPLAIN_NO_BADGE_TO_EARN, unit_id),
            Reason::LastBadgeEarned { unit_id } => self.on(keys::EXPLAIN_LAST_BADGE, unit_id),
            Reason::NextBadgeClosed { unit_id, tier } => {
                self.at_tier(keys::EXPLAIN_NEXT_BADGE_CLOSED, unit_id, *tier)
            }
            Reason::NoBadgeYet { unit_id } => self.on(keys::EXPLAIN_NO_BADGE_YET, unit_id),
            Reason::NextBadgeAhead { unit_id, tier } => {
                self.at_tier(keys::EXPLAIN_NEXT_BADGE_AHEAD, unit_id, *tier)
            }
            Reason::NoUnitLeft => self.say(keys::EXPLAIN_NO_UNIT_LEFT, &[]),

            Reason::CheckOpen {
                unit_id,
                have,
                needed,
            } => self.with_streak(keys::EXPLAIN_CHECK_OPEN, unit_id, (*have, *needed)),
            Reason::NoneMissing { target_unit_id } => {
                self.say(keys::EXPLAIN_NONE_MISSING, &[self.target(target_unit_id)])
            }
        }
    }

    fn unit(&self, unit_id: &str) -> Argument {
        ("unit", unit_name(self.course, unit_id).into())
    }

    fn target(&self, unit_id: &str) -> Argument {
        ("target", unit_name(self.course, unit_id).into())
    }

    fn tier(&self, tier: Tier) -> Argument {
        ("tier", tier_name(self.course.texts(), tier).into())
    }

    fn on(&self, key: Key, unit_id: &str) -> String {
        self.say(key, &[self.unit(unit_id)])
    }

    fn at_tier(&self, key: Key, unit_id: &str, tier: Tier) -> String {
        self.say(key, &[self.tier(tier), self.unit(unit_id)])
    }

    fn questions(&self, key: Key, unit_id: &str, tier: Tier, count: usize) -> String {
        let count = ("count", count.into());
        self.say(key, &[count, self.tier(tier), self.unit(unit_id)])
    }

    /// A sentence about a unit with the right drills in a row on it, of those that the rules ask for.
    fn with_streak(&self, key: Key, unit_id: &str, (have, needed): (u32, u32)) -> String {
        let streak = if have < needed {
            keys::EXPLAIN_STREAK_MISSING
        } else {
            keys::EXPLAIN_STREAK_ENOUGH
        };
        let streak = self.say(streak, &[("right", have.into()), ("needed", needed.into())]);
        self.say(key, &[self.unit(unit_id), ("streak", streak.into())])
    }

    /// The facts that decide whether a student is stuck, and what the rule asks for.
    fn stuck(&self, key: Key, facts: &StuckFacts) -> String {
        let drills = facts.drills;
        let needed = ("needed", facts.needed.into());
        let drills = match facts.rule {
            StuckRule::AttemptsWithoutStreak => self.say(
                keys::EXPLAIN_STUCK_BY_ATTEMPTS,
                &[
                    ("attempts", drills.attempts.into()),
                    ("right", drills.streak_correct.into()),
                    needed,
                ],
            ),
            StuckRule::ConsecutiveWrong => self.say(
                keys::EXPLAIN_STUCK_BY_WRONG,
                &[("wrong", drills.streak_wrong.into()), needed],
            ),
        };
        self.say(key, &[self.unit(&facts.unit_id), ("drills", drills.into())])
    }

    fn names(&self, unit_ids: &[String]) -> String {
        let named = unit_ids.iter().take(MOST_NAMES);
        let mut listed: Vec<_> = named.map(|id| self.on(keys::EXPLAIN_UNIT, id)).collect();
        if unit_ids.len() > MOST_NAMES {
            let more = ("count", (unit_ids.len() - MOST_NAMES).into());
            listed.push(self.say(keys::EXPLAIN_MORE_UNITS, &[more]));
        }
        self.list(listed, "units", keys::EXPLAIN_UNITS)
    }

    /// Several parts with commas; the message of this key joins the last one.
    fn list(&self, mut parts: Vec<String>, name: &'static str, key: Key) -> String {
        let Some(last) = parts.pop() else {
            return String::new();
        };
        if parts.is_empty() {
            return last;
        }
        self.say(
            key,
            &[(name, parts.join(", ").into()), ("last", last.into())],
        )
    }
}

/// Two confidences side by side: with two decimals, and with all of them where two would hide that they differ.
fn shares(one: f64, other: f64) -> [Argument; 2] {
    let short = (format!("{one:.2}"), format!("{other:.2}"));
    let (one, other) = if short.0 == short.1 && one != other {
        (one.to_string(), other.to_string())
    } else {
        short
    };
    [("confidence", one.into()), ("needed", other.into())]
}
