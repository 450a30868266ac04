//! Whoever was placed, rightly or not: what is placed is passed by and is there for whoever asks, and an error of the
//! placement costs two drills and locks nobody out.

use proptest::{collection::vec, prelude::*};
use turnwise_decisions::{Course, Event, EventKind, Placed};

use super::{FIRST_TURNS, LOCK, Student, TURNS_PER_UNIT, courses, steps, walk};

/// The drills that undo a placement.
const WRONG_DRILLS: usize = Placed::MOST_WRONG_DRILLS as usize;

/// For each unit of a course's path: whether the student is placed on it, and whether that is right.
fn placements() -> impl Strategy<Value = Vec<(bool, bool)>> {
    vec((prop::bool::weighted(0.4), any::<bool>()), 30)
}

impl<'a> Student<'a> {
    /// A student after a placement. Of what is placed wrongly, the first drills are answered wrong: as many as undo it.
    fn placed(course: &'a Course, placements: &[(bool, bool)]) -> Self {
        let mut student = Self::new(course);
        for (&at, &(is_placed, is_right)) in course.path().iter().zip(placements) {
            if !is_placed {
                continue;
            }
            let id = course.id(at).to_owned();
            if !is_right {
                student.knows.insert(id.clone(), vec![false; WRONG_DRILLS]);
            }
            student.evidence.placed.insert(id, Placed::default());
        }
        student
    }

    /// Asks for each unit that has no badge yet, and presses the primary button until it has.
    fn ask_for_the_rest(&mut self) {
        for id in self.without_badge() {
            let asked = Event {
                kind: EventKind::ChooseUnit,
                unit_id: id.to_owned(),
                question_id: String::new(),
            };
            let has_badge = |student: &Self| !student.without_badge().contains(&id);
            self.press_until(Some(asked), TURNS_PER_UNIT + WRONG_DRILLS, has_badge);
        }
    }
}

proptest! {
    #![proptest_config(turnwise_testing::properties::pure())]

    /// What is placed costs no turn. Asked for, each unit of it takes as long as any, and two turns more where it was placed
    /// wrongly.
    #[test]
    fn what_is_placed_is_passed_by_and_is_there_for_whoever_asks(
        course in courses(),
        placements in placements(),
    ) {
        let mut student = Student::placed(&course, &placements);
        let mut placed = student.without_badge();
        placed.retain(|id| student.evidence.placed.contains_key(*id));
        let most = FIRST_TURNS + TURNS_PER_UNIT * student.left().len();
        student.press_on(most);
        prop_assert_eq!(student.without_badge(), placed);
        student.ask_for_the_rest();
        prop_assert_eq!(student.without_badge(), Vec::<&str>::new());
        prop_assert!(student.evidence.placed.is_empty(), "a badge takes the place of each");
    }

    /// From whatever was done after the placement, drills that undo it among it: as many turns as without one, and two more
    /// for each unit.
    #[test]
    fn no_placement_keeps_a_student_from_bronze(
        course in courses(),
        placements in placements(),
        steps in steps(),
    ) {
        let mut student = Student::placed(&course, &placements);
        walk(&mut student, &steps);
        let most = FIRST_TURNS
            + (TURNS_PER_UNIT + WRONG_DRILLS) * course.assessable_count()
            + student.locked.len()
            + 2 * student.evidence.progress.len();
        student.press_on(most);
        prop_assert_eq!(student.left(), Vec::<&str>::new());
        // By the next day no question is locked any more.
        student.now += LOCK;
        student.ask_for_the_rest();
        prop_assert_eq!(student.without_badge(), Vec::<&str>::new());
    }
}
