//! What a model says, as the reply guard sees it: a reply with its card, feedback on an answer, and what they must not repeat.

use std::{collections::BTreeSet, sync::Arc};

use turnwise_decisions::{self as decisions, FallbackReason, Grade};
use turnwise_fingerprint::RunSet;
use turnwise_grading::WorkedExample;
use turnwise_proto::{
    policy::v1::{GradedAnswer, KnownTexts, OpenDrill, Reply},
    readable::{Author, TextForm},
    tutor::v1::{Button, DrillCard, DrillResult, StudentInput, tutor_card::Content},
};
use turnwise_reply_guard::{
    Context, ExamQuestions, ExamText, Form, Graded, Guard, Met, Reason, Spoken, Text, Verdict,
    formula::{Part, parts},
    states_solution,
};

use super::{
    named_runs::NamedRuns,
    read::{self, Read},
    topic, write,
};
use crate::{courses::LoadedCourse, error::PolicyError};

/// The most hashes of one list.
const MOST_HASHES: usize = 100_000;
/// The most characters of a drill's texts, and of what a student said.
pub(super) const MOST_CHARS: usize = 8_000;
/// The most texts of a student's, and the most characters of one.
const MOST_QUOTABLE: usize = 100;
const MOST_QUOTABLE_CHARS: usize = 16_000;

/// What a student is to solve without a model.
#[derive(Debug, Clone, Copy)]
pub(super) struct Open<'a> {
    /// The drill that the student works on.
    pub(super) drill: Option<&'a OpenDrill>,
    /// The question that a placement waits for an answer to. It may wait for weeks, and its answer is a plain number: it
    /// counts where the student asks about it.
    pub(super) placement: Option<&'a OpenDrill>,
    /// Drills that were set before and not graded: their answers are plain numbers, too, and count where the student or the
    /// reply names the question.
    pub(super) others: &'a [OpenDrill],
    /// The exam question that waits for an answer, which no model is shown: it counts where the student brought it.
    pub(super) exam: Option<&'a OpenDrill>,
}

/// What the caller knows of texts that must not be repeated, ready to be looked for.
pub(super) struct Known {
    prompt: Arc<RunSet>,
    exams: ExamQuestions,
    exam_expressions: Vec<u64>,
    blocked_terms: RunSet,
    exams_unknown: bool,
}

impl Known {
    pub(super) fn read(known: Option<KnownTexts>) -> Read<Self> {
        let known = known.unwrap_or_default();
        for (field, list) in [
            ("known.prompt_runs", &known.prompt_runs),
            ("known.exam_runs", &known.exam_runs),
            ("known.exam_expressions", &known.exam_expressions),
            ("known.blocked_terms", &known.blocked_terms),
        ] {
            if list.len() > MOST_HASHES {
                return Err(PolicyError::invalid(
                    field,
                    "must have at most 100,000 hashes",
                ));
            }
        }
        Ok(Self {
            prompt: Arc::new(RunSet::new(known.prompt_runs)),
            exams: ExamQuestions::of_hashes(
                known.exam_runs,
                known.exam_expressions.iter().copied(),
            ),
            exam_expressions: known.exam_expressions,
            blocked_terms: RunSet::new(known.blocked_terms),
            exams_unknown: known.exams_unknown,
        })
    }

    /// The same with the prompt's runs of this name, where none came; none if they are not known.
    pub(super) fn with_named(self, runs: &NamedRuns, name: u64) -> Option<Self> {
        let prompt = runs.of(self.prompt, name)?;
        Some(Self { prompt, ..self })
    }

    /// The prompt's runs.
    pub(super) fn prompt(&self) -> &RunSet {
        &self.prompt
    }

    /// Terms that the school does not want.
    pub(super) fn blocked_terms(&self) -> &RunSet {
        &self.blocked_terms
    }

