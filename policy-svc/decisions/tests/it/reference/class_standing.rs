//! How a student stands in each unit of a course, for whoever teaches the class.

use turnwise_decisions::{Tier, class_standing::UnitStanding};

use super::{clamp01, mapping::Mapping, record::World};

/// Of the units in which a badge can be earned those with something to tell, in the order of the path, and what the latest
/// turn was about with the prerequisite that it lacks.
pub fn class_standing(
    world: &World<'_>,
    locked: &[String],
) -> (Vec<UnitStanding>, Option<(String, String)>) {
    let scores = Mapping::new(world, &[], None).scores;
    let mut units = Vec::new();
    for id in world.path() {
        let progress = world.progress(&id);
        let mut locked_questions = 0;
        for question in &world.course.questions {
            let times = locked.iter().filter(|locked| **locked == question.id);
            if question.units.contains(&id) {
                locked_questions += times.count() as u32;
            }
        }
        let standing = UnitStanding {
            unit_id: id.clone(),
            tier: progress.tier,
            worked_on: progress.tier != Tier::None
                || progress.attempts > 0
                || progress.last_touched_at.is_some(),
            stuck: world.is_stuck(&id),
            wrong_in_a_row: progress.streak_wrong,
            locked_questions,
            met_by_teacher: world.snapshot.prerequisite_overrides.contains(&id),
            placed: progress.tier == Tier::None && world.snapshot.placed.contains(&id),
            blocking_unit_id: match progress.tier {
                Tier::None => world.blocker(&scores, &id),
                _ => None,
            },
        };
        let nothing = UnitStanding {
            unit_id: id,
            ..UnitStanding::default()
        };
        if standing != nothing {
            units.push(standing);
        }
    }
    // The unit that the latest turn was surest of; of equals the first by id.
    let mut target: Option<(String, f64)> = None;
    for mapped in &world.snapshot.last_mapped_units {
        let confidence = clamp01(mapped.confidence);
        let better = match &target {
            None => true,
            Some((id, sure)) => confidence > *sure || (confidence == *sure && mapped.unit_id < *id),
        };
        if world.is_known(&mapped.unit_id) && better {
            target = Some((mapped.unit_id.clone(), confidence));
        }
    }
    let blocked = target.and_then(|(id, _)| {
        let blocker = world.blocker(&scores, &id)?;
        Some((id, blocker))
    });
    (units, blocked)
}
