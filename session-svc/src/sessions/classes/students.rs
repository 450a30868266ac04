//! Who has worked in a class, and what a report of the class is made of.

use futures_util::{StreamExt, TryStreamExt, stream};
use jiff::Timestamp;
use turnwise_kit::time;
use turnwise_proto::session::v1::ClassStudent;
use turnwise_session_store::{Partition, Read, StudentKey, Write};

use super::activity;
use crate::{
    error::SessionError,
    sessions::{END, Sessions, evidence, keys},
};

/// How many students are read at a time.
const SIDE_BY_SIDE: usize = 32;

/// A page of a class's students.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StudentPage {
    /// By id.
    pub students: Vec<ClassStudent>,
    /// The last id of this page; none after the last page.
    pub after: Option<String>,
}

/// Enters a student among those who have worked in a class; `kept_until` is when this is forgotten.
pub(in crate::sessions) fn entered(student: &StudentKey, kept_until: i64) -> Write {
    Write::Rank {
        key: keys::students(),
        member: student.student.clone(),
        score: kept_until,
    }
}

impl Sessions {
    /// Whether a student has worked in a class.
    pub async fn works_in(
        &self,
        student: &StudentKey,
        class_id: &str,
    ) -> Result<bool, SessionError> {
        let ids = self.student_ids(&student.tenant, class_id).await?;
        Ok(ids.binary_search(&student.student).is_ok())
    }

    /// Everybody who has worked in a class, by id.
    async fn student_ids(&self, tenant: &str, class_id: &str) -> Result<Vec<String>, SessionError> {
        let wanted = vec![Read::Lowest {
            key: keys::students(),
            from: self.now_millis(),
            to: END,
            limit: usize::MAX >> 1,
        }];
        let class = Partition::class(tenant, class_id);
        let members = self.read(&class, wanted).await?.members()?;
        let mut ids: Vec<String> = members.into_iter().map(|(id, _)| id).collect();
        ids.sort_unstable();
        Ok(ids)
    }

    /// A page of the students who have worked in a class, with their records in a course and the counts of so many weeks;
    /// without a course, their ids alone.
    pub async fn class_students(
        &self,
        tenant: &str,
        class_id: &str,
        course_id: &str,
        weeks: i64,
        after: Option<String>,
        limit: usize,
    ) -> Result<StudentPage, SessionError> {
        let mut ids = self.student_ids(tenant, class_id).await?;
        if let Some(after) = after {
            ids.retain(|id| *id > after);
        }
        let more = ids.len() > limit;
        ids.truncate(limit);
        let after = ids.last().filter(|_| more).cloned();
        if course_id.is_empty() {
            let bare = |student_id| ClassStudent {
                student_id,
                ..ClassStudent::default()
            };
            let students = ids.into_iter().map(bare).collect();
            return Ok(StudentPage { students, after });
        }
        let students = stream::iter(ids)
            .map(|student| {
                let key = StudentKey {
                    tenant: tenant.to_owned(),
                    student,
                };
                async move { self.class_student(&key, class_id, course_id, weeks).await }
            })
            .buffered(SIDE_BY_SIDE)
            .try_collect()
            .await?;
        Ok(StudentPage { students, after })
    }

    async fn class_student(
        &self,
        student: &StudentKey,
        class_id: &str,
        course_id: &str,
        weeks: i64,
    ) -> Result<ClassStudent, SessionError> {
        let this_week = activity::week_of(self.now());
        let [halves, fence] = evidence::snapshot_reads(course_id);
        let mut wanted = vec![halves, fence, evidence::questions(course_id)];
        wanted.extend(activity::reads(class_id, course_id, this_week, weeks));
        let mut reads = self.read(&self.partition(student).await?, wanted).await?;
        let (halves, erasure) = (reads.fields()?, evidence::erasure(reads.fields()?)?);
        let snapshot = evidence::snapshot(student, course_id, halves, erasure)?;
        let question_records = evidence::question_records(reads.record()?)?;
        let mut counts = Vec::new();
        let mut last = 0;
        for week in this_week - weeks + 1..=this_week {
            if let Some((counted, at)) = activity::counted(week, reads.record()?)? {
                counts.push(counted);
                last = last.max(at);
            }
        }
        Ok(ClassStudent {
            student_id: student.student.clone(),
            last_active_time: (last > 0)
                .then(|| Timestamp::from_millisecond(last).ok().map(time::to_proto))
                .flatten(),
            snapshot: Some(snapshot),
            question_records,
            weeks: counts,
        })
    }
}
