//! What the report of a class costs: 40 students with 13 weeks of counts, and a class of 200, over a real embedded store and
//! the gateway's public face, all in this process. Beside it the same pages of students, read and not made into anything.
//!
//! `cargo bench -p turnwise-tests --bench class_report` prints lines of the form `figure NAME VALUE BOUND`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]
// The services are nested futures in this one process.
#![recursion_limit = "256"]

use tokio::time::Instant;

use futures_util::{StreamExt, stream};
use turnwise_proto::{
    school::v1::ClassReportRequest,
    session::v1::{
        DrillActivity, DrillCounters, Evidence, ListClassStudentsRequest, TurnActivity,
        UnitProgress,
    },
};
use turnwise_testing::figure::{Bound, figure};
use turnwise_tests::{
    classroom::{Classroom, request_as},
    student::{DEMO_COURSE, Student},
};

const WEEKS: i64 = 13;
const ROUNDS: usize = 50;
const WEEK_MICROS: i64 = 7 * 86_400_000_000;

fn main() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        Box::pin(measure("class_report", 40, Bound::AtMost(50.0))).await;
        Box::pin(measure("class_of_200_report", 200, Bound::Report)).await;
    });
}

fn unit(number: usize) -> String {
    format!("ALG-{:0>2}", number % 19 + 1)
}

/// A term of one student, one week of it: turns, hints and drills in three units.
async fn week(class: &Classroom, student: &str, thread: &str, week: usize) {
    for number in 0..3 {
        let about = unit(week + number);
        let activity = TurnActivity {
            stuck_unit_id: about.clone(),
            hint_unit_id: about.clone(),
            fallback_reason: 1,
        };
        Box::pin(class.turn(student, thread, activity)).await;
        let mut progress: Vec<UnitProgress> = (0..=week)
            .map(|unit_number| UnitProgress {
                unit_id: unit(unit_number),
                drill: Some(DrillCounters {
                    attempts: 3,
                    correct: 1,
                    streak_correct: 0,
                    streak_wrong: 2,
                }),
                ..UnitProgress::default()
            })
            .collect();
        progress.sort_by(|a, b| a.unit_id.cmp(&b.unit_id));
        progress.dedup_by(|a, b| a.unit_id == b.unit_id);
        let drill = DrillActivity {
            class_id: Student::CLASS.to_owned(),
            unit_id: about,
            correct: false,
            mistake_tag: format!("MISTAKE-{number}"),
        };
        let evidence = Evidence {
            unit_progress: progress,
            ..Evidence::default()
        };
        Box::pin(class.drill(student, drill, evidence)).await;
    }
}

async fn measure(name: &str, students: usize, bound: Bound) {
    let class = Classroom::start("2026-03-02T08:00:00Z").await;
    let names: Vec<_> = (0..students).map(|n| format!("student-{n:0>3}")).collect();
    let mut threads = Vec::new();
    for student in &names {
        threads.push(Box::pin(class.open(student)).await);
    }
    for number in 0..WEEKS as usize {
        stream::iter(names.iter().zip(&threads))
            .for_each_concurrent(32, |(student, thread)| {
                Box::pin(week(&class, student, thread, number))
            })
            .await;
        if number + 1 < WEEKS as usize {
            class.clock.advance(WEEK_MICROS);
        }
    }
    let (mut reports, mut reads) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        Box::pin(report(&class, students)).await;
        reports.push(begun.elapsed().as_secs_f64() * 1000.0);
        let begun = Instant::now();
        Box::pin(read(&class)).await;
        reads.push(begun.elapsed().as_secs_f64() * 1000.0);
    }
    let (report, read) = (median(&mut reports), median(&mut reads));
    figure(&format!("{name}_ms"), report, bound);
    figure(&format!("{name}_read_reference_ms"), read, Bound::Report);
    figure(&format!("{name}_ratio"), report / read, Bound::Report);
}

async fn report(class: &Classroom, students: usize) {
    let request = ClassReportRequest {
        class_id: Student::CLASS.to_owned(),
        course_id: DEMO_COURSE.to_owned(),
        weeks: 13,
        page_size: 200,
        page_token: String::new(),
    };
    let request = request_as("teacher", "ms-hopper", request);
    let answer = class.classes.clone().class_report(request).await.unwrap();
    let report = answer.into_inner().report.unwrap();
    assert_eq!(report.student_count, students as i32);
    assert_eq!(report.students[0].turns, 3 * WEEKS);
}

async fn read(class: &Classroom) {
    let mut page_token = String::new();
    loop {
        let request = ListClassStudentsRequest {
            class_id: Student::CLASS.to_owned(),
            course_id: DEMO_COURSE.to_owned(),
            weeks: 26,
            page_size: 200,
            page_token,
        };
        let request = request_as("teacher", "ms-hopper", request);
        let page = class.admin.clone().list_class_students(request).await;
        page_token = page.unwrap().into_inner().next_page_token;
        if page_token.is_empty() {
            return;
        }
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
