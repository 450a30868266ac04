//! Drills without a model, from a course that has just enough of them, each exercise in two spellings: a repeat counts for
//! nothing, and nobody has to wait for another.

use proptest::{collection::vec, prelude::*};
use turnwise_decisions::{Course, Drill, EvidenceEvent, Tier, evidence::apply};

use super::{FIRST_TURNS, Student, TURNS_PER_UNIT};
use crate::fixtures::course_with;

/// The most drills that a mistake makes worthless: itself, and two right ones before it.
const DRILLS_PER_MISTAKE: usize = 3;

/// The most turns that it costs: those drills, and one that asks for the exam question of a streak that is lost.
const TURNS_PER_MISTAKE: usize = DRILLS_PER_MISTAKE + 1;

/// The drills that make a student ready.
const READY: usize = 2;

/// How the first drills of each unit go, for the units of the course behind the entry.
fn answers() -> impl Strategy<Value = Vec<Vec<bool>>> {
    vec(vec(any::<bool>(), 0..6), 6)
}

fn mistakes(answers: &[bool]) -> usize {
    answers.iter().filter(|right| !**right).count()
}

/// So many exercises, each as two drills that one would not take for the same.
fn drills(unit_id: &str, exercises: usize) -> Vec<Drill> {
    let drill = |id: String, prompt: &str, question_latex: String| Drill {
        id,
        prompt: prompt.to_owned(),
        question_latex,
    };
    let spellings = |n: usize| {
        let addend = n + 2;
        [
            drill(
                format!("{unit_id}-d{n}"),
                "Solve for x.",
                format!("x + {addend} = 60"),
            ),
            drill(
                format!("{unit_id}-e{n}"),
                "Solve the equation.",
                format!("60 = {addend}+x"),
            ),
        ]
    };
    (0..exercises).flat_map(spellings).collect()
}

/// The fixture's course with as many exercises in each unit as a student needs who answers like this.
fn course(answers: &[Vec<bool>]) -> Course {
    course_with(|spec| {
        for (unit, answers) in spec.units.iter_mut().skip(1).zip(answers) {
            let exercises = DRILLS_PER_MISTAKE * mistakes(answers) + READY;
            unit.drills = drills(&unit.id, exercises);
        }
    })
}

impl Student<'_> {
    /// Answers right once more what counted first and last in each unit. Insists that nothing comes of it.
    fn send_again(&mut self) {
        for (unit_id, progress) in self.evidence.progress.clone() {
            let counted = &progress.counted_exercises;
            for exercise in counted.first().into_iter().chain(counted.last()) {
                let event = EvidenceEvent::DrillGraded {
                    unit_id: unit_id.clone(),
                    correct: true,
                    mistake_tag: None,
                    exercise: Some(*exercise),
                };
                let applied = apply(self.course, &self.evidence, &event, self.now).unwrap();
                assert!(applied.exercise_repeated);
                assert_eq!(applied.evidence, self.evidence);
                self.evidence = applied.evidence;
            }
        }
    }
}

proptest! {
    #![proptest_config(turnwise_testing::properties::pure())]

    /// The primary button leads to bronze everywhere with no exercise to spare, so none is set twice before all were set. Each
    /// badge has two different exercises behind it.
    #[test]
    fn exercises_that_repeat_open_nothing_and_stop_nobody(answers in answers()) {
        let course = course(&answers);
        let mut student = Student::new(&course);
        student.own_drills = true;
        let mut most = FIRST_TURNS + TURNS_PER_UNIT * course.assessable_count();
        for (id, answers) in ["A", "B", "C", "D", "E", "F"].into_iter().zip(answers) {
            most += TURNS_PER_MISTAKE * mistakes(&answers);
            student.knows.insert(id.to_owned(), answers);
        }
        let mut event = None;
        for _ in 0..most {
            if student.without_badge().is_empty() {
                break;
            }
            let buttons = student.turn(&[], event.take(), true);
            let primary = buttons.into_iter().find(|button| button.primary);
            event = primary.expect("a primary button").event().cloned();
            student.send_again();
        }
        prop_assert_eq!(student.without_badge(), Vec::<&str>::new());
        for (id, progress) in &student.evidence.progress {
            let counted = &progress.counted_exercises;
            prop_assert!(progress.tier == Tier::None || counted.len() >= READY, "{id}");
            prop_assert_eq!(u32::try_from(counted.len()).unwrap(), progress.attempts);
        }
    }
}
