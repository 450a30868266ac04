//! What students did, counted by week in their own partitions: in the transaction of what is counted, and so exactly once.

use std::{borrow::Cow, collections::BTreeMap, time::Duration};

use bytes::Bytes;
use jiff::Timestamp;
use turnwise_proto::session::v1::{DrillActivity, TurnActivity, WeekActivity};
use turnwise_session_store::{FieldName, Read, Write};

use crate::{
    error::SessionError,
    sessions::{Sessions, fields, keys},
};

/// The most weeks that are kept and read.
pub const WEEKS: i64 = 26;
/// How long a week's counts are kept after they were last changed; up to a minute longer.
const KEPT: Duration = Duration::from_secs(27 * 7 * 86_400);
const DAY_MS: i64 = 86_400_000;
/// Days from 1970-01-01 to the Monday after.
const FIRST_MONDAY: i64 = 4;
const WRONG: &str = "wrong";
/// The millisecond of the latest count.
const LAST: &str = "last";

/// The week of a time, and the day in it from 0, a Monday.
pub fn week(time: Timestamp) -> (i64, i64) {
    let day = time.as_millisecond().div_euclid(DAY_MS) - FIRST_MONDAY;
    (day.div_euclid(7), day.rem_euclid(7))
}

/// The week of a time.
pub(in crate::sessions) fn week_of(time: Timestamp) -> i64 {
    week(time).0
}

/// One class and course of a student, as the student's record of them names it.
pub(in crate::sessions) fn place(class_id: &str, course_id: &str) -> String {
    format!("{class_id}/{course_id}")
}

/// Notes that a student works in a class and course.
pub(in crate::sessions) fn worked_in(class_id: &str, course_id: &str) -> Write {
    Write::Put {
        key: keys::places(),
        fields: vec![(
            Cow::Owned(place(class_id, course_id)),
            Bytes::from_static(b"1"),
        )],
    }
}

impl Sessions {
    /// Counts an answered turn.
    pub(in crate::sessions) fn count_turn(
        &self,
        class_id: &str,
        course_id: &str,
        turn: &TurnActivity,
    ) -> Vec<Write> {
        let mut more = Vec::new();
        if !turn.stuck_unit_id.is_empty() {
            more.push(format!("stuck:{}", turn.stuck_unit_id));
        }
        if !turn.hint_unit_id.is_empty() {
            more.push(format!("hint:{}", turn.hint_unit_id));
        }
        if turn.fallback_reason != 0 {
            more.push(format!("fallback:{}", turn.fallback_reason));
        }
        self.count(class_id, course_id, "turns", more)
    }

    /// Counts a graded drill.
    pub(in crate::sessions) fn count_drill(
        &self,
        course_id: &str,
        drill: &DrillActivity,
    ) -> Vec<Write> {
        let mut more = Vec::new();
        if !drill.correct {
            more.push(WRONG.to_owned());
            if !drill.mistake_tag.is_empty() {
                more.push(format!("mistake:{}:{}", drill.unit_id, drill.mistake_tag));
            }
        }
        self.count(&drill.class_id, course_id, "drills", more)
    }

    fn count(
        &self,
        class_id: &str,
        course_id: &str,
        by_day: &str,
        more: Vec<String>,
    ) -> Vec<Write> {
        let now = self.now();
        let (week, day) = week(now);
        let key = keys::activity(class_id, course_id, week);
        let counts = [format!("{by_day}:{day}")].into_iter().chain(more);
        vec![
            worked_in(class_id, course_id),
            Write::Add {
                key: key.clone(),
                fields: counts.map(|name| (FieldName::from(name), 1)).collect(),
            },
            Write::Put {
                key: key.clone(),
                fields: vec![(LAST.into(), fields::decimal(now.as_millisecond()))],
            },
            Write::Keep { key, after: KEPT },
        ]
    }
}

/// Reads what [`weeks`] needs: the counts of so many weeks up to this one, oldest first.
pub(in crate::sessions) fn reads(
    class_id: &str,
    course_id: &str,
    this_week: i64,
    count: i64,
) -> impl Iterator<Item = Read> {
    let first = this_week - count + 1;
    (first..=this_week).map(move |week| Read::Record {
        key: keys::activity(class_id, course_id, week),
    })
}

/// The names of all records of counts that there can be of a class and course, however old.
pub(in crate::sessions) fn all_weeks(
    place: &str,
    this_week: i64,
) -> impl Iterator<Item = turnwise_session_store::Key> {
    let (class_id, course_id) = place.split_once('/').unwrap_or((place, ""));
    let (class_id, course_id) = (class_id.to_owned(), course_id.to_owned());
    (this_week - WEEKS - 1..=this_week + 1)
        .map(move |week| keys::activity(&class_id, &course_id, week))
}

/// Counts of one week as they were stored, and when the latest was made, in milliseconds; none where nothing was counted.
pub(in crate::sessions) fn counted(
    week: i64,
    stored: Vec<(String, Bytes)>,
) -> Result<Option<(WeekActivity, i64)>, SessionError> {
    if stored.is_empty() {
        return Ok(None);
    }
    let mut found = WeekActivity {
        week,
        turns: vec![0; 7],
        drills: vec![0; 7],
        wrong_drills: 0,
        counts: BTreeMap::new(),
    };
    let mut last = 0;
    for (name, value) in stored {
        let number = fields::number("activity", &value)?;
        let day = |rest: &str| rest.parse().ok().filter(|day: &usize| *day < 7);
        match name.split_once(':') {
            None if name == WRONG => found.wrong_drills = number,
            None if name == LAST => last = number,
            Some(("turns", rest)) if let Some(day) = day(rest) => found.turns[day] = number,
            Some(("drills", rest)) if let Some(day) = day(rest) => found.drills[day] = number,
            _ => {
                found.counts.insert(name, number);
            }
        }
    }
    Ok(Some((found, last)))
}
