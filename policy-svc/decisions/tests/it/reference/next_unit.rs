//! The unit to go on with.

use turnwise_decisions::Tier;

use super::{mapping::Mapping, record::World, target::Way};

impl World<'_> {
    /// The units in which a badge can be earned, each after its prerequisites; file order where that leaves a choice. On a
    /// course with a cycle, whatever stands before it.
    pub fn path(&self) -> Vec<String> {
        let mut placed: Vec<String> = Vec::new();
        loop {
            let next = self.course.units.iter().find(|unit| {
                !placed.contains(&unit.id)
                    && unit
                        .prerequisites
                        .iter()
                        .all(|needed| placed.contains(needed))
            });
            match next {
                Some(unit) => placed.push(unit.id.clone()),
                None => break,
            }
        }
        placed.retain(|id| self.has_badges(id));
        placed
    }

    /// Where the focus is met or drilled, the next step of the way to the target, if there is one. Else nothing while the
    /// focus itself has neither a badge nor the drills for its first one. Else, of the other units in
    /// progress and the first other one of the path that are not met and not blocked, the best by score and then by id.
    /// Else the best one in progress that is not blocked. Else the first of the path that is met without a badge and not blocked.
    pub fn next_unit(&self, mapping: &Mapping, focus: &str, way: &Way) -> Option<String> {
        if self.is_met(focus) || self.is_drilled(focus) {
            let step = self.next_step(way, focus);
            if step.is_some() {
                return step;
            }
        }
        if self.has_badges(focus) && self.tier(focus) == Tier::None && !self.is_drilled(focus) {
            return None;
        }
        let open = |id: &String| id != focus && !self.is_met(id) && !self.is_blocked(id);
        let mut choices = self.units_in_progress();
        choices.retain(open);
        choices.extend(self.path().into_iter().find(open));
        if choices.is_empty() {
            choices = self.units_in_progress();
            choices.retain(|id| {
                id != focus
                    && self.has_badges(id)
                    && self.tier(id) != Tier::Gold
                    && !self.is_blocked(id)
            });
        }
        if choices.is_empty() {
            let mut path = self.path();
            path.retain(|id| id != focus && self.tier(id) == Tier::None && self.is_met(id));
            choices.extend(path.into_iter().find(|id| !self.is_blocked(id)));
        }
        let mut best: Option<String> = None;
        for choice in choices {
            let better = best.as_ref().is_none_or(|best| {
                let (mine, theirs) = (
                    mapping.scores.total(self, &choice),
                    mapping.scores.total(self, best),
                );
                mine > theirs || (mine == theirs && choice < *best)
            });
            if better {
                best = Some(choice);
            }
        }
        best
    }
}
