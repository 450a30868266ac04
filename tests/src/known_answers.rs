//! What a student who knows the demo course would answer, and what one who does not.

use std::collections::BTreeMap;

use turnwise_course_pack::{Pack, Question, Unit, load};
use turnwise_proto::tutor::v1::{
    DrillCard, ExamCard, StudentInput, submit_exam_answer_request::Answer,
};

use crate::{process::repository, student::DEMO_COURSE};

/// Whether the mock model set this exercise: another each time, such as `x + 10042 = 10047`, always with the solution 5.
pub fn is_of_mock(exercise: &str) -> bool {
    let numbers = exercise
        .strip_prefix("x + ")
        .and_then(|rest| rest.split_once(" = "));
    let number = |text: &str| text.parse::<i64>().ok();
    numbers.is_some_and(|(addend, sum)| {
        number(addend)
            .zip(number(sum))
            .is_some_and(|(addend, sum)| sum - addend == 5)
    })
}

/// The demo course's answers.
pub struct Answers {
    /// The course.
    pub pack: Pack,
    /// By prompt and exercise.
    drills: BTreeMap<(String, String), String>,
}

impl Answers {
    /// Those of the pack in the repository.
    pub fn of_demo_course() -> Self {
        let pack = load(&repository().join("courses").join(DEMO_COURSE)).unwrap();
        let drills = pack
            .units
            .iter()
            .flat_map(Unit::all_drills)
            .map(|drill| {
                let card = (drill.prompt.clone(), drill.question_latex.clone());
                (card, drill.answer.clone())
            })
            .collect();
        Self { pack, drills }
    }

    /// The units in which a badge can be earned.
    pub fn assessable(&self) -> Vec<&str> {
        let units = self.pack.units.iter().filter(|unit| unit.assessable);
        units.map(|unit| unit.id.as_str()).collect()
    }

    /// The mistakes that a grader may name in a unit, in file order.
    pub fn mistakes(&self, unit_id: &str) -> Vec<&str> {
        let mut units = self.pack.units.iter();
        let unit = units.find(|unit| unit.id == unit_id).unwrap();
        unit.mistake_tags
            .iter()
            .map(|tag| tag.id.as_str())
            .collect()
    }

    /// A question of the catalogue.
    pub fn question(&self, question_id: &str) -> &Question {
        let mut questions = self.pack.questions.iter();
        questions.find(|q| q.id == question_id).unwrap()
    }

    /// The right answer to a drill.
    pub fn drill(&self, card: &DrillCard) -> StudentInput {
        let known = (card.prompt.clone(), card.question_latex.clone());
        let answer = match self.drills.get(&known) {
            Some(answer) => answer.as_str(),
            None => {
                assert!(
                    is_of_mock(&card.question_latex),
                    "an unknown drill: {card:?}"
                );
                "x = 5"
            }
        };
        typed(answer)
    }

    /// Whether a drill is one of the course's own.
    pub fn knows_drill(&self, card: &DrillCard) -> bool {
        let known = (card.prompt.clone(), card.question_latex.clone());
        self.drills.contains_key(&known)
    }

    /// An answer to a drill that any model may have made up.
    pub fn try_drill(&self, card: &DrillCard) -> StudentInput {
        let known = (card.prompt.clone(), card.question_latex.clone());
        typed(self.drills.get(&known).map_or("x = 5", String::as_str))
    }

    /// A wrong answer to any drill.
    pub fn wrong_drill() -> StudentInput {
        typed("777")
    }

    /// The right answer to an exam question.
    pub fn exam(&self, card: &ExamCard) -> Answer {
        let question = self.question(&card.question_id);
        if question.is_multiple_choice() {
            Answer::OptionId(question.answer.clone())
        } else {
            Answer::AnswerText(question.answer.clone())
        }
    }

    /// A wrong answer to an exam question: another option, or the right one with other digits, so that it can be read.
    pub fn wrong_exam(&self, card: &ExamCard) -> Answer {
        let question = self.question(&card.question_id);
        let mut options = question.options.iter();
        match options.find(|option| option.id != question.answer) {
            Some(option) => Answer::OptionId(option.id.clone()),
            None => Answer::AnswerText(other_digits(&question.answer)),
        }
    }
}

/// The same with every digit one higher, and 0 after 9.
fn other_digits(answer: &str) -> String {
    let other: String = answer
        .chars()
        .map(|c| match c.to_digit(10) {
            Some(digit) => char::from_digit((digit + 1) % 10, 10).unwrap(),
            None => c,
        })
        .collect();
    assert_ne!(other, answer, "an answer without a digit");
    other
}

/// An answer in plain text.
pub fn typed(text: &str) -> StudentInput {
    StudentInput {
        text: text.to_owned(),
        ..StudentInput::default()
    }
}
