//! What was asked for, and the way there.

use turnwise_decisions::{Event, EventKind, PrereqWalk, Tier};

use super::{add_once, record::World, score::Scores};

/// A target and what comes before it.
#[derive(Debug, Clone, PartialEq)]
pub struct Way {
    pub target: String,
    /// What to begin with.
    pub first: Option<String>,
    /// In the order of the file's units.
    pub missing: Vec<String>,
}

impl World<'_> {
    /// Everything that is missing before a unit: its missing prerequisites, theirs, and so on. A course that looks one
    /// prerequisite far stops after the first.
    pub fn way(&self, scores: &Scores, target: &str) -> Way {
        let mut missing: Vec<String> = Vec::new();
        let mut more = self.missing(target);
        while let Some(id) = more.pop() {
            if id == target || missing.contains(&id) {
                continue;
            }
            if self.course.rules.prereq_walk == PrereqWalk::Transitive {
                more.extend(self.missing(&id));
            }
            missing.push(id);
        }
        Way {
            target: target.to_owned(),
            first: self.blocker(scores, target),
            missing,
        }
    }

    /// A unit's prerequisites, theirs, and so on, whether they are met or not.
    fn everything_before(&self, target: &str) -> Vec<String> {
        let mut before = self.prerequisites(target);
        let mut at = 0;
        while let Some(id) = before.get(at).cloned() {
            for more in self.prerequisites(&id) {
                add_once(&mut before, &more);
            }
            at += 1;
        }
        before
    }

    /// The target of the record, unless the course has it no more, or nothing is missing before it and the student stands
    /// there or has its badge.
    pub fn kept_target(&self) -> Option<String> {
        let target = self.snapshot.target_unit_id.clone();
        let is_there = target == self.focus() || self.tier(&target) > Tier::None;
        let reached = is_there && !self.is_blocked(&target);
        (self.is_known(&target) && !reached).then_some(target)
    }

    /// A kept target gives way to the unit that a button chooses, and to one that a message names for certain, unless that
    /// is the target, the entry unit, where the student stands, or a unit without which nobody comes to the target. Where nothing is kept, what the turn is about
    /// is the target.
    pub fn target_after(
        &self,
        asked: Option<&str>,
        event: Option<&Event>,
        turn_target: &str,
    ) -> String {
        let chooses = event.is_some_and(|event| event.kind == EventKind::ChooseUnit);
        let Some(kept) = self.kept_target().filter(|_| !chooses) else {
            return turn_target.to_owned();
        };
        match asked {
            Some(unit)
                if event.is_none()
                    && unit != kept
                    && unit != self.focus()
                    && unit != self.course.entry_unit
                    && !self.everything_before(&kept).iter().any(|id| id == unit) =>
            {
                turn_target.to_owned()
            }
            _ => kept,
        }
    }

    /// The units from the focus to the target: the focus first if it is one of them, then what to begin with, the rest in the
    /// order of the path.
    pub fn steps(&self, way: &Way, focus: &str) -> Vec<String> {
        let mut steps = Vec::new();
        if way.missing.iter().any(|id| id == focus) {
            steps.push(focus.to_owned());
        }
        for id in way.first.iter().chain(&self.path()) {
            if way.missing.contains(id) {
                add_once(&mut steps, id);
            }
        }
        steps.push(way.target.clone());
        steps
    }

    /// The first other unit of the way that is not blocked.
    pub fn next_step(&self, way: &Way, focus: &str) -> Option<String> {
        if way.target == focus {
            return None;
        }
        let steps = self.steps(way, focus);
        steps
            .into_iter()
            .find(|id| id != focus && !self.is_blocked(id))
    }
}