    /// The exam questions that are known, and those of a course.
    pub(super) fn exams_with<'a>(
        &'a self,
        loaded: Option<&'a LoadedCourse>,
    ) -> Vec<&'a ExamQuestions> {
        let of_course = loaded.map(|loaded| &loaded.exams);
        of_course.into_iter().chain([&self.exams]).collect()
    }

    /// Whether a platform's exam questions could not be read: then no drill of a model is set.
    pub(super) fn exams_unknown(&self) -> bool {
        self.exams_unknown
    }

    /// The ids of the course's drills that are exam questions of the platform, and the expressions that say so, in order.
    pub(super) fn asked_drills(&self, loaded: &LoadedCourse) -> (BTreeSet<String>, Vec<u64>) {
        let mut ids = BTreeSet::new();
        let mut met = BTreeSet::new();
        for hash in &self.exam_expressions {
            if let Some(drills) = loaded.drill_expressions.get(hash) {
                ids.extend(drills.iter().cloned());
                met.insert(*hash);
            }
        }
        (ids, met.into_iter().collect())
    }

    /// Of what the caller knows that which a reply met, and what decides about every reply.
    pub(super) fn met(&self, met: Met) -> KnownTexts {
        KnownTexts {
            prompt_runs: met.prompt_runs,
            exam_runs: met.exam_runs,
            exam_expressions: met.exam_expressions,
            blocked_terms: met.blocked_terms,
            exams_unknown: self.exams_unknown,
        }
    }

    /// Whether an exercise is an exam question.
    pub(super) fn is_exam_question(
        &self,
        loaded: &LoadedCourse,
        prompt: &str,
        question_latex: &str,
    ) -> bool {
        [&loaded.exams, &self.exams]
            .iter()
            .any(|exams| exams.is_exercise(prompt, question_latex))
    }

    /// Whether an exercise of a student's own is an exam question, by its expressions, and with which of the platform's it
    /// meets.
    pub(super) fn exam_expressions_in(
        &self,
        loaded: &LoadedCourse,
        own: &turnwise_reply_guard::OpenDrill<'_>,
    ) -> (bool, Vec<u64>) {
        let (prompt, question_latex) = (own.prompt, own.question_latex);
        let met = self.exams.expressions_in(prompt, question_latex);
        let of_course = loaded.exams.expressions_in(prompt, question_latex);
        (!met.is_empty() || !of_course.is_empty(), met)
    }

    /// Judges a model's reply. The texts of a ready-made drill are the course's own. A drill that the reply sets is the open
    /// one from then on: nothing beside it gives its answer.
    pub(super) fn judge_reply(
        &self,
        guard: &Guard,
        loaded: &LoadedCourse,
        turn_id: &str,
        reply: &Reply,
        open: Open<'_>,
        quotable: &[&str],
    ) -> Verdict {
        let is_own = reply.drill_id.is_empty();
        let content = reply.card.as_ref().and_then(|card| card.content.as_ref());
        let texts: Vec<Text<'_>> = if is_own {
            let texts = reply.readable_texts().into_iter();
            texts
                .filter(|said| said.author == Author::Reply)
                .map(|said| Text {
                    text: said.text,
                    form: match said.form {
                        TextForm::Prose => Form::Prose,
                        TextForm::Formula => Form::Formula,
                    },
                })
                .collect()
        } else {
            vec![Text {
                text: &reply.text,
                form: Form::Prose,
            }]
        };
        let exercise = match content {
            Some(Content::Drill(DrillCard {
                prompt,
                question_latex,
                ..
            })) if is_own => Some((prompt.as_str(), question_latex.as_str())),
            Some(Content::Concept(concept)) => {
                let example = concept.worked_example.as_ref();
                example.map(|example| ("", example.problem_latex.as_str()))
            }
            _ => None,
        };
        let worked = match content {
            Some(Content::Concept(concept)) => concept.worked_example.as_ref(),
            _ => None,
        };
        let steps: Vec<&str> = worked
            .into_iter()
            .flat_map(|example| example.steps_latex.iter().map(String::as_str))
            .collect();
        let spoken = Spoken {
            texts: &texts,
            exercise,
            example: worked.map(|example| WorkedExample {
                prompt: "",
                problem: &example.problem_latex,
                steps: &steps,
                answer: &example.final_answer_latex,
            }),
        };
        let set = match content {
            Some(Content::Drill(drill)) => Some(OpenDrill {
                unit_id: reply.target_unit_id.clone(),
                prompt: drill.prompt.clone(),
                question_latex: drill.question_latex.clone(),
                said: open
                    .drill
                    .map_or_else(String::new, |open| open.said.clone()),
            }),
            _ => None,
        };
        let drill = set.as_ref().or(open.drill);
        let mut verdict = self.judge(guard, loaded, turn_id, &spoken, drill, quotable);
        // The verdict on such a drill would tell the question's answer.
        let sets_question =
            open.placement
                .zip(exercise)
                .is_some_and(|(question, (prompt, question_latex))| {
                    let met = asked(question).expressions_in(prompt, question_latex);
                    !met.is_empty()
                });
        if verdict.withheld.is_none() && sets_question {
            verdict.withheld = Some(Reason::AnswerGiven);
        }
        let is_named = |drill: &&OpenDrill| {
            is_brought(drill) || texts.iter().any(|text| brings(text.text, drill))
        };
        let is_asked = |exam: &&OpenDrill| quotable.iter().any(|said| brings(said, exam));
        let placement = open.placement.into_iter();
        let mut brought = (placement.filter(|asked| is_brought(asked)))
            .chain(open.exam.into_iter().filter(is_asked))
            .chain(open.others.iter().filter(is_named));
        let is_stated = |drill: &OpenDrill| {
            let drill = open_drill(loaded, drill);
            states_solution(texts.iter().map(|text| text.text), &drill)
        };
        if verdict.withheld.is_none() && brought.any(is_stated) {
            verdict.withheld = Some(Reason::AnswerGiven);
        }
        verdict
    }

    /// Judges a model's feedback on an answer. A right one has given the answer itself.
    pub(super) fn judge_feedback(
        &self,
        guard: &Guard,
        loaded: &LoadedCourse,
        grade: &Grade,
        drill: Option<&OpenDrill>,
    ) -> Option<Reason> {
        let texts = [Text {
            text: &grade.feedback_text,
            form: Form::Prose,
        }];
        let spoken = Spoken {
            texts: &texts,
            exercise: None,
            example: None,
        };
        let open = drill.filter(|_| grade.verdict != decisions::Verdict::Right);
        let said: Vec<&str> = drill.into_iter().map(|drill| drill.said.as_str()).collect();
        let withheld = self.judge(guard, loaded, "", &spoken, open, &said).withheld;
        let is_contradicted = |is_right| {
            let graded = Graded {
                answer: "",
                is_right,
                message: None,
            };
            guard.contradicts(&grade.feedback_text, &graded)
        };
        let is_false = match grade.verdict {
            decisions::Verdict::Right => is_contradicted(true),
            decisions::Verdict::Wrong => is_contradicted(false),
            decisions::Verdict::CannotTell => false,
        };
        withheld.or_else(|| is_false.then_some(Reason::FalseVerdict))
    }

    fn judge(
        &self,
        guard: &Guard,
        loaded: &LoadedCourse,
        turn_id: &str,
        spoken: &Spoken<'_>,
        open: Option<&OpenDrill>,
        said: &[&str],
    ) -> Verdict {
        let context = Context {
            turn_id,
            prompt: &self.prompt,
            exams: &[&loaded.exams, &self.exams],
            blocked_terms: &self.blocked_terms,
            open_drill: open.map(|open| open_drill(loaded, open)),
            said,
        };
        guard.judge(spoken, &context)
    }
}

