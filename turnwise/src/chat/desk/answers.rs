//! Answers to the open card: a drill's goes at once, an exam question's is chosen first and handed in then.

use turnwise_proto::tutor::v1::{
    Button, ExamCard, GradeDrillRequest, StudentInput, SubmitExamAnswerRequest, TutorCard,
    submit_exam_answer_request, tutor_card,
};

use super::{Call, Desk, Step, fresh_key};
use crate::{
    chat::typed,
    render::{self, buttons::is_closed, ink},
};

/// An answer to an exam question, and how it is shown.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Chosen {
    pub(super) answer: submit_exam_answer_request::Answer,
    pub(super) shown: String,
    /// Made when it was chosen, so that handing it in twice counts once.
    pub(super) idempotency_key: String,
}

impl Desk {
    pub(super) fn press_submit(&mut self) -> Step {
        let Some(tutor_card::Content::Exam(exam)) = self.content() else {
            return Step::tell("There is no exam question to answer any more.");
        };
        if is_closed(exam) {
            return Step::tell("This question takes no answer now; /card tells for how long.");
        }
        let ask = if exam.options.is_empty() {
            "Type your answer first.".to_owned()
        } else {
            format!("Choose {} first.", letters(exam))
        };
        if let Some(call) = self.submission() {
            return Step::send(call);
        }
        self.answering = true;
        Step::tell(ask)
    }

    /// An answer to the open card.
    pub(super) fn answer(&mut self, input: &StudentInput) -> Step {
        match self.content() {
            Some(tutor_card::Content::Drill(_)) => match self.grading(input.clone()) {
                Some(call) => Step::send(call),
                None => Step::Nothing,
            },
            Some(tutor_card::Content::Exam(_)) => match self.choose(input) {
                Ok(()) => Step::Nothing,
                Err(problem) => Step::Tell(problem),
            },
            _ => self.turn(Some(input.clone()), &Button::default()),
        }
    }

    /// `check …` and `submit …`. Where no such card is open, the student talks about checking.
    pub(super) fn hand_in(&mut self, input: StudentInput, word: &str) -> Step {
        let empty = input.text.is_empty() && input.latex.is_empty();
        match (self.content(), word) {
            (Some(tutor_card::Content::Drill(_)), "check") if empty => {
                self.answering = true;
                Step::tell("Type your answer.")
            }
            (Some(tutor_card::Content::Drill(_)), "check") => match self.grading(input) {
                Some(call) => Step::send(call),
                None => Step::Nothing,
            },
            (Some(tutor_card::Content::Exam(exam)), "submit") if empty || is_closed(exam) => {
                self.press_submit()
            }
            (Some(tutor_card::Content::Exam(_)), "submit") => match self.choose(&input) {
                Ok(()) => self.press_submit(),
                Err(problem) => Step::Tell(problem),
            },
            _ => {
                let text = format!("{word} {}{}", input.text, input.latex);
                let said = typed::input(text.trim());
                if self.answering {
                    self.answer(&said)
                } else {
                    self.turn(Some(said), &Button::default())
                }
            }
        }
    }

    pub(super) fn choose(&mut self, input: &StudentInput) -> Result<(), String> {
        let Some(tutor_card::Content::Exam(exam)) = self.content() else {
            return Err("There is no exam question to answer any more.".to_owned());
        };
        let typed = if input.latex.is_empty() {
            &input.text
        } else {
            &input.latex
        };
        let chosen = if exam.options.is_empty() {
            Chosen {
                answer: submit_exam_answer_request::Answer::AnswerText(typed.clone()),
                shown: format!("“{}”", render::input(input)),
                idempotency_key: fresh_key(),
            }
        } else {
            let wanted = typed.trim().trim_end_matches(')');
            let option = exam
                .options
                .iter()
                .find(|option| option.option_id.eq_ignore_ascii_case(wanted))
                .or_else(|| exam.options.iter().find(|option| option.text == *typed));
            let Some(option) = option else {
                return Err(format!("Choose {}.", letters(exam)));
            };
            Chosen {
                answer: submit_exam_answer_request::Answer::OptionId(option.option_id.clone()),
                shown: ink::line(&option.option_id),
                idempotency_key: fresh_key(),
            }
        };
        self.chosen = Some(chosen);
        Ok(())
    }

    /// What was typed to the tutor is the answer to a drill: the open one, or the one before it.
    pub(super) fn check_typed(&self, button: &Button) -> Step {
        let is_it = |card: &&TutorCard| {
            matches!(&card.content, Some(tutor_card::Content::Drill(drill))
                if drill.drill_token == button.card_token)
        };
        let mut cards = [&self.card, &self.before].into_iter().flatten();
        let answered = cards.find(is_it).zip(button.typed_answer.clone());
        match answered.and_then(|(card, input)| self.grading_of(card, input)) {
            Some(call) => Step::send(call),
            None => Step::tell("That drill is put away; ask for another one."),
        }
    }

    pub(super) fn grading(&self, input: StudentInput) -> Option<Call> {
        self.grading_of(self.card.as_ref()?, input)
    }

    fn grading_of(&self, card: &TutorCard, input: StudentInput) -> Option<Call> {
        let tutor_card::Content::Drill(drill) = card.content.as_ref()? else {
            return None;
        };
        Some(Call::Grade(GradeDrillRequest {
            thread_id: self.thread_id.clone(),
            course_id: self.course_id.clone(),
            unit_id: card.unit_id.clone(),
            drill: Some(drill.clone()),
            answer: Some(input),
            idempotency_key: fresh_key(),
        }))
    }

    pub(super) fn submission(&self) -> Option<Call> {
        let (Some(card), Some(tutor_card::Content::Exam(exam))) = (&self.card, self.content())
        else {
            return None;
        };
        let chosen = self.chosen.as_ref()?;
        Some(Call::Submit(SubmitExamAnswerRequest {
            thread_id: self.thread_id.clone(),
            course_id: self.course_id.clone(),
            unit_id: card.unit_id.clone(),
            question_id: exam.question_id.clone(),
            tier: exam.tier,
            answer: Some(chosen.answer.clone()),
            is_correct: None,
            offer_token: exam.offer_token.clone(),
            idempotency_key: chosen.idempotency_key.clone(),
        }))
    }
}

/// The ids of a question's options, as people list them.
pub(super) fn letters(exam: &ExamCard) -> String {
    let ids: Vec<String> = exam
        .options
        .iter()
        .map(|option| ink::line(&option.option_id))
        .collect();
    match ids.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} or {last}", before.join(", ")),
        Some((last, _)) => last.clone(),
        None => String::new(),
    }
}
