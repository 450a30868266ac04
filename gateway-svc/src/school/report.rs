//! How a class stands in a course: for each unit, in all, and a page of its students. Counts and codes, no words.

use std::collections::{BTreeMap, HashMap};

use turnwise_kit::{CallContext, Fault, ids, page, time};
use turnwise_proto::{
    policy::v1::{StudentStanding, UnitStanding},
    school::v1::{
        BadgeCounts, BlockedCount, ClassReportRequest, ClassReportResponse, Report, StudentReport,
        UnitReport,
    },
    tutor::v1::MasteryTier,
};

use super::{
    School,
    stuck::{PAGE, stuck_units, wrong_in_a_row},
    students::{Standing, Student, WEEKS_KEPT},
    tally::{Tally, Window},
};

/// The weeks that are counted where a request names none: a term.
const WEEKS: i32 = 13;
/// The most kinds of mistakes on a student's line.
const STUDENT_MISTAKES: usize = 5;

impl School {
    /// A report, with a page of students.
    pub(crate) async fn report(
        &self,
        context: &CallContext,
        request: ClassReportRequest,
    ) -> Result<ClassReportResponse, Fault> {
        ids::check("course_id", &request.course_id)?;
        let weeks = match request.weeks {
            0 => WEEKS,
            weeks if (1..=WEEKS_KEPT).contains(&weeks) => weeks,
            _ => {
                return Err(Fault::invalid(
                    "weeks",
                    format!("must be 0 (for {WEEKS}) to {WEEKS_KEPT}"),
                ));
            }
        };
        let size = page::size(request.page_size, PAGE.0, PAGE.1)?;
        let filter = [
            request.class_id.as_str(),
            &request.course_id,
            &weeks.to_string(),
        ];
        let pages = self
            .pages
            .list("ClassReport", context.caller_opt(), &filter);
        let after: Option<String> = pages.start(&request.page_token)?;
        let class = self
            .class(context, &request.class_id, &request.course_id)
            .await?;
        let now = self.clock.now();
        let window = Window::of(now, weeks);
        let tallies: Vec<Tally> = class
            .students
            .iter()
            .map(|student| Tally::of(&student.weeks, window))
            .collect();
        let mut totals = Tally::default();
        for tally in &tallies {
            totals.add(tally);
        }
        let lines = class.students.iter().zip(&tallies);
        let mut page: Vec<_> = lines
            .filter(|(student, _)| {
                let after = after.as_ref();
                after.is_none_or(|after| student.standing.student_id > *after)
            })
            .take(size + 1)
            .collect();
        let more = page.len() > size;
        page.truncate(size);
        let last = page.last().filter(|_| more);
        let next_page_token = pages.next(last.map(|(student, _)| &student.standing.student_id));
        let students = page
            .into_iter()
            .map(|(student, tally)| line(student, tally));
        let report = Report {
            class_id: request.class_id,
            course_id: request.course_id,
            create_time: Some(time::to_proto(now)),
            student_count: count(class.students.len()),
            totals: Some(totals.activity()),
            units: units(&class, &totals),
            students: students.collect(),
            more_students: class.more,
            pack_hash: class.pack_hash,
        };
        Ok(ClassReportResponse {
            report: Some(report),
            next_page_token,
        })
    }
}

/// Every unit of the course, with how many are where.
fn units(class: &Standing, totals: &Tally) -> Vec<UnitReport> {
    let mut units: Vec<UnitReport> = class
        .units
        .iter()
        .map(|unit| UnitReport {
            unit_id: unit.unit_id.clone(),
            title: unit.title.clone(),
            mistakes: totals.mistakes(Some(&unit.unit_id)),
            stuck_presses: totals.stuck_presses(&unit.unit_id),
            hints: totals.hints(&unit.unit_id),
            ..UnitReport::default()
        })
        .collect();
    let places: HashMap<&str, usize> = class
        .units
        .iter()
        .enumerate()
        .map(|(at, unit)| (unit.unit_id.as_str(), at))
        .collect();
    let mut blocked: BTreeMap<(usize, &str), i32> = BTreeMap::new();
    let standings = class.students.iter().flat_map(|s| &s.standing.units);
    for standing in standings {
        let Some(&at) = places.get(standing.unit_id.as_str()) else {
            continue;
        };
        enter(&mut units[at], standing);
        if !standing.blocking_unit_id.is_empty() {
            *blocked.entry((at, &standing.blocking_unit_id)).or_default() += 1;
        }
    }
    for ((at, prerequisite), count) in blocked {
        units[at].blocked.push(BlockedCount {
            prerequisite_unit_id: prerequisite.to_owned(),
            count,
        });
    }
    units
}

/// Counts one student in a unit.
fn enter(unit: &mut UnitReport, standing: &UnitStanding) {
    match standing.mastery_tier() {
        MasteryTier::Bronze => unit.bronze += 1,
        MasteryTier::Silver => unit.silver += 1,
        MasteryTier::Gold => unit.gold += 1,
        MasteryTier::Unspecified | MasteryTier::None => unit.none += i32::from(standing.worked_on),
    }
    unit.stuck += i32::from(standing.stuck);
    unit.locked += i32::from(standing.locked_questions > 0);
    unit.met_by_teacher += i32::from(standing.met_by_teacher);
    unit.placed += i32::from(standing.placed);
}

/// A student's line.
fn line(student: &Student, tally: &Tally) -> StudentReport {
    let standing = &student.standing;
    let mut mistakes = tally.mistakes(None);
    mistakes.truncate(STUDENT_MISTAKES);
    StudentReport {
        student_id: standing.student_id.clone(),
        focus_unit_id: standing.focus_unit_id.clone(),
        badges: Some(badges(standing)),
        stuck_unit_ids: stuck_units(standing)
            .map(|unit| unit.unit_id.clone())
            .collect(),
        blocked_unit_id: standing.blocked_unit_id.clone(),
        blocking_unit_id: standing.blocking_unit_id.clone(),
        locked: standing.locked_questions,
        turns: tally.turns(),
        drills: tally.drills(),
        wrong_drills: tally.wrong_drills(),
        mistakes,
        stuck_presses: tally.all_stuck_presses(),
        hints: tally.all_hints(),
        fallbacks: tally.all_fallbacks(),
        last_active_time: student.last_active_time,
        wrong_in_a_row: wrong_in_a_row(standing),
    }
}

fn badges(standing: &StudentStanding) -> BadgeCounts {
    let mut badges = BadgeCounts::default();
    for unit in &standing.units {
        match unit.mastery_tier() {
            MasteryTier::Bronze => badges.bronze += 1,
            MasteryTier::Silver => badges.silver += 1,
            MasteryTier::Gold => badges.gold += 1,
            MasteryTier::Unspecified | MasteryTier::None => {}
        }
    }
    badges
}

fn count(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