/// Whether a message reads as the answer to an exam question that the student brought, which then is no secret to the model.
pub(super) fn answers_brought(exam: Option<&OpenDrill>, quotable: &[&str], message: &str) -> bool {
    exam.is_some_and(|exam| {
        topic::is_answer(&exam.prompt, &exam.question_latex, message)
            && quotable.iter().any(|said| brings(said, exam))
    })
}

/// What a reply to a message is withheld for, where it says that an answer is right or wrong which is not graded, as it was only
/// `typed`, or says of the one that was graded last what its verdict is not.
pub(super) fn false_verdict(
    guard: &Guard,
    reply: &Reply,
    typed: bool,
    graded: Option<&GradedAnswer>,
    message: &str,
) -> Option<Reason> {
    let says = |is_right: bool| {
        let graded = Graded {
            answer: "",
            is_right: !is_right,
            message: None,
        };
        guard.contradicts(&reply.text, &graded)
    };
    if typed && (says(true) || says(false)) {
        return Some(Reason::FalseVerdict);
    }
    let last = graded?;
    let is_right = match last.result() {
        DrillResult::Correct => true,
        DrillResult::Incorrect => false,
        DrillResult::Unspecified => return None,
    };
    let graded = Graded {
        answer: &last.answer,
        is_right,
        message: Some(message),
    };
    let is_false = guard.contradicts(&reply.text, &graded);
    is_false.then_some(Reason::FalseVerdict)
}

