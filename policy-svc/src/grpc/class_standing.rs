//! How the students of a class stand in a course.

use turnwise_decisions as decisions;
use turnwise_proto::{
    exam::v1::QuestionState,
    policy::v1::{
        CourseUnit, StudentStanding, SummarizeClassRequest, SummarizeClassResponse, UnitStanding,
    },
};

use super::{read, words};
use crate::{courses::LoadedCourse, error::PolicyError};

/// The most students of one call.
const MOST_STUDENTS: usize = 200;

pub(super) fn summarize(
    loaded: &LoadedCourse,
    request: SummarizeClassRequest,
) -> read::Read<SummarizeClassResponse> {
    if request.students.len() > MOST_STUDENTS {
        return Err(PolicyError::invalid("students", "must be at most 200"));
    }
    let now = read::required_time("now", request.now)?;
    let students = request.students.into_iter().map(|student| {
        let locked: Vec<String> = student
            .question_records
            .into_iter()
            .filter(|question| {
                let until = question.locked_until.as_ref();
                question.state() == QuestionState::Locked
                    && until
                        .and_then(turnwise_kit::time::from_proto)
                        .is_none_or(|until| until > now)
            })
            .map(|question| question.question_id)
            .collect();
        let turn = student.snapshot.as_ref().and_then(|of| of.turn.as_ref());
        let focus_unit_id = turn.map_or_else(String::new, |turn| turn.focus_unit_id.clone());
        let record = read::record(loaded, student.snapshot, request.now)?;
        let known = |id: &&String| loaded.course.question(id).is_some();
        let locked_questions = locked.iter().filter(known).count();
        let standing = decisions::student_standing(&record, locked.iter().map(String::as_str));
        let (blocked_unit_id, blocking_unit_id) = standing.blocked.unwrap_or_default();
        Ok(StudentStanding {
            student_id: student.student_id,
            focus_unit_id,
            units: standing.units.into_iter().map(unit).collect(),
            blocked_unit_id,
            blocking_unit_id,
            locked_questions: i32::try_from(locked_questions).unwrap_or(i32::MAX),
        })
    });
    Ok(SummarizeClassResponse {
        pack_hash: loaded.pack_hash.clone(),
        students: students.collect::<read::Read<_>>()?,
        units: loaded
            .course
            .path()
            .iter()
            .map(|&at| CourseUnit {
                unit_id: loaded.course.id(at).to_owned(),
                title: loaded.course.unit(at).title.clone(),
            })
            .collect(),
    })
}

fn unit(unit: decisions::UnitStanding) -> UnitStanding {
    let count = |number| i32::try_from(number).unwrap_or(i32::MAX);
    UnitStanding {
        unit_id: unit.unit_id,
        mastery_tier: words::tier_to_proto(unit.tier),
        worked_on: unit.worked_on,
        stuck: unit.stuck,
        wrong_in_a_row: count(unit.wrong_in_a_row),
        locked_questions: count(unit.locked_questions),
        met_by_teacher: unit.met_by_teacher,
        placed: unit.placed,
        blocking_unit_id: unit.blocking_unit_id.unwrap_or_default(),
    }
}
