//! Why a decision is as it is: reasons that a machine can read, and a paragraph for people made of them.
//!
//! The verdicts are the decision's own: what it allows, what it suggests, what its steps found on their way. Here they
//! are only paired with the facts behind them.

mod reason;
mod text;

pub use reason::{Reason, StuckFacts};
pub use text::{Subject, paragraph};

use crate::{
    action::Condition,
    buttons::Label,
    course::Course,
    decide::{DecideInput, Obstacle, Worked, obstacles, work_out},
    plan::Plan,
    policy::{Policy, PolicyFault},
    rules::Rules,
    words::{Action, Tier},
};

/// Why a turn is as it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// Every action, in the order of [`Action::ALL`].
    pub actions: Vec<ActionExplanation>,
    /// What the student probably asks about.
    pub target: UnitExplanation,
    /// The unit to work on now.
    pub focus: UnitExplanation,
    /// The unit to go on with, or why none is suggested.
    pub next_unit: UnitExplanation,
    /// The prerequisite that should come first, and what its exam question still takes; or that none is missing.
    pub prereq_nudge: UnitExplanation,
}

/// Why an action is allowed, or is not.
#[derive(Debug, Clone, PartialEq)]
pub struct ActionExplanation {
    /// The action.
    pub action: Action,
    /// What the policy says.
    pub allowed: bool,
    /// All that speaks for it if it is allowed, all that stands against it if it is not; the most fundamental first,
    /// never empty.
    pub reasons: Vec<Reason>,
    /// The reasons as a paragraph.
    pub text: String,
}

/// Why a unit has its part in the turn, or why none has it.
#[derive(Debug, Clone, PartialEq)]
pub struct UnitExplanation {
    /// The unit.
    pub unit_id: Option<String>,
    /// Why this one; never empty.
    pub reasons: Vec<Reason>,
    /// The reasons as a paragraph.
    pub text: String,
}

/// Explains the decision that [`decide`](crate::decide()) makes of the same input.
///
/// # Errors
/// This course could not have led to the plan; among others, the plan says that the student is ready, or is not, and its
/// drills and prerequisites say otherwise.
pub fn explain(course: &Course, input: &DecideInput) -> Result<Explanation, PolicyFault> {
    let worked = work_out(course, input)?;
    let turn = Turn {
        course,
        rules: course.rules(),
        input,
        plan: &input.plan,
        policy: &worked.decision.policy,
        worked: &worked,
    };
    turn.check()?;
    Ok(Explanation {
        actions: Action::ALL.map(|action| turn.action(action)).into(),
        target: turn.target(),
        focus: turn.focus(),
        next_unit: turn.next_unit(),
        prereq_nudge: turn.prereq_nudge(),
    })
}

/// A decision and its facts.
struct Turn<'a> {
    course: &'a Course,
    rules: &'a Rules,
    input: &'a DecideInput,
    plan: &'a Plan,
    policy: &'a Policy,
    worked: &'a Worked,
}

