//! What a placement may ask in a course: drills of its own whose right answer mathematics knows to be right.

use turnwise_decisions::{Course, Drill, exercise, exercise::fnv1a};
use turnwise_grading::Verdict;
use turnwise_placement::{Graph, Placement, Unit};

use crate::answers::Answers;

/// A course's units as placements see them, in the order of the course's path. It is the same for all students.
#[must_use]
pub fn graph(course: &Course, answers: &Answers) -> Graph {
    let most = usize::try_from(Placement::MOST_OF_A_UNIT).unwrap_or(usize::MAX);
    let units = course.path().iter().take(Graph::MOST_UNITS).map(|&at| {
        let unit = course.unit(at);
        let needs = unit.prerequisites.iter();
        let drills = unit.drills.iter();
        let questions = drills.filter(|drill| is_checkable(drill, answers));
        Unit {
            id: unit.id.clone(),
            prerequisites: needs.map(|&need| course.id(need).to_owned()).collect(),
            questions: u32::try_from(questions.take(most).count()).unwrap_or(u32::MAX),
        }
    });
    Graph::new(units)
}

/// A question about a unit: of the drills that can be asked one whose exercise the student has not `met`. Each student has
/// an order of their own, and keeps it.
pub(crate) fn question<'a>(
    drills: &'a [Drill],
    answers: &Answers,
    student_id: &str,
    met: &[u64],
) -> Option<&'a Drill> {
    let is_met = |drill: &Drill| {
        !met.is_empty() && met.contains(&exercise(&drill.prompt, &drill.question_latex))
    };
    let mut drills: Vec<&Drill> = drills.iter().collect();
    // The student on both sides: neither ids nor students that differ in a last digit alone come out alike.
    drills.sort_by_cached_key(|drill| fnv1a(&format!("{student_id}/{}/{student_id}", drill.id)));
    drills
        .into_iter()
        .find(|drill| !is_met(drill) && is_checkable(drill, answers))
}

/// Whether mathematics finds the key itself right.
fn is_checkable(drill: &Drill, answers: &Answers) -> bool {
    let key = answers.of_drill(&drill.id);
    let asked = turnwise_grading::Drill {
        prompt: &drill.prompt,
        question_latex: &drill.question_latex,
        key,
    };
    key.is_some_and(|key| matches!(turnwise_grading::grade(&asked, key).verdict, Verdict::Right))
}
