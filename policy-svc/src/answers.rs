//! The right answers of a course, and what else only grading needs. No decision sees any of it; the solutions that a reply
//! shows are those of other drills.

use std::{collections::HashMap, fmt};

use turnwise_course_pack::{LlmGrades, MistakeTag, Pack, Unit};
use turnwise_decisions::ExamQuestion;
use turnwise_grading::Verdict;

/// What grading needs of a course; the default knows no answer.
#[derive(Default)]
pub struct Answers {
    drills: HashMap<String, String>,
    questions: HashMap<String, String>,
    mistakes: HashMap<String, Vec<MistakeTag>>,
    llm_grades: LlmGrades,
}

/// What an answer to an exam question is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExamVerdict {
    /// It is right.
    Right,
    /// It is wrong.
    Wrong,
    /// It cannot be read, so it is neither.
    Unreadable,
}

impl Answers {
    /// The answers of a pack.
    #[must_use]
    pub fn new(pack: &Pack) -> Self {
        let drills = pack.units.iter().flat_map(Unit::all_drills);
        let drills = drills.map(|drill| (drill.id.clone(), drill.answer.clone()));
        Self {
            drills: drills.collect(),
            questions: pack
                .questions
                .iter()
                // Without an answer it is the exam system's to judge.
                .filter(|question| !question.answer.is_empty())
                .map(|question| (question.id.clone(), question.answer.clone()))
                .collect(),
            mistakes: pack
                .units
                .iter()
                .map(|unit| (unit.id.clone(), unit.mistake_tags.clone()))
                .collect(),
            llm_grades: pack.course.policy.llm_grades,
        }
    }

    /// A ready-made drill's answer.
    #[must_use]
    pub fn of_drill(&self, drill_id: &str) -> Option<&str> {
        self.drills.get(drill_id).map(String::as_str)
    }

    /// The mistakes that a grader may name in a unit, in file order.
    #[must_use]
    pub fn mistakes(&self, unit_id: &str) -> &[MistakeTag] {
        self.mistakes.get(unit_id).map_or(&[], Vec::as_slice)
    }

    /// Whether a model's grade counts where mathematics cannot tell.
    #[must_use]
    pub fn counts_llm(&self) -> bool {
        match self.llm_grades {
            LlmGrades::Count => true,
            LlmGrades::FeedbackOnly => false,
        }
    }

    /// Whether this is the option to choose.
    #[must_use]
    pub fn is_option(&self, question_id: &str, option_id: &str) -> bool {
        self.questions
            .get(question_id)
            .is_some_and(|answer| answer == option_id)
    }

    /// Whether a typed answer has the value of the catalogue's and the form that the question asks for, as with a drill that
    /// has a key. Where that is no mathematics, an answer is right if it reads the same, but for spaces and capitals.
    #[must_use]
    pub fn typed(&self, question: &ExamQuestion, text: &str) -> ExamVerdict {
        let Some(key) = self.questions.get(&question.id) else {
            return ExamVerdict::Unreadable;
        };
        // As a drill: the exercise itself is no answer to it, and the form that it asks for counts.
        let drill = turnwise_grading::Drill {
            prompt: &question.prompt,
            question_latex: &question.question_latex,
            key: Some(key),
        };
        match turnwise_grading::grade(&drill, text).verdict {
            Verdict::Right => ExamVerdict::Right,
            Verdict::Wrong => ExamVerdict::Wrong,
            Verdict::CannotTell if read_alike(key, text) => ExamVerdict::Right,
            Verdict::CannotTell => ExamVerdict::Unreadable,
        }
    }
}

fn read_alike(a: &str, b: &str) -> bool {
    let plain = |text: &str| {
        let words: Vec<_> = text.split_whitespace().collect();
        words.join(" ").to_lowercase()
    };
    plain(a) == plain(b)
}

/// Says how many there are, so that no answer gets into a log.
impl fmt::Debug for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answers")
            .field("drills", &self.drills.len())
            .field("questions", &self.questions.len())
            .finish_non_exhaustive()
    }
}
