//! The students of a class who do not get on.

use std::{cmp::Reverse, fmt, str::FromStr};

use turnwise_kit::{CallContext, Fault, ids, page};
use turnwise_proto::{
    policy::v1::{StudentStanding, UnitStanding},
    school::v1::{ListStuckStudentsRequest, ListStuckStudentsResponse, StuckStudent},
};

use super::{School, students::Student};

/// Pages of students: the usual and the largest size.
pub(super) const PAGE: (usize, usize) = (50, 200);

/// The last student of a page. Those with the most wrong answers in a row come first, then by id.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Place(Reverse<i32>, String);

/// As in a page token.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.0.0, self.1)
    }
}

impl FromStr for Place {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (wrong, student) = text.split_once(':').ok_or(())?;
        let wrong = wrong.parse().map_err(|_| ())?;
        Ok(Self(Reverse(wrong), student.to_owned()))
    }
}

impl School {
    /// A page of those who are stuck or blocked.
    pub(crate) async fn stuck(
        &self,
        context: &CallContext,
        request: ListStuckStudentsRequest,
    ) -> Result<ListStuckStudentsResponse, Fault> {
        ids::check("course_id", &request.course_id)?;
        let size = page::size(request.page_size, PAGE.0, PAGE.1)?;
        let filter = [request.class_id.as_str(), &request.course_id];
        let pages = self
            .pages
            .list("ListStuckStudents", context.caller_opt(), &filter);
        let after: Option<Place> = pages.start(&request.page_token)?;
        let class = self
            .class(context, &request.class_id, &request.course_id)
            .await?;
        let mut stuck: Vec<(Place, StuckStudent)> = class
            .students
            .into_iter()
            .filter_map(of)
            .map(|student| (place(&student), student))
            .filter(|(place, _)| after.as_ref().is_none_or(|after| place > after))
            .collect();
        stuck.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        let more = stuck.len() > size;
        stuck.truncate(size);
        let last = stuck.last().filter(|_| more).map(|(place, _)| place);
        Ok(ListStuckStudentsResponse {
            next_page_token: pages.next(last),
            students: stuck.into_iter().map(|(_, student)| student).collect(),
        })
    }
}

fn place(student: &StuckStudent) -> Place {
    Place(Reverse(student.wrong_in_a_row), student.student_id.clone())
}

/// The units on which a student is stuck.
pub(super) fn stuck_units(standing: &StudentStanding) -> impl Iterator<Item = &UnitStanding> {
    standing.units.iter().filter(|unit| unit.stuck)
}

/// The most wrong answers in a row on a unit on which a student is stuck.
pub(super) fn wrong_in_a_row(standing: &StudentStanding) -> i32 {
    stuck_units(standing)
        .map(|unit| unit.wrong_in_a_row)
        .max()
        .unwrap_or(0)
}

fn of(student: Student) -> Option<StuckStudent> {
    let standing = student.standing;
    let unit_ids: Vec<String> = stuck_units(&standing)
        .map(|unit| unit.unit_id.clone())
        .collect();
    if unit_ids.is_empty() && standing.blocking_unit_id.is_empty() {
        return None;
    }
    Some(StuckStudent {
        wrong_in_a_row: wrong_in_a_row(&standing),
        student_id: standing.student_id,
        unit_ids,
        blocked_unit_id: standing.blocked_unit_id,
        blocking_unit_id: standing.blocking_unit_id,
        last_active_time: student.last_active_time,
    })
}