impl Turn<'_> {
    /// Refuses a plan whose verdicts its own facts contradict: no true reason could be given for them.
    fn check(&self) -> Result<(), PolicyFault> {
        let plan = self.plan;
        let on_entry = self.on_entry();
        let check_open = plan.prereq_blocking_unit_id.is_some() && self.still_to_do().is_empty();
        let (field, problem) = if plan.exam_ready != (!on_entry && self.not_ready().is_empty()) {
            ("exam_ready", "must be what drills and prerequisites say")
        } else if plan.prereq_check_open != check_open {
            (
                "prereq_check_open",
                "must be what drills and prerequisites say",
            )
        } else if plan
            .event
            .as_ref()
            .is_some_and(|event| event.unit_id != plan.primary_target_unit_id)
        {
            ("primary_target_unit_id", "must be the event's unit")
        } else if plan
            .target_confidence
            .is_some_and(|confidence| confidence < self.rules.target_confidence)
        {
            ("target_confidence", "must be enough for a target")
        } else {
            return Ok(());
        };
        Err(PolicyFault { field, problem })
    }

    fn action(&self, action: Action) -> ActionExplanation {
        let allowed = self.policy.allows(action);
        let reasons = if allowed {
            self.for_action(action)
        } else {
            self.against_action(action)
        };
        ActionExplanation {
            action,
            allowed,
            text: paragraph(self.course, Subject::Action(action, allowed), &reasons),
            reasons,
        }
    }

    fn for_action(&self, action: Action) -> Vec<Reason> {
        let unit_id = self.focus_id();
        let mut reasons = match action.facts().condition {
            Condition::Always => vec![Reason::NoEvidenceNeeded],
            Condition::Unit => vec![Reason::UnitToPractise { unit_id }],
            Condition::Stuck => vec![Reason::Stuck(self.stuck_facts())],
            Condition::ExamQuestion => vec![
                Reason::Ready {
                    unit_id,
                    have: self.streak(),
                    needed: self.rules.ready_streak,
                },
                self.questions_open(),
            ],
        };
        if let (Some(event), Some(_)) = (&self.plan.event, self.worked.narrowed_to) {
            reasons.push(Reason::AskedFor { event: event.kind });
        }
        reasons
    }

    fn against_action(&self, action: Action) -> Vec<Reason> {
        let mut reasons = Vec::new();
        for obstacle in obstacles(
            self.course,
            self.worked.focus,
            self.plan,
            self.policy.exam_availability,
            action,
        ) {
            match obstacle {
                Obstacle::NotPlaced => reasons.push(Reason::MessageNotPlaced),
                Obstacle::OnEntry => reasons.push(Reason::EntryUnit {
                    unit_id: self.focus_id(),
                }),
                Obstacle::NotStuck => reasons.push(Reason::NotStuck(self.stuck_facts())),
                Obstacle::NotReady => reasons.extend(self.not_ready()),
                Obstacle::NoneAvailable => reasons.extend(self.none_available()),
            }
        }
        if let (Some(event), Some(wanted)) = (&self.plan.event, self.worked.narrowed_to) {
            reasons.push(Reason::NarrowedByEvent {
                event: event.kind,
                action: wanted,
            });
        }
        reasons
    }

    /// What stands between the student and an exam question of the focus, apart from the entry unit.
    fn not_ready(&self) -> Vec<Reason> {
        let badgeless = (!self.has_badges() && !self.on_entry()).then(|| Reason::NoBadgeToEarn {
            unit_id: self.focus_id(),
        });
        let blocked = self
            .plan
            .prereq_blocking_unit_id
            .as_ref()
            .map(|unit_id| Reason::BlockedBy {
                unit_id: unit_id.clone(),
                target_unit_id: self.plan.primary_target_unit_id.clone(),
            });
        badgeless
            .into_iter()
            .chain(blocked)
            .chain(self.still_to_do())
            .collect()
    }

    fn on_entry(&self) -> bool {
        self.worked.focus == self.course.entry()
    }

    /// Whether a badge can be earned on the focus.
    fn has_badges(&self) -> bool {
        self.course.unit(self.worked.focus).assessable
    }

    /// What is to be done for the focus's own exam question, whatever the target is. Without a badge to earn, no drill
    /// leads there.
    fn still_to_do(&self) -> Vec<Reason> {
        let plan = self.plan;
        let mut reasons = Vec::new();
        if !plan.focus_missing_unit_ids.is_empty() {
            reasons.push(Reason::FocusBlockedBy {
                unit_id: self.focus_id(),
                missing_unit_ids: plan.focus_missing_unit_ids.clone(),
            });
        }
        if self.streak() < self.rules.ready_streak && self.has_badges() {
            reasons.push(Reason::StreakShort {
                unit_id: self.focus_id(),
                have: self.streak(),
                needed: self.rules.ready_streak,
            });
        }
        reasons
    }

    /// Why a student who is ready can take no question.
    fn none_available(&self) -> Vec<Reason> {
        let (unit_id, tier) = (self.focus_id(), self.policy.desired_exam_tier);
        let closed = self.worked.closed;
        let mut reasons = Vec::new();
        if closed.locked + closed.passed + closed.unknown == 0 {
            reasons.push(Reason::NoQuestionAtTier {
                unit_id: unit_id.clone(),
                tier,
            });
        }
        if self.input.exam_system_unavailable {
            reasons.push(Reason::ExamSystemUnavailable);
            return reasons;
        }
        if closed.locked > 0 {
            reasons.push(Reason::QuestionsLocked {
                unit_id: unit_id.clone(),
                tier,
                count: closed.locked,
                until: self.policy.exam_next_eligible_at,
            });
        }
        if closed.unknown > 0 {
            reasons.push(Reason::QuestionsUnknown {
                unit_id: unit_id.clone(),
                tier,
                count: closed.unknown,
            });
        }
        if closed.passed > 0 {
            reasons.push(Reason::QuestionsPassed {
                unit_id,
                tier,
                count: closed.passed,
            });
        }
        reasons
    }

    fn target(&self) -> UnitExplanation {
        let plan = self.plan;
        let unit_id = &plan.primary_target_unit_id;
        let needed = self.rules.target_confidence;
        let reason = match (&plan.event, plan.target_confidence) {
            (Some(event), _) => Reason::TargetOfEvent { event: event.kind },
            (None, Some(confidence)) => Reason::TargetMapped { confidence, needed },
            (None, None) => Reason::TargetKept {
                best: plan
                    .mapped_units
                    .first()
                    .filter(|m| m.confidence < needed)
                    .map(|m| (m.unit_id.clone(), m.confidence)),
                needed,
            },
        };
        self.unit(Some(unit_id), Subject::Target(unit_id), vec![reason])
    }

    fn focus(&self) -> UnitExplanation {
        let unit_id = &self.plan.focus_unit_id;
        let reason = if self.plan.prereq_blocking_unit_id.is_some() {
            Reason::FocusIsPrerequisite {
                target_unit_id: self.plan.primary_target_unit_id.clone(),
            }
        } else {
            Reason::FocusIsTarget
        };
        self.unit(Some(unit_id), Subject::Focus(unit_id), vec![reason])
    }

    /// The buttons say whether a unit is suggested; the facts say why.
    fn next_unit(&self) -> UnitExplanation {
        let plan = self.plan;
        let unit_id = self.focus_id();
        let tier = self.policy.desired_exam_tier;
        let assessable = self.has_badges();
        let button = |label| {
            let mut buttons = self.worked.decision.buttons.iter();
            buttons.find(|button| button.label == label)
        };
        let next =
            button(Label::NextUnit).and_then(|button| Some(button.event()?.unit_id.as_str()));
        let reason = if next.is_some() {
            if plan.next_leads_to_target {
                self.leads_to_target()
            } else if !assessable {
                Reason::NoBadgeToEarn { unit_id }
            } else if plan.focus_tier == Tier::Gold {
                Reason::LastBadgeEarned { unit_id }
            } else {
                Reason::NextBadgeClosed { unit_id, tier }
            }
        } else if button(Label::TakeExam).is_some() {
            self.questions_open()
        } else if assessable && plan.focus_tier == Tier::None {
            Reason::NoBadgeYet { unit_id }
        } else if plan.next_unit_id.is_some() {
            Reason::NextBadgeAhead { unit_id, tier }
        } else {
            Reason::NoUnitLeft
        };
        self.unit(next, Subject::NextUnit(next), vec![reason])
    }

    fn leads_to_target(&self) -> Reason {
        Reason::LeadsToTarget {
            target_unit_id: self.plan.target_unit_id.clone(),
        }
    }

    /// The prerequisite of the turn's own target, else the first step of the way to what was asked for.
    fn prereq_nudge(&self) -> UnitExplanation {
        let plan = self.plan;
        let blocker = plan.prereq_blocking_unit_id.as_deref();
        let nudge = plan.standing.prereq_nudge.as_ref();
        let nudge = blocker.or(nudge.map(|unit| unit.unit_id.as_str()));
        let reasons = if blocker.is_none() {
            vec![match nudge {
                Some(_) => self.leads_to_target(),
                None => Reason::NoneMissing {
                    target_unit_id: plan.primary_target_unit_id.clone(),
                },
            }]
        } else {
            let mut reasons = self.not_ready();
            if plan.prereq_check_open {
                reasons.push(Reason::CheckOpen {
                    unit_id: self.focus_id(),
                    have: self.streak(),
                    needed: self.rules.ready_streak,
                });
            }
            reasons
        };
        self.unit(nudge, Subject::PrereqNudge(nudge), reasons)
    }

    fn unit(
        &self,
        unit_id: Option<&str>,
        subject: Subject<'_>,
        reasons: Vec<Reason>,
    ) -> UnitExplanation {
        UnitExplanation {
            unit_id: unit_id.map(str::to_owned),
            text: paragraph(self.course, subject, &reasons),
            reasons,
        }
    }

    fn focus_id(&self) -> String {
        self.plan.focus_unit_id.clone()
    }

    fn streak(&self) -> u32 {
        self.plan.focus_drills.streak_correct
    }

    fn stuck_facts(&self) -> StuckFacts {
        StuckFacts {
            unit_id: self.focus_id(),
            drills: self.plan.focus_drills,
            rule: self.rules.stuck_rule,
            needed: self.rules.stuck_attempts,
        }
    }

    fn questions_open(&self) -> Reason {
        Reason::QuestionsOpen {
            unit_id: self.focus_id(),
            tier: self.policy.desired_exam_tier,
            count: self.policy.exam_candidate_ids.len(),
        }
    }
}
