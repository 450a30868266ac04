//! One exercise in many spellings, each on a card of its own with a token of its own: it counts once, and is not set again.

use turnwise_proto::{
    common::v1::ErrorReason,
    tutor::v1::{DrillResult, GradedBy, MasteryTier, TutorAction},
};
use turnwise_tests::{
    deployment::Deployment,
    options::{Kind, Options},
    staff::Staff,
};

use super::grades::{UNIT, asking, dictated};
use crate::tutor::{
    answers::{Answers, typed},
    locks::ask,
    simulated_student::{SimulatedStudent, check_notices},
};

in_both_deployments!(one_exercise_in_other_spellings_opens_no_exam);

/// Three exercises, each in its spellings: a prompt, the exercise, and the right answer.
const EXERCISES: [&[(&str, &str, &str)]; 3] = [
    &[
        ("Solve for x.", "x + 7 = 12", "x = 5"),
        ("Solve for x.", "12 = 7 + x", "x = 5"),
        ("Solve the equation.", "x+7=12", "x = 5"),
    ],
    &[
        ("Solve for x.", "x + 8 = 13", "x = 5"),
        ("Solve the equation.", "y + 8 = 13", "y = 5"),
        ("Solve the equation.", "x + 5 + 3 = 13", "x = 5"),
        ("Solve for x.", "13 = 8 + x", "x = 5"),
    ],
    &[("Solve for x.", "x + 9 = 14", "x = 5")],
];

async fn one_exercise_in_other_spellings_opens_no_exam(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new().model("mock:obey")).await;
    let (staff, answers) = (Staff::of(&suite), Answers::of_demo_course());
    let mut simulated = SimulatedStudent::start(&suite, "speller").await;
    // All are set before the first is answered, since one that counted would not be set again.
    let mut cards = Vec::new();
    for spellings in EXERCISES {
        let mut same = Vec::new();
        for (prompt, question, right) in spellings {
            simulated.open().await;
            let turn = asking(&simulated, &dictated(prompt, question));
            simulated.take(turn).await;
            let shown = &simulated.drill().question_latex;
            assert_eq!(shown, question, "the model obeyed");
            same.push(simulated.grading(typed(right)));
        }
        cards.push(same);
    }
    // Who has seen the first answer fail knows better with the next spelling, and it comes too late.
    cards[0][0].answer = Some(Answers::wrong_drill());
    for (at, same) in cards.into_iter().enumerate() {
        for (n, request) in same.into_iter().enumerate() {
            let is_right = (at, n) != (0, 0);
            let grade = simulated.student.grade_drill(request).await.unwrap();
            assert_eq!(grade.graded_by(), GradedBy::Rules, "{grade:?}");
            assert_eq!(grade.result() == DrillResult::Correct, is_right);
            assert_eq!(grade.evidence_recorded, n == 0, "{grade:?}");
            assert_eq!(grade.mastery_tier(), MasteryTier::None);
            let notices: &[ErrorReason] = match n {
                0 => &[],
                _ => &[ErrorReason::ExerciseRepeated],
            };
            check_notices(&grade.notices, notices);
        }
        // After the first, the second and the third exercise: none, one and two right in a row.
        let unit = staff.recorded(&simulated.student).await.unit(UNIT);
        assert_eq!(unit.counted_exercises.len(), at + 1);
        let drills = unit.drill.unwrap();
        let counted = (drills.attempts, drills.correct, drills.streak_correct);
        let right = i32::try_from(at).unwrap();
        assert_eq!(counted, (right + 1, right, right));
        simulated.open().await;
        let is_offered = ask(&mut simulated).await == TutorAction::ExamBlock;
        assert_eq!(is_offered, at == 2, "{counted:?}");
    }
    // While the course has another, the model's repeat gives way to it.
    for (question, has_counted) in [("13 = x + 8", true), ("x + 10 = 15", false)] {
        simulated.open().await;
        let turn = asking(&simulated, &dictated("Solve for x.", question));
        simulated.take(turn).await;
        let shown = simulated.drill();
        assert_eq!(shown.question_latex == question, !has_counted, "{shown:?}");
        assert_eq!(answers.knows_drill(shown), has_counted, "{shown:?}");
    }
    suite.stop();
}
