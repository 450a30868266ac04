//! What is allowed in one turn, and whether a policy that came in from outside is one that could have been made.

use std::{collections::BTreeSet, slice};

use jiff::Timestamp;

use crate::{
    action::{Condition, Facts, Reach},
    course::Course,
    rules::Rules,
    words::{Action, Availability, Tier},
};

/// What is allowed in one turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// The turn's id; copied.
    pub turn_id: String,
    /// The unit to work on now.
    pub focus_unit_id: String,
    /// What the student probably asks about.
    pub primary_target_unit_id: String,
    /// The missing prerequisite to do first.
    pub prereq_blocking_unit_id: Option<String>,
    /// The units that the reply may be about.
    pub scoped_unit_ids: Vec<String>,
    /// What the reply may do; never empty.
    pub allowed_actions: Vec<Action>,
    /// Stuck on the focus, by the evidence of drills.
    pub stuck: bool,
    /// A badge can be earned on the focus, it is not blocked, and its drills are good enough.
    pub exam_ready: bool,
    /// The next tier to reach.
    pub desired_exam_tier: Tier,
    /// Whether a question at that tier can be attempted now.
    pub exam_availability: Availability,
    /// The questions that may be offered, best first; empty unless available.
    pub exam_candidate_ids: Vec<String>,
    /// When the first lock ends; only with locked.
    pub exam_next_eligible_at: Option<Timestamp>,
    /// Bounds of the cards.
    pub constraints: Constraints,
    /// The units that the student may choose from, best first, where the message could not be placed.
    pub choice_unit_ids: Vec<String>,
}

/// Bounds of the cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Constraints {
    /// Words of key ideas and worked example together.
    pub max_concept_words: u32,
    /// 0 or 1.
    pub max_worked_examples: u32,
    /// Steps of a drill.
    pub drill_max_steps: u32,
    /// Key ideas of a concept card.
    pub max_key_ideas: u32,
}

impl Constraints {
    /// The bounds that a course's rules set.
    #[must_use]
    pub fn of(rules: &Rules) -> Self {
        Self {
            max_concept_words: rules.max_concept_words,
            max_worked_examples: rules.max_worked_examples,
            drill_max_steps: rules.drill_max_steps,
            max_key_ideas: rules.max_key_ideas,
        }
    }
}

/// A plan or policy that could not have been made: the field, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` {problem}")]
pub struct PolicyFault {
    /// The field.
    pub field: &'static str,
    /// What is wrong.
    pub problem: &'static str,
}

impl Policy {
    /// The most units that a student is asked to choose from.
    pub const MOST_CHOICES: usize = 3;

    /// The unit that is asked about, whatever comes first: the first to choose from, else the target.
    #[must_use]
    pub fn about(&self) -> &str {
        let choice = self.choice_unit_ids.first();
        choice.unwrap_or(&self.primary_target_unit_id)
    }

    /// Whether an action is allowed.
    #[must_use]
    pub fn allows(&self, action: Action) -> bool {
        self.allowed_actions.contains(&action)
    }

    /// The units that a reply with this action may be about. An exam question belongs to the focus, and so does whatever a
    /// button asked for, the only action then; a drill is never on the entry unit; everything else may be about the whole
    /// scope. On the entry unit a question is the only action without a button, and it may look for the unit.
    pub fn targets<'a>(
        &'a self,
        course: &'a Course,
        action: Action,
    ) -> impl Iterator<Item = &'a str> {
        let entry = course.id(course.entry());
        let reach = action.facts().reach;
        let on_focus = reach == Reach::Focus
            || (self.allowed_actions.len() == 1 && self.focus_unit_id != entry);
        let scope = if on_focus {
            slice::from_ref(&self.focus_unit_id)
        } else {
            self.scoped_unit_ids.as_slice()
        };
        let never = (reach == Reach::Practice).then_some(entry);
        scope
            .iter()
            .map(String::as_str)
            .filter(move |id| Some(*id) != never)
    }

    /// Refuses a policy that no decision makes: with it, a reply could break what every reply must keep.
    pub fn check(&self, course: &Course) -> Result<(), PolicyFault> {
        let fault = |field, problem| Err(PolicyFault { field, problem });
        let Some(focus) = course.find(&self.focus_unit_id) else {
            return fault("focus_unit_id", "must be a unit of the course");
        };
        if course.find(&self.primary_target_unit_id).is_none() {
            return fault("primary_target_unit_id", "must be a unit of the course");
        }
        if let Some(blocker) = &self.prereq_blocking_unit_id
            && *blocker != self.focus_unit_id
        {
            return fault("prereq_blocking_unit_id", "must be the focus, or empty");
        }
        self.check_scope(course)?;
        self.check_actions(focus == course.entry())?;
        if self.desired_exam_tier == Tier::None {
            return fault("desired_exam_tier", "must be bronze, silver or gold");
        }
        if self
            .exam_candidate_ids
            .iter()
            .any(|id| !course.question_fits(id, focus, self.desired_exam_tier))
        {
            return fault(
                "exam_candidate_ids",
                "must be exam questions of the focus at the desired tier",
            );
        }
        let choices = &self.choice_unit_ids;
        if choices.len() > Self::MOST_CHOICES || choices.iter().any(|id| course.find(id).is_none())
        {
            return fault("choice_unit_ids", "must be at most 3 units of the course");
        }
        Ok(())
    }

    fn check_scope(&self, course: &Course) -> Result<(), PolicyFault> {
        let scope: BTreeSet<_> = self.scoped_unit_ids.iter().collect();
        let problem = if scope.len() != self.scoped_unit_ids.len() {
            "must not name a unit twice"
        } else if scope.len() > Rules::MOST_SCOPED_UNITS {
            "must hold at most 6 units"
        } else if scope.iter().any(|id| course.find(id).is_none()) {
            "must be units of the course"
        } else if !scope.contains(&self.focus_unit_id)
            || !scope.contains(&self.primary_target_unit_id)
        {
            "must hold the focus and the target"
        } else {
            return Ok(());
        };
        Err(PolicyFault {
            field: "scoped_unit_ids",
            problem,
        })
    }

    fn check_actions(&self, on_entry: bool) -> Result<(), PolicyFault> {
        let exam_possible = self.exam_ready
            && self.exam_availability == Availability::Available
            && !self.exam_candidate_ids.is_empty();
        let allows = |is: &dyn Fn(&Facts) -> bool| {
            let mut facts = self.allowed_actions.iter().map(|action| action.facts());
            facts.any(is)
        };
        let problem = if !allows(&|facts| facts.has_fallback) {
            "must hold a question, a drill or an exam question"
        } else if on_entry && allows(&|facts| facts.reach == Reach::Practice) {
            "must not hold a drill on the entry unit"
        } else if !self.stuck && allows(&|facts| facts.condition == Condition::Stuck) {
            "must not hold a concept card for a student who is not stuck"
        } else if !exam_possible && allows(&|facts| facts.condition == Condition::ExamQuestion) {
            "must not hold an exam question unless the student is ready and one is available"
        } else {
            return Ok(());
        };
        Err(PolicyFault {
            field: "allowed_actions",
            problem,
        })
    }
}