fn asked(question: &OpenDrill) -> ExamQuestions {
    let text = ExamText {
        id: "",
        prompt: &question.prompt,
        question_latex: &question.question_latex,
    };
    ExamQuestions::new([text], [])
}

/// Whether what the student said holds the question: its formula in any spelling, or, where it has none, its words.
pub(super) fn is_brought(question: &OpenDrill) -> bool {
    brings(&question.said, question)
}

/// Whether a text holds the question.
fn brings(text: &str, question: &OpenDrill) -> bool {
    let asked = asked(question);
    let in_words = question.question_latex.is_empty();
    text.lines().any(|line| {
        in_words && asked.is_exercise(line, "")
            || !asked.expressions_in(line, "").is_empty()
            || parts(line).iter().any(|part| match part {
                // `What is two plus three` asks for the other side of an equality.
                Part::Formula(formula) => {
                    asked.is_exercise("", formula.to_string().trim_matches('='))
                }
                _ => false,
            })
    })
}

/// The drill that a student works on, with its answer if it is one of the course's.
pub(super) fn open_drill<'a>(
    loaded: &'a LoadedCourse,
    open: &'a OpenDrill,
) -> turnwise_reply_guard::OpenDrill<'a> {
    turnwise_reply_guard::OpenDrill {
        prompt: &open.prompt,
        question_latex: &open.question_latex,
        key: key(loaded, open),
        said: &open.said,
    }
}

/// The answer of a drill, if it is one of the course's.
fn key<'a>(loaded: &'a LoadedCourse, open: &OpenDrill) -> Option<&'a str> {
    let unit = loaded.course.unit(loaded.course.find(&open.unit_id)?);
    let ready_made = unit.drill_like(&open.prompt, &open.question_latex)?;
    loaded.answers.of_drill(&ready_made.id)
}

/// The button that has a message checked as the answer to the open drill, if it reads as one.
pub(super) fn check_typed(
    loaded: &LoadedCourse,
    open: Option<&OpenDrill>,
    typed: Option<&StudentInput>,
) -> Read<Option<Button>> {
    let (Some(open), Some(typed)) = (open, typed) else {
        return Ok(None);
    };
    let message = match typed.text.as_str() {
        "" => &typed.latex,
        _ => &typed.text,
    };
    read::bounded("typed", message, MOST_CHARS)?;
    let drill = turnwise_grading::Drill {
        prompt: &open.prompt,
        question_latex: &open.question_latex,
        key: key(loaded, open),
    };
    let Some(answer) = turnwise_grading::answer_in(&drill, message) else {
        return Ok(None);
    };
    let (text, latex) = match typed.text.as_str() {
        "" => (String::new(), answer.to_owned()),
        _ => (answer.to_owned(), typed.latex.clone()),
    };
    let check = decisions::Button {
        label: decisions::Label::CheckTyped,
        call: decisions::Call::GradeDrill,
        primary: true,
    };
    let button = write::button(loaded.course.texts(), check);
    Ok(Some(Button {
        typed_answer: Some(StudentInput {
            text,
            latex,
            voice_transcript: String::new(),
        }),
        ..button
    }))
}

/// Checks what a student wrote in a conversation.
pub(super) fn check_quotable(field: &str, texts: &[String]) -> Read<()> {
    if texts.len() > MOST_QUOTABLE {
        return Err(PolicyError::invalid(field, "must have at most 100 texts"));
    }
    texts
        .iter()
        .try_for_each(|text| read::bounded(field, text, MOST_QUOTABLE_CHARS))
}

/// Checks a drill that a request names.
pub(super) fn check_drill(field: &str, open: Option<&OpenDrill>) -> Read<()> {
    let Some(open) = open else { return Ok(()) };
    for text in [
        &open.unit_id,
        &open.prompt,
        &open.question_latex,
        &open.said,
    ] {
        read::bounded(field, text, MOST_CHARS)?;
    }
    Ok(())
}

/// The reason of the fallback for what was withheld.
pub(super) fn fallback_reason(withheld: Reason) -> FallbackReason {
    match withheld {
        Reason::AnswerGiven => FallbackReason::AnswerGiven,
        Reason::FalseMathematics | Reason::FalseVerdict => FallbackReason::FalseMathematics,
        _ => FallbackReason::UnsafeMessage,
    }
}
