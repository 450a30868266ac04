//! Exam questions: what a client draws of one, and whether an answer is the catalogue's.

use turnwise_decisions::{ExamQuestion, buttons};
use turnwise_proto::policy::v1::{
    CheckExamAnswerRequest, CheckExamAnswerResponse, FindPortQuestionsRequest,
    FindPortQuestionsResponse, FingerprintQuestionRequest, FingerprintQuestionResponse,
    GetExamQuestionResponse, check_exam_answer_request::Answer,
};

use super::{
    read::{self, Read},
    reply, words, write,
};
use crate::{answers::ExamVerdict, courses::LoadedCourse, error::PolicyError};

/// The most characters of a typed answer.
const MOST_ANSWER_CHARS: usize = 4000;

/// The most units of which questions are looked for.
const MOST_UNITS: usize = 1_000;

/// The most characters of a question's text, as an exam system words it.
const MOST_QUESTION_CHARS: usize = 8000;

/// A question as a client draws it, without its answer.
pub(super) fn describe(
    loaded: &LoadedCourse,
    question_id: String,
) -> Read<GetExamQuestionResponse> {
    let question = question(loaded, question_id)?.clone();
    Ok(GetExamQuestionResponse {
        buttons: write::on_card(loaded.course.texts(), buttons::on_question(&question)),
        unit_ids: question.units.clone(),
        support_kinds: question
            .support
            .iter()
            .map(|kind| words::support_to_proto(*kind))
            .collect(),
        card: Some(reply::exam_card(question)),
    })
}

/// The questions of some units whose text the pack leaves to the exam system.
pub(super) fn of_port(
    loaded: &LoadedCourse,
    request: &FindPortQuestionsRequest,
) -> Read<FindPortQuestionsResponse> {
    if request.unit_ids.len() > MOST_UNITS {
        return Err(PolicyError::invalid("unit_ids", "must be at most 1,000"));
    }
    let found = loaded.course.questions_of_port(&request.unit_ids);
    Ok(FindPortQuestionsResponse {
        question_ids: found.into_iter().map(str::to_owned).collect(),
    })
}

/// The hashes of a question as an exam system words it, made as those of the catalogue are.
pub(super) fn fingerprint(
    loaded: &LoadedCourse,
    request: &FingerprintQuestionRequest,
) -> Read<FingerprintQuestionResponse> {
    read::filled("prompt", &request.prompt, MOST_QUESTION_CHARS)?;
    read::bounded(
        "question_latex",
        &request.question_latex,
        MOST_QUESTION_CHARS,
    )?;
    let hashes = loaded
        .exams
        .hashes(&request.prompt, &request.question_latex);
    Ok(FingerprintQuestionResponse {
        exam_runs: hashes.runs,
        exam_expressions: hashes.expressions,
    })
}

/// Whether an answer is the catalogue's. Nothing that is refused says what would be right.
pub(super) fn check(
    loaded: &LoadedCourse,
    request: CheckExamAnswerRequest,
) -> Read<CheckExamAnswerResponse> {
    let question = question(loaded, request.question_id)?;
    let answer = request
        .answer
        .ok_or_else(|| PolicyError::missing("answer"))?;
    let correct = match answer {
        Answer::OptionId(_) if question.options.is_empty() => {
            let problem = "must be absent: the answer to this question is typed";
            return Err(PolicyError::invalid("option_id", problem));
        }
        Answer::OptionId(option_id) => {
            if question.options.iter().all(|option| option.id != option_id) {
                let problem = "must be an option of the question";
                return Err(PolicyError::invalid("option_id", problem));
            }
            loaded.answers.is_option(&question.id, &option_id)
        }
        Answer::Text(_) if !question.options.is_empty() => {
            let problem = "must be absent: this question has options to choose from";
            return Err(PolicyError::invalid("text", problem));
        }
        Answer::Text(text) => {
            read::filled("text", &text, MOST_ANSWER_CHARS)?;
            match loaded.answers.typed(question, &text) {
                ExamVerdict::Right => true,
                ExamVerdict::Wrong => false,
                ExamVerdict::Unreadable => {
                    let problem = "cannot be read as an answer to this question: write it in another way, \
                                   such as a number or an equation alone";
                    return Err(PolicyError::invalid("answer", problem));
                }
            }
        }
    };
    Ok(CheckExamAnswerResponse { correct })
}

fn question(loaded: &LoadedCourse, question_id: String) -> Read<&ExamQuestion> {
    let question_id = read::id("question_id", question_id)?;
    loaded
        .course
        .question(&question_id)
        .ok_or(PolicyError::UnknownQuestion {
            field: "question_id".to_owned(),
            question_id,
        })
}
