//! Which unit of a course teaches an exercise that a student brings: the one with a drill of its kind.

use turnwise_decisions::Course;
use turnwise_grading::{Kind, kind, kind_of_message};

/// So many instances of a drill with parameters tell its kinds: signs differ between them.
const INSTANCES: usize = 4;

/// Kinds that are further from each other are different things to learn.
const MOST_DISTANCE: usize = 2;

/// The kinds of a course's drills, by unit, in the order of the course's path.
#[derive(Debug, Default)]
pub struct ExerciseUnits(Vec<(String, Vec<Kind>)>);

impl ExerciseUnits {
    /// Those of a course.
    #[must_use]
    pub fn new(course: &Course) -> Self {
        let units = course.path().iter().map(|&at| {
            let unit = course.unit(at);
            let mut kinds = Vec::new();
            let (mut family, mut instances) = ("", 0);
            for drill in &unit.drills {
                let own = drill
                    .id
                    .split_once('#')
                    .map_or("", |(template, _)| template);
                instances = if own == family && !own.is_empty() {
                    instances + 1
                } else {
                    0
                };
                family = own;
                if instances < INSTANCES {
                    kinds.extend(kind(&drill.prompt, &drill.question_latex));
                }
            }
            kinds.sort_unstable();
            kinds.dedup();
            (unit.id.clone(), kinds)
        });
        Self(units.collect())
    }

    /// The unit whose drills are nearest to the exercise that a message is, the first of several; `None` where it is no exercise,
    /// or none of the course's.
    #[must_use]
    pub fn unit_of(&self, message: &str) -> Option<&str> {
        self.unit_of_kind(&kind_of_message(message)?)
    }

    /// The unit whose drills are nearest to an exercise of this kind.
    #[must_use]
    pub fn unit_of_kind(&self, asked: &Kind) -> Option<&str> {
        let near = self.0.iter().filter_map(|(unit_id, kinds)| {
            let distances = kinds.iter().filter_map(|kind| asked.distance(kind));
            Some((distances.min()?, unit_id.as_str()))
        });
        let (distance, unit_id) = near.min_by_key(|(distance, _)| *distance)?;
        (distance <= MOST_DISTANCE).then_some(unit_id)
    }
}
