//! Grading drills: mathematics first, then whatever came of a model.

use turnwise_decisions::{self as decisions, course::Unit, grade_schema};
use turnwise_grading::{self as grading, GRADER};
use turnwise_messages::{Key, keys};
use turnwise_proto::policy::v1::{
    CheckDrillRequest, CheckDrillResponse, DrillCheck, MistakeTag, OpenDrill, ResolveGradeResponse,
};
use turnwise_reply_guard::states_solution;

use super::{
    guard::{self, Known},
    read::{self, Read},
    words,
};
use crate::{courses::LoadedCourse, error::PolicyError, mistakes};

/// The reason code of a drill that is an exam question: a verdict on it would tell what is right there.
const EXAM_QUESTION: &str = "exam_question";

/// The most characters of a drill's prompt, and of its exercise.
const MOST_DRILL_CHARS: usize = 2000;

/// The most characters of an answer.
const MOST_ANSWER_CHARS: usize = 4000;

/// What mathematics says of an answer, as it is counted and as it is answered.
pub(super) fn check(
    loaded: &LoadedCourse,
    mut request: CheckDrillRequest,
) -> Read<(grading::Grade, CheckDrillResponse)> {
    let unit = drilled_unit(loaded, "unit_id", &request.unit_id)?;
    read::filled("prompt", &request.prompt, MOST_DRILL_CHARS)?;
    read::bounded("question_latex", &request.question_latex, MOST_DRILL_CHARS)?;
    read::filled("answer", &request.answer, MOST_ANSWER_CHARS)?;
    let known = Known::read(request.known.take())?;
    let key = key(loaded, unit, &request);
    let is_exam = known.is_exam_question(loaded, &request.prompt, &request.question_latex);
    let drill = grading::Drill {
        prompt: &request.prompt,
        question_latex: &request.question_latex,
        key,
    };
    let grade = grading::grade(&drill, &request.answer);
    // Where the task cannot be read, a copy is still a copy.
    let copied = grade.verdict == decisions::Verdict::CannotTell
        && [&request.question_latex, &request.prompt]
            .iter()
            .any(|text| !text.is_empty() && same_words(text, &request.answer));
    let reason = match (is_exam, copied) {
        (true, _) => EXAM_QUESTION,
        (_, true) => grading::Reason::CopiedQuestion.as_str(),
        _ => grade.reason.as_str(),
    };
    let verdict = if is_exam {
        decisions::Verdict::CannotTell
    } else {
        grade.verdict
    };
    let mistakes = loaded.answers.mistakes(&unit.id);
    let response = CheckDrillResponse {
        check: Some(DrillCheck {
            course_id: loaded.id.clone(),
            pack_hash: loaded.pack_hash.clone(),
            unit_id: unit.id.clone(),
            verdict: words::verdict_to_proto(verdict),
            task: grade.task.as_str().to_owned(),
            reason: reason.to_owned(),
            grader: GRADER.to_owned(),
            counts_llm: loaded.answers.counts_llm(),
            has_key: key.is_some(),
            exercise: decisions::exercise(&request.prompt, &request.question_latex),
        }),
        unit_title: unit.title.clone(),
        mistake_tags: mistakes
            .iter()
            .map(|tag| MistakeTag {
                tag: tag.id.clone(),
                meaning: tag.meaning.clone(),
            })
            .collect(),
        key: key.unwrap_or_default().to_owned(),
        grade_schema: grade_schema(unit).to_string(),
        locale: loaded.locale.clone(),
    };
    Ok((grade, response))
}

/// Whether two texts are the same but for spaces, capitals and the marks that set off mathematics.
fn same_words(a: &str, b: &str) -> bool {
    let plain = |text: &str| -> String {
        let kept = text.chars().filter(|c| !c.is_whitespace() && *c != '$');
        kept.flat_map(char::to_lowercase).collect()
    };
    plain(a) == plain(b)
}

/// The answer of the ready-made drill that the request names. A drill that reads otherwise than the card is another one
/// by now, and its answer may be wrong for the card.
fn key<'a>(loaded: &'a LoadedCourse, unit: &Unit, request: &CheckDrillRequest) -> Option<&'a str> {
    let drill = unit.drills.iter().find(|drill| {
        drill.id == request.drill_id && drill.reads(&request.prompt, &request.question_latex)
    })?;
    loaded.answers.of_drill(&drill.id)
}

/// A check as it comes back, and its unit. One that CheckDrill does not make is refused.
pub(super) fn checked(
    loaded: &LoadedCourse,
    check: DrillCheck,
) -> Read<(&Unit, decisions::DrillCheck)> {
    let unit = drilled_unit(loaded, "check.unit_id", &check.unit_id)?;
    let verdict = words::verdict(check.verdict).ok_or_else(|| {
        PolicyError::invalid("check.verdict", "must be a verdict of the contract")
    })?;
    for (field, code) in [
        ("check.task", &check.task),
        ("check.reason", &check.reason),
        ("check.grader", &check.grader),
    ] {
        if code.is_empty() {
            return Err(PolicyError::missing(field));
        }
    }
    if check.counts_llm != loaded.answers.counts_llm() {
        let problem = "must be what the course says (llm_grades)";
        return Err(PolicyError::invalid("check.counts_llm", problem));
    }
    let check = decisions::DrillCheck {
        verdict,
        task: check.task,
        reason: check.reason,
        counts_llm: check.counts_llm,
        has_key: check.has_key,
    };
    Ok((unit, check))
}

