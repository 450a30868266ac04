//! Courses, and students who answer by a rule.

use std::path::Path;

use turnwise_course_pack::load;
use turnwise_placement::{Graph, Placement, Unit};

/// A unit with four questions.
pub fn unit(id: &str, needs: &[&str]) -> Unit {
    Unit {
        id: id.to_owned(),
        prerequisites: needs.iter().map(|&id| id.to_owned()).collect(),
        questions: 4,
    }
}

/// The units of the demo course in which a badge can be earned.
pub fn demo() -> Vec<Unit> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../courses/algebra-foundations");
    let units = load(&root).unwrap().units.into_iter();
    units
        .filter(|unit| unit.assessable)
        .map(|unit| Unit {
            id: unit.id,
            prerequisites: unit.prerequisites,
            questions: u32::try_from(unit.drills.len()).unwrap(),
        })
        .collect()
}

/// Answers every question of a placement to its end. The units that were asked about, in order.
pub fn play<'g>(
    placement: &mut Placement<'g>,
    mut is_right: impl FnMut(&str) -> bool,
) -> Vec<&'g str> {
    let mut asked = Vec::new();
    while let Some(unit) = placement.next_unit() {
        placement.answer(unit, is_right(unit));
        asked.push(unit);
    }
    asked
}

/// The prerequisites of a unit that its course has.
pub fn needs<'a>(units: &'a [Unit], id: &str) -> Vec<&'a str> {
    let unit = units.iter().find(|unit| unit.id == id).unwrap();
    let needs = unit.prerequisites.iter().map(String::as_str);
    needs
        .filter(|need| units.iter().any(|unit| unit.id == *need))
        .collect()
}

/// A placement that was played to its end, and what it placed.
pub fn placed_by(units: &[Unit], is_right: impl FnMut(&str) -> bool) -> Vec<String> {
    let graph = Graph::new(units.iter().cloned());
    let mut placement = Placement::new(&graph);
    play(&mut placement, is_right);
    placement.placed().into_iter().map(str::to_owned).collect()
}
