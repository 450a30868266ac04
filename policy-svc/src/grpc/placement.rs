//! Placement: a step of it, applied to a record. All that is kept of one are its answers; what they mean, and what comes
//! next, follows from the course.

use std::collections::BTreeSet;

use turnwise_decisions as decisions;
use turnwise_grading::Verdict;
use turnwise_placement::Placement;
use turnwise_proto::{
    policy::v1::{
        ApplyPlacementRequest, ApplyPlacementResponse, PlacementAnswered, PlacementQuestion,
        apply_placement_request::Step,
    },
    session::v1::{self as session, PlacementAnswer},
    tutor::v1::{PlacementState, snapshot_lite},
};

use super::{
    read::{self, Read},
    words, write,
};
use crate::{courses::LoadedCourse, error::PolicyError, placement::question};

/// The most characters of an answer.
const MOST_ANSWER_CHARS: usize = 4000;

/// Takes a step. The last answer ends the placement, and what is shown to be known is placed.
pub(super) fn apply(
    loaded: &LoadedCourse,
    request: ApplyPlacementRequest,
) -> Read<ApplyPlacementResponse> {
    let snapshot = read::to_change(&request.course_id, request.snapshot)?;
    let step = request.step.ok_or_else(|| PolicyError::missing("step"))?;
    let mut evidence = snapshot.evidence.unwrap_or_default();
    let mut run = evidence.placement.take().unwrap_or_default();
    let is_open = matches!(
        run.state(),
        PlacementState::Running | PlacementState::Paused
    );
    let is_shown_only = matches!(step, Step::Shown(_));
    let mut counted = true;
    match step {
        Step::Shown(_) if run.state() == PlacementState::Unspecified => {
            return Err(PolicyError::PlacementClosed);
        }
        Step::Shown(_) => {}
        Step::Begun(_) if run.state() == PlacementState::Ended => {}
        Step::Begun(_) => run.set_state(PlacementState::Running),
        Step::Answered(_) | Step::Paused(_) if !is_open => {
            return Err(PolicyError::PlacementClosed);
        }
        Step::Paused(_) => run.set_state(PlacementState::Paused),
        Step::Answered(answered) => {
            let open = next(loaded, &snapshot.student_id, &evidence, &run);
            let answer = judge(loaded, &run, open.as_ref(), answered)?;
            counted = answer.is_some();
            if let Some(answer) = answer {
                run.set_state(PlacementState::Running);
                run.answers.push(answer);
            }
        }
    }
    let mut question = None;
    if run.state() == PlacementState::Running {
        question = next(loaded, &snapshot.student_id, &evidence, &run);
        if question.is_none() && !is_shown_only {
            run.set_state(PlacementState::Ended);
            let placed = so_far(loaded, &evidence, &run).placed();
            place(&mut evidence, &placed);
        }
    }
    let (state, answered) = (run.state, run.answers.len());
    evidence.placement = Some(run);
    let after = session::StudentSnapshot {
        course_id: loaded.id.clone(),
        turn: snapshot.turn,
        evidence: Some(evidence.clone()),
        class_placement: snapshot.class_placement,
        ..session::StudentSnapshot::default()
    };
    let record = read::record(loaded, Some(after), request.now)?;
    let nothing_known = decisions::Statuses::default();
    let standing = decisions::describe_standing(&record, &nothing_known);
    let placed = if state == i32::from(PlacementState::Ended) {
        placed(loaded, &record)
    } else {
        Vec::new()
    };
    let count = |number| i32::try_from(number).unwrap_or(i32::MAX);
    Ok(ApplyPlacementResponse {
        evidence: Some(evidence),
        state,
        question,
        answered: count(answered),
        most: count(Placement::MOST_QUESTIONS),
        placed,
        standing: Some(write::standing(loaded.course.texts(), standing)),
        counted,
    })
}

/// The question that a placement waits for an answer to, paused or not.
pub(super) fn open_question(
    loaded: &LoadedCourse,
    snapshot: &session::StudentSnapshot,
) -> Option<PlacementQuestion> {
    let evidence = snapshot.evidence.as_ref()?;
    let run = evidence.placement.as_ref()?;
    match run.state() {
        PlacementState::Running | PlacementState::Paused => {
            next(loaded, &snapshot.student_id, evidence, run)
        }
        PlacementState::Ended | PlacementState::Unspecified => None,
    }
}

/// The placement after the answers so far.
fn so_far<'g>(
    loaded: &'g LoadedCourse,
    evidence: &session::Evidence,
    run: &session::Placement,
) -> Placement<'g> {
    let known = with_badge(evidence);
    let is_known = |unit_id: &str| known.contains(unit_id);
    let mut placement = Placement::of_student(&loaded.placement, is_known);
    for answer in &run.answers {
        placement.answer(&answer.unit_id, answer.correct);
    }
    placement
}