/// The grade with the mistake that mathematics names, where it decided and no model named one.
pub(super) fn with_mistake(
    loaded: &LoadedCourse,
    unit: &Unit,
    check: &decisions::DrillCheck,
    drill: Option<&OpenDrill>,
    mut grade: decisions::Grade,
) -> decisions::Grade {
    let is_ours = grade.verdict == decisions::Verdict::Wrong
        && grade.graded_by == Some(decisions::GradedBy::Rules)
        && grade.mistake_tag.is_none();
    if let Some(answered) = drill.filter(|_| is_ours) {
        let open = guard::open_drill(loaded, answered);
        let drill = grading::Drill {
            prompt: open.prompt,
            question_latex: open.question_latex,
            key: open.key,
        };
        let tag = mistakes::named(unit, &check.reason, &drill, open.said);
        grade.mistake_tag = tag.map(str::to_owned);
    }
    grade
}

/// What the thread knows of before an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Before<'a> {
    /// How many drills were wrong in a row.
    pub(super) wrong: usize,
    /// What the tutor said last.
    pub(super) said: &'a str,
}

/// The grade with words that teach, where they are our own on a wrong answer: the course's feedback on the mistake if one was
/// named, and a hint of the course's on a ready-made drill. After another wrong answer they are others than before, and a
/// hint that was given just before is left out.
pub(super) fn with_help(
    loaded: &LoadedCourse,
    unit: &Unit,
    check: &decisions::DrillCheck,
    drill: Option<&OpenDrill>,
    before: Before<'_>,
    mut grade: decisions::Grade,
) -> decisions::Grade {
    let own = decisions::resolve_grade(loaded.course.texts(), unit, check, None);
    if grade.verdict != decisions::Verdict::Wrong || grade.feedback_text != own.feedback_text {
        return grade;
    }
    let teaching = &unit.teaching;
    if before.wrong % 2 == 1 {
        grade.feedback_text = loaded.course.texts().text(wrong_again(&check.reason), &[]);
    } else if let Some(feedback) =
        (grade.mistake_tag.as_ref()).and_then(|tag| teaching.feedback.get(tag))
    {
        grade.feedback_text.clone_from(feedback);
    }
    let hints = drill
        .and_then(|drill| unit.drill_like(&drill.prompt, &drill.question_latex))
        .and_then(|drill| teaching.drills.get(&drill.id))
        .map(|help| help.hints.as_slice())
        .unwrap_or_default();
    // An only hint may be the one of the drill before, too.
    let rung = match hints.len() {
        0 => None,
        1 => before.wrong.is_multiple_of(2).then_some(0),
        count => Some(before.wrong % count),
    };
    let open = drill.map(|drill| guard::open_drill(loaded, drill));
    let tells = |hint: &&String| open.is_some_and(|open| states_solution([hint.as_str()], &open));
    if let Some(hint) = rung
        .and_then(|rung| hints.get(rung))
        .filter(|hint| !tells(hint) && !decisions::teaching::shares(hint, before.said))
    {
        grade.feedback_text.push(' ');
        grade.feedback_text.push_str(hint);
    }
    grade
}

/// What is said after another wrong answer. Where a part is right, each line may follow from the one before.
fn wrong_again(reason: &str) -> Key {
    match reason {
        "incomplete_solution_set"
        | "not_converted"
        | "not_expanded"
        | "not_factored"
        | "not_simplified"
        | "wrong_unit" => keys::TEACHING_WRONG_AGAIN_PARTLY,
        _ => keys::TEACHING_WRONG_AGAIN,
    }
}

pub(super) fn grade(grade: decisions::Grade) -> ResolveGradeResponse {
    ResolveGradeResponse {
        verdict: words::verdict_to_proto(grade.verdict),
        graded_by: words::graded_by_to_proto(grade.graded_by),
        feedback_text: grade.feedback_text,
        mistake_tag: grade.mistake_tag.unwrap_or_default(),
        is_evidence: grade.is_evidence,
        fallback_reason: words::fallback_reason_to_proto(grade.fallback_reason),
        violation: grade.violation.unwrap_or_default(),
        observations: grade
            .observations
            .iter()
            .map(|observation| observation.as_str().to_owned())
            .collect(),
    }
}

/// A unit that has drills, as far as the course goes: the entry unit is a pointer into it and has none.
fn drilled_unit<'a>(loaded: &'a LoadedCourse, field: &str, id: &str) -> Read<&'a Unit> {
    let unit_id = read::id(field, id.to_owned())?;
    let Some(at) = loaded.course.find(&unit_id) else {
        return Err(PolicyError::UnknownUnit {
            field: field.to_owned(),
            unit_id,
        });
    };
    if at == loaded.course.entry() {
        let problem = "must not be the course's entry unit, which has no drills";
        return Err(PolicyError::invalid(field, problem));
    }
    Ok(loaded.course.unit(at))
}
