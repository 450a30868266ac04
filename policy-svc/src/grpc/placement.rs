//! Placement: a step of it, applied to a record. All that is kept of one are its answers; what they mean, and what comes
//! next, follows from the course.

use std::collections::BTreeSet;

use turnwise_decisions as decisions;
use turnwise_grading::Verdict;
use turnwise_placement::{Graph, Placement, Unit};
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
use crate::{courses::LoadedCourse, error::PolicyError};

/// The most characters of an answer.
const MOST_ANSWER_CHARS: usize = 4000;

/// Takes a step. The last answer ends the placement, and what is shown to be known is placed.
pub(super) fn apply(
    loaded: &LoadedCourse,
    request: ApplyPlacementRequest,
) -> Read<ApplyPlacementResponse> {
    let snapshot = read::of_course(&request.course_id, request.snapshot)?;
    let step = request.step.ok_or_else(|| PolicyError::missing("step"))?;
    let mut evidence = snapshot.evidence.unwrap_or_default();
    let mut run = evidence.placement.take().unwrap_or_default();
    let is_open = matches!(
        run.state(),
        PlacementState::Running | PlacementState::Paused
    );
    let mut counted = true;
    match step {
        Step::Begun(_) if run.state() == PlacementState::Ended => {}
        Step::Begun(_) => run.set_state(PlacementState::Running),
        Step::Answered(_) | Step::Paused(_) if !is_open => {
            return Err(PolicyError::PlacementClosed);
        }
        Step::Paused(_) => run.set_state(PlacementState::Paused),
        Step::Answered(answered) => {
            run.set_state(PlacementState::Running);
            let answer = judge(loaded, &run, answered)?;
            counted = answer.is_some();
            run.answers.extend(answer);
        }
    }
    let mut question = None;
    if run.state() == PlacementState::Running {
        let graph = graph(loaded, &evidence);
        let mut placement = Placement::new(&graph);
        for answer in &run.answers {
            placement.answer(&answer.unit_id, answer.correct);
        }
        question = next(loaded, &run, &placement);
        if question.is_none() {
            run.set_state(PlacementState::Ended);
            place(&mut evidence, &placement.placed());
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
        standing: Some(write::standing(standing)),
        counted,
    })
}

/// The answer as it is kept; `None` where it does not count.
fn judge(
    loaded: &LoadedCourse,
    run: &session::Placement,
    answered: PlacementAnswered,
) -> Read<Option<PlacementAnswer>> {
    read::bounded("answered.answer", &answered.answer, MOST_ANSWER_CHARS)?;
    let is_known = run
        .answers
        .iter()
        .any(|answer| answer.drill_id == answered.drill_id);
    let drill = drill(loaded, &answered.unit_id, &answered.drill_id)
        .filter(|drill| !is_known && drill.reads(&answered.prompt, &answered.question_latex));
    let Some(drill) = drill else {
        return Ok(None);
    };
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

/// The course's graph as a student with this record stands in it.
fn graph(loaded: &LoadedCourse, evidence: &session::Evidence) -> Graph {
    let course = &loaded.course;
    let badges: BTreeSet<&str> = evidence
        .unit_progress
        .iter()
        .filter(|progress| words::badge(progress.mastery_tier) != decisions::Tier::None)
        .map(|progress| progress.unit_id.as_str())
        .collect();
    let units = course.path().iter().map(|&at| {
        let unit = course.unit(at);
        let needs = unit.prerequisites.iter();
        Unit {
            id: unit.id.clone(),
            prerequisites: needs.map(|&need| course.id(need).to_owned()).collect(),
            questions: u32::try_from(loaded.questions.of(&unit.id).len()).unwrap_or(u32::MAX),
            is_known: badges.contains(unit.id.as_str()),
        }
    });
    Graph::new(units)
}

/// The next question; `None` at the end. A unit is asked about with another drill each time.
fn next(
    loaded: &LoadedCourse,
    run: &session::Placement,
    placement: &Placement<'_>,
) -> Option<PlacementQuestion> {
    let unit_id = placement.next_unit()?;
    let is_new = |id: &&String| !run.answers.iter().any(|answer| answer.drill_id == **id);
    let drill_id = loaded.questions.of(unit_id).iter().find(is_new)?;
    let drill = drill(loaded, unit_id, drill_id)?;
    Some(PlacementQuestion {
        unit_id: unit_id.to_owned(),
        drill_id: drill_id.clone(),
        prompt: drill.prompt.clone(),
        question_latex: drill.question_latex.clone(),
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
