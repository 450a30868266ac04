//! What the students of a class do, counted beside the suite, and the report held against it.

use std::collections::BTreeMap;

use turnwise_proto::{
    school::v1::{DayCount, Report, UnitReport},
    tutor::v1::{
        ClientEventKind, DrillCard, DrillResult, ExamCard, StudentInput, TutorAction,
        submit_exam_answer_request::Answer,
    },
};
use turnwise_tests::{
    answer::{shown_action, tutor},
    deployment::Deployment,
};

use crate::tutor::{
    answers::Answers,
    simulated_student::{Answering, Came, SimulatedStudent},
};

/// Drills that each of them tries.
const DRILLS: usize = 3;

/// What one student did, as the test counts it.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Counted {
    pub turns: i64,
    pub drills: i64,
    pub wrong: i64,
    pub stuck_presses: i64,
    pub hints: i64,
    pub mistakes: BTreeMap<String, i64>,
}

/// Errs in the first drills, and so often.
struct Errs<'a> {
    answers: &'a Answers,
    wrong: usize,
}

impl Answering for Errs<'_> {
    fn drill(&mut self, card: &DrillCard) -> StudentInput {
        if self.wrong == 0 {
            return self.answers.try_drill(card);
        }
        self.wrong -= 1;
        Answers::wrong_drill()
    }

    fn exam(&mut self, card: &ExamCard) -> Answer {
        self.answers.exam(card)
    }
}

pub fn id(number: usize) -> String {
    format!("student-{number:0>2}")
}

pub fn surname(number: usize) -> String {
    let letter = |at: usize| char::from(b'a' + u8::try_from(at % 26).unwrap());
    format!("Quux{}{}", letter(number / 26), letter(number))
}

/// Counts a turn's answer.
pub fn count(counted: &mut Counted, action: TutorAction) {
    counted.turns += 1;
    counted.hints += i64::from(action == TutorAction::SocraticQuestion);
}

/// What one student does in a term; how much of it is wrong depends on who it is.
pub async fn study(
    suite: &Deployment,
    number: usize,
    answers: &Answers,
) -> (String, Counted, String) {
    let mut counted = Counted::default();
    let mut student = SimulatedStudent::start(suite, &id(number)).await;
    // The hello.
    counted.turns += 1;
    counted.hints += 1;
    let mut errs = Errs {
        answers,
        wrong: number % (DRILLS + 1),
    };
    let Came::Message(answer) = student.press_labelled("next_unit", &mut errs).await else {
        panic!("no message");
    };
    count(&mut counted, shown_action(tutor(&answer)));
    for _ in 0..DRILLS {
        let unit = student.focus().to_owned();
        let thread = student.thread.clone();
        let answer = student
            .student
            .press(&thread, ClientEventKind::RequestDrill, &unit)
            .await;
        student.show(&answer);
        count(&mut counted, shown_action(tutor(&answer)));
        if shown_action(tutor(&answer)) != TutorAction::DrillCard {
            continue;
        }
        let input = errs.drill(student.drill());
        let graded = student.student.grade_drill(student.grading(input)).await;
        let graded = graded.unwrap();
        if !graded.evidence_recorded {
            continue;
        }
        counted.drills += 1;
        if graded.result() != DrillResult::Correct {
            counted.wrong += 1;
            if !graded.common_mistake_tag.is_empty() {
                *counted
                    .mistakes
                    .entry(graded.common_mistake_tag)
                    .or_default() += 1;
            }
        }
    }
    if number.is_multiple_of(3) {
        let unit = student.focus().to_owned();
        let thread = student.thread.clone();
        let answer = student
            .student
            .press(&thread, ClientEventKind::StuckHint, &unit)
            .await;
        student.show(&answer);
        count(&mut counted, shown_action(tutor(&answer)));
        counted.stuck_presses += 1;
    }
    (id(number), counted, student.thread.thread_id)
}

pub fn check(report: &Report, expected: &BTreeMap<String, Counted>) {
    let ids: Vec<_> = report.students.iter().map(|s| &s.student_id).collect();
    assert_eq!(ids, expected.keys().collect::<Vec<_>>());
    assert_eq!(
        usize::try_from(report.student_count).unwrap(),
        expected.len()
    );
    for student in &report.students {
        let found = Counted {
            turns: student.turns,
            drills: student.drills,
            wrong: student.wrong_drills,
            stuck_presses: student.stuck_presses,
            hints: student.hints,
            mistakes: student
                .mistakes
                .iter()
                .map(|mistake| (mistake.tag.clone(), mistake.count))
                .collect(),
        };
        assert_eq!(
            found, expected[&student.student_id],
            "{}",
            student.student_id
        );
    }
    let sum = |of: fn(&Counted) -> i64| expected.values().map(of).sum::<i64>();
    let totals = report.totals.as_ref().unwrap();
    let days = |of: fn(&DayCount) -> i64| totals.days.iter().map(of).sum::<i64>();
    assert_eq!(days(|day| day.turns), sum(|c| c.turns));
    assert_eq!(days(|day| day.drills), sum(|c| c.drills));
    assert_eq!(totals.stuck_presses, sum(|c| c.stuck_presses));
    assert_eq!(totals.hints, sum(|c| c.hints));
    let units = |of: fn(&UnitReport) -> i64| report.units.iter().map(of).sum::<i64>();
    assert_eq!(units(|unit| unit.stuck_presses), sum(|c| c.stuck_presses));
    let mistakes = |unit: &UnitReport| unit.mistakes.iter().map(|mistake| mistake.count).sum();
    assert_eq!(
        units(mistakes),
        expected
            .values()
            .flat_map(|c| c.mistakes.values())
            .sum::<i64>()
    );
}