/// The answer as it is kept; `None` where the drill was answered before. Only the `open` question is answered: a card of an
/// earlier placement may show another.
fn judge(
    loaded: &LoadedCourse,
    run: &session::Placement,
    open: Option<&PlacementQuestion>,
    answered: PlacementAnswered,
) -> Read<Option<PlacementAnswer>> {
    read::bounded("answered.answer", &answered.answer, MOST_ANSWER_CHARS)?;
    let is_known = run
        .answers
        .iter()
        .any(|answer| answer.drill_id == answered.drill_id);
    if is_known {
        return Ok(None);
    }
    let is_open = open.is_some_and(|open| open.drill_id == answered.drill_id);
    let drill = drill(loaded, &answered.unit_id, &answered.drill_id)
        .filter(|drill| is_open && drill.reads(&answered.prompt, &answered.question_latex))
        .ok_or(PolicyError::QuestionGone)?;
    let asked = turnwise_grading::Drill {
        prompt: &drill.prompt,
        question_latex: &drill.question_latex,
        key: loaded.answers.of_drill(&drill.id),
    };
    let is_silent = answered.answer.trim().is_empty();
    let correct = match turnwise_grading::grade(&asked, &answered.answer).verdict {
        _ if is_silent => false,
        Verdict::Right => true,
        Verdict::Wrong => false,
        Verdict::CannotTell => {
            return Err(PolicyError::invalid(
                "answered.answer",
                "cannot be read as an answer to this question; type it in another way, or leave it out",
            ));
        }
    };
    Ok(Some(PlacementAnswer {
        unit_id: answered.unit_id,
        drill_id: answered.drill_id,
        correct,
    }))
}

fn drill<'a>(
    loaded: &'a LoadedCourse,
    unit_id: &str,
    drill_id: &str,
) -> Option<&'a decisions::Drill> {
    let unit = loaded.course.unit(loaded.course.find(unit_id)?);
    unit.drills.iter().find(|drill| drill.id == drill_id)
}

/// The units on which the student has a badge.
fn with_badge(evidence: &session::Evidence) -> BTreeSet<&str> {
    evidence
        .unit_progress
        .iter()
        .filter(|progress| words::badge(progress.mastery_tier) != decisions::Tier::None)
        .map(|progress| progress.unit_id.as_str())
        .collect()
}

/// The next question; `None` at the end. A unit is asked about with another exercise each time, and with none that counted
/// as a drill; one that has none left is passed over.
fn next(
    loaded: &LoadedCourse,
    student_id: &str,
    evidence: &session::Evidence,
    run: &session::Placement,
) -> Option<PlacementQuestion> {
    let is_asked = |drill_id: &str| {
        let mut answers = run.answers.iter();
        answers.any(|answer| answer.drill_id == drill_id)
    };
    let placement = so_far(loaded, evidence, run);
    placement.units_to_ask().into_iter().find_map(|unit_id| {
        let drills = &loaded.course.unit(loaded.course.find(unit_id)?).drills;
        let mut met: Vec<u64> = drills
            .iter()
            .filter(|drill| is_asked(&drill.id))
            .map(|drill| decisions::exercise(&drill.prompt, &drill.question_latex))
            .collect();
        let mut progress = evidence.unit_progress.iter();
        if let Some(unit) = progress.find(|progress| progress.unit_id == unit_id) {
            met.extend(&unit.counted_exercises);
        }
        let drill = question(drills, &loaded.answers, student_id, &met)?;
        Some(PlacementQuestion {
            unit_id: unit_id.to_owned(),
            drill_id: drill.id.clone(),
            prompt: drill.prompt.clone(),
            question_latex: drill.question_latex.clone(),
        })
    })
}

/// Places the student on units. What was undone before is shown anew.
fn place(evidence: &mut session::Evidence, unit_ids: &[&str]) {
    let placed = &mut evidence.placed;
    placed.retain(|unit| !unit_ids.contains(&unit.unit_id.as_str()));
    placed.extend(unit_ids.iter().map(|&unit_id| session::PlacedUnit {
        unit_id: unit_id.to_owned(),
        ..session::PlacedUnit::default()
    }));
    placed.sort_unstable_by(|a, b| a.unit_id.cmp(&b.unit_id));
}

/// The units of the course's path that count as met by a placement.
fn placed(loaded: &LoadedCourse, record: &decisions::Record<'_>) -> Vec<snapshot_lite::Step> {
    let course = &loaded.course;
    let units = course.path().iter().filter(|at| record.is_placed(**at));
    units
        .map(|&at| snapshot_lite::Step {
            unit_id: course.id(at).to_owned(),
            title: course.unit(at).title.clone(),
        })
        .collect()
}
