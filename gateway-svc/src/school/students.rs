//! The students of a class, with how each stands in a course.

use turnwise_kit::{CallContext, Fault};
use turnwise_proto::{
    policy::v1::{
        CourseUnit, StudentRecord, StudentStanding, SummarizeClassRequest, SummarizeClassResponse,
    },
    session::v1::{ClassStudent, ListClassStudentsRequest, WeekActivity},
};

use super::School;
use crate::upstream::Step;

/// How many students are read at once: as many as the policy takes.
pub(super) const PAGE: usize = 200;
/// The most students of a class that are read: ten pages of the store, ten calls of the policy.
pub(super) const MOST: usize = 2000;
/// The weeks that the store keeps. All are read, so that it is known when a student was last active.
pub(super) const WEEKS_KEPT: i32 = 26;

/// A class as it stands in a course.
#[derive(Default)]
pub(super) struct Standing {
    /// The version of the course by which records were read.
    pub(super) pack_hash: String,
    /// Its units in their order.
    pub(super) units: Vec<CourseUnit>,
    /// By id.
    pub(super) students: Vec<Student>,
    /// Whether there are more than [`MOST`].
    pub(super) more: bool,
}

/// A student of a class.
pub(super) struct Student {
    pub(super) standing: StudentStanding,
    pub(super) weeks: Vec<WeekActivity>,
    pub(super) last_active_time: Option<prost_types::Timestamp>,
}

impl School {
    /// Reads the students of a class, the first [`MOST`] by id, and how they stand.
    pub(super) async fn class(
        &self,
        context: &CallContext,
        class_id: &str,
        course_id: &str,
    ) -> Result<Standing, Fault> {
        let mut class = Standing::default();
        let mut page_token = String::new();
        loop {
            let request = ListClassStudentsRequest {
                class_id: class_id.to_owned(),
                course_id: course_id.to_owned(),
                weeks: WEEKS_KEPT,
                page_size: PAGE as i32,
                page_token,
            };
            let step = Step::Session.of(context);
            let page = self
                .upstreams
                .session_admin
                .clone()
                .list_class_students(step.request(request))
                .await
                .map_err(|status| step.fault(&status))?
                .into_inner();
            self.join(context, course_id, &mut class, page.students)
                .await?;
            page_token = page.next_page_token;
            class.more = !page_token.is_empty();
            if !class.more || class.students.len() >= MOST {
                return Ok(class);
            }
        }
    }

    /// Adds a page of students, each with how they stand. The first page chooses the version of the course.
    async fn join(
        &self,
        context: &CallContext,
        course_id: &str,
        class: &mut Standing,
        page: Vec<ClassStudent>,
    ) -> Result<(), Fault> {
        let mut rest = Vec::with_capacity(page.len());
        let records = page.into_iter().map(|student| {
            rest.push((student.weeks, student.last_active_time));
            StudentRecord {
                student_id: student.student_id,
                snapshot: student.snapshot,
                question_records: student.question_records,
            }
        });
        let records = records.collect();
        let said = self
            .standing(context, course_id, &class.pack_hash, records)
            .await?;
        if said.students.len() != rest.len() {
            return Err(Step::Policy.malformed());
        }
        class.pack_hash = said.pack_hash;
        class.units = said.units;
        class
            .students
            .extend(said.students.into_iter().zip(rest).map(
                |(standing, (weeks, last_active_time))| Student {
                    standing,
                    weeks,
                    last_active_time,
                },
            ));
        Ok(())
    }

    /// How students stand in a course; of none, the course's units.
    pub(super) async fn standing(
        &self,
        context: &CallContext,
        course_id: &str,
        pack_hash: &str,
        students: Vec<StudentRecord>,
    ) -> Result<SummarizeClassResponse, Fault> {
        let step = Step::Policy.of(context);
        let said = self
            .upstreams
            .policy
            .clone()
            .summarize_class(step.request(SummarizeClassRequest {
                course_id: course_id.to_owned(),
                pack_hash: pack_hash.to_owned(),
                students,
                now: Some(turnwise_kit::time::to_proto(self.clock.now())),
            }))
            .await
            .map_err(|status| step.fault(&status))?;
        Ok(said.into_inner())
    }
}
