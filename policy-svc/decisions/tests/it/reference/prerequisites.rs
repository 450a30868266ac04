//! What has to be met first: missing prerequisites, and the walk to the one to begin with.

use turnwise_decisions::{PrereqWalk, Progress, Tier};

use super::{record::World, score::Scores};

impl World<'_> {
    /// Met is: a badge, or marked as met by a teacher, or shown to be known by a placement, or a unit that can have no badge.
    pub fn is_met(&self, id: &str) -> bool {
        let has_tier = self.tier(id) != Tier::None;
        let marked = self
            .snapshot
            .prerequisite_overrides
            .iter()
            .any(|unit| unit == id);
        let placed = self.snapshot.placed.iter().any(|unit| unit == id);
        has_tier || marked || placed || !self.has_badges(id)
    }

    /// The direct prerequisites that are not met, in the order of the file. Where there is evidence, what was placed once and
    /// is no more locks nobody out.
    pub fn missing(&self, id: &str) -> Vec<String> {
        let mut missing = self.prerequisites(id);
        missing.retain(|prerequisite| !self.is_met(prerequisite));
        if self.progress(id) != Progress::default() {
            missing.retain(|prerequisite| !self.snapshot.unplaced.contains(prerequisite));
        }
        missing
    }

    /// A unit is blocked by any direct prerequisite that is not met.
    pub fn is_blocked(&self, id: &str) -> bool {
        !self.missing(id).is_empty()
    }

    /// The missing prerequisite to do before the target.
    pub fn blocker(&self, scores: &Scores, target: &str) -> Option<String> {
        match self.course.rules.prereq_walk {
            // A unit that names itself has nothing to do before itself.
            PrereqWalk::First => self.missing(target).into_iter().find(|unit| unit != target),
            PrereqWalk::Transitive => self.walk(scores, target),
        }
    }

    /// From the target take a missing prerequisite until a unit with none missing is reached. No unit is entered twice,
    /// so the walk ends where only visited ones are missing.
    fn walk(&self, scores: &Scores, target: &str) -> Option<String> {
        let mut visited = vec![target.to_owned()];
        loop {
            let here = visited.last().cloned().unwrap_or_default();
            let mut next: Option<String> = None;
            for missing in self.missing(&here) {
                if visited.contains(&missing) {
                    continue;
                }
                // Several at one depth: the highest score, then file order; so only a higher score replaces.
                let better = match &next {
                    None => true,
                    Some(best) => scores.total(self, &missing) > scores.total(self, best),
                };
                if better {
                    next = Some(missing);
                }
            }
            match next {
                Some(unit) => visited.push(unit),
                None if here == target => return None,
                None => return Some(here),
            }
        }
    }
}
