//! What a placement may ask in a course: drills of its own whose right answer mathematics knows to be right.

use std::collections::HashMap;

use turnwise_course_pack::{Drill, Pack, Unit};
use turnwise_grading::Verdict;
use turnwise_placement::{Graph, Placement};

/// The ids of a course's drills that can be asked, by unit: of each unit as many as are asked at most.
#[derive(Debug, Default)]
pub struct Questions(HashMap<String, Vec<String>>);

impl Questions {
    /// The questions of a pack. A placement looks at so many units, so no others have any.
    #[must_use]
    pub fn new(pack: &Pack) -> Self {
        let most = usize::try_from(Placement::MOST_OF_A_UNIT).unwrap_or(usize::MAX);
        let units = pack.units.iter().filter(|unit| unit.assessable);
        let of_unit = |unit: &Unit| {
            let checkable = unit.all_drills().filter(|drill| is_checkable(drill));
            checkable.take(most).map(|drill| drill.id.clone()).collect()
        };
        Self(
            units
                .take(Graph::MOST_UNITS)
                .map(|unit| (unit.id.clone(), of_unit(unit)))
                .collect(),
        )
    }

    /// Those of a unit.
    #[must_use]
    pub fn of(&self, unit_id: &str) -> &[String] {
        self.0.get(unit_id).map_or(&[], Vec::as_slice)
    }
}

/// Whether mathematics finds the key itself right.
fn is_checkable(drill: &Drill) -> bool {
    let asked = turnwise_grading::Drill {
        prompt: &drill.prompt,
        question_latex: &drill.question_latex,
        key: Some(&drill.answer),
    };
    matches!(
        turnwise_grading::grade(&asked, &drill.answer).verdict,
        Verdict::Right
    )
}
